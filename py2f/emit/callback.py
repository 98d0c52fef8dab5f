"""Python callables as procedure arguments: for each a Fortran procedure of exactly the interface that is declared.

It calls a second one whose dummies are targets of assumed shape, which is what a wrapper of an exported function is as well:
the same frame, the same row of a table, the same runtime. Which callable is meant, the runtime knows from the running call.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from py2f.emit.declarations import declarations
from py2f.emit.frame import entry_interface, shared_types
from py2f.emit.interface import interface_rows
from py2f.emit.locate import locators
from py2f.emit.names import INTRINSICS, ISO_C, KEYWORDS, assign, free
from py2f.emit.scope import Scope
from py2f.emit.statements import through_frame
from py2f.emit.text import indent
from py2f.fortran.called import Called, assumed
from py2f.signature import Shape

if TYPE_CHECKING:
    from collections.abc import Sequence

    from py2f.fortran.called import Calls
    from py2f.signature import Procedure


@dataclass(frozen=True)
class Back:
    """A procedure argument: of which procedure, which argument, and what it is called with."""

    row: int  # of the table of procedures that can be called back
    target: int
    argument: int
    called: Called

    @property
    def procedure(self) -> Procedure:
        """As the runtime sees it: arrays of any shape, since Fortran's own are what they are."""
        anonymous = [replace(a, shape=Shape((None,) * a.rank)) if a.shape else a for a in self.called.procedure.arguments]
        return replace(self.called.procedure, arguments=tuple(anonymous))


def backs(calls: Calls) -> list[Back]:
    """All procedure arguments, in order."""
    found: list[Back] = []
    for target, c in enumerate(calls.called):
        for j, a in enumerate(c.procedure.arguments):
            if a.callback:
                interface = c.dummy(a).interface or assumed(a.callback)
                found.append(Back(len(found), target, j, Called(a.callback, interface)))
    return found


def back_symbol(calls: Calls) -> str:
    """The C function that Fortran calls for any of them."""
    return f"py2f_{calls.name}_back"


def back_name(back: Back) -> str:
    """The Fortran procedure that is passed as argument."""
    return f"back_{back.row}"


def back_head(calls: Calls, found: Sequence[Back]) -> list[str]:
    """What the module needs besides the procedures: types of frames, the interface of the C function, a constant."""
    if not found:
        return []
    return [
        "integer, parameter :: py2f_ok = 0",
        "logical, parameter :: py2f_tells_dense = .false.  ! addresses of neighbours do for all",
        "",
        *shared_types(tuple(b.procedure for b in found)),
        *entry_interface(back_symbol(calls)),
        "",
    ]


def back_procedures(calls: Calls, found: Sequence[Back]) -> list[list[str]]:
    """The rows of all procedures."""
    return [[*rows, ""] for rows in (*(_back(calls, b) for b in found), *locators((b.procedure for b in found), ()))]


def _back(calls: Calls, back: Back) -> list[str]:
    interface = interface_rows(back.called, back_name(back))
    names = [d.name for d in back.called.interface.arguments]
    result = free("res", {back_name(back), *names})
    call = f"enter_{back.row}({', '.join(names)})"
    return [
        *interface[:-1],
        "",
        f"  {result} = {call}" if back.procedure.results else f"  call {call}",
        interface[-1],
        "",
        *_enter(calls, back),
    ]


def _enter(calls: Calls, back: Back) -> list[str]:
    procedure = back.procedure
    taken = {f"enter_{back.row}", "py2f_call", "py2f_ok", "py2f_tells_dense", *INTRINSICS, *ISO_C, *KEYWORDS}
    dummies = dict(zip(procedure.arguments, assign([a.name for a in procedure.arguments], taken), strict=True))
    s = Scope.of(calls.name, f"enter_{back.row}", dummies, taken, {})
    kind = "function" if procedure.results else "subroutine"
    head = f"{kind} {s.procedure}({', '.join(dummies.values())})"
    return [
        head + (f" result({s.result})" if procedure.results else ""),
        *indent(declarations(procedure, s, ())),
        "",
        *indent(through_frame(procedure, s, back.row)),
        f"end {kind} {s.procedure}",
    ]
