"""The functions of exported.py for the peer, py2fgen: same names, signatures, empty bodies; written as in its README."""
# mypy: disallow-untyped-decorators=False
# ruff: noqa: ARG001, PLR0913, PLR0917 -- the signatures are what is measured

from typing import Annotated

import numpy as np
from icon4py.tools import py2fgen

Field = Annotated[
    np.ndarray,
    py2fgen.ArrayParamDescriptor(rank=2, dtype=py2fgen.FLOAT64, memory_space=py2fgen.MemorySpace.HOST, is_optional=False),
]
Real = Annotated[float, py2fgen.ScalarParamDescriptor(dtype=py2fgen.FLOAT64)]
Integer = Annotated[int, py2fgen.ScalarParamDescriptor(dtype=py2fgen.INT32)]


def default_mapping(_annotation: object, _descriptor: object) -> None:
    """Ask for NumPy arrays: py2fgen 0.2.0 makes them only where a hook returns None, without one it passes tuples."""


export = py2fgen.export(annotation_mapping_hook=default_mapping)


@export
def fa() -> None:
    """Row A."""


@export
def fb(x: Real, y: Real, z: Real, n: Integer) -> None:
    """Row B."""


@export
def fc(a: Field, b: Field, c: Field) -> None:
    """Row C and the D rows."""


@export
def fm(a: Field, b: Field, c: Field, x: Real, y: Real, z: Real, n: Integer) -> None:
    """Row M."""


@export
def fe(
    a0: Field, a1: Field, a2: Field, a3: Field, a4: Field,
    a5: Field, a6: Field, a7: Field, a8: Field, a9: Field,
    a10: Field, a11: Field, a12: Field, a13: Field, a14: Field,
    a15: Field, a16: Field, a17: Field, a18: Field, a19: Field,
) -> None:  # fmt: skip
    """Row E."""


@export
def fraise(a: Field, b: Field, c: Field) -> None:
    """Row X."""
    raise ValueError("no")
