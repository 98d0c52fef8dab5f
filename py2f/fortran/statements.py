"""From a file to statements: comments, continuation lines, semicolons and include lines, in free and in fixed form.

Done here and not by fparser's reader, which takes columns beyond 72 of fixed form for text, goes over to free form in the
middle of a file, and stops at what it cannot read with no more than a line in a log.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from py2f.errors import SourceError
from py2f.fortran.preprocess import decoded, preprocessed

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FIXED = frozenset({".f", ".for", ".ftn", ".f77", ".fpp"})
"""Suffixes, in lower case, that Fortran compilers take for fixed form."""

WIDTH = 72
"""The columns of fixed form: what stands beyond is a comment."""

_CONTINUED = 5
"""Where a character that is neither blank nor 0 continues a line of fixed form, counted from 0."""

_PREFIX = re.compile(  # a label, the name of a construct
    r"^\d*\s*(?:[a-z]\w*\s*:\s*(?=(?:do|if|select|where|forall|associate|block|critical|change)\b))?", re.IGNORECASE
)
_INCLUDE = re.compile(r"""include\s*(['"])(.+)\1""", re.IGNORECASE)


@dataclass(frozen=True)
class Statement:
    """A statement in one line, without label and name of a construct; `line` to `end` is where it stands."""

    text: str
    path: Path
    line: int
    end: int

    @property
    def low(self) -> str:
        """The statement in lower case, for what is compared; characters in quotes are blanked."""
        return blanked(self.text).lower()


@dataclass
class File:
    """The statements of a file and of what it includes."""

    path: Path
    statements: list[Statement] = field(default_factory=list)
    comments: dict[int, str] = field(default_factory=dict)  # lines of this file that are nothing else
    included: list[Path] = field(default_factory=list)


def read_file(path: Path, *, fixed: bool | None = None) -> File:
    """Read a file; raises SourceError when it cannot be read."""
    file = File(path)
    form = path.suffix.lower() in FIXED if fixed is None else fixed
    lines = preprocessed(path, _text(path))
    for statement in _split((_fixed if form else _free)(lines, file), path):
        include = _INCLUDE.fullmatch(statement.text)
        found = path.parent / include[2] if include else None
        if found is None or not found.is_file():  # a missing one may not matter: the scope that it stands in knows
            file.statements.append(statement)
        else:
            _include(file, found, fixed=form, statement=statement)
    return file


def _include(file: File, found: Path, *, fixed: bool, statement: Statement) -> None:
    if found.resolve() == file.path.resolve():
        raise SourceError(file.path, statement.line, "the file includes itself")
    other = read_file(found, fixed=fixed)
    file.included += [found, *other.included]
    file.statements += other.statements


def _text(path: Path) -> str:
    try:
        return decoded(path.read_bytes())
    except OSError as error:
        raise SourceError(path, 0, error.strerror or str(error)) from error


def _split(logical: Iterator[tuple[str, int, int]], path: Path) -> Iterator[Statement]:
    """Part what semicolons join, and take labels and names of constructs off."""
    for text, line, end in logical:
        marks, start = blanked(text), 0
        for stop in (*(i for i, c in enumerate(marks) if c == ";"), len(marks)):
            part = _PREFIX.sub("", text[start:stop].strip(), count=1)
            start = stop + 1
            if part:
                yield Statement(part, path, line, end)


def blanked(text: str) -> str:
    """The text with every character in quotes replaced by a blank, quotes included; as long as before."""
    return re.sub(r"'[^']*(?:'|$)|\"[^\"]*(?:\"|$)", lambda quoted: " " * len(quoted[0]), text)


def is_closed(text: str) -> bool:
    """Whether every quote and every parenthesis of a statement is closed."""
    return not _scan(text, "")[2] and blanked(text).count("(") == blanked(text).count(")")


def _scan(text: str, quote: str) -> tuple[str, str, str]:
    """Part code from the comment behind it; `quote` is the quote that is open before, and the last value after."""
    for i, character in enumerate(text):
        if quote:
            quote = "" if character == quote else quote
        elif character in "'\"":
            quote = character
        elif character == "!":
            return text[:i], text[i:], ""
    return text, "", quote


def _free(lines: list[tuple[int, str]], file: File) -> Iterator[tuple[str, int, int]]:
    joined, first, last, quote = "", 0, 0, ""
    for number, line in lines:
        text = line.strip()
        if not quote and text.startswith("!"):
            file.comments[number] = text
        if not text or (text[0] in "!#" and not quote):
            continue
        continuing = bool(joined)
        if continuing:  # in a character constant an ampersand is where the rest begins
            text = text.removeprefix("&")
        code, _, quote = _scan(text, quote)
        first, last = first if continuing else number, number
        stripped = code.rstrip()
        if stripped.endswith("&"):
            joined = joined + stripped[:-1] or " "
            continue
        yield (joined + code).strip(), first, last
        joined, quote = "", ""
    if joined.strip():
        yield joined.strip(), first, last


def _fixed(lines: list[tuple[int, str]], file: File) -> Iterator[tuple[str, int, int]]:
    joined, first, last, quote = "", 0, 0, ""
    for number, line in lines:
        if line[:1] in ("c", "C", "*", "!") or (line.lstrip()[:1] == "!" and line.find("!") != _CONTINUED):
            file.comments[number] = line.strip()
            continue
        if not line.strip() or line.startswith("#"):
            continue
        text = _columns(line)
        if text[:_CONTINUED].strip() and not text[:_CONTINUED].strip().isdigit():
            raise SourceError(file.path, number, f"columns 1 to 5 of fixed form hold a label, not {text[:_CONTINUED].strip()!r}")
        continuing = text[_CONTINUED:][:1] not in ("", " ", "0")
        if not continuing and joined.strip():
            yield joined.strip(), first, last
        if not continuing:
            joined, first, quote = f"{text[:_CONTINUED].strip()} ".lstrip(), number, ""
        code, _, quote = _scan(text[6:WIDTH].ljust(WIDTH - 6) if quote else text[6:WIDTH], quote)
        if quote or len(code) < WIDTH - 6:  # a line is that wide; one blank is as good as many, but in quotes
            code = code.ljust(WIDTH - 6 if quote else len(code) + 1)
        joined, last = joined + code, number
    if joined.strip():
        yield joined.strip(), first, last


def _columns(line: str) -> str:
    """A line with a tab among the first six columns, as compilers take it: a digit behind the tab continues."""
    head, tab, rest = line.partition("\t")
    if not tab or len(head) > _CONTINUED:
        return line.expandtabs()
    return f"{head:5}{rest}" if rest[:1] in set("123456789") else f"{head:6}{rest}".expandtabs()
