"""The frame: the words that a Fortran wrapper hands to the runtime, as a bind(C) type.

Every component is a multiple of eight bytes, so that C sees an array of 64-bit words, in this order::

    each array argument    first element, extent[rank], next element along each dimension[rank]
    each scalar argument   value | if optional: given, value | text: first character, length (-1 absent)
    the result             value | text, array: address or object, length or extent[rank]

Neighbours instead of strides: C subtracts; a subtraction in Fortran needs ``transfer``, a call of 20 ns with flang.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from py2f.types import Word

if TYPE_CHECKING:
    from collections.abc import Mapping

    from py2f.signature import Argument, Procedure

WORDS = {
    Word.INTEGER: "integer(c_int64_t)",
    Word.REAL: "real(c_double)",
    Word.COMPLEX: "complex(c_double_complex)",
    Word.LOGICAL: "integer(c_int64_t)",
}


def component_type(argument: Argument) -> str:
    """The type of an argument's component."""
    if argument.shape:
        return f"type(py2f_array_{argument.rank})"
    if argument.kind.word is Word.TEXT:
        return "type(py2f_text)"
    return f"type(py2f_optional_{argument.kind.word.value})" if argument.optional else WORDS[argument.kind.word]


def result_type(result: Argument) -> str:
    """The type of the result's component: an array needs no neighbours."""
    return f"type(py2f_result_{result.rank})" if result.shape else component_type(result)


def components(procedure: Procedure, names: Mapping[str, str], result: str) -> list[str]:
    """The declarations of a frame's components."""
    arguments = [f"{component_type(a)} :: {names[a.name]}" for a in (*procedure.arrays, *procedure.scalars)]
    return arguments + [f"{result_type(r)} :: {result}" for r in procedure.results]


def shared_types(procedures: tuple[Procedure, ...]) -> list[str]:
    """The definitions of the types that the frames of a module are made of."""
    used = {component_type(a) for p in procedures for a in p.arguments} | {result_type(r) for p in procedures for r in p.results}
    ranks = sorted({a.rank for p in procedures for a in p.arrays})
    results = sorted({r.rank for p in procedures for r in p.results if r.shape})
    types = [_array(rank) for rank in ranks] + [_result(rank) for rank in results]
    types += [_text()] if "type(py2f_text)" in used else []
    types += [_optional(word) for word in Word if f"type(py2f_optional_{word.value})" in used]
    return [row for rows in types for row in (*rows, "")]


def _definition(comment: str, name: str, rows: list[str]) -> list[str]:
    return [f"!> {comment}", f"type, bind(c) :: {name}", *(f"  {row}" for row in rows), f"end type {name}"]


def _array(rank: int) -> list[str]:
    rows = ["type(c_ptr) :: first", f"integer(c_int64_t) :: extent({rank})", f"type(c_ptr) :: next({rank})"]
    return _definition("An array: first element, extents, next element along each dimension", f"py2f_array_{rank}", rows)


def _result(rank: int) -> list[str]:
    rows = ["type(c_ptr) :: first", f"integer(c_int64_t) :: extent({rank})"]
    return _definition("An array that Python returns", f"py2f_result_{rank}", rows)


def _text() -> list[str]:
    return _definition("Characters", "py2f_text", ["type(c_ptr) :: first", "integer(c_int64_t) :: length"])


def _optional(word: Word) -> list[str]:
    rows = ["integer(c_int64_t) :: given", f"{WORDS[word]} :: value"]
    return _definition("A scalar that may be absent", f"py2f_optional_{word.value}", rows)
