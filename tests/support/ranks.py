"""Programs of several ranks, with each MPI that is installed: Open MPI and MPICH stand side by side in Debian."""

from __future__ import annotations

import subprocess
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
from programs import MPI, found, run

if TYPE_CHECKING:
    from collections.abc import Sequence

    from programs import Project

MPIS = [
    pytest.param(
        name,
        marks=[]
        if found(f"mpifort.{name}") and found(f"mpirun.{name}")
        else pytest.mark.skip(reason=f"{name} is not installed: how its jobs end is not verified"),
    )
    for name in ("openmpi", "mpich")
]

MAIN = """\
program main
  use model_py, only: root, say
  use py2f, only: py2f_configure
  implicit none
  include 'mpif.h'
  integer :: rank, ierr
  double precision :: y
{before}
  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
{statements}
  call mpi_barrier(mpi_comm_world, ierr)
  call mpi_finalize(ierr)
{after}
end program main
"""


@dataclass
class Job:
    """What mpirun came to."""

    code: int
    stdout: str
    stderr: str
    seconds: float

    @property
    def lines(self) -> list[str]:
        """What py2f says, a line a rank."""
        return sorted(line for line in self.stderr.splitlines() if line.startswith("py2f:"))


def compile_ranks(  # noqa: PLR0913  the parts of a program
    project: Project, mpi: str, statements: str, before: str = "", *, after: str = "", sources: Sequence[str] = ()
) -> Project:
    """Compile a program of ranks against an export; flang takes mpif.h, which any compiler reads."""
    project.write(main_f90=MAIN.format(statements=statements, before=before, after=after))
    shown = run([f"mpifort.{mpi}", "-show"], cwd=project.folder).stdout.split()
    flags = [word for word in shown if word.startswith(("-I", "-L", "-l"))]
    lib = project.folder / "build" / "lib"
    command = [project.compiler, *flags[:2], f"-I{project.folder}/build/mod", *sources, "main.f90", "-o", "main", f"-L{lib}"]
    run([*command, f"-Wl,-rpath,{lib}", "-lmodel_py", *flags], cwd=project.folder)
    return project


def launched(project: Project, mpi: str, ranks: int, *script: str, **env: str) -> subprocess.Popen[str]:
    """Start it, in a bare environment."""
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(project.folder), **MPI, **env}
    command = [f"mpirun.{mpi}", "-n", str(ranks), *script, str(project.folder / "main")]
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(command, cwd=project.folder, env=environment, text=True, **pipes)


def run_ranks(project: Project, mpi: str, ranks: int, *script: str, **env: str) -> Job:
    """Run it; 60 s are a hang."""
    started = time.monotonic()
    with launched(project, mpi, ranks, *script, **env) as process:
        try:
            stdout, stderr = process.communicate(timeout=60)
        finally:
            process.terminate()  # it takes its ranks with it
    return Job(process.returncode, stdout, stderr, time.monotonic() - started)
