"""A Fortran procedure as it is called: what a stub says, and what Fortran declares, side by side.

Where there is a source both are compared here, so that a contradiction is shown with both lines; the Fortran compiler
compares them once more when the thunk is compiled (emit/thunk_fortran.py). Without a source the stub alone says it all.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING

from py2f.errors import StubError
from py2f.fortran.declared import Dummy, Interface
from py2f.signature import Argument, Intent, Procedure, Shape
from py2f.types import Extent, Word

if TYPE_CHECKING:
    from py2f.decorators.stub import Stub
    from py2f.emit.variables import Accessor

TEXTS = (Word.TEXT, Word.TEXTS, Word.STRING)
INTENTS = {"in": Intent.IN, "out": Intent.OUT, "inout": Intent.INOUT}


class Reach(Enum):
    """How a thunk gets at a procedure."""

    MODULE = "use"  # the compiler knows the interface
    LINKED = "interface"  # an external or bind(c) procedure of a library
    HOST = "provided"  # the program that Python runs in has provided it
    ARGUMENT = "pointer"  # it is an argument of the exported function that is being called


@dataclass(frozen=True)
class Called:
    """One procedure and how it is called."""

    procedure: Procedure  # the stub's, with what the source says besides
    interface: Interface  # Fortran's, or what the stub makes of it
    module: str = ""
    reach: Reach = Reach.LINKED
    symbol: str = ""  # of a bind(c) procedure that is known by its symbol alone
    interface_name: str = ""  # of a procedure that is pointed to

    @property
    def explicit(self) -> bool:
        """Whether the compiler knows the interface."""
        return self.reach is Reach.MODULE

    @property
    def pointed(self) -> bool:
        """Whether it is known by a pointer only."""
        return self.reach in (Reach.HOST, Reach.ARGUMENT)

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
    accessors: tuple[Accessor, ...] = ()  # of module variables: some of what is called


def dense(d: Dummy) -> bool:
    """Whether Fortran takes an array by its address alone, so that it must be contiguous."""
    return bool(d.dimensions) and not described(d)


def described(d: Dummy) -> bool:
    """Whether an array is of assumed shape: strides are taken as they are."""
    return bool(d.dimensions) and all(extent == ":" for extent in d.dimensions)


def assumed(procedure: Procedure, *, shaped: bool = True) -> Interface:
    """The interface of a procedure of which the stub alone is known: `f64[n]` is an address, `f64[:]` a descriptor.

    Not `shaped`: all arrays are of assumed shape, as those of exported functions are.
    """
    return Interface(
        procedure.name,
        tuple(_assumed(a, shaped=shaped) for a in procedure.arguments),
        _assumed(procedure.results[0], shaped=True) if procedure.results else None,
    )


def _assumed(a: Argument, *, shaped: bool) -> Dummy:
    extents = [str(e) if e and shaped else ":" for e in a.shape.extents] if a.shape else [":"] * (a.kind.word is Word.TEXTS)
    if any(e != ":" for e in extents) and extents[-1] == ":":
        extents[-1] = "*"
    attributes = {"value": a.value, "optional": a.optional, "allocatable": a.allocatable}
    row = "str" if a.kind.word in TEXTS else a.kind.name
    length = (str(a.length) if a.length and shaped else ":" if a.allocatable else "*") if a.kind.word in TEXTS else ""
    if a.callback:
        optional = frozenset({"optional"} if a.optional else ())
        return Dummy(
            (a.fortran or a.name).lower(), "procedure", attributes=optional, interface=assumed(a.callback, shaped=shaped)
        )
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
    if interface.trouble and not _is_implicit_only(procedure, interface):
        raise StubError(
            f"{stub.where}: '{procedure.name}' of {interface.path}:{interface.line} cannot be called: {interface.trouble}"
        )
    theirs, ours = interface.arguments, procedure.arguments
    if len(theirs) != len(ours):
        raise _contradiction(
            stub.where, repr(procedure.name), f"of {len(ours)} arguments", f"of {len(theirs)}", _place(interface)
        )
    pairs = tuple(_argument(stub, interface, a, d) for a, d in zip(ours, theirs, strict=True))
    if bool(procedure.results) != bool(interface.result):
        raise _contradiction(stub.where, repr(procedure.name), *_sorts(procedure.results, interface.result), _place(interface))
    results = tuple(_argument(stub, interface, r, interface.result) for r in procedure.results if interface.result)
    merged = replace(procedure, arguments=pairs, results=results)
    return Called(merged, interface, interface.module, Reach.MODULE if interface.module else Reach.LINKED)


def _is_implicit_only(procedure: Procedure, interface: Interface) -> bool:
    """Whether nothing is wrong but that Fortran does not say what a procedure is called with: the stub's Callable does."""
    pairs = list(zip(procedure.arguments, interface.arguments, strict=False))
    troubles = [d for _, d in pairs if d.trouble]
    known = {d.name for a, d in pairs if a.callback and d.type == "procedure" and d.interface is None}
    return bool(troubles) and all(d.name in known for d in troubles)


def _place(interface: Interface, d: Dummy | None = None) -> str:
    line, text = (d.line, d.text) if d else (interface.line, interface.text)
    return f"{interface.path}:{line}: {text}"


def _contradiction(where: str, what: str, ours: str, theirs: str, place: str) -> StubError:
    return StubError(f"{where}: {what} is {ours} here, but {theirs} in {place}")


def _argument(stub: Stub, interface: Interface, a: Argument, d: Dummy) -> Argument:
    is_result = a in stub.procedure.results
    what = f"the result of '{stub.procedure.name}'" if is_result else f"argument '{a.name}' of '{stub.procedure.name}'"
    if a.name == "errmsg" and stub.errors and d.intent == "inout":  # as in ALLOCATE: defined when there is something to say
        d = replace(d, intent="out")
    for ours, theirs in _differences(a, d, stub.procedure, result=is_result):
        raise _contradiction(stub.where, what, ours, theirs, _place(interface, d))
    if a.callback:
        return replace(a, callback=_callback(stub, interface, what, a.callback, d))
    if a.optional and {"value", "optional"} <= d.attributes and a.kind.word is Word.LOGICAL and a.kind.size > 1:
        raise StubError(
            f"{stub.where}: {what} is a logical that is optional and comes by value, which gfortran cannot leave out: "
            f"write it without `| None`, or use logical(c_bool) in {_place(interface, d)}"
        )
    fixed = a.length is None and a.kind.word in TEXTS and d.length not in ("*", ":", "") and not is_result
    return replace(
        a,
        shape=_count(stub, a, d, what, interface) if a.kind.word is Word.TEXTS else a.shape,
        allocatable=a.allocatable or "allocatable" in d.attributes,
        value="value" in d.attributes,
        length=Extent(d.length) if fixed else a.length,
    )


def _count(stub: Stub, a: Argument, d: Dummy, what: str, interface: Interface) -> Shape | None:
    """How many texts there must be, where Fortran declares it: a list[str] cannot say."""
    if d.dimensions[0] in (":", "*"):
        return a.shape
    counts = [b for b in stub.procedure.arguments if b.kind.word is Word.INTEGER and not b.shape and b.intent is Intent.IN]
    known = {(b.fortran or b.name).lower(): b.name for b in counts}
    count = Extent(d.dimensions[0])
    if any(name.lower() not in known for name in count.names):
        raise _contradiction(stub.where, what, a.declared, f"of an extent that is not known, {count},", _place(interface, d))
    return Shape((Extent(re.sub(r"[^\W\d]\w*", lambda m: known[m[0].lower()], count.text)),))


def _callback(stub: Stub, interface: Interface, what: str, callback: Procedure, d: Dummy) -> Procedure:
    """A Callable, with the names of Fortran's own interface if it has one."""
    if d.interface is None:
        return callback
    theirs, ours = d.interface.arguments, callback.arguments
    if len(theirs) != len(ours):
        raise _contradiction(stub.where, what, f"of {len(ours)} arguments", f"of {len(theirs)}", _place(interface, d))
    for j, (mine, their) in enumerate(zip(ours, theirs, strict=True), 1):
        for x, y in _differences(replace(mine, fortran=their.name), their, callback, result=False):
            raise _contradiction(stub.where, f"argument {j} of {what}", x, y, _place(interface, their))
    if bool(callback.results) != bool(d.interface.result):
        raise _contradiction(stub.where, what, *_sorts(callback.results, d.interface.result), _place(interface, d))
    for mine in callback.results:
        for x, y in _differences(mine, d.interface.result or d, callback, result=True):
            raise _contradiction(stub.where, f"the result of {what}", x, y, _place(interface, d))
    return callback


def _sorts(ours: object, theirs: object) -> tuple[str, str]:
    return "a function" if ours else "a subroutine", "a function" if theirs else "a subroutine"


def _differences(a: Argument, d: Dummy, procedure: Procedure, *, result: bool) -> list[tuple[str, str]]:
    """What the stub says and what Fortran says, where they are not the same."""
    found = []
    name = (a.fortran or a.name).lower()
    if not result and name != d.name:
        found.append((f"'{name}', argument {procedure.arguments.index(a) + 1}", f"'{d.name}'"))
    if a.callback:
        return found + ([] if d.type == "procedure" else [(a.declared, d.row or d.type)])
    if d.row != ("str" if a.kind.word in TEXTS else a.kind.name):
        found.append((a.declared, d.row or d.type))
    rank = a.rank + (a.kind.word is Word.TEXTS)
    if rank != len(d.dimensions):
        found.append((f"of rank {rank}", f"of rank {len(d.dimensions)}"))
    if not result:
        found += _intents(a, d)
    if a.optional and "optional" not in d.attributes:
        found.append(("optional", "not optional"))
    if "allocatable" in d.attributes and not result and a.intent is not Intent.OUT:
        found.append((a.intent.value, "allocatable, which only an Out may be"))
    if a.length is not None and d.length not in ("*", ":", str(a.length)):
        found.append((f"{a.length} characters long", f"{d.length} characters long"))
    if a.shape and not found and not result:
        found += _shapes(a, d)
    return found


def _intents(a: Argument, d: Dummy) -> list[tuple[str, str]]:
    """Where Fortran declares none, what it does; a scalar that it writes and Python does not want is no harm."""
    if not d.intent and a.intent is Intent.IN and "written" in d.attributes and (a.shape or a.kind.word in TEXTS):
        return [("In", "written, though no intent is declared,")]
    return [(a.intent.value, INTENTS[d.intent].value)] if d.intent and a.intent is not INTENTS[d.intent] else []


def _shapes(a: Argument, d: Dummy) -> list[tuple[str, str]]:
    """An explicit extent is said by both; what is of assumed shape, or size, may be checked by the stub."""
    ours = [str(e) if e else ":" for e in a.shape.extents] if a.shape else []
    for r, (mine, theirs) in enumerate(zip(ours, d.dimensions, strict=True), 1):
        if theirs not in (":", "*") and re.sub(r"\s", "", mine).lower() != re.sub(r"\s", "", theirs).lower():
            return [(f"{a.declared}, whose extent {r} is {mine}", theirs)]
    return []
