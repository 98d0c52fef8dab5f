"""Question: what does it cost to begin: an import, an export, the first call?

Method. Whole processes, from start to end, all kinds in turn, many rounds; compared are medians. An export is measured cold
(an empty cache) and warm, of modules of 1, 50 and 1000 functions with three arrays and two numbers each. The first call is a
Fortran program that makes one call; what it is made of is told by processes of Python that do a part of it. The peers'
programs make theirs: py2fgen, and cffi's embedding mode. Reading from
disk is not in it: every file has just been read.

    python benchmarks/first.py [--rounds N] [--functions 1 50 1000]
"""  # noqa: D400 -- a question

import argparse
import os
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import bench_venv
from bench_venv import run
from budget import NUMPY
from call import PEERS, machine
from call_fortran import CFFI, PEER
from call_libraries import Program

FUNCTION = '''
@export_to_fortran
def step_{k}(a: f64[:, :], b: InOut[f64[:, :]], c: InOut[f64[:]], x: f64, n: i32) -> None:
    """Do nothing."""
'''
MAIN = """
program main
  use functions_1_py, only: step_0
  implicit none
  double precision :: a(2, 3), b(2, 3), c(4)
  a = 0; b = 0; c = 0
  call step_0(a, b, c, 1d0, 1)
end program main
"""
Milliseconds = dict[str, float]


def seconds(*command: str | Path, folder: Path, **environment: str) -> float:
    """Return what a command takes."""
    before = time.perf_counter()
    subprocess.run([str(word) for word in command], cwd=folder, env=environment, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - before


def medians(kinds: Mapping[str, Callable[[], float]], rounds: int) -> Milliseconds:
    """Measure all kinds in turn."""
    found: dict[str, list[float]] = {name: [] for name in kinds}
    for _ in range(rounds):
        for name, measure in kinds.items():
            found[name].append(1000 * measure())
    return {name: statistics.median(each) for name, each in found.items()}


def exports(python: Path, folder: Path, functions: Iterable[int], rounds: int) -> Milliseconds:
    """Return what exports take, cold and warm."""
    commands = {}
    for n in functions:
        module = f"functions_{n}"
        text = "from py2f import InOut, export_to_fortran, f64, i32\n" + "".join(FUNCTION.format(k=k) for k in range(n))
        (folder / f"{module}.py").write_text(text)
        commands[n] = (python, "-m", "py2f.export", module, "-o", folder / "prefix")
    times: dict[str, list[float]] = {f"{kind}, {n}": [] for n in commands for kind in ("cold", "warm")}
    for r in range(rounds):
        for n, command in commands.items():
            if r <= 200 // (n + 99):  # a thousand functions once, fifty twice, one three times
                environment = {"PATH": os.environ["PATH"], "PY2F_CACHE_DIR": str(folder / f"cache_{n}_{r}")}
                for kind in ("cold", "warm"):
                    times[f"{kind}, {n}"].append(1000 * seconds(*command, folder=folder, **environment))
    return {f"{what} functions exported": statistics.median(each) for what, each in times.items()}


def beginnings(python: Path, folder: Path, rounds: int) -> Milliseconds:
    """Return what a first call takes, and processes that do a part of it."""
    (folder / "main.f90").write_text(MAIN)
    prefix = folder / "prefix"
    linked = (f"-L{prefix}/lib", f"-Wl,-rpath,{prefix}/lib", "-lfunctions_1_py")
    run("gfortran", "-I", prefix / "mod", "main.f90", *linked, "-o", "main", cwd=folder)

    def python_does(text: str) -> Callable[[], float]:
        return lambda: seconds(python, "-c", text, folder=folder)

    callers = Program("gfortran", None)
    callers.build(bench_venv.prepare(PEERS, bench_venv.ROOT))
    tools = {"PATH": str(bench_venv.VENV / "bin")}  # the peer and cffi take the Python that they find there
    others = {f"... by {variant.name}": callers.beginning(variant) for variant in (PEER, CFFI)}
    kinds = {
        "Python starts": python_does("pass"),
        "... and imports NumPy": python_does("import numpy"),
        "... and py2f": python_does("import numpy, py2f"),
        "... and the module": python_does("import numpy, py2f, functions_1"),
        "Fortran makes its first call": lambda: seconds(folder / "main", folder=folder),
    }
    kinds |= {what: (lambda program=program: seconds(program, folder=folder, **tools)) for what, program in others.items()}
    return medians(kinds, rounds)


def goals(found: Milliseconds) -> Iterable[str]:
    """Yield how the goals stand."""
    limits = {
        "import py2f over NumPy <= 30 ms": (found["... and py2f"] - found["... and imports NumPy"], 30.0),
        "cold export of one function <= 2000 ms": (found.get("cold, 1 functions exported", 0.0), 2000.0),
        "cold export of 50 functions <= 1.5 x that": (
            found.get("cold, 50 functions exported", 0.0),
            1.5 * found.get("cold, 1 functions exported", 0.0),
        ),
        "warm export <= 1.3 x import of the module + 50 ms": (
            found["warm, 1 functions exported"],
            1.3 * found["... and the module"] + 50,
        ),
    }
    for name, (value, limit) in limits.items():
        standing = "not measured" if not value else "met" if value <= limit else "NOT MET"
        yield f"goal {name}: {standing}, {value:.0f} of {limit:.0f}"
    ours, peer, cffi = (found[what] for what in ("Fortran makes its first call", "... by peer", "... by cffi"))
    yield f"goal a first call sooner than that of peer: {'met' if peer > ours else 'NOT MET'}, {peer / ours:.2f} times"
    yield f"cffi, which checks nothing and imports NumPy alone: {cffi / ours:.2f} times"


def main() -> None:
    """Measure, print."""
    parser = argparse.ArgumentParser(description="What does it cost to begin: an import, an export, the first call?")
    parser.add_argument("--rounds", type=int, default=15, help="of each kind (15)")
    parser.add_argument("--functions", type=int, nargs="*", default=[1, 50, 1000], help="exported at once; 1 must be among them")
    given = parser.parse_args()
    if 1 not in given.functions:
        parser.error("--functions: 1 must be among them, it makes the first call")
    venv = bench_venv.BENCH / "budget"
    bench_venv.prepare((NUMPY,), bench_venv.ROOT, venv)
    python = bench_venv.python_of(venv)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        found = exports(python, folder, sorted(given.functions, reverse=True), given.rounds)  # 1 last: its prefix is called
        found |= beginnings(python, folder, given.rounds)
        sizes = {file.name: file.stat().st_size / 1024 for file in (folder / "prefix/lib").iterdir() if file.is_file()}
    print(f"What does it cost to begin: an import, an export, the first call?\n{machine()}\n")
    print("\n".join(f"{value:9.0f} ms  {what}" for what, value in found.items()))
    print("\n".join(f"{size:9.0f} KiB {library}" for library, size in sorted(sizes.items()) if ".so" in library))
    print("\n".join(goals(found)))


if __name__ == "__main__":
    main()
