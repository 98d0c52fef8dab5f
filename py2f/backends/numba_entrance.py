"""The machine code between a frame and what numba made of a function, by LLVM's builder.

It reads the words of the frame (py2f/emit/frame.py has their order), calls the variant for dense arrays or the one for any
strides, and writes the result. What goes wrong is told by the runtime, under the GIL.
"""

from __future__ import annotations

import functools
import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from py2f.errors import Status
from py2f.runtime._runtime import ffi, lib
from py2f.signature import Intent
from py2f.types import Word

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from py2f.signature import Argument, Procedure

LOWEST = 65536
"""Below it lies no array: the address of one that is not allocated is null, or an offset from it."""


@dataclass(frozen=True)
class Variant:
    """What numba made of a function for dense arrays ("F"), or for any ("A")."""

    layout: str
    compiled: Any

    @property
    def returned(self) -> Any:
        """Numba's type of the result."""
        return self.compiled.signature.return_type


def numba_type(a: Argument, layout: str) -> Any:
    """An argument for numba: scalars as Python has them, whatever their kind in Fortran."""
    import numpy as np
    from numba.core import types
    from numba.np.numpy_support import from_dtype

    if not a.view:
        scalars = {
            Word.INTEGER: types.int64,
            Word.REAL: types.float64,
            Word.COMPLEX: types.complex128,
            Word.LOGICAL: types.boolean,
        }
        return scalars[a.kind.word]
    dtype = np.dtype(a.kind.numpy)
    if a.rank and a.kind.size != dtype.itemsize:  # a default logical is seen through its low byte
        layout = "A"
    elif a.rank == 0 or (a.rank == 1 and layout == "F"):
        layout = "C"
    return types.Array(from_dtype(dtype), a.rank, layout, readonly=a.intent is Intent.IN)  # type: ignore[call-overload]


class Entrance:
    """The code of one call, by LLVM's builder."""

    def __init__(self, context: Any, builder: Any, procedure: Procedure, row: Any, frame: Any) -> None:
        from llvmlite import ir

        self.context, self.builder, self.procedure = context, builder, procedure
        self.row, self.frame = row, frame
        self.word, self.int, self.bit = ir.IntType(64), ir.IntType(32), ir.IntType(1)
        self.words = builder.bitcast(frame, self.word.as_pointer())
        self.status = builder.alloca(self.int)

    def code(self, variants: Sequence[Variant]) -> Any:
        """All of it: the status of the call."""
        places, self.result = _places(self.procedure)
        shapes = {a.name: self._shape(a, places[a.name]) for a in self.procedure.views}
        values = {a.name: self._value(a, places[a.name]) for a in self.procedure.values}
        self.builder.store(self.int(int(Status.OK)), self.status)
        with self.builder.if_then(self._any([s.nowhere for s in shapes.values()]), likely=False):
            self.builder.store(self._c("p2f_native_refused", self.row, self.frame), self.status)
        with self.builder.if_then(
            self.builder.icmp_signed("==", self.builder.load(self.status), self.int(int(Status.OK))), likely=True
        ):
            self._choose(variants, shapes, values)
        if any(a.kind.word is Word.LOGICAL and a.kind.size > 1 and a.intent is not Intent.IN for a in self.procedure.views):
            self._c("p2f_native_settle", self.row, self.frame)
        return self.builder.load(self.status)

    def _choose(self, variants: Sequence[Variant], shapes: dict[str, Shape], values: dict[str, Any]) -> None:
        """Call the variant for dense arrays if all are."""

        def call(variant: Variant) -> None:
            arrays = {a.name: shapes[a.name].array(self, numba_type(a, variant.layout)) for a in self.procedure.views}
            self._call(variant, [{**arrays, **values}[a.name] for a in self.procedure.arguments])

        if len(variants) == 1:
            call(variants[0])
            return
        with self.builder.if_else(self._dense([shapes[a.name] for a in self.procedure.views if a.rank])) as (all_dense, strided):
            for case, variant in zip((all_dense, strided), variants, strict=True):
                with case:
                    call(variant)

    def _call(self, variant: Variant, arguments: list[Any]) -> None:
        made = variant.compiled
        status, result = self.context.call_internal_no_propagate(self.builder, made.fndesc, made.signature, arguments)
        with self.builder.if_else(status.is_error, likely=False) as (failed, done):
            with failed:
                self._under_gil(lambda api: self.context.call_conv.raise_error(self.builder, api, status), "p2f_native_raised")
            with done:
                if self.procedure.result:
                    self._store(self.procedure.result, variant.returned, result)

    # ---- the words of the frame

    def _load(self, at: int) -> Any:
        return self.builder.load(self.builder.gep(self.words, [self.word(at)]))

    def _value(self, a: Argument, at: int) -> Any:
        from llvmlite import ir

        b = self.builder
        if a.kind.word is Word.INTEGER:
            return self._load(at)
        if a.kind.word is Word.LOGICAL:
            return b.icmp_unsigned("!=", self._load(at), self.word(0))
        if a.kind.word is Word.REAL:
            return b.bitcast(self._load(at), ir.DoubleType())
        return self._pair(*(b.bitcast(self._load(at + k), ir.DoubleType()) for k in range(2)))

    def _pair(self, real: Any, imaginary: Any) -> Any:
        from numba.core import types

        value = self.context.make_complex(self.builder, types.complex128)
        value.real, value.imag = real, imaginary
        return value._getvalue()  # noqa: SLF001  numba's name

    def _shape(self, a: Argument, at: int) -> Shape:
        first = self._load(at)
        extents, neighbours = ([self._load(at + 1 + k * a.rank + r) for r in range(a.rank)] for k in range(2))
        nowhere = self.builder.icmp_unsigned("<", first, self.word(LOWEST))  # not allocated, or of zero size
        return Shape(first, extents, neighbours, self.word(a.kind.size), nowhere)

    def _dense(self, shapes: list[Shape]) -> Any:
        """Whether all arrays are: wrappers in Fortran mostly tell; where one does not, the strides do."""
        b, told = self.builder, self.builder.block
        neighbours = functools.reduce(b.or_, [n for shape in shapes for n in shape.neighbours])
        with b.if_then(b.icmp_unsigned("!=", neighbours, self.word(0)), likely=False):
            pairs = [pair for s in shapes for pair in zip(s.strides(self, "A"), s.strides(self, "F"), strict=True)]
            compared = functools.reduce(b.and_, [b.icmp_signed("==", *pair) for pair in pairs])
            looked = b.block
        dense = b.phi(self.bit)
        dense.add_incoming(self.bit(1), told)
        dense.add_incoming(compared, looked)
        return dense

    def _any(self, conditions: list[Any]) -> Any:
        return functools.reduce(self.builder.or_, conditions, self.bit(0))

    # ---- the result

    def _store(self, declared: Argument, returned: Any, value: Any) -> None:
        """Write the words of a result that fits; tell of one that does not, as for Python functions."""
        words, fits = self._words(declared, returned, value)
        with self.builder.if_else(fits, likely=True) as (fitting, other):
            with fitting:
                for k, word in enumerate(words):
                    self.builder.store(word, self.builder.gep(self.words, [self.word(self.result + k)]))
            with other:
                self._under_gil(lambda api: api.from_native_value(returned, value), "p2f_native_misfit")

    def _words(self, declared: Argument, returned: Any, value: Any) -> tuple[list[Any], Any]:
        from numba.core import types

        b, cast, yes = self.builder, self.context.cast, self.bit(1)
        if declared.kind.word is Word.LOGICAL:
            return [b.zext(cast(b, value, returned, types.boolean), self.word)], yes
        if declared.kind.word is Word.INTEGER:
            word = cast(b, value, returned, types.int64)
            return [word], self._fits_integer(declared, returned, word)
        if declared.kind.word is Word.REAL:
            reals = [cast(b, value, returned, types.float64)]
        else:
            pair = self.context.make_complex(b, types.complex128, value=cast(b, value, returned, types.complex128))
            reals = [pair.real, pair.imag]
        single = declared.kind.size == 4 * len(reals)
        fits = functools.reduce(b.and_, map(self._fits_single, reals)) if single else yes
        return [b.bitcast(real, self.word) for real in reals], fits

    def _fits_integer(self, declared: Argument, returned: Any, word: Any) -> Any:
        from llvmlite import ir
        from numba.core import types

        if declared.kind.size < self.word.width // 8:
            narrow = ir.IntType(8 * declared.kind.size)
            return self.builder.icmp_signed("==", self.builder.sext(self.builder.trunc(word, narrow), self.word), word)
        if returned == types.uint64:
            return self.builder.icmp_signed(">=", word, self.word(0))
        return self.bit(1)

    def _fits_single(self, real: Any) -> Any:
        """Whether a finite number stays one."""
        from llvmlite import ir

        b, double = self.builder, ir.DoubleType()
        infinite = [self._is_infinite(x) for x in (real, b.fpext(b.fptrunc(real, ir.FloatType()), double))]
        return b.icmp_unsigned("==", *infinite)

    def _is_infinite(self, real: Any) -> Any:
        from llvmlite import ir

        b, infinity = self.builder, ir.DoubleType()(float("inf"))
        return b.or_(b.fcmp_ordered("==", real, infinity), b.fcmp_ordered("==", b.fsub(ir.DoubleType()(-0.0), real), infinity))

    # ---- what goes wrong

    def _c(self, name: str, *arguments: Any) -> Any:
        """Call a function of the runtime: it is where it is for the life of the process."""
        from llvmlite import ir

        kind = ir.FunctionType(self.int, [argument.type for argument in arguments])
        address = int(ffi.cast("intptr_t", ffi.addressof(lib, name)))
        return self.builder.call(self.builder.inttoptr(self.word(address), kind.as_pointer()), arguments)

    def _under_gil(self, prepare: Callable[[Any], Any], name: str) -> None:
        """Prepare what is handed over besides the row, if anything, and let the runtime tell the error."""
        api = self.context.get_python_api(self.builder)
        gil = api.gil_ensure()
        handed = prepare(api)
        arguments = [handed.value] if hasattr(handed, "value") else [handed] if hasattr(handed, "type") else []
        self.builder.store(self._c(name, self.row, *arguments), self.status)
        api.gil_release(gil)


@dataclass(frozen=True)
class Shape:
    """What the frame says of an array, in values of LLVM."""

    first: Any
    extents: list[Any]
    neighbours: list[Any]
    size: Any
    nowhere: Any

    def strides(self, at: Entrance, layout: str) -> list[Any]:
        """Those of a dense array, or of any."""
        b, step, strides = at.builder, self.size, []
        for extent, neighbour in zip(self.extents, self.neighbours, strict=True):
            stride = step
            if layout == "A":
                told = b.and_(b.icmp_unsigned("!=", neighbour, at.word(0)), b.icmp_signed(">", extent, at.word(1)))
                stride = b.select(told, b.sub(neighbour, self.first), step)
            strides.append(stride)
            step = b.mul(step, extent)
        return strides

    def array(self, at: Entrance, kind: Any) -> Any:
        """The array as numba has it: memory that is nobody's to free."""
        import numpy as np
        from numba.core import cgutils, types
        from numba.np.arrayobj import make_array, populate_array

        context, builder = at.context, at.builder
        intp = context.get_value_type(types.intp)
        array = make_array(kind)(context, builder)
        populate_array(
            array,
            data=builder.inttoptr(self.first, context.get_data_type(kind.dtype).as_pointer()),
            shape=cgutils.pack_array(builder, self.extents, ty=intp),
            strides=cgutils.pack_array(builder, self.strides(at, kind.layout), ty=intp),
            itemsize=context.get_constant(types.intp, np.dtype(str(kind.dtype)).itemsize),
            meminfo=None,
        )
        return array._getvalue()  # noqa: SLF001  numba's name


def _places(procedure: Procedure) -> tuple[dict[str, int], int]:
    """Where the words of each argument begin in the frame, and those of the result."""
    sizes = [1 + 2 * a.rank if a.view else 2 if a.kind.word is Word.COMPLEX else 1 for a in (*procedure.views, *procedure.values)]
    places = [0, *itertools.accumulate(sizes)]
    return {a.name: at for a, at in zip((*procedure.views, *procedure.values), places, strict=False)}, places[-1]
