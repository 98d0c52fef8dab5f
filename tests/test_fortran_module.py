"""Whole Fortran modules: procedures without stubs, what is listed with a reason, and every message."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from stubs import EACH_COMPILER, ran, stubbed

import py2f

if TYPE_CHECKING:
    from pathlib import Path

PHYSICS = """\
!> Physics of the column.
module physics
  use, intrinsic :: iso_c_binding, only: c_double, c_int
  use, intrinsic :: iso_fortran_env, only: int64
  implicit none
  private
  integer, parameter, public :: dp = kind(1d0), levels = 3
  real(dp), public :: gravity = 9.81_dp
  public :: saturate, mean, lambda, label, solve, mask_of, spread_out, apply, bound, area, import, point, hit, summed, tanh_like
  public :: scale
  type :: point
    real(dp) :: x, y
  end type point
  interface mean
    module procedure mean_1, mean_2
  end interface mean
  abstract interface
    real(dp) function of_x(x)
      import :: dp
      real(dp), intent(in) :: x
    end function of_x
  end interface
contains
  !> Cut off what is above a limit.
  !>
  !> Says how much that was.
  subroutine saturate(n, q, limit, excess)
    integer, intent(in) :: n
    real(dp), intent(inout) :: q(0:n, levels)
    real(dp), intent(in), optional :: limit
    real(dp), intent(out) :: excess(n + 1)
    real(dp) :: most
    most = 1
    if (present(limit)) most = limit
    excess = sum(max(q - most, 0.0_dp), dim=2)
    q = min(q, most)
  end subroutine saturate

  real(dp) function mean_1(x)
    real(dp), intent(in) :: x(:)
    mean_1 = sum(x)/size(x)
  end function mean_1

  real(dp) function mean_2(x)
    real(dp), intent(in) :: x(:, :)
    mean_2 = sum(x)/size(x)
  end function mean_2

  integer function lambda(in)
    integer, intent(in) :: in
    lambda = 2*in
  end function lambda

  function label(n) result(text)
    integer, intent(in) :: n
    character(len=:), allocatable :: text
    text = repeat('x', n)
  end function label

  subroutine solve(a, x, stat)
    real(dp), intent(in) :: a(:, :)
    real(dp), allocatable, intent(out) :: x(:)
    integer, intent(out) :: stat
    x = a(:, 1)
    stat = size(a, 1)
  end subroutine solve

  function mask_of(x) result(mask)
    real, intent(in) :: x(:)
    logical :: mask(size(x))
    mask = x > 0
  end function mask_of

  subroutine spread_out(n, x, y)
    integer(int64), intent(in) :: n
    complex(dp), intent(in) :: x(n)
    complex(dp), intent(out) :: y(2, n)
    y = spread(x, 1, 2)
  end subroutine spread_out

  real(dp) function apply(f, x)
    procedure(of_x) :: f
    real(dp), intent(in) :: x
    apply = f(x) + gravity
  end function apply

  integer(c_int) function bound(x) bind(c, name="bound_in_c")
    real(c_double), value :: x
    bound = int(x)
  end function bound

  elemental real(dp) function area(r)
    real(dp), intent(in) :: r
    area = 3*r**2
  end function area

  subroutine import(p)
    type(point), intent(in) :: p
    gravity = p%x
  end subroutine import

  real(dp) function hit(first, last)
    real(dp), intent(in), optional :: first
    real(dp), intent(in) :: last
    hit = last
    if (present(first)) hit = hit + first
  end function hit

  subroutine summed(names, total)
    character(len=*), intent(in) :: names(:)
    integer, intent(out) :: total
    total = sum(len_trim(names))
  end subroutine summed

  real(dp) function scale(n, x)
    integer, intent(in) :: n
    real(dp), intent(inout) :: x(n)
    x = 2*x
    scale = sum(x)
  end function scale

  pure real(dp) function tanh_like(x)
    real(dp), value :: x
    tanh_like = x/(1 + abs(x))
  end function tanh_like
end module physics
"""


@pytest.fixture(scope="module", params=EACH_COMPILER)
def m(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    text = "import py2f\nm = py2f.fortran_module('physics.f90')\n"
    return stubbed(tmp_path_factory.mktemp("physics"), request.param, text, physics_f90=PHYSICS).m


def test_procedures_are_called(m: Any) -> None:
    q = np.asfortranarray(np.arange(9.0).reshape(3, 3))
    assert_array_equal(m.saturate(2, q, limit=4.0), [0, 1, 9])
    assert q.max() == 4
    assert (m.lambda_(3), m.label(4), m.bound(2.5), m.area(2.0), m.tanh_like(1.0)) == (6, "xxxx", 2, 12, 0.5)
    x, stat = m.solve(np.arange(6.0).reshape(2, 3))
    assert (x.tolist(), stat) == ([0, 3], 2)
    assert_array_equal(m.spread_out(3, np.array([1j, 2, 3])), [[1j, 2, 3], [1j, 2, 3]])
    assert (m.hit(last=1.0), m.hit(2.0, last=1.0), m.summed(["a", "bcd"])) == (1, 3, 4)


def test_functions_may_have_the_names_of_intrinsics(m: Any) -> None:
    x = np.ones(3)
    assert (m.scale(3, x), x.tolist()) == (6, [2, 2, 2])


def test_procedures_share_the_variables(m: Any) -> None:
    m.gravity = 1
    assert m.apply(lambda x: 2 * x, 3.0) == 7
    with pytest.raises(ZeroDivisionError):
        m.apply(lambda x: x / 0, 3.0)


def test_arguments_are_as_strict_as_those_of_stubs(m: Any) -> None:
    with pytest.raises(ValueError, match="argument 'q' of 'saturate'"):
        m.saturate(3, np.zeros((3, 3), order="F"))
    with pytest.raises(OverflowError, match=r"argument 'in_?' of 'lambda'"):
        m.lambda_(2**31)
    with pytest.raises(TypeError, match="argument 'a' of 'solve'"):
        m.solve(np.zeros((2, 2), np.float32))


def test_attributes_are_listed_and_described(m: Any) -> None:
    assert {"saturate", "lambda_", "gravity", "levels", "__unwrapped__"} <= set(dir(m))
    assert not {"mean", "import", "point", "mean_1"} & set(dir(m))
    assert list(inspect.signature(m.saturate).parameters) == ["n", "q", "limit", "excess"]
    assert m.saturate.__doc__.startswith(
        "saturate(n: int, q: Annotated[NDArray[np.float64], f64[n + 1, 3], InOut], limit=None, excess=None) -> "
    )
    assert "Cut off what is above a limit.\n\nSays how much that was." in m.saturate.__doc__
    assert "\n    real(dp), intent(inout) :: q(0:n, levels)" in m.saturate.__doc__
    assert m.__doc__.startswith("Fortran module 'physics' of ")
    assert m.__doc__.endswith("Physics of the column.")
    assert (m.saturate.__name__, m.lambda_.__name__) == ("saturate", "lambda_")
    assert repr(m).startswith("<Fortran module of ")


REASONS = {
    "import": "argument 'p': derived type point",
    "point": "derived type",
    "mean": "generic of mean_1, mean_2; mean_1, mean_2 not public here",
    "mask_of": "result: extent 'size(x)' is not + - * of names and integers",
}


@pytest.mark.parametrize("name", REASONS)
def test_what_is_not_wrapped_says_why(m: Any, name: str) -> None:
    assert m.__unwrapped__[name] == REASONS[name]
    with pytest.raises(AttributeError) as caught:
        getattr(m, name)
    assert str(caught.value).endswith(f"physics.f90 is not wrapped: {REASONS[name]}")


def test_other_attributes_are_refused(m: Any) -> None:
    for act, message in (
        (lambda: m.nix, "has no public 'nix'"),
        (lambda: m.mean_1, "has no public 'mean_1'"),
        (lambda: m.Gravity, "has no public 'Gravity': Fortran's names are lower case here, as in 'gravity'"),
        (lambda: setattr(m, "nix", 1), "has no public 'nix'"),
        (lambda: setattr(m, "area", 1), "physics.f90 is a procedure"),
    ):
        with pytest.raises(AttributeError) as caught:
            act()
        assert str(caught.value).endswith(message)


# ---- where the sources are

TWO = "module one\n  integer :: a = 1\nend module one\nmodule two\n  use one\n  integer :: b = 2\nend module two\n"


def _module(folder: Path, *names: str, **options: Any) -> Any:
    return py2f.fortran_module(*(folder / name for name in names), **options)


def test_one_of_several_modules_is_named(tmp_path: Path) -> None:
    (tmp_path / "two.f90").write_text(TWO, encoding="utf-8")
    assert _module(tmp_path, "two.f90", module="TWO").b == 2
    with pytest.raises(py2f.StubError) as caught:
        _ = _module(tmp_path, "two.f90").b
    assert str(caught.value).partition(": ")[
        2
    ] == f'{tmp_path}/two.f90 has several modules, say which: module="one", module="two"'.replace('"', "'")
    with pytest.raises(py2f.StubError, match=r"module 'three' is not in .*two.f90, which has one, two"):
        dir(_module(tmp_path, "two.f90", module="three"))


def test_a_module_may_be_in_several_files(tmp_path: Path) -> None:
    first, second = TWO.split("module two\n", 1)
    (tmp_path / "one.f90").write_text(first, encoding="utf-8")
    (tmp_path / "two.f90").write_text(f"module two\n{second}", encoding="utf-8")
    assert _module(tmp_path, "two.f90", "one.f90", module="two").b == 2


def test_external_procedures_are_like_a_module_without_a_name(tmp_path: Path) -> None:
    text = "      SUBROUTINE TWICE(N, X)\n      INTEGER N\n      REAL*8 X(N)\n      INTEGER I\n      DO 10 I = 1, N\n   10 X(I) = 2*X(I)\n      END\n"
    (tmp_path / "old.f").write_text(text, encoding="utf-8")
    m, x = _module(tmp_path, "old.f"), np.ones(3)
    m.twice(3, x)
    assert (x.tolist(), dir(m)[-1]) == ([2, 2, 2], "twice")


def test_external_procedures_are_called_by_their_symbols(tmp_path: Path) -> None:
    text = 'integer(c_int) function twice(n) bind(c, name="Other_Name")\nuse iso_c_binding\ninteger(c_int), value :: n\ntwice = 2*n\nend function\n'
    (tmp_path / "c.f90").write_text(text, encoding="utf-8")
    assert _module(tmp_path, "c.f90").twice(4) == 8


def test_nothing_is_read_before_it_is_asked_for(tmp_path: Path) -> None:
    m = _module(tmp_path, "absent.f90")
    assert repr(m) == f"<Fortran module of {tmp_path}/absent.f90>"
    with pytest.raises(py2f.StubError, match=r"test_fortran_module.py:\d+: there is no file .*absent.f90"):
        _ = m.x


def test_arguments_of_fortran_module_are_checked() -> None:
    with pytest.raises(TypeError, match=r'say where the module is: fortran_module\("physics.f90"\)'):
        py2f.fortran_module()
    with pytest.raises(TypeError, match="copy='maybe': it is one of never, warn, ok"):
        py2f.fortran_module("physics.f90", copy="maybe")  # type: ignore[arg-type]


def test_copies_are_made_as_declared(tmp_path: Path) -> None:
    text = "module s\ncontains\n  subroutine twice(n, x)\n    integer, intent(in) :: n\n    real(8), intent(inout) :: x(n)\n    x = 2*x\n  end subroutine\nend module\n"
    (tmp_path / "s.f90").write_text(text, encoding="utf-8")
    x = np.ones(6)
    with pytest.raises(ValueError, match="argument 'x' of 'twice'"):
        _module(tmp_path, "s.f90").twice(3, x[::2])
    _module(tmp_path, "s.f90", copy="ok").twice(3, x[::2])
    assert x.tolist() == [2, 1, 2, 1, 2, 1]


def test_there_is_one_build(tmp_path: Path) -> None:
    (tmp_path / "physics.f90").write_text(PHYSICS, encoding="utf-8")
    script = "import py2f, os\nm = py2f.fortran_module('physics.f90')\nm.gravity; m.area(1.0); m.label(1)\nprint(sorted(e.name[:4] for e in os.scandir('c') if e.is_dir()).__len__())\n"
    assert ran(tmp_path, script, PY2F_CACHE_DIR=str(tmp_path / "c")).returncode == 0
    libraries = sorted({p.name for p in (tmp_path / "c").rglob("*.so*")})
    assert [name.split(".so")[0] for name in libraries] == ["libphysics", "libphysics_calls"]
