"""Typed stubs for Fortran sources: how each form is spelled, what type checkers and compilers say of it, and the command."""

from __future__ import annotations

import ast
import os
import sys
from pathlib import Path

import pytest
from programs import run

from py2f.emit.stubs import stub_text
from py2f.fortran.reader import read
from py2f.stubs import main


def _stubs(folder: Path, text: str, name: str = "source.f90") -> str:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return stub_text(read([path]), paths=[name])


# ---- how each form is spelled

F64 = "NDArray[np.float64], f64"
PARAMETERS = {  # declarations of x: the annotation of the parameter x
    "integer, intent(in) :: x": "int",
    "integer(8), intent(in) :: x": "Annotated[int, i64]",
    "integer(1), intent(in) :: x": "Annotated[int, i8]",
    "real(8), intent(in) :: x": "float",
    "real, intent(in) :: x": "Annotated[float, f32]",
    "complex(8), intent(in) :: x": "complex",
    "complex, intent(in) :: x": "Annotated[complex, c32]",
    "logical, intent(in) :: x": "bool",
    "logical(1), intent(in) :: x": "Annotated[bool, b8]",
    "real(8), value :: x": "Annotated[float, f64, Value]",
    "integer, value :: x": "Annotated[int, i32, Value]",
    "type(c_ptr), value :: x": "Annotated[int, CPtr, Value]",
    "type(c_ptr), intent(in) :: x": "Annotated[int, CPtr]",
    "real(8), intent(out) :: x": "Annotated[float, f64, Out]",
    "real(8), intent(inout) :: x": f"Annotated[{F64}, InOut]",
    "logical, intent(inout) :: x": "Annotated[NDArray[np.bool_], b32, InOut]",
    "real(8), intent(in) :: x(:, :)": f"Annotated[{F64}[:, :]]",
    "real(8), intent(inout) :: x(n, 0:m)": f"Annotated[{F64}[n, m + 1], InOut]",
    "real(8), intent(out) :: x(n, *)": f"Annotated[{F64}[n, :], Out]",
    "real, intent(in) :: x(*)": "Annotated[NDArray[np.float32], f32[:]]",
    "complex(8), intent(in) :: x(3)": "Annotated[NDArray[np.complex128], c64[3]]",
    "logical(1), intent(in) :: x(:)": "Annotated[NDArray[np.bool_], b8[:]]",
    "real(8), allocatable, intent(out) :: x(:)": "Annotated[NDArray[np.float64], Allocatable[f64[:]], Out]",
    "character(len=*), intent(in) :: x": "str",
    "character(len=n), intent(in) :: x": "str",
    "character, value :: x": "Annotated[str, Value]",
    "character(len=*), intent(in) :: x(:)": "list[str]",
    "character(len=4), intent(in) :: x(n)": "list[str]",
    "character(len=8), intent(out) :: x": "Annotated[str, Out, Length(8)]",
    "character(len=2*n), intent(out) :: x": 'Annotated[str, Out, Length("2 * n")]',
    "character(len=*), intent(out) :: x": "Annotated[NDArray[np.bytes_], string, Out]",
    "character(len=8), intent(inout) :: x": "Annotated[NDArray[np.bytes_], string, InOut]",
    "character(len=8), intent(out) :: x(n)": "Annotated[NDArray[np.bytes_], string[n], Out]",
    "character(len=8), intent(inout) :: x(:)": "Annotated[NDArray[np.bytes_], string[:], InOut]",
    "character(len=:), allocatable, intent(out) :: x": "Annotated[str, Allocatable, Out]",
    "integer, intent(in), optional :: x": "int | None = None",
    "real(8), intent(in), optional :: x(:)": f"Annotated[{F64}[:]] | None = None",
    "real(8), intent(inout), optional :: x": f"Annotated[{F64}, InOut] | None = None",
    "interface; subroutine x; end subroutine; end interface": "Callable[[], None]",
    "interface; subroutine x(a); real(8), intent(inout) :: a(:); end; end interface": f"Callable[[Annotated[{F64}[:], InOut]], None]",
    "interface; real(8) function x(n, a); integer, intent(in) :: n; real(8), intent(in) :: a(2*n); end; end interface": (
        f'Callable[[Annotated[int, i32, Name("n")], Annotated[{F64}[2 * n]]], float]'
    ),
    "interface; real function x(n, a); integer, value :: n; real(8), intent(in) :: a(n); end; end interface": (
        f'Callable[[Annotated[int, i32, Value, Name("n")], Annotated[{F64}[n]]], Annotated[float, f32]]'
    ),
}


def _signature(text: str) -> ast.FunctionDef:
    return next(node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef))


def _parameters(text: str) -> dict[str, str]:
    """Annotations and defaults by name."""
    function = _signature(text)
    arguments = [*function.args.args, *function.args.kwonlyargs]
    defaults = [None] * (len(function.args.args) - len(function.args.defaults)) + list(function.args.defaults)
    found = {}
    for argument, default in zip(arguments, [*defaults, *function.args.kw_defaults], strict=True):
        assert argument.annotation
        found[argument.arg] = ast.unparse(argument.annotation) + (f" = {ast.unparse(default)}" if default else "")
    return found


def _spelled(annotation: str) -> str:
    head, equals, default = annotation.partition(" = ")
    return ast.unparse(ast.parse(head)) + equals + default


@pytest.mark.parametrize("declaration", PARAMETERS, ids=str)
def test_parameters_are_spelled(declaration: str, tmp_path: Path) -> None:
    text = f"subroutine s(n, m, x)\nuse iso_c_binding\ninteger, intent(in) :: n, m\n{declaration}\nend subroutine\n"
    assert _parameters(_stubs(tmp_path, text))["x"] == _spelled(PARAMETERS[declaration])


WITHOUT_INTENT = {  # what is done to x, and how it is declared: comment, annotation
    "integer x|y = x": ("never written", "int"),
    "integer x|x = 1": ("may be written", "Annotated[NDArray[np.int32], i32, InOut]"),
    "integer x|call other(x)": ("may be written", "Annotated[NDArray[np.int32], i32, InOut]"),
    "integer x; real y(x)|call other(x)": ("an extent, taken as In", "int"),
    "real(8) x(:)|y = x(1)": ("an array, taken as InOut", f"Annotated[{F64}[:], InOut]"),
    "real(8) x(:)|x = 1": ("may be written", f"Annotated[{F64}[:], InOut]"),
    "character(len=*) x|y = ichar(x)": ("never written", "str"),
    "character(len=*) x|x = 'a'": ("may be written", "Annotated[NDArray[np.bytes_], string, InOut]"),
}


@pytest.mark.parametrize("case", WITHOUT_INTENT, ids=str)
def test_arguments_without_intent_are_commented(case: str, tmp_path: Path) -> None:
    declaration, statement = case.split("|")
    text = _stubs(tmp_path, f"subroutine s(x, y)\n{declaration}\n{statement}\nend subroutine\n")
    comment, annotation = WITHOUT_INTENT[case]
    assert f"# no intent in the source: x: {comment}\n" in text
    assert _parameters(text)["x"] == _spelled(annotation)


RETURNED = {  # the header and the declarations: what Python gets
    "subroutine s(x)|": "None",
    "real(8) function s(x)|": "float",
    "real function s(x)|": "Annotated[float, f32]",
    "function s(n) result(r)|real(8) :: r(n + 1)": f"Annotated[{F64}[n + 1]]",
    "function s(n) result(r)|real(8), allocatable :: r(:)": "Annotated[NDArray[np.float64], Allocatable[f64[:]]]",
    "function s(n) result(r)|real(8), pointer :: r(:)": "Annotated[NDArray[np.float64], Allocatable[f64[:]]]",
    "function s(n) result(r)|character(len=:), allocatable :: r": "str",
    "function s(n) result(r)|character(len=n) :: r": 'Annotated[str, Length("n")]',
    "subroutine s(x)|real(8), intent(out) :: x": "float",
    "subroutine s(x)|real(8), intent(inout) :: x": "None",
    "subroutine s(x, n)|real(8), intent(out) :: x(n)": f"Annotated[{F64}[n]]",
    "subroutine s(x)|character(len=3), intent(out) :: x": "str",
    "subroutine s(x)|character(len=*), intent(out) :: x": "Annotated[NDArray[np.bytes_], string]",
    "subroutine s(x)|character(len=:), allocatable, intent(out) :: x": "str",
    "subroutine s(x, y)|real(8), intent(out) :: x, y": "tuple[float, float]",
    "integer function s(x, y)|real(8), intent(out) :: y, x": "tuple[int, float, float]",
    "subroutine s(x)|real(8), intent(out), optional :: x": "float | None",
}


@pytest.mark.parametrize("case", RETURNED, ids=str)
def test_results_are_spelled(case: str, tmp_path: Path) -> None:
    header, declarations = case.split("|")
    text = f"{header}\ninteger, intent(in) :: n\n{declarations}\nend\n"
    returned = _signature(_stubs(tmp_path, text)).returns
    assert returned
    assert ast.unparse(returned) == _spelled(RETURNED[case])


# ---- whole modules

PHYSICS = """\
!> Physics of the column.
module physics
  implicit none
  integer, parameter :: dp = kind(1d0), levels = 3
  real(dp), parameter :: limit = 1.5_dp
  real(dp), allocatable :: rate(:, :)
  type grid
    integer :: n
  end type
  interface mean
    module procedure mean_1
  end interface
contains
  !> Cut off what is above a limit.
  !>
  !> Says "limit".
  subroutine saturate(n, q, limit, excess, lambda, f64, flag, last)
    integer, intent(in) :: n
    real(dp), intent(inout) :: q(0:n, levels)
    real(dp), intent(in), optional :: limit
    real(dp), intent(out) :: excess(n + 1)
    real(dp), intent(in) :: lambda, f64
    logical, optional :: flag
    integer :: last
    excess = lambda*f64
    q = 1
    last = 2
  end subroutine
  real(dp) function mean_1(x)
    real(dp), intent(in) :: x(:)
    mean_1 = sum(x)/size(x)
  end function
  subroutine import(g)
    type(grid), intent(in) :: g
  end subroutine
  subroutine pass()
  end subroutine
end module
"""
STUBS = '''\
# mypy: disable-error-code=empty-body
"""Stubs of physics.f90, written by py2f."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from py2f import InOut, Name, Out, extent, f64, i32, pythoncall

n = extent("n")


# no intent in the source: flag: never written
# no intent in the source: last: may be written
@pythoncall(source="physics.f90", module="physics")
def saturate(
    n: int,
    q: Annotated[NDArray[np.float64], f64[n + 1, 3], InOut],
    limit: float | None = None,
    *,
    excess: Annotated[NDArray[np.float64], f64[n + 1], Out],
    lambda_: Annotated[float, f64, Name("lambda")],
    f64_: Annotated[float, f64, Name("f64")],
    flag: bool | None = None,
    last: Annotated[NDArray[np.int32], i32, InOut],
) -> Annotated[NDArray[np.float64], f64[n + 1]]:
    """Cut off what is above a limit.

    Says "limit".
    """
    ...


@pythoncall(source="physics.f90", module="physics")
def mean_1(x: Annotated[NDArray[np.float64], f64[:]]) -> float: ...


@pythoncall(source="physics.f90", module="physics", name="pass")
def pass_() -> None: ...


# Module variables: see py2f.fortran_module
#   physics.rate: real(dp), allocatable :: rate(:, :)


# Named constants:
#   physics.dp: KIND(1D0)
#   physics.levels: 3
#   physics.limit: 1.5_dp


# Not wrapped:
#   import: argument 'g': derived type grid
#   grid: derived type
#   mean: generic of mean_1
'''


def test_a_module_is_written_whole(tmp_path: Path) -> None:
    assert _stubs(tmp_path, PHYSICS, "physics.f90") == STUBS


def test_what_is_in_two_modules_has_two_names(tmp_path: Path) -> None:
    text = "module a\ncontains\nsubroutine s\nend\nend\nmodule b\ncontains\nsubroutine s\nend\nend\nsubroutine s\nend\n"
    written = _stubs(tmp_path, text)
    assert [node.name for node in ast.parse(written).body if isinstance(node, ast.FunctionDef)] == ["s", "s_", "s__"]
    assert '@pythoncall(source="source.f90", module="a")\n' in written
    assert '@pythoncall(source="source.f90", module="b", name="s")\n' in written
    assert '@pythoncall(source="source.f90", name="s")\n' in written


def test_extents_are_called_as_python_calls_the_arguments(tmp_path: Path) -> None:
    text = "subroutine n(i8, lambda, x, c)\ninteger, intent(in) :: i8, lambda\nreal, intent(in) :: x(i8, 0:lambda)\ncharacter(len=i8), intent(out) :: c\nend\n"
    written = _stubs(tmp_path, text)
    assert 'i8_ = extent("i8_")\nlambda_ = extent("lambda_")\n' in written
    assert _parameters(written) == {
        "i8_": "Annotated[int, i32, Name('i8')]",
        "lambda_": "Annotated[int, i32, Name('lambda')]",
        "x": "Annotated[NDArray[np.float32], f32[i8_, lambda_ + 1]]",
        "c": "Annotated[str, Out, Length('i8_')]",
    }


def test_an_extent_called_like_a_procedure_is_not_made_twice(tmp_path: Path) -> None:
    text = "subroutine n(x)\nreal, intent(in) :: x\nend\nsubroutine s(n, x)\ninteger, intent(in) :: n\nreal :: x(n)\nend\n"
    assert "extent" not in _stubs(tmp_path, text)


DOCS = {
    '!> It\'s "quoted"': 'It\'s "quoted"',
    '!> """': '"""',
    "!> a\\n b \\\\": "a\\n b \\\\",
    "!> a\n!>   b\n!> c": "a\n  b\nc",
    "!> Größe 1 m²": "Größe 1 m²",
}


@pytest.mark.parametrize("comment", DOCS, ids=str)
def test_comments_become_docstrings(comment: str, tmp_path: Path) -> None:
    assert ast.get_docstring(_signature(_stubs(tmp_path, f"{comment}\nsubroutine s\nend\n"))) == DOCS[comment]


def test_several_sources_are_named_in_a_list(tmp_path: Path) -> None:
    for name in ("a.f90", "b.f90"):
        (tmp_path / name).write_text(f"subroutine {name[0]}\nend\n")
    text = stub_text(read([tmp_path / "a.f90", tmp_path / "b.f90"]), paths=["a.f90", 'o"dd/b.f90'])
    assert '@pythoncall(source=["a.f90", "o\\"dd/b.f90"])\ndef b() -> None: ...\n' in text


# ---- what type checkers, the decorator and compilers say

FORMS = """\
module forms
  use iso_c_binding
  implicit none
contains
  subroutine kinds(a, b, c, d, e, f, g, h, i, j, k, r)
    integer(c_int8_t), intent(in) :: a
    integer(2), intent(in) :: b
    integer, intent(in) :: c
    integer*8, intent(in) :: d
    real, intent(in) :: e
    real(8), value :: f
    complex, intent(in) :: g
    complex(8), intent(in) :: h
    logical(c_bool), intent(in) :: i
    logical, intent(in) :: j
    type(c_ptr), value :: k
    real(8), intent(out) :: r
    r = a + b + c + d + e + f + real(g) + aimag(h) + merge(1, 0, logical(i)) + merge(1, 0, j) + merge(1, 0, c_associated(k))
  end subroutine
  function greet(who, n) result(r)
    character(len=*), intent(in) :: who
    integer, intent(in) :: n
    character(len=n + 2) :: r
    r = "to " // who
  end function
  subroutine texts(names, a, b, c, d, e)
    character(len=*), intent(in) :: names(:)
    character(len=8), intent(out) :: a
    character(len=*), intent(out) :: b
    character(len=*), intent(inout) :: c
    character(len=:), allocatable, intent(out) :: d
    character(len=4), intent(out) :: e(3)
    a = names(1)
    b = "b"
    c = c(2:)
    d = "dd"
    e = "e"
  end subroutine
  function outs(n, m, x, y, z, w, k) result(r)
    integer, intent(in) :: n, m
    real(8), intent(in) :: x(0:n, *)
    real(8), intent(out) :: y(m*(n + 1)), z
    real(8), allocatable, intent(out) :: w(:)
    integer(8), intent(inout) :: k
    real(8), allocatable :: r(:, :)
    y = x(n, m)
    z = m
    w = [1d0, 2d0]
    k = k + 1
    allocate (r(n, m), source=2d0)
  end function
  subroutine late(first, lambda, float, x, n)
    integer, intent(in), optional :: first
    real(8), intent(in) :: lambda, float
    integer, intent(in) :: n
    real(8), intent(inout) :: x(n)
    x = x*lambda + float
    if (present(first)) x(1) = first
  end subroutine
  pure real(8) function pass(n) bind(c, name="Pass")
    integer(c_int), value :: n
    pass = n
  end function
  function mesh(n) result(r)
    integer, intent(in) :: n
    real(8) :: r(n + 1)
    r = n
  end function
  real(8) function total(f, x)
    interface
      real(8) function f(n, x)
        integer, intent(in) :: n
        real(8), intent(in) :: x(n)
      end function
    end interface
    real(8), intent(in) :: x(:)
    total = f(size(x), x)
  end function
  real(8) function add(a, b)
    real(c_double), intent(in) :: a, b
    add = a + b
  end function
end module
subroutine old(n, x, lda, info)
  implicit double precision (a-h, o-z)
  dimension x(lda, *)
  do 10 i = 1, n
    x(i, 1) = i
10 continue
  info = n
end subroutine
"""


@pytest.fixture
def forms(tmp_path: Path) -> Path:
    """A folder with a source and its stubs."""
    (tmp_path / "forms.f90").write_text(FORMS)
    (tmp_path / "physics.f90").write_text(PHYSICS)
    for name in ("forms", "physics"):
        assert main([str(tmp_path / f"{name}.f90"), "-o", str(tmp_path / f"{name}_stubs.py")]) == 0
    return tmp_path


def test_mypy_accepts_the_stubs(forms: Path) -> None:
    run([sys.executable, "-m", "mypy", "--strict", "--ignore-missing-imports", "forms_stubs.py", "physics_stubs.py"], cwd=forms)


def test_pyright_accepts_the_stubs(forms: Path) -> None:
    done = run([str(Path(sys.executable).with_name("pyright")), "--pythonpath", sys.executable, "."], cwd=forms, check=False)
    if "0 errors" not in done.stdout and "error:" not in done.stdout:
        pytest.skip(f"pyright does not run here, so it is not verified that it accepts the stubs: {done.stderr[-200:]}")
    assert done.returncode == 0, done.stdout


def test_ruff_finds_the_stubs_well_formed(forms: Path) -> None:
    run(
        [sys.executable, "-m", "ruff", "format", "--check", "--line-length", "100", "forms_stubs.py", "physics_stubs.py"],
        cwd=forms,
    )
    run([sys.executable, "-m", "ruff", "check", "--select", "F,E4,E7,E9,UP,PYI", "forms_stubs.py", "physics_stubs.py"], cwd=forms)


CALLS = """\
import numpy as np

import forms_stubs as stubs

assert stubs.kinds(1, 2, 3, 4, 5.0, 6.0, 7, 8j, True, True, 1) == 39.0
assert stubs.greet("you", 3) == "to yo"
b, c, e = np.zeros((), "S5"), np.array(b"cde"), np.zeros(3, "S4")
a, _, d, _ = stubs.texts(["ab", "c"], c=c, b=b, e=e)
assert (a, b[()].rstrip(), c[()].rstrip(), d, [t.rstrip() for t in e.tolist()]) == ("ab", b"b", b"de", "dd", [b"e"] * 3)
k = np.array(4)
r, y, z, w = stubs.outs(1, 2, np.array([[1.0, 2.0], [3.0, 4.0]], order="F"), k)
assert (r.tolist(), y.tolist(), z, w.tolist(), k[()]) == ([[2.0, 2.0]], [4.0] * 4, 2.0, [1.0, 2.0], 5)
x = np.ones(3)
stubs.late(lambda_=2.0, float_=1.0, x=x, n=3)
assert x.tolist() == [3.0, 3.0, 3.0]
stubs.late(7, lambda_=1.0, float_=0.0, x=x, n=3)
assert x.tolist() == [7.0, 3.0, 3.0]
assert (stubs.pass_(3), stubs.mesh(2).tolist(), stubs.add(1.0, 2.0)) == (3.0, [2.0] * 3, 3.0)
assert stubs.total(lambda n, x: float(x.sum()) * n, np.array([1.0, 2.0])) == 6.0
x, info = np.zeros((3, 2), order="F"), np.array(0, np.int32)
stubs.old(2, x, 3, info)
assert (x[:, 0].tolist(), info[()]) == ([1.0, 2.0, 0.0], 2)
print("all called")
"""


def test_procedures_can_be_called_through_the_stubs(forms: Path, compiler: str) -> None:
    pytest.importorskip("py2f.runtime._runtime")
    (forms / "use.py").write_text(CALLS)
    environment = {**os.environ, "FC": compiler, "PYTHONPATH": "."}
    assert run([sys.executable, "use.py"], cwd=forms, env=environment).stdout == "all called\n"


# ---- the command


def test_stubs_are_printed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "physics.f90").write_text(PHYSICS)
    assert main(["physics.f90"]) == 0
    assert capsys.readouterr().out == STUBS


def test_sources_are_found_from_the_folder_of_the_stubs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "src").mkdir()
    (tmp_path / "package").mkdir()
    (tmp_path / "src/a.f90").write_text("subroutine a\nend\n")
    assert main(["src/a.f90", "-o", "package/a.py"]) == 0
    assert '@pythoncall(source="../src/a.f90")\n' in (tmp_path / "package/a.py").read_text()


def test_one_module_can_be_chosen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    kinds = "module kinds\ninteger, parameter :: wp = 8\nend\n"
    (tmp_path / "kinds.f90").write_text(kinds)
    (tmp_path / "m.f90").write_text(
        "module m\nuse kinds\ncontains\nsubroutine s(x)\nreal(wp), value :: x\nend\nend\nsubroutine t\nend\n"
    )
    assert main(["m.f90", "kinds.f90", "--module", "M"]) == 0
    text = capsys.readouterr().out
    assert '@pythoncall(source=["m.f90", "kinds.f90"], module="m")\ndef s(x: Annotated[float, f64, Value]) -> None: ...\n' in text
    assert "def t(" not in text
    assert "kinds.wp" not in text


def test_the_form_can_be_chosen(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "old.f90").write_text("c     old\n      subroutine s\n      end\n")
    assert main(["--fixed", str(tmp_path / "old.f90")]) == 0
    assert "def s() -> None:" in capsys.readouterr().out


ERRORS = {
    "none.f90": "none.f90: No such file or directory",
    "bad.f90": "bad.f90:2: fparser does not understand a type declaration: `real :: x(`",
    "good.f90 --module other": "good.f90: there is no module 'other' in the given sources, which have: m",
    "lone.f90 --module other": "lone.f90: there is no module 'other' in the given sources, which have: none",
    "good.f90 -o none/a.py": "none/a.py: cannot be written: No such file or directory",
}


@pytest.mark.parametrize("arguments", ERRORS, ids=str)
def test_errors_are_a_line_and_status_1(
    arguments: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad.f90").write_text("subroutine s(x)\nreal :: x(\nend\n")
    (tmp_path / "good.f90").write_text("module m\nend\n")
    (tmp_path / "lone.f90").write_text("subroutine s\nend\n")
    assert main(arguments.split()) == 1
    assert capsys.readouterr() == ("", f"py2f: {ERRORS[arguments]}\n")
