"""NumPy arrays as the words of a frame: what the Fortran wrapper stores, from Python."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import numpy as np

from py2f.signature import Intent
from py2f.types import Word

if TYPE_CHECKING:
    from collections.abc import Sequence

    from py2f.signature import Argument


def view_words(array: np.ndarray | None, argument: Argument) -> bytes:
    """First element, extents, next element along each dimension, and the length of a string, as 64-bit words.

    An absent array has extents of -1, an absent string the length -1.
    """
    string = argument.kind.word is Word.STRING
    rank = argument.rank
    if array is None:
        words = [0, *[-1] * rank, *[0] * rank, *[0 if rank else -1] * string]
    elif array.size == 0:
        words = [0, *array.shape, *[0] * rank, *[array.itemsize] * string]
    else:
        first = array.__array_interface__["data"][0]
        following = [first + (stride if n > 1 else 0) for n, stride in zip(array.shape, array.strides, strict=True)]
        words = [first, *array.shape, *following, *[array.itemsize] * string]
    return struct.pack(f"{len(words)}q", *words)


def fortran_memory(value: object, argument: Argument) -> np.ndarray:
    """The memory that a Fortran program would hand over; a default logical is four bytes wide there.

    Raises TypeError unless `value` is an array of the declared dtype and rank (of rank 0 for a scalar that Python writes),
    ValueError if Fortran would not have such memory.
    """
    string = argument.kind.word is Word.STRING
    dtype = value.dtype if isinstance(value, np.ndarray) and value.ndim == argument.rank else None
    fits = dtype is not None and (dtype.kind == "S" if string else dtype == argument.kind.numpy)
    if not isinstance(value, np.ndarray) or not fits:
        shown = f"{value.dtype} of rank {value.ndim}" if isinstance(value, np.ndarray) else type(value).__name__
        raise TypeError(f"argument '{argument.name}': {argument.declared} is declared, not {shown}")
    if not value.flags.aligned:
        raise ValueError(f"argument '{argument.name}': {argument.declared} is declared, not an array that is not aligned")
    if argument.intent is not Intent.IN and not value.flags.writeable:
        raise ValueError(f"argument '{argument.name}': {argument.declared} is declared, not a read-only array")
    return value if string or value.itemsize == argument.kind.size else value.astype(f"i{argument.kind.size}", order="F")


def text_array(texts: Sequence[str]) -> np.ndarray:
    """Texts as an array of characters of one length, padded with blanks."""
    encoded = [text.encode() for text in texts]
    width = max(map(len, encoded), default=1) or 1
    return np.array([text.ljust(width) for text in encoded], dtype=f"S{width}")


def result_array(argument: Argument, extents: list[int]) -> np.ndarray:
    """Memory for a result, in Fortran order."""
    width = argument.kind.size
    plain = np.dtype(argument.kind.numpy)
    return np.zeros(extents, plain if plain.itemsize == width else f"i{width}", order="F")
