"""The execution part of a wrapper: fill the frame, call, hand out the result."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from py2f.emit.extents import cuts, may_be_absent, mismatches
from py2f.emit.frame import CHARACTERS, rank_of
from py2f.emit.locate import located, nowhere
from py2f.emit.text import indent
from py2f.types import Word

if TYPE_CHECKING:
    from py2f.emit.scope import Scope
    from py2f.signature import Argument, Procedure


def statements(procedure: Procedure, s: Scope, number: int) -> list[str]:
    """All of them, in order; `number` is the procedure's row in the table."""
    conclude = f'call py2f_conclude("{s.module}:{procedure.name}", stat, errmsg)'
    return [*through_frame(procedure, s, number), f"if (present(stat)) stat = {s.rc}", f"if ({s.rc} /= py2f_ok) {conclude}"]


def through_frame(procedure: Procedure, s: Scope, number: int) -> list[str]:
    """Fill the frame, call, hand out the result."""
    rows = [row for a in procedure.views for row in _fill_view(a, s)]
    rows += [row for a in procedure.values for row in _fill_value(a, s)]
    rows += [row for r in procedure.results for row in _prepare(r, s)]
    rows += [] if rows else [row for r in procedure.results for row in _define(r, s)]
    rows += _checked_call(procedure, s, number)
    return rows + _finish(procedure, s)


def _fill_view(a: Argument, s: Scope) -> list[str]:
    if a.rank:
        return _fill_array(a, s)
    name, c = s[a], s.component(a)
    if a.kind.word is Word.STRING:
        return _fill_text(a, name, c)
    present = f"if (present({name})) {c} = c_loc({name})"
    return [f"{c} = c_null_ptr", present] if a.optional else [f"{c} = c_loc({name})"]


def _fill_array(a: Argument, s: Scope) -> list[str]:
    name, c, ranks = s[a], s.component(a), range(1, rank_of(a) + 1)
    characters = a.kind.word in CHARACTERS
    rows = [f"{c}%extent({d}) = size({name}, {d}, c_int64_t)" for d in ranks]
    rows += [f"{c}%length = len({name}, c_int64_t)"] * characters + located(a, s)
    if not may_be_absent(a):
        return rows
    for there in [f"associated({name})"] * a.keep + [f"present({name})"] * a.optional:
        rows = [f"if ({there}) then", *indent(rows), "end if"]
    return [*(f"{c}%extent({d}) = -1" for d in ranks), *[f"{c}%length = 0"] * characters, *nowhere(a, c), *rows]


def _fill_value(a: Argument, s: Scope) -> list[str]:
    name, c = s[a], s.component(a)
    if a.kind.word is Word.TEXT:
        return _fill_text(a, name, c)
    if a.kind.word is Word.TEXTS:
        return _fill_array(a, s)
    spelled = {Word.LOGICAL: f"merge(1_c_int64_t, 0_c_int64_t, {name})", Word.PROCEDURE: f"c_funloc({name})"}
    value = spelled.get(a.kind.word, name)
    if not a.optional:
        return [f"{c} = {value}"]
    given = [f"{c}%given = 1", f"{c}%value = {value}"]
    return [f"{c}%given = 0", f"{c}%value = {_zero(a, '0')}", f"if (present({name})) then", *indent(given), "end if"]


def _zero(a: Argument, logical: str) -> str:
    return {Word.POINTER: "c_null_ptr", Word.PROCEDURE: "c_null_funptr", Word.LOGICAL: logical}.get(a.kind.word, "0")


def _fill_text(a: Argument, name: str, c: str) -> list[str]:
    given = [f"{c}%length = len({name}, c_int64_t)", f"if (len({name}) > 0) {c}%first = c_loc({name}(1:1))"]
    if not a.optional:
        return [f"{c}%first = c_null_ptr", *given]
    return [f"{c}%first = c_null_ptr", f"{c}%length = -1", f"if (present({name})) then", *indent(given), "end if"]


def _prepare(result: Argument, s: Scope) -> list[str]:
    """Tell the runtime where a result of explicit shape lies; what else Python returns is taken afterwards."""
    if result.shape is None or not result.explicit:
        return []
    if result.field:
        return _fill_array(result, s)
    c = s.component(result)
    extents = [f"{c}%extent({d}) = size({s.result}, {d}, c_int64_t)" for d in range(1, result.rank + 1)]
    if any(e and e.text == "0" for e in result.shape.extents):  # compilers see that it has no first element
        return [*extents, f"{c}%first = c_null_ptr"]
    first = f"c_loc({s.result}({', '.join('1' * result.rank)}))"
    where = f"if (size({s.result}, kind=c_int64_t) > 0) {c}%first = {first}"
    return [*extents, f"{c}%first = c_null_ptr", where]


def _define(result: Argument, s: Scope) -> list[str]:
    """Give a frame that only takes a result a value all the same: flang warns of one that is never defined."""
    c = s.component(result)
    if result.shape or result.kind.word is Word.TEXT:
        return [f"{c}%first = c_null_ptr"]
    return [f"{c} = {_zero(result, '0')}"]


def _checked_call(procedure: Procedure, s: Scope, number: int) -> list[str]:
    """Compare the named extents, then call; the first mismatch is the error."""
    address = f"c_loc({s.frame})" if procedure.arguments or procedure.results else "c_null_ptr"
    call = f"{s.rc} = py2f_call({number}_c_int, {address})"
    rows: list[str] = []
    for condition, failure in mismatches(procedure, s):
        rows += [f"{'else ' if rows else ''}if ({condition}) then", f"  {failure}"]
    return [*rows, "else", *indent([*cuts(procedure, s), call]), "end if"] if rows else [call]


def _finish(procedure: Procedure, s: Scope) -> list[str]:
    """Hand out the results; after an error they are defined all the same."""
    done = [row for r in procedure.results for row in _taken(r, s)]
    failed = [row for r in procedure.results for row in _nothing(r, s)]
    if done:
        return [f"if ({s.rc} == py2f_ok) then", *indent(done), "else", *indent(failed), "end if"]
    return [f"if ({s.rc} /= py2f_ok) {row}" for row in failed]


def _taken(result: Argument, s: Scope) -> list[str]:
    name, c = s[result], s.component(result)
    if result.explicit:
        return []  # the runtime has copied it
    if result.shape:
        extents = ", ".join(f"{c}%extent({d})" for d in range(1, result.rank + 1))
        return [_allocate(result, name, extents), f"call py2f_take_array({c}%first, {name})"]
    if result.kind.word is Word.TEXT:
        return [f"allocate (character(len={c}%length) :: {name})", f"call py2f_take_text({c}%first, {name})"]
    return [f"{name} = {_narrowed(result, c)}"]


def _allocate(result: Argument, name: str, extents: str) -> str:
    """With the type written out, in ALLOCATE's spelling: without it, `allocate (real(n))` would be read as one."""
    spelled = re.sub(r"^type\((\w+)\)$", r"\1", result.kind.fortran)
    return f"allocate ({spelled} :: {name}({extents}))"


def _nothing(result: Argument, s: Scope) -> list[str]:
    name = s[result]
    if result.shape and not result.explicit:
        return [_allocate(result, name, ", ".join("0" * result.rank))]
    return [f'{name} = ""' if result.kind.word is Word.TEXT else f"{name} = {_zero(result, '.false.')}"]


def _narrowed(result: Argument, value: str) -> str:
    """From the word of the frame to the kind; where they are the same nothing is called that a dummy could hide."""
    kind = result.kind.fortran.partition("(")[2].rstrip(")")
    if result.kind.word is Word.LOGICAL:
        return f"{value} /= 0"
    if kind in ("c_int64_t", "c_double", "c_double_complex", "c_ptr"):
        return value
    function = {Word.INTEGER: "int({}, {})", Word.REAL: "real({}, {})", Word.COMPLEX: "cmplx({}, kind={})"}
    return function[result.kind.word].format(value, kind)
