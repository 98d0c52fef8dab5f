"""Every message that a declaration can bring about, word for word: where, what, what to do."""

from __future__ import annotations

import ast
import importlib
import linecache
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from py2f import types
from py2f.decorators import annotations, foreign, libraries, registry  # noqa: F401  cases name libraries

if TYPE_CHECKING:
    from types import FrameType

HEAD = """\
from __future__ import annotations
import functools, sys; from collections.abc import Callable; from typing import Annotated; import numpy as np
from numpy.typing import NDArray; import py2f
from py2f import In, InOut, Name, Out, extent, f32, f64, i32, export_to_fortran
"""
D = "@export_to_fortran\n"
FIELDS = 'import gt4py.next as gtx; from typing import TypeVar; Cell = gtx.Dimension("Cell"); T = TypeVar("T")\n'
N = "@export_to_fortran(native=True)\n"
CASES = {  # name: (what follows HEAD, the message without the folder; a SignatureError unless it says so)
    "native text": (
        N + "def f(x: str) -> None: ...",
        "model.py:6: argument 'x' of 'f': a native function takes no str; leave native=True out",
    ),
    "native optional": (
        N + "def f(x: f64 | None = None) -> None: ...",
        "model.py:6: argument 'x' of 'f': a native function takes no optional arguments; leave native=True out",
    ),
    "native keyword": (
        N + "def f(*, x: f64) -> None: ...",
        "model.py:6: argument 'x' of 'f': a native function takes no keyword-only arguments; leave native=True out",
    ),
    "native procedure": (
        N + "def f(x: Callable[[f64], f64]) -> None: ...",
        "model.py:6: argument 'x' of 'f': a native function takes no procedures; leave native=True out",
    ),
    "native handle": (
        N + "def f(x: py2f.CPtr) -> None: ...",
        "model.py:6: argument 'x' of 'f': a native function takes no CPtr; leave native=True out",
    ),
    "native keep": (
        N + "def f(x: py2f.Keep[f64[:]]) -> None: ...",
        "model.py:6: argument 'x' of 'f': a native function takes no Keep: it can keep nothing; leave native=True out",
    ),
    "native table": (
        N + "def f(x: Annotated[NDArray[np.int32], i32[:], py2f.IndexBase(1)]) -> None: ...",
        "model.py:6: argument 'x' of 'f': a native function takes no IndexBase; leave native=True out",
    ),
    "native array result": (
        N + "def f(x: f64[:]) -> f64[:]: ...",
        "model.py:6: 'f' returns f64[:], a native function returns one number: write it into an Out argument",
    ),
    "native text result": (
        N + "def f(x: f64) -> str: ...",
        "model.py:6: 'f' returns str, a native function returns one number: leave native=True out",
    ),
    "native tuple": (
        N + "def f(x: f64) -> tuple[f64, f64]: ...",
        "model.py:6: 'f' returns a tuple, a native function returns one number: make the others Out arguments",
    ),
    "native partial": (
        "def g(x: f64) -> f64: ...\nexport_to_fortran(functools.partial(g), name='f', native=True)",
        "model.py:5: 'partial(g)' is a partial, and native=True is for functions that `def` makes",
    ),
    "native backend": (
        "@export_to_fortran(native=True, backend='numpy')\ndef f(x: f64) -> f64: ...",
        "model.py:6: 'f': native=True and backend= exclude each other: GT4Py compiles its programs itself",
    ),
    "threads of a name": (
        "@export_to_fortran(threads='all')\ndef f(x: f64) -> f64: ...",
        "model.py:6: 'f': threads='all' is none of \"host\", None and a number from 1 to 1024",
    ),
    "a text for native": (
        "@export_to_fortran(native='no')\ndef f(x: f64) -> f64: ...",
        "model.py:6: 'f': native='no' is neither True nor False",
    ),
    "no threads": (
        "@export_to_fortran(threads=0)\ndef f(x: f64) -> f64: ...",
        "model.py:6: 'f': threads=0 is none of \"host\", None and a number from 1 to 1024",
    ),
    "a truth of threads": (
        "@export_to_fortran(threads=True)\ndef f(x: f64) -> f64: ...",
        "model.py:6: 'f': threads=True is none of \"host\", None and a number from 1 to 1024",
    ),
    "threads of a native function": (
        "@export_to_fortran(native=True, threads=2)\ndef f(x: f64) -> f64: ...",
        "model.py:6: 'f': a native function has no libraries of Python to give threads to; leave threads= out",
    ),
    "unknown type float16": (
        D + "def f(x: np.float16) -> None: ...",
        "model.py:6: argument 'x' of 'f': float16 has no Fortran kind; use f32",
    ),
    "unknown type longdouble": (
        D + "def f(x: np.longdouble) -> None: ...",
        "model.py:6: argument 'x' of 'f': longdouble has no Fortran kind; use f64",
    ),
    "unknown type uint8": (
        D + "def f(x: np.uint8) -> None: ...",
        "model.py:6: argument 'x' of 'f': uint8 has no Fortran kind; use i16",
    ),
    "unknown type uint16": (
        D + "def f(x: np.uint16) -> None: ...",
        "model.py:6: argument 'x' of 'f': uint16 has no Fortran kind; use i32",
    ),
    "unknown type uint32": (
        D + "def f(x: np.uint32) -> None: ...",
        "model.py:6: argument 'x' of 'f': uint32 has no Fortran kind; use i64",
    ),
    "unknown type uint64": (
        D + "def f(x: np.uint64) -> None: ...",
        "model.py:6: argument 'x' of 'f': uint64 has no Fortran kind; use i64",
    ),
    "Value without a stub": (
        D + "def f(x: py2f.Value[f64]) -> None: ...",
        "model.py:6: argument 'x' of 'f': Value is for the stubs of @pythoncall",
    ),
    "Length without a stub": (
        D + "def f(x: Annotated[str, py2f.Length(8)]) -> None: ...",
        "model.py:6: argument 'x' of 'f': Length is for the stubs of @pythoncall",
    ),
    "Length that is none": (
        "@py2f.pythoncall(library='x.so')\ndef f(x: Annotated[str, Out, py2f.Length(-1)]) -> str: ...",
        "model.py:6: argument 'x' of 'f': Length(-1) is not an integer, a name in quotes, or + - * of these",
    ),
    "a Callable of anything": (
        D + "def f(g: 'Callable[..., f64]') -> None: ...",
        "model.py:6: argument 'g' of 'f': write the arguments of the Callable, as in Callable[[f64, f64[:]], f64]",
    ),
    "a Callable that returns an array": (
        D + "def f(g: 'Callable[[f64], f64[:]]') -> None: ...",
        "model.py:6: argument 'g' of 'f': a Callable returns a scalar or None; what else it makes, it writes into an Out argument",
    ),
    "a Callable as result": (
        D + "def f() -> 'Callable[[f64], f64]': ...",
        "model.py:6: the result of 'f': a procedure is no result in Fortran",
    ),
    "marks for a stranger": (
        "@export_to_fortran(marks={'y': In})\ndef f(x: f64) -> None: ...",
        "model.py:6: marks: 'f' has no argument 'y'; it has x",
    ),
    "marks that are none": (
        "@export_to_fortran(marks={'x': f64})\ndef f(x: f64) -> None: ...",
        "model.py:6: argument 'x' of 'f': f64 is no mark; use In, Out, InOut, Keep, Padded, IndexBase, Extents or Name",
    ),
    "no backend": (
        "@export_to_fortran(backend='cuda')\ndef f(x: f64) -> None: ...",
        "model.py:6: 'f': 'cuda' is no backend; there are numpy, gtfn_cpu, gtfn_gpu",
    ),
    "Keep in a stub": (
        "@py2f.pythoncall(library='x.so')\ndef f(x: py2f.Keep[f64[:]]) -> None: ...",
        "model.py:6: argument 'x' of 'f': Keep is for functions that Fortran calls",
    ),
    "IndexBase in a stub": (
        "@py2f.pythoncall(library='x.so')\ndef f(x: Annotated[i32, i32[:], py2f.IndexBase(1)]) -> None: ...",
        "model.py:6: argument 'x' of 'f': IndexBase is for functions that Fortran calls",
    ),
    "Keep of a scalar": (
        D + "def f(x: py2f.Keep[f64]) -> None: ...",
        "model.py:6: argument 'x' of 'f': Keep, Padded and IndexBase are for arrays, not for f64",
    ),
    "IndexBase of reals": (
        D + "def f(x: Annotated[f64, f64[:], py2f.IndexBase(1)]) -> None: ...",
        "model.py:6: argument 'x' of 'f': IndexBase is for tables of integers, not for f64",
    ),
    "Padded without a name": (
        D + "def f(x: py2f.Padded[f64[:]]) -> None: ...",
        (
            "model.py:6: argument 'x' of 'f': Padded needs to know how much of the first extent is in use: name it, as in "
            "Extents('n', ':'), where n is an argument or the extent of another array, and always there"
        ),
    ),
    "Padded by what may be absent": (
        D + "def f(x: Annotated[f64, f64[:], py2f.Extents('n'), py2f.Padded], y: 'f64[n] | None') -> None: ...",
        (
            "model.py:6: argument 'x' of 'f': Padded needs to know how much of the first extent is in use: name it, as in "
            "Extents('n', ':'), where n is an argument or the extent of another array, and always there"
        ),
    ),
    "Extents of another rank": (
        D + "def f(x: Annotated[f64, f64[:], py2f.Extents('n', 'm')]) -> None: ...",
        "model.py:6: argument 'x' of 'f': Extents('n', 'm') has 2 extents, the array has rank 1",
    ),
    "Extents that are none": (
        D + "def f(x: Annotated[f64, f64[:], py2f.Extents(-1)]) -> None: ...",
        "model.py:6: argument 'x' of 'f': Extents(-1) is not an integer, a name in quotes, or + - * of these",
    ),
    "a Field without dtype": (
        FIELDS + D + "def f(x: gtx.Field) -> None: ...",
        "model.py:7: argument 'x' of 'f': a Field needs dimensions and a dtype, as in gtx.Field[gtx.Dims[Cell, K], gtx.float64]",
    ),
    "a Field of a type variable": (
        FIELDS + D + "def f(x: gtx.Field[gtx.Dims[Cell], T]) -> None: ...",
        "model.py:7: argument 'x' of 'f': the dtype of the Field is the type variable ~T; fill it in: Alias[gtx.float64]",
    ),
    "a Field of half precision": (
        FIELDS + D + "def f(x: gtx.Field[gtx.Dims[Cell], np.float16]) -> None: ...",
        (
            "model.py:7: argument 'x' of 'f': a Field of float16 has no Fortran counterpart; "
            "use float64, float32, int32, int64 or bool"
        ),
    ),
    "np.ndarray": (
        D + "def f(x: np.ndarray) -> None: ...",
        "model.py:6: argument 'x' of 'f': an array needs kind and rank: write Annotated[NDArray[np.float64], f64[:, :]], or f64[:, :]",
    ),
    "NDArray alone": (
        D + "def f(x: NDArray[np.float64]) -> None: ...",
        "model.py:6: argument 'x' of 'f': an array needs kind and rank: write Annotated[NDArray[np.float64], f64[:, :]], or f64[:, :]",
    ),
    "a typo": (
        D + "def f(x: f46) -> None: ...",
        "model.py:6: argument 'x' of 'f': no type is called 'f46' where the function is defined",
    ),
    "a typo of an array": (
        D + "def f(x: f46[:, :]) -> None: ...",
        "model.py:6: argument 'x' of 'f': 'f46[:, :]' cannot be evaluated: TypeError: no type is called 'f46' where the function is defined",
    ),
    "a typo in a mark": (
        D + "def f(x: Inn[f64[:]]) -> None: ...",
        "model.py:6: argument 'x' of 'f': 'Inn[f64[:]]' cannot be evaluated: TypeError: no type is called 'Inn' where the function is defined",
    ),
    "a typo of an attribute": (
        D + "def f(x: np.flaot64) -> None: ...",
        "model.py:6: argument 'x' of 'f': 'np.flaot64' cannot be evaluated: AttributeError: module 'numpy' has no attribute 'flaot64'",
    ),
    "some class": (
        D + "def f(x: list) -> None: ...",
        "model.py:6: argument 'x' of 'f': list has no Fortran counterpart; docs/reference/types.md lists what has",
    ),
    "a class with arguments": (
        D + "def f(x: list[float]) -> None: ...",
        "model.py:6: argument 'x' of 'f': list has no Fortran counterpart; docs/reference/types.md lists what has",
    ),
    "a value": (
        D + "def f(x: 3) -> None: ...",
        "model.py:6: argument 'x' of 'f': 3 has no Fortran counterpart; docs/reference/types.md lists what has",
    ),
    "no syntax": (
        D + "def f(x: 'f64[') -> None: ...",
        "model.py:6: argument 'x' of 'f': 'f64[' cannot be evaluated: SyntaxError: '[' was never closed (<string>, line 1)",
    ),
    "mark alone": (
        D + "def f(x: Out) -> None: ...",
        "model.py:6: argument 'x' of 'f': Out marks a type: write Out[f64[:, :]], or Annotated[NDArray[np.float64], f64[:, :], Out]",
    ),
    "nothing": (
        D + "def f(x: None) -> None: ...",
        "model.py:6: argument 'x' of 'f': None has no Fortran counterpart; docs/reference/types.md lists what has",
    ),
    "any of two": (
        D + "def f(x: i32 | f64) -> None: ...",
        "model.py:6: argument 'x' of 'f': i32 | f64 is more than one type; only `T | None` has a Fortran counterpart",
    ),
    "any of two plain": (
        D + "def f(x: int | float) -> None: ...",
        "model.py:6: argument 'x' of 'f': int | float is more than one type; only `T | None` has a Fortran counterpart",
    ),
    "any of two and None": (
        D + "def f(x: int | float | None) -> None: ...",
        "model.py:6: argument 'x' of 'f': int | float | None is more than one type; only `T | None` has a Fortran counterpart",
    ),
    "Out text": (
        D + "def f(x: Out[str]) -> None: ...",
        "model.py:6: argument 'x' of 'f': Python cannot write into a str; return str, or use Out[string]",
    ),
    "InOut list of texts": (
        D + "def f(x: InOut[list[str]]) -> None: ...",
        "model.py:6: argument 'x' of 'f': Python cannot write into a list[str]; return str, or use InOut[string]",
    ),
    "list of numbers": (
        D + "def f(x: list[int]) -> None: ...",
        "model.py:6: argument 'x' of 'f': list has no Fortran counterpart; docs/reference/types.md lists what has",
    ),
    "jaxtyping of no single dtype": (
        "import jaxtyping\n" + D + "def f(x: jaxtyping.Float[np.ndarray, 'n']) -> None: ...",
        "model.py:7: argument 'x' of 'f': Float[ndarray, 'n'] is not one dtype; write Float64, Float32, Int32 or the like",
    ),
    "jaxtyping of another package's arrays": (
        "import jaxtyping\nclass Tensor: ...\n" + D + "def f(x: jaxtyping.Float64[Tensor, 'n']) -> None: ...",
        "model.py:8: argument 'x' of 'f': Float64[Tensor, 'n']: only np.ndarray has a Fortran counterpart yet",
    ),
    "jaxtyping with a variable number of dimensions": (
        "import jaxtyping\n" + D + "def f(x: jaxtyping.Float64[np.ndarray, '*batch n']) -> None: ...",
        "model.py:7: argument 'x' of 'f': Float64[ndarray, '*batch n']: an extent is a name, a number or _, not '*batch'",
    ),
    "jaxtyping without a dimension": (
        "import jaxtyping\n" + D + "def f(x: jaxtyping.Float64[np.ndarray, '']) -> None: ...",
        "model.py:7: argument 'x' of 'f': an array of rank 0; write f64, or Out[f64] where Python writes it",
    ),
    "array without an extent": (
        D + "def f(x: f64) -> f64[()]: ...",
        "model.py:6: the result of 'f': an array of rank 0; write f64, or Out[f64] where Python writes it",
    ),
    "tuple without a field": (
        D + "def f(x: f64) -> tuple[()]: ...",
        "model.py:6: the result of 'f': a tuple of nothing; write `-> None`",
    ),
    "named tuple without a field": (
        "from typing import NamedTuple\nclass R(NamedTuple): ...\n" + D + "def f(x: f64) -> R: ...",
        "model.py:8: the result of 'f': a tuple of nothing; write `-> None`",
    ),
    "tuple of any length": (
        D + "def f(x: f64) -> tuple[f64, ...]: ...",
        "model.py:6: the result of 'f': Ellipsis has no Fortran counterpart; docs/reference/types.md lists what has",
    ),
    "Out scalar as extent": (
        D + "def f(n: Out[i32], x: f64[n]) -> None: ...",
        "model.py:6: extent 'n' of 'x' of 'f' is the argument 'n: Out[i32]'; it must be an integer input that is always present",
    ),
    "contradiction": (
        D + "def f(x: Annotated[NDArray[np.float32], f64[:, :]]) -> None: ...",
        "model.py:6: argument 'x' of 'f': NDArray[float32] and f64[:, :] contradict each other",
    ),
    "contradiction optional": (
        D + "def f(x: Annotated[NDArray[np.float32] | None, f64[:, :]]) -> None: ...",
        "model.py:6: argument 'x' of 'f': NDArray[float32] and f64[:, :] contradict each other",
    ),
    "a Name that is another argument's": (
        D + "def f(a: Annotated[f64, Name('b')], B: f64) -> None: ...",
        "model.py:6: arguments 'a' and 'B' of 'f' are both called 'B' in Fortran; give one of them another Name(...)",
    ),
    "rank 16": (
        D + "def f(x: f64[:, :, :, :, :, :, :, :, :, :, :, :, :, :, :, :]) -> None: ...",
        "model.py:6: argument 'x' of 'f': rank 16; Fortran's limit is 15",
    ),
    "slice with bounds": (
        D + "def f(x: f64[1:3]) -> None: ...",
        "model.py:6: argument 'x' of 'f': 'f64[1:3]' cannot be evaluated: TypeError: f64[slice(1, 3, None)]: an extent is `:`, a name, an integer, or + - * of these",
    ),
    "negative extent": (
        D + "def f(x: f64[-1]) -> None: ...",
        "model.py:6: argument 'x' of 'f': 'f64[-1]' cannot be evaluated: TypeError: f64[-1]: an extent is `:`, a name, an integer, or + - * of these",
    ),
    "real extent": (
        D + "def f(x: f64[2.5]) -> None: ...",
        "model.py:6: argument 'x' of 'f': 'f64[2.5]' cannot be evaluated: TypeError: f64[2.5]: an extent is `:`, a name, an integer, or + - * of these",
    ),
    "quotient": (
        D + "def f(n: i32, x: f64[n / 2]) -> None: ...",
        "model.py:6: argument 'x' of 'f': 'f64[n / 2]' cannot be evaluated: TypeError: unsupported operand type(s) for /: 'Extent' and 'int'",
    ),
    "*args": (
        D + "def f(*args: f64) -> None: ...",
        "model.py:6: argument 'args' of 'f': Fortran has no variable number of arguments; name each argument",
    ),
    "**kwargs": (
        D + "def f(x: f64, **options: f64) -> None: ...",
        "model.py:6: argument 'options' of 'f': Fortran has no variable number of arguments; name each argument",
    ),
    "no annotation": (
        D + "def f(x) -> None: ...",
        "model.py:6: argument 'x' of 'f' has no annotation: write its type, as in f64 or In[f64[:, :]]",
    ),
    "a method": (
        "class Model:\n    @export_to_fortran\n    def f(self, x: f64) -> None: ...",
        "model.py:7: argument 'self' of 'f' has no annotation; a method is not exported: make it a staticmethod or a function",
    ),
    "a class method that is decorated first": (
        "class Model:\n    @classmethod\n    @export_to_fortran\n    def f(cls, x: f64) -> None: ...",
        "model.py:8: argument 'cls' of 'f' has no annotation; a method is not exported: make it a staticmethod or a function",
    ),
    "a class method that is decorated last": (
        "class Model:\n    @export_to_fortran\n    @classmethod\n    def f(cls, x: f64) -> None: ...",
        "model.py:8: a classmethod is not exported: make it a staticmethod or a function",
    ),
    "property": (
        "class Model:\n    @export_to_fortran\n    @property\n    def f(self) -> float: ...",
        "model.py:6: a property is not exported: make it a staticmethod or a function",
    ),
    "no result": (
        D + "def f(x: f64): ...",
        "model.py:6: the result of 'f' has no annotation: write `-> None`, or what is returned",
    ),
    "string in a tuple": (
        D + "def f(x: f64) -> tuple[f64, list[str]]: ...",
        "model.py:6: the result of 'f': list[str] has no length in Fortran; return str, or write an Out[string[:]]",
    ),
    "optional field": (
        D + "def f(x: f64) -> tuple[f64, f64 | None]: ...",
        "model.py:6: the result of 'f': f64 | None is no result; write its type alone",
    ),
    "field of a bad name": (
        "from typing import NamedTuple\nclass R(NamedTuple):\n    größe: f64\n" + D + "def f(x: f64) -> R: ...",
        "model.py:9: the result of 'f': Fortran's names are ASCII and have at most 63 characters; write Annotated[..., Name('...')]",
    ),
    "Out result": (
        D + "def f(x: f64) -> Out[f64[:]]: ...",
        "model.py:6: the result of 'f': Out[f64[:]] is no result; write its type alone",
    ),
    "optional result": (
        D + "def f(x: f64) -> f64 | None: ...",
        "model.py:6: the result of 'f': f64 | None is no result; write its type alone",
    ),
    "mixed result": (
        D + "def f(n: i32) -> f64[n, :]: ...",
        "model.py:6: the result of 'f': f64[n, :] mixes `:` and named extents; write all of one sort",
    ),
    "unbound extent": (
        D + "def f(x: f64[n + 1]) -> None: ...",
        "model.py:6: extent 'n' of 'x' of 'f' is neither an argument nor an extent of an array argument",
    ),
    "real argument as extent": (
        D + "def f(n: f64, x: f64[n]) -> None: ...",
        "model.py:6: extent 'n' of 'x' of 'f' is the argument 'n: f64'; it must be an integer input that is always present",
    ),
    "optional argument as extent": (
        D + "def f(x: f64[n], n: i32 | None) -> None: ...",
        "model.py:6: extent 'n' of 'x' of 'f' is the argument 'n: i32 | None'; it must be an integer input that is always present",
    ),
    "defaulted argument as extent": (
        D + "def f(x: f64[n], n: i32 = 3) -> None: ...",
        "model.py:6: extent 'n' of 'x' of 'f' is the argument 'n: i32 | None'; it must be an integer input that is always present",
    ),
    "result extent unknown": (
        D + "def f(x: f64) -> f64[n]: ...",
        "model.py:6: extent 'n' of the result of 'f' is neither an argument nor an extent of an array argument",
    ),
    "result extent of optional array": (
        D + "def f(x: f64[n] | None) -> f64[n]: ...",
        "model.py:6: extent 'n' of the result of 'f' is known from optional arguments only",
    ),
    "result real extent": (
        D + "def f(n: f64) -> f64[n]: ...",
        "model.py:6: extent 'n' of the result of 'f' is the argument 'n: f64'; it must be an integer input that is always present",
    ),
    "argument not ascii": (
        D + "def f(λ: f64) -> None: ...",
        "model.py:6: argument 'λ' of 'f': Fortran's names are ASCII and have at most 63 characters; write Annotated[..., Name('...')]",
    ),
    "argument too long": (
        D + "def f(xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx: f64) -> None: ...",
        "model.py:6: argument 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx' of 'f': Fortran's names are ASCII and have at most 63 characters; write Annotated[..., Name('...')]",
    ),
    "Name not a name": (
        D + "def f(x: Annotated[f64, Name('a b')]) -> None: ...",
        "model.py:6: argument 'x' of 'f': Fortran's names are ASCII and have at most 63 characters; write Annotated[..., Name('...')]",
    ),
    "Name not text": (
        D + "def f(x: Annotated[f64, Name(3)]) -> None: ...",
        "model.py:6: argument 'x' of 'f': Fortran's names are ASCII and have at most 63 characters; write Annotated[..., Name('...')]",
    ),
    "function not ascii": (
        D + "def größe(x: f64) -> None: ...",
        "model.py:6: 'größe' is not ASCII, as Fortran's names are; rename it there: @export_to_fortran(name=...)",
    ),
    "function too long": (
        D + "def ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff(x: f64) -> None: ...",
        "model.py:6: 'ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff' has 64 characters, Fortran's limit is 63: @export_to_fortran(name=...)",
    ),
    "function with underscore": (
        D + "def _f(x: f64) -> None: ...",
        "model.py:6: '_f' begins with an underscore, as no Fortran name may: @export_to_fortran(name=...)",
    ),
    "function py2f": (
        D + "def Py2F(x: f64) -> None: ...",
        "model.py:6: 'Py2F': what begins with py2f in Fortran is py2f's own: @export_to_fortran(name=...)",
    ),
    "function py2f_": (
        D + "def py2f_f(x: f64) -> None: ...",
        "model.py:6: 'py2f_f': what begins with py2f in Fortran is py2f's own: @export_to_fortran(name=...)",
    ),
    "name with blank": (
        "@export_to_fortran(name='a b')\ndef f(x: f64) -> None: ...",
        "model.py:6: 'a b' is no name for 'f': letters, digits and underscores, and a letter first",
    ),
    "name not text": (
        "@export_to_fortran(name=3)\ndef f(x: f64) -> None: ...",
        "model.py:6: 3 is no name for 'f': letters, digits and underscores, and a letter first",
    ),
    "name empty": (
        "@export_to_fortran(name='')\ndef f(x: f64) -> None: ...",
        "model.py:6: 'f' has no name that Fortran could use; give one: @export_to_fortran(name=...)",
    ),
    "lambda": (
        "def stub(x: f64) -> f64: ...\nexport_to_fortran(lambda x: x)",
        "model.py:6: '<lambda>' has no name that Fortran could use; give one: @export_to_fortran(name=...)",
    ),
    "partial without name": (
        "def g(x: f64) -> f64: ...\nexport_to_fortran(functools.partial(g))",
        "model.py:5: 'partial(g)' has no name that Fortran could use; give one: @export_to_fortran(name=...)",
    ),
    "object without name": (
        "class Scale:\n    def __call__(self, x: f64) -> f64: ...\nexport_to_fortran(Scale())",
        "model.py:6: 'Scale object' has no name that Fortran could use; give one: @export_to_fortran(name=...)",
    ),
    "an async function": (
        D + "async def f(x: f64) -> None: ...",
        "model.py:6: 'f' is async, and a Fortran call cannot await it; export a function that calls asyncio.run",
    ),
    "async like": (
        "def stub(x: f64) -> None: ...\nasync def f(x): ...\nexport_to_fortran(f, like=stub)",
        "model.py:5: 'f' is async, and a Fortran call cannot await it; export a function that calls asyncio.run",
    ),
    "generator": (
        D + "def f(x: f64) -> None:\n    yield",
        "model.py:6: 'f' is a generator; export a function that returns the values in an array",
    ),
    "generator like": (
        "def stub(x: f64) -> None: ...\ndef f(x): yield\nexport_to_fortran(f, like=stub)",
        "model.py:5: 'f' is a generator; export a function that returns the values in an array",
    ),
    "async generator": (
        D + "async def f(x: f64) -> None:\n    yield",
        "model.py:6: 'f' is async, and a Fortran call cannot await it; export a function that calls asyncio.run",
    ),
    "a class": (D + "class Model: ...", "model.py:5: 'Model' is a class; export functions of it as staticmethods"),
    "builtin": (
        "export_to_fortran(max)",
        "model.py:5: 'max' has no Python signature; declare one: export_to_fortran(max, like=stub)",
    ),
    "ufunc": (
        "export_to_fortran(np.exp)",
        "model.py:5: 'exp' has no Python signature; declare one: export_to_fortran(exp, like=stub)",
    ),
    "not callable": ("export_to_fortran(3.5)", "model.py:5: a float object is not callable; export a function"),
    "not callable like": (
        "def stub(x: f64) -> None: ...\nexport_to_fortran(3.5, like=stub)",
        "model.py:5: a float object is not callable; export a function",
    ),
    "name positional": (
        "@export_to_fortran('smooth')\ndef f(x: f64) -> None: ...",
        "model.py:5: 'smooth' is a name, not a function: write @export_to_fortran(name='smooth')",
    ),
    "like builtin": (
        "export_to_fortran(np.exp, like=max)",
        "model.py:5: 'max' has no Python signature; declare one: export_to_fortran(max, like=stub)",
    ),
    "same name": (
        D + "def f(x: f64) -> None: ...\n@export_to_fortran(name='f')\ndef g(x: f64) -> None: ...",
        "model.py:8: 'g' would be called 'f' in Fortran, as 'f' of model.py:6 is; give one of them another name: @export_to_fortran(name=...)",
    ),
    "same name partial": (
        "def g(x: f64, y: f64) -> f64: ...\nexport_to_fortran(functools.partial(g, y=1.0), name='f')\nexport_to_fortran(functools.partial(g, y=2.0), name='f')",
        "model.py:5: 'partial(g)' would be called 'f' in Fortran, as 'partial(g)' of model.py:5 is; give one of them another name: @export_to_fortran(name=...)",
    ),
    "decorator over def line": (
        "@functools.cache\n@export_to_fortran\n@functools.cache\ndef f(x: f64): ...",
        "model.py:8: the result of 'f' has no annotation: write `-> None`, or what is returned",
    ),
    "the kind of text has no arrays": (
        D + "def f(x: py2f.types.text[:]) -> None: ...",
        "model.py:6: argument 'x' of 'f': 'py2f.types.text[:]' cannot be evaluated: TypeError: there are no arrays of str",
    ),
    "a kind that is called": (
        D + "def f(x: f64()) -> None: ...",
        "model.py:6: argument 'x' of 'f': 'f64()' cannot be evaluated: TypeError: f64 is an annotation, not a value",
    ),
    "extent of no identifier": ("extent('a b')", "ValueError: extent('a b'): an extent is named by an identifier"),
    "closure that is made later": (
        "def later():\n    @export_to_fortran\n    def f(x: f64) -> None: ...",
        "model.py:7: 'later.<locals>.f' is made after model was imported, so that a Fortran program would not find it; make it while the module is imported",
    ),
    "a module that exports nothing": (
        "py2f.decorators.libraries.library('py2f.types')",
        "ExportError: py2f.types exports nothing: put @export_to_fortran on a function of it",
    ),
    "a module with host procedures only": (
        "@py2f.pythoncall(host=True)\ndef halo(x: f64) -> None: ...\npy2f.decorators.libraries.library(__name__)",
        "ExportError: model has only stubs of host procedures: import them into the module that exports functions, and export that",
    ),
    "a module of the standard library": (
        "py2f.decorators.libraries.library('json')",
        "ExportError: 'json' is a module of the standard library: rename yours",
    ),
    "no name of a module": (
        "py2f.decorators.libraries.library('.heat')",
        "ExportError: '.heat' is no name of a module: write it as in `import MODULE`",
    ),
    "several modules without a name": (
        "py2f.decorators.libraries.library(['heat', 'ice'])",
        "ExportError: heat, ice go into one library: give it a name, with --name",
    ),
    "one name in two modules": (
        (
            D + "def f(x: f64) -> None: ...\nother = type(sys)('other'); sys.modules['other'] = other; "
            "exec('import py2f\\n@py2f.export_to_fortran\\ndef f(x: py2f.f64) -> None: ...', vars(other))\n"
            "later = lambda: py2f.decorators.libraries.library([__name__, 'other'], 'both')"
        ),
        (
            "ExportError: 'f' is exported by model and by other: "
            "give one of them another name, with @export_to_fortran(name=...), or put them into two libraries"
        ),
    ),
    "a module that ends Python": (
        "py2f.decorators.libraries.library('quits')",
        "ExportError: quits ends Python while it is imported (SystemExit: 0); put what it does under `if __name__ == '__main__':`",
    ),
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a folder that modules are imported from."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    (tmp_path / "quits.py").write_text("raise SystemExit(0)\n", encoding="utf-8")
    return tmp_path


def _refused(folder: Path, source: str) -> str:
    """What importing a module and calling its function `later` raises."""
    (folder / "model.py").write_text(f"{HEAD}{source}\n", encoding="utf-8")
    sys.modules.pop("model", None)
    importlib.invalidate_caches()
    linecache.clearcache()
    try:
        importlib.import_module("model").later()
    except Exception as error:  # noqa: BLE001  what comes is compared
        text = str(error).replace(f"{folder}/", "")
        return text if type(error).__name__ == "SignatureError" else f"{type(error).__name__}: {text}"
    finally:
        sys.modules.pop("model", None)
    return "accepted"


@pytest.mark.parametrize("case", CASES)
def test_message(folder: Path, case: str) -> None:
    """The whole text is pinned."""
    source, message = CASES[case]
    assert _refused(folder, source) == message


@pytest.mark.parametrize("module", [annotations, foreign, sys.modules["py2f.decorators.export_to_fortran"], registry, types])
def test_the_table_has_every_message(folder: Path, module: object) -> None:
    """Each `raise` of the modules that read declarations is executed by a case above."""
    file = str(module.__file__)
    executed: set[int] = set()

    def line(frame: FrameType, event: str, _: object) -> object:
        if event == "line":
            executed.add(frame.f_lineno)
        return line

    def call(frame: FrameType, _: str, __: object) -> object:
        return line if frame.f_code.co_filename == file else None

    before = sys.gettrace()
    sys.settrace(call)
    try:
        for source, _ in CASES.values():
            _refused(folder, source)
    finally:
        sys.settrace(before)
    text = Path(file).read_text(encoding="utf-8")
    raised = {node.lineno for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Raise)}
    assert [text.splitlines()[number - 1].strip() for number in sorted(raised - executed)] == []
