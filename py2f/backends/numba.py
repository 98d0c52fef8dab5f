"""Native functions: machine code that Fortran calls instead of Python. numba is imported here only.

The row of a procedure in the table points at what is called; here that is a C callback of numba, made of one intrinsic that
reads the frame (py2f/emit/frame.py has its order), calls what numba made of the function, and writes the result. Nothing of
Python is on that path. An exception is raised under the GIL and told by the runtime, as that of any other function is.

What numba makes depends on whether an array is dense, so there are two of each function: one for dense arrays, in Fortran's
order, and one for any strides. Which one is called is decided at each call.
"""

from __future__ import annotations

import functools
import itertools
import re
import sys
import weakref
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from py2f.errors import ExportError, Status
from py2f.runtime._runtime import ffi, lib
from py2f.signature import Intent
from py2f.types import Word

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from py2f.decorators.registry import Exported
    from py2f.signature import Argument, Procedure

LOWEST = 65536
"""Below it lies no array: the address of one that is not allocated is null, or an offset from it."""

_made: weakref.WeakKeyDictionary[Callable[..., Any], Code] = weakref.WeakKeyDictionary()


def native(entry: Exported) -> Code | None:
    """The machine code of a function, with its `address`; None where NUMBA_DISABLE_JIT says that Python shall run it.

    Raises ExportError: numba is not installed, or does not compile the function.
    """
    try:
        import numba
    except ImportError as error:
        text = f"'{entry.qualname}' is native, and numba does not import in {sys.executable} ({error}): install py2f[numba]"
        raise ExportError(f"{entry.where}: {text}") from error
    from numba.core import compiler_lock

    if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
        return None
    with compiler_lock.global_compiler_lock:
        if entry.function not in _made:
            _made[entry.function] = _code(entry)
    return _made[entry.function]


def _code(entry: Exported) -> Code:
    import numba
    from numba.core import errors

    function = entry.function
    # an index out of bounds is an IndexError, as it is in Python; NUMBA_BOUNDSCHECK=0 decides over it
    dispatcher = function if hasattr(function, "py_func") else numba.njit(boundscheck=True)(function)
    layouts = ("F", "A") if any(a.rank for a in entry.procedure.arguments) else ("F",)
    try:
        variants = [_variant(entry, dispatcher, layout) for layout in layouts]
    except (errors.NumbaError, errors.UnsupportedBytecodeError) as error:
        raise ExportError(f"{entry.where}: '{entry.qualname}' is native, and numba does not compile it:{_told(error)}") from error

    return Code(entry, variants)


class Code:
    """The machine code of a function; it lives as long as this."""

    def __init__(self, entry: Exported, variants: Sequence[Variant]) -> None:
        from llvmlite import ir

        context = variants[0].compiled.target_context
        name, pointer = f"py2f.{entry.module}.{entry.procedure.name}", ir.IntType(8).as_pointer()
        self._library = context.codegen().create_library(name)
        module = self._library.create_ir_module(name)
        function = ir.Function(module, ir.FunctionType(ir.IntType(32), [pointer, pointer]), name)
        builder = ir.IRBuilder(function.append_basic_block("entry"))
        builder.ret(Entrance(context, builder, entry.procedure, *function.args).code(variants))
        self._library.add_ir_module(module)
        for variant in variants:
            self._library.add_linking_library(variant.compiled.library)
        self._library.finalize()
        self.address: int = self._library.get_pointer_to_function(name)


def _told(error: Exception) -> str:
    """What numba says, in lines of its own; and what to do where an array that is written is not marked."""
    lines = re.sub(r"\x1b\[[0-9;]*m", "", str(error)).splitlines()
    said = [line for line in lines if line.strip() and not line.startswith(("Failed in ", "During: Pass"))]
    hint = " (an array that is written must be marked Out or InOut)" if "Cannot modify readonly" in str(error) else ""
    return "".join(f"\n  {line}" for line in said) + hint


@dataclass(frozen=True)
class Variant:
    """What numba made of a function for dense arrays ("F"), or for any ("A")."""

    layout: str
    compiled: Any

    @property
    def returned(self) -> Any:
        """Numba's type of the result."""
        return self.compiled.signature.return_type


def _variant(entry: Exported, dispatcher: Any, layout: str) -> Variant:
    from numba.core.typing.templates import signature as signature_of

    signature = signature_of(None, *(numba_type(a, layout) for a in entry.procedure.arguments))
    variant = Variant(layout, dispatcher.get_compile_result(signature))
    declared = entry.procedure.result
    if not _is_taken(declared, variant.returned):
        wanted = declared.declared if declared else None
        text = f"'{entry.qualname}' returns {variant.returned}, as numba sees it, {wanted} is declared"
        raise ExportError(f"{entry.where}: {text}")
    return variant


def _is_taken(declared: Argument | None, returned: Any) -> bool:
    """Whether a result may be of a type, by the rules for what Python functions return."""
    from numba.core import types

    if declared is None:
        return bool(returned == types.none)
    taken: dict[Word, tuple[type, ...]] = {
        Word.LOGICAL: (types.Boolean,),
        Word.INTEGER: (types.Integer, types.Boolean),
        Word.REAL: (types.Float, types.Integer, types.Boolean),
        Word.COMPLEX: (types.Complex, types.Float, types.Integer, types.Boolean),
    }
    return isinstance(returned, taken[declared.kind.word])


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
        self.row, self.frame, self.word, self.int = row, frame, ir.IntType(64), ir.IntType(32)
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
        dense = [shapes[a.name].dense for a in self.procedure.views if a.rank]
        with self.builder.if_else(functools.reduce(self.builder.and_, dense)) as (all_dense, strided):
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
        b, one = self.builder, self.word(1)
        first, ranks = self._load(at), range(a.rank)
        extents = [self._load(at + 1 + r) for r in ranks]
        step, strides, dense = self.word(a.kind.size), [], []
        for r in ranks:
            apart = b.sub(self._load(at + 1 + a.rank + r), first)
            strides.append(b.select(b.icmp_signed(">", extents[r], one), apart, step))
            dense.append(b.icmp_signed("==", strides[r], step))
            step = b.mul(step, extents[r])
        nowhere = b.icmp_unsigned("<", first, self.word(LOWEST))  # not allocated, or of zero size
        return Shape(first, extents, strides, functools.reduce(b.and_, dense) if dense else None, nowhere)

    def _any(self, conditions: list[Any]) -> Any:
        from llvmlite import ir

        return functools.reduce(self.builder.or_, conditions, ir.IntType(1)(0))

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
        from llvmlite import ir
        from numba.core import types

        b, cast, yes = self.builder, self.context.cast, ir.IntType(1)(1)
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
        return ir.IntType(1)(1)

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
    strides: list[Any]
    dense: Any
    nowhere: Any

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
            strides=cgutils.pack_array(builder, self.strides, ty=intp),
            itemsize=context.get_constant(types.intp, np.dtype(str(kind.dtype)).itemsize),
            meminfo=None,
        )
        return array._getvalue()  # noqa: SLF001  numba's name


def _places(procedure: Procedure) -> tuple[dict[str, int], int]:
    """Where the words of each argument begin in the frame, and those of the result."""
    sizes = [1 + 2 * a.rank if a.view else 2 if a.kind.word is Word.COMPLEX else 1 for a in (*procedure.views, *procedure.values)]
    places = [0, *itertools.accumulate(sizes)]
    return {a.name: at for a, at in zip((*procedure.views, *procedure.values), places, strict=False)}, places[-1]
