"""Who exports what: the decorated functions by module, filled while modules are imported."""

from __future__ import annotations

import importlib
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from py2f.errors import ExportError, SignatureError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from py2f.decorators.stub import Stub
    from py2f.pipeline import Plugin
    from py2f.signature import Procedure

T = TypeVar("T")


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
    backend: str | None = None  # that the GT4Py programs of the function run on; None: their own
    threads: int | str | None = "host"  # of BLAS and its like during a call; None: their own
    native: bool = False  # numba compiles it, and Fortran calls machine code
    mappings: Mapping[str, Callable[[Any], object]] = field(default_factory=dict)  # what makes something of an array's view

    def __reduce__(self) -> tuple[Callable[..., Exported], tuple[str, str]]:
        """By name, as functions are pickled: a callable object that carries this is pickled as before."""
        return _recall, (self.module, self.procedure.name)

    def build(self) -> Plugin:
        """Build or find the plugin of the function's module.

        Raises what :func:`py2f.build` raises.
        """
        from py2f.pipeline import build

        return build(self.module)


def _recall(module: str, name: str) -> Exported:
    importlib.import_module(module)
    return _exported.of(module)[name]


class _ByModule(Generic[T]):
    """What was decorated, by module and name; a reload of a module begins anew."""

    def __init__(self) -> None:
        self._entries: dict[str, dict[str, T]] = {}
        self._specs: dict[str, object] = {}  # the __spec__ that each module had: a reload makes another one

    def of(self, module: str) -> dict[str, T]:
        """The entries of a module, in the order of definition."""
        spec = getattr(sys.modules.get(module), "__spec__", None)
        if module not in self._specs or self._specs[module] is not spec:
            self._entries[module] = {}
        self._specs[module] = spec
        return self._entries[module]

    def __iter__(self) -> Iterator[T]:
        return (entry for entries in self._entries.values() for entry in entries.values())


_exported: _ByModule[Exported] = _ByModule()
_stubs: _ByModule[Stub] = _ByModule()


def register(entry: Exported) -> None:
    """Add a function to its module; a second ``def`` of a name replaces the first."""
    known = _exported.of(entry.module)
    name = entry.procedure.name
    before = known.get(name)
    if before is not None and before.function is not entry.function and not _again(before, entry):
        raise SignatureError(
            f"{entry.where}: '{entry.qualname}' would be called '{name}' in Fortran, "
            f"as '{before.qualname}' of {before.where} is; give one of them another name: @export_to_fortran(name=...)"
        )
    known[name] = entry


def _again(before: Exported, entry: Exported) -> bool:
    """Whether a function was defined twice, as under ``try`` and ``except``; nameless objects are what they are."""
    return before.qualname == entry.qualname and hasattr(entry.function, "__qualname__")


def register_stub(stub: Stub) -> None:
    """Add a stub to its module; a second ``def`` of a name replaces the first."""
    _stubs.of(stub.module)[stub.qualname] = stub


def stubs(module: str) -> dict[str, Stub]:
    """The stubs of a module by qualified name, in the order of definition."""
    return dict(_stubs.of(module))


def stub_modules() -> list[str]:
    """The modules that have stubs, in the order of their import."""
    return list(dict.fromkeys(stub.module for stub in _stubs))


def exported(module: str) -> dict[str, Exported]:
    """The functions that a module exports, by name, in the order of definition; those that py2fgen decorated as well."""
    from py2f.decorators.adopted import adopt

    adopt(module, _exported.of(module))
    return dict(_exported.of(module))


def import_named(module: str) -> None:
    """Import what a user has named; raises ExportError for what ends Python, and whatever the import raises."""
    if "" in module.split("."):
        raise ExportError(f"{module!r} is no name of a module: write it as in `import MODULE`")
    from py2f.aside import printing_aside  # a job does without

    try:
        with printing_aside():
            importlib.import_module(module)
    except SystemExit as end:
        raise ExportError(
            f"{module} ends Python while it is imported (SystemExit: {end}); put what it does under `if __name__ == '__main__':`"
        ) from end


def host_stubs(module: str) -> list[Stub]:
    """The procedures of the host that a module calls: its own stubs, and those that it has imported."""
    known = {id(stub): stub for stub in _stubs}
    imported = [known.get(id(getattr(value, "__py2f__", None))) for value in vars(sys.modules[module]).values()]
    return list({s.procedure.name: s for s in [*stubs(module).values(), *imported] if s and s.origin.host}.values())
