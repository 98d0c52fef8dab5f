"""What an exported library lets Python call: procedures that the host provides, and procedures that are arguments.

Both are thunks like those of the way back, in a Fortran module of their own, which the library's module passes on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from py2f.emit.names import assign
from py2f.emit.thunk_fortran import provider
from py2f.fortran.called import Called, Calls, Reach, assumed
from py2f.types import MAX_NAME

if TYPE_CHECKING:
    from py2f.signature import Library, Procedure


def host_calls(library: Library) -> Calls:
    """The procedures of the host first, then the arguments, in order; none is usual."""
    arguments = _arguments(library)
    wanted = [f"{p.name}_interface" for p in library.host] + [f"{p.name}_{name}" for p, name, _ in arguments]
    taken = {library.name.lower(), *(p.name.lower() for p in library.procedures), *(f"provide_{p.name}" for p in library.host)}
    names = assign([name[: MAX_NAME - 8] for name in wanted], taken)
    pairs = [(p, Reach.HOST) for p in library.host] + [(callback, Reach.ARGUMENT) for _, _, callback in arguments]
    called = [
        Called(p, assumed(p, shaped=False), reach=reach, interface_name=name)
        for (p, reach), name in zip(pairs, names, strict=True)
    ]
    return Calls(f"{library.name}_host", library.module, tuple(called))


def interfaces(library: Library) -> dict[str, dict[str, str]]:
    """What the interface of each procedure argument is called, by function and argument."""
    found: dict[str, dict[str, str]] = {p.name: {} for p in library.procedures}
    for c, (p, name, _) in zip(host_calls(library).called[len(library.host) :], _arguments(library), strict=True):
        found[p.name][name] = c.interface_name
    return found


def _arguments(library: Library) -> list[tuple[Procedure, str, Procedure]]:
    return [(p, a.name, a.callback) for p in library.procedures for a in p.arguments if a.callback]


def passed_on(library: Library) -> list[str]:
    """The names of the second module that the library's module makes public."""
    calls = host_calls(library)
    return [c.interface_name for c in calls.called] + [provider(c) for c in calls.called if c.reach is Reach.HOST]
