"""What the statement says that opens a subroutine or function."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from py2f.fortran.grammar import each, low, sort
from py2f.fortran.scope import literal

if TYPE_CHECKING:
    from py2f.fortran.units import Unit

_PREFIXES = {"pure", "elemental", "impure", "recursive"}


@dataclass(frozen=True)
class Header:
    """The statement of a subroutine or function."""

    arguments: tuple[str, ...]  # "*": an alternate return
    result: str  # empty: a subroutine
    type: Any  # in front of a function; None: declared inside, if at all
    attributes: frozenset[str]
    symbol: str

    def place(self, position: int | str) -> str:
        """The dummy argument at a position or of a keyword; empty if there is none."""
        if isinstance(position, str):
            return position if position in self.arguments else ""
        return self.arguments[position] if position < len(self.arguments) else ""


def header_of(unit: Unit) -> Header:
    """Read the opening statement of a procedure."""
    prefix, name, listed, suffix = unit.node.items
    bound, symbol = _binding(suffix, low(name))
    return Header(
        arguments=tuple(low(item) for item in each(listed)),
        result=(_result_name(suffix) or low(name)) if unit.sort == "function" else "",
        type=next((item for item in each(prefix) if sort(item).endswith("_Type_Spec")), None),
        attributes=frozenset(({low(item) for item in each(prefix)} & _PREFIXES) | ({"bind(c)"} if bound else set())),
        symbol=symbol,
    )


def _result_name(suffix: Any) -> str:
    """The name in RESULT(...); it is alone, or beside BIND(C)."""
    if sort(suffix) == "Suffix":
        return low(suffix.items[0])
    return low(suffix) if sort(suffix) == "Name" else ""


def _binding(suffix: Any, name: str) -> tuple[bool, str]:
    node = suffix.items[1] if sort(suffix) == "Suffix" else suffix
    if sort(node) != "Language_Binding_Spec":
        return False, ""
    return True, name if node.items[0] is None else literal(node.items[0]).strip()
