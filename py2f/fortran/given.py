"""All the sources that are given: their modules, external procedures and comments, and who writes what through whom."""

from __future__ import annotations

from typing import TYPE_CHECKING

from py2f.fortran.effects import Effects, effects_of
from py2f.fortran.headers import header_of
from py2f.fortran.scope import Entity, Scope, UndeclaredError, UnresolvedError
from py2f.fortran.specification import scope_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from py2f.fortran.comments import Comments
    from py2f.fortran.effects import Passed
    from py2f.fortran.units import Unit


class Given:
    """What procedures are read against."""

    def __init__(self, modules: Mapping[str, Scope], units: Sequence[Unit], comments: Comments) -> None:
        self.modules, self.comments = modules, comments
        self._externals = {unit.name: unit for unit in units if unit.sort in ("subroutine", "function")}
        self._scopes: dict[int, Scope] = {}
        self._effects: dict[int, Effects] = {}

    def scope(self, unit: Unit, host: Scope | None, *, body: bool = False) -> Scope:
        """The scope of a procedure, in which dummy arguments and result are there even if nothing declares them."""
        if id(unit) in self._scopes:
            return self._scopes[id(unit)]
        header = header_of(unit)
        scope = scope_of(unit, host, self.modules)
        scope.is_body, scope.dummies = body, header.arguments
        for name in (*header.arguments, header.result):
            if name not in ("", "*"):
                scope.entities.setdefault(name, Entity(name, unit.opening))
        if header.type is not None:
            scope.entities[header.result].type = header.type
        return self._scopes.setdefault(id(unit), scope)

    def effects(self, unit: Unit, scope: Scope) -> Effects:
        """What a procedure itself does."""
        if id(unit) not in self._effects:
            self._effects[id(unit)] = effects_of(unit, scope)
        return self._effects[id(unit)]

    def hands_on(self, unit: Unit, scope: Scope, name: str) -> bool:
        """Whether a procedure hands a variable on to others, however far, of which one may write it."""
        pending = self._handed_on(unit, scope, name)
        seen: set[tuple[int, str]] = set()
        while pending:
            callee = self._callee(*pending.pop())
            if callee is None:
                return True
            unit, scope, name = callee
            if (id(unit), name) in seen:
                continue
            seen.add((id(unit), name))
            entity = scope.entities[name]
            if entity.intent == "in" or "value" in entity.attributes:
                continue
            if entity.intent or scope.is_body or name in self.effects(unit, scope).written:
                return True
            pending += self._handed_on(unit, scope, name)
        return False

    def _handed_on(self, unit: Unit, scope: Scope, name: str) -> list[tuple[Passed, Scope]]:
        return [(passed, scope) for passed in self.effects(unit, scope).passed if passed.name == name]

    def _callee(self, passed: Passed, scope: Scope) -> tuple[Unit, Scope, str] | None:
        """The procedure that gets a variable, and as what; None: it is not among the sources, or another one may be meant."""
        found = self._procedure(passed.procedure, scope)
        if found is None:
            return None
        unit, host, body = found
        name = header_of(unit).place(passed.place)
        return (unit, self.scope(unit, host, body=body), name) if name not in ("", "*") else None

    def _procedure(self, name: str, scope: Scope) -> tuple[Unit, Scope | None, bool] | None:
        """The procedure of a name: of the host, of a module that is used, or external; or the body that describes it."""
        try:
            holder, original = scope.find(name)
        except UndeclaredError:
            return self._external(name)
        except UnresolvedError:
            return None
        if isinstance(holder, str):
            return None
        for part in holder.unit.procedures:
            if part.name == original:
                return part, holder, False
        if original in holder.interfaces:
            return holder.interfaces[original][0], holder, True
        return self._external(original) if holder.is_external(original) else None

    def _external(self, name: str) -> tuple[Unit, Scope | None, bool] | None:
        unit = self._externals.get(name)
        return (unit, None, False) if unit else None
