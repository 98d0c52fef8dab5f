"""Question: has a call from Fortran become dearer?

Method. Each row of call.py, py2f's side alone, under callgrind: the instructions a call, which repeat exactly where nothing
else changes. budget.json has what they were, for each set of versions they were counted with; a row that has grown by more
than 5 % is named, and the exit status is 1. tests/test_instructions.py does the same.

What makes them repeat. The C library chooses its string functions by processor: GLIBC_TUNABLES has it take the plain ones.
Bodies are empty, so neither NumPy's dispatch nor the order of hashes matters (PYTHONHASHSEED changes nothing; the embedded
Python does not read it). Calls come after 350 others, when frames and specialized bytecode are settled. What is left are
the compilers, the C library, valgrind and the build of Python: they are part of the key, and without an entry for them
nothing is claimed.

    python benchmarks/budget.py [--record] [--fc gfortran]
"""  # noqa: D400 -- a question

import argparse
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

import bench_venv
import call_fortran
from bench_venv import HERE, run

BUDGET = HERE / "budget.json"
ALLOWED = 1.05
CALLS = 500
NUMPY = "numpy==2.4.6"
PLAIN = {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-AVX512F,-AVX512VL,-ERMS,-FSRM,-BMI2,-AVX_Fast_Unaligned_Load"}

Counts = Mapping[str, float]  # row -> instructions a call


def build(python: Path, folder: Path, compiler: str) -> Path:
    """Export exported.py with the py2f of an interpreter and link the program that calls it; return the program."""
    prefix = folder / "py2f"
    shutil.copy(HERE / "exported.py", folder)
    run(python, "-m", "py2f.export", "exported", "-o", prefix, cwd=folder, FC=compiler, PYTHONSAFEPATH="1")
    (folder / "cases.f90").write_text(call_fortran.cases_module((call_fortran.PY2F,)))
    run("gcc", "-O2", "-c", HERE / "callgrind.c", cwd=folder)
    sources = (folder / "cases.f90", HERE / "alternate.f90")
    linked = (f"-L{prefix}/lib", f"-Wl,-rpath,{prefix}/lib", f"-l{call_fortran.PY2F.module}")
    modules = ("-I", prefix / "include", "-I", prefix / "mod")
    run(compiler, "-O2", "-J", ".", *modules, *sources, "callgrind.o", *linked, "-o", "counted", cwd=folder)
    return folder / "counted"


def count(program: Path) -> dict[str, float]:
    """Return the instructions a call of each row."""
    valgrind = str(shutil.which("valgrind"))  # a path: the program, and so its environment, has no PATH
    with tempfile.TemporaryDirectory() as dumps:
        options = ("--tool=callgrind", "--instr-atstart=no", f"--callgrind-out-file={dumps}/out")
        command = (valgrind, *options, str(program), "count", str(CALLS))
        done = subprocess.run(command, env=PLAIN, capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"{' '.join(command)} ended with status {done.returncode}:\n{done.stdout}{done.stderr}")
        texts = [dump.read_text(errors="replace") for dump in Path(dumps).iterdir()]
    counted = {}
    for text in texts:
        case = re.search(r"^desc: Trigger: Client Request: py2f:(\S+)", text, re.MULTILINE)
        total = re.search(r"^(?:summary|totals): (\d+)", text, re.MULTILINE)
        if case and total:
            counted[case[1]] = int(total[1]) / CALLS
    return counted or sys.exit("callgrind made no dump: is its header valgrind/callgrind.h installed?")


def versions(python: Path, compiler: str) -> dict[str, str]:
    """Return what the counts belong to."""
    ask = "import sys, numpy; print(sys.version.replace(chr(10), ' ')); print(numpy.__version__)"
    interpreter, numpy = run(python, "-c", ask).splitlines()
    return {
        "machine": platform.machine(),
        "C library": os.confstr("CS_GNU_LIBC_VERSION") or "",
        "Fortran": run(compiler, "--version").splitlines()[0],
        "C": run("gcc", "--version").splitlines()[0],
        "valgrind": run("valgrind", "--version").strip(),
        "Python": interpreter,
        "NumPy": numpy,
    }


def differing(entries: list[dict[str, Mapping[str, str]]], found: Mapping[str, str]) -> str:
    """Tell how these versions differ from those of the entry that is nearest."""
    known = [entry["versions"] for entry in entries]
    nearest = max(known, key=lambda k: sum(k.get(name) == value for name, value in found.items()), default={})
    return "; ".join(f"{name} is {value}, not {nearest.get(name)}" for name, value in found.items() if nearest.get(name) != value)


def budget_of(found: Mapping[str, str]) -> Counts | None:
    """Return the counts that belong to these versions, None if nobody has recorded any."""
    entries = json.loads(BUDGET.read_text())
    return next((entry["instructions"] for entry in entries if entry["versions"] == found), None)


def grown(counted: Counts, budget: Counts) -> list[str]:
    """Name the rows that cost more than they may, and those that are gone."""
    above = [
        f"{r}: {counted[r]:.0f} instructions, {budget[r]:.0f} before" for r in budget if counted.get(r, 0) > ALLOWED * budget[r]
    ]
    return above + [f"{row} is no longer counted" for row in budget if row not in counted]


def record(found: Mapping[str, str], counted: Counts) -> None:
    """Write the counts of these versions in the place of older ones."""
    others = [entry for entry in json.loads(BUDGET.read_text()) if entry["versions"] != found] if BUDGET.exists() else []
    BUDGET.write_text(json.dumps([*others, {"versions": found, "instructions": dict(sorted(counted.items()))}], indent=1) + "\n")


def main() -> None:
    """Build, count, compare."""
    parser = argparse.ArgumentParser(description="Has a call from Fortran become dearer?")
    parser.add_argument("--record", action="store_true", help="make what is counted the budget of these versions")
    parser.add_argument("--fc", default="gfortran", metavar="COMPILER", help="the Fortran compiler (gfortran)")
    given = parser.parse_args()
    if not shutil.which("valgrind"):
        parser.error("valgrind is not on PATH")
    venv = bench_venv.BENCH / "budget"
    bench_venv.prepare((NUMPY,), bench_venv.ROOT, venv)
    python = bench_venv.python_of(venv)
    with tempfile.TemporaryDirectory() as folder:
        counted = count(build(python, Path(folder), given.fc))
    found = versions(python, given.fc)
    if given.record:
        record(found, counted)
    budget = budget_of(found)
    print("Has a call from Fortran become dearer?\n" + ", ".join(found.values()))
    for row in call_fortran.ROWS:
        before = f"{counted[row.name] / budget[row.name]:8.3f} of the budget" if budget and row.name in budget else ""
        print(f"{row.name:<5}{row.title:<27}{counted[row.name]:8.0f}{before}")
    if budget is None:
        sys.exit(
            f"there is no budget for these versions ({differing(json.loads(BUDGET.read_text()), found)}): --record makes one"
        )
    if above := grown(counted, budget):
        sys.exit("goal of every row, at most 5 % above the budget: NOT MET\n" + "\n".join(above))
    print("goal of every row, at most 5 % above the budget: met")


if __name__ == "__main__":
    main()
