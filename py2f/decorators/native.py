"""``native=True``: what a native function may take and return, said where it is decorated; and its compilation at the export."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from py2f.decorators.registry import exported
from py2f.errors import RefusedError
from py2f.types import Word

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from py2f.signature import Argument, Procedure

NUMBERS = (Word.INTEGER, Word.REAL, Word.COMPLEX, Word.LOGICAL)


def refuse_native(procedure: Procedure, function: Any, qualname: str, backend: str | None, keywords: Collection[str]) -> None:
    """Raise RefusedError for what machine code cannot be given."""
    if not inspect.isfunction(function) and not hasattr(function, "py_func"):
        raise RefusedError(f"'{qualname}' is a {type(function).__name__}, and native=True is for functions that `def` makes")
    if backend is not None:
        raise RefusedError(f"'{qualname}': native=True and backend= exclude each other: GT4Py compiles its programs itself")
    for a in procedure.arguments:
        if trouble := "keyword-only arguments" if a.name in keywords else _trouble(a):
            raise RefusedError(
                f"argument '{a.name}' of '{qualname}': a native function takes no {trouble}; leave native=True out"
            )
    if procedure.fields:
        raise RefusedError(f"'{qualname}' returns a tuple, a native function returns one number: make the others Out arguments")
    result = procedure.result
    if result and (result.rank or result.kind.word not in NUMBERS):
        advice = "write it into an Out argument" if result.rank else "leave native=True out"
        raise RefusedError(f"'{qualname}' returns {result.declared}, a native function returns one number: {advice}")


def _trouble(a: Argument) -> str:
    """What of an argument is beyond numbers and arrays; empty: nothing."""
    if a.callback:
        return "procedures"
    if a.dims:
        return "fields of GT4Py"
    if a.kind.word not in NUMBERS:
        return str(a.kind)
    if a.optional:
        return "optional arguments"
    if a.keep:
        return "Keep: it can keep nothing"
    return "IndexBase" if a.base else ""


def compile_native(modules: Iterable[str]) -> None:
    """See that numba compiles what is native in modules that are imported; raises ExportError."""
    for entry in (entry for module in modules for entry in exported(module).values() if entry.native):
        from py2f.backends.numba import native

        native(entry)
