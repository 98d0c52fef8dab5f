"""The type table: one row a kind, and the words that spell annotations.

What is known of a kind stands in its row and nowhere else: the C header ``py2f_codes.h``, the Fortran declarations and the
annotations are made from it, and docs/reference/types.md is compared with it. Only the standard library is imported here,
since the build of the runtime extension reads this module as well.
"""

from __future__ import annotations

import enum
import re
import typing
from dataclasses import dataclass


class Word(enum.Enum):
    """How a scalar travels in a frame, the array of 64-bit words that Fortran hands to the runtime."""

    INTEGER = "integer"
    REAL = "real"
    COMPLEX = "complex"
    LOGICAL = "logical"
    POINTER = "pointer"
    PROCEDURE = "procedure"
    TEXT = "text"
    TEXTS = "texts"
    STRING = "string"


class Spelling:
    """Anything that may stand in an annotation; ``| None`` makes it optional."""

    def __or__(self, other: object) -> object:
        return typing.Union[self, other]  # noqa: UP007  `|` is what is defined here; two types are refused with file and line

    def __ror__(self, other: object) -> object:
        return typing.Union[other, self]  # noqa: UP007

    def __call__(self) -> typing.NoReturn:  # typing before Python 3.11 takes callables only
        """Refuse: an annotation is not a value."""
        raise TypeError(f"{self!r} is an annotation, not a value")


@dataclass(frozen=True, repr=False)
class Extent(Spelling):
    """A name, or ``+ - *`` of names and integers: the extent of an array, evaluated at the call."""

    text: str

    def __repr__(self) -> str:
        return self.text

    @property
    def names(self) -> tuple[str, ...]:
        """The names in it, in order."""
        return tuple(re.findall(r"[^\W\d]\w*", self.text))

    def __getitem__(self, extents: object) -> typing.NoReturn:
        """Say what a misspelt kind comes to: an unknown name is an extent."""
        raise TypeError(f"no type is called {self.text!r} where the function is defined")

    @staticmethod
    def _join(sign: str, left: object, right: object) -> typing.Any:  # NotImplemented is no Extent
        sides = [str(side) if type(side) is int else side.text if isinstance(side, Extent) else "" for side in (left, right)]
        if "" in sides:
            return NotImplemented
        sums = [" + " in side or " - " in side or side.startswith("-") for side in sides]
        enclosed = (sign == "*" and sums[0], sign != "+" and sums[1])
        return Extent(f" {sign} ".join(f"({side})" if closed else side for side, closed in zip(sides, enclosed, strict=True)))

    def __add__(self, other: object) -> typing.Any:
        return self._join("+", self, other)

    def __radd__(self, other: object) -> typing.Any:
        return self._join("+", other, self)

    def __sub__(self, other: object) -> typing.Any:
        return self._join("-", self, other)

    def __rsub__(self, other: object) -> typing.Any:
        return self._join("-", other, self)

    def __mul__(self, other: object) -> typing.Any:
        return self._join("*", self, other)

    def __rmul__(self, other: object) -> typing.Any:
        return self._join("*", other, self)


def extent(name: str) -> Extent:
    """Make a name for extents where annotations are not postponed.

    After ``n = extent("n")`` at module level one may write ``f64[n]``.

    Raises ValueError when `name` is no identifier.
    """
    if not name.isidentifier():
        raise ValueError(f"extent({name!r}): an extent is named by an identifier")
    return Extent(name)


def is_dimension(given: object) -> typing.TypeGuard[typing.Any]:
    """Whether something is a dimension of GT4Py, which is read but never imported."""
    return type(given).__name__ == "Dimension" and type(given).__module__.startswith("gt4py.next")


@dataclass(frozen=True, repr=False)
class Array(Spelling):
    """An array of a kind, as in ``f64[:, n]``; an extent that is None is whatever the caller's array has."""

    kind: Kind
    extents: tuple[Extent | None, ...]

    def __repr__(self) -> str:
        return f"{self.kind}[{', '.join(':' if e is None else str(e) for e in self.extents)}]"


@dataclass(frozen=True, repr=False)
class Kind(Spelling):
    """One row of the table."""

    name: str
    fortran: str
    word: Word
    size: int  # bytes of an element in Fortran
    numpy: str = ""  # NumPy's dtype; empty: has no arrays
    npy: str = "NPY_NOTYPE"  # the same as NumPy's C API calls it

    def __repr__(self) -> str:
        return self.name

    @property
    def code(self) -> str:
        """The C enumerator."""
        return f"PY2F_{re.sub('[^a-z0-9]+', '_', self.name.lower()).strip('_').upper()}"

    def __getitem__(self, extents: object) -> Array:
        if not self.numpy:
            raise TypeError(f"there are no arrays of {self}")
        return Array(self, tuple(map(self._extent, extents if isinstance(extents, tuple) else (extents,))))

    def _extent(self, given: object) -> Extent | None:
        if isinstance(given, slice) and given == slice(None):
            return None
        if isinstance(given, Extent):
            return given
        if isinstance(given, int) and not isinstance(given, bool) and given >= 0:
            return Extent(str(given))
        if is_dimension(given):
            return Extent(given.value)
        raise TypeError(f"{self}[{given!r}]: an extent is `:`, a name, an integer, or + - * of these")


@dataclass(frozen=True, repr=False)
class Marked(Spelling):
    """``In[...]``, ``Out[...]``, ``InOut[...]``."""

    mark: Mark
    of: object

    def __repr__(self) -> str:
        return f"{self.mark}[{self.of}]"


@dataclass(frozen=True, repr=False)
class Mark(Spelling):
    """An intent; ``In[f64[:]]``, or behind the type in ``Annotated[NDArray[np.float64], f64[:], In]``."""

    name: str

    def __repr__(self) -> str:
        return self.name

    def __getitem__(self, of: object) -> Marked:
        return Marked(self, of)


@dataclass(frozen=True)
class Name(Spelling):
    """``Annotated[f64, Name("low")]``: what Fortran calls an argument."""

    name: str


@dataclass(frozen=True, repr=False)
class Storage(Spelling):
    """``Value[f64]``, ``Keep[f64[:]]``, or behind the type in ``Annotated``: how an argument is handed over."""

    name: str
    of: object = None

    def __repr__(self) -> str:
        return f"{self.name}[{self.of}]" if self.of is not None else self.name

    def __getitem__(self, of: object) -> Storage:
        return Storage(self.name, of)


@dataclass(frozen=True)
class Length(Spelling):
    """``Annotated[str, Out, Length(8)]``: how many characters a Fortran procedure writes; an integer or an extent as text."""

    extent: int | str


@dataclass(frozen=True)
class IndexBase(Spelling):
    """``Annotated[..., i32[:, :], IndexBase(1)]``: the table counts from `base` in Fortran, from zero in Python."""

    base: int


@dataclass(frozen=True)
class Extents(Spelling):
    """``Annotated[CellKField[float], Extents("Cell", "K + 1")]``: the extents of an array, ``":"`` for whatever it has."""

    extents: tuple[int | str, ...]

    def __init__(self, *extents: int | str) -> None:
        object.__setattr__(self, "extents", extents)


Value, Allocatable = Storage("Value"), Storage("Allocatable")  # of a Fortran procedure that Python calls
Keep, Padded = Storage("Keep"), Storage("Padded")  # of a Python function that Fortran calls
In, Out, InOut = Mark("In"), Mark("Out"), Mark("InOut")
Const = In

# The rows: appended only, since libraries that were compiled before know a kind by its number.
i8 = Kind("i8", "integer(c_int8_t)", Word.INTEGER, 1, "int8", "NPY_INT8")
i16 = Kind("i16", "integer(c_int16_t)", Word.INTEGER, 2, "int16", "NPY_INT16")
i32 = Kind("i32", "integer(c_int32_t)", Word.INTEGER, 4, "int32", "NPY_INT32")
i64 = Kind("i64", "integer(c_int64_t)", Word.INTEGER, 8, "int64", "NPY_INT64")
f32 = Kind("f32", "real(c_float)", Word.REAL, 4, "float32", "NPY_FLOAT32")
f64 = Kind("f64", "real(c_double)", Word.REAL, 8, "float64", "NPY_FLOAT64")
c32 = Kind("c32", "complex(c_float_complex)", Word.COMPLEX, 8, "complex64", "NPY_COMPLEX64")
c64 = Kind("c64", "complex(c_double_complex)", Word.COMPLEX, 16, "complex128", "NPY_COMPLEX128")
b8 = Kind("b8", "logical(c_bool)", Word.LOGICAL, 1, "bool", "NPY_BOOL")
b32 = Kind("b32", "logical", Word.LOGICAL, 4, "bool", "NPY_BOOL")
text = Kind("str", "character(len=*)", Word.TEXT, 1)
texts = Kind("list[str]", "character(len=*)", Word.TEXTS, 1)
string = Kind("string", "character(len=*)", Word.STRING, 1, "S", "NPY_STRING")
CPtr = Kind("CPtr", "type(c_ptr)", Word.POINTER, 8, "uintp", "NPY_UINTP")
procedure = Kind("Callable", "procedure", Word.PROCEDURE, 8)

KINDS = tuple(row for row in list(globals().values()) if isinstance(row, Kind))
BY_NAME = {kind.name: kind for kind in KINDS}
PLAIN: dict[object, Kind] = {
    int: i32,
    float: f64,
    complex: c64,
    bool: b32,
    str: text,
    list[str]: texts,
}

BY_SCALAR = {kind.numpy: kind for kind in KINDS if kind.word in (Word.INTEGER, Word.REAL, Word.COMPLEX) or kind == b32}
"""What NumPy's scalar types stand for, and those of GT4Py, which are the same."""

MAX_RANK = 15
"""What Fortran 2018 allows, and NumPy too."""

MAX_NAME = 63
"""How many characters Fortran 2018 allows in a name."""
