"""One wrapper: the Fortran procedure that users call, which fills a frame, calls, and hands out the result."""

from __future__ import annotations

from typing import TYPE_CHECKING

from py2f.emit.declarations import declarations
from py2f.emit.names import assign, called, words
from py2f.emit.scope import ALWAYS, Scope
from py2f.emit.statements import statements
from py2f.emit.text import comment, indent

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from py2f.signature import Procedure


def references(procedure: Procedure, interfaces: Mapping[str, str]) -> set[str]:
    """What a wrapper refers to besides its own variables: read off the wrapper itself, with dummies that cannot be mistaken."""
    neutral = Scope("", "", {a: f"py2f__{i}" for i, a in enumerate(procedure.dummies)}, interfaces=interfaces)
    referred = words(declarations(procedure, neutral), statements(procedure, neutral, 0))
    own = {neutral.frame, neutral.layout, neutral.rc, neutral.result, neutral.dense, *ALWAYS}
    return {name for name in referred - own if not name.startswith("py2f__")}


def scope(procedure: Procedure, module: str, specific: str, taken: Collection[str], interfaces: Mapping[str, str]) -> Scope:
    """Name everything: a dummy argument yields to what the wrapper refers to, the wrapper's variables to the dummies.

    `taken` is what it refers to, and what the module imports under other names: a dummy of such a name would be taken for it.
    """
    taken = {*taken, specific.lower(), *ALWAYS}
    wanted = [a.fortran or a.name for a in procedure.dummies]
    dummies = dict(zip(procedure.dummies, assign(wanted, taken), strict=True))
    return Scope.of(module, specific, dummies, taken, interfaces)


def procedure_text(procedure: Procedure, s: Scope, number: int, intrinsics: Collection[str]) -> list[str]:
    """The rows of a wrapper; `intrinsics` are generic names of the module that hide intrinsics of the same name."""
    specific = s.procedure
    declared, body = declarations(procedure, s), statements(procedure, s, number)
    own = {name.lower() for name in s.dummies.values()}  # an array element looks like a call
    hidden = called([*body, *(row.partition("::")[2] for row in declared)], set(intrinsics) - own)
    kind = "function" if procedure.result else "subroutine"
    head = f"{kind} {specific}({', '.join([*(s[a] for a in procedure.dummies), *ALWAYS])})"
    return [
        *comment(procedure.doc),
        *_renamed(procedure, s),
        *_promises(procedure, s),
        head + (f" result({s.result})" if procedure.result else ""),
        *([f"  intrinsic :: {', '.join(hidden)}"] if hidden else []),
        *indent(declared),
        "",
        *indent(body),
        f"end {kind} {specific}",
    ]


def _renamed(procedure: Procedure, s: Scope) -> list[str]:
    called = [f"!> Python's argument '{a.name}' is called {s[a]} here." for a in procedure.arguments if s[a] != a.name]
    return called + [f"!> Python's result '{r.name}' is called {s[r]} here." for r in procedure.fields if s[r] != r.name]


def _promises(procedure: Procedure, s: Scope) -> list[str]:
    """What the caller has to know of single arguments."""
    kept = [s[a] for a in procedure.arguments if a.keep]
    rows = [f"!> Python keeps {', '.join(kept)}: what is handed over must stay allocated and unmoved."] if kept else []
    for a in procedure.arguments:
        if a.padded and a.shape:
            rows.append(f"!> Python sees the first {a.shape.extents[0]} elements of {s[a]} along its first dimension.")
        if a.base:
            rows.append(f"!> The indices in {s[a]} count from {a.base}.")
    return rows
