"""From modules to a library: what goes into it, in which Fortran module, under which names.

A package is exported with all its modules. What its ``__init__`` exports stands in the Fortran module of the library, as what
a single module exports does; each other module has one of its own, and the library's module makes all of them public.
"""

from __future__ import annotations

import fnmatch
import importlib.util
import pkgutil
import sys
import traceback
from pathlib import Path
from typing import TYPE_CHECKING

from py2f.decorators.registry import exported, host_stubs, import_named
from py2f.errors import ExportError, Py2fError
from py2f.signature import Library, Part
from py2f.types import MAX_NAME

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from types import TracebackType

    from py2f.decorators.registry import Exported
    from py2f.signature import Procedure

SUFFIX = "_py"
"""``heat`` is ``heat_py`` in Fortran."""
TESTS = ("test", "tests", "test_*", "*_test", "conftest")
"""Modules of a package that are of no use in a Fortran program, and may need what is not installed there."""


def library(modules: str | Sequence[str], name: str | None = None, without: Sequence[str] = ()) -> Library:
    """Import modules and describe what they export; `name` replaces ``<last part>_py``.

    Packages are imported with all their modules but private ones, tests and those of `without`. Raises ExportError when
    nothing is exported, when names clash or a module ends Python, and whatever the import of a module raises.
    """
    modules = (modules,) if isinstance(modules, str) else tuple(dict.fromkeys(modules))
    if name is None and len(modules) > 1:
        raise ExportError(f"{', '.join(modules)} go into one library: give it a name, with --name")
    name = name or modules[0].rpartition(".")[2] + SUFFIX
    members = list(dict.fromkeys(member for module in modules for member in _members(module, without)))
    _refuse_unknown(modules, without)
    functions = _functions(modules, members)
    exporting = tuple(m for m in members if exported(m))
    host = {s.procedure.name: s.procedure for m in exporting for s in host_stubs(m)}
    parts = _parts(modules[0], name, functions) if len(modules) == 1 else ()
    procedures = tuple(f.procedure for m in members for f in functions[m])
    return _checked(Library(name, exporting, procedures, tuple(host.values()), parts, modules))


def exports(module: str, without: Sequence[str] = ()) -> bool:
    """Whether a module, or one that an export of the package takes in, has a function to export."""
    return any(map(exported, _members(module, without)))


def left_out(modules: Iterable[str], without: Sequence[str] = ()) -> dict[str, str]:
    """What of packages is left out though nobody said so, and why.

    Private modules that export something, since somebody has imported them; folders of modules, which may be anything.
    """
    packages = [module for module in modules if hasattr(sys.modules[module], "__path__")]
    loaded = [(m, p) for m in tuple(sys.modules) for p in packages if f"{m}.".startswith(f"{p}.")]
    private = [m for m, p in loaded if _private(m[len(p) + 1 :]) and exported(m)]
    folders = [f for m, p in loaded if not _private(m[len(p) + 1 :]) for f in _folders(m)]
    unasked = [f for f in folders if not any(f"{f}.".startswith(f"{w}.") for w in without)]
    return dict.fromkeys(sorted(private), "it is private") | dict.fromkeys(sorted(unasked), "it has no __init__.py")


# ---- which modules


def _members(module: str, without: Sequence[str]) -> list[str]:
    """A module, and those of a package, imported."""
    import_named(module)
    ours = hasattr(sys.modules[module], "__path__") and module.partition(".")[0] not in sys.stdlib_module_names
    inner = list(_inside(module, without)) if ours else []
    for each in inner:
        _import_inner(each, module)
    return [module, *inner]


def _inside(package: str, without: Sequence[str]) -> Iterator[str]:
    """The modules of a package by name, and those of its packages; nothing is imported but packages."""
    for found in sorted(pkgutil.iter_modules(sys.modules[package].__path__), key=lambda found: found.name):
        module = f"{package}.{found.name}"
        if _skipped(found.name) or module in without:
            continue
        yield module
        if found.ispkg:
            _import_inner(module, package)
            yield from _inside(module, without)


def _folders(package: str) -> Iterator[str]:
    """The folders of modules in a package that are no packages, for want of an __init__."""
    for path in map(Path, getattr(sys.modules[package], "__path__", ())):
        for folder in path.iterdir() if path.is_dir() else ():
            if folder.name.isidentifier() and not _skipped(folder.name) and any(folder.glob("*.py")):
                yield from [] if (folder / "__init__.py").exists() else [f"{package}.{folder.name}"]


def _skipped(name: str) -> bool:
    return _private(name) or any(fnmatch.fnmatch(name, pattern) for pattern in TESTS)


def _refuse_unknown(modules: Sequence[str], without: Sequence[str]) -> None:
    for module in without:
        package = next((m for m in modules if module.startswith(f"{m}.")), None)
        if package is None or importlib.util.find_spec(module) is None:
            raise ExportError(f"--without {module}: {package or ' and '.join(modules)} has no such module")


def _private(name: str) -> bool:
    return any(part.startswith("_") for part in name.split("."))  # __main__ as well, which is a program


def _import_inner(module: str, package: str) -> None:
    try:
        import_named(module)
    except Py2fError:
        raise
    except Exception as error:  # noqa: BLE001  whatever it is, it is shown
        said = "".join(traceback.format_exception(error.with_traceback(_in_package(error)))).rstrip()
        raise ExportError(
            f"{module}, which the export of {package} takes in, does not import; "
            f"mend it, or leave it out: --without {module}\n{said}"
        ) from None


def _in_package(error: Exception) -> TracebackType | None:
    """The traceback of an import without what leads to the module: us, and Python's way of importing."""
    trace = error.__traceback__
    while trace and (trace.tb_frame.f_globals.get("__name__") or "").partition(".")[0] in ("py2f", "importlib"):
        trace = trace.tb_next
    return trace


# ---- which functions


def _functions(named: Sequence[str], members: Sequence[str]) -> dict[str, list[Exported]]:
    """What each module exports that none before it does; raises ExportError where there is nothing, or two of a name."""
    first: dict[str, Exported] = {}
    functions: dict[str, list[Exported]] = {}
    for module in members:
        mine = exported(module)
        if module in named and not hasattr(sys.modules[module], "__path__"):
            _refuse_nothing(module, mine)
        for entry in mine.values():
            _refuse_two(_alike(first, entry), entry)
        functions[module] = [entry for name, entry in mine.items() if first.setdefault(name, entry) is entry]
    for package in (m for m in named if hasattr(sys.modules[m], "__path__")):
        inner = [m for m in members if f"{m}.".startswith(f"{package}.")]
        if not any(functions[m] for m in inner):
            _refuse_nothing(package, {}, inner[1:])
    return functions


def _alike(first: dict[str, Exported], entry: Exported) -> Exported:
    """What has the name of a function already, in another module: where it differs in case alone Fortran sees no difference."""
    name = entry.procedure.name
    others = (e for n, e in first.items() if n.lower() == name.lower() and (n == name or e.module != entry.module))
    return next(others, entry)


def _refuse_nothing(module: str, functions: dict[str, Exported], inner: Sequence[str] = ()) -> None:
    host = host_stubs(module)
    if not functions and not host and module.partition(".")[0] in sys.stdlib_module_names:
        raise ExportError(f"'{module}' is a module of the standard library: rename yours")
    if not functions and host:
        raise ExportError(
            f"{module} has only stubs of host procedures: import them into the module that exports functions, and export that"
        )
    if not functions:
        those = f", nor does {' or '.join(inner)}" if inner else ""
        unasked = "; ".join(f"{m} is left out, since {why}" for m, why in left_out([module]).items())
        hint = f" ({unasked})" if unasked else ""
        raise ExportError(f"{module} exports nothing{those}: put @export_to_fortran on a function of it{hint}")


def _refuse_two(first: Exported, second: Exported) -> None:
    if first.function is not second.function:
        named = "" if first.procedure.name == second.procedure.name else f", as '{first.procedure.name}',"
        raise ExportError(
            f"'{second.procedure.name}' is exported by {first.module}{named} and by {second.module}: "
            f"give one of them another name, with @export_to_fortran(name=...), or put them into two libraries"
        )


# ---- under which names


def _parts(package: str, name: str, functions: dict[str, list[Exported]]) -> tuple[Part, ...]:
    """The Fortran modules of the modules of a package: mypkg.heat is mypkg_heat_py."""
    stem, suffix = (name.removesuffix(SUFFIX), SUFFIX) if name.endswith(SUFFIX) else (name, "")
    inner = {m: m[len(package) + 1 :].replace(".", "_") for m in functions if m != package and functions[m]}
    return tuple(Part(f"{stem}_{i}{suffix}", m, tuple(f.procedure for f in functions[m])) for m, i in inner.items())


def _checked(made: Library) -> Library:
    """Refuse what no Fortran compiler would take as the name of a module, and two of one name."""
    _check_name(made.name, made.procedures, "give one with --name", "--name")
    where = {made.name.lower(): made.module}
    for part in made.parts:
        if len(part.name) > MAX_NAME:
            raise ExportError(
                f"the Fortran module of {part.module} would be called {part.name!r}, which has {len(part.name)} characters of "
                f"{MAX_NAME} that may be: rename the module, or give the library a shorter name, with --name"
            )
        _check_name(part.name, made.procedures, f"rename {part.module}", "the Python module")
        other = where.setdefault(part.name.lower(), part.module)
        if other != part.module:
            raise ExportError(
                f"{other} and {part.module} would both be called '{part.name}' in Fortran: rename one of the modules"
            )
    return made


def _check_name(name: str, procedures: Iterable[Procedure], mend: str, rename: str) -> None:
    if not name.isascii() or not name.isidentifier() or name.startswith("_") or len(name) > MAX_NAME or name.lower() == "py2f":
        raise ExportError(f"{name!r} cannot be the name of a Fortran module: {mend}")
    clash = next((p.name for p in procedures if p.name.lower() == name.lower()), None)
    if clash:
        raise ExportError(
            f"'{clash}' is called like its Fortran module: rename one, with @export_to_fortran(name=...) or {rename}"
        )
