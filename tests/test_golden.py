"""The golden files are the files that are compiled and run: what a reader sees there is what users get."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest
from programs import Project, run, strict_flags

from py2f.emit.text import comment

GOLDEN = Path(__file__).with_name("golden")
CASES = sorted(folder.name for folder in GOLDEN.iterdir())
EMITTED = {"fortran": "model_py.f90", "c": "model_py.c", "json": "model_py.json"}
HOST = ("host",)  # has a second module
LOGICAL_ARRAYS = ("optional", "results", "tuples", "written")
OPTIONAL_IN_C = ("host",)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("what", EMITTED)
def test_generated_text_is_the_golden_file(case: str, what: str, request: pytest.FixtureRequest) -> None:
    command = [sys.executable, "-m", "py2f.cli", "show", "model", "--what", what]
    text = run(command, cwd=GOLDEN / case).stdout
    golden = GOLDEN / case / {**EMITTED, "host": "model_py_host.f90"}[what]
    if request.config.getoption("--update-golden"):
        golden.write_text(text, encoding="utf-8")
    assert text == golden.read_text(encoding="utf-8")


@pytest.mark.parametrize("case", HOST)
def test_the_module_of_the_host_is_the_golden_file(case: str, request: pytest.FixtureRequest) -> None:
    test_generated_text_is_the_golden_file(case, "host", request)


@pytest.mark.parametrize("case", CASES)
def test_lines_fit_and_carry_no_blanks_at_the_end(case: str) -> None:
    lines = (GOLDEN / case / "model_py.f90").read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if len(line) > 100 or line != line.rstrip()] == []


@pytest.mark.parametrize("case", CASES)
def test_program_prints_what_is_expected(project: Project, case: str, compiler: str) -> None:
    """Generated code is compiled under the strict flags; gfortran checks its bounds and copies while it runs."""
    shutil.copytree(GOLDEN / case, project.folder)
    project.compiler = compiler
    project.export("--fflags=" + " ".join(flags(compiler, case)))
    project.compile()
    done = project.run()
    assert (done.returncode, done.stdout, done.stderr) == (0, (GOLDEN / case / "expected.txt").read_text(), "")


def flags(compiler: str, case: str) -> list[str]:
    """Strict, but for two warnings of flang.

    C_LOC of a default logical is not interoperable: known, and handled by the runtime. Optional dummies of a bind(c)
    procedure might not be portable: Fortran 2018 has them, and every compiler that is tested takes them.
    """
    return ["-std=f2018"] if "flang" in compiler and case in LOGICAL_ARRAYS + OPTIONAL_IN_C else strict_flags(compiler)


def test_a_docstring_may_hold_anything() -> None:
    """What is no text in Fortran's source is shown as Python writes it."""
    assert comment("a\tb &\n*/ ??/ \0 \x1b[1m\r\nbö\udcff") == ["!> a       b &", r"!> */ ??/ \x00 \x1b[1m", r"!> bö\udcff"]
