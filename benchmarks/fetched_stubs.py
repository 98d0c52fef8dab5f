"""The procedures of fetched.f90 for py2f."""
# mypy: ignore-errors
# ^ slices in annotations are py2f's short spelling; type checkers refuse them
# ruff: noqa: D103 -- fetched.f90 says what they do

from __future__ import annotations

from collections.abc import Callable  # noqa: TC003 -- py2f reads annotations
from functools import partial

from py2f import InOut, f64, i32, pythoncall

fetched = partial(pythoncall, source="fetched.f90", module="fetched")


@fetched()
def nothing() -> None: ...


@fetched()
def three(x: f64, y: f64, z: f64) -> None: ...


@fetched()
def add(a: f64[10], b: f64[10], c: InOut[f64[10]]) -> None: ...


@fetched()
def add_n(n: i32, a: f64[n], b: f64[n], c: InOut[f64[n]]) -> None: ...  # noqa: F821 -- extents


@fetched()
def last(x: f64[:]) -> f64: ...


@fetched()
def each(f: Callable[[f64], f64], n: i32) -> f64: ...
