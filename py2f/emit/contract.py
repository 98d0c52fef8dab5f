"""The contract of a library as JSON: what a caller may rely on, for people, for ``py2f diff`` and for build systems."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from py2f.emit.fortran import generic_names

if TYPE_CHECKING:
    from py2f.signature import Argument, Library, Procedure


def contract_text(library: Library) -> str:
    """The contract; the same library gives the same bytes."""
    names = generic_names(library)
    homes = {p.name: part.name for part in library.parts for p in part.procedures}
    contract = {
        "library": library.name,
        "named": library.origin,
        "module": library.module,
        "signature": library.signature,
        "procedures": [_procedure(p, names[p.name], homes.get(p.name, library.name)) for p in library.procedures],
        "host": [_procedure(p, f"provide_{p.name}", library.name) for p in library.host],
    }
    return json.dumps(contract, indent=2, ensure_ascii=False) + "\n"


def _procedure(p: Procedure, fortran: str, module: str) -> dict[str, Any]:
    return {
        "name": p.name,
        "fortran": fortran,
        "use": module,
        "arguments": [_argument(a) for a in p.arguments],
        "returns": p.returned,
        "doc": p.doc,
    }


def _argument(a: Argument) -> dict[str, Any]:
    return {"name": a.name, "declared": a.declared, "optional": a.optional, "default": a.default}
