"""One executable, unchanged, runs under every version of Python."""

from __future__ import annotations

import hashlib
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import filelock
import pytest
from programs import Project, run
from starting import MINOR, environment, site_packages

if TYPE_CHECKING:
    from collections.abc import Callable

CHECKOUT = Path(__file__).parents[1]
VERSIONS = ("3.11", "3.12", "3.13")

MODEL = """\
import sys

import numpy as np

from py2f import InOut, export_to_fortran, f64


@export_to_fortran
def who(x: InOut[f64[:, :]]) -> str:
    x += np.arange(2)[:, np.newaxis]
    return f"{sys.version_info[0]}.{sys.version_info[1]} {sys.prefix}"


@export_to_fortran
def root(x: f64) -> f64:
    if x < 0:
        raise ValueError(f"no root of {x}")
    return x**0.5
"""

MAIN = """\
program main
  use, intrinsic :: iso_fortran_env, only: real64
  use model_py, only: who, root
  implicit none
  real(real64) :: x(3, 2) = 0, y
  integer :: i, stat
  character(len=4000) :: message = ''
  character(len=:), allocatable :: text
  do i = 1, 3
    text = who(x(1:3:2, :), stat=stat, errmsg=message)
    if (stat /= 0) then
      print '(i0,1x,a)', stat, trim(message)
      error stop
    end if
  end do
  print '(a,6f4.0)', text, x
  y = root(-2.0_real64, stat=stat, errmsg=message)
  print '(i0,1x,a)', stat, trim(message)
end program main
"""


def interpreter(version: str) -> str | None:
    """Where a version is: this one, beside the Python that makes our environments, or on PATH."""
    beside = sorted(Path(sys.base_prefix).parent.glob(f"{version}.*/bin/python{version}"))
    candidates = [sys.executable, *map(str, beside), shutil.which(f"python{version}") or ""]
    code = "import sys, sysconfig; print('%d.%d' % sys.version_info[:2], sysconfig.get_config_var('Py_ENABLE_SHARED'))"
    return next(
        (c for c in candidates if c and run([c, "-I", "-c", code], cwd="/", check=False).stdout == f"{version} 1\n"), None
    )


@pytest.fixture(scope="session")
def environment_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, str], Path]:
    """Make an environment with the wheel of py2f, once a test run whatever the number of workers."""
    root = tmp_path_factory.getbasetemp().parent / "pythons"
    root.mkdir(exist_ok=True)
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]

    def make(version: str, python: str) -> Path:
        folder = root / version
        with filelock.FileLock(root / f"{version}.lock"):
            if version == MINOR and not folder.exists():
                environment(folder)  # the wheel of this version is installed already
            elif version != MINOR and not (folder / "made").exists():
                run([python, "-m", "venv", "--without-pip", str(folder)], cwd="/")
                into = [*pip, "--python", str(folder / "bin" / "python")]
                run([*into, "wheel", "--no-deps", "-w", str(folder / "wheel"), str(CHECKOUT)], cwd="/")
                run([*into, "install", "--no-deps", *map(str, (folder / "wheel").glob("*.whl"))], cwd="/")
                run([*into, "install", "--prefer-binary", "numpy", "cffi"], cwd="/")
                (folder / "made").touch()
        return folder

    return make


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """Exported and compiled with the Python that runs the tests."""
    project = Project(tmp_path_factory.mktemp("one") / "project").write(model_py=MODEL, main_f90=MAIN)
    project.export()
    project.compile()
    return project


def fingerprint(project: Project) -> dict[str, str]:
    """Checksums of the executable and its libraries."""
    files = [project.folder / "main", *sorted((project.folder / "build" / "lib").glob("*.so*"))]
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in files}


def test_a_runtime_of_another_version_is_refused(tmp_path: Path, program: Project) -> None:
    """It would start that Python, wrongly."""
    version = "3.12" if MINOR != "3.12" else "3.13"
    other = interpreter(version)
    if other is None:
        pytest.skip(f"no shared Python {version} here: that it refuses the runtime of {MINOR} is not verified")
    run([other, "-m", "venv", "--without-pip", str(tmp_path / "venv")], cwd="/")
    python = tmp_path / "venv" / "bin" / "python"
    ours = site_packages(Path(sys.prefix)) / "py2f"
    shutil.copytree(ours, tmp_path / "venv" / "lib" / f"python{version}" / "site-packages" / "py2f")
    full = run([str(python), "-c", "import platform; print(platform.python_version())"], cwd="/").stdout.strip()
    message = f"py2f of {python} was compiled for Python {MINOR}, this is {full}: install py2f there again"
    done = program.run(env={"PY2F_PYTHON": str(python)})
    assert done.returncode == 1
    assert done.stdout == f"1 {message}\n"


@pytest.mark.parametrize("version", VERSIONS)
def test_one_executable_runs_under_every_python(
    version: str, program: Project, environment_of: Callable[[str, str], Path]
) -> None:
    """PY2F_PYTHON names an environment of another version; nothing is compiled anew."""
    python = interpreter(version)
    if python is None:
        pytest.skip(f"no shared Python {version} here: that the executable runs under it is not verified")
    venv = environment_of(version, python)
    before = fingerprint(program)
    done = program.run(env={"PY2F_PYTHON": str(venv / "bin" / "python")})
    assert done.stdout == f"{version} {venv}  0.  0.  3.  0.  0.  3.\n4 ValueError: no root of -2.0\n", done.stderr
    assert fingerprint(program) == before
