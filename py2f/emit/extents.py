"""Named extents: who gives a name its value, and the comparisons that a wrapper makes before it calls.

They are made at every call, in 64 bits, on the components of the frame: no intrinsic is called that a dummy could hide.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from py2f.emit.scope import Scope
    from py2f.signature import Argument, Procedure


def mismatches(procedure: Procedure, s: Scope) -> list[tuple[str, str]]:
    """Conditions under which an extent is not what the signature says, each with the statement that reports it."""
    scalars = {a.name: s.component(a) for a in procedure.values}
    bearers = _bearers(procedure)
    arrays = [*procedure.views, *(r for r in procedure.fields if r.explicit)]
    places = [((a, d), e) for a in arrays if a.shape for d, e in enumerate(a.shape.extents, 1) if e]
    return [
        _mismatch(procedure, s, place, extent.text, sources)
        for place, extent in places
        for sources in _sources(extent.names, scalars, bearers, place, s)
    ]


def _mismatch(
    procedure: Procedure, s: Scope, place: tuple[Argument, int], extent: str, sources: Mapping[str, tuple[str, str]]
) -> tuple[str, str]:
    a, d = place
    actual = f"{s.component(a)}%extent({d})"
    wanted = _evaluated(extent, sources)
    guards = [f"{actual} >= 0 .and."] * may_be_absent(a) + [g for _, g in sources.values() if g]
    condition = " ".join([*guards, f"{actual} {'<' if a.padded and d == 1 else '/='} {wanted}"])
    return condition, f'{s.rc} = py2f_mismatch("{procedure.name}", "{a.name}", {d}, {actual}, "{extent}", {wanted})'


def _evaluated(extent: str, sources: Mapping[str, tuple[str, str]]) -> str:
    wanted = re.sub(r"[^\W\d]\w*", lambda m: sources[m[0]][0], extent)
    return f"{wanted}_c_int64_t" if wanted.isdigit() else wanted


def may_be_absent(a: Argument) -> bool:
    """Whether an array may turn out not to be there: a pointer may be disassociated."""
    return a.optional or a.keep


def cuts(procedure: Procedure, s: Scope) -> list[str]:
    """Statements that leave the padding of arrays out: neighbours stay where they are."""
    scalars = {a.name: s.component(a) for a in procedure.values}
    bearers = _bearers(procedure)
    rows = []
    for a in procedure.views:
        first = a.shape.extents[0] if a.padded and a.shape else None
        for sources in _sources(first.names, scalars, bearers, (a, 1), s) if first else ():
            wanted = _evaluated(first.text if first else "", sources)
            rows.append(f"if ({s.component(a)}%extent(1) > {wanted}) {s.component(a)}%extent(1) = {wanted}")
    return rows


def named_extents(procedure: Procedure) -> list[tuple[Argument, int, str]]:
    """Where array arguments bear a plain name as extent; that of a padded array is larger."""
    shapes = [(a, a.shape) for a in procedure.views if a.shape]
    borne = [(a, d, e.text) for a, shape in shapes for d, e in enumerate(shape.extents, 1) if e and e.text.isidentifier()]
    return [(a, d, name) for a, d, name in borne if not (a.padded and d == 1)]


def _bearers(procedure: Procedure) -> dict[str, list[tuple[Argument, int]]]:
    """Which extents give a name its value: the first array that is always there, else all optional ones that bear it."""
    bearers: dict[str, list[tuple[Argument, int]]] = {}
    for a, d, name in named_extents(procedure):
        bearers.setdefault(name, []).append((a, d))
    return {name: next(([p] for p in places if not may_be_absent(p[0])), places) for name, places in bearers.items()}


def _sources(
    names: tuple[str, ...],
    scalars: Mapping[str, str],
    bearers: Mapping[str, list[tuple[Argument, int]]],
    place: tuple[Argument, int],
    s: Scope,
) -> list[dict[str, tuple[str, str]]]:
    """For each way in which the names of an extent get values: name -> (Fortran, guard). Nothing where it would be itself."""
    ways: list[dict[str, tuple[str, str]]] = [{}]
    for name in dict.fromkeys(names):
        if name in scalars:
            ways = [{**way, name: (scalars[name], "")} for way in ways]
            continue
        candidates = bearers[name]
        if place in candidates:  # it gives the value, so compare with those before it only
            candidates = candidates[: candidates.index(place)]
        ways = [{**way, name: _borne(a, d, s)} for way in ways for a, d in candidates]
    return ways


def _borne(a: Argument, d: int, s: Scope) -> tuple[str, str]:
    extent = f"{s.component(a)}%extent({d})"
    return extent, f"{extent} >= 0 .and." if may_be_absent(a) else ""
