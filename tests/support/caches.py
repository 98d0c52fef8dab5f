"""Caches under test: small entries that any process can build in a moment, and how often each was built."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

from py2f.cache.key import Key
from py2f.settings import Settings
from py2f.site import shipped

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

GOOD = shipped("libpy2f.so").read_bytes()
"""A library that can be loaded."""
BUILDER = """
import os, sys, time, pathlib
from py2f.cache.key import Key
from py2f.cache.layers import cached
from py2f.settings import Settings

log, seconds, wait = sys.argv[1], float(sys.argv[2]), sys.argv[3:]

def make(folder):
    with open(log, "a") as file:
        file.write(f"{os.getpid()}\\n")
    if wait and not os.path.exists(wait[0]):
        open(wait[0], "w").close()
        time.sleep(600)
    time.sleep(seconds)
    (folder / "prefix/lib").mkdir(parents=True)
    (folder / "prefix/lib/libone.so").write_bytes(pathlib.Path(os.environ["GOOD"]).read_bytes())
    return folder / "prefix"

while "BEGIN" in os.environ and time.time() < float(os.environ["BEGIN"]):
    time.sleep(0.01)
begin = time.monotonic()
entry, compiled, trouble = cached(Key((("part", "one"),), "one_py"), Settings.read(), make)
assert (entry / "lib" / "libone.so").stat().st_size == os.path.getsize(os.environ["GOOD"]), entry
print(int(compiled), f"{time.monotonic() - begin:.3f}", entry, trouble)
"""
KEY = Key((("part", "one"),), "one_py")
"""What BUILDER builds."""


def prefix(folder: Path, content: bytes = GOOD) -> Path:
    """A folder as a build leaves it."""
    (folder / "lib").mkdir(parents=True)
    (folder / "lib" / "libone.so").write_bytes(content)
    (folder / "lib" / "libone.so.1").symlink_to("libone.so")
    (folder / "src").mkdir()
    (folder / "src" / "one.f90").write_text("module one\nend module\n", encoding="utf-8")
    return folder


def settings(root: Path, **environment: str) -> Settings:
    """Settings with a cache of their own."""
    return Settings.read({"PY2F_CACHE_DIR": str(root), "PATH": os.environ["PATH"], **environment})


def start(root: Path, log: Path, *arguments: str, seconds: float = 0.5, **environment: str) -> subprocess.Popen[str]:
    """A process that builds or finds the entry of KEY; `log` has a line for each build."""
    command = [sys.executable, "-c", BUILDER, str(log), str(seconds), *arguments]
    given = {"PY2F_CACHE_DIR": str(root), "GOOD": str(shipped("libpy2f.so")), **environment}
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen(command, env={**os.environ, **given}, **pipes)


def ended(processes: Sequence[subprocess.Popen[str]], timeout: float = 240) -> list[list[str]]:
    """What each process said; an error of one is an error."""
    said = []
    for process in processes:
        out, err = process.communicate(timeout=timeout)
        assert process.returncode == 0, err
        said.append([*out.split(maxsplit=3), err])
    return said


def builds(log: Path) -> int:
    """How often something was built."""
    return len(log.read_text().splitlines()) if log.exists() else 0


def herd(root: Path, log: Path, count: int, *, seconds: float = 0.5, **environment: str) -> list[list[str]]:
    """Start processes that ask at the same time."""
    begin = str(time.time() + min(0.5 + count * 0.05, 4.0))
    return ended([start(root, log, seconds=seconds, BEGIN=begin, **environment) for _ in range(count)])


def until(path: Path, seconds: float = 60) -> None:
    """Wait for a file."""
    deadline = time.monotonic() + seconds
    while not path.exists():
        assert time.monotonic() < deadline, f"{path} does not appear"
        time.sleep(0.02)


def command(*words: str, cwd: Path, check: bool = False, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run ``py2f``."""
    given: Mapping[str, str] = {**os.environ, **environment}
    done = subprocess.run(
        [sys.executable, "-m", "py2f.cli", *words], cwd=cwd, env=given, capture_output=True, text=True, check=False
    )
    assert not check or done.returncode == 0, done.stderr
    return done
