"""Functions that were decorated for py2fgen, ICON4Py's own bridge: read as they are, py2fgen is never imported.

Their descriptors say kind and rank, their annotations which of them are GT4Py fields. Three things that py2fgen does not
know are left open: every array is InOut; a dimension is compared only where it is horizontal, since vertical and local
extents differ by convention there (levels and half levels under one dimension, tables that are cut); nothing is Keep.
`marks` of ``export_to_fortran`` say more.
"""

from __future__ import annotations

import functools
import inspect
import sys
import typing
from typing import TYPE_CHECKING, Any

from py2f import types
from py2f.decorators import foreign

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Mapping

    import numpy as np

PY2FGEN = "icon4py.tools.py2fgen"
FIELDS = "icon4py.bindings.icon4py_export"
"""The module whose mappings make GT4Py fields."""


def is_decorated(function: object) -> bool:
    """Whether py2fgen's decorator was here."""
    return type(function).__module__.startswith(PY2FGEN) and {"param_descriptors", "_mapping"} <= vars(function).keys()


def adopt(module: str, known: Container[str]) -> None:
    """Export what py2fgen would export of a module, but for the names that are known."""
    from py2f.decorators.export_to_fortran import export

    for value in tuple(vars(sys.modules[module]).values()) if module in sys.modules else ():
        if is_decorated(value) and value.__name__ not in known:
            export(value, caller=module)


def signature(decorated: Any) -> inspect.Signature:
    """The signature with annotations that :mod:`py2f.decorators.annotations` reads."""
    plain = inspect.signature(decorated.__wrapped__)
    hints = typing.get_type_hints(decorated.__wrapped__, include_extras=True)
    parameters = [
        p.replace(annotation=_annotation(decorated.param_descriptors[p.name], hints[p.name])) for p in plain.parameters.values()
    ]
    return plain.replace(parameters=parameters, return_annotation=None)


def _annotation(descriptor: Any, hint: Any) -> Any:
    dtype = descriptor.dtype.name.lower()
    if not hasattr(descriptor, "rank"):
        return bool if dtype == "bool" else types.BY_SCALAR[dtype]
    kind = types.b8 if dtype == "bool" else types.BY_SCALAR[dtype]
    spelled: Any = types.InOut[kind[(slice(None),) * descriptor.rank]]
    dims = foreign.dims(hint)
    if dims:
        compared = [d.value if d.kind.value == "horizontal" else ":" for d in dims]
        spelled = typing.Annotated[(hint, types.InOut, types.Extents(*compared))]
    return typing.Optional[spelled] if descriptor.is_optional and not dims else spelled  # noqa: UP045  a value, not an annotation


def _mappings(decorated: Any) -> Mapping[str, Any]:
    return decorated._mapping  # type: ignore[no-any-return]  # noqa: SLF001  py2fgen has no other way


def mappings(decorated: Any) -> dict[str, Callable[[Any], object]]:
    """What makes of a view what the function expects, for arguments that are neither fields nor plain arrays there."""
    found: dict[str, Callable[[Any], object]] = {}
    for name, descriptor in decorated.param_descriptors.items():
        mapping = _mappings(decorated).get(name)
        origin = getattr(mapping, "__module__", "")
        if hasattr(descriptor, "rank") and origin != FIELDS and not origin.startswith(PY2FGEN):
            found[name] = functools.partial(_mapped, mapping, name, decorated.__name__, descriptor)
    return found


def _mapped(mapping: Any, name: str, function: str, descriptor: Any, view: np.ndarray) -> object:
    """The array as py2fgen describes it: pointer, shape, on a GPU, optional; or what its mapping makes of that."""
    if not view.flags.f_contiguous:
        return f"argument '{name}' of '{function}' must be contiguous: the mapping of py2fgen is given an address and a shape"
    ffi = _ffi()
    c_type = {"bool": "_Bool", "int32": "int", "int64": "long", "float32": "float", "float64": "double"}[str(view.dtype)]
    info = (ffi.cast(f"{c_type} *", view.ctypes.data), view.shape, False, descriptor.is_optional)
    return info if mapping is None else mapping(info, ffi=ffi)


@functools.cache
def _ffi() -> Any:
    import cffi

    return cffi.FFI()


def function_of(decorated: Any) -> Callable[..., Any]:
    """The function that is called: the undecorated one; scalars that have a mapping of their own go through it."""
    own = {
        name: mapping
        for name, mapping in _mappings(decorated).items()
        if not hasattr(decorated.param_descriptors[name], "rank") and not mapping.__module__.startswith(PY2FGEN)
    }
    return functools.partial(_with_scalars, decorated.__wrapped__, own) if own else decorated.__wrapped__


def _with_scalars(function: Callable[..., Any], own: Mapping[str, Any], *arguments: Any, **keywords: Any) -> Any:
    bound = inspect.signature(function).bind(*arguments, **keywords)
    for name, mapping in own.items():
        bound.arguments[name] = mapping(bound.arguments[name], ffi=_ffi())
    return function(*bound.args, **bound.kwargs)
