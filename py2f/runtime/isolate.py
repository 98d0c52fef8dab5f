"""Calls in a process of their own, which ``error stop``, a crash or Ctrl-C ends in the place of this one.

Each module whose stubs say ``isolate=True`` has one worker, started at the first call and again after a death. Arguments are
checked there, by the same code. Arrays travel in shared memory (shared_arrays.py), everything else by a socket.
"""

from __future__ import annotations

import atexit
import contextlib
import itertools
import operator
import os
import pickle
import socket
import subprocess
import sys
import tempfile
import threading
import warnings
from dataclasses import replace
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Any

import numpy as np

from py2f.decorators.stub import REQUIRED
from py2f.errors import ProcedureEndedError
from py2f.runtime.shared_arrays import Block, above_standard
from py2f.signature import Intent

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from py2f.decorators.stub import Stub
    from py2f.delivered import Thunks
    from py2f.runtime.shared_arrays import Place

TAIL = 20
"""Lines of what a worker wrote to stderr that are told when it has died."""

_workers: dict[str, Worker] = {}  # by module
_numbers = itertools.count()  # of stubs: a worker knows them by these
_starting = threading.Lock()


class Array:
    """Stands for an array among the arguments or results of a call: its number."""

    def __init__(self, number: int) -> None:
        self.number = number


class Other:
    """Stands for something that no procedure takes, and that need not exist in another process: the name of its type."""

    def __init__(self, name: str) -> None:
        self.name = name


class Isolated:
    """What makes the calls of one stub."""

    def __init__(self, stub: Stub, together: Sequence[Stub], thunks: Thunks) -> None:
        self.name, self.returns = stub.procedure.name, stub.returns
        inputs = [a for a in stub.procedure.arguments if a.intent is not Intent.OUT]
        self.read = {a.name for a in inputs if a.intent is Intent.IN}
        self.positional = [a.name for a in inputs if a.name not in stub.keywords]
        self.module = stub.module
        row = next(k for k, s in enumerate(together) if s is stub)
        self.number = next(_numbers)
        defaults = tuple(d if d is REQUIRED else _plain(d) for d in stub.defaults)
        self.opening = pickle.dumps((replace(stub, defaults=defaults, returns=None, nogil=True), thunks, row))

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        """Make a call; raises ProcedureEndedError when it does not come back, and what the procedure itself would raise."""
        done = None
        while done is None:  # it has ended while this thread waited: the next one makes the call
            done = _worker(self.module).call(self, args, keywords)
        outcome, said = done
        for message, category in said:
            warnings.warn(message, category, stacklevel=2)
        returned = outcome()
        return self.returns(*returned) if self.returns else returned


class Worker:
    """A process, and what leads to it."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.block, self.known = Block(), set[int]()
        with tempfile.TemporaryFile() as errors:
            self.errors = above_standard(errors.fileno())
        ours, theirs = socket.socketpair()
        with ours, theirs:
            self.connection = Connection(above_standard(ours.fileno()))
            passed = [above_standard(theirs.fileno()), self.block.descriptor]
        self.process = _started(passed, self.errors)
        os.close(passed[0])  # the end of the process must be the end of the stream
        self.shown, self.stopped = 0, False

    def call(self, isolated: Isolated, args: Sequence[Any], keywords: Mapping[str, Any]) -> tuple[Any, Any] | None:
        """Make a call: what makes the outcome, and the warnings; None when another thread's call has ended the worker."""
        arrays: list[np.ndarray[Any, Any]] = []
        plain = [_replaced(value, arrays) for value in args], {name: _replaced(value, arrays) for name, value in keywords.items()}
        named = {**dict(zip(isolated.positional, plain[0], strict=False)), **plain[1]}
        read = {value.number for name, value in named.items() if name in isolated.read and isinstance(value, Array)}
        with self.lock:
            if self.stopped:
                return None
            opening = None if isolated.number in self.known else isolated.opening
            places, end = self.block.put([a.view(np.ndarray) for a in arrays])
            sent = pickle.dumps((isolated.number, opening, *plain, places, end))
            try:
                return self._answer(isolated, sent, arrays, places, read)
            except (EOFError, ConnectionError):
                raise self._ended(isolated.name) from None
            except BaseException:  # Ctrl-C: nobody knows what the worker is at
                self.stop()
                raise

    def _answer(
        self, isolated: Isolated, sent: bytes, arrays: list[Any], places: Sequence[Place], read: set[int]
    ) -> tuple[Any, Any]:
        self.connection.send_bytes(sent)
        failure, returned, made, said = pickle.loads(self.connection.recv_bytes())  # noqa: S301  our own worker
        self.known.add(isolated.number)
        self._show()
        results = [self.block.view(place).copy("F") for place in made]
        views = [self.block.view(place) for place in places]

        if said:  # a warning may become an exception, which leaves the arrays as they were; the memory is the next call's then
            views = [view.copy() for view in views]

        def write() -> None:
            for number, (array, view) in enumerate(zip(arrays, views, strict=True)):
                if number not in read and array.flags.writeable:
                    array[...] = view

        def outcome() -> Any:
            if said:
                write()
            if failure is not None:
                raise failure
            return _restored(returned, [*arrays, *results])

        if not said:
            write()
        return outcome, said

    def _show(self) -> None:
        """Pass on what the worker has written to stderr."""
        written = os.fstat(self.errors).st_size
        if written > self.shown:
            text = os.pread(self.errors, written - self.shown, self.shown)
            self.shown = written
            if sys.stderr is not None:
                sys.stderr.write(text.decode(errors="replace"))

    def _ended(self, name: str) -> ProcedureEndedError:
        self.process.wait()
        start = max(self.shown, os.fstat(self.errors).st_size - (1 << 16))
        tail = os.pread(self.errors, 1 << 16, start).decode(errors="replace").splitlines()[-TAIL:]
        status = self.process.returncode
        self.stop()
        return ProcedureEndedError(name, status, "\n".join(tail))

    def stop(self) -> None:
        """End the process, whatever it is at."""
        self.stopped = True  # first: its descriptors may be another's soon
        self.process.kill()
        self.process.wait()
        self.connection.close()
        self.block.close()
        os.close(self.errors)
        for module, worker in list(_workers.items()):
            if worker is self:
                del _workers[module]


def _started(passed: Sequence[int], errors: int) -> subprocess.Popen[bytes]:
    """A Python that imports what this one would, and nothing of the user's."""
    code = f"import sys; sys.path[:] = {sys.path!r}; from py2f.runtime.isolated import main; main({passed[0]}, {passed[1]})"
    command = [sys.executable, "-c", code]
    out = None if _is_open(1) else subprocess.DEVNULL  # none of ours is below 3
    # what Fortran prints must not wait in a buffer that a crash would throw away
    environment = {**os.environ, "GFORTRAN_UNBUFFERED_PRECONNECTED": "y"}
    return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=errors, pass_fds=passed, env=environment)


def _is_open(descriptor: int) -> bool:
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True


def _worker(module: str) -> Worker:
    with _starting:
        if module not in _workers:
            _workers[module] = Worker()
        return _workers[module]


def _replaced(value: Any, arrays: list[np.ndarray[Any, Any]]) -> Any:
    """An array becomes its number; one that no Fortran takes, an empty one that is refused."""
    if not isinstance(value, np.ndarray):
        return _plain(value)
    if value.dtype.hasobject:
        return np.empty((0,) * value.ndim, value.dtype)
    if hasattr(value, "mask") and hasattr(value, "filled"):
        return np.ma.masked_array(np.empty((0,) * value.ndim, value.dtype))
    arrays.append(value)
    return Array(len(arrays) - 1)


def _plain(value: Any) -> Any:
    """A value as another process knows it, which need not have the class, nor be able to import it."""
    if value is None or isinstance(value, np.generic | np.ndarray):
        return value
    if isinstance(value, list | tuple):
        return [_plain(item) if isinstance(item, str) else Other(type(item).__name__) for item in value]
    if isinstance(value, str):
        return str.__str__(value)
    base: Any
    for base in (bool, int, float, complex):
        if isinstance(value, base):
            return value if type(value) is base else base.__pos__(value)
    return operator.index(value) if hasattr(type(value), "__index__") else Other(type(value).__name__)


def _restored(returned: Any, arrays: Sequence[Any]) -> Any:
    if isinstance(returned, tuple):
        return tuple(_restored(item, arrays) for item in returned)
    return arrays[returned.number] if isinstance(returned, Array) else returned


def _forget() -> None:
    """In a forked child: the workers are the parent's."""
    global _starting  # noqa: PLW0603  another thread may have held it
    _starting = threading.Lock()
    for worker in _workers.values():
        worker.connection.close()
        worker.process.returncode = 0  # not to be waited for
    _workers.clear()


@atexit.register
def _stop_all() -> None:
    for worker in list(_workers.values()):
        with contextlib.suppress(OSError):
            worker.stop()


os.register_at_fork(after_in_child=_forget)
