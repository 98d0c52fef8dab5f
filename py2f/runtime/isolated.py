"""The worker process of isolate.py: opens the libraries that it is told of, and makes calls until the socket is closed."""

from __future__ import annotations

import ctypes
import os
import pickle
import signal
import threading
import warnings
from multiprocessing.connection import Connection
from typing import Any

import numpy as np

from py2f.runtime.fetch import Procedure, bind, load
from py2f.runtime.isolate import Array, Other
from py2f.runtime.shared_arrays import Block, Place


def main(connection: int, memory: int) -> None:
    """Serve until the other end is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the terminal sends it to both; the other one decides
    threading.Thread(target=_follow, args=(os.dup(connection),), daemon=True).start()
    serving, block, procedures = Connection(connection), Block(memory), dict[int, Any]()
    flush = ctypes.CDLL(None).fflush
    while True:
        try:
            message = serving.recv_bytes()
        except EOFError:
            return
        answer = _answer(message, block, procedures)
        flush(None)
        serving.send_bytes(answer)


def _follow(connection: int) -> None:
    """End with the process that was served, even in the middle of a call: the GIL is not held then."""
    import select

    poll = select.poll()
    poll.register(connection, 0)  # POLLHUP is always told
    poll.poll()
    os._exit(0)


def _answer(message: bytes, block: Block, procedures: dict[int, Any]) -> bytes:
    number, opening, args, keywords, places, end = pickle.loads(message)  # noqa: S301  from the process that started us
    if opening is not None:
        procedures[number] = _opened(*pickle.loads(opening))  # noqa: S301
    given = [block.view(place) for place in places]
    failure, returned, made = None, None, list[Place]()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            returned, made = _shared(
                procedures[number](*_arrays(args, given), **dict(zip(keywords, _arrays(keywords.values(), given), strict=True))),
                given,
                block,
                end,
            )
        except Exception as error:  # noqa: BLE001  it is raised over there
            failure = error
    said = [(str(warning.message), warning.category) for warning in caught]
    return pickle.dumps((failure, returned, made, said))


def _opened(stub: Any, thunks: Any, row: int) -> Any:
    callee = Procedure(_unresolved)
    bind(callee, stub, load(thunks, stub).target + row)
    callee.__py2f__ = stub
    return callee


def _unresolved(callee: Any) -> None:
    raise AssertionError(callee)  # it is bound


def _arrays(values: Any, given: list[Any]) -> list[Any]:
    return [given[value.number] if isinstance(value, Array) else _refused(value) for value in values]


def _refused(value: Any) -> Any:
    """What stands for something that is refused has a type of the same name."""
    if isinstance(value, list):
        return [_refused(item) for item in value]
    return type(value.name, (), {})() if isinstance(value, Other) else value


def _shared(returned: Any, given: list[Any], block: Block, end: int) -> tuple[Any, list[Place]]:
    """What is returned, with numbers for arrays: those that were given first, then those that are new."""
    items = list(returned) if isinstance(returned, tuple) else [returned]
    new: list[Any] = []
    for k, item in enumerate(items):
        if not isinstance(item, np.ndarray):
            continue
        known = next((n for n, array in enumerate(given) if array is item), None)
        if known is None:
            new.append(item)
        items[k] = Array(len(given) + len(new) - 1 if known is None else known)
    places, _ = block.put(new, end)
    return tuple(items) if isinstance(returned, tuple) else items[0], places
