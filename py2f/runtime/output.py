"""What Fortran and Python print comes out in the order in which it is printed, also under a pipe; it costs a call nothing.

Both keep what they print in a buffer of their own where nobody watches. gfortran's library asks the environment once, when it
is loaded, whether to do so; Python's stream can be told at any time. flang's library cannot be told: there, only
``flush(output_unit)`` in Fortran helps.
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
from typing import TYPE_CHECKING

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
