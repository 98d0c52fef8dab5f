# For pyccel wrap: the procedures of fetched.f90, and where their library is.
# $ header metavar libraries="fetched"
# $ header metavar libdirs="."
# $ header metavar includes="."
from typing import Final

from numpy import float64, int32
from pyccel.decorators import low_level

@low_level("nothing")
def nothing() -> None: ...
@low_level("three")
def three(x: float, y: float, z: float) -> None: ...
@low_level("add")
def add(a: Final[float64[:]], b: Final[float64[:]], c: float64[:]) -> None: ...
@low_level("add_n")
def add_n(n: int32, a: Final[float64[:]], b: Final[float64[:]], c: float64[:]) -> None: ...
@low_level("last")
def last(x: Final[float64[:]]) -> float: ...
