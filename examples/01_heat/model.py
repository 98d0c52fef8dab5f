"""Heat spreads over a plate."""

from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from py2f import Out, export_to_fortran, f64


@export_to_fortran
def smooth(
    field: Annotated[NDArray[np.float64], f64[:, :]],
    weight: float,
    smoothed: Annotated[NDArray[np.float64], f64[:, :], Out],
) -> None:
    """Smooth a temperature field [K] with a five-point stencil; the rim stays as it is."""
    smoothed[...] = field
    smoothed[1:-1, 1:-1] += weight * (
        field[2:, 1:-1] + field[:-2, 1:-1] + field[1:-1, 2:] + field[1:-1, :-2] - 4.0 * field[1:-1, 1:-1]
    )


@export_to_fortran
def nothing(
    a: Annotated[NDArray[np.float64], f64[:, :]],
    b: Annotated[NDArray[np.float64], f64[:, :]],
    c: Annotated[NDArray[np.float64], f64[:, :]],
) -> None:
    """Do nothing, to see what a call costs."""
