"""`python matrix.py [COMPILER...]`: `py2f selftest` with each compiler, Python and set of flags; docs/reference/compilers.md.

Each Python that is found, on PATH or pyenv's, gets an environment with this checkout, in .matrix. What is not installed is
a row that says so.
"""

import argparse
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / ".matrix"
PAGE = ROOT / "docs/reference/compilers.md"
COMPILERS = ("gfortran-11", "gfortran", "flang-new-19", "flang-22")
PYTHONS = ("3.10", "3.11", "3.12", "3.13")
FLAGS = {"gfortran": ("-O0 -fcheck=all", "-O3 -flto"), "flang": ("-O0", "-O3 -flto")}
"""flang has no -fcheck."""


def python_of(minor: str) -> Path | None:
    """The interpreter of a version."""
    beside = (Path(sys.base_prefix).parent, Path("~/.pyenv/versions").expanduser())  # pyenv's, wherever HOME is
    kept = [python for folder in beside for python in sorted(folder.glob(f"{minor}.*/bin/python"))]
    named = shutil.which(f"python{minor}")
    return kept[-1] if kept else Path(named) if named else None


def environment_of(minor: str, python: Path) -> Path:
    """Make or refresh the environment of an interpreter; its Python."""
    subprocess.run(["sh", ROOT / "tools/venv.sh", python, FOLDER / minor, "."], cwd=ROOT, check=True)
    return FOLDER / minor / "bin/python"


def tested(python: Path, compiler: str, flags: str) -> dict[str, object]:
    """What a selftest writes down."""
    report = FOLDER / "selftest.json"
    report.unlink(missing_ok=True)
    command = [python, "-I", "-m", "py2f.cli", "selftest", "--fc", compiler, f"--fflags={flags}", "-o", report]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    print(done.stdout, done.stderr, sep="", end="", flush=True)
    if not report.exists():
        sys.exit(f"{compiler} {flags}: no selftest, status {done.returncode}")
    found: dict[str, object] = json.loads(report.read_text())
    return found


def cell(found: dict[str, object]) -> str:
    """How a selftest went, in a few words."""
    cases = found["cases"]
    assert isinstance(cases, list)
    failed = [case["name"] for case in cases if not case["passed"]]
    return f"**{', '.join(failed)} failed**" if failed else f"{len(cases)} of {len(cases)}"


def row(compiler: str, flags: str, pythons: dict[str, Path]) -> tuple[str, bool]:
    """A line of the table, and whether all is well in it."""
    title, cells, good = compiler, [], True
    for minor in PYTHONS:
        if minor not in pythons:
            cells.append("not installed")
            continue
        print(f"{compiler} {flags}, Python {minor}", flush=True)
        found = tested(pythons[minor], compiler, flags)
        title, good = str(found["compiler"]), good and bool(found["passed"])
        cells.append(cell(found))
    return f"| {compiler}: {title} | `{flags}` | {' | '.join(cells)} |", good


def main() -> int:
    """Test, write the table."""
    parser = argparse.ArgumentParser(description="Try py2f with each compiler, Python and set of flags.")
    parser.add_argument("compilers", nargs="*", default=COMPILERS, metavar="COMPILER", help=f"default: {' '.join(COMPILERS)}")
    given = parser.parse_args()
    found = {minor: python for minor in PYTHONS if (python := python_of(minor))}
    pythons = {minor: environment_of(minor, python) for minor, python in found.items()}
    lines, good = [], True
    for compiler in given.compilers:
        for flags in FLAGS["flang" if "flang" in compiler else "gfortran"]:
            if not shutil.which(compiler):
                lines.append(f"| {compiler} | `{flags}` |{' not installed |' * len(PYTHONS)}")
                continue
            line, well = row(compiler, flags, pythons)
            lines.append(line)
            good = good and well
    head = f"| compiler | flags | {' | '.join(f'Python {minor}' for minor in PYTHONS)} |\n|---|---|{'---|' * len(PYTHONS)}\n"
    table = head + "\n".join(lines) + "\n"
    page = PAGE.read_text(encoding="utf-8")
    text, count = re.subn(r"(<!-- matrix -->\n).*?(<!-- end of matrix -->)", lambda m: m[1] + table + m[2], page, flags=re.DOTALL)
    if count != 1:
        sys.exit(f"{PAGE} has {count} places for the matrix, not one")
    PAGE.write_text(text, encoding="utf-8")
    print(table)
    return 0 if good else 1


if __name__ == "__main__":
    raise SystemExit(main())
