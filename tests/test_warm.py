"""``py2f warm``: what GT4Py would compile in a job is compiled before it, and found in the job."""

from __future__ import annotations

import importlib.util
import os
import sys
from typing import TYPE_CHECKING

import pytest
from programs import Project, run

if TYPE_CHECKING:
    import subprocess
    from pathlib import Path

PROGRAM = '''\
from concurrent.futures import ThreadPoolExecutor

import gt4py.next as gtx
import numpy as np
from gt4py.next.program_processors.runners import gtfn

from py2f import InOut, export_to_fortran, f64

I = gtx.Dimension("I")
K = gtx.Dimension("K", kind=gtx.DimensionKind.VERTICAL)
Plane = gtx.Field[gtx.Dims[I, K], gtx.float64]


@gtx.field_operator
def scaled(a: gtx.float64, x: Plane) -> Plane:
    """Multiply."""
    return a * x


@gtx.program(backend=gtfn.run_gtfn_cached)
def scale(a: gtx.float64, x: Plane, out: Plane):
    """Write the product."""
    scaled(a, x, out=out)


def field(array):
    return gtx.common._field(array, domain=gtx.common.domain(dict(zip((I, K), array.shape, strict=True))))


def here():
    plane = field(np.ones((10, 10)))
    scale(2.0, plane, plane, offset_provider={})
    assert (plane.asnumpy() == 2).all()


def background():
    ThreadPoolExecutor().submit(int, "nobody's business")
    scale.compile(offset_provider={})


def nothing():
    pass


@export_to_fortran
def twice(plane: InOut[f64[:, :]]) -> bool:
    scale(2.0, field(plane), field(plane), offset_provider={})
    return __debug__
'''
MAIN = """\
program main
  use model_py, only: twice
  implicit none
  double precision :: plane(10, 10)
  logical :: debug
  plane = 1
  debug = twice(plane)
  debug = twice(plane)
  print *, all(plane == 4), debug
end program main
"""

granule = pytest.mark.granule
needs_gt4py = pytest.mark.skipif(
    importlib.util.find_spec("gt4py") is None,
    reason="gt4py is not installed: that `py2f warm` fills the cache from which a program runs is not verified",
)


def warm(project: Project, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the command; GT4Py's tools are not on PATH, but beside Python."""
    given = {name: value for name, value in os.environ.items() if not name.startswith("GT4PY_")}
    command = [sys.executable, "-m", "py2f.cli", "warm", *arguments]
    return run(command, cwd=project.folder, env=given | project.environment | environment, check=False)


@pytest.fixture
def own(project: Project) -> Project:
    """A project with a cache of its own."""
    project.environment = {"PY2F_CACHE_DIR": str(project.folder / "cache")}
    return project.write(model_py=PROGRAM, plain_py="def start(): raise OSError('no grid')\n", main_f90=MAIN)


@pytest.mark.parametrize(
    ("name", "environment", "message"),
    [
        ("plain", {}, "plain does not use gt4py.next: there is nothing to compile"),
        ("nowhere:start", {}, "warm nowhere:start: there is no module nowhere"),
        ("plain:gone", {}, "plain:gone: plain has no 'gone'"),
        ("plain:", {}, "'plain:' is not MODULE:FUNCTION"),
        (":start", {}, "':start' is neither MODULE nor MODULE:FUNCTION"),
        ("plain.:start", {}, "'plain.:start' is neither MODULE nor MODULE:FUNCTION"),
        ("plain", {"GT4PY_BUILD_CACHE_LIFETIME": "session"}, "GT4PY_BUILD_CACHE_LIFETIME is session: GT4Py would keep nothing; unset it"),
        ("plain", {"PY2F_CACHE_DIR": "/dev/null"}, "there is no place for a cache: let PY2F_CACHE_DIR or GT4PY_BUILD_CACHE_DIR name a folder"),
    ],
)  # fmt: skip
def test_what_warms_nothing_is_an_error(own: Project, name: str, environment: dict[str, str], message: str) -> None:
    """With a status, for scripts."""
    done = warm(own, name, **environment)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", f"py2f: {message}\n")


def test_what_the_function_raises_passes(own: Project) -> None:
    """With its traceback."""
    done = warm(own, "plain:start")
    assert done.returncode == 1
    assert done.stderr.startswith("Traceback")
    assert done.stderr.endswith("OSError: no grid\n")


def test_what_gt4py_reads_is_set_before_the_import(own: Project) -> None:
    """As in a program; a cache of another name is taken where the user says so."""
    own.write(plain_py="import os\nprint({name: value for name, value in os.environ.items() if name.startswith('GT4PY')})\n")
    folder = own.folder / "cache" / "gt4py"
    printed = f"{{'GT4PY_BUILD_JOBS': '2', 'GT4PY_BUILD_CACHE_DIR': '{folder}', 'GT4PY_BUILD_CACHE_LIFETIME': 'persistent'}}\n"
    assert eval(warm(own, "plain", "--env", "GT4PY_BUILD_JOBS=2").stdout) == eval(printed)
    assert folder.is_dir()
    assert str(own.folder / "other") in warm(own, "plain", GT4PY_BUILD_CACHE_DIR="other").stdout


@granule
@needs_gt4py
def test_a_program_compiles_nothing_after_a_warm_up(own: Project, tmp_path: Path) -> None:
    """At another level of optimization, from a cache that was moved since, without a compiler."""
    cache = own.folder / "cache"
    done = warm(own, "model:here")
    assert (done.returncode, done.stdout.partition(" in ")[0].partition(",")[0]) == (
        0,
        f"{cache}/gt4py: 1 of 1 programs compiled now",
    )
    assert ": 0 of 1 programs compiled now, 0.0 MB, " in warm(own, "model:background").stdout
    done = own.export("--optimize", "2", "--env", "OMP_NUM_THREADS=1")
    assert (
        f"starts with optimize=2, GT4PY_BUILD_CACHE_DIR={cache}/gt4py, GT4PY_BUILD_CACHE_LIFETIME=persistent, OMP" in done.stdout
    )
    own.compile()
    done = own.run(env={"PATH": "/nowhere"})
    assert (done.stdout.split(), done.stderr) == (["T", "F"], "")
    cache.rename(tmp_path / "moved")
    done = own.run(env={"PATH": "/nowhere", "GT4PY_BUILD_CACHE_DIR": str(tmp_path / "moved" / "gt4py")})
    assert (done.stdout.split(), done.stderr) == (["T", "F"], "")
    assert not cache.exists()


@granule
@needs_gt4py
def test_a_program_compiles_where_nothing_is_warm(own: Project) -> None:
    """Its Python finds the cmake that is beside it, and keeps what it makes."""
    own.export("--optimize", "1")
    own.compile()
    assert own.run().stdout.split() == ["T", "F"]
    assert ": 0 of 1 programs compiled now, " in warm(own, "model:here").stdout


@granule
@needs_gt4py
def test_what_does_not_compile_in_the_background_is_an_error(own: Project) -> None:
    """GT4Py itself would say so at the first call only."""
    done = warm(own, "model:background", CXX="/bin/false")
    assert done.returncode == 1
    assert "Check for working CXX compiler: /bin/false - broken" in done.stderr
    assert "py2f: " not in done.stderr
    assert done.stdout == ""


@granule
@needs_gt4py
def test_a_function_that_runs_no_program_is_an_error(own: Project) -> None:
    """Else a job would compile after all."""
    done = warm(own, "model:nothing")
    message = "GT4Py has compiled nothing: let model:nothing run a program, with a backend that compiles"
    assert (done.returncode, done.stderr) == (1, f"py2f: {message}\n")
