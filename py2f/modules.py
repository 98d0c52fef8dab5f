"""A whole Fortran module as an object of Python: its procedures, variables and constants are attributes."""

from __future__ import annotations

import sys
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from py2f.decorators.stub import COPIES, Origin

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from py2f.module_contents import Contents


class FortranModule:
    """What :func:`fortran_module` returns: every public procedure, variable and constant of a Fortran module.

    ``__unwrapped__`` is a dictionary of what has no counterpart in Python, with the reasons.
    """

    def __init__(self, origin: Origin, module: str | None, where: str, options: dict[str, Any]) -> None:
        vars(self).update(_origin=origin, _module=module, _where=where, _options=options)

    @cached_property
    def _contents(self) -> Contents:
        from py2f.module_contents import contents_of

        return contents_of(self._origin, self._module, self._where, self._options)

    @property
    def __unwrapped__(self) -> dict[str, str]:
        return dict(self._contents.unwrapped)

    @property
    def __doc__(self) -> str:  # type: ignore[override]  # of the Fortran module
        return self._contents.doc

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(f"'FortranModule' object has no attribute {name!r}")
        contents = self._contents
        if name in contents.variables:
            return contents.variables[name].read()
        if name in contents.procedures:
            return contents.procedures[name]
        raise contents.missing(name)

    def __setattr__(self, name: str, value: Any) -> None:
        contents = self._contents
        if name in contents.variables:
            contents.variables[name].write(value)
        elif name in contents.procedures:
            raise AttributeError(f"'{name}' of {contents.title} is a procedure")
        else:
            raise contents.missing(name)

    def __dir__(self) -> list[str]:
        contents = self._contents
        return sorted({*object.__dir__(self), "__unwrapped__", *contents.procedures, *contents.variables})

    def __repr__(self) -> str:
        module = f" {self._module}" if self._module else ""
        return f"<Fortran module{module} of {', '.join(map(str, self._origin.sources))}>"


class FortranVariable:
    """What :func:`fortran_variable` returns: its `value` is read from Fortran, and assigned there."""

    def __init__(self, name: str, kind: object, module: FortranModule, where: str) -> None:
        self._name, self._kind, self._module, self._where = name.lower(), kind, module, where

    @cached_property
    def _variable(self) -> Any:
        from py2f.module_contents import checked_variable

        return checked_variable(self._module._contents, self._name, self._kind, self._where)  # noqa: SLF001  of this module

    @property
    def value(self) -> Any:
        """What the variable is now."""
        return self._variable.read()

    @value.setter
    def value(self, value: Any) -> None:
        self._variable.write(value)

    def __repr__(self) -> str:
        return f"<Fortran variable {self._name} of {self._module!r}>"


def fortran_module(
    *source: str | os.PathLike[str],
    module: str | None = None,
    includes: Sequence[str | os.PathLike[str]] = (),
    links: Sequence[str] = (),
    copy: Literal["never", "warn", "ok"] = "never",
    nogil: bool = False,
) -> FortranModule:
    """Make the public procedures, variables and constants of a Fortran module attributes of an object.

    The files are found from the folder of the file that calls this. `module` may be left out where they have one module, or
    none and external procedures. Nothing is read before the first attribute is asked for, and nothing is compiled before
    the first call or the first use of a variable. `includes`, `links`, `copy` and `nogil` are as for :func:`pythoncall`.

    Attributes raise AttributeError with the reason for what cannot be wrapped, StubError when there is no such module,
    SourceError when a file cannot be read, ToolchainError or BuildError when it cannot be compiled.
    """
    if not source:
        raise TypeError('say where the module is: fortran_module("physics.f90")')
    if copy not in COPIES:
        raise TypeError(f"copy={copy!r}: it is one of {', '.join(COPIES)}")
    folder, where = _caller()
    origin = Origin(tuple(map(Path, source)), includes=tuple(map(Path, includes)), links=tuple(links)).beside(folder)
    return FortranModule(origin, None if module is None else module.lower(), where, {"copy": copy, "nogil": nogil})


_shared: dict[tuple[Origin, str], FortranModule] = {}


def fortran_variable(  # noqa: PLR0913  by keyword, but for what it is
    name: str,
    kind: object,
    *,
    source: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    module: str,
    includes: Sequence[str | os.PathLike[str]] = (),
    links: Sequence[str] = (),
) -> FortranVariable:
    """A variable or constant of a Fortran module: an object whose `value` is read and assigned.

    `kind` is a row of the type table, or an array of one: ``f64``, ``f64[:, :]``; it is compared with the source at the first
    use, which raises StubError with both where they differ.
    """
    folder, where = _caller()
    sources = (source,) if isinstance(source, str) or hasattr(source, "__fspath__") else tuple(source)
    origin = Origin(tuple(map(Path, sources)), includes=tuple(map(Path, includes)), links=tuple(links)).beside(folder)
    options = {"copy": "never", "nogil": False, "variables": True}
    shared = _shared.setdefault((origin, module.lower()), FortranModule(origin, module.lower(), where, options))
    return FortranVariable(name, kind, shared, where)


def _caller() -> tuple[Path, str]:
    frame = sys._getframe(2)  # noqa: SLF001  as the standard library itself finds who calls
    path = frame.f_code.co_filename
    return Path(path).parent, f"{path}:{frame.f_lineno}"
