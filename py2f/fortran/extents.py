"""From the bounds of arrays to extents as py2f spells them: + - * of names and integers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from py2f.fortran.grammar import ASSUMED_RANK, each, low, sort
from py2f.fortran.kinds import integer
from py2f.fortran.scope import UnresolvedError
from py2f.types import Extent

if TYPE_CHECKING:
    from collections.abc import Collection

    from py2f.fortran.scope import Scope

Sum = tuple[Extent | None, int]
"""An expression without its constant term, and that term: `n + 1` from `0:n` has no `- 0 + 1`."""


def dimensions(shape: Any, scope: Scope, dummies: Collection[str]) -> tuple[str, ...]:
    """One entry for each dimension; raises UnresolvedError with the reason."""
    if shape is None:
        return ()
    if sort(shape) == "Assumed_Size_Spec":
        explicit = tuple(_extent(spec, scope, dummies) for spec in each(shape.items[0]))
        return (*explicit, "*")
    if low(shape) == ASSUMED_RANK:
        return ("..",)
    return tuple(_extent(spec, scope, dummies) for spec in each(shape))


def _extent(spec: Any, scope: Scope, dummies: Collection[str]) -> str:
    if sort(spec) != "Explicit_Shape_Spec":
        return ":"
    lower, upper = spec.items
    return spelled(_extent_sum(lower, upper, scope, dummies))


def _extent_sum(lower: Any, upper: Any, scope: Scope, dummies: Collection[str]) -> Sum:
    last = _sum(upper, scope, dummies)
    if lower is None:
        return last
    expression, constant = _difference(last, _sum(lower, scope, dummies))
    return expression, constant + 1


def extent_of(node: Any, scope: Scope, dummies: Collection[str]) -> str:
    """An expression as an extent, as it is for a length; raises UnresolvedError."""
    return spelled(_sum(node, scope, dummies))


def _sum(node: Any, scope: Scope, dummies: Collection[str]) -> Sum:
    try:
        return None, integer(node, scope)
    except UnresolvedError as error:
        reason = str(error)
    what = sort(node)
    if what == "Name":
        if low(node) in dummies:
            return Extent(low(node)), 0
        raise UnresolvedError(f"extent '{low(node)}' is neither an argument nor a known constant: {reason}")
    if what == "Parenthesis":
        return _sum(node.items[1], scope, dummies)
    if what == "Level_2_Unary_Expr":
        of = _sum(node.items[1], scope, dummies)
        return of if node.items[0] == "+" else _difference((None, 0), of)
    if what in ("Level_2_Expr", "Add_Operand") and node.items[1] in "+-*":
        left, right = (_sum(side, scope, dummies) for side in (node.items[0], node.items[2]))
        return {"+": _total, "-": _difference, "*": _product}[node.items[1]](left, right)
    raise UnresolvedError(f"extent '{low(node)}' is not + - * of names and integers")


def _total(a: Sum, b: Sum) -> Sum:
    return (a[0] + b[0] if a[0] and b[0] else a[0] or b[0]), a[1] + b[1]


def _difference(a: Sum, b: Sum) -> Sum:
    constant = a[1] - b[1]
    if b[0] is None:
        return a[0], constant
    if a[0] is None:
        return (-1) * b[0], constant
    return (None if a[0] == b[0] else a[0] - b[0]), constant


def _product(a: Sum, b: Sum) -> Sum:
    if a[0] is None and b[0] is None:
        return None, a[1] * b[1]
    if a[0] is None or b[0] is None:
        factor, of = (a[1], b) if a[0] is None else (b[1], a)
        if factor == 1:
            return of
        return factor * _whole(of), 0
    return _whole(a) * _whole(b), 0


def _whole(of: Sum) -> Extent:
    expression, constant = of
    if expression is None:
        return Extent(str(constant))
    whole = expression + constant if constant > 0 else expression - -constant
    return whole if constant else expression


def spelled(of: Sum) -> str:
    """The text of an extent; a negative constant is an extent of zero."""
    return str(_whole(of)) if of[0] else str(max(of[1], 0))
