"""What Python is given instead of a plain view, and the function that is really called: decided when a library is attached."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from py2f.runtime import checking, chosen
from py2f.runtime._runtime import lib

if TYPE_CHECKING:
    from collections.abc import Callable

    from py2f.backends.gt4py import Held
    from py2f.decorators.registry import Exported
    from py2f.signature import Argument


class Wrapping:
    """The wraps of a library's procedures; fields that one of them keeps are compared with those of the others."""

    def __init__(self) -> None:
        self._held: Held | None = None
        self._checks = checking.Checks() if checking.wanted() else None

    def function(self, entry: Exported) -> Any:
        """The function that is called."""
        return self._checks.around(_function_of(entry), entry) if self._checks else _function_of(entry)

    def of(self, entry: Exported, narguments: int) -> tuple[Any, Any]:
        """For each view of a procedure what it is wrapped in and the base of its indices, and who is told what was kept."""
        views = [a for a in entry.procedure.arguments[:narguments] if a.view]
        wraps = tuple((self._wrap(entry, a), a.base) for a in views)
        if not any(wrap or base for wrap, base in wraps):
            return None, None
        return wraps, self._keeper(entry, views)

    def _wrap(self, entry: Exported, a: Argument) -> Callable[[Any], object] | None:
        if a.name in entry.mappings:
            return entry.mappings[a.name]
        if not a.dims:
            return None
        from py2f.backends.gt4py import Held, field_over

        self._held = self._held or Held()
        return field_over(entry.procedure, a, self._held)

    def _keeper(self, entry: Exported, views: list[Argument]) -> Callable[[list[tuple[int, Any]]], None]:
        def keep(kept: list[tuple[int, Any]]) -> None:
            fields = [(views[k], array) for k, array in kept if views[k].dims]
            if self._checks:
                self._checks.found(entry, fields)
            if self._held and self._held.keep(entry.procedure.name, fields):
                lib.p2f_forget()  # what was compared before is to be compared again

        return keep


def _function_of(entry: Exported) -> Any:
    """On the backend that is asked for, and returning arrays."""
    function = entry.function
    name = chosen.setting("backend") or entry.backend
    fields = any(r.dims for r in entry.procedure.results)
    if name or fields:
        from py2f.backends import gt4py

        function = gt4py.on_backend(function, gt4py.backend(name)) if name else function
        function = gt4py.returning_arrays(function, entry.procedure) if fields else function
    return function
