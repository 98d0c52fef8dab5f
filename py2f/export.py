"""``python -m py2f.export MODULE -o DIR``: put all that a Fortran program needs of a module, or of a package, into a folder."""

from __future__ import annotations

import argparse
import json
import shlex
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from py2f.delivered import deliver
from py2f.errors import ExportError
from py2f.pipeline import compiled, described, for_compilers
from py2f.prefix import compiled_with, install, lay_out_sources, library_file, outdated, refuse_other, stale
from py2f.report import Report
from py2f.settings import Settings
from py2f.start import add_start_arguments, compile_ahead, wished

if TYPE_CHECKING:
    from collections.abc import Sequence

    from py2f.pipeline import Plugin, Sources


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of an export."""
    parser.add_argument(
        "module", nargs="+", metavar="MODULE", help="a Python module or package, as in `import MODULE`; several need --name"
    )
    parser.add_argument(
        "-o", "--output", type=_folder, required=True, metavar="DIR", help="the folder that is filled: lib, mod, include, src"
    )
    parser.add_argument("--name", help="name of the library and of the Fortran module; default: <last part of MODULE>_py")
    parser.add_argument(
        "--without", action="append", default=[], metavar="MODULE", help="a module of a package that is left out; may be repeated"
    )
    parser.add_argument("--fc", help="the Fortran compiler; default: $FC, else gfortran, else flang")
    parser.add_argument("--fflags", default="", help="flags for the Fortran compiler, as one argument")
    parser.add_argument("--no-compile", dest="compile", action="store_false", help="write sources only, for any compilers")
    parser.add_argument(
        "--check", action="store_true", help="write nothing; status 1 if the folder is out of date, and say where"
    )
    parser.add_argument("--json", action="store_true", help="print the report as JSON")
    parser.add_argument(
        "-MF", dest="depfile", type=Path, metavar="FILE", help="write what the export depends on, for make or ninja"
    )
    parser.add_argument("-MT", dest="target", metavar="TARGET", help="what is made, in that file; default: the library")
    add_start_arguments(parser)


def run(options: argparse.Namespace) -> int:
    """Export, and say how to compile against the result; or compare."""
    search_here()
    settings = Settings.read(fc=options.fc, fflags=flags_of(options.fflags))
    wanted = described(options.module, name=options.name, settings=settings, start=wished(options), without=options.without)
    with tempfile.TemporaryDirectory(prefix="py2f-export-") as folder:
        export = _check if options.check else _export
        return export(options, wanted, settings, Path(folder))


def _export(options: argparse.Namespace, wanted: Sources, settings: Settings, folder: Path) -> int:
    plugin = compiled(wanted, settings) if options.compile else None
    try:
        folders = _parts(wanted, settings, folder, plugin)
        written = install(wanted.library, folders, options.output.absolute())
        if options.depfile:
            from py2f.depfile import depfile_text

            options.depfile.parent.mkdir(parents=True, exist_ok=True)
            options.depfile.write_text(depfile_text(options.target or _target(options, wanted), wanted), encoding="utf-8")
    except OSError as error:
        raise ExportError(f"cannot write {error.filename2 or error.filename or options.output}: {error.strerror}") from error
    if wanted.start.optimize:
        compile_ahead(wanted.start.optimize)
    report = Report(wanted, plugin, options.output, tuple(written), settings.fc, tuple(options.without))
    print(report.json() if options.json else report)
    return 0


def _check(options: argparse.Namespace, wanted: Sources, settings: Settings, folder: Path) -> int:
    prefix, library = options.output.absolute(), wanted.library
    refuse_other(library, prefix)
    parts = _parts(wanted, settings, folder, None, deliver_too=options.compile)
    old = [file for part in parts for file in stale(library, part, prefix)]
    if options.compile:
        _, toolchain, key = for_compilers(wanted, settings)
        release = toolchain.fortran.release
        old += [] if compiled_with(library, release, prefix) == key.digest else [f"lib/{release}/{library_file(library)}"]
    old += outdated(library, prefix)
    if options.json:
        print(json.dumps({"library": library.name, "up_to_date": not old, "stale": old}, indent=2))
    else:
        print(f"{library.name}: {'out of date' if old else 'up to date'} in {options.output}", *old, sep="\n  ")
    return 1 if old else 0


def _parts(wanted: Sources, settings: Settings, folder: Path, plugin: Plugin | None, *, deliver_too: bool = False) -> list[Path]:
    """The folders that the prefix consists of: an entry of the cache, or sources; and the thunks of what the modules call."""
    if plugin is None:
        lay_out_sources(wanted.library, wanted.files, folder / "sources")
    if plugin or deliver_too:
        deliver(folder / "calls", settings)
    return [plugin.prefix if plugin else folder / "sources", folder / "calls"]


def _target(options: argparse.Namespace, wanted: Sources) -> str:
    name = wanted.library.name
    return str(options.output / (f"lib/lib{name}.so" if options.compile else f"src/{name}.f90"))


def flags_of(text: str, option: str = "--fflags") -> tuple[str, ...]:
    """Words as a shell takes them. Raises ExportError."""
    try:
        return tuple(shlex.split(text))
    except ValueError as error:
        raise ExportError(f"{option} {text!r}: {error}") from None


def _folder(text: str) -> Path:
    if not text:
        raise argparse.ArgumentTypeError("the name is empty; the current folder is called .")
    return Path(text)


def search_here() -> None:
    """Find modules of the current directory, as ``python -m`` does unless PYTHONSAFEPATH is set. Raises ExportError."""
    try:
        here = str(Path.cwd())
    except FileNotFoundError:
        raise ExportError("the current folder is gone: go to one that is there") from None
    if here not in sys.path and "" not in sys.path:
        sys.path.insert(0, here)


def main(arguments: Sequence[str] | None = None) -> int:
    """Entry point of ``python -m py2f.export``."""
    from py2f.cli import guarded

    parser = argparse.ArgumentParser(prog="python -m py2f.export", description=__doc__)
    add_arguments(parser)
    return guarded(run, parser.parse_args(arguments))


if __name__ == "__main__":
    raise SystemExit(main())
