"""Read Fortran sources: what they declare, as frozen values.

`read_file` makes statements, `units_of` program units, `scope_of` names; `interface_of` and `dummy_of` make the values.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from py2f.errors import SourceError
from py2f.fortran.comments import Comments
from py2f.fortran.declared import Module, Source
from py2f.fortran.dummies import dummy_of
from py2f.fortran.given import Given
from py2f.fortran.grammar import parse
from py2f.fortran.procedures import interface_of
from py2f.fortran.specification import scope_of
from py2f.fortran.statements import read_file
from py2f.fortran.units import units_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from py2f.fortran.declared import Dummy, Interface
    from py2f.fortran.scope import Scope
    from py2f.fortran.units import Unit


def read(paths: Sequence[Path], *, fixed: bool | None = None) -> Source:
    """Read sources, whose modules may use one another in any order of the files.

    `fixed` is whether they are in fixed form; None: their suffixes tell.

    Raises SourceError with path, line and reason when one cannot be read.
    """
    files = [read_file(Path(path), fixed=fixed) for path in paths]
    units = [unit for file in files for unit in units_of(file)]
    scopes: dict[str, Scope] = {}
    for unit in units:
        if unit.sort == "module":
            if unit.name in scopes:
                raise SourceError(unit.opening.path, unit.opening.line, f"there is another module '{unit.name}'")
            scopes[unit.name] = scope_of(unit, None, scopes)
    given = Given(scopes, units, Comments(files))
    externals = [external for unit in units for external in _externals(unit, given)]
    return Source(
        modules=tuple(_module(scope, given) for scope in scopes.values()),
        externals=tuple(externals),
        included=tuple(dict.fromkeys(path for file in files for path in file.included)),
    )


def _externals(unit: Unit, given: Given) -> Iterator[Interface]:
    if unit.sort not in ("subroutine", "function"):
        return
    interface = interface_of(unit, None, given)
    yield interface
    yield from _entries(unit, interface)


def _entries(unit: Unit, interface: Interface) -> Iterator[Interface]:
    """Further names of a procedure, of which nothing more is known than that they are there."""
    for statement in (*unit.specification, *unit.execution):
        node = parse("Entry_Stmt", statement.text) if statement.low.startswith("entry") else None
        if node is not None:
            name = str(node.items[0]).lower()
            yield replace(
                interface, name=name, arguments=(), result=None, line=statement.line, text=statement.text, trouble="entry"
            )


def _module(scope: Scope, given: Given) -> Module:
    unit = scope.unit
    procedures = tuple(p for p in _procedures(scope, given) if scope.is_public(p.name))
    variables, constants = _variables(scope)
    generics = tuple((name, tuple(listed)) for name, listed in scope.generics.items() if scope.is_public(name))
    return Module(
        name=unit.name,
        procedures=procedures,
        variables=variables,
        constants=constants,
        generics=generics,
        unwrapped=tuple(_unwrapped(scope, procedures, (*variables, *constants))),
        uses=tuple(dict.fromkeys(use.module for use in scope.uses)),
        path=str(unit.opening.path),
        doc=given.comments.of(unit.opening),
    )


def _procedures(scope: Scope, given: Given) -> Iterator[Interface]:
    """The contained procedures, and those whose bodies are in submodules."""
    for part in scope.unit.procedures:
        interface = interface_of(part, scope, given)
        yield interface
        yield from _entries(part, interface)
    for part, _ in scope.interfaces.values():
        if "module" in str(part.node.items[0]).lower().split():
            yield interface_of(part, scope, given, body=True)


def _variables(scope: Scope) -> tuple[tuple[Dummy, ...], tuple[Dummy, ...]]:
    """Public variables, and public named constants."""
    declared = {name: dummy_of(entity, scope, ()) for name, entity in scope.entities.items() if scope.is_public(name)}
    constants = {name for name, dummy in declared.items() if "parameter" in dummy.attributes}
    variables = tuple(dummy for name, dummy in declared.items() if name not in constants)
    return variables, tuple(declared[name] for name in declared if name in constants)


def _unwrapped(scope: Scope, procedures: Sequence[Interface], declared: Sequence[Dummy]) -> Iterator[tuple[str, str]]:
    yield from ((p.name, p.trouble) for p in procedures if p.trouble)
    yield from (
        (dummy.name, dummy.trouble or "procedure pointer") for dummy in declared if dummy.trouble or dummy.type == "procedure"
    )
    yield from ((name, "derived type") for name in sorted(scope.types) if scope.is_public(name))
    wrapped = {p.name for p in procedures}
    for name, listed in scope.generics.items():
        if not scope.is_public(name) or name in scope.types:
            continue
        hidden = [specific for specific in listed if specific not in wrapped]
        yield name, f"generic of {', '.join(listed)}" + (f"; {', '.join(hidden)} not public here" if hidden else "")
    for name, (part, block) in scope.interfaces.items():
        if scope.is_public(name) and block != "abstract" and name not in wrapped:
            yield part.name, "interface of an external procedure"
