"""Where we are: the Python that runs a library later, its libpython, py2f's extension, and the module's file.

The paths of the machine have their home here; everything else receives a :class:`Site`.
"""

from __future__ import annotations

import functools
import importlib.machinery
import importlib.resources
import importlib.util
import json
import subprocess
import sys
import sysconfig
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from py2f.errors import ExportError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.resources.abc import Traversable
    from types import ModuleType


@dataclass(frozen=True)
class Start:
    """How that Python starts, where a Fortran program starts it; the environment of the program may say otherwise."""

    optimize: int | None = None  # its level of optimization, as `python -O`
    environment: tuple[tuple[str, str], ...] = ()  # variables, for where they are not set
    calls: tuple[str, ...] = ()  # "module:function", called once before the first call
    in_wheel: bool = False  # it is the Python in whose environment the library lies

    def __str__(self) -> str:
        level = [] if self.optimize is None else [f"optimize={self.optimize}"]
        variables = [f"{name}={value}" for name, value in self.environment]
        where = ["the Python in whose environment the library lies"] * self.in_wheel
        return ", ".join([*where, *level, *variables, *(f"{call}()" for call in self.calls)])


@dataclass(frozen=True)
class Site:
    """What a library must know to start the right Python and to import the right file."""

    executable: str  # it is empty, as all other places, where the library is part of a wheel
    version: str  # "3.11"
    libpython: str
    runtime: str  # the extension py2f.runtime._runtime
    origins: tuple[str, ...]  # the files of the exported modules
    path: tuple[str, ...]  # entries of sys.path that a bare start lacks and a loaded module came from
    start: Start = field(default_factory=Start)


def shipped(name: str) -> Traversable:
    """A file that lies beside the compiled parts of the package; in an editable install that is not beside this file."""
    return importlib.resources.files("py2f.runtime") / name


def site_of(modules: Sequence[ModuleType], start: Start) -> Site:
    """Describe this Python and `modules`; raises ExportError when a Fortran program would not find one of them again."""
    origins = tuple(map(_origin, modules))
    for module, origin in zip(modules, origins, strict=True):
        bare_path, found = _bare_start(module.__name__.partition(".")[0])
        _refuse_shadowed(module, origin, found)
    if start.in_wheel:
        return Site("", "", "", "", ("",) * len(origins), (), start)
    return Site(
        executable=sys.executable,
        version=sysconfig.get_python_version(),
        libpython=_libpython(),
        runtime=_extension(),
        origins=origins,
        path=tuple(entry for entry in _entries(bare_path) if _used(entry)),
        start=start,
    )


def _origin(module: ModuleType) -> str:
    origin = getattr(module.__spec__, "origin", None) or getattr(module, "__file__", None)
    if not origin or module.__name__ == "__main__":
        raise ExportError(
            f"{module.__name__} is not a module in a file that a Fortran program could import; move the functions into one"
        )
    return str(Path(origin).absolute())


BARE_START = (
    "import importlib.util, json, sys; spec = importlib.util.find_spec(sys.argv[1]); "
    "frozen = spec and getattr(spec.loader_state, 'filename', None); "  # the file behind a module that is in the interpreter
    "print(json.dumps([sys.path, frozen or spec and (spec.origin or list(spec.submodule_search_locations or [])[0])]))"
)


@functools.cache
def _bare_child(name: str) -> subprocess.Popen[str]:
    """An isolated start of this interpreter; it runs while the module is being imported."""
    command = [sys.executable, "-I", "-X", "utf8", "-c", BARE_START, name]
    return subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8"
    )


@functools.cache
def _bare_start(name: str) -> tuple[tuple[str, ...], str | None]:
    """sys.path of an isolated start of this interpreter, and what `name` would be there."""
    child = _bare_child(name)
    output, trouble = child.communicate()
    if child.returncode:
        raise ExportError(f"{sys.executable} -I does not start: {trouble.strip()}")
    path, found = json.loads(output)
    return tuple(path), found


def refuse_taken(module: str) -> None:
    """Raise ExportError for a file whose name means something else to Python itself; importing it might give that other one.

    Where nothing of that name is there to be taken for it, the import goes on, and :func:`site_of` compares afterwards.
    """
    top = module.partition(".")[0]
    spec = importlib.machinery.PathFinder.find_spec(top)
    if not spec or not spec.has_location or not spec.origin:
        return
    _bare_child(top)
    if top in sys.modules or top in sys.stdlib_module_names:
        _refuse(top, str(Path(spec.origin).absolute()), _bare_start(top)[1])


def _refuse_shadowed(module: ModuleType, origin: str, found: str | None) -> None:
    top = module.__name__.partition(".")[0]
    _refuse(top, _place(sys.modules[top], origin), found)


def _refuse(name: str, place: str, found: str | None) -> None:
    """Compare where a module is with what a Fortran program would import."""
    if found == place or (found is None and name not in sys.stdlib_module_names):
        return
    meant = found if found and Path(found).is_absolute() else "a module of the standard library"  # else: built into Python
    raise ExportError(f"{place}: in a Fortran program the name '{name}' means {meant}; rename the module")


def _place(module: ModuleType, default: str) -> str:
    """The file of a module, the folder of a namespace package."""
    spec = module.__spec__
    folders = list((spec and spec.submodule_search_locations) or [])
    return str(Path((spec and spec.origin) or (folders and folders[0]) or default).absolute())


def _entries(bare: tuple[str, ...]) -> list[str]:
    return list(dict.fromkeys(str(Path(entry or ".").absolute()) for entry in sys.path if entry not in bare))


def _used(entry: str) -> bool:
    """Whether a loaded module came from an entry of sys.path."""
    return any(_came_from(entry, name, getattr(module, "__file__", None)) for name, module in tuple(sys.modules.items()))


def _came_from(entry: str, name: str, file: str | None) -> bool:
    if not file or not Path(file).is_absolute() or not Path(file).is_relative_to(entry):
        return False
    return Path(file).relative_to(entry).parts[0].partition(".")[0] == name.partition(".")[0]


def _libpython() -> str:
    config = sysconfig.get_config_var
    library = Path(f"{config('LIBDIR')}/{config('INSTSONAME')}")
    if not config("Py_ENABLE_SHARED") or not library.exists():
        raise ExportError(
            f"{sys.executable} has no shared libpython ({library.name}), which a Fortran program loads; "
            f"use a Python that was configured with --enable-shared (Debian: package libpython{sysconfig.get_python_version()})"
        )
    return str(library)


def _extension() -> str:
    spec = importlib.util.find_spec("py2f.runtime._runtime")
    if spec is None or spec.origin is None:
        raise ExportError(
            f"py2f in {Path(__file__).parent} has no compiled runtime: this is the source folder; "
            f"install the package (`make venv`, or `pip install .`) and start Python elsewhere, or with PYTHONSAFEPATH=1"
        )
    return spec.origin
