"""A tuple is a subroutine: its fields are dummy arguments behind the others."""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np

from py2f import Name, b32, c64, export_to_fortran, f64, i8, i32


class Extremes(NamedTuple):
    low: f64
    high: f64
    where: i32


@export_to_fortran
def extremes(x: f64[:]) -> Extremes:
    return Extremes(x.min(), x.max(), int(x.argmax()) + 1)


@export_to_fortran
def split(x: f64[n], m: i32) -> tuple[Annotated[f64[n], Name("scaled")], f64[:], b32[n], c64, str, i8, bool]:
    return x * m, x[x > 0], x > 0, complex(m, 1), f"{m} values", m, m > 2


@export_to_fortran
def wrong(kind: str) -> tuple[f64, f64[:], str, f64[2]]:
    """Nothing that was returned before the field that does not fit is kept."""
    good = (1.0, np.zeros(3), "text", np.zeros(2))
    return {"good": good, "few": good[:3], "many": (*good, 1), "none": None, "list": list(good), "last": (*good[:3], np.zeros(3))}[kind]
