"""NumPy arrays as the words of a frame: what the Fortran wrapper stores, from Python."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from py2f.signature import Intent

if TYPE_CHECKING:
    from py2f.signature import Argument


def array_words(array: np.ndarray | None, rank: int) -> list[int]:
    """First element, extents, next element along each dimension; extents of -1 stand for an absent array."""
    if array is None:
        return [0, *[-1] * rank, *[0] * rank]
    if array.size == 0:
        return [0, *array.shape, *[0] * rank]
    first = array.__array_interface__["data"][0]
    neighbours = [first + (stride if extent > 1 else 0) for extent, stride in zip(array.shape, array.strides, strict=True)]
    return [first, *array.shape, *neighbours]


def fortran_array(value: object, argument: Argument) -> np.ndarray:
    """The memory that a Fortran program would hand over; a default logical is four bytes wide there.

    Raises TypeError unless `value` is an array of the declared dtype and rank, ValueError if Fortran would not have such memory.
    """
    if not isinstance(value, np.ndarray) or value.dtype != np.dtype(argument.kind.numpy) or value.ndim != argument.rank:
        shown = f"{value.dtype} of rank {value.ndim}" if isinstance(value, np.ndarray) else type(value).__name__
        raise TypeError(f"argument '{argument.name}': {argument.declared} is declared, not {shown}")
    if not value.flags.aligned:
        raise ValueError(f"argument '{argument.name}': {argument.declared} is declared, not an array that is not aligned")
    if argument.intent is not Intent.IN and not value.flags.writeable:
        raise ValueError(f"argument '{argument.name}': {argument.declared} is declared, not a read-only array")
    return value if value.itemsize == argument.kind.size else value.astype(f"i{argument.kind.size}", order="F")


def result_array(argument: Argument, extents: list[int]) -> np.ndarray:
    """Memory for a result, in Fortran order."""
    width = argument.kind.size
    plain = np.dtype(argument.kind.numpy)
    return np.zeros(extents, plain if plain.itemsize == width else f"i{width}", order="F")
