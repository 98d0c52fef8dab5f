"""Random procedures, called from Python with random values and layouts, do what a model of them says, bit for bit.

A few batches, always the same ones; ``make torture-calls`` runs others for as long as it is told.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from call_batches import failures
from programs import found

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(("number", "fortran"), [(1, "gfortran"), (2, "gfortran"), (3, "flang-new-19"), (4, "gfortran-11")])
def test_a_batch_of_random_procedures_does_what_the_model_says(tmp_path: Path, number: int, fortran: str) -> None:
    if not found(fortran):
        pytest.skip(f"{fortran} is not installed: what it makes of random stubs is not verified")
    different = failures(number, tmp_path / "batch", fortran)
    assert not different, "\n\n".join(different[:3])
