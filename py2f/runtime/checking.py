"""What ``PY2F_CHECK=1`` looks at in each call, for the price of reading the arrays: promises that no type can express.

An array that Python keeps (``Keep``) must stay allocated and, if it is In, as it is. A GT4Py field that is In must not be
written: GT4Py takes no read-only memory, so that nothing else would notice.
"""

from __future__ import annotations

import functools
import hashlib
import os
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from py2f.errors import CheckError
from py2f.runtime import chosen
from py2f.signature import Intent

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from py2f.decorators.registry import Exported
    from py2f.signature import Argument


def wanted() -> bool:
    """Whether checks are asked for."""
    return chosen.setting("check") not in ("", "0")


@dataclass(frozen=True)
class _Kept:
    procedure: str
    argument: Argument
    array: np.ndarray
    digest: bytes


class Checks:
    """The arrays that the functions of a library keep, as they were."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, str], _Kept] = {}

    def around(self, function: Callable[..., Any], entry: Exported) -> Callable[..., Any]:
        """A function that compares before and after each call."""
        names = [a.name for a in entry.procedure.arguments]
        arguments = {a.name: a for a in entry.procedure.arguments}

        @functools.wraps(function)
        def call(*given: Any, **keywords: Any) -> Any:
            self._look_at_kept()
            arrays = {name: array for name, value in [*zip(names, given, strict=False), *keywords.items()]
                      if (array := _array(value)) is not None}  # fmt: skip
            fields = {n: _digest(a) for n, a in arrays.items() if arguments[n].dims and arguments[n].intent is Intent.IN}
            result = function(*given, **keywords)
            for name, before in fields.items():
                if _digest(arrays[name]) != before:
                    raise CheckError(f"argument '{name}' of '{entry.procedure.name}' is In, and was written: mark it InOut")
            for name, array in arrays.items():
                if arguments[name].keep:
                    self._keep(entry.procedure.name, arguments[name], array)
            return result

        return call

    def found(self, entry: Exported, fields: Sequence[tuple[Argument, np.ndarray]]) -> None:
        """The runtime has seen that these are kept, declared or not."""
        for argument, array in fields:
            if not argument.keep:
                text = f"'{entry.procedure.name}' keeps its argument '{argument.name}': mark it Keep"
                warnings.warn(text, RuntimeWarning, stacklevel=2)
                self._keep(entry.procedure.name, argument, array)

    def _keep(self, procedure: str, argument: Argument, array: np.ndarray) -> None:
        self._kept[procedure, argument.name] = _Kept(procedure, argument, _memory(array), _digest(array))

    def _look_at_kept(self) -> None:
        for kept in self._kept.values():
            what = f"argument '{kept.argument.name}' of '{kept.procedure}', which Python keeps,"
            try:
                now = _digest(kept.array)
            except OSError:
                raise CheckError(f"{what} has been deallocated since") from None
            if now != kept.digest and kept.argument.intent is Intent.IN:
                raise CheckError(f"{what} has changed since; mark it InOut if it may")


def _array(value: Any) -> np.ndarray | None:
    array = getattr(value, "ndarray", value)
    return array if isinstance(array, np.ndarray) else None


def _memory(array: np.ndarray) -> np.ndarray:
    """The same memory, without a reference to the view that Python was given: that would look as if it were kept."""
    interface = array.__array_interface__
    described = type("Described", (), {"__array_interface__": {**interface, "strides": array.strides}})
    return np.asarray(described())


def _digest(array: np.ndarray) -> bytes:
    """Of the contents, read by the kernel: memory that is gone is an OSError, no crash."""
    if not array.size:
        return b""
    reach = [stride * (n - 1) for n, stride in zip(array.shape, array.strides, strict=True)]
    below, above = sum(min(0, r) for r in reach), sum(max(0, r) for r in reach)
    raw = _read(array.__array_interface__["data"][0] + below, above - below + array.itemsize)
    copy = np.ndarray(array.shape, array.dtype, raw, -below, array.strides)
    return hashlib.blake2b(copy.tobytes(), digest_size=16).digest()


def _read(address: int, size: int) -> bytes:
    """Memory of this process; raises OSError where there is none."""
    parts, end = [], address + size
    with Path("/proc/self/mem").open("rb", buffering=0) as memory:
        while address < end:  # a read has at most 2 GiB
            parts.append(os.pread(memory.fileno(), end - address, address))
            address += len(parts[-1])
    return b"".join(parts)
