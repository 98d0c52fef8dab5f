"""An exception belongs to the call that it is raised in, however deep Fortran and Python call each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from programs import Project

MODEL = """\
from __future__ import annotations
from collections.abc import Callable
from py2f import export_to_fortran, f64, pythoncall

@pythoncall(host=True)
def twice(f: Callable[[f64], f64], x: f64) -> f64: ...

@export_to_fortran
def outer(rate: Callable[[f64], f64], x: f64) -> f64:
    return twice(lambda y: rate(y) + 1.0, x)

@export_to_fortran
def inner(x: f64) -> f64:
    raise ValueError(f"{x} is too cold")
"""
MAIN = """\
module levels
  use model_py, only: inner, outer_rate
  implicit none
contains
  function twice(f, x) result(r)
    procedure(outer_rate) :: f
    real(8), intent(in) :: x
    real(8) :: r
    r = f(x) + f(2*x)
  end function twice
  function rate(x) result(r)
    real(8), intent(in) :: x
    real(8) :: r
    integer :: stat
    character(len=60) :: errmsg
    errmsg = ''
    r = inner(x, stat=stat, errmsg=errmsg)
    print '(i0, 1x, a)', stat, trim(errmsg)
    r = 10*x
  end function rate
end module levels
program main
  use model_py, only: outer, provide_twice
  use levels
  implicit none
  real(8) :: r
  call provide_twice(twice)
  r = outer(rate, 3d0)
  print '(f0.1)', r
end program main
"""


def test_what_fortran_is_told_by_a_status_does_not_stop_the_callback_around_it(project: Project, compiler: str) -> None:
    """Fortran, Python, Fortran, a callback of Python, Fortran, Python: the innermost one fails, and Fortran goes on."""
    project.compiler = compiler
    project.write(model_py=MODEL, main_f90=MAIN)
    done = project.go()
    assert done.stderr == ""
    assert done.stdout == "4 ValueError: 3.0 is too cold\n4 ValueError: 6.0 is too cold\n92.0\n"
