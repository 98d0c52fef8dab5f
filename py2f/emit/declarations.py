"""The specification part of a wrapper."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from py2f.emit.extents import may_be_absent, named_extents
from py2f.emit.frame import components, rank_of
from py2f.emit.locate import may_be_told_dense
from py2f.emit.text import colons, indent
from py2f.signature import Intent
from py2f.types import Word

if TYPE_CHECKING:
    from py2f.emit.scope import Scope
    from py2f.signature import Argument, Procedure


STATUS = ("integer, intent(out), optional :: stat", "character(len=*), intent(inout), optional :: errmsg")


def declarations(procedure: Procedure, s: Scope, status: tuple[str, ...] = STATUS) -> list[str]:
    """Dummies, the result, the frame."""
    rows = [_dummy(a, s) for a in procedure.arguments] + [_field(r, s[r]) for r in procedure.fields]
    rows += status
    rows += [_result(procedure, procedure.result, s)] if procedure.result else []
    layout = components(procedure, s)
    if layout:
        rows += [f"type, bind(c) :: {s.layout}", *indent(layout), f"end type {s.layout}"]
        rows += [f"type({s.layout}), target :: {s.frame}"]
    asked = any(map(may_be_told_dense, (*procedure.arguments, *procedure.fields)))
    return [*rows, f"integer(c_int) :: {s.rc}", *[f"logical :: {s.dense}"] * asked]


def _dummy(a: Argument, s: Scope) -> str:
    name = s[a]
    if a.callback:
        return f"procedure({s.interfaces[a.name]})" + ", optional" * a.optional + f" :: {name}"
    if a.kind.word is Word.POINTER and not a.view and not a.optional:
        return f"{a.kind.fortran}, value :: {name}"
    if a.keep:  # what is no target, or would be copied, is refused by the compiler; a target is pointed at (Fortran 2008)
        attributes = [a.kind.fortran, "pointer", "intent(in)"] + ["optional"] * a.optional
        return f"{', '.join(attributes)} :: {name}{colons(a.rank)}"
    attributes = [a.kind.fortran, "intent(in)" if a.intent is Intent.IN else "intent(inout)"]
    attributes += ["optional"] * a.optional + ["target"] * (a.view or a.kind.word in (Word.TEXT, Word.TEXTS))
    return f"{', '.join(attributes)} :: {name}{colons(rank_of(a))}"


def _field(r: Argument, name: str) -> str:
    if r.kind.word is Word.TEXT:
        return f"character(len=:), allocatable, intent(out) :: {name}"
    memory = ", allocatable, intent(out)" if r.shape and not r.explicit else ", intent(out)" + ", target" * bool(r.shape)
    return f"{r.kind.fortran}{memory} :: {name}{colons(r.rank)}"


def _result(procedure: Procedure, result: Argument, s: Scope) -> str:
    if result.kind.word is Word.TEXT:
        return f"character(len=:), allocatable :: {s.result}"
    if result.shape is None:
        return f"{result.kind.fortran} :: {s.result}"
    if not result.explicit:
        return f"{result.kind.fortran}, allocatable :: {s.result}{colons(result.rank)}"
    bounds = ", ".join(_bound(procedure, e.text, s) for e in result.shape.extents if e)
    return f"{result.kind.fortran}, target :: {s.result}({bounds})"


def _bound(procedure: Procedure, extent: str, s: Scope) -> str:
    """An extent as a specification expression, of dummies and their sizes; sums and products in 64 bits."""
    scalars = {a.name: s[a] for a in procedure.values}
    sizes = {e: f"size({s[a]}, {d}, c_int64_t)" for a, d, e in reversed(named_extents(procedure)) if not may_be_absent(a)}
    alone = extent.isidentifier()

    def spell(match: re.Match[str]) -> str:
        name = match[0]
        if name in scalars:
            return scalars[name] if alone else f"int({scalars[name]}, c_int64_t)"
        return sizes[name]

    return re.sub(r"[^\W\d]\w*", spell, extent)
