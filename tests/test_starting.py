"""How Python starts in a Fortran program: its level of optimization, variables, and what is called before the first call."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest
from programs import Project, run
from starting import DONE, GREETED, GREETING, MAIN, MODEL, compiled, outcome, outcomes

from py2f.errors import Status
from py2f.runtime.starting import call_once

LEVEL = GREETING.format(body='    """Be here at level 1."""\n    return f"{sys.flags.optimize} {__debug__} {greet.__doc__}"')
LEVEL = f"import sys\n{LEVEL}"
SHOWN = {0: "0 True Be here at level 1.\n", 1: "1 False Be here at level 1.\n", 2: "2 False None\n"}
SEEN = 'import os\n{}\nseen = os.environ.get("{}", "none")\n'
FAKE_GT4PY = "import os\nHAS = {name: os.environ.get(name) for name in ('GT4PY_BUILD_CACHE_DIR', 'GT4PY_BUILD_CACHE_LIFETIME')}\n"


def started(project: Project, model: str, *options: str) -> Project:
    """Export with options and compile a program that prints what `greet` returns."""
    project.write(model_py=model, main_f90=GREETED)
    project.export(*options)
    project.compile()
    return project


def refused(project: Project, *options: str) -> str:
    """What an export with these options says instead."""
    project.write(model_py=MODEL)
    done = project.export(*options, check=False)
    assert done.returncode == 1, done.stdout
    return done.stderr


# ---- the level of optimization


@pytest.mark.parametrize("level", [0, 1, 2])
def test_the_level_of_the_export_is_that_of_the_program(project: Project, level: int) -> None:
    """As python, python -O and python -OO."""
    done = started(project, LEVEL, "--optimize", str(level)).run()
    assert (done.stdout, done.stderr) == (SHOWN[level], "")


@pytest.mark.parametrize("level", [0, 1, 2])
def test_py2f_optimize_overrides_the_level_of_the_export(project: Project, level: int) -> None:
    """Without a word: it was asked for."""
    done = started(project, LEVEL, "--optimize", str((level + 1) % 3)).run(env={"PY2F_OPTIMIZE": str(level)})
    assert (done.stdout, done.stderr) == (SHOWN[level], "")


def test_an_export_without_a_level_starts_python_as_it_is(project: Project) -> None:
    """And nothing is compiled ahead."""
    project = started(project, LEVEL)
    assert project.run(env={"PY2F_OPTIMIZE": ""}).stdout == SHOWN[0]
    assert not list(project.folder.rglob("*.opt-*.pyc"))


@pytest.mark.parametrize("level", ["3", "-1", "OO", "22"])
def test_a_level_that_does_not_exist_is_refused(project: Project, level: str) -> None:
    """By the program as by the export."""
    message = f"PY2F_OPTIMIZE must be 0, 1 or 2, not '{level}'"
    assert outcome(compiled(project), {"PY2F_OPTIMIZE": level}) == (Status.NOT_STARTED, message)
    done = project.export(f"--optimize={level}", check=False)
    assert done.returncode == 2
    assert "argument --optimize: invalid" in done.stderr


def two_libraries(folder: Path, first: tuple[str, ...], second: tuple[str, ...]) -> Project:
    """A program that calls a library exported with the options `first`, then twice one with `second`."""
    one, other = Project(folder / "one"), Project(folder / "two", module="second")
    one.write(model_py=MODEL).export(*first)
    main = MAIN.replace("use model_py, only: scaled", "use model_py, only: first => scaled\n  use second_py, only: scaled")
    other.write(second_py=MODEL, main_f90=main.replace("do i = 1", "y = first(1.0_real64)\n  do i = 1"))
    other.export(*second)
    other.compile(f"-I{one.folder}/build/mod", "-Wl,--no-as-needed", f"-L{one.folder}/build/lib", f"-Wl,-rpath,{one.folder}/build/lib",
                  "-lmodel_py")  # fmt: skip
    return other


def test_a_second_library_that_wants_another_level_is_told_so_once(tmp_path: Path) -> None:
    """One Python a process: the first one decides."""
    project = two_libraries(tmp_path, (), ("--optimize", "2"))
    done = project.run("again")
    said = (
        "RuntimeWarning: second_py wants Python with optimize=2, but the one of this process was started before, "
        "with optimize=0: set PY2F_OPTIMIZE, or start python with -O or -OO"
    )
    assert (done.returncode, done.stdout.count("0   6.0")) == (0, 2)
    assert [line.partition("py:")[2].partition(" ")[2] for line in done.stderr.splitlines() if "Warning" in line] == [said]
    done = project.run(env={"PY2F_OPTIMIZE": "2"})
    assert (done.returncode, done.stderr) == (0, "")


def test_a_second_library_that_wants_no_level_takes_what_is_there(tmp_path: Path) -> None:
    """It has not asked."""
    done = two_libraries(tmp_path, ("--optimize", "2"), ()).run()
    assert (done.returncode, done.stderr) == (0, "")


def test_a_python_that_runs_already_is_told_so(project: Project) -> None:
    """The host is Python itself."""
    project.write(model_py=MODEL)
    code = "import py2f\nprint(py2f.bridge('model').call('scaled', 3.0))"
    done = run([sys.executable, "-c", f"import sys; sys.path.insert(0, '.')\n{code}"], cwd=project.folder,
               env={**os.environ, "PY2F_OPTIMIZE": "2"})  # fmt: skip
    assert done.stdout == "6.0\n"
    assert "model_py wants Python with optimize=2, but the one of this process was started before, with optimize=0" in done.stderr


def test_a_second_library_of_another_layout_is_refused(tmp_path: Path) -> None:
    """Its site ends before the members that were appended: nothing of it is read."""
    project = two_libraries(tmp_path, (), ())
    source = project.folder / "build" / "src"
    for name, old, new in [("py2f_table.h", "LAYOUT 3", "LAYOUT 1"), ("second_py.c", "PY2F_OPTIMIZE, environment, start", "")]:
        text = (source / name).read_text(encoding="utf-8")
        assert old in text
        (source / name).write_text(text.replace(old, new), encoding="utf-8")
    library = next((project.folder / "build" / "lib").glob("libsecond_py.so.*"))
    sources = ["py2f.f90", "second_py.f90", "second_py.c"]
    command = ["gfortran", "-shared", "-fPIC", *sources, "../lib/libpy2f.so.1", f"-Wl,-soname,{library.name},-rpath,$ORIGIN"]
    run([*command, "-o", str(library)], cwd=source)
    message = f"{library} has layout 1, py2f of {sys.executable} has 3: run py2f.export again"
    assert outcome(project) == (Status.NOT_STARTED, message)


def test_bytecode_of_the_level_is_written_at_the_export(project: Project) -> None:
    """Python of one level does not use what another one has written: each start would compile all modules."""
    project.write(model_py=MODEL + "import used\n", used_py="")
    project.export("--optimize", "2")
    names = {path.name for path in (project.folder / "__pycache__").iterdir()}
    tag = sys.implementation.cache_tag
    assert {f"model.{tag}.opt-2.pyc", f"used.{tag}.opt-2.pyc"} <= names


def test_bytecode_that_cannot_be_written_is_no_error(project: Project) -> None:
    """Site packages are often read-only."""
    project.write(model_py=MODEL, main_f90=MAIN)
    (project.folder / "__pycache__").write_text("no folder", encoding="utf-8")
    done = project.export("--optimize", "2")
    assert done.stderr == ""
    project.compile()
    assert outcome(project) == DONE


def test_what_is_delivered_is_found_without_docstrings(project: Project) -> None:
    """A program that may not compile: level 2 has no docstrings, in stubs as elsewhere."""
    project.write(
        twice_f90="double precision function twice(x)\n  double precision, intent(in) :: x\n  twice = 2*x\nend function twice\n",
        calls_py="from py2f import f64, pythoncall\n\n\n@pythoncall(source='twice.f90')\n"
        'def twice(x: f64) -> f64:\n    """Double."""\n',
        model_py=MODEL.replace("return 2 * x", "from calls import twice\n    return twice(x)").replace("from", "import calls\nfrom", 1),
        main_f90=MAIN,
    )  # fmt: skip
    project.export("--optimize", "2")
    project.compile()
    assert outcome(project, {"PATH": "/nowhere", "PY2F_CACHE_DIR": "/dev/null/cache"}) == DONE


# ---- what is called at the start

CALLED = GREETING.format(body="    return shim.said") + "\n\nimport shim\n\nshim.say('import')\n"
SHIM = """\
import sys

said = ""
def say(text):
    global said
    said += text + " "
def init(): say("init")
def late(): say("late")
def fails(): raise ValueError(f"no communicator in {said}")
def ends(): sys.exit(0)
class Of:
    class_ = staticmethod(lambda: say("Of.class_"))
"""


@pytest.fixture
def shim(project: Project) -> Project:
    """A project with a module whose functions may be called."""
    return project.write(shim_py=SHIM)


def test_functions_are_called_between_the_import_and_the_first_call(shim: Project) -> None:
    """In the order of the options, once; then those of the variable that were not among them."""
    options = ("--start", "shim:init", "--start", "shim:Of.class_", "--start", "shim:init")
    started(shim, CALLED, *options)
    assert shim.run().stdout.rstrip("\n").rstrip() == "import init Of.class_"
    assert shim.run(env={"PY2F_START": " shim:late,shim:init,"}).stdout.split() == ["import", "init", "Of.class_", "late"]


def test_a_function_is_called_once_whichever_library_names_it() -> None:
    """And an attachment may come back to itself, by way of Fortran."""
    calls: list[str] = []

    def again() -> None:
        calls.append("again")
        call_once(f"{__name__}:again")

    sys.modules.setdefault(__name__, sys.modules[test_a_function_is_called_once_whichever_library_names_it.__module__])
    setattr(sys.modules[__name__], "again", again)  # noqa: B010
    call_once(f"{__name__}:again")
    call_once(f"{__name__}:again")
    assert calls == ["again"]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("shim:fails", "ValueError: no communicator in import "),
        ("shim:ends", "SystemExit: 0"),
        ("shim:gone", "ExportError: shim:gone: shim has no 'gone'"),
        ("nowhere:init", "ModuleNotFoundError: No module named 'nowhere'"),
        ("shim", "ExportError: 'shim' is not MODULE:FUNCTION"),
    ],
)
def test_a_function_that_fails_is_named(shim: Project, call: str, message: str) -> None:
    """The library is not attached."""
    compiled(shim, MODEL + "import shim\nshim.say('import')\n")
    expected = (Status.IMPORT_FAILED, f"{call}, which is called at the start: {message}".rstrip())
    assert outcome(shim, {"PY2F_START": call}) == expected


def test_a_function_that_failed_is_called_again_at_the_next_call(project: Project) -> None:
    """As an import is; what succeeded is not."""
    project.write(shim_py="calls = []\ndef fine(): calls.append(0)\ndef fails():\n    assert calls == [0]\n    calls.append(1)\n"
                          "    raise OSError('not yet')\n", model_py=MODEL, main_f90=MAIN)  # fmt: skip
    project.export("--start", "shim:fine", "--start", "shim:fails")
    project.compile()
    first, second = outcomes(project, "again")
    assert first == (Status.IMPORT_FAILED, "shim:fails, which is called at the start: OSError: not yet")
    assert second == (Status.IMPORT_FAILED, "shim:fails, which is called at the start: AssertionError")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("shim", "'shim' is not MODULE:FUNCTION"),
        ("shim:", "'shim:' is not MODULE:FUNCTION"),
        (":init", "':init' is not MODULE:FUNCTION"),
        ("shim:init()", "'shim:init()' is not MODULE:FUNCTION"),
        ("shim:gone", "shim:gone: shim has no 'gone'"),
        ("shim:said", "shim:said is no function: it is a str"),
        ("nowhere.shim:init", "--start nowhere.shim:init: there is no module nowhere"),
    ],
)
def test_what_cannot_be_called_is_refused_at_the_export(shim: Project, call: str, message: str) -> None:
    """Not in the queue of the machine."""
    assert refused(shim, "--start", call) == f"py2f: {message}\n"


def test_a_module_of_a_start_that_lacks_another_says_which(shim: Project) -> None:
    """Not confused with one that is not there itself."""
    shim.write(shim_py="import nowhere\n")
    assert "ModuleNotFoundError: No module named 'nowhere'" in refused(shim, "--start", "shim:init")


# ---- variables


def test_variables_of_gt4py_are_recorded_at_the_export(project: Project) -> None:
    """And set before the module is imported, unless they are set."""
    project.environment["GT4PY_TRIED"] = "as \"in\" \\ 'a' shell=ü"
    started(project, SEEN.format(GREETING.format(body="    return seen"), "GT4PY_TRIED"))
    assert project.run().stdout == "as \"in\" \\ 'a' shell=ü\n"
    assert project.run(env={"GT4PY_TRIED": "other"}).stdout == "other\n"
    assert project.run(env={"GT4PY_TRIED": ""}).stdout == "\n"


def test_other_variables_are_recorded_by_name(project: Project) -> None:
    """With a value of their own, or the one of the export."""
    project.environment |= {"OMP_PLACES": "cores", "UNASKED": "1"}
    body = "    return ' '.join(f'{n}={v}' for n, v in sorted(os.environ.items()) if n.startswith(('OMP', 'UN', 'EMPTY')))"
    started(
        project,
        f"import os\n{GREETING.format(body=body)}",
        "--env",
        "OMP_NUM_THREADS=1",
        "--env",
        "OMP_PLACES",
        "--env",
        "EMPTY=",
    )
    assert project.run(env={"OMP_NUM_THREADS": "2"}).stdout == "EMPTY= OMP_NUM_THREADS=2 OMP_PLACES=cores\n"


def test_the_export_says_how_python_starts(shim: Project) -> None:
    """Where it says anything of it."""
    shim.write(model_py=MODEL)
    assert "starts with" not in shim.export().stdout
    options = ("--optimize", "1", "--env", "OMP_NUM_THREADS=1", "--start", "shim:init")
    assert "\nstarts with optimize=1, OMP_NUM_THREADS=1, shim:init()\nuse model_py" in shim.export(*options).stdout


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("NOT_SET", "--env NOT_SET: this variable is not set; say --env NOT_SET=VALUE"),
        ("=1", "--env '=1' is neither NAME nor NAME=VALUE"),
        ("A B=1", "--env 'A B=1' is neither NAME nor NAME=VALUE"),
        ("PY2F_OPTIMIZE=2", "--env PY2F_OPTIMIZE would come too late: Python runs by then; see --optimize and --start"),
        ("PYTHONPATH=/a", "--env PYTHONPATH would come too late: Python runs by then; see --optimize and --start"),
    ],
)
def test_what_is_no_variable_is_refused(project: Project, given: str, message: str) -> None:
    """At the export."""
    assert refused(project, "--env", given) == f"py2f: {message}\n"


# ---- where GT4Py keeps what it compiles


@pytest.fixture
def granule(project: Project) -> Project:
    """A module that imports something of GT4Py's name, with a cache of its own."""
    project.environment = {"PY2F_CACHE_DIR": str(project.folder / "cache")}
    body = "    return ' '.join([*map(str, gt4py.HAS.values()), os.environ.get('PATH', '')])"
    model = f"import gt4py\nimport os\n{GREETING.format(body=body)}"
    return started(project.write(gt4py_py=FAKE_GT4PY), model)


def test_gt4py_keeps_its_cache_beside_ours(granule: Project) -> None:
    """It is made at the export, again at the start, and GT4Py finds the cmake of its environment."""
    folder = granule.folder / "cache" / "gt4py"
    assert folder.is_dir()
    shutil.rmtree(granule.folder / "cache")
    tools = Path(sys.executable).parent
    assert granule.run().stdout == f"{folder} persistent {os.defpath}:{tools}\n"
    assert folder.is_dir()
    assert granule.run(env={"PATH": f"{tools}:/bin"}).stdout == f"{folder} persistent {tools}:/bin\n"


def test_gt4py_keeps_its_cache_where_the_user_says(granule: Project) -> None:
    """At the run, else at the export; a folder that was relative is the one of the export."""
    other = granule.folder / "other"
    assert granule.run(env={"GT4PY_BUILD_CACHE_DIR": str(other)}).stdout.startswith(f"{other} persistent ")
    assert other.is_dir()
    granule.environment |= {"GT4PY_BUILD_CACHE_DIR": "own", "GT4PY_BUILD_CACHE_LIFETIME": "session"}
    granule.export()
    assert granule.run().stdout.startswith(f"{granule.folder}/own session ")


def test_a_folder_that_cannot_be_made_lets_gt4py_do_without(granule: Project) -> None:
    """It is said, and GT4Py does not fail at its first program."""
    shutil.rmtree(granule.folder / "cache")
    (granule.folder / "cache").write_text("no folder", encoding="utf-8")
    done = granule.run()
    folder = granule.folder / "cache" / "gt4py"
    assert done.stdout.startswith(f"{folder} session ")
    said = f"GT4PY_BUILD_CACHE_DIR={folder} cannot be made (Not a directory): GT4Py compiles everything anew in this process"
    assert said in done.stderr


def test_an_export_without_a_cache_leaves_gt4py_as_it_is(granule: Project) -> None:
    """Nobody's home."""
    granule.environment["PY2F_CACHE_DIR"] = "/dev/null/cache"
    assert "GT4PY" not in granule.export().stdout
    assert granule.run().stdout.startswith("None None ")
