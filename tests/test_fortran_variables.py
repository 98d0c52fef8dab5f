"""Variables and constants of Fortran modules: every form, what is refused, and views that never dangle."""

from __future__ import annotations

import gc
import resource
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from stubs import EACH_COMPILER, ran, stubbed

import py2f

STATE = """\
!> What a model keeps.
module state
  use, intrinsic :: iso_c_binding, only: c_ptr, c_null_ptr
  use, intrinsic :: iso_fortran_env, only: real64
  use elsewhere, only: wp
  implicit none
  integer, parameter :: dp = real64
  integer(1) :: i1 = 1
  integer(2) :: i2 = 2
  integer :: i4 = 3
  integer(8) :: i8 = 4
  real :: r4 = 1.5
  real(8) :: r8 = 2.5
  double precision :: double = 3.5d0
  real(dp) :: renamed = 4.5_dp
  complex :: c4 = (1.0, 2.0)
  complex(dp) :: c8 = (3.0_dp, 4.0_dp)
  logical :: l4 = .true.
  logical(1) :: l1 = .false.
  type(c_ptr) :: handle = c_null_ptr
  character(len=8) :: label = 'abc'
  character(len=:), allocatable :: title
  real(dp), protected :: guarded = 5
  integer, parameter :: levels = 3
  real(dp), parameter :: table(0:1, levels) = reshape([1, 2, 3, 4, 5, 6], [2, 3])*1.0_dp
  real, parameter :: implied(*) = [1.0, 2.0]
  character(len=*), parameter :: greeting = 'hello'
  character(len=3), parameter :: axes(2) = ['lat', 'lon']
  logical, parameter :: switches(2) = [.true., .false.]
  real(8) :: x(3) = [1d0, 2d0, 3d0]
  integer(2) :: shorts(2, 0:2) = 7
  real(dp), target :: pool(10) = 0
  real(dp), protected :: fixed_guarded(2, 3) = 1
  logical :: flags(2, 3) = .true.
  logical(1) :: bytes(3) = .true.
  character(len=4) :: names(3) = 'x'
  real(8), allocatable :: al(:)
  real(dp), allocatable :: field(:, :)
  real(dp), allocatable, protected :: field_guarded(:)
  logical, allocatable :: mask(:)
  character(len=5), allocatable :: words(:)
  character(len=:), allocatable :: deferred(:)
  real(dp), pointer :: section(:) => null()
  real(dp), allocatable :: maybe
  real(dp), pointer :: aimed => null()
  real(wp) :: unknown
  type pair
    integer :: a
  end type pair
  type(pair) :: both
  character(len=:), pointer :: aimed_text
  real(8), private :: hidden
contains
  subroutine make(n, m)
    integer, intent(in) :: n, m
    integer :: i, j
    if (allocated(field)) deallocate (field)
    allocate (field(n, m))
    do j = 1, m
      do i = 1, n
        field(i, j) = 10*i + j
      end do
    end do
    section => pool(10:2:-2)
    aimed => pool(1)
    guarded = guarded + 1
    field_guarded = [1.0_dp, 2.0_dp]
    fixed_guarded(2, 1) = 9
  end subroutine make
  subroutine drop()
    if (allocated(field)) deallocate (field)
    nullify (section, aimed)
  end subroutine drop
  function total() result(t)
    real(dp) :: t
    t = sum(x) + r8
    if (allocated(field)) t = t + sum(field)
  end function total
  integer function blanks()
    blanks = count(names == 'ab') + count([label == 'xy', title == 'new'])
  end function blanks
  integer function trues()
    trues = count(flags) + count(bytes)
  end function trues
end module state
"""
ELSEWHERE = "module elsewhere\n  integer, parameter :: wp = kind(1d0)\nend module elsewhere\n"


def _module(folder: Path, compiler: str, text: str = STATE, stubs: str = "", name: str = "state") -> Any:
    """The object that a user's own file makes of a source beside it, and stubs in the same file."""
    made = f"m = py2f.fortran_module({name + '.f90'!r}, module={name!r}, includes=['mod'])\n"
    (folder / "mod").mkdir(parents=True, exist_ok=True)
    (folder / "elsewhere.f90").write_text(ELSEWHERE, encoding="utf-8")
    ran(folder, f"import subprocess as s; s.run([{compiler!r}, '-c', 'elsewhere.f90', '-o', 'x.o'], check=True)")
    (folder / "elsewhere.mod").replace(folder / "mod" / "elsewhere.mod")
    return stubbed(folder, compiler, f"import py2f\n{made}{stubs}", **{f"{name}_f90": text})


@pytest.fixture(scope="module", params=EACH_COMPILER)
def user(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    stubs = "@ph(includes=['mod'])\ndef total() -> f64: ...\n"
    stubs += "kinds = dict(source='state.f90', module='state', includes=['mod'])\n"
    stubs += "r8, x, field, levels = (fortran_variable(n, k, **kinds) for n, k in (('r8', f64), ('x', f64[3]), ('field', f64[:, :]), ('levels', int)))\n"
    return _module(tmp_path_factory.mktemp("state"), request.param, stubs=stubs)


@pytest.fixture
def m(user: Any) -> Any:
    return user.m


SCALARS = {  # a variable: its initial value, another one, what does not fit
    "i1": (1, -128, 128),
    "i2": (2, 32767, 32768),
    "i4": (3, -(2**31), 2**31),
    "i8": (4, 2**63 - 1, 2**63),
    "r4": (1.5, 0.25, 1e39),
    "r8": (2.5, 0.1, None),
    "double": (3.5, 0.1, None),
    "renamed": (4.5, 1e300, None),
    "c4": (1 + 2j, 0.5j, None),
    "c8": (3 + 4j, 1e300j, None),
    "l4": (True, False, None),
    "l1": (False, True, None),
    "handle": (0, 2**48, None),
}


@pytest.mark.parametrize("name", SCALARS)
def test_scalars_are_read_and_assigned_strictly(m: Any, name: str) -> None:
    first, other, too_large = SCALARS[name]
    assert (getattr(m, name), type(getattr(m, name))) == (first, type(first))
    setattr(m, name, other)
    assert getattr(m, name) == other
    if too_large is not None:
        with pytest.raises(OverflowError, match=f"argument 'value' of '{name}'"):
            setattr(m, name, too_large)
    with pytest.raises(TypeError, match=f"argument 'value' of '{name}': str was given"):
        setattr(m, name, "text")
    assert getattr(m, name) == other
    setattr(m, name, first)


def test_texts_have_their_length(m: Any) -> None:
    assert m.label == "abc"
    m.label = "xy"
    assert m.label == "xy"
    with pytest.raises(ValueError, match="argument 'value' of 'label': 9 bytes were given, 8 fit"):
        m.label = "123456789"
    assert (m.label, m.title) == ("xy", None)
    m.title = "new"
    m.names[1] = "ab"
    assert (m.title, m.blanks()) == ("new", 3), "blanks behind a text, not NULs"
    m.title = None
    assert m.title is None


def test_constants_are_read_only(m: Any) -> None:
    assert (m.levels, m.greeting, m.dp) == (3, "hello", 8)
    assert_array_equal(m.table, [[1, 3, 5], [2, 4, 6]])
    assert_array_equal(m.implied, np.array([1, 2], np.float32))
    assert_array_equal(m.switches, [True, False])
    assert (m.implied.dtype, m.axes.dtype, m.axes[1]) == (np.float32, np.dtype("S3"), b"lon")
    for name in ("levels", "table", "greeting", "axes"):
        with pytest.raises(AttributeError, match=f"'{name}' of module 'state' is a constant"):
            setattr(m, name, 1)
    with pytest.raises(ValueError, match="read-only"):
        m.table[0, 0] = 1
    with pytest.raises(ValueError, match="'axes' of module 'state' is read-only"):
        m.axes[0] = "abc"


def test_protected_variables_are_read_only_but_live(m: Any) -> None:
    before, view = m.guarded, m.fixed_guarded
    m.make(2, 3)
    assert m.guarded == before + 1
    assert view[1, 0] == 9
    for name in ("guarded", "fixed_guarded", "field_guarded"):
        with pytest.raises(AttributeError, match=f"'{name}' of module 'state' is protected"):
            setattr(m, name, 1)
    with pytest.raises(ValueError, match="read-only"):
        view[0, 0] = 1
    with pytest.raises(ValueError, match="'field_guarded' of module 'state' is read-only"):
        m.field_guarded[0] = 1


def test_arrays_of_fixed_size_are_live_views(m: Any) -> None:
    view = m.x
    assert (view.tolist(), view.dtype, m.x is view) == ([1, 2, 3], np.float64, True)
    rest = m.total() - 6
    view[1] = 12
    assert m.total() - rest == 16
    m.x = np.array([1.0, 2.0, 3.0])
    assert (m.total() - rest, view.tolist()) == (6, [1, 2, 3])
    assert (m.shorts.shape, m.shorts.dtype, m.shorts.flags.f_contiguous) == ((2, 3), np.int16, True)
    with pytest.raises(ValueError, match=r"'shorts' of module 'state' has shape \(2, 3\), not \(3, 2\)"):
        m.shorts = np.zeros((3, 2), np.int16)
    with pytest.raises(TypeError, match="'x' of module 'state' is an array of float64, not of float32"):
        m.x = np.zeros(3, np.float32)


def test_logicals_are_whole_logicals(m: Any) -> None:
    assert (m.trues(), m.flags.dtype, m.bytes.dtype) == (9, bool, bool)
    m.flags[0, 1:] = False
    m.bytes[0] = False
    assert m.trues() == 6
    assert_array_equal(m.flags, [[True, False, False], [True, True, True]])
    m.flags = np.ones((2, 3), bool)
    m.bytes[0] = True
    assert m.trues() == 9
    with pytest.raises(TypeError, match="'flags' of module 'state' has elements of bool: int64 is not converted"):
        m.flags[0, 0] = 2


def test_arrays_of_characters_are_blank_padded(m: Any) -> None:
    m.names = ["a", "ü", "four"]
    assert m.names[...].tolist() == [b"a   ", "ü  ".encode(), b"four"]
    with pytest.raises(ValueError, match="'names' of module 'state': 'fives' takes 5 bytes, there are 4"):
        m.names[0] = "fives"
    assert m.words is None
    m.words = ["one", "two"]
    assert (m.words.dtype, m.words[1]) == (np.dtype("S5"), b"two  ")
    m.deferred = np.array([b"a", b"bcd"])
    assert m.deferred[...].tolist() == [b"a  ", b"bcd"]
    m.deferred = ["longer"]
    assert m.deferred[...].tolist() == [b"longer"]


def test_allocatables_are_read_anew(m: Any) -> None:
    m.drop()
    assert (m.field, m.mask) == (None, None)
    m.make(2, 3)
    view = m.field
    assert (view.shape, view.dtype, len(view), view.ndim, view.size) == ((2, 3), np.float64, 2, 2, 6)
    assert_array_equal(view, [[11, 12, 13], [21, 22, 23]])
    rest = m.total() - view[...].sum()
    copied = view[0]
    view[0, 1:] = 0
    assert (copied.tolist(), m.total() - rest) == ([11, 12, 13], 11 + 66)
    view += 1
    assert m.total() - rest == 83
    assert_array_equal(view * 2 - np.asarray(view), m.field[...])
    assert "FortranArray(array([[12.,  1.,  1.]" in repr(view)
    m.mask = np.array([True, False])
    assert (m.mask[...].tolist(), True in m.mask, list(m.mask)) == ([True, False], True, [True, False])
    m.drop()


def test_assignment_allocates_as_in_fortran(m: Any) -> None:
    m.field = np.arange(6.0).reshape(2, 3)
    view = m.field
    m.field = np.ones((2, 3))
    assert view[...].sum() == 6, "of the same shape: the same array"
    m.field = np.zeros((3, 4))
    with pytest.raises(py2f.StaleViewError, match="'field' of module 'state' has been moved since this view"):
        _ = view[0]
    assert m.field.shape == (3, 4)
    with pytest.raises(ValueError, match="'field' of module 'state' has rank 2, not 1"):
        m.field = np.zeros(3)
    with pytest.raises(TypeError, match="'field' of module 'state' is an array of float64, not of int64"):
        m.field = np.zeros((2, 2), np.int64)
    assert m.field.shape == (3, 4), "what is refused changes nothing"
    m.field = np.zeros((0, 3))
    assert (m.field.shape, m.field[...].shape) == ((0, 3), (0, 3))
    m.field = None
    assert m.field is None


def test_pointers_have_strides_and_stay_where_they_point(m: Any) -> None:
    m.drop()
    assert (m.section, m.aimed) == (None, None)
    with pytest.raises(
        ValueError, match="'section' of module 'state' is a pointer to nothing: Python assigns to what it points to"
    ):
        m.section = np.zeros(5)
    with pytest.raises(ValueError, match="'aimed' of module 'state' is a pointer to nothing"):
        m.aimed = 1.0
    m.make(1, 1)
    m.pool[:] = 0
    m.section = np.arange(5.0)
    m.aimed = 7
    assert (m.pool.tolist(), m.aimed) == ([7, 4, 0, 3, 0, 2, 0, 1, 0, 0], 7)
    with pytest.raises(TypeError, match="'section' of module 'state' is not allocatable: None is no value for it"):
        m.section = None
    m.pool[:] = 0


def test_an_allocatable_scalar_may_be_absent(m: Any) -> None:
    assert m.maybe is None
    m.maybe = 2.5
    assert m.maybe == 2.5
    m.maybe = None
    assert m.maybe is None


# ---- views that are kept

REFUSED = {  # what is written into a view of f64, i16: the message
    "x": "'field' of module 'state' has elements of float64: <U1 is not converted",
    1j: "'field' of module 'state' has elements of float64: complex128 is not converted",
}


@pytest.mark.parametrize("value", REFUSED, ids=repr)
def test_a_view_is_not_written_with_another_kind(m: Any, value: object) -> None:
    m.make(2, 3)
    with pytest.raises(TypeError) as caught:
        m.field[0, 0] = value
    assert str(caught.value) == REFUSED[value]


@pytest.mark.parametrize("use", [
    lambda v: v[:2], lambda v: v[...], np.asarray, repr, len, list, lambda v: v + 1, lambda v: v.shape, lambda v: v.__setitem__(0, 1.0), np.sum,
])  # fmt: skip
@pytest.mark.parametrize("happens", ["deallocated", "moved"])
def test_a_view_of_what_is_gone_raises(m: Any, use: Any, happens: str) -> None:
    m.make(2000, 300)
    kept = m.field
    if happens == "moved":
        m.make(3, 1000)
    else:
        m.drop()
    if use is repr:
        assert (
            repr(kept)
            == f"<FortranArray: 'field' of module 'state' has been {happens} since this view of it was made: read the variable again>"
        )
        return
    with pytest.raises(py2f.StaleViewError, match=f"'field' of module 'state' has been {happens} since this view of it was made"):
        use(kept)


def test_a_view_across_a_reallocation_of_equal_size_raises_or_shows_the_new_array(m: Any) -> None:
    m.al = np.arange(4.0)
    kept = m.al
    m.al = None
    m.al = np.arange(4.0) + 10
    try:
        assert kept[:2].tolist() == [10, 11], "the memory is the new array's"
    except py2f.StaleViewError:
        assert m.al[:2].tolist() == [10, 11]


DANGLING = """\
import numpy as np, py2f
m = py2f.fortran_module("state.f90", includes=["mod"])
m.al = np.arange(2.0e5)
kept = m.al
m.al = None
filled = [np.full(200000, 7.0) for _ in range(20)]
try:
    print(kept[:2])
except py2f.StaleViewError as error:
    print("stale:", error)
"""


def test_the_program_that_kills_others_ends_well(user: Any) -> None:
    """Keep an allocatable, deallocate it, read: f2py and f90wrap end with SIGSEGV."""
    folder = _folder(user)
    assert (
        ran(folder, DANGLING).stdout
        == "stale: 'al' of module 'state' has been deallocated since this view of it was made: read the variable again\n"
    )


def _folder(user: Any) -> Path:
    return Path(user.__file__).parent


# ---- one state, whoever asks


def test_stubs_modules_and_variables_share_one_state(user: Any) -> None:
    user.m.drop()
    user.m.r8, user.m.x[:] = 2.5, [1, 2, 3]
    assert user.total() == user.m.total() == 8.5
    user.r8.value = 10
    user.x.value[0] = 5
    assert (user.total(), user.m.r8, user.m.x[0], user.levels.value) == (20, 10, 5, 3)
    user.field.value = np.ones((2, 2))
    assert user.total() == 24
    assert user.m.field.shape == (2, 2)
    user.m.drop()
    user.m.r8, user.m.x[:] = 2.5, [1, 2, 3]


CONTRADICTED = {  # what Python says of which variable: what the source says
    ("r8", "f32"): "variable 'r8' is f32 here, but f64 in line 13 of module 'state' of {}/state.f90: real(8) :: r8 = 2.5",
    (
        "x",
        "f64",
    ): "variable 'x' is f64 here, but f64[3] in line 30 of module 'state' of {}/state.f90: real(8) :: x(3) = [1d0, 2d0, 3d0]",
    (
        "x",
        "f64[4]",
    ): "variable 'x' is f64[4] here, but f64[3] in line 30 of module 'state' of {}/state.f90: real(8) :: x(3) = [1d0, 2d0, 3d0]",
    ("nix", "f64"): "module 'state' of {}/state.f90 has no public 'nix'",
    ("hidden", "f64"): "module 'state' of {}/state.f90 has no public 'hidden'",
    ("both", "f64"): "'both' of module 'state' of {}/state.f90 is not wrapped: derived type pair",
}


@pytest.mark.parametrize("case", CONTRADICTED, ids=str)
def test_a_variable_that_is_something_else_is_refused(user: Any, case: tuple[str, str]) -> None:
    folder = _folder(user)
    variable = py2f.fortran_variable(case[0], eval(case[1], vars(py2f)), source=folder / "state.f90", module="state")
    with pytest.raises(py2f.StubError) as caught:
        _ = variable.value
    where, _, message = str(caught.value).partition(": ")
    assert (where.startswith(__file__), message) == (True, CONTRADICTED[case].format(folder))


# ---- nothing is guessed


def test_what_cannot_be_had_is_listed_with_its_reason(m: Any) -> None:
    listed = m.__unwrapped__
    assert "elsewhere" in listed["unknown"]
    assert listed["both"] == "derived type pair"
    assert listed["aimed_text"] == "pointer to characters"
    with pytest.raises(AttributeError, match=r"'both' of module 'state' of .*state.f90 is not wrapped: derived type pair"):
        _ = m.both
    assert not hasattr(m, "hidden")


def test_a_kind_that_flags_change_is_refused_not_guessed(tmp_path: Path) -> None:
    text = "module wide\n  real :: r = 1.5\n  real(8), allocatable :: a(:)\nend module wide\n"
    (tmp_path / "wide.f90").write_text(text, encoding="utf-8")
    script = "import py2f\nm = py2f.fortran_module('wide.f90')\ntry:\n    print(m.r)\nexcept py2f.StubError as error:\n    print(str(error).splitlines()[0])\n"
    plain = ran(tmp_path, script, FC="gfortran")
    wide = ran(tmp_path, script, FC="gfortran -fdefault-real-8")
    assert plain.stdout == "1.5\n"
    assert wide.stdout == "wide: 'r': the Fortran compiler finds that the variable is not what was read of it:\n"


def test_memory_does_not_grow(m: Any) -> None:
    m.make(20, 30)

    def used() -> int:
        for _ in range(3000):
            m.field = np.zeros((20, 31 if m.field.shape == (20, 30) else 30))
            m.field[0, 0] = m.r8
            m.x = m.x.copy()
            m.title = "a title"
            _ = m.title, m.label, m.field * 2, m.names[...], m.flags[...], m.maybe
        gc.collect()
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    used()
    before = used()
    assert used() - before < 2000, "kilobytes"
    m.title = None
