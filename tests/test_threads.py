"""Threads: the very first call may come from inside a parallel region."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from programs import Project

MODEL = """\
import numpy as np

from py2f import InOut, export_to_fortran, f64, i32


@export_to_fortran
def add(x: InOut[f64[:, :]], number: i32) -> f64:
    x += number
    return float(np.sum(x))
"""

MAIN = """\
program main
  use, intrinsic :: iso_fortran_env, only: real64
  use model_py, only: add
  implicit none
  integer, parameter :: nthreads = 8
  real(real64) :: x(3, 2, nthreads), total(nthreads)
  integer :: i, j
  x = 0
  !$omp parallel do num_threads(nthreads) schedule(static, 1)
  do i = 1, nthreads
    do j = 1, 50
      total(i) = add(x(:, :, i), i)
    end do
  end do
  print '(8i6)', nint(total)
  print '(8i6)', nint(x(2, 2, :))
end program main
"""


def test_eight_threads_make_the_very_first_call(project: Project, compiler: str) -> None:
    """Ten processes at a time or one after the other, the results are right."""
    project.compiler = compiler
    project.write(model_py=MODEL, main_f90=MAIN).export()
    try:
        project.compile("-fopenmp")
    except AssertionError as error:
        if "-lomp" not in str(error):
            raise
        pytest.skip(f"{compiler} has no OpenMP run time here: that its threads make the first call is not verified")
    program = str(project.folder / "main")
    expected = "".join(f"{6 * 50 * i:6d}" for i in range(1, 9)) + "\n" + "".join(f"{50 * i:6d}" for i in range(1, 9)) + "\n"
    for _ in range(5):
        started = [subprocess.Popen([program], cwd="/", env={}, stdout=subprocess.PIPE, text=True) for _ in range(2)]
        assert [process.communicate(timeout=60)[0] for process in started] == [expected] * 2


def test_threads_whose_first_call_fails_have_each_their_own_message(project: Project) -> None:
    """The text of the last error is a thread's."""
    main = MAIN.replace("  integer :: i, j\n", "  integer :: i, j, stat(nthreads)\n  character(len=80) :: message(nthreads)\n")
    main = main.replace("add(x(:, :, i), i)", "add(x(:, :, i), i, stat=stat(i), errmsg=message(i))")
    main = main.replace("print '(8i6)', nint(total)", "print '(i0,1x,a)', (stat(i), trim(message(i)), i=1, nthreads)")
    main = main.replace("  print '(8i6)', nint(x(2, 2, :))\n", "")
    project.write(model_py=MODEL, main_f90=main).export()
    project.compile("-fopenmp")
    project.write(model_py=MODEL.replace("    x += number\n", "    raise ValueError(f'thread {number}')\n"))
    assert project.run().stdout.splitlines() == [f"4 ValueError: thread {i}" for i in range(1, 9)]
