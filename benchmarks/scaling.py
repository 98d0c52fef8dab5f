"""Question: does a call cost more with larger arrays, more functions, more libraries, or after many calls?

Method. The cases below are alternated in one Fortran program, as in call.py; compared are medians over all rounds. Functions
have empty bodies. "In turn" calls one function after the other, so that with a thousand of them the processor's caches no
longer hold what a call needs, as they would not hold a thousand subroutines of any kind: an empty C function called in the
same manner stands beside it. Memory is the resident set of a process that makes ten million calls, each with new addresses.

    python benchmarks/scaling.py [--rounds N] [--calls N] [--fc gfortran]
"""  # noqa: D400 -- a question

import argparse
import statistics
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import bench_venv
from bench_venv import HERE, run
from budget import NUMPY
from call import cell, machine
from call_fortran import case_module, continued

EXTENTS = (10, 100, 1000, 3000)
FUNCTIONS = (1, 50, 1000)
LIBRARIES = (1, 4, 16)
FLAT = 1.25  # what the last of a group may cost, in units of the first
GROWTH = 1024  # KiB that ten million calls may leave behind

HEAD = "from py2f import InOut, export_to_fortran, f64\n"
FUNCTION = '''
@export_to_fortran
def {name}(a: InOut[f64[:, :]], b: InOut[f64[:, :]], c: InOut[f64[:, :]]) -> None:
    """Do nothing."""
'''
EMPTY = """\
    subroutine empty_{k}(stat) bind(C)
      integer :: stat
    end subroutine empty_{k}"""


@dataclass(frozen=True)
class Case:
    """A loop: what is called in turn."""

    group: str
    title: str
    module: str
    procedures: tuple[str, ...]
    actual: str

    @property
    def name(self) -> str:
        """Name it in the output."""
        return f"{self.group}:{self.title}"


def named(modules: int, functions: int) -> dict[str, tuple[str, ...]]:
    """Return modules and their functions; names differ, so that one Fortran module can use them all."""
    return {f"m{functions}_{m}": tuple(f"f{functions}_{m}_{k}" for k in range(functions)) for m in range(modules)}


MODULES = named(max(LIBRARIES), 1) | {module: names for n in FUNCTIONS[1:] for module, names in named(1, n).items()}


def cases() -> Iterator[Case]:
    """Yield what is measured, group by group, the least first."""
    small = ", ".join(f"a_{EXTENTS[0]}" for _ in range(3))
    first = next(iter(named(1, 1).values()))
    for n in EXTENTS:
        yield Case("arrays of n x n", f"{n}", "py2f", first, ", ".join([f"a_{n}"] * 3))
    for n in FUNCTIONS:
        yield Case("n functions, one called", f"{n}", "py2f", named(1, n)[f"m{n}_0"][-1:], small)
    for n in FUNCTIONS:
        yield Case("n functions in turn", f"{n}", "py2f", named(1, n)[f"m{n}_0"], small)
    for n in FUNCTIONS:
        yield Case("n empty C functions in turn", f"{n}", "empty", tuple(f"empty_{k}" for k in range(n)), "")
    for n in LIBRARIES:
        yield Case("n libraries in turn", f"{n}", "py2f", tuple(name for names in named(n, 1).values() for name in names), small)


def loop(number: int, case: Case) -> str:
    """Return the procedure that is timed."""
    status = ", stat=stat" if case.actual else "stat"
    calls = [f"call {name}({case.actual}{status})" for name in case.procedures]
    branches = "\n".join(f"      case ({k})\n        {call}" for k, call in enumerate(calls))
    return f"""\
  subroutine loop_{number}(n_calls)
    integer, intent(in) :: n_calls
    integer :: i, stat

    do i = 1, n_calls
      select case (mod(i, {len(case.procedures)}))
{branches}
      end select
      if (stat /= 0) then
        unexpected = unexpected + 1
        last_stat = stat
      end if
    end do
  end subroutine loop_{number}
"""


def cases_module(listed: list[Case]) -> str:
    """Return what alternate.f90 runs."""
    uses = "\n".join(f"  use {module}_py, only: {continued(names)}" for module, names in MODULES.items())
    arrays = "\n".join(f"  real(c_double), allocatable, save :: a_{n}(:, :)" for n in EXTENTS)
    allocations = "\n".join(f"    allocate (a_{n}({n}, {n}), source=0d0)" for n in EXTENTS)
    interfaces = "\n".join(EMPTY.format(k=k) for k in range(max(FUNCTIONS)))
    declared = f"  interface\n{interfaces}\n  end interface\n{arrays}\n"
    types = [f"case_t('{k}', loop_{k})" for k in range(len(listed))]
    return case_module(uses, declared, allocations, types, "".join(loop(number, case) for number, case in enumerate(listed)))


def build(python: Path, folder: Path, compiler: str, listed: list[Case]) -> None:
    """Export all modules, and link the two programs."""
    linked = ["-Lpy2f/lib", f"-Wl,-rpath,{folder}/py2f/lib"]
    for module, names in MODULES.items():
        (folder / f"{module}.py").write_text(HEAD + "".join(FUNCTION.format(name=name) for name in names))
        run(python, "-m", "py2f.export", module, "-o", "py2f", cwd=folder, FC=compiler, PYTHONSAFEPATH="1")
        linked.append(f"-l{module}_py")
    (folder / "cases.f90").write_text(cases_module(listed))
    (folder / "empty.c").write_text("".join(f"void empty_{k}(int *stat) {{ *stat = 0; }}\n" for k in range(max(FUNCTIONS))))
    run("gcc", "-O2", "-fPIC", "-shared", "-o", "libempty.so", "empty.c", cwd=folder)
    run("gcc", "-O2", "-c", HERE / "callgrind.c", cwd=folder)
    sources = ("cases.f90", HERE / "alternate.f90", "callgrind.o")
    empty = ("-L.", "-lempty", f"-Wl,-rpath,{folder}")
    run(compiler, "-O2", "-Ipy2f/include", "-Ipy2f/mod", *sources, *linked, *empty, "-o", "scaling", cwd=folder)
    run(compiler, "-O2", "-Ipy2f/mod", HERE / "memory.f90", *linked, "-o", "memory", cwd=folder)


def output(program: Path, *arguments: str) -> list[list[str]]:
    """Return the words of the lines that a program prints."""
    done = subprocess.run([str(program), *arguments], env={}, stdout=subprocess.PIPE, text=True, check=True)
    return [line.split() for line in done.stdout.splitlines()]


def flat(listed: list[Case], ns: list[float]) -> Iterator[str]:
    """Yield how the goals stand: the last of each group beside the first."""
    for group in dict.fromkeys(case.group for case in listed if case.module == "py2f" and "in turn" not in case.group):
        found = [value for case, value in zip(listed, ns, strict=True) if case.group == group]
        standing = "met" if found[-1] <= FLAT * found[0] else "NOT MET"
        yield f"goal {group}, last/first <= {FLAT:g}: {standing}, {found[-1] / found[0]:.2f}"


def main() -> None:
    """Build, measure, print."""
    parser = argparse.ArgumentParser(description="What does a call cost with larger arrays, more functions, more calls?")
    parser.add_argument("--rounds", type=int, default=100, help="of each case (100)")
    parser.add_argument("--calls", type=int, default=10_000_000, help="of the program whose memory is watched (10000000)")
    parser.add_argument("--fc", default="gfortran", metavar="COMPILER", help="the Fortran compiler (gfortran)")
    given = parser.parse_args()
    venv = bench_venv.BENCH / "budget"
    bench_venv.prepare((NUMPY,), bench_venv.ROOT, venv)
    listed = list(cases())
    with tempfile.TemporaryDirectory() as name:
        build(bench_venv.python_of(venv), Path(name), given.fc, listed)
        ns = [statistics.median(map(float, words[1:])) for words in output(Path(name, "scaling"), "time", str(given.rounds))]
        memory = output(Path(name, "memory"), str(given.calls))
    print(f"Does a call cost more with larger arrays, more functions, more libraries?\n{machine()}\n")
    print(f"ns a call with three arrays, medians of {given.rounds} blocks")
    for group in dict.fromkeys(case.group for case in listed):
        of_group = [(case.title, value) for case, value in zip(listed, ns, strict=True) if case.group == group]
        print(f"{group:<32}" + "".join(f"{title:>8}:{cell(value, 6)}" for title, value in of_group))
    print("\nresident memory after calls with new addresses")
    print("\n".join(f"{calls:>12} calls {kib:>10} KiB" for calls, kib in memory))
    grown = int(memory[-1][1]) - int(memory[0][1])
    print("\n".join(flat(listed, ns)))
    standing = "met" if grown <= GROWTH else "NOT MET"
    print(f"goal resident memory from {memory[0][0]} to {memory[-1][0]} calls, growth <= {GROWTH} KiB: {standing}, {grown} KiB")


if __name__ == "__main__":
    main()
