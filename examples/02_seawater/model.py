"""Seawater as TEOS-10 has it: functions of the package gsw, which nobody here can edit."""

from typing import Annotated

import gsw
import numpy as np
from numpy.typing import NDArray

from py2f import export_to_fortran, extent, f64

n, m = extent("n"), extent("m")
Column = Annotated[NDArray[np.float64], f64[n]]
Section = Annotated[NDArray[np.float64], f64[n, m]]


def at_a_point(sa: float, ct: float, p: float) -> float:
    """In-situ density [kg m-3] of Absolute Salinity [g kg-1], Conservative Temperature [deg C], sea pressure [dbar]."""
    raise NotImplementedError  # gsw.rho does it


def in_a_column(sa: Column, ct: Column, p: Column) -> Column:
    """In-situ density [kg m-3] of a column."""
    raise NotImplementedError


def on_a_section(sa: Section, ct: Section, p: Section) -> Section:
    """In-situ density [kg m-3] of a section."""
    raise NotImplementedError


# gsw.rho takes any of these; Fortran has a name for each
export_to_fortran(gsw.rho, like=at_a_point, name="density")
export_to_fortran(gsw.rho, like=in_a_column, name="density_of_column")
export_to_fortran(gsw.rho, like=on_a_section, name="density_of_section")


@export_to_fortran
def sound_speed(sa: Section, ct: Section, p: Section) -> Section:
    """Speed of sound [m s-1] on a section."""
    speed: NDArray[np.float64] = gsw.sound_speed(sa, ct, p)
    return speed


@export_to_fortran
def freezing_temperature(sa: Column, p: Column, air: float = 1.0) -> Column:
    """In-situ freezing temperature [deg C] of a column; `air` is the saturation fraction of dissolved air."""
    temperature: NDArray[np.float64] = gsw.t_freezing(sa, p, air)
    return temperature
