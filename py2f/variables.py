"""Module variables and constants of Fortran, as Python reads and assigns them: one class a form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from py2f.emit.variables import is_constant, is_moving, is_read_only
from py2f.fortran_array import FortranArray, Storage, converted
from py2f.types import BY_NAME, Word

if TYPE_CHECKING:
    from collections.abc import Mapping

    from py2f.fortran.declared import Dummy


_POINTER = ": Python assigns to what it points to, and makes it point to nothing else"


class Variable:
    """A scalar that is always there: the base of all forms."""

    def __init__(self, dummy: Dummy, module: str, procedures: Mapping[str, Any]) -> None:
        self.dummy, self.procedures = dummy, procedures
        self.name = f"'{dummy.name}' of module '{module}'"

    def read(self) -> Any:
        """What the variable is now."""
        return self.procedures["get"]()

    def write(self, value: Any) -> None:
        """Assign to it; raises AttributeError where Fortran does not allow it."""
        if is_read_only(self.dummy):
            raise AttributeError(f"{self.name} is {'a constant' if is_constant(self.dummy) else 'protected'}")
        self.assign(value)

    def assign(self, value: Any) -> None:
        """Assign to what may be assigned to."""
        if value is None and "deallocate" in self.procedures:
            self.procedures["deallocate"]()
        else:
            self.procedures["set"](value)


class ConstantArray(Variable):
    """A named constant that is an array: read once, read-only."""

    _array: Any = None

    def read(self) -> Any:
        """The array; always the same one."""
        if self._array is None:
            self._array = self.procedures["get"]()
            self._array.flags.writeable = False
        return self._array


class Placed(Variable):
    """What is reached by its address."""

    def __init__(self, dummy: Dummy, module: str, procedures: Mapping[str, Any]) -> None:
        super().__init__(dummy, module, procedures)
        self.storage = Storage(self.name, procedures["place"], *_kinds(dummy), read_only=is_read_only(dummy))

    def there(self) -> tuple[int, ...] | None:
        """Where it is; None while it is nowhere."""
        place = self.storage.now()
        return place if place[0] else None


def _kinds(dummy: Dummy) -> tuple[str, str]:
    kind = BY_NAME["string" if dummy.row == "str" else dummy.row]
    return kind.numpy, f"i{kind.size}" if kind.word is Word.LOGICAL and kind.size > 1 else ""


class PlacedScalar(Placed):
    """An allocatable or pointer scalar: None while there is none."""

    def read(self) -> Any:
        """The value, or None."""
        place = self.there()
        return FortranArray(self.storage, place)[()].item() if place else None

    def assign(self, value: Any) -> None:
        """Allocate an allocatable; a pointer must point to something."""
        if "pointer" in self.dummy.attributes and (value is None or not self.there()):
            raise ValueError(
                f"{self.name} is a pointer to nothing{_POINTER}" if value is not None else f"{self.name} is a pointer{_POINTER}"
            )
        super().assign(value)


class FixedArray(Placed):
    """An array whose extents are declared: NumPy's own view of it, for good."""

    _array: Any = None

    def read(self) -> Any:
        """The view; always the same one."""
        if self._array is None:
            self._array = self.storage.memory(self.storage.now())
        return self._array

    def assign(self, value: Any) -> None:
        """Copy from an array of the same shape and dtype."""
        view = self.read()
        view[...] = same(value, view.dtype, view.shape, self.name)


class ConvertedArray(Placed):
    """Characters and wide logicals, that NumPy cannot write as Fortran has them; and what may move."""

    def read(self) -> Any:
        """A view, or None while there is no array."""
        place = self.there()
        return FortranArray(self.storage, place) if place else None

    def assign(self, value: Any) -> None:
        """Copy from an array of the same shape and dtype; an allocatable gets the shape of the array."""
        place = self.there()
        if value is None:
            self._deallocate()
            return
        if "allocate" in self.procedures:
            place = self._allocated(value, place)
        if not place:
            raise ValueError(f"{self.name} is a pointer to nothing{_POINTER}")
        view = FortranArray(self.storage, place)
        view[...] = same(value, view.dtype, view.shape, self.name)

    def _deallocate(self) -> None:
        if "deallocate" not in self.procedures:
            raise TypeError(f"{self.name} is not allocatable: None is no value for it")
        self.procedures["deallocate"]()

    def _allocated(self, value: Any, place: tuple[int, ...] | None) -> tuple[int, ...] | None:
        """As an assignment in Fortran allocates: only where the shape is another."""
        given = np.asarray(value)
        rank = len(self.dummy.dimensions)
        if given.ndim != rank:
            raise ValueError(f"{self.name} has rank {rank}, not {given.ndim}")
        lengths = [_longest(given)] if self.dummy.length == ":" else []
        if place and place[3 : 3 + rank] == given.shape and (not lengths or place[2] == lengths[0]):
            return place
        if self.storage.kind != "S":
            same(given, self.storage.dtype((1, 0, 0)), given.shape, self.name)
        if self.procedures["allocate"](np.array([*lengths, *given.shape], np.int64)):
            raise MemoryError(f"{self.name} cannot be allocated with shape {given.shape}")
        return self.there()


def _longest(given: Any) -> int:
    return max((len(text if isinstance(text, bytes) else str(text).encode()) for text in given.ravel().tolist()), default=0)


def same(value: Any, dtype: np.dtype[Any], shape: tuple[int, ...], name: str) -> Any:
    """A value for all of an array: of its dtype and shape, or what Python's own numbers come to."""
    given = np.asarray(value)
    if isinstance(value, np.ndarray) and dtype.kind != "S" and given.dtype != dtype:
        raise TypeError(f"{name} is an array of {dtype}, not of {given.dtype}")
    if given.shape != shape:
        raise ValueError(f"{name} has shape {shape}, not {given.shape}")
    return converted(value, dtype, name)


def variable_of(dummy: Dummy, module: str, procedures: Mapping[str, Any]) -> Variable:
    """The variable in the form that suits its declaration."""
    return _form(dummy)(dummy, module, procedures)


def _form(dummy: Dummy) -> type[Variable]:
    if not dummy.dimensions:
        return PlacedScalar if is_moving(dummy) and dummy.row != "str" else Variable
    wide = BY_NAME[dummy.row].word is Word.LOGICAL and dummy.row != "b8"
    if is_constant(dummy) and dummy.row != "str":
        return ConstantArray
    return ConvertedArray if is_moving(dummy) or wide or dummy.row == "str" else FixedArray
