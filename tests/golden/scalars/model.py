"""Every scalar kind, in and out."""

from py2f import b8, b32, c32, c64, export_to_fortran, f32, f64, i8, i16, i32, i64


@export_to_fortran
def next_i8(x: i8) -> i8:
    return x + 1


@export_to_fortran
def next_i16(x: i16) -> i16:
    return x + 1


@export_to_fortran
def next_i32(x: i32) -> i32:
    return x + 1


@export_to_fortran
def next_i64(x: i64) -> i64:
    return x + 1


@export_to_fortran
def half_f32(x: f32) -> f32:
    return x / 2


@export_to_fortran
def half_f64(x: f64) -> f64:
    return x / 2


@export_to_fortran
def turn_c32(z: c32) -> c32:
    return z * 1j


@export_to_fortran
def turn_c64(z: c64) -> c64:
    return z * 1j


@export_to_fortran
def not_b8(x: b8) -> b8:
    return not x


@export_to_fortran
def not_b32(x: b32) -> b32:
    return not x


@export_to_fortran
def plain(i: int, x: float, z: complex, flag: bool) -> str:
    """Python's own types; in Fortran i32, f64, c64 and the default logical."""
    return f"{i} {x} {z} {flag} " + " ".join(type(value).__name__ for value in (i, x, z, flag))
