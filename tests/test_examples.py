"""Every folder of examples/ does what its expected.txt says; what Fortran gets from gsw is what Python gets."""

from __future__ import annotations

import os
import re
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from programs import MPI, found, run, strict_flags

if TYPE_CHECKING:
    import subprocess

    from programs import Project

EXAMPLES = Path(__file__).parents[1] / "examples"
NAMES = sorted(file.parent.name for file in EXAMPLES.glob("*/expected.txt"))  # `make granule` runs the other one


def _copied(example: str, project: Project, compiler: str) -> Project:
    shutil.copytree(EXAMPLES / example, project.folder)
    project.compiler = compiler
    return project


def _commands(example: str) -> tuple[str, list[str]]:
    """What README.md says main.f90 is compiled with, gfortran for any compiler, and what ./main is started by."""
    commands = re.findall(r"^\$ (.*)$", (EXAMPLES / example / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    wrapper = next(command.split()[0] for command in commands if " main.f90 " in command)
    return wrapper, commands[-1].removesuffix("./main").split()


def _gone(example: str, project: Project, compiler: str) -> subprocess.CompletedProcess[str]:
    """Export, compile and run, as README.md says."""
    wrapper, launcher = _commands(example)
    if wrapper != "gfortran" and (compiler != "gfortran" or not found(wrapper)):
        pytest.skip(f"{wrapper} is not installed, or not that of {compiler}: what it makes of the example is not verified")
    _copied(example, project, compiler).export()
    project.compiler = compiler if wrapper == "gfortran" else wrapper
    project.compile(*(strict_flags(compiler) if "gfortran" in compiler else []))  # flang warns of every array that is no target
    return project.run(under=launcher, env=MPI | {"PATH": os.environ["PATH"]} if launcher else {})


@pytest.mark.parametrize("example", NAMES)
def test_output_is_as_expected(example: str, project: Project, compiler: str) -> None:
    if "gsw" in (EXAMPLES / example / "model.py").read_text(encoding="utf-8"):
        pytest.importorskip("gsw")
    done = _gone(example, project, compiler)
    assert done.stderr == ""
    assert done.stdout == (project.folder / "expected.txt").read_text(encoding="utf-8")
    assert done.returncode == 0


@pytest.mark.parametrize("example", NAMES)
def test_folder_is_complete(example: str) -> None:
    assert sorted(file.name for file in (EXAMPLES / example).glob("*.*")) == ["README.md", "expected.txt", "main.f90", "model.py"]


def test_demo_shows_a_call(tmp_path: Path) -> None:
    pytest.importorskip("py2f.runtime._runtime")
    if not found("gfortran"):
        pytest.skip("gfortran is not installed")
    done = run(["sh", str(EXAMPLES / "demo.sh"), sys.executable], cwd=tmp_path)
    assert (EXAMPLES / "01_heat/expected.txt").read_text(encoding="utf-8") in done.stdout
    assert re.search(r"^a call with three arrays takes \d+ ns$", done.stdout, re.MULTILINE)


def test_a_field_in_parts_has_the_bits_of_a_whole_one(project: Project) -> None:
    """One process, whose neighbour it is itself; six processes, with parts of another shape."""
    done = _gone("03_host_callback", project, "gfortran")
    assert done.stdout.startswith("2 x 2 processes\n")
    for processes, parts in ((1, "1 x 1"), (6, "3 x 2")):
        launcher = ["mpirun", "-n", str(processes)]
        other = project.run(under=launcher, env=MPI | {"PATH": os.environ["PATH"]})
        assert other.stdout == done.stdout.replace("2 x 2", parts, 1)


SPELLINGS = '''
"""The spelling of every form that type checkers accept."""

from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from py2f import CPtr, InOut, Name, Out, b32, c64, export_to_fortran, extent, f32, f64, i8, i64, string

n = extent("n")
Field = Annotated[NDArray[np.float64], f64[:, :]]
Names = Annotated[NDArray[np.bytes_], string[:]]


class Extremes(NamedTuple):
    low: float
    high: Annotated[float, f32]


@export_to_fortran
def scalars(i: int, x: float, z: complex, flag: bool, text: str, small: Annotated[int, i8], handle: Annotated[int, CPtr]) -> str:
    return f"{i} {x} {z} {flag} {text} {small} {handle}"


@export_to_fortran(name="arrays_too")
def arrays(a: Field, mask: Annotated[NDArray[np.bool_], b32[:], InOut], z: Annotated[NDArray[np.complex128], c64[n], Out]) -> None:
    mask[:] = a.sum(axis=0) > 0
    z[:] = 1j


@export_to_fortran
def optional(a: Field | None, names: Names | None = None, k: Annotated[int, i64] = 3, texts: list[str] | None = None) -> float:
    return 0.0 if a is None or names is None or texts is None else float(a.sum()) + k


@export_to_fortran
def results(x: Annotated[NDArray[np.float64], f64[n]]) -> Annotated[NDArray[np.float64], f64[n]]:
    return x * 2.0


@export_to_fortran
def extremes(x: Field) -> Extremes:
    return Extremes(float(x.min()), float(x.max()))


@export_to_fortran
def pair(x: Field) -> tuple[Annotated[float, Name("low")], Annotated[NDArray[np.float64], f64[:]]]:
    return float(x.min()), x[0]


assert scalars(1, 2.0, 1j, True, "text", 1, 2) == "1 2.0 1j True text 1 2"
'''


@pytest.fixture
def typed(tmp_path: Path) -> Path:
    """A folder with all the examples, and a module with every spelling; it can be imported as well."""
    for name in NAMES:
        shutil.copy(EXAMPLES / name / "model.py", tmp_path / f"example_{name}.py")
    (tmp_path / "spellings.py").write_text(SPELLINGS)
    run([sys.executable, "spellings.py"], cwd=tmp_path)
    return tmp_path


def test_mypy_accepts_every_spelling(typed: Path) -> None:
    files = sorted(file.name for file in typed.glob("*.py"))
    run([sys.executable, "-m", "mypy", "--strict", "--ignore-missing-imports", *files], cwd=typed)


def test_pyright_accepts_every_spelling(typed: Path) -> None:
    pyright = Path(sys.executable).with_name("pyright")
    done = run([str(pyright), "--pythonpath", sys.executable, "."], cwd=typed, check=False)
    if "0 errors" not in done.stdout and "error:" not in done.stdout:
        pytest.skip(f"pyright does not run here, so it is not verified that it accepts the spellings: {done.stderr[-200:]}")
    assert done.returncode == 0, done.stdout


SEAWATER = {  # what main.f90 writes, in that order; shapes as Fortran has them
    "sa": (6,), "ct": (6,), "p": (6,), "salinity": (5, 6), "temperature": (5, 6),
    "point": (), "column": (6,), "upward": (6,), "station": (6,),
    "rho": (3, 6), "sound": (3, 6), "freezing": (6,), "airless": (6,),
}  # fmt: skip


def _written(file: Path) -> dict[str, np.ndarray]:
    numbers, arrays = np.fromfile(file, dtype=np.float64), {}
    for name, shape in SEAWATER.items():
        size = int(np.prod(shape))
        arrays[name], numbers = numbers[:size].reshape(shape, order="F"), numbers[size:]
    assert numbers.size == 0
    return arrays


def _same_bits(ours: np.ndarray, theirs: object) -> bool:
    return ours.tobytes() == np.asarray(theirs, dtype=np.float64).tobytes()


def test_seawater_is_bit_for_bit_what_python_gets(project: Project, compiler: str) -> None:
    gsw = pytest.importorskip("gsw")
    _copied("02_seawater", project, compiler).export()
    project.compile()
    assert project.run(str(project.folder / "bits")).returncode == 0
    w = _written(project.folder / "bits")
    sa, ct, p, salinity, temperature = (w[name] for name in list(SEAWATER)[:5])
    pressure = np.broadcast_to(p, salinity.shape)
    assert _same_bits(w["point"], gsw.rho(sa[0], ct[0], p[0]))
    assert _same_bits(w["column"], gsw.rho(sa, ct, p))
    assert _same_bits(w["upward"], gsw.rho(sa, ct, p)[::-1])
    assert _same_bits(w["station"], gsw.rho(salinity[2], temperature[2], p))
    assert _same_bits(w["rho"], gsw.rho(salinity[::2], temperature[::2], pressure[::2]))
    assert _same_bits(w["sound"], gsw.sound_speed(salinity[::-2], temperature[::-2], pressure[::-2]))
    assert _same_bits(w["freezing"], gsw.t_freezing(sa, p, 1.0))
    assert _same_bits(w["airless"], gsw.t_freezing(sa, p, 0.0))
    _compare_with_teos10(w)


def _compare_with_teos10(w: dict[str, np.ndarray]) -> None:
    """Compare with the check values on the pages gsw_rho and gsw_t_freezing of www.teos-10.org."""
    rho = [1021.839935738108, 1022.262457966867, 1024.427195413316, 1027.790152759127, 1029.837779000189, 1032.002453224572]
    freezing = [
        -1.902730710149803,
        -1.942908619287183,
        -2.006861069199743,
        -2.090985086875259,
        -2.351293130342102,
        -2.660498762776720,
    ]
    assert f"{w['point']:.8f}" == "1021.83993574"
    np.testing.assert_allclose(w["column"], rho, rtol=1e-14)
    np.testing.assert_allclose(w["freezing"], freezing, rtol=1e-13)


def test_sound_speed_has_the_check_values_of_teos10(project: Project) -> None:
    pytest.importorskip("gsw")
    shutil.copytree(EXAMPLES / "02_seawater", project.folder)
    project.write(
        main_f90="""
program main
  use, intrinsic :: iso_fortran_env, only: real64
  use model_py, only: sound_speed
  implicit none
  real(real64) :: cast(1, 6, 3), speed(1, 6)
  cast(1, :, 1) = [34.7118_real64, 34.8915_real64, 35.0256_real64, 34.8472_real64, 34.7366_real64, 34.7324_real64]
  cast(1, :, 2) = [28.7856_real64, 28.4329_real64, 22.8103_real64, 10.2600_real64, 6.8863_real64, 4.4036_real64]
  cast(1, :, 3) = [10.0_real64, 50.0_real64, 125.0_real64, 250.0_real64, 600.0_real64, 1000.0_real64]
  speed = sound_speed(cast(:, :, 1), cast(:, :, 2), cast(:, :, 3))
  print "(es24.16)", speed
end program main
"""
    )
    expected = [1542.426412426373, 1542.558891663385, 1530.801535436184, 1494.551099295314, 1487.622786765276, 1484.271672296205]
    np.testing.assert_allclose([float(word) for word in project.go().stdout.split()], expected, rtol=1e-14)
