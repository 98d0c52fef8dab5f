"""`@pythoncall`: every row of the type table as a scalar and as an array, in, out, back and as a result."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from stubs import EACH_COMPILER, stubbed

ROWS = {  # kind: Fortran's type, what is added to a number, an ordinary value, the largest one
    "i8": ("integer(c_int8_t)", "{x} + 1_c_int8_t", 41, 126),
    "i16": ("integer(c_int16_t)", "{x} + 1_c_int16_t", 4100, 2**15 - 2),
    "i32": ("integer(c_int32_t)", "{x} + 1", 10**9, 2**31 - 2),
    "i64": ("integer(c_int64_t)", "{x} + 1_c_int64_t", 2**40, 2**63 - 2),
    "f32": ("real(c_float)", "{x} + 1", 0.5, 2.0**100),
    "f64": ("real(c_double)", "{x} + 1", 0.1, 2.0**1000),
    "c32": ("complex(c_float_complex)", "{x} + 1", 0.5 - 2j, complex(2.0**100, -1)),
    "c64": ("complex(c_double_complex)", "{x} + 1", 0.1 - 2j, complex(2.0**1000, -1)),
    "b8": ("logical(c_bool)", ".not. {x}", True, False),
    "b32": ("logical", ".not. {x}", True, False),
}
DTYPES = {
    "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64, "f32": np.float32, "f64": np.float64,
    "c32": np.complex64, "c64": np.complex128, "b8": np.bool_, "b32": np.bool_,
}  # fmt: skip
FORTRAN = """
subroutine {k}_out(x, y)
  {type}, intent(in) :: x
  {type}, intent(out) :: y
  y = {next_x}
end subroutine
subroutine {k}_inout(x)
  {type}, intent(inout) :: x
  x = {next_x}
end subroutine
function {k}_result(x) result(y)
  {type}, intent(in) :: x
  {type} :: y
  y = {next_x}
end function
subroutine {k}_value(x, y)
  {type}, value :: x
  {type}, intent(out) :: y
  x = {next_x}
  y = x
end subroutine
subroutine {k}_optional(x, y, there)
  {type}, intent(in), optional :: x
  {type}, intent(inout), optional :: y
  integer, intent(out) :: there
  there = merge(1, 0, present(x)) + merge(2, 0, present(y))
  if (present(x) .and. present(y)) y = x
end subroutine
subroutine {k}_optional_value(x, there)
  {type}{value}, optional :: x
  logical, intent(out) :: there
  there = present(x)
end subroutine
subroutine {k}_assumed(a, first, n)
  {type}, intent(inout) :: a(:, :)
  {type}, intent(out) :: first
  integer, intent(out) :: n(2)
  n = shape(a)
  if (size(a) > 0) first = a(2, 1)
  {x_from_a}
end subroutine
subroutine {k}_dense(n, m, a, b)
  integer, intent(in) :: n, m
  {type}, intent(in) :: a(n, m)
  {type}, intent(out) :: b(m, n)
  b = transpose(a)
end subroutine
function {k}_made(n) result(a)
  integer, intent(in) :: n
  {type} :: a(n, 2)
  a = {one}
end function
function {k}_grown(n) result(a)
  integer, intent(in) :: n
  {type}, allocatable :: a(:)
  if (n >= 0) allocate(a(n))
  if (n >= 0) a = {one}
end function
subroutine {k}_allocated(n, a)
  integer, intent(in) :: n
  {type}, allocatable, intent(out) :: a(:, :)
  if (n >= 0) allocate(a(n, n + 1))
  if (n >= 0) a = {one}
end subroutine
"""
STUBS = """
@ph()
def {k}_out(x: {k}, y: Out[{k}]) -> {k}: ...
@ph()
def {k}_inout(x: InOut[{k}]) -> None: ...
@ph()
def {k}_result(x: {k}) -> {k}: ...
@ph()
def {k}_value(x: {k}, y: Out[{k}]) -> {k}: ...
@ph()
def {k}_optional(x: {k} | None, y: InOut[{k}] | None, there: Out[i32]) -> i32: ...
@ph()
def {k}_optional_value(x: {k} | None, there: Out[bool]) -> bool: ...
@ph()
def {k}_assumed(a: InOut[{k}[:, :]], first: Out[{k}], n: Out[i32[2]]) -> tuple[{k}, i32[2]]: ...
@ph()
def {k}_dense(n: i32, m: i32, a: {k}[n, m], b: Out[{k}[m, n]]) -> {k}[m, n]: ...
@ph()
def {k}_made(n: i32) -> {k}[n, 2]: ...
@ph()
def {k}_grown(n: i32) -> {k}[:]: ...
@ph()
def {k}_allocated(n: i32, a: Out[Allocatable[{k}[:, :]]]) -> {k}[:, :]: ...
"""


def _fortran(kind: str) -> str:
    type_, following, *_ = ROWS[kind]
    fill = "if (size(a) > 0) a = " + following.format(x="a")
    value = "" if kind == "b32" else ", value"
    return FORTRAN.format(
        k=kind, value=value, type=type_, next_x=following.format(x="x"), x_from_a=fill, one=".true." if kind[0] == "b" else 1
    )


@pytest.fixture(scope="module", params=EACH_COMPILER)
def table(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """All stubs of all rows, built with one compiler."""
    source = "module rows\nuse iso_c_binding\nimplicit none\ncontains\n" + "".join(map(_fortran, ROWS)) + "end module\n"
    stubs = "".join(STUBS.format(k=kind) for kind in ROWS)
    module = stubbed(tmp_path_factory.mktemp("rows"), request.param, stubs, rows_f90=source)
    module.i32_out(1)  # what cannot be built fails here, once
    return module


def _following(kind: str, value: Any) -> Any:
    return not value if kind[0] == "b" else DTYPES[kind](value) + 1


kinds = pytest.mark.parametrize("kind", ROWS)


@kinds
def test_a_scalar_goes_in_and_comes_out(table: Any, kind: str) -> None:
    for value in ROWS[kind][2:]:
        y = getattr(table, f"{kind}_out")(value)
        assert y == _following(kind, value)
        assert type(y) is {"i": int, "f": float, "c": complex, "b": bool}[kind[0]]


@kinds
def test_a_scalar_of_numpy_goes_in(table: Any, kind: str) -> None:
    value = DTYPES[kind](ROWS[kind][2])
    assert getattr(table, f"{kind}_out")(value) == _following(kind, value)


@kinds
def test_an_inout_scalar_is_an_array_of_rank_0(table: Any, kind: str) -> None:
    x = np.array(ROWS[kind][2], DTYPES[kind])
    assert getattr(table, f"{kind}_inout")(x) is None
    assert x[()] == _following(kind, ROWS[kind][2])


@kinds
def test_an_out_scalar_may_be_given_to_be_filled(table: Any, kind: str) -> None:
    y = np.zeros((), DTYPES[kind])
    assert getattr(table, f"{kind}_out")(ROWS[kind][2], y=y) is y
    assert y[()] == _following(kind, ROWS[kind][2])


@kinds
def test_a_function_returns_a_scalar(table: Any, kind: str) -> None:
    for value in ROWS[kind][2:]:
        assert getattr(table, f"{kind}_result")(value) == _following(kind, value)


@kinds
def test_a_scalar_goes_by_value(table: Any, kind: str) -> None:
    assert getattr(table, f"{kind}_value")(ROWS[kind][2]) == _following(kind, ROWS[kind][2])


@kinds
def test_none_is_absent(table: Any, kind: str) -> None:
    value, place = ROWS[kind][2], np.zeros((), DTYPES[kind])
    call = getattr(table, f"{kind}_optional")
    assert [call(None, None), call(value, None), call(None, place), call(value, place)] == [0, 1, 2, 3]
    assert place == DTYPES[kind](value)


@pytest.mark.parametrize("kind", [kind for kind in ROWS if kind != "b32"])  # that one is refused: tests/errors
def test_none_is_absent_by_value_too(table: Any, kind: str) -> None:
    call = getattr(table, f"{kind}_optional_value")
    assert [call(None), call(ROWS[kind][2])] == [False, True]


@kinds
def test_an_array_of_any_strides_is_changed_in_place(table: Any, kind: str) -> None:
    whole = np.arange(48).reshape(6, 8)
    for part in (np.s_[:, :], np.s_[::2, ::3], np.s_[::-1, 1:], np.s_[1:3, ::-4], np.s_[:2, :1], np.s_[:, 3:4]):
        for order in "CF":
            base = np.array(whole, DTYPES[kind], order=order)
            expected = base.copy()
            expected[part] = _each_following(kind, base[part])
            first, n = getattr(table, f"{kind}_assumed")(base[part])
            assert first == whole[part].astype(DTYPES[kind])[1, 0]
            assert tuple(n) == whole[part].shape
            np.testing.assert_array_equal(base, expected)


def _each_following(kind: str, a: Any) -> Any:
    return ~a if kind[0] == "b" else a + DTYPES[kind](1)


@kinds
def test_an_empty_array_has_its_shape_in_fortran(table: Any, kind: str) -> None:
    for shape in ((0, 3), (3, 0), (0, 0)):
        assert tuple(getattr(table, f"{kind}_assumed")(np.zeros(shape, DTYPES[kind]))[1]) == shape


@kinds
def test_an_array_of_explicit_shape_makes_one_of_explicit_shape(table: Any, kind: str) -> None:
    a = np.array(np.arange(6).reshape(2, 3), DTYPES[kind], order="F")
    b = getattr(table, f"{kind}_dense")(2, 3, a)
    assert (b.dtype, b.flags.f_contiguous) == (DTYPES[kind], True)
    np.testing.assert_array_equal(b, a.T)


@kinds
def test_a_function_returns_an_array_of_explicit_shape(table: Any, kind: str) -> None:
    for n in (3, 1, 0):
        a = getattr(table, f"{kind}_made")(n)
        assert (a.shape, a.dtype, a.all(), a.flags.owndata) == ((n, 2), DTYPES[kind], True, True)


@kinds
def test_a_function_returns_an_allocatable_array(table: Any, kind: str) -> None:
    for n in (3, 0):
        a = getattr(table, f"{kind}_grown")(n)
        assert (a.shape, a.dtype, a.all()) == ((n,), DTYPES[kind], True)


@kinds
def test_an_allocatable_out_is_an_array_or_none(table: Any, kind: str) -> None:
    call = getattr(table, f"{kind}_allocated")
    assert [call(n).shape for n in (2, 0)] == [(2, 3), (0, 1)]
    assert call(2).dtype == DTYPES[kind]
    assert call(-1) is None


@pytest.mark.parametrize("kind", ["i8", "i16", "i32", "i64"])
def test_an_integer_out_of_range_is_an_overflow_error(table: Any, kind: str) -> None:
    bits = 8 * np.dtype(DTYPES[kind]).itemsize
    for value in (2 ** (bits - 1), -(2 ** (bits - 1)) - 1, 2**70):
        with pytest.raises(OverflowError, match=f"argument 'x' of '{kind}_out': {value} does not fit {kind}"):
            getattr(table, f"{kind}_out")(value)
    assert getattr(table, f"{kind}_out")(-(2 ** (bits - 1))) == -(2 ** (bits - 1)) + 1


def test_a_number_that_single_precision_cannot_hold_is_an_overflow_error(table: Any) -> None:
    for call, value in ((table.f32_out, 1e39), (table.c32_out, complex(0, 1e39)), (table.f32_value, -1e300)):
        with pytest.raises(OverflowError, match="does not fit"):
            call(value)


def test_infinities_and_nans_go_through(table: Any) -> None:
    assert math.isnan(table.f32_out(math.nan))
    assert table.f32_result(math.inf) == math.inf
    assert table.f64_result(-math.inf) == -math.inf
    assert math.isnan(table.c64_result(complex(0, math.nan)).imag)


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("i32", 1.0),
        ("i32", True),
        ("i32", "1"),
        ("i32", None),
        ("i32", np.float64(1)),
        ("f64", "1"),
        ("f64", 1j),
        ("f64", True),
        ("b32", 1),
        ("b8", 0),
        ("c64", "1"),
        ("i32", np.array([1])),
    ],
)
def test_kinds_are_strict(table: Any, kind: str, value: Any) -> None:
    with pytest.raises(TypeError, match=f"argument 'x' of '{kind}_out': .* was given, {kind} is declared"):
        getattr(table, f"{kind}_out")(value)


@pytest.mark.parametrize("end", [ZeroDivisionError, TypeError, KeyboardInterrupt])
@pytest.mark.parametrize("kind", ["i32", "i64", "f32", "f64", "c64"])
def test_an_exception_of_a_number_itself_is_raised(table: Any, kind: str, end: type[BaseException]) -> None:
    class Wrong(int if kind in ("f32", "f64", "c64") else object):  # type: ignore[misc]
        def __index__(self) -> int:
            raise end("its own")

        __float__ = __complex__ = __index__

    with pytest.raises(end, match="its own"):
        getattr(table, f"{kind}_out")(Wrong())


@kinds
def test_an_array_of_another_dtype_is_refused(table: Any, kind: str) -> None:
    for dtype in {*DTYPES.values(), np.uint8, np.float16, object, "S3", "M8[s]"} - {DTYPES[kind]}:
        with pytest.raises(TypeError, match=r"an array of \w+ was given"):
            getattr(table, f"{kind}_assumed")(np.zeros((2, 2), dtype))
