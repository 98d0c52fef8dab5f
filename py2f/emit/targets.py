"""The names that the parts of a library of thunks know one another by."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from py2f.fortran.called import Calls


def table_symbol(calls: Calls) -> str:
    """The table of targets."""
    return f"py2f_{calls.name}_targets"
