"""The command ``py2f``, and the one place where errors become messages and exit statuses."""

from __future__ import annotations

import argparse
import io
import os
import sys
from typing import TYPE_CHECKING, Any

from py2f import aside
from py2f.errors import Py2fError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def guarded(command: Callable[[argparse.Namespace], int], options: argparse.Namespace) -> int:
    """Run a command; what is the user's to mend is said in a line. What their module raises at import passes."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # an umlaut is no reason to fail where there is ASCII only
            stream.reconfigure(errors="backslashreplace")
    try:
        with aside.command():
            status = command(options)
        print(end="", flush=True)
    except BrokenPipeError:  # `| head` has seen enough; what Python flushes at its end goes nowhere
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except Py2fError as error:
        print(f"py2f: {error}", file=sys.stderr)
    except ModuleNotFoundError as error:
        modules = [options.module] if isinstance(options.module, str) else options.module
        asked = next((m for m in modules if error.name and f"{m}.".startswith(f"{error.name}.")), None)
        if asked is None:
            raise
        name = asked.removesuffix(".py").strip("/").replace("/", ".")
        hint = f" (a module is named as in `import {name}`)" if name != asked else ""
        print(f"py2f: there is no module {error.name}{hint}; looked in {', '.join(filter(None, sys.path))}", file=sys.stderr)
    else:
        return status
    return int(getattr(options, "failed", 1))


SHOWN = {"fortran": ".f90", "c": ".c", "json": ".json", "header": ".h", "host": "_host.f90", "cmake": "", "meson": ""}
"""How the files are called that `py2f show` prints, behind the name of the library."""
FILES = {"cmake": "CMakeLists.txt", "meson": "meson.build"}


def show(options: argparse.Namespace) -> int:
    """Print what would be generated."""
    from py2f.decorators.libraries import library
    from py2f.errors import ExportError
    from py2f.export import search_here
    from py2f.pipeline import texts

    search_here()
    made = library(options.module, options.name, options.without)
    shown = texts(made).get(f"{made.name}{SHOWN[options.what]}" if SHOWN[options.what] else FILES[options.what])
    if shown is None:
        raise ExportError(f"{made.name} calls no procedure of the host, and none that is an argument: it has no second module")
    print(shown, end="")
    return 0


def prebuild(options: argparse.Namespace) -> int:
    """Fill the cache."""
    from py2f.export import search_here
    from py2f.prebuilding import prebuild as fill

    search_here()
    print(
        "in the cache:",
        ", ".join(fill(options.modules, without=options.without)) or "nothing: these modules export and call nothing",
    )
    return 0


def _add_cache(commands: Any) -> None:
    from py2f.cache import commands as cache
    from py2f.cache import pack

    builder = commands.add_parser("prebuild", help="build what modules export and call, ahead of a job")
    builder.add_argument("modules", nargs="+", metavar="MODULE", help="the Python modules, as in `import MODULE`")
    builder.add_argument(
        "--without", action="append", default=[], metavar="MODULE", help="a module of a package that is left out"
    )
    builder.set_defaults(run=prebuild, module="")
    cache.add_arguments(commands.add_parser("cache", help="look at the cache, and make room in it"))
    pack.add_arguments(
        commands.add_parser("pack", help="put the environment and a package into an archive"),
        commands.add_parser("stage", help="unpack it once on this node, and say which variables lead there"),
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Entry point of the command ``py2f``."""
    from py2f import config, diff, export, running, selftest, warm

    words, rest = running.split(sys.argv[1:] if arguments is None else list(arguments))
    parser = argparse.ArgumentParser(prog="py2f", description="Call Python functions from Fortran.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    exporter = commands.add_parser("export", help="put all that a Fortran program needs of a module into a folder")
    export.add_arguments(exporter)
    exporter.set_defaults(run=export.run)
    shower = commands.add_parser("show", help="print what is generated for a module")
    shower.add_argument("module", nargs="+", metavar="MODULE", help="a Python module, as in `import MODULE`; several need --name")
    shower.add_argument("--name", help="name of the library and of the Fortran module")
    shower.add_argument("--without", action="append", default=[], metavar="MODULE", help="a module of a package that is left out")
    shower.add_argument("--what", choices=tuple(SHOWN), default="fortran", help="default: fortran")
    shower.set_defaults(run=show)
    warmer = commands.add_parser("warm", help="let GT4Py compile the programs that a function runs, into the cache of an export")
    warm.add_arguments(warmer)
    warmer.set_defaults(run=warm.run)
    config.add_arguments(commands.add_parser("config", help="print every setting, its value, and who says so"))
    _add_cache(commands)
    running.add_arguments(
        commands.add_parser("run", help="compile a program, and run it", epilog="-- ARGUMENT...: of the program")
    )
    diff.add_arguments(commands.add_parser("diff", help="compare two contracts; status 0: same, 1: compatible, 2: breaking"))
    selftest.add_arguments(commands.add_parser("selftest", help="try programs with known output with your compiler"))
    options = parser.parse_args(words)
    options.arguments = rest
    return guarded(options.run, options)


if __name__ == "__main__":
    raise SystemExit(main())
