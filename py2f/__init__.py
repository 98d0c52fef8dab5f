"""Decorate a Python function. Call it from Fortran. Write nothing else."""

from __future__ import annotations

from py2f.decorators.export_to_fortran import export_to_fortran
from py2f.decorators.pythoncall import pythoncall
from py2f.errors import (
    BuildError,
    CacheMissError,
    CallError,
    CheckError,
    ExportError,
    FortranError,
    ProcedureEndedError,
    Py2fError,
    SignatureError,
    SourceError,
    StaleViewError,
    Status,
    StubError,
    ToolchainError,
)
from py2f.modules import fortran_module, fortran_variable
from py2f.types import (
    Allocatable,
    Const,
    CPtr,
    Extents,
    In,
    IndexBase,
    InOut,
    Keep,
    Length,
    Name,
    Out,
    Padded,
    Value,
    b8,
    b32,
    c32,
    c64,
    extent,
    f32,
    f64,
    i8,
    i16,
    i32,
    i64,
    string,
)

__all__ = [
    "Allocatable",
    "BuildError",
    "CPtr",
    "CacheMissError",
    "CallError",
    "CheckError",
    "Const",
    "ExportError",
    "Extents",
    "FortranError",
    "In",
    "InOut",
    "IndexBase",
    "Keep",
    "Length",
    "Name",
    "Out",
    "Padded",
    "ProcedureEndedError",
    "Py2fError",
    "SignatureError",
    "SourceError",
    "StaleViewError",
    "Status",
    "StubError",
    "ToolchainError",
    "Value",
    "b8",
    "b32",
    "bridge",
    "build",
    "c32",
    "c64",
    "export_to_fortran",
    "extent",
    "f32",
    "f64",
    "fortran_module",
    "fortran_variable",
    "i8",
    "i16",
    "i32",
    "i64",
    "prebuild",
    "pythoncall",
    "string",
]


def __getattr__(name: str) -> object:
    """Import what only a build needs when it is asked for: a Fortran program imports this package at its first call."""
    if name == "build":
        from py2f.pipeline import build

        return build
    if name == "bridge":
        from py2f.round_trip import bridge

        return bridge
    if name == "prebuild":
        from py2f.prebuilding import prebuild

        return prebuild
    raise AttributeError(f"module 'py2f' has no attribute {name!r}")
