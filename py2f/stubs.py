"""``python -m py2f.stubs physics.f90 -o physics.py``: write typed stubs for what Fortran sources declare."""

from __future__ import annotations

import argparse
import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from py2f.cli import guarded
from py2f.errors import SourceError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from py2f.fortran.declared import Source


def run(options: argparse.Namespace) -> int:
    """Read, and print or write."""
    from py2f.emit.stubs import stub_text
    from py2f.fortran.reader import read

    source = read(options.sources, fixed=options.fixed or None)
    if options.module:
        source = _only(source, options.module.lower(), options.sources[0])
    folder = Path(options.output).parent if options.output else Path()
    text = stub_text(source, paths=[Path(os.path.relpath(path, folder)).as_posix() for path in options.sources])
    if options.output:
        _write(Path(options.output), text)
    else:
        print(text, end="")
    return 0


def _only(source: Source, name: str, path: Path) -> Source:
    chosen = tuple(module for module in source.modules if module.name == name)
    if not chosen:
        known = ", ".join(module.name for module in source.modules) or "none"
        raise SourceError(path, 0, f"there is no module '{name}' in the given sources, which have: {known}")
    return replace(source, modules=chosen, externals=())


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise SourceError(path, 0, f"cannot be written: {error.strerror}") from error


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what ``python -m py2f.stubs`` takes."""
    parser.add_argument("sources", nargs="+", type=Path, metavar="SOURCE", help="Fortran sources; modules of one may use others")
    parser.add_argument("-o", "--output", help="the Python module to write; default: print it")
    parser.add_argument("--module", help="only what is in this Fortran module")
    parser.add_argument("--fixed", action="store_true", help="the sources are in fixed form, whatever their suffixes say")


def main(arguments: Sequence[str] | None = None) -> int:
    """Entry point of ``python -m py2f.stubs``."""
    parser = argparse.ArgumentParser(prog="python -m py2f.stubs", description="Write typed stubs for Fortran sources.")
    add_arguments(parser)
    return guarded(run, parser.parse_args(arguments))


if __name__ == "__main__":
    raise SystemExit(main())
