"""Every message that a stub can bring about, word for word: at decoration, at the first call, and for what is given."""

from __future__ import annotations

import importlib
import linecache
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from stubs import stubbed

if TYPE_CHECKING:
    from pathlib import Path

HEAD = """\
from __future__ import annotations
import functools; from typing import Annotated, Callable, NamedTuple; import numpy as np
from py2f import *
p = pythoncall(source="p.f90", module="p")
"""
SOURCE = """\
module p
  use, intrinsic :: iso_c_binding
  implicit none
  type :: t
    real(8) :: x
  end type
contains
  subroutine s(n, x, y)
    integer, intent(in) :: n
    real(8), intent(inout) :: x(n)
    real(8), intent(out) :: y
    x = y
  end subroutine
  real(8) function f(x)
    real(8), intent(in) :: x
    f = x
  end function
  subroutine of_type(a)
    type(t), intent(in) :: a
  end subroutine
  subroutine grown(a)
    real(8), allocatable, intent(inout) :: a(:)
  end subroutine
  subroutine label(c)
    character(len=8), intent(out) :: c
    c = ''
  end subroutine
  subroutine flag(l)
    logical, value, optional :: l
  end subroutine
  subroutine writes(n, x)
    integer n
    real(8) x(n)
    x = 1
  end subroutine
end module
subroutine outside()
end subroutine
"""
DECLARED = {  # name: (what follows HEAD, the message without the folder)
    "no place": (
        "@pythoncall()\ndef f(x: f64) -> None: ...",
        'TypeError: say where the procedure is: @pythoncall(source="physics.f90", module="physics"), @pythoncall(library="libphysics.so"), or @pythoncall(host=True)',
    ),
    "two places": (
        "@pythoncall(source='a.f90', host=True)\ndef f(x: f64) -> None: ...",
        'TypeError: say where the procedure is: @pythoncall(source="physics.f90", module="physics"), @pythoncall(library="libphysics.so"), or @pythoncall(host=True)',
    ),
    "bare": (
        "@pythoncall\ndef f(x: f64) -> None: ...",
        'TypeError: say where the procedure is: @pythoncall(source="physics.f90", module="physics"), @pythoncall(library="libphysics.so"), or @pythoncall(host=True)',
    ),
    "copy": (
        "@pythoncall(source='a.f90', copy='always')\ndef f(x: f64) -> None: ...",
        "TypeError: copy='always': it is one of never, warn, ok",
    ),
    "no function": (
        "p(functools.partial(print))",
        "TypeError: @pythoncall is for a function with an empty body, not for partial",
    ),
    "a body": (
        "@p\ndef f(x: f64) -> f64:\n    return x",
        "SignatureError: model.py:6: 'f' has a body, which nobody would run: write `...` alone",
    ),
    "Allocatable that is no Out": (
        "@p\ndef f(x: InOut[Allocatable[f64[:]]]) -> None: ...",
        "SignatureError: model.py:6: argument 'x' of 'f': only what Fortran defines is Allocatable; write Out[Allocatable[f64[:]]]",
    ),
    "an Out with a default": (
        "@p\ndef f(x: Out[f64] = 1.0) -> f64: ...",
        "SignatureError: model.py:6: argument 'x' of 'f': what Fortran defines has no default",
    ),
    "an Out list": (
        "@p\ndef f(x: Out[list[str]]) -> list[str]: ...",
        "SignatureError: model.py:6: argument 'x' of 'f': Fortran cannot write into a list; use Out[string[:]]",
    ),
    "an errmsg that is no text": (
        "@pythoncall(source='a.f90', errors='stat')\ndef f(stat: Out[i32], errmsg: Out[i32]) -> None: ...",
        "SignatureError: model.py:6: errors='stat': argument 'errmsg' of 'f' is Out[i32], but is the text of the exception: write Out[str]",
    ),
    "an errmsg that is given": (
        "@pythoncall(source='a.f90', errors='stat')\ndef f(stat: Out[i32], errmsg: str | None) -> None: ...",
        "SignatureError: model.py:6: errors='stat': argument 'errmsg' of 'f' is str | None, but is the text of the exception: write Out[str]",
    ),
    "an InOut str": (
        "@p\ndef f(x: InOut[str]) -> None: ...",
        "SignatureError: model.py:6: argument 'x' of 'f': Fortran cannot write into a str; use InOut[string]",
    ),
    "a Length of numbers": (
        "@p\ndef f(x: Annotated[f64, Length(3)]) -> None: ...",
        "SignatureError: model.py:6: argument 'x' of 'f': only characters have a Length",
    ),
    "a Length that is no extent": (
        "@p\ndef f(x: Annotated[str, Length('n +')]) -> None: ...",
        "SignatureError: model.py:6: argument 'x' of 'f': '(n +)' cannot be evaluated: SyntaxError: invalid syntax (<string>, line 1)",
    ),
    "no status": (
        "@pythoncall(source='a.f90', errors='info')\ndef f(x: f64) -> None: ...",
        "SignatureError: model.py:6: errors='info': 'f' has no argument 'info: Out[i32]' that reports a status",
    ),
    "a status that is no integer": (
        "@pythoncall(source='a.f90', errors='info')\ndef f(info: Out[f64]) -> None: ...",
        "SignatureError: model.py:6: errors='info': 'f' has no argument 'info: Out[i32]' that reports a status",
    ),
    "no result": (
        "@p\ndef f(x: f64): ...",
        "SignatureError: model.py:6: the result of 'f' has no annotation: write `-> None`, or what Python gets",
    ),
    "too few values": (
        "@p\ndef f(x: Out[f64], y: Out[f64]) -> f64: ...",
        "SignatureError: model.py:6: the result of 'f' has 1 value, but there are 2 Out arguments (x, y): return the function result, if there is one, then these",
    ),
    "too many values": (
        "@p\ndef f(x: Out[f64]) -> tuple[f64, f64, f64]: ...",
        "SignatureError: model.py:6: the result of 'f' has 3 values, but there is 1 Out argument (x): return the function result, if there is one, then these",
    ),
    "a result for nothing": (
        "@p\ndef f(x: f64) -> tuple[f64, f64]: ...",
        "SignatureError: model.py:6: the result of 'f' has 2 values, but there are 0 Out arguments: return the function result, if there is one, then these",
    ),
    "another kind in the result": (
        "@p\ndef f(x: Out[f64]) -> f32: ...",
        "SignatureError: model.py:6: the result of 'f' has f32 where argument 'x' is Out[f64]",
    ),
    "another rank in the result": (
        "@p\ndef f(x: Out[f64[3]]) -> f64: ...",
        "SignatureError: model.py:6: the result of 'f' has f64 where argument 'x' is Out[f64[3]]",
    ),
    "an unknown extent": (
        "@p\ndef f(x: Out[f64[n]]) -> f64[n]: ...",
        "SignatureError: model.py:6: extent 'n' of 'x' of 'f' is neither an integer argument nor an extent of an array that is given",
    ),
    "an unknown length": (
        "@p\ndef f(x: Annotated[str, Out, Length('n')]) -> str: ...",
        "SignatureError: model.py:6: extent 'n' of 'x' of 'f' is neither an integer argument nor an extent of an array that is given",
    ),
    "an unknown extent of the result": (
        "@p\ndef f(x: f64) -> f64[n]: ...",
        "SignatureError: model.py:6: extent 'n' of the result of 'f' is neither an integer argument nor an extent of an array that is given",
    ),
    "isolated in the host": (
        "@pythoncall(host=True, isolate=True)\ndef f(x: f64) -> None: ...",
        "SignatureError: model.py:6: 'f' cannot be isolated: the program is in this process",
    ),
    "isolated with a Callable": (
        "@pythoncall(source='a.f90', isolate=True)\ndef f(x: Callable[[f64], f64]) -> None: ...",
        "SignatureError: model.py:6: 'f' cannot be isolated: a Callable is in this process",
    ),
    "a method": (
        "class C:\n    @p\n    def f(self, x: f64) -> None: ...",
        "SignatureError: model.py:7: argument 'self' of 'f' has no annotation; a method is not exported: make it a staticmethod or a function",
    ),
    "any number of arguments": (
        "@p\ndef f(*x: f64) -> None: ...",
        "SignatureError: model.py:6: argument 'x' of 'f': Fortran has no variable number of arguments; name each argument",
    ),
    "no annotation": (
        "@p\ndef f(x) -> None: ...",
        "SignatureError: model.py:6: argument 'x' of 'f' has no annotation: write its type, as in f64 or In[f64[:, :]]",
    ),
    "no file": (
        "@pythoncall(source='other.f90', module='p')\ndef later() -> None: ...",
        "StubError: model.py:6: there is no file other.f90",
    ),
    "no module": (
        "@pythoncall(source='p.f90', module='q')\ndef later() -> None: ...",
        "StubError: model.py:6: module 'q' is not in p.f90, which has p",
    ),
    "no procedure": (
        "@p\ndef later() -> None: ...",
        "StubError: model.py:6: there is no procedure 'later' in p.f90; there is s, f, of_type, grown, label, flag, writes",
    ),
    "in a module": (
        "@pythoncall(source='p.f90', name='s')\ndef later() -> None: ...",
        "StubError: model.py:6: there is no procedure 's' in p.f90; it is in module 'p': say module=\"p\"",
    ),
    "of a derived type": (
        "@pythoncall(source='p.f90', module='p', name='of_type')\ndef later(a: f64) -> None: ...",
        "StubError: model.py:6: 'of_type' of p.f90:18 cannot be called: argument 'a': derived type t",
    ),
    "another number of arguments": (
        "@pythoncall(source='p.f90', module='p', name='s')\ndef later(n: i32, x: InOut[f64[n]]) -> None: ...",
        "StubError: model.py:6: 's' is of 2 arguments here, but of 3 in p.f90:8: subroutine s(n, x, y)",
    ),
    "another name of an argument": (
        "@pythoncall(source='p.f90', module='p', name='s')\ndef later(n: i32, z: InOut[f64[n]], y: Out[f64]) -> f64: ...",
        "StubError: model.py:6: argument 'z' of 's' is 'z', argument 2 here, but 'x' in p.f90:10: real(8), intent(inout) :: x(n)",
    ),
    "another kind": (
        "@pythoncall(source='p.f90', module='p', name='s')\ndef later(n: i32, x: InOut[f32[n]], y: Out[f64]) -> f64: ...",
        "StubError: model.py:6: argument 'x' of 's' is InOut[f32[n]] here, but f64 in p.f90:10: real(8), intent(inout) :: x(n)",
    ),
    "another rank": (
        "@pythoncall(source='p.f90', module='p', name='s')\ndef later(n: i32, x: InOut[f64[n, n]], y: Out[f64]) -> f64: ...",
        "StubError: model.py:6: argument 'x' of 's' is of rank 2 here, but of rank 1 in p.f90:10: real(8), intent(inout) :: x(n)",
    ),
    "another intent": (
        "@pythoncall(source='p.f90', module='p', name='s')\ndef later(n: i32, x: f64[n], y: Out[f64]) -> f64: ...",
        "StubError: model.py:6: argument 'x' of 's' is In here, but InOut in p.f90:10: real(8), intent(inout) :: x(n)",
    ),
    "another extent": (
        "@pythoncall(source='p.f90', module='p', name='s')\ndef later(n: i32, x: InOut[f64[n + 1]], y: Out[f64]) -> f64: ...",
        "StubError: model.py:6: argument 'x' of 's' is InOut[f64[n + 1]], whose extent 1 is n + 1 here, but n in p.f90:10: real(8), intent(inout) :: x(n)",
    ),
    "optional here alone": (
        "@pythoncall(source='p.f90', module='p', name='s')\ndef later(n: i32, x: InOut[f64[n]] | None, y: Out[f64]) -> f64: ...",
        "StubError: model.py:6: argument 'x' of 's' is optional here, but not optional in p.f90:10: real(8), intent(inout) :: x(n)",
    ),
    "a subroutine that returns": (
        "@pythoncall(source='p.f90', module='p', name='s')\ndef later(n: i32, x: InOut[f64[n]], y: Out[f64]) -> tuple[f64, f64]: ...",
        "StubError: model.py:6: 's' is a function here, but a subroutine in p.f90:8: subroutine s(n, x, y)",
    ),
    "a function that does not return": (
        "@pythoncall(source='p.f90', module='p', name='f')\ndef later(x: f64) -> None: ...",
        "StubError: model.py:6: 'f' is a subroutine here, but a function in p.f90:14: real(8) function f(x)",
    ),
    "another kind of the result": (
        "@pythoncall(source='p.f90', module='p', name='f')\ndef later(x: f64) -> f32: ...",
        "StubError: model.py:6: the result of 'f' is f32 here, but f64 in p.f90:14: real(8) function f(x)",
    ),
    "allocatable and InOut": (
        "@pythoncall(source='p.f90', module='p', name='grown')\ndef later(a: InOut[f64[:]]) -> None: ...",
        "StubError: model.py:6: 'grown' of p.f90:21 cannot be called: argument 'a': allocatable dummy that is not intent(out)",
    ),
    "another length": (
        "@pythoncall(source='p.f90', module='p', name='label')\ndef later(c: Annotated[str, Out, Length(9)]) -> str: ...",
        "StubError: model.py:6: argument 'c' of 'label' is 9 characters long here, but 8 characters long in p.f90:25: character(len=8), intent(out) :: c",
    ),
    "a logical by value that may be absent": (
        "@pythoncall(source='p.f90', module='p', name='flag')\ndef later(l: bool | None) -> None: ...",
        "StubError: model.py:6: argument 'l' of 'flag' is a logical that is optional and comes by value, which gfortran cannot leave out: write it without `| None`, or use logical(c_bool) in p.f90:29: logical, value, optional :: l",
    ),
    "written without intent": (
        "@pythoncall(source='p.f90', module='p', name='writes')\ndef later(n: i32, x: f64[n]) -> None: ...",
        "StubError: model.py:6: argument 'x' of 'writes' is In here, but written, though no intent is declared, in p.f90:33: real(8) x(n)",
    ),
    "no library": (
        "@pythoncall(library='./libnone.so')\ndef later() -> None: ...",
        "StubError: model.py:6: library 'libnone.so' cannot be loaded: libnone.so: cannot open shared object file: No such file or directory",
    ),
    "no symbol": (
        "@pythoncall(library='libm.so.6')\ndef later() -> None: ...",
        "StubError: model.py:6: libm.so.6 has no symbol 'later' or 'later_'",
    ),
    "no symbol, but others like it": (
        "@pythoncall(library='libm.so.6', name='cos')\ndef first(x: Value[f64]) -> f64: ...\n@pythoncall(library='libm.so.6', name='cbrtx')\ndef later() -> None: ...",
        "StubError: model.py:8: libm.so.6 has no symbol 'cbrtx' or 'cbrtx_'",
    ),
    "outside a program": (
        "@pythoncall(host=True)\ndef later() -> None: ...",
        "RuntimeError: model.py:6: 'later' is a procedure of a Fortran program: it can be called only while such a program runs a function of a library that was exported with this stub",
    ),
}

CALLS_SOURCE = """\
module c
  implicit none
contains
  subroutine num(n, x, z, l, c)
    integer, intent(in) :: n
    real(4), intent(in) :: x
    complex(8), intent(in) :: z
    logical, intent(in) :: l
    character(len=3), intent(in) :: c
  end subroutine
  subroutine arr(n, a, b, m)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n)
    real(8), intent(in), optional :: b(:)
    logical, intent(inout), optional :: m(:)
  end subroutine
  subroutine txt(names, s)
    character(len=4), intent(in) :: names(:)
    character(len=5), intent(inout), optional :: s(:)
  end subroutine
  subroutine out(n, a, t, g, u)
    integer, intent(in) :: n
    real(8), intent(out) :: a(n)
    character(len=n), intent(out) :: t
    real(8), allocatable, intent(out) :: g(:)
    character(len=*), intent(out) :: u(:)
    t = 'x'
  end subroutine
  subroutine any(a)
    real(8), intent(out) :: a(*)
    a(1) = 0
  end subroutine
  function made(n) result(r)
    integer, intent(in) :: n
    real(8) :: r(n)
    r = n
  end function
end module
"""
CALLS = """\
p = pythoncall(source="c.f90", module="c")
@p
def num(n: i32, x: f32 = 1, z: c64 = 1j, l: bool = True, c: str = "abc") -> None: ...
@p
def arr(n: i32, a: InOut[f64[n]], b: f64[:] | None = None, m: InOut[b32[:]] | None = None) -> None: ...
@p
def txt(names: list[str], s: InOut[string[:]] | None = None) -> None: ...
@p
def out(n: i32, a: Out[f64[n]], t: Annotated[str, Out, Length("n")], g: Out[Allocatable[f64[:]]], u: Out[string[n]]) -> tuple[f64[n], str, f64[:], string[n]]: ...
@p
def any(a: Out[f64[:]]) -> f64[:]: ...
@p
def made(n: i32) -> f64[n]: ...
a = np.zeros(3)
frozen = np.zeros(3)
frozen.setflags(write=False)
"""
GIVEN = {  # the call: the message
    "num()": "TypeError: 'num' needs argument 'n'",
    "num(1, 2.0, 1j, True, 'abc', 5)": "TypeError: 'num' takes 5 positional arguments, 6 were given",
    "num(1, n=2)": "TypeError: 'num' was given argument 'n' twice",
    "num(1, w=2)": "TypeError: 'num' has no argument 'w'",
    "num(1.0)": "TypeError: argument 'n' of 'num': float was given, i32 is declared",
    "num(True)": "TypeError: argument 'n' of 'num': bool was given, i32 is declared",
    "num(2**31)": "OverflowError: argument 'n' of 'num': 2147483648 does not fit i32",
    "num(1, '1')": "TypeError: argument 'x' of 'num': str was given, f32 is declared",
    "num(1, 1e39)": "OverflowError: argument 'x' of 'num': 1e+39 does not fit f32",
    "num(1, z='i')": "TypeError: argument 'z' of 'num': str was given, c64 is declared",
    "num(1, l=1)": "TypeError: argument 'l' of 'num': int was given, b32 is declared",
    "num(1, c=b'abc')": "TypeError: argument 'c' of 'num': bytes was given, str(3) is declared",
    "num(1, c='abcd')": "ValueError: argument 'c' of 'num': 4 bytes were given, 3 fit",
    "arr(3, 1.0)": "TypeError: argument 'a' of 'arr': float was given, InOut[f64[n]] is declared: pass an array of float64",
    "arr(3, a.astype('f4'))": "TypeError: argument 'a' of 'arr': an array of float32 was given, InOut[f64[n]] is declared",
    "arr(3, a.reshape(3, 1))": "ValueError: argument 'a' of 'arr': an array of rank 2 was given, InOut[f64[n]] is declared",
    "arr(3, frozen)": "ValueError: argument 'a' of 'arr': the array is read-only, and Fortran may write InOut[f64[n]]",
    "arr(2, a)": "ValueError: argument 'a' of 'arr': extent 1 is 3, InOut[f64[n]] makes it 2",
    "arr(3, np.zeros(6)[::2])": 'ValueError: argument \'a\' of \'arr\': it is not contiguous in Fortran\'s order: pass np.array(..., "float64", order="F"), or allow copies with @pythoncall(copy="ok")',
    "arr(3, a.astype('>f8'))": 'ValueError: argument \'a\' of \'arr\': its byte order is not the machine\'s: pass np.array(..., "float64", order="F"), or allow copies with @pythoncall(copy="ok")',
    "arr(3, np.zeros(25, 'i1')[1:].view('f8'))": 'ValueError: argument \'a\' of \'arr\': it is not aligned: pass np.array(..., "float64", order="F"), or allow copies with @pythoncall(copy="ok")',
    "arr(3, a, np.broadcast_to(1.0, 3))": 'ValueError: argument \'b\' of \'arr\': a stride is zero, as broadcasting makes it: pass np.array(..., "float64", order="F"), or allow copies with @pythoncall(copy="ok")',
    "arr(3, a, np.zeros(3, [('x', 'f8'), ('n', 'i4')])['x'])": 'ValueError: argument \'b\' of \'arr\': it is not aligned: pass np.array(..., "float64", order="F"), or allow copies with @pythoncall(copy="ok")',
    "arr(3, a, m=np.zeros(3, 'i4'))": "TypeError: argument 'm' of 'arr': an array of int32 was given, InOut[b32[:]] | None is declared",
    "txt('ab')": "TypeError: argument 'names' of 'txt': str was given, list[str](4) is declared",
    "txt([1])": "TypeError: argument 'names' of 'txt': element 1 is int, not str",
    "txt(['abcde'])": "ValueError: argument 'names' of 'txt': element 1 has 5 bytes, 4 fit",
    "txt(['a'], np.zeros(2, 'S4'))": "ValueError: argument 's' of 'txt': its elements have 4 bytes, 5 are declared",
    "txt(['a'], [b'a'])": "TypeError: argument 's' of 'txt': list was given, InOut[string[:](5)] | None is declared: pass an array of bytes_",
    "out(-1)": "ValueError: argument 'a' of 'out': extent 1 would be -1",
    "out(2)": "TypeError: argument 'u' of 'out': its length is not known: pass an array of bytes, u=..., or declare a Length",
    "out(2, t='ab')": "TypeError: argument 't' of 'out': a str cannot be written into: leave it out, Python gets a new one",
    "out(2, g=a)": "TypeError: argument 'g' of 'out': Fortran allocates it, so none can be given",
    "out(3, a=np.zeros(2))": "ValueError: argument 'a' of 'out': extent 1 is 2, Out[f64[n]] makes it 3",
    "any()": "TypeError: argument 'a' of 'any': its extent 1 is not known: pass an array, a=...",
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a folder that modules are imported from."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.setenv("FC", "gfortran")
    (tmp_path / "p.f90").write_text(SOURCE, encoding="utf-8")
    return tmp_path


def _refused(folder: Path, source: str) -> str:
    """What importing a module and calling its stub `later` raises."""
    (folder / "model.py").write_text(f"{HEAD}{source}\n", encoding="utf-8")
    sys.modules.pop("model", None)
    importlib.invalidate_caches()
    linecache.clearcache()
    try:
        importlib.import_module("model").later()
    except Exception as error:  # noqa: BLE001  what comes is compared
        return f"{type(error).__name__}: {error}".replace(f"{folder}/", "")
    finally:
        sys.modules.pop("model", None)
    return "accepted"


@pytest.mark.parametrize("case", DECLARED)
def test_message_of_a_declaration(folder: Path, case: str) -> None:
    source, message = DECLARED[case]
    assert _refused(folder, source) == message


@pytest.fixture(scope="module")
def calls(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Stubs that are called with what they do not take."""
    module = stubbed(tmp_path_factory.mktemp("calls"), "gfortran", CALLS, c_f90=CALLS_SOURCE)
    module.made(1)
    return module


@pytest.mark.parametrize("call", GIVEN)
def test_message_of_a_call(calls: Any, call: str) -> None:
    kind, _, message = GIVEN[call].partition(": ")
    with pytest.raises((TypeError, ValueError, OverflowError)) as caught:
        eval(call, {**vars(calls), "np": np})
    assert (type(caught.value).__name__, str(caught.value)) == (kind, message)
