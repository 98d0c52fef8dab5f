"""What an export tells programs: --json, --check, and what make and ninja read."""

from __future__ import annotations

import json
import os
import shutil
import time
from typing import TYPE_CHECKING

import pytest
from programs import Project, found, run

if TYPE_CHECKING:
    from pathlib import Path

MODEL = """\
from __future__ import annotations
from py2f import export_to_fortran, f64
from constants import FACTOR

@export_to_fortran
def scaled(x: f64) -> f64:
    return FACTOR * x
"""
MAIN = """\
program main
  use model_py, only: scaled
  implicit none
  print '(f0.1)', scaled(2d0)
end program main
"""
MAKEFILE = """\
build/stamp.d: ; "$(PYTHON)" -m py2f.export model -o build -MF $@ -MT $@
-include build/stamp.d
build/mod/model_py.mod build/lib/libmodel_py.so: build/stamp.d ;
main: main.f90 build/mod/model_py.mod build/lib/libmodel_py.so
\tgfortran -Ibuild/mod main.f90 -o main -Lbuild/lib -Wl,-rpath,$(CURDIR)/build/lib -lmodel_py
"""
NINJA = """\
rule export
  command = "$python" -m py2f.export model -o build -MF build/model.d
  depfile = build/model.d
  restat = 1
rule compile
  command = gfortran -Ibuild/mod main.f90 -o main -Lbuild/lib -Wl,-rpath,$$PWD/build/lib -lmodel_py
build build/lib/libmodel_py.so: export
build main: compile main.f90 | build/lib/libmodel_py.so
default main
"""


@pytest.fixture
def model(project: Project) -> Project:
    """A module that needs another."""
    return project.write(model_py=MODEL, constants_py="FACTOR = 2.0\n", main_f90=MAIN)


def state(folder: Path) -> dict[str, tuple[int, int]]:
    """Every file with its time and number."""
    return {
        str(path): (path.lstat().st_mtime_ns, path.lstat().st_ino) for path in folder.rglob("*") if "__pycache__" not in str(path)
    }


# ---- --json


def test_json_says_what_was_made(model: Project) -> None:
    """Names, modules, what is new, and the command that compiles a program, word by word."""
    said = json.loads(model.export("--json").stdout)
    commands = said.pop("commands")
    written, signature = said.pop("written"), said.pop("signature")
    assert said == {
        "library": "model_py",
        "python": ["model"],
        "modules": [{"fortran": "model_py", "python": "model"}],
        "procedures": ["scaled"],
        "prefix": f"{model.folder}/build",
        "compiler": "gfortran-12",
        "compiled": True,
        "left_out": [],
    }
    assert f"lib/gfortran-12/libmodel_py.so.{signature}" in written
    assert [run(command, cwd=model.folder).returncode for command in commands] == [0]
    assert model.run().stdout == "4.0\n"
    again = json.loads(model.export("--json").stdout)
    assert (again["written"], again["compiled"]) == ([], False)


def test_json_of_sources_has_the_commands_for_them(model: Project) -> None:
    said = json.loads(model.export("--json", "--no-compile").stdout)
    assert (said["compiler"], said["compiled"]) == (None, False)
    for command in said["commands"]:
        run(command, cwd=model.folder)
    assert model.run().stdout == "4.0\n"


# ---- --check


@pytest.mark.parametrize("how", [(), ("--no-compile",)], ids=["compiled", "sources"])
def test_check_writes_nothing_and_says_what_is_out_of_date(model: Project, how: tuple[str, ...]) -> None:
    """Status 1: nothing is there, the signature has changed; 0: a body has."""
    check = model.export(*how, "--check", check=False)
    assert (check.returncode, check.stdout.splitlines()[0]) == (1, "model_py: out of date in build")
    assert not (model.folder / "build").exists()
    model.export(*how)
    before = state(model.folder)
    assert model.export(*how, "--check").stdout == "model_py: up to date in build\n"
    model.write(model_py=MODEL.replace("FACTOR * x", "x * FACTOR"))
    assert model.export(*how, "--check").returncode == 0
    model.write(model_py=MODEL.replace("(x: f64)", "(x: f64, y: f64 = 1.0)"))
    check = model.export(*how, "--check", check=False)
    assert (check.returncode, check.stderr) == (1, "")
    assert {"  src/model_py.f90", "  lib/model_py.json"} <= set(check.stdout.splitlines())
    model.write(model_py=MODEL)
    assert {**state(model.folder), str(model.folder / "model.py"): ()} == {**before, str(model.folder / "model.py"): ()}


def test_check_knows_compilers_flags_and_what_is_gone(model: Project) -> None:
    """Other flags, another compiler, a library that somebody has removed, or that is of another signature."""
    model.export()
    library = next((model.folder / "build" / "lib" / "gfortran-12").glob("*.so.*"))
    assert (
        model.export("--check", "--fflags=-O3", check=False).stdout
        == f"model_py: out of date in build\n  lib/gfortran-12/{library.name}\n"
    )
    if found("gfortran-11"):
        model.compiler = "gfortran-11"
        assert f"  lib/gfortran-11/{library.name}\n" in model.export("--check", check=False).stdout
        model.compiler = "gfortran"
    (library.parent / "libmodel_py.so.0123456789ab").touch()
    assert "  lib/gfortran-12/libmodel_py.so.0123456789ab\n" in model.export("--check", check=False).stdout
    model.export()
    library.unlink()
    said = json.loads(model.export("--check", "--json", check=False).stdout)
    assert said == {"library": "model_py", "up_to_date": False, "stale": [f"lib/gfortran-12/{library.name}"]}


def test_check_refuses_what_an_export_refuses(model: Project) -> None:
    """A library of another module in this folder."""
    model.export("--no-compile", "--name", "shared_py")
    model.write(other_py=MODEL)
    model.module = "other"
    said = model.export("--check", "--name", "shared_py", check=False)
    assert (said.returncode, "has shared_py of the module model, not of other" in said.stderr) == (1, True)


# ---- dependencies


def dependencies(project: Project, *options: str) -> list[str]:
    """The lines of the file that an export writes."""
    project.export("-MF", "deps/model.d", *options)
    return (project.folder / "deps" / "model.d").read_text(encoding="utf-8").replace(f"{project.folder}/", "").splitlines()


def test_a_depfile_names_the_python_sources(model: Project) -> None:
    """The module, what it imports of the user's, py2f itself; nothing of the standard library or of other packages."""
    model.write(constants_py="import json, numpy\nFACTOR = 2.0\n")
    target, *files = dependencies(model)
    assert target == "build/lib/libmodel_py.so: \\"
    assert [file.strip(" \\") for file in files[:2]] == ["constants.py", "model.py"]
    assert files[2].strip().endswith("/py2f/runtime/loader.c")
    assert files[3:5] == ["constants.py:", "model.py:"]
    assert len(files) == 6


def test_a_depfile_names_another_target_and_takes_any_name(model: Project) -> None:
    """Blanks, dollars and number signs, as make and ninja want them."""
    (model.folder / "my $tuff #1").mkdir()
    (model.folder / "constants.py").rename(model.folder / "my $tuff #1" / "constants.py")
    model.environment = {"PYTHONPATH": str(model.folder / "my $tuff #1")}
    lines = dependencies(model, "-MT", "a target", "--no-compile")
    assert lines[:2] == ["a\\ target: \\", "  model.py \\"]
    assert "  my\\ $$tuff\\ \\#1/constants.py \\" in lines
    assert dependencies(model, "--no-compile")[0] == "build/src/model_py.f90: \\"


def test_a_depfile_names_fortran_that_stubs_are_for(model: Project) -> None:
    """Their thunks are delivered."""
    stub = 'from py2f import pythoncall\n@pythoncall(source="physics.f90", module="physics")\ndef twice(x: f64) -> f64: ...\n'
    physics = (
        "module physics\ncontains\nreal(8) function twice(x)\nreal(8), intent(in) :: x\ntwice = 2*x\nend function\nend module\n"
    )
    model.write(model_py=MODEL + stub, physics_f90=physics)
    assert "  physics.f90 \\" in dependencies(model)
    before = state(model.folder / "build")
    model.export()
    assert state(model.folder / "build") == before
    assert model.export("--check").returncode == 0


def built(project: Project, command: list[str]) -> str:
    """What a build prints, and then the program."""
    time.sleep(0.02)  # file systems count in coarser steps
    said = run(command, cwd=project.folder, env={**os.environ, "PYTHONSAFEPATH": ""}).stdout
    project.run()
    return said


@pytest.mark.parametrize("tool", ["make", "ninja"])
def test_builds_do_what_is_needed_and_no_more(model: Project, tool: str) -> None:
    """A body: the export looks, nothing is compiled; a signature: everything; nothing: not even a look."""
    if tool == "make" and not found("make"):
        pytest.skip("make is not installed: its dependencies are not verified")
    ninja = shutil.which("ninja", path=f"{os.path.dirname(model.python)}:{os.environ['PATH']}")  # noqa: PTH120
    model.write(Makefile_="", build_ninja=NINJA.replace("$python", model.python))
    (model.folder / "Makefile").write_text(MAKEFILE, encoding="utf-8")
    command = ["make", "main", f"PYTHON={model.python}"] if tool == "make" else [str(ninja), "-v"]
    assert built(model, command).count("gfortran -Ibuild/mod main.f90") >= 1
    assert model.run().stdout == "4.0\n"
    said = built(model, command)
    assert "py2f.export" not in said
    for file, text in {"constants.py": "FACTOR = 3.00\n", "model.py": MODEL.replace("FACTOR * x", "1 * FACTOR * x")}.items():
        before = state(model.folder / "main")
        (model.folder / file).write_text(text, encoding="utf-8")
        said = built(model, command)
        assert "py2f.export" in said
        assert "main.f90 -o main -L" not in said.replace("compile with:\n  gfortran -Ibuild/mod main.f90 -o main -L", "")
        assert state(model.folder / "main") == before
    assert model.run().stdout == "6.0\n"
    model.write(model_py=MODEL.replace("(x: f64)", "(x: f64, y: f64 = 1.0)"))
    built(model, command)
    assert model.run().stdout == "6.0\n"
    said = built(model, command)
    assert "py2f.export" not in said
