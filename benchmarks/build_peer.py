"""`python build_peer.py NAME FOLDER`, in the benchmarks' venv: the peer's library, made by its own generator."""

import re
import sys
from pathlib import Path

import peer
from icon4py.tools.py2fgen import _codegen, _generator

EMPTY_BLOCK = re.compile(r"^( *)if logger\.isEnabledFor\(logging\.DEBUG\):\n", re.MULTILINE)


def main(name: str, folder: Path) -> None:
    """Do what the command `py2fgen` does, with one line of the wrapper repaired."""
    functions = [peer.fa, peer.fb, peer.fc, peer.fm, peer.fe, peer.fraise]
    library = _generator.get_cffi_description(functions, name)
    # Given a function that has only scalars, py2fgen 0.2.0 writes no statement into this block: an IndentationError.
    # The block is for debugging and is never entered here, so the repair changes no timing.
    wrapper = EMPTY_BLOCK.sub(r"\g<0>\1    pass\n", _codegen.generate_python_wrapper(library))
    header = _codegen.generate_c_header(library)
    (folder / f"{name}.f90").write_text(_codegen.generate_f90_interface(library))
    _generator.generate_and_compile_cffi_plugin(name, header, wrapper, folder, str(folder))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
