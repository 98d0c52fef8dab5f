"""Find the compilers and identify them: what they say of themselves is part of the cache key."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from py2f.errors import ToolchainError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from py2f.settings import Settings

FORTRAN = ("gfortran", "flang", "flang-new")
BINDING = "ISO_Fortran_binding.h"
_RELEASE = re.compile(r"\b([\w-]+) version (\d+)")
NEUTRAL = {"LC_ALL": "C.UTF-8", "LANGUAGE": ""}
"""What compilers say in one language: gettext prefers LANGUAGE to any LC_ALL but C."""


@dataclass(frozen=True)
class Compiler:
    """A compiler that answers."""

    command: tuple[str, ...]
    identity: str  # all that it says of its version, target and configuration

    @property
    def is_flang(self) -> bool:
        """LLVM's: its run time is a static archive."""
        return "flang" in self.identity

    @property
    def release(self) -> str:
        """Family and major version, as in gfortran-12: the .mod files of one release are no other's."""
        found = _RELEASE.search(self.identity)
        if found is None:
            return re.sub(r"[^\w.-]", "_", Path(self.command[0]).name)
        family = "flang" if self.is_flang else {"gcc": "gfortran"}.get(found[1], found[1])
        return f"{family}-{found[2]}"

    def flags(self, given: tuple[str, ...]) -> tuple[str, ...]:
        """The flags of a user, and ours.

        A pass of gfortran's -O1 takes a tenth of its time and saves wrappers nothing: see docs/decisions/0005.
        flang's -flto is left out: its run time is the program's, so cc links, and cannot read what -flto makes.
        """
        if self.is_flang:
            return tuple(flag for flag in given if not flag.startswith("-flto"))
        return ("-fno-tree-fre", *given) if "gcc version" in self.identity else given

    def __str__(self) -> str:
        return shlex.join(self.command)


@dataclass(frozen=True)
class Toolchain:
    """The compilers of one build, and the flags for Fortran."""

    fortran: Compiler
    c: Compiler
    fflags: tuple[str, ...]
    environment: tuple[tuple[str, str], ...] = ()  # variables that change what the compilers make


def find_toolchain(settings: Settings) -> Toolchain:
    """Find both compilers; raises ToolchainError that says what to install."""
    fortran = settings.fc or next(_fortran_names(settings.path), None)
    if fortran is None:
        raise ToolchainError(
            "no Fortran compiler on PATH: install gfortran (Debian: apt-get install gfortran) or name one with --fc or FC"
        )
    if settings.cc is None and shutil.which("cc", path=settings.path) is None:
        raise ToolchainError("no C compiler on PATH: install one (Debian: apt-get install gcc) or name one with CC")
    compiler = _identify(fortran, settings)
    return Toolchain(compiler, _identify(settings.cc or "cc", settings), compiler.flags(settings.fflags), settings.parts)


def _fortran_names(path: str) -> Iterator[str]:
    """The plain names first, then versioned ones such as flang-new-19, the newest first."""
    yield from (name for name in FORTRAN if shutil.which(name, path=path))
    pattern = re.compile(rf"({'|'.join(FORTRAN)})-(\d+)")
    names = (name for folder in path.split(os.pathsep) if folder for name in _listed(folder))
    found = [match for name in names if (match := pattern.fullmatch(name)) and shutil.which(name, path=path)]
    yield from (m[0] for m in sorted(found, key=lambda m: (FORTRAN.index(m[1]), -int(m[2]))))


def _listed(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))  # noqa: PTH208  names alone
    except OSError:  # PATH may name what is not there, or closed
        return []


def _command(name: str, path: str) -> list[str]:
    """A compiler and its flags, or a path with blanks; what is relative to this directory must be found from the build's."""
    try:
        command = [name] if shutil.which(name, path=path) else shlex.split(name)
    except ValueError:  # a quotation mark without its fellow
        command = []
    found = shutil.which(command[0], path=path) if command else None
    if found is None:
        raise ToolchainError(f"there is no compiler called {name!r} on PATH")
    return command if Path(found).is_absolute() else [str(Path(found).absolute()), *command[1:]]


def _identify(name: str, settings: Settings) -> Compiler:
    command = _command(name, settings.path)
    native = [flag for flag in (*command[1:], *settings.fflags) if flag.endswith("=native")]
    done = _ask([*command, "-v"], settings)
    if done.returncode or not done.stdout.strip():
        raise ToolchainError(
            f"{shlex.join(command)} -v ended with status {done.returncode}: {done.stdout.strip() or 'no output'}"
        )
    return Compiler(tuple(command), _without_paths(done.stdout) + (_expanded(command, native, settings) if native else ""))


def _without_paths(said: str) -> str:
    """A compiler by another path, or by a link, is the same compiler."""
    return "".join(line for line in said.splitlines(keepends=True) if not line.startswith(("COLLECT_", "InstalledDir:")))


def _expanded(command: list[str], native: list[str], settings: Settings) -> str:
    """What -march=native means on this host: the word itself would be a hit on a CPU that lacks the instructions.

    The sizes of caches, which differ where the instructions do not, are left out.
    """
    said = _ask([*command, *native, "-###", "-E", "-x", "c", "/dev/null"], settings).stdout
    return re.sub(r'"?--param"?[ =]"?l[12]-cache-\S+', "", _without_paths(said))


def binding_header(toolchain: Toolchain, settings: Settings) -> bytes:
    """ISO_Fortran_binding.h of the Fortran compiler itself; raises ToolchainError."""
    ask = "-print-resource-dir" if toolchain.fortran.is_flang else f"-print-file-name=include/{BINDING}"
    said = Path(_ask([*toolchain.fortran.command, ask], settings).stdout.strip())
    places = [said / "include" / BINDING, said / "../../../include/flang" / BINDING] if toolchain.fortran.is_flang else [said]
    for place in places:
        if place.is_file():
            return place.read_bytes()
    raise ToolchainError(f"{toolchain.fortran} has no {BINDING}: looked for {' and '.join(map(str, places))}")


def _ask(command: list[str], settings: Settings) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            command,
            env={**settings.environment, **NEUTRAL},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
            errors="replace",
            check=False,
        )
    except OSError as error:
        raise ToolchainError(f"{shlex.join(command)} cannot be started: {error.strerror}") from None
