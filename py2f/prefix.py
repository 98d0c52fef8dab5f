"""The prefix: what an exported library looks like to people and to build systems, and how a folder becomes one.

::

    src, include         the sources, and what C needs; any compilers make the library of them
    lib/<name>.json      the contract
    lib/cmake            a package for CMake
    lib/gfortran-12      what a compiler has made: the library, and the key of its build
    mod/gfortran-12      its .mod files
    lib, mod             links to what the last export has compiled, and the loader, which is for all

What one compiler has made stays when another one exports the same signatures; what was made of others goes.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from typing import TYPE_CHECKING, Any

from py2f.cache.entry import MANIFEST
from py2f.emit.build_files import pkgconfig_text
from py2f.errors import ExportError
from py2f.site import shipped
from py2f.toolchain.compilers import BINDING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from py2f.signature import Library

LOADER = "libpy2f.so"
SONAME = "libpy2f.so.1"
HEADERS = ("py2f_table.h", "py2f_codes.h")
"""Of the table. Those of compilers, ISO_Fortran_binding.h, are not delivered: each has its own."""
PROJECT = ("src/CMakeLists.txt", "src/meson.build", "src/meson.options")
"""What can be there for one library alone: the first of a prefix."""
C_HEADER = "py2f_c.h"
"""What the header for C needs."""


def lay_out_sources(library: Library, files: Mapping[str, bytes], prefix: Path) -> None:
    """Write what no compiler is needed for."""
    name = library.name
    folders = {f"{name}.json": ("lib",), f"{name}-config.cmake": (f"lib/cmake/{name}",), LOADER: (), BINDING: ()}
    folders |= dict.fromkeys((f"{name}.h", C_HEADER, *HEADERS), ("include", "src"))
    for file, content in files.items():
        for folder in folders.get(file, ("src",)):
            (prefix / folder).mkdir(parents=True, exist_ok=True)
            (prefix / folder / file).write_bytes(content)


def lay_out_compiled(library: Library, release: str, key: str, out: Path, prefix: Path) -> None:
    """Arrange what a compiler has made: `out` holds the library and the module files."""
    name, versioned = library.name, library_file(library)
    libraries, modules = prefix / "lib" / release, prefix / "mod" / release
    for folder in (libraries, modules, prefix / "lib" / "pkgconfig"):
        folder.mkdir(parents=True)
    shutil.copy2(out / versioned, libraries)
    (libraries / f"lib{name}.so").symlink_to(versioned)
    (libraries / f"{name}.key").write_text(f"{key}\n", encoding="ascii")
    for module in out.rglob("*.mod"):
        shutil.copy2(module, modules)
        (prefix / "mod" / module.name).symlink_to(f"{release}/{module.name}")
    for file in (versioned, f"lib{name}.so"):
        (prefix / "lib" / file).symlink_to(f"{release}/{file}")
    (prefix / "lib" / SONAME).write_bytes(shipped(LOADER).read_bytes())
    (prefix / "lib" / "pkgconfig" / f"{name}.pc").write_text(pkgconfig_text(library, release), encoding="utf-8")


def library_file(library: Library) -> str:
    """The shared library: a program that was compiled against other signatures does not find it."""
    return f"lib{library.name}.so.{library.signature}"


# ---- into the user's folder


def install(library: Library, sources: Sequence[Path], prefix: Path) -> list[str]:
    """Copy folders into a prefix: each file by one rename, unchanged ones untouched, what other signatures have left removed.

    Returns what was written. Raises ExportError where the prefix has a library of this name that is of another module, and
    OSError.
    """
    refuse_other(library, prefix)
    before = _modules(_contract(library.name, prefix))
    changed = [(source, file) for source in sources for file in stale(library, source, prefix)]
    for source, file in changed:
        (prefix / file).parent.mkdir(parents=True, exist_ok=True)
        _replace(source / file, prefix / file)
    for old in outdated(library, prefix, before):
        (prefix / old).unlink()
    return [file for _, file in changed]


def compiled_with(library: Library, release: str, prefix: Path) -> str:
    """The key of what a compiler has made of the present signatures; empty: nothing is there."""
    folder = prefix / "lib" / release
    key = folder / f"{library.name}.key"
    return key.read_text(encoding="ascii").strip() if key.is_file() and (folder / library_file(library)).is_file() else ""


def project_of(prefix: Path) -> str:
    """The library that CMake and Meson make of the sources of a prefix; empty: there is none."""
    project = prefix / PROJECT[1]
    found = re.match(r"project\('(\w+)'", project.read_text(encoding="utf-8", errors="replace")) if project.is_file() else None
    return found[1] if found and (prefix / "lib" / f"{found[1]}.json").is_file() else ""


def stale(library: Library, source: Path, prefix: Path) -> Iterator[str]:
    """The files that a prefix lacks of another folder, or has otherwise; the project of another library is left to that."""
    others = () if project_of(prefix) in ("", library.name) else PROJECT
    for path in sorted(source.rglob("*")):
        file = path.relative_to(source).as_posix()
        if (path.is_symlink() or path.is_file()) and path.name != MANIFEST and file not in others:
            yield from [] if _same(path, prefix / file) else [file]


def outdated(library: Library, prefix: Path, before: set[str] | None = None) -> list[str]:
    """What a prefix has of this library under other signatures: libraries, what a compiler has made with them, modules.

    `before` are the Fortran modules of the last export; default: those of the contract that is there.
    """
    name, current = library.name, library_file(library)
    modules = _own_modules(library)
    before = _modules(_contract(name, prefix)) if before is None else before
    found = [path for path in (prefix / "lib").rglob(f"lib{name}.so.*") if path.name != current]
    for folder in {path.parent for path in found} - {prefix / "lib"}:
        if not (folder / current).exists():  # of another compiler, which has to export again
            compiled = [prefix / "mod" / folder.name / f"{module}.mod" for module in modules | before]
            found += [path for path in (folder / f"lib{name}.so", folder / f"{name}.key", *compiled) if _there(path)]
    found += [path for module in before - modules for path in (prefix / "mod").rglob(f"{module}.mod")]
    return sorted({path.relative_to(prefix).as_posix() for path in found})


def _own_modules(library: Library) -> set[str]:
    return {module.lower() for module in (library.name, *(part.name for part in library.parts))}


def _modules(contract: dict[str, Any]) -> set[str]:
    return {str(p["use"]).lower() for p in contract.get("procedures", ())}


def _contract(name: str, prefix: Path) -> dict[str, Any]:
    """What the last export of a library into a prefix has left; empty: none there, or none of ours."""
    try:
        content = json.loads((prefix / "lib" / f"{name}.json").read_bytes())
        return dict(content) if {"named", "procedures"} <= content.keys() else {}
    except (FileNotFoundError, NotADirectoryError, ValueError, TypeError, AttributeError):
        return {}


def refuse_other(library: Library, prefix: Path) -> None:
    """Raise ExportError where a prefix has a library or a Fortran module of the same name that is of another Python module."""
    module = _contract(library.name, prefix).get("named", library.origin)
    if module != library.origin:
        raise ExportError(
            f"{prefix} has {library.name} of the module {module}, not of {library.origin}; "
            f"choose another name, with --name, or another folder"
        )
    others = {path.stem for path in (prefix / "lib").glob("*.json")} - {library.name}
    for name, contract in ((name, _contract(name, prefix)) for name in sorted(others)):
        for clash in sorted(_own_modules(library) & {name.lower(), *_modules(contract)} if contract else ()):
            raise ExportError(
                f"{prefix} has a Fortran module {clash} already, of {contract['named']}; "
                f"choose another name for {library.origin}, with --name, or another folder"
            )


def _replace(source: Path, target: Path) -> None:
    fresh = target.with_name(f".{target.name}.{os.urandom(4).hex()}")
    try:
        shutil.copy(source, fresh, follow_symlinks=False)  # as new as it is here: `make` compares times
        fresh.replace(target)  # a running program keeps the file that it has mapped
    finally:
        fresh.unlink(missing_ok=True)


def _same(source: Path, target: Path) -> bool:
    if source.is_symlink() or target.is_symlink():
        return source.is_symlink() and target.is_symlink() and source.readlink() == target.readlink()
    return target.is_file() and source.read_bytes() == target.read_bytes()


def _there(path: Path) -> bool:
    return path.is_symlink() or path.exists()
