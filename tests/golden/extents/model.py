"""Named extents: checked at every call, before Python sees anything."""

from __future__ import annotations

from py2f import InOut, export_to_fortran, f32, f64, i32, i64


@export_to_fortran
def by_argument(n: i32, x: InOut[f64[n]]) -> None:
    x += 1.0


@export_to_fortran
def by_arrays(x: f64[n, m], y: f64[m], z: f64[2 * n + 1, :] | None = None) -> f64[n]:
    return x @ y if z is None else x @ y + z[0, 0]


@export_to_fortran
def constant(x: f32[3], y: f32[:, 2]) -> i32:
    return x.size + y.size


@export_to_fortran
def only_optional(a: f64[n] | None, b: f64[n] | None, c: f64[n] | None) -> i32:
    return sum(array is not None for array in (a, b, c))


@export_to_fortran
def products(n: i64, m: i32, x: f64[n * (m - 1)]) -> f64[m - 1, n]:
    return x.reshape(m - 1, n)
