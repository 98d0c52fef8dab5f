"""What the environment may say about builds: read once, at the top; no other module looks there.

configuration.py describes every variable, and those of a run.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from py2f.configuration import EXPORT
from py2f.errors import Py2fError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_ROWS = {row.variable: row for row in EXPORT}
_UNITS = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}


@dataclass(frozen=True)
class Settings:
    """All that a build may depend on besides the module itself."""

    fc: str | None
    cc: str | None
    fflags: tuple[str, ...]
    cache_dir: Path
    lock_timeout: float
    path: str
    environment: Mapping[str, str] = field(repr=False)  # for the children of a build
    cache_layers: tuple[Path, ...] = ()  # that are only read
    cache_mode: str = "rw"
    cache_shared: bool = False
    cache_trust: frozenset[int] = frozenset()
    cache_max_size: int = 2**30
    cache_lease: bool | None = None  # None: where the cache is on a network file system
    build_dir: Path | None = None

    @classmethod
    def read(cls, environ: Mapping[str, str] = os.environ, *, fc: str | None = None, fflags: tuple[str, ...] = ()) -> Settings:
        """Settings from arguments, then from the environment, then defaults. Raises Py2fError."""
        layers = _layers(environ)
        return cls(
            fc=fc or environ.get("FC"),
            cc=environ.get("CC"),
            fflags=fflags,
            cache_dir=layers[0],
            lock_timeout=_seconds(environ, "PY2F_LOCK_TIMEOUT"),
            path=environ.get("PATH", os.defpath),
            # gfortran finds its own parts by PATH
            environment={"PATH": os.defpath} | {name: environ[name] for name in environ if _PASSED(name) or _is_part(name)},
            cache_layers=tuple(layers[1:]),
            cache_mode=_said(environ, "PY2F_CACHE_MODE"),
            cache_shared=_said(environ, "PY2F_CACHE_SHARED") == "group",
            cache_trust=_users(environ.get("PY2F_CACHE_TRUST")),
            cache_max_size=bytes_of("PY2F_CACHE_MAX_SIZE", _said(environ, "PY2F_CACHE_MAX_SIZE")),
            cache_lease={"on": True, "off": False}.get(_said(environ, "PY2F_CACHE_LEASE")),
            build_dir=_place("PY2F_BUILD_DIR", environ["PY2F_BUILD_DIR"]) if environ.get("PY2F_BUILD_DIR") else None,
        )

    @property
    def parts(self) -> tuple[tuple[str, str], ...]:
        """The variables that change what compilers make: they are in the key."""
        return tuple(sorted((name, value) for name, value in self.environment.items() if _is_part(name)))


# ---- values


def _layers(environ: Mapping[str, str]) -> list[Path]:
    """The cache that is written, and those that are only read after it."""
    given = [entry for entry in environ.get("PY2F_CACHE_PATH", "").split(os.pathsep) if entry]
    layers = [_place("PY2F_CACHE_PATH", entry) for entry in given]
    own = environ.get("PY2F_CACHE_DIR")
    first = [_place("PY2F_CACHE_DIR", own)] if own else [] if layers else [_default(environ)]
    return list(dict.fromkeys([*first, *layers]))


def _place(name: str, given: str) -> Path:
    try:
        return Path(given).expanduser().absolute()
    except RuntimeError:
        raise Py2fError(f"{name}={given}: no home directory is known") from None


def _default(environ: Mapping[str, str]) -> Path:
    """The user's cache folder; nobody's home: keep nothing, nor write into ./~."""
    given = Path(environ.get("XDG_CACHE_HOME", ""))
    try:
        folder = given if given.is_absolute() else Path("~", ".cache").expanduser()
    except RuntimeError:
        folder = Path()
    return folder / "py2f" if folder.is_absolute() else Path(os.devnull, "py2f")


def _said(environ: Mapping[str, str], name: str) -> str:
    """What a variable says, or its default."""
    row = _ROWS[name]
    value = environ.get(name) or row.plain
    if value and row.choices and value not in row.choices:
        raise Py2fError(f"{name}={value!r} is not one of {', '.join(row.choices)}")
    return value


def _seconds(environ: Mapping[str, str], name: str) -> float:
    try:
        return float(_said(environ, name))
    except ValueError:
        raise Py2fError(f"{name}={environ[name]!r} is not a number of seconds") from None


def recorded(given: Sequence[str], environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """The variables that a library sets where it finds them unset: all of GT4Py, and what ``--env NAME[=VALUE]`` names."""
    values = {name: value for name, value in environ.items() if name.startswith("GT4PY_")}
    for text in given:
        name, equals, value = text.partition("=")
        if not re.fullmatch("[A-Za-z_][A-Za-z0-9_]*", name):
            raise Py2fError(f"--env {text!r} is neither NAME nor NAME=VALUE")
        if name.startswith(("PY2F_", "PYTHON")):
            raise Py2fError(f"--env {name} would come too late: Python runs by then; see --optimize and --start")
        if not equals and name not in environ:
            raise Py2fError(f"--env {name}: this variable is not set; say --env {name}=VALUE")
        values[name] = value if equals else environ[name]
    return values


def _users(value: str | None) -> frozenset[int]:
    try:
        return frozenset(int(user) for user in (value or "").split(",") if user)
    except ValueError:
        raise Py2fError(f"PY2F_CACHE_TRUST={value!r} is not a list of numbers of users, as 1000,1001") from None


def bytes_of(name: str, text: str) -> int:
    """A number of bytes from text such as 500M. Raises Py2fError."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)([KMGT]?)(?:i?B)?", text.strip())
    if not found:
        raise Py2fError(f"{name}={text!r} is not a size, as 500M or 2G")
    return int(float(found[1]) * _UNITS[found[2]])


# ---- what children of a build see: others would change a build without being in its key, or steer the Python that runs Meson

_PASSED = re.compile(
    r"PATH|HOME|TMPDIR|LD_LIBRARY_PATH|\w*LICENSE\w*|LM_\w+|CRAY_\w+|I_MPI_ROOT|OPAL_PREFIX|NVHPC\w*|INTEL\w*|ONEAPI\w*"
).fullmatch
_is_part = re.compile(
    r"CPATH|C_INCLUDE_PATH|LIBRARY_PATH|COMPILER_PATH|GCC_EXEC_PREFIX|SDKROOT|CONDA_BUILD_SYSROOT"
    r"|(?:OMPI|MPICH|I_MPI)_(?:FC|CC|FCFLAGS|CFLAGS|LDFLAGS|LIBS)|CRAYPE_\w+|PE_\w+|SPACK_\w+"
).fullmatch
