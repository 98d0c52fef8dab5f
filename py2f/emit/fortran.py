"""The Fortran module of a library: what users read, compile against and call."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from py2f.emit.frame import shared_types
from py2f.emit.names import INTRINSICS, ISO_C, UNSAFE, assign, free, imported
from py2f.emit.procedure import procedure_text
from py2f.emit.text import indent, wrap

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from py2f.signature import Library

OURS = ("py2f_conclude", "py2f_mismatch", "py2f_ok", "py2f_take_array", "py2f_take_text")
"""What generated modules use of module py2f."""


def entry_symbol(library: Library) -> str:
    """The C function that the wrappers of a library call; no other library has one of that name."""
    return f"py2f_{library.name}_{library.signature}_call"


def generic_names(library: Library) -> dict[str, str]:
    """What Fortran users call each function: its name, but for two that differ in case only."""
    return assign((p.name for p in library.procedures), ())


def specific_names(library: Library) -> dict[str, str]:
    """What the wrappers themselves are called: as users call them, unless that name means something else in Fortran."""
    generic = generic_names(library)
    taken = {g.lower() for g in generic.values()}
    return {name: free(g, UNSAFE | taken) if g.lower() in UNSAFE else g for name, g in generic.items()}


def module_text(library: Library) -> str:
    """Source text of the Fortran module."""
    generic, specific = generic_names(library), specific_names(library)
    hidden = {g.lower() for g in generic.values()} & INTRINSICS
    wrappers = [
        procedure_text(p, library.name, specific[p.name], number, hidden) for number, p in enumerate(library.procedures)
    ]
    interface = _entry_interface(entry_symbol(library))
    body = _lines([*shared_types(library.procedures), *interface], ["contains"], _separated(wrappers))
    return _rename_imports(_head(library, body, generic, specific), body, {g.lower() for g in generic.values()}) + (
        f"end module {library.name}\n"
    )


def _lines(specification: list[str], contains: list[str], wrappers: list[str]) -> str:
    rows = [*indent(specification), "", *contains, "", *indent(wrappers)]
    return "\n".join(map(wrap, rows)) + "\n"


def _separated(blocks: Iterable[list[str]]) -> list[str]:
    return [row for block in blocks for row in (*block, "")]


def _entry_interface(symbol: str) -> list[str]:
    return [
        "interface",
        f'  function py2f_call(number, frame) bind(c, name="{symbol}") result(rc)',
        "    import :: c_int, c_ptr",
        "    integer(c_int), value :: number",
        "    type(c_ptr), value :: frame",
        "    integer(c_int) :: rc",
        "  end function py2f_call",
        "end interface",
    ]


def _head(library: Library, body: str, generic: Mapping[str, str], specific: Mapping[str, str]) -> str:
    ours = [name for name in OURS if re.search(rf"\b{name}\b", body)]
    rows = [
        "! SPDX-License-Identifier: 0BSD",
        f"!> The functions of the Python module {library.module}, for Fortran. Made by py2f; do not edit.",
        f"module {library.name}",
        f"  use, intrinsic :: iso_c_binding, only: {', '.join(imported(body))}",
        f"  use py2f, only: {', '.join(ours)}",
        "  implicit none",
        "  private",
        *(f"  public :: {name}" for name in generic.values()),
        "",
    ]
    for name, visible in generic.items():
        if specific[name] != visible:
            rows += [f"  interface {visible}", f"    procedure :: {specific[name]}", f"  end interface {visible}", ""]
    return "\n".join(map(wrap, rows)) + "\n"


def _rename_imports(head: str, body: str, functions: set[str]) -> str:
    """Where a function is called like a name of iso_c_binding that the module needs, import that one under another name."""
    clashing = functions & ISO_C & set(imported(body))
    for name in sorted(clashing):
        head = re.sub(rf"^(  use, intrinsic.*?)\b{name}\b", rf"\1iso_{name} => {name}", head, flags=re.M | re.S)
        body = re.sub(rf"(?<![\w%]){name}\b|(?<=\d_){name}\b", f"iso_{name}", body)
    return head + body
