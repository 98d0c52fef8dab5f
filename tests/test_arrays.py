"""Arrays of every rank and kind, as whole arrays and as sections: Python sees exactly the caller's elements, and writes exactly those.

A Fortran program passes random sections of arrays with odd lower bounds; Python keeps what it saw and changes it in place;
the program then writes its arrays to a file. NumPy, given the same sections, says what both should be.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

import numpy as np
from programs import Project

from py2f import types
from py2f.emit.text import wrap

KINDS = ("i32", "i64", "f32", "f64")
SECTIONS = 4


@dataclass(frozen=True)
class Bounds:
    """One dimension of a declared array, and what of it is passed."""

    lower: int
    extent: int
    first: int  # zero-based, as Python counts
    last: int
    step: int  # 0: a scalar index, which drops the dimension

    @property
    def fortran(self) -> str:
        """The subscript in Fortran."""
        first, last = self.first + self.lower, self.last + self.lower
        return str(first) if self.step == 0 else f"{first}:{last}:{self.step}"

    @property
    def python(self) -> object:
        """The same in Python."""
        if self.step == 0:
            return self.first
        end = self.last + (1 if self.step > 0 else -1)
        return slice(self.first, None if end < 0 else end, self.step)


def _dimension(draw: random.Random, largest: int, *, dropped: bool) -> Bounds:
    extent, lower = draw.randint(1, largest), draw.randint(-3, 3)
    first, last, step = draw.randrange(extent), draw.randrange(extent), draw.choice([1, 1, 2, -1, -2])
    return Bounds(lower, extent, first, last, 0 if dropped else step)


def _section(draw: random.Random, rank: int) -> list[Bounds]:
    drop = draw.randrange(rank + 1) if rank < types.MAX_RANK and draw.random() < 0.5 else None
    count = rank + (drop is not None)
    largest = 5 if count < 5 else 3 if count < 8 else 2
    dimensions = [_dimension(draw, largest, dropped=d == drop) for d in range(count)]
    if draw.random() < 0.5:  # mostly whole dimensions: with many random ones nearly every section would be empty
        return dimensions
    return [d if d.step == 0 else Bounds(d.lower, d.extent, 0, d.extent - 1, 1) for d in dimensions]


def _model() -> str:
    rows = ["import numpy as np", "from py2f import In, InOut, Out, export_to_fortran, f32, f64, i32, i64", ""]
    for kind in KINDS:
        for rank in range(1, types.MAX_RANK + 1):
            array = f"{kind}[{', '.join(':' * rank)}]"
            rows += [
                "@export_to_fortran",
                f"def change_{kind}_{rank}(a: InOut[{array}], same: In[{array}], number: i32, folder: str) -> i32:",
            ]
            rows += ["    assert not same.flags.writeable and same.strides == a.strides and same.dtype == a.dtype"]
            rows += ["    np.save(f'{folder}/{number}.npy', a)", "    a += number", "    return a.size", ""]
    return "\n".join(rows)


def _main(calls: list[tuple[str, list[Bounds]]]) -> str:
    declared, filled, made, written = [], [], [], []
    for number, (kind, section) in enumerate(calls):
        bounds = ", ".join(f"{d.lower}:{d.lower + d.extent - 1}" for d in section)
        size = int(np.prod([d.extent for d in section]))
        rank = sum(d.step != 0 for d in section)
        subscripts = ", ".join(d.fortran for d in section)
        shape = ", ".join(str(d.extent) for d in section)
        declared.append(f"  {getattr(types, kind).fortran} :: a{number}({bounds})")
        filled.append(f"  a{number} = reshape([(i, i = 1, {size})], [{shape}])")
        made.append(f"  n = change_{kind}_{rank}(a{number}({subscripts}), a{number}({subscripts}), {number}, folder)")
        made.append(f"  if (n /= size(a{number}({subscripts}))) error stop {number + 1}")
        written.append(f"  write (unit) a{number}")
    head = ["program main", "  use, intrinsic :: iso_c_binding", "  use model_py", "  implicit none"]
    opened = [
        "  call get_command_argument(1, folder)",
        "  open (newunit=unit, file=trim(folder)//'/after', access='stream', form='unformatted')",
    ]
    rows = [
        *head,
        *declared,
        "  integer :: i, n, unit",
        "  character(len=500) :: folder",
        *opened[:1],
        *filled,
        *made,
        *opened[1:],
        *written,
    ]
    return "\n".join(map(wrap, [*rows, "end program main", ""]))


def test_python_sees_and_writes_exactly_the_elements_of_each_section(project: Project, compiler: str) -> None:
    draw = random.Random(20261129)
    calls = [(kind, _section(draw, rank)) for rank in range(1, types.MAX_RANK + 1) for kind in KINDS for _ in range(SECTIONS)]
    project.compiler = compiler
    project.write(model_py=_model(), main_f90=_main(calls))
    project.export("--fflags=-O0" + (" -fcheck=all" if compiler.startswith("gfortran") else ""))
    project.compile("-O0")
    done = project.run(str(project.folder))
    assert (done.returncode, done.stderr) == (0, "")
    after = (project.folder / "after").read_bytes()
    empty = 0
    for number, (kind, section) in enumerate(calls):
        dtype = np.dtype(getattr(types, kind).numpy)
        shape = [d.extent for d in section]
        array = np.arange(1, np.prod(shape) + 1).astype(dtype).reshape(shape, order="F")
        part = array[tuple(d.python for d in section)]
        np.testing.assert_array_equal(np.load(project.folder / f"{number}.npy"), part, strict=True)
        part += number
        written, after = np.frombuffer(after[: array.nbytes], dtype).reshape(shape, order="F"), after[array.nbytes :]
        np.testing.assert_array_equal(written, array, strict=True)
        empty += part.size == 0
    assert after == b""
    assert 20 < empty < len(calls) / 2


IN_FORTRAN = """\
module in_fortran
  use, intrinsic :: iso_c_binding, only: c_double
  implicit none
contains
  subroutine change(a)
    real(c_double), intent(inout) :: a(:)
    real(c_double), parameter :: factors(3) = [10, 100, 1000]
    a = a * factors(:size(a))
  end subroutine change

  subroutine keep(a)
    real(c_double), pointer, intent(in) :: a(:)
    a = a * [7, 8, 9]
  end subroutine keep
end module in_fortran

"""
PARTS = """\
module parts
  use, intrinsic :: iso_c_binding
  use model_py, only: change, keep
  implicit none
  type :: point
    real(c_double) :: x, y
    integer(c_int32_t) :: n(3)
  end type point
  type :: pair
    real(c_double) :: first, second
  end type pair
contains
  subroutine through_pointer(p)  !< what p points at is not known here
    real(c_double), pointer, intent(in) :: p(:)
    call change(p)
  end subroutine through_pointer

  subroutine through_kept(p)
    real(c_double), pointer, intent(in) :: p(:)
    call keep(p)
  end subroutine through_kept

  subroutine through_shape(a)
    real(c_double), intent(inout) :: a(:)
    call change(a)
  end subroutine through_shape

  subroutine through_contiguous(a)
    real(c_double), contiguous, intent(inout) :: a(:)
    call change(a)
  end subroutine through_contiguous

  subroutine through_size(a, n)
    integer, intent(in) :: n
    real(c_double), intent(inout) :: a(n, *)
    call change(a(2, 1:3))
  end subroutine through_size
end module parts

program main
  use parts
  implicit none
  type(point), target :: points(3)
  type(pair), target :: pairs(2, 3)
  complex(c_double), target :: z(3)
  real(c_double), target :: square(3, 3)
  real(c_double), pointer :: p(:), q(:, :)
  real(c_double), allocatable :: one(:, :)
  integer :: i, k
  do k = 1, 16
    points = [(point(i, -i, [i, i, i]), i=1, 3)]
    pairs = reshape([(pair(i, -i), i=1, 6)], [2, 3])
    z = [(cmplx(i, -i, c_double), i=1, 3)]
    square = reshape([(real(i, c_double), i=1, 9)], [3, 3])
    select case (k)
    case (1); call change(points%x)
    case (2); call change(points(3:1:-1)%y)
    case (3); call change(pairs(2, :)%second)
    case (4); call change(z%re)
    case (5); p => points%y; call through_pointer(p)
    case (6); p => pairs(1, :)%second; call through_pointer(p)
    case (7); p => z%im; call through_pointer(p)
    case (8); p(1:3) => square(:, 2); call through_pointer(p)
    case (9); p => square(3, :); call through_shape(p)
    case (10); call through_contiguous(square(3, :))
    case (11); call through_size(square, 3)
    case (12); q => pairs%first; call change(q(2, :)); call change(q(1, 2:2))
    case (13)
      allocate (one(1, 3)); one = square(1:1, :)
      call change(one(1, :)); square(1:1, :) = one
    case (14)
      associate (v => pairs(1, :)); call change(v%first); end associate
    case (15); p => points%y; call through_kept(p)
    case (16); p => z%re; call through_kept(p)
    end select
    print '(i0, *(f8.1))', k, points%x, points%y, pairs%first, pairs%second, z%re, z%im, square
  end do
end program main
"""


def test_parts_of_structures_and_what_pointers_point_at(project: Project, compiler: str) -> None:
    """Elements that lie further apart than they are large: Python sees what a Fortran procedure in its place would.

    gfortran itself takes a pointer to a component for a dense array, where it cannot see what the pointer points at.
    """
    project.compiler = compiler
    project.write(
        model_py="from py2f import InOut, Keep, export_to_fortran, f64\n"
        "@export_to_fortran\ndef change(a: InOut[f64[:]]) -> None:\n    a *= [10, 100, 1000][: a.size]\n"
        "@export_to_fortran\ndef keep(a: Keep[InOut[f64[:]]]) -> None:\n    a *= [7, 8, 9]\n",
        main_f90=PARTS,
    )
    through_python = project.go()
    project.write(main_f90=IN_FORTRAN + PARTS.replace("use model_py,", "use in_fortran,"))
    project.compile()
    in_fortran = project.run()
    assert (through_python.stdout, through_python.stderr) == (in_fortran.stdout, "")
    rows = [row.split()[1:] for row in in_fortran.stdout.splitlines()]
    assert len(rows) == len({*map(tuple, rows)}) + 1 == 16  # two change the same


def test_a_large_array_is_passed_by_its_address(project: Project) -> None:
    """More than 2**31 elements: default integers would overflow in the wrapper."""
    project.write(
        model_py="from py2f import export_to_fortran, i8, InOut, i64\n"
        "@export_to_fortran\ndef last(a: InOut[i8[:, :]]) -> i64:\n    a[-1, -1] = 7\n    return a.size\n",
        main_f90="""\
program main
  use, intrinsic :: iso_c_binding
  use model_py, only: last
  implicit none
  integer(c_int8_t), allocatable :: a(:, :)
  allocate (a(65536, 32769))
  print '(i0)', last(a)
  print '(i0)', a(65536, 32769)
end program main
""",
    )
    done = project.go()
    assert (done.stdout, done.stderr) == ("2147549184\n7\n", "")


def test_a_result_may_be_declared_with_an_extent_of_zero(project: Project, compiler: str) -> None:
    """It has no first element, and compilers see that."""
    project.compiler = compiler
    project.write(
        model_py="import numpy as np\nfrom py2f import export_to_fortran, f64\n"
        "@export_to_fortran\ndef nothing() -> f64[0, 2]:\n    return np.zeros((0, 2))\n",
        main_f90="program main\n  use model_py, only: nothing\n  print '(2i2)', shape(nothing())\nend program main\n",
    )
    done = project.go()
    assert (done.stdout, done.stderr) == (" 0 2\n", "")


def test_a_result_has_the_extents_of_the_dimensions_that_bear_their_names(project: Project, compiler: str) -> None:
    """The second and third dimension give the names; none is the first."""
    project.compiler = compiler
    project.write(
        model_py="from __future__ import annotations\nfrom py2f import export_to_fortran, i32\n"
        "@export_to_fortran\ndef turned(x: i32[:, n, m]) -> i32[m, n + 1]:\n    return x[0].T[:, [*range(x.shape[1]), 0]]\n",
        main_f90="program main\n  use model_py, only: turned\n  integer :: i\n"
        "  print '(8i3)', shape(turned(reshape([(i, i=1, 30)], [5, 3, 2]))), turned(reshape([(i, i=1, 30)], [5, 3, 2]))\n"
        "end program main\n",
    )
    done = project.go()
    assert (done.stdout, done.stderr) == ("  2  4  1 16  6 21 11 26\n  1 16\n", "")


def test_elements_of_a_logical_result_are_written_whole(project: Project, compiler: str) -> None:
    """Fresh memory is not zero, and compilers look at more than the low byte."""
    project.compiler = compiler
    project.write(
        model_py="from __future__ import annotations\nimport numpy as np\nfrom py2f import b32, export_to_fortran, i32\n"
        "@export_to_fortran\ndef deferred(n: i32) -> b32[:]:\n    return np.arange(n) % 2 == 0\n"
        "@export_to_fortran\ndef explicit(n: i32) -> b32[n, 2]:\n    return np.arange(2 * n).reshape(n, 2) % 3 == 0\n",
        main_f90="program main\n  use model_py, only: deferred, explicit\n  implicit none\n  logical, allocatable :: a(:), b(:, :)\n"
        "  a = deferred(300)\n  b = explicit(300)\n  print '(2i12)', sum(transfer(a, [0])), sum(transfer(b, [0]))\nend program main\n",
    )
    project.export()
    project.compile()
    done = project.run(env={"MALLOC_PERTURB_": "165"})
    assert (done.stdout, done.stderr) == ("         150         200\n", "")


def test_a_result_that_does_not_fit_into_memory_is_an_error(project: Project, compiler: str) -> None:
    """Python's array may be one element that is repeated; what Fortran would allocate is known before it does."""
    project.compiler = compiler
    project.write(
        model_py="""\
from __future__ import annotations

import numpy as np

from py2f import b32, export_to_fortran, f64, i64


@export_to_fortran
def repeated(n: i64) -> f64[:, :]:
    return np.broadcast_to(1.0, (n, 2))


@export_to_fortran
def several(n: i64) -> tuple[str, b32[:], i64]:
    return "text", np.broadcast_to(True, n), n
""",
        main_f90="""\
program main
  use, intrinsic :: iso_c_binding
  use model_py, only: repeated, several
  implicit none
  real(c_double), allocatable :: x(:, :)
  logical, allocatable :: mask(:)
  character(len=:), allocatable :: text
  character(len=80) :: message
  integer(c_int64_t) :: n
  integer :: stat
  x = repeated(2_c_int64_t**50, stat, message)
  print '(i0,1x,a,2(1x,i0))', stat, trim(message), shape(x)
  call several(2_c_int64_t**62, text, mask, n, stat, message)
  print '(i0,1x,a,3(1x,i0))', stat, trim(message), len(text), size(mask), n
  x = repeated(3_c_int64_t, stat)
  print '(i0,f5.1)', stat, sum(x)
end program main
""",
    )
    done = project.go()
    assert done.stderr == ""
    assert done.stdout.splitlines() == [
        "4 MemoryError: no memory for what 'repeated' returned 0 0",
        "4 MemoryError: no memory for what 'several' returned 0 0 0",
        "0  6.0",
    ]
