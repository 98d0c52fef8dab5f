"""``py2f selftest``: programs with known output, compiled by your compiler with your flags, and run as your jobs are."""

from __future__ import annotations

import difflib
import importlib.resources
import json
import os
import platform
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from py2f.errors import Py2fError
from py2f.export import flags_of
from py2f.settings import Settings
from py2f.toolchain.compilers import find_toolchain

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

PATIENCE = 300.0
"""Seconds for each step of a program: to export, to compile, to run."""


@dataclass(frozen=True)
class Outcome:
    """What became of one program."""

    name: str
    passed: bool
    seconds: float
    trouble: str = ""  # which step failed, and all that it said


@dataclass(frozen=True)
class _Step:
    """A command of a test."""

    name: str
    command: Sequence[str]

    def run(self, folder: Path) -> str:
        """What it prints to standard output. Raises Py2fError with all that it says."""
        try:
            done = subprocess.run(
                self.command,
                cwd=folder,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=PATIENCE,
                check=False,
            )
        except OSError as error:
            raise Py2fError(f"{self.name}: {self.command[0]}: {error.strerror}") from None
        except subprocess.TimeoutExpired:
            raise Py2fError(f"{self.name}: not done after {PATIENCE:.0f} s") from None
        if done.returncode:
            raise Py2fError(f"{self.name}: status {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--fc", help="the Fortran compiler; default: $FC, else gfortran, else flang")
    parser.add_argument("--fflags", default="", help="flags for it, as one argument")
    parser.add_argument("--launcher", default="", help='what starts a program on your machine, as one argument: "mpirun -n 1"')
    parser.add_argument("--case", action="append", metavar="NAME", help="only this program; may be repeated")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)), help="programs at a time; default: one a core")
    parser.add_argument("-o", "--output", type=Path, default=Path("selftest.json"), metavar="FILE", help="default: selftest.json")
    parser.set_defaults(run=run, module="")


def run(options: argparse.Namespace) -> int:
    """Test, say how each program fared, write it down."""
    fflags, launcher = flags_of(options.fflags), flags_of(options.launcher, "--launcher")
    toolchain = find_toolchain(Settings.read(fc=options.fc, fflags=fflags))
    compiler = toolchain.fortran.command
    with importlib.resources.as_file(importlib.resources.files("py2f") / "golden") as golden:
        cases = _chosen(sorted(path.name for path in golden.iterdir() if (path / "main.f90").is_file()), options.case)
        begin = time.monotonic()
        with ThreadPoolExecutor(options.jobs) as pool:
            tests = [pool.submit(_tested, golden / case, compiler, fflags, launcher) for case in cases]
            outcomes = [_told(test.result()) for test in tests]
    found: dict[str, Any] = {
        "passed": all(outcome.passed for outcome in outcomes),
        "compiler": _named(toolchain.fortran.identity),
        "command": list(compiler),
        "fflags": list(fflags),
        "launcher": list(launcher),
        "py2f": version("py2f"),
        "python": platform.python_version(),
        "numpy": version("numpy"),
        "machine": f"{platform.system()} {platform.machine()}",
        "seconds": round(time.monotonic() - begin, 1),
        "cases": [asdict(outcome) for outcome in outcomes],
    }
    try:
        options.output.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        raise Py2fError(f"cannot write {options.output}: {error.strerror}") from None
    count = sum(outcome.passed for outcome in outcomes)
    print(f"{count} of {len(outcomes)} programs passed in {found['seconds']:.0f} s; {options.output} has the details")
    return 0 if found["passed"] else 1


def _named(identity: str) -> str:
    """The line with the version, of all that a compiler says of itself."""
    return next((line for line in identity.splitlines() if re.search(r"\bversion \d", line)), identity.strip())


def _chosen(known: list[str], wanted: list[str] | None) -> list[str]:
    unknown = [name for name in wanted or () if name not in known]
    if unknown:
        raise Py2fError(f"--case {unknown[0]}: there is no such program; there are {', '.join(known)}")
    return wanted or known


def _tested(case: Path, compiler: Sequence[str], fflags: Sequence[str], launcher: Sequence[str]) -> Outcome:
    begin, trouble = time.monotonic(), ""
    with tempfile.TemporaryDirectory(prefix=f"py2f-selftest-{case.name}-") as name:
        folder = Path(name)
        for file in filter(Path.is_file, case.iterdir()):
            shutil.copyfile(file, folder / file.name)
        try:
            _steps(folder, compiler, fflags, launcher)
        except Py2fError as error:
            trouble = str(error)
    return Outcome(case.name, not trouble, round(time.monotonic() - begin, 2), trouble)


def _steps(folder: Path, compiler: Sequence[str], fflags: Sequence[str], launcher: Sequence[str]) -> None:
    """As a user does it: export, compile, run, look."""
    export = [sys.executable, "-m", "py2f.export", "model", "-o", "build", "--json", "--fc", shlex.join(compiler)]
    said = json.loads(_Step("export", [*export, f"--fflags={shlex.join(fflags)}"]).run(folder))
    (compiled,) = said["commands"]
    _Step("compile", [*compiled, *fflags]).run(folder)
    printed = _Step("run", [*launcher, str(folder / "main")]).run(folder)
    expected = (folder / "expected.txt").read_text(encoding="utf-8")
    if printed != expected:
        lines = difflib.unified_diff(expected.splitlines(), printed.splitlines(), "expected", "printed", lineterm="", n=0)
        raise Py2fError("run: other output than expected\n" + "\n".join(lines))


def _told(outcome: Outcome) -> Outcome:
    print(f"{'ok    ' if outcome.passed else 'FAILED'} {outcome.name} ({outcome.seconds:.1f} s)", flush=True)
    if outcome.trouble:
        print("".join(f"  {line}\n" for line in outcome.trouble.splitlines()), end="")
    return outcome
