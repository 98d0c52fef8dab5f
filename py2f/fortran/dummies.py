"""From a name in a scope to a :class:`Dummy`: its type, kind, shape, and why it cannot cross."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from py2f.fortran.declared import Dummy
from py2f.fortran.extents import bounds, dimensions, extent_of
from py2f.fortran.grammar import ASSUMED_TYPE, low, sort
from py2f.fortran.kinds import ROWS, type_and_kind
from py2f.fortran.scope import UnresolvedError

if TYPE_CHECKING:
    from collections.abc import Collection

    from py2f.fortran.scope import Entity, Scope

_DOUBLE = {"double precision": ("real", "kind(1d0)"), "double complex": ("complex", "kind(1d0)"), "byte": ("integer", "1")}


def dummy_of(entity: Entity, scope: Scope, dummies: Collection[str]) -> Dummy:
    """Read an entity; `dummies` are the names that may stand in extents."""
    trouble = ""
    try:
        shape = dimensions(entity.shape, scope, dummies)
    except UnresolvedError as error:
        shape, trouble = (":",) * _rank(entity.shape), str(error)
    plain = Dummy(
        name=entity.name,
        type="",
        dimensions=shape,
        bounds=bounds(entity.shape, scope, dummies),
        intent=entity.intent,
        attributes=frozenset(entity.attributes),
        line=entity.statement.line,
        text=written(entity.statement.text),
        value="" if entity.value is None else str(entity.value),
    )
    dummy, reason = _typed(plain, entity, scope, dummies)
    return replace(dummy, trouble=reason or trouble or _trouble_of(dummy))


def written(text: str) -> str:
    """A statement in one line, without the blanks of continuation lines."""
    return re.sub(r"\s+", " ", text).strip()


def _rank(shape: Any) -> int:
    return len(shape.items) if sort(shape).endswith("_List") else 1


def _typed(plain: Dummy, entity: Entity, scope: Scope, dummies: Collection[str]) -> tuple[Dummy, str]:
    """With type, kind, row and length, and what stands in the way."""
    if entity.procedure is not None or "external" in entity.attributes:
        return replace(plain, type="procedure"), ""
    spec = entity.type
    if spec is None:
        spec = scope.implicit_type(entity.name)
        missing = scope.missing_include()
        if missing:
            return plain, f"its type may be declared in '{missing}', which is not beside the source"
    if spec is None:
        return plain, "it is not declared"
    if sort(spec) != "Intrinsic_Type_Spec":
        return _derived(plain, spec, scope)
    return _intrinsic(plain, entity, spec, scope, dummies)


def _derived(plain: Dummy, spec: Any, scope: Scope) -> tuple[Dummy, str]:
    name = low(spec.items[1])
    sort_ = "class" if low(spec.items[0]) == "class" else "derived"
    dummy = replace(plain, type=sort_, kind=name)
    if name == ASSUMED_TYPE:
        return replace(dummy, kind="*"), "assumed type"
    if sort_ == "class":
        return dummy, f"class({name})"
    if _is_c_pointer(name, scope):
        return replace(dummy, row="CPtr"), ""
    return dummy, f"derived type {name}"


def _is_c_pointer(name: str, scope: Scope) -> bool:
    try:
        return scope.find(name) == ("iso_c_binding", "c_ptr")
    except UnresolvedError:  # a type of a module that is not given
        return False


def _intrinsic(plain: Dummy, entity: Entity, spec: Any, scope: Scope, dummies: Collection[str]) -> tuple[Dummy, str]:
    type_, kind = _DOUBLE.get(low(spec.items[0]), (low(spec.items[0]), _kind_text(spec)))
    dummy = replace(plain, type=type_, kind=kind)
    try:
        if type_ == "character":
            dummy = replace(dummy, length=_length(entity, spec, scope, dummies))
        elif entity.length is not None:  # `real x*8`, which is no standard Fortran
            return dummy, f"'{entity.name}*{low(entity.length)}' of type {type_}"
        row = ROWS.get(type_and_kind(spec, scope), "")
    except UnresolvedError as error:
        return dummy, str(error)
    return replace(dummy, row=row), "" if row else f"{type_} of kind '{kind}' has no row in the type table"


def _kind_text(spec: Any) -> str:
    """The kind as `kind=` takes it: in `complex*16` the bytes of both parts are counted."""
    selector = spec.items[1]
    if sort(selector) == "Kind_Selector":
        text = low(selector.items[1])
        halved = selector.items[0] == "*" and low(spec.items[0]) == "complex" and text.isdigit()
        return str(int(text) // 2) if halved else text
    return low(selector.items[1]) if sort(selector) == "Char_Selector" else ""


def _length(entity: Entity, spec: Any, scope: Scope, dummies: Collection[str]) -> str:
    node = entity.length
    if node is None:
        selector = spec.items[1]
        index = 0 if sort(selector) == "Char_Selector" else 1
        node = None if selector is None else selector.items[index]
    while sort(node) == "Char_Length":
        node = node.items[1]
    if node is None:
        return "1"
    return low(node) if low(node) in ("*", ":") else extent_of(node, scope, dummies)


def _trouble_of(dummy: Dummy) -> str:
    """What of an entity with a row has no counterpart in Python, whatever it is used for."""
    if "codimension" in dummy.attributes:
        return "coarray"
    if dummy.dimensions == ("..",):
        return "assumed rank"
    if dummy.row == "str" and len(dummy.dimensions) > 1:
        return f"character array of rank {len(dummy.dimensions)}"
    if dummy.row == "CPtr" and dummy.dimensions:
        return "array of type(c_ptr)"
    return ""
