"""`@pythoncall`: arrays of every rank and layout, without a copy or copied as declared, never silently."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from stubs import EACH_COMPILER, stubbed

if TYPE_CHECKING:
    from collections.abc import Callable

RANKS = (1, 2, 3, 7, 8, 15)
RANK = """
subroutine rank_{r}(a, n, corner)
  real(8), intent(inout) :: a({colons})
  integer, intent(out) :: n({r})
  real(8), intent(out) :: corner
  n = shape(a)
  corner = a({last})
  a({first}) = -1
end subroutine
subroutine dense_{r}(n, a)
  integer, intent(in) :: n
  real(8), intent(inout) :: a({ns})
  a({first2}) = -1
end subroutine
"""
FORTRAN = """
subroutine second(a, there)
  real(8), intent(in) :: a(:, :)
  real(8), intent(out) :: there
  there = a(1, 2)
end subroutine
subroutine add(a, n)
  integer, intent(in) :: n
  real(8), intent(inout) :: a(n, *)
  a(:, 1) = a(:, 1) + 1
end subroutine
subroutine shift(a)
  real(8), intent(inout) :: a(:, :)
  a = a + 1
end subroutine
subroutine add_to(a, b)
  real(8), intent(inout) :: a(:)
  real(8), intent(in) :: b(:)
  a = a + b
end subroutine
subroutine swap(a, b)
  real(8), intent(inout) :: a(:), b(:)
  real(8) :: c(size(a))
  c = a
  a = b
  b = c
end subroutine
subroutine total(a, s)
  real(8), intent(in) :: a(:)
  real(8), intent(out) :: s
  s = sum(a)
end subroutine
subroutine dense_total(n, a, s)
  integer, intent(in) :: n
  real(8), intent(in) :: a(n)
  real(8), intent(out) :: s
  s = sum(a)
end subroutine
subroutine packed(a, s)
  real(8), intent(in), contiguous :: a(:, :)
  real(8), intent(out) :: s
  s = a(2, 1)
end subroutine
subroutine box(a)
  real(8), intent(inout) :: a(:, :, :)
  a = 2*a
end subroutine
subroutine bounds(m, a, b, low, n)
  integer, intent(in) :: m
  real(8), intent(in) :: a(0:)
  real(8), intent(out) :: b(-1:m - 2)
  integer, intent(out) :: low, n
  low = lbound(a, 1)
  n = ubound(b, 1)
  b = a
end subroutine
subroutine filled(n, b)
  integer, intent(in) :: n
  integer, intent(out) :: b(n, n + 1)
  b = 3
  if (n > 0) b(n, 1) = 4
end subroutine
subroutine two(n, b, c)
  integer, intent(in) :: n
  integer, intent(out) :: b(n)
  real(8), intent(inout), optional :: c(:)
  b = n
  if (present(c)) c = n
end subroutine
subroutine flags(m, a, b)
  integer, intent(in) :: m
  logical, intent(inout) :: a(:)
  logical, intent(out) :: b(m)
  b = a
  a = .not. a
end subroutine
subroutine bytes(a)
  logical(1), intent(inout) :: a(:, :)
  a = .not. a
end subroutine
subroutine extent_of(a, n)
  integer(1), intent(in) :: a(:)
  integer(8), intent(out) :: n
  n = size(a, kind=8)
end subroutine
"""
STUBS = """
warned, copied = (functools.partial(ph, copy=c) for c in ("warn", "ok"))
{ranks}
@ph()
def second(a: f64[:, :], there: Out[f64]) -> f64: ...
@ph()
def add(a: InOut[f64[n, :]], n: i32) -> None: ...
@copied(name="add")
def add_copied(a: InOut[f64[n, :]], n: i32) -> None: ...
@warned(name="add")
def add_warned(a: InOut[f64[n, :]], n: i32) -> None: ...
@ph()
def shift(a: InOut[f64[:, :]]) -> None: ...
@copied(name="shift")
def shift_copied(a: InOut[f64[:, :]]) -> None: ...
@ph()
def add_to(a: InOut[f64[:]], b: f64[:]) -> None: ...
@copied(name="add_to")
def add_to_copies(a: InOut[f64[:]], b: f64[:]) -> None: ...
@ph()
def swap(a: InOut[f64[:]], b: InOut[f64[:]]) -> None: ...
@ph()
def total(a: f64[:], s: Out[f64]) -> f64: ...
@copied(name="total")
def total_copied(a: f64[:], s: Out[f64]) -> f64: ...
@ph()
def dense_total(n: i32, a: f64[n], s: Out[f64]) -> f64: ...
@copied(name="dense_total")
def dense_total_copied(n: i32, a: f64[n], s: Out[f64]) -> f64: ...
@ph()
def packed(a: f64[:, :], s: Out[f64]) -> f64: ...
@ph()
def box(a: InOut[f64[:, :, :]]) -> None: ...
@ph()
def bounds(m: i32, a: f64[m], b: Out[f64[m]], low: Out[i32], n: Out[i32]) -> tuple[f64[m], i32, i32]: ...
@ph()
def filled(n: i32, b: Out[i32[n, n + 1]]) -> i32[n, n + 1]: ...
@copied(name="filled")
def filled_copied(n: i32, b: Out[i32[n, n + 1]]) -> i32[n, n + 1]: ...
@ph()
def two(n: i32, b: Out[i32[n]], c: InOut[f64[:]] | None = None) -> i32[n]: ...
@ph()
def flags(m: i32, a: InOut[b32[m]], b: Out[b32[m]]) -> b32[m]: ...
@copied(name="flags")
def flags_copied(m: i32, a: InOut[b32[m]], b: Out[b32[m]]) -> b32[m]: ...
@ph()
def bytes_(a: InOut[b8[:, :]]) -> None: ...
bytes_ = ph(name="bytes")(bytes_.__wrapped__)
@ph()
def extent_of(a: i8[:], n: Out[i64]) -> i64: ...
"""


def _ranks() -> tuple[str, str]:
    fortran, stubs = "", ""
    for r in RANKS:
        first, last = (", ".join(one * r) for one in (("1",), ("2",)))
        fortran += RANK.format(
            r=r,
            colons=", ".join(":" * r),
            last=last,
            first=first,
            first2=", ".join(["2", *["1"] * (r - 1)]),
            ns=", ".join(["n"] * r),
        )
        colons, ns = ", ".join(":" * r), ", ".join(["n"] * r)
        stubs += (
            f"@ph()\ndef rank_{r}(a: InOut[f64[{colons}]], n: Out[i32[{r}]], corner: Out[f64]) -> tuple[i32[{r}], f64]: ...\n"
        )
        stubs += f"@ph()\ndef dense_{r}(n: i32, a: InOut[f64[{ns}]]) -> None: ...\n"
    return fortran, stubs


@pytest.fixture(scope="module", params=EACH_COMPILER)
def arrays(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    fortran, stubs = _ranks()
    source = f"module arrays\nimplicit none\ncontains\n{fortran}{FORTRAN}end module\n"
    module = stubbed(tmp_path_factory.mktemp("arrays"), request.param, STUBS.format(ranks=stubs), arrays_f90=source)
    module.total(np.zeros(1))
    return module


@pytest.mark.parametrize("rank", RANKS)
@pytest.mark.parametrize("order", "CF")
def test_an_array_of_every_rank_is_the_same_memory(arrays: Any, rank: int, order: str) -> None:
    a = np.arange(2.0**rank).reshape((2,) * rank, order=order)
    n, corner = getattr(arrays, f"rank_{rank}")(a)
    assert (list(n), corner) == ([2] * rank, 2.0**rank - 1)
    assert a[(0,) * rank] == -1


@pytest.mark.parametrize("rank", RANKS)
def test_an_explicit_shape_of_every_rank_is_the_same_memory(arrays: Any, rank: int) -> None:
    a = np.zeros((2,) * rank, order="F")
    getattr(arrays, f"dense_{rank}")(2, a)
    assert a[(1, *(0,) * (rank - 1))] == -1


def test_a_matrix_in_c_order_is_not_transposed(arrays: Any) -> None:
    assert arrays.second(np.arange(6.0).reshape(2, 3)) == 1


def test_what_is_changed_does_not_depend_on_the_order_of_memory(arrays: Any) -> None:
    a = np.arange(6.0).reshape(2, 3)
    parts = [a.copy("C"), a.copy("F"), np.zeros((4, 9))[::2, ::-3], np.zeros((3, 2)).T]
    for part in parts:
        part[...] = a
        arrays.shift(part)
        np.testing.assert_array_equal(part, a + 1)


def test_a_view_of_three_dimensions_keeps_its_strides(arrays: Any) -> None:
    a = np.arange(60.0).reshape(3, 4, 5)
    expected = a.copy()
    expected[1:, ::2, ::-1] *= 2
    arrays.box(a[1:, ::2, ::-1])
    np.testing.assert_array_equal(a, expected)


def test_an_extent_of_one_may_have_any_stride(arrays: Any) -> None:
    odd = np.lib.stride_tricks.as_strided(np.arange(8.0), shape=(1, 3), strides=(13, 8))
    assert arrays.second(odd) == 1
    nothing = np.lib.stride_tricks.as_strided(np.arange(8.0), shape=(3, 1), strides=(8, 0))
    arrays.shift(nothing)
    assert arrays.packed(nothing) == 2


def test_a_stride_of_zero_is_refused(arrays: Any) -> None:
    for call, arguments in ((arrays.total, ()), (arrays.dense_total, (4,))):
        with pytest.raises(ValueError, match=r"a stride is zero, as broadcasting makes it: pass np.array"):
            call(*arguments, np.broadcast_to(2.0, 4))


def test_a_stride_of_zero_is_copied_where_that_is_allowed(arrays: Any) -> None:
    assert arrays.total_copied(np.broadcast_to(2.0, 4)) == 8
    assert arrays.dense_total_copied(4, np.broadcast_to(2.0, 4)) == 8


def test_a_stride_of_zero_is_never_written_through(arrays: Any) -> None:
    shared = np.lib.stride_tricks.as_strided(np.zeros(3), shape=(3, 2), strides=(8, 0))
    for call, arguments in ((arrays.shift_copied, ()), (arrays.add_copied, (3,))):
        with pytest.raises(ValueError, match="elements share their memory"):
            call(shared, *arguments)


def _odd(make: Callable[[Any], Any]) -> Any:
    a = make(np.arange(6.0))
    a[...] = [0, 1, 2, 3, 4, 5]
    return a


def _unaligned(_: Any) -> Any:
    return np.zeros(6 * 8 + 1, np.int8)[1:].view(np.float64)


def _field(_: Any) -> Any:
    return np.zeros(6, np.dtype([("x", "f8"), ("n", "i4")], align=False))["x"]


def _swapped(a: Any) -> Any:
    return a.astype(a.dtype.newbyteorder())


ODD = pytest.mark.parametrize(
    ("make", "why"),
    [
        pytest.param(_unaligned, "it is not aligned", id="unaligned"),
        pytest.param(_field, "", id="field of a structure"),
        pytest.param(_swapped, "its byte order is not the machine's", id="swapped"),
    ],
)


@ODD
def test_what_fortran_cannot_take_is_refused(arrays: Any, make: Callable[[Any], Any], why: str) -> None:
    with pytest.raises(ValueError, match=f"argument 'a' of 'total': {why}.*allow copies with @pythoncall\\(copy=\"ok\"\\)"):
        arrays.total(_odd(make))


@ODD
def test_what_fortran_cannot_take_is_copied_where_that_is_allowed(arrays: Any, make: Callable[[Any], Any], why: str) -> None:
    del why
    assert arrays.total_copied(_odd(make)) == 15


@ODD
def test_a_copy_is_copied_back(arrays: Any, make: Callable[[Any], Any], why: str) -> None:
    del why
    a = _odd(make)
    arrays.shift_copied(a.reshape(2, 3))
    np.testing.assert_array_equal(a, np.arange(6.0) + 1)


def test_an_array_of_assumed_size_in_c_order_is_refused_copied_or_copied_with_a_warning(arrays: Any) -> None:
    a = np.zeros((2, 3))
    with pytest.raises(ValueError, match="it is not contiguous in Fortran's order"):
        arrays.add(a, 2)
    arrays.add_copied(a, 2)
    with pytest.warns(RuntimeWarning, match=r"^argument 'a' of 'add' is copied: it is not contiguous in Fortran's order$"):
        arrays.add_warned(a, 2)
    np.testing.assert_array_equal(a, [[2, 0, 0], [2, 0, 0]])


def test_nothing_is_copied_or_said_where_no_copy_is_needed(arrays: Any) -> None:
    a = np.zeros((2, 3), order="F")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        arrays.add_warned(a, 2)
    np.testing.assert_array_equal(a, [[1, 0, 0], [1, 0, 0]])


def test_a_warning_that_is_an_error_stops_the_call(arrays: Any) -> None:
    a = np.zeros((2, 3))
    warnings.simplefilter("error")  # pytest restores the filters
    with pytest.raises(RuntimeWarning):
        arrays.add_warned(a, 2)
    assert not a.any()


def test_a_warning_points_at_the_call(arrays: Any) -> None:
    with pytest.warns(RuntimeWarning) as caught:
        arrays.add_warned(np.zeros((2, 3)), 2)
    assert caught[0].filename == __file__


def test_contiguous_is_honoured(arrays: Any) -> None:
    a = np.arange(6.0).reshape(2, 3)
    assert arrays.packed(np.asfortranarray(a)) == 3
    with pytest.raises(ValueError, match="it is not contiguous in Fortran's order"):
        arrays.packed(a)


def test_what_is_read_only_may_be_read_but_not_written(arrays: Any) -> None:
    a = np.ones((2, 3))
    a.setflags(write=False)
    assert arrays.second(a) == 1
    with pytest.raises(
        ValueError, match=r"argument 'a' of 'shift': the array is read-only, and Fortran may write InOut\[f64\[:, :\]\]"
    ):
        arrays.shift(a)


def test_a_subclass_of_ndarray_is_its_memory(arrays: Any) -> None:
    a = np.zeros((2, 3)).view(type("Field", (np.ndarray,), {}))
    arrays.shift(a)
    assert a.sum() == 6


def test_a_memory_map_is_its_memory(arrays: Any, tmp_path: Any) -> None:
    a = np.memmap(tmp_path / "a", np.float64, "w+", shape=(2, 3))
    arrays.shift(a)
    a.flush()
    np.testing.assert_array_equal(np.fromfile(tmp_path / "a"), np.ones(6))


@pytest.mark.parametrize(
    "other", [np.float64(1), 1.0, [1.0, 2.0], None, memoryview(b"12345678"), np.ones(())], ids=lambda other: type(other).__name__
)
def test_what_is_no_array_of_that_rank_is_refused(arrays: Any, other: Any) -> None:
    with pytest.raises((TypeError, ValueError), match=r"argument 'a' of 'total': .* f64\[:\] is declared"):
        arrays.total(other)


def test_lower_bounds_are_fortrans_own(arrays: Any) -> None:
    b, low, n = arrays.bounds(4, np.arange(4.0))
    np.testing.assert_array_equal(b, np.arange(4.0))
    assert (low, n) == (0, 2)


def test_an_out_array_is_made_in_fortrans_order(arrays: Any) -> None:
    b = arrays.filled(2)
    assert (b.shape, b.dtype, b.flags.f_contiguous, b.flags.owndata) == ((2, 3), np.int32, True, True)
    np.testing.assert_array_equal(b, [[3, 3, 3], [4, 3, 3]])
    assert arrays.filled(0).shape == (0, 1)


def test_an_out_array_may_be_given_to_be_filled(arrays: Any) -> None:
    b = np.zeros((2, 3), np.int32, order="F")
    assert arrays.filled(2, b=b) is b
    np.testing.assert_array_equal(b, [[3, 3, 3], [4, 3, 3]])


def test_an_out_array_that_is_given_is_checked_and_copied_back(arrays: Any) -> None:
    for b, why in (
        (np.zeros((3, 2), np.int32, order="F"), "extent 1 is 3"),
        (np.zeros((2, 3)), "float64"),
        (np.zeros((2, 3), np.int32), "contiguous"),
    ):
        with pytest.raises((TypeError, ValueError), match=why):
            arrays.filled(2, b=b)
    b = np.zeros((2, 3), np.int32)
    assert arrays.filled_copied(2, b=b) is b
    np.testing.assert_array_equal(b, [[3, 3, 3], [4, 3, 3]])


def test_two_results_do_not_share_memory(arrays: Any) -> None:
    x, y = arrays.filled(2), arrays.filled(2)
    y[...] = 0
    assert x.all()


def test_an_absent_array_is_none_or_left_out(arrays: Any) -> None:
    c = np.zeros(3)
    assert list(arrays.two(2)) == list(arrays.two(2, None)) == list(arrays.two(2, c=None)) == list(arrays.two(2, c)) == [2, 2]
    np.testing.assert_array_equal(c, 2)


def test_logicals_are_bools_after_fortran_has_written_them(arrays: Any) -> None:
    a = np.array([True, False, True, True, False, False])
    b = arrays.flags(6, a)
    assert (b.view(np.uint8).tolist(), a.view(np.uint8).tolist()) == ([1, 0, 1, 1, 0, 0], [0, 1, 0, 0, 1, 1])
    b = arrays.flags(3, a[::-2])
    assert (b.tolist(), a.view(np.uint8).tolist()) == ([True, False, True], [0, 0, 0, 1, 1, 0])
    c = np.array([[True, False, True], [False, False, True]])
    arrays.bytes_(c[:, ::-2])
    assert c.view(np.uint8).tolist() == [[0, 0, 0], [1, 0, 0]]


def test_extents_beyond_32_bits_arrive(arrays: Any) -> None:
    many = np.lib.stride_tricks.as_strided(np.zeros(1, np.int8), shape=(2**31 + 1,), strides=(1,))  # never read
    assert arrays.extent_of(many) == 2**31 + 1


def test_a_masked_array_is_refused(arrays: Any) -> None:
    """Its mask would be lost."""
    masked = np.ma.masked_invalid([1.0, np.nan])
    with pytest.raises(TypeError) as raised:
        arrays.total(masked)
    assert str(raised.value) == (
        "argument 'a' of 'total': a masked array was given, and Fortran would not see the mask: pass its filled(...)"
    )
    assert arrays.total(masked.filled(2.0)) == 3.0


def test_arrays_that_share_memory_are_refused_where_fortran_writes(arrays: Any) -> None:
    """Compilers count on it that they do not. What lies in the bounds of another one, and shares nothing, is taken."""
    a = np.arange(6.0)
    arrays.add_to(a[:3], a[3:])
    assert a.tolist() == [3.0, 5.0, 7.0, 3.0, 4.0, 5.0]
    arrays.add_to(a[::2], a[1::2])
    assert a[::2].tolist() == [8.0, 10.0, 9.0]
    z = np.array([1 + 2j, 3 + 4j])
    arrays.add_to(z.real, z.imag)
    assert z.tolist() == [3 + 2j, 7 + 4j]
    arrays.add_to(a[:0], a[:0])
    for x, y in ((a, a), (a[:4], a[2:]), (a[3::-1], a[:4]), (a[::2], a[:5:2])):
        with pytest.raises(ValueError, match="memory") as raised:
            arrays.add_to(x, y)
        assert str(raised.value) == (
            "argument 'b' of 'add_to': it shares memory with 'a', which Fortran may write: "
            'pass np.array(..., "float64", order="F"), or allow copies with @pythoncall(copy="ok")'
        )
    with pytest.raises(ValueError, match="memory") as raised:
        arrays.swap(a[:4], a[2:])
    assert str(raised.value) == "argument 'b' of 'swap': it shares memory with 'a', and Fortran may write both: pass a copy"


def test_what_shares_memory_is_copied_as_declared(arrays: Any) -> None:
    a = np.arange(4.0)
    arrays.add_to_copies(a, a[::-1])
    assert a.tolist() == [3.0, 3.0, 3.0, 3.0]
    arrays.add_to_copies(a, b=a)
    assert a.tolist() == [6.0, 6.0, 6.0, 6.0]


def test_an_out_that_is_none_is_left_out(arrays: Any) -> None:
    """None is what the signature shows as its default."""
    assert arrays.total(np.ones(3), s=None) == 3.0
