"""What the environment may say about builds: read once, at the top; no other module looks there.

``FC``, ``CC``          the compilers, unless an argument names them
``PY2F_CACHE_DIR``      the cache; default: the platform's user cache directory
``PY2F_LOCK_TIMEOUT``   seconds to wait for another process that builds the same library; default 600
``GT4PY_*``             recorded by an export, as is what its option ``--env`` names
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from py2f.errors import Py2fError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


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

    @classmethod
    def read(cls, environ: Mapping[str, str] = os.environ, *, fc: str | None = None, fflags: tuple[str, ...] = ()) -> Settings:
        """Settings from arguments, then from the environment, then defaults."""
        return cls(
            fc=fc or environ.get("FC"),
            cc=environ.get("CC"),
            fflags=fflags,
            cache_dir=_cache_dir(environ),
            lock_timeout=_seconds(environ, "PY2F_LOCK_TIMEOUT", 600.0),
            path=environ.get("PATH", os.defpath),
            # gfortran finds its own parts by PATH
            environment={"PATH": os.defpath} | {name: value for name, value in environ.items() if not _meant_for_others(name)},
        )


def _cache_dir(environ: Mapping[str, str]) -> Path:
    given = environ.get("PY2F_CACHE_DIR")
    if given:
        try:
            return Path(given).expanduser().absolute()
        except RuntimeError:
            raise Py2fError(f"PY2F_CACHE_DIR={given}: no home directory is known") from None
    import platformdirs

    nowhere = Path(os.devnull, "py2f")  # nobody's home: keep nothing, nor write into ./~
    try:
        folder = Path(platformdirs.user_cache_dir("py2f"))
    except RuntimeError:
        return nowhere
    return folder if folder.is_absolute() else nowhere


def _seconds(environ: Mapping[str, str], name: str, default: float) -> float:
    try:
        return float(environ.get(name) or default)
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


_FLAGS = frozenset("CFLAGS CPPFLAGS CXXFLAGS DESTDIR FCFLAGS FFLAGS LDFLAGS LD_PRELOAD".split())


def _meant_for_others(name: str) -> bool:
    """Variables that would change a build without being in its key, or that steer the Python that runs Meson."""
    return name in _FLAGS or name.startswith(("PYTHON", "MESON", "NINJA", "OMP_"))
