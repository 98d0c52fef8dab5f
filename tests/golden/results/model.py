"""Results: scalars, arrays of explicit shape, allocatable arrays; what does not fit is refused and the result is defined."""

from __future__ import annotations

import numpy as np

from py2f import b8, b32, export_to_fortran, f32, f64, i8, i32, i64


@export_to_fortran
def ramp(n: i32) -> f64[n]:
    return np.arange(n, dtype=float)


@export_to_fortran
def positive(x: f64[:]) -> f64[:]:
    """Its length is known afterwards only."""
    return x[x > 0]


@export_to_fortran
def table(x: i32[n], y: i32[m]) -> i64[n, m]:
    return np.multiply.outer(x, y).astype(np.int64)


@export_to_fortran
def reversed_table(x: f32[:, :]) -> f32[:, :]:
    return x[::-1, ::-1]


@export_to_fortran
def below(x: f64[n], limit: f64) -> b32[n]:
    return x < limit


@export_to_fortran
def mask(n: i32) -> b32[:, :]:
    return np.eye(n, dtype=bool)


@export_to_fortran
def bytes_mask(n: i32) -> b8[:]:
    return np.arange(n) % 2 == 0


@export_to_fortran
def anything(kind: str) -> i8:
    return {"fits": -128, "numpy": np.int64(5), "large": 128, "real": 1.0, "none": None, "text": "5", "flag": True}[kind]


@export_to_fortran
def single(kind: str) -> f32:
    return {"fits": 1.5, "integer": 2, "large": 1e300, "nan": float("nan"), "text": "x", "infinite": float("inf")}[kind]


@export_to_fortran
def wrong(kind: str) -> f64[2]:
    return {"rank": np.zeros((2, 1)), "extent": np.zeros(3), "dtype": np.zeros(2, np.float32), "list": [1.0, 2.0]}[kind]


@export_to_fortran
def superfluous() -> None:
    return 5
