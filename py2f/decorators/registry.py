"""Who exports what: the decorated functions by module, filled while modules are imported."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from py2f.errors import ExportError, SignatureError
from py2f.signature import Library

if TYPE_CHECKING:
    from collections.abc import Callable

    from py2f.pipeline import Plugin
    from py2f.signature import Procedure

SUFFIX = "_py"
"""``heat`` is ``heat_py`` in Fortran."""


@dataclass(frozen=True)
class Exported:
    """What py2f knows of a decorated function: its attribute ``__py2f__``."""

    function: Callable[..., Any]
    procedure: Procedure
    module: str
    qualname: str
    where: str
    defaults: tuple[Any, ...]  # what an absent argument becomes, one an argument
    keywords: tuple[str, ...]  # the last arguments, that Python takes by keyword only

    def build(self) -> Plugin:
        """Build or find the plugin of the function's module.

        Raises what :func:`py2f.build` raises.
        """
        from py2f.pipeline import build

        return build(self.module)


_exported: dict[str, dict[str, Exported]] = {}


def register(entry: Exported) -> None:
    """Add a function to its module; one that is defined again, as by a reload, replaces itself."""
    known = _exported.setdefault(entry.module, {})
    name = entry.procedure.name
    before = known.get(name)
    if before is not None and before.qualname != entry.qualname:
        raise SignatureError(
            f"{entry.where}: '{entry.qualname}' would be called '{name}' in Fortran, "
            f"as '{before.qualname}' of {before.where} is; give one of them another name: @export_to_fortran(name=...)"
        )
    known[name] = entry


def exported(module: str) -> dict[str, Exported]:
    """The functions that a module exports, by name, in the order of definition."""
    return dict(_exported.get(module, {}))


def library(module: str, name: str | None = None) -> Library:
    """Import a module and describe what it exports; `name` replaces ``<last part>_py``.

    Raises ExportError when the module exports nothing, and whatever its import raises.
    """
    importlib.import_module(module)
    functions = exported(module)
    if not functions:
        raise ExportError(f"{module} exports nothing: put @export_to_fortran on a function of it")
    return Library(name or module.rpartition(".")[2] + SUFFIX, module, tuple(f.procedure for f in functions.values()))
