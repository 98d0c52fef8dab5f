"""Memory stays flat over very many calls: fresh addresses, characters, errors, absent arguments, results, eight threads.

About a million calls; ``TORTURE_ROUNDS=1000000`` makes twelve million.
"""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from programs import Project

ROUNDS = int(os.environ.get("TORTURE_ROUNDS", "90000"))
"""Of nine calls each; the threads share as many."""

MODEL = """\
from __future__ import annotations

import numpy as np

from py2f import CPtr, InOut, b32, export_to_fortran, f64, i32, string


@export_to_fortran
def add(x: InOut[f64[:]], by: f64) -> None:
    x += by


@export_to_fortran
def greet(name: str) -> str:
    return f"Hello, {name}! " * 3


@export_to_fortran
def fail(number: i32) -> f64:
    raise ValueError(f"layer {number}")


@export_to_fortran
def maybe(x: InOut[f64[:]] | None, flag: bool | None, text: str = "default", by: f64 = 1.0) -> f64:
    return by if x is None else by * float(x[0])


@export_to_fortran
def some(n: i32) -> f64[:]:
    return np.full(n, 2.0)


@export_to_fortran
def wrong(n: i32) -> b32[n]:
    return np.zeros(n + n % 2, np.bool_)


@export_to_fortran
def label(table: InOut[string[:]], name: InOut[string] | None) -> None:
    table[...] = b"label"
    if name is not None:
        name[()] = name.item() + b"!"


@export_to_fortran
def joined(names: list[str] | None, handle: CPtr) -> str:
    return "".join(names or [hex(handle)])


@export_to_fortran
def several(n: i32) -> tuple[str, f64[:], f64[2], b32]:
    return "x" * n, np.ones(n), np.zeros(2), True if n % 2 else n
"""

MAIN = """\
program main
  use, intrinsic :: iso_c_binding
  use model_py, only: add, greet, fail, maybe, some, wrong, label, joined, several
  use py2f, only: py2f_traceback
  implicit none
  integer, parameter :: nthreads = 8
  real(c_double), allocatable, target :: block(:), part(:, :)
  real(c_double), allocatable :: result(:)
  real(c_double) :: value, total, two(2)
  logical, allocatable :: mask(:)
  logical :: flag
  character(len=:), allocatable :: text
  character(len=9) :: names(200) = 'edge'
  character(len=60) :: message
  character(len=12) :: argument
  integer(c_int32_t) :: i, rounds
  integer :: stat, before, after, thread
  call get_command_argument(1, argument)
  read (argument, *) rounds
  allocate (block(10007), part(40, nthreads))
  block = 0
  part = 0
  total = 0
  call burst(rounds / 20)
  before = resident()
  call burst(rounds)
  after = resident()
  print '(a, i0, a)', 'one thread: ', after - before, ' KiB'
  call threads(rounds / 20)
  before = resident()
  call threads(rounds)
  after = resident()
  print '(a, i0, a)', 'eight threads: ', after - before, ' KiB'
contains
  subroutine burst(count)
    integer(c_int32_t), intent(in) :: count
    integer(c_int32_t) :: first
    real(c_double), allocatable :: fresh(:)
    do i = 1, count
      first = modulo(i * 7919, 10000) + 1
      call add(block(first:first + modulo(i, 6)), 1d0)
      text = greet(repeat('x', modulo(i, 40)))
      value = fail(i, stat, message)
      if (stat /= 4 .or. message(:17) /= 'ValueError: layer') error stop 2
      if (modulo(i, 50) == 0) then
        if (index(py2f_traceback(), 'in fail') == 0) error stop 3
      end if
      allocate (fresh(modulo(i, 300) + 1), source=2d0)
      select case (modulo(i, 3))
      case (0)
        total = total + maybe()
      case (1)
        total = total + maybe(fresh, .true., 'text')
      case default
        total = total + maybe(flag=.false., by=2d0)
      end select
      deallocate (fresh)
      result = some(modulo(i, 100))
      if (size(result) /= modulo(i, 100)) error stop 4
      mask = wrong(modulo(i, 100), stat, message)
      if (stat /= merge(3, 0, modulo(i, 2) == 1)) error stop 5
      first = modulo(i * 7919, 190) + 1
      if (modulo(i, 2) == 0) call label(names(first:first + modulo(i, 9)), names(200))
      if (modulo(i, 2) == 1) call label(names(first:first + modulo(i, 9)))
      names(first) = merge('caf'//achar(195)//achar(169)//'    ', 'cell'//achar(255)//'    ', modulo(i, 5) > 0)
      if (modulo(i, 7) > 0) text = joined(names(first:first + modulo(i, 9)), c_null_ptr, stat, message)
      if (modulo(i, 7) == 0) text = joined(handle=c_loc(part), stat=stat)
      if (stat /= merge(3, 0, modulo(i, 5) == 0 .and. modulo(i, 7) > 0)) error stop 7
      names(first) = 'edge'
      call several(modulo(i, 100), text, result, two, flag, stat, message)
      if (stat /= merge(0, 3, modulo(i, 2) == 1)) error stop 8
    end do
  end subroutine burst

  subroutine threads(count)
    integer(c_int32_t), intent(in) :: count
    integer(c_int32_t) :: round
    real(c_double) :: x
    integer :: rc
    !$omp parallel do num_threads(nthreads) schedule(static, 1) private(round, x, rc)
    do thread = 1, nthreads
      do round = 1, count / nthreads
        call add(part(modulo(round, 30) + 1:, thread), 1d0)
        x = maybe(part(:, thread))
        x = fail(round, rc)
        if (rc /= 4) error stop 6
      end do
    end do
  end subroutine threads

  !> In KiB, as the kernel says.
  function resident() result(size)
    integer :: size, unit, pages
    open (newunit=unit, file='/proc/self/statm', action='read')
    read (unit, *) pages, size
    close (unit)
    size = 4 * size
  end function resident
end program main
"""


@pytest.mark.timeout(900)
def test_memory_is_flat_over_very_many_calls(project: Project) -> None:
    project.write(model_py=MODEL, main_f90=MAIN).export()
    program = project.compile("-fopenmp")
    done = subprocess.run([program, str(ROUNDS)], cwd="/", env={}, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    grown = [int(line.split()[-2]) for line in done.stdout.splitlines()]
    assert len(grown) == 2
    assert max(grown) < 1024, done.stdout
