"""``py2f diff OLD NEW``: two contracts, compared argument by argument; the exit status says whether programs have to change."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from py2f.changes import Change, Dummy, Interface, changes
from py2f.errors import Py2fError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Mapping

SAME, COMPATIBLE, BREAKING, FAILED = range(4)


@dataclass(frozen=True)
class Contract:
    """What py2f.emit.contract has written: procedures by name, with the Fortran names that programs use."""

    library: str
    procedures: Mapping[str, tuple[str, Interface]]
    host: Mapping[str, tuple[str, Interface]]

    @classmethod
    def read(cls, path: Path) -> Contract:
        """Raise Py2fError for what is no contract."""
        try:
            content = json.loads(path.read_bytes())
            procedures, host = ({p["name"]: _procedure(p) for p in content[kind]} for kind in ("procedures", "host"))
            return cls(content["library"], procedures, host)
        except OSError as error:
            raise Py2fError(f"{path} cannot be read: {error.strerror}") from None
        except (ValueError, KeyError, TypeError):
            raise Py2fError(
                f"{path} is no contract: take lib/<name>.json of a prefix, or what py2f show --what json prints"
            ) from None


def _procedure(p: Mapping[str, Any]) -> tuple[str, Interface]:
    dummies = [Dummy(a["name"], a["declared"], a["optional"], a["default"]) for a in p["arguments"]]
    return f"{p['fortran']} of module {p['use']}", Interface(tuple(dummies), p["returns"])


def compare(old: Contract, new: Contract) -> Iterator[tuple[str, Change]]:
    """What has changed, each with what it is of."""
    if old.library != new.library:
        yield "the library", Change(f"was {old.library}, is {new.library}")
    yield from _compared(old.procedures, new.procedures, "")
    yield from _compared(old.host, new.host, "the host procedure ")


def _compared(
    old: Mapping[str, tuple[str, Interface]], new: Mapping[str, tuple[str, Interface]], what: str
) -> Iterator[tuple[str, Change]]:
    for name, (place, was) in old.items():
        if name not in new:
            yield f"{what}{name}", Change("is gone")
            continue
        now_at, now = new[name]
        if place != now_at:
            yield f"{what}{name}", Change(f"was {place}, is {now_at}")
        yield from ((f"{what}{name}", change) for change in changes(was, now))
    yield from ((f"{what}{name}", Change("is new", breaking=False)) for name in new if name not in old)


VERDICTS = ("the same", "compatible: programs need no change", "breaking: programs have to be compiled anew, or changed")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("old", type=Path, metavar="OLD.json", help="the contract that programs were compiled against")
    parser.add_argument("new", type=Path, metavar="NEW.json", help="the other one; py2f show MODULE --what json prints it")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=run, module="", failed=FAILED)


def run(options: argparse.Namespace) -> int:
    """Print the differences; 0: none, 1: compatible ones, 2: breaking ones."""
    found = list(compare(Contract.read(options.old), Contract.read(options.new)))
    status = SAME if not found else BREAKING if any(change.breaking for _, change in found) else COMPATIBLE
    if options.json:
        rows = [{"of": of, "change": change.text, "breaking": change.breaking} for of, change in found]
        print(json.dumps({"verdict": ("same", "compatible", "breaking")[status], "changes": rows}, indent=2))
        return status
    print(VERDICTS[status], *(f"{_weight(change)}  {of}: {change.text}" for of, change in found), sep="\n  ")
    return status


def _weight(change: Change) -> str:
    return "breaking  " if change.breaking else "compatible"
