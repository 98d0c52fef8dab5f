"""Keep, Padded, IndexBase and Extents: what the caller must know of an array, from Fortran with each compiler."""

from __future__ import annotations

import os
import re

import pytest
from programs import Project, run

MODEL = '''
from __future__ import annotations
from typing import Annotated
import numpy as np
from numpy.typing import NDArray
from py2f import Extents, InOut, IndexBase, Keep, Padded, export_to_fortran, f64, i16, i32, i64

kept = {}

@export_to_fortran
def hold(area: Annotated[NDArray[np.float64], f64[:], Keep], levels: Annotated[NDArray[np.float64], f64[:, :], Keep] | None) -> None:
    kept["area"] = area
    kept["levels"] = levels

@export_to_fortran
def held() -> str:
    return str(kept["area"].tolist()) + (" none" if kept["levels"] is None else str(kept["levels"].tolist()))

@export_to_fortran
def half(full: Annotated[NDArray[np.float64], f64[:, :], Extents("n", "k")],
         half: Annotated[NDArray[np.float64], f64[:, :], Extents("n", "k + 1")] | None) -> int:
    return full.size + (half.size if half is not None else 0)

@export_to_fortran
def padded(n: i32, block: Annotated[NDArray[np.float64], f64[:, :], Extents("n", ":"), Padded, InOut],
           table: Annotated[NDArray[np.int32], i32[:], Extents("n"), Padded, IndexBase(1), InOut]) -> str:
    block += 1
    table[...] = table[::-1].copy()
    return f"{block.shape} {table.tolist()}"

@export_to_fortran
def lookup(table: Annotated[NDArray[np.int64], i64[:, :], IndexBase(1)]) -> str:
    return f"{table.tolist()} {table.flags.writeable}"

@export_to_fortran
def smallest(table: Annotated[NDArray[np.int16], i16[:], IndexBase(1), InOut], add: i32) -> str:
    table += np.int16(add)
    return str(table.tolist())

@export_to_fortran
def total(table: Annotated[NDArray[np.int32], i32[:], IndexBase(1)]) -> i64:
    """The same address twice: what is there now."""
    return int(table.sum())
'''
MAIN = """
program main
  use, intrinsic :: iso_c_binding
  use model_py
  implicit none
  real(c_double), target :: area(3), levels(2, 2), bare(2, 3), halves(2, 4)
  real(c_double), allocatable, target :: nowhere(:)
  real(c_double), pointer :: null2(:, :)
  integer(c_int32_t) :: table(4), i, stat
  integer(c_int64_t) :: wide(3, 2)
  integer(c_int16_t) :: tiny(2)
  character(300) :: errmsg
  area = [1, 2, 3]
  levels = reshape([1, 2, 3, 4], [2, 2])
  nullify (null2)
  call hold(area, null2)
  area(2) = 9
  print "(a)", held()
  call hold(area(3:1:-2), levels(:, 2:))
  print "(a)", held()
  call hold(area)
  print "(a)", held()
  call hold(nowhere, stat=stat, errmsg=errmsg)
  print "(i0, 1x, a)", stat, trim(errmsg)
  bare = 0
  halves = 0
  print "(i0)", half(bare, halves), half(bare)
  i = half(bare, halves(:, 2:), stat=stat, errmsg=errmsg)
  print "(i0, 1x, a)", stat, trim(errmsg)
  table = [1, 3, 2, -7]
  print "(a)", padded(3, halves(2:1:-1, :), table, stat=stat, errmsg=errmsg)
  print "(i0, 1x, a)", stat, trim(errmsg)
  print "(a)", padded(1, halves(2:1:-1, :), table)
  print "(8f3.0)", halves
  print "(a)", padded(1, halves, table)
  print "(8f3.0)", halves
  print "(a)", padded(2, halves, table(4:1:-1))
  print "(a)", padded(2, halves(:, :0), table(:2))
  print "(4i3)", table
  wide = reshape([(i, i=1, 6)], [3, 2])
  print "(a)", lookup(wide(3:1:-2, :))
  wide(3, 2) = 1
  print "(a)", lookup(wide(3:1:-2, :)), lookup(wide(:0, :))
  wide = -huge(wide) - 1
  print "(a)", lookup(wide, stat=stat, errmsg=errmsg)
  print "(i0, 1x, a)", stat, trim(errmsg)
  tiny = 1
  print "(a)", smallest(tiny, 2)
  tiny = huge(tiny)
  print "(a)", smallest(tiny, 1, stat=stat, errmsg=errmsg)
  print "(i0, 1x, a)", stat, trim(errmsg)
  print "(2i4)", total(table), total(table)
  table(1) = 93
  print "(2i4)", total(table), total(table)
end program main
"""
EXPECTED = """\
[1.0, 9.0, 3.0] none
[3.0, 1.0][[3.0], [4.0]]
[1.0, 9.0, 3.0] none
4 ValueError: argument 'area' of 'hold' is not associated
14
6
3 argument 'half' of 'half': extent 2 is 3, k + 1 is 4

3 argument 'block' of 'padded': extent 1 is 2, n is 3
(1, 4) [0]
 0. 1. 0. 1. 0. 1. 0. 1.
(1, 4) [0]
 1. 1. 1. 1. 1. 1. 1. 1.
(2, 4) [1, -8]
(2, 0) [2, 0]
  3  1 -7  2
[[2, 5], [0, 3]] False
[[2, 0], [0, 3]] False
[] False

4 OverflowError: argument 'table' of 'lookup': an index minus 1 does not fit
[2, 2]

4 OverflowError: argument 'table' of 'smallest': an index plus 1 does not fit
  -5  -5
  85  85
"""


def test_what_python_sees(project: Project, compiler: str) -> None:
    project.compiler = compiler
    project.write(model_py=MODEL, main_f90=MAIN).export()
    project.compile()
    assert project.run().stdout.replace(" \n", "\n") == EXPECTED


@pytest.mark.parametrize(
    ("actual", "declared"),
    [("area + 1", "area(3)"), ("area", "area(3)"), ("pack(area, area > 1)", "area(3)")],
)
def test_what_is_kept_is_no_temporary(project: Project, compiler: str, actual: str, declared: str) -> None:
    """An expression, an array that is no target, a function. gfortran takes a vector subscript: docs/reference/types.md."""
    project.compiler = compiler
    target = ", target" if actual != "area" else ""
    text = f"use model_py\nreal(8){target} :: {declared}\narea = 1\ncall hold({actual})\nend\n"
    project.write(model_py=MODEL, main_f90=text).export()
    with pytest.raises(AssertionError, match=r"(?i)pointer|target"):
        project.compile()


def test_the_caller_is_told(project: Project) -> None:
    """The generated module says what is kept, cut and counted from one."""
    project.write(model_py=MODEL).export()
    text = (project.folder / "build/src/model_py.f90").read_text()
    assert "!> Python keeps area, levels: what is handed over must stay allocated and unmoved.\n  subroutine hold" in text
    assert "!> Python sees the first n elements of block along its first dimension.\n" in text
    assert "!> The indices in table count from 1.\n" in text


CHECKED = """
import numpy as np
from typing import Annotated
from py2f import InOut, Keep, export_to_fortran, f64

kept = []

@export_to_fortran
def constant(area: Annotated[np.ndarray, f64[:], Keep]) -> None:
    kept.append(area)

@export_to_fortran
def state(wind: Annotated[np.ndarray, f64[:], Keep, InOut]) -> None:
    kept.append(wind)

@export_to_fortran
def step() -> None:
    pass
"""
CHANGES = """
program main
  use model_py
  implicit none
  double precision, allocatable, target :: area(:), wind(:)
  integer :: stat
  character(200) :: errmsg
  errmsg = ''
  allocate (area(400000), wind(400000), source=1d0)
  call constant(area(::2))
  call state(wind)
  call step()
  wind = 2
  area(2) = 3
  call step()
  area(3) = 2
  call step(stat, errmsg)
  print "(i0, 1x, a)", stat, trim(errmsg)
  area(3) = 1
  call step()
  deallocate (wind)
  call step(stat, errmsg)
  print "(i0, 1x, a)", stat, trim(errmsg)
end program main
"""


def test_what_python_keeps_is_looked_at(project: Project) -> None:
    """Under PY2F_CHECK=1: an input that has changed, memory that is gone; elements between those of a section may change."""
    project.write(model_py=CHECKED, main_f90=CHANGES).export()
    project.compile()
    assert project.run(env={"PY2F_CHECK": "1"}).stdout.splitlines() == [
        "4 CheckError: argument 'area' of 'constant', which Python keeps, has changed since; mark it InOut if it may",
        "4 CheckError: argument 'wind' of 'state', which Python keeps, has been deallocated since",
    ]
    assert set(project.run(env={"PY2F_CHECK": "0"}).stdout.split()) == {"0"}


def test_bridge_cuts_and_counts_as_fortran_does(project: Project) -> None:
    """From Python, through the same table."""
    project.write(model_py=MODEL)
    code = (
        "import numpy as np, py2f\nb = py2f.bridge('model')\nblock, table = np.zeros((3, 2)), np.array([3, 1, 5], 'i4')\n"
        "print(b.call('padded', 2, block, table), block.tolist(), table.tolist())\n"
        "try:\n    b.call('padded', 4, block, table)\nexcept py2f.CallError as error:\n    print(error.message)\n"
    )
    out = run([project.python, "-c", code], cwd=project.folder, env={**os.environ, "PYTHONPATH": str(project.folder)}).stdout
    assert re.sub(r"\s+", " ", out).strip() == (
        "(2, 2) [0, 2] [[1.0, 1.0], [1.0, 1.0], [0.0, 0.0]] [1, 3, 5] argument 'block' of 'padded': extent 1 is 3, n is 4"
    )
