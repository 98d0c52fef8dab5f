"""What py2fgen's command needs: all functions in one module; and what its start needs: a grid_init that does without MPI."""

from icon4py.bindings.diffusion_wrapper import diffusion_init, diffusion_run  # noqa: F401
from icon4py.bindings.grid_wrapper import grid_init  # noqa: F401
from icon4py.model.common.decomposition import definitions, mpi_decomposition


def init() -> None:
    """Let there be one process; named by PY2FGEN_EXTRA_CALLABLES."""
    assert mpi_decomposition  # it registers the one for several
    definitions.get_process_properties.register(definitions.MultiNodeRun)(
        lambda _, comm_id=None: definitions.SingleNodeProcessProperties()  # noqa: ARG005  it is given by name
    )
