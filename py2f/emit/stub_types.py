"""The annotations of stubs: how Python spells a dummy argument or a result, so that mypy and pyright accept it."""

from __future__ import annotations

import keyword
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from py2f.types import BY_NAME

if TYPE_CHECKING:
    from py2f.fortran.declared import Dummy, Interface

_PLAIN = {"i32": "int", "f64": "float", "c64": "complex", "b32": "bool", "str": "str"}
"""Rows that a type of Python stands for by itself."""

_SCALARS = {"i": "int", "f": "float", "c": "complex", "b": "bool", "C": "int"}
"""The type of Python by the first letter of a row."""

_MARKS = "Allocatable CPtr InOut Length Name Out Value b32 b8 c32 c64 extent f32 f64 i16 i32 i64 i8 pythoncall string".split()
WORDS = {
    **dict.fromkeys(_MARKS, "py2f"),
    **dict.fromkeys("int float complex bool str list tuple None".split(), "builtins"),
    "Annotated": "typing", "Callable": "collections.abc", "NDArray": "numpy.typing", "np": "numpy", "annotations": "__future__",
}  # fmt: skip
"""The words of annotations, and where they come from: nothing else may have their names."""


@dataclass(frozen=True)
class Caller:
    """How Python calls a procedure: the names of its arguments, and which of them are extents."""

    names: dict[str, str]
    extents: frozenset[str]

    @classmethod
    def of(cls, procedure: Interface) -> Caller:
        """What a procedure's arguments are called."""
        names: dict[str, str] = {}
        for dummy in procedure.arguments:
            name = dummy.name
            while (
                name in WORDS or keyword.iskeyword(name) or (name != dummy.name and name in {d.name for d in procedure.arguments})
            ):
                name += "_"
            names[dummy.name] = name
        everything = (*procedure.arguments, *([procedure.result] if procedure.result else []))
        return cls(names, frozenset(name for dummy in everything for name in extent_names(dummy)))

    def python(self, name: str) -> str:
        """An argument's name in Python."""
        return self.names.get(name, name)

    def extent(self, text: str) -> str:
        """An extent with the names that Python has; assumed size is whatever the array has."""
        return ":" if text in (":", "*") else re.sub(r"[a-z]\w*", lambda name: self.python(name[0]), text)


def extent_names(dummy: Dummy) -> list[str]:
    """The names in the extents and in the length of a dummy argument, in order."""
    return re.findall(r"[a-z]\w*", " ".join((*dummy.dimensions, dummy.length)))


def writes(dummy: Dummy, caller: Caller) -> bool:
    """Whether Python must expect an argument without intent to be written.

    An extent that is only handed on is taken as input: of what a callee may do to it nothing comes back.
    """
    if dummy.intent:
        return dummy.intent != "in"
    if "value" in dummy.attributes or ("passed" in dummy.attributes and dummy.name in caller.extents):
        return False
    return bool(dummy.dimensions) or "written" in dummy.attributes


def parameter_type(dummy: Dummy, caller: Caller) -> str:
    """The annotation of a parameter, without what makes it optional."""
    if dummy.interface is not None:
        return _annotated(_callable(dummy.interface), _name(dummy, caller))
    marks = [*(["Value"] if "value" in dummy.attributes else []), *_intent(dummy, caller), *_name(dummy, caller)]
    if dummy.row == "str":
        return _text(dummy, caller, marks)
    if dummy.dimensions or "InOut" in marks:
        return _array(dummy, caller, marks)
    return _scalar(dummy.row, marks)


def _intent(dummy: Dummy, caller: Caller) -> list[str]:
    if dummy.intent == "out":
        return ["Out"]
    return ["InOut"] if writes(dummy, caller) else []


def _name(dummy: Dummy, caller: Caller) -> list[str]:
    return [f'Name("{dummy.name}")'] if caller.python(dummy.name) != dummy.name else []


def _annotated(core: str, marks: list[str]) -> str:
    return f"Annotated[{', '.join([core, *marks])}]" if marks else core


def _scalar(row: str, marks: list[str]) -> str:
    """A scalar: the row stands behind Python's type where that does not say it, and where there are marks."""
    if row in _PLAIN and not marks:
        return _PLAIN[row]
    return _annotated(_SCALARS[row[0]], [row, *marks])


def _array(dummy: Dummy, caller: Caller, marks: list[str]) -> str:
    row = "string" if dummy.row == "str" else dummy.row
    kind = BY_NAME[row].numpy
    spelled = f"{row}[{', '.join(map(caller.extent, dummy.dimensions))}]" if dummy.dimensions else row
    if "allocatable" in dummy.attributes or "pointer" in dummy.attributes:
        spelled = f"Allocatable[{spelled}]"
    return _annotated(f"NDArray[np.{_NUMPY.get(kind, kind)}]", [spelled, *marks])


_NUMPY = {"bool": "bool_", "S": "bytes_"}
"""NumPy's scalar types by dtype, where they are called differently."""


def _text(dummy: Dummy, caller: Caller, marks: list[str]) -> str:
    """Characters: Python gives and gets str; what Fortran writes into memory of Python's is an array of bytes."""
    if "InOut" in marks or (dummy.dimensions and "Out" in marks) or (dummy.length == "*" and "Out" in marks):
        return _array(dummy, caller, marks)
    if dummy.dimensions:
        return _annotated("list[str]", marks)
    if dummy.length == ":":
        return _annotated("str", ["Allocatable", *marks])
    return _annotated("str", [*marks, _length(dummy, caller)] if "Out" in marks else marks)


def _length(dummy: Dummy, caller: Caller) -> str:
    text = caller.extent(dummy.length)
    return f"Length({text})" if text.isdigit() else f'Length("{text}")'


def return_type(dummy: Dummy, caller: Caller) -> str:
    """What Python gets of an intent(out) argument."""
    if dummy.row == "str" and not dummy.dimensions and dummy.length != "*":
        return "str"
    if dummy.dimensions or dummy.row == "str":
        return _array(dummy, caller, [])
    return _scalar(dummy.row, [])


def result_type(dummy: Dummy, caller: Caller) -> str:
    """What Python gets of a function."""
    if dummy.row == "str":
        return "str" if dummy.length == ":" else _annotated("str", [_length(dummy, caller)])
    return _array(dummy, caller, []) if dummy.dimensions else _scalar(dummy.row, [])


def _callable(procedure: Interface) -> str:
    """A procedure that Python hands over; arguments that extents refer to have names."""
    caller = Caller.of(procedure)
    arguments = [_argument(dummy, caller) for dummy in procedure.arguments]
    result = result_type(procedure.result, caller) if procedure.result else "None"
    return f"Callable[[{', '.join(arguments)}], {result}]"


def _argument(dummy: Dummy, caller: Caller) -> str:
    spelled = parameter_type(dummy, caller)
    if dummy.name in caller.extents and dummy.type == "integer":
        name = f'Name("{dummy.name}")'
        spelled = f"{spelled[:-1]}, {name}]" if spelled.startswith("Annotated[") else f"Annotated[int, {dummy.row}, {name}]"
    return spelled
