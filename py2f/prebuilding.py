"""Fill the cache ahead of a job: what the functions and stubs of modules need is compiled before a thousand ranks ask for it."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from py2f.decorators.libraries import exports
from py2f.decorators.registry import import_named, stub_modules, stubs
from py2f.errors import Py2fError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from py2f.settings import Settings


def prebuild(
    modules: str | Iterable[str], comm: Any = None, *, settings: Settings | None = None, without: Sequence[str] = ()
) -> list[str]:
    """Import modules, and build what they export and call, or find it in the cache; returns the names of the libraries.

    That are the functions with `@export_to_fortran` of these modules, of packages with all their modules but those of
    `without`, and the stubs with `@pythoncall` and the
    `fortran_module` of all modules of theirs. With `comm`, a communicator of mpi4py, the first rank builds, and the others
    wait for it; all ranks of `comm` must call. Then each of them looks for itself: a node that does not share the cache
    builds once more. Raises ImportError and what :func:`py2f.build` raises; Py2fError on the other ranks when the first fails.
    """
    names = [modules] if isinstance(modules, str) else list(modules)
    if comm is None or comm.Get_size() == 1:
        return _built(names, settings, without)
    made, trouble = [], ""
    if comm.Get_rank() == 0:
        try:
            made = _built(names, settings, without)
        except BaseException as error:
            trouble = f"{type(error).__name__}: {error}"
            raise
        finally:
            comm.bcast(trouble, root=0)
        return made
    trouble = comm.bcast(None, root=0)
    if trouble:
        raise Py2fError(f"the first rank could not build {', '.join(names)}: {trouble}")
    return _built(names, settings, without)


def _built(names: list[str], settings: Settings | None, without: Sequence[str]) -> list[str]:
    from py2f.calls import build_calls
    from py2f.pipeline import build

    for name in names:
        import_named(name)
    left = {name: [module for module in without if module.startswith(f"{name}.")] for name in names}
    exporting = [name for name in names if exports(name, left[name])]
    made = [build(name, settings=settings, without=left[name]).library.name for name in exporting]
    for module in stub_modules():
        ours = [stub for stub in stubs(module).values() if not stub.origin.host]
        if ours and _of(module, names):
            made.append(build_calls(module, ours, settings).path.name)
    return made + [path for name in names for path in _whole_modules(name, settings)]


def _of(module: str, names: list[str]) -> bool:
    """Whether a module is one of these or of their packages."""
    return any(f"{module}.".startswith(f"{name}.") for name in names)


def _whole_modules(name: str, settings: Settings | None) -> list[str]:
    """The Fortran modules that a module has as a whole."""
    from py2f.calls import build_calls
    from py2f.modules import FortranModule

    found = [value for value in vars(importlib.import_module(name)).values() if isinstance(value, FortranModule)]
    libraries = [value._contents.library for value in found]  # noqa: SLF001  of this package
    return [build_calls(each.title, each.stubs, settings).path.name for each in libraries if each.stubs]
