"""``py2f warm MODULE[:FUNCTION] ...``: let GT4Py compile before a job what the job would wait for.

GT4Py compiles a program for its static arguments and its grid, so that running the code is the only way to have all of it: the
function builds what the model builds, on a grid of the same size.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest import mock

from py2f.errors import Py2fError
from py2f.runtime.starting import CACHE_DIR, CACHE_LIFETIME, callable_of, set_environment
from py2f.settings import Settings, recorded
from py2f.start import add_environment_argument, naming, with_cache

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator
    from concurrent.futures import Future


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "module", nargs="+", metavar="MODULE[:FUNCTION]", help="a function to call, without arguments; or a module that compiles"
    )
    add_environment_argument(parser)


def run(options: argparse.Namespace) -> int:
    """Import and call, wait for all that GT4Py compiles, and say what its cache has gained."""
    from py2f.export import search_here

    search_here()
    folder = _environment(options.env)
    before, began = Kept.read(folder), time.monotonic()
    for name in options.module:
        with _compiling() as futures:
            _call(name)
            _wait(name, futures)
    after = Kept.read(folder)
    if not after.programs:
        raise Py2fError(f"GT4Py has compiled nothing: let {' '.join(options.module)} run a program, with a backend that compiles")
    gained = len(after.programs - before.programs)
    size = f"{(after.size - before.size) / 1e6:.1f} MB, {after.size / 1e6:.1f} MB in all"
    print(f"{folder}: {gained} of {len(after.programs)} programs compiled now, {size}, in {time.monotonic() - began:.1f} s")
    return 0


def _environment(given: list[str]) -> Path:
    """Set what a library that is exported now would set at its start; where GT4Py keeps what it compiles."""
    environment = with_cache(recorded(given), Settings.read().cache_dir)
    if CACHE_DIR not in environment:
        raise Py2fError("there is no place for a cache: let PY2F_CACHE_DIR or GT4PY_BUILD_CACHE_DIR name a folder")
    os.environ |= environment
    set_environment(environment)
    if environment[CACHE_LIFETIME].lower() != "persistent":
        raise Py2fError(f"{CACHE_LIFETIME} is {environment[CACHE_LIFETIME]}: GT4Py would keep nothing; unset it")
    return Path(environment[CACHE_DIR])


def _call(name: str) -> None:
    module, colon, _ = name.partition(":")
    if "" in module.split("."):
        raise Py2fError(f"{name!r} is neither MODULE nor MODULE:FUNCTION")
    with naming(f"warm {name}", module):
        call = callable_of(name) if colon else None
        importlib.import_module(module)
    if call:
        call()


def _wait(name: str, futures: list[Future[Any]]) -> None:
    """Wait for what runs in the background; raises the first exception of it."""
    if "gt4py.next" not in sys.modules:
        raise Py2fError(f"{name} does not use gt4py.next: there is nothing to compile")
    for future in futures:
        future.result()


@contextlib.contextmanager
def _compiling() -> Iterator[list[Future[Any]]]:
    """What GT4Py compiles in its threads meanwhile: it says that it is done, but not that it has failed."""
    futures: list[Future[Any]] = []
    submit = ThreadPoolExecutor.submit

    def noted(pool: ThreadPoolExecutor, function: Any, /, *args: Any, **keywords: Any) -> Future[Any]:
        future = submit(pool, function, *args, **keywords)
        inner = getattr(function, "func", function)  # of a functools.partial
        if str(getattr(inner, "__module__", None)).startswith("gt4py."):
            futures.append(future)
        return future

    with mock.patch.object(ThreadPoolExecutor, "submit", noted):
        yield futures


@dataclass(frozen=True)
class Kept:
    """What a cache of GT4Py holds."""

    programs: frozenset[str]
    size: int  # bytes

    @classmethod
    def read(cls, folder: Path) -> Kept:
        """Look at all files; a program is a folder with a library, but for the one that its flags were found with."""
        files = [path for path in folder.rglob("*") if path.is_file()]
        names = (path.relative_to(folder).parts[1] for path in files if path.suffix == ".so")
        programs = frozenset(name for name in names if not name.startswith("compile_commands_cache"))
        return cls(programs, sum(path.stat().st_size for path in files))
