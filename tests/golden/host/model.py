"""A granule that calls procedures of the program: those that it provides, and those that are arguments."""

from __future__ import annotations

from collections.abc import Callable

from py2f import InOut, Out, export_to_fortran, f64, i32, pythoncall


@pythoncall(host=True)
def exchange(n: i32, field: InOut[f64[:, n]], name: str) -> None:
    """Exchange the halo of a field."""


@pythoncall(host=True)
def saturation(temperature: f64, pressure: f64 | None = None) -> f64:
    """Saturation vapour pressure [Pa]."""


@pythoncall(host=True)
def extremes(field: f64[:, :], low: Out[f64], high: Out[f64]) -> tuple[f64, f64]: ...


@export_to_fortran
def step(field: InOut[f64[:, :]], rate: Callable[[f64], f64], watch: Callable[[i32, InOut[f64[:, :]]], None] | None) -> f64:
    """Make a step; `rate` [1/s] is asked once, `watch` sees the field."""
    exchange(field.shape[1], field, "field")
    field += rate(2.0)
    if watch is not None:
        watch(7, field)
    low, high = extremes(field)
    return saturation(low) + saturation(high, pressure=1000.0)


@export_to_fortran
def deeper(x: f64) -> f64:
    """Is called by the host while it is being called."""
    if x > 100.0:
        raise ValueError(f"{x} is too much")
    return 10.0 * x
