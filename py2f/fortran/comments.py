"""The comments of sources: which of them document a procedure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from py2f.fortran.statements import File, Statement

_DIRECTIVE = re.compile(r"[!cC*](?:\$|dir\$|dec\$|gcc\$|f2py)", re.IGNORECASE)
_MARK = re.compile(r"^(?:![!><]?|[cC*])\s?")
_RULE = re.compile(r"[-=*#_~!.+ ]*")


class Comments:
    """The comment lines of several files."""

    def __init__(self, files: Iterable[File]) -> None:
        self._lines: dict[Path, dict[int, str]] = {file.path: file.comments for file in files}

    def of(self, statement: Statement) -> str:
        """The block of comment lines right before a statement, else right behind it; empty if there is none."""
        lines = self._lines.get(statement.path, {})
        return _block(lines, statement.line - 1, -1) or _block(lines, statement.end + 1, 1)


def _block(lines: dict[int, str], line: int, step: int) -> str:
    found = []
    while line in lines:
        if not _DIRECTIVE.match(lines[line]):
            found.append(lines[line])
        line += step
    return _plain(found[::step])


def _plain(lines: list[str]) -> str:
    """The text of comment lines without their marks, and without rules drawn of dashes and stars."""
    texts = [_MARK.sub("", line, count=1).rstrip() for line in lines]
    texts = ["" if _RULE.fullmatch(text) else text for text in texts]
    margin = min((len(text) - len(text.lstrip()) for text in texts if text), default=0)
    return re.sub(r"\n{3,}", "\n\n", "\n".join(text[margin:] for text in texts)).strip("\n")
