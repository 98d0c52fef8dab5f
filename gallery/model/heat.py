"""The granule: one step of heat conduction in a plate."""

from py2f import InOut, export_to_fortran, f64

CONDUCTIVITY = 0.1


@export_to_fortran
def conduct(temperature: InOut[f64[:, :]], flux: f64) -> f64:
    """Advance the temperature (K) by one step, with a flux (K a step) at the lower edge; returns the mean."""
    inner = temperature[1:-1, 1:-1]
    inner += CONDUCTIVITY * (
        temperature[:-2, 1:-1] + temperature[2:, 1:-1] + temperature[1:-1, :-2] + temperature[1:-1, 2:] - 4 * inner
    )
    temperature[:, 0] += flux
    return float(temperature.mean())
