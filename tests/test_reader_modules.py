"""The reader of Fortran sources: what modules make public, and procedures as arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from reading import read_module, read_texts, shown, signature

if TYPE_CHECKING:
    from pathlib import Path


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
    module = read_module(tmp_path, PHYSICS)
    assert (module.name, module.doc, module.uses) == ("physics", "Physics of the column.", ("iso_fortran_env",))
    assert [(p.name, signature(p), p.module) for p in module.procedures] == [
        ("saturate", "t: f64 inout", "physics"),
        ("advance", "dt: f64 in", "physics"),
    ]
    assert [(v.name, shown(v), v.value) for v in module.variables] == [
        ("field", "f64[:, :] allocatable target", ""),
        ("rate", "f64[:] pointer save", ""),
        ("count", "i32 protected", "0"),
        ("label", "str*8", ""),
        ("here", "derived ! derived type grid", ""),
        ("hook", "procedure pointer", ""),
    ]
    assert [(c.name, shown(c), c.value) for c in module.constants] == [
        ("limit", "f64 parameter", "1.5_dp"),
        ("colour", "i32 parameter", "blue + 1"),
        ("red", "i32 parameter", "3"),
        ("blue", "i32 parameter", "green + 1"),
    ]


def test_what_cannot_be_wrapped_is_listed_with_the_reason(tmp_path: Path) -> None:
    module = read_module(tmp_path, PHYSICS)
    assert module.generics == (("mean", ("mean_r", "mean_i")),)
    assert dict(module.unwrapped) == {
        "hook": "procedure pointer",
        "here": "derived type grid",
        "grid": "derived type",
        "mean": "generic of mean_r, mean_i; mean_r, mean_i not public here",
        "outside": "interface of an external procedure",
    }


def test_an_initialiser_with_commas_is_one_value(tmp_path: Path) -> None:
    module = read_module(tmp_path, "module m\nreal(8) :: x(3) = [1d0,2d0,3d0], y(2) = (/ 1, 2 /)\nend module\n")
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
    module = read_module(tmp_path, text)
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
    assert " ".join(p.name for p in read_module(tmp_path, text).procedures) == ACCESS[access]


def test_private_names_of_a_module_are_not_brought_by_use(tmp_path: Path) -> None:
    inner = "module inner\nprivate\ninteger, parameter :: wp = 8\ninteger, parameter, public :: vp = 8\nend module\n"
    outer = "module outer\nuse inner\ncontains\nsubroutine s(x, y)\nreal(wp) :: x\nreal(vp) :: y\nend\nend\n"
    x, y = read_module(tmp_path, inner, outer).procedures[0].arguments
    assert (x.trouble, y.row) == ("'wp' is declared nowhere in the given sources", "f64")


def test_modules_that_use_each_other_do_not_end_in_a_loop(tmp_path: Path) -> None:
    text = "module a\nuse b\nend\nmodule b\nuse a\ncontains\nsubroutine s(x)\nreal(wp) x\nend\nend\n"
    assert read_module(tmp_path, text).procedures[0].trouble == "argument 'x': 'wp' is declared nowhere in the given sources"


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
    assert [signature(p) for p in read_module(tmp_path, CALLBACKS).procedures] == [
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
    assert signature(read_module(tmp_path, text).procedures[0]) == "x: i32, f: procedure(x: f32)"


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
    x = read_texts(tmp_path, f"subroutine s(x, y)\n{statement}\nend\n").externals[0].arguments[0]
    assert (x.row or x.type) == REFERENCED[statement]
