"""Compile a library with Meson and Ninja, and keep all that they say when they fail."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from py2f.emit.build_files import meson_list
from py2f.errors import BuildError
from py2f.toolchain.compilers import NEUTRAL

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from py2f.settings import Settings
    from py2f.toolchain.compilers import Toolchain
    from py2f.toolchain.replay import Commands

OUT = "out"
FIXED = {**NEUTRAL, "PYTHONUTF8": "1", "TZ": "UTC", "SOURCE_DATE_EPOCH": "315532800"}  # 1980: older ones are refused by zip


def write_files(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write a project."""
    for path, content in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)


def compile_sources(
    folder: Path, toolchain: Toolchain, settings: Settings, options: Sequence[str], commands: Commands | None
) -> Path:
    """Compile the Meson project in `folder`; returns the folder of the results. Raises BuildError.

    `commands` are tried first; where one fails, Meson and Ninja do it all, and have the last word.
    """
    environment = environment_of(folder, toolchain, settings)
    if commands and commands.run(folder / OUT, environment):
        return folder / OUT
    shutil.rmtree(folder / OUT, ignore_errors=True)
    configure(folder, toolchain, settings, options)
    run([ninja(), "-C", OUT], folder, environment)
    return folder / OUT


def configure(folder: Path, toolchain: Toolchain, settings: Settings, options: Sequence[str]) -> None:
    """Let Meson write what Ninja reads. Raises BuildError."""
    where = [f"-ffile-prefix-map={folder}=."]  # with -g, too, the same bytes from any folder
    fortran = [*toolchain.fflags, *([] if toolchain.fortran.is_flang else where)]
    options = (*options, "-Db_colorout=never", f"-Dfortran_args={meson_list(fortran)}", f"-Dc_args={meson_list(where)}")
    setup = [sys.executable, "-m", "mesonbuild.mesonmain", "setup", "--wrap-mode=nodownload", OUT, *options]
    run(setup, folder, environment_of(folder, toolchain, settings))


def for_programs(toolchain: Toolchain) -> tuple[str, ...]:
    """The options of a library that is linked into Fortran programs: flang's run time is left to these."""
    link = "c" if toolchain.fortran.is_flang else "fortran"
    return f"-Dlink={link}", f"-Db_lundef={str(not toolchain.fortran.is_flang).lower()}"


def tools(toolchain: Toolchain) -> dict[str, bytes]:
    """What the commands of a project depend on besides the compilers' identities: how these are called, and Meson."""
    from importlib.metadata import version

    called = f"{toolchain.fortran}\n{toolchain.c}"
    return {"called": called.encode(), "meson": version("meson").encode()}


def ninja() -> str:
    """The one that was installed with py2f; where an environment borrows its packages, it is not beside this Python."""
    import ninja

    beside = Path(ninja.BIN_DIR, "ninja")
    if beside.is_file():
        return str(beside.absolute())
    from importlib.metadata import files

    return str(next(Path(file.locate()).resolve() for file in files("ninja") or () if file.name == "ninja"))


def environment_of(folder: Path, toolchain: Toolchain, settings: Settings) -> dict[str, str]:
    """What the children of a build see: nothing that changes the result but what is in the key."""
    compilers = {"FC": str(toolchain.fortran), "CC": str(toolchain.c), "TMPDIR": str(folder)}
    path = os.pathsep.join([str(Path(ninja()).parent), settings.path])  # Meson asks for ninja's version
    return {**settings.environment, **compilers, **FIXED, "PATH": path}


def run(command: list[str], folder: Path, environment: dict[str, str]) -> str:
    """What a command prints. Raises BuildError."""
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
    return done.stdout
