"""From the bounds of arrays to extents as py2f spells them: + - * of names and integers."""

from __future__ import annotations

import operator
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from py2f.fortran.grammar import ASSUMED_RANK, each, intrinsics, low, parse, sort
from py2f.fortran.kinds import integer
from py2f.fortran.scope import UnresolvedError
from py2f.types import Extent

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from py2f.fortran.scope import Scope


@dataclass(frozen=True)
class Sum:
    """An expression by what is added, what is subtracted, and its constant: `0:n` comes to `n + 1`, not to `n - 0 + 1`."""

    added: Extent | None = None
    subtracted: Extent | None = None
    constant: int = 0

    def __add__(self, other: Sum) -> Sum:
        added, subtracted = _both(self.added, other.added), _both(self.subtracted, other.subtracted)
        return Sum(added, subtracted, self.constant + other.constant)  # `n - n` stays: compilers take it for no constant

    def __neg__(self) -> Sum:
        return Sum(self.subtracted, self.added, -self.constant)

    def __sub__(self, other: Sum) -> Sum:
        return self + -other

    def __mul__(self, other: Sum) -> Sum:
        if self.is_constant and other.is_constant:
            return Sum(constant=self.constant * other.constant)
        if Sum(constant=1) in (self, other):
            return self if other == Sum(constant=1) else other
        return Sum(self.whole() * other.whole())

    @property
    def is_constant(self) -> bool:
        """Whether there are no names in it."""
        return self.added is None and self.subtracted is None

    def whole(self) -> Extent:
        """All of it; without names, a negative one is an extent of zero."""
        if self.is_constant:
            return Extent(str(max(self.constant, 0)))
        constant = self.constant
        whole: Extent
        if self.added is None:
            whole, constant = Extent(str(max(constant, 0))), min(constant, 0)
        else:
            whole = self.added
        whole = whole if self.subtracted is None else whole - self.subtracted
        return whole + constant if constant > 0 else whole - -constant if constant else whole


def _both(a: Extent | None, b: Extent | None) -> Extent | None:
    return a + b if a and b else a or b


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


def bounds(shape: Any, scope: Scope, dummies: Collection[str]) -> tuple[str, ...]:
    """The bounds of each dimension as Fortran has them, with numbers for named constants."""

    def number(name: re.Match[str]) -> str:
        if name[0] in dummies or name[0] in intrinsics():
            return name[0]
        try:
            return str(integer(parse("Expr", name[0]), scope))
        except UnresolvedError:  # such an extent is in trouble anyway
            return name[0]

    listed = [*each(shape.items[0]), shape] if sort(shape) == "Assumed_Size_Spec" else each(shape)
    texts = ["*" if sort(spec) == "Assumed_Size_Spec" else low(spec) for spec in listed]
    return tuple(re.sub(r"(?<![\w.])[a-z]\w*", number, text) for text in texts)


def _extent(spec: Any, scope: Scope, dummies: Collection[str]) -> str:
    if sort(spec) != "Explicit_Shape_Spec":
        return ":"
    lower, upper = spec.items
    extent = _sum(upper, scope, dummies)
    if lower is not None:
        extent = extent - _sum(lower, scope, dummies) + Sum(constant=1)
    return str(extent.whole())


def extent_of(node: Any, scope: Scope, dummies: Collection[str]) -> str:
    """An expression as an extent, as it is for a length; raises UnresolvedError."""
    return str(_sum(node, scope, dummies).whole())


def _sum(node: Any, scope: Scope, dummies: Collection[str]) -> Sum:
    try:
        return Sum(constant=integer(node, scope))
    except UnresolvedError as error:
        reason = str(error)
    what = sort(node)
    if what == "Name" and low(node) in dummies:
        return Sum(Extent(low(node)))
    if what == "Name":
        raise UnresolvedError(f"extent '{low(node)}' is neither an argument nor a known constant: {reason}")
    if what == "Parenthesis":
        return _sum(node.items[1], scope, dummies)
    if what == "Level_2_Unary_Expr":
        of = _sum(node.items[1], scope, dummies)
        return -of if node.items[0] == "-" else of
    if what in ("Level_2_Expr", "Add_Operand") and node.items[1] in _JOINED:
        return _JOINED[node.items[1]](*(_sum(side, scope, dummies) for side in (node.items[0], node.items[2])))
    raise UnresolvedError(f"extent '{low(node)}' is not + - * of names and integers")


_JOINED: dict[str, Callable[[Sum, Sum], Sum]] = {"+": operator.add, "-": operator.sub, "*": operator.mul}
