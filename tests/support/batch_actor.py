"""What the functions of a batch do: note exactly what arrived, then write and return what only depends on that.

Copied beside the model of a batch, whether Fortran, the bridge or plain Python calls it; nothing else of the tests is there.
"""

from __future__ import annotations

import atexit
import hashlib
import json
import pickle
import random
import struct
import sys
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).parent
CHARACTERS = "a Z 9 _'\"\\&!%é日😀\n\t"
SPECIAL = {
    "float32": [0x80000000, 0x7F800000, 0xFF800000, 0x7FC00123, 0x7F800001, 0x00000001, 0x3F800000, 0x7F7FFFFF],
    "float64": [1 << 63, 0x7FF << 52, 0xFFF << 52, (0x7FF8 << 48) + 291, (0x7FF << 52) + 1, 1, 0x3FF << 52, (0x7FF << 52) - 1],
}

seen: dict[int, list[Any]] = {}  # what each function was given, call by call


def values(dtype: str, count: int, draw: random.Random) -> bytes:
    """Elements of a dtype, any bits: also -0.0, infinities, quiet and signalling NaNs with payloads, subnormals, limits."""
    part = {"complex64": "float32", "complex128": "float64"}.get(dtype, dtype)
    if dtype == "bool":
        return bytes(draw.getrandbits(1) for _ in range(count))
    size = np.dtype(part).itemsize
    limits = SPECIAL.get(part) or [0, 1, (1 << 8 * size) - 1, 1 << (8 * size - 1), (1 << (8 * size - 1)) - 1]
    count *= np.dtype(dtype).itemsize // size
    bits = (draw.choice(limits) if draw.random() < 0.3 else draw.getrandbits(8 * size) for _ in range(count))
    return b"".join(b.to_bytes(size, "little") for b in bits)


def text(draw: random.Random, longest: int = 12) -> str:
    """Any characters, of one to four bytes in UTF-8."""
    return "".join(draw.choice(CHARACTERS) for _ in range(draw.randrange(longest + 1)))


class PlannedError(Exception):
    """What a function raises when the batch says so."""


def noted(value: Any) -> tuple[Any, ...]:
    """A value as bytes and plain objects, so that NaNs compare equal; nothing keeps the array."""
    if isinstance(value, np.ndarray):
        return ("array", str(value.dtype), value.shape, value.tobytes(), value.flags.writeable)
    if type(value) is float:
        return ("float", struct.pack("d", value))
    if type(value) is complex:
        return ("complex", struct.pack("dd", value.real, value.imag))
    return (type(value).__name__, value)


def strides(value: Any) -> tuple[int, ...] | None:
    """The strides that matter: of more than one element."""
    if not isinstance(value, np.ndarray) or value.size == 0:
        return None
    return tuple(s for n, s in zip(value.shape, value.strides, strict=True) if n > 1)


class Plan:
    """What batch.json says of one function."""

    def __init__(self, row: dict[str, Any]) -> None:
        self.writes: list[str] = row["writes"]
        self.outcomes: list[str] = row["outcomes"]  # of the calls that get here, in order
        self.results: list[dict[str, Any]] = row["results"]
        self.fields: bool = row["fields"]


PLANS = [Plan(row) for row in json.loads((HERE / "batch.json").read_text())] if (HERE / "batch.json").exists() else []


def act(number: int, given: dict[str, Any], extents: list[tuple[int, ...]]) -> Any:
    """Function `number` of the batch; `extents` are those of results of explicit shape."""
    plan, calls = PLANS[number], seen.setdefault(number, [])
    outcome = plan.outcomes[len(calls)]
    notes = {name: noted(value) for name, value in given.items()}
    calls.append((notes, {name: strides(value) for name, value in given.items()}))
    draw = random.Random(hashlib.sha256(repr((number, notes)).encode("utf-8", "surrogatepass")).digest())
    for name in plan.writes:
        _write(given[name], draw)
    if outcome == "raise":
        raise PlannedError(text(draw, 60))
    results = [_result(draw, extents=e, **r) for r, e in zip(plan.results, extents, strict=True)]
    return tuple(results) if plan.fields else next(iter(results), None)


def _write(array: Any, draw: random.Random) -> None:
    """All of an array, every second element, or nothing."""
    if array is None:
        return
    fresh = np.frombuffer(values(str(array.dtype), array.size, draw), array.dtype).reshape(array.shape)
    how = draw.randrange(4)
    if how < 2:
        array[...] = fresh
    elif how == 2 and array.size:  # not through .flat, which would drop what is special about a NaN in no case, but copies
        chosen = (slice(None, None, 2),) * array.ndim
        array[chosen] = fresh[chosen]


def _result(draw: random.Random, *, how: str, dtype: str = "", rank: int = 0, extents: tuple[int, ...] = ()) -> Any:
    if how == "text":
        return text(draw)
    if how == "scalar":
        scalar = np.frombuffer(values(dtype, 1, draw), dtype)[0]
        if dtype == "uint64" and not scalar:
            return None  # a null pointer
        return scalar if draw.getrandbits(1) else scalar.item()
    largest = 3 if rank < 4 else 2 if rank < 8 else 1
    shape = extents if how == "explicit" else [draw.randint(largest > 1 and -1, largest) for _ in range(rank)]
    return _array(dtype, [max(0, n) for n in shape], draw)


def _array(dtype: str, shape: list[int], draw: random.Random) -> Any:
    """An array of any layout: the order of C or Fortran, reversed, every second element, of the other byte order."""
    count = int(np.prod(shape))
    how = draw.randrange(5)
    array = np.frombuffer(values(dtype, count, draw), dtype).reshape(shape, order="F" if how else "C")
    if how == 2:
        return np.ascontiguousarray(array[..., ::-1])[..., ::-1]
    if how == 3:
        wide = np.zeros([2 * n for n in shape], dtype)
        wide[tuple(slice(None, None, 2) for _ in shape)] = array
        return wide[tuple(slice(None, None, 2) for _ in shape)]
    return array.astype(array.dtype.newbyteorder(">")) if how == 4 else array


if (HERE / "main").exists() and not hasattr(sys, "_batch_child"):
    atexit.register(lambda: (HERE / "seen.pickle").write_bytes(pickle.dumps(seen)))
