"""The function of diffusion_numpy.py, for py2fgen, as its README describes."""

from typing import Annotated

import numpy as np
from icon4py.tools import py2fgen

F64 = py2fgen.ArrayParamDescriptor(rank=1, dtype=py2fgen.FLOAT64, memory_space=py2fgen.MemorySpace.HOST, is_optional=False)


@py2fgen.export(annotation_mapping_hook=lambda *_: None)
def total(x: Annotated[np.ndarray, F64]) -> None:
    """Put the sum of an array into its first element."""
    x[0] = x.sum()
