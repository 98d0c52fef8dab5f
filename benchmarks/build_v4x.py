"""`python build_v4x.py FOLDER`, in the benchmarks' venv: prototype v4x, from the gen.py in FOLDER."""

import importlib
import sys
from pathlib import Path

import cffi
import numpy as np


def main(folder: Path) -> None:
    """Write v4x_mod.f90 and compile libv4x.so: the frames, the view guard and the floating-point mask."""
    gen = importlib.import_module("gen")  # FOLDER is on the venv's path, see bench_venv.importable

    made = gen.v4g("v4x", guard=True, fpe=True, python=sys.executable)
    (folder / "v4x_mod.f90").write_text(gen.fmod("v4x", "words"))
    builder = cffi.FFI()
    builder.embedding_api(made["api"])
    builder.cdef(made["cdef"])
    builder.set_source("v4x", made["src"], extra_compile_args=["-O2", "-w"], include_dirs=[np.get_include()])
    builder.embedding_init_code(made["init"])
    builder.compile(tmpdir=str(folder), target="libv4x.*")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
