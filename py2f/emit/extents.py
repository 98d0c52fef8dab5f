"""Named extents: who gives a name its value, and the comparisons that a wrapper makes before it calls.

They are made at every call, in 64 bits, on the components of the frame: no intrinsic is called that a dummy could hide.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from py2f.emit.scope import Scope
    from py2f.signature import Argument, Procedure


Value = tuple["Argument", int]
"""What a name stands for: an extent of an argument along a dimension; along none, the value of a scalar."""


@dataclass(frozen=True)
class Comparison:
    """An extent, and what it has to be; nothing is compared where an array is absent."""

    argument: Argument
    dimension: int
    extent: str
    values: Mapping[str, Value]

    @property
    def at_least(self) -> bool:
        """Whether it may be larger."""
        return self.argument.padded and self.dimension == 1

    @property
    def absent(self) -> list[Value]:
        """What may not be there."""
        ours = [(self.argument, self.dimension)] * may_be_absent(self.argument)
        return [*ours, *((a, d) for a, d in self.values.values() if d and may_be_absent(a))]


def comparisons(procedure: Procedure) -> list[Comparison]:
    """All that are made before a call; each extent for each way in which its names get values."""
    arrays = [*procedure.views, *(r for r in procedure.fields if r.explicit)]
    places = [((a, d), e) for a in arrays if a.shape for d, e in enumerate(a.shape.extents, 1) if e]
    return [Comparison(a, d, e.text, ways) for (a, d), e in places for ways in _ways(procedure, e.names, (a, d))]


def cut(procedure: Procedure) -> list[Comparison]:
    """Where arrays are padded: what Python sees of their first dimension."""
    padded = [(a, a.shape.extents[0]) for a in procedure.views if a.padded and a.shape]
    return [Comparison(a, 1, e.text, ways) for a, e in padded if e for ways in _ways(procedure, e.names, (a, 1))]


def spelled(extent: str, values: Mapping[str, Value], spell: Callable[[Argument, int], str]) -> str:
    """An extent, with its names in another language."""
    return re.sub(r"[^\W\d]\w*", lambda m: spell(*values[m[0]]), extent)


# ---- in Fortran


def mismatches(procedure: Procedure, s: Scope) -> list[tuple[str, str]]:
    """Conditions under which an extent is not what the signature says, each with the statement that reports it."""
    return [_mismatch(procedure, s, c) for c in comparisons(procedure)]


def _mismatch(procedure: Procedure, s: Scope, c: Comparison) -> tuple[str, str]:
    actual, wanted = _place(s)(c.argument, c.dimension), _wanted(s, c)
    guards = [f"{_place(s)(*value)} >= 0 .and." for value in c.absent]
    condition = " ".join([*guards, f"{actual} {'<' if c.at_least else '/='} {wanted}"])
    told = f'"{procedure.name}", "{c.argument.name}", {c.dimension}, {actual}, "{c.extent}", {wanted}'
    return condition, f"{s.rc} = py2f_mismatch({told})"


def _place(s: Scope) -> Callable[[Argument, int], str]:
    return lambda a, d: f"{s.component(a)}%extent({d})" if d else s.component(a)


def _wanted(s: Scope, c: Comparison) -> str:
    wanted = spelled(c.extent, c.values, _place(s))
    return f"{wanted}_c_int64_t" if wanted.isdigit() else wanted


def cuts(procedure: Procedure, s: Scope) -> list[str]:
    """Statements that leave the padding of arrays out: neighbours stay where they are."""
    pairs = [(_place(s)(c.argument, 1), _wanted(s, c)) for c in cut(procedure)]
    return [f"if ({actual} > {wanted}) {actual} = {wanted}" for actual, wanted in pairs]


# ---- what gives a name its value


def may_be_absent(a: Argument) -> bool:
    """Whether an array may turn out not to be there: a pointer may be disassociated."""
    return a.optional or a.keep


def named_extents(procedure: Procedure) -> list[tuple[Argument, int, str]]:
    """Where array arguments bear a plain name as extent; that of a padded array is larger."""
    shapes = [(a, a.shape) for a in procedure.views if a.shape]
    borne = [(a, d, e.text) for a, shape in shapes for d, e in enumerate(shape.extents, 1) if e and e.text.isidentifier()]
    return [(a, d, name) for a, d, name in borne if not (a.padded and d == 1)]


def known(procedure: Procedure) -> dict[str, Value]:
    """Where the extents of a result that exists before the call come from."""
    borne = {name: (a, d) for a, d, name in reversed(named_extents(procedure)) if not may_be_absent(a)}
    return {**borne, **{a.name: (a, 0) for a in procedure.values}}


def _bearers(procedure: Procedure) -> dict[str, list[tuple[Argument, int]]]:
    """Which extents give a name its value: the first array that is always there, else all optional ones that bear it."""
    bearers: dict[str, list[tuple[Argument, int]]] = {}
    for a, d, name in named_extents(procedure):
        bearers.setdefault(name, []).append((a, d))
    return {name: next(([p] for p in places if not may_be_absent(p[0])), places) for name, places in bearers.items()}


def _ways(procedure: Procedure, names: tuple[str, ...], place: Value) -> list[dict[str, Value]]:
    """For each way in which the names of an extent get values: what they stand for. Nothing where it would be itself."""
    scalars = {a.name: a for a in procedure.values}
    bearers = _bearers(procedure)
    ways: list[dict[str, Value]] = [{}]
    for name in dict.fromkeys(names):
        if name in scalars:
            ways = [{**way, name: (scalars[name], 0)} for way in ways]
            continue
        candidates = bearers[name]
        if place in candidates:  # it gives the value, so compare with those before it only
            candidates = candidates[: candidates.index(place)]
        ways = [{**way, name: value} for way in ways for value in candidates]
    return ways
