"""Module variables: small Fortran procedures that read and write them, which Python calls as it calls any other.

Each takes the variable as an actual argument of a procedure whose dummy has the kind, rank and attributes that were read
from the source: what was read wrongly is not compiled. Where an array is, C says, which is given its first element: C_LOC
is for targets only, and most module variables are none.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from py2f.emit.interface import interface_rows
from py2f.emit.names import ISO_C, words
from py2f.emit.text import indent, wrap
from py2f.fortran.called import Called, Reach, assumed
from py2f.signature import Argument, Intent, Procedure, Shape
from py2f.types import BY_NAME, Extent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from py2f.fortran.called import Calls
    from py2f.fortran.declared import Dummy, Interface

TEXT = "str"
"""The row of characters."""


@dataclass(frozen=True)
class Accessor:
    """One procedure that is generated for a variable."""

    role: str  # get set place allocate deallocate
    variable: Dummy
    module: str
    number: int  # of the variable among those of the library

    @property
    def procedure(self) -> Procedure:
        """What Python calls; errors name the variable."""
        return Procedure(self.variable.name, _ARGUMENTS[self.role](self.variable))

    @property
    def interface(self) -> Interface:
        """What Fortran declares."""
        return replace(assumed(self.procedure), name=f"{self.role}_{self.number}")

    def called(self, library: str) -> Called:
        """The procedure as it is called."""
        return Called(self.procedure, self.interface, variables_module(library), Reach.MODULE)


def variables_module(library: str) -> str:
    """The Fortran module of the procedures."""
    return f"{library}_variables"


def address_symbol(library: str) -> str:
    """The C function that says where something is."""
    return f"py2f_{library}_address"


# ---- what there is for which variable


def is_constant(d: Dummy) -> bool:
    """Whether it is a named constant."""
    return "parameter" in d.attributes


def is_moving(d: Dummy) -> bool:
    """Whether it may come, go and move."""
    return bool({"allocatable", "pointer"} & d.attributes)


def is_read_only(d: Dummy) -> bool:
    """Whether nothing outside of its module may change it."""
    return bool({"parameter", "protected"} & d.attributes)


def trouble_of(d: Dummy) -> str:
    """Why Python cannot have a variable; empty: it can."""
    if d.trouble or d.type == "procedure":
        return d.trouble or "procedure pointer"
    if d.row == TEXT and "pointer" in d.attributes:
        return "pointer to characters"
    if d.row == TEXT and d.length not in (":", "*") and not d.length.isdigit():
        return f"characters of length {d.length}"
    return ""


def roles(d: Dummy) -> tuple[str, ...]:
    """The procedures that a variable needs."""
    array = len(d.dimensions) > 0
    placed = (array and (d.row == TEXT or not is_constant(d))) or (is_moving(d) and d.row != TEXT)
    changed = not is_read_only(d)
    allocatable = changed and "allocatable" in d.attributes
    wanted = {
        "get": not placed,
        "place": placed,
        "set": changed and not array,
        "allocate": allocatable and array,
        "deallocate": allocatable,
    }
    return tuple(role for role, on in wanted.items() if on)


def _get(d: Dummy) -> tuple[Argument, ...]:
    shape = Shape((None,) * len(d.dimensions)) if d.dimensions else None
    loose = d.row == TEXT and (is_moving(d) or is_constant(d))
    length = Extent(d.length) if d.row == TEXT and not loose else None
    return (replace(_value(d), shape=shape, intent=Intent.OUT, allocatable=loose or bool(shape), length=length),)


def _set(d: Dummy) -> tuple[Argument, ...]:
    return (replace(_value(d), length=Extent(d.length) if d.length.isdigit() else None),)


def _value(d: Dummy) -> Argument:
    return Argument("value", BY_NAME[d.row], stub=True)


def _numbers(name: str, count: int, intent: Intent) -> Argument:
    return Argument(name, BY_NAME["i64"], Shape((Extent(str(count)),)), intent, stub=True)


def _place(d: Dummy) -> tuple[Argument, ...]:
    """Whether it is there, address, bytes of an element, extents, and strides in bytes."""
    return (_numbers("place", 3 + 2 * len(d.dimensions), Intent.OUT),)


def _allocate(d: Dummy) -> tuple[Argument, ...]:
    """The extents, and the length of characters before them where it is deferred."""
    return (
        _numbers("extents", len(d.dimensions) + (d.length == ":"), Intent.IN),
        Argument("stat", BY_NAME["i32"], intent=Intent.OUT, stub=True),
    )


def _nothing(_: Dummy) -> tuple[Argument, ...]:
    return ()


_ARGUMENTS = {"get": _get, "set": _set, "place": _place, "allocate": _allocate, "deallocate": _nothing}


# ---- the text


def variables_text(calls: Calls) -> str:
    """Source text of the module of these procedures."""
    name = variables_module(calls.name)
    variables = {a.number: a for a in calls.accessors}
    copies = [row for a in variables.values() for row in _copy(a)]
    procedures = [row for a in calls.accessors for row in (*_procedure(a), "")]
    address = _address(calls) if any(a.role == "place" for a in calls.accessors) else []
    used = sorted(ISO_C & words([*copies, *address], procedures))
    head = [
        "! SPDX-License-Identifier: 0BSD",
        f"!> Variables that the Python module {calls.module} reads and writes. Made by py2f; do not edit.",
        f"module {name}",
        *([f"  use, intrinsic :: iso_c_binding, only: {', '.join(used)}"] if used else []),
        *(f"  use {a.module}, only: {_name(a)} => {a.variable.name}" for a in variables.values()),
        "  implicit none",
        "",
        *indent([*address, *copies]),
        "contains",
        "",
    ]
    return "\n".join(map(wrap, [*head, *indent(procedures), f"end module {name}"])) + "\n"


def _name(a: Accessor) -> str:
    return f"variable_{a.number}"


def _copy(a: Accessor) -> list[str]:
    """A constant that is no scalar has no place of its own."""
    if a.role != "place" or not is_constant(a.variable):
        return []
    extents = ", ".join(f"size({_name(a)}, {r})" for r in range(1, len(a.variable.dimensions) + 1))
    return [f"character(len=len({_name(a)})) :: copy_{a.number}({extents}) = {_name(a)}"]


def _address(calls: Calls) -> list[str]:
    return [
        "interface",
        f'  function address(x) bind(c, name="{address_symbol(calls.name)}")',
        "    import :: c_int64_t",
        "    implicit none",
        "    type(*), intent(in) :: x",
        "    integer(c_int64_t) :: address",
        "  end function address",
        "end interface",
        "",
    ]


def _procedure(a: Accessor) -> list[str]:
    """The interface with a body."""
    called = Called(a.procedure, a.interface)
    *declared, end = interface_rows(called, a.interface.name)
    return [*declared, "", *indent(_BODIES[a.role](a)), end]


def _dummy(a: Accessor) -> str:
    """The declaration with which the compiler compares the variable."""
    d = a.variable
    kind = f"character(len={':' if d.length == ':' else '*'})" if d.row == TEXT else BY_NAME[d.row].fortran
    attributes = [word for word in ("allocatable", "pointer") if word in d.attributes]
    return f"{', '.join([kind, *attributes, 'intent(in)'])} :: x{_section([':'] * len(d.dimensions))}"


def _section(subscripts: Sequence[str]) -> str:
    return f"({', '.join(subscripts)})" if subscripts else ""


def _taking(a: Accessor, name: str, body: list[str]) -> list[str]:
    return [f"call take({name})", "contains", "subroutine take(x)", *indent([_dummy(a), "", *body]), "end subroutine take"]


def _there(d: Dummy) -> str:
    return next(
        (f"{asked}(x)" for word, asked in (("allocatable", "allocated"), ("pointer", "associated")) if word in d.attributes), ""
    )


def _get_body(a: Accessor) -> list[str]:
    there = _there(a.variable)
    return _taking(a, _name(a), [f"{f'if ({there}) ' * bool(there)}value = x"])


def _set_body(a: Accessor) -> list[str]:
    return [f"{_name(a)} = value"]


def _place_body(a: Accessor) -> list[str]:
    rank, there = len(a.variable.dimensions), _there(a.variable)
    first = [f"lbound(x, {r})" for r in range(1, rank + 1)]
    rows = [
        "place = 0",
        *([f"if (.not. {there}) return"] if there else []),
        "place(1) = 1",
        "place(3) = storage_size(x, c_int64_t)/8",
        *([f"place(4:{3 + rank}) = shape(x, c_int64_t)", "if (size(x) == 0) return"] if rank else []),
        f"place(2) = address(x{_section(first)})",
    ]
    for r in range(1, rank + 1):
        second = [f"{at} + 1" if k == r else at for k, at in enumerate(first, 1)]
        rows.append(f"if (size(x, {r}) > 1) place({3 + rank + r}) = address(x{_section(second)}) - place(2)")
    return _taking(a, f"copy_{a.number}" if is_constant(a.variable) else _name(a), rows)


def _allocate_body(a: Accessor) -> list[str]:
    name, d = _name(a), a.variable
    deferred = d.length == ":"
    extents = [f"extents({r})" for r in range(1 + deferred, len(d.dimensions) + deferred + 1)]
    typed = "character(len=extents(1)) :: " * deferred
    return [f"if (allocated({name})) deallocate ({name})", f"allocate ({typed}{name}{_section(extents)}, stat=stat)"]


def _deallocate_body(a: Accessor) -> list[str]:
    return [f"if (allocated({_name(a)})) deallocate ({_name(a)})"]


_BODIES = {
    "get": _get_body,
    "set": _set_body,
    "place": _place_body,
    "allocate": _allocate_body,
    "deallocate": _deallocate_body,
}
