"""The signature of a stub, with annotations as text: what is printed into a module of stubs, and what `fortran_module` reads."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING

from py2f.emit.stub_types import Caller, parameter_type, result_type, return_type

if TYPE_CHECKING:
    from collections.abc import Iterator

    from py2f.fortran.declared import Interface


def signature_of(procedure: Interface) -> inspect.Signature:
    """How Python calls a procedure that can be wrapped."""
    return inspect.Signature(list(_parameters(procedure, Caller.of(procedure))), return_annotation=_tuple(returned(procedure)))


def _parameters(procedure: Interface, caller: Caller) -> Iterator[inspect.Parameter]:
    """The parameters in Fortran's order: a required one behind an optional one is given by keyword."""
    defaults = keywords = False
    for dummy in procedure.arguments:
        optional = "optional" in dummy.attributes
        keywords = keywords or (defaults and not optional)
        defaults = defaults or optional
        yield inspect.Parameter(
            caller.python(dummy.name),
            inspect.Parameter.KEYWORD_ONLY if keywords else inspect.Parameter.POSITIONAL_OR_KEYWORD,
            default=None if optional else inspect.Parameter.empty,
            annotation=parameter_type(dummy, caller) + " | None" * optional,
        )


def returned(procedure: Interface) -> list[str]:
    """What Python gets: the function result, then what is intent(out)."""
    caller = Caller.of(procedure)
    result = [result_type(procedure.result, caller)] if procedure.result else []
    outs = [dummy for dummy in procedure.arguments if dummy.intent == "out"]
    return result + [return_type(dummy, caller) + " | None" * ("optional" in dummy.attributes) for dummy in outs]


def _tuple(parts: list[str]) -> str:
    if len(parts) > 1:
        return f"tuple[{', '.join(parts)}]"
    return parts[0] if parts else "None"
