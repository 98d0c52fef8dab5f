"""Starting Python inside a Fortran program: the right one, found without an environment, or an error that says why not."""

from __future__ import annotations

import shutil
import sys
import sysconfig
from pathlib import Path

import pytest
from programs import Project, run
from starting import DONE, MAIN, MINOR, MODEL, compiled, environment, extension_in, greeting, outcome, outcomes, site_packages

from py2f.errors import Status

LIBPYTHON = Path(f"{sysconfig.get_config_var('LIBDIR')}/{sysconfig.get_config_var('INSTSONAME')}")

HOSTILE = (
    "PATH",
    "PYTHONHOME",
    "PYTHONPATH",
    "LD_LIBRARY_PATH",
    "PYTHONUSERBASE",
    "PYTHONSTARTUP",
    "PYTHONINSPECT",
    "VIRTUAL_ENV",
    "HOME",
)


@pytest.fixture(scope="module")
def ready(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A compiled program that is only run."""
    return compiled(Project(tmp_path_factory.mktemp("ready") / "project"))


@pytest.fixture
def own(tmp_path: Path) -> Project:
    """A program that was exported with an environment of its own, which a test may damage."""
    return compiled(Project(tmp_path / "project", python=str(environment(tmp_path / "venv"))))


def test_a_program_needs_no_environment_variables(ready: Project) -> None:
    """``env -i``, from the root folder."""
    assert outcome(ready) == DONE


def test_hostile_variables_change_nothing(ready: Project, tmp_path: Path) -> None:
    """What PATH, PYTHONHOME, PYTHONPATH and LD_LIBRARY_PATH name is never looked at."""
    for name in ("python3", "python", LIBPYTHON.name, "numpy.py", "encodings.py", "model.py", "py2f.py"):
        (tmp_path / name).write_text("#!/bin/false\nraise SystemExit('hostile')\n", encoding="utf-8")
        (tmp_path / name).chmod(0o755)
    assert outcome(ready, dict.fromkeys(HOSTILE, str(tmp_path))) == DONE


def test_the_current_directory_is_never_searched(project: Project) -> None:
    """A folder with a numpy.py, from which the model happens to be run, is not on sys.path."""
    greeting(project, "import sys", "return ' '.join(sys.path)")
    here = project.folder.parent / "here"
    here.mkdir()
    for name in ("numpy", "model", "json"):
        (here / f"{name}.py").write_text("raise SystemExit('hostile')\n", encoding="utf-8")
    done = run([str(project.folder / "main")], cwd=here, env={})
    assert {"", ".", str(here)}.isdisjoint(done.stdout.rstrip("\n").split(" "))


def test_python_is_the_environment_of_the_export(own: Project) -> None:
    """sys.prefix and sys.executable are the environment's, in which packages are found."""
    greeting(own, "import sys", "return sys.prefix + ' ' + sys.executable")
    venv = own.folder.parent / "venv"
    assert own.run().stdout == f"{venv} {venv}/bin/python\n"


def test_python_imports_the_runtime_that_the_program_has_loaded(project: Project) -> None:
    """One instance of the extension a process, whether C or Python came first."""
    greeting(
        project,
        "from py2f.runtime import _runtime",
        "maps = {line.split()[-1] for line in open('/proc/self/maps') if '/_runtime.' in line}",
        "return f'{_runtime.lib.p2f_bound()} {len(maps)}'",
    )
    assert project.run().stdout == "1 1\n"


def test_a_deleted_environment_is_named(own: Project) -> None:
    """Never the base Python instead."""
    venv = own.folder.parent / "venv"
    shutil.rmtree(venv)
    message = f"the Python of model_py is gone: {venv}/bin/python; make it again, or let PY2F_PYTHON name another"
    assert outcome(own) == (Status.NOT_STARTED, message)


def test_an_environment_that_lost_py2f_is_named(own: Project) -> None:
    """After pip uninstall, or when another Python took the environment over."""
    venv = own.folder.parent / "venv"
    shutil.rmtree(site_packages(venv) / "py2f")
    message = f"py2f is gone from the environment of {venv}/bin/python, it was {extension_in(venv)}; install it there again"
    assert outcome(own) == (Status.NOT_STARTED, message)


def test_an_environment_that_lost_what_py2f_needs_is_named(tmp_path: Path, own: Project) -> None:
    """The runtime itself cannot be imported: that is the environment's trouble, not the module's."""
    (site_packages(tmp_path / "venv") / "borrowed.pth").unlink()
    message = f"py2f does not import in the environment of {tmp_path}/venv/bin/python: ModuleNotFoundError: No module named "
    assert outcome(own) == (Status.NOT_STARTED, message + "'_cffi_backend'")


def test_a_damaged_runtime_is_named(tmp_path: Path, own: Project) -> None:
    """As a copy that was interrupted leaves it."""
    extension = extension_in(tmp_path / "venv")
    extension.write_bytes(extension.read_bytes()[:20])
    message = f"cannot open the runtime of py2f: {extension}: file too short; install py2f there again"
    assert outcome(own) == (Status.NOT_STARTED, message)


def test_a_runtime_of_something_else_is_named(tmp_path: Path, own: Project) -> None:
    """As a py2f of the future might be."""
    extension = extension_in(tmp_path / "venv")
    (tmp_path / "other.c").write_text("int other;\n", encoding="utf-8")
    run(["cc", "-shared", "-fPIC", "other.c", "-o", str(extension)], cwd=tmp_path)
    message = f"{extension} is not a runtime of py2f: install py2f there again, and run py2f.export"
    assert outcome(own) == (Status.NOT_STARTED, message)


def test_an_environment_whose_own_start_fails_is_an_error_each_time(tmp_path: Path, own: Project) -> None:
    """Here a file of paths ends Python; Debian has a sitecustomize of its own."""
    (site_packages(tmp_path / "venv") / "ends.pth").write_text("import sys; sys.exit(3)\n", encoding="utf-8")
    message = "Python does not start: Failed to import the site module"
    assert outcomes(own, "again") == [(Status.NOT_STARTED, message)] * 2


def test_an_environment_that_was_made_anew_with_another_python_is_named(tmp_path: Path, own: Project) -> None:
    """The old libpython would run with the packages of the new one."""
    config = tmp_path / "venv" / "pyvenv.cfg"
    config.write_text(config.read_text(encoding="utf-8").replace(f"version = {MINOR}", "version = 3.99"), encoding="utf-8")
    version = f"3.99.{sys.version_info[2]}"
    message = f"{tmp_path}/venv is Python {version} now, but this is {MINOR}: run py2f.export again"
    assert outcome(own) == (Status.NOT_STARTED, message)


def test_a_libpython_that_is_gone_is_named(tmp_path: Path) -> None:
    """What the dynamic linker says, with the file."""
    project = Project(tmp_path / "project").write(model_py=MODEL, main_f90=MAIN)
    project.export()
    source = project.folder / "build" / "src"
    site = source / "model_py_site.h"
    site.write_text(site.read_text(encoding="utf-8").replace(str(LIBPYTHON), "/gone/libpython.so"), encoding="utf-8")
    relink(project)
    message = (
        "cannot open libpython: /gone/libpython.so: cannot open shared object file: No such file or directory; "
        "install that Python again, or let PY2F_PYTHON name another"
    )
    assert outcome(project) == (Status.NOT_STARTED, message)


def test_a_library_of_another_layout_is_refused(tmp_path: Path) -> None:
    """Table and runtime are compiled apart, perhaps years apart."""
    project = Project(tmp_path / "project").write(model_py=MODEL, main_f90=MAIN)
    project.export()
    header = project.folder / "build" / "src" / "py2f_table.h"
    header.write_text(
        header.read_text(encoding="utf-8").replace("#define PY2F_LAYOUT 3", "#define PY2F_LAYOUT 99"), encoding="utf-8"
    )
    relink(project)
    message = f"the library has layout 99, py2f of {sys.executable} has 3: run py2f.export again"
    assert outcome(project) == (Status.NOT_STARTED, message)


def relink(project: Project) -> None:
    """Compile the exported sources anew, after a test changed them, in place of the library; then the program."""
    build = project.folder / "build"
    library = next((build / "lib").glob("libmodel_py.so.*"))
    sources = ["py2f.f90", "model_py.f90", "model_py.c"]
    command = ["gfortran", "-shared", "-fPIC", *sources, "../lib/libpy2f.so.1", f"-Wl,-soname,{library.name},-rpath,$ORIGIN"]
    run([*command, "-o", str(library)], cwd=build / "src")
    project.compile()


def test_py2f_python_names_another_environment(ready: Project, tmp_path: Path) -> None:
    """Its libpython and its py2f are found from its layout."""
    python = environment(tmp_path / "other")
    assert outcome(ready, {"PY2F_PYTHON": str(python)}) == DONE


def test_py2f_python_may_go_through_a_symbolic_link(ready: Project, tmp_path: Path) -> None:
    """As sites have them for the current version of an environment."""
    environment(tmp_path / "version_2")
    (tmp_path / "current").symlink_to("version_2")
    assert outcome(ready, {"PY2F_PYTHON": f"{tmp_path}/current/bin/python3"}) == DONE


def test_py2f_python_with_a_relative_path_is_refused(ready: Project) -> None:
    """Jobs start anywhere."""
    message = "PY2F_PYTHON must be an absolute path, not 'venv/bin/python'"
    assert outcome(ready, {"PY2F_PYTHON": "venv/bin/python"}) == (Status.NOT_STARTED, message)


def test_py2f_python_that_is_not_there_is_named(ready: Project) -> None:
    """Not confused with an environment that lacks py2f."""
    message = "PY2F_PYTHON names /gone/bin/python, which is not there"
    assert outcome(ready, {"PY2F_PYTHON": "/gone/bin/python"}) == (Status.NOT_STARTED, message)


def test_py2f_python_without_py2f_is_named(ready: Project, tmp_path: Path) -> None:
    """What to install, and where."""
    python = environment(tmp_path / "bare", py2f=False)
    message = f"no py2f in the environment of {python}, which PY2F_PYTHON names: pip install py2f there"
    assert outcome(ready, {"PY2F_PYTHON": str(python)}) == (Status.NOT_STARTED, message)


def test_py2f_python_without_a_shared_libpython_is_named(ready: Project, tmp_path: Path) -> None:
    """A static Python cannot be loaded into a program."""
    python = environment(tmp_path / "static")
    config = tmp_path / "static" / "pyvenv.cfg"
    config.write_text(f"home = {tmp_path}/opt/bin\nversion = {MINOR}.0\n", encoding="utf-8")
    message = f"the Python of {python} has no shared libpython beside {tmp_path}/opt/bin; use one configured with --enable-shared"
    assert outcome(ready, {"PY2F_PYTHON": str(python)}) == (Status.NOT_STARTED, message)


def test_brackets_in_the_path_of_an_environment_are_no_pattern(ready: Project, tmp_path: Path) -> None:
    """Environments are searched by glob()."""
    python = environment(tmp_path / "venv [1]*")
    assert outcome(ready, {"PY2F_PYTHON": str(python)}) == DONE


def test_another_python_in_the_process_is_refused(project: Project) -> None:
    """Two Pythons would answer each other's symbols."""
    (other,) = sorted(Path(sys.base_prefix).parent.glob("3.13.*/lib/libpython3.13.so.1.0"))[:1] or [None]
    if other is None:
        pytest.skip("no Python 3.13 beside this one: that another Python in the process is refused is not verified")
    compiled(project)
    code, message = outcome(project, {"LD_PRELOAD": str(other)})
    assert code is Status.NOT_STARTED
    version = other.parents[1].name
    assert message == f"another Python, {version}, is in this process and model_py needs {MINOR}: load one only"


def test_two_environments_in_one_process_are_refused(tmp_path: Path) -> None:
    """Both are named; PY2F_PYTHON may decide."""
    first = compiled(Project(tmp_path / "project"))
    second = Project(tmp_path / "project", module="second", python=str(environment(tmp_path / "venv")))
    second.write(
        second_py=MODEL,
        main_f90=MAIN.replace(
            "use model_py, only: scaled", "use model_py, only: first => scaled\n  use second_py, only: scaled"
        ).replace("do i = 1", "y = first(1.0_real64)\n  do i = 1"),
    )
    second.export()
    second.compile("-Wl,--no-as-needed", f"-L{first.folder}/build/lib", "-lmodel_py")
    message = f"one Python a process: {sys.executable} runs, second_py was exported with {second.python}; "
    assert outcome(second) == (Status.NOT_STARTED, message + "let PY2F_PYTHON name one for both")
    assert outcome(second, {"PY2F_PYTHON": second.python}) == DONE


def test_a_folder_may_have_blanks_and_umlauts_in_its_name(tmp_path: Path) -> None:
    """Of the module as of the environment."""
    folder = tmp_path / "Wärme und 'Kälte' \"2\" %s"
    folder.mkdir()
    project = Project(folder / "das Projekt", python=str(environment(folder / "die Umgebung")))
    assert outcome(compiled(project)) == DONE


def test_an_environment_that_borrows_its_packages_compiles(tmp_path: Path) -> None:
    """As one with --system-site-packages does: ninja is not beside its Python, and there is no other on PATH."""
    python = environment(tmp_path / "venv")
    tools = tmp_path / "tools"
    tools.mkdir()
    for tool in "gfortran cc as ld ar rm".split():
        (tools / tool).symlink_to(str(shutil.which(tool)))
    project = Project(tmp_path / "project", python=str(python), environment={"PATH": str(tools)}).write(model_py=MODEL)
    project.export()


COLLECTED = """
import gc
from py2f import export_to_fortran, i32

while_importing = gc.get_threshold()
{own}

@export_to_fortran
def threshold() -> str:
    return f"{{while_importing[0]}} {{gc.get_threshold()[0]}} {{gc.isenabled()}}"
"""


@pytest.mark.parametrize(
    ("own", "after"), [("", "700 True"), ("gc.set_threshold(50000)", "50000 True"), ("gc.disable()", "700 False")]
)
def test_an_import_is_not_searched_for_garbage(project: Project, own: str, after: str) -> None:
    """Nothing is collected until the module is there; what the module itself decides stays."""
    main = "use model_py\nprint '(a)', threshold()\nend\n"
    done = project.write(model_py=COLLECTED.format(own=own), main_f90=main).go()
    assert done.stdout.replace("2000 ", "700 ") == f"0 {after}\n", done.stderr  # 2000: Python 3.13
