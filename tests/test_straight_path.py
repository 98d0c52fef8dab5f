"""Procedures without outs are called the straight way: what it must not take goes the general way, with the same messages."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from stubs import EACH_COMPILER, stubbed

FORTRAN = """
module straight
  use iso_c_binding
  implicit none
contains
  subroutine nothing()
  end subroutine nothing
  subroutine add(n, a, b, c)
    integer, intent(in) :: n
    real(8), intent(in) :: a(n), b(2*n)
    real(8), intent(inout) :: c(n)
    c = a + b(:n)
  end subroutine add
  subroutine shift(a, b, c)
    real(8), intent(in) :: a(:), c(:)
    real(8), intent(inout) :: b(:)
    b = b + a(1) + c(1)
  end subroutine shift
end module straight
"""
STUBS = """
@ph()
def nothing() -> None: ...
@ph()
def add(n: i32, a: f64[n], b: f64[2 * n], c: InOut[f64[n]]) -> None: ...
@ph()
def shift(a: f64[:], b: InOut[f64[:]], c: f64[:]) -> None: ...
"""


@pytest.fixture(scope="module", params=EACH_COMPILER)
def straight(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    return stubbed(tmp_path_factory.mktemp("straight"), request.param, STUBS, straight_f90=FORTRAN)


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ((3, 2, 6, 3), "argument 'a' of 'add': extent 1 is 2, f64[n] makes it 3"),
        ((3, 3, 3, 3), "argument 'b' of 'add': extent 1 is 3, f64[2 * n] makes it 6"),
        ((3, 3, 6, 4), "argument 'c' of 'add': extent 1 is 4, InOut[f64[n]] makes it 3"),
        ((-1, 3, 6, 3), "argument 'a' of 'add': extent 1 is 3, f64[n] makes it -1"),
        ((2**30, 3, 6, 3), f"argument 'a' of 'add': extent 1 is 3, f64[n] makes it {2**30}"),
    ],
)
def test_an_extent_that_is_not_as_declared_is_refused(straight: Any, sizes: tuple[int, ...], message: str) -> None:
    n, *extents = sizes
    arrays = [np.zeros(extent) for extent in extents]
    with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
        straight.add(n, *arrays)


def test_extents_that_are_as_declared_are_taken(straight: Any) -> None:
    for n in (0, 1, 3):
        c = np.zeros(n)
        straight.add(n, np.arange(n) + 1.0, np.arange(2 * n) * 10.0, c)
        assert c.tolist() == [1 + 11 * i for i in range(n)]


@pytest.mark.parametrize("written", [slice(None, None, 3), slice(9, None, -3), slice(2, 9), slice(9, 1, -1)], ids=str)
@pytest.mark.parametrize("read", [slice(6, None, 3), slice(8, 0, -2), slice(6, 7)], ids=str)
def test_memory_that_is_shared_with_what_is_written_is_refused(straight: Any, written: slice, read: slice) -> None:
    """Whichever of the arguments comes first, whatever their strides."""
    whole, other = np.arange(12.0), np.zeros(2)
    assert np.shares_memory(whole[written], whole[read])
    for arguments in ((whole[read], whole[written], other), (other, whole[written], whole[read])):
        with pytest.raises(ValueError, match="it shares memory with 'b', which Fortran may write"):
            straight.shift(*arguments)
    assert whole.tolist() == list(range(12))


def test_what_lies_beside_what_is_written_is_taken(straight: Any) -> None:
    whole = np.arange(12.0)
    straight.shift(whole[:4], whole[4:8], whole[8:])
    assert whole.tolist() == [0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11]
    straight.shift(whole[3::-1], whole[7:3:-1], whole[::4][2:])
    assert whole.tolist() == [0, 1, 2, 3, 23, 24, 25, 26, 8, 9, 10, 11]
    straight.shift(whole[::3], whole[1::3], whole[2::3])  # between the others, and shares nothing
    assert whole.tolist() == [0, 3, 2, 3, 25, 24, 25, 28, 8, 9, 12, 11]
    straight.shift(whole[:4], whole[4:4], whole[4:8])
    straight.shift(whole, np.zeros(3), whole)  # what is only read may be given twice


def test_nothing_takes_nothing(straight: Any) -> None:
    assert straight.nothing() is None
    with pytest.raises(TypeError, match="'nothing' takes 0 positional arguments, 1 was given"):
        straight.nothing(1)
    with pytest.raises(TypeError, match="'nothing' has no argument 'x'"):
        straight.nothing(x=1)
