"""Optional arguments: absent is None, or Python's own default."""

from __future__ import annotations

from py2f import InOut, b32, c64, export_to_fortran, f64, i32


@export_to_fortran
def seen(a: f64[:, :] | None, n: i32 | None, x: f64 | None, z: c64 | None, flag: bool | None, tag: str | None) -> str:
    shape = None if a is None else a.shape
    return f"{shape} {n} {x} {z} {flag} {tag!r}"


@export_to_fortran
def defaults(n: i32 = 3, x: f64 = 0.5, z: c64 = 1j, flag: bool = True, tag: str = "none given", *, last: i32 = 7) -> str:
    return f"{n} {x} {z} {flag} {tag!r} {last}"


@export_to_fortran
def scale(x: InOut[f64[:]], mask: b32[:] | None = None, *, factor: f64 = 2.0) -> None:
    x[... if mask is None else mask] *= factor
