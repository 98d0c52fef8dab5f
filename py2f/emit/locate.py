"""Where an array lies: its first element, and the next one along each dimension.

A wrapper asks itself whether an array is dense, and has elements; whatever else it is, a procedure of the module looks at. There
is one for each kind and rank, since compilers take long for what each wrapper would repeat for each of its arrays.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from py2f.emit.frame import CHARACTERS, component_type, rank_of
from py2f.emit.names import called
from py2f.emit.text import colons, indent
from py2f.types import Word

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from py2f.emit.scope import Scope
    from py2f.signature import Argument, Procedure


def is_located(a: Argument) -> bool:
    """Whether it is an array in the program's memory: not if Python makes it."""
    return a.kind.word is Word.TEXTS or (a.rank > 0 and (a.explicit or not a.field))


def may_be_told_dense(a: Argument) -> bool:
    """Whether a wrapper asks the compiler if an array is.

    Not if it is padded, for it is cut afterwards; nor if it is a pointer, which may be a component of an array of structures.
    """
    return is_located(a) and not (a.padded or a.keep)


def nowhere(a: Argument, component: str) -> list[str]:
    """Statements for an array of zero size, or that is absent."""
    return [f"{component}%first = c_null_ptr", *_dense(a, component)]


def located(a: Argument, s: Scope) -> list[str]:
    """Statements that fill in where an array lies; its extents are there already."""
    name, component = s[a], s.component(a)
    call = f"call {_name(a)}({name}, {component})"
    if not may_be_told_dense(a):
        return [call]
    return [
        f"{s.dense} = py2f_tells_dense .and. {_occupied(a, name, component)}",
        f"if ({s.dense}) {s.dense} = is_contiguous({name})",
        f"if ({s.dense}) then",
        *indent([f"{component}%first = {_element(a, name, component)}", *_dense(a, component)]),
        "else",
        f"  {call}",
        "end if",
    ]


def locators(procedures: Iterable[Procedure], intrinsics: Collection[str]) -> list[list[str]]:
    """The procedures that wrappers of these call; `intrinsics` are names of the module that hide intrinsics."""
    found = {_name(a): a for p in procedures for a in (*p.arguments, *p.fields) if is_located(a)}
    return [_locator(found[name], intrinsics) for name in sorted(found)]


def _locator(a: Argument, intrinsics: Collection[str]) -> list[str]:
    neighbours = [f"place%next({d}) = {_element(a, 'array', 'place', d)}" for d in range(1, rank_of(a) + 1)]
    body = [
        f"if ({_occupied(a, 'array', 'place')}) then",
        *indent([f"place%first = {_element(a, 'array', 'place')}", *neighbours]),
        "else",
        *indent(nowhere(a, "place")),
        "end if",
    ]
    hidden = called(body, intrinsics)
    return [
        "! Finds the elements of an array that need not be dense, nor have any.",
        f"subroutine {_name(a)}(array, place)",
        *[f"  intrinsic :: {', '.join(hidden)}"] * bool(hidden),
        f"  {a.kind.fortran}, {'pointer' if a.keep else 'target'}, intent(in) :: array{colons(rank_of(a))}",
        f"  {component_type(a)}, intent(inout) :: place",
        "",
        *indent(body),
        f"end subroutine {_name(a)}",
    ]


def _name(a: Argument) -> str:
    kind = "string" if a.kind.word in CHARACTERS else a.kind.name
    return f"py2f_locate_{'pointer_' * a.keep}{kind.lower()}_{rank_of(a)}"


def _dense(a: Argument, component: str) -> list[str]:
    return [f"{component}%next({d}) = c_null_ptr" for d in range(1, rank_of(a) + 1)]


def _occupied(a: Argument, name: str, component: str) -> str:
    """Whether it has elements; size() would be compiled into a loop."""
    extents = [f"{component}%extent({d})" for d in range(1, rank_of(a) + 1)]
    lengths = [f"len({name})"] * (a.kind.word in CHARACTERS)
    return " .and. ".join(f"{each} > 0" for each in (*extents, *lengths))


def _element(a: Argument, name: str, component: str, along: int = 0) -> str:
    """The address of the first element, or of the next one along a dimension, if there is one."""
    second = {along: f"min(2_c_int64_t, {component}%extent({along}))"}
    subscripts = (second.get(d, "1") for d in range(1, rank_of(a) + 1))
    return f"c_loc({name}({', '.join(subscripts)}){'(1:1)' * (a.kind.word in CHARACTERS)})"
