"""Call exported functions through the compiled plugin, from Python: the same table, runtime and checks as from Fortran."""

from __future__ import annotations

import os
import struct
from typing import TYPE_CHECKING, Any

import numpy as np

from py2f.backends.numpy import array_words, fortran_array, result_array
from py2f.emit.fortran import entry_symbol
from py2f.errors import CallError, Status
from py2f.pipeline import build
from py2f.signature import Intent
from py2f.types import Word

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
        given = _matched(procedure, arguments, keywords)
        memory = {a.name: None if given[a.name] is None else fortran_array(given[a.name], a) for a in procedure.arrays}
        self._check_extents(procedure, given)
        frame, keep = self._frame(procedure, given, memory)
        status = getattr(self._lib, self._entry)(self._numbers[name], self._ffi.from_buffer(frame))
        for a in procedure.arrays:
            if a.intent is not Intent.IN and given[a.name] is not None and memory[a.name] is not given[a.name]:
                given[a.name][...] = memory[a.name] != 0
        if status:
            raise CallError(Status(status), self._text("message"), self._text("traceback"))
        return self._result(procedure, frame, keep)

    def _text(self, what: str) -> str:
        length = getattr(self._lib, f"py2f_{what}_length")()
        buffer = self._ffi.new("char[]", length + 1)
        getattr(self._lib, f"py2f_{what}_copy")(buffer, length)
        return bytes(self._ffi.buffer(buffer, length)[:]).decode()

    # ---- frame

    def _frame(self, procedure: Procedure, given: dict[str, Any], memory: dict[str, Any]) -> tuple[bytearray, list[Any]]:
        keep: list[Any] = []
        words = [struct.pack(f"{1 + 2 * a.rank}q", *array_words(memory[a.name], a.rank)) for a in procedure.arrays]
        words += [self._scalar(a, given[a.name], keep) for a in procedure.scalars]
        words += [self._place(procedure, r, given, keep) for r in procedure.results]
        return bytearray(b"".join(words) or bytes(8)), keep

    def _scalar(self, a: Argument, value: Any, keep: list[Any]) -> bytes:
        if a.kind.word is Word.TEXT:
            text = None if value is None else self._ffi.new("char[]", value.encode())
            keep.append(text)
            return struct.pack("qq", int(self._ffi.cast("intptr_t", text)) if text else 0, -1 if text is None else len(text) - 1)
        given = struct.pack("q", value is not None) if a.optional else b""
        return given + _word(a, value)

    def _place(self, procedure: Procedure, r: Argument, given: dict[str, Any], keep: list[Any]) -> bytes:
        if r.shape and r.shape.explicit:
            names = _extent_values(procedure, given)
            array = result_array(r, [max(0, _evaluate(e.text, names)) for e in r.shape.extents if e])
            keep.append(array)
            return struct.pack(f"{1 + r.rank}q", array.__array_interface__["data"][0], *array.shape)
        return bytes(8 * (1 + (r.rank or r.kind.word in (Word.TEXT, Word.COMPLEX))))

    # ---- checks that the Fortran wrapper makes

    def _check_extents(self, procedure: Procedure, given: dict[str, Any]) -> None:
        values = _extent_values(procedure, given)
        for a in procedure.arrays:
            for d, extent in enumerate(a.shape.extents if a.shape else ()):
                if extent is None or given[a.name] is None or not values.keys() >= set(extent.names):
                    continue  # a name that only absent arguments would bind says nothing
                actual, wanted = given[a.name].shape[d], _evaluate(extent.text, values)
                if actual != wanted:
                    said = f"not {wanted}" if extent.text.isdigit() else f"{extent.text} is {wanted}"
                    text = f"argument '{a.name}' of '{procedure.name}': extent {d + 1} is {actual}, {said}"
                    raise CallError(Status.BAD_ARGUMENT, text, "")

    # ---- result

    def _result(self, procedure: Procedure, frame: bytearray, keep: list[Any]) -> Any:
        r = procedure.result
        if r is None:
            return None
        if r.shape and r.shape.explicit:
            return _as_declared(keep[-1], r)
        offset = len(frame) - 8 * (1 + (r.rank or r.kind.word in (Word.TEXT, Word.COMPLEX)))
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


def _matched(procedure: Procedure, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> dict[str, Any]:
    names = [a.name for a in procedure.arguments]
    given = {**dict(zip(names, arguments, strict=False)), **keywords}
    missing = [a.name for a in procedure.arguments if a.name not in given and not a.optional]
    if missing or len(arguments) > len(names) or not set(given) <= set(names):
        raise TypeError(f"'{procedure.name}' takes ({', '.join(names)})")
    absent = [a.name for a in procedure.arguments if given.get(a.name) is None and not a.optional]
    if absent:
        raise TypeError(f"'{procedure.name}': {', '.join(absent)} may not be None")
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
    limit = 1 << (8 * a.kind.size - 1)
    if value is not None and not -limit <= value < limit:
        raise OverflowError(f"argument '{a.name}': {value} does not fit {a.kind}")
    return struct.pack("q", value or 0)


def _unpacked(r: Argument, frame: bytearray, offset: int) -> Any:
    if r.kind.word is Word.REAL:
        return float(np.dtype(r.kind.numpy).type(struct.unpack_from("d", frame, offset)[0]))
    if r.kind.word is Word.COMPLEX:
        return complex(np.dtype(r.kind.numpy).type(complex(*struct.unpack_from("dd", frame, offset))))
    number = struct.unpack_from("q", frame, offset)[0]
    return bool(number) if r.kind.word is Word.LOGICAL else number


def _as_declared(array: np.ndarray, r: Argument) -> np.ndarray:
    return array if array.dtype == np.dtype(r.kind.numpy) else array != 0


def _extent_values(procedure: Procedure, given: dict[str, Any]) -> dict[str, int]:
    values = {a.name: given[a.name] for a in procedure.scalars if a.kind.word is Word.INTEGER}
    for a in sorted(procedure.arrays, key=lambda a: a.optional):
        for d, extent in enumerate(a.shape.extents if a.shape else ()):
            if extent and extent.text.isidentifier() and given[a.name] is not None:
                values.setdefault(extent.text, given[a.name].shape[d])
    return values


def _evaluate(extent: str, values: dict[str, int]) -> int:
    return int(eval(extent, {"__builtins__": {}}, values))  # names, integers and + - * only: py2f.types.Extent made it
