"""Where what Python prints goes, and that it comes out in the order in which it is printed, also under a pipe.

It costs a call nothing. Both Fortran and Python keep what they print in a buffer of their own where nobody watches. gfortran's
library asks the environment once, when it is loaded, whether to do so; Python's stream can be told at any time. flang's library
cannot be told: there, only ``flush(output_unit)`` in Fortran helps.
"""

from __future__ import annotations

import contextlib
import functools
import io
import os
import re
import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

from py2f.errors import Py2fError

if TYPE_CHECKING:
    from collections.abc import Iterator

UNBUFFERED = "GFORTRAN_UNBUFFERED_PRECONNECTED"


@contextlib.contextmanager
def in_order() -> Iterator[None]:
    """While a library is loaded that may bring gfortran's; a choice of the user's own is left alone."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and not stream.closed and not stream.line_buffering:
            stream.reconfigure(line_buffering=True)  # flushes, too
    chosen = UNBUFFERED in os.environ
    if not chosen:
        os.environ[UNBUFFERED] = "y"
    try:
        yield
    finally:
        if not chosen:  # it is not meant for children
            del os.environ[UNBUFFERED]


@functools.cache
def direct_once() -> None:
    """Heed the setting ``output``, unless this Python was started by another, whose streams are its own. Raises Py2fError."""
    from py2f.runtime import chosen
    from py2f.runtime._runtime import lib

    if lib.p2f_ours():
        direct(chosen.setting("output"), chosen.source("output"), lib.p2f_rank())
        return
    for name, without in (("isolate", "auto"), ("output", "all")):
        if chosen.setting(name) not in ("", without):
            text = f"{chosen.source(name)} does not count: it was not py2f that started the Python of this process"
            warnings.warn(text, RuntimeWarning, stacklevel=2)


def direct(policy: str, where: str, rank: int) -> None:
    """Send what Python prints where the setting ``output`` says; `rank` is negative where there are no ranks.

    Fortran's own output is not touched, nor is what ends a job, which libpy2f writes. Raises Py2fError that begins with `where`.
    """
    if policy == "rank0" and rank > 0:
        # warnings and tracebacks of threads go on to stderr
        sys.stdout = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115  for the life of the process
    elif policy not in ("", "all", "rank0"):
        sys.stdout = sys.stderr = _opened(policy, where, max(rank, 0))


def _opened(policy: str, where: str, rank: int) -> io.TextIOWrapper:
    """A file of that name; appended to, since a job may be started again where it was."""
    if not re.fullmatch("(?:[^%]|%[r%])*", policy) or not re.search("[./]", policy):  # `rnak0` is no file
        raise Py2fError(f"{where} must be all, rank0 or the name of a file, such as py.%r.log, not {policy!r}")
    path = Path(re.sub("%(.)", lambda found: {"r": str(rank)}.get(found[1], "%"), policy)).absolute()
    try:
        return path.open("a", buffering=1, encoding="utf-8", errors="backslashreplace")
    except OSError as error:
        raise Py2fError(f"{where}: {path} cannot be written: {error.strerror}") from None
