"""How a job ends: an error without stat ends it through the model's own door, and nothing that was printed is lost."""

from __future__ import annotations

import signal
import subprocess
import time

import pytest
from ending import FAILING, TRACEBACK, ended, program
from programs import Project, run

NEGATIVE = "  y = root(-2.0_real64)"
THREADS = ("-fopenmp",)
FINISH = """\
  subroutine finish(where, message)
    character(len=*), intent(in) :: where, message
    write (error_unit, '(5a)') 'finish <', where, '> <', message, '>'
{end}
  end subroutine finish
"""


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project that is exported once; each test compiles a program of its own."""
    return Project(tmp_path_factory.mktemp("end") / "project")


# ---- an error without stat


def test_an_error_without_stat_stops_the_program(project: Project, compiler: str) -> None:
    """Traceback and message on standard error, exit status 1."""
    project.compiler = compiler
    program(project, NEGATIVE + "\n  print *, 'not reached'")
    code, text = ended(project)
    assert code == 1
    assert text.startswith(TRACEBACK.format(folder=project.folder))
    assert text[len(TRACEBACK.format(folder=project.folder)) :].splitlines()[0].strip() in (
        "ERROR STOP 1",
        "Fortran ERROR STOP: code 1",
    )


def test_an_error_inside_a_write_statement_stops_the_program(project: Project, compiler: str) -> None:
    """No Fortran input or output is done while another is going on: it would hang."""
    project.compiler = compiler
    program(project, "  write (*, *) 'the root is', root(-2.0_real64)")
    code, text = ended(project)
    assert code == 1
    assert TRACEBACK.format(folder=project.folder) in text


def test_an_error_of_the_start_stops_the_program(model: Project) -> None:
    """There is no Python that could print it."""
    program(model, NEGATIVE)
    code, text = ended(model, "/usr/bin/env", "PY2F_PYTHON=/gone/python")
    message = "py2f: model_py:root: PY2F_PYTHON names /gone/python, which is not there\n"
    assert (code, text.splitlines(keepends=True)[0]) == (1, message)


def test_the_handler_ends_the_job(model: Project) -> None:
    """It is told where and what, after the traceback was printed."""
    end = "    stop 77"
    program(model, "  call py2f_on_error(finish)\n" + NEGATIVE, procedures=FINISH.format(end=end))
    tail = "finish <model_py:root> <ValueError: no root of -2.0>\nSTOP 77\n"
    assert ended(model) == (77, TRACEBACK.format(folder=model.folder) + tail)


def test_a_handler_that_returns_does_not_go_on_with_the_model(model: Project) -> None:
    """Never a silent failure."""
    program(model, "  call py2f_on_error(finish)\n" + NEGATIVE, procedures=FINISH.format(end=""))
    tail = "finish <model_py:root> <ValueError: no root of -2.0>\nERROR STOP 1\n"
    assert ended(model) == (1, TRACEBACK.format(folder=model.folder) + tail)


def test_a_handler_can_be_taken_back(model: Project) -> None:
    """Called without an argument, py2f_on_error restores the default."""
    program(
        model, "  call py2f_on_error(finish)\n  call py2f_on_error()\n" + NEGATIVE, procedures=FINISH.format(end="    stop 77")
    )
    assert ended(model) == (1, TRACEBACK.format(folder=model.folder) + "ERROR STOP 1\n")


def test_a_handler_that_fails_itself_ends_the_job(model: Project) -> None:
    """It is not called a second time."""
    end = "    y = root(-2.0_real64)"
    program(model, "  call py2f_on_error(finish)\n" + NEGATIVE, procedures=FINISH.format(end=end))
    traceback = TRACEBACK.format(folder=model.folder)
    tail = "finish <model_py:root> <ValueError: no root of -2.0>\n" + traceback + "ERROR STOP 1\n"
    assert ended(model) == (1, traceback + tail)


def test_an_error_in_a_thread_ends_the_job(model: Project) -> None:
    """While the other threads are in Python."""
    statements = """\
  !$omp parallel do num_threads(8) schedule(static, 1) private(y)
  do i = 1, 8
    do j = 1, 100000
      y = root(merge(-2.0_real64, 2.0_real64, i == 5 .and. j == 50))
    end do
  end do
"""
    program(model, statements, "  integer :: i, j", flags=THREADS)
    code, text = ended(model)
    assert (code, text) == (1, TRACEBACK.format(folder=model.folder) + "ERROR STOP 1\n")


def test_threads_that_fail_at_once_lose_nothing(model: Project) -> None:
    """One thread ends the job, the others wait."""
    statements = "  !$omp parallel num_threads(8) private(y)\n" + NEGATIVE + "\n  !$omp end parallel"
    program(model, statements, flags=THREADS)
    for _ in range(5):
        code, text = ended(model)
        assert code == 1
        assert text.count("printed by Python") >= 1
        assert text.count("ERROR STOP 1\n") == 1
        assert (
            text.count("py2f: model_py:root: ValueError: no root of -2.0\n")
            == text.count("Traceback (most recent call last)")
            >= 1
        )


def test_error_stop_in_a_thread_ends_the_job(model: Project) -> None:
    """The model's own, while the other threads are in Python."""
    statements = """\
  !$omp parallel do num_threads(8) schedule(static, 1) private(y)
  do i = 1, 8
    do j = 1, 1000000
      y = root(2.0_real64)
      if (i == 5 .and. j == 50) error stop 9
    end do
  end do
"""
    program(model, statements, "  integer :: i, j", flags=THREADS)
    assert ended(model) == (9, "ERROR STOP 9\n")


LEAVE = "subroutine leave() bind(c)\n  error stop 11\nend subroutine leave\n"


@pytest.mark.parametrize("load", ["CDLL", "PyDLL"])
def test_error_stop_under_python_ends_the_job(model: Project, load: str) -> None:
    """Python calls Fortran, which ends the job, with the GIL and without it."""
    model.write(leave_f90=LEAVE)
    program(model, "  call say('text')", flags=("-rdynamic", "leave.f90"))
    leave = f"    print(text, end='')\n    import ctypes\n    ctypes.{load}(None).leave()"
    model.write(model_py=FAILING.replace('    print(text, end="")', leave))
    code, text = ended(model)
    assert code == 11
    assert sorted(text.splitlines()) == ["ERROR STOP 11", "text"]


# ---- what was printed


@pytest.mark.parametrize(
    ("end", "code", "said"),
    [("", 0, ""), ("stop", 0, ""), ("stop 4", 4, "STOP 4\n"), ("error stop 5", 5, "ERROR STOP 5\n"), ("call exit(6)", 6, "")],
)
def test_what_python_printed_arrives_however_the_program_ends(model: Project, end: str, code: int, said: str) -> None:
    """Standard output is a file, the line is not complete."""
    program(model, f"  call say('half a')\n  call say(' line')\n  {end}")
    status, text = ended(model)
    assert status == code
    assert sorted(text.replace("half a line", "", 1).splitlines()) == sorted(said.splitlines())
    assert "half a line" in text


def test_lines_arrive_even_when_the_program_is_killed(model: Project) -> None:
    """Complete lines are written at once."""
    program(model, "  call say('a line' // new_line('a'))\n  call kill(getpid(), 9, i)", "  integer :: i")
    assert ended(model) == (-9, "a line\n")


def test_exit_handlers_of_python_run(model: Project) -> None:
    """Under the guards of a call: the model traps floating-point exceptions."""
    source = FAILING + (
        "\n\nimport atexit\nimport numpy as np\n"
        "atexit.register(lambda: print('exit', np.array([1.0, -1.0]) / np.zeros(2), np.zeros(1) / np.zeros(1)))\n"
    )
    program(model, "  call say('')", flags=("-ffpe-trap=invalid,zero,overflow",))
    model.write(model_py=source)
    code, text = ended(model)
    assert code == 0
    assert text.splitlines()[-1] == "exit [ inf -inf] [nan]"


def test_a_closed_standard_output_is_no_error(model: Project) -> None:
    """Python has no stdout then, and print does nothing."""
    program(model, "  call say('unheard')\n  y = root(4.0_real64)\n  if (y /= 2) error stop 3")
    done = run(["/bin/sh", "-c", 'exec "$0" >&-', str(model.folder / "main")], cwd="/", env={}, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


# ---- signals


def test_interrupt_ends_a_program_that_is_in_fortran(model: Project) -> None:
    """After Python was started, and imported what takes SIGINT."""
    program(model, "  call say('ready' // new_line('a'))\n  do\n    call sleep(1)\n  end do")
    model.write(model_py="import signal, subprocess, threading, asyncio\n" + FAILING)
    assert interrupted(model) == -signal.SIGINT


def test_the_handler_that_the_model_has_for_interrupts_stays(model: Project) -> None:
    """Models write a restart file on SIGINT."""
    procedures = "  subroutine restart()\n    error stop 42\n  end subroutine restart\n"
    program(
        model,
        "  call signal(2, restart)\n  call say('ready' // new_line('a'))\n  do\n    call sleep(1)\n  end do",
        procedures=procedures,
    )
    assert interrupted(model) == 42


def interrupted(project: Project) -> int:
    """Exit status of a program that gets a SIGINT once it has printed a line."""
    with subprocess.Popen(
        ["env", "--default-signal=INT", str(project.folder / "main")], cwd="/", stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:  # a job in the background of a script ignores SIGINT
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == b"ready\n"
            time.sleep(0.2)
            process.send_signal(signal.SIGINT)
            return process.wait(timeout=10)
        finally:
            process.kill()
