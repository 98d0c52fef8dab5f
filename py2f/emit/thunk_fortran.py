"""The Fortran side of the way back: one wrapper a procedure, that C can call, and the comparison with what the stub says.

A scalar comes by reference, a dense array as its address, an array of assumed shape as a C descriptor, characters as address
and length. Logicals come as c_bool and are converted, whatever their kind. What Fortran allocates is given back by a call.

Longer than a module should be: whoever changes how one sort of argument travels has to see all the others.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from py2f.emit.callback import back_head, back_name, back_procedures, backs
from py2f.emit.interface import interface_rows
from py2f.emit.names import INTRINSICS, ISO_C, KEYWORDS, assign, free, words
from py2f.emit.text import colons, comment, indent, wrap
from py2f.fortran.called import TEXTS, Called, Reach, described
from py2f.signature import RESULT, Intent
from py2f.types import MAX_NAME, Word

if TYPE_CHECKING:
    from collections.abc import Mapping

    from py2f.fortran.called import Calls
    from py2f.fortran.declared import Dummy
    from py2f.signature import Argument

GIVE = "give"
CALLING = "calling"


def symbol(calls: Calls, number: int) -> str:
    """The C name of a wrapper."""
    return f"py2f_{calls.name}_call_{number}"


def give_symbol(calls: Calls) -> str:
    """The C function through which Fortran hands over what it has allocated."""
    return f"py2f_{calls.name}_give"


def given(a: Argument) -> bool:
    """Whether Fortran makes the memory: results that are no scalars, and allocatable dummies."""
    return a.allocatable or (a.name == RESULT and (a.rank > 0 or a.kind.word is Word.TEXT))


@dataclass
class Passed:
    """How one argument, or the result, gets through a wrapper."""

    dummies: list[str] = field(default_factory=list)  # names, in the order in which C passes them
    declared: list[str] = field(default_factory=list)
    local: list[str] = field(default_factory=list)
    before: list[str] = field(default_factory=list)
    actual: str = ""
    after: list[str] = field(default_factory=list)


def calls_text(calls: Calls) -> str:
    """Source text of the module of wrappers."""
    targets = _targets(calls)
    back = backs(calls)
    names: dict[int, dict[int, str]] = {}  # by target and argument
    for b in back:
        names.setdefault(b.target, {})[b.argument] = back_name(b)
    wrappers = [_wrapper(calls, k, c, targets[k], names.get(k, {})) for k, c in enumerate(calls.called)]
    gives = any(f"call {GIVE}(" in row for rows in wrappers for row in rows)
    wrappers = [*_providers(calls, targets), *wrappers, *back_procedures(calls, back)]
    give = _give_interface(calls) if gives else []
    interfaces = [*_pointers(calls, targets), *back_head(calls, back), *give, *_interfaces(calls, targets)]
    used = sorted(ISO_C & words(interfaces, [row for rows in wrappers for row in rows]))
    head = [
        "! SPDX-License-Identifier: 0BSD",
        f"!> What the Python module {calls.module} calls. Made by py2f; do not edit.",
        f"module {calls.name}",
        f"  use, intrinsic :: iso_c_binding, only: {', '.join(used) or 'c_ptr'}",
        *(
            f"  use {c.module}, only: {target} => {c.interface.name}"
            for c, target in zip(calls.called, targets, strict=True)
            if c.explicit
        ),
        "  implicit none",
        "  private",
        *(f"  public :: {name}" for name in public_names(calls)),
        "",
        *indent(interfaces),
        "contains",
        "",
    ]
    body = [row for rows in wrappers for row in (*indent(rows), "")]
    return "\n".join(map(wrap, [*head, *body, f"end module {calls.name}"])) + "\n"


def public_names(calls: Calls) -> list[str]:
    """What a host sees of the module: interfaces, and the procedures that it calls to provide its own."""
    return [c.interface_name for c in calls.called if c.pointed] + [provider(c) for c in calls.called if c.reach is Reach.HOST]


def provider(c: Called) -> str:
    """The procedure by which a host provides another one."""
    return f"provide_{c.procedure.name}"


def _pointers(calls: Calls, targets: list[str]) -> list[str]:
    """Interfaces of the procedures that are pointed to, and the pointers to those of the host."""
    pairs = [(c, target) for c, target in zip(calls.called, targets, strict=True) if c.pointed]
    bodies = [row for c, _ in pairs for row in (*comment(c.procedure.doc), *interface_rows(c, c.interface_name))]
    bodies += [row for c, target in pairs if bindable(c) for row in interface_rows(c, f"c_{target}", "bind(c)")]
    if not pairs:
        return []
    pointers = [f"procedure({c.interface_name}), pointer :: {target} => null()" for c, target in pairs if c.reach is Reach.HOST]
    return ["abstract interface", *indent(bodies), "end interface", "", *pointers, *([""] if pointers else [])]


def bindable(c: Called) -> bool:
    """Whether a procedure of the host may be found by its symbol as well: all that it takes is interoperable."""
    taken = (*c.procedure.arguments, *c.procedure.results)
    plain = all(a.kind.word not in TEXTS and not a.callback and not a.allocatable for a in taken)
    return c.reach is Reach.HOST and plain and all(a.kind.word is not Word.LOGICAL or a.kind.size == 1 for a in taken)


def takes_pointer(c: Called) -> bool:
    """Whether C says where the procedure is."""
    return c.reach is Reach.ARGUMENT or bindable(c)


def provided_symbol(calls: Calls, number: int) -> str:
    """The C name of the function that says whether the host has provided a procedure."""
    return f"py2f_{calls.name}_provided_{number}"


def _providers(calls: Calls, targets: list[str]) -> list[list[str]]:
    return [
        [
            f"!> Let Python call a procedure of this program as '{c.procedure.name}'. It must not be an internal procedure.",
            f"subroutine {provider(c)}(procedure)",
            f"  procedure({c.interface_name}) :: procedure",
            "",
            f"  {target} => procedure",
            f"end subroutine {provider(c)}",
            "",
            f'function provided_{number}() bind(c, name="{provided_symbol(calls, number)}") result(res)',
            "  integer(c_int) :: res",
            "",
            f"  res = merge(1, 0, associated({target}))",
            f"end function provided_{number}",
        ]
        for number, (c, target) in enumerate(zip(calls.called, targets, strict=True))
        if c.reach is Reach.HOST
    ]


def _targets(calls: Calls) -> list[str]:
    names = [f"target_{c.interface.name}" if c.explicit or c.pointed else c.interface.name for c in calls.called]
    return assign([name[: MAX_NAME - 4] for name in names], {calls.name.lower(), GIVE})


def _give_interface(calls: Calls) -> list[str]:
    return [
        "interface",
        f'  subroutine {GIVE}(calling, number, first, length, extent) bind(c, name="{give_symbol(calls)}")',
        "    import :: c_int, c_int64_t, c_ptr",
        "    implicit none",
        "    type(c_ptr), value :: calling, first",
        "    integer(c_int), value :: number",
        "    integer(c_int64_t), value :: length",
        "    integer(c_int64_t), intent(in) :: extent(*)",
        f"  end subroutine {GIVE}",
        "end interface",
        "",
    ]


# ---- the wrappers


def _wrapper(calls: Calls, number: int, c: Called, target: str, back: Mapping[int, str]) -> list[str]:
    """The rows of one wrapper; `back` are the procedures that stand for the Callables among its arguments."""
    procedure = c.procedure
    taken = {CALLING, GIVE, target.lower(), "address", "bound", "by_symbol", *INTRINSICS, *ISO_C, *KEYWORDS}
    names = assign([a.fortran or a.name for a in procedure.arguments], taken)
    used = taken | {name.lower() for name in names}
    passed = [
        _pass_procedure(a, name, back[j], used) if a.callback else _pass(a, c.dummy(a), name, used, j)
        for j, (a, name) in enumerate(zip(procedure.arguments, names, strict=True))
    ]
    result = [_pass(r, c.dummy(r), free("res", used), used, len(names)) for r in procedure.results]
    every = [*passed, *result]
    gives = any(given(a) for a in (*procedure.arguments, *procedure.results))
    dummies = [name for p in every for name in p.dummies] + ["bound"] * takes_pointer(c) + [CALLING] * gives
    name = f"call_{number}"
    return [
        f'subroutine {name}({", ".join(dummies)}) bind(c, name="{symbol(calls, number)}")',
        *indent(row for p in every for row in p.declared),
        *([f"  type(c_ptr), value :: {CALLING}", "  type(c_ptr) :: address"] if gives else []),
        *(["  type(c_funptr), value :: bound"] if takes_pointer(c) else []),
        *([f"  procedure({c.interface_name}), pointer :: {target}"] if c.reach is Reach.ARGUMENT else []),
        *([f"  procedure(c_{target}), pointer :: by_symbol"] if bindable(c) else []),
        *indent(row for p in every for row in p.local),
        "",
        *([f"  call c_f_procpointer(bound, {target})"] if c.reach is Reach.ARGUMENT else []),
        *indent(row for p in every for row in p.before),
        *indent(_made(c, target, [p.actual for p in passed], result)),
        *indent(row for p in every for row in p.after),
        f"end subroutine {name}",
    ]


def _pass_procedure(a: Argument, name: str, back: str, used: set[str]) -> Passed:
    """A callable of Python: a procedure of the module that calls it; one that is absent is a pointer to nothing."""
    if not a.optional:
        return Passed(actual=back)
    there = free(f"{name}_given"[: MAX_NAME - 3], used)
    used.add(there)
    return Passed(
        [there],
        [f"integer(c_int), value :: {there}"],
        [f"procedure({back}), pointer :: {name}"],
        [f"nullify ({name})", f"if ({there} /= 0) {name} => {back}"],
        name,
    )


def _made(c: Called, target: str, actual: list[str], result: list[Passed]) -> list[str]:
    """The call: of a procedure of the host by its symbol, where it has not provided another."""

    def call(name: str) -> str:
        spelled = f"{name}({', '.join(actual)})"
        return _assigned(c.procedure.results[0], result[0], spelled) if result else f"call {spelled}"

    if not bindable(c):
        return [call(target)]
    found = ["call c_f_procpointer(bound, by_symbol)", call("by_symbol")]
    return [f"if (associated({target})) then", f"  {call(target)}", "else", *indent(found), "end if"]


def _assigned(r: Argument, p: Passed, call: str) -> str:
    converted = r.kind.word is Word.LOGICAL and not r.rank
    return f"{p.actual} = logical({call}, c_bool)" if converted else f"{p.actual} = {call}"


def _pass(a: Argument, d: Dummy, name: str, used: set[str], number: int) -> Passed:
    if a.kind.word in TEXTS:
        return _pass_given_text(name, number) if given(a) else _pass_text(a, name, used)
    if given(a):
        return _pass_given(a, name, used, number)
    if a.kind.word is Word.LOGICAL and a.name != RESULT and a.kind.size > 1:
        return _pass_logical(a, name, used)
    kind = "logical(c_bool)" if a.kind.word is Word.LOGICAL else a.kind.fortran
    shape = colons(a.rank) if described(d) else "(*)" if a.rank else ""
    return Passed([name], [f"{_attributes(a, kind, described=described(d))} :: {name}{shape}"], actual=name)


def _attributes(a: Argument, kind: str, *, described: bool) -> str:
    """Type and attributes of a dummy.

    What may be absent and comes by descriptor is a pointer: gfortran 11 cannot take a null descriptor, and a disassociated
    pointer is an absent argument to whom it is passed on.
    """
    if a.optional and described:
        return f"{kind}, pointer, intent(in)"
    intent = "out" if a.name == RESULT else "in" if a.intent is Intent.IN else "inout"
    return f"{kind}, intent({intent})" + ", optional" * a.optional


def _pass_logical(a: Argument, name: str, used: set[str]) -> Passed:
    """By way of a variable of the kind that Fortran declares."""
    native = free(f"{name}_native"[: MAX_NAME - 3], used)
    used.add(native)
    there = f"if ({'associated' if a.rank else 'present'}({name})) " if a.optional else ""
    shape = colons(a.rank)
    allocatable = ", allocatable" if a.optional or a.rank else ""
    return Passed(
        [name],
        [f"{_attributes(a, 'logical(c_bool)', described=a.rank > 0)} :: {name}{shape}"],
        [f"{a.kind.fortran}{allocatable} :: {native}{shape}"],
        [f"{there}{native} = logical({name})"],
        native,
        [f"{there}{name} = logical({native}, c_bool)"] if a.intent is not Intent.IN else [],
    )


def _pass_text(a: Argument, name: str, used: set[str]) -> Passed:
    """Characters by address and length; null is absent."""
    first, length, extent = (free(f"{name}_{part}"[: MAX_NAME - 3], used) for part in ("first", "length", "extent"))
    used |= {first, length, extent}
    rank = 1 if a.kind.word is Word.TEXTS else a.rank
    shape = f", [{', '.join(f'{extent}({r})' for r in range(1, rank + 1))}]" if rank else ""
    return Passed(
        [first, length, *([extent] if rank else [])],
        [
            f"type(c_ptr), value :: {first}",
            f"integer(c_int64_t), value :: {length}",
            *([f"integer(c_int64_t), intent(in) :: {extent}({rank})"] if rank else []),
        ],
        [f"character(len={length}), pointer :: {name}{colons(rank)}"],
        [f"call c_f_pointer({first}, {name}{shape})"],
        name,
    )


def _pass_given(a: Argument, name: str, used: set[str], number: int) -> Passed:
    """What Fortran allocates: a variable of the wrapper, given to C afterwards."""
    wide = a.kind.word is Word.LOGICAL and a.kind.size > 1
    kind = "logical(c_bool)" if a.kind.word is Word.LOGICAL else a.kind.fortran
    native = free(f"{name}_native"[: MAX_NAME - 3], used) if wide else name
    used.add(native)
    local = [f"{kind}, allocatable, target :: {name}{colons(a.rank)}"]
    local += [f"{a.kind.fortran}, allocatable :: {native}{colons(a.rank)}"] if wide else []
    give = [
        *([f"{name} = logical({native}, c_bool)"] if wide else []),
        "address = c_null_ptr",
        f"if (size({name}) > 0) address = c_loc({name})",
        f"call {GIVE}({CALLING}, {number}_c_int, address, 0_c_int64_t, shape({name}, c_int64_t))",
    ]
    return Passed(local=local, actual=native, after=[f"if (allocated({native})) then", *indent(give), "end if"])


def _pass_given_text(name: str, number: int) -> Passed:
    give = [
        "address = c_null_ptr",
        f"if (len({name}) > 0) address = c_loc({name}(1:1))",
        f"call {GIVE}({CALLING}, {number}_c_int, address, len({name}, c_int64_t), [0_c_int64_t])",
    ]
    local = [f"character(len=:), allocatable, target :: {name}"]
    return Passed(local=local, actual=name, after=[f"if (allocated({name})) then", *indent(give), "end if"])


# ---- interfaces


def _interfaces(calls: Calls, targets: list[str]) -> list[str]:
    """Of procedures that are in no module: the compiler knows them from here."""
    pairs = [(c, target) for c, target in zip(calls.called, targets, strict=True) if c.reach is Reach.LINKED]
    symbols = [c.symbol or c.interface.symbol for c, _ in pairs]
    binds = [f'bind(c, name="{name}")' if name else "" for name in symbols]
    rows = [row for (c, target), bind in zip(pairs, binds, strict=True) for row in interface_rows(c, target, bind)]
    return ["interface", *indent(rows), "end interface", ""] if rows else []


def _is_taken_for_intrinsic(c: Called) -> bool:
    """Whether gfortran refuses a function as an actual argument because an intrinsic has its name; its call compares kinds."""
    return bool(c.procedure.results) and c.interface.name in INTRINSICS


def probe_text(calls: Calls) -> str:
    """Source text that compiles only where every stub is what Fortran declares: dummy procedures are strict.

    So are procedure pointers, but gfortran takes a procedure that is called like an intrinsic for the intrinsic there.
    """
    targets = _targets(calls)
    # an elemental procedure cannot be an actual argument: the call itself compares kinds and intents
    compared = [
        (k, c, t)
        for k, (c, t) in enumerate(zip(calls.called, targets, strict=True))
        if c.explicit and "elemental" not in c.interface.attributes and not _is_taken_for_intrinsic(c)
    ]
    rows = [
        "! Compiled, never called: the compiler compares the stubs with the procedures.",
        f"module {calls.name}_probe",
        *(f"  use {c.module}, only: {target} => {c.interface.name}" for _, c, target in compared),
        "  implicit none",
        "  abstract interface",
        *(row for number, c, _ in compared for row in indent(interface_rows(c, f"stub_{number}"), 4)),
        "  end interface",
        "contains",
    ]
    for number, _, target in compared:
        rows += [
            f"  subroutine takes_{number}(p)",
            f"    procedure(stub_{number}) :: p",
            f"  end subroutine takes_{number}",
            f"  subroutine compare_{number}()",
            f"    call takes_{number}({target})",
            f"  end subroutine compare_{number}",
        ]
    return "\n".join(map(wrap, [*rows, f"end module {calls.name}_probe"])) + "\n"
