"""Python calls procedures of the program that it runs in: those that are provided, those that are arguments, those with a symbol."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from programs import Project

if TYPE_CHECKING:
    from pathlib import Path

HEAD = """\
from __future__ import annotations
from collections.abc import Callable
from typing import Annotated
from py2f import InOut, Length, Out, export_to_fortran, f32, f64, i32, pythoncall
"""


def test_a_procedure_of_the_program_is_found_by_its_symbol(project: Project, compiler: str) -> None:
    """Linked with -rdynamic, a bind(c) procedure needs not be provided; strides go along."""
    project.compiler = compiler
    project.write(
        model_py=HEAD
        + """
@pythoncall(host=True)
def halo(n: i32, field: InOut[f64[:, :]]) -> f64: ...

@export_to_fortran
def step(field: InOut[f64[:, :]]) -> f64:
    return halo(3, field)
""",
        main_f90="""
function halo(n, field) bind(c) result(r)
  use, intrinsic :: iso_c_binding
  implicit none
  integer(c_int), intent(in) :: n
  real(c_double), intent(inout) :: field(:, :)
  real(c_double) :: r
  field(2, 2) = n
  r = sum(field)
end function halo
program main
  use model_py, only: step
  implicit none
  real(8) :: u(5, 4)
  u = 1
  print '(f0.1)', step(u(::2, :))
  print '(f0.1)', u(3, 2)
end program main
""",
    )
    project.export()
    project.compile("-rdynamic")
    done = project.run()
    assert (done.returncode, done.stdout, done.stderr) == (0, "14.0\n3.0\n", "")


def test_without_a_symbol_the_message_says_what_to_do(project: Project) -> None:
    project.write(
        model_py=HEAD
        + """
@pythoncall(host=True)
def tendency(x: f64) -> f64: ...

@export_to_fortran
def step(x: f64) -> f64:
    return tendency(x)
""",
        main_f90="""
program main
  use model_py, only: step
  implicit none
  real(8) :: r
  integer :: stat
  character(len=300) :: errmsg
  r = step(1d0, stat=stat, errmsg=errmsg)
  print '(a)', trim(errmsg)
end program main
""",
    )
    assert project.go().stdout == (
        "RuntimeError: 'tendency' is not provided: the Fortran program has to call provide_tendency(...) first, "
        "or to export a bind(c) procedure of this name (link with -rdynamic)\n"
    )


def test_outside_of_a_program_a_host_procedure_is_an_error(tmp_path: Path) -> None:
    namespace: dict[str, object] = {"__name__": "lonely"}
    file = tmp_path / "lonely.py"
    file.write_text(HEAD + "@pythoncall(host=True)\ndef tendency(x: f64) -> f64: ...\n")
    exec(compile(file.read_text(), str(file), "exec"), namespace)  # noqa: S102  our own
    with pytest.raises(RuntimeError) as raised:
        namespace["tendency"](1.0)  # type: ignore[operator]
    assert str(raised.value) == (
        f"{file}:6: 'tendency' is a procedure of a Fortran program: it can be called only while such a program runs a "
        "function of a library that was exported with this stub"
    )


def test_an_argument_of_the_running_call_goes_back_as_that_very_array(project: Project, compiler: str) -> None:
    """The host sees the addresses and strides that it has handed over itself: a section of a section, too."""
    project.compiler = compiler
    project.write(
        model_py=HEAD
        + """
@pythoncall(host=True)
def same(field: InOut[f64[:, :]], line: InOut[f32[:]]) -> bool: ...

@export_to_fortran
def step(field: InOut[f64[:, :]], line: InOut[f32[:]]) -> bool:
    return same(field[1:, ::-1], line)
""",
        main_f90="""
module arrays
  use, intrinsic :: iso_c_binding
  implicit none
  real(8), target :: u(7, 6)
  real(4), target :: v(9)
contains
  function same(field, line) result(yes)
    real(8), intent(inout) :: field(:, :)
    real(4), intent(inout) :: line(:)
    logical :: yes
    call compare(field, line, yes)
  end function same
  subroutine compare(field, line, yes)
    real(8), intent(inout), target :: field(:, :)
    real(4), intent(inout), target :: line(:)
    logical, intent(out) :: yes
    yes = c_associated(c_loc(field(1, 1)), c_loc(u(4, 6))) .and. c_associated(c_loc(field(2, 2)), c_loc(u(6, 5)))
    yes = yes .and. c_associated(c_loc(line(2)), c_loc(v(7)))
    print '(3(1x, i0))', shape(field), size(line)
  end subroutine compare
end module arrays
program main
  use model_py, only: provide_same, step
  use arrays
  implicit none
  logical :: yes
  call provide_same(same)
  yes = step(u(2:7:2, :), v(9:1:-2))
  print '(l1)', yes
end program main
""",
    )
    done = project.go()
    assert (done.stdout, done.stderr) == (" 2 6 5\nT\n", "")


def test_a_kept_argument_says_that_its_call_has_ended(project: Project, compiler: str) -> None:
    project.compiler = compiler
    project.write(
        model_py=HEAD
        + """
@export_to_fortran
def keep(f: Callable[[f64], f64]) -> f64:
    global kept
    kept = f
    return f(3.0)

@export_to_fortran
def late() -> f64:
    return kept(1.0)
""",
        main_f90="""
module functions
  implicit none
contains
  function twice(x) result(r)
    real(8), intent(in) :: x
    real(8) :: r
    r = 2 * x
  end function twice
  function thrice(x) result(r)
    real(8), intent(in) :: x
    real(8) :: r
    r = 3 * x
  end function thrice
end module functions
program main
  use model_py, only: keep, late
  use functions
  implicit none
  real(8) :: r
  integer :: stat
  character(len=200) :: errmsg
  print '(2f6.1)', keep(twice), keep(thrice)
  r = late(stat=stat, errmsg=errmsg)
  print '(i0, 1x, a)', stat, trim(errmsg)
end program main
""",
    )
    assert project.go().stdout == (
        "   6.0   9.0\n4 RuntimeError: 'f' is an argument of a call that has ended: it is valid until the function returns\n"
    )


def test_errors_travel_outward_through_all_levels(project: Project, compiler: str) -> None:
    """Fortran, Python, Fortran, Python: the innermost exception reaches each level by its own means."""
    project.compiler = compiler
    project.write(
        model_py=HEAD
        + """
@pythoncall(host=True, errors="stat")
def middle(x: f64, stat: Out[i32], errmsg: Annotated[str, Out, Length(60)]) -> None: ...

@export_to_fortran
def outer(x: f64) -> None:
    middle(x)

@export_to_fortran
def inner(x: f64) -> None:
    raise ValueError(f"{x} is too cold")
""",
        main_f90="""
module levels
  use model_py, only: inner
  implicit none
contains
  subroutine middle(x, stat, errmsg)
    real(8), intent(in) :: x
    integer, intent(out) :: stat
    character(len=*), intent(out) :: errmsg
    errmsg = ''
    call inner(x - 1, stat=stat, errmsg=errmsg)
  end subroutine middle
end module levels
program main
  use model_py, only: outer, provide_middle
  use levels
  implicit none
  integer :: stat
  character(len=200) :: errmsg
  call provide_middle(middle)
  call outer(5d0, stat=stat, errmsg=errmsg)
  print '(i0, 1x, a)', stat, trim(errmsg)
end program main
""",
    )
    assert project.go().stdout == "4 FortranError: 'middle' reported status 4: ValueError: 4.0 is too cold\n"


def test_a_stub_that_has_changed_since_the_export_is_named(project: Project) -> None:
    text = (
        HEAD
        + """
@pythoncall(host=True)
def tendency(x: f64) -> f64: ...

@export_to_fortran
def step(x: f64) -> f64:
    return x
"""
    )
    project.write(
        model_py=text,
        main_f90="""
program main
  use model_py, only: step
  implicit none
  real(8) :: r
  integer :: stat
  character(len=300) :: errmsg
  r = step(1d0, stat=stat, errmsg=errmsg)
  print '(i0, 1x, a)', stat, trim(errmsg)
end program main
""",
    )
    project.export()
    project.compile()
    project.write(model_py=text.replace("tendency(x: f64)", "tendency(x: f32)"))
    assert project.run().stdout == (
        "6 model has changed since py2f.export: the host procedure 'tendency' was (x: f64) -> f64, is (x: f32) -> f64; "
        "run py2f.export again and compile the program anew\n"
    )


def test_stubs_that_a_module_imports_go_into_its_library(project: Project) -> None:
    project.write(
        halo_py=HEAD + "@pythoncall(host=True)\ndef tendency(x: f64) -> f64: ...\n",
        model_py=HEAD + "from halo import tendency\n\n@export_to_fortran\ndef step(x: f64) -> f64:\n    return tendency(x)\n",
        main_f90="""
module functions
  implicit none
contains
  function twice(x) result(r)
    real(8), intent(in) :: x
    real(8) :: r
    r = 2 * x
  end function twice
end module functions
program main
  use model_py, only: provide_tendency, step
  use functions
  implicit none
  call provide_tendency(twice)
  print '(f0.1)', step(4d0)
end program main
""",
    )
    assert project.go().stdout == "8.0\n"
