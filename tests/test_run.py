"""`py2f run main.f90 --with heat`: nothing else to type, nothing left behind."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

import pytest
from programs import Project, found, run

MODEL = "from __future__ import annotations\nfrom py2f import export_to_fortran, f64\n\n@export_to_fortran\ndef {name}(x: f64) -> f64:\n    return {n} * x\n"
MAIN = """\
program main
  use heat_py, only: warm
  use constants, only: two
  implicit none
  character(len=20) :: word
  integer :: n
  do n = 1, command_argument_count()
    call get_command_argument(n, word)
    print '(3a)', '[', trim(word), ']'
  end do
  print '(f0.1)', warm(two)
  if (command_argument_count() > 1) stop 7
end program main
"""
WAITING = """\
program main
  use, intrinsic :: iso_fortran_env, only: output_unit
  use heat_py, only: warm
  implicit none
  print '(i0)', getpid() + 0*int(warm(1d0))
  flush(output_unit)
  call sleep(60)
end program main
"""
CONSTANTS = "module constants\n  implicit none\n  double precision, parameter :: two = 2\nend module constants\n"


@pytest.fixture
def heat(project: Project) -> Project:
    """A module, a program and a module of Fortran that it uses."""
    return project.write(heat_py=MODEL.format(name="warm", n=3), main_f90=MAIN, constants_f90=CONSTANTS)


def py2f(project: Project, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the command ``py2f run``."""
    command = [project.python, "-c", "from py2f.cli import main; raise SystemExit(main())", "run", *words]
    return run(command, cwd=project.folder, env={**os.environ, **environment}, check=False)


def test_a_program_is_compiled_and_run(heat: Project, tmp_path: Path) -> None:
    """Its output, its arguments, its exit status; nothing but the cache is written."""
    (tmp_path / "tmp").mkdir()
    before = {path.name for path in heat.folder.iterdir()}
    environment = {"TMPDIR": str(tmp_path / "tmp"), "PYTHONDONTWRITEBYTECODE": "1"}
    done = py2f(heat, "constants.f90", "main.f90", "--with", "heat", **environment)
    assert (done.returncode, done.stdout, done.stderr) == (0, "6.0\n", "")
    done = py2f(heat, "constants.f90", "main.f90", "--with", "heat", "--", "-n", "--with", "--", **environment)
    assert (done.returncode, done.stdout.split()) == (7, ["[-n]", "[--with]", "[--]", "6.0"])
    assert {path.name for path in heat.folder.iterdir()} - {"__pycache__"} == before  # that is Python's own
    assert list((tmp_path / "tmp").iterdir()) == []


@pytest.mark.parametrize("chosen", ["gfortran", "flang-new-19"])
def test_compiler_and_flags_are_chosen(heat: Project, chosen: str) -> None:
    """They are those of the module as well."""
    if not found(chosen):
        pytest.skip(f"{chosen} is not installed: it is not verified")
    heat.write(main_F90=MAIN.replace("warm(two)", "SCALE*warm(two)"))
    done = py2f(heat, "constants.f90", "main.F90", "--with", "heat", "--fc", chosen, "--fflags=-DSCALE=2 -O0")
    assert (done.returncode, done.stdout, done.stderr) == (0, "12.0\n", "")


def test_several_modules(heat: Project) -> None:
    """Each with its library."""
    heat.write(ice_py=MODEL.format(name="cold", n=5))
    heat.write(
        main_f90=MAIN.replace("use heat_py, only: warm", "use heat_py, only: warm\n  use ice_py, only: cold").replace(
            "warm(two)", "warm(cold(two))"
        )
    )
    assert py2f(heat, "constants.f90", "main.f90", "--with", "heat", "--with", "ice").stdout == "30.0\n"


def test_an_error_in_python_ends_the_program_as_always(heat: Project) -> None:
    """With the traceback, and the status of the program."""
    heat.write(heat_py=MODEL.format(name="warm", n=3).replace("return", "raise ValueError('too warm')  #"))
    done = py2f(heat, "constants.f90", "main.f90", "--with", "heat")
    assert (done.returncode, done.stdout) == (1, "")
    assert "ValueError: too warm" in done.stderr


def test_a_signal_is_said_as_a_shell_says_it(heat: Project) -> None:
    """128 and its number."""
    heat.write(main_f90="program main\n  use heat_py, only: warm\n  call abort()\nend program main\n")
    assert py2f(heat, "main.f90", "--with", "heat").returncode == 128 + signal.SIGABRT


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_the_program_as_well(heat: Project, tmp_path: Path, number: signal.Signals) -> None:
    """Ctrl-C goes to both; what `timeout` or a batch system sends goes to us alone. Nothing is left behind."""
    heat.write(main_f90=WAITING)
    (tmp_path / "tmp").mkdir()
    command = [heat.python, "-c", "from py2f.cli import main; raise SystemExit(main())", *"run main.f90 --with heat".split()]
    environment = {**os.environ, "TMPDIR": str(tmp_path / "tmp")}
    with subprocess.Popen(
        command, cwd=heat.folder, env=environment, start_new_session=True, stdout=subprocess.PIPE, text=True
    ) as ours:
        assert ours.stdout
        program = Path("/proc", ours.stdout.readline().strip())
        assert program.exists()
        (os.killpg if number == signal.SIGINT else os.kill)(ours.pid, number)
        assert ours.wait(30) == 128 + number
    assert not program.exists()
    assert list((tmp_path / "tmp").iterdir()) == []


def test_two_modules_of_one_fortran_name_are_refused(heat: Project) -> None:
    """The compiler would take the first, and the program call the wrong one."""
    for package in ("one", "two"):
        (heat.folder / package).mkdir()
        (heat.folder / package / "heat.py").write_text(MODEL.format(name="warm", n=len(package)))
    done = py2f(heat, "constants.f90", "main.f90", "--with", "one.heat", "--with", "two.heat")
    message = "py2f: one.heat and two.heat are both heat_py in Fortran: export one of them with --name, and compile by hand\n"
    assert (done.returncode, done.stdout, done.stderr) == (1, "", message)
    (heat.folder / "heat").mkdir()
    for name, text in (("__init__", ""), ("ice", MODEL.format(name="cold", n=5))):
        (heat.folder / "heat" / f"{name}.py").write_text(text)
    (heat.folder / "heat_ice.py").write_text(MODEL.format(name="colder", n=7))
    done = py2f(heat, "constants.f90", "main.f90", "--with", "heat", "--with", "heat_ice")
    assert done.stderr == message.replace("one.heat and two.heat are both heat_py", "heat.ice and heat_ice are both heat_ice_py")


def test_what_may_be_wrong(heat: Project) -> None:
    """A source that is not there; one that does not compile."""
    done = py2f(heat, "nowhere.f90", "--with", "heat")
    assert (done.returncode, done.stdout, done.stderr) == (1, "", "py2f: there is no file nowhere.f90\n")
    done = py2f(heat, "main.f90", "--with", "heat")
    assert (done.returncode, done.stdout) == (1, "")
    assert "constants.mod" in done.stderr
    assert done.stderr.splitlines()[-1].endswith(" ended with status 1")
    done = py2f(heat, "main.f90", "--with", "nowhere")
    assert done.stderr.startswith("py2f: there is no module nowhere; looked in ")
