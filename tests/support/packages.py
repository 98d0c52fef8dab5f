"""Sources of public packages: source distributions, downloaded once by pip and kept in pytest's cache."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from filelock import FileLock


def sources(cache: pytest.Cache, requirement: str, *wanted: str) -> Path:
    """A folder with the files of a source distribution that match patterns; skips where it cannot be downloaded."""
    folder = Path(cache.mkdir("sdists")) / requirement
    with FileLock(f"{folder}.lock"):
        if not folder.exists():
            _download(requirement, folder, wanted)
    return folder


def _download(requirement: str, folder: Path, wanted: tuple[str, ...]) -> None:
    with tempfile.TemporaryDirectory(dir=folder.parent) as work:
        # pip asks the package's build system for metadata, which may need what is not here; it has unpacked the sources by then
        options = ["--no-clean", "--no-deps", "--no-build-isolation", "--no-binary", ":all:", "--dest", work]
        command = [sys.executable, "-m", "pip", "download", *options, requirement]
        done = subprocess.run(
            command, env=os.environ | {"TMPDIR": work}, capture_output=True, text=True, timeout=280, check=False
        )
        found = [path for pattern in wanted for path in sorted(Path(work).glob(f"pip-download-*/*/{pattern}"))]
        if not found:
            pytest.skip(f"{requirement} cannot be downloaded: that py2f wraps it is not verified: {done.stderr[-300:]}")
        complete = Path(work, "complete")
        complete.mkdir()
        for path in found:
            shutil.copy(path, complete)
        complete.rename(folder)
