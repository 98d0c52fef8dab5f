"""`py2f diff`: two contracts, argument by argument; and that the run time is of the same opinion."""

from __future__ import annotations

import itertools
import json
import os
import shutil
from typing import TYPE_CHECKING

import pytest
from programs import Project, run

if TYPE_CHECKING:
    import subprocess
    from pathlib import Path

HEAD = (
    "from __future__ import annotations\nfrom typing import NamedTuple\nfrom py2f import InOut, export_to_fortran, f32, f64\n\n"
)
MODEL = HEAD + "@export_to_fortran\ndef scaled(x: f64, y: f64[:], z: f64 = 2.0) -> f64:\n    return z * x * y.sum()\n"
MAIN = """\
program main
  use model_py, only: scaled
  implicit none
  double precision :: y(2), r
  integer :: stat
  y = 1
  r = scaled(3d0, y, stat=stat)
  print '(i0, f5.1)', stat, r
end program main
"""
OTHER = "\n@export_to_fortran\ndef other() -> None: ...\n"
SAME, COMPATIBLE, BREAKING = (
    "the same\n",
    "compatible: programs need no change\n",
    "breaking: programs have to be compiled anew, or changed\n",
)
CASES = {  # what is in the model, what comes in its place, the status, what is said
    "nothing": ("x: f64", "x: f64", 0, []),
    "the body": ("return z", "return 0 + z", 0, []),
    "a docstring": ("    return", '    """Scale."""\n    return', 0, []),
    "a new function": ("@export", OTHER.replace("@export", "@export", 1) + "@export", 1, ["compatible  other: is new"]),
    "a new default": ("z: f64 = 2.0", "z: f64 = 2.0, a: f64 = 1.0", 1, ["compatible  scaled: argument 'a' (f64 | None) is new"]),
    "a new argument": (", z: f64 = 2.0", ", z: f64 = 2.0, *, a: f64", 2, ["breaking    scaled: argument 'a' (f64) is new"]),
    "one that Python needs": (
        ", z: f64 = 2.0",
        ", z: f64 = 2.0, *, a: f64 | None",
        2,
        ["breaking    scaled: argument 'a' (f64 | None) is new"],
    ),
    "a kind": ("x: f64", "x: f32", 2, ["breaking    scaled: argument 'x' was f64, is f32"]),
    "a rank": ("y: f64[:]", "y: f64[:, :]", 2, ["breaking    scaled: argument 'y' was f64[:], is f64[:, :]"]),
    "an intent": ("y: f64[:]", "y: InOut[f64[:]]", 2, ["breaking    scaled: argument 'y' was f64[:], is InOut[f64[:]]"]),
    "no default any more": ("z: f64 = 2.0", "z: f64", 2, ["breaking    scaled: argument 'z' was f64 | None, is f64"]),
    "a name": ("x: f64", "w: f64", 2, ["breaking    scaled: argument 1 was 'x' (f64), is 'w' (f64)"]),
    "one less": (", z: f64 = 2.0) -> f64:\n", ") -> f64:\n    z = 2\n", 2, ["breaking    scaled: argument 'z' is gone"]),
    "the result": ("-> f64", "-> f32", 2, ["breaking    scaled: the result was f64, is f32"]),
    "no result": ("-> f64", "-> None", 2, ["breaking    scaled: the result was f64, is None"]),
    "the function": ("def scaled", "def scale", 2, ["breaking    scaled: is gone", "compatible  scale: is new"]),
}


def diff(project: Project, *words: str) -> subprocess.CompletedProcess[str]:
    """Run the command ``py2f diff``."""
    command = [project.python, "-c", "from py2f.cli import main; raise SystemExit(main())", "diff", *words]
    return run(command, cwd=project.folder, check=False)


def contract(project: Project, name: str, text: str) -> str:
    """What `py2f show` prints for a model."""
    shutil.rmtree(project.folder / "__pycache__", ignore_errors=True)  # of a text as long, of the same second
    project.write(model_py=text)
    command = [project.python, "-c", "from py2f.cli import main; raise SystemExit(main())", "show", "model", "--what", "json"]
    shown = run(command, cwd=project.folder, env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}).stdout
    (project.folder / name).write_text(shown, encoding="utf-8")
    return name


@pytest.fixture(scope="module")
def ready(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A program, compiled against the model as it was."""
    project = Project(tmp_path_factory.mktemp("diff") / "project").write(model_py=MODEL, main_f90=MAIN)
    project.export()
    project.compile()
    return project


@pytest.mark.parametrize("case", CASES)
def test_a_change_is_weighed_as_the_run_time_weighs_it(ready: Project, case: str) -> None:
    """The lines, the status; and a program that was compiled before goes on, or is told that the signature has changed."""
    before, after, status, lines = CASES[case]
    assert before in MODEL
    done = diff(ready, contract(ready, "old.json", MODEL), contract(ready, "new.json", MODEL.replace(before, after)))
    assert (done.returncode, done.stderr) == (status, "")
    assert done.stdout == (SAME, COMPATIBLE, BREAKING)[status] + "".join(f"  {line}\n" for line in lines)
    assert ready.run().stdout[0] == ("6" if status == 2 else "0")


def test_the_way_back_is_weighed_too(ready: Project) -> None:
    """What is new there is gone here; an optional argument that goes is missed."""
    names = [contract(ready, f"{n}.json", text) for n, text in enumerate((MODEL, MODEL + OTHER))]
    assert [diff(ready, *pair).returncode for pair in itertools.product(names, names)] == [0, 1, 2, 0]


def test_json(ready: Project) -> None:
    """For programs."""
    names = contract(ready, "old.json", MODEL), contract(ready, "new.json", MODEL.replace("x: f64", "x: f32"))
    said = json.loads(diff(ready, *names, "--json").stdout)
    change = {"of": "scaled", "change": "argument 'x' was f64, is f32", "breaking": True}
    assert said == {"verdict": "breaking", "changes": [change]}


def test_what_a_program_names_is_part_of_the_contract(ready: Project, tmp_path: Path) -> None:
    """The library, the Fortran module of a procedure, and what it is called there."""
    old = json.loads((ready.folder / contract(ready, "old.json", MODEL)).read_text(encoding="utf-8"))
    new = json.loads(json.dumps(old))
    new["library"] = "other_py"
    new["procedures"][0] |= {"use": "other_py", "fortran": "scaled_"}
    new["host"] = [{"name": "halo", "fortran": "provide_halo", "use": "other_py", "arguments": [], "returns": "None"}]
    (tmp_path / "new.json").write_text(json.dumps(new), encoding="utf-8")
    assert diff(ready, "old.json", str(tmp_path / "new.json")).stdout.splitlines()[1:] == [
        "  breaking    the library: was model_py, is other_py",
        "  breaking    scaled: was scaled of module model_py, is scaled_ of module other_py",
        "  compatible  the host procedure halo: is new",
    ]


@pytest.mark.parametrize("text", ["{}", "[]", "no json", '{"library": "x", "procedures": [1], "host": []}'])
def test_what_is_no_contract_is_neither_same_nor_different(ready: Project, text: str) -> None:
    """Status 3."""
    (ready.folder / "other.json").write_text(text, encoding="utf-8")
    done = diff(ready, "other.json", "other.json")
    message = "py2f: other.json is no contract: take lib/<name>.json of a prefix, or what py2f show --what json prints\n"
    assert (done.returncode, done.stdout, done.stderr) == (3, "", message)
    done = diff(ready, "nowhere.json", "other.json")
    assert (done.returncode, done.stderr) == (3, "py2f: nowhere.json cannot be read: No such file or directory\n")
