"""Without a compiler: bind(C) procedures of libraries, called through libffi. Slower, and never with descriptors or characters.

The callable is the same as ever, with all its checks; only the row that it walks is made here, and the thunk in it is Python.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

from py2f.emit.thunk_c import declared_extents, flags_of, has_extents, places_of, used_sources
from py2f.errors import ToolchainError
from py2f.fortran.called import TEXTS, Called, assumed, described
from py2f.library import find_symbol, opened
from py2f.runtime._runtime import ffi, lib
from py2f.signature import RESULT, Intent
from py2f.types import KINDS, Word

if TYPE_CHECKING:
    from collections.abc import Callable

    from py2f.decorators.stub import Stub
    from py2f.signature import Argument

ANY = -(2**63)
C_TYPES = {
    "i8": "int8_t", "i16": "int16_t", "i32": "int32_t", "i64": "int64_t", "f32": "float", "f64": "double", "b8": "_Bool",
    "b32": "int32_t", "CPtr": "uintptr_t",
}  # fmt: skip
_kept: list[Any] = []  # what the rows point at
_told: set[str] = set()


def target_of(stub: Stub, error: ToolchainError) -> Any:
    """The row of a procedure of a library; raises ToolchainError that says what needs a compiler, and `error`."""
    if not stub.origin.library or stub.origin.module:
        raise error
    called = Called(stub.procedure, assumed(stub.procedure), symbol=find_symbol(stub))
    why = next(filter(None, (_obstacle(called, a) for a in (*stub.procedure.arguments, *stub.procedure.results))), "")
    if why:
        raise ToolchainError(f"{stub.where}: '{stub.procedure.name}' needs a Fortran compiler: {why}; {error}")
    if stub.origin.library not in _told:
        _told.add(stub.origin.library)
        warnings.warn(
            f"procedures of {stub.origin.library} are called without a compiler, which is slower: {error}",
            RuntimeWarning,
            stacklevel=4,
        )
    return _target(called, stub)


def _obstacle(c: Called, a: Argument) -> str:
    """Why libffi cannot pass an argument, or hand over the result."""
    what = "its result" if a.name == RESULT else f"its argument '{a.name}'"
    reasons = {
        "is a procedure": a.callback is not None,
        "is of characters": a.kind.word in TEXTS,
        "is allocated by Fortran": a.allocatable or (a.name == RESULT and a.rank > 0),
        "goes by descriptor": a.rank > 0 and described(c.dummy(a)),
        "is a logical of four bytes": a.kind.name == "b32" and (a.rank > 0 or a.intent is not Intent.IN),
        "is a complex number by value": a.kind.word is Word.COMPLEX and (a.value or a.name == RESULT),
    }
    return next((f"{what} {reason}" for reason, holds in reasons.items() if holds), "")


def _target(c: Called, stub: Stub) -> Any:
    arguments, results = c.procedure.arguments, c.procedure.results
    places, declared = places_of(c), declared_extents(c)
    target = ffi.new("py2f_target *")
    texts = [ffi.new("char[]", text.encode()) for a in (*arguments, *results) for text in (a.name, a.declared)]
    rows = ffi.new("py2f_argument[]", len(arguments) + len(results) + 1)
    for k, a in enumerate((*arguments, *results)):
        rows[k].name, rows[k].declared = texts[2 * k : 2 * k + 2]
        rows[k].kind, rows[k].rank = KINDS.index(a.kind), a.rank
        rows[k].flags = sum(getattr(lib, flag) for flag in flags_of(c, a).split(" | ") if flag != "0")
    name, known = ffi.new("char[]", c.procedure.name.encode()), ffi.new("py2f_known[]", places or [(0, 0)])
    call = ffi.callback(ffi.typeof(target.call), _thunk(c, stub))
    extents = ffi.callback(ffi.typeof(target.extents), _extents(c, declared))
    target.call, target.name, target.argument, target.result, target.known = call, name, rows, rows + len(arguments), known
    target.narguments, target.nresults, target.nknown, target.reach = len(arguments), len(results), len(places), lib.PY2F_LINKED
    if has_extents(c):
        target.nwanted, target.extents = len(declared), extents
    _kept.append((target, texts, rows, name, known, call, extents))
    return target


def _thunk(c: Called, stub: Stub) -> Callable[[Any, Any], None]:
    """What a compiled thunk does."""
    import cffi

    foreign, arguments = cffi.FFI(), c.procedure.arguments
    symbol = c.symbol or f"{c.procedure.name.lower()}_"
    result = next((C_TYPES[r.kind.name] for r in c.procedure.results), "void")
    types = [C_TYPES[a.kind.name] if a.value else "void *" for a in arguments]
    foreign.cdef(f"{result} {symbol}({', '.join(types) or 'void'});")
    path = opened(stub)._name  # noqa: SLF001  as the loader has found it
    procedure = getattr(foreign.dlopen(path), symbol)

    def actual(j: int, place: Any) -> Any:
        a = arguments[j]
        if a.value:
            return ffi.cast(f"{C_TYPES[a.kind.name]} *", place)[0]
        if place and a.rank:
            place = ffi.cast("py2f_array *", place).first
        return foreign.cast("void *", int(ffi.cast("uintptr_t", place)))

    def thunk(place: Any, calling: Any) -> None:
        del calling
        returned = procedure(*(actual(j, place[j]) for j in range(len(arguments))))
        if result != "void":
            ffi.cast(f"{result} *", place[len(arguments)])[0] = returned

    return thunk


def _extents(c: Called, declared: list[str | None]) -> Callable[[Any, Any], None]:
    sources = used_sources(c)

    def extents(known: Any, wanted: Any) -> None:
        values, index = {}, 0
        for name, places in sources.items():
            given = [known[index + k] for k in range(len(places)) if known[index + k] != ANY]
            values[name] = given[0] if given else None
            index += len(places)
        for k, text in enumerate(declared):
            wanted[k] = _evaluated(text, values)

    return extents


def _evaluated(extent: str | None, values: dict[str, int | None]) -> int:
    """An extent, or what stands for one that nothing is known of; what no array has is as good as any other such number."""
    if extent is None:
        return ANY
    try:
        value = eval(extent, {"__builtins__": {}}, values)  # of names, integers and + - *
    except TypeError:  # of None
        return ANY
    return ANY if value is None else int(max(min(value, 2**63 - 1), ANY + 1))
