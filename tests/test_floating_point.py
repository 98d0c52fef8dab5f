"""Floating-point traps and flags are the model's: masked during a call, given back after it."""

from __future__ import annotations

import pytest
from programs import Project

MODEL = """\
import numpy as np

from py2f import InOut, export_to_fortran, f64

np.seterr(all="ignore")
at_import = np.log(np.array([0.0, -1.0])) / np.zeros(2)


@export_to_fortran
def spoil(x: InOut[f64[:, :]]) -> None:
    x[...] = 0.0
    x /= 0.0
    np.exp(np.array([1e4]))
    float("inf") - float("inf")


@export_to_fortran
def spoil_long(x: InOut[f64[:, :]]) -> None:
    one = np.ones(2, dtype=np.longdouble)
    x[0, 0] = float((one / 0)[0])


class Shown(Exception):
    def __str__(self) -> str:
        return f"{np.array([0.0, 1.0]) / np.zeros(2)}"


@export_to_fortran
def fail() -> None:
    raise Shown
"""

MAIN = """\
program main
  use, intrinsic :: iso_fortran_env, only: real64
  use, intrinsic :: ieee_arithmetic
  use model_py, only: spoil, spoil_long, fail
  use py2f, only: py2f_traceback
  implicit none
  real(real64) :: x(3, 2)
  logical :: flags(5), halting(5)
  character(len=100) :: message
  integer :: i, stat
{before}
  do i = 1, 2
{call}
    call ieee_get_flag(ieee_all, flags)
    call ieee_get_halting_mode(ieee_all, halting)
    print '(5l2,1x,5l2)', flags, halting
  end do
{after}
end program main
"""
NOTHING = " F F F F F"


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project that is exported once; each test compiles a program of its own."""
    project = Project(tmp_path_factory.mktemp("traps") / "project").write(model_py=MODEL)
    project.export()
    return project


def lines(model: Project, call: str, *flags: str, before: str = "", after: str = "") -> list[str]:
    """Flags and halting modes after each of two calls."""
    model.write(main_f90=MAIN.format(call=f"    {call}", before=before, after=after))
    model.compile(*flags)
    done = model.run()
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


def test_a_model_that_traps_floating_point_exceptions_runs_numpy(model: Project) -> None:
    """At import, in a call; the traps are set afterwards as before."""
    rows = lines(model, "call spoil(x)", "-ffpe-trap=invalid,zero,overflow")
    assert rows == [f"{NOTHING}  T T T F F"] * 2


def test_what_numpy_signals_is_not_signalled_in_the_model(model: Project) -> None:
    """Else STOP would print a note, and the model's own tests of flags would fail."""
    assert lines(model, "call spoil(x)", after="  stop") == [f"{NOTHING} {NOTHING}"] * 2


def test_what_the_x87_unit_signals_is_not_signalled_in_the_model(model: Project) -> None:
    """NumPy's longdouble."""
    assert lines(model, "call spoil_long(x)") == [f"{NOTHING} {NOTHING}"] * 2


def test_what_the_model_has_signalled_stays_signalled(model: Project) -> None:
    """Sticky flags are the host's."""
    before = "  call ieee_set_flag(ieee_inexact, .true.)\n  call ieee_set_flag(ieee_overflow, .true.)"
    assert lines(model, "call spoil(x)", before=before) == [f" T F F F T {NOTHING}"] * 2


def test_showing_an_error_does_not_trap(model: Project) -> None:
    """Message and traceback of an exception that computes what it shows."""
    call = "call fail(stat=stat, errmsg=message)\n    print '(a,l2)', trim(message), index(py2f_traceback(), 'Shown') > 0"
    rows = lines(model, call, "-ffpe-trap=invalid,zero,overflow")
    assert rows == ["Shown: [nan inf] T", f"{NOTHING}  T T T F F"] * 2
