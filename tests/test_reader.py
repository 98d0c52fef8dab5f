"""The reader of Fortran sources: what it makes of dummy arguments, functions and kinds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from programs import run
from reading import read_module, read_texts, shown

from py2f.types import BY_NAME

if TYPE_CHECKING:
    from pathlib import Path

    from py2f.fortran.declared import Interface


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
    source = read_texts(tmp_path, f"subroutine s(x, n, m, y)\n{declaration}\nend subroutine\n")
    x = source.externals[0].arguments[0]
    assert shown(x) == DECLARATIONS[declaration].strip()
    assert x.name == "x"
    assert x.row == "" or x.row in BY_NAME


@pytest.mark.parametrize("declaration", DECLARATIONS, ids=str)
def test_trouble_of_an_argument_is_trouble_of_the_procedure(declaration: str, tmp_path: Path) -> None:
    procedure = read_texts(tmp_path, f"subroutine s(x)\ninteger :: n, m\n{declaration}\nend subroutine\n").externals[0]
    trouble = procedure.arguments[0].trouble
    assert procedure.trouble == (f"argument 'x': {trouble}" if trouble else "")


def test_a_declaration_is_kept_as_it_is_written(tmp_path: Path) -> None:
    text = "subroutine s(x, y)\n  Real(8),  intent(in) :: X(:), & ! why\n    Y\n  real(8) :: z = 1\nend\n"
    x, y = read_texts(tmp_path, text).externals[0].arguments
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
    read_ = read_module(folder, f"module m\ncontains\n{module}\nend module\n").procedures
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
    assert read_texts(tmp_path, text).externals[0].arguments[0].bounds == BOUNDS[declared]


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
    function = read_texts(tmp_path, f"{opening}\n{body}\nend function\n").externals[0]
    assert function.result
    assert shown(function.result) == FUNCTIONS[header]
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
    procedure = read_texts(tmp_path, f"{header}\nend\n").externals[0]
    assert (tuple(sorted(procedure.attributes)), procedure.symbol) == HEADERS[header]
    assert (procedure.name, procedure.arguments, procedure.text, procedure.line) == ("s", (), header, 1)


def test_alternate_returns_and_entries_are_named(tmp_path: Path) -> None:
    source = read_texts(tmp_path, "subroutine s(x, *)\nentry t(x)\nreturn 1\nentry u\nend\n")
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
    assert (
        shown(read_texts(tmp_path, user, KINDS).externals[0].arguments[0]) == KIND_NAMES[kind]
    )  # whatever the order of the files


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
    assert shown(read_texts(tmp_path, KINDS, middle, user).externals[0].arguments[0]) == USES[use]


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
    rows = [shown(p.arguments[0]) for p in read_module(tmp_path, KINDS, text).procedures]
    doubt = "real ! 'wp' may be of module 'unknown', which is not among the given sources"
    assert rows == ["f64", "f32", doubt, "f32"]
