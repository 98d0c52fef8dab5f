"""The functions of exported.py for cffi's embedding mode, as its documentation writes them: the text of the start-up code."""

from call_fortran import CFFI, FUNCTIONS, is_array

PREAMBLE = """\
import numpy as np
from cffi_embedded import ffi

def view(address, n1, n2):
    memory = ffi.buffer(address, 8 * n1 * n2)
    return np.frombuffer(memory).reshape((n1, n2), order="F")
"""


def python_text() -> str:
    """Return what the library executes when it starts Python: one function for each one of C, none knows of the others."""
    return "\n".join((PREAMBLE, *(_function(name) for name in FUNCTIONS)))


def _function(name: str) -> str:
    arguments = FUNCTIONS[name]
    parameters = [f"{a}, {a}_1, {a}_2" if is_array(a) else a for a in arguments]
    given = [f"view({a}, {a}_1, {a}_2)" if is_array(a) else a for a in arguments]
    body = "raise ValueError('no')" if name == "fraise" else "pass"
    return f"""\
def {name}({", ".join(arguments)}):
    {body}

@ffi.def_extern()
def {CFFI.name}_{name}({", ".join(parameters)}):
    {name}({", ".join(given)})
    return {CFFI.ok}
"""
