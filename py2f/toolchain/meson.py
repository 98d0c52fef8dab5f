"""Compile a library with Meson and Ninja, and keep all that they say when they fail."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from py2f.emit.build_files import meson_list
from py2f.errors import BuildError
from py2f.toolchain.compilers import NEUTRAL

if TYPE_CHECKING:
    from py2f.settings import Settings
    from py2f.toolchain.compilers import Toolchain

OUT = "out"


def compile_sources(folder: Path, toolchain: Toolchain, settings: Settings, *options: str) -> Path:
    """Compile the Meson project in `folder`; returns the folder of the results. Raises BuildError."""
    environment = _environment(toolchain, settings)
    options = (*options, "-Db_colorout=never", f"-Dfortran_args={meson_list(toolchain.fflags)}")
    _run([sys.executable, "-m", "mesonbuild.mesonmain", "setup", "--wrap-mode=nodownload", OUT, *options], folder, environment)
    _run([_ninja(), "-C", OUT], folder, environment)
    return folder / OUT


def for_programs(toolchain: Toolchain) -> tuple[str, ...]:
    """The options of a library that is linked into Fortran programs: flang's run time is left to these."""
    link = "c" if toolchain.fortran.is_flang else "fortran"
    return f"-Dlink={link}", f"-Db_lundef={str(not toolchain.fortran.is_flang).lower()}"


def _ninja() -> str:
    """The one that was installed with py2f; where an environment borrows its packages, it is not beside this Python."""
    import ninja

    beside = Path(ninja.BIN_DIR, "ninja")
    if beside.is_file():
        return str(beside.absolute())
    from importlib.metadata import files

    return str(next(Path(file.locate()).resolve() for file in files("ninja") or () if file.name == "ninja"))


def _environment(toolchain: Toolchain, settings: Settings) -> dict[str, str]:
    compilers = {"FC": str(toolchain.fortran), "CC": str(toolchain.c)}
    path = os.pathsep.join([str(Path(_ninja()).parent), settings.path])  # Meson asks for ninja's version
    return {**settings.environment, **compilers, **NEUTRAL, "PATH": path}


def _run(command: list[str], folder: Path, environment: dict[str, str]) -> None:
    done = subprocess.run(
        command,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    if done.returncode:
        raise BuildError(command, done.returncode, done.stdout, folder)
