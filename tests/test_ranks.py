"""Jobs of several ranks: one that fails ends them all, says so once a node, and prints where it is told to."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from ending import FAILING
from programs import Project, found
from ranks import MPIS, compile_ranks, launched, run_ranks

if TYPE_CHECKING:
    from pathlib import Path

MODEL = FAILING.replace(', end=""', "")
TRACE = "Traceback (most recent call last):\n"
PLACE = """\
  File "{folder}/model.py", line 8, in root
    raise ValueError(f"no root of {{x}}")
"""
TOGETHER = "  print *, root(4d0)\n  call mpi_barrier(mpi_comm_world, ierr)"  # the start of Python takes each rank its own time
FINISH = """\
module finish_module
contains
  subroutine finish(where, message)
    character(len=*), intent(in) :: where, message
    print '(5a)', 'finish ', where, '|', message
    flush (6)
  end subroutine finish
end module finish_module
subroutine use_finish()
  use finish_module, only: finish
  use py2f, only: py2f_on_error
  call py2f_on_error(finish)
end subroutine use_finish
"""
COMPILERS = [
    pytest.param(c, marks=[] if found(c) else pytest.mark.skip(reason=f"{c} is not installed: its ranks are not verified"))
    for c in ("gfortran", "flang-new-19")
]


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The model, exported once."""
    project = Project(tmp_path_factory.mktemp("ranks") / "project")
    project.write(model_py=MODEL).export()
    return project


@pytest.fixture(scope="module", params=COMPILERS)
def compiled(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The same by each compiler, for what is Fortran's: the ends of a job and py2f_configure."""
    project = Project(tmp_path_factory.mktemp("compiled") / "project", compiler=request.param)
    project.write(model_py=MODEL).export()
    return project


@pytest.fixture(params=MPIS)
def mpi(request: pytest.FixtureRequest) -> str:
    """Each MPI that is installed."""
    return str(request.param)


# ---- the end of a job


def test_one_rank_that_fails_ends_all(compiled: Project, mpi: str) -> None:
    """The others would wait in the barrier until the time limit."""
    job = run_ranks(compile_ranks(compiled, mpi, "  if (rank == 2) print *, root(-2d0)"), mpi, 4)
    assert job.code != 0
    assert job.seconds < 20
    assert job.stderr.count(TRACE) == 1
    line = "py2f: rank 2: model_py:root: ValueError: no root of -2.0"
    assert f"{TRACE}{PLACE.format(folder=compiled.folder)}ValueError: no root of -2.0\n{line}\n" in job.stderr
    assert job.lines == [line]
    assert "ERROR STOP" not in job.stderr  # MPI_Abort came first
    assert "printed by Python" in job.stdout


def test_ranks_that_fail_at_once_print_one_traceback_and_a_line_each(compiled: Project, mpi: str) -> None:
    """Each has an error of its own, at one place."""
    job = run_ranks(compile_ranks(compiled, mpi, f"{TOGETHER}\n  print *, root(-2d0 - rank)"), mpi, 4)
    assert job.code != 0
    assert job.stderr.count(TRACE) == job.stderr.count(PLACE.format(folder=compiled.folder)) == 1
    assert job.lines == [f"py2f: rank {r}: model_py:root: ValueError: no root of -{r + 2}.0" for r in range(4)]


def test_ranks_that_fail_at_different_places_print_their_tracebacks(exported: Project, mpi: str) -> None:
    """Nothing that nobody has printed is left out."""
    statements = f"{TOGETHER}\n  if (rank == 1) print *, root(-2d0)\n  call say(achar(255))"
    job = run_ranks(compile_ranks(exported, mpi, statements), mpi, 2)
    assert job.code != 0
    lines = ["py2f: rank 0: model_py:say: argument 'text' of 'say' is not UTF-8: byte 1 is 0xff",
             "py2f: rank 1: model_py:root: ValueError: no root of -2.0"]  # fmt: skip
    assert (job.lines, job.stderr.count(TRACE)) == (lines, 1)


def test_two_jobs_of_a_node_know_nothing_of_each_other(exported: Project, mpi: str) -> None:
    """Each prints its traceback, while the other is there."""
    compile_ranks(exported, mpi, f"{TOGETHER}\n  print *, root(-2d0)")
    jobs = [launched(exported, mpi, 2) for _ in range(2)]
    assert [job.communicate(timeout=60)[1].count(TRACE) for job in jobs] == [1, 1]


def test_ranks_behind_scripts_of_their_own_say_too_much_rather_than_too_little(exported: Project, mpi: str) -> None:
    """MPICH's ranks do not know then that they are one job."""
    script = exported.folder / "wrapper.sh"
    script.write_text('#!/bin/sh\n"$@"\n')
    script.chmod(0o755)
    job = run_ranks(compile_ranks(exported, mpi, f"{TOGETHER}\n  print *, root(-2d0)"), mpi, 4, str(script))
    assert job.code != 0
    assert job.stderr.count(TRACE) == {"openmpi": 1, "mpich": 4}[mpi]
    assert len(job.lines) == 4


def test_a_message_of_several_lines_is_one_line_of_the_other_ranks(exported: Project, mpi: str) -> None:
    """The rank with the traceback shows it whole."""
    exported.write(model_py=MODEL.replace("no root of {x}", "no root\\nof {x}"))
    try:
        job = run_ranks(compile_ranks(exported, mpi, f"{TOGETHER}\n  print *, root(-2d0)"), mpi, 2)
    finally:
        exported.write(model_py=MODEL)
    assert job.stderr.count("\nValueError: no root\nof -2.0\npy2f: rank ") == 1
    assert sorted(line.partition("model_py:")[2] for line in job.lines) == [
        "root: ValueError: no root",
        "root: ValueError: no root ...",
    ]


def test_a_start_that_fails_is_a_line_of_each_rank(exported: Project, mpi: str) -> None:
    """There is no traceback."""
    compile_ranks(exported, mpi, "  call mpi_barrier(mpi_comm_world, ierr)\n  print *, root(4d0)")
    job = run_ranks(exported, mpi, 4, PY2F_PYTHON="/gone/python")
    assert job.code != 0
    assert job.lines == [f"py2f: rank {r}: model_py:root: PY2F_PYTHON names /gone/python, which is not there" for r in range(4)]


def test_a_routine_that_returns_ends_all_ranks_just_the_same(compiled: Project, mpi: str) -> None:
    """It was the model's own door, but nobody went through it."""
    compiled.write(finish_f90=FINISH)
    compile_ranks(compiled, mpi, "  call use_finish()\n  if (rank == 1) y = root(-2d0)", sources=("finish.f90",))
    job = run_ranks(compiled, mpi, 4)
    assert job.code != 0
    assert job.seconds < 20
    assert "finish model_py:root|ValueError: no root of -2.0" in job.stdout


@pytest.mark.parametrize("where", ["before", "after"])
def test_outside_of_mpi_a_rank_that_fails_ends_all_through_error_stop(compiled: Project, mpi: str, where: str) -> None:
    """MPI_Abort may not be called then; the launcher sees the exit status."""
    fail = "  print *, root(-2d0)"
    compile_ranks(compiled, mpi, "", before=fail) if where == "before" else compile_ranks(compiled, mpi, "", after=fail)
    job = run_ranks(compiled, mpi, 2)
    assert job.code != 0
    assert job.seconds < 20
    assert TRACE in job.stderr
    assert "ERROR STOP" in job.stderr
    assert job.lines[0] == "py2f: model_py:root: ValueError: no root of -2.0"


# ---- what ranks print

SAY = "  call say('rank ' // achar(48 + rank))"


@pytest.mark.parametrize("before", ["", "  call py2f_configure(output='rank0')"])
def test_only_rank_0_prints(compiled: Project, mpi: str, before: str) -> None:
    """Its own line, whoever says that."""
    variable = {} if before else {"PY2F_OUTPUT": "rank0"}
    job = run_ranks(compile_ranks(compiled, mpi, SAY, before), mpi, 3, **variable)
    assert (job.code, job.stdout) == (0, "rank 0\n")


def test_a_rank_that_prints_nothing_still_says_its_error(exported: Project, mpi: str) -> None:
    """And its warnings."""
    exported.write(model_py="import warnings\nwarnings.warn('look', stacklevel=1)\n" + MODEL)
    try:
        compile_ranks(exported, mpi, "  if (rank == 1) print *, root(-2d0)")
        job = run_ranks(exported, mpi, 2, PY2F_OUTPUT="rank0")
    finally:
        exported.write(model_py=MODEL)
    assert "printed by Python" not in job.stdout
    assert "UserWarning: look" in job.stderr
    assert job.lines == ["py2f: rank 1: model_py:root: ValueError: no root of -2.0"]
    assert TRACE in job.stderr


def test_each_rank_has_a_file(exported: Project, mpi: str, tmp_path: Path) -> None:
    """Also before MPI is initialized: the launcher says the rank."""
    statements = f"{SAY}\n  if (rank == 1) print *, root(-2d0)"
    before = "  call say('early')"
    job = run_ranks(compile_ranks(exported, mpi, statements, before), mpi, 2, PY2F_OUTPUT=f"{tmp_path}/py.%r.log")
    assert job.stdout == ""
    assert (tmp_path / "py.0.log").read_text() == "early\nrank 0\n"
    assert (tmp_path / "py.1.log").read_text() == "early\nrank 1\nprinted by Python\n"
    assert (TRACE in job.stderr, len(job.lines)) == (True, 1)
