"""What does a bridge cost a real granule? ICON4Py's diffusion from Fortran, through py2f and through py2fgen.

Method: one Fortran program, examples/04_diffusion_granule/main.f90, compiled twice: against py2f's module, and against a
module of the same interface that hands over to py2fgen's (diffusion_peer.py makes it). Both run in turn, on one
environment and one cache of GT4Py; medians of ROUNDS runs of STEPS steps. Then the bridge alone: the same 11 arguments
to functions that do nothing, with fields that stay where they are and with fields at new addresses each call. At last
the start: from the process to the end of the first call, for the granule and for a function of NumPy.

usage: granule.py --environment VENV --cache FOLDER [--rounds N] [--steps N]; `make granule` sets it up
"""

import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from diffusion_peer import peer_module

ROOT = Path(__file__).resolve().parent.parent
EXAMPLE = ROOT / "examples/04_diffusion_granule"
HERE = ROOT / "benchmarks"
FFLAGS = ("-O2", "-ffree-line-length-none")
CALLS = 100_000
MOVED = 10_000


class Bench:
    """The programs, and how they are run."""

    def __init__(self, options: argparse.Namespace, work: Path) -> None:
        self.work, self.bin = work, options.environment.absolute() / "bin"
        cache = options.cache.absolute()
        self.env = {
            "HOME": str(work), "PATH": f"{self.bin}:{os.environ['PATH']}", "PY2F_CACHE_DIR": str(cache),
            "GT4PY_BUILD_CACHE_DIR": str(cache / "gt4py"), "GT4PY_BUILD_CACHE_LIFETIME": "persistent", "OMP_NUM_THREADS": "1",
            "PYTHONWARNINGS": "ignore", "PYTHONPATH": f"{work}",
            "PY2FGEN_EXTRA_CALLABLES": "diffusion_peers:init",
        }  # fmt: skip

    def run(self, *command: str | Path, **more: str) -> str:
        """The output of a command; a failure ends everything."""
        words = [str(word) for word in command]
        done = subprocess.run(words, cwd=self.work, env=self.env | more, capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"{' '.join(words)} ended with status {done.returncode}:\n{done.stdout}{done.stderr}")
        return done.stdout

    def export(self, module: str) -> None:
        """py2f's library of a module, in the folder of that name."""
        self.run(self.bin / "python", "-m", "py2f.export", module, "-o", f"py2f-{module}", "--optimize", "2")

    def peer_of(self, module: str, peer: str, functions: str) -> None:
        """py2fgen's library for what py2f exports of `module`, its Fortran compiled, and the module of our interface over it."""
        folder = f"peer-{module}"
        self.run(self.bin / "py2fgen", peer, functions, f"{module}_peer", "-o", folder)
        (self.work / folder / f"{module}_py.f90").write_text(
            peer_module(f"{module}_py", f"{module}_peer", (self.work / f"py2f-{module}/src/{module}_py.f90").read_text())
        )
        sources = [f"{folder}/{module}_peer.f90", f"{folder}/{module}_py.f90"]
        for source in sources:
            self.run("gfortran", *FFLAGS, "-cpp", "-c", source, "-J", folder, "-o", source.replace(".f90", ".o"))

    def link(self, module: str, program: str, *sources: str) -> None:
        """The program of both sides."""
        ours, theirs = self.work / f"py2f-{module}", self.work / f"peer-{module}"
        for side, flags in (
            ("py2f", [f"-I{ours}/mod", f"-L{ours}/lib", f"-Wl,-rpath,{ours}/lib", f"-l{module}_py"]),
            ("peer", [f"-I{theirs}", f"{theirs}/{module}_py.o", f"{theirs}/{module}_peer.o",
                      f"-L{theirs}", f"-Wl,-rpath,{theirs}", f"-l{module}_peer"]),
        ):  # fmt: skip
            modules = self.work / f"mod-{side}"
            modules.mkdir(exist_ok=True)
            includes = ["-J", str(modules), flags[0], f"-I{ours}/mod"]  # the peer's first; the constants of module py2f are ours
            self.run("gfortran", *FFLAGS, *includes, *sources, "-o", f"{program}-{side}", *flags[1:])

    def timed(self, program: str, *arguments: str) -> tuple[float, str]:
        """Seconds from start to end, and the output. The peer's Python reads its environment, ours the library."""
        environment = {"PYTHONOPTIMIZE": "2"} if program.endswith("peer") else {}
        if "granule" not in program:
            environment["PY2FGEN_EXTRA_CALLABLES"] = ""
        begin = time.perf_counter()
        out = self.run(f"./{program}", *arguments, **environment)
        return time.perf_counter() - begin, out


SIDES = ("py2f", "peer")


def granule(bench: Bench, rounds: int, steps: int) -> tuple[dict[str, dict[str, float]], bool]:
    """The whole granule: medians of its parts in milliseconds, and whether all checksums are the same."""
    found: dict[str, dict[str, list[float]]] = {side: {} for side in SIDES}
    sums = set()
    for number in range(rounds + 1):
        for side in SIDES:
            wall, out = bench.timed(f"granule-{side}", "2", "16", "16", "20", str(steps))
            sums.add("\n".join(re.findall(r"[0-9A-F]{16} ", out)))
            parts = {name: float(re.search(rf"{name} +([\d.]+) s", out)[1]) for name in ("grid_init", "diffusion_init")}
            times = [float(t) for t in re.findall(r"step \d+ +([\d.]+) s", out)]
            row = {
                "start to the end of grid_init": parts["grid_init"] * 1e3,
                "diffusion_init, stencils compiled": parts["diffusion_init"] * 1e3,
                "first step": times[0] * 1e3,
                "a step": statistics.median(times[2:]) * 1e3,
                "whole run": wall * 1e3,
            }
            if number:  # the first run of each fills the caches of the disk
                for name, value in row.items():
                    found[side].setdefault(name, []).append(value)
    medians = {side: {name: statistics.median(values) for name, values in rows.items()} for side, rows in found.items()}
    return medians, len(sums) == 1


def alone(bench: Bench, rounds: int) -> dict[str, dict[str, float]]:
    """The bridge alone: microseconds a call, and bytes that a call at new addresses leaves behind."""
    found: dict[str, dict[str, list[float]]] = {side: {} for side in SIDES}
    for _ in range(rounds):
        for side in SIDES:
            _, out = bench.timed(f"empty-{side}", str(CALLS), str(MOVED))
            for name, value in re.findall(r"(.+?) = +([-\d.E+]+)", out):
                found[side].setdefault(name.strip(), []).append(float(value))
    return {side: {name: statistics.median(values) for name, values in rows.items()} for side, rows in found.items()}


def starts(bench: Bench, rounds: int) -> dict[str, float]:
    """A program that calls a function of NumPy once: milliseconds from start to end."""
    found: dict[str, list[float]] = {side: [] for side in SIDES}
    for _ in range(3 * rounds):
        for side in SIDES:
            found[side].append(bench.timed(f"first-{side}")[0] * 1e3)
    return {side: statistics.median(values) for side, values in found.items()}


def row(name: str, ours: float, theirs: float, unit: str) -> str:
    """A line of the table."""
    ratio = f"{theirs / ours:8.2f}" if ours else f"{'-':>8}"
    return f"{name:44} {ours:10.3f} {theirs:10.3f} {unit:6} {ratio}"


def goal(text: str, *, met: bool) -> str:
    """A line that says whether a goal is met."""
    return f"goal: {text}: {'met' if met else 'NOT MET'}"


def main() -> None:
    """Make the programs, run them, print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--environment", type=Path, required=True)
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--steps", type=int, default=300)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        for file in (*EXAMPLE.iterdir(), *HERE.glob("diffusion_*")):
            (work / file.name).write_bytes(file.read_bytes())
        bench = Bench(options, work)
        for module, peer, functions in (
            ("model", "diffusion_peers", "grid_init,diffusion_init,diffusion_run"),
            ("diffusion_empty", "diffusion_empty", "step"),
            ("diffusion_numpy", "diffusion_total", "total"),
        ):
            bench.export(module)
            bench.peer_of(module, peer, functions)
        bench.link("model", "granule", "torus_grid.f90", "dump_mod.f90", "main.f90")
        bench.link("diffusion_empty", "empty", "diffusion_empty.f90")
        bench.link("diffusion_numpy", "first", "diffusion_numpy.f90")
        medians, same = granule(bench, options.rounds, options.steps)
        bridge, first = alone(bench, options.rounds), starts(bench, options.rounds)
    print(f"{'':44} {'py2f':>10} {'py2fgen':>10} {'':6} {'ratio':>8}")
    for name in medians["py2f"]:
        print(row(name, medians["py2f"][name], medians["peer"][name], "ms"))
    for name, value in bridge["py2f"].items():
        print(row(f"bridge: {name}", value, bridge["peer"][name], "us" if "call" in name else "B"))
    print(row("start to the end of a call of NumPy", first["py2f"], first["peer"], "ms"))
    init = "start to the end of grid_init"
    print(goal("the results of both are the same, bit for bit", met=same))
    print(goal("bridge <= 5 us of a step", met=bridge["py2f"]["a call, same addresses"] <= 5))  # noqa: PLR2004
    print(goal("start to the first call of the granule no slower", met=medians["py2f"][init] <= medians["peer"][init]))
    print(goal("start to the first call of NumPy >= 10 x faster", met=first["peer"] >= 10 * first["py2f"]))


if __name__ == "__main__":
    main()
