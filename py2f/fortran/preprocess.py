"""Preprocessor directives in Fortran sources: the C preprocessor in its traditional mode, as the compilers use it."""

from __future__ import annotations

import re
import shutil
import subprocess
from typing import TYPE_CHECKING

from py2f.errors import SourceError

if TYPE_CHECKING:
    from pathlib import Path

_DIRECTIVE = re.compile(
    r"^#\s*(?:if|ifdef|ifndef|else|elif|endif|define|undef|include|error|warning|pragma|line)\b", re.MULTILINE
)
_MARKER = re.compile(r'# (\d+) "(.*)"')


def preprocessed(path: Path, text: str) -> list[tuple[int, str]]:
    """The lines of a source with their numbers, preprocessed if there are directives; raises SourceError."""
    directive = _DIRECTIVE.search(text)
    if directive is None:
        return list(enumerate(text.splitlines(), 1))
    line = text.count("\n", 0, directive.start()) + 1
    command = shutil.which("cpp")
    if command is None:
        raise SourceError(path, line, "the file has preprocessor directives, and there is no command cpp on PATH")
    done = subprocess.run([command, "-traditional-cpp", str(path)], capture_output=True, check=False)
    if done.returncode:
        raise SourceError(path, line, f"the C preprocessor says: {decoded(done.stderr).strip()}")
    return _numbered(decoded(done.stdout), str(path))


def decoded(content: bytes) -> str:
    """UTF-8, else latin-1, of which every byte is a character: older sources have it in comments."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("latin-1")


def _numbered(text: str, path: str) -> list[tuple[int, str]]:
    """Lines with the numbers that the markers give; what another file brings has the number of the directive."""
    number, here, found = 1, True, []
    for line in text.splitlines():
        marker = _MARKER.match(line)
        if marker:
            here = marker[2] == path
            number = int(marker[1]) if here else number
            continue
        found.append((number, line))
        number += here
    return found
