"""The intermediate representation: what is exported, as frozen values. Everything that is generated is made from it."""

from __future__ import annotations

import functools
import hashlib
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any

from py2f.types import Word

if TYPE_CHECKING:
    from py2f.types import Extent, Kind

RESULT = "(result)"
"""What the result of a Fortran function is called in the intermediate representation: no argument can have this name."""


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
    default: bool = False  # Python has one: callers that were compiled without the argument still call it
    fortran: str = ""  # the name that the author wants in Fortran; empty: the same
    field: bool = False  # of the tuple that Python returns: a dummy argument in Fortran
    dims: tuple[Any, ...] = ()  # the dimensions of a GT4Py field; empty: a NumPy array
    keep: bool = False  # Python holds the view after the call
    padded: bool = False  # the first extent may be larger than declared: Python sees the declared part
    base: int = 0  # of the indices in a table; Python's count from zero
    # of a Fortran procedure that Python calls:
    stub: bool = False
    value: bool = False
    allocatable: bool = False
    length: Extent | None = None  # of a text
    callback: Procedure | None = None  # what a Callable is called with

    def __hash__(self) -> int:  # emitters look arguments up at every row
        return hash(self.name)

    @property
    def rank(self) -> int:
        """Zero for a scalar."""
        return self.shape.rank if self.shape else 0

    @property
    def view(self) -> bool:
        """Whether Python sees the caller's memory: arrays, scalars that it writes, and strings of fixed length."""
        return self.shape is not None or self.intent is not Intent.IN or self.kind.word is Word.STRING

    @property
    def explicit(self) -> bool:
        """Whether it is an array all of whose extents are declared."""
        return self.shape is not None and self.shape.explicit

    @property
    def declared(self) -> str:
        """The annotation in its canonical spelling: equal text, equal argument."""
        plain = f"{self.kind}{self.shape or ''}" + f"({self.length})" * (self.length is not None)
        if self.callback:
            plain = f"Callable[[{', '.join(a.declared for a in self.callback.arguments)}], {self.callback.returned}]"
        plain = f"Field[{', '.join(str(d.value) for d in self.dims)}: {plain}]" if self.dims else plain
        plain = f"IndexBase({self.base})[{plain}]" if self.base else plain
        for storage in ("allocatable", "value", "keep", "padded"):
            plain = f"{storage.capitalize()}[{plain}]" if getattr(self, storage) else plain
        marked = f"{self.intent.value}[{plain}]" if self.intent is not Intent.IN else plain
        return marked + " | None" * self.optional


@dataclass(frozen=True)
class Procedure:
    """One exported function."""

    name: str
    arguments: tuple[Argument, ...]
    results: tuple[Argument, ...] = ()
    doc: str = ""

    @property
    def views(self) -> tuple[Argument, ...]:
        """The arguments that Python sees as views: they come first in a frame."""
        return tuple(a for a in self.arguments if a.view)

    @property
    def values(self) -> tuple[Argument, ...]:
        """The arguments that are handed over as values: they follow the views in a frame."""
        return tuple(a for a in self.arguments if not a.view)

    @property
    def result(self) -> Argument | None:
        """What the Fortran function returns; None for a subroutine."""
        return next((r for r in self.results if not r.field), None)

    @property
    def fields(self) -> tuple[Argument, ...]:
        """What Python returns as a tuple and Fortran takes as further dummy arguments."""
        return tuple(r for r in self.results if r.field)

    @property
    def dummies(self) -> tuple[Argument, ...]:
        """The dummy arguments in Fortran's order, but for stat and errmsg."""
        return (*self.arguments, *self.fields)

    def __str__(self) -> str:
        arguments = ", ".join(f"{a.name}: {a.declared}" for a in self.arguments)
        return f"{self.name}({arguments}) -> {self.returned}"

    @property
    def returned(self) -> str:
        """The return annotation in its canonical spelling."""
        if self.fields:
            return f"tuple[{', '.join(f'{r.name}: {r.declared}' for r in self.fields)}]"
        return self.result.declared if self.result else "None"


@dataclass(frozen=True)
class Part:
    """A module of a package that is exported as a whole: a Fortran module of its own, called `name`."""

    name: str
    module: str
    procedures: tuple[Procedure, ...]


@dataclass(frozen=True)
class Library:
    """All exported functions of Python modules: one linked library, and a Fortran module of its name that has them all."""

    name: str
    modules: tuple[str, ...]
    procedures: tuple[Procedure, ...]  # of all parts as well, in the order of the table
    host: tuple[Procedure, ...] = ()  # of the Fortran program, that Python calls
    parts: tuple[Part, ...] = ()
    named: tuple[str, ...] = ()  # what was asked for: a package, where `modules` are those in it; empty: the modules

    @property
    def module(self) -> str:
        """The Python modules, to be read."""
        return ", ".join(self.modules)

    @property
    def origin(self) -> str:
        """What was asked for, to be read."""
        return ", ".join(self.named or self.modules)

    @property
    def own(self) -> tuple[Procedure, ...]:
        """The procedures that stand in the Fortran module of the library itself, in no part."""
        elsewhere = {p.name for part in self.parts for p in part.procedures}
        return tuple(p for p in self.procedures if p.name not in elsewhere)

    @functools.cached_property
    def signature(self) -> str:
        """Twelve hexadecimal digits that stand for all that a compiled Fortran caller depends on."""
        text = "\n".join([self.name, self.module, *map(str, self.procedures), *(f"host {p}" for p in self.host), *self._places])
        return hashlib.blake2b(text.encode(), digest_size=6).hexdigest()

    @property
    def _places(self) -> list[str]:
        return [f"{part.name}: {', '.join(p.name for p in part.procedures)}" for part in self.parts]
