"""Question: is Python called for each block of columns, or once for all of them?

Method. A little column physics (blocks.py, twenty operations of NumPy on fields of 60 levels) over 8192 columns, in blocks
of 8 to 8192 columns that follow each other in memory, as a model's blocks do; each block lies elsewhere, so each call has
new addresses. All lengths are swept in turn, many rounds in one process; compared are medians. The same sweeps with an empty
function show what of it is the call.

    python benchmarks/columns.py [--rounds N] [--fc gfortran]
"""  # noqa: D400 -- a question

import argparse
import statistics
import subprocess
import tempfile
from pathlib import Path

import bench_venv
from bench_venv import HERE, run
from budget import NUMPY
from call import machine


def build(python: Path, folder: Path, compiler: str) -> Path:
    """Export blocks.py and link the program that sweeps; return it."""
    prefix = folder / "py2f"
    (folder / "blocks.py").write_bytes((HERE / "blocks.py").read_bytes())
    run(python, "-m", "py2f.export", "blocks", "-o", prefix, cwd=folder, FC=compiler, PYTHONSAFEPATH="1")
    linked = (f"-L{prefix}/lib", f"-Wl,-rpath,{prefix}/lib", "-lblocks_py")
    run(compiler, "-O2", "-I", prefix / "mod", HERE / "columns.f90", *linked, "-o", "columns", cwd=folder)
    return folder / "columns"


def sweeps(program: Path, rounds: int) -> dict[tuple[int, int], float]:
    """Return ns a column of (1: physics, 2: empty function) and columns a block."""
    command = [str(program), str(rounds)]
    done = subprocess.run(command, env={"OMP_NUM_THREADS": "1"}, stdout=subprocess.PIPE, text=True, check=True)
    lines = [line.split() for line in done.stdout.splitlines()]
    return {(int(what), int(n)): statistics.median(map(float, each)) for what, n, *each in lines}


def main() -> None:
    """Build, sweep, print."""
    parser = argparse.ArgumentParser(description="Is Python called for each block of columns, or once for all of them?")
    parser.add_argument("--rounds", type=int, default=40, help="sweeps of each length (40)")
    parser.add_argument("--fc", default="gfortran", metavar="COMPILER", help="the Fortran compiler (gfortran)")
    given = parser.parse_args()
    venv = bench_venv.BENCH / "budget"
    bench_venv.prepare((NUMPY,), bench_venv.ROOT, venv)
    with tempfile.TemporaryDirectory() as folder:
        found = sweeps(build(bench_venv.python_of(venv), Path(folder), given.fc), given.rounds)
    lengths = [n for what, n in found if what == 1]
    best = min(found[1, n] for n in lengths)
    print(f"Is Python called for each block of columns, or once for all of them?\n{machine()}\n")
    print("columns a block   ns a column   / best   the call alone   its share")
    for n in lengths:
        share = found[2, n] / found[1, n]
        print(f"{n:15}{found[1, n]:14.0f}{found[1, n] / best:9.2f}{found[2, n]:17.2f}{100 * share:10.1f} %")


if __name__ == "__main__":
    main()
