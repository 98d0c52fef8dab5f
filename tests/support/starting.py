"""What the tests of start-up and of the end of a job share: a small model, cheap environments, and what a call came to."""

from __future__ import annotations

import importlib.util
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from programs import run

from py2f.errors import Status

if TYPE_CHECKING:
    from programs import Project

MINOR = f"{sys.version_info[0]}.{sys.version_info[1]}"

MODEL = """\
from py2f import export_to_fortran, f64


@export_to_fortran
def scaled(x: f64) -> f64:
    return 2 * x
"""

MAIN = """\
program main
  use, intrinsic :: iso_fortran_env, only: real64
  use model_py, only: scaled
  implicit none
  real(real64) :: y
  character(len=4000) :: message
  integer :: i, stat
  do i = 1, 1 + command_argument_count()
    message = ''
    y = scaled(3.0_real64, stat=stat, errmsg=message)
    print '(i0,f6.1,1x,a)', stat, y, trim(message)
  end do
end program main
"""

GREETING = """\
from py2f import export_to_fortran


@export_to_fortran
def greet() -> str:
{body}
"""

GREETED = """\
program main
  use model_py, only: greet
  implicit none
  print '(a)', greet()
end program main
"""

DONE = (Status.OK, "")


def compiled(project: Project, model: str = MODEL, main: str = MAIN) -> Project:
    """Write, export and compile."""
    project.write(model_py=model, main_f90=main)
    project.export()
    project.compile()
    return project


def outcomes(project: Project, *arguments: str, env: dict[str, str] | None = None) -> list[tuple[Status, str]]:
    """Status and message of each call of MAIN; there is one call more than arguments."""
    done = project.run(*arguments, env=env)
    assert done.returncode == 0, done.stderr
    rows = [line.split(maxsplit=2) for line in done.stdout.splitlines()]
    assert all(float(row[1]) == (0.0 if int(row[0]) else 6.0) for row in rows), done.stdout
    return [(Status(int(row[0])), row[2].rstrip() if len(row) > 2 else "") for row in rows]


def outcome(project: Project, env: dict[str, str] | None = None) -> tuple[Status, str]:
    """Status and message of the only call of MAIN."""
    (result,) = outcomes(project, env=env)
    return result


def greeting(project: Project, *body: str) -> Project:
    """Compile a program that prints what a Python function with this body returns."""
    return compiled(project, GREETING.format(body="\n".join(f"    {line}" for line in body)), GREETED)


def site_packages(folder: Path) -> Path:
    """Where an environment of this Python has its packages."""
    return folder / "lib" / f"python{MINOR}" / "site-packages"


def environment(folder: Path, *, py2f: bool = True, borrow: bool = True) -> Path:
    """Make an environment in 0.2 s: py2f is copied into it, the other packages are borrowed; returns its interpreter."""
    run([sys.executable, "-m", "venv", "--without-pip", str(folder)], cwd=folder.parent)
    installed = site_packages(Path(sys.prefix))
    if py2f:
        scratch = shutil.ignore_patterns("*.pyc.*")  # what a process of another test is writing
        shutil.copytree(installed / "py2f", site_packages(folder) / "py2f", ignore=scratch)
    if borrow:
        (site_packages(folder) / "borrowed.pth").write_text(f"{installed}\n", encoding="utf-8")
    return folder / "bin" / "python"


def extension_in(folder: Path) -> Path:
    """The runtime extension of an environment."""
    spec = importlib.util.find_spec("py2f.runtime._runtime")
    assert spec is not None
    assert spec.origin is not None
    return site_packages(folder) / "py2f" / "runtime" / Path(spec.origin).name
