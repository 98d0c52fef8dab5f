"""The key of an entry: all that its bytes depend on, each part by name, so that a miss can be explained."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from py2f.settings import Settings
    from py2f.toolchain.compilers import Toolchain

FORMAT = "3"
"""The layout of entries; another one is another key."""


@dataclass(frozen=True)
class Key:
    """Named parts; `digest` names the entry's directory. What is built is `name`, for `module`, which changes nothing."""

    parts: tuple[tuple[str, str], ...]
    name: str = field(default="", compare=False)
    module: str = field(default="", compare=False)

    @cached_property
    def digest(self) -> str:
        """Forty hexadecimal digits, of the parts as canonical JSON: sorted, ASCII, without blanks."""
        text = json.dumps(dict(self.parts), sort_keys=True, separators=(",", ":"))
        return hashlib.blake2b(text.encode("ascii"), digest_size=20).hexdigest()


def make_key(files: Mapping[str, bytes], toolchain: Toolchain, name: str = "", module: str = "") -> Key:
    """The key of a library whose sources and shipped files are `files`.

    The site header is among them, since its paths are compiled in: docs/decisions/0002-site-in-key.md.
    """
    return _key(
        files,
        {
            "fortran compiler": toolchain.fortran.identity,
            "c compiler": toolchain.c.identity,
            "fortran flags": json.dumps([*toolchain.fortran.command[1:], *toolchain.fflags]),  # FC="gfortran -fdefault-real-8"
            "c flags": json.dumps(toolchain.c.command[1:]),
            "environment": json.dumps(toolchain.environment),
        },
        name,
        module,
    )


def asked_key(files: Mapping[str, bytes], settings: Settings) -> Key:
    """What is asked for, whoever compiles it: where there is no compiler, the last entry that was made of these texts is right.

    Entries of one `asked` differ by compiler alone. Each was compiled from exactly these texts, with these flags, and was
    verified by its compiler: it computes what they say. Which one is taken, the newest, makes no difference but in speed and
    rounding. What it was linked with it names itself, and the loader looks for it. Flags that mean another thing on another
    computer, such as -march=native, are not asked for: :func:`portable`.
    """
    return _key(files, {"flags": json.dumps(_flags(settings))})


def _key(files: Mapping[str, bytes], parts: Mapping[str, str], name: str = "", module: str = "") -> Key:
    texts = {f"file {file}": hashlib.blake2b(content, digest_size=20).hexdigest() for file, content in files.items()}
    return Key(tuple(sorted({**texts, **parts, "format": FORMAT, "libc": _libc()}.items())), name, module)


def differences(ours: Mapping[str, str], theirs: Mapping[str, str]) -> list[str]:
    """Which parts differ, a line each: what a part says in both, or that one lacks it."""
    lines = []
    for part in sorted({*ours, *theirs}):
        if part not in ours or part not in theirs:
            lines.append(f"{part}: only in {'the first' if part in ours else 'the second'}")
        elif ours[part] != theirs[part]:
            lines.append(f"{part}: {_differing(ours[part], theirs[part])}")
    return lines


def _differing(ours: str, theirs: str) -> str:
    """The first line that is not the same: what a compiler says of itself has twenty."""
    pairs = zip([*ours.splitlines(), ""], [*theirs.splitlines(), ""], strict=False)
    first, second = next(((a, b) for a, b in pairs if a != b), (ours, theirs))
    return f"{first or 'nothing'} | {second or 'nothing'}"


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
