"""Batches of random functions and calls, drawn by Hypothesis: names, kinds, forms, options, values and layouts.

A kind is a row of KINDS, a form (scalar, text, texts, array) a class: how Python and Fortran spell it, what a value is, how it
is compared. One example is one batch, for one export, one compilation and one run; what fails is reduced by running the failing
function alone, and a batch is reproduced by its seed.
"""

from __future__ import annotations

import builtins
import keyword
import random
import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import batch_actor
import numpy as np
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from py2f.emit.names import INTRINSICS, ISO_C, KEYWORDS

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True)
class Kind:
    """One row: what the test knows of a kind, of itself and not from py2f."""

    name: str
    fortran: str
    dtype: str  # what Python sees
    raw: str  # what lies in memory
    plain: str = ""  # the plain Python spelling
    defaults: tuple[str, ...] = ()
    jaxtyping: str = ""

    @property
    def integer(self) -> bool:
        """Whether it may be an extent."""
        return self.dtype.startswith("int")


INTEGERS = ("0", "-1", "7")
REALS = ("0.0", "-0.0", "0.1", "float('inf')", "float('nan')")
COMPLEX = ("0j", "1 - 0.1j", "complex(-0.0, 0.0)")
KINDS = (
    Kind("i8", "integer(c_int8_t)", "int8", "i1", "", INTEGERS, "Int8"),
    Kind("i16", "integer(c_int16_t)", "int16", "i2", "", INTEGERS, "Int16"),
    Kind("i32", "integer(c_int32_t)", "int32", "i4", "int", INTEGERS, "Int32"),
    Kind("i64", "integer(c_int64_t)", "int64", "i8", "", (*INTEGERS, "2**62"), "Int64"),
    Kind("f32", "real(c_float)", "float32", "f4", "", REALS, "Float32"),
    Kind("f64", "real(c_double)", "float64", "f8", "float", REALS, "Float64"),
    Kind("c32", "complex(c_float_complex)", "complex64", "c8", "", COMPLEX, "Complex64"),
    Kind("c64", "complex(c_double_complex)", "complex128", "c16", "complex", COMPLEX, "Complex128"),
    Kind("b8", "logical(c_bool)", "bool", "u1", "", ("True", "False")),
    Kind("b32", "logical", "bool", "i4", "bool", ("True", "False"), "Bool"),
    Kind("CPtr", "type(c_ptr)", "uint64", "u8", "", ("0", "2**64 - 1")),
)
STRING = Kind("string", "character", "S", "S")
"""Its elements are as long as a value says."""
KIND = {kind.name: kind for kind in (*KINDS, STRING)}
WORDS = "frame rc res stat errmsg frame_layout py2f_call py2f_ok result_ x_n In f64 i32 self number act seen c_int c_int64_t c_ptr c_loc size present min merge".split()
EVERY = sorted(KEYWORDS | INTRINSICS | ISO_C)
FREE = ("ncol", "nlev", "k_1")
"""Names of extents that are no arguments."""


@dataclass(frozen=True)
class Scalar:
    """A scalar of a kind."""

    kind: Kind

    def spelled(self, style: int) -> str:
        """The annotation."""
        return (self.kind.name, self.kind.plain or self.kind.name, f"In[{self.kind.name}]", f"Const[{self.kind.name}]")[style]


@dataclass(frozen=True)
class Text:
    """Characters."""

    def spelled(self, style: int) -> str:
        """The annotation."""
        return "In[str]" if style == 2 else "str"


@dataclass(frozen=True)
class Array:
    """An array; extents are `:` or expressions. Without extents it is a scalar that Python writes."""

    kind: Kind
    extents: tuple[str, ...]
    intent: str = "In"

    @property
    def explicit(self) -> bool:
        """Whether a result of this form has memory before the call."""
        return ":" not in self.extents

    def spelled(self, style: int) -> str:
        """The annotation."""
        if not self.extents:
            return f"{self.intent}[{self.kind.plain if style == 1 and self.kind.plain else self.kind.name}]"
        plain = f"{self.kind.name}[{', '.join(self.extents)}]"
        if style == 1:
            dtype = {"bool": "bool_", "S": "bytes_"}.get(self.kind.dtype, self.kind.dtype)
            return f"Annotated[NDArray[np.{dtype}], {plain}, {self.intent}]"
        if style == 3 and self.kind.jaxtyping and all(re.fullmatch(r":|\d+|[A-Za-z]\w*", e) for e in self.extents):
            plain = f"{self.kind.jaxtyping}[np.ndarray, '{' '.join(self.extents).replace(':', '_')}']"
        return plain if self.intent == "In" and style in (0, 3) else f"{self.intent}[{plain}]"


@dataclass(frozen=True)
class Texts(Array):
    """Characters of one length, which arrive as a list."""

    kind: Kind = STRING
    extents: tuple[str, ...] = (":",)

    def spelled(self, style: int) -> str:
        """The annotation."""
        return "In[list[str]]" if style == 2 else "list[str]"


Form = Scalar | Text | Array


@dataclass(frozen=True)
class Argument:
    """A parameter, or what is returned; `default` is Python text, empty where there is none."""

    name: str
    form: Form
    style: int = 0
    optional: bool = False
    default: str = ""
    fortran: str = ""  # what it is called there, if the annotation says so

    @property
    def spelled(self) -> str:
        """The annotation."""
        plain = self.form.spelled(self.style)
        named = f"Annotated[{plain}, Name({self.fortran!r})]" if self.fortran else plain
        return named + " | None" * (self.optional and (not self.default or self.default == "None"))


@dataclass(frozen=True)
class Dimension:
    """One dimension of a declared array, and what of it is passed; a step of zero is a scalar index."""

    lower: int
    extent: int
    first: int  # zero-based
    count: int
    step: int

    @property
    def fortran(self) -> str:
        """The subscript."""
        first = self.first + self.lower
        last = first + (self.count - 1) * self.step if self.count else first - 1
        return str(first) if self.step == 0 else f"{first}:{last}" + f":{self.step}" * (self.step != 1 and self.count > 0)

    @property
    def python(self) -> Any:
        """The same for NumPy."""
        if self.step == 0 or self.count == 0:
            return self.first if self.step == 0 else slice(0, 0)
        end = self.first + self.count * self.step
        return slice(self.first, None if end < 0 else end, self.step)

    @property
    def whole(self) -> bool:
        """Whether nothing is left out."""
        return (self.step, self.first, self.count) == (1, 0, self.extent)


@dataclass(frozen=True)
class Layout:
    """The array that a program declares: bare, or the component of an array of a derived type."""

    dimensions: tuple[Dimension, ...]
    component: bool

    @property
    def size(self) -> int:
        """Elements of the declared array."""
        return int(np.prod([d.extent for d in self.dimensions]))


@dataclass(frozen=True)
class Value:
    """What a call hands over: bytes for all that lies in memory, else the way in which it is absent."""

    content: bytes = b""
    layout: Layout | None = None
    length: int = 0  # of characters
    before: int = 0  # characters of the declared text that are not passed
    absent: str = ""  # omitted, unallocated, null


@dataclass(frozen=True)
class Call:
    """One call of a function."""

    values: tuple[Value, ...]  # of its dummy arguments
    outcome: str = "return"  # or raise
    repeat: int = 1
    keywords: bool = False
    stat: bool = False
    message: int = 40  # characters of errmsg; below zero: none


@dataclass(frozen=True)
class Function:
    """A function and its calls."""

    name: str
    arguments: tuple[Argument, ...]
    results: tuple[Argument, ...]
    fields: str  # what holds the results: a "tuple", a "class", or nothing, and then there is one at most
    keyword_only: int  # arguments from here on
    calls: tuple[Call, ...] = field(repr=False, default=())

    @property
    def dummies(self) -> tuple[Argument, ...]:
        """What Fortran hands over."""
        return self.arguments + (self.results if self.fields else ())

    @property
    def text(self) -> str:
        """The signature as Python has it."""
        rows = [f"{a.name}: {a.spelled}" + f" = {a.default}" * bool(a.default) for a in self.arguments]
        rows[self.keyword_only : self.keyword_only] = ["*"] * (self.keyword_only < len(self.arguments))
        results = ", ".join(r.spelled for r in self.results) or "None"
        returned = {"tuple": f"tuple[{results}]", "class": f"Fields_{self.name}"}.get(self.fields, results)
        return f"({', '.join(rows)}) -> {returned}"


@dataclass(frozen=True)
class Batch:
    """Functions of one module."""

    functions: tuple[Function, ...]

    @property
    def calls(self) -> int:
        """How many calls are made."""
        return sum(c.repeat for f in self.functions for c in f.calls)


# ---- names


@st.composite
def _name(draw: st.DrawFn, taken: set[str], *, argument: bool) -> str:
    """Keywords, intrinsics, words of the wrapper, 63 characters, case clashes, leading underscores."""
    how = draw(st.integers(0, 6))
    name = draw(st.sampled_from(EVERY if how < 3 else WORDS if how == 3 else ["x", "Field", "velocity_u"]))
    if how == 4 and taken:
        name = draw(st.sampled_from(sorted(taken))).swapcase()
    if how == 5:
        name = (name + "_long" * 13)[:63]
    if how == 6 and argument:
        name = "_" + name[:60]
    if not argument and name.lower().startswith(("_", "py2f", "model_py")):
        name = f"p{name[:61]}"
    # where a subroutine is called size, flang 19 takes it for the intrinsic's name in the bounds that it writes into a .mod
    while (
        name in taken or (argument and keyword.iskeyword(name)) or name == "locals" or (name.lower() == "size" and not argument)
    ):
        name = f"{name[:55]}_{len(taken)}"
    taken.add(name)
    return name


def _names_an_extent(name: str) -> bool:
    """Not so what annotations would take for a type."""
    known = {*KIND, *(k.jaxtyping for k in KINDS), *"In Out InOut Const Name np NDArray Annotated NamedTuple batch_actor".split()}
    return name not in known and not isinstance(getattr(builtins, name, None), type)


# ---- signatures


@st.composite
def _form(draw: st.DrawFn) -> Form:
    how = draw(st.integers(0, 12))
    if how < 2:
        return (Text(), Texts())[how]
    intent = draw(st.sampled_from(["In", "Out", "InOut"]))
    if how == 2:
        return Array(STRING, (":",) * draw(st.integers(0, 3)), intent)
    kind = draw(st.sampled_from(KINDS))
    if how == 3:
        return Array(kind, (), intent if intent != "In" else "Out")
    if how < 7:
        return Scalar(kind)
    rank = draw(st.sampled_from([1, 1, 2, 2, 2, 3, 3, 4, 5, 7, 8, 11, 15]))
    return Array(kind, (":",) * rank, intent)


@st.composite
def _extents(draw: st.DrawFn, rank: int, plain: list[str], summed: list[str], *, colon: bool) -> tuple[str, ...]:
    """Names and expressions; whatever comes plain binds a name, an expression only uses it."""
    rows = []
    for _ in range(rank):
        how = draw(st.integers(0 if colon else 2, 7))
        if how < 2:
            rows.append(":")
        elif how < 5 and plain:
            rows.append(draw(st.sampled_from(plain)))
        elif how < 7 and summed:
            rows.append(
                draw(st.sampled_from(["{} + 1", "2 * {}", "{} - 1", "3 - {}", "({} + 1) * 2"])).format(
                    draw(st.sampled_from(summed))
                )
            )
        else:
            rows.append(str(draw(st.integers(0, 3))))
    return tuple(rows)


@st.composite
def _arguments(draw: st.DrawFn) -> tuple[Argument, ...]:
    taken = set(FREE)
    arguments: list[Argument] = []
    for _ in range(draw(st.integers(0, 6))):
        a = Argument(draw(_name(taken, argument=True)), draw(_form()), draw(st.integers(0, 3)))
        how = draw(st.integers(0, 5))
        if how == 0:
            a = replace(a, optional=True)
        elif how == 1:
            a = replace(a, optional=True, default=draw(_default(a.form)))
        arguments.append(a)
    integers = _integers(arguments)
    bound: list[str] = []
    for i, a in enumerate(arguments):
        if isinstance(a.form, Array) and not isinstance(a.form, Texts) and len(a.form.extents) <= 3 and draw(st.booleans()):
            extents = draw(_extents(len(a.form.extents), [*integers, *FREE], [*integers, *bound], colon=True))
            arguments[i] = replace(a, form=replace(a.form, extents=extents))
            bound += [e for e in extents if e in FREE]
    used = {name.lower() for name in taken}
    for i, a in enumerate(arguments):
        name = draw(st.sampled_from(EVERY + WORDS))
        if draw(st.integers(0, 4)) == 0 and name.lower() not in used:
            arguments[i] = replace(a, fortran=name)
            used.add(name.lower())
    return tuple(arguments)


def _integers(arguments: Sequence[Argument]) -> list[str]:
    """The names of arguments that may stand in an extent."""
    known = [a.name for a in arguments if isinstance(a.form, Scalar) and a.form.kind.integer and not a.optional]
    return [name for name in known if _names_an_extent(name)]


@st.composite
def _default(draw: st.DrawFn, form: Form) -> str:
    if isinstance(form, Array):
        return draw(st.sampled_from(["None", "['dé  ', '']"])) if isinstance(form, Texts) else "None"
    return draw(st.sampled_from(["''", "'dé  '", "'None'"] if isinstance(form, Text) else [*form.kind.defaults, "None"]))


@st.composite
def _results(draw: st.DrawFn, arguments: tuple[Argument, ...], function: str) -> tuple[tuple[Argument, ...], str]:
    """What is returned, and what holds it."""
    fields = draw(st.sampled_from(["", "", "tuple", "class"]))
    if not fields:
        return tuple(
            Argument("", draw(_returned(arguments)), draw(st.sampled_from([0, 3]))) for _ in range(draw(st.integers(0, 6)) > 0)
        ), fields
    taken: set[str] = set()
    rows = []
    for i in range(1, draw(st.integers(1, 4)) + 1):
        named = fields == "class" or len(function) > 60 or draw(st.booleans())  # else it is called after the function
        name = draw(_name(taken, argument=fields == "class")) if named else f"{function}_{i}"
        name = f"f{name}" if fields == "class" and name.startswith("_") else name
        r = Argument(name, draw(_returned(arguments)), draw(st.sampled_from([0, 3])))
        rows.append(replace(r, fortran=name) if named and fields == "tuple" else r)
    return tuple(rows), fields


@st.composite
def _returned(draw: st.DrawFn, arguments: tuple[Argument, ...]) -> Form:
    how = draw(st.integers(0, 6))
    kind = draw(st.sampled_from(KINDS))
    if how < 3:
        return (Scalar(kind), Scalar(kind), Text())[how]
    if how < 5:
        return Array(kind, (":",) * draw(st.sampled_from([1, 1, 2, 2, 3, 4, 7, 15])))
    known = _integers(arguments)
    known += [e for a in arguments if isinstance(a.form, Array) and not a.optional for e in a.form.extents if e in FREE]
    return Array(kind, draw(_extents(draw(st.integers(1, 3)), known, known, colon=False)))


# ---- calls


@st.composite
def _dimension(draw: st.DrawFn, count: int, *, plain: bool) -> Dimension:
    step = 1 if plain else draw(st.sampled_from([1, 1, 2, -1, -2]))
    before, after = (0, 0) if plain else draw(st.sampled_from([(0, 0), (0, 0), (1, 0), (0, 1), (1, 1)]))
    span = (count - 1) * abs(step) + 1 if count else 0
    return Dimension(
        draw(st.integers(-3, 3)), before + span + after, before + (span - 1 if step < 0 and count else 0), count, step
    )


@st.composite
def _array(draw: st.DrawFn, form: Array, names: dict[str, int], numbers: random.Random) -> Value:
    rank = len(form.extents)
    largest, twos = (4, rank) if rank < 4 else (3, 3) if rank < 8 else (2, 3)
    counts = [
        numbers.choice([0, 1, 2, 2, 3, 3, largest]) if i < twos else numbers.choice([1, 1, 2] if rank < 8 else [1])
        for i in range(rank)
    ]
    counts = [n if rank < 4 or numbers.random() < 0.1 else max(1, n) for n in counts]
    counts = [n if e == ":" else max(0, evaluate(e, names)) for n, e in zip(counts, form.extents, strict=True)]
    if draw(st.integers(0, 5)) == 5 and any(e != ":" for e in form.extents):
        counts[numbers.randrange(rank)] += 1
    fancy = draw(st.integers(0, 3))
    dimensions = [draw(_dimension(n, plain=not fancy or i >= 3)) for i, n in enumerate(counts)]
    if rank == 0 or (fancy == 3 and rank < 15):
        dimensions.insert(numbers.randrange(rank + 1), Dimension(numbers.randint(-2, 2), 2, numbers.randrange(2), 1, 0))
    # gfortran copies components, and hands over what is empty as absent: no fault of ours
    layout = Layout(tuple(dimensions), component=draw(st.integers(0, 4)) == 4 and 0 not in counts)
    if form.kind == STRING:
        return _characters(form, layout, numbers)
    return Value(_content(form, layout, numbers), layout)


def _content(form: Array, layout: Layout, numbers: random.Random) -> bytes:
    content = batch_actor.values(form.kind.dtype, layout.size, numbers)
    if form.kind.name != "b32":
        return content
    garbage = form.intent == "Out"  # unset memory: its low byte is what Python sees
    return b"".join(bytes([b]) + (numbers.randbytes(3) if garbage else bytes(3)) for b in content)


def _characters(form: Array, layout: Layout, numbers: random.Random) -> Value:
    """Any bytes, or texts in UTF-8; and what lies around them."""
    length = numbers.choice([0, 1, 2, 5, 12])
    # gfortran copies components and substrings, and hands over what is empty as absent: no fault of ours
    empty = length == 0 or any(d.count == 0 for d in layout.dimensions)
    before = 0 if empty else numbers.choice([0, 0, 1, 2])
    layout = replace(layout, component=layout.component and not empty)

    def element() -> bytes:
        if isinstance(form, Texts):
            return batch_actor.text(numbers, length).encode()[:length].decode(errors="ignore").encode().ljust(length)
        return batch_actor.values(f"S{length}", 1, numbers) if length else b""

    content = b"".join(b"#" * before + element() + b"#" * before for _ in range(layout.size))
    return Value(content, layout, length, before)


def evaluate(extent: str, names: dict[str, int]) -> int:
    """An extent's value."""
    return int(eval(extent, {"__builtins__": {}}, names))


@st.composite
def _value(draw: st.DrawFn, a: Argument, names: dict[str, int], numbers: random.Random) -> Value:
    if a.optional and draw(st.booleans()):
        return Value(absent=draw(st.sampled_from(["omitted", "unallocated", "null"])))
    if isinstance(a.form, Array):
        return draw(_array(a.form, names, numbers))
    if isinstance(a.form, Text):
        content = batch_actor.text(numbers).replace("\n", "\0").encode()
        return Value(content, length=len(content), before=draw(st.integers(0, 2)))
    if a.name in names:
        return Value(names[a.name].to_bytes(np.dtype(a.form.kind.raw).itemsize, "little"))
    content = batch_actor.values(a.form.kind.dtype, 1, numbers)
    return Value(content.ljust(np.dtype(a.form.kind.raw).itemsize, b"\0"))


@st.composite
def _field(draw: st.DrawFn, r: Argument, names: dict[str, int], numbers: random.Random) -> Value:
    """The variable that takes a field of a tuple: whatever was in it, or not allocated yet."""
    if isinstance(r.form, Scalar):
        return draw(_value(r, {}, numbers))
    if isinstance(r.form, Array) and r.form.explicit:
        return draw(_array(replace(r.form, intent="Out"), names, numbers))
    return Value(absent="unallocated")


@st.composite
def _call(draw: st.DrawFn, f: Function) -> Call:
    numbers = random.Random(draw(st.integers(0, 2**32 - 1)))
    used = [e for a in (*f.arguments, *f.results) if isinstance(a.form, Array) for e in a.form.extents]
    names = {name: numbers.randint(0, 3) for name in FREE}
    names |= {a.name: numbers.randint(0, 3) for a in f.arguments if any(_uses(e, a.name) for e in used)}
    values = [draw(_value(a, names, numbers)) for a in f.arguments]
    values += [draw(_field(r, names, numbers)) for r in (f.results if f.fields else ())]
    outcome = draw(st.sampled_from(["return"] * 6 + ["raise"]))
    message = numbers.choice([-1, 0, 1, 2, 5, 19, 20, 21, 300])
    return Call(tuple(values), outcome, draw(st.integers(1, 2)), draw(st.booleans()), draw(st.booleans()), message)


def _uses(extent: str, name: str) -> bool:
    return name in "".join(c if c.isalnum() or c == "_" else " " for c in extent).split()


@st.composite
def _function(draw: st.DrawFn, taken: set[str]) -> Function:
    name = draw(_name(taken, argument=False))
    arguments = draw(_arguments())
    results, fields = draw(_results(arguments, name))
    only = draw(st.sampled_from([len(arguments), len(arguments), len(arguments) // 2]))
    defaults = [i for i, a in enumerate(arguments) if a.default]
    late = [i for i, a in enumerate(arguments) if not a.default and defaults and i > defaults[0]]
    f = Function(name, arguments, results, fields, min([only, *late[:1]]))
    return replace(f, calls=tuple(draw(_call(f)) for _ in range(draw(st.integers(1, 2)))))


@st.composite
def batches(draw: st.DrawFn, size: int) -> Batch:
    """A batch of `size` functions."""
    taken: set[str] = set()
    return Batch(tuple(draw(_function(taken)) for _ in range(size)))


def drawn(number: int, size: int = 30) -> Batch:
    """The batch of a seed; the first example that Hypothesis tries is the simplest there is, so the last one is taken."""
    found: list[Batch] = []

    @seed(number)
    @settings(max_examples=2, phases=[Phase.generate], database=None, deadline=None, suppress_health_check=list(HealthCheck))
    @given(batches(size))
    def collect(batch: Batch) -> None:
        found.append(batch)

    collect()
    return found[-1] if len(found) > 1 else drawn(number, size * 3 // 4)  # too much for an example of Hypothesis
