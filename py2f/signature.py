"""The intermediate representation: what is exported, as frozen values. Everything that is generated is made from it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from py2f.types import Extent, Kind

RESULT = "result"
"""What the result of a Fortran function is called in the intermediate representation."""


class Intent(Enum):
    """Who writes an argument."""

    IN = "In"
    OUT = "Out"
    INOUT = "InOut"


@dataclass(frozen=True)
class Shape:
    """The extents of an array; None: whatever the caller's array has."""

    extents: tuple[Extent | None, ...]

    @property
    def rank(self) -> int:
        """How many dimensions."""
        return len(self.extents)

    @property
    def explicit(self) -> bool:
        """Whether every extent is known before the call, as a result of explicit shape needs it."""
        return None not in self.extents

    def __str__(self) -> str:
        return f"[{', '.join(':' if e is None else str(e) for e in self.extents)}]"


@dataclass(frozen=True)
class Argument:
    """An argument or a result: a scalar, or an array if it has a shape."""

    name: str
    kind: Kind
    shape: Shape | None = None
    intent: Intent = Intent.IN
    optional: bool = False
    fortran: str = ""  # the name that the author wants in Fortran; empty: the same

    @property
    def rank(self) -> int:
        """Zero for a scalar."""
        return self.shape.rank if self.shape else 0

    @property
    def declared(self) -> str:
        """The annotation in its canonical spelling: equal text, equal argument."""
        plain = f"{self.kind}{self.shape or ''}"
        marked = f"{self.intent.value}[{plain}]" if self.shape and self.intent is not Intent.IN else plain
        return marked + " | None" * self.optional


@dataclass(frozen=True)
class Procedure:
    """One exported function."""

    name: str
    arguments: tuple[Argument, ...]
    results: tuple[Argument, ...] = ()
    doc: str = ""

    @property
    def arrays(self) -> tuple[Argument, ...]:
        """The array arguments: they come first in a frame."""
        return tuple(a for a in self.arguments if a.shape)

    @property
    def scalars(self) -> tuple[Argument, ...]:
        """The scalar arguments: they follow the arrays in a frame."""
        return tuple(a for a in self.arguments if not a.shape)

    @property
    def result(self) -> Argument | None:
        """What the Fortran function returns; None for a subroutine."""
        return self.results[0] if self.results else None

    def __str__(self) -> str:
        arguments = ", ".join(f"{a.name}: {a.declared}" for a in self.arguments)
        return f"{self.name}({arguments}) -> {self.result.declared if self.result else None}"


@dataclass(frozen=True)
class Library:
    """All exported functions of a Python module: one linked library, one Fortran module, both called `name`."""

    name: str
    module: str
    procedures: tuple[Procedure, ...]

    @property
    def signature(self) -> str:
        """Twelve hexadecimal digits that stand for all that a compiled Fortran caller depends on."""
        text = "\n".join([self.name, self.module, *map(str, self.procedures)])
        return hashlib.blake2b(text.encode(), digest_size=6).hexdigest()
