"""Question: what does a call cost when several threads of Fortran call at once?

Method. The variants of call.py in one program with OpenMP. 1, 2, 4 and 8 threads make calls with an empty body for 20 ms in all;
the wall time is divided by the calls of all threads. Cases are alternated, many rounds in one process; compared are medians.
Python's lock lets one thread in at a time, so the best that can be had is the cost of one thread: what is more is the price of
handing the lock over, and depends on how many cores there are.

    python benchmarks/threads.py [--rounds N] [--fc gfortran]
"""  # noqa: D400 -- a question

import argparse
import statistics

import bench_venv
from call import PEERS, cell, circumstances, execute
from call_fortran import CFFI, EMPTY, PEER, PY2F
from call_libraries import Program

VARIANTS = (PY2F, PEER, CFFI, EMPTY)
ROWS = ("A", "C")


def main() -> None:
    """Build, measure, print."""
    parser = argparse.ArgumentParser(description="What does a call cost when several threads of Fortran call at once?")
    parser.add_argument("--rounds", type=int, default=15, help="of each case and number of threads (15)")
    parser.add_argument("--fc", default="gfortran", metavar="COMPILER", help="the Fortran compiler (gfortran)")
    given = parser.parse_args()
    program = Program(given.fc, None, "threads", "-fopenmp")
    program.build(bench_venv.prepare(PEERS, bench_venv.ROOT))
    cases = [f"{variant.name}:{row}" for row in ROWS for variant in VARIANTS]
    lines = [line.split() for line in execute(program, str(given.rounds), *cases).splitlines()]
    found = {(name, int(threads)): statistics.median(map(float, each)) for name, threads, *each in lines}
    numbers = sorted({threads for _, threads in found})
    print(f"What does a call cost when several threads of Fortran call at once?\n{circumstances(given.fc)}\n")
    print(f"ns a call, medians of {given.rounds} rounds".ljust(40) + "".join(f"{n} threads".rjust(12) for n in numbers))
    for case in cases:
        print(case.ljust(40) + "".join(cell(found[case, n], 12) for n in numbers))
    for row in ROWS:
        for peer in (PEER, CFFI):
            times = [found[f"{peer.name}:{row}", n] / found[f"{PY2F.name}:{row}", n] for n in numbers]
            standing = ("met, " if min(times) > 1 else "NOT MET, ") + ", ".join(f"{t:.3g}" for t in times)
            print(f"goal {row} ahead of {peer.name} with any number of threads: {standing}")


if __name__ == "__main__":
    main()
