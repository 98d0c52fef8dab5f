"""`python build_cffi.py FOLDER`, in the benchmarks' venv: a library by cffi's embedding mode, as its documentation says."""

import sys
from pathlib import Path

import cffi
from call_fortran import CFFI, FUNCTIONS, c_prototype
from embedded import python_text


def main(folder: Path) -> None:
    """Write and compile libcffi_embedded.so."""
    prototypes = "".join(f"extern {c_prototype(CFFI.name, function)};\n" for function in FUNCTIONS)
    builder = cffi.FFI()
    builder.embedding_api(prototypes)
    builder.set_source("cffi_embedded", "", extra_compile_args=["-O2"])
    builder.embedding_init_code(python_text())
    builder.compile(tmpdir=str(folder), target="libcffi_embedded.*")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
