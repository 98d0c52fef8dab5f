"""Call exported functions through the compiled plugin, from Python: the same table, runtime and checks as from Fortran."""

from __future__ import annotations

import numbers
import os
import struct
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from py2f.backends.numpy import fortran_memory, result_array, text_array, view_words
from py2f.emit.fortran import entry_symbol
from py2f.errors import CallError, Status
from py2f.pipeline import build
from py2f.signature import Intent, Shape
from py2f.types import Word, string

if TYPE_CHECKING:
    from pathlib import Path

    from py2f.pipeline import Plugin
    from py2f.settings import Settings
    from py2f.signature import Argument, Procedure

CDEF = """
int {entry}(int number, void *frame);
size_t py2f_message_length(void);
void py2f_message_copy(char *, size_t);
size_t py2f_traceback_length(void);
void py2f_traceback_copy(char *, size_t);
void py2f_take_text(void *, void *);
void py2f_take_array(void *, void *);
"""
TAKEN: dict[Word, type | tuple[type, ...]] = {
    Word.INTEGER: numbers.Integral,
    Word.REAL: numbers.Real,
    Word.COMPLEX: numbers.Complex,
    Word.LOGICAL: (bool, np.bool_),
    Word.TEXT: str,
    Word.POINTER: (int,),
    Word.TEXTS: (list, tuple),
    Word.PROCEDURE: (),  # there is no Fortran procedure to hand over
}
"""What a scalar argument may be."""


def bridge(module: str, *, settings: Settings | None = None) -> Bridge:
    """Build or find the plugin of a module and load it into this process. Raises what :func:`py2f.build` raises."""
    return Bridge(build(module, settings=settings))


class Bridge:
    """A loaded plugin."""

    def __init__(self, plugin: Plugin) -> None:
        import cffi

        self.plugin = plugin
        self._numbers = {p.name: number for number, p in enumerate(plugin.library.procedures)}
        self._ffi = cffi.FFI()
        self._entry = entry_symbol(plugin.library)
        self._ffi.cdef(CDEF.format(entry=self._entry))
        self._lib = self._ffi.dlopen(str(plugin.path), os.RTLD_LAZY)  # flang's run time is the program's, so not here

    @property
    def path(self) -> Path:
        """The shared library."""
        return self.plugin.path

    def call(self, name: str, /, *arguments: Any, **keywords: Any) -> Any:
        """Call a function with NumPy arrays and scalars, None for what is absent; Out and InOut arrays are written in place.

        Raises CallError with status, message and traceback when the call fails, TypeError or OverflowError when an
        argument is not what is declared, KeyError when there is no such function.
        """
        procedure = self.plugin.library.procedures[self._numbers[name]]
        given = {name: _array(value) for name, value in _matched(procedure, arguments, keywords).items()}
        memory = {a.name: None if given[a.name] is None else fortran_memory(given[a.name], a) for a in procedure.views}
        self._check_extents(procedure, given)
        keep: list[Any] = []
        values = _extent_values(procedure, given)
        cut = {a.name: _cut(memory[a.name], a, values) for a in procedure.views}
        frame = self._frame(procedure, given, cut, keep)
        status = getattr(self._lib, self._entry)(self._numbers[name], self._ffi.from_buffer(frame))
        for a in procedure.views:
            if a.intent is not Intent.IN and memory[a.name] is not None and memory[a.name] is not given[a.name]:
                given[a.name][...] = memory[a.name] != 0  # a default logical, the only kind that has another width
        if status:
            raise CallError(Status(status), self._text("message"), self._text("traceback"))
        return self._returned(procedure, frame, keep)

    def _text(self, what: str) -> str:
        length = getattr(self._lib, f"py2f_{what}_length")()
        buffer = self._ffi.new("char[]", length + 1)
        getattr(self._lib, f"py2f_{what}_copy")(buffer, length)
        return bytes(self._ffi.buffer(buffer, length)[:]).decode()

    # ---- frame

    def _frame(self, procedure: Procedure, given: dict[str, Any], memory: dict[str, Any], keep: list[Any]) -> bytearray:
        words = [view_words(memory[a.name], a) for a in procedure.views]
        words += [self._value(a, given[a.name], keep) for a in procedure.values]
        words += [_place(r, _extent_values(procedure, given), keep) for r in procedure.results]
        return bytearray(b"".join(words) or bytes(8))

    def _value(self, a: Argument, value: Any, keep: list[Any]) -> bytes:
        if a.kind.word is Word.TEXTS:
            keep.append(None if value is None else text_array(value))
            return view_words(keep[-1], replace(a, shape=Shape((None,)), kind=string))
        if a.kind.word is Word.TEXT:
            text = None if value is None else self._ffi.new("char[]", value.encode())
            keep.append(text)
            return struct.pack("qq", int(self._ffi.cast("intptr_t", text)) if text else 0, -1 if text is None else len(text) - 1)
        given = struct.pack("q", value is not None) if a.optional else b""
        return given + _word(a, value)

    # ---- checks that the Fortran wrapper makes

    def _check_extents(self, procedure: Procedure, given: dict[str, Any]) -> None:
        values = _extent_values(procedure, given)
        for a in procedure.views:
            for d, extent in enumerate(a.shape.extents if a.shape else ()):
                if extent is None or given[a.name] is None or not values.keys() >= set(extent.names):
                    continue  # a name that only absent arguments would bind says nothing
                actual, wanted = given[a.name].shape[d], _evaluate(extent.text, values)
                if actual < wanted or (actual != wanted and not (a.padded and d == 0)):
                    said = f"not {wanted}" if extent.text.isdigit() else f"{extent.text} is {wanted}"
                    text = f"argument '{a.name}' of '{procedure.name}': extent {d + 1} is {actual}, {said}"
                    raise CallError(Status.BAD_ARGUMENT, text, "")

    # ---- results

    def _returned(self, procedure: Procedure, frame: bytearray, keep: list[Any]) -> Any:
        places = [place for place in keep if isinstance(place, _Place)]
        offset = len(frame) - sum(place.size for place in places)
        values = []
        for place in places:
            values.append(self._taken(place, frame, offset))
            offset += place.size
        return tuple(values) if procedure.fields else next(iter(values), None)

    def _taken(self, place: _Place, frame: bytearray, offset: int) -> Any:
        r = place.result
        if place.memory is not None:
            return _as_declared(place.memory, r)
        if r.shape:
            address, *extents = struct.unpack_from(f"{1 + r.rank}q", frame, offset)
            array = result_array(r, extents)
            self._lib.py2f_take_array(self._ffi.cast("void *", address), self._ffi.cast("void *", array.ctypes.data))
            return _as_declared(array, r)
        if r.kind.word is Word.TEXT:
            address, length = struct.unpack_from("qq", frame, offset)
            buffer = self._ffi.new("char[]", length + 1)
            self._lib.py2f_take_text(self._ffi.cast("void *", address), buffer)
            return self._ffi.buffer(buffer, length)[:].decode()
        return _unpacked(r, frame, offset)


@dataclass(frozen=True)
class _Place:
    """Where a result is found after the call."""

    result: Argument
    size: int  # bytes in the frame
    memory: np.ndarray | None = None  # for an array of explicit shape


def _array(value: Any) -> Any:
    """The array in a GT4Py field; anything else as it is."""
    return value.ndarray if hasattr(value, "ndarray") and hasattr(value, "domain") else value


def _cut(memory: np.ndarray | None, a: Argument, values: dict[str, int]) -> np.ndarray | None:
    """What Python sees of a padded array."""
    first = a.shape.extents[0] if a.padded and a.shape else None
    return memory if memory is None or first is None else memory[: _evaluate(first.text, values)]


def _place(r: Argument, extents: dict[str, int], keep: list[Any]) -> bytes:
    if r.shape and r.explicit:
        array = result_array(r, [max(0, _evaluate(e.text, extents)) for e in r.shape.extents if e])
        words = view_words(array, r) if r.field else view_words(array, r)[: 8 * (1 + r.rank)]
        keep.append(_Place(r, len(words), array))
        return words
    size = 8 * (1 + (r.rank or r.kind.word in (Word.TEXT, Word.COMPLEX)))
    keep.append(_Place(r, size))
    return bytes(size)


def _matched(procedure: Procedure, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> dict[str, Any]:
    names = [a.name for a in procedure.arguments]
    given = {**dict(zip(names, arguments, strict=False)), **keywords}
    missing = [a.name for a in procedure.arguments if a.name not in given and not a.optional]
    if missing or len(arguments) > len(names) or not set(given) <= set(names):
        raise TypeError(f"'{procedure.name}' takes ({', '.join(names)})")
    absent = [a.name for a in procedure.arguments if given.get(a.name) is None and not a.optional]
    if absent:
        raise TypeError(f"'{procedure.name}': {', '.join(absent)} may not be None")
    for a in procedure.values:
        if given.get(a.name) is not None and not isinstance(given[a.name], TAKEN[a.kind.word]):
            raise TypeError(f"argument '{a.name}': {a.declared} is declared, not {type(given[a.name]).__name__}")
    return {name: given.get(name) for name in names}


def _word(a: Argument, value: Any) -> bytes:
    """One scalar, as Fortran would widen it to words of 64 bits."""
    if a.kind.word is Word.REAL:
        return struct.pack("d", float(np.dtype(a.kind.numpy).type(0 if value is None else value)))
    if a.kind.word is Word.COMPLEX:
        number = complex(np.dtype(a.kind.numpy).type(0 if value is None else value))
        return struct.pack("dd", number.real, number.imag)
    if a.kind.word is Word.LOGICAL:
        return struct.pack("q", bool(value))
    if a.kind.word is Word.POINTER:
        return struct.pack("Q", value or 0)
    limit = 1 << (8 * a.kind.size - 1)
    if value is not None and not -limit <= value < limit:
        raise OverflowError(f"argument '{a.name}': {value} does not fit {a.kind}")
    return struct.pack("q", value or 0)


def _unpacked(r: Argument, frame: bytearray, offset: int) -> Any:
    if r.kind.word is Word.REAL:
        return float(np.dtype(r.kind.numpy).type(struct.unpack_from("d", frame, offset)[0]))
    if r.kind.word is Word.COMPLEX:
        return complex(np.dtype(r.kind.numpy).type(complex(*struct.unpack_from("dd", frame, offset))))
    number = struct.unpack_from("Q" if r.kind.word is Word.POINTER else "q", frame, offset)[0]
    return bool(number) if r.kind.word is Word.LOGICAL else number


def _as_declared(array: np.ndarray, r: Argument) -> np.ndarray:
    return array if array.dtype == np.dtype(r.kind.numpy) else array != 0


def _extent_values(procedure: Procedure, given: dict[str, Any]) -> dict[str, int]:
    values = {a.name: given[a.name] for a in procedure.values if a.kind.word is Word.INTEGER}
    for a in sorted(procedure.views, key=lambda a: a.optional):
        for d, extent in enumerate(a.shape.extents if a.shape else ()):
            if extent and extent.text.isidentifier() and given[a.name] is not None and not (a.padded and d == 0):
                values.setdefault(extent.text, given[a.name].shape[d])
    return values


def _evaluate(extent: str, values: dict[str, int]) -> int:
    return int(eval(extent, {"__builtins__": {}}, values))  # names, integers and + - * only: py2f.types.Extent made it
