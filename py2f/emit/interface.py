"""Interface bodies: what a procedure is called with, in Fortran's own words, for compilers to compare and to call by."""

from __future__ import annotations

from typing import TYPE_CHECKING

from py2f.emit.names import ISO_C, free, words
from py2f.emit.text import indent
from py2f.fortran.called import TEXTS, Called

if TYPE_CHECKING:
    from py2f.fortran.declared import Dummy
    from py2f.signature import Argument, Procedure


def interface_rows(c: Called, name: str, bind: str = "") -> list[str]:
    """An interface body: the stub's kinds and intents, and how Fortran takes each argument."""
    procedure = c.procedure
    names = [d.name for d in c.interface.arguments]
    result = free("res", {name.lower(), *names})
    pairs = sorted(zip(procedure.arguments, names, strict=True), key=lambda pair: pair[0].rank > 0 or pair[0].kind.word in TEXTS)
    declared = [row for a, n in pairs for row in _dummy(a, c.dummy(a), n)]  # an extent is declared before it is used
    declared += [_result(r, c.dummy(r), result) for r in procedure.results]
    kind = "function" if procedure.results else "subroutine"
    bind = bind or ("bind(c)" if "bind(c)" in c.interface.attributes else "")
    head = f"{kind} {name}({', '.join(names)})" + f" {bind}" * bool(bind) + (f" result({result})" if procedure.results else "")
    used = sorted(ISO_C & words(declared, []))
    return [
        head,
        *([f"  use, intrinsic :: iso_c_binding, only: {', '.join(used)}"] if used else []),
        "  implicit none",
        *indent(declared),
        f"end {kind} {name}",
    ]


def _type(a: Argument, d: Dummy) -> str:
    return f"character(len={d.length or '*'})" if a.kind.word in TEXTS else a.kind.fortran


PASSED_ON = ("value", "optional", "allocatable", "pointer", "target", "contiguous", "asynchronous", "volatile")


def _dummy(a: Argument, d: Dummy, name: str) -> list[str]:
    if a.callback:
        return _dummy_procedure(a.callback, d, name)
    attributes = [f"intent({d.intent})"] * bool(d.intent) + [word for word in PASSED_ON if word in d.attributes]
    shape = f"({', '.join(d.bounds or d.dimensions)})" if d.dimensions else ""
    return [f"{', '.join([_type(a, d), *attributes])} :: {name}{shape}"]


def _dummy_procedure(callback: Procedure, d: Dummy, name: str) -> list[str]:
    """With its interface; a Fortran that declares none takes any procedure."""
    optional = [f"optional :: {name}"] if "optional" in d.attributes else []
    if d.interface is None:
        kind = [f"{r.kind.fortran} :: {name}" for r in callback.results]
        return [*kind, f"external :: {name}", *optional]
    return ["interface", *indent(interface_rows(Called(callback, d.interface), name)), "end interface", *optional]


def _result(r: Argument, d: Dummy, name: str) -> str:
    attributes = [word for word in ("allocatable", "pointer") if word in d.attributes]
    shape = f"({', '.join(d.dimensions)})" if d.dimensions else ""
    return f"{', '.join([_type(r, d), *attributes])} :: {name}{shape}"
