"""The cold path of the way back: at the first call of a procedure find or build its library, and bind the callable to it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from py2f.decorators.registry import stubs
from py2f.decorators.stub import REQUIRED
from py2f.errors import FortranError, StubError
from py2f.runtime._runtime import ffi, lib
from py2f.signature import Intent

if TYPE_CHECKING:
    from py2f.decorators.stub import Stub

_types: list[type] = []
if lib.p2f_callee_type(id(_types), id(FortranError)):
    raise ImportError("py2f.runtime: the type of procedures cannot be made")
Procedure = _types[0]
COPIES = ("never", "warn", "ok")

_opened: dict[int, Any] = {}  # the target of each stub that is in an open library, by its address; stubs live in the registry


def resolve(callee: Any) -> None:
    """Bind a callable at its first call. Raises what :func:`py2f.calls.build_calls` raises."""
    stub: Stub = callee.__py2f__
    if id(stub) not in _opened:
        _open(stub)
    _bind(callee, stub, _opened[id(stub)][1])


def _open(stub: Stub) -> None:
    """Build what all stubs of the module need that are not open yet."""
    from py2f.calls import build_calls

    known = [s for s in stubs(stub.module).values() if not s.origin.host and id(s) not in _opened]
    together = known if any(s is stub for s in known) else [stub]
    thunks = build_calls(stub.module, together)
    for needed in thunks.needed:
        _load(str(needed), "", stub)
    table = _load(str(thunks.path), thunks.symbol, stub)
    for k, s in enumerate(together):
        _opened[id(s)] = (s, table.target + k)


def _load(path: str, symbol: str, stub: Stub) -> Any:
    trouble = ffi.new("char[]", 1000)
    table = lib.p2f_open(path.encode(sys.getfilesystemencoding(), "surrogateescape"), symbol.encode(), trouble, 1000)
    if symbol and table == ffi.NULL:
        raise StubError(f"{stub.where}: the library of the procedure cannot be loaded: {ffi.string(trouble).decode()}")
    return table


def _bind(callee: Any, stub: Stub, target: Any) -> None:
    arguments = stub.procedure.arguments
    names = tuple(sys.intern(a.name) for a in arguments)
    defaults = tuple(names if value is REQUIRED else value for value in stub.defaults)
    inputs = [j for j, a in enumerate(arguments) if a.intent is not Intent.OUT]
    positional = [j for j in inputs if arguments[j].name not in stub.keywords]
    keywords = [j for j in inputs if j not in positional]
    returned = [len(arguments)] * len(stub.procedure.results) + [arguments.index(a) for a in stub.outs]
    spec = (names, defaults, (*positional, *keywords), len(positional), tuple(returned), stub.returns)
    status = [names.index(name) if name and name in names else -1 for name in (stub.errors, "errmsg" if stub.errors else "")]
    if lib.p2f_callee_bind(id(callee), target, id(spec), COPIES.index(stub.copy), int(stub.nogil), *status):
        raise MemoryError
