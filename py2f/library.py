"""Shared libraries that a user names: where they are, and what they call a procedure."""

from __future__ import annotations

import ctypes
import ctypes.util
from pathlib import Path
from typing import TYPE_CHECKING

from py2f.errors import StubError

MAPS = Path("/proc/self/maps")
"""Which files are in this process, with their paths."""

if TYPE_CHECKING:
    from py2f.decorators.stub import Stub


def linked(library: str) -> str:
    """What the linker is told: a path as it is, a name as the loader would find it."""
    if "/" in library:
        return str(Path(library).absolute())
    return f"-l:{library}" if ".so" in library else f"-l{library}"


def opened(stub: Stub) -> ctypes.CDLL:
    """The library in this process; raises StubError that says what the loader says."""
    library = stub.origin.library
    name = library if "/" in library or ".so" in library else ctypes.util.find_library(library) or f"lib{library}.so"
    try:
        return ctypes.CDLL(str(Path(name).absolute()) if "/" in name else name)
    except OSError as error:
        raise StubError(f"{stub.where}: library {library!r} cannot be loaded: {error}") from None


def find_symbol(stub: Stub) -> str:
    """The symbol of a bind(c) procedure; empty for one that the Fortran compiler mangles itself. Raises StubError."""
    name, handle = stub.procedure.name, opened(stub)
    if hasattr(handle, name):
        return name
    if hasattr(handle, f"{name.lower()}_"):
        return ""
    candidates = [s for s in _symbols(handle) if name.lower() in s.lower()]
    hint = (
        f"; it has {', '.join(candidates[:5])}: say module=... and includes=[...] where the .mod files are" if candidates else ""
    )
    raise StubError(f"{stub.where}: {stub.origin.library} has no symbol '{name}' or '{name.lower()}_'{hint}")


def _symbols(handle: ctypes.CDLL) -> list[str]:
    """The procedures that a library exports; none where the loader does not say which file it is."""
    from py2f.elf import exported_procedures

    name = Path(str(handle._name)).name  # noqa: SLF001  ctypes shows it in no other way
    file = next((Path(line.split()[-1]) for line in MAPS.read_text().splitlines() if line.endswith(name)), None)
    return exported_procedures(file) if file else []
