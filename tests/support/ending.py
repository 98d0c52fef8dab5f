"""Programs that end in many ways, for the tests of what is printed and of the exit status."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from programs import Project

FAILING = """\
from py2f import export_to_fortran, f64


@export_to_fortran
def root(x: f64) -> f64:
    if x < 0.0:
        print("printed by Python", end="")
        raise ValueError(f"no root of {x}")
    return x**0.5


@export_to_fortran
def say(text: str) -> None:
    print(text, end="")
"""

TRACEBACK = """\
printed by PythonTraceback (most recent call last):
  File "{folder}/model.py", line 8, in root
    raise ValueError(f"no root of {{x}}")
ValueError: no root of -2.0
py2f: model_py:root: ValueError: no root of -2.0
"""


MAIN = """\
program main
  use, intrinsic :: iso_fortran_env, only: real64, error_unit
  use model_py, only: root, say
  use py2f, only: py2f_on_error
  implicit none
  real(real64) :: y
{declarations}
  y = 0
{statements}
{contains}
end program main
"""


def program(
    project: Project, statements: str, declarations: str = "", procedures: str = "", flags: tuple[str, ...] = ()
) -> Project:
    """Compile a program around some statements; the export of FAILING is made once a project."""
    contains = f"contains\n{procedures}" if procedures else ""
    main = MAIN.format(statements=statements, declarations=declarations, contains=contains)
    project.write(model_py=FAILING, main_f90=main)
    if not (project.folder / "build").exists():
        project.export()
    project.compile(*flags)
    return project


def ended(project: Project, *before: str, timeout: float = 30) -> tuple[int, str]:
    """Exit status, and stdout and stderr in the order in which they were written to one file; `before` starts the program."""
    command = [*before, str(project.folder / "main")]
    log = project.folder / "log"
    environment = {"GFORTRAN_ERROR_BACKTRACE": "0", "GFORTRAN_UNBUFFERED_PRECONNECTED": "1"}
    with log.open("wb") as file:
        done = subprocess.run(
            command, cwd="/", env=environment, stdin=subprocess.DEVNULL, stdout=file, stderr=file, timeout=timeout, check=False
        )
    return done.returncode, log.read_text(encoding="utf-8")
