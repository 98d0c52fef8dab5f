"""Run a batch: export, compile, run, and compare Fortran and the bridge with plain Python, bit for bit."""

from __future__ import annotations

import json
import os
import pickle
import shutil
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from batch_files import Outcome, Stream, dummies, inputs, model_text, plans_text, program_text, written
from batches import Array, Batch
from programs import Project, run

if TYPE_CHECKING:
    from batches import Argument, Call, Function, Value

SUPPORT = Path(__file__).parent


def fflags(compiler: str) -> list[str]:
    """Quickly compiled, and checked as far as the compiler can."""
    return ["-O0", "-fcheck=all"] if compiler.startswith("gfortran") else ["-O0"]


def failures(batch: Batch, folder: Path, compiler: str) -> list[tuple[int, str]]:
    """What differs, each with the number of its function; a program that ends early is a failure of the batch, number -1."""
    project = Project(folder, compiler=compiler)
    shutil.rmtree(folder, ignore_errors=True)
    project.write(model_py=model_text(batch), batch_json=plans_text(batch))
    shutil.copy(SUPPORT / "batch_actor.py", folder)
    (folder / "inputs").write_bytes(inputs(batch))
    (folder / "task.pickle").write_bytes(pickle.dumps({"batch": batch, "compiler": compiler, "fflags": fflags(compiler)}))
    try:
        return _failures(batch, project)
    except AssertionError as error:
        return [(-1, str(error))]


def _failures(batch: Batch, project: Project) -> list[tuple[int, str]]:
    folder = project.folder
    project.export(f"--fflags={' '.join(fflags(project.compiler))}")
    generic = [p["fortran"] for p in json.loads((folder / "build" / "lib" / "model_py.json").read_text())["procedures"]]
    source = (folder / "build" / "src" / "model_py.f90").read_text(encoding="utf-8")
    project.write(main_f90=program_text(batch, generic, dummies(source)))
    project.compile("-O0")
    done = project.run(str(folder), env={"MALLOC_PERTURB_": "165"})  # fresh memory is not zero
    assert (done.returncode, done.stderr) == (0, ""), f"the program ended with {done.returncode}: {done.stderr}{done.stdout}"
    run([sys.executable, str(SUPPORT / "batch_child.py"), str(folder)], cwd=folder)
    return list(_differences(batch, folder))


def _differences(batch: Batch, folder: Path) -> Any:
    ways, notes = pickle.loads((folder / "done.pickle").read_bytes())  # noqa: S301  our own
    seen = folder / "seen.pickle"  # no call may have reached Python
    notes["Fortran"] = pickle.loads(seen.read_bytes()) if seen.exists() else {}  # noqa: S301
    stream, index = Stream((folder / "outputs").read_bytes()), 0
    for number, f in enumerate(batch.functions):
        for way in ("Fortran", "bridge"):
            yield from (
                (number, f"{way}: {text}") for text in _noted(f, notes["plain"].get(number, []), notes[way].get(number, []), way)
            )
        for k, call in enumerate(f.calls):
            plain, outcomes = ways["plain"][index], {"Fortran": written(f, call, stream), "bridge": ways["bridge"][index]}
            index += 1
            for way, outcome in outcomes.items():
                yield from ((number, f"{way}, call {k}: {text}") for text in _compared(f, plain, outcome, way))
    if not stream.over:
        yield -1, "the program wrote too much"


def _noted(f: Function, plain: list[Any], other: list[Any], way: str) -> list[str]:
    """What Python received."""
    if len(plain) != len(other):
        return [f"{len(other)} calls reached Python, not {len(plain)}"]
    found = []
    for a in f.arguments:
        for k, ((values, strides), (others, their_strides)) in enumerate(zip(plain, other, strict=True)):
            if values[a.name] != others[a.name]:
                found.append(f"at call {k} '{a.name}' arrived as {others[a.name]}, not {values[a.name]}")
            copied = isinstance(a.form, Array) and (way, a.form.kind.name) == ("bridge", "b32")
            # gfortran makes a copy, flang none
            copied |= way == "Fortran" and any(v.before or (v.layout and v.layout.component) for v in _of(f, a))
            if strides[a.name] != their_strides[a.name] and not copied:
                found.append(f"at call {k} '{a.name}' has strides {their_strides[a.name]}, not {strides[a.name]}")
    return found


def _of(f: Function, a: Argument) -> list[Value]:
    return [call.values[f.arguments.index(a)] for call in f.calls]


def _compared(f: Function, plain: Outcome, outcome: Outcome, way: str) -> list[str]:
    found = [
        f"{what} is {getattr(outcome, what)!r}, not {getattr(plain, what)!r}"
        for what in ("status", "message", "result")
        if getattr(outcome, what) != getattr(plain, what)
    ]
    for i, should in plain.arrays.items():
        a, is_ = f.dummies[i], outcome.arrays[i]
        narrow = isinstance(a.form, Array) and a.form.kind.name == "b32" and way == "bridge"
        step = 4 if narrow else 1  # it goes by arrays of bool
        if is_[::step] != should[::step]:
            found.append(f"'{a.name}' is {is_!r} afterwards, not {should!r}")
    return found


def report(batch: Batch, found: list[tuple[int, str]], folder: Path, compiler: str, number: int) -> str:
    """What failed, reduced to one function where that fails alone as well."""
    rows = [f"batch {number} with {compiler}: {len(found)} failures, kept in {folder}"]
    rows.append(f"again: TORTURE_SEED={number} TORTURE_FC={compiler} make torture-types")
    culprits = sorted({n for n, _ in found if n >= 0}) or _halved(batch, folder, compiler)
    for n in culprits[:3]:
        f = batch.functions[n]
        rows.append(f"\ndef {f.name}{f.text}")
        rows += [f"  {text[:600]}" for m, text in found if m == n][:6]
        rows += [f"  call {k}: {_shown(c)}" for k, c in enumerate(f.calls)]
    rows += [text[max(0, text.find("FAILED")) :][:3000] for n, text in found if n < 0]
    return "\n".join(rows)


def _halved(batch: Batch, folder: Path, compiler: str) -> list[int]:
    """Which function makes an export, a compilation or a run fail."""
    numbers = list(range(len(batch.functions))) if os.environ.get("TORTURE_REDUCE", "yes") == "yes" else []
    while len(numbers) > 1:
        middle = len(numbers) // 2
        halves = numbers[:middle], numbers[middle:]
        failing = [
            h for h in halves if failures(Batch(tuple(batch.functions[n] for n in h)), folder.with_name("reduced"), compiler)
        ]
        if not failing:
            break
        numbers = failing[0]
    return numbers


def _shown(call: Call) -> str:
    return str(replace(call, values=tuple(replace(v, content=v.content[:32]) for v in call.values)))
