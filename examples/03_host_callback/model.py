"""Hyperdiffusion on a part of the domain; the model around it knows the neighbours."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from py2f import InOut, export_to_fortran, f64, pythoncall

Field = Annotated[NDArray[np.float64], f64[:, :], InOut]


@pythoncall(host=True)
def exchange_halo(field: Field) -> None:
    """Fill the outermost rows and columns with what the neighbours have there."""


def laplacian(field: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sum of the four neighbours less four times the point; zero on the rim."""
    curvature = np.zeros_like(field)
    curvature[1:-1, 1:-1] = field[2:, 1:-1] + field[:-2, 1:-1] + field[1:-1, 2:] + field[1:-1, :-2] - 4.0 * field[1:-1, 1:-1]
    return curvature


@export_to_fortran
def step(field: Field, rate: float) -> None:
    """Make a step of fourth-order diffusion; the halo is one point wide."""
    exchange_halo(field)
    curvature = laplacian(field)
    exchange_halo(curvature)  # an array that Fortran has never seen
    field[1:-1, 1:-1] -= rate * laplacian(curvature)[1:-1, 1:-1]
