"""The threads of BLAS and its like are as many as the model has where it calls."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from programs import run

if TYPE_CHECKING:
    from programs import Project

MODEL = """\
import ctypes
import sys

import numpy as np
from threadpoolctl import threadpool_info

from py2f import export_to_fortran, i32


def blas():
    np.ones((2, 2)) @ np.ones((2, 2))
    return next(pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas")


first = blas()


@export_to_fortran
def host() -> i32:
    return blas()


@export_to_fortran(threads=3)
def three() -> i32:
    return blas()


@export_to_fortran(threads=None)
def own() -> i32:
    return blas() - first


@export_to_fortran
def told() -> bool:
    return "py2f.runtime.threads" in sys.modules


@export_to_fortran(threads=3)
def of_the_model() -> i32:
    return ctypes.CDLL(None).omp_get_max_threads()
"""
MAIN = """\
program main
  use omp_lib, only: omp_get_max_threads, omp_set_num_threads
  use model_py
  implicit none
  integer :: i, seen(2)
  call omp_set_num_threads(2)
  print '(a, 2i3)', "two", host(), omp_get_max_threads()
  call omp_set_num_threads(5)
  print '(a, 2i3)', "five", host(), omp_get_max_threads()
  !$omp parallel do num_threads(2) schedule(static, 1)
  do i = 1, 2
    seen(i) = host()
  end do
  print '(a, 2i3)', "inside", seen
  print '(a, 2i3)', "after", host(), omp_get_max_threads()
  print '(a, 2i3)', "own", own(), omp_get_max_threads()
  print '(a, 2i3)', "three", three(), omp_get_max_threads()
  print '(a, 2i3)', "model", of_the_model(), omp_get_max_threads()
  print '(a, 2i3)', "again", host(), omp_get_max_threads()
  print '(l1)', told()
end program main
"""


def with_openmp(project: Project, compiler: str = "gfortran") -> Project:
    """Compile with -fopenmp, where there is a run time."""
    project.compiler = compiler
    project.export()
    try:
        project.compile("-fopenmp")
    except AssertionError as error:
        if "-lomp" not in str(error) and "omp_lib" not in str(error):
            raise
        pytest.skip(f"{compiler} has no OpenMP run time here: that its number of threads is given is not verified")
    return project


def test_blas_has_the_threads_of_the_model_where_it_calls(project: Project, compiler: str) -> None:
    """Outside and inside a parallel region, a number that is asked for, its own; the model's numbers are as before."""
    project.write(model_py=MODEL, main_f90=MAIN)
    done = with_openmp(project, compiler).run()
    assert done.stdout.splitlines() == [
        "two  2  2",
        "five  5  5",
        "inside  1  1",
        "after  5  5",
        "own  0  5",
        "three  3  5",
        "model  3  5",
        "again  5  5",
        "T",
    ]
    assert not done.stderr


def test_a_model_without_openmp_leaves_everything_alone(project: Project) -> None:
    """But for a number that is asked for; then the others get their own numbers again."""
    main = """\
program main
  use model_py
  implicit none
  print '(l1, i3)', told(), host()
  print '(i3)', own()
end program main
"""
    only = MODEL.replace("threads=3", "threads=None")
    first = project.write(model_py=only.replace("return blas()\n", "return blas() - first\n"), main_f90=main).go().stdout
    assert first.splitlines() == ["F  0", "  0"]
    main = "use model_py\n print '(4i3)', own(), three(), own(), host()\nend\n"
    text = MODEL.replace(
        "@export_to_fortran\ndef host() -> i32:\n    return blas()\n",
        "@export_to_fortran\ndef host() -> i32:\n    return blas() - first\n",
    )
    assert project.write(model_py=text, main_f90=main).go().stdout.split() == ["0", "3", "0", "0"]


def test_libraries_are_told_when_the_number_changes_only(project: Project) -> None:
    """Nothing is told twice: neither when nothing has changed, nor because another thread calls."""
    model = (
        MODEL
        + """

from py2f.runtime import threads

told_so_far = []
give = threads.give
threads.give = lambda n: (told_so_far.append(n), give(n))


@export_to_fortran
def times() -> i32:
    return len(told_so_far)
"""
    )
    main = """\
program main
  use omp_lib, only: omp_set_num_threads
  use model_py
  implicit none
  integer :: i, n
  call omp_set_num_threads(4)
  do i = 1, 100
    n = host()
  end do
  print '(i0)', times()
  !$omp parallel num_threads(3) private(i, n)
  do i = 1, 100
    n = host()
  end do
  !$omp end parallel
  print '(i0)', times()
end program main
"""
    done = with_openmp(project.write(model_py=model, main_f90=main)).run()
    first, second = map(int, done.stdout.split())
    assert first <= 2  # the first call imports what tells
    assert second - first == 4  # each of three threads, and the first again after the region


NUMBA = """\
import numba
import numpy as np

from py2f import InOut, export_to_fortran, f64, i32


@numba.njit(parallel=True)
def work(x):
    for i in numba.prange(x.size):
        x[i] += 1.0


work(np.zeros(8))


@export_to_fortran
def count(x: InOut[f64[:]]) -> i32:
    work(x)
    return numba.get_num_threads()
"""


def test_numba_has_them_too(project: Project) -> None:
    """As many as it has started at most."""
    main = """\
program main
  use omp_lib, only: omp_set_num_threads
  use model_py
  implicit none
  double precision :: x(20) = 0
  integer :: n, counts(4)
  do n = 1, 4
    call omp_set_num_threads(n)
    counts(n) = count(x)
  end do
  print '(4i3, f5.1)', counts, x(20)
end program main
"""
    done = with_openmp(project.write(model_py=NUMBA, main_f90=main)).run(env={"NUMBA_NUM_THREADS": "3"})
    assert done.stdout.split() == ["1", "2", "3", "3", "4.0"]


TORCH = """\
threads = 7


def set_num_threads(n):
    global threads
    threads = n


def get_num_threads():
    return threads
"""


def test_what_is_imported_later_is_told_at_the_next_call(project: Project) -> None:
    """torch, for which a module of its name stands here: PyTorch itself is not verified."""
    model = (
        MODEL
        + """

@export_to_fortran
def torch_has() -> i32:
    import torch
    return torch.get_num_threads()
"""
    )
    main = "use model_py\n call omp_set_num_threads(4)\n print '(i3)', torch_has(), torch_has()\nend\n"
    done = with_openmp(project.write(model_py=model, main_f90=main, torch_py=TORCH)).run()
    assert done.stdout.split() == ["7", "4"]


def test_two_run_times_of_openmp_are_one_warning(project: Project, compiler: str) -> None:
    """Which names both files, the model's first."""
    (project.folder / "other").mkdir(parents=True)
    found = Path(run(["gcc", "-print-file-name=libgomp.so.1"], cwd="/").stdout.strip())
    other = project.folder / "other" / "libgomp-copy.so.1"
    shutil.copy(found, other)
    model = (
        MODEL.replace("first = blas()", f"first = blas()\nother = ctypes.CDLL({str(other)!r})")
        + """

@export_to_fortran
def others() -> i32:
    return other.omp_get_max_threads()
"""
    )
    main = """\
program main
  use omp_lib, only: omp_set_num_threads
  use model_py
  implicit none
  call omp_set_num_threads(3)
  print '(i3)', others()
  call omp_set_num_threads(2)
  print '(i3)', others()
  print '(i3)', host()
end program main
"""
    done = with_openmp(project.write(model_py=model, main_f90=main), compiler).run()
    assert done.stdout.split() == ["3", "2", "2"]
    assert done.stderr.count("run times of OpenMP") == 1
    said = done.stderr[done.stderr.index("RuntimeWarning: ") :].splitlines()[0]
    assert "2 run times of OpenMP in one process, " in said
    assert said.index("libomp" if "flang" in compiler else "libgomp.so.1") < said.index(str(other))
    assert said.endswith("set OMP_WAIT_POLICY=passive, or build with one of them")


def test_functions_with_tables_have_them_too(project: Project) -> None:
    """What is handed over as something else than a view takes another way in."""
    model = MODEL.replace("import ctypes", "import ctypes\nfrom typing import Annotated").replace("i32\n", "i32, IndexBase\n", 1)
    model += """

@export_to_fortran
def table(cells: Annotated[np.ndarray, i32[:], IndexBase(1)]) -> i32:
    return 10 * int(cells[1]) + blas()
"""
    main = "use model_py\n call omp_set_num_threads(4)\n print '(2i3)', table([1, 3]), table([1, 3])\nend\n"
    done = with_openmp(project.write(model_py=model, main_f90=main)).run()
    assert done.stdout.split() == ["24", "24"]
