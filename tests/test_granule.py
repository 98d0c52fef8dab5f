"""ICON4Py's bindings as they are, and compiled GT4Py programs: `make granule` runs these tests."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest
from programs import Project, run

pytestmark = pytest.mark.granule
BINDINGS = [f"icon4py.bindings.{name}_wrapper" for name in ("grid", "diffusion", "dycore", "muphys")]
COUNTS = {
    "grid_init": 56, "diffusion_init": 39, "diffusion_run": 11, "solve_nh_init": 72, "solve_nh_run": 44, "graupel_run": 25,
    "graupel_finalize": 0,
}  # fmt: skip


def test_seven_exports_of_four_modules(tmp_path: Path) -> None:
    """All 247 arguments are generated and compiled; what is not marked is InOut; horizontal dimensions are compared."""
    run(
        [sys.executable, "-m", "py2f.export", *BINDINGS, "--name", "icon4py_py", "-o", "build"],
        cwd=tmp_path,
        env=dict(os.environ),
    )
    contract = json.loads((tmp_path / "build/lib/icon4py_py.json").read_text())
    assert {p["name"]: len(p["arguments"]) for p in contract["procedures"]} == COUNTS
    declared = [a["declared"] for p in contract["procedures"] for a in p["arguments"]]
    arrays = [text for text in declared if "[" in text]
    assert (len(declared), len(arrays)) == (247, 166)
    assert all(text.startswith("InOut[") for text in arrays)
    assert "InOut[Field[Edge, E2C, K: f64[Edge, :, :]]]" in arrays


def test_functions_of_py2fgen_get_what_they_expect(project: Project) -> None:
    """Descriptors without hooks: py2fgen's own description of an array; with a mapping: what that makes of it."""
    model = """
from typing import Annotated
import numpy as np
from icon4py.tools import py2fgen

F64 = py2fgen.ArrayParamDescriptor(rank=1, dtype=py2fgen.FLOAT64, memory_space=py2fgen.MemorySpace.HOST, is_optional=False)
MAYBE = py2fgen.ArrayParamDescriptor(rank=2, dtype=py2fgen.INT32, memory_space=py2fgen.MemorySpace.HOST, is_optional=True)

@py2fgen.export()
def raw(x: Annotated[np.ndarray, F64], flag: Annotated[bool, py2fgen.ScalarParamDescriptor(dtype=py2fgen.BOOL)]) -> None:
    pointer, shape, on_gpu, optional = x
    pointer[0] = shape[0] + pointer[1] * 10 + (100 if flag else 0)

@py2fgen.export(annotation_mapping_hook=lambda *_: None)
def plain(x: Annotated[np.ndarray, F64], y: Annotated[np.ndarray | None, MAYBE]):
    x[1] = -1 if y is None else y.sum()

@py2fgen.export(annotation_mapping_hook=lambda a, d: (lambda info, ffi: py2fgen.as_array(ffi, info) * 2) if d == F64 else None)
def mapped(x: Annotated[np.ndarray, F64], y: Annotated[np.ndarray | None, MAYBE]):
    y[...] = x.sum()
"""
    main = """
program main
  use model_py
  implicit none
  double precision :: x(3) = [1, 2, 3], wide(6) = 1
  integer :: y(2, 2) = 4, stat
  character(200) :: errmsg
  call raw(x, .true.)
  print "(3f6.1)", x
  call plain(x)
  print "(3f6.1)", x
  call plain(x, y)
  print "(3f6.1)", x
  call mapped(x, y)
  print "(4i4)", y
  call mapped(wide(::2), y, stat, errmsg)
  print "(i0, 1x, a)", stat, trim(errmsg)
end program main
"""
    done = project.write(model_py=model, main_f90=main).go()
    assert done.stdout.splitlines() == [
        " 123.0   2.0   3.0",
        " 123.0  -1.0   3.0",
        " 123.0  16.0   3.0",
        " 284 284 284 284",
        "3 argument 'x' of 'mapped' must be contiguous: the mapping of py2fgen is given an address and a shape",
    ], done.stderr


def test_one_function_on_two_backends(project: Project) -> None:
    """GT4Py's NumPy and its compiled programs: the same bits; the one for graphics cards needs one."""
    model = """
from __future__ import annotations
import warnings
import gt4py.next as gtx
from py2f import export_to_fortran
warnings.simplefilter("ignore")
Cell = gtx.Dimension("Cell")
K = gtx.Dimension("K", kind=gtx.DimensionKind.VERTICAL)
CellK = gtx.Field[gtx.Dims[Cell, K], gtx.float64]

@gtx.field_operator
def relaxed(a: CellK, b: CellK, s: gtx.float64) -> CellK:
    return a + s * (b - a)

@export_to_fortran
@gtx.program
def relax(a: CellK, b: CellK, s: gtx.float64, out: CellK):
    relaxed(a, b, s, out=out)
"""
    main = """
program main
  use model_py
  implicit none
  double precision :: a(5, 4), b(4, 5), out(5, 4)
  integer :: i
  a = reshape([(sqrt(dble(i)), i=1, 20)], [5, 4])
  b = reshape([(1/dble(i), i=1, 20)], [4, 5])
  out = 0
  call relax(a, transpose(b), 0.3d0, out)
  print "(4z17.16)", out
end program main
"""
    project.environment = {"GT4PY_BUILD_CACHE_DIR": str(project.folder), "GT4PY_BUILD_CACHE_LIFETIME": "persistent"}
    project.write(model_py=model, main_f90=main).export()
    project.compile()
    path = {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    compiled = project.run(env={"PY2F_BACKEND": "gtfn_cpu", **path})
    embedded = project.run(env={"PY2F_BACKEND": "numpy", **path})
    assert len(compiled.stdout.split()) == 20, compiled.stderr
    assert compiled.stdout == embedded.stdout
