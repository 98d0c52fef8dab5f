"""A Fortran procedure as it is called: what a stub says, and what Fortran declares, side by side.

Where there is a source both are compared here, so that a contradiction is shown with both lines; the Fortran compiler
compares them once more when the thunk is compiled (emit/thunk_fortran.py). Without a source the stub alone says it all.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from py2f.errors import StubError
from py2f.fortran.declared import Dummy, Interface
from py2f.signature import Argument, Intent, Procedure
from py2f.types import Extent, Word

if TYPE_CHECKING:
    from py2f.decorators.stub import Stub

TEXTS = (Word.TEXT, Word.TEXTS, Word.STRING)
INTENTS = {"in": Intent.IN, "out": Intent.OUT, "inout": Intent.INOUT}


@dataclass(frozen=True)
class Called:
    """One procedure and how it is called."""

    procedure: Procedure  # the stub's, with what the source says besides
    interface: Interface  # Fortran's, or what the stub makes of it
    module: str = ""
    explicit: bool = False  # the compiler knows the interface: it is in a module
    symbol: str = ""  # of a bind(c) procedure that is known by its symbol alone

    def dummy(self, a: Argument) -> Dummy:
        """What Fortran declares for an argument or the result."""
        if a in self.procedure.results and self.interface.result:
            return self.interface.result
        return self.interface.arguments[self.procedure.arguments.index(a)]


@dataclass(frozen=True)
class Calls:
    """All procedures that the stubs of a Python module call: one library."""

    name: str
    module: str
    called: tuple[Called, ...]


def dense(d: Dummy) -> bool:
    """Whether Fortran takes an array by its address alone, so that it must be contiguous."""
    return bool(d.dimensions) and not described(d)


def described(d: Dummy) -> bool:
    """Whether an array is of assumed shape: strides are taken as they are."""
    return bool(d.dimensions) and all(extent == ":" for extent in d.dimensions)


def assumed(procedure: Procedure) -> Interface:
    """The interface of a procedure of which the stub alone is known: `f64[n]` is an address, `f64[:]` a descriptor."""
    return Interface(
        procedure.name,
        tuple(_assumed(a) for a in procedure.arguments),
        _assumed(procedure.results[0]) if procedure.results else None,
    )


def _assumed(a: Argument) -> Dummy:
    extents = [str(e) if e else ":" for e in a.shape.extents] if a.shape else [":"] * (a.kind.word is Word.TEXTS)
    if any(e != ":" for e in extents) and extents[-1] == ":":
        extents[-1] = "*"
    attributes = {"value": a.value, "optional": a.optional, "allocatable": a.allocatable}
    row = "str" if a.kind.word in TEXTS else a.kind.name
    length = (str(a.length) if a.length else "*") if a.kind.word in TEXTS else ""
    return Dummy(
        (a.fortran or a.name).lower(),
        re.split(r"\W", a.kind.fortran)[0],
        row=row,
        length=length,
        dimensions=tuple(extents),
        intent=a.intent.value.lower(),
        attributes=frozenset(name for name, on in attributes.items() if on),
    )


def matched(stub: Stub, interface: Interface) -> Called:
    """Compare a stub with what its source declares; raises StubError that shows both."""
    procedure = stub.procedure
    if interface.trouble:
        raise StubError(f"{stub.where}: '{procedure.name}' of {_place(interface)} cannot be called: {interface.trouble}")
    theirs, ours = interface.arguments, procedure.arguments
    if len(theirs) != len(ours):
        raise _contradiction(stub, interface, f"{len(ours)} arguments", f"{len(theirs)}", interface.text)
    pairs = tuple(_argument(stub, interface, a, d) for a, d in zip(ours, theirs, strict=True))
    if bool(procedure.results) != bool(interface.result):
        kinds = ("a function", "a subroutine")
        raise _contradiction(stub, interface, kinds[not procedure.results], kinds[not interface.result], interface.text)
    results = tuple(_argument(stub, interface, r, interface.result) for r in procedure.results if interface.result)
    merged = replace(procedure, arguments=pairs, results=results)
    return Called(merged, interface, interface.module, explicit=bool(interface.module))


def _place(interface: Interface, line: int = 0) -> str:
    return f"{interface.path}:{line or interface.line}"


def _contradiction(stub: Stub, interface: Interface, ours: str, theirs: str, text: str, line: int = 0, what: str = "") -> StubError:
    return StubError(
        f"{stub.where}: {what or repr(stub.procedure.name)} is {ours} here, but {theirs} in {_place(interface, line)}: {text}"
    )


def _argument(stub: Stub, interface: Interface, a: Argument, d: Dummy) -> Argument:
    is_result = a in stub.procedure.results
    what = f"the result of '{stub.procedure.name}'" if is_result else f"argument '{a.name}' of '{stub.procedure.name}'"
    if a.name == "errmsg" and stub.errors and d.intent == "inout":  # as in ALLOCATE: defined when there is something to say
        d = replace(d, intent="out")
    for ours, theirs in _differences(a, d, stub.procedure, result=is_result):
        raise _contradiction(stub, interface, ours, theirs, d.text, d.line, what)
    if a.optional and {"value", "optional"} <= d.attributes and a.kind.word is Word.LOGICAL and a.kind.size > 1:
        raise StubError(
            f"{stub.where}: {what} is a logical that is optional and comes by value, which gfortran cannot leave out; "
            f"write it without `| None`, or use logical(c_bool): {_place(interface, d.line)}: {d.text}"
        )
    fixed = a.length is None and a.kind.word in TEXTS and d.length not in ("*", ":", "") and not is_result
    return replace(
        a,
        allocatable=a.allocatable or "allocatable" in d.attributes,
        value="value" in d.attributes,
        length=Extent(d.length) if fixed else a.length,
    )


def _differences(a: Argument, d: Dummy, procedure: Procedure, *, result: bool) -> list[tuple[str, str]]:
    """What the stub says and what Fortran says, where they are not the same."""
    found = []
    name = (a.fortran or a.name).lower()
    if not result and name != d.name:
        found.append((f"'{name}', argument {procedure.arguments.index(a) + 1}", f"'{d.name}'"))
    if d.row != ("str" if a.kind.word in TEXTS else a.kind.name):
        found.append((a.declared, d.row or d.type))
    rank = a.rank + (a.kind.word is Word.TEXTS)
    if rank != len(d.dimensions):
        found.append((f"of rank {rank}", f"of rank {len(d.dimensions)}"))
    if not result and d.intent and a.intent is not INTENTS[d.intent]:
        found.append((a.intent.value, INTENTS[d.intent].value))
    if not result and not d.intent and a.intent is Intent.IN and "written" in d.attributes and (a.shape or a.kind.word in TEXTS):
        found.append(("In", "written, with no intent declared: write InOut or Out"))
    if a.optional and "optional" not in d.attributes:
        found.append(("optional", "not optional"))
    if "allocatable" in d.attributes and not result and a.intent is not Intent.OUT:
        found.append((a.intent.value, "allocatable, which only an Out may be"))
    if a.length is not None and d.length not in ("*", ":", str(a.length)):
        found.append((f"{a.length} characters long", f"{d.length} characters long"))
    if a.shape and not found and not result:
        found += _shapes(a, d)
    return found


def _shapes(a: Argument, d: Dummy) -> list[tuple[str, str]]:
    """An explicit extent is said by both; what is of assumed shape, or size, may be checked by the stub."""
    ours = [str(e) if e else ":" for e in a.shape.extents] if a.shape else []
    for r, (mine, theirs) in enumerate(zip(ours, d.dimensions, strict=True), 1):
        if theirs not in (":", "*") and re.sub(r"\s", "", mine).lower() != re.sub(r"\s", "", theirs).lower():
            return [(f"{a.declared}, whose extent {r} is {mine}", theirs)]
    return []
