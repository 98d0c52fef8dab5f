"""The arguments of diffusion_run, and nothing done with them: only the bridge is measured. Decorated for both."""

import gt4py.next as gtx

# ruff: noqa: FBT001, PLR0913, PLR0917 -- the signature is what is measured
from icon4py.bindings import icon4py_export
from icon4py.model.common import dimension as dims

CellK = gtx.Field[gtx.Dims[dims.CellDim, dims.KDim], gtx.float64]
EdgeK = gtx.Field[gtx.Dims[dims.EdgeDim, dims.KDim], gtx.float64]


@icon4py_export.export
def step(
    w: CellK, vn: EdgeK, exner: CellK, theta_v: CellK, rho: CellK,
    hdef_ic: CellK | None, div_ic: CellK | None, dwdx: CellK | None, dwdy: CellK | None, dtime: gtx.float64, linit: bool,
) -> None:  # fmt: skip
    """Do nothing."""
