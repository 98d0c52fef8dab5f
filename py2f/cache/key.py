"""The key of an entry: all that its bytes depend on, each part by name, so that a miss can be explained."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

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


def _libc() -> str:
    try:
        return os.confstr("CS_GNU_LIBC_VERSION") or ""
    except (ValueError, OSError):  # not the GNU library
        return ""
