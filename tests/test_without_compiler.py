"""`@pythoncall` where there is no compiler: what was built before is found; procedures of libraries are called all the same."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING, Any

import pytest
from stubs import HEAD, ran

if TYPE_CHECKING:
    from pathlib import Path

SOURCE = """\
module physics
  implicit none
contains
  subroutine add(n, u, by)
    integer, intent(in) :: n
    real(8), intent(inout) :: u(n)
    real(8), intent(in) :: by
    include 'formula.inc'
  end subroutine
end module
"""
STUB = """
@pythoncall(source="physics.f90", module="physics")
def add(n: i32, u: InOut[f64[n]], by: f64) -> None: ...
u = np.zeros(2)
add(2, u, 1.5)
print(u)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "physics.f90").write_text(SOURCE)
    (tmp_path / "formula.inc").write_text("    u = u + by\n")
    (tmp_path / "nothing").mkdir()
    return tmp_path


def _run(folder: Path, text: str, *, compiler: str = "", **environment: str) -> Any:
    """With one compiler or with none on PATH."""
    os.environ.pop("FC", None)
    chosen = {"FC": compiler} if compiler else {"PATH": str(folder / "nothing")}
    return ran(folder, HEAD + text, check=False, PY2F_CACHE_DIR=str(folder / "cache"), **chosen, **environment)


def test_what_was_built_from_these_texts_is_found(folder: Path, compiler: str) -> None:
    assert _run(folder, STUB, compiler=compiler).stdout == "[1.5 1.5]\n"
    done = _run(folder, STUB)
    assert (done.stdout, done.returncode) == ("[1.5 1.5]\n", 0), done.stderr


def test_nothing_is_found_for_other_texts(folder: Path) -> None:
    _run(folder, STUB, compiler="gfortran")
    for path, before, after in (("physics.f90", "real(8), intent(in)", "real(8), intent( in )"), ("formula.inc", "+", "-")):
        text = (folder / path).read_text()
        (folder / path).write_text(text.replace(before, after))
        done = _run(folder, STUB)
        assert "ToolchainError: no Fortran compiler on PATH: install gfortran" in done.stderr
        (folder / path).write_text(text)


def test_flags_are_part_of_what_is_asked_for(folder: Path) -> None:
    _run(folder, STUB, compiler="gfortran -O1")
    assert "ToolchainError" in _run(folder, STUB).stderr
    assert _run(folder, STUB, compiler="gfortran -march=native").stdout == "[1.5 1.5]\n"
    assert (
        "ToolchainError"
        in ran(
            folder,
            HEAD + STUB,
            check=False,
            PY2F_CACHE_DIR=str(folder / "cache"),
            PATH=str(folder / "nothing"),
            FC="gfortran -march=native",
        ).stderr
    )


def test_a_damaged_entry_is_not_loaded(folder: Path) -> None:
    _run(folder, STUB, compiler="gfortran")
    for library in (folder / "cache").rglob("*.so*"):
        library.chmod(0o644)
        library.write_bytes(library.read_bytes()[:-100])
    assert "ToolchainError" in _run(folder, STUB).stderr


def test_a_hit_writes_nothing(folder: Path) -> None:
    for _ in range(2):
        _run(folder, STUB, compiler="gfortran")
        before = {path: path.stat().st_mtime_ns for path in (folder / "cache").rglob("*")}
    _run(folder, STUB)
    assert {path: path.stat().st_mtime_ns for path in (folder / "cache").rglob("*")} == before


LIBRARY = """\
subroutine scale_it(n, x, by, small) bind(c, name="scale_it")
  use, intrinsic :: iso_c_binding
  integer(c_int), value :: n
  real(c_double), intent(inout) :: x(n)
  real(c_double), value :: by
  integer(c_int8_t), intent(in) :: small
  x = by*x + small
end subroutine
function length(n, x, there) result(r) bind(c)
  use, intrinsic :: iso_c_binding
  integer(c_int), intent(in) :: n
  real(c_double), intent(in) :: x(n, *)
  logical(c_bool), intent(out), optional :: there
  real(c_double) :: r
  r = sqrt(sum(x(:, 1)**2))
  if (present(there)) there = .true.
end function
subroutine made(n, x, k, z) bind(c)
  use, intrinsic :: iso_c_binding
  integer(c_int), value :: n
  real(c_float), intent(out) :: x(n, 2)
  integer(c_int64_t), intent(out) :: k
  complex(c_double_complex), intent(out) :: z
  x = 3
  k = 2_8**40
  z = (1d0, -2d0)
end subroutine
subroutine shaped(x) bind(c)
  use, intrinsic :: iso_c_binding
  real(c_double), intent(inout) :: x(:)
  x = x + 1
end subroutine
"""
STUBS = """
import warnings
library = functools.partial(pythoncall, library="./libold.so")
@library()
def scale_it(n: Value[i32], x: InOut[f64[n]], by: Value[f64], small: i8 = 1) -> None: ...
@library()
def length(n: i32, x: f64[n, :], there: InOut[b8] | None = None) -> f64: ...
@library()
def made(n: Value[i32], x: Out[f32[n, 2]], k: Out[i64], z: Out[c64]) -> tuple[f32[n, 2], i64, c64]: ...
@library(name="scale_it", copy="ok", nogil=True)
def scale_copied(n: Value[i32], x: InOut[f64[n]], by: Value[f64], small: i8 = 1) -> None: ...
@library()
def shaped(x: InOut[f64[:]]) -> None: ...
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    try:
        shaped(np.zeros(2))
    except ToolchainError as error:
        print(error, file=__import__("sys").stderr)
    x = np.array([3.0, 4.0])
    scale_it(2, x, 2.0)
    y = np.zeros((2, 3), order="F")
    y[:, 0] = 3, 4
    there = np.array(False)
    z = np.zeros(4)
    scale_copied(2, z[::2], 1.0, small=5)
    a, k, c = made(3)
    print(x, length(2, y), length(2, y, there), there, z, a.tolist(), a.dtype, k, c)
    for call in ("scale_it(3, x, 2.0)", "scale_it(2, z[::2], 2.0)", "scale_it(2, x)", "scale_it(2, x, 1j)", "scale_it(2**40, x, 1.0)", "scale_it(2, x, 1.0, 200)", "made(-1)", "length(2, 1)"):
        try:
            print(eval(call))
        except (TypeError, ValueError, OverflowError) as error:
            print(type(error).__name__, error)
print(*{w.category.__name__ for w in said}, len(said), said[0].message, file=__import__("sys").stderr) if said else None
"""


def test_without_entry_and_compiler_procedures_of_libraries_are_called_with_the_same_checks(folder: Path) -> None:
    (folder / "old.f90").write_text(LIBRARY)
    subprocess.run(["gfortran", "-shared", "-fPIC", "old.f90", "-o", "libold.so"], cwd=folder, check=True)
    compiled = _run(folder, STUBS, compiler="gfortran")
    assert compiled.returncode == 0, compiled.stderr
    done = ran(folder, HEAD + STUBS, check=False, PY2F_CACHE_DIR=str(folder / "empty"), PATH=str(folder / "nothing"))
    assert done.stdout == compiled.stdout, done.stderr
    assert "'shaped' needs a Fortran compiler: its argument 'x' goes by descriptor; no Fortran compiler on PATH" in done.stderr
    assert (
        f"RuntimeWarning 1 procedures of {folder}/libold.so are called without a compiler, which is slower: no Fortran"
        in done.stderr
    )
