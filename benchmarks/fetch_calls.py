"""`python fetch_calls.py FOLDER time ROUNDS | count CALLS ROW...`, in the venv of fetch.py: the calls of fetch.py.

Prints a JSON object of cases, "row:column": ns/call of each round, why a row or a case cannot be measured as a text.
"""

import ctypes
import importlib
import json
import sys
import time
from collections.abc import Callable, Iterator
from itertools import repeat
from pathlib import Path
from typing import Any

import numpy as np

Names = dict[str, Any]
BLOCK_NS = 3e5  # long against the clock, short against what else the machine does
CALLBACKS = 1000  # a call of `each`
EMPTY = "loop"
EXPECTED = {
    "c": "c[0] == 9.0",
    "n": "c[0] == 9.0",
    "d": "returned == 27.0",
    "e": f"returned == {CALLBACKS * (CALLBACKS + 1) / 2}",
}
ORDINARY = {
    "a": "nothing()",
    "b": "three(1.5, 2.5, 3.5)",
    "c": "add(a, b, c)",
    "n": "add_n(10, a, b, c)",
    "d": "last(x)",
    "e": f"each(f, {CALLBACKS})",
}


def identity(x: float) -> float:
    """Return x."""
    return x


def arguments() -> Names:
    """Return what is given: three arrays of 10, every third element of another one, a function."""
    return {"a": np.arange(10.0), "b": np.arange(10.0), "c": np.zeros(10), "x": np.arange(30.0)[::3], "f": identity}


def public(module: Any) -> Names:
    """Return what a module has for its users."""
    return {name: getattr(module, name) for name in dir(module) if name[0] != "_"}


def of_f2py() -> tuple[Names, dict[str, str]]:
    """f2py finds n in the arrays."""
    return public(importlib.import_module("fetched_f2py").fetched_plain), ORDINARY | {"n": "add_n(a, b, c)"}


def of_f90wrap() -> tuple[Names, dict[str, str]]:
    """f90wrap has no procedure arguments."""
    module = importlib.import_module("fetched_f90wrap")
    return public(module.fetched_plain), {k: v for k, v in ORDINARY.items() if k != "e"}


def of_pyccel() -> tuple[Names, dict[str, str]]:
    """Pyccel takes NumPy's integers only where the kind is not that of int, and has no procedure arguments."""
    calls = {k: v for k, v in ORDINARY.items() if k != "e"} | {"n": "add_n(ten, a, b, c)"}
    return public(importlib.import_module("fetched")) | {"ten": np.int32(10)}, calls


def of_cffi() -> tuple[Names, dict[str, str]]:
    """A strided array has to be copied; a function is called by `extern "Python"`."""
    module = importlib.import_module("fetched_cffi")
    ffi, lib = module.ffi, module.lib
    ffi.def_extern("called")(lambda x: x[0])
    names = {name.removeprefix("fetched_"): getattr(lib, name) for name in dir(lib)}
    calls = {
        "c": "add(at(T, a), at(T, b), at(T, c))",
        "n": "add_n(10, at(T, a), at(T, b), at(T, c))",
        "d": "y = dense(x); returned = last_of(len(y), at(T, y))",
        "e": f"each(called, {CALLBACKS})",
    }
    return names | {"at": ffi.from_buffer, "T": ffi.typeof("double[]"), "dense": np.ascontiguousarray}, ORDINARY | calls


def of_ctypes() -> tuple[Names, dict[str, str]]:
    """Arrays are checked by ndpointer; a strided one has to be copied."""
    library = ctypes.CDLL(str(Path(sys.argv[1], "libfetched.so")))
    real, integer = ctypes.c_double, ctypes.c_int
    array = np.ctypeslib.ndpointer(np.float64, 1, flags="F")
    function = ctypes.CFUNCTYPE(real, ctypes.POINTER(real))
    types = {
        "nothing": (None,),
        "three": (None, real, real, real),
        "add": (None, array, array, array),
        "add_n": (None, integer, array, array, array),
        "last_of": (real, integer, array),
        "each": (real, function, integer),
    }
    names: Names = {"dense": np.ascontiguousarray, "called": function(lambda x: x[0])}
    for name, (result, *parameters) in types.items():
        names[name] = library[f"fetched_{name}"]
        names[name].restype, names[name].argtypes = result, parameters
    calls = {"d": "y = dense(x); returned = last_of(len(y), y)", "e": f"each(called, {CALLBACKS})"}
    return names, ORDINARY | calls


ROWS: dict[str, Callable[[], tuple[Names, dict[str, str]]]] = {
    "C glue": lambda: (public(importlib.import_module("fetched_glue")), ORDINARY),
    "py2f": lambda: (public(importlib.import_module("fetched_stubs")), ORDINARY),
    "f2py": of_f2py,
    "pyccel": of_pyccel,
    "cffi": of_cffi,
    "ctypes": of_ctypes,
    "f90wrap": of_f90wrap,
}


class Case:
    """A loop around one statement."""

    def __init__(self, statement: str, names: Names) -> None:
        """Compile the loop; what the statement uses is in local variables."""
        used = {name: names[name] for name in compile(statement, "", "exec").co_names if name in names}
        parameters = "".join(f", {name}={name}" for name in used)
        source = f"""\
def run(calls, clock=clock, repeat=repeat{parameters}):
    start = clock()
    for _ in repeat(None, calls):
        {statement}
    return clock() - start
"""
        space: Names = used | {"clock": time.perf_counter_ns, "repeat": repeat}
        exec(source, space)  # noqa: S102 -- this file's own text
        self.run: Callable[[int], int] = space["run"]
        self.ns: list[float] = []
        self.calls = 0

    def estimate(self) -> None:
        """Find how many calls fill a block, warm from here on."""
        self.run(200)
        self.calls = int(min(1e5, max(20.0, BLOCK_NS / (self.run(1000) / 1000))))

    def measure(self) -> None:
        """Add a block."""
        self.ns.append(self.run(self.calls) / self.calls)


def checked(statement: str, names: Names, column: str) -> None:
    """Make one call and stop where it did not do what it should."""
    space = names | {"returned": None}
    space["c"][:] = 0
    text = statement if "returned" in statement or column not in "de" else f"returned = {statement}"
    exec(text, space)  # noqa: S102 -- this file's own text
    if column in EXPECTED and not eval(EXPECTED[column], space):
        sys.exit(f"{statement} is wrong: {space['returned']}, {space['c']}")


def cases(rows: list[str]) -> Iterator[tuple[str, Case]]:
    """Yield the cases of rows, each checked, and the loop that all of them have in common."""
    yield EMPTY, Case("pass", {})
    for row in rows:
        found, calls = ROWS[row]()
        names = found | arguments()
        for column, statement in calls.items():
            checked(statement, names, column)
            yield f"{row}:{column}", Case(statement, names)


def timed(all_cases: dict[str, Case], rounds: int) -> dict[str, list[float]]:
    """Measure blocks of all cases in turn, each round starting one case later: nobody always follows the same one."""
    in_turn = list(all_cases.values())
    for case in in_turn:
        case.estimate()
    for r in range(rounds):
        for k in range(len(in_turn)):
            in_turn[(k + r) % len(in_turn)].measure()
    return {name: case.ns for name, case in all_cases.items()}


def counted(all_cases: dict[str, Case], calls: int) -> None:
    """Under callgrind: make one dump a case."""
    callgrind = ctypes.CDLL(str(Path(sys.argv[1], "libcallgrind.so")))
    for case in all_cases.values():
        case.run(200)
    callgrind.count_on()
    for name, case in all_cases.items():
        case.run(50)  # what callgrind counts for the first time costs it a translation, not the program instructions
        callgrind.count_from_zero()
        case.run(calls)
        callgrind.count_dump(name.replace(" ", "_").encode())


def main(folder: str, mode: str, number: str, *rows: str) -> None:
    """Do what the command line says."""
    sys.path[:0] = [folder]
    all_cases = dict(cases(list(rows)))
    if mode == "time":
        print(json.dumps(timed(all_cases, int(number))))
    elif mode == "count":
        counted(all_cases, int(number))


if __name__ == "__main__":
    main(*sys.argv[1:])
