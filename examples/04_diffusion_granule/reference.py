"""Call the granule from Python on the inputs that the Fortran program dumped, and compare the results bit for bit.

No bridge here: the fields are made with ``gtx.as_field`` in GT4Py's own memory and layout.
usage: reference.py PREFIX [STEPS]
"""

from __future__ import annotations

import inspect
import sys
import time
import typing
from pathlib import Path

import gt4py.next as gtx
import model  # noqa: F401  lets grid_init do without MPI
import numpy as np
from gt4py.next.type_system import type_specifications, type_translation
from icon4py.bindings import diffusion_wrapper, grid_wrapper

DTYPES = {"f8": np.float64, "i4": np.int32, "b1": np.bool_}
GTFN = 2
OPTIONS = {
    "ndyn_substeps": 5, "diffusion_type": 5, "hdiff_w": True, "hdiff_vn": True, "hdiff_smag_w": False, "type_t_diffu": 2,
    "type_vn_diffu": 1, "hdiff_efdt_ratio": 36.0, "hdiff_w_efdt_ratio": 15.0, "smagorinski_scaling_factor": 0.015,
    "smagorinski_scaling_factor2": 0.025, "smagorinski_scaling_factor3": 0.0, "smagorinski_scaling_factor4": 1.0,
    "smagorinski_scaling_height": 32500.0, "smagorinski_scaling_height2": 60000.0, "smagorinski_scaling_height3": 75000.0,
    "smagorinski_scaling_height4": 90000.0, "hdiff_temp": True, "denom_diffu_v": 200.0, "nudge_max_coeff": 0.1, "itype_sher": 2,
    "iforcing": 0, "a_hshr": 1.0, "loutshs": False, "backend": GTFN, "comm_id": None,
}  # fmt: skip
DIAGNOSTICS = ("hdef_ic", "div_ic", "dwdx", "dwdy")
RESULTS = ("vn", "w", "theta_v", "exner", "rho", *DIAGNOSTICS)


def read(path: str) -> dict[str, typing.Any]:
    """The arrays and numbers of a dump, by name."""
    values: dict[str, typing.Any] = {}
    raw, place = Path(path).read_bytes(), 0
    while place < len(raw):
        end = raw.index(b"\n", place)
        name, dtype, _, *shape = raw[place:end].decode().split()
        extents, place = tuple(map(int, shape)), end + 1
        array = np.frombuffer(raw, DTYPES[dtype], int(np.prod(extents)), place).reshape(extents, order="F").copy(order="F")
        place += array.nbytes
        values[name] = array if shape else array.item()
    return values


def arguments(function: typing.Any, given: dict[str, typing.Any]) -> dict[str, typing.Any]:
    """What a function of the bindings takes, fields where its annotations say so."""
    hints = typing.get_type_hints(function, include_extras=True)
    return {name: _converted(hints[name], given.get(name)) for name in inspect.signature(function).parameters}


def _converted(hint: typing.Any, value: typing.Any) -> typing.Any:
    if not isinstance(value, np.ndarray):
        return value
    inner = next((part for part in typing.get_args(hint) if typing.get_origin(part) is gtx.Field), hint)
    try:
        field = type_translation.from_type_hint(inner)
    except ValueError:
        return value  # a plain array
    return gtx.as_field(field.dims, value) if isinstance(field, type_specifications.FieldType) else value


def main(prefix: str, steps: int) -> None:
    """Run, print the checksums, and whether all bits are those of the Fortran run."""
    inputs, outputs = read(f"{prefix}.in"), read(f"{prefix}.out")
    given = {**inputs, **OPTIONS}
    if inputs["absent"]:
        given.update(dict.fromkeys(DIAGNOSTICS))
    begin = time.perf_counter()
    for function in (grid_wrapper.grid_init, diffusion_wrapper.diffusion_init):
        inner = inspect.unwrap(function)
        inner(**arguments(inner, given))
    middle = time.perf_counter()
    run = inspect.unwrap(diffusion_wrapper.diffusion_run)
    fields = arguments(run, given)
    times = []
    for step in range(steps + 1):
        start = time.perf_counter()
        run(**{**fields, "linit": step == 0})
        times.append(time.perf_counter() - start)
    print(f"direct: init {middle - begin:.3f} s, a step {np.median(times[1:] or times) * 1e3:.3f} ms")
    equal = True
    for name in RESULTS:
        points = inputs["num_edges" if name == "vn" else "num_cells"]
        now = inputs[name] if fields.get(name) is None else fields[name].asnumpy()
        direct, fortran = (np.asfortranarray(a[:points]).reshape(-1, order="F").view(np.uint64) for a in (now, outputs[name]))
        equal &= np.array_equal(direct, fortran)
        print(f"{name:>10}  Fortran {np.bitwise_xor.reduce(fortran):016X}  Python {np.bitwise_xor.reduce(direct):016X}")
    print("ALL EQUAL" if equal else "DIFFERENCES")
    sys.exit(not equal)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 5)  # noqa: PLR2004
