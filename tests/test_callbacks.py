"""`@pythoncall`: Python callables as procedure arguments: called in turn, each in its own call, errors carried back."""

from __future__ import annotations

import functools
import gc
import threading
import traceback
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from stubs import EACH_COMPILER, ran, stubbed

if TYPE_CHECKING:
    from pathlib import Path

FORTRAN = """
module solvers
  use, intrinsic :: iso_c_binding
  implicit none
  abstract interface
    function scalar_t(x) result(r)
      import :: c_double
      real(c_double), intent(in) :: x
      real(c_double) :: r
    end function
    subroutine fcn_t(n, x, fvec, iflag)
      integer, intent(in) :: n
      double precision, intent(in) :: x(n)
      double precision, intent(out) :: fvec(n)
      integer, intent(inout) :: iflag
    end subroutine
    subroutine many_t(text, a, flag, z, k, by_value, there)
      import :: c_float_complex, c_int64_t
      character(len=*), intent(in) :: text
      real(8), intent(inout) :: a(:, :)
      logical, intent(inout) :: flag
      complex(c_float_complex), intent(in) :: z
      integer(c_int64_t), intent(in) :: k
      real, value :: by_value
      real, intent(in), optional :: there
    end subroutine
    function yes_t(mask) result(r)
      logical, intent(in) :: mask(:)
      logical :: r
    end function
  end interface
  procedure(scalar_t), pointer :: kept => null()
contains
  function integral(f, a, b, n) result(s)
    procedure(scalar_t) :: f
    real(c_double), intent(in) :: a, b
    integer, intent(in) :: n
    real(c_double) :: s
    integer :: i
    s = 0
    do i = 1, n
      s = s + f(a + (b - a)*(i - 0.5d0)/n)*(b - a)/n
    end do
  end function
  subroutine newton(fcn, n, x, fvec, info)
    procedure(fcn_t) :: fcn
    integer, intent(in) :: n
    double precision, intent(inout) :: x(n)
    double precision, intent(out) :: fvec(n)
    integer, intent(out) :: info
    info = 5
    call fcn(n, x, fvec, info)
    x = x - fvec
  end subroutine
  subroutine many(f, g, a)
    procedure(many_t) :: f
    procedure(many_t), optional :: g
    real(8), intent(inout) :: a(:, :)
    logical :: flag
    flag = .true.
    call f('blanks  ', a(::2, 2:), flag, (1.0, -2.0), 2_c_int64_t**40, 0.5)
    a(1, 1) = merge(1, 0, flag)
    if (present(g)) call g('', a(:0, :), flag, (0.0, 0.0), -1_c_int64_t, 0.0, 4.0)
  end subroutine
  function two(f, g) result(r)
    procedure(scalar_t) :: f, g
    real(8) :: r
    r = f(1d0)*10 + g(2d0)
  end function
  function any_of(yes, n) result(r)
    procedure(yes_t) :: yes
    integer, intent(in) :: n
    logical :: r
    logical :: mask(n)
    mask = .false.
    mask(n) = .true.
    r = yes(mask(n:1:-2))
  end function
  subroutine keep(f)
    procedure(scalar_t) :: f
    kept => f
  end subroutine
  function late() result(r)
    real(8) :: r
    r = kept(1d0)
  end function
  function implicit_interface(f, x) result(r)
    double precision :: r
    double precision, external :: f
    double precision, intent(in) :: x
    r = f(x) + 1
  end function
end module
"""
STUBS = """
from collections.abc import Callable
@ph()
def integral(f: Callable[[f64], f64], a: f64, b: f64, n: i32) -> f64: ...
@ph(name="integral", nogil=True)
def free_integral(f: Callable[[f64], f64], a: f64, b: f64, n: i32) -> f64: ...
@ph()
def newton(
    fcn: Callable[[Annotated[i32, Name("n")], f64[n], Out[f64[n]], InOut[i32]], None],
    n: i32, x: InOut[f64[n]], fvec: Out[f64[n]], info: Out[i32],
) -> tuple[f64[n], i32]: ...
@ph()
def many(
    f: Callable[[str, InOut[f64[:, :]], InOut[bool], c32, i64, Value[f32], f32 | None], None],
    g: Callable[[str, InOut[f64[:, :]], InOut[bool], c32, i64, Value[f32], f32 | None], None] | None,
    a: InOut[f64[:, :]],
) -> None: ...
@ph()
def two(f: Callable[[f64], f64], g: Callable[[f64], f64]) -> f64: ...
@ph()
def any_of(yes: Callable[[b32[:]], bool], n: i32) -> bool: ...
@ph()
def keep(f: Callable[[f64], f64]) -> None: ...
@ph()
def late() -> f64: ...
@ph()
def implicit_interface(f: Callable[[f64], f64], x: f64) -> f64: ...
"""


PARALLEL = """
module parallel
  implicit none
  abstract interface
    function f_t(k) result(r)
      integer, intent(in) :: k
      integer :: r
    end function
  end interface
contains
  function every(f, n) result(s)
    procedure(f_t) :: f
    integer, intent(in) :: n
    integer :: s, k
    s = 0
    !$omp parallel do reduction(+:s) num_threads(4) schedule(static, 1)
    do k = 1, n
      s = s + f(k)
    end do
  end function
end module
"""
PARALLEL_STUBS = """
from collections.abc import Callable
@ph(nogil=True)
def every(f: Callable[[i32], i32], n: i32) -> i32: ...
"""


@pytest.fixture(scope="module", params=EACH_COMPILER)
def m(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    return stubbed(tmp_path_factory.mktemp("callbacks"), request.param, STUBS, solvers_f90=FORTRAN)


def test_a_function_is_called_for_each_value(m: Any) -> None:
    seen: list[float] = []
    assert m.integral(lambda x: seen.append(x) or 2.0 * x, 0.0, 1.0, 4) == 1.0
    assert seen == [0.125, 0.375, 0.625, 0.875]


def test_whatever_can_be_called_serves(m: Any) -> None:
    class Squared:
        def __call__(self, x: float) -> float:
            return x * x

        def method(self, x: float) -> float:
            return x * x

    for f in (Squared(), Squared().method, functools.partial(pow, exp=2), np.square):
        assert m.integral(f, 0.0, 2.0, 1) == 2.0


def test_arrays_are_views_on_what_fortran_has(m: Any) -> None:
    def fcn(n: int, x: Any, fvec: Any, iflag: Any) -> None:
        assert (n, x.tolist(), x.flags.writeable, fvec.shape, int(iflag)) == (3, [1.0, 2.0, 3.0], False, (3,), 5)
        fvec[...] = x / 2
        iflag[()] = -7

    x = np.array([1.0, 2.0, 3.0])
    fvec, info = m.newton(fcn, 3, x)
    assert (fvec.tolist(), info, x.tolist()) == ([0.5, 1.0, 1.5], -7, [0.5, 1.0, 1.5])


def test_every_sort_of_argument_arrives(m: Any) -> None:
    seen = []

    def f(*arguments: Any) -> None:
        text, a, flag, *rest = arguments
        seen.append((text, a.shape, a.strides, bool(flag), *rest))
        if a.size:
            a[...] = 7.0
        flag[()] = False

    a = np.zeros((5, 3), order="F")
    m.many(f, f, a)
    assert seen == [
        ("blanks", (3, 2), (16, 40), True, 1 - 2j, 2**40, 0.5, None),
        ("", (0, 3), seen[1][2], False, 0j, -1, 0.0, 4.0),
    ]
    assert (a[0, 0], a[::2, 1:].tolist(), a[1::2].tolist()) == (0.0, [[7.0] * 2] * 3, [[0.0] * 3] * 2)


def test_an_absent_procedure_is_absent(m: Any) -> None:
    calls = []
    m.many(lambda *_: calls.append(1), None, np.zeros((5, 3)))
    assert calls == [1]


def test_logicals_of_fortran_are_bools(m: Any) -> None:
    seen = []
    assert m.any_of(lambda mask: seen.append(mask.tolist()) or mask.any(), 5) is True
    assert m.any_of(lambda mask: seen.append(mask.tolist()) or False, 2) is False
    assert seen == [[True, False, False], [True]]


def test_two_procedures_of_a_call_are_not_mixed_up(m: Any) -> None:
    assert m.two(lambda x: x, lambda x: 2 * x) == 14.0
    assert m.two(lambda x: 2 * x, lambda x: x) == 22.0


def test_a_procedure_without_an_interface_takes_any_function(m: Any) -> None:
    assert m.implicit_interface(lambda x: 3 * x, 2.0) == 7.0


def test_calls_nest(m: Any) -> None:
    """The inner call's function is the inner one, the outer goes on with its own."""
    inner = lambda x: m.integral(lambda y: x * y, 0.0, 1.0, 2)  # noqa: E731
    assert m.integral(inner, 0.0, 2.0, 2) == 1.0

    def deep(level: int) -> float:
        return 1.0 if level == 0 else m.two(lambda _: deep(level - 1), lambda x: x) - 2.0

    assert deep(5) == 1e5


def test_a_fortran_procedure_serves_as_well(m: Any) -> None:
    assert m.integral(lambda x: m.implicit_interface(lambda y: y, x), 0.0, 1.0, 1) == 1.5


def test_an_exception_is_carried_back_with_its_traceback(m: Any) -> None:
    """Fortran goes on with zeros, and calls nothing any more."""
    calls = []

    def bad(x: float) -> float:
        calls.append(x)
        raise KeyError("nothing here")

    with pytest.raises(KeyError, match="nothing here") as raised:
        m.integral(bad, 0.0, 1.0, 10)
    assert len(calls) == 1
    assert [frame.name for frame in traceback.extract_tb(raised.value.__traceback__)][-1] == "bad"
    assert m.integral(lambda x: x, 0.0, 1.0, 1) == 0.5


def test_an_exception_of_an_inner_call_may_be_handled_there(m: Any) -> None:
    def bad(x: float) -> float:
        raise ValueError(x)

    def careful(_: float) -> float:
        try:
            return m.integral(bad, 0.0, 1.0, 1)
        except ValueError:
            return 1.0

    assert m.integral(careful, 0.0, 1.0, 2) == 1.0
    with pytest.raises(ValueError, match=r"^0.5$"):
        m.integral(lambda _: m.integral(bad, 0.0, 1.0, 1), 0.0, 1.0, 2)


@pytest.mark.parametrize("end", [KeyboardInterrupt, SystemExit])
def test_the_end_of_python_is_an_exception_as_well(m: Any, end: type[BaseException]) -> None:
    def stop(_: float) -> float:
        raise end

    with pytest.raises(end):
        m.integral(stop, 0.0, 1.0, 3)


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        (None, "'f' returned None, f64 is declared"),
        ("1", "'f' returned str, f64 is declared"),
        (1j, "'f' returned 1j (complex), which does not fit f64"),
        (10**400, f"'f' returned {10**400} (int), which does not fit f64"[:100]),
    ],
)
def test_what_is_returned_must_be_what_is_declared(m: Any, returned: object, message: str) -> None:
    with pytest.raises(TypeError) as raised:
        m.integral(lambda _: returned, 0.0, 1.0, 1)
    assert str(raised.value)[:100] == message


def test_an_exception_of_what_is_returned_is_raised(m: Any) -> None:
    class Wrong(int):
        def __float__(self) -> float:
            raise KeyboardInterrupt("its own")

    with pytest.raises(KeyboardInterrupt, match="its own"):
        m.integral(lambda _: Wrong(), 0.0, 1.0, 1)


def test_a_subroutine_returns_none(m: Any) -> None:
    with pytest.raises(TypeError) as raised:
        m.newton(lambda *_: 1, 3, np.zeros(3))
    assert str(raised.value) == "'fcn' returned int, None is declared"


def test_a_wrong_stub_does_not_stop_the_others(tmp_path: Path) -> None:
    m = stubbed(tmp_path, "gfortran", STUBS + "@ph()\ndef nowhere() -> None: ...\n", solvers_f90=FORTRAN)
    assert m.two(lambda x: x, lambda x: x) == 12.0
    with pytest.raises(m.StubError, match="there is no procedure 'nowhere' in"):
        m.nowhere()
    assert m.implicit_interface(lambda x: x, 1.0) == 2.0


def test_what_cannot_be_called_is_refused(m: Any) -> None:
    with pytest.raises(TypeError) as raised:
        m.integral(3.0, 0.0, 1.0, 1)
    assert str(raised.value) == "argument 'f' of 'integral': float was given, Callable[[f64], f64] is declared"


def test_a_read_only_array_is_read_only(m: Any) -> None:
    def fcn(_: int, x: Any, *others: Any) -> None:
        x[0] = others[0][0]

    with pytest.raises(ValueError, match="read-only"):
        m.newton(fcn, 3, np.zeros(3))


def test_threads_have_each_their_own_function(m: Any) -> None:
    """With the GIL released, calls overlap."""
    results: dict[int, set[float]] = {}

    def work(k: int) -> None:
        results[k] = {m.free_integral(lambda _, k=k: float(k), 0.0, 1.0, 50) for _ in range(50)}

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {k: [round(r, 9) for r in found] for k, found in results.items()} == {
        k: [float(k)] * len(results[k]) for k in range(8)
    }


def test_nothing_is_kept_of_a_callable(m: Any) -> None:
    class Counted:
        alive = 0

        def __init__(self) -> None:
            Counted.alive += 1

        def __del__(self) -> None:
            Counted.alive -= 1

        def __call__(self, x: float) -> float:
            return x if self.alive < 10**6 else 1.0 / 0.0

    for _ in range(100):
        m.integral(Counted(), 0.0, 1.0, 3)
    gc.collect()
    assert Counted.alive == 0


def test_a_procedure_that_fortran_has_kept_ends_with_its_call(tmp_path: Path) -> None:
    """There is no value to go on with: the message names who called what."""
    stubbed(tmp_path, "gfortran", STUBS, solvers_f90=FORTRAN)
    name = next(tmp_path.glob("stubs_*.py")).stem
    done = ran(tmp_path, f"import {name} as m\nm.keep(lambda x: x)\nm.late()\nprint('on')", check=False, FC="gfortran")
    assert (done.returncode, done.stdout) == (-6, "")
    assert done.stderr.splitlines()[0] == (
        "py2f: 'f', an argument of 'keep', was called outside of that call: it is valid until 'keep' returns"
    )


def test_a_thread_that_fortran_has_made_calls_too(tmp_path: Path) -> None:
    stubbed(tmp_path, "gfortran", PARALLEL_STUBS, parallel_f90=PARALLEL)
    name = next(tmp_path.glob("stubs_*.py")).stem
    script = f"""
import threading
import {name} as m
seen = set()
print(m.every(lambda k: seen.add(threading.get_ident()) or k * k, 100), len(seen))
try:
    m.every(lambda k: 1 // (k - 50), 100)
except ZeroDivisionError as error:
    print(error)
"""
    done = ran(tmp_path, script, FC="gfortran -fopenmp")
    assert done.stdout == "338350 4\ninteger division or modulo by zero\n"


def test_a_thread_that_would_wait_for_ever_is_named(tmp_path: Path) -> None:
    """The calling thread holds Python's lock until all of Fortran's have done."""
    stubbed(tmp_path, "gfortran", PARALLEL_STUBS.replace("nogil=True", ""), parallel_f90=PARALLEL)
    name = next(tmp_path.glob("stubs_*.py")).stem
    done = ran(tmp_path, f"import {name} as m\nm.every(lambda k: k, 100)", check=False, FC="gfortran -fopenmp")
    assert done.returncode == -6
    assert done.stderr.splitlines()[0] == (
        "py2f: 'f', an argument of 'every', was called by another thread: write @pythoncall(..., nogil=True)"
    )
