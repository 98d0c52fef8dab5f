"""What a batch is made of on disk: the model, batch.json for its functions, the Fortran program, its inputs and its outputs."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from batches import KIND, KINDS, STRING, Array, Function, Scalar, Text, Value, evaluate

from py2f.emit.text import wrap

if TYPE_CHECKING:
    from collections.abc import Sequence

    from batches import Argument, Batch, Call, Form, Kind

UNSET = -77
"""What stat is before a call."""

NAME = r"[^\W\d]\w*"


@dataclass
class Outcome:
    """What came of a call: all that can be seen of it from outside."""

    status: int | None = None  # None: the call has no stat
    message: bytes | None = None  # None: it has no errmsg
    arrays: dict[int, bytes] = field(default_factory=dict)  # the whole declared arrays afterwards, by the number of the dummy
    result: bytes = b""  # all that is returned but fields of explicit shape, which are among the arrays


# ---- what must come of a call, said without py2f


def named(f: Function, call: Call) -> dict[str, int]:
    """What the names in extents stand for: an argument, else the first array that is always there, else one that is."""
    names: dict[str, int] = {}
    pairs = list(zip(f.arguments, call.values, strict=False))
    for a, v in pairs:
        if isinstance(a.form, Scalar) and not v.absent and a.form.kind.integer:
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
    for a, v in zip(f.dummies, call.values, strict=False):
        for d, n in enumerate(counts(v), 1):
            extent = a.form.extents[d - 1] if isinstance(a.form, Array) else ":"
            if extent == ":" or any(name not in names for name in re.findall(NAME, extent)):
                continue
            if n != evaluate(extent, names):
                wanted = f"not {extent}" if extent.isdigit() else f"{extent} is {evaluate(extent, names)}"
                return f"argument '{a.name}' of '{f.name}': extent {d} is {n}, {wanted}"
    return ""


def taken(f: Function) -> list[Argument]:
    """The results that Fortran does not provide the memory of, or that of a function."""
    return [r for r in f.results if not (f.fields and isinstance(r.form, Array) and r.form.explicit)]


def nothing(f: Function, call: Call) -> bytes:
    """The results after an error: zero, .false., no characters, zero size."""
    return b"".join(_nothing(r.form, named(f, call)) for r in taken(f))


def _nothing(form: Form, names: dict[str, int]) -> bytes:
    if isinstance(form, Text):
        return bytes(8)
    if isinstance(form, Scalar):
        return bytes(np.dtype(form.kind.raw).itemsize)
    shape = [max(0, evaluate(e, names)) if form.explicit else 0 for e in form.extents]
    return np.array(shape, "i8").tobytes() + bytes(int(np.prod(shape)) * np.dtype(form.kind.raw).itemsize)


def encoded(f: Function, returned: object) -> bytes:
    """What Fortran has of what was returned."""
    if not f.results:
        return b"" if returned is None else b"not None"
    values = dict(zip(f.results, returned if f.fields else [returned], strict=True))  # type: ignore[call-overload]
    return b"".join(_encoded(r.form, values[r]) for r in taken(f))


def _encoded(form: Form, returned: Any) -> bytes:
    if isinstance(form, Text):
        return np.int64(len(returned.encode())).tobytes() + returned.encode()
    if isinstance(form, Scalar):
        return _single(returned, form.kind)
    array = np.asarray(returned)
    shape = np.array(array.shape, "i8").tobytes()
    return shape + array.astype(np.dtype(form.kind.raw) if form.kind.dtype == "bool" else form.kind.dtype).tobytes(order="F")


def _single(returned: object, kind: Kind) -> bytes:
    """By way of Python's own float and complex, which turn a signalling NaN of single precision into a quiet one."""
    if returned is None:
        return bytes(8)  # a null pointer
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
    raw, shape = np.dtype(raw_type(form, v)), [d.extent for d in v.layout.dimensions]
    dtype = np.dtype([("before", "i1"), ("value", raw), ("after", "i1")], align=True) if v.layout.component else raw
    memory = np.zeros(shape, dtype, order="F")
    elements = memory["value"] if v.layout.component else memory
    if raw.itemsize:
        elements[...] = np.frombuffer(v.content, raw).reshape(shape, order="F")
    passed = _seen(form, v, elements)[(*(d.python for d in v.layout.dimensions), ...)]
    if form.kind == STRING and not v.length:  # has no memory; NumPy knows no bytes of no length
        passed = np.lib.stride_tricks.as_strided(np.zeros(1, "S1"), passed.shape, passed.ndim * (0,))
    return elements, passed


def raw_type(form: Array, v: Value) -> str:
    """A declared element, as it lies in memory."""
    return f"V{v.length + 2 * v.before}" if form.kind == STRING else form.kind.raw


def _seen(form: Array, v: Value, elements: np.ndarray) -> np.ndarray:
    if form.kind == STRING and v.length:
        around = [("before", f"V{v.before}"), ("passed", f"S{v.length}"), ("after", f"V{v.before}")]
        return elements.view([part for part in around if part[0] == "passed" or v.before])["passed"]
    if form.kind.name != "b32":
        return elements.view(form.kind.dtype) if form.kind != STRING else elements
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


def python_texts(passed: np.ndarray, length: int) -> list[str]:
    """Characters as Python gets them as a list."""
    return [passed[i : i + 1].tobytes()[:length].decode().rstrip(" ") for i in range(len(passed))]


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
        "from typing import Annotated, NamedTuple",
        "import numpy as np",
        "from numpy.typing import NDArray",
        f"from jaxtyping import {', '.join(k.jaxtyping for k in KINDS if k.jaxtyping)}",
        "import batch_actor, py2f",
        "from py2f import Const, In, InOut, Name, Out",
        f"from py2f import {', '.join(KIND)}",
        "",
    ]
    for number, f in enumerate(batch.functions):
        act = f"batch_actor.act({number}, locals(), [{', '.join(_extents(f, r) for r in f.results)}])"
        if f.fields == "class":
            rows += [f"class Fields_{f.name}(NamedTuple):", *(f"    {r.name}: {r.spelled}" for r in f.results), ""]
            act = f"Fields_{f.name}(*{act})"
        rows += [f"@py2f.export_to_fortran(name={f.name!r})", f"def function_{number}{f.text}:", f'    """Function {number}."""']
        rows += [f"    return {act}", "", ""]
    return "\n".join(rows)


def _extents(f: Function, r: Argument) -> str:
    if not isinstance(r.form, Array) or not r.form.explicit:
        return "()"
    bearers = {}
    for a in f.arguments:
        if isinstance(a.form, Array) and not a.optional:
            for d, extent in enumerate(a.form.extents):
                bearers.setdefault(extent, f"{a.name}.shape[{d}]")
    scalars = {a.name for a in f.arguments if isinstance(a.form, Scalar)}

    def spelled(match: re.Match[str]) -> str:
        return match[0] if match[0] in scalars else bearers[match[0]]

    extents = [re.sub(NAME, spelled, e) for e in r.form.extents]
    return f"({', '.join(extents)},)"


def plans_text(batch: Batch) -> str:
    """batch.json."""
    plans = []
    for f in batch.functions:
        reached = [c.outcome for c in f.calls if not mismatch(f, c) for _ in range(c.repeat)]
        writes = [a.name for a in f.arguments if isinstance(a.form, Array) and a.form.intent != "In"]
        results = [_plan(r.form) for r in f.results]
        plans.append({"writes": writes, "outcomes": reached, "results": results, "fields": bool(f.fields)})
    return json.dumps(plans)


def _plan(form: Form) -> dict[str, object]:
    if isinstance(form, Text):
        return {"how": "text"}
    if isinstance(form, Scalar):
        return {"how": "scalar", "dtype": form.kind.dtype}
    return {"how": "explicit" if form.explicit else "deferred", "dtype": form.kind.dtype, "rank": len(form.extents)}


# ---- Fortran


def dummies(module: str) -> list[list[str]]:
    """The dummy arguments of each wrapper, read off the generated module as a user would."""
    joined = re.sub(r" &\n +", " ", module)
    return [m[1].split(", ")[:-2] for m in re.finditer(r"^  (?:function|subroutine) \w+\((.*?)\)", joined, re.MULTILINE)]


POINTERS = """
  ! an address is no number: it is read and written as one, element by element
  impure elemental subroutine read_pointer(p)
    type(c_ptr), intent(inout) :: p
    integer(c_intptr_t) :: address
    read (inputs) address
    p = transfer(address, p)
  end subroutine read_pointer

  impure elemental subroutine write_pointer(p)
    type(c_ptr), intent(in) :: p
    write (outputs) transfer(p, 0_c_intptr_t)
  end subroutine write_pointer
"""


def program_text(batch: Batch, generic: Sequence[str], named_dummies: Sequence[Sequence[str]]) -> str:
    """The program: one procedure a call."""
    calls = [(n, k, f, c) for n, f in enumerate(batch.functions) for k, c in enumerate(f.calls)]
    rows = ["program main", "  use, intrinsic :: iso_c_binding"]
    rows += [f"  use model_py, only: f{number} => {name}" for number, name in enumerate(generic)]
    rows += ["  implicit none"]
    cells = {
        _cell(a.form, v): a.form
        for _, _, f, c in calls
        for a, v in zip(f.dummies, c.values, strict=True)
        if v.layout and v.layout.component
    }
    for cell, form in sorted(cells.items(), key=lambda item: item[0]):
        interoperable = ", bind(c)" * (form.kind.name not in ("b32", "string"))
        rows += [f"  type{interoperable} :: cell_{cell}", "    integer(c_int8_t) :: before"]
        rows += [
            f"    {_type(form, int(cell.partition('_')[2] or 0))} :: value",
            "    integer(c_int8_t) :: after",
            f"  end type cell_{cell}",
        ]
    rows += ["  integer :: inputs, outputs", "  character(len=1000) :: folder", "  call get_command_argument(1, folder)"]
    rows += [
        f"  open (newunit={w}, file=trim(folder)//'/{w}', access='stream', form='unformatted')" for w in ("inputs", "outputs")
    ]
    rows += [f"  call call_{n}_{k}()" for n, k, _, _ in calls]
    rows += ["contains", *POINTERS.splitlines()]
    for n, k, f, c in calls:
        rows += [
            "",
            f"  subroutine call_{n}_{k}()",
            *(f"    {row}" for row in _call(n, f, c, named_dummies[n])),
            f"  end subroutine call_{n}_{k}",
        ]
    return "\n".join(map(wrap, [*rows, "end program main", ""]))


def _cell(form: Form, v: Value) -> str:
    assert isinstance(form, Array)
    return form.kind.name + f"_{v.length + 2 * v.before}" * (form.kind == STRING)


def _type(form: Scalar | Array, length: int) -> str:
    return f"character(len={length})" if form.kind == STRING else form.kind.fortran


def _read(form: Form, what: str) -> str:
    return f"call read_pointer({what})" if _is_pointer(form) else f"read (inputs) {what}"


def _write(form: Form, what: str) -> str:
    return f"call write_pointer({what})" if _is_pointer(form) else f"write (outputs) {what}"


def _is_pointer(form: Form) -> bool:
    return not isinstance(form, Text) and form.kind.name == "CPtr"


def _call(number: int, f: Function, call: Call, names: Sequence[str]) -> list[str]:
    declared, filled, actual, written, returned = [], [], [], [], []
    by_keyword = call.keywords
    for i, (a, v, dummy) in enumerate(zip(f.dummies, call.values, names, strict=True)):
        if v.absent == "omitted":
            by_keyword = True
            continue
        declared.append(_declared(i, a.form, v))
        filled += _filled(i, a.form, v)
        actual.append(f"{dummy}=" * by_keyword + _actual(i, a.form, v))
        written += [_write(a.form, _elements(i, v))] if v.layout else []
        returned += _returned(a.form, f"v{i}") if a in taken(f) and f.fields else []
    actual += ["stat=stat"] * has_stat(f, call) + ["errmsg=message"] * has_message(call)
    declared += ["integer :: i, stat", f"character(len={max(0, call.message)}) :: message"]
    spelled = f"f{number}({', '.join(actual)})"
    once = f"call {spelled}"
    if f.results and not f.fields:
        once, form = f"r = {spelled}", f.results[0].form
        declared.append(f"{_allocatable(form)} :: r" if not isinstance(form, Scalar) else f"{form.kind.fortran} :: r")
        returned = _returned(form, "r")
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
        *returned,
    ]


def has_stat(f: Function, call: Call) -> bool:
    """Whether a call asks for stat: one that fails must."""
    return call.stat or call.outcome == "raise" or bool(mismatch(f, call))


def has_message(call: Call) -> bool:
    """Whether a call asks for errmsg."""
    return call.message >= 0


def _declared(i: int, form: Form, v: Value) -> str:
    if v.absent:
        return f"{_allocatable(form).replace('allocatable', 'pointer' if v.absent == 'null' else 'allocatable')} :: v{i}"
    if isinstance(form, Text):
        return f"character(len={v.length + 2 * v.before}) :: v{i}"
    if v.layout is None:
        return f"{form.kind.fortran} :: v{i}"
    bounds = ", ".join(f"{d.lower}:{d.lower + d.extent - 1}" for d in v.layout.dimensions)
    return f"{f'type(cell_{_cell(form, v)})' if v.layout.component else _type(form, v.length + 2 * v.before)} :: v{i}({bounds})"


def _allocatable(form: Form) -> str:
    if isinstance(form, Text):
        return "character(len=:), allocatable"
    extents = form.extents if isinstance(form, Array) else ()
    return f"{_type(form, 3)}, allocatable" + f", dimension({', '.join(':' * len(extents))})" * bool(extents)


def _filled(i: int, form: Form, v: Value) -> list[str]:
    if v.absent:
        return [f"nullify (v{i})"] * (v.absent == "null")
    if isinstance(form, Text):
        return [f"v{i} = repeat('#', len(v{i}))"] + [f"read (inputs) {_actual(i, form, v)}"] * bool(v.content)
    return [_read(form, _elements(i, v))]


def _elements(i: int, v: Value) -> str:
    return f"v{i}%value" if v.layout and v.layout.component else f"v{i}"


def _actual(i: int, form: Form, v: Value) -> str:
    """What is passed."""
    characters = f"({v.before + 1}:{v.before + v.length})"
    if v.absent or isinstance(form, Text):
        return f"v{i}" + ("" if v.absent else characters)
    if v.layout is None:
        return f"v{i}"
    whole = all(d.whole for d in v.layout.dimensions) and not v.before
    part = "" if whole else f"({', '.join(d.fortran for d in v.layout.dimensions)})"
    return f"v{i}{part}" + "%value" * v.layout.component + characters * bool(v.before)


def _returned(form: Form, name: str) -> list[str]:
    if isinstance(form, Text):
        return [f"write (outputs) len({name}, c_int64_t), {name}"]
    if isinstance(form, Scalar):
        return [_write(form, name)]
    # gfortran 11 to 12 allocate r with an extent of -1 where the function's own bounds say so
    return [f"write (outputs) max(0_c_int64_t, shape({name}, c_int64_t))", _write(form, name)]


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
    arrays = {i: stream.take(len(v.content)) for i, v in enumerate(call.values) if v.layout}
    status, message = int.from_bytes(stream.take(4), "little", signed=True), stream.take(max(0, call.message))
    result = b"".join(_read_result(r.form, stream) for r in taken(f))
    return Outcome(status if has_stat(f, call) else None, message if has_message(call) else None, arrays, result)


def _read_result(form: Form, stream: Stream) -> bytes:
    if isinstance(form, Text):
        length = stream.take(8)
        return length + stream.take(int.from_bytes(length, "little"))
    size = np.dtype(form.kind.raw).itemsize
    if isinstance(form, Scalar):
        return stream.take(size)
    shape = stream.take(8 * len(form.extents))
    return shape + stream.take(int(np.prod(np.frombuffer(shape, "i8"))) * size)
