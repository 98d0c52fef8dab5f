"""Attaching a library to its module at the first call: imported, found where it was, compared with what was exported."""

from __future__ import annotations

import importlib
import shutil
from typing import TYPE_CHECKING

import pytest
from programs import Project
from starting import DONE, MAIN, MODEL, compiled, outcome, outcomes

from py2f.errors import Status

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def ready(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A compiled program, whose module each test writes anew."""
    return compiled(Project(tmp_path_factory.mktemp("attach") / "project"))


def changed(project: Project, model: str) -> Project:
    """Write the module anew; two versions of one second and one size would be the same to Python's cache."""
    shutil.rmtree(project.folder / "__pycache__", ignore_errors=True)
    return project.write(model_py=model)


def test_a_module_that_is_gone_is_named_with_its_file(ready: Project) -> None:
    """As it was at the export."""
    origin = changed(ready, MODEL).folder / "model.py"
    origin.unlink()
    message = f"ModuleNotFoundError: No module named 'model'; at export it was {origin}: restore it, or run py2f.export again"
    assert outcome(ready) == (Status.IMPORT_FAILED, message)


def test_a_module_that_raises_at_import_is_an_error_of_the_import(ready: Project) -> None:
    """Type and text of the exception."""
    changed(ready, MODEL + "raise RuntimeError('no such table: albedo')\n")
    assert outcome(ready) == (Status.IMPORT_FAILED, "RuntimeError: no such table: albedo")


def test_a_module_that_needs_a_missing_module_says_which(ready: Project) -> None:
    """Not confused with a module that is gone itself."""
    changed(ready, "import albedo_tables\n" + MODEL)
    assert outcome(ready) == (Status.IMPORT_FAILED, "ModuleNotFoundError: No module named 'albedo_tables'")


def test_a_syntax_error_is_an_error_of_the_import(ready: Project) -> None:
    """With the line."""
    changed(ready, MODEL + "def broken(:\n")
    assert outcome(ready) == (Status.IMPORT_FAILED, "SyntaxError: invalid syntax (model.py, line 7)")


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("import sys; sys.exit(0)", "SystemExit: 0"),
        ("raise KeyboardInterrupt", "KeyboardInterrupt"),
        ("exit()", "SystemExit: None"),
    ],
)
def test_a_module_that_exits_at_import_does_not_end_the_model(ready: Project, statement: str, message: str) -> None:
    """Least of all with success."""
    changed(ready, MODEL + statement + "\n")
    assert outcome(ready) == (Status.IMPORT_FAILED, message)


def test_an_import_that_failed_is_tried_again_at_the_next_call(ready: Project) -> None:
    """A file system may come back."""
    changed(ready, f"from pathlib import Path\n{MODEL}\nmark = Path(__file__).with_name('mark')\nif not mark.exists():\n"
                       "    mark.touch()\n    raise OSError('stale file handle')\n")  # fmt: skip
    assert outcomes(ready, "again", "again") == [(Status.IMPORT_FAILED, "OSError: stale file handle"), DONE, DONE]


def test_a_module_that_is_found_elsewhere_is_refused(tmp_path: Path) -> None:
    """Both files are named."""
    project = Project(tmp_path / "project", environment={"PYTHONPATH": f"{tmp_path}/first:{tmp_path}/second"})
    for folder in ("first", "second"):
        Project(tmp_path / folder).write(other_py="", model_py=MODEL)
    (tmp_path / "first" / "model.py").rename(tmp_path / "first" / "kept")
    project.module = "model"
    project.write(main_f90=MAIN, used_py="")
    (tmp_path / "second" / "model.py").write_text("import other\n" + MODEL, encoding="utf-8")
    project.export()
    project.compile()
    assert outcome(project) == DONE
    (tmp_path / "first" / "kept").rename(tmp_path / "first" / "model.py")
    now, then = (tmp_path / folder / "model.py" for folder in ("first", "second"))
    message = f"model is {now} now, but model_py was exported from {then}: run py2f.export again"
    assert outcome(project) == (Status.IMPORT_FAILED, message)


def test_modules_from_pythonpath_at_the_export_are_found_without_it(tmp_path: Path) -> None:
    """What a loaded module came from is recorded, and comes first at run time."""
    library = Project(tmp_path / "library").write(constants_py="FACTOR = 2.0\n", late_py="")
    project = Project(tmp_path / "project", environment={"PYTHONPATH": f"{tmp_path}/unused:{library.folder}"})
    model = MODEL.replace("\n\n@", "\nimport constants\n\n@")
    model = model.replace("return 2 * x", "import late\n    return constants.FACTOR * x")
    compiled(project, model)
    assert outcome(project) == DONE
    site = (project.folder / "build" / "src" / "model_py_site.h").read_text(encoding="utf-8")
    assert site.splitlines()[-1] == f'#define PY2F_PATH "{project.folder}", "{library.folder}",'


def test_a_module_of_a_package_is_attached(project: Project) -> None:
    """The library is called like the last part."""
    project.module = "physics.model"
    (project.folder / "physics").mkdir(parents=True)
    (project.folder / "physics" / "__init__.py").touch()
    (project.folder / "physics" / "model.py").write_text(MODEL, encoding="utf-8")
    project.write(main_f90=MAIN)
    project.export()
    project.compile()
    assert outcome(project) == DONE


# ---- names that mean something else in a Fortran program


@pytest.mark.parametrize("name", ["calendar", "io", "zoneinfo"])
def test_a_module_called_like_one_of_the_standard_library_is_refused_at_export(project: Project, name: str) -> None:
    """Whether or not Python has imported that one already."""
    project.module = name
    project.write(**{f"{name}_py": MODEL})
    done = project.export(check=False)
    place = importlib.import_module(name).__file__
    message = f"py2f: {project.folder}/{name}.py: in a Fortran program the name '{name}' means {place}; rename the module\n"
    assert (done.returncode, done.stderr) == (1, message)


def test_a_name_of_the_standard_library_is_refused_where_python_searches_the_current_directory_first(project: Project) -> None:
    """As it does unless PYTHONSAFEPATH is set."""
    project.module, project.environment = "calendar", {"PYTHONSAFEPATH": ""}
    done = project.write(calendar_py=MODEL).export(check=False)
    place = importlib.import_module("calendar").__file__
    message = f"py2f: {project.folder}/calendar.py: in a Fortran program the name 'calendar' means {place}; rename the module\n"
    assert (done.returncode, done.stderr) == (1, message)


@pytest.mark.parametrize("name", ["cffi", "xdist"])
def test_a_module_called_like_an_installed_package_is_refused_at_export(project: Project, name: str) -> None:
    """Whether or not Python has imported that one already."""
    project.module = name
    project.write(**{f"{name}_py": MODEL})
    done = project.export(check=False)
    place = importlib.import_module(name).__file__
    message = f"py2f: {project.folder}/{name}.py: in a Fortran program the name '{name}' means {place}; rename the module\n"
    assert (done.returncode, done.stderr) == (1, message)


# ---- the signature has changed


def test_what_is_added_compatibly_needs_no_new_export(ready: Project) -> None:
    """A new function, and a new last argument with a default."""
    new = "\n\n@export_to_fortran\ndef new(x: f64) -> None:\n    pass\n"
    changed(ready, MODEL.replace("x: f64)", "x: f64, factor: f64 = 2.0)").replace("2 * x", "factor * x") + new)
    assert outcome(ready) == DONE


def test_another_order_of_functions_needs_no_new_export(project: Project) -> None:
    """They are found by name."""
    first = "@export_to_fortran\ndef first(x: f64) -> f64:\n    return 0 * x\n\n\n"
    compiled(project, MODEL + "\n\n" + first)
    project.write(model_py=MODEL.replace("@export", first + "@export"))
    assert outcome(project) == DONE


NEW = " (a new argument must come last and have a default)"


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("x: f64", "x: f32", "'scaled' was (x: f64) -> f64, is (x: f32) -> f64"),
        ("-> f64", "-> f32", "'scaled' was (x: f64) -> f64, is (x: f64) -> f32"),
        ("x: f64", "z: f64", "'scaled' was (x: f64) -> f64, is (z: f64) -> f64"),
        ("x: f64", "x: f64[:]", "'scaled' was (x: f64) -> f64, is (x: f64[:]) -> f64"),
        (
            "x: f64",
            "x: f64, factor: f64",
            "'scaled' was (x: f64) -> f64, is (x: f64, factor: f64) -> f64" + NEW,
        ),
        (
            "x: f64",
            "factor: f64, x: f64",
            "'scaled' was (x: f64) -> f64, is (factor: f64, x: f64) -> f64" + NEW,
        ),
        ("def scaled", "def renamed", "'scaled' is gone"),
        ("@export_to_fortran\n", "", "'scaled' is gone"),
    ],
    ids=["type", "result", "name", "rank", "added", "order", "removed", "not exported"],
)
def test_a_signature_that_changed_since_the_export_is_an_error(ready: Project, before: str, after: str, message: str) -> None:
    """What was, and what is."""
    model = MODEL.replace("import export_to_fortran, f64", "import export_to_fortran, f32, f64")
    assert before in model
    changed(ready, model.replace(before, after))
    expected = f"model has changed since py2f.export: {message}; run py2f.export again and compile the program anew"
    assert outcome(ready) == (Status.SIGNATURE_CHANGED, expected)


def test_a_program_does_not_start_with_a_library_of_another_signature(project: Project) -> None:
    """The library's name at run time ends in the hash of its signatures."""
    compiled(project)
    library = next((project.folder / "build" / "lib").glob("libmodel_py.so.*")).name
    project.write(model_py=MODEL.replace("x: f64)", "x: f64, factor: f64 = 2.0)")).export()
    done = project.run()
    assert done.returncode == 127
    assert done.stdout == ""
    assert f"error while loading shared libraries: {library}: cannot open shared object file" in done.stderr
