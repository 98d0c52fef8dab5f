"""Native functions: machine code that Fortran calls instead of Python. numba is imported here and in numba_entrance.py only.

The row of a procedure in the table points at what is called; here that is a function of LLVM's (numba_entrance.py) that reads
the frame and calls what numba made. Nothing of Python is on that path. An exception is raised under the GIL and told by the
runtime, as that of any other function is.

What numba makes depends on whether an array is dense, so there are two of each function: one for dense arrays, in Fortran's
order, and one for any strides. Which one is called is decided at each call.
"""

from __future__ import annotations

import re
import sys
import weakref
from typing import TYPE_CHECKING, Any

from py2f.backends.numba_entrance import Entrance, Variant, numba_type
from py2f.errors import ExportError
from py2f.types import Word

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from py2f.decorators.registry import Exported
    from py2f.signature import Argument

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


HINTS = {
    "Cannot modify readonly": "an array that is written must be marked Out or InOut",
    "Cannot determine Numba type of <class 'function'>": (
        "a function that native code calls must be decorated with @numba.njit, below @export_to_fortran if it is exported, too"
    ),
}
"""What to do, where numba does not say it: parts of its messages."""


def _told(error: Exception) -> str:
    """What numba says, in lines of its own; and what to do."""
    lines = re.sub(r"\x1b\[[0-9;]*m", "", str(error)).splitlines()
    said = [line for line in lines if line.strip() and not line.startswith(("Failed in ", "During: Pass"))]
    hints = [f" ({hint})" for part, hint in HINTS.items() if part in str(error)]
    return "".join([*(f"\n  {line}" for line in said), *hints])


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
