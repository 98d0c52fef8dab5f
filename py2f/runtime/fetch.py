"""The cold path of the way back: at the first call of a procedure find or build its library, and bind the callable to it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from py2f import delivered
from py2f.decorators.registry import stubs
from py2f.decorators.stub import COPIES, MESSAGE, REQUIRED, Origin, Stub
from py2f.errors import BuildError, FortranError, SourceError, StubError, ToolchainError
from py2f.runtime._runtime import ffi, lib
from py2f.runtime.output import in_order
from py2f.signature import Intent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from py2f import signature
    from py2f.delivered import Thunks

_types: list[type] = []
if lib.p2f_callee_type(id(_types), id(FortranError)):
    raise ImportError("py2f.runtime: the type of procedures cannot be made")
Procedure = _types[0]

_opened: dict[int, Any] = {}  # the target of each stub that is in an open library, by its address; stubs live in the registry


def resolve(callee: Any) -> None:
    """Bind a callable at its first call. Raises what :func:`py2f.calls.build_calls` raises."""
    stub: Stub = callee.__py2f__
    if id(stub) not in _opened and stub.origin.host:
        raise RuntimeError(
            f"{stub.where}: '{stub.procedure.name}' is a procedure of a Fortran program: it can be called only while such a "
            f"program runs a function of a library that was exported with this stub"
        )
    if id(stub) not in _opened:
        _open(stub)
    bind(callee, stub, _opened[id(stub)][1])


def resolve_isolated(callee: Any) -> None:
    """Let the calls of a stub with ``isolate=True`` be made by the worker process of its module."""
    from py2f.runtime.isolate import Isolated

    stub: Stub = callee.__py2f__
    calls = Isolated(stub, *build(stub))
    lib.p2f_callee_forward(id(callee), id(calls))


def build(stub: Stub) -> tuple[list[Stub], Thunks]:
    """Build what all stubs of the module need that are not open yet; the stubs, and the library with one row for each."""
    known = [s for s in stubs(stub.module).values() if not s.origin.host and id(s) not in _opened]
    together = known if any(s is stub for s in known) else [stub]
    if thunks := delivered.found(stub.module, together):
        return together, thunks
    from py2f.calls import build_calls  # a job that finds what was delivered does without all that builds

    try:
        return together, build_calls(stub.module, together)
    except (StubError, SourceError, BuildError):  # one that is wrong is no reason to refuse the others
        if len(together) == 1:
            raise
    return [stub], build_calls(stub.module, [stub])


def _open(stub: Stub) -> None:
    try:
        together, thunks = build(stub)
    except ToolchainError as error:
        from py2f.runtime.abi import target_of

        _opened[id(stub)] = (stub, target_of(stub, error))
        return
    open_library(together, thunks)


def open_library(together: Sequence[Stub], thunks: Thunks) -> None:
    """Open a library with one row for each of these stubs, in order."""
    table = load(thunks, together[0])
    for k, s in enumerate(together):
        _opened[id(s)] = (s, table.target + k)


def load(thunks: Thunks, stub: Stub) -> Any:
    """The table of a library, and what it needs, in this process."""
    with in_order():
        for needed in thunks.needed:
            _load(str(needed), "", stub)
        return _load(str(thunks.path), thunks.symbol, stub)


def _load(path: str, symbol: str, stub: Stub) -> Any:
    trouble = ffi.new("char[]", 1000)
    table = lib.p2f_open(path.encode(sys.getfilesystemencoding(), "surrogateescape"), symbol.encode(), trouble, 1000)
    if symbol and table == ffi.NULL:
        raise StubError(f"{stub.where}: the library of the procedure cannot be loaded: {ffi.string(trouble).decode()}")
    return table


def bind(callee: Any, stub: Stub, target: Any) -> None:
    """Let a callable call a target."""
    spec = _spec(stub)
    if lib.p2f_callee_bind(id(callee), target, id(spec)):
        raise MemoryError


def _spec(stub: Stub) -> tuple[Any, ...]:
    """What the callable has to know besides the table: callee_type.h reads it."""
    arguments = stub.procedure.arguments
    names = tuple(sys.intern(a.name) for a in arguments)
    defaults = tuple(names if value is REQUIRED else value for value in stub.defaults)
    inputs = [j for j, a in enumerate(arguments) if a.intent is not Intent.OUT]
    positional = [j for j in inputs if arguments[j].name not in stub.keywords]
    keywords = [j for j in inputs if j not in positional]
    returned = [len(arguments)] * len(stub.procedure.results) + [arguments.index(a) for a in stub.outs]
    status = [names.index(name) if name and name in names else -1 for name in (stub.errors, MESSAGE if stub.errors else "")]
    flags = (COPIES.index(stub.copy), int(stub.nogil), *status)
    return (names, defaults, (*positional, *keywords), len(positional), tuple(returned), stub.returns, *flags)


# ---- inside a Fortran program


def argument_specs(procedure: signature.Procedure) -> tuple[Any, ...] | None:
    """What the callables need that stand for procedures among the arguments; None where there are none."""
    if not any(a.callback for a in procedure.arguments):
        return None
    return tuple(_spec(_argument_stub(a.callback)) if a.callback else None for a in procedure.arguments)


def _argument_stub(callback: signature.Procedure) -> Stub:
    where = "an argument"
    return Stub(callback, "", callback.name, where, Origin(host=True), (REQUIRED,) * len(callback.arguments), ())


def open_host(stub: Stub, target: Any) -> None:
    """A library of the program that runs this Python has a thunk for a stub."""
    _opened[id(stub)] = (stub, target)
