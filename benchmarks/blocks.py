"""What columns.py calls: a little column physics in NumPy, and the same arguments with an empty body."""
# mypy: ignore-errors
# ^ slices in annotations are py2f's short spelling; type checkers refuse them

import numpy as np

from py2f import InOut, export_to_fortran, f64

Field = f64[:, :]


@export_to_fortran
def adjust(p: Field, t: InOut[Field], q: InOut[Field], dt: f64) -> None:
    """Condense what is above saturation, in every cell of (columns, levels); about twenty operations of NumPy."""
    saturation = 0.622 * 611.2 * np.exp(17.67 * (t - 273.15) / (t - 29.65)) / p
    slope = saturation * 4097.9 / (t - 29.65) ** 2
    excess = np.maximum(q - saturation, 0.0) / (1.0 + 2488.0 * slope)
    rate = np.minimum(excess, q * dt)
    q -= rate
    t += 2488.0 * rate


@export_to_fortran
def nothing(p: Field, t: InOut[Field], q: InOut[Field], dt: f64) -> None:
    """The call alone."""
