"""Names that mean something else in Fortran, or nothing."""

from __future__ import annotations

from typing import Annotated

from py2f import Name, Out, export_to_fortran, f64, i32


@export_to_fortran
def size(x: f64[:], kind: i32) -> i32:
    """Stands behind a generic interface, so that the intrinsic of the name stays what it is."""
    return x.size * kind


@export_to_fortran
def end(result: f64, stat_: i32, real: f64, do: i32) -> f64:
    return result + stat_ + real + do


@export_to_fortran
def Mixed(stat: i32, errmsg: i32, frame: i32, rc: i32) -> i32:
    return 1000 * stat + 100 * errmsg + 10 * frame + rc


@export_to_fortran
def mixed(_hidden: i32, Case: i32, case: i32, mixed_: i32) -> i32:
    return 1000 * _hidden + 100 * Case + 10 * case + mixed_


@export_to_fortran(name="area_weighted_mean")
def awm(größe: Annotated[f64[n], Name("values")], is_contiguous: f64[n], dense: Out[f64[1]]) -> None:
    """Mean of values, weighted with is_contiguous: [K]."""
    dense[0] = (größe * is_contiguous).sum() / is_contiguous.sum()
