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
    """Break a line of Fortran at a blank, else behind a parenthesis, else inside of a literal; a comment stays whole."""
    margin = " " * (len(line) - len(line.lstrip()) + 4)
    rows: list[str] = []
    while len(line) > WIDTH and not line.lstrip().startswith("!"):
        places = range(len(margin) + 1, WIDTH - 1)
        if cut := _last(line, places, " ", outside=True) or _last(line, places[:-1], "(", outside=True):
            rows.append(f"{line[:cut].rstrip()} &")
            line = margin + line[cut:].lstrip()
        elif cut := _last(line, places, "", outside=False):
            rows.append(f"{line[:cut]}&")
            line = f"{margin}&{line[cut:]}"
        else:
            break
    return "\n".join([*rows, line])


def _last(line: str, places: range, character: str, *, outside: bool) -> int:
    """Behind the last such character outside of literals, or the last place inside of one; zero if there is none."""
    rest = line.lstrip().startswith("&")  # of a literal
    fits = (i for i in places if line[i].startswith(character) and line[i - 1] != " ")
    return max((i + 1 for i in fits if ((line.count('"', 0, i + 1) + rest) % 2 == 0) is outside), default=0)


def indent(rows: Iterable[str], by: int = 2) -> list[str]:
    """Move rows to the right."""
    return [" " * by + row if row else row for row in rows]


def colons(rank: int) -> str:
    """The shape of an array that takes its extents from elsewhere; nothing for a scalar."""
    return f"({', '.join(':' * rank)})" if rank else ""


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
