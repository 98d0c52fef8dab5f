"""What Fortran declares, as frozen values: procedures with their dummy arguments, module variables and constants.

A declaration that cannot be handed to or from Python is there all the same: its ``trouble`` says why.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True)
class Dummy:
    """A dummy argument, a function result, a module variable or a named constant."""

    name: str  # lower case
    type: str  # integer real complex logical character derived procedure class
    kind: str = ""  # as written: "dp", "c_double", "8"; empty: the default
    row: str = ""  # of py2f.types.KINDS; empty: none
    length: str = ""  # of characters: "*", ":", "8", "n"
    dimensions: tuple[str, ...] = ()  # ":" assumed shape or deferred, "*" assumed size, ".." assumed rank, else an extent
    intent: str = ""  # "in", "out", "inout"; empty: none is declared
    attributes: frozenset[str] = frozenset()  # as Fortran calls them; "written", "passed": what the procedure does without intent
    interface: Interface | None = None  # of a procedure
    line: int = 0
    text: str = ""  # the declaration as written, in one line
    trouble: str = ""  # why it cannot cross; empty: it can
    bounds: tuple[str, ...] = ()  # as written, but for named constants: `0:n - 1`, which flang does not take for the extent `n`
    value: str = ""  # of a named constant, or the initial value of a variable, as an expression of Fortran


@dataclass(frozen=True)
class Interface:
    """A procedure: its name, its dummy arguments in order, and its result if it is a function."""

    name: str
    arguments: tuple[Dummy, ...]
    result: Dummy | None = None
    attributes: frozenset[str] = frozenset()  # pure elemental impure recursive bind(c)
    symbol: str = ""  # what the linker calls a bind(c) procedure
    module: str = ""  # empty: an external procedure
    doc: str = ""
    path: str = ""
    line: int = 0
    text: str = ""  # the statement as written, in one line
    trouble: str = ""  # its own, or that of the first argument that has one


@dataclass(frozen=True)
class Module:
    """What a module makes public."""

    name: str
    procedures: tuple[Interface, ...]
    variables: tuple[Dummy, ...]
    constants: tuple[Dummy, ...]
    generics: tuple[tuple[str, tuple[str, ...]], ...] = ()  # a name, and the procedures behind it
    unwrapped: tuple[tuple[str, str], ...] = ()  # a name and a reason, for everything public that cannot cross
    uses: tuple[str, ...] = ()
    path: str = ""
    doc: str = ""


@dataclass(frozen=True)
class Source:
    """What several files declare together."""

    modules: tuple[Module, ...]
    externals: tuple[Interface, ...]
    included: tuple[Path, ...]  # the files that include statements name
