"""Fortran programs that call exported functions: written, exported, compiled and run as a user would."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

COMPILERS = ("gfortran", "gfortran-11", "flang-new-19", "flang-22")
STRICT = {
    "gfortran": "-std=f2018 -pedantic -Wall -Wextra -Wimplicit-interface -Werror -fcheck=all".split(),
    "flang": "-std=f2018 -pedantic -Werror".split(),
}
MPI = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_btl_vader_single_copy_mechanism": "none",  # what containers forbid, and it says so
}
"""Open MPI runs as root, and more processes than there are cores."""

DOUBLE = """\
program main
  use model_py, only: double
  use, intrinsic :: iso_c_binding, only: c_double
  implicit none
  real(c_double) :: field(2, 3), doubled(2, 3)
  field = reshape([1, 2, 3, 4, 5, 6], [2, 3])
  call double(field, doubled)
  print '(6f5.1)', doubled
end program main
"""
DOUBLED = "  2.0  4.0  6.0  8.0 10.0 12.0\n"
"""A program that calls `double` of model.py, and what it prints."""


def found(compiler: str) -> bool:
    """Whether a compiler is installed."""
    return shutil.which(compiler) is not None


def strict_flags(compiler: str) -> list[str]:
    """The flags under which generated Fortran must be clean."""
    return STRICT["flang" if "flang" in compiler else "gfortran"]


def strict_fflags(compiler: str) -> str:
    """The same as an option of an export."""
    return f"--fflags={' '.join(strict_flags(compiler))} -O0"  # quickly compiled


@dataclass
class Project:
    """A folder with a Python module and what is exported from it."""

    folder: Path
    module: str = "model"
    compiler: str = "gfortran"
    python: str = sys.executable
    environment: dict[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The library."""
        return f"{self.module.rpartition('.')[2]}_py"

    def write(self, **files: str) -> Project:
        """Write files; `model_py` stands for model.py, `main_f90` for main.f90."""
        self.folder.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            stem, _, suffix = name.rpartition("_")
            (self.folder / f"{stem}.{suffix}").write_text(text, encoding="utf-8")
        return self

    def export(self, *options: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        """Run ``python -m py2f.export``."""
        command = [self.python, "-m", "py2f.export", self.module, "-o", "build", *options]
        environment = {**os.environ, "FC": self.compiler, **self.environment}
        return run(command, cwd=self.folder, env=environment, check=check)

    def compile(self, *flags: str, main: str = "main.f90", program: str = "main") -> Path:
        """Compile a program against the prefix."""
        lib = self.folder / "build" / "lib"
        command = [self.compiler, "-O1", *flags, f"-I{self.folder}/build/mod", main, "-o", program]
        run([*command, f"-L{lib}", f"-Wl,-rpath,{lib}", f"-l{self.name}"], cwd=self.folder)
        return self.folder / program

    def run(
        self, *arguments: str, env: dict[str, str] | None = None, program: str = "main", under: Sequence[str] = ()
    ) -> subprocess.CompletedProcess[str]:
        """Run the program, as an argument of the command `under` if there is one, from / without an environment."""
        return run([*under, str(self.folder / program), *arguments], cwd="/", env=env or {}, check=False)

    def go(self, *flags: str) -> subprocess.CompletedProcess[str]:
        """Export, compile and run."""
        self.export()
        self.compile(*flags)
        return self.run()


def run(
    command: list[str], *, cwd: Path | str, env: dict[str, str] | None = None, check: bool = True, timeout: float = 300
) -> subprocess.CompletedProcess[str]:
    """Run a command; a failure shows all that it printed."""
    done = subprocess.run(
        command,
        cwd=cwd,
        env=env,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=timeout,
        stdin=subprocess.DEVNULL,
        check=False,
    )
    if check and done.returncode:
        raise AssertionError(f"{command} ended with {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done
