"""Ranks 1, 2, 4 and 15, in and out; rank 15 is the limit of Fortran and close to NumPy's."""

from py2f import InOut, export_to_fortran, f32, f64, i32, i64


@export_to_fortran
def rank_1(a: InOut[i32[:]]) -> None:
    a += 1


@export_to_fortran
def rank_2(a: InOut[i64[:, :]]) -> None:
    a[...] = a[::-1, ::-1].copy()


@export_to_fortran
def rank_4(a: f32[:, :, :, :]) -> f64:
    return float((a * [1.0, 10.0]).sum())


@export_to_fortran
def rank_15(a: InOut[f64[:, :, :, :, :, :, :, :, :, :, :, :, :, :, :]]) -> i32:
    a *= 2.0
    return a.ndim
