"""From annotations to the intermediate representation.

Annotations are evaluated here, not by ``typing.get_type_hints``: a name that the module does not know is an extent.
Longer than a module should be: a good third are refusals, which stand where they are raised.
"""

from __future__ import annotations

import builtins
import collections.abc
import inspect
import sys
import types as python_types
import typing
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from py2f import types
from py2f.decorators import foreign
from py2f.errors import RefusedError
from py2f.signature import RESULT, Argument, Intent, Procedure, Shape

if TYPE_CHECKING:
    from collections.abc import Mapping


class Names(dict[str, Any]):
    """The namespace of annotations: what nobody knows is an extent, and so is an argument unless it names a type."""

    def __init__(self, known: Mapping[str, Any], arguments: typing.Iterable[str]) -> None:
        super().__init__()
        self._known = known
        self._arguments = frozenset(arguments)

    def of_module(self, module: str) -> Names:
        """The namespace of a class that stands in a module."""
        return Names(vars(sys.modules[module]), self._arguments)

    def __missing__(self, name: str) -> Any:
        known = name in self._known or hasattr(builtins, name)
        value = self._known.get(name, getattr(builtins, name, None))
        if not known or (name in self._arguments and not _is_type(value)):
            return types.Extent(name)
        return value


def _is_type(value: object) -> bool:
    kinds = (types.Mark, types.Kind, types.Array, type, python_types.ModuleType)
    return isinstance(value, kinds) or types.is_dimension(value) or typing.get_origin(value) is not None


def read_procedure(
    name: str, signature: inspect.Signature, known: Mapping[str, Any], doc: str, marks: Mapping[str, Any] | None = None
) -> Procedure:
    """Read a signature whose string annotations are evaluated among the names `known`; raises RefusedError."""
    names = Names(known, signature.parameters)
    marks = marks or {}
    for stranger in marks.keys() - signature.parameters.keys():
        raise RefusedError(f"marks: '{name}' has no argument '{stranger}'; it has {', '.join(signature.parameters) or 'none'}")
    arguments = tuple(_parameter(p, name, names, marks.get(p.name, ())) for p in signature.parameters.values())
    results = _result(signature.return_annotation, name, names)
    procedure = Procedure(name, arguments, results, doc)
    procedure = replace(procedure, results=tuple(_sized(r, procedure) for r in results))
    check_arguments(procedure)
    _check_extents(procedure)
    _check_marks(procedure)
    return procedure


def _parameter(parameter: inspect.Parameter, function: str, names: Names, marks: Any) -> Argument:
    where = f"argument '{parameter.name}' of '{function}'"
    check_parameter(parameter, where)
    spelled = evaluate(parameter.annotation, names, where)
    added = marks if isinstance(marks, tuple) else (marks,)
    for mark in added:
        if not isinstance(mark, types.Mark | types.Storage | types.IndexBase | types.Extents | types.Name):
            raise RefusedError(f"{where}: {mark!r} is no mark; use In, Out, InOut, Keep, Padded, IndexBase, Extents or Name")
    argument = read(typing.Annotated[(spelled, *added)] if added else spelled, Argument(parameter.name, types.i32), where)
    check_name(argument, where)
    if argument.intent is not Intent.IN and argument.kind.word in (types.Word.TEXT, types.Word.TEXTS):
        raise RefusedError(
            f"{where}: Python cannot write into a {argument.kind}; return str, or use {argument.intent.value}[string]"
        )
    if parameter.default is not parameter.empty:
        return replace(argument, optional=True, default=True)
    return argument


def check_parameter(parameter: inspect.Parameter, where: str) -> None:
    """Refuse what has no type, or any number of values."""
    if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
        raise RefusedError(f"{where}: Fortran has no variable number of arguments; name each argument")
    if parameter.annotation is parameter.empty:
        hint = "; a method is not exported: make it a staticmethod or a function" if parameter.name in ("self", "cls") else ""
        raise RefusedError(f"{where} has no annotation{hint or ': write its type, as in f64 or In[f64[:, :]]'}")


def check_name(argument: Argument, where: str) -> None:
    """Refuse what Fortran would not take as a name."""
    name = argument.fortran or argument.name
    if not isinstance(name, str) or not name.isascii() or not name.isidentifier() or len(name) > types.MAX_NAME:
        raise RefusedError(
            f"{where}: Fortran's names are ASCII and have at most 63 characters; write Annotated[..., Name('...')]"
        )


def check_arguments(procedure: Procedure) -> None:
    """Refuse two arguments of one name in Fortran, which tells no case."""
    known: dict[str, Argument] = {}
    for a in procedure.arguments:
        other = known.setdefault((a.fortran or a.name).lower(), a)
        if other is not a and (a.fortran or other.fortran):  # names that Python tells apart by case get an underscore
            raise RefusedError(
                f"arguments '{other.name}' and '{a.name}' of '{procedure.name}' are both called '{a.fortran or a.name}' "
                f"in Fortran; give one of them another Name(...)"
            )


def _result(annotation: object, function: str, names: Names) -> tuple[Argument, ...]:
    where = f"the result of '{function}'"
    if annotation is inspect.Signature.empty:
        raise RefusedError(f"{where} has no annotation: write `-> None`, or what is returned")
    spelled = evaluate(annotation, names, where)
    if spelled is None:
        return ()
    fields = tuple_fields(spelled, function, names, where)
    if fields is not None:
        if not fields:
            raise RefusedError(f"{where}: a tuple of nothing; write `-> None`")
        return tuple(_field(part, name, where) for name, part in fields.items())
    return (checked_result(read(spelled, Argument(RESULT, types.i32), where), spelled, where),)


def tuple_fields(spelled: Any, function: str, names: Names, where: str) -> dict[str, object] | None:
    """The names and types of a tuple's fields; None if it is no tuple.

    Those of a NamedTuple class are evaluated where the class was defined.
    """
    if typing.get_origin(spelled) is tuple:
        return {f"{function}_{i}": part for i, part in enumerate(typing.get_args(spelled), 1)}
    if not (isinstance(spelled, type) and issubclass(spelled, tuple) and hasattr(spelled, "_fields")):
        return None
    annotations = typing.cast("dict[str, object]", spelled.__annotations__)
    texts = {name: part.__forward_arg__ if isinstance(part, typing.ForwardRef) else part for name, part in annotations.items()}
    known = names.of_module(spelled.__module__)
    return {name: evaluate(part, known, where) for name, part in texts.items()}


def _field(spelled: object, name: str, where: str) -> Argument:
    field = checked_result(read(spelled, Argument(name, types.i32, field=True), where), spelled, where)
    field = replace(field, name=field.fortran or field.name)
    check_name(field, where)
    return field


def checked_result(result: Argument, spelled: object, where: str) -> Argument:
    """The result, unless Fortran has no such function."""
    if result.intent is not Intent.IN or result.optional:
        raise RefusedError(f"{where}: {_spelling(spelled)} is no result; write its type alone")
    if result.callback:
        raise RefusedError(f"{where}: a procedure is no result in Fortran")
    if result.kind.word in (types.Word.STRING, types.Word.TEXTS):
        raise RefusedError(f"{where}: {_spelling(spelled)} has no length in Fortran; return str, or write an Out[string[:]]")
    if result.shape and not result.shape.explicit and any(result.shape.extents):
        raise RefusedError(f"{where}: {_spelling(spelled)} mixes `:` and named extents; write all of one sort")
    return result


def evaluate(annotation: object, names: Names, where: str, *, quoted: bool = False) -> object:
    """What an annotation stands for; as text it is evaluated among `names`."""
    if not isinstance(annotation, str):
        return annotation
    try:
        value = eval(annotation, {"__builtins__": {}}, names)  # the author's own text, of the author's own module
    except Exception as error:
        raise RefusedError(f"{where}: {annotation!r} cannot be evaluated: {type(error).__name__}: {error}") from error
    return value if quoted else evaluate(value, names, where, quoted=True)  # in quotes, and postponed as well


def read(spelled: object, argument: Argument, where: str) -> Argument:
    """Peel one layer after the other off a spelling: marks, ``| None``, ``Annotated``, and the kind or array at its core."""
    spelled = foreign.unaliased(spelled)
    if isinstance(spelled, types.Marked | types.Storage):
        return read(spelled.of, _marked(argument, spelled, where), where)
    if isinstance(spelled, types.Array):
        if not spelled.extents:
            raise RefusedError(
                f"{where}: an array of rank 0; write {spelled.kind}, or Out[{spelled.kind}] where Python writes it"
            )
        if len(spelled.extents) > types.MAX_RANK:
            raise RefusedError(f"{where}: rank {len(spelled.extents)}; Fortran's limit is {types.MAX_RANK}")
        return replace(argument, kind=spelled.kind, shape=Shape(spelled.extents))
    origin = typing.get_origin(spelled)
    if origin is typing.Annotated:
        return _annotated(spelled, argument, where)
    if origin in (typing.Union, python_types.UnionType):
        return _optional(spelled, argument, where)
    elsewhere = foreign.array(spelled, where)
    if elsewhere:
        return replace(read(elsewhere.array, argument, where), dims=elsewhere.dims)
    called = _callback(spelled, argument, where) if origin is collections.abc.Callable else None
    return replace(argument, kind=types.procedure if called else _kind(spelled, where), callback=called)


def _callback(spelled: object, argument: Argument, where: str) -> Procedure:
    """What a procedure that is handed over is called with, and what it returns: a scalar or nothing."""
    given, returned = typing.get_args(spelled)
    if not isinstance(given, list):
        raise RefusedError(f"{where}: write the arguments of the Callable, as in Callable[[f64, f64[:]], f64]")
    within = f"a Callable, {where}"
    read_ = [read(part, Argument(f"x{j}", types.i32, stub=True), within) for j, part in enumerate(given, 1)]
    arguments = tuple(replace(a, name=a.fortran or a.name) for a in read_)
    results = () if returned in (None, type(None)) else (read(returned, Argument(RESULT, types.i32), within),)
    if any(r.shape or r.intent is not Intent.IN or r.optional or r.kind.word.value in _NO_RESULT for r in results):
        raise RefusedError(f"{where}: a Callable returns a scalar or None; what else it makes, it writes into an Out argument")
    procedure = Procedure(argument.name, arguments, results)
    check_arguments(procedure)
    return procedure


_NO_RESULT = ("text", "texts", "string", "procedure")


def _marked(argument: Argument, mark: types.Mark | types.Marked | types.Storage, where: str) -> Argument:
    if isinstance(mark, types.Storage):
        return _stored(argument, mark, where)
    return replace(argument, intent=Intent(mark.mark.name if isinstance(mark, types.Marked) else mark.name))


def _stored(argument: Argument, how: types.Storage, where: str) -> Argument:
    if how.name in ("Keep", "Padded"):
        _refuse_in_stubs(argument, how.name, where)
    else:
        _refuse_outside_stubs(argument, how.name, where)
    flags: dict[str, Any] = {how.name.lower(): True}
    return replace(argument, **flags)


def _refuse_outside_stubs(argument: Argument, what: str, where: str) -> None:
    if not argument.stub:
        raise RefusedError(f"{where}: {what} is for the stubs of @pythoncall")


def _refuse_in_stubs(argument: Argument, what: str, where: str) -> None:
    if argument.stub:
        raise RefusedError(f"{where}: {what} is for functions that Fortran calls")


def _kind(spelled: object, where: str) -> types.Kind:
    if isinstance(spelled, types.Kind):
        return spelled
    if isinstance(spelled, type | python_types.GenericAlias) and spelled in types.PLAIN:
        return types.PLAIN[spelled]
    if isinstance(spelled, type) and spelled.__module__ == "numpy" and spelled.__name__.rstrip("_") in types.BY_SCALAR:
        return types.BY_SCALAR[spelled.__name__.rstrip("_")]
    raise RefusedError(f"{where}: {_unknown(spelled)}")


def _optional(spelled: object, argument: Argument, where: str) -> Argument:
    parts = [part for part in typing.get_args(spelled) if part is not type(None)]
    if len(parts) != 1 or len(parts) == len(typing.get_args(spelled)):
        raise RefusedError(f"{where}: {_spelling(spelled)} is more than one type; only `T | None` has a Fortran counterpart")
    return read(parts[0], replace(argument, optional=True), where)


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
        argument = _with_mark(argument, mark, where)
        if isinstance(mark, types.Array | types.Kind | types.Marked) or typing.get_origin(mark) or _of(mark):
            core = mark
    result = read(core, argument, where)
    if core is not base:
        result = replace(result, dims=foreign.dims(base))
    for mark in metadata:
        result = _with_extents(result, mark, where) if isinstance(mark, types.Extents) else result
    dtype = _dtype(base)
    if core is not base and dtype and _OTHERWISE.get(dtype, dtype) != result.kind.numpy:
        spelled = replace(result, optional=False).declared
        raise RefusedError(f"{where}: NDArray[{dtype}] and {spelled} contradict each other")
    return result


def _of(mark: object) -> object:
    return mark.of if isinstance(mark, types.Storage) else None


def _with_mark(argument: Argument, mark: object, where: str) -> Argument:
    """The argument with what stands behind its type; what is none of ours is for others."""
    if isinstance(mark, types.Mark) or (isinstance(mark, types.Storage) and mark.of is None):
        return _marked(argument, mark, where)
    if isinstance(mark, types.Name):
        return replace(argument, fortran=mark.name)
    if isinstance(mark, types.Length):
        _refuse_outside_stubs(argument, "Length", where)
        return replace(argument, length=_extent(mark.extent, f"Length({mark.extent!r})", where))
    if isinstance(mark, types.IndexBase):
        _refuse_in_stubs(argument, "IndexBase", where)
        return replace(argument, base=mark.base)
    return argument


def _extent(given: int | str, spelled: str, where: str) -> types.Extent:
    """An integer, or an extent as text."""
    extent = evaluate(f"({given})", Names({}, ()), where)
    if type(extent) is int and extent >= 0:
        return types.Extent(str(extent))
    if isinstance(extent, types.Extent):
        return extent
    raise RefusedError(f"{where}: {spelled} is not an integer, a name in quotes, or + - * of these")


def _with_extents(argument: Argument, declared: types.Extents, where: str) -> Argument:
    spelled = f"Extents{declared.extents!r}".replace(",)", ")")
    if len(declared.extents) != argument.rank:
        raise RefusedError(f"{where}: {spelled} has {len(declared.extents)} extents, the array has rank {argument.rank}")
    extents = tuple(None if given == ":" else _extent(given, spelled, where) for given in declared.extents)
    return replace(argument, shape=Shape(extents))


def _dtype(spelled: object) -> str:
    """The dtype of ``NDArray[np.float64]``, also inside ``| None``; empty if it is anything else."""
    for part in map(foreign.unaliased, (spelled, *typing.get_args(spelled))):
        dtype = next(iter(typing.get_args(part)[1:2]), None)
        scalar = next(iter(typing.get_args(dtype)), None)
        if isinstance(scalar, type):
            return scalar.__name__.rstrip("_")
    return ""


_OTHERWISE = {"bytes": "S", "uint64": "uintp"}
"""How the type table calls dtypes whose scalar types have another name."""

_SUGGESTED = {"float16": "f32", "longdouble": "f64", "uint8": "i16", "uint16": "i32", "uint32": "i64", "uint64": "i64"}


def _unknown(spelled: object) -> str:
    name = getattr(spelled, "__name__", _spelling(spelled))
    if isinstance(spelled, types.Extent):
        return f"no type is called {name!r} where the function is defined"
    if isinstance(spelled, types.Mark):
        return f"{name} marks a type: write {name}[f64[:, :]], or Annotated[NDArray[np.float64], f64[:, :], {name}]"
    if name in _SUGGESTED:
        return f"{name} has no Fortran kind; use {_SUGGESTED[name]}"
    if "ndarray" in str(spelled):
        return "an array needs kind and rank: write Annotated[NDArray[np.float64], f64[:, :]], or f64[:, :]"
    return f"{name} has no Fortran counterpart; docs/reference/types.md lists what has"


def _check_extents(procedure: Procedure) -> None:
    """Every name in an extent is an integer argument that is always there, or an extent of an array argument."""
    scalars = {a.name: a for a in procedure.arguments if not a.shape}
    bound = {e.text for a in procedure.views for e in extents(a)[a.padded :] if e.names == (e.text,)}
    for argument in (*procedure.views, *procedure.results):
        for name in (name for e in extents(argument) for name in e.names):
            of = "the result" if argument.name == RESULT else f"'{argument.name}'"
            where = f"extent '{name}' of {of} of '{procedure.name}'"
            scalar = scalars.get(name)
            if scalar is None and name not in bound:
                raise RefusedError(f"{where} is neither an argument nor an extent of an array argument")
            if scalar and (scalar.kind.word is not types.Word.INTEGER or scalar.optional or scalar.view):
                raise RefusedError(
                    f"{where} is the argument '{name}: {scalar.declared}'; it must be an integer input that is always present"
                )
    _check_result_extents(procedure)


def _sized(result: Argument, procedure: Procedure) -> Argument:
    """A field that is returned: its dimensions have the extents of the arguments, or it is as large as it turns out."""
    if result.dims and not {name for e in extents(result) for name in e.names} <= _required(procedure):
        return replace(result, shape=Shape((None,) * result.rank))
    return result


def _check_result_extents(procedure: Procedure) -> None:
    required = _required(procedure)
    for result in procedure.results:
        for name in (name for e in extents(result) for name in e.names):
            if name not in required:
                raise RefusedError(f"extent '{name}' of the result of '{procedure.name}' is known from optional arguments only")


def _required(procedure: Procedure) -> set[str]:
    """The names whose values are known at every call."""
    arrays = (a for a in procedure.views if not (a.optional or a.keep))
    return {a.name for a in procedure.values} | {e.text for a in arrays for e in extents(a)[a.padded :]}


def _check_marks(procedure: Procedure) -> None:
    """Refuse marks that say nothing of their argument."""
    for a in procedure.arguments:
        where = f"argument '{a.name}' of '{procedure.name}'"
        if a.shape is None and (a.keep or a.padded or a.base):
            raise RefusedError(f"{where}: Keep, Padded and IndexBase are for arrays, not for {a.kind}")
        if a.base and a.kind.word is not types.Word.INTEGER:
            raise RefusedError(f"{where}: IndexBase is for tables of integers, not for {a.kind}")
        first = a.shape.extents[0] if a.shape else None
        if a.padded and (first is None or not {*first.names} <= _required(procedure)):
            raise RefusedError(
                f"{where}: Padded needs to know how much of the first extent is in use: name it, as in Extents('n', ':'), "
                f"where n is an argument or the extent of another array, and always there"
            )


def extents(argument: Argument) -> list[types.Extent]:
    """The declared extents of an argument."""
    return [e for e in argument.shape.extents if e is not None] if argument.shape else []
