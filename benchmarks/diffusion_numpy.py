"""A function of NumPy, for py2f."""

from py2f import InOut, export_to_fortran, f64


@export_to_fortran
def total(x: InOut[f64[:]]) -> None:
    """Put the sum of an array into its first element."""
    x[0] = x.sum()
