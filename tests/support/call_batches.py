"""Random procedures that Python calls: from one description the Fortran, the stub, and what both have to do.

Every procedure tells of each input what has arrived, in `seen`, inverts what it may change, and fills what it defines with
a pattern. Plain ones define nothing: they return the sum of what `seen` would be, and are called the straight way. Signatures come from a seed, a batch of them is one build; the calls are drawn by Hypothesis, which reduces them.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Any

import numpy as np
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st
from stubs import stubbed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

KINDS = {  # Fortran's type, NumPy's, the inverse of x, element k of the pattern, of what the bits are taken
    "i8": ("integer(c_int8_t)", "i1", "not(x)", "int(mod(k, 100), c_int8_t)", "x"),
    "i16": ("integer(c_int16_t)", "i2", "not(x)", "int(3*k, c_int16_t)", "x"),
    "i32": ("integer(c_int32_t)", "i4", "not(x)", "int(-5*k, c_int32_t)", "x"),
    "i64": ("integer(c_int64_t)", "i8", "not(x)", "int(k, c_int64_t)*2_c_int64_t**40", "x"),
    "f32": ("real(c_float)", "f4", "-x", "real(k, c_float)/8", "transfer(x, 0_c_int32_t)"),
    "f64": ("real(c_double)", "f8", "-x", "real(-k, c_double)/8", "transfer(x, 0_c_int64_t)"),
    "c32": ("complex(c_float_complex)", "c8", "-x", "cmplx(k, -k, c_float_complex)/8", "transfer(x, [0_c_int32_t], 2)"),
    "c64": ("complex(c_double_complex)", "c16", "-x", "cmplx(-k, k, c_double_complex)/8", "transfer(x, [0_c_int64_t], 2)"),
    "b8": ("logical(c_bool)", "?", ".not. x", "logical(mod(k, 3) == 1, c_bool)", "merge(1, 0, x)"),
    "b32": ("logical", "?", ".not. x", "mod(k, 3) == 1", "merge(1, 0, x)"),
}
PATTERNS: dict[str, Callable[[int], Any]] = {
    "i8": lambda k: k % 100, "i16": lambda k: 3 * k, "i32": lambda k: -5 * k, "i64": lambda k: k * 2**40,
    "f32": lambda k: k / 8, "f64": lambda k: -k / 8, "c32": lambda k: complex(k, -k) / 8, "c64": lambda k: complex(-k, k) / 8,
    "b8": lambda k: k % 3 == 1, "b32": lambda k: k % 3 == 1,
}  # fmt: skip
FUNCTIONS = """
pure function sum_{kind}(flat) result(c)
  {fortran}, intent(in) :: flat(:)
  integer(c_int64_t) :: c
  integer :: i
  c = 7
  do i = 1, size(flat)
    c = added_{kind}(c, flat(i))
  end do
end function
pure function added_{kind}(before, x) result(c)
  integer(c_int64_t), intent(in) :: before
  {fortran}, intent(in) :: x
  integer(c_int64_t) :: c
  integer(c_int64_t), allocatable :: bits(:)
  integer :: i
  bits = [int({bits}, c_int64_t)]
  c = before
  do i = 1, size(bits)
    c = modulo(c*31 + modulo(bits(i), 65521_c_int64_t), 1000003_c_int64_t)
  end do
end function
elemental function pattern_{kind}(k) result(y)
  integer, intent(in) :: k
  {fortran} :: y
  y = {pattern}
end function
"""
TEXT = """
pure function sum_text(texts) result(c)
  character(len=*), intent(in) :: texts(:)
  integer(c_int64_t) :: c
  integer :: i, k
  c = 7 + len(texts)
  do k = 1, size(texts)
    do i = 1, len(texts)
      c = modulo(c*31 + iachar(texts(k)(i:i)), 1000003_c_int64_t)
    end do
  end do
end function
"""
EXTENTS = ("n", "m", "n + 1", "2*n", "3")
WRITTEN_TEXT = 7
"""Characters of a text that Fortran defines."""


@dataclass(frozen=True)
class Dummy:
    """One argument, or the result, which has no name."""

    name: str
    kind: str
    form: str = "scalar"  # or explicit, assumed, allocatable, text, texts
    intent: str = "In"
    extents: tuple[str, ...] = ()
    optional: bool = False
    value: bool = False


@dataclass(frozen=True)
class Sample:
    """A procedure."""

    name: str
    dummies: tuple[Dummy, ...]
    result: Dummy | None
    copy: str
    plain: bool

    @property
    def inputs(self) -> list[Dummy]:
        """What the procedure tells of in `seen`."""
        return [d for d in self.dummies if d.intent != "Out"]


# ---- signatures


def _dummy(random: Random, name: str) -> Dummy:
    form = random.choices(("scalar", "explicit", "assumed", "allocatable", "text", "texts"), (4, 5, 5, 2, 2, 1))[0]
    intents = {"allocatable": ("Out",), "text": ("In", "Out"), "texts": ("In",)}
    intent = random.choice(intents.get(form, ("In", "InOut", "Out")))
    rank = random.randint(1, 4) if form in ("explicit", "assumed", "allocatable") else 0
    extents = tuple(random.choice(EXTENTS) for _ in range(rank))
    optional = intent != "Out" and random.random() < 0.25
    value = form == "scalar" and intent == "In" and not optional and random.random() < 0.4
    return Dummy(name, random.choice(list(KINDS)), form, intent, extents, optional, value)


def _plain_dummy(random: Random, name: str) -> Dummy:
    form = random.choice(("scalar", "explicit", "assumed"))
    extents = tuple(random.choice(EXTENTS) for _ in range(random.randint(1, 4) if form != "scalar" else 0))
    kind = random.choice(list(KINDS) if extents else ["f64", "i32", "i64"])
    return Dummy(name, kind, form, random.choice(("In", "InOut")) if extents else "In", extents)


def _sample(random: Random, number: int) -> Sample:
    if random.random() < 0.4:
        most = random.choice((3, 6, 20))  # the straight way ends at 16
        dummies = tuple(_plain_dummy(random, f"a{i}") for i in range(random.randint(1, most)))
        return Sample(f"p{number}", dummies, None, random.choice(("never", "ok")), plain=True)
    dummies = tuple(_dummy(random, f"a{i}") for i in range(random.randint(1, 6)))
    form = random.choice(("", "", "scalar", "explicit", "text"))
    extents = (random.choice(EXTENTS),) * (form == "explicit")
    result = Dummy("", random.choice(list(KINDS)), form, "Out", extents) if form else None
    return Sample(f"p{number}", dummies, result, random.choice(("never", "ok")), plain=False)


def drawn(number: int, size: int = 25) -> tuple[Sample, ...]:
    """The procedures of a seed."""
    random = Random(number)
    return tuple(_sample(random, k) for k in range(size))


# ---- Fortran


def fortran_text(batch: tuple[Sample, ...]) -> str:
    """A module."""
    rows = [FUNCTIONS.format(kind=kind, fortran=row[0], pattern=row[3], bits=row[4]) for kind, row in KINDS.items()]
    return "\n".join(
        ["module batch", "use iso_c_binding", "implicit none", "contains", *rows, TEXT, *map(_procedure, batch), "end module"]
    )


def _procedure(s: Sample) -> str:
    sort, tail = ("function", " result(res)") if s.result or s.plain else ("subroutine", "")
    rows = [f"{sort} {s.name}({', '.join(['n', 'm', *(d.name for d in s.dummies), *([] if s.plain else ['seen'])])}){tail}"]
    rows += ["integer, intent(in) :: n, m", *map(_declared, s.dummies)]
    rows += [f"integer(c_int64_t){'' if s.plain else ', intent(out)'} :: seen({len(s.inputs) + 1})"]
    rows += [_declared_result(s.result)] if s.result else ["integer(c_int64_t) :: res"] * s.plain
    rows += ["integer :: k", "seen(1) = n + 10*m"]
    rows += [row for i, d in enumerate(s.inputs, 2) for row in _seen(d, i)]
    rows += [row for d in s.dummies for row in _written(d, d.name)]
    rows += _written(s.result, "res") if s.result else ["res = sum(seen)"] * s.plain
    return "\n".join([*rows, f"end {sort}"])


def _declared(d: Dummy) -> str:
    if d.form in ("text", "texts"):
        return f"character(len=*), intent({d.intent}){', optional' * d.optional} :: {d.name}{'(:)' * (d.form == 'texts')}"
    shape = {"scalar": [], "explicit": d.extents}.get(d.form, [":"] * len(d.extents))
    words = ["value"] if d.value else [f"intent({d.intent})"]
    words += ["optional"] * d.optional + ["allocatable"] * (d.form == "allocatable")
    return f"{', '.join([KINDS[d.kind][0], *words])} :: {d.name}{'(' + ', '.join(shape) + ')' if shape else ''}"


def _declared_result(d: Dummy) -> str:
    if d.form == "text":
        return "character(len=:), allocatable :: res"
    return f"{KINDS[d.kind][0]} :: res{'(' + ', '.join(d.extents) + ')' if d.extents else ''}"


def _seen(d: Dummy, i: int) -> list[str]:
    function = "sum_text" if d.form in ("text", "texts") else f"sum_{d.kind}"
    flat = d.name if d.form == "texts" else f"[{d.name}]"  # flang 19 crashes where such a list has no elements
    told = f"seen({i}) = {function}({flat})"
    return [f"seen({i}) = -1", f"if (present({d.name})) {told}"] if d.optional else [told]


def _written(d: Dummy, name: str) -> list[str]:
    if d.intent == "In":
        return []
    if d.intent == "InOut":
        inverted = f"{name} = {KINDS[d.kind][2].replace('x', name)}"
        return [f"if (present({name})) {inverted}" if d.optional else inverted]
    if d.form == "text":
        return [f"{name} = repeat('ab', n)" if name == "res" else f"{name} = repeat('ab', min(n, 3))"]
    if not d.extents:
        return [f"{name} = pattern_{d.kind}(9)"]
    made = [f"if (n /= 1) allocate({name}({', '.join(d.extents)}))"] if d.form == "allocatable" else []
    there = f"if (allocated({name})) " if made else ""
    return [*made, f"{there}{name} = reshape([(pattern_{d.kind}(k), k = 1, size({name}))], shape({name}))"]


# ---- stubs


def stub_text(batch: tuple[Sample, ...]) -> str:
    """Their stubs; `ph` is the decorator."""
    return "".join(map(_stub, batch))


def _annotation(d: Dummy) -> str:
    if d.form in ("text", "texts"):
        return "list[str]" if d.form == "texts" else "str"
    checked = d.form == "explicit" or d.intent == "Out"
    shape = [e if checked and d.form != "allocatable" else ":" for e in d.extents]
    return f"{d.kind}[{', '.join(shape)}]" if shape else d.kind


def _parameter(d: Dummy) -> str:
    if d.form == "text" and d.intent == "Out":
        return f"{d.name}: Annotated[str, Out, Length({WRITTEN_TEXT})]"
    inner = _annotation(d)
    inner = f"Allocatable[{inner}]" if d.form == "allocatable" else inner
    inner = f"Annotated[{inner}, Value]" if d.value else inner
    return f"{d.name}: {inner if d.intent == 'In' else f'{d.intent}[{inner}]'}{' | None' * d.optional}"


def _stub(s: Sample) -> str:
    told = [] if s.plain else [f"seen: Out[i64[{len(s.inputs) + 1}]]"]
    outs = [_annotation(d) for d in ((s.result,) if s.result else ()) + s.dummies if d.intent == "Out"]
    returned = "i64" if s.plain else ", ".join([*outs, f"i64[{len(s.inputs) + 1}]"])
    parameters = ", ".join(["n: i32", "m: i32", *map(_parameter, s.dummies), *told])
    return f"@ph(copy={s.copy!r})\ndef {s.name}({parameters}) -> {f'tuple[{returned}]' if outs else returned}: ...\n"


# ---- calls, and what they do


@dataclass
class Given:
    """What is handed over for one argument: an array is a part of a larger one, `base`."""

    value: Any
    base: Any = None


def _part(base: Any, steps: tuple[int, ...], *, turned: bool) -> Any:
    """The part of an array that is given: every step-th element, from the end where a step is negative."""
    view = base[tuple(slice(None, None, step) for step in steps)]
    return view.T if turned else view


def _array(draw: Any, shape: tuple[int, ...], dtype: str) -> Given:
    turned = draw(st.booleans())
    steps = tuple(draw(st.sampled_from((1, 1, 1, -1, 2, -3))) for _ in shape)
    outer = tuple(n * abs(s) for n, s in zip(shape[::-1] if turned else shape, steps, strict=True))
    numbers = np.random.default_rng(draw(st.integers(0, 2**32)))
    size = int(np.prod(outer))
    bits = (
        numbers.integers(0, 2, size).astype("?") if dtype == "?" else np.frombuffer(numbers.bytes(size * int(dtype[1:])), dtype)
    )
    base = np.array(bits).reshape(outer, order=draw(st.sampled_from("FC")))
    return Given(_part(base, steps, turned=turned), base)


def _scalar(draw: Any, kind: str) -> Any:
    if kind[0] == "b":
        return draw(st.booleans())
    width = int(kind[1:])
    if kind[0] == "i":
        return draw(st.integers(-(2 ** (width - 1)), 2 ** (width - 1) - 1))
    if kind[0] == "f":
        return draw(st.floats(width=width, allow_nan=False))  # type: ignore[call-overload]
    return draw(st.complex_numbers(width=2 * width, allow_nan=False))  # type: ignore[call-overload]


def _given(draw: Any, d: Dummy, sizes: dict[str, int]) -> Given | None:
    """None: an argument that is left out."""
    dtype = KINDS[d.kind][1]
    if d.intent == "Out" and (not d.extents or d.form == "allocatable" or draw(st.booleans())):
        return None
    if d.optional and draw(st.booleans()):
        return Given(None)
    text = st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=5)
    if d.form in ("text", "texts"):
        return Given(draw(text if d.form == "text" else st.lists(text, max_size=3)))
    if not d.extents:
        value = _scalar(draw, d.kind)
        return Given(value if d.intent == "In" else np.array(value, dtype))
    free = d.form == "assumed" and d.intent != "Out"
    shape = tuple(draw(st.integers(0, 4)) if free else eval(e, dict(sizes)) for e in d.extents)
    return _array(draw, shape, dtype)


def _total(bits: list[int], start: int = 7) -> int:
    for b in bits:
        start = (start * 31 + b % 65521) % 1000003
    return start


def _told(d: Dummy, value: Any) -> int:
    if value is None:
        return -1
    if d.form in ("text", "texts"):
        texts = [value] if d.form == "text" else value
        length = max(map(len, texts), default=0)
        return _total([ord(c) for text in texts for c in text.ljust(length)], 7 + length)
    flat = np.ravel(np.asarray(value, KINDS[d.kind][1]), order="F")
    bits = flat if d.kind[0] in "ib" else flat.view(f"i{min(8, int(d.kind[1:]) // 8)}")
    return _total([int(b) for b in bits])


def _pattern(d: Dummy, shape: tuple[int, ...]) -> Any:
    values = [PATTERNS[d.kind](k) for k in range(1, int(np.prod(shape)) + 1)]
    return np.array(values, KINDS[d.kind][1]).reshape(shape, order="F")


def _defined(d: Dummy, sizes: dict[str, int]) -> Any:
    """What Python gets for what Fortran defines."""
    if d.form == "text":
        return "ab" * (min(sizes["n"], 3) if d.name else sizes["n"])
    if d.form == "allocatable" and sizes["n"] == 1:
        return None
    return _pattern(d, tuple(eval(e, dict(sizes)) for e in d.extents)) if d.extents else PATTERNS[d.kind](9)


def _is_refused(s: Sample, given: dict[str, Given]) -> bool:
    """Whether a layout needs a copy that the stub does not allow."""
    # logicals are converted, unless they are C's, and their layout is nobody's concern
    dense = [given[d.name].value for d in s.dummies if d.form == "explicit" and d.kind != "b32" and d.name in given]
    return s.copy == "never" and any(v is not None and not v.flags.f_contiguous for v in dense)


def _same(ours: Any, theirs: Any) -> bool:
    if type(ours) is not type(theirs):
        return False
    if isinstance(ours, np.ndarray):
        return (ours.dtype, ours.shape, ours.tobytes()) == (theirs.dtype, theirs.shape, theirs.tobytes())
    return bool(ours == theirs)


def check_call(s: Sample, procedure: Any, draw: Any) -> None:
    """Draw a call, make it, and compare with the model what comes back and what has been changed."""
    sizes = {"n": draw(st.integers(0, 4)), "m": draw(st.integers(0, 4))}
    given = {d.name: g for d in s.dummies if (g := _given(draw, d, sizes))}
    outs = [d for d in s.dummies if d.intent == "Out"]
    told = [sizes["n"] + 10 * sizes["m"], *(_told(d, given[d.name].value) for d in s.inputs)]
    positional = [*sizes.values(), *(given[d.name].value for d in s.inputs)]
    by_keyword = draw(st.integers(0, len(s.inputs)).map(lambda k: k if k % 2 else 0))  # mostly none
    keywords = {d.name: positional.pop() for d in s.inputs[::-1][:by_keyword]}
    keywords |= {d.name: given[d.name].value for d in outs if d.name in given}
    kept = {name: (g.value.copy(), g.base.copy()) for name, g in given.items() if g.base is not None}
    if _is_refused(s, given):
        try:
            procedure(*positional, **keywords)
        except ValueError as error:
            assert "contiguous in Fortran's order" in str(error)  # noqa: PT017  as Hypothesis reports it
        else:
            raise AssertionError("a layout was not refused")
        assert all(given[name].base.tobytes() == base.tobytes() for name, (_, base) in kept.items())
        return
    got = procedure(*positional, **keywords)
    got = list(got) if isinstance(got, tuple) else [got]
    wanted = [_defined(d, sizes) for d in ([s.result] if s.result else []) + outs]
    wanted += [sum(told) if s.plain else np.array(told, "i8")]
    for mine, theirs in zip(wanted, got, strict=True):
        assert _same(mine, theirs), f"{theirs!r} was returned, not {mine!r}"
    for text in _changes(s, given, kept):
        raise AssertionError(text)


def _changes(s: Sample, given: dict[str, Given], kept: dict[str, tuple[Any, Any]]) -> Iterator[str]:
    """What is not in the arguments, afterwards, as it should be."""
    for d in s.dummies:
        if d.name not in kept:
            continue
        before, base = kept[d.name]
        now = given[d.name]
        should = before if d.intent == "In" else _pattern(d, before.shape) if d.intent == "Out" else _inverse(before)
        if not _same(np.asarray(should), np.array(now.value)):
            yield f"'{d.name}' is {now.value!r} afterwards, not {should!r}"
        now.value[...] = before  # back again: what is around it must not have changed
        if now.base.tobytes() != base.tobytes():
            yield f"what is around '{d.name}' has changed"


def _inverse(value: Any) -> Any:
    return ~value if value.dtype.kind in "ib" else -value


def _failure(s: Sample, procedure: Any, number: int, examples: int) -> str:
    """What Hypothesis makes of the first call that differs; empty: none does."""

    @seed(number)
    @settings(max_examples=examples, database=None, deadline=None, suppress_health_check=list(HealthCheck))
    @given(st.data())
    def calls(data: st.DataObject) -> None:
        check_call(s, procedure, data.draw)

    try:
        calls()
    except Exception as error:  # noqa: BLE001  whatever it is, it is a failure of this procedure
        return "\n".join([_stub(s), f"{type(error).__name__}: {error}", *getattr(error, "__notes__", [])])
    return ""


def failures(number: int, folder: Path, compiler: str, *, size: int = 25, examples: int = 20) -> list[str]:
    """Build the batch of a seed and call each procedure; what fails, one text a procedure."""
    batch = drawn(number, size)
    shutil.rmtree(folder, ignore_errors=True)
    module = stubbed(folder, compiler, stub_text(batch), batch_f90=fortran_text(batch))
    return [text for s in batch if (text := _failure(s, getattr(module, s.name), number, examples))]
