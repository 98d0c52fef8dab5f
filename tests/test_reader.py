"""The reader of Fortran sources: what it makes of every form of declaration, and what it refuses, word for word."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest
from programs import run

from py2f import SourceError
from py2f.fortran.reader import read
from py2f.types import BY_NAME

if TYPE_CHECKING:
    from pathlib import Path

    from py2f.fortran.declared import Dummy, Interface, Module, Source


def _read(folder: Path, *texts: str, suffix: str = ".f90", fixed: bool | None = None) -> Source:
    paths = [folder / f"source_{i}{suffix}" for i in range(len(texts))]
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text, encoding="utf-8")
    return read(paths, fixed=fixed)


def _module(folder: Path, *texts: str) -> Module:
    """The module that the last text is."""
    return _read(folder, *texts).modules[-1]


def _shown(d: Dummy) -> str:
    """`f64[:] in optional`, or the trouble behind an exclamation mark."""
    shape = f"[{', '.join(d.dimensions)}]" if d.dimensions else ""
    length = f"*{d.length}" if d.length else ""
    inner = f"({_signature(d.interface)})" if d.interface else ""
    trouble = f"! {d.trouble}" if d.trouble else ""
    words = [f"{d.row or d.type}{length}{shape}{inner}", d.intent, *sorted(d.attributes - {"written", "passed"}), trouble]
    return " ".join(word for word in words if word)


def _signature(p: Interface) -> str:
    result = f" -> {_shown(p.result)}" if p.result else ""
    return f"{', '.join(f'{d.name}: {_shown(d)}' for d in p.arguments)}{result}"


# ---- dummy arguments

DECLARATIONS = {  # of x, and perhaps of others
    "real :: x": "f32",
    "real, intent(in) :: x": "f32 in",
    "real(8), intent(out) :: x": "f64 out",
    "real*8 x": "f64",
    "double precision x": "f64",
    "doubleprecision x": "f64",
    "integer, intent(inout) :: x": "i32 inout",
    "integer, intent(in out) :: x": "i32 inout",
    "integer(1) :: x": "i8",
    "integer*2 x": "i16",
    "integer(kind=8) x": "i64",
    "byte x": "i8",
    "complex x": "c32",
    "complex(8) x": "c64",
    "complex*16 x": "c64",
    "complex*8 x": "c32",
    "double complex x": "c64",
    "logical x": "b32",
    "logical(1) x": "b8",
    "logical(4) x": "b32",
    "logical*1 x": "b8",
    "real, value :: x": "f32 value",
    "real, optional, intent(in) :: x": "f32 in optional",
    "real x; optional x; intent(in) x": "f32 in optional",
    "real x; value :: x": "f32 value",
    "real, target, contiguous :: x(:)": "f32[:] contiguous target",
    "real x(:); target x; contiguous :: x": "f32[:] contiguous target",
    "real, asynchronous, volatile :: x": "f32 asynchronous volatile",
    "real(8), dimension(:, :), intent(in) :: x": "f64[:, :] in",
    "real(8), dimension(3) :: x(4), y": "f64[4]",
    "real x; dimension x(2, n)": "f32[2, n]",
    "dimension x(0:n); real x": "f32[n + 1]",
    "real x(n)": "f32[n]",
    "real x(0:)": "f32[:]",
    "real x(*)": "f32[*]",
    "real x(n, *)": "f32[n, *]",
    "real x(0:*)": "f32[*]",
    "real x(-1:n)": "f32[n + 2]",
    "real x(1:n)": "f32[n]",
    "real x(2:n)": "f32[n - 1]",
    "real x(n:m)": "f32[m - n + 1]",
    "real x(n:n)": "f32[n - n + 1]",
    "real x(n - 1)": "f32[n - 1]",
    "real x(0:n - 1)": "f32[n]",
    "real x(2*n + 1, n*m)": "f32[2 * n + 1, n * m]",
    "real x(n*(m + 1))": "f32[n * (m + 1)]",
    "real x((n))": "f32[n]",
    "real x(+n)": "f32[n]",
    "real x(-n:n)": "f32[n + n + 1]",
    "real x(5 - n)": "f32[5 - n]",
    "real x(-n)": "f32[0 - n]",
    "real x(-2 - n)": "f32[0 - n - 2]",
    "real x(n - m - (n - m))": "f32[n + m - (m + n)]",
    "real x(2*(n - 1))": "f32[2 * (n - 1)]",
    "real x((n + m)*(n - m) - 1)": "f32[(n + m) * (n - m) - 1]",
    "real x(n - (m + 1))": "f32[n - m - 1]",
    "real x(3:2)": "f32[0]",
    "real x(7/2, 2**3, 10 - 3)": "f32[3, 8, 7]",
    "real x(max(3, 5), min(3, 5))": "f32[5, 3]",
    "parameter (k = 4); real x(k, k*n)": "f32[4, 4 * n]",
    "integer, parameter :: k = 4; real x(k + n)": "f32[n + 4]",
    "character x": "str*1",
    "character(len=*), intent(in) :: x": "str** in",
    "character*(*) x": "str**",
    "character*8 x": "str*8",
    "character x*8": "str*8",
    "character x*(*)": "str**",
    "character(8) x": "str*8",
    "character(len=n + 1) x": "str*n + 1",
    "character(len=:), allocatable, intent(out) :: x": "str*: out allocatable",
    "character(kind=1, len=5) :: x": "str*5",
    "character(len=4), intent(in) :: x(:)": "str*4[:] in",
    "real, allocatable, intent(out) :: x(:)": "f32[:] out allocatable",
    "real, intent(out) :: x(:); allocatable x": "f32[:] out allocatable",
    "real, external :: x": "procedure external ! procedure without explicit interface",
    "external x": "procedure external ! procedure without explicit interface",
    "real x; external x": "procedure external ! procedure without explicit interface",
    "procedure(real) :: x": "procedure ! procedure without explicit interface",
    "procedure() :: x": "procedure ! procedure without explicit interface",
    "procedure(nothing) :: x": "procedure ! 'nothing' is declared nowhere in the given sources",
    "type(grid) :: x": "derived ! derived type grid",
    "class(grid) :: x": "class ! class(grid)",
    "class(*) :: x": "class ! class(*)",
    "type(*) :: x": "derived ! assumed type",
    "type(*), dimension(*) :: x": "derived[*] ! assumed type",
    "real :: x(..)": "f32[..] ! assumed rank",
    "real, dimension(..), intent(in) :: x": "f32[..] in ! assumed rank",
    "real :: x[*]": "f32 codimension ! coarray",
    "real :: x(3)[*]": "f32[3] codimension ! coarray",
    "real, codimension[*] :: x": "f32 codimension ! coarray",
    "real, pointer :: x(:)": "f32[:] pointer ! pointer dummy",
    "real x(:); pointer x": "f32[:] pointer ! pointer dummy",
    "real, allocatable :: x(:)": "f32[:] allocatable ! allocatable dummy that is not intent(out)",
    "real, allocatable, intent(in) :: x(:)": "f32[:] in allocatable ! allocatable dummy that is not intent(out)",
    "character(len=:), allocatable, intent(out) :: x(:)": "str*:[:] out allocatable ! array of deferred length",
    "character(len=4) :: x(:, :)": "str*4[:, :] ! character array of rank 2",
    "character(kind=4, len=1) :: x": "character*1 ! character of kind '4' has no row in the type table",
    "logical(2) x": "logical ! logical of kind '2' has no row in the type table",
    "logical*8 x": "logical ! logical of kind '8' has no row in the type table",
    "real(10) x": "real ! real of kind '10' has no row in the type table",
    "real(16) x": "real ! real of kind '16' has no row in the type table",
    "complex*32 x": "complex ! complex of kind '16' has no row in the type table",
    "integer(16) x": "integer ! integer of kind '16' has no row in the type table",
    "real(wp) x": "real ! 'wp' is declared nowhere in the given sources",
    "real x*8": "real ! 'x*8' of type real",
    "real x(n/2)": "f32[:] ! extent 'n / 2' is not + - * of names and integers",
    "real x(n**2)": "f32[:] ! extent 'n ** 2' is not + - * of names and integers",
    "real x(size(y))": "f32[:] ! extent 'size(y)' is not + - * of names and integers",
    "real x(k)": "f32[:] ! extent 'k' is neither an argument nor a known constant: 'k' is declared nowhere in the given sources",
    "integer, intent(out) :: n; real x(n)": "f32[n] ! extent 'n' is not an input that is always present",
    "integer, optional, intent(in) :: n; real x(n)": "f32[n] ! extent 'n' is not an input that is always present",
    "real n, x(n)": "f32[n] ! extent 'n' is not an integer scalar",
    "": "f32",
    "implicit double precision (a-h, o-z)": "f64",
    "implicit real*8 (a-h, o-z)": "f64",
    "implicit integer (x), real (a-c)": "i32",
    "implicit character*4 (x)": "str*4",
    "implicit none": " ! it is not declared",
    "implicit none (type, external)": " ! it is not declared",
}


@pytest.mark.parametrize("declaration", DECLARATIONS, ids=str)
def test_dummy_arguments_are_read(declaration: str, tmp_path: Path) -> None:
    source = _read(tmp_path, f"subroutine s(x, n, m, y)\n{declaration}\nend subroutine\n")
    x = source.externals[0].arguments[0]
    assert _shown(x) == DECLARATIONS[declaration].strip()
    assert x.name == "x"
    assert x.row == "" or x.row in BY_NAME


@pytest.mark.parametrize("declaration", DECLARATIONS, ids=str)
def test_trouble_of_an_argument_is_trouble_of_the_procedure(declaration: str, tmp_path: Path) -> None:
    procedure = _read(tmp_path, f"subroutine s(x)\ninteger :: n, m\n{declaration}\nend subroutine\n").externals[0]
    trouble = procedure.arguments[0].trouble
    assert procedure.trouble == (f"argument 'x': {trouble}" if trouble else "")


def test_a_declaration_is_kept_as_it_is_written(tmp_path: Path) -> None:
    text = "subroutine s(x, y)\n  Real(8),  intent(in) :: X(:), & ! why\n    Y\n  real(8) :: z = 1\nend\n"
    x, y = _read(tmp_path, text).externals[0].arguments
    assert (x.text, x.line, x.kind) == ("Real(8), intent(in) :: X(:), Y", 2, "8")
    assert (y.text, y.dimensions) == (x.text, ())


def _fortran(p: Interface, name: str) -> str:
    """An interface body, made of what was read alone."""
    sort = "function" if p.result else "subroutine"
    result = f" result({p.result.name})" if p.result and p.result.name != p.name else ""
    dummies = sorted((*p.arguments, *([p.result] if p.result else [])), key=lambda d: d.type != "integer")  # extents come first
    lines = [f"{sort} {name}({', '.join(d.name for d in p.arguments)}){result}", "use iso_c_binding", "implicit none"]
    for d in dummies:
        words = [BY_NAME[d.row].fortran if d.row != "str" else f"character(len={d.length})"]
        words += [f"intent({d.intent})"] if d.intent else []
        words += sorted(d.attributes - {"written", "passed", "external"})
        shape = f"({', '.join(d.bounds)})" if d.bounds else ""
        lines.append(f"{', '.join(words)} :: {name if d.name == p.name else d.name}{shape}")
    return "\n".join(["abstract interface", *lines, f"end {sort}", "end interface"])


def _compared(folder: Path, compiler: str, *, wrong: bool = False) -> str:
    """What the compiler says when every procedure is pointed at by a pointer of the interface that was read."""
    bodies = [declaration for declaration, shown in DECLARATIONS.items() if "!" not in shown]
    module = "\n".join(f"subroutine s{i}(x, n, m, y)\n{body}\nend subroutine" for i, body in enumerate(bodies))
    read_ = _module(folder, f"module m\ncontains\n{module}\nend module\n").procedures
    assert len(read_) == len(bodies)
    probes = []
    for i, p in enumerate(read_):
        text = _fortran(p, f"want{i}").replace("real(c_float)", "real(c_double)" if wrong else "real(c_float)")
        probes.append(
            f"subroutine probe{i}\nuse m, only: s{i}\n{text}\nprocedure(want{i}), pointer :: p\np => s{i}\nend subroutine\n"
        )
    (folder / "probe.f90").write_text("\n".join(probes))
    run([compiler, "-w", "-fsyntax-only", "source_0.f90"], cwd=folder)
    return run([compiler, "-w", "-fsyntax-only", "probe.f90"], cwd=folder, check=False).stderr


def test_compilers_agree_with_what_is_read(compiler: str, tmp_path: Path) -> None:
    assert _compared(tmp_path, compiler) == ""
    assert "error" in _compared(tmp_path, compiler, wrong=True).lower()


BOUNDS = {
    "x(:, :)": (":", ":"),
    "x(0:)": ("0 :",),
    "x(0:N - 1, *)": ("0 : n - 1", "*"),
    "x(2:*)": ("*",),
    "x(K, k*n, 1:max(k, n))": ("4", "4 * n", "1 : max(4, n)"),
    "x": (),
}


@pytest.mark.parametrize("declared", BOUNDS, ids=str)
def test_bounds_are_kept_as_they_are_written(declared: str, tmp_path: Path) -> None:
    text = f"subroutine s(x, n)\ninteger, parameter :: k = 4\nreal :: {declared}\nend\n"
    assert _read(tmp_path, text).externals[0].arguments[0].bounds == BOUNDS[declared]


# ---- functions

FUNCTIONS = {  # what stands between the name's line and the end: the result
    "real(8) function f(x)|": "f64",
    "real*8 function f(x)|": "f64",
    "double precision function f(x)|": "f64",
    "function f(x)|real(8) :: f": "f64",
    "function f(x) result(y)|real(8) :: y": "f64",
    "integer(8) function f(x) result(y)|": "i64",
    "function f(x)|": "f32",
    "function i(x)|": "i32",
    "pure recursive integer function f(x)|": "i32",
    "function f(n) result(r)|real(8) :: r(n + 1)": "f64[n + 1]",
    "function f(n) result(r)|real(8), allocatable :: r(:, :)": "f64[:, :] allocatable",
    "function f(n) result(r)|real(8), pointer :: r(:)": "f64[:] pointer",
    "function f(n) result(r)|dimension r(2)": "f32[2]",
    "character(len=5) function f(x)|": "str*5",
    "character*5 function f(x)|": "str*5",
    "function f(n)|character(len=2*n) :: f": "str*2 * n",
    "function f(n)|character(len=:), allocatable :: f": "str*: allocatable",
    "character*(*) function f(x)|": "str** ! character(len=*) function",
    "function f(n)|character(len=3) :: f(2)": "str*3[2] ! array of characters",
    "type(grid) function f(x)|": "derived ! derived type grid",
    "function f(y)|real :: y(:), f(size(y))": "f32[:] ! extent 'size(y)' is not + - * of names and integers",
}


@pytest.mark.parametrize("header", FUNCTIONS, ids=str)
def test_results_are_read(header: str, tmp_path: Path) -> None:
    opening, body = header.split("|")
    function = _read(tmp_path, f"{opening}\n{body}\nend function\n").externals[0]
    assert function.result
    assert _shown(function.result) == FUNCTIONS[header]
    assert function.trouble == (f"result: {function.result.trouble}" if function.result.trouble else "")
    assert len(function.arguments) == 1


HEADERS = {
    "subroutine s": ((), ""),
    "SUBROUTINE S()": ((), ""),
    "pure subroutine s": (("pure",), ""),
    "elemental subroutine s": (("elemental",), ""),
    "impure elemental subroutine s": (("elemental", "impure"), ""),
    "recursive subroutine s": (("recursive",), ""),
    "non_recursive subroutine s": ((), ""),
    "subroutine s() bind(c)": (("bind(c)",), "s"),
    "subroutine s() bind(c, name='Other')": (("bind(c)",), "Other"),
    'subroutine s() bind(C, name = "with_!;")': (("bind(c)",), "with_!;"),
    "pure integer(4) function s() result(r) bind(c, name='F')": (("bind(c)", "pure"), "F"),
    "integer function s() bind(c, name='F') result(r)": (("bind(c)",), "F"),
    "integer function s() bind(c)": (("bind(c)",), "s"),
}


@pytest.mark.parametrize("header", HEADERS, ids=str)
def test_prefixes_and_bindings_are_read(header: str, tmp_path: Path) -> None:
    procedure = _read(tmp_path, f"{header}\nend\n").externals[0]
    assert (tuple(sorted(procedure.attributes)), procedure.symbol) == HEADERS[header]
    assert (procedure.name, procedure.arguments, procedure.text, procedure.line) == ("s", (), header, 1)


def test_alternate_returns_and_entries_are_named(tmp_path: Path) -> None:
    source = _read(tmp_path, "subroutine s(x, *)\nentry t(x)\nreturn 1\nentry u\nend\n")
    assert [(p.name, p.trouble) for p in source.externals] == [("s", "alternate return"), ("t", "entry"), ("u", "entry")]
    assert [d.name for d in source.externals[0].arguments] == ["x"]


# ---- kinds

KINDS = """\
module kinds
  use, intrinsic :: iso_fortran_env, only: dp => real64, int64, sp => real32, qp => real128
  use iso_c_binding
  implicit none
  integer, parameter :: wp = dp, ik = selected_int_kind(12), vp = wp
  integer, parameter :: r1 = kind(1d0), r2 = kind(1.0), r3 = kind(1.0_dp), r4 = kind(r1)
  integer, parameter :: p15 = selected_real_kind(15, 307), p6 = selected_real_kind(p=6), e = selected_real_kind(r=300)
  integer, parameter :: p30 = selected_real_kind(30), s4 = 2 * (1 + 1), lk = kind(.true._c_bool), one = 1_int64
  integer(8), parameter :: wide = 8
  real(wp), parameter :: pi = 3.14_wp
  integer, parameter, private :: hidden = 8
  integer, parameter :: loop = pool, pool = loop
  integer, parameter :: ck = kind(pi), none = selected_int_kind(99)
end module
"""
KIND_NAMES = {
    "real(dp)": "f64", "real(sp)": "f32", "real(wp)": "f64", "real(vp)": "f64", "integer(ik)": "i64", "integer(int64)": "i64",
    "real(r1)": "f64", "real(r2)": "f32", "real(r3)": "f64", "real(r4)": "f32", "real(p15)": "f64", "real(p6)": "f32",
    "real(e)": "f64", "real(s4)": "f32", "logical(lk)": "b8", "integer(one)": "i8", "real(wide)": "f64", "real(ck)": "f64",
    "real(c_double)": "f64", "real(c_float)": "f32", "integer(c_int)": "i32", "integer(c_long)": "i64", "integer(c_size_t)": "i64",
    "integer(c_int8_t)": "i8", "integer(c_short)": "i16", "complex(c_double_complex)": "c64", "complex(c_float_complex)": "c32",
    "logical(c_bool)": "b8", "logical(c_int)": "b32", "character(c_char)": "str*1", "type(c_ptr)": "CPtr",
    "real(kind(1d0))": "f64", "real(kind=kind(1.0))": "f32", "real(selected_real_kind(12))": "f64", "real(2*s4)": "f64",
    "complex(dp)": "c64", "real(max(sp, dp))": "f64",
    "type(c_funptr)": "derived ! derived type c_funptr",
    "real(qp)": "real ! real of kind 'qp' has no row in the type table",
    "real(p30)": "real ! real of kind 'p30' has no row in the type table",
    "integer(none)": "integer ! integer of kind 'none' has no row in the type table",
    "real(c_long_double)": "real ! real of kind 'c_long_double' has no row in the type table",
    "real(hidden)": "real ! 'hidden' is declared nowhere in the given sources",
    "real(loop)": "real ! 'loop' is defined by itself",
    "real(kind(loop))": "f32",
    "real(pi)": "real ! 'pi' is not an integer",
    "real(x)": "real ! 'x' is not a constant",
    "real(kind(y))": "f32",
    "real(huge(1))": "real ! 'huge(1)' is not an integer constant expression that is understood",
    "real(selected_real_kind(6, radix=2))": "real ! selected_real_kind with a radix is not understood",
    "real(4/0)": "real ! '4 / 0' is not an integer constant expression that is understood",
}  # fmt: skip


@pytest.mark.parametrize("kind", KIND_NAMES, ids=str)
def test_kinds_are_resolved_through_modules(kind: str, tmp_path: Path) -> None:
    user = f"subroutine s(x)\nuse kinds\nimplicit none\n{kind} :: x\nreal :: y\nend subroutine\n"
    assert _shown(_read(tmp_path, user, KINDS).externals[0].arguments[0]) == KIND_NAMES[kind]  # whatever the order of the files


USES = {
    "use kinds, only: dp": "f64",
    "use kinds, only: dp => sp": "f32",
    "use kinds, dp => sp": "f32",
    "use :: kinds, only: sp\nuse iso_fortran_env, only: dp => real64": "f64",
    "use middle": "f64",
    "use middle, only: dp => renamed": "f32",
    "use kinds, only: sp": "real ! 'dp' is declared nowhere in the given sources",
    "use kinds, dd => dp": "real ! 'dp' is declared nowhere in the given sources",
    "use unknown, only: dp": "real ! 'dp' is of module 'unknown', which is not among the given sources",
    "use unknown": "real ! 'dp' may be of module 'unknown', which is not among the given sources",
    "use unknown, only: other\nuse kinds": "f64",
    "use mpi\nuse kinds": "f64",
    "use unknown\nuse kinds": "f64",
    "use iso_c_binding, only: dp => c_nothing": "real ! 'c_nothing' of iso_c_binding is no kind that is known",
    "integer, parameter :: dp = 4": "f32",
    "use through": "real ! 'dp' is of module 'unknown', which is not among the given sources",
}


@pytest.mark.parametrize("use", USES, ids=str)
def test_kinds_follow_use_statements(use: str, tmp_path: Path) -> None:
    middle = "module middle\nuse kinds, renamed => sp\nend module\nmodule through\nuse unknown, only: dp\nend module\n"
    user = f"subroutine s(x)\n{use}\nreal(dp) :: x\nend subroutine\n"
    assert _shown(_read(tmp_path, KINDS, middle, user).externals[0].arguments[0]) == USES[use]


def test_a_name_of_the_host_is_hidden_by_one_that_use_brings(tmp_path: Path) -> None:
    text = """\
module m
  integer, parameter :: wp = 4
contains
  subroutine a(x)
    use kinds, only: wp
    real(wp) :: x
  end subroutine
  subroutine b(x)
    real(wp) :: x
  end subroutine
  subroutine c(x)
    use unknown
    real(wp) :: x
  end subroutine
  subroutine d(x)
    use mpi
    real(wp) :: x
  end subroutine
end module
"""
    rows = [_shown(p.arguments[0]) for p in _module(tmp_path, KINDS, text).procedures]
    doubt = "real ! 'wp' may be of module 'unknown', which is not among the given sources"
    assert rows == ["f64", "f32", doubt, "f32"]


# ---- modules

PHYSICS = """\
!> Physics of the column.
module physics
  use iso_fortran_env, only: dp => real64
  implicit none
  private
  public :: saturate, limit, rate, grid, mean, colour, red, hook, advance
  real(dp), parameter :: limit = 1.5_dp
  real(dp), parameter :: secret = 1
  real(8) :: x(3) = [1d0,2d0,3d0]
  real(dp), allocatable, target, public :: field(:, :)
  real(dp), pointer, save :: rate(:)
  integer, protected, public :: count = 0
  character(len=8), public :: label
  type :: grid
    integer :: n
  contains
    procedure :: total
  end type grid
  type(grid), public :: here
  enum, bind(c)
    enumerator :: red = 3, green
    enumerator :: blue
  end enum
  public :: blue
  integer, parameter :: colour = blue + 1
  procedure(saturate), pointer :: hook => null()
  interface mean
    module procedure mean_r, mean_i
  end interface mean
  interface
    module subroutine advance(dt)
      real(8), intent(in) :: dt
    end subroutine
    subroutine outside(n) bind(c)
      integer :: n
    end subroutine
  end interface
  public outside
contains
  subroutine saturate(t)
    real(dp), intent(inout) :: t
    t = min(t, secret)
  end subroutine
  real(dp) function mean_r(x)
    real(dp), intent(in) :: x(:)
    mean_r = sum(x)/size(x)
  end function
  real(dp) function mean_i(x)
    integer, intent(in) :: x(:)
    mean_i = sum(x)/size(x)
  end function
  integer function total(self)
    class(grid), intent(in) :: self
    total = self%n
  end
end module physics
submodule (physics) inside
contains
  module procedure advance
    call work(dt)
  contains
    subroutine work(x)
      real(8), intent(in) :: x
    end subroutine
  end procedure advance
end submodule inside
"""


def test_what_a_module_makes_public_is_there(tmp_path: Path) -> None:
    module = _module(tmp_path, PHYSICS)
    assert (module.name, module.doc, module.uses) == ("physics", "Physics of the column.", ("iso_fortran_env",))
    assert [(p.name, _signature(p), p.module) for p in module.procedures] == [
        ("saturate", "t: f64 inout", "physics"),
        ("advance", "dt: f64 in", "physics"),
    ]
    assert [(v.name, _shown(v), v.value) for v in module.variables] == [
        ("field", "f64[:, :] allocatable target", ""),
        ("rate", "f64[:] pointer save", ""),
        ("count", "i32 protected", "0"),
        ("label", "str*8", ""),
        ("here", "derived ! derived type grid", ""),
        ("hook", "procedure pointer", ""),
    ]
    assert [(c.name, _shown(c), c.value) for c in module.constants] == [
        ("limit", "f64 parameter", "1.5_dp"),
        ("colour", "i32 parameter", "blue + 1"),
        ("red", "i32 parameter", "3"),
        ("blue", "i32 parameter", "green + 1"),
    ]


def test_what_cannot_be_wrapped_is_listed_with_the_reason(tmp_path: Path) -> None:
    module = _module(tmp_path, PHYSICS)
    assert module.generics == (("mean", ("mean_r", "mean_i")),)
    assert dict(module.unwrapped) == {
        "hook": "procedure pointer",
        "here": "derived type grid",
        "grid": "derived type",
        "mean": "generic of mean_r, mean_i; mean_r, mean_i not public here",
        "outside": "interface of an external procedure",
    }


def test_an_initialiser_with_commas_is_one_value(tmp_path: Path) -> None:
    module = _module(tmp_path, "module m\nreal(8) :: x(3) = [1d0,2d0,3d0], y(2) = (/ 1, 2 /)\nend module\n")
    assert [(v.name, v.row, v.dimensions) for v in module.variables] == [("x", "f64", ("3",)), ("y", "f64", ("2",))]


def test_every_public_procedure_is_wrapped_or_listed(tmp_path: Path) -> None:
    text = """\
module m
  type t
  end type
  interface operator(+)
    module procedure add
  end interface
  interface assignment(=)
    procedure set
  end interface
  interface both
    procedure :: add, one
  end interface
  generic :: third => one, two
contains
  pure type(t) function add(a, b)
    type(t), intent(in) :: a, b
  end
  elemental subroutine set(a, b)
    type(t), intent(out) :: a
    integer, intent(in) :: b
  end
  pure real function one(x)
    real, intent(in) :: x
    one = x
  end
  subroutine two(x)
    real, intent(in) :: x
    entry three(x)
  end
end module
"""
    module = _module(tmp_path, text)
    assert [p.name for p in module.procedures if not p.trouble] == ["one", "two"]
    assert dict(module.unwrapped) == {
        "add": "argument 'a': derived type t",
        "set": "argument 'a': derived type t",
        "three": "entry",
        "t": "derived type",
        "operator(+)": "generic of add",
        "assignment(=)": "generic of set",
        "both": "generic of add, one",
        "third": "generic of one, two",
    }


ACCESS = {
    "": "a b",
    "private": "",
    "private\npublic a": "a",
    "public\nprivate :: b": "a",
    "private :: a, b": "",
    "private\npublic :: a, b": "a b",
}


@pytest.mark.parametrize("access", ACCESS, ids=str)
def test_access_statements_decide(access: str, tmp_path: Path) -> None:
    text = f"module m\n{access}\ncontains\nsubroutine a\nend\nsubroutine b\nend subroutine b\nend module m\n"
    assert " ".join(p.name for p in _module(tmp_path, text).procedures) == ACCESS[access]


def test_private_names_of_a_module_are_not_brought_by_use(tmp_path: Path) -> None:
    inner = "module inner\nprivate\ninteger, parameter :: wp = 8\ninteger, parameter, public :: vp = 8\nend module\n"
    outer = "module outer\nuse inner\ncontains\nsubroutine s(x, y)\nreal(wp) :: x\nreal(vp) :: y\nend\nend\n"
    x, y = _module(tmp_path, inner, outer).procedures[0].arguments
    assert (x.trouble, y.row) == ("'wp' is declared nowhere in the given sources", "f64")


def test_modules_that_use_each_other_do_not_end_in_a_loop(tmp_path: Path) -> None:
    text = "module a\nuse b\nend\nmodule b\nuse a\ncontains\nsubroutine s(x)\nreal(wp) x\nend\nend\n"
    assert _module(tmp_path, text).procedures[0].trouble == "argument 'x': 'wp' is declared nowhere in the given sources"


# ---- procedures as arguments

CALLBACKS = """\
module shapes
  implicit none
  integer, parameter :: dp = kind(1d0)
  abstract interface
    function fun(n, x) result(y)
      import :: dp
      integer, intent(in) :: n
      real(dp), intent(in) :: x(n)
      real(dp) :: y
    end function
  end interface
end module
module solver
  use shapes, only: given => fun, dp
  implicit none
contains
  subroutine by_name(f)
    procedure(given) :: f
  end subroutine
  subroutine by_block(f)
    interface
      real(dp) function f(x)
        import
        real(dp), value :: x
      end function
    end interface
  end subroutine
  subroutine by_example(f)
    procedure(by_block), optional :: f
  end subroutine
  subroutine by_bad_example(f)
    interface
      subroutine f(x)
        class(*) :: x
      end subroutine
    end interface
  end subroutine
  subroutine by_pointer(f)
    procedure(given), pointer, intent(in) :: f
  end subroutine
  subroutine by_generic(f)
    procedure(several) :: f
  end subroutine
  subroutine several
  end subroutine
end module
"""


def test_procedures_as_arguments_have_interfaces(tmp_path: Path) -> None:
    inner = "procedure(x: f64 value -> f64)"
    assert [_signature(p) for p in _module(tmp_path, CALLBACKS).procedures] == [
        "f: procedure(n: i32 in, x: f64[n] in -> f64)",
        f"f: {inner}",
        f"f: procedure(f: {inner}) optional",
        "f: procedure(x: class ! class(*)) ! its argument 'x': class(*)",
        "f: procedure(n: i32 in, x: f64[n] in -> f64) in pointer ! procedure pointer",
        "f: procedure()",
        "",
    ]


def test_implicit_rules_of_the_host_do_not_reach_into_interface_bodies(tmp_path: Path) -> None:
    text = """\
module m
  implicit integer (a-z)
contains
  subroutine s(x, f)
    interface
      subroutine f(x)
      end subroutine
    end interface
  end subroutine
end module
"""
    assert _signature(_module(tmp_path, text).procedures[0]) == "x: i32, f: procedure(x: f32)"


REFERENCED = {
    "y = x(1.0)": "procedure",
    "call x(y)": "procedure",
    "call x": "procedure",
    "if (y > 0) call x": "procedure",
    "call g(x)": "f32",
    "y = x*(1.0)": "f32",
    "print *, 'x(1)'": "f32",
}


@pytest.mark.parametrize("statement", REFERENCED, ids=str)
def test_an_undeclared_procedure_shows_by_its_use(statement: str, tmp_path: Path) -> None:
    x = _read(tmp_path, f"subroutine s(x, y)\n{statement}\nend\n").externals[0].arguments[0]
    assert x.row or x.type == REFERENCED[statement]


# ---- what happens to arguments without intent

EFFECTS = {  # what is done: to x
    "y = x": "",
    "x = 1": "written",
    "x(1) = y": "written",
    "x(i)%a(2) = y": "written",
    "if (x(1) == y) y = 2": "",
    "if (y > 0) x(1) = 2": "written",
    "if (y > 0) then\nx = 2\nend if": "written",
    "where (a > 0) x = 1": "written",
    "forall (i = 1:3) x(i) = 1": "written",
    "do x = 1, 3\nend do": "written",
    "outer: do x = 1, 3\nend do outer": "written",
    "do 10 x = 1, 3\n10 continue": "written",
    "do i = 1, x\nend do": "",
    "read *, x": "written",
    "read (5, *) y, x": "written",
    "read (5, *) (x(i), i = 1, 3)": "written",
    "read (x, *) y": "",
    "write (6, *) x": "",
    "write (x, *) y": "",
    "write (6, *, iostat=x) y": "written",
    "write (6, *) (y, x = 1, 3)": "written",
    "print *, x": "",
    "open (newunit=x, file='a')": "written",
    "open (unit=x, file='a')": "",
    "inquire (file='a', exist=x)": "written",
    "close (x, iostat=y)": "",
    "allocate (a(x))": "",
    "allocate (a(3), stat=x)": "written",
    "allocate (x(3))": "written",
    "deallocate (x)": "written",
    "nullify (x)": "written",
    "p => x": "written",
    "associate (q => x)\nq = 1\nend associate": "written",
    "block\nx = 1\nend block": "written",
    "assign 10 to x": "written",
    "call work(x)": "passed",
    "call work(x(1:3))": "passed",
    "call work(key=x)": "passed",
    "call work(x + 1)": "",
    "call work((x))": "",
    "call work(2*g(x))": "passed",
    "call work(sin(x))": "",
    "call random_number(x)": "written",
    "call move_alloc(y, x)": "written",
    "call x%step()": "written",
    "y = work(x)": "passed",
    "y = 1 + work(a(1), x)": "passed",
    "y = sin(x)": "",
    "y = max(x, 1)": "",
    "y = a(x)": "",
    "y = a(1:x)": "",
    "y = 'x = 1'": "",
    "y = 1 ! x = 2": "",
    "if (work(x)) y = 1": "passed",
    "print *, work(x)": "passed",
    "contains\nsubroutine inner\nx = 1\nend subroutine": "written",
    "y = 1; x = 2": "written",
    "y = &\n  1; x &\n = 2": "written",
}


@pytest.mark.parametrize("statements", EFFECTS, ids=str)
def test_writes_of_arguments_without_intent_are_seen(statements: str, tmp_path: Path) -> None:
    text = f"subroutine s(x, y, i)\ndimension x(3)\nreal a(9)\n{statements}\nend subroutine\n"
    x = _read(tmp_path, text).externals[0].arguments[0]
    found = "passed" if "passed" in x.attributes else "written" if "written" in x.attributes else ""
    assert found == EFFECTS[statements]
    assert "written" in x.attributes or not found


CALLEES = """\
subroutine reads(a, b)
  c = a + b
end
subroutine writes(a, b)
  b = a
end
subroutine declares(a, b)
  real, intent(in) :: a
  real, intent(inout) :: b
end
subroutine by_value(a)
  real, value :: a
  a = 1
end
subroutine ping(a, b)
  call pong(a, b)
end
subroutine pong(a, b)
  call ping(a, b)
  call reads(a, b)
  call writes(b, a)
end
real function area(a)
  area = a
end
subroutine jumps(*)
end
module tools
  private :: hidden
  interface
    subroutine described(a, b) bind(c)
      real, intent(in) :: a
      real :: b
    end subroutine
  end interface
  interface several
    module procedure looks
  end interface
contains
  subroutine looks(a)
    b = a
  end
  subroutine hidden(a)
    a = 1
  end
end module
"""
HANDED_ON = {  # x is
    "call reads(x, y)": "",
    "call reads(y, x)": "",
    "call reads(b=x, a=y)": "",
    "call writes(x, y)": "",
    "call writes(y, x)": "passed",
    "call writes(b=x, a=y)": "passed",
    "call declares(x, y)": "",
    "call declares(y, x)": "passed",
    "call by_value(x)": "",
    "call ping(y, x)": "",
    "call ping(x, y)": "passed",
    "y = area(x)": "",
    "y = 2*area(x(1:2))": "",
    "if (.not.area(x) > 1) y = 1": "",
    "if (.not.unknown(x)) y = 1": "passed",
    "real :: area\ny = area(x)": "",
    "external reads\ncall reads(x, y)": "",
    "call reads(y, z, x)": "passed",
    "call jumps(x)": "passed",
    "call unknown(x)": "passed",
    "use tools\ncall looks(x)": "",
    "use tools, only: see => looks\ncall see(x)": "",
    "use tools, only: reads => looks\ncall reads(y, x)": "passed",
    "use tools\ncall several(x)": "passed",
    "use tools\ncall described(x, y)": "",
    "use tools\ncall described(y, x)": "passed",
    "use tools\ncall hidden(x)": "passed",
    "use unknown\ncall reads(x, y)": "passed",
    "use unknown, only: reads\ncall reads(x, y)": "passed",
    "call y(x)": "passed",
    "procedure(area), pointer :: reads\ncall reads(x)": "passed",
    "call obj%reads(x, y)": "passed",
    "call inner\ncontains\nsubroutine inner\ncall reads(x, y)\nend subroutine": "passed",
    "call inner(x)\ncontains\nsubroutine inner(a)\nb = a\nend subroutine": "",
    "call inner(x)\ncontains\nsubroutine inner(a)\na = 1\nend subroutine": "passed",
}


@pytest.mark.parametrize("statements", HANDED_ON, ids=str)
def test_arguments_are_followed_through_procedures_of_the_sources(statements: str, tmp_path: Path) -> None:
    use, newline, rest = statements.rpartition("\n") if statements.startswith("use") else ("", "", statements)
    text = f"subroutine s(x, y)\n{use}{newline}dimension x(3)\n{rest}\nend subroutine\n"
    x = _read(tmp_path, text, CALLEES).externals[0].arguments[0]
    assert ("passed" if "passed" in x.attributes else "") == HANDED_ON[statements]
    assert ("written" in x.attributes) is ("passed" in x.attributes)


def test_namelists_and_internal_files_are_written(tmp_path: Path) -> None:
    text = "subroutine s(x, c)\ncharacter(len=9) c\nnamelist /n/ x\nread (5, nml=n)\nwrite (c, *) 1\nend\n"
    assert [sorted(d.attributes) for d in _read(tmp_path, text).externals[0].arguments] == [["written"], ["written"]]


def test_an_intrinsic_that_is_redeclared_may_write(tmp_path: Path) -> None:
    text = "module m\ncontains\nsubroutine s(x)\ny = sum(x)\nend\nreal function sum(x)\nx = 1\nend\nend module\n"
    assert sorted(_module(tmp_path, text).procedures[0].arguments[0].attributes) == ["passed", "written"]


def test_without_a_body_everything_may_be_written(tmp_path: Path) -> None:
    text = "module m\ninterface\nmodule subroutine s(x, n)\ninteger n\nreal x(n)\nend subroutine\nend interface\nend\n"
    procedure = _module(tmp_path, text).procedures[0]
    assert [sorted(d.attributes) for d in procedure.arguments] == [["passed", "written"], ["passed", "written"]]
    assert procedure.trouble == ""


def test_an_extent_that_is_written_is_refused(tmp_path: Path) -> None:
    text = "subroutine s(n, x)\nreal x(n)\nn = 3\nend\n"
    assert _read(tmp_path, text).externals[0].trouble == "argument 'x': extent 'n' has no intent, and is written"


# ---- the text of sources

FIXED = """\
C     Norm of a vector.
      DOUBLE PRECISION FUNCTION NORM(N, X,                              00000010
     &                               SCALE)                             00000020
*
*     INTEGER IN A COMMENT
      INTEGER N ! how many
      DOUBLE PRECISION X(N),
     1                 SCALE
\tCHARACTER*3 C
\tREAL
\t1 Y
      DATA C /'a!
     &b'/
      include 'more.inc'
   10 NORM = X(1); SCALE = 2
      IF (N .GT. 1) GO TO 10
      END
"""


def test_fixed_form_is_read(tmp_path: Path) -> None:
    (tmp_path / "more.inc").write_text("      INTEGER K\n")
    source = _read(tmp_path, FIXED, suffix=".f")
    function = source.externals[0]
    assert (function.name, function.doc) == ("norm", "Norm of a vector.")
    assert _signature(function) == "n: i32, x: f64[n], scale: f64 -> f64"
    assert [sorted(d.attributes) for d in function.arguments] == [[], [], ["written"]]
    assert source.included == (tmp_path / "more.inc",)


@pytest.mark.parametrize("suffix", [".f", ".for", ".ftn", ".F", ".FOR", ".f77"])
def test_suffixes_of_fixed_form(suffix: str, tmp_path: Path) -> None:
    text = "      subroutine s(a,\n     & b)\nc     nothing\n      end\n"
    assert len(_read(tmp_path, text, suffix=suffix).externals[0].arguments) == 2


def test_the_form_can_be_given(tmp_path: Path) -> None:
    text = "c     old\n      subroutine s(a,\n     & b)\n      end\n"
    assert len(_read(tmp_path, text, fixed=True).externals[0].arguments) == 2
    free = "subroutine s(a, & ! first\n  b)\nend\n"
    assert len(_read(tmp_path, free, suffix=".f", fixed=False).externals[0].arguments) == 2


FREE = """\
module m; implicit none; contains
  subroutine s(a, & ! the first

    ! a comment inside

    & b, c) ! the last
    character(len=*), intent(in) :: a; integer, intent(in) :: b
    real, intent(in) :: c(b); character(len=9) :: text = "a; b & c! 'd'"
    text = 'it''s &
      &end subroutine'
    do 10 while (.false.)
10  end do
    end subroutine; subroutine t
  end
end
"""


def test_free_form_is_read(tmp_path: Path) -> None:
    module = _module(tmp_path, FREE)
    assert [(p.name, p.line, _signature(p)) for p in module.procedures] == [
        ("s", 2, "a: str** in, b: i32 in, c: f32[b] in"),
        ("t", 13, ""),
    ]


def test_statements_that_fparser_does_not_know_may_be_executed(tmp_path: Path) -> None:
    text = """\
subroutine s(x)
  real, intent(inout) :: x(..)
  select rank (x)
  rank (1)
    x = 0
  end select
  error stop merge('a', 'b', .true.), quiet=.true.
  do concurrent (integer :: i = 1:3) local(j)
  end do
  interface = 3
end subroutine
subroutine t(n)
  integer, intent(in) :: n
  block
    interface
      subroutine inner(x)
      end subroutine inner
    end interface
  end block
end subroutine
"""
    assert [(p.name, p.trouble) for p in _read(tmp_path, text).externals] == [("s", "argument 'x': assumed rank"), ("t", "")]


def test_a_main_program_needs_no_program_statement(tmp_path: Path) -> None:
    source = _read(
        tmp_path,
        "integer :: i\ni = 1\nend\nsubroutine s\nend\nprogram p\ncontains\nsubroutine q\nend\nend program\nblock data\nend\n",
    )
    assert [p.name for p in source.externals] == ["s"]


COMMENTS = {
    "!> Saturate.\n!! Twice.\nsubroutine s": "Saturate.\nTwice.",
    "! Saturate.\nsubroutine s": "Saturate.",
    "subroutine s\n  !! Saturate.\n  !! Twice.": "Saturate.\nTwice.",
    "subroutine s & !! Not this.\n ()\n! But this.": "But this.",
    "! Far away.\n\nsubroutine s": "",
    "!-------\n! Saturate.\n!\n!   more\n!=======\nsubroutine s": "Saturate.\n\n  more",
    "!$omp declare simd\n!> Saturate.\n!dir$ inline\nsubroutine s": "Saturate.",
    "call x ! No.\nend\nsubroutine s": "",
}


@pytest.mark.parametrize("text", COMMENTS, ids=str)
def test_the_comment_at_a_procedure_documents_it(text: str, tmp_path: Path) -> None:
    assert _read(tmp_path, f"{text}\nend\n").externals[0].doc == COMMENTS[text]


def test_comments_in_latin_1_are_read(tmp_path: Path) -> None:
    path = tmp_path / "old.f90"
    path.write_bytes("! Gr\u00f6\u00dfe\nsubroutine s\nend\n".encode("latin-1"))
    assert read([path]).externals[0].doc == "Gr\u00f6\u00dfe"


def test_included_files_are_part_of_the_source(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "kinds.inc").write_text("integer, parameter :: wp = 8\ninclude 'sub/more.inc'\n")
    (tmp_path / "sub/more.inc").write_text("real(wp) x\n")
    source = _read(tmp_path, "subroutine s(x)\ninclude 'kinds.inc'\nend\n")
    assert _signature(source.externals[0]) == "x: f64"
    assert source.included == (tmp_path / "kinds.inc", tmp_path / "sub/more.inc")


def test_a_missing_include_file_may_declare_what_nothing_else_does(tmp_path: Path) -> None:
    x, y = _read(tmp_path, "subroutine s(x, y)\ninclude 'mpif.h'\nreal :: y\nend\n").externals[0].arguments
    assert (x.trouble, y.trouble) == ("its type may be declared in 'mpif.h', which is not beside the source", "")


PREPROCESSED = """\
#define N 4
#include "more.h"
module m
contains
#ifdef NEVER
  subroutine never
  end subroutine
#else
  subroutine always(x)
    real(WP) :: x(N) ! don't
  end subroutine
#endif
end module
"""


def test_directives_go_through_the_preprocessor(tmp_path: Path) -> None:
    (tmp_path / "more.h").write_text("#define WP 8\n")
    procedures = _read(tmp_path, PREPROCESSED, suffix=".F90").modules[0].procedures
    assert [(p.name, p.line, _signature(p)) for p in procedures] == [("always", 9, "x: f64[4]")]


# ---- what cannot be read

REFUSED = {
    "subroutine s(x)\nreal :: x(\nend": "2: fparser does not understand a type declaration: `real :: x(`",
    "subroutine s\n  use\nend": "2: fparser does not understand a statement `use`: `use`",
    "subroutine s\n  parameter n = 3, m\nend": "2: fparser does not understand a statement `parameter`: `parameter n = 3, m`",
    "subroutine s(x)\n  record /grid/ x\nend": "2: neither a declaration nor an executable statement: `record /grid/ x`",
    "subroutine s(x)\n  real x /3.0/\nend": "2: fparser does not understand a type declaration: `real x /3.0/`",
    "module m\ncontains\n  subroutine s\nend module": "1: `module m` has no end",
    "module m\ncontains\n  x = 1\nend": "3: `x = 1` is no subprogram, but stands behind `contains`",
    "subroutine s(x)\nreal, intent() :: x\nend": "2: an intent is in, out or inout: `real, intent() :: x`",
    "subroutine s(x)\nreal, intent :: x\nend": "2: an intent is in, out or inout: `real, intent :: x`",
    "module m\ninteger :: x(1) = [ , 3]\nend": "2: fparser does not understand a type declaration: `integer :: x(1) = [ , 3]`",
    "subroutine s\n": "1: `subroutine s` has no end",
    "interface\n": "1: `interface` has no end",
    "module m\nend\nmodule m\nend": "3: there is another module 'm'",
    "module m\nenum, bind(c)\nenumerator a b\nend enum\nend": "3: fparser does not understand an enumerator: `enumerator a b`",
    "module m\ninterface f\nmodule procedure a b\nend interface\nend": (
        "3: fparser does not understand a procedure statement: `module procedure a b`"
    ),
    "include 'source_0.f90'": "1: the file includes itself",
}


@pytest.mark.parametrize("text", REFUSED, ids=str)
def test_what_cannot_be_read_is_said_with_file_and_line(text: str, tmp_path: Path) -> None:
    with pytest.raises(SourceError) as caught:
        _read(tmp_path, text)
    assert str(caught.value) == f"{tmp_path / 'source_0.f90'}:{REFUSED[text]}"


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(SourceError) as caught:
        read([tmp_path / "none.f90"])
    assert str(caught.value) == f"{tmp_path / 'none.f90'}: No such file or directory"
    assert (caught.value.path, caught.value.line) == (tmp_path / "none.f90", 0)


def test_a_label_of_fixed_form_is_a_number(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"source_0\.f:2: columns 1 to 5 of fixed form hold a label, not 'sub'$"):
        _read(tmp_path, "      x = 1\n  subroutine s\n", suffix=".f")


def test_a_missing_preprocessor_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)
    message = r"source_0\.F90:2: the file has preprocessor directives, and there is no command cpp on PATH$"
    with pytest.raises(SourceError, match=message):
        _read(tmp_path, "subroutine s\n#ifdef A\n#endif\nend\n", suffix=".F90")


def test_what_the_preprocessor_says_is_shown(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"source_0\.F90:1: the C preprocessor says: .*none\.h: No such file"):
        _read(tmp_path, '#include "none.h"\n', suffix=".F90")
