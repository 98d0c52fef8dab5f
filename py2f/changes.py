"""What has changed between two descriptions of exported functions, and whether callers that were compiled against the first mind.

The one home of that rule: the run time compares a library with the module that it imports (``py2f_signature_changed``),
``py2f diff`` compares two contracts. New functions, and new arguments that come last and that Python has defaults for, are
compatible; everything else is not.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING

from py2f.signature import RESULT

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


@dataclass(frozen=True)
class Dummy:
    """An argument, as a caller sees it."""

    name: str
    declared: str
    optional: bool = False
    default: bool = False  # Python calls the function without it, too

    def __str__(self) -> str:
        return f"{self.name}: {self.declared}"


@dataclass(frozen=True)
class Interface:
    """A function, as a caller sees it; `returned` is the annotation of the result, None for a subroutine."""

    arguments: tuple[Dummy, ...]
    returned: str = "None"

    @classmethod
    def of(cls, arguments: Iterable[Dummy], results: Sequence[Dummy]) -> Interface:
        """With the results as rows of a table: one that has no name, or the fields of a tuple."""
        alone = next((r.declared for r in results if r.name == RESULT), "None")
        fields = [str(r) for r in results if r.name != RESULT]
        return cls(tuple(arguments), f"tuple[{', '.join(fields)}]" if fields else alone)

    def __str__(self) -> str:
        return f"({', '.join(map(str, self.arguments))})" + (f" -> {self.returned}" if self.returned != "None" else "")


@dataclass(frozen=True)
class Change:
    """What is not as it was."""

    text: str
    breaking: bool = True


NOT_LAST = "a new argument must come last and have a default"


def changes(was: Interface, now: Interface) -> list[Change]:
    """Argument by argument; empty: they are the same to a caller."""
    pairs = enumerate(itertools.zip_longest(was.arguments, now.arguments), 1)
    found = [_argument(number, old, new) for number, (old, new) in pairs]
    if was.returned != now.returned:
        found.append(Change(f"the result was {was.returned}, is {now.returned}"))
    return [change for change in found if change]


def _argument(number: int, old: Dummy | None, new: Dummy | None) -> Change | None:
    if old is None and new is not None:
        return Change(f"argument '{new.name}' ({new.declared}) is new", breaking=not (new.optional and new.default))
    if old is not None and new is None:
        return Change(f"argument '{old.name}' is gone")
    if old is None or new is None or (old.name, old.declared, old.optional) == (new.name, new.declared, new.optional):
        return None
    if old.name == new.name:
        return Change(f"argument '{new.name}' was {old.declared}, is {new.declared}")
    return Change(f"argument {number} was '{old.name}' ({old.declared}), is '{new.name}' ({new.declared})")
