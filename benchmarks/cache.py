"""Question: what does a cached library cost, and what do many processes cost that ask for it at once?

Method. Hit: in one process, the median of a hundred look-ups (key, manifest, sizes, checksums) of an exported module's
entry; numba: the median of a hundred loads of one cached signature by a fresh dispatcher. A further module: the time of
`py2f.build` in a process that has built another. Herd: N processes start together, cold, and each ends with a result; the
time until the last has one includes the starts of N interpreters, and their imports; so the empty herd, which only
imports, is beside it. Peer: numba with `cache=True`, in a venv of its own. Absolute times are printed, never asserted.

    python benchmarks/cache.py [--herd 1,8,64] [--py2f CHECKOUT]
"""  # noqa: D400 -- a question

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import bench_venv
from call import machine

VENV = bench_venv.BENCH / "venv-cache"
PEERS = ("numba==0.62.1", "numpy")
MODEL = "from py2f import export_to_fortran\n\n@export_to_fortran\ndef one(x: float) -> float:\n    return x + 1\n"
PEER = "import numba\n\n@numba.njit('float64(float64)', cache=True)\ndef one(x):\n    return x + 1\n"
OURS = "import py2f; py2f.build('model')"
HIT = """
import statistics, sys, time
import py2f
from py2f.cache.key import make_key
from py2f.cache.layers import cached
from py2f.pipeline import described, for_compilers
from py2f.settings import Settings
begin = time.perf_counter(); py2f.build("model"); first = time.perf_counter() - begin
begin = time.perf_counter(); py2f.build("further"); further = time.perf_counter() - begin
settings = Settings.read()
wanted, tools, _ = for_compilers(described("model", settings=settings), settings)
times = []
for _ in range(100):
    begin = time.perf_counter(); cached(make_key(wanted.files, tools), settings, None); times.append(time.perf_counter() - begin)
print(first, further, statistics.median(times))
"""
HIT_PEER = """
import statistics, time
import numba, peer
times = []
for _ in range(100):
    fresh = numba.njit("float64(float64)", cache=True)
    begin = time.perf_counter(); fresh(peer.one.py_func); times.append(time.perf_counter() - begin)
print(statistics.median(times))
"""


def herd(folder: Path, count: int, code: str, environment: dict[str, str]) -> float:
    """Seconds until the last of `count` processes has ended; one that fails ends the benchmark."""
    begin = time.perf_counter()
    command = [bench_venv.python_of(VENV), "-c", code]
    pipes = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
    processes = [subprocess.Popen(command, cwd=folder, env=environment, **pipes) for _ in range(count)]
    for process in processes:
        _, said = process.communicate()
        if process.returncode:
            sys.exit(f"{code} ended with status {process.returncode}:\n{said.decode()}")
    return time.perf_counter() - begin


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--herd", default="1,8,64", help="how many processes")
    parser.add_argument("--py2f", type=Path, default=bench_venv.ROOT, help="the checkout that is measured")
    options = parser.parse_args()
    bench_venv.prepare(PEERS, options.py2f.resolve(), VENV)
    print(machine(), json.dumps(bench_venv.versions("py2f", "numba", "numpy", venv=VENV)))
    with tempfile.TemporaryDirectory(prefix="py2f-bench-") as name:
        folder = Path(name)
        for file, text in (("model.py", MODEL), ("further.py", MODEL), ("peer.py", PEER)):
            (folder / file).write_text(text)
        caches = {"PY2F_CACHE_DIR": f"{folder}/py2f", "NUMBA_CACHE_DIR": f"{folder}/numba"}
        environment = {"PATH": os.environ["PATH"], "HOME": name, "PYTHONPATH": name, **caches}
        python = bench_venv.python_of(VENV)
        first, further, hit = map(float, bench_venv.run(python, "-c", HIT, cwd=folder, **environment).split())
        peer = float(bench_venv.run(python, "-c", HIT_PEER, cwd=folder, **environment).split()[-1])
        print(f"\npy2f: first module {first:.2f} s, a further one {further:.2f} s")
        print(f"hit: py2f {hit * 1e3:.2f} ms, numba {peer * 1e3:.2f} ms\n")
        limits = {"hit <= 0.5 ms": (hit * 1e3, 0.5, "ms"), "a further module <= 0.3 s": (further, 0.3, "s")}
        print("processes  py2f: cold   warm  empty   numba: cold  warm  empty")
        for count in map(int, options.herd.split(",")):
            row = []
            for code, empty, cache in ((OURS, "import py2f, numpy", "py2f"), ("import peer", "import numba", "numba")):
                shutil.rmtree(folder / cache, ignore_errors=True)
                row += [herd(folder, count, each, environment) for each in (code, code, empty)]
            limits[f"{count} processes, cold, <= warm + the build + 1 s"] = row[0], row[1] + first + 1, "s"
            print(f"{count:9}  {row[0]:9.2f} {row[1]:6.2f} {row[2]:6.2f} {row[3]:13.2f} {row[4]:5.2f} {row[5]:6.2f}  s")
    for goal, (value, limit, unit) in limits.items():
        print(f"goal {goal}: {'met' if value <= limit else 'NOT MET'}, {value:.2f} of {limit:.2f} {unit}")


if __name__ == "__main__":
    main()
