"""From annotations to the intermediate representation.

Annotations are evaluated here, not by ``typing.get_type_hints``: a name that the module does not know is an extent.
"""

from __future__ import annotations

import builtins
import inspect
import types as python_types
import typing
from typing import TYPE_CHECKING, Any

from py2f import types
from py2f.signature import RESULT, Argument, Intent, Procedure, Shape

if TYPE_CHECKING:
    from collections.abc import Mapping


class RefusedError(Exception):
    """Why an annotation cannot be exported; the decorator adds file and line."""


class _Names(dict[str, Any]):
    """The namespace of annotations: what nobody knows is an extent, and so is an argument unless it names a type."""

    def __init__(self, known: Mapping[str, Any], arguments: typing.Iterable[str]) -> None:
        super().__init__()
        self._known = known
        self._arguments = frozenset(arguments)

    def __missing__(self, name: str) -> Any:
        known = name in self._known or hasattr(builtins, name)
        value = self._known.get(name, getattr(builtins, name, None))
        if not known or (name in self._arguments and not _is_type(value)):
            return types.Extent(name)
        return value


def _is_type(value: object) -> bool:
    kinds = (types.Mark, types.Kind, types.Array, type, python_types.ModuleType)
    return isinstance(value, kinds) or typing.get_origin(value) is not None


def read_procedure(name: str, signature: inspect.Signature, known: Mapping[str, Any], doc: str) -> Procedure:
    """Read a signature whose string annotations are evaluated among the names `known`; raises RefusedError."""
    names = _Names(known, signature.parameters)
    arguments = tuple(_parameter(p, name, names) for p in signature.parameters.values())
    results = _result(signature.return_annotation, name, names)
    procedure = Procedure(name, arguments, results, doc)
    _check_arguments(procedure)
    _check_extents(procedure)
    return procedure


def _parameter(parameter: inspect.Parameter, function: str, names: _Names) -> Argument:
    where = f"argument '{parameter.name}' of '{function}'"
    if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
        raise RefusedError(f"{where}: Fortran has no variable number of arguments; name each argument")
    if parameter.annotation is parameter.empty:
        hint = "; a method is not exported: make it a staticmethod or a function" if parameter.name in ("self", "cls") else ""
        raise RefusedError(f"{where} has no annotation{hint or ': write its type, as in f64 or In[f64[:, :]]'}")
    argument = _read(_evaluate(parameter.annotation, names, where), Argument(parameter.name, types.BY_NAME["i32"]), where)
    _check_name(argument, where)
    if argument.intent is not Intent.IN and not argument.shape:
        raise RefusedError(f"{where}: a scalar is an input here; return the value instead of marking it {argument.intent.value}")
    if parameter.default is not parameter.empty:
        return _replace(argument, optional=True)
    return argument


def _check_name(argument: Argument, where: str) -> None:
    name = argument.fortran or argument.name
    if not isinstance(name, str) or not name.isascii() or not name.isidentifier() or len(name) > types.MAX_NAME:
        raise RefusedError(
            f"{where}: Fortran's names are ASCII and have at most 63 characters; write Annotated[..., Name('...')]"
        )


def _check_arguments(procedure: Procedure) -> None:
    if len(procedure.arguments) > types.MAX_ARGUMENTS:
        raise RefusedError(
            f"'{procedure.name}' has {len(procedure.arguments)} arguments, the limit is {types.MAX_ARGUMENTS}; hand arrays over"
        )
    known: dict[str, Argument] = {}
    for a in procedure.arguments:
        other = known.setdefault((a.fortran or a.name).lower(), a)
        if other is not a and (a.fortran or other.fortran):  # names that Python tells apart by case get an underscore
            raise RefusedError(
                f"arguments '{other.name}' and '{a.name}' of '{procedure.name}' are both called '{a.fortran or a.name}' "
                f"in Fortran; give one of them another Name(...)"
            )


def _result(annotation: object, function: str, names: _Names) -> tuple[Argument, ...]:
    where = f"the result of '{function}'"
    if annotation is inspect.Signature.empty:
        raise RefusedError(f"{where} has no annotation: write `-> None`, or what is returned")
    spelled = _evaluate(annotation, names, where)
    if spelled is None:
        return ()
    if typing.get_origin(spelled) is tuple:
        raise RefusedError(f"{where}: a tuple has no Fortran counterpart yet; hand arrays over as Out, or return one value")
    result = _read(spelled, Argument(RESULT, types.BY_NAME["i32"]), where)
    if result.intent is not Intent.IN or result.optional:
        raise RefusedError(f"{where}: {_spelling(spelled)} is no result; write its type alone")
    if result.shape and not result.shape.explicit and any(result.shape.extents):
        raise RefusedError(f"{where}: {_spelling(spelled)} mixes `:` and named extents; write all of one sort")
    return (result,)


def _evaluate(annotation: object, names: _Names, where: str, *, quoted: bool = False) -> object:
    if not isinstance(annotation, str):
        return annotation
    try:
        value = eval(annotation, {"__builtins__": {}}, names)  # the author's own text, of the author's own module
    except Exception as error:
        raise RefusedError(f"{where}: {annotation!r} cannot be evaluated: {type(error).__name__}: {error}") from error
    return value if quoted else _evaluate(value, names, where, quoted=True)  # in quotes, and postponed as well


def _replace(argument: Argument, **changes: Any) -> Argument:
    return Argument(**{**vars(argument), **changes})


def _read(spelled: object, argument: Argument, where: str) -> Argument:
    """Peel one layer after the other off a spelling: marks, ``| None``, ``Annotated``, and the kind or array at its core."""
    if isinstance(spelled, types.Marked):
        return _read(spelled.of, _replace(argument, intent=Intent(spelled.mark.name)), where)
    if isinstance(spelled, types.Array):
        if len(spelled.extents) > types.MAX_RANK:
            raise RefusedError(f"{where}: rank {len(spelled.extents)}; Fortran's limit is {types.MAX_RANK}")
        return _replace(argument, kind=spelled.kind, shape=Shape(spelled.extents))
    if isinstance(spelled, types.Kind):
        return _replace(argument, kind=spelled)
    origin = typing.get_origin(spelled)
    if origin is typing.Annotated:
        return _annotated(spelled, argument, where)
    if origin in (typing.Union, python_types.UnionType):
        return _optional(spelled, argument, where)
    if isinstance(spelled, type) and spelled in types.PLAIN:
        return _replace(argument, kind=types.PLAIN[spelled])
    raise RefusedError(f"{where}: {_unknown(spelled)}")


def _optional(spelled: object, argument: Argument, where: str) -> Argument:
    parts = [part for part in typing.get_args(spelled) if part is not type(None)]
    if len(parts) != 1 or len(parts) == len(typing.get_args(spelled)):
        raise RefusedError(f"{where}: {_spelling(spelled)} is more than one type; only `T | None` has a Fortran counterpart")
    return _read(parts[0], _replace(argument, optional=True), where)


def _spelling(spelled: object) -> str:
    """A type as one writes it: every version of Python shows unions in another way."""
    if typing.get_origin(spelled) in (typing.Union, python_types.UnionType):
        return " | ".join(map(_spelling, typing.get_args(spelled)))
    if spelled is type(None):
        return "None"
    return spelled.__name__ if isinstance(spelled, type) else str(spelled)


def _annotated(spelled: object, argument: Argument, where: str) -> Argument:
    base, *metadata = typing.get_args(spelled)
    core: object = base
    for mark in metadata:
        if isinstance(mark, types.Mark):
            argument = _replace(argument, intent=Intent(mark.name))
        elif isinstance(mark, types.Name):
            argument = _replace(argument, fortran=mark.name)
        elif isinstance(mark, types.Array | types.Kind | types.Marked) or typing.get_origin(mark) is not None:
            core = mark
    result = _read(core, argument, where)
    dtype = _dtype(base)
    if core is not base and dtype and dtype != result.kind.numpy:
        raise RefusedError(f"{where}: NDArray[{dtype}] and {result.declared} contradict each other")
    return result


def _dtype(spelled: object) -> str:
    """The dtype of ``NDArray[np.float64]``, also inside ``| None``; empty if it is anything else."""
    for part in (spelled, *typing.get_args(spelled)):
        dtype = next(iter(typing.get_args(part)[1:2]), None)
        scalar = next(iter(typing.get_args(dtype)), None)
        if isinstance(scalar, type):
            return scalar.__name__.rstrip("_")
    return ""


_SUGGESTED = {"float16": "f32", "longdouble": "f64", "uint8": "i16", "uint16": "i32", "uint32": "i64", "uint64": "i64"}


def _unknown(spelled: object) -> str:
    name = getattr(spelled, "__name__", _spelling(spelled))
    if isinstance(spelled, types.Extent):
        return f"no type is called {name!r} where the function is defined"
    if isinstance(spelled, types.Mark):
        return f"{name} marks a type: write {name}[f64[:, :]], or Annotated[NDArray[np.float64], f64[:, :], {name}]"
    if name in _SUGGESTED:
        return f"{name} has no Fortran kind; use {_SUGGESTED[name]}"
    same = next((kind for kind in types.KINDS if kind.numpy == name.rstrip("_")), None)
    if same:
        return f"write {same} for {name}"
    if "ndarray" in str(spelled):
        return "an array needs kind and rank: write Annotated[NDArray[np.float64], f64[:, :]], or f64[:, :]"
    return f"{name} has no Fortran counterpart; docs/reference/types.md lists what has"


def _check_extents(procedure: Procedure) -> None:
    """Every name in an extent is an integer argument that is always there, or an extent of an array argument."""
    scalars = {a.name: a for a in procedure.scalars}
    bound = {e.text for a in procedure.arrays for e in _extents(a) if e.names == (e.text,)}
    for argument in (*procedure.arrays, *procedure.results):
        for name in (name for e in _extents(argument) for name in e.names):
            of = "the result" if argument.name == RESULT else f"'{argument.name}'"
            where = f"extent '{name}' of {of} of '{procedure.name}'"
            scalar = scalars.get(name)
            if scalar is None and name not in bound:
                raise RefusedError(f"{where} is neither an argument nor an extent of an array argument")
            if scalar and (scalar.kind.word is not types.Word.INTEGER or scalar.optional):
                raise RefusedError(
                    f"{where} is the argument '{name}: {scalar.declared}'; it must be an integer that is always present"
                )
    _check_result_extents(procedure)


def _check_result_extents(procedure: Procedure) -> None:
    required = {a.name for a in procedure.scalars} | {e.text for a in procedure.arrays if not a.optional for e in _extents(a)}
    for result in procedure.results:
        for name in (name for e in _extents(result) for name in e.names):
            if name not in required:
                raise RefusedError(f"extent '{name}' of the result of '{procedure.name}' is known from optional arguments only")


def _extents(argument: Argument) -> list[types.Extent]:
    return [e for e in argument.shape.extents if e is not None] if argument.shape else []
