"""The functions that py2f's side of call.py times: bodies are empty, only the call is measured."""
# mypy: ignore-errors
# ^ slices in annotations are py2f's short spelling; type checkers refuse them
# ruff: noqa: ARG001, PLR0913, PLR0917 -- the signatures are what is measured

from py2f import InOut, b32, export_to_fortran, f64, i32

Field = InOut[f64[:, :]]


@export_to_fortran
def fa() -> None:
    """Row A: no arguments."""


@export_to_fortran
def fb(x: f64, y: f64, z: f64, n: i32) -> None:
    """Row B: scalars only."""


@export_to_fortran
def fc(a: Field, b: Field, c: Field) -> None:
    """Row C, and the D rows with changing addresses: three arrays."""


@export_to_fortran
def fm(a: Field, b: Field, c: Field, x: f64, y: f64, z: f64, n: i32) -> None:
    """Row M: three arrays and four scalars."""


@export_to_fortran
def fe(
    a0: Field, a1: Field, a2: Field, a3: Field, a4: Field,
    a5: Field, a6: Field, a7: Field, a8: Field, a9: Field,
    a10: Field, a11: Field, a12: Field, a13: Field, a14: Field,
    a15: Field, a16: Field, a17: Field, a18: Field, a19: Field,
) -> None:  # fmt: skip
    """Row E: twenty arrays."""


@export_to_fortran
def fraise(a: Field, b: Field, c: Field) -> None:
    """Row X: an exception that Fortran receives as a status."""
    raise ValueError("no")


@export_to_fortran
def ftext(name: str) -> None:
    """Row S: a text."""


@export_to_fortran
def foptional(a: Field, b: Field | None = None, c: Field | None = None) -> None:
    """Row O: arrays that may be absent."""


@export_to_fortran
def flogical(mask: InOut[b32[:, :]]) -> None:
    """Row L: a default logical array, whose elements are rewritten after the call, since Python may have written."""


@export_to_fortran
def fresult(a: Field, b: Field, c: Field) -> f64:
    """Row R: a result."""
    return 1.0


@export_to_fortran
def fvarying(
    a0: Field, a1: Field, a2: Field, a3: Field, a4: Field, a5: Field, a6: Field, a7: Field,
    a8: Field, a9: Field, a10: Field, a11: Field, a12: Field, a13: Field, a14: Field,
) -> None:  # fmt: skip
    """Row V: fifteen arrays."""
