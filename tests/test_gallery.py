"""The gallery: a model with each build system, built and changed and built again."""

from __future__ import annotations

import os
import runpy
import shutil
import sys
from pathlib import Path

import pytest
from programs import run

GALLERY = Path(__file__).parents[1] / "gallery"
ENTRIES = {entry.name: entry for entry in runpy.run_path(str(GALLERY / "check.py"))["ENTRIES"]}


@pytest.mark.parametrize("name", ENTRIES)
def test_an_entry_of_the_gallery_builds_what_it_must_and_no_more(name: str) -> None:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"  # Meson and Ninja of this environment
    missing = [tool for tool in ENTRIES[name].needs if not shutil.which(tool, path=path)]
    if missing:
        pytest.skip(f"{', '.join(missing)} not installed: the gallery's {name} is not verified")
    done = run([sys.executable, str(GALLERY / "check.py"), name], cwd="/", env={**os.environ, "PATH": path}, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_entry_is_in_the_readme() -> None:
    text = (GALLERY / "README.md").read_text(encoding="utf-8")
    assert sorted(
        folder.name for folder in GALLERY.iterdir() if folder.is_dir() and folder.name not in {"model", "__pycache__"}
    ) == sorted(ENTRIES)
    assert [name for name in ENTRIES if f"]({name}/" not in text] == []
