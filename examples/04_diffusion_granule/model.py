"""ICON4Py's diffusion granule for Fortran: the functions of its bindings as they are, and what the caller must know of them.

``icon4py.bindings`` could be exported without this module. It adds what the annotations there do not say: which arrays
are only read, which ones the granule keeps, and where a field has the half levels, one more than the levels.
"""

from icon4py.bindings import diffusion_wrapper, grid_wrapper
from icon4py.model.common.decomposition import definitions, mpi_decomposition

from py2f import Extents, In, Keep, export_to_fortran

assert mpi_decomposition  # it registers what takes the communicator of several processes; here there is one, without MPI
definitions.get_process_properties.register(definitions.MultiNodeRun)(
    lambda _, comm_id=None: definitions.SingleNodeProcessProperties()  # noqa: ARG005  it is given by name
)

INDICES = """
    cell_starts cell_ends vertex_starts vertex_ends edge_starts edge_ends c_owner_mask e_owner_mask v_owner_mask
    c_glb_index e_glb_index v_glb_index
""".split()
TABLES = {
    "c2e": ("Cell", 3),
    "e2c": ("Edge", 2),
    "c2e2c": ("Cell", 3),
    "e2c2e": ("Edge", 4),
    "v2e": ("Vertex", 6),
    "v2c": ("Vertex", 6),
    "e2c2v": ("Edge", 4),
    "c2v": ("Cell", 3),
}
GEOMETRY = """
    tangent_orientation inverse_primal_edge_lengths inv_dual_edge_length inv_vert_vert_length edge_areas f_e
    cell_center_lat cell_center_lon cell_areas primal_normal_vert_x primal_normal_vert_y dual_normal_vert_x
    dual_normal_vert_y primal_normal_cell_x primal_normal_cell_y dual_normal_cell_x dual_normal_cell_y
    edge_center_lat edge_center_lon primal_normal_x primal_normal_y
""".split()
COEFFICIENTS = "e_bln_c_s geofac_div geofac_grg_x geofac_grg_y geofac_n2s nudgecoeff_e".split()

export_to_fortran(
    grid_wrapper.grid_init,
    marks={
        **dict.fromkeys(INDICES, In),
        **{name: (In, Extents(*extents)) for name, extents in TABLES.items()},
        "e2v": (In, Extents("Edge", ":")),  # Fortran has it as part of e2c2v
        **dict.fromkeys(GEOMETRY, (In, Keep)),
        "vct_a": (In, Keep, Extents("vertical_size + 1")),
    },
)
export_to_fortran(
    diffusion_wrapper.diffusion_init,
    marks={
        "theta_ref_mc": (In, Keep, Extents("Cell", "K")),
        "wgtfac_c": (In, Keep, Extents("Cell", "K + 1")),
        **dict.fromkeys(COEFFICIENTS, (In, Keep)),
        **dict.fromkeys(["rbf_vec_coeff_v", "zd_cellidx", "zd_vertidx", "zd_intcoef", "zd_diffcoef"], In),
    },
)
FULL, HALF = Extents("Cell", "K"), Extents("Cell", "K + 1")
export_to_fortran(
    diffusion_wrapper.diffusion_run,
    marks={
        "vn": Extents("Edge", "K"),
        **dict.fromkeys(["exner", "theta_v", "rho"], FULL),
        **dict.fromkeys(["w", "hdef_ic", "div_ic", "dwdx", "dwdy"], HALF),
    },
)
