"""The Fortran module of a library: what users read, compile against and call."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import chain, starmap
from typing import TYPE_CHECKING

from py2f.emit.frame import entry_interface, shared_types
from py2f.emit.host import interfaces, passed_on
from py2f.emit.locate import locators
from py2f.emit.names import INTRINSICS, ISO_C, UNSAFE, assign, free, words
from py2f.emit.procedure import procedure_text, references, scope
from py2f.emit.scope import ALWAYS
from py2f.emit.text import indent, wrap

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from py2f.signature import Library, Part, Procedure

OURS = frozenset("py2f_conclude py2f_mismatch py2f_ok py2f_take_array py2f_take_text py2f_tells_dense".split())
"""What generated modules use of module py2f."""


def entry_symbol(library: Library) -> str:
    """The C function that the wrappers of a library call; no other library has one of that name."""
    return f"py2f_{library.name}_{library.signature}_call"


def generic_names(library: Library) -> dict[str, str]:
    """What Fortran users call each function: its name, but for two that differ in case only."""
    names = [p.name for p in library.procedures]
    return dict(zip(names, assign(names, ()), strict=True))


def specific_names(library: Library) -> dict[str, str]:
    """What the wrappers themselves are called: as users call them, unless that name means something else in Fortran."""
    generic = generic_names(library)
    taken = {g.lower() for g in generic.values()}
    unsafe = UNSAFE.union(ALWAYS)  # no procedure may be called like a dummy argument of its own
    return {name: free(g, unsafe | taken) if g.lower() in unsafe else g for name, g in generic.items()}


def module_text(library: Library) -> str:
    """Source text of the Fortran modules: the library's own comes last, and makes those of its parts public."""
    return "\n".join([*(_part(library, part) for part in library.parts), _module(library, library.name, library.own)])


def _part(library: Library, part: Part) -> str:
    return _module(replace(library, modules=(part.module,), parts=()), part.name, part.procedures, library)


def _module(described: Library, name: str, procedures: tuple[Procedure, ...], library: Library | None = None) -> str:
    """A module that is called `name`, of procedures of a library; `described` is what its head says."""
    library = library or described
    generic, specific = (
        {p.name: names[p.name] for p in procedures} for names in (generic_names(library), specific_names(library))
    )
    functions = {g.lower() for g in (*generic.values(), *_passed(described))}  # what is seen there hides what is called so
    shared = [*shared_types(procedures), *(entry_interface(entry_symbol(library)) if procedures else [])]
    called = interfaces(library)
    referred = {p.name: references(p, called[p.name]) for p in procedures}
    hiding = functions & (INTRINSICS - ISO_C)
    locate = locators(procedures, hiding)
    imports = _imports([*shared, *chain(*locate)], functions, referred.values())
    renamed = {iso for iso, local in imports.items() if iso != local}
    numbers = {p.name: number for number, p in enumerate(library.procedures)}
    wrappers = [
        procedure_text(
            p,
            scope(p, name, specific[p.name], referred[p.name] | renamed, called[p.name]),
            numbers[p.name],
            hiding,
        )
        for p in procedures
    ]
    rows = [*indent(shared), "", "contains", "", *indent(_separated([*wrappers, *locate]))] if procedures else []
    body = [_renamed(row, imports) for row in rows]
    head = [*_head(described, name, "\n".join(body), imports, generic), *_generic(generic, specific)]
    return "\n".join(map(wrap, [*head, *body, f"end module {name}"])) + "\n"


def _imports(shared: list[str], functions: set[str], referred: Iterable[set[str]]) -> dict[str, str]:
    """What the module needs of iso_c_binding, and what it calls it: a function may have taken the name."""
    needed = ISO_C & words(shared, ()).union(*referred)
    return {name: f"iso_{name}" if name in functions else name for name in sorted(needed)}


def _renamed(row: str, imports: Mapping[str, str]) -> str:
    """A row in which names of iso_c_binding that a function of the module has taken are called otherwise."""
    taken = [name for name, local in imports.items() if name != local]
    if not taken or row.lstrip().startswith("!"):
        return row
    name = rf"(?<![\w%])(\d+_)?({'|'.join(taken)})\b"
    return re.sub(rf'"[^"]*"|{name}', lambda m: m[0] if m[2] is None else f"{m[1] or ''}{imports[m[2]]}", row)


def _separated(blocks: Iterable[list[str]]) -> list[str]:
    return [row for block in blocks for row in (*block, "")]


def _head(library: Library, name: str, body: str, imports: Mapping[str, str], generic: Mapping[str, str]) -> list[str]:
    ours = sorted(OURS & set(re.findall(r"\bpy2f_\w+", body)))
    passed = passed_on(library)
    return [
        "! SPDX-License-Identifier: 0BSD",
        f"!> The functions of the Python module {library.module}, for Fortran. Made by py2f; do not edit.",
        f"module {name}",
        *([f"  use, intrinsic :: iso_c_binding, only: {', '.join(starmap(_import, imports.items()))}"] if imports else []),
        *([f"  use py2f, only: {', '.join(ours)}"] if ours else []),
        *([f"  use {library.name}_host, only: {', '.join(passed)}"] if passed else []),
        *(
            f"  use {part.name}, only: {', '.join(generic_names(library)[p.name] for p in part.procedures)}"
            for part in library.parts
        ),
        "  implicit none",
        "  private",
        *(f"  public :: {each}" for each in (*generic.values(), *_passed(library), *passed)),
        "",
    ]


def _generic(generic: Mapping[str, str], specific: Mapping[str, str]) -> list[str]:
    rows = []
    for name, visible in generic.items():
        if specific[name] != visible:
            rows += [f"  interface {visible}", f"    procedure :: {specific[name]}", f"  end interface {visible}", ""]
    return rows


def _passed(library: Library) -> list[str]:
    names = generic_names(library)
    return [names[p.name] for part in library.parts for p in part.procedures]


def _import(name: str, local: str) -> str:
    return name if name == local else f"{local} => {name}"
