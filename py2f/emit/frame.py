"""The frame: the words that a Fortran wrapper hands to the runtime, as a bind(C) type.

Every component is a multiple of eight bytes, so that C sees an array of 64-bit words, in this order::

    each view      first element, extent[rank], next element along each dimension[rank] (null: dense) | string: and the length
    each value     value | if optional: given, value | text: first character, length (-1: absent) | list[str]: as strings
    each result    value | text, array: address or object, length or extent[rank] | array in a tuple: as a view

Neighbours instead of strides: C subtracts; a subtraction in Fortran needs ``transfer``, a call of 20 ns with flang.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from py2f.types import Word

if TYPE_CHECKING:
    from collections.abc import Iterable

    from py2f.emit.scope import Scope
    from py2f.signature import Argument, Procedure

CHARACTERS = (Word.STRING, Word.TEXTS)
"""Whose arrays have elements of any length."""
WORDS = {
    Word.INTEGER: "integer(c_int64_t)",
    Word.REAL: "real(c_double)",
    Word.COMPLEX: "complex(c_double_complex)",
    Word.LOGICAL: "integer(c_int64_t)",
    Word.POINTER: "type(c_ptr)",
    Word.PROCEDURE: "type(c_funptr)",
}


def rank_of(a: Argument) -> int:
    """That of the dummy: a list of texts is an array in Fortran."""
    return 1 if a.kind.word is Word.TEXTS else a.rank


def component_type(a: Argument) -> str:
    """The type of an argument's component."""
    if rank := rank_of(a):
        return f"type(py2f_{'strings' if a.kind.word in CHARACTERS else 'array'}_{rank})"
    if a.kind.word in (Word.TEXT, Word.STRING):
        return "type(py2f_text)"
    if a.view:
        return "type(c_ptr)"
    return f"type(py2f_optional_{a.kind.word.value})" if a.optional else WORDS[a.kind.word]


def result_type(result: Argument) -> str:
    """The type of a result's component: an array that the wrapper allocates, or declares, needs no neighbours."""
    if result.shape and not (result.field and result.explicit):
        return f"type(py2f_result_{result.rank})"
    return component_type(result)


def components(procedure: Procedure, s: Scope) -> list[str]:
    """The declarations of a frame's components."""
    arguments = [f"{component_type(a)} :: {s[a]}" for a in (*procedure.views, *procedure.values)]
    return arguments + [f"{result_type(r)} :: {s[r]}" for r in procedure.results]


def shared_types(procedures: tuple[Procedure, ...]) -> list[str]:
    """The definitions of the types that the frames of a module are made of."""
    used = {component_type(a) for p in procedures for a in p.arguments} | {result_type(r) for p in procedures for r in p.results}
    return [row for name in sorted(used) if "py2f_" in name for row in (*_type(name.removeprefix("type(").rstrip(")")), "")]


def _type(name: str) -> list[str]:
    what, _, which = name.removeprefix("py2f_").partition("_")
    makers = {"array": _array, "strings": _strings, "result": _result, "optional": _optional, "text": _text}
    return makers[what](name, which)


def _definition(comment: str, name: str, rows: Iterable[str]) -> list[str]:
    return [f"!> {comment}", f"type, bind(c) :: {name}", *(f"  {row}" for row in rows), f"end type {name}"]


def _array(name: str, rank: str) -> list[str]:
    rows = ["type(c_ptr) :: first", f"integer(c_int64_t) :: extent({rank})", f"type(c_ptr) :: next({rank})"]
    return _definition("An array: first element, extents, next element along each dimension; null: dense", name, rows)


def _strings(name: str, rank: str) -> list[str]:
    rows = ["type(c_ptr) :: first", f"integer(c_int64_t) :: extent({rank})", f"type(c_ptr) :: next({rank})"]
    return _definition("An array of characters of one length", name, [*rows, "integer(c_int64_t) :: length"])


def _result(name: str, rank: str) -> list[str]:
    return _definition("An array that Python returns", name, ["type(c_ptr) :: first", f"integer(c_int64_t) :: extent({rank})"])


def _text(name: str, _: str) -> list[str]:
    return _definition("Characters", name, ["type(c_ptr) :: first", "integer(c_int64_t) :: length"])


def _optional(name: str, word: str) -> list[str]:
    return _definition("A scalar that may be absent", name, ["integer(c_int64_t) :: given", f"{WORDS[Word(word)]} :: value"])


def entry_interface(symbol: str) -> list[str]:
    """The interface of the C function that takes a frame, whatever its symbol."""
    return [
        "interface",
        f'  function py2f_call(number, frame) bind(c, name="{symbol}") result(rc)',
        "    import :: c_int, c_ptr",
        "    implicit none",
        "    integer(c_int), value :: number",
        "    type(c_ptr), value :: frame",
        "    integer(c_int) :: rc",
        "  end function py2f_call",
        "end interface",
    ]
