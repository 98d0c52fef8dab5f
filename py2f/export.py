"""``python -m py2f.export MODULE -o DIR``: put all that a Fortran program needs of a module into a folder."""

from __future__ import annotations

import argparse
import json
import os
import shlex
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from py2f.cache.entry import MANIFEST
from py2f.delivered import deliver
from py2f.errors import ExportError
from py2f.pipeline import build
from py2f.settings import Settings
from py2f.start import add_start_arguments, compile_ahead, wished

if TYPE_CHECKING:
    from collections.abc import Sequence

    from py2f.pipeline import Plugin


SHOWN = 8
"""How many procedures a report names."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of an export."""
    parser.add_argument("module", nargs="+", metavar="MODULE", help="a Python module, as in `import MODULE`; several need --name")
    parser.add_argument(
        "-o", "--output", type=Path, required=True, metavar="DIR", help="the folder that is filled: lib, mod, include, src"
    )
    parser.add_argument("--name", help="name of the library and of the Fortran module; default: <last part of MODULE>_py")
    parser.add_argument("--fc", help="the Fortran compiler; default: $FC, else gfortran, else flang")
    parser.add_argument("--fflags", default="", help="flags for the Fortran compiler, as one argument")
    add_start_arguments(parser)


def run(options: argparse.Namespace) -> int:
    """Export, and say how to compile against the result."""
    search_here()
    settings = Settings.read(fc=options.fc, fflags=_flags(options.fflags))
    plugin = build(options.module, name=options.name, settings=settings, start=wished(options))
    try:
        install(plugin, options.output.absolute())
        deliver(options.output.absolute(), settings, _replace)
    except OSError as error:
        raise ExportError(f"cannot write {error.filename2 or error.filename or options.output}: {error.strerror}") from error
    if plugin.start.optimize:
        compile_ahead(plugin.start.optimize)
    print(report(plugin, options.output))
    return 0


def _flags(text: str) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(text))
    except ValueError as error:
        raise ExportError(f"--fflags {text!r}: {error}") from None


def search_here() -> None:
    """Find modules of the current directory, as ``python -m`` does unless PYTHONSAFEPATH is set."""
    here = str(Path.cwd())
    if here not in sys.path and "" not in sys.path:
        sys.path.insert(0, here)


def install(plugin: Plugin, prefix: Path) -> None:
    """Copy an entry of the cache into a prefix: each file by one rename, unchanged ones untouched, older libraries removed."""
    _refuse_other(plugin, prefix / "lib" / f"{plugin.library.name}.json")
    for source in sorted(plugin.prefix.rglob("*")):
        target = prefix / source.relative_to(plugin.prefix)
        if source.is_dir() and not source.is_symlink():
            target.mkdir(parents=True, exist_ok=True)
        elif source.name != MANIFEST:
            _replace(source, target)
    current = f"lib{plugin.library.name}.so.{plugin.library.signature}"
    for old in (prefix / "lib").glob(f"lib{plugin.library.name}.so.*"):
        if old.name != current:
            old.unlink()


def _refuse_other(plugin: Plugin, contract: Path) -> None:
    """Raise ExportError where the prefix has a library of the same name that was made from another module."""
    try:
        module = json.loads(contract.read_bytes())["module"]
    except (FileNotFoundError, NotADirectoryError, ValueError, KeyError, TypeError):  # none there, or none of ours
        return
    if module != plugin.library.module:
        raise ExportError(
            f"{contract.parents[1]} has {plugin.library.name} of the module {module}, not of {plugin.library.module}; "
            f"choose another name, with --name, or another folder"
        )


def _replace(source: Path, target: Path) -> None:
    if _same(source, target):
        return
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


def report(plugin: Plugin, prefix: Path) -> str:
    """What was made, and the line that compiles against it."""
    names = [p.name for p in plugin.library.procedures]
    shown = ", ".join(names[:SHOWN]) + (", ..." if len(names) > SHOWN else "")
    how = "compiled" if plugin.compiled else "unchanged, nothing compiled"
    how += f"; not kept in the cache {plugin.trouble}" if plugin.trouble else ""
    starts = f"\nstarts with {plugin.start}" if str(plugin.start) else ""
    flags = [f"-I{prefix / 'mod'}", "main.f90", "-o", "main", f"-L{prefix / 'lib'}", *_rpath(prefix.absolute() / "lib")]
    line = shlex.join([*plugin.toolchain.fortran.command, *flags, f"-l{plugin.library.name}"])
    return f"{plugin.library.name}: {shown} ({how}){starts}\nuse {plugin.library.name}, and compile with:\n  {line}"


def _rpath(folder: Path) -> list[str]:
    commas = "," in str(folder)  # they end an argument of -Wl
    return ["-Xlinker", "-rpath", "-Xlinker", str(folder)] if commas else [f"-Wl,-rpath,{folder}"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Entry point of ``python -m py2f.export``."""
    from py2f.cli import guarded

    parser = argparse.ArgumentParser(prog="python -m py2f.export", description=__doc__)
    add_arguments(parser)
    return guarded(run, parser.parse_args(arguments))


if __name__ == "__main__":
    raise SystemExit(main())
