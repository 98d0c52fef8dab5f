"""GT4Py fields over the memory of Fortran, executed by GT4Py's own NumPy backend; `make granule` has the compiled ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from programs import Project

pytest.importorskip("gt4py", reason="gt4py is not installed: fields over Fortran's memory are not verified")

HEAD = """
from __future__ import annotations
import gc, resource, warnings
from typing import Annotated, TypeAlias, TypeVar
import numpy as np
import gt4py.next as gtx
from gt4py.next import neighbor_sum
from py2f import Extents, In, InOut, IndexBase, Keep, Padded, export_to_fortran, f64, i32
warnings.simplefilter("ignore")
T = TypeVar("T")
Cell, Edge = gtx.Dimension("Cell"), gtx.Dimension("Edge")
K = gtx.Dimension("K", kind=gtx.DimensionKind.VERTICAL)
C2E = gtx.Dimension("C2E", kind=gtx.DimensionKind.LOCAL)
CellK: TypeAlias = gtx.Field[gtx.Dims[Cell, K], T]
EdgeK = gtx.Field[gtx.Dims[Edge, K], gtx.float64]
"""
VIEWS = '''
@export_to_fortran
def show(w: Annotated[CellK[gtx.float64], Extents("Cell", "K + 1"), InOut], t: CellK[gtx.float32], mask: gtx.Field[gtx.Dims[Cell], bool] | None,
         table: Annotated[gtx.Field[gtx.Dims[Cell, C2E], gtx.int32], IndexBase(1)], z: Annotated[gtx.Field[gtx.Dims[Cell], gtx.float64], InOut] | None = None) -> str:
    """What arrives: domain, dtype, and whether it is the caller's memory."""
    w.ndarray[:1, :1] = 7
    parts = [str(f.domain).replace("[horizontal]", "").replace("[vertical]", "").replace("[local]", "") + f" {f.ndarray.dtype}" for f in (w, t, table)]
    if mask is not None:
        parts.append(str(mask.ndarray.tolist()))
    if z is not None:
        z.ndarray[...] = table.ndarray.sum()
    return "; ".join(parts)

@export_to_fortran
def same(t: CellK[gtx.float64]) -> bool:
    """The field of the last call, if nobody has kept it."""
    number = id(t)
    known = same.known == number
    same.known = number
    return known
same.known = 0

@export_to_fortran
def doubled(t: CellK[gtx.float64]) -> CellK[gtx.float64]:
    return gtx.as_field((Cell, K), 2 * t.ndarray)

@export_to_fortran
def both(n: i32, t: CellK[gtx.float64]) -> tuple[CellK[gtx.float64], gtx.Field[gtx.Dims[Edge], gtx.float64]]:
    return gtx.as_field((Cell, K), t.ndarray + 1), gtx.as_field((Edge,), np.arange(n, dtype=float))

@export_to_fortran
def wrong(t: CellK[gtx.float64]) -> CellK[gtx.float64]:
    return gtx.as_field((Cell, K), t.ndarray[1:])
'''
MAIN = """
program main
  use, intrinsic :: iso_c_binding
  use model_py
  implicit none
  real(c_double) :: w(2, 4), z(4), t(2, 3), d(2, 3), short(1, 3)
  real(c_double), allocatable :: edges(:)
  real(c_float) :: s(2, 3)
  logical(c_bool) :: mask(2) = [.true._c_bool, .false._c_bool]
  integer(c_int32_t) :: table(2, 2) = reshape([1, 2, 3, 4], [2, 2]), stat
  character(200) :: errmsg
  logical :: first, second
  w = 0
  s = 0
  z = 0
  print "(a)", show(w(2:1:-1, :), s, mask, table, z(::2))
  print "(8f3.0)", w
  print "(4f4.0)", z
  print "(a)", show(w, s, table=table)
  print "(a)", show(w(:0, :), s(:0, :), table=table(:0, :))
  print "(a)", show(w(:, 2:), s, mask, table, stat=stat, errmsg=errmsg), trim(errmsg)
  print "(a)", show(w, s, [mask, mask], table, stat=stat, errmsg=errmsg), trim(errmsg)
  print "(a)", show(w, s, table=table, z=z, stat=stat, errmsg=errmsg), trim(errmsg)
  t = 3
  first = same(t)
  second = same(t)
  print "(2l2)", first, second
  print "(6f3.0)", doubled(t)
  call both(3, t, d, edges)
  print "(9f3.0)", d, edges
  short = 0
  d = wrong(t, stat=stat, errmsg=errmsg)
  print "(i0, 1x, a)", stat, trim(errmsg)
end program main
"""
EXPECTED = """\
Domain(Cell=(0:2), K=(0:4)) float64; Domain(Cell=(0:2), K=(0:3)) float32; Domain(Cell=(0:2), C2E=(0:2)) int32; [True, False]
 0. 7. 0. 0. 0. 0. 0. 0.
  6.  0.  6.  0.
Domain(Cell=(0:2), K=(0:4)) float64; Domain(Cell=(0:2), K=(0:3)) float32; Domain(Cell=(0:2), C2E=(0:2)) int32
Domain(Cell=(0:0), K=(0:4)) float64; Domain(Cell=(0:0), K=(0:3)) float32; Domain(Cell=(0:0), C2E=(0:2)) int32

argument 'w' of 'show': extent 2 is 3, K + 1 is 4

argument 'mask' of 'show': extent 1 is 4, Cell is 2

argument 'z' of 'show': extent 1 is 4, Cell is 2
 F T
 6. 6. 6. 6. 6. 6.
 4. 4. 4. 4. 4. 4. 0. 1. 2.
3 'wrong' returned an array whose extent 1 is 1, Field[Cell, K: f64[Cell, K]] makes it 2
"""


def test_fields_share_the_memory_of_fortran(project: Project, compiler: str) -> None:
    project.compiler = compiler
    project.write(model_py=HEAD + VIEWS, main_f90=MAIN).export()
    project.compile()
    done = project.run()
    assert done.stdout.replace(" \n", "\n") == EXPECTED, done.stderr


HELD = """
state = {}

@export_to_fortran
def grid_init(area: gtx.Field[gtx.Dims[Cell], gtx.float64], length: gtx.Field[gtx.Dims[Edge], gtx.float64]) -> None:
    state["area"], state["length"] = area, length.ndarray

@export_to_fortran
def model_init(weight: gtx.Field[gtx.Dims[Cell], gtx.float64]) -> None:
    state["weight"] = weight

@export_to_fortran
def run(vn: Annotated[EdgeK, InOut]) -> None:
    pass

@export_to_fortran
def forget() -> None:
    state.clear()
    gc.collect()
"""
GRIDS = """
program main
  use model_py
  implicit none
  double precision, target :: area(5), length(8), vn(8, 2)
  integer :: stat
  character(200) :: errmsg
  area = 0; length = 0; vn = 0
  call run(vn(:3, :))
  call grid_init(area, length)
  call model_init(area(:4), stat, errmsg); print "(i0, 1x, a)", stat, trim(errmsg)
  call model_init(area)
  call run(vn)
  call run(vn(:7, :), stat, errmsg); print "(i0, 1x, a)", stat, trim(errmsg)
  call run(vn)
  call grid_init(area(:3), length(:7))
  call run(vn(:7, :))
  call run(vn, stat, errmsg); print "(i0, 1x, a)", stat, trim(errmsg)
  call model_init(area, stat, errmsg); print "(i0, 1x, a)", stat, trim(errmsg)
  call model_init(area(:3))
  call forget()
  call run(vn)
end program main
"""
REFUSED = """\
3 argument 'weight' of 'model_init': extent 1 is 4, Cell is 5 in 'area', which 'grid_init' keeps
3 argument 'vn' of 'run': extent 1 is 7, Edge is 8 in 'length', which 'grid_init' keeps
3 argument 'vn' of 'run': extent 1 is 8, Edge is 7 in 'length', which 'grid_init' keeps
3 argument 'weight' of 'model_init': extent 1 is 5, Cell is 3 in 'area', which 'grid_init' keeps
"""


def test_fields_that_python_keeps_are_of_the_grid_of_all_others(project: Project) -> None:
    """A field that is kept, or its array: later calls are compared; a new grid replaces it; what is dropped says nothing."""
    done = project.write(model_py=HEAD + HELD, main_f90=GRIDS).go("-fcheck=all")
    assert (done.stdout, done.stderr) == (REFUSED, "")


PROGRAMS = '''
@gtx.field_operator
def scaled(a: CellK[gtx.float64], s: gtx.float64) -> CellK[gtx.float64]:
    return a * s

@export_to_fortran
@gtx.program
def scale(a: CellK[gtx.float64], s: gtx.float64, out: CellK[gtx.float64]):
    """Scale a field."""
    scaled(a, s, out=out)

export_to_fortran(scaled, name="scaled_by", backend="numpy")

@export_to_fortran(backend="numpy")
def twice(a: CellK[gtx.float64], out: Annotated[CellK[gtx.float64], InOut]) -> str:
    """A function that calls a program of its module."""
    scale(a, 2.0, out)
    return str(scale.backend)
'''
CALLS = """
program main
  use model_py
  implicit none
  double precision :: a(4, 3), out(4, 3)
  integer :: i
  a = reshape([(dble(i), i=1, 12)], [4, 3])
  out = 0
  call scale(a, 3d0, out)
  print "(l1)", all(out == 3*a), all(scaled_by(a(4:1:-1, :), 5d0) == 5*a(4:1:-1, :))
  print "(a)", twice(a, out)
  print "(l1)", all(out == 2*a)
end program main
"""


def test_programs_and_field_operators_are_called_themselves(project: Project) -> None:
    """What a program writes is InOut; a field operator returns what GT4Py has allocated; their docstrings are there."""
    done = project.write(model_py=HEAD + PROGRAMS, main_f90=CALLS).go()
    assert done.stdout.split() == ["T", "T", "None", "T"], done.stderr
    text = (project.folder / "build/src/model_py.f90").read_text()
    assert "!> Scale a field.\n" in text
    assert "real(c_double), intent(in), target :: a(:, :)" in text
    assert "real(c_double), intent(inout), target :: out(:, :)" in text


def test_a_backend_that_does_not_exist_ends_the_first_call(project: Project) -> None:
    """PY2F_BACKEND decides over `backend=`."""
    project.write(model_py=HEAD + PROGRAMS, main_f90=CALLS).export()
    project.compile()
    done = project.run(env={"PY2F_BACKEND": "cuda"})
    assert done.returncode
    assert "'cuda' is no backend; there are numpy, gtfn_cpu, gtfn_gpu" in done.stderr


WRITTEN = """
@export_to_fortran
def step(t: CellK[gtx.float64], u: Annotated[CellK[gtx.float64], InOut]) -> None:
    u.ndarray[...] = 1
    if u.ndarray.size > 6:
        t.ndarray[...] = 2

@export_to_fortran
def keep(t: CellK[gtx.float64]) -> None:
    step.kept = t
"""
WRITES = """
program main
  use model_py
  implicit none
  double precision :: t(3, 4), u(3, 4)
  integer :: stat
  character(200) :: errmsg
  t = 0; u = 0
  call step(t(:, :2), u(:, :2))
  call step(t, u, stat, errmsg); print "(i0, 1x, a)", stat, trim(errmsg)
  call keep(t)
end program main
"""


def test_checks_notice_a_field_that_is_in_and_written(project: Project) -> None:
    """GT4Py takes no read-only memory: PY2F_CHECK=1 compares. What is kept without saying so is told, once."""
    project.write(model_py=HEAD + WRITTEN.replace("from __future__", "#"), main_f90=WRITES).export()
    project.compile()
    done = project.run(env={"PY2F_CHECK": "1"})
    assert done.stdout == "4 CheckError: argument 't' of 'step' is In, and was written: mark it InOut\n"


ROTATING = '''
@export_to_fortran
def step(t: CellK[gtx.float64], u: CellK[gtx.float64], v: CellK[gtx.float64]) -> i32:
    """Resident memory, in kB."""
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS:"))
'''
ROTATES = """
program main
  use model_py
  implicit none
  double precision, target :: pool(20200)
  double precision, pointer :: t(:, :)
  integer :: i, before, after
  pool = 0
  do i = 1, 20000
    t(1:10, 1:20) => pool(i:i + 199)
    after = step(t, t, t)
    if (i == 2000) before = after
  end do
  print "(i0)", after - before
end program main
"""


def test_fields_at_new_addresses_leave_nothing_behind(project: Project) -> None:
    """The peer keeps each field that it has ever made: 1.2 kB."""
    done = project.write(model_py=HEAD + ROTATING, main_f90=ROTATES).go()
    assert int(done.stdout) < 1000, done.stdout + done.stderr


STORAGE = """
from gt4py.cartesian import gtscript
from gt4py.cartesian.gtscript import PARALLEL, computation, interval

@gtscript.stencil(backend="numpy")
def add(a: gtscript.Field[gtscript.IJK, np.float64], b: gtscript.Field[gtscript.IJK, np.float64]):
    with computation(PARALLEL), interval(...):
        b = a + b[0, 0, 0]

@export_to_fortran
def accumulate(a: gtscript.Field[gtscript.IJK, np.float64], b: Annotated[gtscript.Field[np.float64], InOut], c: gtscript.Field[gtscript.IJ, (np.float64, (2,))]) -> float:
    add(a, b)
    return float(c.sum())
"""
STORES = """
program main
  use model_py
  implicit none
  double precision :: a(3, 4, 5), b(3, 4, 5), c(3, 4, 2)
  a = 1; b = 2; c = 1
  print "(f5.1)", accumulate(a, b, c)
  print "(l1)", all(b == 3)
end program main
"""


def test_storages_of_the_cartesian_gt4py_are_arrays(project: Project) -> None:
    done = project.write(model_py=HEAD.replace("from __future__ import annotations\n", "") + STORAGE, main_f90=STORES).go()
    assert done.stdout.split() == ["24.0", "T"], done.stderr
