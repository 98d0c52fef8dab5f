"""One statement or expression at a time through fparser, by the standard's name of the rule."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from py2f.fortran.statements import blanked, is_closed

ASSUMED_RANK, ASSUMED_TYPE = "py2f_assumed_rank", "py2f_assumed_type"
"""What stands in statements for Fortran 2018's ``(..)`` and ``type(*)``, which fparser does not know."""

_UNKNOWN = (
    (re.compile(r"\(\s*\.\.\s*\)"), f"({ASSUMED_RANK})"),
    (re.compile(r"\btype\s*\(\s*\*\s*\)", re.IGNORECASE), f"type({ASSUMED_TYPE})"),
    (re.compile(r"(?<=[\w)])(?<!codimension)\s*\[[^\]]*\](?=\s*(?:,|$))", re.IGNORECASE), ""),
    (re.compile(r"\bnon_recursive\s+", re.IGNORECASE), ""),
    (re.compile(r"^(implicit\s*none)\s*\(.*\)$", re.IGNORECASE), r"\1"),
)


@cache
def _rules() -> dict[str, Any]:
    from fparser.two import Fortran2003, Fortran2008
    from fparser.two.parser import ParserFactory

    ParserFactory().create(std="f2008")
    return {**vars(Fortran2003), **vars(Fortran2008)}


def parse(rule: str, text: str) -> Any:
    """Parse a statement as `rule`, as in ``parse("Use_Stmt", "use m")``; None if it is none."""
    from fparser.two.utils import FparserException

    if not is_closed(text):  # of which fparser may leave out a part without a word
        return None
    try:
        return _rules()[rule](known(text))
    except (FparserException, LookupError):  # it stumbles over `[, 1]` with an IndexError
        return None


def known(text: str) -> str:
    """The statement in the words that fparser knows."""
    for pattern, instead in _UNKNOWN:
        for found in reversed(list(pattern.finditer(blanked(text)))):
            text = text[: found.start()] + found.expand(instead) + text[found.end() :]
    return text


def has_cobounds(text: str) -> bool:
    """Whether a declaration has something like ``[*]`` behind a name or its bounds."""
    return bool(_UNKNOWN[2][0].search(blanked(text)))


def sort(node: Any) -> str:
    """The name of the rule that a node comes from."""
    return type(node).__name__


def each(node: Any) -> tuple[Any, ...]:
    """The members of a list rule; fparser leaves a list of one away in places."""
    if node is None:
        return ()
    return tuple(node.items) if sort(node).endswith("_List") or sort(node) == "Prefix" else (node,)


def low(node: Any) -> str:
    """A node as text in lower case; empty for None."""
    return "" if node is None else str(node).lower()


@cache
def intrinsics() -> frozenset[str]:
    """The names of the intrinsic procedures that fparser knows, in lower case."""
    return frozenset(name.lower() for name in _rules()["Intrinsic_Name"].function_names)
