"""Arrays in memory that two processes share: nothing of them is pickled.

The memory is a file without a name: it cannot be left behind, however the two end. multiprocessing.shared_memory has names
in /dev/shm and a third process that watches over them; where that one cannot run, or the worker dies of a signal, names stay.
"""

from __future__ import annotations

import fcntl
import mmap
import os
import tempfile
from dataclasses import dataclass
from typing import Any

import numpy as np

ALIGNMENT = 64
"""Bytes: an array keeps its alignment, so that what Fortran cannot take there cannot be taken here."""


@dataclass(frozen=True)
class Place:
    """Where an array is, and what it is like."""

    offset: int  # of its first element
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: str
    writeable: bool


class Block:
    """Shared memory that grows as needed."""

    def __init__(self, descriptor: int | None = None) -> None:
        self.descriptor = _nameless_file() if descriptor is None else descriptor
        self._map: mmap.mmap | None = None

    def close(self) -> None:
        """Give it back; views of it that are still about keep the mapping."""
        self._map = None
        os.close(self.descriptor)

    def put(self, arrays: list[np.ndarray[Any, Any]], start: int = 0) -> tuple[list[Place], int]:
        """Copy arrays into it, each with the strides that it has, from `start` on; where they are, and the end."""
        places, end = [], start
        for a in arrays:
            low, high = _bounds(a)
            begin = -(-end // ALIGNMENT) * ALIGNMENT + (a.__array_interface__["data"][0] + low) % ALIGNMENT
            places.append(Place(begin - low, a.shape, a.strides, a.dtype.str, a.flags.writeable))
            end = begin + high - low
        self._reach(end)
        for a, place in zip(arrays, places, strict=True):
            self._view(place)[...] = a
        return places, end

    def view(self, place: Place) -> np.ndarray[Any, Any]:
        """An array in it."""
        array = self._view(place)
        array.setflags(write=place.writeable)
        return array

    def _view(self, place: Place) -> np.ndarray[Any, Any]:
        low, high = _span(place.shape, place.strides, np.dtype(place.dtype).itemsize)
        self._reach(place.offset + high)
        memory = np.frombuffer(self._map or b"", np.uint8)[place.offset + low : place.offset + high]
        return np.ndarray(place.shape, place.dtype, memory, -low, place.strides)

    def _reach(self, size: int) -> None:
        if self._map is not None and size <= len(self._map):
            return
        size = max(size, mmap.PAGESIZE, os.fstat(self.descriptor).st_size)
        os.ftruncate(self.descriptor, size)
        self._map = mmap.mmap(self.descriptor, size)  # what an earlier call has of the old mapping stays as it is


def _nameless_file() -> int:
    if not hasattr(os, "memfd_create"):
        with tempfile.TemporaryFile() as file:
            return above_standard(file.fileno())
    descriptor = os.memfd_create("py2f")
    try:
        return above_standard(descriptor)
    finally:
        os.close(descriptor)


def above_standard(descriptor: int) -> int:
    """A duplicate that nobody takes for standard input or output, where these are closed."""
    return fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 3)


def _bounds(a: np.ndarray[Any, Any]) -> tuple[int, int]:
    return _span(a.shape, a.strides, a.itemsize)


def _span(shape: tuple[int, ...], strides: tuple[int, ...], itemsize: int) -> tuple[int, int]:
    """First and last byte plus one, from the first element."""
    if 0 in shape:
        return 0, 0
    reach = [(extent - 1) * stride for extent, stride in zip(shape, strides, strict=True)]
    return sum(r for r in reach if r < 0), sum(r for r in reach if r > 0) + itemsize
