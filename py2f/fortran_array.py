"""Arrays of Fortran that may come, go and move: a view that asks Fortran at every access where the array is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from py2f.errors import StaleViewError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@dataclass(frozen=True)
class Storage:
    """What is known of a variable's memory: how to find it, and how its elements are to be read."""

    name: str  # "'rate' of module 'physics'"
    place: Callable[[], Any]  # whether it is there, address, bytes of an element, extents, strides
    kind: str  # NumPy's dtype of an element; "S" are characters
    wide: str = ""  # of logicals that take more than a byte: the integers that they are in memory
    read_only: bool = False

    def now(self) -> tuple[int, ...]:
        """Where the variable is."""
        return tuple(self.place().tolist())

    def dtype(self, place: tuple[int, ...]) -> np.dtype[Any]:
        """The dtype that Python sees."""
        return np.dtype(f"S{max(place[2], 1)}" if self.kind == "S" else self.kind)

    def memory(self, place: tuple[int, ...]) -> Any:
        """The memory itself as a NumPy array, which nothing keeps from going away."""
        rank = (len(place) - 3) // 2
        dtype = np.dtype(self.wide) if self.wide else self.dtype(place)
        shape = place[3 : 3 + rank]
        if place[1] == 0 or place[2] == 0:  # of size zero
            return np.zeros(shape, dtype)
        if dtype.itemsize != place[2]:
            raise TypeError(f"{self.name} has elements of {place[2]} bytes, not of {dtype.itemsize} as a {dtype}")
        return np.asarray(_Memory(place, dtype, read_only=self.read_only))


class _Memory:
    """What NumPy makes an array of."""

    def __init__(self, place: tuple[int, ...], dtype: np.dtype[Any], *, read_only: bool) -> None:
        rank = (len(place) - 3) // 2
        # an extent of one has no stride in Fortran's answer, and NumPy none that matters
        strides = tuple(step or dtype.itemsize for step in place[3 + rank :])
        self.__array_interface__ = {
            "version": 3, "data": (place[1], read_only), "shape": place[3 : 3 + rank], "strides": strides, "typestr": dtype.str,
        }  # fmt: skip


class FortranArray(NDArrayOperatorsMixin):
    """An array of Fortran: what is read is copied, what is assigned to elements is written into Fortran's memory.

    Raises StaleViewError at any access after Fortran has deallocated the array, moved it or changed its shape. Attributes:
    `shape`, `ndim`, `size`, `dtype`. ``view[...]`` and ``numpy.array(view)`` are copies of all of it.
    """

    __slots__ = ("_place", "_storage")

    def __init__(self, storage: Storage, place: tuple[int, ...]) -> None:
        self._storage, self._place = storage, place

    def _memory(self) -> Any:
        now = self._storage.now()
        if now != self._place:
            what = "moved" if now[0] else "deallocated"
            raise StaleViewError(f"{self._storage.name} has been {what} since this view of it was made: read the variable again")
        return self._storage.memory(now)

    def _copy(self) -> Any:
        return self[...]

    @property
    def shape(self) -> tuple[int, ...]:
        """The extents."""
        shape: tuple[int, ...] = self._memory().shape
        return shape

    @property
    def ndim(self) -> int:
        """The rank."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of elements."""
        return int(self._memory().size)

    @property
    def dtype(self) -> np.dtype[Any]:
        """What the elements are."""
        return self._storage.dtype(self._place)

    def __len__(self) -> int:
        return self.shape[0]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._copy())

    def __contains__(self, value: Any) -> bool:
        return value in self._copy()

    def __getitem__(self, index: Any) -> Any:
        found = self._memory()[index]
        copied = found.copy(order="K") if isinstance(found, np.ndarray) else found
        return copied != 0 if self._storage.wide else copied

    def __setitem__(self, index: Any, value: Any) -> None:
        memory = self._memory()
        if self._storage.read_only:
            raise ValueError(f"{self._storage.name} is read-only")
        memory[index] = converted(value, self.dtype, self._storage.name)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:  # noqa: FBT001  as NumPy calls it
        if copy is False:
            raise ValueError(f"{self._storage.name} may move: there is no array of it without a copy")
        found = self._copy()
        return found if dtype is None else found.astype(dtype)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        """Compute with copies; what is to be written into a view is computed first."""
        plain = [x._copy() if isinstance(x, FortranArray) else x for x in inputs]  # noqa: SLF001  of this class
        outs = options.pop("out", ())
        if not any(isinstance(out, FortranArray) for out in outs):
            return getattr(ufunc, method)(*plain, **options, **({"out": outs} if outs else {}))
        if len(outs) != 1 or method not in ("__call__", "reduce", "accumulate"):
            return NotImplemented
        outs[0][...] = getattr(ufunc, method)(*plain, **options)
        return outs[0]

    def __repr__(self) -> str:
        try:
            return f"FortranArray({self._copy()!r})"
        except StaleViewError as error:
            return f"<FortranArray: {error}>"


def converted(value: Any, dtype: np.dtype[Any], name: str) -> Any:
    """A value for elements of a variable: nothing is narrowed, wrapped round or cut."""
    if dtype.kind == "S":
        return _padded(value, dtype, name)
    given = np.asarray(value)
    plain = not isinstance(value, np.ndarray | np.generic | FortranArray)  # of Python: its kind is not the author's choice
    if not np.can_cast(given.dtype, dtype, "same_kind" if plain else "safe"):
        raise TypeError(f"{name} has elements of {dtype}: {given.dtype} is not converted")
    with np.errstate(over="ignore"):
        result = given.astype(dtype)
    wrapped = result != given if dtype.kind == "i" else np.isfinite(given) & ~np.isfinite(result)
    if dtype.kind != "b" and np.any(wrapped):
        raise OverflowError(f"{name}: {given[wrapped].flat[0] if given.ndim else given} does not fit in {dtype}")
    return result


def _padded(value: Any, dtype: np.dtype[Any], name: str) -> Any:
    """Characters with blanks behind them."""
    given = np.asarray(value)
    if given.dtype.kind not in "SU":
        raise TypeError(f"{name} has elements of characters: {given.dtype} is not converted")
    flat = [text if isinstance(text, bytes) else text.encode() for text in given.ravel().tolist()]
    for text in flat:
        if len(text) > dtype.itemsize:
            raise ValueError(f"{name}: {text.decode(errors='replace')!r} takes {len(text)} bytes, there are {dtype.itemsize}")
    return np.array([text.ljust(dtype.itemsize) for text in flat], dtype).reshape(given.shape)
