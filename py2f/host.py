"""The Fortran program that this Python runs in."""

from __future__ import annotations

from pathlib import Path

from py2f.elf import exported_procedures

PROGRAM = Path("/proc/self/exe")


def symbols() -> list[str]:
    """The procedures that the program of this process exports, as the linker calls them, sorted.

    A bind(C) procedure is found there by its name, and so by stubs with ``host=True``, if the program was linked with
    -rdynamic; without that the list is empty, or nearly so. Procedures that are provided need not be in it.
    """
    return exported_procedures(PROGRAM)
