"""Modules with stubs of `@pythoncall`, written beside their Fortran sources and imported as a user would."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from programs import COMPILERS, found

if TYPE_CHECKING:
    from pathlib import Path

HEAD = """\
from __future__ import annotations
import functools
from typing import Annotated, NamedTuple
import numpy as np
from py2f import *
"""
_numbers = iter(range(10**6))
EACH_COMPILER = [pytest.param(c, marks=[] if found(c) else pytest.mark.skip(reason=f"{c} is not installed")) for c in COMPILERS]
"""For fixtures that are built once a compiler."""


def imported(path: Path) -> Any:
    """Import a file under its own name."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


def stubbed(folder: Path, compiler: str, stubs: str, **sources: str) -> Any:
    """A module of stubs beside sources, `physics_f90` for physics.f90, to be built with `compiler` at its first call.

    `ph` in the stubs is the decorator with the first source and a module of the same name.
    """
    folder.mkdir(parents=True, exist_ok=True)
    files = [f"{name.rpartition('_')[0]}.{name.rpartition('_')[2]}" for name in sources]
    for file, text in zip(files, sources.values(), strict=True):
        (folder / file).write_text(text, encoding="utf-8")
    stem = files[0].rpartition(".")[0] if files else ""
    head = f"ph = functools.partial(pythoncall, source={files[:1]!r}, module={stem!r})\n" if files else ""
    path = folder / f"stubs_{next(_numbers)}_{os.getpid()}.py"
    path.write_text(HEAD + head + stubs, encoding="utf-8")
    os.environ["FC"] = compiler
    return imported(path)


def ran(folder: Path, text: str, *, check: bool = True, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a script in a process of its own."""
    (folder / "script.py").write_text(text, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "script.py"],
        cwd=folder,
        env={**{k: v for k, v in os.environ.items() if k != "PYTHONSAFEPATH"}, **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    if check and done.returncode:
        raise AssertionError(f"ended with {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done
