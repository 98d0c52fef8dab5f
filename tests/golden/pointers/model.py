"""Opaque handles: addresses that Python passes on."""

from __future__ import annotations

from py2f import CPtr, InOut, export_to_fortran, i32, i64


@export_to_fortran
def address(handle: CPtr) -> i64:
    assert type(handle) is int
    return handle


@export_to_fortran
def same(handle: CPtr) -> CPtr:
    return handle


@export_to_fortran
def nothing() -> CPtr:
    return None


@export_to_fortran
def wrong(kind: str) -> CPtr:
    return {"negative": -1, "large": 2**64, "flag": True, "real": 8.0}[kind]


@export_to_fortran
def maybe(handle: CPtr | None) -> bool:
    return handle is not None


@export_to_fortran
def reverse(handles: InOut[CPtr[:]], first: InOut[CPtr]) -> i32:
    handles[...] = handles[::-1].copy()
    first[()] = handles[0]
    return int((handles != 0).sum())
