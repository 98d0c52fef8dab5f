"""GT4Py fields over the memory of Fortran, and its programs on the backend that is asked for. GT4Py is imported here only.

A field is made once for each set of addresses and kept by the runtime (core/wrapped.h). What is compared then: the
dimensions of the fields that Python has kept from earlier calls hold for later ones. GT4Py compares nothing, and
reads and writes beyond an array that is too short.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
import weakref
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from py2f.errors import ExportError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np

    from py2f.signature import Argument, Procedure


@dataclass(frozen=True)
class _Kept:
    """A field that Python has kept after a call."""

    procedure: str
    argument: str
    extents: dict[str, int]  # of its dimensions, by name
    array: weakref.ref[np.ndarray]


@dataclass
class Held:
    """The fields that the functions of a library have kept: they are of the grid that all its functions work on."""

    kept: list[_Kept] = field(default_factory=list)
    order: list[str] = field(default_factory=list)  # of the procedures that kept something, by their first time

    def keep(self, procedure: str, fields: Sequence[tuple[Argument, np.ndarray]]) -> bool:
        """Remember fields; returns whether a dimension has now an extent that it had not."""
        if procedure not in self.order:
            self.order.append(procedure)
        before = [k for k in self.kept if k.array() is not None]
        known = {pair for k in before for pair in k.extents.items()}
        now = [_Kept(procedure, a.name, _extents(a, array), weakref.ref(array)) for a, array in fields]
        self.kept = before + now
        return not {pair for k in now for pair in k.extents.items()} <= known

    def contradiction(self, procedure: str, argument: Argument, array: np.ndarray) -> str:
        """What speaks against a field: one that an earlier procedure has kept has another extent. Empty: nothing.

        A procedure that keeps fields itself is compared with those only that did so before it: the grid may be made anew.
        """
        first = self.order.index(procedure) if procedure in self.order else len(self.order)
        for d, (name, n) in enumerate(_extents(argument, array, gaps=True).items(), 1):
            for k in self.kept:
                known = k.extents.get(name)
                if known in (None, n) or k.array() is None or self.order.index(k.procedure) >= first:
                    continue
                return (
                    f"argument '{argument.name}' of '{procedure}': extent {d} is {n}, {name} is {known} "
                    f"in '{k.argument}', which '{k.procedure}' keeps"
                )
        return ""


def _extents(argument: Argument, array: np.ndarray, *, gaps: bool = False) -> dict[str, int]:
    """The extents of a field's dimensions, by name; with `gaps`, what is not compared has a number for a name."""
    declared = argument.shape.extents if argument.shape else ()
    names = [e.text if e and e.text == d.value else "" for e, d in zip(declared, argument.dims, strict=True)]
    return {name or str(d): n for d, (name, n) in enumerate(zip(names, array.shape, strict=True)) if name or gaps}


def field_over(procedure: Procedure, argument: Argument, held: Held) -> Callable[[np.ndarray], object]:
    """What makes a field of a view: it shares the memory. A text instead of a field is why the argument is refused."""
    from gt4py.next import common

    dims, name = argument.dims, procedure.name

    def make(array: np.ndarray) -> object:
        refused = held.contradiction(name, argument, array)
        return refused or common._field(array, domain=common.domain(dict(zip(dims, array.shape, strict=True))))  # noqa: SLF001
        # ^ without the underscore there is none that does not copy

    return make


# ---- programs and field operators


def is_program(function: object) -> bool:
    """Whether a decorated function is a program or a field operator of GT4Py."""
    return type(function).__module__.startswith("gt4py.next") and hasattr(function, "definition_stage")


def definition(function: Any) -> Any:
    """The Python function that a program or a field operator was made of."""
    return function.definition_stage.definition


def written(function: Any) -> set[str]:
    """The names that the calls in a program have as ``out=``."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(definition(function))))
    outs = [k.value for call in ast.walk(tree) if isinstance(call, ast.Call) for k in call.keywords if k.arg == "out"]
    return {part.id for out in outs for part in ast.walk(out) if isinstance(part, ast.Name)}


BACKENDS = ("numpy", "gtfn_cpu", "gtfn_gpu")
"""What `backend=` and PY2F_BACKEND may say; "numpy" is GT4Py's embedded execution."""


def unknown_backend(name: str) -> str:
    """What speaks against a name; empty: it is one of a backend."""
    return "" if name in BACKENDS else f"{name!r} is no backend; there are {', '.join(BACKENDS)}"


def backend(name: str) -> Any:
    """GT4Py's backend of a name; None for embedded execution. Raises ExportError where there is none."""
    if trouble := unknown_backend(name):
        raise ExportError(trouble)
    if name == "numpy":
        return None
    from gt4py import next as gtx

    found = getattr(gtx, name, None)
    if found is None:
        raise ExportError(f"this GT4Py has no backend {name}")
    return found


def on_backend(function: Any, chosen: Any) -> Any:
    """A program or field operator on a backend; of another function, the programs that its module has."""
    if is_program(function):
        return function.with_backend(chosen)
    names = getattr(inspect.unwrap(function), "__globals__", {})
    for name, value in list(names.items()):
        if is_program(value) and value.backend is not chosen:  # another function of the module has come before
            names[name] = value.with_backend(chosen)
    return function


def returning_arrays(function: Any, procedure: Procedure) -> Callable[..., Any]:
    """A function that returns fields, as one that returns their arrays. A field operator gets memory from GT4Py's allocator."""
    operator = is_program(function)

    def call(*arguments: Any, **keywords: Any) -> Any:
        if operator:
            keywords["out"] = _allocated(procedure, arguments, function.backend)
            function(*arguments, **keywords, offset_provider={})
            returned = keywords["out"]
        else:
            returned = function(*arguments, **keywords)
        parts = returned if isinstance(returned, tuple) else (returned,)
        arrays = tuple(getattr(part, "ndarray", part) for part in parts)
        return arrays if isinstance(returned, tuple) else arrays[0]

    return call


def _allocated(procedure: Procedure, arguments: Sequence[Any], allocator: Any) -> Any:
    from gt4py import next as gtx

    known = {d: r for a, given in zip(procedure.arguments, arguments, strict=True) if a.dims and given is not None
             for d, r in zip(a.dims, given.domain.ranges, strict=True)}  # fmt: skip
    fields = [
        gtx.empty(gtx.domain({d: known[d] for d in r.dims}), dtype=r.kind.numpy, allocator=allocator) for r in procedure.results
    ]
    return fields[0] if len(fields) == 1 else tuple(fields)
