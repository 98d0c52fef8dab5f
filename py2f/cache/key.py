"""The key of an entry: all that its bytes depend on, each part by name, so that a miss can be explained."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from py2f.settings import Settings
    from py2f.toolchain.compilers import Toolchain

FORMAT = "1"
"""The layout of entries; another one is another key."""


@dataclass(frozen=True)
class Key:
    """Named parts; `digest` names the entry's directory."""

    parts: tuple[tuple[str, str], ...]

    @property
    def digest(self) -> str:
        """Forty hexadecimal digits."""
        return hashlib.blake2b(json.dumps(self.parts).encode(), digest_size=20).hexdigest()


def make_key(files: Mapping[str, bytes], toolchain: Toolchain) -> Key:
    """The key of a library whose sources and shipped files are `files`.

    The site header is among them, since its paths are compiled in: docs/decisions/0002-site-in-key.md.
    """
    texts = {f"file {name}": hashlib.blake2b(content).hexdigest() for name, content in files.items()}
    texts |= {
        "format": FORMAT,
        "fortran compiler": toolchain.fortran.identity,
        "c compiler": toolchain.c.identity,
        "fortran flags": json.dumps([*toolchain.fortran.command[1:], *toolchain.fflags]),  # `FC="gfortran -fdefault-real-8"`
        "c flags": json.dumps(toolchain.c.command[1:]),
        "libc": _libc(),
    }
    return Key(tuple(sorted(texts.items())))


def asked_key(files: Mapping[str, bytes], settings: Settings) -> Key:
    """What is asked for, whoever compiles it: where there is no compiler, the last entry that was made of these texts is right.

    Entries of one `asked` differ by compiler alone. Each was compiled from exactly these texts, with these flags, and was
    verified by its compiler: it computes what they say. Which one is taken, the newest, makes no difference but in speed and
    rounding. What it was linked with it names itself, and the loader looks for it. Flags that mean another thing on another
    computer, such as -march=native, are not asked for: :func:`portable`.
    """
    texts = {f"file {name}": hashlib.blake2b(content).hexdigest() for name, content in files.items()}
    texts |= {"format": FORMAT, "flags": json.dumps(_flags(settings)), "libc": _libc()}
    return Key(tuple(sorted(texts.items())))


def portable(settings: Settings) -> bool:
    """Whether what is compiled here runs on other computers that share the cache."""
    return not any(flag.endswith("=native") for flag in _flags(settings))


def _flags(settings: Settings) -> list[str]:
    commands = [command or "" for command in (settings.fc, settings.cc)]
    return [*(flag for command in commands for flag in command.split()[1:]), *settings.fflags]


def _libc() -> str:
    try:
        return os.confstr("CS_GNU_LIBC_VERSION") or ""
    except (ValueError, OSError):  # not the GNU library
        return ""
