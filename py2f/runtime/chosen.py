"""What is said of a setting of this run: by ``py2f_configure``, in py2f.toml, or by a variable. libpy2f knows."""

from __future__ import annotations

import os

from py2f.runtime._runtime import ffi, lib


def setting(name: str) -> str:
    """Its text; empty: nothing is said of it."""
    return _asked(name)[0]


def source(name: str) -> str:
    """Who says it, as messages begin: ``PY2F_OUTPUT``, ``output in py2f_configure``, ``/path/py2f.toml:3: output``."""
    return _asked(name)[1]


def _asked(name: str) -> tuple[str, str]:
    where = ffi.new("const char **")
    value = lib.p2f_setting(name.encode(), where)
    return _text(value), _text(where[0])


def _text(pointer: object) -> str:
    return os.fsdecode(ffi.string(pointer)) if pointer != ffi.NULL else ""
