"""Lines of generated text: breaking, commenting, quoting."""

from __future__ import annotations

import re
import textwrap
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

WIDTH = 100
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
"""What no source file should hold."""


def wrap(line: str) -> str:
    """Break a line of Fortran at blanks outside of character literals; a comment stays whole."""
    indentation = len(line) - len(line.lstrip())
    rows: list[str] = []
    while len(line) > WIDTH and not line.lstrip().startswith("!"):
        cut = _last_blank(line, indentation + 4)
        if cut == 0:
            break
        rows.append(f"{line[:cut]} &")
        line = " " * (indentation + 4) + line[cut:].lstrip()
    return "\n".join([*rows, line])


def _last_blank(line: str, start: int) -> int:
    blanks = (i for i in range(start + 1, WIDTH - 1) if line[i] == " " and line[i - 1] != " ")
    return max((i for i in blanks if line.count('"', 0, i) % 2 == 0), default=0)


def indent(rows: Iterable[str], by: int = 2) -> list[str]:
    """Move rows to the right."""
    return [" " * by + row if row else row for row in rows]


def comment(text: str) -> list[str]:
    """Documentation as Fortran comments; no line is longer than the others of the file."""
    lines = (CONTROL.sub(lambda c: c[0].encode("unicode_escape").decode(), line) for line in text.expandtabs().splitlines())
    rows = [row for line in lines for row in textwrap.wrap(line, WIDTH - 10, subsequent_indent=_margin(line)) or [""]]
    return [f"!> {row}".rstrip() for row in rows]


def _margin(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def quote(text: str) -> str:
    """A C string literal: ASCII with octal escapes, so that any compiler reads the same bytes."""
    return '"' + "".join(map(_character, text.encode("utf-8", "surrogateescape"))) + '"'


def _character(byte: int) -> str:
    character = chr(byte)
    plain = character.isascii() and character.isprintable() and character not in '"\\?'  # ? could begin a trigraph
    return character if plain else f"\\{byte:03o}"
