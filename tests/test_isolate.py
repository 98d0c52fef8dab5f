"""`@pythoncall(isolate=True)`: whatever ends the procedure, this interpreter goes on; arrays and errors are as without."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
import warnings
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from stubs import EACH_COMPILER, HEAD, stubbed

import py2f
from py2f.runtime import isolate

pytestmark = pytest.mark.timeout(60)

DANGER = """\
module danger
  implicit none
  integer :: calls = 0
contains
  subroutine add(n, u, by)
    integer, intent(in) :: n
    real(8), intent(inout) :: u(n)
    real(8), intent(in) :: by
    u = u + by
  end subroutine
  subroutine shift(a)
    real(8), intent(inout) :: a(:, :)
    a = a + 1
  end subroutine
  function counted() result(n)
    integer :: n
    calls = calls + 1
    n = calls
  end function
  subroutine fail(how, x)
    integer, intent(in) :: how
    real(8), intent(inout) :: x(:)
    integer :: i
    interface
      function c_raise(number) bind(c, name='raise') result(failed)
        use, intrinsic :: iso_c_binding
        integer(c_int), value :: number
        integer(c_int) :: failed
      end function
    end interface
    x = x + 1
    select case (how)
    case (1)
      error stop 'the model is unstable'
    case (2)
      stop 3
    case (3)
      i = c_raise(11)
    case (4)
      i = 0
      do
        i = mod(i + 1, 1000)
        if (i < 0) exit
      end do
    end select
  end subroutine
  subroutine many(n, x, y, name, k)
    integer, intent(in) :: n
    real(8), intent(out) :: x(n, n)
    real, allocatable, intent(out) :: y(:)
    character(len=8), intent(out) :: name
    integer(8), intent(out) :: k
    x = 7
    if (n > 1) allocate(y(2*n), source=3.0)
    name = 'hello'
    k = 2_8**40
  end subroutine
  subroutine solve(x, stat, errmsg)
    real(8), intent(in) :: x
    integer, intent(out) :: stat
    character(len=*), intent(out) :: errmsg
    stat = int(x)
    errmsg = 'no convergence'
  end subroutine
  subroutine say(what)
    character(len=*), intent(in) :: what
    print '(a)', what
  end subroutine
end module
"""
STUBS = """
ph = functools.partial(ph, isolate=True)
@ph()
def add(n: i32, u: InOut[f64[n]], by: f64 = 1.0) -> None: ...
@ph(name="add", copy="warn")
def add_warned(n: i32, u: InOut[f64[n]], by: f64 = 1.0) -> None: ...
@ph()
def shift(a: InOut[f64[:, :]]) -> None: ...
@ph()
def counted() -> i32: ...
@ph()
def fail(how: i32, x: InOut[f64[:]]) -> None: ...
class Many(NamedTuple):
    x: f64[n, n]
    y: f32[:]
    name: str
    k: i64
@ph()
def many(n: i32, x: Out[f64[n, n]], y: Out[Allocatable[f32[:]]], name: Out[str], k: Out[i64]) -> Many: ...
@ph(errors="stat")
def solve(x: f64, stat: Out[i32], errmsg: Annotated[str, Out, Length(20)]) -> None: ...
@ph()
def say(what: str) -> None: ...
"""


@pytest.fixture(scope="module", params=EACH_COMPILER)
def danger(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    module = stubbed(tmp_path_factory.mktemp("danger"), request.param, STUBS, danger_f90=DANGER)
    module.counted()
    return module


def _worker(module: Any) -> isolate.Worker:
    return isolate._workers[module.__name__]


def test_arrays_are_changed_as_without_isolation(danger: Any) -> None:
    u = np.zeros(3)
    danger.add(3, u, by=0.5)
    assert u.tolist() == [0.5] * 3
    a = np.arange(48.0).reshape(6, 8)
    expected = a.copy()
    expected[::-2, 1::3] += 1
    danger.shift(a[::-2, 1::3])
    np.testing.assert_array_equal(a, expected)
    danger.shift(a[:0])


def test_results_of_all_sorts_come_back(danger: Any) -> None:
    found = danger.many(2)
    assert (type(found), found.x.tolist(), found.y.tolist(), found[2:]) == (
        danger.Many,
        [[7, 7], [7, 7]],
        [3] * 4,
        ("hello", 2**40),
    )
    assert (found.x.flags.f_contiguous, found.x.flags.owndata, found.y.dtype) == (True, True, np.float32)
    assert danger.many(1).y is None
    large = danger.many(400).x
    assert (large.shape, large.min()) == ((400, 400), 7)


def test_an_out_that_is_given_is_the_one_that_is_returned(danger: Any) -> None:
    x = np.zeros((2, 2), order="F")
    assert danger.many(2, x=x).x is x
    assert x.min() == 7


def test_results_do_not_change_with_the_next_call(danger: Any) -> None:
    first = danger.many(2).x
    second = danger.many(2).x
    danger.shift(second)
    assert first.max() == 7


def test_variables_of_the_module_live_from_call_to_call(danger: Any) -> None:
    before = danger.counted()
    assert danger.counted() == before + 1


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        ("add(4, u)", ValueError, r"argument 'u' of 'add': extent 1 is 3, InOut\[f64\[n\]\] makes it 4"),
        ("add(3, np.zeros(6)[::2])", ValueError, "it is not contiguous in Fortran's order: pass np.array"),
        ("add(3, np.broadcast_to(1.0, 3))", ValueError, "the array is read-only"),
        ("add(3, np.zeros(25, np.int8)[1:].view('f8'))", ValueError, "it is not aligned"),
        ("add(3, u.astype('>f8'))", ValueError, "its byte order is not the machine's"),
        ("add(3, np.array([1, None, 'x']))", TypeError, "an array of object_? was given"),
        ("add(3, np.ma.array([1.0, 2, 3]))", TypeError, "a masked array was given"),
        ("add(lambda: 1, u)", TypeError, "argument 'n' of 'add': function was given, i32 is declared"),
        ("say([object()])", TypeError, "list was given, str is declared"),
        ("say('\ud800')", UnicodeEncodeError, "surrogates not allowed"),
        ("add(3)", TypeError, "'add' needs argument 'u'"),
        ("add(2**40, u)", OverflowError, "argument 'n' of 'add': 1099511627776 does not fit i32"),
        ("add(3, u, v=1)", TypeError, "'add' has no argument 'v'"),
        ("solve(3.0)", py2f.FortranError, "'solve' reported status 3: no convergence"),
    ],
)
def test_errors_are_those_that_there_are_without_isolation(danger: Any, call: str, error: type[Exception], text: str) -> None:
    u = np.zeros(3)
    with pytest.raises(error, match=text):
        eval(call, {**vars(danger), "u": u, "np": np})
    assert not u.any()


def test_classes_that_are_known_here_alone_are_what_they_are_without_isolation(danger: Any) -> None:
    class Count(int):
        pass

    class Index:
        def __index__(self) -> int:
            return 3

    class Wrong:
        def __index__(self) -> int:
            raise ZeroDivisionError

    u, before = np.zeros(3), danger.counted()
    danger.add(Count(3), u)
    danger.add(Index(), u, by=np.float32(2))
    assert u.tolist() == [3.0] * 3
    with pytest.raises(ZeroDivisionError):
        danger.add(Wrong(), u)
    assert danger.counted() == before + 1  # the worker is the same


def test_stubs_that_come_and_go_are_not_confused(tmp_path: Path) -> None:
    text = """
def made(name):
    @ph(isolate=True, name=name)
    def f(x: f64) -> f64: ...
    return f
"""
    functions = "\n".join(
        f"function {f}(x)\n  real(8), intent(in) :: x\n  real(8) :: {f}\n  {f} = {by}*x\nend"
        for f, by in (("one", 1), ("two", 2))
    )
    module = stubbed(
        tmp_path, "gfortran", text, danger_f90=f"module danger\n  implicit none\ncontains\n{functions}\nend module\n"
    )
    assert [module.made(name)(1.0) for name in ("one", "two") * 4] == [1.0, 2.0] * 4


def test_a_copy_is_told_here(danger: Any) -> None:
    u = np.zeros(6)
    with pytest.warns(RuntimeWarning, match="argument 'u' of 'add' is copied") as caught:
        danger.add_warned(3, u[::2])
    assert caught[0].filename == __file__
    assert u.tolist() == [1, 0, 1, 0, 1, 0]
    warnings.simplefilter("error")  # pytest restores the filters
    with pytest.raises(RuntimeWarning):
        danger.add_warned(3, u[::2])
    assert u.tolist() == [1, 0, 1, 0, 1, 0]


@pytest.mark.parametrize(("how", "status"), [(1, 1), (2, 3), (3, -signal.SIGSEGV)])
def test_what_ends_the_procedure_is_an_exception_and_the_next_call_works(danger: Any, how: int, status: int) -> None:
    x = np.zeros(2)
    with pytest.raises(py2f.ProcedureEndedError, match=r"^'fail' ended its process (with exit status|by SIGSEGV)") as caught:
        danger.fail(how, x)
    assert (caught.value.procedure, caught.value.status, x.tolist()) == ("fail", status, [0, 0])
    if how == 1:
        assert "the model is unstable" in caught.value.output
    assert danger.counted() == 1  # a new process
    danger.add(2, x)
    assert x.tolist() == [1, 1]


def test_ctrl_c_ends_the_procedure_and_is_raised_here(danger: Any) -> None:
    danger.counted()
    process, x = _worker(danger).process, np.zeros(1)
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        danger.fail(4, x)
    assert (process.returncode, x[0]) == (-signal.SIGKILL, 0)
    assert danger.counted() == 1


def test_a_worker_that_was_killed_between_calls_is_an_exception_once(danger: Any) -> None:
    danger.counted()
    _worker(danger).process.kill()
    _worker(danger).process.wait()
    with pytest.raises(py2f.ProcedureEndedError, match="'counted' ended its process by SIGKILL"):
        danger.counted()
    assert danger.counted() == 1


def test_threads_take_turns(danger: Any) -> None:
    arrays = [np.zeros(5) for _ in range(6)]

    def work(i: int) -> None:
        for _ in range(50):
            danger.add(5, arrays[i], i + 1.0)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [set(a) for a in arrays] == [{50.0 * (i + 1)} for i in range(6)]


def test_nothing_is_left_in_shared_memory_and_descriptors_are_given_back(danger: Any) -> None:
    danger.counted()
    before, shared = _descriptors(), _shared_memory()
    for _ in range(5):
        with pytest.raises(py2f.ProcedureEndedError):
            danger.fail(1, np.zeros(10000))
        danger.many(100)
    assert _descriptors() == before
    assert _shared_memory() <= shared


def _descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def _shared_memory() -> set[Path]:
    return set(Path("/dev/shm").iterdir())  # noqa: S108  it is what is meant


# ---- processes


def _counted(module: str) -> int:
    return sys.modules[module].counted()


def test_a_forked_process_has_a_worker_of_its_own(danger: Any) -> None:
    danger.counted()
    danger.counted()
    before = _worker(danger).process.pid
    with ProcessPoolExecutor(1, get_context("fork")) as pool:
        assert pool.submit(_counted, danger.__name__).result() == 1
    assert _worker(danger).process.pid == before
    assert danger.counted() >= 3


SCRIPT = (
    HEAD
    + 'ph = functools.partial(pythoncall, source="danger.f90", module="danger")\n'
    + STUBS
    + "import os, sys, time\nfrom py2f.runtime import isolate\n"
)


def _run(folder: Path, text: str, **options: Any) -> subprocess.CompletedProcess[str]:
    (folder / "danger.f90").write_text(DANGER)
    (folder / "script.py").write_text(SCRIPT + text)
    environment = {**{k: v for k, v in os.environ.items() if k != "PYTHONSAFEPATH"}, "FC": "gfortran"}
    return subprocess.run(
        [sys.executable, "script.py"], cwd=folder, env=environment, text=True, timeout=50, check=False, **options
    )


def _gone(pid: int) -> bool:
    for _ in range(100):
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except FileNotFoundError:
            return True
        if state == "Z":
            return True
        time.sleep(0.05)
    return False


@pytest.mark.parametrize("end", ["pass", "os._exit(0)", "os.kill(os.getpid(), 9)", "raise SystemExit(3)"])
def test_no_process_is_left_behind(tmp_path: Path, end: str) -> None:
    done = _run(tmp_path, f"counted()\nprint(isolate._workers['__main__'].process.pid, flush=True)\n{end}\n", capture_output=True)
    assert _gone(int(done.stdout)), done.stderr


def test_no_process_is_left_behind_in_the_middle_of_a_call(tmp_path: Path) -> None:
    text = (
        "import threading\ncounted()\nprint(isolate._workers['__main__'].process.pid, flush=True)\n"
        "threading.Timer(0.3, os._exit, (0,)).start()\nfail(4, np.zeros(1))\n"
    )
    assert _gone(int(_run(tmp_path, text, capture_output=True).stdout))


def test_output_of_fortran_comes_out_here_in_order(tmp_path: Path) -> None:
    done = _run(tmp_path, "print('one', flush=True)\nsay('two')\nprint('three', flush=True)\nsay('four')\n", capture_output=True)
    assert done.stdout.split() == ["one", "two", "three", "four"], done.stderr


def test_it_works_where_standard_streams_are_closed(tmp_path: Path) -> None:
    text = "for fd in (0, 1, 2): os.close(fd)\nsay('nobody hears')\nopen('found', 'w').write(str(counted()))\n"
    _run(tmp_path, text, capture_output=True)
    assert (tmp_path / "found").read_text() == "1"


def test_what_cannot_be_isolated_is_refused(tmp_path: Path) -> None:
    for where, argument in (("host=True", "x: f64"), ("source='a.f90'", "x: Callable[[f64], f64]")):
        with pytest.raises(
            py2f.SignatureError, match=r"stubs_\w+.py:\d+: 'f' cannot be isolated: (the program|a Callable) is in this process"
        ):
            stubbed(
                tmp_path,
                "gfortran",
                f"from typing import Callable\n@pythoncall({where}, isolate=True)\ndef f({argument}) -> None: ...\n",
            )
