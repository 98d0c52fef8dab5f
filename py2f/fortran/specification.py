"""From specification statements to a scope; every statement is parsed by fparser."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from py2f.errors import SourceError
from py2f.fortran.grammar import each, has_cobounds, low, parse, sort
from py2f.fortran.scope import Entity, Scope, Use, literal, names
from py2f.fortran.units import TYPES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from py2f.fortran.statements import Statement
    from py2f.fortran.units import Unit


def scope_of(unit: Unit, host: Scope | None, modules: Mapping[str, Scope]) -> Scope:
    """Read what a unit specifies; raises SourceError with what fparser does not understand."""
    scope = Scope(unit, host, modules)
    for statement in unit.specification:
        _read(statement, scope)
    for part in unit.of("enum"):
        _enumerators(part, scope)
    for part in unit.of("interface"):
        _interface(part, scope)
    return scope


def _read(statement: Statement, scope: Scope) -> None:
    match = re.match(r"[a-z]\w*", statement.low)
    word = match[0] if match else ""
    if word in _SILENT:
        return
    if word in ("include", "generic"):
        (_include if word == "include" else _generic)(statement, scope)
        return
    rule, read = _STATEMENTS.get(word, ("Type_Declaration_Stmt", _declaration))
    text = f"target{statement.text[len(word) :]}" if word == "contiguous" else statement.text  # fparser has no such statement
    node = parse(rule, text)
    if node is None:
        known = "a type declaration" if word in TYPES else f"a statement `{word}`"
        raise SourceError(statement.path, statement.line, f"fparser does not understand {known}: `{statement.text}`")
    read(node, statement, scope)


def _include(statement: Statement, scope: Scope) -> None:
    scope.missing.append(statement.text[len("include") :].strip().strip("'\""))


def _generic(statement: Statement, scope: Scope) -> None:
    """A GENERIC statement of Fortran 2018, which fparser knows in derived types only."""
    name, _, listed = statement.low.partition("::")[2].partition("=>")
    scope.generics.setdefault(name.strip(), []).extend(listed.replace(" ", "").split(","))


def _entity(name: str, statement: Statement, scope: Scope) -> Entity:
    return scope.entities.setdefault(name, Entity(name, statement))


def _declaration(node: Any, statement: Statement, scope: Scope) -> None:
    spec, attributes, entities = node.items
    for item in entities.items:
        name, shape, length, initial = item.items
        entity = _entity(low(name), statement, scope)
        entity.statement, entity.type = statement, spec
        for attribute in each(attributes):
            _attribute(attribute, entity, scope)
        entity.shape = entity.shape if shape is None else shape
        entity.length = length
        entity.value = entity.value if initial is None else initial.items[1]
        if has_cobounds(statement.text):
            entity.attributes.add("codimension")


def _attribute(node: Any, entity: Entity, scope: Scope) -> None:
    """One attribute of a type declaration or a procedure declaration."""
    word = re.match(r"\w+", low(node))
    what = word[0] if word else ""
    if what == "intent":
        entity.intent = low(node.items[1]).replace(" ", "") if hasattr(node, "items") else ""
        if not entity.intent:  # fparser takes `intent` and `intent()` for attributes
            at = entity.statement
            raise SourceError(at.path, at.line, f"an intent is in, out or inout: `{at.text}`")
    elif what == "dimension":
        entity.shape = node.items[1]
    elif what == "bind":
        _bound(node, entity)
    elif what in ("public", "private"):
        scope.access[entity.name] = what
    else:
        entity.attributes.add(what)


def _bound(node: Any, entity: Entity) -> None:
    entity.attributes.add("bind(c)")
    entity.symbol = literal(node.items[0]) or entity.name


def _procedure(node: Any, statement: Statement, scope: Scope) -> None:
    spec, attributes, declared = node.items
    for item in each(declared):
        entity = _entity(low(item.items[0] if sort(item) == "Proc_Decl" else item), statement, scope)
        entity.statement = statement
        entity.procedure = low(spec) if sort(spec) == "Name" and low(spec) not in TYPES else ""
        for attribute in each(attributes):
            _attribute(attribute, entity, scope)


def _marks(attribute: str) -> Callable[[Any, Statement, Scope], None]:
    """The reader of a statement that gives names an attribute, and perhaps bounds."""

    def read(node: Any, statement: Statement, scope: Scope) -> None:
        for name, shape in _bounded(node.items[-1]):
            entity = _entity(name, statement, scope)
            entity.attributes.add(attribute)
            entity.shape = entity.shape if shape is None else shape

    return read


def _bounded(node: Any) -> Iterator[tuple[str, Any]]:
    for item in each(node):
        if sort(item) in ("Name", "Saved_Entity"):
            yield low(item), None
        else:
            yield low(item.items[0]), item.items[1]


def _dimension(node: Any, statement: Statement, scope: Scope) -> None:
    for name, shape in node.items[0]:
        _entity(low(name), statement, scope).shape = shape


def _common(node: Any, statement: Statement, scope: Scope) -> None:
    for _, objects in node.items[0]:
        for name, shape in _bounded(objects):
            entity = _entity(name, statement, scope)
            entity.attributes.add("common")
            entity.shape = entity.shape if shape is None else shape


def _intent(node: Any, statement: Statement, scope: Scope) -> None:
    for name in names(node.items[1]):
        _entity(name, statement, scope).intent = low(node.items[0]).replace(" ", "")


def _external(node: Any, statement: Statement, scope: Scope) -> None:
    for name in names(node.items[1]):
        _entity(name, statement, scope).attributes.add("external")


def _parameter(node: Any, statement: Statement, scope: Scope) -> None:
    for item in each(node.items[1]):
        entity = _entity(low(item.items[0]), statement, scope)
        entity.attributes.add("parameter")
        entity.value = item.items[1]


def _bind(node: Any, statement: Statement, scope: Scope) -> None:
    for name in names(node.items[1]):
        _bound(node.items[0], _entity(name, statement, scope))


def _access(node: Any, _statement: Statement, scope: Scope) -> None:
    word, listed = low(node.items[0]), node.items[1]
    if listed is None:
        scope.private = word == "private"
    for name in names(listed):
        scope.access[name] = word


def _use(node: Any, _statement: Statement, scope: Scope) -> None:
    _, _, module, restriction, listed = node.items
    renamed = {}
    for item in each(listed):
        here, there = item.items[1:] if sort(item) == "Rename" else (item, item)
        renamed[low(here)] = low(there)
    scope.uses.append(Use(low(module), renamed, "only" in restriction.lower()))


def _implicit(node: Any, _statement: Statement, scope: Scope) -> None:
    if node.items[0] == "NONE":
        scope.implicit_none = True
        return
    scope.implicit = scope.implicit or {}
    for spec, letters in (item.items for item in each(node.items[0])):
        for first, last in (letter.items for letter in each(letters)):
            for code in range(ord(low(first)), ord(low(last or first)) + 1):
                scope.implicit[chr(code)] = spec


def _namelist(node: Any, _statement: Statement, scope: Scope) -> None:
    for _, members in node.items:
        scope.namelists.update(names(members))


def _enumerators(unit: Unit, scope: Scope) -> None:
    """Named constants of kind c_int, each one more than the one before unless it has a value."""
    before = ""
    for statement in unit.specification:
        node = parse("Enumerator_Def_Stmt", statement.text)
        if node is None:
            raise SourceError(statement.path, statement.line, f"fparser does not understand an enumerator: `{statement.text}`")
        for item in each(node.items[1]):
            named = sort(item) == "Enumerator"
            entity = _entity(low(item.items[0] if named else item), statement, scope)
            entity.attributes.add("parameter")
            entity.type = parse("Intrinsic_Type_Spec", "integer(4)")
            entity.value = item.items[2] if named else parse("Expr", f"{before} + 1" if before else "0")
            before = entity.name


def _interface(unit: Unit, scope: Scope) -> None:
    block = "abstract" if low(unit.node.items[0]) == "abstract" else unit.name
    for part in unit.procedures:
        scope.interfaces[part.name] = (part, block)
    if not unit.name or block == "abstract":
        return
    listed = scope.generics.setdefault(unit.name, [])
    listed += [part.name for part in unit.procedures]
    for statement in unit.specification:
        node = parse("Procedure_Stmt", statement.text)
        if node is None:
            raise SourceError(
                statement.path, statement.line, f"fparser does not understand a procedure statement: `{statement.text}`"
            )
        listed += names(node.items[0])


_SILENT = frozenset(
    "import intrinsic data equivalence format sequence volatile asynchronous entry codimension enumerator".split()
)
"""Statements that change nothing of what a name is; ENTRY is looked for by itself."""

_STATEMENTS: dict[str, tuple[str, Callable[[Any, Statement, Scope], None]]] = {
    "procedure": ("Procedure_Declaration_Stmt", _procedure),
    "dimension": ("Dimension_Stmt", _dimension),
    "common": ("Common_Stmt", _common),
    "intent": ("Intent_Stmt", _intent),
    "external": ("External_Stmt", _external),
    "parameter": ("Parameter_Stmt", _parameter),
    "bind": ("Bind_Stmt", _bind),
    "public": ("Access_Stmt", _access),
    "private": ("Access_Stmt", _access),
    "use": ("Use_Stmt", _use),
    "implicit": ("Implicit_Stmt", _implicit),
    "implicitnone": ("Implicit_Stmt", _implicit),
    "namelist": ("Namelist_Stmt", _namelist),
    "optional": ("Optional_Stmt", _marks("optional")),
    "value": ("Value_Stmt", _marks("value")),
    "allocatable": ("Allocatable_Stmt", _marks("allocatable")),
    "pointer": ("Pointer_Stmt", _marks("pointer")),
    "target": ("Target_Stmt", _marks("target")),
    "protected": ("Protected_Stmt", _marks("protected")),
    "save": ("Save_Stmt", _marks("save")),
    "contiguous": ("Target_Stmt", _marks("contiguous")),
}
