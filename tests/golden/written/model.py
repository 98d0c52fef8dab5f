"""Scalars that Python writes: zero-dimensional views."""

from __future__ import annotations

from py2f import InOut, Out, b8, b32, c32, export_to_fortran, f32, f64, i8, i64


@export_to_fortran
def fill(i: Out[i64], x: Out[f32], z: Out[c32], flag: Out[b32], byte_flag: Out[b8]) -> None:
    i[()], x[()], z[()], flag[()], byte_flag[...] = 5, 0.5, 1 - 2j, True, True


@export_to_fortran
def advance(time: InOut[f64], steps: InOut[i8], done: InOut[bool], by: f64 = 1.0) -> None:
    time += by
    steps += 1
    done[()] = not done


@export_to_fortran
def maybe(x: InOut[f64] | None = None) -> bool:
    if x is not None:
        x *= 2
    return x is not None


@export_to_fortran
def untouched(x: Out[f64]) -> None:
    """What Python leaves unset keeps its value."""
