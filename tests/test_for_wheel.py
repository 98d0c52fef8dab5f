"""`--for-wheel`: a library that lies in an environment runs with the Python of that environment, wherever it is."""

from __future__ import annotations

import shutil
import sys
import sysconfig
from pathlib import Path

import pytest
from programs import Project, run

import py2f

MODEL = "import sys\nfrom py2f import export_to_fortran\n\n@export_to_fortran\ndef prefix() -> str:\n    return sys.prefix\n"
MAIN = """
program main
  use model_py, only: prefix
  implicit none
  integer :: stat
  character(len=400) :: errmsg, found
  found = prefix(stat=stat, errmsg=errmsg)
  if (stat /= 0) found = errmsg
  print "(i0,1x,a)", stat, trim(found)
end program main
"""


@pytest.fixture
def linked(project: Project) -> Project:
    project.write(model_py=MODEL, main_f90=MAIN)
    said = project.export("--for-wheel").stdout
    assert "starts with the Python in whose environment the library lies\n" in said
    project.compile()
    return project


def environment(folder: Path) -> Path:
    """An environment with our py2f; returns the folder of its packages."""
    run([sys.executable, "-m", "venv", "--without-pip", str(folder)], cwd="/")
    (site,) = folder.glob("lib/python3.*/site-packages")
    (site / "py2f").symlink_to(Path(py2f.__file__).parent)
    (site / "others.pth").write_text(sysconfig.get_path("platlib") + "\n")
    return site


def ran(project: Project, lib: Path, **variables: str) -> str:
    return project.run(env={"LD_LIBRARY_PATH": str(lib), **variables}).stdout


def test_it_runs_in_the_environment_in_which_it_lies(linked: Project, tmp_path: Path) -> None:
    """Also when that is moved; there are blanks and umlauts in its path, and nothing of the export is left."""
    site = environment(tmp_path / "eine Umgebung für alle")
    shutil.copy(linked.folder / "model.py", site)
    shutil.move(linked.folder / "build", site / "bridge")
    (linked.folder / "model.py").unlink()
    assert ran(linked, site / "bridge" / "lib") == f"0 {tmp_path}/eine Umgebung für alle\n"
    moved = tmp_path / "elsewhere"
    (tmp_path / "eine Umgebung für alle").rename(moved)
    assert ran(linked, moved / site.relative_to(tmp_path / "eine Umgebung für alle") / "bridge" / "lib") == f"0 {moved}\n"


def test_outside_of_an_environment_it_says_so(linked: Project) -> None:
    message = (
        "libmodel_py.so is part of a wheel, but lies in no environment of Python: install the wheel, or let PY2F_PYTHON name one"
    )
    assert ran(linked, linked.folder / "build" / "lib") == f"1 {message}\n"


def test_a_variable_may_name_another_environment(linked: Project, tmp_path: Path) -> None:
    site = environment(tmp_path / "other")
    python = str(tmp_path / "other" / "bin" / "python3")
    lib = linked.folder / "build" / "lib"
    assert ran(linked, lib, PY2F_PYTHON=python) == f"2 ModuleNotFoundError: No module named 'model' in {tmp_path}/other\n"
    shutil.copy(linked.folder / "model.py", site)
    assert ran(linked, lib, PY2F_PYTHON=python) == f"0 {tmp_path}/other\n"


def test_a_module_from_outside_of_the_environment_is_refused(linked: Project, tmp_path: Path) -> None:
    """An editable install, say: the library was made of what is in the wheel."""
    site = environment(tmp_path / "venv")
    (site / "editable.pth").write_text(f"{linked.folder}\n")
    shutil.move(linked.folder / "build", site / "bridge")
    said = f"2 model is {linked.folder}/model.py, but model_py is part of a wheel: install that in {tmp_path}/venv\n"
    assert ran(linked, site / "bridge" / "lib") == said


def test_an_environment_without_py2f_is_said(linked: Project, tmp_path: Path) -> None:
    site = environment(tmp_path / "venv")
    (site / "py2f").unlink()
    shutil.move(linked.folder / "build", site / "bridge")
    file = next((site / "bridge").rglob("libmodel_py.so.*")).resolve()
    message = (
        f"no py2f in the environment of {tmp_path}/venv/bin/python3, which the place of {file} names: pip install py2f there"
    )
    assert ran(linked, site / "bridge" / "lib") == f"1 {message}\n"


def test_nothing_of_this_machine_is_in_the_library(linked: Project) -> None:
    """Two environments make the same bytes."""
    for file in (
        linked.folder / "build" / "src" / "model_py_site.h",
        next((linked.folder / "build" / "lib").rglob("libmodel_py.so.*")),
    ):
        content = file.read_bytes()
        assert str(linked.folder).encode() not in content
        assert sys.prefix.encode() not in content
