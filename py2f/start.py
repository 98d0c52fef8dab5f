"""What an export may say of how Python starts in a Fortran program: ``--optimize``, ``--env`` and ``--start``."""

from __future__ import annotations

import contextlib
import importlib.resources
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from py2f.errors import ExportError
from py2f.runtime.starting import CACHE_DIR, CACHE_LIFETIME, callable_of
from py2f.settings import recorded
from py2f.site import Start, refuse_taken

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator


def add_start_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "--optimize", type=int, choices=(0, 1, 2), help="the level of optimization of Python: 1 as python -O, 2 as python -OO"
    )
    parser.add_argument(
        "--start", action="append", default=[], metavar="MODULE:FUNCTION", help="a function to call once, before the first call"
    )
    add_environment_argument(parser)
    parser.add_argument(
        "--for-wheel", action="store_true", help="the Python is that in whose environment the library lies, as part of a wheel"
    )


def add_environment_argument(parser: argparse.ArgumentParser) -> None:
    """Declare ``--env``."""
    parser.add_argument(
        "--env", action="append", default=[], metavar="NAME[=VALUE]", help="a variable to set at the start, unless it is set"
    )


def wished(options: argparse.Namespace) -> Start:
    """What the options say; raises Py2fError for what is no variable."""
    environment = tuple(sorted(recorded(options.env).items()))
    return Start(options.optimize, environment, tuple(dict.fromkeys(options.start)), options.for_wheel)


def completed(start: Start, cache_dir: Path) -> Start:
    """Import what is to be called; where the module has imported GT4Py, name the folder in which that keeps what it compiles.

    Raises ExportError for what cannot be called.
    """
    for call in start.calls:
        _check(call)
    if "gt4py" not in sys.modules or start.in_wheel:  # a cache of this machine is none of another's
        return start
    return replace(start, environment=tuple(sorted(with_cache(dict(start.environment), cache_dir).items())))


def with_cache(environment: dict[str, str], cache_dir: Path) -> dict[str, str]:
    """Variables, and where GT4Py keeps what it compiles: beside our own cache, unless they say so already."""
    folder = Path(environment.get(CACHE_DIR) or cache_dir / "gt4py").absolute()
    try:
        folder.mkdir(parents=True, exist_ok=True)  # GT4Py makes no parents
    except OSError:  # no home, or a full disk: it compiles for each process
        return environment
    return {CACHE_LIFETIME: "persistent"} | environment | {CACHE_DIR: str(folder)}


def _check(call: str) -> None:
    module = call.partition(":")[0]
    refuse_taken(module)
    with naming(f"--start {call}", module):
        callable_of(call)


@contextlib.contextmanager
def naming(what: str, module: str) -> Iterator[None]:
    """Say in an ExportError who names a module that is not there; what the module itself lacks passes."""
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module}.".startswith(f"{error.name}."):
            raise
        raise ExportError(f"{what}: there is no module {error.name}") from None


def compile_ahead(level: int) -> None:
    """Write the bytecode that Python of this level looks for, of all that is loaded, where the folders are writable.

    A program writes it as well, if it may; until somebody has, each start compiles every module that it imports.
    """
    files = [getattr(module, "__file__", None) or "" for module in tuple(sys.modules.values())]
    names = [*sorted(file for file in files if file.endswith(".py")), str(importlib.resources.files("py2f"))]
    command = [sys.executable, "-I", "-m", "compileall", "-qq", "-o", str(level), "-i", "-"]
    subprocess.run(command, input="\n".join(names), text=True, capture_output=True, check=False)
