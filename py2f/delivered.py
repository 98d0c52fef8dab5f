"""Thunks in an exported prefix: a program that runs from there neither compiles nor reads a cache for what its granule calls.

Beside the library of an export, in the folder ``py2f-calls``, each module that has stubs has its thunks, what these need, and
a JSON file that says which stubs they were made for. A stub that has changed since is not looked for there.
"""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from py2f.decorators.registry import stub_modules, stubs

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from py2f.decorators.stub import Stub
    from py2f.settings import Settings

FOLDER = "py2f-calls"
folders: list[Path] = []
"""Where to look: attach.py adds the folder of each library that calls us."""


@dataclass(frozen=True)
class Thunks:
    """A compiled library of thunks, and the libraries that must be loaded before it."""

    path: Path
    symbol: str  # of its table
    needed: tuple[Path, ...]


def deliver(folder: Path, settings: Settings) -> None:
    """Put the thunks of every module that is imported into a folder that a prefix is made of.

    Raises what :func:`py2f.calls.build_calls` raises.
    """
    for module in stub_modules():
        wanted = _own(module)
        if wanted:
            from py2f.calls import build_calls

            thunks = build_calls(module, wanted, settings)
            calls = folder / "lib" / FOLDER
            calls.mkdir(parents=True, exist_ok=True)
            library = calls / f"lib{module}_calls.so"  # as there are modules: dots tell sea.ice_top from sea_ice.top
            for source, target in [(thunks.path, library), *((needed, calls / needed.name) for needed in thunks.needed)]:
                shutil.copy(source, target)
            needed = [path.name for path in thunks.needed]
            _write(calls / f"{module}.json", library.name, thunks.symbol, needed, [_text(s) for s in wanted])


def _own(module: str) -> list[Stub]:
    return [s for s in stubs(module).values() if not s.origin.host]


def _text(stub: Stub) -> str:
    """What a thunk depends on, without the paths of a machine."""
    origin = stub.origin
    places = [*(path.name for path in origin.sources), origin.module, origin.library]
    return f"{stub.qualname}: {stub.procedure} in {' '.join(filter(None, places))}"


def _write(path: Path, library: str, symbol: str, needed: list[str], texts: list[str]) -> None:
    content = {"library": library, "symbol": symbol, "needed": needed, "stubs": texts}
    path.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")


def found(module: str, wanted: Sequence[Stub]) -> Thunks | None:
    """The thunks that were delivered for exactly these stubs, in this order."""
    for folder in (folder / FOLDER for folder in folders):
        content = _read(folder / f"{module}.json")
        if content.get("stubs") == [_text(s) for s in wanted]:
            return Thunks(folder / content["library"], content["symbol"], tuple(folder / name for name in content["needed"]))
    return None


def _read(path: Path) -> dict[str, Any]:
    try:
        return dict(json.loads(path.read_bytes()))
    except (OSError, ValueError, TypeError):  # none there, or none of ours
        return {}
