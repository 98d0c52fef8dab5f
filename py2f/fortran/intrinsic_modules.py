"""What the intrinsic modules call kinds, and which families of names well-known modules keep to."""

from __future__ import annotations

_C_INTEGERS = {
    "c_int": 4, "c_short": 2, "c_long": 8, "c_long_long": 8, "c_signed_char": 1, "c_size_t": 8, "c_int8_t": 1, "c_int16_t": 2,
    "c_int32_t": 4, "c_int64_t": 8, "c_int_least8_t": 1, "c_int_least16_t": 2, "c_int_least32_t": 4, "c_int_least64_t": 8,
    "c_int_fast8_t": 1, "c_int_fast16_t": 8, "c_int_fast32_t": 8, "c_int_fast64_t": 8, "c_intmax_t": 8, "c_intptr_t": 8,
    "c_ptrdiff_t": 8,
}  # fmt: skip
"""Under LP64, the data model of 64-bit Linux and macOS."""

_C_OTHERS = {
    "c_float": 4, "c_double": 8, "c_float_complex": 4, "c_double_complex": 8, "c_bool": 1, "c_char": 1,
    "c_long_double": 16, "c_long_double_complex": 16,
}  # fmt: skip

KIND_NAMES: dict[str, dict[str, int]] = {
    "iso_c_binding": {**_C_INTEGERS, **_C_OTHERS},
    "iso_fortran_env": {
        "int8": 1, "int16": 2, "int32": 4, "int64": 8, "real16": 2, "real32": 4, "real64": 8, "real128": 16,
        "logical8": 1, "logical16": 2, "logical32": 4, "logical64": 8,
    },
    "ieee_arithmetic": {}, "ieee_exceptions": {}, "ieee_features": {},
}  # fmt: skip
"""Kinds by the modules that name them: the numbers of gfortran and flang, which are numbers of bytes."""

TYPE_NAMES = frozenset({"c_ptr", "c_funptr"})
"""The derived types of iso_c_binding."""

_FAMILIES = {
    "mpi": ("mpi",), "mpi_f08": ("mpi",), "netcdf": ("nf90",), "omp_lib": ("omp",), "openacc": ("acc",), "hdf5": ("h5",),
}  # fmt: skip


def may_declare(module: str, name: str) -> bool:
    """Whether a module that cannot be read may bring a name: those of a few keep to a prefix."""
    return name.startswith(_FAMILIES.get(module, ("",)))
