"""Question: what does one call from Python to Fortran cost?

Method. All rows are extension modules (ctypes: a library) in one process, with one Python and one NumPy: py2f
(fetched_stubs.py), C written by hand with all checks (fetched_glue.c, the yardstick), and the peers as they come from
PyPI. All call procedures that do next to nothing (fetched.f90; fetched_plain.f90 is the same without what f2py and
f90wrap cannot read). Each case is checked, then blocks of 0.3 ms are alternated over all cases, each round starting one
case later; the process runs three times. Compared are medians over all rounds, less the empty loop. Absolute times are
printed with machine and date and never asserted; `--callgrind` counts instructions, which repeat exactly.

Fairness. What each row checks is printed: who checks less is faster for it. cffi and ctypes always release the GIL,
f2py finds `n` by itself. Nobody but the C glue, py2f and pyccel hands over a strided array: the others copy it, cffi
and ctypes because their users have to. The callback of cffi and ctypes is `lambda x: x[0]`, since they get a pointer.

    python benchmarks/fetch.py [--rounds N] [--fc gfortran-11] [--callgrind] [--py2f CHECKOUT] [--json FILE]
"""  # noqa: D400 -- a question

import argparse
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

import bench_venv
from call import cell, machine
from fetch_rows import FOLDER, NUMPY, PYTHON, ROWS, VENV, build

COLUMNS = {
    "a": "no arguments",
    "b": "three float64",
    "c": "three arrays of 10",
    "n": "n, three arrays of n",
    "d": "strided array",
    "e": "callback",
}
GLUE, PY2F, F2PY, EMPTY = "C glue", "py2f", "f2py", "loop"
GOAL = 2.0
RUNS = 3  # each has its own address layout, hence its own luck with the caches
COUNTED_CALLS = 500
CALLBACKS = 1000  # a call of column e makes so many

Costs = Mapping[str, float]  # "py2f:c" -> ns or instructions a call


def execute(*arguments: str, under: Iterable[str] = ()) -> str:
    """Run fetch_calls.py and return its output."""
    variables = {"PATH": os.environ["PATH"], "PY2F_CACHE_DIR": str(FOLDER / "cache")}
    command = [*under, str(PYTHON), str(bench_venv.HERE / "fetch_calls.py"), str(FOLDER), *arguments]
    done = subprocess.run(command, env=variables, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(command)} ended with status {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


def net(total: Costs) -> dict[str, float]:
    """Return costs a call, without the loop; of column e a callback's."""
    less = {case: cost - total[EMPTY] for case, cost in total.items() if case != EMPTY}
    return {case: cost / CALLBACKS if case.endswith(":e") else cost for case, cost in less.items()}


def timings(rounds: int, rows: list[str]) -> list[dict[str, list[float]]]:
    """Return, for each run, the ns/call of each round of each case."""
    return [json.loads(execute("time", str(rounds), *rows)) for _ in range(RUNS)]


def instructions(rows: list[str]) -> dict[str, float]:
    """Return the instructions a call of each case, from one callgrind dump a case."""
    folder = FOLDER / "callgrind"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    options = ("--tool=callgrind", "--instr-atstart=no", f"--callgrind-out-file={folder}/out")
    execute("count", str(COUNTED_CALLS), *rows, under=("valgrind", *options))
    counted = {}
    for dump in folder.iterdir():
        text = dump.read_text(errors="replace")
        case = re.search(r"^desc: Trigger: Client Request: (\S+)", text, re.MULTILINE)
        total = re.search(r"^(?:summary|totals): (\d+)", text, re.MULTILINE)
        if case and total:
            counted[case[1].replace("_", " ")] = int(total[1]) / COUNTED_CALLS
    return net(counted) if counted else sys.exit("callgrind made no dump: is its header valgrind/callgrind.h installed?")


def table(costs: Costs, rows: Iterable[str]) -> str:
    """Return the figures, and in brackets their ratios to the C glue."""
    lines = [" " * 9 + "".join(f"{name}: {title}"[:23].rjust(24) for name, title in COLUMNS.items())]
    for row in rows:
        figures = []
        for column in COLUMNS:
            cost, glue = costs.get(f"{row}:{column}"), costs[f"{GLUE}:{column}"]
            figures.append(f"{cell(cost, 1)} ({cost / glue:.2f})" if cost else "-")
        lines.append(f"{row:<9}" + "".join(figure.rjust(24) for figure in figures))
    return "\n".join(lines)


def within(costs: Costs, runs: Iterable[Costs]) -> Iterable[str]:
    """Yield how py2f stands beside the C glue, with the range of the runs: what is within the noise is to be seen as such."""
    for column, title in COLUMNS.items():
        found, *each = (c[f"{PY2F}:{column}"] / c[f"{GLUE}:{column}"] for c in (costs, *runs))
        standing = f"{'met' if found <= GOAL else 'NOT MET'}, {found:.2f} (runs {min(each):.2f} to {max(each):.2f})"
        yield f"goal {column} ({title}), {PY2F}/{GLUE} <= {GOAL:g}: {standing}"


def ahead(costs: Costs, peers: Iterable[str]) -> Iterable[str]:
    """Yield how py2f stands beside each peer, in each column."""
    for peer in peers:
        times = {c: costs[f"{peer}:{c}"] / costs[f"{PY2F}:{c}"] for c in COLUMNS if f"{peer}:{c}" in costs}
        behind = [f"{column} {1 / value:.2f}" for column, value in times.items() if value <= 1]
        shown = ", ".join(f"{column} {value:.2g}" for column, value in times.items())
        standing = f"NOT MET in {', '.join(behind)}" if behind else "met"
        yield f"goal ahead of {peer} in every column: {standing} ({peer}/{PY2F}: {shown})"


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="What does one call from Python to Fortran cost?")
    parser.add_argument("--py2f", type=Path, default=bench_venv.ROOT, metavar="CHECKOUT", help="whose py2f (this one)")
    parser.add_argument("--rounds", type=int, default=200, help="of each of the three runs (200)")
    parser.add_argument("--fc", default="gfortran", metavar="COMPILER", help="the Fortran compiler (gfortran)")
    parser.add_argument("--callgrind", action="store_true", help="also count instructions a call")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures there")
    given = parser.parse_args()
    if "gfortran" not in given.fc or not shutil.which(given.fc):
        parser.error(f"--fc {given.fc}: a gfortran is needed, on PATH: gcc compiles the glue, with the descriptors of both")
    if given.callgrind and not shutil.which("valgrind"):
        parser.error("--callgrind needs valgrind, which is not on PATH")
    return given


def main() -> None:
    """Build, check, measure, print."""
    given = arguments()
    missing = build(bench_venv.prepare((NUMPY,), given.py2f.resolve(), VENV), given.fc)
    rows = [row.name for row in ROWS if row.name not in missing]
    found = bench_venv.versions("numpy", "cffi", "py2f", *(name for name in ("pyccel", "f90wrap") if name in rows), venv=VENV)
    print(f"What does one call from Python to Fortran cost?\n{machine()}")
    print(f"{bench_venv.run(given.fc, '--version').splitlines()[0]}; " + ", ".join(map(" ".join, found.items())), flush=True)
    runs = timings(given.rounds, rows)
    costs = net({case: statistics.median([ns for run in runs for ns in run[case]]) for case in runs[0]})
    print(f"\nns a call (ratio to the C glue), medians of {RUNS} x {given.rounds} blocks\n{table(costs, rows)}")
    print("".join(f"{name:<9}NOT MEASURED: {reason}\n" for name, reason in missing.items()))
    print("checked by\n" + "\n".join(f"  {row.name:<9}{row.checks}" for row in ROWS) + "\n")
    each = [net({case: statistics.median(ns) for case, ns in run.items()}) for run in runs]
    print("\n".join((*within(costs, each), *ahead(costs, [r for r in rows if r not in (GLUE, PY2F)]))), flush=True)
    counted = instructions([GLUE, PY2F]) if given.callgrind else {}
    if counted:
        print(f"\ninstructions a call, callgrind, {COUNTED_CALLS} calls\n{table(counted, [GLUE, PY2F])}")
    if given.json:
        given.json.write_text(json.dumps({"circumstances": machine(), "ns": costs, "instructions": counted}, indent=1))


if __name__ == "__main__":
    main()
