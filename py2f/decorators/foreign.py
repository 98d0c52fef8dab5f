"""The arrays of other packages in annotations: jaxtyping, GT4Py. The packages are read, never imported."""

from __future__ import annotations

import typing
from dataclasses import dataclass
from typing import Any

from py2f import types
from py2f.errors import RefusedError


@dataclass(frozen=True)
class Foreign:
    """What an annotation of another package comes to."""

    array: types.Array
    dims: tuple[Any, ...] = ()  # of a GT4Py field


def array(spelled: Any, where: str) -> Foreign | None:
    """Read an annotation of another package; None if it is of none that is known. Raises RefusedError."""
    if hasattr(spelled, "dim_str") and hasattr(spelled, "array_type"):
        return Foreign(_jaxtyped(spelled, where))
    if _is_class(typing.get_origin(spelled) or spelled, "gt4py.next", "Field"):
        return _field(spelled, where)
    if _is_class(type(spelled), "gt4py.cartesian", "_FieldDescriptor"):
        return Foreign(_storage(spelled, where))
    return None


def _is_class(value: Any, package: str, name: str) -> bool:
    return getattr(value, "__name__", "") == name and str(getattr(value, "__module__", "")).startswith(package)


def dims(spelled: Any) -> tuple[Any, ...]:
    """The dimensions of a GT4Py field, also inside ``| None`` and behind an alias; none if it is anything else."""
    for part in (spelled, *typing.get_args(spelled)):
        named = unaliased(part)
        if _is_class(typing.get_origin(named), "gt4py.next", "Field"):
            return _dims_of(named)
    return ()


def unaliased(spelled: object) -> object:
    """What a ``type`` statement stands for; NumPy's NDArray is one from 2.5 on."""
    alias: Any = typing.get_origin(spelled) or spelled
    if type(alias).__name__ != "TypeAliasType":
        return spelled
    arguments = typing.get_args(spelled)
    return unaliased(alias.__value__[arguments] if arguments else alias.__value__)


# ---- jaxtyping


def _jaxtyped(spelled: Any, where: str) -> types.Array:
    """``Float64[np.ndarray, "n m"]``."""
    dtypes = {dtype.rstrip("_") for dtype in spelled.dtypes}  # Bool is "bool" and "bool_"
    kinds = [kind for kind in types.KINDS if kind.numpy in dtypes]
    if len(dtypes) != 1 or not kinds:
        raise RefusedError(f"{where}: {spelled.__name__} is not one dtype; write Float64, Float32, Int32 or the like")
    if getattr(spelled.array_type, "__module__", "") != "numpy":
        raise RefusedError(f"{where}: {spelled.__name__}: only np.ndarray has a Fortran counterpart yet")
    extents = tuple(_jaxtyped_extent(part, spelled, where) for part in spelled.dim_str.split())
    return types.Array(kinds[-1], extents)


def _jaxtyped_extent(text: str, spelled: Any, where: str) -> types.Extent | None:
    if text.startswith("_"):  # there as well it is not compared
        return None
    if text.isidentifier() or text.isdigit():
        return types.Extent(text)
    raise RefusedError(f"{where}: {spelled.__name__}: an extent is a name, a number or _, not {text!r}")


# ---- GT4Py


def _field(spelled: Any, where: str) -> Foreign:
    """``gtx.Field[gtx.Dims[Cell, K], gtx.float64]``: each dimension has one extent, called like it."""
    parts, dims = typing.get_args(spelled), _dims_of(spelled)
    if len(parts) != 2 or not dims or not all(map(types.is_dimension, dims)):  # noqa: PLR2004  dimensions and dtype
        raise RefusedError(f"{where}: a Field needs dimensions and a dtype, as in gtx.Field[gtx.Dims[Cell, K], gtx.float64]")
    if isinstance(parts[1], typing.TypeVar):
        raise RefusedError(f"{where}: the dtype of the Field is the type variable {parts[1]}; fill it in: Alias[gtx.float64]")
    return Foreign(types.Array(_kind(parts[1], where), tuple(types.Extent(d.value) for d in dims)), dims)


def _dims_of(spelled: Any) -> tuple[Any, ...]:
    dims = next(iter(typing.get_args(spelled)), ())
    return tuple(dims) if isinstance(dims, (list, tuple)) else typing.get_args(dims)


_PLAIN = {float: "float64", int: "int32", bool: "bool"}
"""What GT4Py takes Python's own types for."""


def _kind(dtype: Any, where: str) -> types.Kind:
    name = _PLAIN.get(dtype) or getattr(dtype, "name", None) or getattr(dtype, "__name__", str(dtype))
    kind = next((kind for kind in types.KINDS if kind.numpy and kind.numpy == str(name).rstrip("_")), None)
    if kind is None:
        raise RefusedError(f"{where}: a Field of {name} has no Fortran counterpart; use float64, float32, int32, int64 or bool")
    return kind


def _storage(spelled: Any, where: str) -> types.Array:
    """``gtscript.Field[gtscript.IJK, np.float64]``: a storage is an array, and a stencil compares its extents itself."""
    axes = (None,) * len(spelled.axes)
    return types.Array(_kind(spelled.dtype, where), (*axes, *(types.Extent(str(n)) for n in spelled.data_dims)))
