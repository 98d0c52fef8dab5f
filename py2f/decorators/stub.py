"""From the annotations of a stub to the intermediate representation: what Python says of a Fortran procedure."""

from __future__ import annotations

import dis
import inspect
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from py2f import types
from py2f.decorators.annotations import (
    Names,
    check_arguments,
    check_name,
    check_parameter,
    checked_result,
    evaluate,
    extents,
    read,
    tuple_fields,
)
from py2f.errors import RefusedError
from py2f.signature import RESULT, Argument, Intent, Procedure

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from py2f.emit.variables import Accessor


@dataclass(frozen=True)
class Origin:
    """Where the procedure is: sources, a library, or the program that Python runs in."""

    sources: tuple[Path, ...] = ()
    module: str = ""  # the Fortran module; empty: an external or bind(c) procedure
    library: str = ""
    includes: tuple[Path, ...] = ()  # where .mod files are
    host: bool = False
    links: tuple[str, ...] = ()  # the libraries that sources need

    @property
    def compiled_from(self) -> tuple[object, ...]:
        """What sources are compiled from: one library for all stubs that say the same."""
        return self.sources, self.includes, self.links

    def beside(self, folder: Path) -> Origin:
        """With paths from a folder: that of the stub's own file."""
        return replace(
            self,
            sources=tuple(folder / path for path in self.sources),
            library=_beside(folder, self.library),
            links=tuple(_beside(folder, name) for name in self.links),
            includes=tuple(folder / path for path in self.includes),
        )


def _beside(folder: Path, library: str) -> str:
    """A path from a folder; a name is the loader's business."""
    return str(folder / library) if "/" in library else library


@dataclass(frozen=True)
class Stub:
    """What py2f knows of a stub: its attribute ``__py2f__``."""

    procedure: Procedure  # Out arguments among the others, the function result alone in `results`
    module: str
    qualname: str
    where: str
    origin: Origin
    defaults: tuple[Any, ...]  # one an argument; REQUIRED where there is none
    keywords: tuple[str, ...]  # arguments that Python takes by keyword only
    returns: type | None = None  # a NamedTuple class
    copy: str = "never"
    errors: str = ""  # the argument that reports a status
    nogil: bool = False
    isolate: bool = False
    accessor: Accessor | None = None  # of a module variable: the procedure is generated

    @property
    def outs(self) -> tuple[Argument, ...]:
        """What Fortran defines and Python gets."""
        hidden = (self.errors, MESSAGE) if self.errors else ()
        return tuple(a for a in self.procedure.arguments if a.intent is Intent.OUT and a.name not in hidden)


COPIES = ("never", "warn", "ok")
"""What may happen where Fortran cannot take an array as it is; lend.h counts them in this order."""

REQUIRED = inspect.Parameter.empty
MESSAGE = "errmsg"
"""The argument whose text goes with a status."""


def read_stub(
    name: str, signature: inspect.Signature, known: Mapping[str, Any], doc: str, errors: str
) -> tuple[Procedure, type | None]:
    """Read the signature of a stub, and the NamedTuple class that it returns, if any; raises RefusedError."""
    names = Names(known, signature.parameters)
    arguments = tuple(_argument(p, name, names) for p in signature.parameters.values())
    check_arguments(Procedure(name, arguments))
    hidden = _hidden(name, arguments, errors)
    outs = [a for a in arguments if a.intent is Intent.OUT and a.name not in hidden]
    result, returns = _returned(signature.return_annotation, name, names, outs)
    procedure = Procedure(name, arguments, result, doc)
    _check_extents(procedure)
    return procedure, returns


def _argument(parameter: inspect.Parameter, function: str, names: Names) -> Argument:
    where = f"argument '{parameter.name}' of '{function}'"
    check_parameter(parameter, where)
    neutral = Argument(parameter.name, types.i32, stub=True)
    argument = read(evaluate(parameter.annotation, names, where), neutral, where)
    check_name(argument, where)
    _check_text(argument, where)
    if argument.allocatable and argument.intent is not Intent.OUT:
        raise RefusedError(
            f"{where}: only what Fortran defines is Allocatable; write {replace(argument, intent=Intent.OUT).declared}"
        )
    if argument.intent is Intent.OUT and parameter.default not in (parameter.empty, None):
        raise RefusedError(f"{where}: what Fortran defines has no default")
    return argument


def _check_text(a: Argument, where: str) -> None:
    word = a.kind.word
    if a.intent is not Intent.IN and word is types.Word.TEXTS:
        raise RefusedError(f"{where}: Fortran cannot write into a list; use {a.intent.value}[string[:]]")
    if a.intent is Intent.INOUT and word is types.Word.TEXT:
        raise RefusedError(f"{where}: Fortran cannot write into a str; use InOut[string]")
    if a.length is not None and word not in (types.Word.TEXT, types.Word.TEXTS, types.Word.STRING):
        raise RefusedError(f"{where}: only characters have a Length")


def _hidden(name: str, arguments: tuple[Argument, ...], errors: str) -> tuple[str, ...]:
    """The arguments that report a status: Python gets an exception instead."""
    if not errors:
        return ()
    status = next((a for a in arguments if a.name == errors), None)
    if status is None or status.intent is not Intent.OUT or status.kind.word is not types.Word.INTEGER or status.shape:
        raise RefusedError(f"errors={errors!r}: '{name}' has no argument '{errors}: Out[i32]' that reports a status")
    message = next((a for a in arguments if a.name == MESSAGE), None)
    is_text = message and message.kind.word in (types.Word.TEXT, types.Word.STRING) and not message.shape
    if message and not (is_text and message.intent is Intent.OUT):
        raise RefusedError(
            f"errors={errors!r}: argument '{MESSAGE}' of '{name}' is {message.declared}, but is the text of the exception: "
            f"write Out[str]"
        )
    return (errors, MESSAGE)


def _returned(annotation: object, name: str, names: Names, outs: list[Argument]) -> tuple[tuple[Argument, ...], type | None]:
    """The function result, if there is one: what is returned besides the outs comes first."""
    where = f"the result of '{name}'"
    if annotation is inspect.Signature.empty:
        raise RefusedError(f"{where} has no annotation: write `-> None`, or what Python gets")
    spelled = evaluate(annotation, names, where)
    parts, returns = _parts(spelled, name, names, where)
    if len(parts) - len(outs) not in (0, 1):
        listed = f" ({', '.join(a.name for a in outs)})" if outs else ""
        there = f"there {'is' if len(outs) == 1 else 'are'} {_counted(len(outs), 'Out argument')}{listed}"
        raise RefusedError(
            f"{where} has {_counted(len(parts), 'value')}, but {there}: return the function result, if there is one, then these"
        )
    neutral = Argument(RESULT, types.i32, stub=True)
    values = [read(part, neutral, where) for part in parts]
    for a, r in zip(outs, values[len(parts) - len(outs) :], strict=True):
        _compare(a, r, where)
    result = tuple(checked_result(replace(r, stub=False), parts[0], where) for r in values[: len(parts) - len(outs)])
    return tuple(replace(r, stub=True) for r in result), returns


def _parts(spelled: Any, name: str, names: Names, where: str) -> tuple[list[object], type | None]:
    """What is returned, one by one, and the NamedTuple class that Python gets it in."""
    if spelled is None:
        return [], None
    fields = tuple_fields(spelled, name, names, where)
    if fields is None:
        return [spelled], None
    return list(fields.values()), spelled if isinstance(spelled, type) and hasattr(spelled, "_fields") else None


def _counted(n: int, what: str) -> str:
    return f"{n} {what}{'s' * (n != 1)}"


def _compare(out: Argument, returned: Argument, where: str) -> None:
    same = (out.kind is returned.kind or out.kind.word in (types.Word.STRING, types.Word.TEXT)) and out.rank == returned.rank
    if not same:
        raise RefusedError(f"{where} has {returned.declared} where argument '{out.name}' is {out.declared}")


def _check_extents(procedure: Procedure) -> None:
    """Every name in an extent is an integer that is given, or an extent of an array that is given."""
    known = {a.name for a in procedure.arguments if a.intent is Intent.IN and a.kind.word is types.Word.INTEGER and not a.shape}
    bound = {e.text for a in procedure.arguments if a.intent is not Intent.OUT for e in extents(a) if e.text.isidentifier()}
    for a in (*procedure.arguments, *procedure.results):
        for name in (name for e in (*extents(a), *([a.length] if a.length else [])) for name in e.names):
            if name not in known | bound:
                of = "the result" if a.name == RESULT else f"'{a.name}'"
                where = f"extent '{name}' of {of} of '{procedure.name}'"
                raise RefusedError(f"{where} is neither an integer argument nor an extent of an array that is given")


def refuse_body(function: Any) -> None:
    """A stub says what a procedure is like, it does nothing; raises RefusedError."""
    nothing = {"RESUME", "NOP", "RETURN_VALUE", "RETURN_CONST", "LOAD_CONST", "POP_TOP", "COPY_FREE_VARS"}
    code = function.__code__
    constants = {i.argval for i in dis.get_instructions(code) if i.opname in ("LOAD_CONST", "RETURN_CONST")}
    if {i.opname for i in dis.get_instructions(code)} - nothing or constants - {None, Ellipsis}:
        raise RefusedError(f"'{function.__qualname__}' has a body, which nobody would run: write `...` alone")
