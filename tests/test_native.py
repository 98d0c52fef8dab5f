"""Native functions: Fortran calls machine code, and gets the same results as from Python."""

from __future__ import annotations

import itertools
import os
from typing import TYPE_CHECKING

import pytest
from programs import run

if TYPE_CHECKING:
    from programs import Project

HEAD = """\
import numpy as np

from py2f import In, InOut, Out, b8, b32, c32, c64, export_to_fortran, f32, f64, i8, i16, i32, i64

NATIVE = True
"""
PYTHON = {"NUMBA_DISABLE_JIT": "1"}

# ---- the same results

KINDS = "i8 i16 i32 i64 f32 f64 c32 c64 b8 b32".split()
RANKS = [*((kind, 2) for kind in KINDS), ("f64", 1), ("f64", 3), ("i16", 6), ("b32", 1), ("b32", 3)]
FEW = [("f32", 2), ("c32", 1), ("i8", 2), ("b32", 2)]  # numba takes half a second for each
FORTRAN = {
    **{f"i{8 * n}": f"integer(c_int{8 * n}_t)" for n in (1, 2, 4, 8)},
    "f32": "real(c_float)",
    "f64": "real(c_double)",
    "c32": "complex(c_float_complex)",
    "c64": "complex(c_double_complex)",
    "b8": "logical(c_bool)",
    "b32": "logical",
}


def _function(kind: str, rank: int) -> str:
    """Read an array, write a second and a third of other strides, a scalar; return a value."""
    array = f"{kind}[{', '.join(':' * rank)}]"
    logical = kind.startswith("b")
    add = "y[at] != x[at]" if logical else "y[at] + x[at]"
    last = "s" if logical else "s + s" if kind[0] in "ic" else "s / 3.0"
    return f"""
@export_to_fortran(native=NATIVE)
def {kind}_{rank}(x: In[{array}], y: InOut[{array}], s: {kind}, z: Out[{array}], seen: InOut[{kind}]) -> {kind}:
    for at in np.ndindex(x.shape):
        y[at] = {add}
        z[at] = x[at]
    z[...] = z[::-1]
    seen[()] = s
    return {last}
"""


SECTIONS = {  # whole, with a stride, backwards, one row, none; then the second dimension backwards, and both with strides
    1: (":", "1:5:2", "5:1:-2", "3:3", "3:2"),
    2: (":, :", "1:5:2, :", "5:1:-2, :", "3:3, :", "3:2, :", ":, 4:1:-1", "4:2:-1, 1:4:3"),
}
VALUES = {"i": "int(mod(k, 11) - 4, kind({0}))", "f": "real(k, kind({0})) / 7 - 2", "c": "cmplx(k, -k, kind({0})) / 7"}
VALUES["b"] = "logical(mod(k, 3) == 0, kind({0}))"


def _calls(kind: str, rank: int) -> list[str]:
    """Each section, then sections of three layouts in one call."""
    name, rest = f"{kind}_{rank}", ", :" * max(0, rank - 2)
    sections = [(f"({section}{rest})",) * 3 for section in SECTIONS[min(rank, 2)]]
    sections.append(tuple(f"({part}{', :' * (rank - 1)})" for part in ("1:2", "5:3:-2", "2:3")))
    value = VALUES[kind[0]].format(f"{name}_s")
    rows = []
    for x, y, z in sections:
        rows += [f"{name}_x = reshape([({value}, k=1, size({name}_x))], shape({name}_x))"]
        rows += [f"{name}_y = {name}_x", f"{name}_z = {name}_x", f"{name}_s = {name}_x({', '.join('2' * rank)})"]
        rows += [f"{name}_r = {name}({name}_x{x}, &", f"{name}_y{y}, {name}_s, {name}_z{z}, {name}_t)"]
        rows += [f"print *, '{name}{y}', {name}_r, {name}_t, {name}_y, {name}_z"]
    return rows


def _program(ranks: list[tuple[str, int]]) -> str:
    declared = []
    for kind, rank in ranks:
        shape, name = ", ".join(["5", "4", "3", *["2"] * 9][:rank]), f"{kind}_{rank}"
        declared += [
            f"{FORTRAN[kind]}, dimension({shape}) :: {name}_x, {name}_y, {name}_z",
            f"{FORTRAN[kind]} :: {name}_s, {name}_t, {name}_r",
        ]
    body = [row for kind, rank in ranks for row in [f"{kind}_{rank}_t = {kind}_{rank}_s", *_calls(kind, rank)]]
    head = ["program main", "use, intrinsic :: iso_c_binding", "use model_py", "implicit none", "integer :: k"]
    return "\n".join([*head, *declared, *body, "end program main", ""])


def test_every_kind_rank_and_layout_is_as_in_python(project: Project, compiler: str) -> None:
    """One executable runs three times: with machine code, in Python by numba's own switch, and with functions that are not native."""
    project.compiler = compiler
    ranks = RANKS if compiler == "gfortran" else FEW
    project.write(model_py=HEAD + "".join(itertools.starmap(_function, ranks)), main_f90=_program(ranks)).export()
    project.compile()
    native, python = project.run(), project.run(env=PYTHON)
    assert (native.stderr, native.returncode) == ("", 0)
    assert len(native.stdout.splitlines()) >= 5 * len(ranks)
    assert native.stdout.splitlines() == python.stdout.splitlines()
    module = project.folder / "model.py"
    text = module.read_text(encoding="utf-8")
    try:
        module.write_text(text.replace("NATIVE = True", "NATIVE = False"), encoding="utf-8")
        assert project.run().stdout == native.stdout
    finally:
        module.write_text(text, encoding="utf-8")


def test_calls_are_native(project: Project) -> None:
    """That would be hard to see in results: the module's function is gone by the second call, machine code does not mind."""
    model = (
        HEAD
        + """
@export_to_fortran
def spoil() -> None:
    add.__code__ = (lambda x: -1.0).__code__


@export_to_fortran(native=True)
def add(x: f64) -> f64:
    return x + 1.0
"""
    )
    main = "use model_py\n print '(f4.1)', add(1d0)\n call spoil()\n print '(f4.1)', add(1d0)\nend\n"
    project.write(model_py=model, main_f90=main)
    assert project.go().stdout.split() == ["2.0", "2.0"]
    assert project.run(env=PYTHON).stdout.split() == ["2.0", "-1.0"]


# ---- errors

FAILING = (
    HEAD
    + """
@export_to_fortran(native=True)
def small(x: In[f64[:]], which: i32) -> i8:
    if which == 1:
        raise ValueError("there are", which, "reasons")
    if which == 2:
        return 1 // (which - 2)
    return int(x[which])


class OwnError(Exception):
    pass


@export_to_fortran(native=True)
def own(x: f64) -> f32:
    if x < 0.0:
        raise OwnError("too cold")
    return x


@export_to_fortran(native=True)
def wide(x: c64) -> c32:
    return x * x


@export_to_fortran(native=True)
def nothing(mask: InOut[b32[:]]) -> None:
    mask[0] = ~mask[1]
    if mask.size > 2:
        raise RuntimeError("masked")
"""
)
FAILING_MAIN = """\
program main
  use, intrinsic :: iso_c_binding
  use model_py
  use py2f, only: py2f_traceback
  implicit none
  real(c_double) :: x(3) = [1d0, 300d0, -7d0]
  real(c_double), allocatable :: none(:)
  character(len=80) :: message = "untouched"
  logical :: mask(3)
  integer :: raw(3)
  equivalence (mask, raw)
  integer :: stat, i
  integer(c_int8_t) :: r
  real(c_float) :: s
  complex(c_float_complex) :: z
  do i = 0, 3
    r = small(x, i, stat=stat, errmsg=message)
    print '(i0, 1x, i0, 1x, a)', r, stat, trim(message)
  end do
  r = small(x, 12, stat=stat, errmsg=message)
  print '(i0, 1x, i0, 1x, a)', r, stat, trim(message)
  r = small(x(2:), 0, stat=stat, errmsg=message)
  print '(i0, 1x, i0, 1x, a)', r, stat, trim(message)
  s = own(-1d0, stat=stat, errmsg=message)
  print '(i0, 1x, i0, 1x, a)', int(s), stat, trim(message)
  print '(l1)', index(py2f_traceback(), "OwnError: too cold") > 0
  s = own(1d300, stat=stat, errmsg=message)
  print '(i0, 1x, i0, 1x, a)', int(s), stat, trim(message)
  z = wide(cmplx(2d0**70, 0, c_double), stat=stat, errmsg=message)
  print '(i0, 1x, a)', stat, trim(message)
  raw = [768, 0, 1]  ! as memory that was never set may be
  call nothing(mask, stat=stat, errmsg=message)
  print '(i0, 1x, a, 3i3)', stat, trim(message), raw
  call own_way()
contains
  subroutine own_way()
    s = own(-1d0)
  end subroutine own_way
end program main
"""


def test_errors_reach_stat_and_errmsg_as_those_of_python(project: Project, compiler: str) -> None:
    """Type and text of whatever numba code raises, results that do not fit, and the end of the job."""
    project.compiler = compiler
    done = project.write(model_py=FAILING, main_f90=FAILING_MAIN).go()
    assert done.stdout.splitlines() == [
        "1 0 untouched",
        "0 4 ValueError: ('there are', 1, 'reasons')",
        "0 4 ZeroDivisionError: integer division by zero",
        "0 4 IndexError: index is out of bounds",
        "0 4 IndexError: index is out of bounds",
        "0 3 'small' returned 300 (int), which does not fit i8",
        "0 4 OwnError: too cold",
        "T",
        "0 3 'own' returned 1e+300 (float), which does not fit f32",
        "3 'wide' returned (1.393796574908164e+42+0j) (complex), which does not fit c32",
        "4 RuntimeError: masked  1  0  1",
    ]
    assert done.returncode
    assert "py2f: model_py:own: OwnError: too cold" in done.stderr


def test_memory_that_is_not_allocated_is_an_error(project: Project) -> None:
    """As gfortran hands it over: extents of whatever, and an address that is null or an offset from it."""
    model = (
        HEAD + "\n@export_to_fortran(native=True)\ndef first(x: InOut[f64[:]], y: In[f64[:]]) -> f64:\n    return x[0] + y[0]\n"
    )
    main = """\
program main
  use, intrinsic :: iso_c_binding
  use model_py
  implicit none
  real(c_double), pointer :: wrong(:)
  real(c_double) :: right(2) = 1, r
  character(len=80) :: message
  integer :: stat
  call c_f_pointer(transfer(16_c_intptr_t, c_null_ptr), wrong, [2])
  r = first(right, wrong, stat=stat, errmsg=message)
  print '(i0, 1x, a)', stat, trim(message)
end program main
"""
    done = project.write(model_py=model, main_f90=main).go()
    assert done.stdout == "4 ValueError: argument 'y' of 'first' is not allocated\n"


# ---- what is refused

BEYOND = {  # the body; how the message begins; what else is in it
    "imports": (
        "def f(x: f64) -> f64:\n    import json\n    return float(json.dumps(x))",
        "'f' is native, and numba does not compile it:\n  Use of unsupported opcode (IMPORT_NAME) found.",
    ),
    "calls what numba does not know": (
        "def f(x: f64) -> f64:\n    open('file')\n    return x",
        "'f' is native, and numba does not compile it:\n  Untyped global name 'open': Cannot determine Numba type",
    ),
    "calls a native function": (
        "def g(x: f64) -> f64:\n    return x\n\n@export_to_fortran(native=True)\ndef f(x: f64) -> f64:\n    return g(x)",
        "'f' is native, and numba does not compile it:\n  Untyped global name 'g': Cannot determine Numba type",
    ),
    "writes what is In": (
        "def f(x: In[f64[:]]) -> None:\n    x[0] = 1.0",
        "'f' is native, and numba does not compile it:\n  No implementation of function Function(<built-in function setitem>) found",
    ),
    "needs a dense array": (
        "def f(x: In[f64[:, :]]) -> f64:\n    return x.reshape(x.size)[0]",
        "'f' is native, and numba does not compile it:\n  - Resolution failure for literal arguments:\n  reshape() supports contiguous array only",
    ),
    "keyword only": (
        "def f(*, x: f64) -> f64:\n    return x",
        "argument 'x' of 'f': a native function takes no keyword-only arguments; leave native=True out",
    ),
    "returns a float": ("def f(x: f64) -> i32:\n    return x", "'f' returns float64, as numba sees it, i32 is declared"),
    "returns nothing": ("def f(x: f64) -> f64:\n    x += 1", "'f' returns none, as numba sees it, f64 is declared"),
    "returns something": ("def f(x: f64) -> None:\n    return x", "'f' returns float64, as numba sees it, None is declared"),
    "returns sometimes": (
        "def f(x: f64) -> f64:\n    if x > 1:\n        return x",
        "'f' returns OptionalType(float64), as numba sees it, f64 is declared",
    ),
}


@pytest.mark.parametrize("case", BEYOND)
def test_what_numba_does_not_compile_is_an_error_at_the_export(project: Project, case: str) -> None:
    """Which names file and line of the function, and says what numba says."""
    body, message = BEYOND[case]
    project.write(model_py=f"{HEAD}\n@export_to_fortran(native=True)\n{body}\n")
    done = project.export(check=False)
    assert done.returncode == 1
    line = 8 + body.partition("def f")[0].count("\n")
    assert done.stderr.startswith(f"py2f: {project.folder}/model.py:{line}: {message}")
    assert "Traceback" not in done.stderr
    assert ("must be marked Out or InOut" in done.stderr) == (case == "writes what is In")
    assert ("must be decorated with @numba.njit" in done.stderr) == (case == "calls a native function")
    assert not (project.folder / "build").exists()


def test_native_functions_call_each_other_and_themselves(project: Project) -> None:
    """With numba's decorator below ours."""
    model = (
        f"{HEAD}import numba\n\n@export_to_fortran(native=True)\n@numba.njit\ndef fibonacci(n: i32) -> i32:\n"
        "    if n < 2:\n        return n\n    return fibonacci(n - 1) + fibonacci(n - 2)\n\n"
        "@export_to_fortran(native=True)\ndef twice(n: i32) -> i32:\n    return 2 * fibonacci(n)\n"
    )
    main = "use model_py\n print '(2i4)', fibonacci(10), twice(10)\nend\n"
    assert project.write(model_py=model, main_f90=main).go().stdout == "  55 110\n"


def test_numba_that_is_missing_is_said_at_the_export_and_at_the_call(project: Project) -> None:
    """Where, and what to install."""
    model = HEAD + "\n@export_to_fortran(native=True)\ndef f(x: f64) -> f64:\n    return x\n"
    main = "use model_py\n character(400) :: m\n integer :: s\n print *, f(1d0, stat=s, errmsg=m)\n print '(i0,1x,a)', s, trim(m)\nend\n"
    project.write(model_py=model, main_f90=main).export()
    project.compile()
    (project.folder / "numba.py").write_text("raise ImportError('no numba here')\n")
    said = f"{project.folder}/model.py:8: 'f' is native, and numba does not import in {project.python} (no numba here): install py2f[numba]"
    assert project.run().stdout.splitlines()[1] == f"2 {said}"
    done = project.export(check=False)
    assert (done.returncode, done.stderr) == (1, f"py2f: {said}\n")


# ---- the process around it

TRAPS = """\
program main
  use, intrinsic :: ieee_arithmetic
  use, intrinsic :: iso_c_binding
  use model_py
  implicit none
  real(c_double) :: x(64), y(64)
  logical :: halting(5)
  x = 0; x(7) = 2; y = -1
  call ieee_set_halting_mode(ieee_usual, .true.)
  call guarded(x, y)
  call ieee_get_halting_mode(ieee_all, halting)
  print '(5l2, 3f5.1)', halting, y(6:8)
  y(1) = inverse(0d0)
  print '(l1)', y(1) > huge(1d0)
  call ieee_get_halting_mode(ieee_all, halting)
  print '(5l2)', halting
end program main
"""


def test_traps_of_the_model_do_not_see_what_llvm_computes_ahead(project: Project) -> None:
    """A division under a condition is made for all elements and then chosen from: it must not stop the model."""
    model = (
        HEAD
        + """
@export_to_fortran(native=True)
def guarded(x: In[f64[:]], y: InOut[f64[:]]) -> None:
    for i in range(x.size):
        y[i] = 1.0 / x[i] if x[i] != 0.0 else 0.0


@export_to_fortran(native=True)
def inverse(x: f64) -> f64:
    return (np.ones(2) / x)[0]
"""
    )
    done = project.write(model_py=model, main_f90=TRAPS).go()
    assert done.stdout.splitlines() == [" T T T F F  0.0  0.5  0.0", "T", " T T T F F"]


def test_threads_call_machine_code_at_once(project: Project) -> None:
    """The first calls, and errors, come from eight threads; each has its own message."""
    model = (
        HEAD
        + """
@export_to_fortran(native=True)
def work(x: InOut[f64[:, :]], number: i32) -> f64:
    x += number
    if number == 5:
        raise ValueError("five")
    return x.sum()
"""
    )
    main = """\
program main
  use, intrinsic :: iso_c_binding
  use model_py
  implicit none
  real(c_double) :: x(3, 2, 8), total(8)
  character(len=40) :: message(8)
  integer :: i, j, stat(8)
  x = 0
  message = "-"
  !$omp parallel do num_threads(8) schedule(static, 1)
  do i = 1, 8
    do j = 1, 200
      total(i) = work(x(:, :, i), i, stat=stat(i), errmsg=message(i))
    end do
  end do
  print '(8i6)', nint(total)
  print '(8i6)', nint(x(3, 2, :))
  print '(8(a, 1x))', (trim(message(i)), i=1, 8)
end program main
"""
    project.write(model_py=model, main_f90=main).export()
    project.compile("-fopenmp")
    lines = project.run().stdout.splitlines()
    assert lines[0].split() == [str(0 if i == 5 else 1200 * i) for i in range(1, 9)]
    assert lines[1].split() == [str(200 * i) for i in range(1, 9)]
    assert lines[2].split() == "- - - - ValueError: five - - -".split()


def test_native_functions_run_under_check_and_from_python(project: Project) -> None:
    """PY2F_CHECK looks at what is kept, and nothing native keeps anything; py2f.bridge takes the same way in as Fortran."""
    model = (
        HEAD
        + """
@export_to_fortran(native=True)
def twice(x: InOut[f64[:, :]]) -> f64:
    x *= 2.0
    if x[0, 0] > 100.0:
        raise ValueError("large")
    return x[1, 0]
"""
    )
    main = "use model_py\n double precision :: x(2, 1) = 1\n print '(3f5.1)', twice(x), x\nend\n"
    project.write(model_py=model, main_f90=main)
    assert project.go().stdout.split() == ["2.0", "2.0", "2.0"]
    assert project.run(env={"PY2F_CHECK": "1"}).stdout.split() == ["2.0", "2.0", "2.0"]
    script = """
import numpy as np, py2f
whole = np.arange(24.0).reshape(4, 6)
model = py2f.bridge("model")
print(model.call("twice", whole[::-1, ::2]), whole[1, :4], model.call("twice", whole[:2]))
try:
    model.call("twice", whole + 100.0)
except py2f.CallError as error:
    print(error.message)
"""
    done = run([project.python, "-c", script], cwd=project.folder, env={**os.environ, "FC": "gfortran", "PYTHONPATH": "."})
    assert done.stdout.splitlines() == ["24.0 [24. 14. 32. 18.] 24.0", "ValueError: large"]


def test_a_dispatcher_of_numba_is_exported_with_its_own_options(project: Project) -> None:
    """What is decorated with numba.njit already is taken as it is."""
    model = (
        HEAD.replace("import numpy", "import numba\nimport numpy")
        + """
@export_to_fortran(native=True)
@numba.njit(error_model="numpy")
def inverse(x: f64) -> f64:
    return 1.0 / x
"""
    )
    main = "use model_py\n print '(l1)', inverse(0d0) > huge(0d0)\nend\n"
    assert project.write(model_py=model, main_f90=main).go().stdout == "T\n"


def test_the_python_function_stays_itself() -> None:
    """A native function is called from Python as before."""
    import importlib.util

    text = HEAD + "\n@export_to_fortran(native=True)\ndef f(x: f64) -> f64:\n    return x + 1\n"
    spec = importlib.util.spec_from_loader("own_native", loader=None)
    assert spec
    module = importlib.util.module_from_spec(spec)
    exec(compile(text, "own_native.py", "exec"), module.__dict__)  # noqa: S102
    assert module.f(1) == 2
    assert type(module.f).__name__ == "function"
    assert os.environ.get("NUMBA_DISABLE_JIT") is None
