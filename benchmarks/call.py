"""Question: what does one call from Fortran cost?

Method. Every variant is linked into one Fortran program, so all share one process, one Python and one NumPy: py2f
(exported.py), the peer py2fgen from icon4py-tools as it comes from PyPI (peer.py), cffi's embedding mode as its
documentation writes it (embedded.py), an empty C function in another shared library (the limit), and with `--prototypes
FOLDER` prototype v4x, the hot path with guards that py2f set out from. The bodies are empty: only the call is measured.
Blocks of 0.3 ms are alternated over all cases, each round starting one case later; the program runs three times, and
what is compared are medians over all rounds. Machines are noisy, and where the linker happens to place code moves times
by up to 20 %: read the ratios, and for small differences `--callgrind`, whose instructions a call repeat exactly.
Absolute times are printed with machine and date and never asserted.

Fairness. The program runs without environment variables. `import numpy` starts an OpenBLAS thread, and from the first
thread on glibc's locks cost more (3 to 20 ns a call, by machine): that is in everybody's figures. The peer's row X logs
a traceback at each call, here to /dev/null. PYTHONOPTIMIZE=2, which its README advises, would make it a tenth faster
(row C 2.46 instead of 2.74 us). Rows D differ from C in the addresses only: they show what a cache of views saves.

    python benchmarks/call.py [--prototypes FOLDER] [--rounds N] [--fc flang-new-19] [--callgrind] [--json FILE]
"""  # noqa: D400 -- a question

import argparse
import datetime as dt
import json
import os
import platform
import re
import shutil
import statistics
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import bench_venv
from call_fortran import CFFI, EMPTY, PEER, PY2F, ROWS, V4X, Variant
from call_libraries import Program

PEERS = ("icon4py-tools==0.2.0",)
RUNS = 3  # each has its own address layout, hence its own luck with the caches
COUNTED_CALLS = 500
RATIOS = ((PEER, PY2F), (CFFI, PY2F), (PY2F, V4X), (PY2F, EMPTY))
ROW_C_GOALS = ((PEER, PY2F, ">=", 25.0), (PY2F, V4X, "<=", 1.25))  # in time
EVERY_ROW = {"ns": 1.25, "instructions": 1.15}  # what py2f/v4x may be at most

Costs = Mapping[str, float]  # "py2f:C" -> ns or instructions a call


def execute(program: Program, *arguments: str, under: Iterable[str] = ()) -> str:
    """Run the program with no environment at all and return its output; the peer's log of row X is dropped."""
    command = [*under, str(program.path), *arguments]
    done = subprocess.run(command, env={}, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(command)} ended with status {done.returncode}")
    return done.stdout


def check(program: Program) -> None:
    """Call each case a few times and show all that is said where a status is not the expected one."""
    done = subprocess.run([program.path, "check"], env={}, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{program.path} check ended with status {done.returncode}:\n{done.stdout}{done.stderr}")


def timings(program: Program, rounds: int) -> list[dict[str, list[float]]]:
    """Return, for each run of the program, the ns/call of each round of each case."""
    outputs = [execute(program, "time", str(rounds)) for _ in range(RUNS)]
    lines = [[line.split() for line in output.splitlines()] for output in outputs]
    return [{words[0]: [float(word) for word in words[1:]] for words in run} for run in lines]


def instructions(program: Program) -> dict[str, float]:
    """Return the instructions a call of each case, from one callgrind dump a case."""
    folder = program.folder / "callgrind"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    valgrind = str(shutil.which("valgrind"))  # a path: the program, and so its environment, has no PATH
    options = ("--tool=callgrind", "--instr-atstart=no", f"--callgrind-out-file={folder}/out")
    execute(program, "count", str(COUNTED_CALLS), under=(valgrind, *options))
    counted = {}
    for dump in folder.iterdir():
        text = dump.read_text(errors="replace")
        case = re.search(r"^desc: Trigger: Client Request: (\S+)", text, re.MULTILINE)
        total = re.search(r"^(?:summary|totals): (\d+)", text, re.MULTILINE)
        if case and total:
            counted[case[1]] = int(total[1]) / COUNTED_CALLS
    return counted or sys.exit("callgrind made no dump: is its header valgrind/callgrind.h installed?")


def ratio(costs: Costs, row: str, above: Variant, below: Variant) -> float | None:
    """Return the ratio of two variants in a row, None where one of them was not measured."""
    numerator, denominator = costs.get(f"{above.name}:{row}"), costs.get(f"{below.name}:{row}")
    return numerator / denominator if numerator and denominator else None


def cell(value: float | None, width: int) -> str:
    """Format a figure with three digits at least."""
    if value is None:
        return "-".rjust(width)
    decimals = max(0, 3 - len(str(int(value))))
    return f"{value:{width}.{decimals}f}"


def table(costs: Costs, variants: tuple[Variant, ...]) -> str:
    """Return the rows: cost a call of each variant, then the ratios."""
    names = [f"{above.name}/{below.name}" for above, below in RATIOS]
    lines = ["row  call".ljust(32) + "".join(v.name.rjust(10) for v in variants) + "".join(n.rjust(13) for n in names)]
    for row in ROWS:
        figures = [cell(costs.get(f"{variant.name}:{row.name}"), 10) for variant in variants]
        figures += [cell(ratio(costs, row.name, above, below), 13) for above, below in RATIOS]
        lines.append(f"{row.name:<5}{row.title:<27}" + "".join(figures))
    return "\n".join(lines)


def verdicts(total: Costs, runs: Sequence[Costs]) -> Iterable[str]:
    """Yield how the goals of row C stand, with the range of the runs: a goal within the noise is to be seen as such."""
    for above, below, relation, goal in ROW_C_GOALS:
        name = f"goal of row C, {above.name}/{below.name} {relation} {goal:g}"
        found = ratio(total, "C", above, below)
        if found is None:
            yield f"{name}: not measured (--prototypes)"
            continue
        each = [value for run in runs if (value := ratio(run, "C", above, below))]
        met = found >= goal if relation == ">=" else found <= goal
        yield f"{name}: {'met' if met else 'NOT MET'}, {found:.3g} (runs {min(each):.3g} to {max(each):.3g})"


def ahead(costs: Costs, peer: Variant) -> str:
    """Tell whether a peer is slower in every row."""
    found = {row.name: value for row in ROWS if (value := ratio(costs, row.name, peer, PY2F))}
    behind = [f"{name} {value:.2f}" for name, value in found.items() if value <= 1]
    standing = (
        f"NOT MET in {', '.join(behind)}" if behind else f"met, {min(found.values()):.2g} to {max(found.values()):.2g} times"
    )
    return f"goal ahead of {peer.name} in every row: {standing}"


def every_row(costs: Costs, unit: str) -> str:
    """Tell in which rows py2f costs more than the prototype allows."""
    found = {row.name: value for row in ROWS if (value := ratio(costs, row.name, PY2F, V4X))}
    above = [f"{name} {value:.3f}" for name, value in found.items() if value > EVERY_ROW[unit]]
    standing = f"NOT MET in {', '.join(above)}" if above else "met" if found else "not measured (--prototypes)"
    return f"goal of every row, {PY2F.name}/{V4X.name} <= {EVERY_ROW[unit]:g} in {unit}: {standing}"


def machine() -> str:
    """Return what absolute times depend on: date, machine, load."""
    cpuinfo = Path("/proc/cpuinfo")
    model = re.search(r"^model name\s*: (.*)", cpuinfo.read_text(), re.MULTILINE) if cpuinfo.exists() else None
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    name = model[1] if model else platform.machine()
    return f"{dt.datetime.now().astimezone():%Y-%m-%d}, {name}, {os.cpu_count()} cores, load {load}"


def circumstances(compiler: str) -> str:
    """Return the machine, compiler and versions."""
    found = bench_venv.versions("numpy", "cffi", "py2f", "icon4py-tools")
    return f"{machine()}\n{bench_venv.run(compiler, '--version').splitlines()[0]}; " + ", ".join(map(" ".join, found.items()))


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="What does one call from Fortran cost?")
    parser.add_argument("--prototypes", type=Path, metavar="FOLDER", help="also measure v4x of FOLDER/overhead/gen.py")
    parser.add_argument("--py2f", type=Path, default=bench_venv.ROOT, metavar="CHECKOUT", help="whose py2f (this one)")
    parser.add_argument("--rounds", type=int, default=200, help="of each of the three runs (200)")
    parser.add_argument("--fc", default="gfortran", metavar="COMPILER", help="the Fortran compiler (gfortran)")
    parser.add_argument("--callgrind", action="store_true", help="also count instructions a call")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures there")
    given = parser.parse_args()
    if not shutil.which(given.fc):
        parser.error(f"--fc: there is no {given.fc} on PATH")
    if given.prototypes and not (given.prototypes / "overhead/gen.py").is_file():
        parser.error(f"--prototypes: there is no overhead/gen.py in {given.prototypes}")
    if given.callgrind and not shutil.which("valgrind"):
        parser.error("--callgrind needs valgrind, which is not on PATH")
    return given


def main() -> None:
    """Build, check, measure, print."""
    given = arguments()
    program = Program(given.fc, given.prototypes)
    program.build(bench_venv.prepare(PEERS, given.py2f.resolve()))
    check(program)
    print(f"What does one call from Fortran cost?\n{circumstances(given.fc)}", flush=True)
    runs = timings(program, given.rounds)
    medians = [{case: statistics.median(ns) for case, ns in run.items()} for run in runs]
    total = {case: statistics.median([ns for run in runs for ns in run[case]]) for case in runs[0]}
    print(f"\nns a call, medians of {RUNS} x {given.rounds} blocks\n{table(total, program.variants)}\n")
    goals = (*verdicts(total, medians), every_row(total, "ns"), ahead(total, PEER), ahead(total, CFFI))
    print("\n".join(goals), flush=True)
    counted = instructions(program) if given.callgrind else {}
    if counted:
        print(f"\ninstructions a call, callgrind, {COUNTED_CALLS} calls\n{table(counted, program.variants)}\n")
        print(every_row(counted, "instructions"))
    if given.json:
        given.json.write_text(
            json.dumps({"circumstances": circumstances(given.fc), "ns": total, "instructions": counted}, indent=1)
        )


if __name__ == "__main__":
    main()
