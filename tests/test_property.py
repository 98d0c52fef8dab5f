"""Random functions, called from Fortran and by the bridge, do what they do in Python, bit for bit.

A few batches, always the same ones; ``make torture-types`` runs others for as long as it is told.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from batch_run import failures, report
from batches import drawn
from programs import found

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(("number", "size", "fortran"), [(1, 25, "gfortran"), (2, 25, "gfortran"), (3, 10, "flang-new-19")])
def test_a_batch_of_random_functions_does_in_fortran_what_it_does_in_python(
    tmp_path: Path, number: int, size: int, fortran: str
) -> None:
    if not found(fortran):
        pytest.skip(f"{fortran} is not installed: what it makes of random signatures is not verified")
    batch, folder = drawn(number, size), tmp_path / "batch"
    differences = failures(batch, folder, fortran)
    assert not differences, report(batch, differences, folder, fortran, number)
