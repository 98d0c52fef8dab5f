"""What a program says of how Python starts: py2f_configure, then py2f.toml beside the executable, then the variable."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from pathlib import Path

import pytest
from programs import Project, run, strict_flags
from starting import MODEL, compiled, environment, greeting

from py2f.configuration import EXPORT, RUN
from py2f.errors import Status

STATE = (
    "import os, sys",
    "import numpy",
    "print(sys.executable)",
    "from py2f.runtime import chosen",
    "apart = bool(sys.getdlopenflags() & os.RTLD_DEEPBIND)",
    "return f'{sys.flags.optimize} {apart} ' + ' '.join(chosen.setting(n) or '-' for n in ('start', 'backend', 'check', 'output'))",
)
MAIN = """\
program main
  use model_py, only: greet
  use py2f, only: py2f_configure
  implicit none
  character(len=2000) :: message
  character(len=2000) :: text
  integer :: stat
  message = ''
{statements}
  text = greet(stat, message)
  print '(i0,1x,a)', stat, trim(text) // trim(message)
end program main
"""
AGAIN = "  print '(i0,1x,a)', stat, trim(message)\n  message = ''"


@pytest.fixture(scope="module")
def state(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A program that prints how Python was started; each test writes its py2f.toml and compiles what it configures."""
    return greeting(Project(tmp_path_factory.mktemp("state") / "project"), *STATE)


def printed(project: Project, statements: str = "", toml: str | None = None, **env: str) -> str:
    """What the program prints, and nothing on standard error."""
    project.write(main_f90=MAIN.format(statements=statements))
    project.compile()
    file = project.folder / "py2f.toml"
    file.unlink(missing_ok=True)
    if toml is not None:
        file.write_text(toml, encoding="utf-8")
    done = project.run(env=env)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.replace(f"{project.python}\n", "").rstrip("\n")


def test_nothing_is_said_of_anything(state: Project) -> None:
    """Then it is the export that decides."""
    assert printed(state) == "0 0 True - - - -"


# ---- who decides


def test_the_file_decides_over_variables(state: Project) -> None:
    """What it leaves out is up to them."""
    toml = "# how Python starts\noptimize = 2\nisolate = \"off\" # why not\n\ncheck = true\nstart = ''\n"
    env = {"PY2F_OPTIMIZE": "1", "PY2F_CHECK": "0", "PY2F_OUTPUT": "rank0", "PY2F_START": "time:time"}
    assert printed(state, toml=toml, **env) == "0 2 False time:time - 1 rank0"


def test_the_program_decides_over_the_file(state: Project) -> None:
    """What it leaves out, or gives as blanks, is up to the file."""
    statements = "  call py2f_configure(optimize=1, check=.false., isolate='  ', output='rank0   ')"
    toml = 'optimize = 2\nisolate = "off"\ncheck = true\noutput = "all"\n'
    assert printed(state, statements, toml) == "0 1 False - - 0 rank0"


def test_a_later_word_of_the_program_counts(state: Project) -> None:
    """Each argument by itself."""
    statements = "  call py2f_configure(optimize=1, output='rank0')\n  call py2f_configure(optimize=2)"
    assert printed(state, statements) == "0 2 True - - - rank0"


def test_the_file_is_beside_the_executable_not_beside_a_link_to_it(state: Project, tmp_path: Path) -> None:
    """Wherever the program is started."""
    printed(state, toml="optimize = 2\n")
    (tmp_path / "link").symlink_to(state.folder / "main")
    (tmp_path / "py2f.toml").write_text("optimize = 1\n", encoding="utf-8")
    assert run([str(tmp_path / "link")], cwd=tmp_path, env={}).stdout.endswith("\n0 2 True - - - -\n")


@pytest.mark.parametrize("who", ["program", "file", "variable"])
def test_another_python_is_named_by_each(state: Project, who: str, tmp_path: Path) -> None:
    """Its module is looked for there."""
    other = environment(tmp_path / "other")
    python = {
        "program": (f"  call py2f_configure(python='{other.parent}' // &\n    '/python')", None, {}),
        "file": ("", f"python = '{other}'\n", {"PY2F_PYTHON": "/gone"}),
        "variable": ("", "", {"PY2F_PYTHON": str(other)}),
    }
    statements, toml, env = python[who]
    assert printed(state, statements, toml, PY2F_OUTPUT=f"{tmp_path}/log", **env).startswith("0 0 True - - - ")
    assert (tmp_path / "log").read_text(encoding="utf-8") == f"{other}\n"


# ---- what is refused


@pytest.mark.parametrize(
    ("toml", "message"),
    [
        ("pyhton = 1\n", "{toml}:1: there is no setting 'pyhton'; the nearest is 'python'"),
        ("\n\noptimise = 2\n", "{toml}:3: there is no setting 'optimise'; the nearest is 'optimize'"),
        ("optimize = 3\n", "{toml}:1: optimize must be 0, 1 or 2, not '3'"),
        ("optimize = true\ncheck = false\noptimize = 1\n", "{toml}:3: 'optimize' is set a second time, after line 1"),
        ('isolate = "|auto|"\n', "{toml}:1: isolate must be auto, on or off, not '|auto|'"),
        ("check = 2\n", "{toml}:1: check must be 0 or 1, not '2'"),
        ('python = "bin/python"\n', "{toml}:1: python must be an absolute path, not 'bin/python'"),
        ("python = '/gone/python'\n", "{toml}:1: python names /gone/python, which is not there"),
        ('python = "/usr/bin"\n', "no py2f in the environment of /usr/bin, which {toml}:1: python names: pip install py2f there"),
        *[
            (f"{line}\n", f'{{toml}}:1: not understood: {line}; write name = "text", a whole number, true or false')
            for line in (
                "[py2f]", "optimize", "optimize 2", "optimize =", "= 2", "optimize = 2 2", 'output = "a', 'output = "a" b',
                'output = "a\\tb"', "optimize = 1.0", "optimize = -", "optimize = 0x1", "output = rank0", "a.b = 1",
                'output = """a"""', "optimize = [1]",
            )
        ],
    ],
)  # fmt: skip
def test_what_the_file_says_wrongly_is_refused(state: Project, toml: str, message: str) -> None:
    """With the name of the file and the line."""
    said = message.replace("{toml}", str(state.folder / "py2f.toml"))
    assert printed(state, toml=toml) == f"1 {said}"


def test_a_file_that_cannot_be_read_is_no_file_that_is_not_there(state: Project) -> None:
    """A folder, here: root may read all files."""
    printed(state)
    (state.folder / "py2f.toml").mkdir()
    try:
        assert state.run().stdout == f"1 {state.folder}/py2f.toml cannot be read: Is a directory\n"
    finally:
        (state.folder / "py2f.toml").rmdir()


def test_a_file_of_an_editor_that_marks_utf_8_is_read(state: Project) -> None:
    """Also with the ends of lines of such editors, and none at its end."""
    assert printed(state, toml="\ufeffoptimize = 1\r\nisolate = 'off'") == "0 1 False - - - -"


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("pipe", "it is no regular file"),  # whoever opens it would wait
        ("device", "it is no regular file"),
        ("link to nothing", "No such file or directory"),
        ("link to itself", "Too many levels of symbolic links"),
    ],
)
def test_what_is_no_file_is_refused(state: Project, kind: str, message: str) -> None:
    """Somebody has put it there."""
    printed(state)
    toml = state.folder / "py2f.toml"
    if kind == "pipe":
        os.mkfifo(toml)
    else:
        toml.symlink_to({"device": "/dev/zero", "link to nothing": "gone", "link to itself": toml}[kind])
    try:
        assert state.run(under=["timeout", "20"]).stdout == f"1 {toml} cannot be read: {message}\n"
    finally:
        toml.unlink()


def test_a_file_is_read_again_after_it_was_mended(state: Project) -> None:
    """The first call may be made again."""
    toml = state.folder / "py2f.toml"
    statements = f"  text = greet(stat, message)\n{AGAIN}\n  call execute_command_line('/bin/echo optimize=1 > {toml.parent}/' // &\n    'py2f.toml')"
    assert printed(state, statements, "optimize = 1\nisolate=\n").splitlines()[1] == "0 1 True - - - -"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("optimize=3", "optimize must be 0, 1 or 2, not '3'"),
        ("isolate='yes'", "isolate must be auto, on or off, not 'yes'"),
    ],
)
def test_what_the_program_says_wrongly_is_refused(state: Project, given: str, message: str) -> None:
    """At once; what was said before stays."""
    statements = f"  call py2f_configure(output='rank0')\n  call py2f_configure({given}, stat=stat, errmsg=message)\n{AGAIN}"
    assert printed(state, statements).splitlines() == [f"{Status.BAD_ARGUMENT} {message}", "0 0 True - - - rank0"]


def test_a_program_that_names_no_python_is_told_where_it_said_so(state: Project) -> None:
    """When Python starts."""
    assert (
        printed(state, "  call py2f_configure(python='python3')")
        == "1 python in py2f_configure must be an absolute path, not 'python3'"
    )


def test_without_stat_a_wrong_setting_ends_the_program(state: Project) -> None:
    """As a call does."""
    state.write(main_f90=MAIN.format(statements="  call py2f_configure(optimize=-1)"))
    state.compile()
    done = state.run()
    assert done.returncode == 1
    assert done.stderr.startswith("py2f: py2f_configure: optimize must be 0, 1 or 2, not '-1'\n")


def test_after_the_start_it_is_too_late(state: Project) -> None:
    """Nothing is changed in silence."""
    statements = f"  text = greet()\n  call py2f_configure(check=.true., stat=stat, errmsg=message)\n{AGAIN}"
    assert printed(state, statements).splitlines() == [
        f"{Status.BAD_ARGUMENT} check comes too late: Python runs; call py2f_configure before the first call",
        "0 0 True - - - -",
    ]


@pytest.mark.parametrize(
    ("variable", "value", "message"),
    [
        ("PY2F_ISOLATE", "no", "PY2F_ISOLATE must be auto, on or off, not 'no'"),
        ("PY2F_CHECK", "yes", "PY2F_CHECK must be 0 or 1, not 'yes'"),
        ("PY2F_OUTPUT", "rnak0", "PY2F_OUTPUT must be all, rank0 or the name of a file, such as py.%r.log, not 'rnak0'"),
        ("PY2F_OUTPUT", "py.%R.log", "PY2F_OUTPUT must be all, rank0 or the name of a file, such as py.%r.log, not 'py.%R.log'"),
        ("PY2F_OUTPUT", "/gone/%r.log", "PY2F_OUTPUT: /gone/0.log cannot be written: No such file or directory"),
    ],
)
def test_what_a_variable_says_wrongly_is_refused(state: Project, variable: str, value: str, message: str) -> None:
    """By its name."""
    assert printed(state, **{variable: value}) == f"1 {message}"


def test_a_python_that_is_the_host_says_what_does_not_count(state: Project) -> None:
    """Its streams and its libraries are its own."""
    code = "import py2f; print(py2f.bridge('model').call('greet'))"
    given = {**os.environ, "PYTHONPATH": str(state.folder), "PY2F_OUTPUT": "rank0", "PY2F_ISOLATE": "on", "PY2F_CHECK": "1"}
    done = run([sys.executable, "-c", code], cwd=state.folder, env=given)
    assert done.stdout.splitlines()[-1] == "0 False - - 1 rank0"
    said = re.findall(r"RuntimeWarning: (.*)", done.stderr)
    assert said == [
        f"{v} does not count: it was not py2f that started the Python of this process" for v in ("PY2F_ISOLATE", "PY2F_OUTPUT")
    ]


def test_an_environment_with_an_older_py2f_is_refused(state: Project, tmp_path: Path) -> None:
    """It would not heed what it does not know."""
    old = tmp_path / "old.so"
    old_c = "void py2f_runtime_open(void){} void py2f_runtime_attach(void){} void py2f_runtime_take(void){}\n"
    old_c += 'const char *py2f_runtime_ask(void) { return "|python|isolate|"; }\n'
    (tmp_path / "old.c").write_text(old_c, encoding="utf-8")
    other = environment(tmp_path / "other")
    extension = next((tmp_path / "other").rglob("_runtime.*.so"))
    run(["gcc", "-shared", "-fPIC", "old.c", "-o", str(old)], cwd=tmp_path)
    shutil.copy(old, extension)
    assert printed(state, toml=f"python = '{other}'\ncheck = true\n") == (
        f"1 {state.folder}/py2f.toml:2: check is not known to py2f in the environment of {other}, which is older: install py2f there again"
    )


# ---- where it is said


def test_arguments_are_those_of_the_table(compiler: str, project: Project) -> None:
    """By name, in any order, under the strictest flags; a program that was compiled for other ones does not start."""
    project.compiler = compiler
    words = {"integer": "1", "logical": ".true.", "character(len=*)": "' '"}
    given = ", &\n    ".join(f"{s.name}={words[s.fortran]}" for s in reversed(RUN))
    compiled(project, main=MAIN.format(statements=f"  call py2f_configure({given})").replace("greet", "scaled_text"), model=TEXT)
    project.compile(*strict_flags(compiler))
    assert project.run().stdout == "0 1\n"
    names = run(["nm", "-D", "main"], cwd=project.folder).stdout
    assert f"py2f_configure_{len(RUN)}" in names


TEXT = MODEL.replace(
    "def scaled(x: f64) -> f64:\n    return 2 * x",
    "def scaled_text() -> str:\n    import sys\n    return str(sys.flags.optimize)",
)


def test_every_setting_of_a_run_is_asked_for() -> None:
    """And none that is not in the table."""
    sources = [source for source in (Path(__file__).parents[1] / "py2f").rglob("*") if source.suffix in (".py", ".c", ".h")]
    text = "".join(source.read_text(encoding="utf-8") for source in sources)
    assert set(re.findall(r'setting\("(\w+)"', text)) == {s.name for s in RUN}


# ---- py2f config


def config(*arguments: str, cwd: Path, **env: str) -> tuple[int, str, str]:
    """Exit status and what is printed."""
    done = run([sys.executable, "-m", "py2f.cli", "config", *arguments], cwd=cwd, env={"PATH": os.defpath, **env}, check=False)
    return done.returncode, done.stdout, done.stderr


def test_config_says_who_decides(state: Project) -> None:
    """Of a program, and of this environment."""
    printed(state, "  call py2f_configure(output='all')", "optimize = 2\n")
    code, text, _ = config("main", cwd=state.folder, PY2F_OPTIMIZE="1", PY2F_CHECK="1", PY2F_LOCK_TIMEOUT="5", HOME="/nowhere")
    rows = {line.split()[0]: line.split(maxsplit=2)[1:] for line in text.splitlines() if line}
    assert code == 0
    assert rows["optimize"] == [f"{state.folder}/py2f.toml:1", "2"]
    assert rows["check"] == ["PY2F_CHECK", "1"]
    assert rows["PY2F_LOCK_TIMEOUT"] == ["PY2F_LOCK_TIMEOUT", "5"]
    assert rows["output"] == ["default", "all"]
    assert rows["python"] == ["default", "the Python of the export"]
    assert text.endswith("\nmain calls py2f_configure: what it says there comes before all of these\n")


def test_config_as_json(state: Project) -> None:
    """Every row of the table."""
    printed(state, toml="check = true\n")
    code, text, _ = config("main", "--json", cwd=state.folder, FC="flang")
    found = json.loads(text)
    assert code == 0
    assert [row["variable"] for row in found["settings"]] == [s.variable for s in (*RUN, *EXPORT)]
    rows = {row["variable"]: row for row in found["settings"]}
    assert rows["PY2F_CHECK"] == {
        "name": "check",
        "variable": "PY2F_CHECK",
        "value": "1",
        "source": f"{state.folder}/py2f.toml:1",
    }
    assert rows["FC"] == {"name": None, "variable": "FC", "value": "flang", "source": "FC"}
    assert rows["PY2F_OUTPUT"] == {"name": "output", "variable": "PY2F_OUTPUT", "value": None, "source": "default"}
    assert found["configures"] is False


@pytest.mark.parametrize(
    ("arguments", "env", "message"),
    [
        (("main",), {}, "{folder}/py2f.toml:1: there is no setting 'optimism'; the nearest is 'optimize'"),
        (("gone",), {}, "there is no file gone"),
        ((), {"PY2F_CACHE_MODE": "rx"}, "PY2F_CACHE_MODE='rx' is not one of rw, ro, require, off, refresh"),
        ((), {"PY2F_OPTIMIZE": "7"}, "PY2F_OPTIMIZE must be 0, 1 or 2, not '7'"),
    ],
)
def test_config_refuses_what_a_program_or_an_export_would(
    state: Project, arguments: tuple[str, ...], env: dict[str, str], message: str
) -> None:
    """In the same words."""
    printed(state, toml="optimism = 1\n")
    assert config(*arguments, cwd=state.folder, **env) == (1, "", f"py2f: {message.format(folder=state.folder)}\n")
