"""Kinds and other integer constants, worked out from the sources; what cannot be is an UnresolvedError, never a default."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

from py2f.fortran.grammar import each, low, parse, sort
from py2f.fortran.intrinsic_modules import KIND_NAMES
from py2f.fortran.scope import UnresolvedError

if TYPE_CHECKING:
    from collections.abc import Callable

    from py2f.fortran.scope import Entity, Scope

DEFAULTS = {"integer": 4, "real": 4, "complex": 4, "logical": 4, "character": 1}
"""The kinds of gfortran and flang without flags: numbers of bytes."""

ROWS = {
    ("integer", 1): "i8", ("integer", 2): "i16", ("integer", 4): "i32", ("integer", 8): "i64",
    ("real", 4): "f32", ("real", 8): "f64", ("complex", 4): "c32", ("complex", 8): "c64",
    ("logical", 1): "b8", ("logical", 4): "b32", ("character", 1): "str",
}  # fmt: skip
"""The rows of py2f.types.KINDS by type and kind."""

_OPERATORS: dict[str, Callable[[int, int], int]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "**": operator.pow,
    "/": lambda a, b: abs(a) // abs(b) * (1 if a * b >= 0 else -1),
}  # fmt: skip


def integer(node: Any, scope: Scope) -> int:
    """The value of an integer constant expression; raises UnresolvedError."""
    read = _VALUES.get(sort(node))
    if read is None:
        raise UnresolvedError(f"'{low(node)}' is not an integer constant expression that is understood")
    return read(node, scope)


def _binary(node: Any, scope: Scope) -> int:
    left, sign, right = node.items
    a, b = integer(left, scope), integer(right, scope)
    if sign not in _OPERATORS or (sign == "/" and b == 0) or (sign == "**" and b < 0):
        raise UnresolvedError(f"'{low(node)}' is not an integer constant expression that is understood")
    return _OPERATORS[sign](a, b)


def _unary(node: Any, scope: Scope) -> int:
    sign, of = node.items
    return -integer(of, scope) if sign == "-" else integer(of, scope)


def _named(node: Any, scope: Scope) -> int:
    name = low(node)
    holder, original = scope.find(name)
    if isinstance(holder, str):
        if original not in KIND_NAMES[holder]:
            raise UnresolvedError(f"'{original}' of {holder} is no kind that is known")
        return KIND_NAMES[holder][original]
    entity = holder.entities.get(original)
    if entity is None or "parameter" not in entity.attributes or entity.value is None:
        raise UnresolvedError(f"'{name}' is not a constant")
    spec = _spec(entity, holder)
    if low(spec.items[0]) != "integer":
        raise UnresolvedError(f"'{name}' is not an integer")
    if entity.is_looked_up:
        raise UnresolvedError(f"'{name}' is defined by itself")
    entity.is_looked_up = True
    try:
        return integer(entity.value, holder)
    finally:
        entity.is_looked_up = False


def _call(node: Any, scope: Scope) -> int:
    function, arguments = node.items
    name = low(function)
    if name not in _FUNCTIONS or scope.hides(name):
        raise UnresolvedError(f"'{low(node)}' is not an integer constant expression that is understood")
    keywords, evaluate = _FUNCTIONS[name]
    given = {}
    for keyword, item in zip(keywords, each(arguments), strict=False):
        named = sort(item) == "Actual_Arg_Spec"
        given[low(item.items[0]) if named else keyword] = item.items[1] if named else item
    return evaluate(given, scope)


def _kind(given: dict[str, Any], scope: Scope) -> int:
    return kind_of(given["x"], scope)


def _real_kind(given: dict[str, Any], scope: Scope) -> int:
    digits, exponent = (integer(given[name], scope) if name in given else 0 for name in "pr")
    if "radix" in given:
        raise UnresolvedError("selected_real_kind with a radix is not understood")
    limits = ((6, 37, 4), (15, 307, 8), (18, 4931, 10), (33, 4931, 16))  # 10: the 80 bits of x86
    return next((kind for p, r, kind in limits if digits <= p and exponent <= r), -1)


def _integer_kind(given: dict[str, Any], scope: Scope) -> int:
    digits = integer(given["r"], scope)
    return next((kind for r, kind in ((2, 1), (4, 2), (9, 4), (18, 8), (38, 16)) if digits <= r), -1)


def _extreme(choose: Callable[[list[int]], int]) -> Callable[[dict[str, Any], Scope], int]:
    return lambda given, scope: choose([integer(value, scope) for value in given.values()])


_MANY = tuple(f"a{i}" for i in range(1, 65))
_FUNCTIONS: dict[str, tuple[tuple[str, ...], Callable[[dict[str, Any], Scope], int]]] = {
    "kind": (("x",), _kind),
    "selected_real_kind": (("p", "r", "radix"), _real_kind),
    "selected_int_kind": (("r",), _integer_kind),
    "max": (_MANY, _extreme(max)),
    "min": (_MANY, _extreme(min)),
}

_VALUES: dict[str, Callable[[Any, Scope], int]] = {
    "Int_Literal_Constant": lambda node, _: int(node.items[0]),
    "Name": _named,
    "Parenthesis": lambda node, scope: integer(node.items[1], scope),
    "Level_2_Expr": _binary,
    "Add_Operand": _binary,
    "Mult_Operand": _binary,
    "Level_2_Unary_Expr": _unary,
    "Intrinsic_Function_Reference": _call,
}


def kind_of(node: Any, scope: Scope) -> int:
    """What ``kind(node)`` is: of a literal, a named constant or a variable; raises UnresolvedError."""
    what = sort(node)
    if what in ("Parenthesis", "Level_2_Unary_Expr"):
        return kind_of(node.items[1], scope)
    if what == "Name":
        holder, original = scope.find(low(node))
        if isinstance(holder, str):
            return DEFAULTS["integer"]  # a kind's name is a default integer
        if original in holder.entities:
            return type_and_kind(_spec(holder.entities[original], holder), holder)[1]
    types = {"Int": "integer", "Real": "real", "Logical": "logical", "Char": "character"}
    first, _, rest = what.partition("_")
    if first not in types or rest != "Literal_Constant":
        raise UnresolvedError(f"the kind of '{low(node)}' is not understood")
    value, kind = (*node.items, None)[:2]
    if kind is None:
        return 8 if first == "Real" and "d" in low(value) else DEFAULTS[types[first]]
    return integer(parse("Expr", str(kind)), scope)


def _spec(entity: Entity, scope: Scope) -> Any:
    spec = entity.type if entity.type is not None else scope.implicit_type(entity.name)
    if spec is None or sort(spec) != "Intrinsic_Type_Spec":
        raise UnresolvedError(f"the type of '{entity.name}' is not understood")
    return spec


def type_and_kind(spec: Any, scope: Scope) -> tuple[str, int]:
    """Type and kind of an intrinsic type as it is declared; raises UnresolvedError."""
    name, selector = low(spec.items[0]), spec.items[1]
    if name in _DOUBLE:
        return _DOUBLE[name]
    if name == "character":
        kind = selector.items[1] if sort(selector) == "Char_Selector" else None
        return name, DEFAULTS[name] if kind is None else integer(kind, scope)
    if selector is None:
        return name, DEFAULTS[name]
    number = integer(selector.items[1], scope)
    if selector.items[0] == "*" and name == "complex":  # in `complex*16` both parts are counted
        number //= 2
    return name, number


_DOUBLE = {"double precision": ("real", 8), "double complex": ("complex", 8), "byte": ("integer", 1)}
