"""What a batch is made of on disk: the model, batch.json for its functions, the Fortran program, its inputs and its outputs."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from batches import Array, Function, Scalar, Text, Value, evaluate

from py2f.emit.text import wrap

if TYPE_CHECKING:
    from collections.abc import Sequence

    from batches import Batch, Call, Form, Kind

UNSET = -77
"""What stat is before a call."""

NAME = r"[^\W\d]\w*"


@dataclass
class Outcome:
    """What came of a call: all that can be seen of it from outside."""

    status: int | None = None  # None: the call has no stat
    message: bytes | None = None  # None: it has no errmsg
    arrays: dict[str, bytes] = field(default_factory=dict)  # the whole declared arrays afterwards
    result: bytes | None = None


# ---- what must come of a call, said without py2f


def named(f: Function, call: Call) -> dict[str, int]:
    """What the names in extents stand for: an argument, else the first array that is always there, else one that is."""
    names: dict[str, int] = {}
    pairs = list(zip(f.arguments, call.values, strict=True))
    for a, v in pairs:
        if isinstance(a.form, Scalar) and not v.absent and a.form.kind.raw.startswith("i") and a.form.kind.dtype != "bool":
            names[a.name] = int.from_bytes(v.content, "little", signed=True)
    for a, v in sorted(pairs, key=lambda pair: pair[0].optional):
        if isinstance(a.form, Array) and not v.absent:
            for extent, n in zip(a.form.extents, counts(v), strict=True):
                if extent.isidentifier():
                    names.setdefault(extent, n)
    return names


def counts(v: Value) -> list[int]:
    """The extents of what is passed."""
    return [d.count for d in v.layout.dimensions if d.step] if v.layout else []


def mismatch(f: Function, call: Call) -> str:
    """The message for the first extent that is not what is declared; empty if there is none."""
    names = named(f, call)
    for a, v in zip(f.arguments, call.values, strict=True):
        for d, n in enumerate(counts(v), 1):
            extent = a.form.extents[d - 1] if isinstance(a.form, Array) else ":"
            if extent == ":" or any(name not in names for name in re.findall(NAME, extent)):
                continue
            if n != evaluate(extent, names):
                wanted = f"not {extent}" if extent.isdigit() else f"{extent} is {evaluate(extent, names)}"
                return f"argument '{a.name}' of '{f.name}': extent {d} is {n}, {wanted}"
    return ""


def nothing(f: Function, call: Call) -> bytes | None:
    """The result after an error: zero, .false., no characters, zero size."""
    r = f.result
    if r.how == "none":
        return None
    if r.how == "text":
        return bytes(8)
    if r.how == "scalar":
        return bytes(np.dtype(r.kind.raw).itemsize)
    shape = [max(0, evaluate(e, named(f, call))) if r.how == "explicit" else 0 for e in r.extents]
    return np.array(shape, "i8").tobytes() + bytes(int(np.prod(shape)) * np.dtype(r.kind.raw).itemsize)


def encoded(f: Function, returned: object) -> bytes | None:
    """What Fortran has of a returned value."""
    r = f.result
    if r.how == "none":
        return None if returned is None else b"not None"
    if isinstance(returned, str):
        return np.int64(len(returned.encode())).tobytes() + returned.encode()
    if r.how == "scalar":
        return _single(returned, r.kind)
    array = np.asarray(returned)
    shape = np.array(array.shape, "i8").tobytes()
    return shape + array.astype(np.dtype(r.kind.raw) if r.kind.dtype == "bool" else r.kind.dtype).tobytes(order="F")


def _single(returned: object, kind: Kind) -> bytes:
    """By way of Python's own float and complex, which turn a signalling NaN of single precision into a quiet one."""
    if kind.raw in ("f4", "f8"):
        return np.dtype(kind.raw).type(float(returned)).tobytes()  # type: ignore[arg-type]
    if kind.raw in ("c8", "c16"):
        z, part = complex(returned), np.float32 if kind.raw == "c8" else np.float64  # type: ignore[arg-type]
        return part(z.real).tobytes() + part(z.imag).tobytes()
    return np.dtype(kind.raw).type(returned).tobytes()


def cut(message: str, length: int) -> bytes:
    """As errmsg has it: cut between characters, padded with blanks."""
    whole = message.encode()[:length].decode(errors="ignore").encode()
    return whole.ljust(length)


# ---- NumPy's picture of what the program declares


def picture(form: Array, v: Value) -> tuple[np.ndarray, np.ndarray]:
    """The declared array, its elements as they lie in memory, and the part that is passed, as Python sees it."""
    assert v.layout is not None
    raw, shape = np.dtype(form.kind.raw), [d.extent for d in v.layout.dimensions]
    dtype = np.dtype([("before", "i1"), ("value", raw), ("after", "i1")], align=True) if v.layout.component else raw
    memory = np.zeros(shape, dtype, order="F")
    elements = memory["value"] if v.layout.component else memory
    elements[...] = np.frombuffer(v.content, raw).reshape(shape, order="F")
    return elements, _seen(form, elements)[(*(d.python for d in v.layout.dimensions), ...)]


def _seen(form: Array, elements: np.ndarray) -> np.ndarray:
    if form.kind.name != "b32":
        return elements.view(form.kind.dtype)
    strides = elements.strides
    low = np.lib.stride_tricks.as_strided(elements, elements.shape, strides)
    interface = dict(low.__array_interface__, typestr="|b1", strides=strides)
    return np.asarray(_Interface(interface, elements))


class _Interface:
    """The low bytes of default logicals."""

    def __init__(self, interface: dict[str, object], memory: np.ndarray) -> None:
        self.__array_interface__, self.memory = interface, memory


def whole(elements: np.ndarray) -> bytes:
    """All that was declared, in Fortran's order."""
    return elements.tobytes(order="F")


def python_value(form: Form, content: bytes) -> object:
    """A scalar or a text as Python gets it."""
    if isinstance(form, Text):
        return content.decode().rstrip(" ")
    assert isinstance(form, Scalar)
    value = np.frombuffer(content, form.kind.raw)[0].item()
    return bool(value) if form.kind.dtype == "bool" else value


# ---- Python


def model_text(batch: Batch) -> str:
    """The module."""
    rows = [
        "from __future__ import annotations",
        "from typing import Annotated",
        "import numpy as np",
        "from numpy.typing import NDArray",
    ]
    rows += ["import batch_actor", "import py2f", "from py2f import Const, In, InOut, Out"]
    rows += [f"from py2f import {', '.join('i8 i16 i32 i64 f32 f64 c32 c64 b8 b32'.split())}", ""]
    for number, f in enumerate(batch.functions):
        rows += [f"@py2f.export_to_fortran(name={f.name!r})", f"def function_{number}{f.text}:", f'    """Function {number}."""']
        rows += [f"    return batch_actor.act({number}, locals(), {_extents(f)})", "", ""]
    return "\n".join(rows)


def _extents(f: Function) -> str:
    if f.result.how != "explicit":
        return "()"
    bearers = {}
    for a in f.arguments:
        if isinstance(a.form, Array) and not a.optional:
            for d, extent in enumerate(a.form.extents):
                bearers.setdefault(extent, f"{a.name}.shape[{d}]")
    scalars = {a.name for a in f.arguments if isinstance(a.form, Scalar)}

    def spelled(match: re.Match[str]) -> str:
        return match[0] if match[0] in scalars else bearers[match[0]]

    extents = [re.sub(NAME, spelled, e) for e in f.result.extents]
    return f"({', '.join(extents)},)"


def plans_text(batch: Batch) -> str:
    """batch.json."""
    plans = []
    for f in batch.functions:
        reached = [c.outcome for c in f.calls if not mismatch(f, c) for _ in range(c.repeat)]
        writes = [a.name for a in f.arguments if isinstance(a.form, Array) and a.form.intent != "In"]
        plans.append(
            {
                "writes": writes,
                "outcomes": reached,
                "result": f.result.how,
                "dtype": f.result.kind.dtype,
                "rank": len(f.result.extents),
            }
        )
    return json.dumps(plans)


# ---- Fortran


def dummies(module: str) -> list[list[str]]:
    """The dummy arguments of each wrapper, read off the generated module as a user would."""
    joined = re.sub(r" &\n +", " ", module)
    return [m[1].split(", ")[:-2] for m in re.finditer(r"^  (?:function|subroutine) \w+\((.*?)\)", joined, re.MULTILINE)]


def program_text(batch: Batch, generic: Sequence[str], named_dummies: Sequence[Sequence[str]]) -> str:
    """The program: one procedure a call."""
    calls = [(n, k, f, c) for n, f in enumerate(batch.functions) for k, c in enumerate(f.calls)]
    kinds = {a.form.kind for f in batch.functions for a in f.arguments if isinstance(a.form, Array)}
    rows = ["program main", "  use, intrinsic :: iso_c_binding"]
    rows += [f"  use model_py, only: f{number} => {name}" for number, name in enumerate(generic)]
    rows += ["  implicit none"]
    for kind in sorted(kinds, key=lambda k: k.name):
        rows += [
            f"  type, bind(c) :: cell_{kind.name}" if kind.name != "b32" else "  type :: cell_b32",
            "    integer(c_int8_t) :: before",
        ]
        rows += [f"    {kind.fortran} :: value", "    integer(c_int8_t) :: after", f"  end type cell_{kind.name}"]
    rows += ["  integer :: inputs, outputs", "  character(len=1000) :: folder", "  call get_command_argument(1, folder)"]
    rows += [
        f"  open (newunit={w}, file=trim(folder)//'/{w}', access='stream', form='unformatted')" for w in ("inputs", "outputs")
    ]
    rows += [f"  call call_{n}_{k}()" for n, k, _, _ in calls]
    rows += ["contains"]
    for n, k, f, c in calls:
        rows += [
            "",
            f"  subroutine call_{n}_{k}()",
            *(f"    {row}" for row in _call(n, f, c, named_dummies[n])),
            f"  end subroutine call_{n}_{k}",
        ]
    return "\n".join(map(wrap, [*rows, "end program main", ""]))


def _call(number: int, f: Function, call: Call, names: Sequence[str]) -> list[str]:
    declared, filled, actual, written = [], [], [], []
    by_keyword = call.keywords
    for i, (a, v, dummy) in enumerate(zip(f.arguments, call.values, names, strict=True)):
        if v.absent == "omitted":
            by_keyword = True
            continue
        declared.append(_declared(i, a.form, v))
        filled += _filled(i, a.form, v)
        actual.append(f"{dummy}=" * by_keyword + _actual(i, a.form, v))
        written += [f"write (outputs) {_elements(i, v)}"] if v.layout else []
    actual += ["stat=stat"] * has_stat(f, call) + ["errmsg=message"] * has_message(call)
    declared += ["integer :: i, stat", f"character(len={max(0, call.message)}) :: message", *_result(f)]
    spelled = f"f{number}({', '.join(actual)})"
    once = f"call {spelled}" if f.result.how == "none" else f"r = {spelled}"
    return [
        *declared,
        f"stat = {UNSET}",
        "message = repeat('?', len(message))",
        *filled,
        f"do i = 1, {call.repeat}",
        f"  {once}",
        "end do",
        *written,
        "write (outputs) stat, message",
        *_returned(f),
    ]


def has_stat(f: Function, call: Call) -> bool:
    """Whether a call asks for stat: one that fails must."""
    return call.stat or call.outcome == "raise" or bool(mismatch(f, call))


def has_message(call: Call) -> bool:
    """Whether a call asks for errmsg."""
    return call.message >= 0


def _declared(i: int, form: Form, v: Value) -> str:
    attribute = {"unallocated": ", allocatable", "null": ", pointer"}.get(v.absent, "")
    if isinstance(form, Text):
        return f"character(len={len(v.content) + 2 * v.before}){attribute} :: v{i}"
    if isinstance(form, Scalar):
        return f"{form.kind.fortran}{attribute} :: v{i}"
    if v.layout is None:
        return f"{form.kind.fortran}{attribute} :: v{i}" + (f"({', '.join(':' * len(form.extents))})" if form.extents else "")
    bounds = ", ".join(f"{d.lower}:{d.lower + d.extent - 1}" for d in v.layout.dimensions)
    return f"{f'type(cell_{form.kind.name})' if v.layout.component else form.kind.fortran} :: v{i}({bounds})"


def _filled(i: int, form: Form, v: Value) -> list[str]:
    if v.absent:
        return [f"nullify (v{i})"] * (v.absent == "null")
    if isinstance(form, Text):
        part = f"v{i}({v.before + 1}:{v.before + len(v.content)})"
        return [f"v{i} = repeat('#', len(v{i}))"] + [f"read (inputs) {part}"] * bool(v.content)
    return [f"read (inputs) {_elements(i, v)}"]


def _elements(i: int, v: Value) -> str:
    return f"v{i}%value" if v.layout and v.layout.component else f"v{i}"


def _actual(i: int, form: Form, v: Value) -> str:
    if v.absent:
        return f"v{i}"
    if isinstance(form, Text):
        return f"v{i}({v.before + 1}:{v.before + len(v.content)})"
    if v.layout is None:
        return f"v{i}"
    whole = all(d.whole for d in v.layout.dimensions)
    part = "" if whole else f"({', '.join(d.fortran for d in v.layout.dimensions)})"
    return f"v{i}{part}" + "%value" * v.layout.component


def _result(f: Function) -> list[str]:
    r = f.result
    if r.how == "none":
        return []
    if r.how == "text":
        return ["character(len=:), allocatable :: r"]
    if r.how == "scalar":
        return [f"{r.kind.fortran} :: r"]
    return [f"{r.kind.fortran}, allocatable :: r({', '.join(':' * len(r.extents))})"]


def _returned(f: Function) -> list[str]:
    if f.result.how == "none":
        return []
    if f.result.how == "text":
        return ["write (outputs) len(r, c_int64_t), r"]
    # gfortran 11 to 12 allocate r with an extent of -1 where the function's own bounds say so
    return ["write (outputs) r"] if f.result.how == "scalar" else ["write (outputs) max(0_c_int64_t, shape(r, c_int64_t)), r"]


# ---- the streams


def inputs(batch: Batch) -> bytes:
    """All values, in the order in which the program reads them."""
    return b"".join(v.content for f in batch.functions for c in f.calls for v in c.values)


class Stream:
    """Bytes, taken from the front."""

    def __init__(self, content: bytes) -> None:
        self.content, self.at = content, 0

    def take(self, count: int) -> bytes:
        """The next bytes; AssertionError when there are none."""
        part = self.content[self.at : self.at + count]
        assert len(part) == count, "the program wrote too little"
        self.at += count
        return part

    @property
    def over(self) -> bool:
        """Whether all is taken."""
        return self.at == len(self.content)


def written(f: Function, call: Call, stream: Stream) -> Outcome:
    """What the program wrote of one call."""
    arrays = {a.name: stream.take(len(v.content)) for a, v in zip(f.arguments, call.values, strict=True) if v.layout}
    status, message = int.from_bytes(stream.take(4), "little", signed=True), stream.take(max(0, call.message))
    return Outcome(status if has_stat(f, call) else None, message if has_message(call) else None, arrays, _read_result(f, stream))


def _read_result(f: Function, stream: Stream) -> bytes | None:
    r = f.result
    if r.how == "none":
        return None
    if r.how == "text":
        length = stream.take(8)
        return length + stream.take(int.from_bytes(length, "little"))
    size = np.dtype(r.kind.raw).itemsize
    if r.how == "scalar":
        return stream.take(size)
    shape = stream.take(8 * len(r.extents))
    return shape + stream.take(int(np.prod(np.frombuffer(shape, "i8"))) * size)
