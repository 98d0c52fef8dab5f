"""`@pythoncall`: stubs as Python objects, where they may stand, and what a change of a source brings about."""

from __future__ import annotations

import gc
import importlib
import inspect
import os
import pickle
import pydoc
import shutil
import subprocess
import sys
import threading
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from stubs import EACH_COMPILER, imported, ran, stubbed

import py2f

PHYSICS = """\
module physics
  use, intrinsic :: iso_c_binding
  implicit none
  integer :: count = 0
contains
  subroutine add(n, u, by)
    integer, intent(in) :: n
    real(8), intent(inout) :: u(n)
    real(8), intent(in) :: by
    u = u + by
  end subroutine
  integer function counted()
    count = count + 1
    counted = count
  end function
  function doubled(x) result(y)
    real(8), intent(in) :: x(:)
    real(8), allocatable :: y(:)
    y = 2*x
  end function
  subroutine wait_for(seconds)
    real(8), intent(in) :: seconds
    integer(8) :: now, start, rate
    call system_clock(start, rate)
    do
      call system_clock(now)
      if (now - start > seconds*rate) exit
    end do
  end subroutine
  subroutine named(name, said)
    character(len=*), intent(in) :: name
    character(len=:), allocatable, intent(out) :: said
    said = 'Hello, ' // name
  end subroutine
end module
"""
STUBS = """
@ph()
def add(n: i32, u: InOut[f64[n]], by: f64 = 1.0) -> None:
    \"\"\"Add to every element.

    In place.
    \"\"\"
@ph()
def counted() -> i32: ...
@ph()
def doubled(x: f64[:]) -> f64[:]: ...
@ph(nogil=True)
def wait_for(seconds: f64) -> None: ...
@ph(name="wait_for")
def wait_holding(seconds: f64) -> None: ...
@ph()
def named(name: str, said: Out[Allocatable[str]]) -> str: ...
@ph(copy="ok", name="add")
def add_copied(n: i32, u: InOut[f64[n]], by: f64 = 1.0) -> None: ...
class Physics:
    @ph()
    def doubled(x: f64[:]) -> f64[:]: ...
def local():
    @ph()
    def counted() -> i32: ...
    return counted
"""


@pytest.fixture(scope="module", params=EACH_COMPILER)
def physics(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    module = stubbed(tmp_path_factory.mktemp("physics"), request.param, STUBS, physics_f90=PHYSICS)
    module.add(1, np.zeros(1))
    return module


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    os.environ["FC"] = "gfortran"
    return tmp_path


# ---- as objects of Python


def test_a_stub_keeps_name_doc_and_module(physics: Any) -> None:
    assert (physics.add.__name__, physics.add.__qualname__, physics.add.__module__) == ("add", "add", physics.__name__)
    assert inspect.getdoc(physics.add) == "Add to every element.\n\nIn place."
    assert physics.add.__wrapped__.__name__ == "add"
    assert repr(physics.add) == "<Fortran procedure add>"
    assert repr(physics.Physics.doubled) == "<Fortran procedure Physics.doubled>"


def test_a_stub_shows_the_signature_that_python_calls(physics: Any) -> None:
    assert list(inspect.signature(physics.add).parameters) == ["n", "u", "by"]
    assert inspect.signature(physics.add).parameters["by"].default == 1.0
    signature = inspect.signature(physics.named)
    assert [(p.name, p.kind is p.KEYWORD_ONLY) for p in signature.parameters.values()] == [("name", False), ("said", True)]


def test_a_stub_is_helped_with_as_a_function_is(physics: Any) -> None:
    assert inspect.isroutine(physics.add)
    text = pydoc.plain(pydoc.render_doc(physics.add))
    assert "add(n" in text
    assert "Add to every element." in text
    assert "doubled(" in pydoc.plain(pydoc.render_doc(physics.Physics))


def test_a_stub_is_pickled_by_name(physics: Any) -> None:
    assert pickle.loads(pickle.dumps(physics.add)) is physics.add  # noqa: S301  our own
    assert pickle.loads(pickle.dumps(physics.Physics.doubled)) is physics.Physics.doubled  # noqa: S301  our own


def test_a_stub_carries_attributes_and_may_be_referred_to_weakly(physics: Any) -> None:
    import weakref

    physics.add.unit = "m"
    assert (physics.add.unit, weakref.ref(physics.add)() is physics.add) == ("m", True)
    assert hash(physics.add) == hash(physics.add)


def test_a_stub_in_a_class_is_called_like_a_static_method(physics: Any) -> None:
    assert physics.Physics.doubled(np.ones(2)).tolist() == [2, 2]
    assert physics.Physics().doubled(np.ones(2)).tolist() == [2, 2]


def test_a_stub_in_a_function_calls_the_same_library(physics: Any) -> None:
    first = physics.counted()
    assert [physics.local()() for _ in range(2)] == [first + 1, first + 2]


def test_two_results_of_a_function_are_two_arrays(physics: Any) -> None:
    x, y = physics.doubled(np.ones(3)), physics.doubled(np.zeros(3))
    assert (x.tolist(), y.tolist()) == ([2, 2, 2], [0, 0, 0])


# ---- the GIL, threads, memory


def _ticks(call: Any) -> int:
    ticks, stop = 0, threading.Event()

    def tick() -> None:
        nonlocal ticks
        while not stop.is_set():
            ticks += 1
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    before = ticks
    call(0.4)
    during = ticks - before
    stop.set()
    thread.join()
    return during


def test_other_threads_run_during_a_call_without_the_gil_and_only_then(physics: Any) -> None:
    assert _ticks(physics.wait_for) >= 50
    assert _ticks(physics.wait_holding) <= 5


def test_threads_with_arrays_of_their_own_do_not_meet(physics: Any) -> None:
    arrays = [np.zeros(50) for _ in range(8)]

    def work(i: int) -> None:
        for _ in range(300):
            physics.add(50, arrays[i], i + 1.0)
            assert physics.named(f"thread {i}") == f"Hello, thread {i}"

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [set(a) for a in arrays] == [{300.0 * (i + 1)} for i in range(8)]


def test_memory_stays_flat_over_many_calls(physics: Any) -> None:
    block, x = np.zeros(20000), np.ones(100)

    def burst(calls: int) -> None:
        for i in range(calls):
            physics.add(5, block[i % 10000 : i % 10000 + 5], by=0.5)
            physics.add_copied(5, block[i % 10000 : i % 10000 + 10 : 2])
            physics.doubled(x)
            physics.named("x" * 100)
            for wrong in (x[::2], np.float32(1), block[:4]):
                with pytest.raises((TypeError, ValueError)):
                    physics.add(50 if wrong is not x else 100, wrong)

    burst(2000)
    gc.collect()
    before = _resident()
    burst(15000)
    assert _resident() - before < 1500


def _resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4  # KiB


# ---- where modules are


def test_a_stub_may_stand_in_a_script(folder: Path) -> None:
    (folder / "physics.f90").write_text(PHYSICS)
    script = (
        "from __future__ import annotations\nimport numpy as np\nfrom py2f import *\n"
        "@pythoncall(source='physics.f90', module='physics')\ndef add(n: i32, u: InOut[f64[n]], by: f64) -> None: ...\n"
        "if __name__ == '__main__':\n    u = np.zeros(2)\n    add(2, u, 1.5)\n    print(u)\n"
    )
    assert ran(folder, script).stdout == "[1.5 1.5]\n"


def test_a_path_may_have_blanks_and_letters_of_all_alphabets(folder: Path) -> None:
    module = stubbed(folder / "mein größter Ordner, 'x' 物理", "gfortran", STUBS, physics_f90=PHYSICS)
    assert module.doubled(np.ones(1)) == [2]
    other = folder / "mein größter Ordner, 'x' 物理" / "physik 物理.f90"
    other.write_text(PHYSICS)
    script = other.parent / "other_stubs.py"
    script.write_text(
        f"from __future__ import annotations\nfrom py2f import *\n@pythoncall(source={other.name!r}, module='physics')\ndef counted() -> i32: ...\n"
    )
    assert imported(script).counted() == 1


def test_two_modules_with_the_same_source_share_its_variables(folder: Path) -> None:
    first = stubbed(folder, "gfortran", STUBS, physics_f90=PHYSICS)
    second = stubbed(folder, "gfortran", "@ph()\ndef counted() -> i32: ...", physics_f90=PHYSICS)
    before = first.counted()
    assert [second.counted(), first.counted()] == [before + 1, before + 2]


def test_a_reloaded_module_sees_the_source_of_now(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(folder)
    module = stubbed(folder, "gfortran", "@ph()\ndef doubled(x: f64[:]) -> f64[:]: ...", physics_f90=PHYSICS)
    assert module.doubled(np.ones(1)) == [2]
    (folder / "physics.f90").write_text(PHYSICS.replace("y = 2*x", "y = 3*x"))
    assert module.doubled(np.ones(1)) == [2]  # until it is asked for
    assert importlib.reload(module).doubled(np.ones(1)) == [3]


def test_a_process_pool_calls_stubs(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By fork, where the library is open already, and by spawn, where each process finds it in the cache."""
    module = stubbed(folder, "gfortran", STUBS, physics_f90=PHYSICS)
    module.doubled(np.ones(1))
    monkeypatch.syspath_prepend(folder)
    for method in ("fork", "spawn"):
        with ProcessPoolExecutor(2, get_context(method)) as pool:
            assert [y.tolist() for y in pool.map(module.doubled, [np.ones(1), np.zeros(2)])] == [[2], [0, 0]]


SAY = (
    "from __future__ import annotations\nimport os\nfrom py2f import *\n"
    "@pythoncall(source='say.f90', module='say')\ndef say_it(what: str) -> None: ...\n"
)
SAY_F90 = "module say\ncontains\n  subroutine say_it(what)\n    character(len=*), intent(in) :: what\n    print '(a)', what\n  end subroutine\nend module\n"


def test_python_and_fortran_print_in_order_under_a_pipe(folder: Path) -> None:
    (folder / "say.f90").write_text(SAY_F90)
    done = ran(
        folder,
        SAY
        + "for i in range(3):\n    print('Python', i)\n    say_it(f'Fortran {i}')\nprint(os.environ.get('GFORTRAN_UNBUFFERED_PRECONNECTED'))\n",
    )
    assert done.stdout.splitlines() == [f"{who} {i}" for i in range(3) for who in ("Python", "Fortran")] + ["None"]


def test_python_and_fortran_print_in_order_into_a_file_unless_the_user_wants_buffers(folder: Path) -> None:
    (folder / "say.f90").write_text(SAY_F90)
    (folder / "script.py").write_text(SAY + "for i in range(2):\n    print('Python', i)\n    say_it(f'Fortran {i}')\n")
    for chosen, expected in ({}, "PFPF"), ({"GFORTRAN_UNBUFFERED_PRECONNECTED": "n"}, "PPFF"):
        environment = {k: v for k, v in os.environ.items() if k != "PYTHONSAFEPATH"} | chosen
        with (folder / "said").open("w") as said:
            subprocess.run([sys.executable, "script.py"], cwd=folder, env=environment, stdout=said, check=True)
        assert "".join(line[0] for line in (folder / "said").read_text().splitlines()) == expected


def test_output_need_not_go_to_a_stream(folder: Path) -> None:
    (folder / "say.f90").write_text(SAY_F90)
    assert ran(folder, SAY + "import sys\nsys.stdout = None\nsay_it('Fortran')\n").stdout == "Fortran\n"


# ---- sources


def test_another_process_finds_what_was_built(folder: Path) -> None:
    (folder / "physics.f90").write_text(PHYSICS)
    script = (
        "from __future__ import annotations\nfrom py2f import *\nimport py2f.pipeline as p\n"
        "@pythoncall(source='physics.f90', module='physics')\ndef counted() -> i32: ...\n"
        "made = []\nbefore = p.compile_sources\n"
        "p.compile_sources = lambda *a: (made.append(1), before(*a))[1]\nprint(counted(), len(made))\n"
    )
    environment = {"PY2F_CACHE_DIR": str(folder / "cache")}
    assert [ran(folder, script, **environment).stdout for _ in range(3)] == ["1 2\n", "1 0\n", "1 0\n"]


def test_a_compiler_is_found_where_there_is_no_path(folder: Path) -> None:
    (folder / "physics.f90").write_text(PHYSICS)
    script = "from stubs_of import counted\nprint(counted())\n"
    (folder / "stubs_of.py").write_text(
        "from __future__ import annotations\nfrom py2f import *\n"
        "@pythoncall(source='physics.f90', module='physics')\ndef counted() -> i32: ...\n"
    )
    (folder / "script.py").write_text(script)
    done = subprocess.run(
        [sys.executable, "script.py"],
        cwd=folder,
        env={"PY2F_CACHE_DIR": str(folder / "cache")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.stderr) == ("1\n", "")


SCALE = """\
module scale
  use factors, only: factor
  implicit none
contains
  real(8) function scaled(x)
    real(8), intent(in) :: x
    include 'parts/formula.inc'
  end function
end module
"""
FACTORS = "module factors\n  implicit none\n  real(8), parameter :: factor = 2\nend module\n"
TWO = (
    "from __future__ import annotations\nfrom py2f import *\n"
    "@pythoncall(source=['scale.f90', 'lib/factors.f90'], module='scale')\ndef scaled(x: f64) -> f64: ...\n"
)


def _scaled(folder: Path) -> str:
    return ran(folder, TWO + "print(scaled(3.0))").stdout.strip()


@pytest.fixture
def scale(folder: Path) -> Path:
    for name in ("lib", "parts"):
        (folder / name).mkdir()
    (folder / "scale.f90").write_text(SCALE)
    (folder / "lib" / "factors.f90").write_text(FACTORS)
    (folder / "parts" / "formula.inc").write_text("    scaled = factor*x\n")
    return folder


def test_several_sources_in_any_order_and_folder_make_one_library(scale: Path) -> None:
    assert _scaled(scale) == "6.0"


def test_a_change_of_a_used_module_is_seen(scale: Path) -> None:
    _scaled(scale)
    (scale / "lib" / "factors.f90").write_text(FACTORS.replace("= 2", "= 5"))
    assert _scaled(scale) == "15.0"


def test_a_change_of_an_included_file_is_seen(scale: Path) -> None:
    _scaled(scale)
    (scale / "parts" / "formula.inc").write_text("    scaled = factor*x + 1\n")
    assert _scaled(scale) == "7.0"


def test_an_included_file_may_be_elsewhere(scale: Path) -> None:
    inner = scale / "inner"
    inner.mkdir()
    (scale / "scale.f90").rename(inner / "scale.f90")
    (inner / "scale.f90").write_text(SCALE.replace("parts/", "../parts/"))
    text = TWO.replace("'scale.f90'", "'inner/scale.f90'") + "print(scaled(3.0))"
    assert ran(scale, text).stdout.strip() == "6.0"
    (scale / "parts" / "formula.inc").write_text("    scaled = factor*x + 1\n")
    assert ran(scale, text).stdout.strip() == "7.0"


def test_a_change_of_what_the_preprocessor_includes_is_seen(folder: Path) -> None:
    (folder / "pre.F90").write_text(
        '#include "value.h"\nmodule pre\n  implicit none\ncontains\n  integer function value()\n    value = VALUE_\n  end function\nend module\n'
    )
    text = "from __future__ import annotations\nfrom py2f import *\n@pythoncall(source='pre.F90', module='pre')\ndef value() -> i32: ...\nprint(value())"
    for number in ("1", "2"):
        (folder / "value.h").write_text(f"#define VALUE_ {number}\n")
        assert ran(folder, text).stdout.strip() == number


def test_a_mod_file_of_an_earlier_build_is_never_used(scale: Path) -> None:
    old = scale / "old.f90"
    old.write_text(FACTORS.replace("= 2", "= 7"))
    subprocess.run(["gfortran", "-c", "old.f90"], cwd=scale, check=True)
    assert _scaled(scale) == "6.0"
    done = ran(scale, TWO.replace(", 'lib/factors.f90'", "") + "print(scaled(3.0))", check=False)
    assert (done.returncode, "factors" in done.stderr) == (1, True)


def test_a_module_that_was_compiled_elsewhere_is_found_in_includes(scale: Path) -> None:
    text = TWO.replace(", 'lib/factors.f90'", "").replace("module=", "includes=['mods'], module=") + "print(scaled(3.0))"
    (scale / "mods").mkdir()
    for factor, expected in (("2", "6.0"), ("4", "12.0")):
        (scale / "other.f90").write_text(FACTORS.replace("= 2", f"= {factor}"))
        subprocess.run(["gfortran", "-c", "../other.f90"], cwd=scale / "mods", check=True)
        assert ran(scale, text).stdout.strip() == expected


def test_a_change_of_a_source_is_seen_by_the_next_process(folder: Path) -> None:
    text = "from __future__ import annotations\nfrom py2f import *\n@pythoncall(source='physics.f90', module='physics')\ndef doubled(x: f64[:]) -> f64[:]: ...\nimport numpy as np\nprint(doubled(np.ones(1)))"
    for by, expected in (("2*x", "[2.]"), ("3*x  ! a comment", "[3.]"), ("3*x", "[3.]")):
        (folder / "physics.f90").write_text(PHYSICS.replace("2*x", by))
        assert ran(folder, text).stdout.strip() == expected


FIXED = """\
C     OLD BUT GOOD
      SUBROUTINE SAXPY2(N, A, X, INCX, Y)
      INTEGER N, INCX
      REAL A, X(*), Y(*)
      INTEGER I
      DO 10 I = 1, N
   10 Y(I) = Y(I) + A*X(1 +
     1   (I - 1)*INCX)
      END
      DOUBLE PRECISION FUNCTION HALF(X)
      DOUBLE PRECISION X
      HALF = X/2
      END
"""
OLD = """
@pythoncall(source="old.f")
def saxpy2(n: i32, a: f32, x: f32[:], incx: i32, y: InOut[f32[:]]) -> None: ...
@pythoncall(source="old.f", name="HALF")
def by_two(x: f64) -> f64: ...
"""


def test_external_procedures_of_a_file_in_fixed_form_are_called(folder: Path, compiler: str) -> None:
    old = stubbed(folder, compiler, OLD, old_f=FIXED)
    y = np.ones(2, np.float32)
    old.saxpy2(2, 2.0, np.arange(4, dtype=np.float32), 2, y)
    assert (y.tolist(), old.by_two(3.0)) == ([1, 5], 1.5)


def test_a_flag_that_changes_kinds_is_an_error_and_no_wrong_number(folder: Path) -> None:
    module = stubbed(folder, "gfortran -fdefault-integer-8", "@ph()\ndef counted() -> i32: ...", physics_f90=PHYSICS)
    with pytest.raises(py2f.StubError, match="'counted': the Fortran compiler finds that the stub is not what the procedure is:"):
        module.counted()


LIBRARY = """\
subroutine scale_it(n, x, by) bind(c, name="scale_it")
  use, intrinsic :: iso_c_binding
  integer(c_int), value :: n
  real(c_double), intent(inout) :: x(n)
  real(c_double), value :: by
  x = by*x
end subroutine
function lengthy(n, x) result(r) bind(c)
  use, intrinsic :: iso_c_binding
  integer(c_int), value :: n
  real(c_double), intent(in) :: x(n)
  real(c_double) :: r
  r = sqrt(sum(x**2))
end function
subroutine mangled(x)
  real(8), intent(inout) :: x
  x = x + 1
end subroutine
subroutine shaped(x) bind(c)
  use, intrinsic :: iso_c_binding
  real(c_double), intent(inout) :: x(:, :)
  x = x + 1
end subroutine
"""
OF_LIBRARY = """
lib = functools.partial(pythoncall, library="./libold.so")
@lib()
def scale_it(n: Value[i32], x: InOut[f64[n]], by: Value[f64]) -> None: ...
@lib()
def lengthy(n: Value[i32], x: f64[n]) -> f64: ...
@lib()
def mangled(x: InOut[f64]) -> None: ...
@lib()
def shaped(x: InOut[f64[:, :]]) -> None: ...
"""


def test_procedures_of_a_library_are_called_by_symbol(folder: Path, compiler: str) -> None:
    (folder / "old.f90").write_text(LIBRARY)
    subprocess.run([compiler, "-shared", "-fPIC", "old.f90", "-o", "libold.so"], cwd=folder, check=True)
    module = stubbed(folder, compiler, OF_LIBRARY)
    x = np.array([3.0, 4.0])
    module.scale_it(2, x, 2.0)
    number, matrix = np.array(1.0), np.zeros((2, 6))
    module.mangled(number)
    module.shaped(matrix[:, ::-2])
    assert (x.tolist(), module.lengthy(2, x), number[()], matrix.sum()) == ([6, 8], 10, 2, 6)


def test_a_library_in_the_loaders_path_is_found_by_name() -> None:
    if (
        not shutil.which("ldconfig")
        or "libm.so.6" not in subprocess.run(["ldconfig", "-p"], capture_output=True, text=True, check=False).stdout
    ):
        pytest.skip("there is no libm.so.6 here")
    module = stubbed(
        Path(os.environ["PY2F_CACHE_DIR"]).parent / "libm",
        "gfortran",
        '@pythoncall(library="libm.so.6")\ndef fabs(x: Value[f64]) -> f64: ...',
    )
    assert module.fabs(-27.0) == 27


def test_a_module_of_a_library_is_verified_by_its_mod_file(folder: Path) -> None:
    (folder / "physics.f90").write_text(PHYSICS)
    subprocess.run(["gfortran", "-shared", "-fPIC", "physics.f90", "-o", "libphysics.so"], cwd=folder, check=True)
    text = '@pythoncall(library="./libphysics.so", module="physics", includes=["."])\ndef add(n: i32, u: InOut[{kind}[n]], by: f64) -> None: ...'
    u = np.zeros(2)
    stubbed(folder, "gfortran", text.format(kind="f64")).add(2, u, 1.0)
    assert u.tolist() == [1, 1]
    with pytest.raises(py2f.StubError, match=r"(?s)'add': the Fortran compiler finds.*REAL\(4\)/REAL\(8\)"):
        stubbed(folder, "gfortran", text.format(kind="f32")).add(2, u.astype("f4"), 1.0)


def test_what_python_cannot_hold_is_named_with_its_reason(folder: Path) -> None:
    source = "module m\n  implicit none\n  type t\n    real(8) :: x\n  end type\ncontains\n  subroutine s(a)\n    type(t), intent(inout) :: a(:)\n    a%x = 0\n  end subroutine\nend module\n"
    module = stubbed(folder, "gfortran", "@ph()\ndef s(a: InOut[f64[:]]) -> None: ...", m_f90=source)
    with pytest.raises(py2f.StubError, match=r"m.f90:7 cannot be called: argument 'a': derived type t"):
        module.s(np.zeros(1))


def test_sources_may_need_libraries(tmp_path: Path) -> None:
    """By path, from the stub's folder, and by name; without it the linker says what is missing."""
    (tmp_path / "low.f90").write_text(
        "function low(x) result(r)\nreal(8), intent(in) :: x\nreal(8) :: r\nr = 3*x\nend function\n"
    )
    subprocess.run(["gfortran", "-shared", "-fPIC", "low.f90", "-o", "liblow.so"], cwd=tmp_path, check=True)
    source = "function high(x) result(r)\nreal(8), intent(in) :: x\nreal(8) :: r\nreal(8), external :: low\nr = low(x) + 1\nend function\n"
    stub = '@pythoncall(source="high.f90", links=[{}])\ndef high(x: f64) -> f64: ...\n'
    module = stubbed(tmp_path, "gfortran", stub.format('"./liblow.so", "m"'), high_f90=source)
    assert module.high(2.0) == 7.0
    missing = stubbed(tmp_path, "gfortran", stub.format(""), high_f90=source)
    with pytest.raises(missing.BuildError, match="undefined reference to `low_'"):
        missing.high(2.0)


def test_directives_are_not_passed_over(tmp_path: Path) -> None:
    """The compiler ignores them in a file of such a name, and compiles what stands in both branches."""
    source = "function f() result(r)\ninteger :: r\n#ifdef __GFORTRAN__\nr = 5\n#else\nr = 6\n#endif\nend function\n"
    stub = '@pythoncall(source="f.{}")\ndef f() -> i32: ...\n'
    refused = stubbed(tmp_path, "gfortran", stub.format("f90"), f_f90=source)
    with pytest.raises(refused.SourceError) as raised:
        refused.f()
    assert str(raised.value) == f"{tmp_path}/f.f90:3: directives need a preprocessor: call the file f.F90"
    assert stubbed(tmp_path, "gfortran", stub.format("F90"), f_F90=source).f() == 5


def test_an_external_procedure_of_a_library_takes_no_descriptor(tmp_path: Path) -> None:
    """Without a source nobody knows better; what it did with a descriptor would be silently wrong."""
    (tmp_path / "low.f90").write_text(
        "subroutine low(n, x)\ninteger, intent(in) :: n\nreal(8), intent(inout) :: x(*)\nx(:n) = 2\nend\n"
    )
    subprocess.run(["gfortran", "-shared", "-fPIC", "low.f90", "-o", "liblow.so"], cwd=tmp_path, check=True)
    stub = '@pythoncall(library="./liblow.so")\ndef low(n: i32, x: InOut[f64[{}]]) -> None: ...\n'
    refused = stubbed(tmp_path, "gfortran", stub.format(":"))
    with pytest.raises(refused.StubError) as raised:
        refused.low(1, np.zeros(1))
    assert str(raised.value) == (
        f"{refused.__file__}:7: argument 'x' of 'low': InOut[f64[:]] is a descriptor, and external procedures take addresses: "
        "write its extents, as in f64[n]"
    )
    x = np.zeros(2)
    stubbed(tmp_path, "gfortran", stub.format("n")).low(2, x)
    assert x.tolist() == [2.0, 2.0]


def test_fields_may_be_as_long_as_an_argument_that_is_called_like_a_builtin(tmp_path: Path) -> None:
    """As those of exported functions may."""
    source = "subroutine f(len, x)\ninteger, intent(in) :: len\nreal(8), intent(out) :: x(len)\nx = 2\nend subroutine\n"
    stub = (
        "class Made(NamedTuple):\n    x: f64[len]\n\n\n"
        '@pythoncall(source="f.f90")\ndef f(len: i32, x: Out[f64[len]]) -> Made: ...\n'
    )
    assert stubbed(tmp_path, "gfortran", stub, f_f90=source).f(2).x.tolist() == [2.0, 2.0]
