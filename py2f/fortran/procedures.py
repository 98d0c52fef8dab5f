"""From a subroutine or function to an :class:`Interface`."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from py2f.fortran.declared import Interface
from py2f.fortran.dummies import dummy_of, written
from py2f.fortran.headers import header_of
from py2f.fortran.scope import UnresolvedError

if TYPE_CHECKING:
    from py2f.fortran.declared import Dummy
    from py2f.fortran.given import Given
    from py2f.fortran.headers import Header
    from py2f.fortran.scope import Entity, Scope
    from py2f.fortran.units import Unit


def interface_of(unit: Unit, host: Scope | None, given: Given, *, body: bool = False) -> Interface:
    """Read a procedure; `body` is whether it is one of an interface block. Raises SourceError with what cannot be read."""
    header = header_of(unit)
    scope = given.scope(unit, host, body=body)
    read = _Reader(unit, scope, header, given)
    dummies = tuple(read.dummy(argument) for argument in header.arguments if argument != "*")
    result = read.result(header.result) if header.result else None
    return Interface(
        name=unit.name,
        arguments=dummies,
        result=result,
        attributes=header.attributes,
        symbol=header.symbol,
        module=host.unit.name if host is not None and host.unit.sort == "module" else "",
        doc=given.comments.of(unit.opening),
        path=str(unit.opening.path),
        line=unit.opening.line,
        text=written(unit.opening.text),
        trouble="alternate return" if "*" in header.arguments else _trouble(dummies, result),
    )


class _Reader:
    """Reads the dummy arguments of one procedure."""

    def __init__(self, unit: Unit, scope: Scope, header: Header, given: Given) -> None:
        self.unit, self.scope, self.given = unit, scope, given
        self.names = tuple(name for name in header.arguments if name != "*")
        missing = any(not scope.entities[name].intent for name in self.names)
        self.effects = given.effects(unit, scope) if missing and not scope.is_body else None

    def dummy(self, name: str) -> Dummy:
        entity = self.scope.entities[name]
        block = self.scope.interfaces.get(name)
        if block or self._is_called(entity):
            entity.procedure = entity.procedure or ""
        dummy = dummy_of(entity, self.scope, self.names)
        if dummy.type == "procedure":
            return self._procedure(dummy, entity)
        dummy = replace(dummy, attributes=dummy.attributes | self._effects_on(dummy))
        return replace(dummy, trouble=dummy.trouble or _trouble_of_dummy(dummy) or self._trouble_of_extents(dummy))

    def _is_called(self, entity: Entity) -> bool:
        """Whether a dummy argument without bounds is referenced like a function: Fortran 77 needs no EXTERNAL for that."""
        if self.effects is None or entity.intent or entity.shape is not None:
            return False
        referenced = entity.name in self.effects.referenced and not self.scope.is_text(entity.name)
        return referenced or entity.name in self.effects.called

    def _effects_on(self, dummy: Dummy) -> set[str]:
        if dummy.intent or "value" in dummy.attributes:
            return set()
        if self.effects is None:  # there is no body: what it does is as unknown as what others do
            return {"written", "passed"}
        if dummy.name in self.effects.written:
            return {"written"}
        return {"written", "passed"} if self.given.hands_on(self.unit, self.scope, dummy.name) else set()

    def _procedure(self, dummy: Dummy, entity: Entity) -> Dummy:
        try:
            interface = self._interface(entity)
        except UnresolvedError as error:
            return replace(dummy, trouble=str(error))
        if interface is None:
            return replace(dummy, trouble="procedure without explicit interface")
        trouble = "procedure pointer" if "pointer" in dummy.attributes else ""
        return replace(dummy, interface=interface, trouble=trouble or (f"its {interface.trouble}" if interface.trouble else ""))

    def _interface(self, entity: Entity) -> Interface | None:
        if entity.name in self.scope.interfaces:
            return interface_of(self.scope.interfaces[entity.name][0], self.scope, self.given, body=True)
        if not entity.procedure:
            return None
        holder, original = self.scope.find(entity.procedure)
        if isinstance(holder, str):
            raise UnresolvedError(f"'{original}' of {holder} is no interface that is known")
        if original in holder.interfaces:
            return interface_of(holder.interfaces[original][0], holder, self.given, body=True)
        units = [part for part in holder.unit.procedures if part.name == original]
        if not units:
            raise UnresolvedError(f"'{entity.procedure}' is no interface")
        return interface_of(units[0], holder, self.given)

    def _trouble_of_extents(self, dummy: Dummy) -> str:
        """An extent is computed before the call, from integers that are there."""
        for name in _names_in(dummy):
            entity = self.scope.entities[name]
            other = dummy_of(entity, self.scope, self.names)
            if other.type != "integer" or other.dimensions:
                return f"extent '{name}' is not an integer scalar"
            if "optional" in entity.attributes or other.intent in ("out", "inout"):
                return f"extent '{name}' is not an input that is always present"
            if not other.intent and "written" in (attributes := self._effects_on(other)) and "passed" not in attributes:
                return f"extent '{name}' has no intent, and is written"
        return ""

    def result(self, name: str) -> Dummy:
        dummy = dummy_of(self.scope.entities[name], self.scope, self.names)
        return replace(dummy, trouble=dummy.trouble or _trouble_of_result(dummy) or self._trouble_of_extents(dummy))


def _names_in(dummy: Dummy) -> list[str]:
    return re.findall(r"[a-z]\w*", " ".join((*dummy.dimensions, dummy.length)))


def _trouble_of_dummy(dummy: Dummy) -> str:
    if "pointer" in dummy.attributes:
        return "pointer dummy"
    if "allocatable" in dummy.attributes and dummy.intent != "out":
        return "allocatable dummy that is not intent(out)"
    if dummy.row == "str" and dummy.length == ":" and dummy.dimensions:
        return "array of deferred length"
    return ""


def _trouble_of_result(dummy: Dummy) -> str:
    if dummy.length == "*":
        return "character(len=*) function"
    if dummy.row == "str" and dummy.dimensions:
        return "array of characters"
    if "pointer" in dummy.attributes and dummy.length == ":":
        return "pointer of deferred length"
    return ""


def _trouble(arguments: tuple[Dummy, ...], result: Dummy | None) -> str:
    for dummy in arguments:
        if dummy.trouble:
            return f"argument '{dummy.name}': {dummy.trouble}"
    return f"result: {result.trouble}" if result and result.trouble else ""
