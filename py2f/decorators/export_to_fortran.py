"""The decorator: read the signature, remember the function, give it back unchanged."""

from __future__ import annotations

import contextlib
import functools
import inspect
import linecache
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import CellType
from typing import TYPE_CHECKING, Any, TypeVar, overload

from py2f.backends.gt4py import definition, is_program, unknown_backend, written
from py2f.decorators.adopted import function_of, is_decorated, mappings, signature
from py2f.decorators.annotations import read_procedure
from py2f.decorators.native import refuse_native
from py2f.decorators.registry import Exported, register
from py2f.errors import RefusedError, SignatureError
from py2f.types import MAX_NAME, InOut

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

F = TypeVar("F", bound="Callable[..., Any]")
Marks = Mapping[str, Any]
"""For each argument, by name, a mark or a tuple of marks."""


@overload
def export_to_fortran(function: F) -> F: ...
@overload
def export_to_fortran(
    function: F,
    *,
    name: str | None = None,
    like: Callable[..., Any] | None = None,
    marks: Marks | None = None,
    backend: str | None = None,
    native: bool = False,
    threads: int | str | None = "host",
) -> F: ...
@overload
def export_to_fortran(
    *,
    name: str | None = None,
    like: Callable[..., Any] | None = None,
    marks: Marks | None = None,
    backend: str | None = None,
    native: bool = False,
    threads: int | str | None = "host",
) -> Callable[[F], F]: ...
def export_to_fortran(  # noqa: PLR0913  its options
    function: F | None = None,
    *,
    name: str | None = None,
    like: Callable[..., Any] | None = None,
    marks: Marks | None = None,
    backend: str | None = None,
    native: bool = False,
    threads: int | str | None = "host",
) -> F | Callable[[F], F]:
    """Mark a function for Fortran and return the very same function.

    Used bare, with options, or as a call on a function that one cannot edit:
    ``export_to_fortran(package.function, like=stub)``, where `stub` is a function with an empty body whose annotations
    and docstring are used. `name` is what Fortran calls it; the default is the function's own name. `marks` adds to
    annotations that one cannot edit: ``marks={"area": Keep, "w": (InOut, Extents("Cell", "K + 1"))}``. What py2f knows of
    the function is its attribute ``__py2f__``, where the object takes attributes.

    `backend` is what the GT4Py programs of the function run on: "numpy", "gtfn_cpu" or "gtfn_gpu"; the default is their own.
    The variable PY2F_BACKEND decides over it when a Fortran program starts. A program or field operator of GT4Py may be
    decorated itself: what it writes is InOut.

    `native` has numba compile the function, so that Fortran calls machine code: of numbers, logicals, and arrays of them.
    py2f.export compiles it to see that it can be; a program compiles it when it starts. Needs py2f[numba].

    `threads` is how many BLAS, torch, numba and GT4Py may use during a call: "host", as many as the model's OpenMP would
    where it calls, one inside a parallel region; a number; or None, their own.

    Raises SignatureError, with file and line, when the function cannot be exported.
    """
    frame = sys._getframe(1)  # noqa: SLF001  what inspect.currentframe() is made of, without its None
    caller, here = _importing(frame), f"{frame.f_code.co_filename}:{frame.f_lineno}"
    if function is None:
        return functools.partial(export, wish=Wish(name, like, marks or {}, backend, native, threads), caller=caller, here=here)
    return export(function, wish=Wish(name, like, marks or {}, backend, native, threads), caller=caller, here=here)


MAX_THREADS = 1024
"""What threads= may ask for."""

_COMPREHENSIONS = ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>")  # frames of their own, up to Python 3.11


def _importing(frame: FrameType | None) -> str | None:
    """The module whose own statements are being executed; None inside a function or class."""
    while frame and frame.f_code.co_name in _COMPREHENSIONS:
        frame = frame.f_back
    return str(frame.f_globals.get("__name__")) if frame and frame.f_code.co_name == "<module>" else None


@dataclass(frozen=True)
class Wish:
    """The options of the decorator."""

    name: str | None = None
    like: Callable[..., Any] | None = None
    marks: Marks = field(default_factory=dict)
    backend: str | None = None
    native: bool = False
    threads: int | str | None = "host"


@dataclass(frozen=True)
class _Read:
    """A function, as whoever has decorated it knows it."""

    function: Any  # that has name, docstring and source
    signature: Callable[[], inspect.Signature]
    called: Any
    marks: Marks = field(default_factory=dict)
    mappings: Mapping[str, Callable[[Any], object]] = field(default_factory=dict)  # what makes arguments of views


def _read(function: Any) -> _Read:
    if is_decorated(function):  # for py2fgen
        called = function_of(function)
        return _Read(function.__wrapped__, lambda: signature(function), called, mappings=mappings(function))
    if is_program(function):
        inner = definition(function)
        marks = dict.fromkeys(written(function), InOut)
        return _Read(inner, lambda: _returning(inspect.signature(inner)), function, marks)
    called = function.__func__ if isinstance(function, staticmethod) else function
    return _Read(function, lambda: inspect.signature(function), called)


def _returning(plain: inspect.Signature) -> inspect.Signature:
    """A program of GT4Py returns nothing, and does not say so."""
    return plain.replace(return_annotation=None) if plain.return_annotation is plain.empty else plain


def export(function: F, *, wish: Wish | None = None, caller: str | None, here: str = "") -> F:
    """Export a function from the module `caller`; `here` is the place to name where the function has none of its own."""
    wish = wish or Wish()
    given = _read(function)
    found = given if wish.like is None else _read(wish.like)
    declared = found.function
    source = _source(declared)
    where = where_defined(source) if source else here
    module = caller or getattr(declared, "__module__", None) or (source.__module__ if source else "")
    qualname = _qualname(declared)
    try:
        _refuse_wish(function, wish)
        _refuse_what_cannot_work(declared, source, module, qualname)
        _refuse_what_does_not_return(_source(function), _qualname(function))
        fortran = _fortran_name(declared, wish, qualname)
        parameters = found.signature()
        values = parameters.parameters.values()
        keywords = tuple(p.name for p in values if p.kind is p.KEYWORD_ONLY)
        doc = inspect.getdoc(declared) or inspect.getdoc(function) or ""
        procedure = read_procedure(fortran, parameters, known_names(source), doc, {**found.marks, **wish.marks})
        if wish.native:
            refuse_native(procedure, given.called, _qualname(function), wish.backend, keywords)
    except RefusedError as error:
        raise SignatureError(f"{where}: {error}") from error.__cause__
    entry = Exported(
        function=given.called,
        procedure=procedure,
        module=module,
        qualname=qualname,
        where=where,
        defaults=tuple(None if p.default is p.empty else p.default for p in values),
        keywords=keywords,
        backend=wish.backend,
        native=wish.native,
        threads=wish.threads,
        mappings=given.mappings,
    )
    register(entry)
    _attach(function, entry)
    return function


def _attach(function: Any, entry: Exported) -> None:
    holder: Any
    for holder in (function, entry.function):  # a staticmethod, and what it is when it is taken from its class
        with contextlib.suppress(AttributeError, TypeError):  # a builtin takes no attributes; the registry knows it
            holder.__py2f__ = entry


def _qualname(function: Any) -> str:
    """What a callable is called where it is defined; no addresses, they would differ in the next process."""
    if isinstance(function, functools.partial):
        return f"partial({_qualname(function.func)})"
    named = getattr(function, "__qualname__", None) or getattr(function, "__name__", None)
    return str(named or f"{type(function).__qualname__} object")


def _source(function: Any) -> Any:
    """The Python function whose code and globals stand behind a callable; None for ufuncs and builtins."""
    while True:
        if isinstance(function, functools.partial):
            function = function.func
        elif isinstance(function, staticmethod) or inspect.ismethod(function):
            function = function.__func__
        elif hasattr(function, "__wrapped__"):
            function = function.__wrapped__
        elif inspect.isfunction(function):
            return function
        else:  # an object of a class with a method __call__, or nothing written in Python
            method = inspect.getattr_static(type(function), "__call__", None)
            return method if inspect.isfunction(method) else None


def where_defined(source: Any) -> str:
    """File and line of the ``def``; the code object's own first line is that of the topmost decorator."""
    code = source.__code__
    line = code.co_firstlineno
    text = linecache.getline(code.co_filename, line).lstrip()
    while text and not text.startswith(("def ", "async def ", "lambda")) and "lambda" not in text:
        line += 1
        text = linecache.getline(code.co_filename, line).lstrip()
    return f"{code.co_filename}:{line if text else code.co_firstlineno}"


def known_names(source: Any) -> dict[str, Any]:
    """The names that annotations may use: the module's, and those that the function encloses and that have a value by now."""
    enclosed = zip(source.__code__.co_freevars, source.__closure__ or (), strict=True)
    return {**source.__globals__, **{name: cell.cell_contents for name, cell in enclosed if cell != CellType()}}


def _refuse_wish(function: Any, wish: Wish) -> None:
    _refuse_what_is_no_function(function)
    _refuse_backend(wish.backend, _qualname(function))
    _refuse_threads(wish, _qualname(function))


def _refuse_what_is_no_function(function: Any) -> None:
    if isinstance(function, str):
        raise RefusedError(f"{function!r} is a name, not a function: write @export_to_fortran(name={function!r})")
    if isinstance(function, (classmethod, property)):
        raise RefusedError(f"a {type(function).__name__} is not exported: make it a staticmethod or a function")
    if not callable(function):
        raise RefusedError(f"a {type(function).__qualname__} object is not callable; export a function")


def _refuse_backend(backend: str | None, qualname: str) -> None:
    if backend is not None and (trouble := unknown_backend(backend)):
        raise RefusedError(f"'{qualname}': {trouble}")


def _refuse_threads(wish: Wish, qualname: str) -> None:
    n = wish.threads
    if n is not None and n != "host" and not (isinstance(n, int) and not isinstance(n, bool) and 0 < n <= MAX_THREADS):
        raise RefusedError(f"'{qualname}': threads={n!r} is none of \"host\", None and a number from 1 to {MAX_THREADS}")
    if wish.native not in (True, False):
        raise RefusedError(f"'{qualname}': native={wish.native!r} is neither True nor False")
    if wish.native and n != "host":
        raise RefusedError(f"'{qualname}': a native function has no libraries of Python to give threads to; leave threads= out")


def _refuse_what_cannot_work(function: Any, source: Any, module: str, qualname: str) -> None:
    if isinstance(function, type):
        raise RefusedError(f"'{qualname}' is a class; export functions of it as staticmethods")
    if source is None:
        raise RefusedError(f"'{qualname}' has no Python signature; declare one: export_to_fortran({qualname}, like=stub)")
    spec = getattr(sys.modules.get(module), "__spec__", None)
    if "<locals>" in qualname and spec is not None and not getattr(spec, "_initializing", False):
        raise RefusedError(
            f"'{qualname}' is made after {module} was imported, so that a Fortran program would not find it; "
            f"make it while the module is imported"
        )


def _refuse_what_does_not_return(source: Any, qualname: str) -> None:
    if inspect.iscoroutinefunction(source) or inspect.isasyncgenfunction(source):
        raise RefusedError(f"'{qualname}' is async, and a Fortran call cannot await it; export a function that calls asyncio.run")
    if inspect.isgeneratorfunction(source):
        raise RefusedError(f"'{qualname}' is a generator; export a function that returns the values in an array")


def _fortran_name(declared: Any, wish: Wish, qualname: str) -> str:
    name = str(getattr(declared, "__name__", "")) if wish.name is None else wish.name
    _refuse_name(name, qualname)
    return name


def _refuse_name(name: str, qualname: str) -> None:
    if name in ("", "<lambda>"):
        raise RefusedError(f"'{qualname}' has no name that Fortran could use; give one: @export_to_fortran(name=...)")
    if not isinstance(name, str) or not name.isidentifier():
        raise RefusedError(f"{name!r} is no name for '{qualname}': letters, digits and underscores, and a letter first")
    if not name.isascii():
        raise RefusedError(f"'{name}' is not ASCII, as Fortran's names are; rename it there: @export_to_fortran(name=...)")
    if len(name) > MAX_NAME:
        raise RefusedError(f"'{name}' has {len(name)} characters, Fortran's limit is {MAX_NAME}: @export_to_fortran(name=...)")
    if name.startswith("_"):
        raise RefusedError(f"'{name}' begins with an underscore, as no Fortran name may: @export_to_fortran(name=...)")
    if name.lower() == "py2f" or name.lower().startswith("py2f_"):
        raise RefusedError(f"'{name}': what begins with py2f in Fortran is py2f's own: @export_to_fortran(name=...)")
