"""Question: what does a call cost with this Python or that?

Method. One executable, py2f's side of call.py alone, built once with the Python that runs this file; PY2F_PYTHON has it
start another. Each Python has an environment with its own build of py2f's runtime, and the newest NumPy there is for it.
The executable runs with each Python in turn, three times; compared are medians over all rounds.

    python benchmarks/pythons.py [--rounds N] [--pythons FILE...] [--fc gfortran]
"""  # noqa: D400 -- a question

import argparse
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import bench_venv
from bench_venv import BENCH, python_of, run
from budget import build
from call import RUNS, cell, machine
from call_fortran import ROWS

MINORS = range(10, 15)


def found_here() -> list[str]:
    """Return the Pythons on PATH and pyenv's, one for each minor version."""
    roots = (Path(sys.base_prefix).parent, Path("~/.pyenv/versions").expanduser())
    named = {minor: shutil.which(f"python3.{minor}") for minor in MINORS}
    kept = {minor: next((p for r in roots for p in sorted(r.glob(f"3.{minor}.*/bin/python"))), None) for minor in MINORS}
    return [str(kept[minor] or named[minor]) for minor in MINORS if kept[minor] or named[minor]]


def environment_of(python: str) -> Path:
    """Make the environment of an interpreter; return its Python."""
    version = run(python, "-c", "import platform; print(platform.python_version())").strip()
    venv = BENCH / "pythons" / version
    if not python_of(venv).exists():
        run(python, "-m", "venv", venv)
    sources = [bench_venv.ROOT / name for name in ("pyproject.toml", "meson.build", "py2f")]
    bench_venv.once(
        venv / "py2f.key", bench_venv.digest(python, *sources), lambda: bench_venv.pip_install(bench_venv.ROOT, venv=venv)
    )
    return python_of(venv)


def timings(program: Path, python: Path, rounds: int) -> dict[str, list[float]]:
    """Return the ns/call of each round of each row."""
    command = [str(program), "time", str(rounds)]
    done = subprocess.run(command, env={"PY2F_PYTHON": str(python)}, stdout=subprocess.PIPE, text=True, check=True)
    lines = [line.split() for line in done.stdout.splitlines()]
    return {words[0].removeprefix("py2f:"): [float(word) for word in words[1:]] for words in lines}


def main() -> None:
    """Build, measure, print."""
    parser = argparse.ArgumentParser(description="What does a call cost with this Python or that?")
    parser.add_argument("--rounds", type=int, default=60, help="of each of the three runs (60)")
    parser.add_argument("--pythons", nargs="+", default=found_here(), metavar="FILE", help="default: those on PATH and pyenv's")
    parser.add_argument("--fc", default="gfortran", metavar="COMPILER", help="the Fortran compiler (gfortran)")
    given = parser.parse_args()
    pythons = [environment_of(python) for python in given.pythons]
    with tempfile.TemporaryDirectory() as folder:
        program = build(pythons[0], Path(folder), given.fc)
        runs = [{python: timings(program, python, given.rounds) for python in pythons} for _ in range(RUNS)]
    found = {p: {row.name: statistics.median([ns for r in runs for ns in r[p][row.name]]) for row in ROWS} for p in pythons}
    versions = {python: bench_venv.versions("numpy", venv=python.parent.parent) for python in pythons}
    print(f"What does a call cost with this Python or that?\n{machine()}; {run(given.fc, '--version').splitlines()[0]}\n")
    print("ns a call, one executable".ljust(32) + "".join(versions[p]["Python"].rjust(10) for p in pythons))
    print("with NumPy".ljust(32) + "".join(versions[p]["numpy"].rjust(10) for p in pythons))
    for row in ROWS:
        print(f"{row.name:<5}{row.title:<27}" + "".join(cell(found[p][row.name], 10) for p in pythons))


if __name__ == "__main__":
    main()
