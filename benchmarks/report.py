"""Runs every benchmark and writes what it prints, with machine and date, into docs/explanation/performance.md, and draws it.

The page has a pair of comments for each question; what stands between them is replaced. A question that fails leaves the
page as it is. The drawing is made from the figures of call.py and fetch.py, by matplotlib, in an environment of its own.

    python benchmarks/report.py [QUESTION...] [--prototypes FOLDER]
"""

import argparse
import re
import subprocess
import sys
from pathlib import Path

import bench_venv
from bench_venv import BENCH, HERE, ROOT, python_of

PAGE = ROOT / "docs/explanation/performance.md"
DRAWING = PAGE.with_suffix(".svg")
QUESTIONS = ("call", "fetch", "native", "threads", "pythons", "scaling", "columns", "first", "cache")
DRAWN = ("call", "fetch")  # these have the option --json
VENV = BENCH / "report"


def figures_of(question: str) -> Path:
    """Return the file of the figures that are drawn."""
    return BENCH / f"{question}.json"


def asked(question: str, prototypes: Path | None) -> str:
    """Run a benchmark and return what it prints."""
    options = ["--callgrind"] if question in (*DRAWN, "native") else []
    options += ["--json", str(figures_of(question))] if question in DRAWN else []
    if question == "call" and prototypes:
        options += ["--prototypes", str(prototypes)]
    done = subprocess.run(
        [sys.executable, str(HERE / f"{question}.py"), *options], stdout=subprocess.PIPE, text=True, check=False
    )
    if done.returncode:
        sys.exit(f"{question}.py ended with status {done.returncode}; {PAGE.relative_to(ROOT)} is as it was before it")
    return done.stdout


def replaced(page: str, question: str, printed: str) -> str:
    """Return the page with what a benchmark printed in its place."""
    between = re.compile(rf"(<!-- figures of {question} -->\n).*?(<!-- end of figures -->)", re.DOTALL)
    block = f"<!-- not run: what benchmarks/{question}.py has printed -->\n```text\n{printed.strip()}\n```\n"
    text, count = between.subn(lambda found: f"{found[1]}{block}{found[2]}", page)
    return text if count == 1 else sys.exit(f"{PAGE.relative_to(ROOT)} has {count} places for the figures of {question}, not one")


def draw() -> None:
    """Draw the figures of the page."""
    bench_venv.prepare_plain(("matplotlib==3.10.0",), VENV)
    bench_venv.run(python_of(VENV), HERE / "draw.py", *map(figures_of, DRAWN), DRAWING)


def main() -> None:
    """Measure, write, draw."""
    parser = argparse.ArgumentParser(description="Write the figures of all benchmarks into the documentation.")
    parser.add_argument("questions", nargs="*", default=QUESTIONS, metavar="QUESTION", help=f"default: {' '.join(QUESTIONS)}")
    parser.add_argument("--prototypes", type=Path, metavar="FOLDER", help="for call: also measure v4x")
    given = parser.parse_args()
    for question in given.questions:
        printed = asked(question, given.prototypes)
        print(printed, flush=True)
        PAGE.write_text(replaced(PAGE.read_text(encoding="utf-8"), question, printed), encoding="utf-8")
    if all(figures_of(question).exists() for question in DRAWN):
        draw()


if __name__ == "__main__":
    main()
