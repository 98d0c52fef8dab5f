"""What the names of a scoping unit stand for: its own declarations, those that USE brings, those of its host."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from py2f.fortran.grammar import each, low, parse, sort
from py2f.fortran.intrinsic_modules import KIND_NAMES, TYPE_NAMES, may_declare

if TYPE_CHECKING:
    from collections.abc import Mapping

    from py2f.fortran.statements import Statement
    from py2f.fortran.units import Unit


class UnresolvedError(Exception):
    """Why a name or an expression has no value that is known."""


class UndeclaredError(UnresolvedError):
    """A name that is declared nowhere in the given sources, and cannot come from anywhere else."""


@dataclass
class Entity:
    """What the specification statements say of a name, taken together."""

    name: str
    statement: Statement
    type: Any = None  # fparser's node of the type; None: by the implicit rules, if at all
    length: Any = None  # behind the name: `s*8`
    shape: Any = None
    value: Any = None
    intent: str = ""
    attributes: set[str] = field(default_factory=set)
    procedure: str | None = None  # the interface of a procedure; empty: an implicit one
    symbol: str = ""
    is_looked_up: bool = False  # a constant, right now


@dataclass(frozen=True)
class Use:
    """A USE statement: the names of the module by the names here."""

    module: str
    names: Mapping[str, str]
    only: bool

    def original(self, name: str) -> str | None:
        """What the module calls `name`; None: the statement does not bring it."""
        if name in self.names:
            return self.names[name]
        return None if self.only or name in self.names.values() else name


class Scope:
    """A scoping unit, with the host whose names it sees and the modules that are given."""

    def __init__(self, unit: Unit, host: Scope | None, modules: Mapping[str, Scope]) -> None:
        self.unit, self.host, self.modules = unit, host, modules
        self.entities: dict[str, Entity] = {}
        self.uses: list[Use] = []
        self.missing: list[str] = []  # include files that are not there
        self.implicit: dict[str, Any] | None = None  # first letters to types; None: as in the host
        self.implicit_none = False
        self.is_body = False  # of an interface block: the implicit rules of the host do not apply
        self.dummies: tuple[str, ...] = ()
        self.private = False
        self.access: dict[str, str] = {}
        self.namelists: set[str] = set()
        self.types = {part.name for part in unit.of("type")}
        self.generics: dict[str, list[str]] = {}
        self.interfaces: dict[str, tuple[Unit, str]] = {}  # bodies, and the sort of block they stand in

    def is_public(self, name: str) -> bool:
        """Whether a module lets others use a name."""
        return self.access.get(name, "private" if self.private else "public") == "public"

    def declares(self, name: str) -> bool:
        """Whether the name is this unit's own."""
        own = (self.entities, self.interfaces, self.types, self.generics)
        return any(name in names for names in own) or any(part.name == name for part in self.unit.procedures)

    def hides(self, name: str) -> bool:
        """Whether the name of an intrinsic procedure means something else here."""
        return self.declares(name) or (self.host is not None and self.host.hides(name))

    def find(self, name: str, seen: frozenset[str] = frozenset()) -> tuple[Scope | str, str]:
        """Where a name is declared, and as what: a scope, or the name of an intrinsic module; raises UnresolvedError."""
        if self.declares(name):
            return self, name
        doubtful = ""
        for use in self.uses:
            original = use.original(name)
            found = None if original is None else self._used(use, original, seen)
            if isinstance(found, str):
                doubtful = found
            elif found is not None:
                return found
        if doubtful:
            raise UnresolvedError(doubtful)
        if self.host is not None:
            return self.host.find(name, seen)
        raise UndeclaredError(f"'{name}' is declared nowhere in the given sources")

    def _used(self, use: Use, name: str, seen: frozenset[str]) -> tuple[Scope | str, str] | str | None:
        """What a USE statement brings; a text: why one cannot tell."""
        if use.module in KIND_NAMES:
            return (use.module, name) if name in KIND_NAMES[use.module] or name in TYPE_NAMES or use.only else None
        module = self.modules.get(use.module)
        if module is None:
            of = "is" if name in use.names.values() else "may be"
            told = use.only or may_declare(use.module, name)
            return f"'{name}' {of} of module '{use.module}', which is not among the given sources" if told else None
        if use.module in seen or not module.is_public(name):
            return None
        return module.exported(name, seen | {use.module})

    def exported(self, name: str, seen: frozenset[str]) -> tuple[Scope | str, str] | str | None:
        """What others get of this module under a name."""
        host, self.host = self.host, None
        try:
            return self.find(name, seen)
        except UndeclaredError:
            return None
        except UnresolvedError as error:
            return str(error)
        finally:
            self.host = host

    def is_array(self, name: str) -> bool:
        """Whether a name is known to be that of an array."""
        try:
            holder, original = self.find(name)
        except UnresolvedError:
            return False
        entity = None if isinstance(holder, str) else holder.entities.get(original)
        return entity is not None and entity.shape is not None

    def is_external(self, name: str) -> bool:
        """Whether a name of this unit can be nothing else than an external procedure's, if it is called."""
        entity = self.entities.get(name)
        if entity is None or entity.procedure is not None or entity.intent or entity.shape is not None:
            return False
        return not entity.attributes - {"external"} and name not in self.dummies

    def is_text(self, name: str) -> bool:
        """Whether a name is that of characters."""
        entity = self.entities.get(name)
        if entity is None:
            return False
        return low(entity.type if entity.type is not None else self.implicit_type(name)).startswith("character")

    def implicit_type(self, name: str) -> Any:
        """The type of a name that is not declared; None under IMPLICIT NONE."""
        scope: Scope | None = self
        while scope is not None:
            if scope.implicit is not None and name[0] in scope.implicit:
                return scope.implicit[name[0]]
            if scope.implicit_none:
                return None
            scope = scope.host if not scope.is_body else None
        return parse("Intrinsic_Type_Spec", "integer" if name[0] in "ijklmn" else "real")

    def missing_include(self) -> str:
        """An include file that is not there, and which may hold declarations; empty: there is none."""
        files = self.missing or ([self.host.missing_include()] if self.host and not self.is_body else [])
        return files[0] if files else ""


def literal(node: Any) -> str:
    """The characters of a character constant without its quotes; empty if it is none."""
    if sort(node) != "Char_Literal_Constant":
        return ""
    return str(node.items[0])[1:-1]


def names(node: Any) -> list[str]:
    """The names of a list of names."""
    return [low(item) for item in each(node)]
