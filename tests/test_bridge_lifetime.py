"""A bridge may be made again, dropped, and outlived by the process."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest
from programs import run

if TYPE_CHECKING:
    from programs import Project

MODEL = """
import py2f

@py2f.export_to_fortran
def double(x: float) -> float:
    return 2 * x
"""


@pytest.mark.parametrize(
    "rest",
    [
        "print(b.call('double', 2.0))",  # the process ends while the plugin is loaded
        "del b; gc.collect(); b = py2f.bridge('model'); print(b.call('double', 2.0))",
        "b.call('double', 1.0); assert not py2f.build('model').compiled; print(b.call('double', 2.0))",  # the first call extends sys.path
    ],
)
def test_bridge_survives(project: Project, rest: str) -> None:
    project.write(model_py=MODEL, main_py=f"import gc, py2f\nb = py2f.bridge('model')\nb.call('double', 1.0)\n{rest}\n")
    script = "import sys; sys.path.insert(0, ''); exec(open('main.py').read())"
    done = run([sys.executable, "-c", script], cwd=project.folder)
    assert done.stdout == "4.0\n"
