"""What modules print while a command imports them goes to standard error: what the command prints is for programs, too."""

from __future__ import annotations

import contextlib
import os
import sys
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_in_command: ContextVar[bool] = ContextVar("in_command", default=False)


@contextlib.contextmanager
def command() -> Iterator[None]:
    """Inside, it is a command that imports modules, not a program of the user's."""
    token = _in_command.set(True)
    try:
        yield
    finally:
        _in_command.reset(token)


@contextlib.contextmanager
def printing_aside() -> Iterator[None]:
    """Import inside: Python's prints, those of C and of child processes go to standard error if a command imports."""
    if not _in_command.get() or sys.stdout is None or sys.stderr is None:  # one that is closed takes nothing
        yield
        return
    sys.stdout.flush()
    with _descriptor_1_is_2(), contextlib.redirect_stdout(sys.stderr):
        yield


@contextlib.contextmanager
def _descriptor_1_is_2() -> Iterator[None]:
    own = os.dup(1)
    try:
        os.dup2(2, 1)
        yield
    finally:
        os.dup2(own, 1)
        os.close(own)
