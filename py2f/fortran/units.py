"""From statements to program units: modules, procedures, interface blocks and types, with what they specify and execute.

The execution part is cut off before fparser sees anything: it says nothing of interfaces, and need not be known to fparser.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from py2f.errors import SourceError
from py2f.fortran.grammar import low, parse

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from py2f.fortran.statements import File, Statement


@dataclass
class Unit:
    """A program unit, subprogram, interface block or derived type."""

    sort: str  # module, submodule, program, subroutine, function, interface, type, enum, block data, procedure
    name: str
    opening: Statement
    node: Any = None  # what fparser makes of the opening statement
    specification: list[Statement] = field(default_factory=list)
    execution: list[Statement] = field(default_factory=list)
    parts: list[Unit] = field(default_factory=list)  # interface blocks, types, contained procedures
    end: int = 0

    def of(self, *sorts: str) -> Iterator[Unit]:
        """The parts of some sorts."""
        return (part for part in self.parts if part.sort in sorts)

    @property
    def procedures(self) -> Iterator[Unit]:
        """The contained subroutines and functions."""
        return self.of("subroutine", "function")


_WORD = re.compile(r"[a-z_]\w*")
_END = re.compile(r"end(?:\s*(?:program|module|submodule|subroutine|function|procedure|block\s*data)\s*\w*)?", re.IGNORECASE)
_ASSIGNMENT = re.compile(
    r"[a-z]\w*\s*(?:\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)\s*|%\s*\w+\s*|\[[^\]]*\]\s*)*=(?!=)", re.IGNORECASE
)

TYPES = frozenset("integer real complex logical character double doubleprecision doublecomplex type class byte".split())
DECLARATIONS = TYPES | frozenset(
    "allocatable asynchronous bind codimension common contiguous data dimension entry enumerator equivalence external format "
    "generic implicit implicitnone import include intent intrinsic namelist optional parameter pointer private procedure "
    "protected public save sequence target use value volatile".split()
)
EXECUTABLE = tuple(
    "accept allocate assign associate backspace block call case change close continue critical cycle deallocate decode do else "
    "encode end endfile error event exit fail flush forall form go goto if inquire lock nullify open pause print read return "
    "rewind select stop sync unlock wait where write".split()
)


def is_assignment(statement: Statement) -> bool:
    """Whether it assigns, or defines a statement function."""
    return bool(_ASSIGNMENT.match(statement.low)) and "::" not in statement.low.partition("=")[0]


class _Walker:
    """Goes through the statements of a file once."""

    def __init__(self, file: File) -> None:
        self.statements, self.path, self.at = file.statements, file.path, 0

    def peek(self) -> Statement | None:
        return self.statements[self.at] if self.at < len(self.statements) else None

    def units(self) -> Iterator[Unit]:
        while (statement := self.peek()) is not None:
            unit = _opened(statement)
            if unit is None:  # a main program needs no program statement
                unit = Unit("program", "", statement)
            else:
                self.at += 1
            self.fill(unit)
            yield unit

    def fill(self, unit: Unit) -> None:
        """Read to the end of a unit."""
        readers = {"interface": self._interface, "type": self._type, "enum": self._type}
        readers.get(unit.sort, self._subprogram)(unit)

    def _next(self, unit: Unit) -> Statement:
        statement = self.peek()
        if statement is None:
            raise SourceError(self.path, unit.opening.line, f"`{unit.opening.text}` has no end")
        self.at += 1
        return statement

    def _interface(self, unit: Unit) -> None:
        while not re.match(r"end\s*interface\b", (statement := self._next(unit)).low):
            part = _opened(statement)
            if part is None or part.sort == "procedure":
                unit.specification.append(statement)
            else:
                self.fill(part)
                unit.parts.append(part)
        unit.end = statement.end

    def _type(self, unit: Unit) -> None:
        while not re.match(rf"end\s*{unit.sort}\b", (statement := self._next(unit)).low):
            unit.specification.append(statement)
        unit.end = statement.end

    def _subprogram(self, unit: Unit) -> None:
        executing = contained = False
        while not _END.fullmatch((statement := self._next(unit)).low.strip()):
            if statement.low.strip() == "contains":
                contained = True
            elif contained:
                self._contained(unit, statement)
            elif executing or _is_executable(statement):
                executing = True
                self._executed(unit, statement)
            else:
                self._specified(unit, statement)
        unit.end = statement.end

    def _contained(self, unit: Unit, statement: Statement) -> None:
        part = _opened(statement)
        if part is None:
            raise SourceError(
                statement.path, statement.line, f"`{statement.text}` is no subprogram, but stands behind `contains`"
            )
        self.fill(part)
        unit.parts.append(part)

    def _executed(self, unit: Unit, statement: Statement) -> None:
        if re.fullmatch(r"(abstract\s+)?interface", statement.low.strip()):  # in a BLOCK construct
            self._interface(Unit("interface", "", statement))
        else:
            unit.execution.append(statement)

    def _specified(self, unit: Unit, statement: Statement) -> None:
        part = _opened(statement)
        if part is None or part.sort not in ("interface", "type", "enum"):
            _check(statement)
            unit.specification.append(statement)
            return
        self.fill(part)
        unit.parts.append(part)


def _is_executable(statement: Statement) -> bool:
    word = _word(statement)
    return is_assignment(statement) or (word not in DECLARATIONS and word.startswith(EXECUTABLE) and word != "enum")


def _word(statement: Statement) -> str:
    match = _WORD.match(statement.low)
    return match[0] if match else ""


def _check(statement: Statement) -> None:
    """Refuse what is neither: a declaration that is not understood must not be left out."""
    if _word(statement) not in DECLARATIONS:
        raise SourceError(
            statement.path, statement.line, f"neither a declaration nor an executable statement: `{statement.text}`"
        )


def _opened(statement: Statement) -> Unit | None:
    """The unit that a statement opens, without its contents."""
    text, word = statement.low, _word(statement)
    if word == "end" or is_assignment(statement):
        return None
    for pattern, sort, rule in _OPENINGS:
        if pattern.match(text):
            node = parse(rule, statement.text)
            if node is not None:
                return Unit(sort, _name(sort, node, statement), statement, node)
    return None


_OPENINGS = tuple(
    (re.compile(pattern), sort, rule)
    for pattern, sort, rule in (
        (r"(?:[\w*(),=:'\" ]+\s)?\s*subroutine\s+\w", "subroutine", "Subroutine_Stmt"),
        (r"(?:.*[\w)\s])?function\s+\w", "function", "Function_Stmt"),
        (r"module\s+procedure\b", "procedure", "Procedure_Stmt"),
        (r"module\s+\w+\s*$", "module", "Module_Stmt"),
        (r"submodule\s*\(", "submodule", "Submodule_Stmt"),
        (r"program\s+\w", "program", "Program_Stmt"),
        (r"block\s*data\b", "block data", "Block_Data_Stmt"),
        (r"(?:abstract\s+)?interface\b", "interface", "Interface_Stmt"),
        (r"type\b(?!\s*\()", "type", "Derived_Type_Stmt"),
        (r"enum\b", "enum", "Enum_Def_Stmt"),
    )
)


def _name(sort: str, node: Any, statement: Statement) -> str:
    if sort in ("subroutine", "function", "module", "submodule", "program", "type"):
        return low(node.items[1])
    if sort == "procedure":
        return statement.low.split()[-1]
    return low(node.items[0]) if sort == "interface" and low(node.items[0]) != "abstract" else ""


def units_of(file: File) -> list[Unit]:
    """The program units of a file; raises SourceError where it cannot be followed."""
    return list(_Walker(file).units())


def path_of(unit: Unit) -> Path:
    """The file that a unit begins in."""
    return unit.opening.path
