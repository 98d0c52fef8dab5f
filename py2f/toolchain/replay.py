"""Meson's answer, remembered: what Ninja runs for projects that differ by their names alone.

Most of the time of a small build is Meson's, and it finds out the same each time. So a project with placeholders in the place
of its names is configured once for a pair of compilers and flags; what Ninja would run for it is kept in the cache, and run
with the names of any such project. The bytes are those that Meson and Ninja make: tests/cache/test_replay.py.
"""

from __future__ import annotations

import itertools
import json
import os
import re
import shlex
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

from py2f.toolchain.meson import OUT, configure, environment_of, ninja, run, write_files

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from py2f.settings import Settings
    from py2f.toolchain.compilers import Toolchain

NAME, VERSION, FOLDER = "py2fnameofaproject", "0f1e2d3c4b5a", "/py2f-folder-of-a-project"
COMMANDS = "commands.json"
_VERSION = re.compile(r"(?<=soversion: ')\w+(?=')")
_BY_NINJA = ("depscan", "depaccumulate", "symbolextractor")
"""Meson's own steps: they find an order of compilation, and save work the next time."""


@dataclass(frozen=True)
class Commands:
    """What is run in the folder of results, in order; `names` are put in the place of the placeholders."""

    steps: list[list[str]]
    names: Mapping[str, str]

    def run(self, out: Path, environment: Mapping[str, str]) -> bool:
        """Run them; False when one fails, whatever it says."""
        out.mkdir(parents=True, exist_ok=True)
        return all(self._run(step, out, environment) for step in self.steps)

    def _run(self, step: Sequence[str], out: Path, environment: Mapping[str, str]) -> bool:
        command = [self._named(word, out.parent) for word in step]
        for flag, target in itertools.pairwise(command):
            if flag == "-o":
                (out / target).parent.mkdir(parents=True, exist_ok=True)
        try:
            done = subprocess.run(
                command, cwd=out, env=dict(environment), stdin=subprocess.DEVNULL, capture_output=True, check=False
            )
        except OSError:
            return False
        return done.returncode == 0

    def _named(self, word: str, folder: Path) -> str:
        for placeholder, name in {**self.names, FOLDER: str(folder)}.items():
            word = word.replace(placeholder, name)
        return word


@dataclass(frozen=True)
class Shape:
    """A project without its names."""

    files: Mapping[str, bytes]
    names: Mapping[str, str]

    @classmethod
    def of(cls, name: str, files: Mapping[str, bytes]) -> Shape:
        """The shape of a project that is called `name`, as files of it and its library are."""
        text = files["meson.build"].decode()
        version = _VERSION.search(text)
        pattern = re.compile(rf"(?<=['/]){re.escape(name)}(?=['._-])")
        shaped = _VERSION.sub(VERSION, pattern.sub(NAME, text)).encode()
        renamed = {pattern.sub(NAME, f"/{path}")[1:]: content for path, content in files.items()}
        return cls({**renamed, "meson.build": shaped}, {NAME: name, VERSION: version[0] if version else VERSION})

    @property
    def parts(self) -> dict[str, bytes]:
        """What the commands depend on: the project file, and which files there are."""
        return {
            "meson.build": self.files["meson.build"],
            "meson.options": self.files.get("meson.options", b""),
            "files": "\n".join(sorted(self.files)).encode(),
        }

    def recorded(self, folder: Path, toolchain: Toolchain, settings: Settings, options: Sequence[str]) -> Path:
        """Configure the project and write down what Ninja would run, in a folder that can be kept. Raises BuildError."""
        work = folder / "shape"
        write_files(work, self.files)
        configure(work, toolchain, settings, options)
        said = run([ninja(), "-C", OUT, "-t", "commands"], work, environment_of(work, toolchain, settings))
        here = os.fsencode(work).decode("utf-8", "replace")  # as it is in what Ninja says, whatever the locale is
        steps = [step for line in said.splitlines() for step in _steps(line.replace(here, FOLDER))]
        kept = folder / "commands"
        kept.mkdir()
        (kept / COMMANDS).write_text(json.dumps(steps), encoding="ascii")
        return kept

    def commands(self, entry: Path) -> Commands | None:
        """What was recorded; None where it cannot be repeated without Ninja."""
        steps = json.loads((entry / COMMANDS).read_bytes())
        needs_ninja = any(word.startswith("@") for step in steps for word in step)  # a file of arguments, that Ninja writes
        return None if needs_ninja or not steps else Commands(steps, self.names)


def _steps(line: str) -> list[list[str]]:
    """The commands in a line that Ninja would give to a shell; these lines join them by && and nothing else."""
    steps: list[list[str]] = [[]]
    for word in shlex.split(line):
        if word == "&&":
            steps.append([])
        else:
            steps[-1].append(word)
    return [step for step in steps if step and not any(word in _BY_NINJA for word in step)]
