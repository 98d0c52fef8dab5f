"""Question: what does a call of a native function cost, against a call of C that does nothing?

Method. That of call.py, with two variants in one Fortran program: the empty functions of exported.py as machine code
(native_functions.py), and empty C in another shared library. Both sides are handed the same arrays; to C they go as address
and two extents, so that it learns nothing of strides and of memory that is not allocated. Compared are medians.

    python benchmarks/native.py [--rounds N] [--fc gfortran] [--callgrind]
"""  # noqa: D400 -- a question

import argparse
import shutil
import statistics
import tempfile
from collections.abc import Iterator
from pathlib import Path

import bench_venv
import call
import call_fortran
from bench_venv import HERE, run
from budget import NUMPY
from call_fortran import EMPTY, Variant
from call_libraries import Program

NATIVE = Variant("native", "native_functions_py", "stat", "0", None)
GOAL = 2.0
NUMBA = "numba==0.68.1"


class NativeProgram(Program):
    """The executable that calls both."""

    def __init__(self, compiler: str, python: Path, folder: Path) -> None:
        """Say what is to be built."""
        super().__init__(compiler, None)
        self.variants = (NATIVE, EMPTY)
        self.python, self.folder, self.path = python, folder, folder / "alternate"

    def make(self) -> None:
        """Export and link."""
        for name in ("exported.py", "native_functions.py"):
            shutil.copy(HERE / name, self.folder)
        options = ("native_functions", "-o", self.folder / "py2f")
        run(self.python, "-m", "py2f.export", *options, cwd=self.folder, FC=self.compiler, PYTHONSAFEPATH="1")
        self._link()

    def _fortran(self) -> Iterator[Path]:
        yield self.folder / f"{EMPTY.module}.f90"
        yield self.folder / "cases.f90"
        yield HERE / "alternate.f90"

    def _libraries(self) -> Iterator[str]:
        for name, folder in {NATIVE.module: self.folder / "py2f/lib", "empty": self.folder}.items():
            yield from (f"-L{folder}", f"-l{name}", f"-Wl,-rpath,{folder}")


def table(costs: call.Costs, *, judged: bool) -> str:
    """Return the rows, and whether the goal, which is one of time, is met in each."""
    lines = ["row  call".ljust(32) + "native".rjust(10) + "empty".rjust(10) + "native/empty".rjust(14)]
    for row in (row for row in call_fortran.ROWS if f"native:{row.name}" in costs):
        ratio = costs[f"native:{row.name}"] / costs[f"empty:{row.name}"]
        figures = "".join(f"{costs[f'{variant}:{row.name}']:10.2f}" for variant in ("native", "empty"))
        verdict = f"  goal <= {GOAL:g}: {'met' if ratio <= GOAL else 'NOT MET'}" if judged else ""
        lines.append(f"{row.name:<5}{row.title:<27}{figures}{ratio:14.2f}{verdict}")
    return "\n".join(lines)


def main() -> None:
    """Build, check, measure, print."""
    parser = argparse.ArgumentParser(description="What does a call of a native function cost?")
    parser.add_argument("--rounds", type=int, default=200, help="of each of the three runs (200)")
    parser.add_argument("--fc", default="gfortran", metavar="COMPILER", help="the Fortran compiler (gfortran)")
    parser.add_argument("--callgrind", action="store_true", help="also count instructions a call")
    given = parser.parse_args()
    venv = bench_venv.BENCH / "native"
    bench_venv.prepare((NUMPY, NUMBA), bench_venv.ROOT, venv)
    with tempfile.TemporaryDirectory() as folder:
        program = NativeProgram(given.fc, bench_venv.python_of(venv), Path(folder))
        program.make()
        call.check(program)
        compiler = run(given.fc, "--version").splitlines()[0]
        print(f"What does a call of a native function cost?\n{call.machine()}; {compiler}, {NUMBA}")
        runs = call.timings(program, given.rounds)
        total = {case: statistics.median([ns for each in runs for ns in each[case]]) for case in runs[0]}
        print(f"\nns a call, medians of {call.RUNS} x {given.rounds} blocks\n{table(total, judged=True)}")
        if given.callgrind:
            print(
                f"\ninstructions a call, callgrind, {call.COUNTED_CALLS} calls\n{table(call.instructions(program), judged=False)}"
            )


if __name__ == "__main__":
    main()
