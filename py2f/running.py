"""``py2f run main.f90 --with heat``: export into the cache, compile a program somewhere, run it."""

from __future__ import annotations

import contextlib
import shlex
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from py2f.errors import Py2fError
from py2f.export import flags_of, search_here
from py2f.pipeline import build
from py2f.report import linked
from py2f.settings import Settings

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator, Sequence

    from py2f.pipeline import Plugin

ENDING = (signal.SIGTERM, signal.SIGHUP)
"""What ``timeout``, batch systems and terminals that are closed send."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments; what stands behind ``--`` is the program's."""
    parser.add_argument("sources", nargs="+", type=Path, metavar="SOURCE", help="Fortran sources, in the order of compilation")
    parser.add_argument(
        "--with", dest="module", action="append", required=True, metavar="MODULE", help="a module that is used; may be repeated"
    )
    parser.add_argument("--fc", help="the Fortran compiler; default: $FC, else gfortran, else flang")
    parser.add_argument("--fflags", default="", help="flags for it, as one argument; also what is linked with")
    parser.set_defaults(run=run, arguments=[])


def split(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """The words of a command line, and the program's, where the command runs one."""
    end = words.index("--") if list(words[:1]) == ["run"] and "--" in words else len(words)
    return list(words[:end]), list(words[end + 1 :])


def run(options: argparse.Namespace) -> int:
    """The exit status of the program; 128 and more: a signal has ended it, as a shell says it."""
    search_here()
    missing = [source for source in options.sources if not source.is_file()]
    if missing:
        raise Py2fError(f"there is no file {missing[0]}")
    flags = flags_of(options.fflags)
    settings = Settings.read(fc=options.fc, fflags=flags)
    plugins = [build(module, settings=settings) for module in dict.fromkeys(options.module)]
    _refuse_two(plugins)
    with _leaving_nothing_behind(), tempfile.TemporaryDirectory(prefix="py2f-run-") as folder:
        program = _compiled(options.sources, plugins, flags, Path(folder))
        sys.stdout.flush()
        return _run([str(program), *options.arguments])


def _refuse_two(plugins: Sequence[Plugin]) -> None:
    """Raise Py2fError for two modules of one Fortran name: a compiler takes the first that it finds."""
    first: dict[str, str] = {}
    for library in (plugin.library for plugin in plugins):
        for name, module in [(library.name, library.origin), *((part.name, part.module) for part in library.parts)]:
            other = first.setdefault(name.lower(), module)
            if other != module:
                mend = "export one of them with --name, and compile by hand"
                raise Py2fError(f"{other} and {module} are both {name} in Fortran: {mend}")


def _compiled(sources: Sequence[Path], plugins: Sequence[Plugin], flags: Sequence[str], folder: Path) -> Path:
    """Compile in a folder, where module files of the program go as well; what is said goes to standard error."""
    program = folder / "main"
    includes = [*(f"-I{plugin.prefix}/mod" for plugin in plugins), *{f"-I{source.absolute().parent}": None for source in sources}]
    libraries = [word for p in plugins for word in linked(p.path.parent, p.library.name)]
    files = [str(source.absolute()) for source in sources]
    command = [*plugins[0].toolchain.fortran.command, *includes, *files, "-o", str(program), *flags, *libraries]
    done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=sys.stderr.fileno(), check=False)
    if done.returncode:
        raise Py2fError(f"{shlex.join(command)} ended with status {done.returncode}")
    return program


@contextlib.contextmanager
def _leaving_nothing_behind() -> Iterator[None]:
    """Remove our folder, too, when somebody ends us; restores what was done with signals before."""
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, *ENDING)}
    _handle(lambda number, _: sys.exit(128 + number))
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _handle(handler: Callable[[int, object], object]) -> None:
    for number in ENDING:
        if signal.getsignal(number) != signal.SIG_IGN:  # as under nohup
            signal.signal(number, handler)


def _run(command: Sequence[str]) -> int:
    """Start a program and wait for what it makes of signals: Ctrl-C it gets by itself, others from us."""
    signal.signal(signal.SIGINT, lambda *_: None)  # not SIG_IGN, which the program would inherit
    with subprocess.Popen(command) as child:
        _handle(lambda number, _: child.send_signal(number))
        status = child.wait()
    return 128 - status if status < 0 else status
