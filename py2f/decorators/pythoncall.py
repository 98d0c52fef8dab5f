"""The decorator of the way back: a stub with a signature and no body becomes the Fortran procedure that it describes."""

from __future__ import annotations

import functools
import inspect
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from py2f.decorators.export_to_fortran import known_names, where_defined
from py2f.decorators.registry import register_stub
from py2f.decorators.stub import COPIES, REQUIRED, Origin, Stub, read_stub, refuse_body
from py2f.errors import RefusedError, SignatureError

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Sequence

R = TypeVar("R")


def pythoncall(  # noqa: PLR0913  options of one decorator, by keyword
    *where: Any,
    source: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] = (),
    module: str = "",
    library: str = "",
    includes: Sequence[str | os.PathLike[str]] = (),
    links: Sequence[str] = (),
    host: bool = False,
    name: str | None = None,
    copy: Literal["never", "warn", "ok"] = "never",
    errors: str = "",
    nogil: bool = False,
    isolate: bool = False,
) -> Callable[[Callable[..., R]], Callable[..., R]]:
    """Make a stub call a Fortran procedure.

    The procedure is in `source`, one file or several, found from the folder of the stub's own file and compiled at the first
    call; in `library`, a shared library; or in the Fortran program that this Python runs in, ``host=True``. `module` is the
    Fortran module of a procedure that is in one, `includes` are folders with .mod files, `links` the shared libraries that
    the sources need, and `name` is what Fortran calls the procedure: the stub's own name by default.

    Arrays are handed over as they are. Where Fortran cannot take one as it is, `copy` says what to do: "never" copies, but
    raises ValueError, "warn" copies with a RuntimeWarning, "ok" copies; what Fortran writes is copied back.
    `errors` names the Out argument that reports a status: FortranError is raised when it is not zero, with the text of the
    argument `errmsg`, if there is one. `nogil` lets other threads of Python run during the call. `isolate` makes the calls
    in a process of its own, which ``error stop`` ends in the place of this one.

    Raises TypeError when none of the three is given, SignatureError when the stub cannot be read. The first call raises
    StubError when the procedure is not as the stub says, ToolchainError or BuildError when it cannot be compiled.
    """
    given = [bool(source), bool(library), host]
    if where or sum(given) != 1:
        raise TypeError(
            'say where the procedure is: @pythoncall(source="physics.f90", module="physics"), '
            '@pythoncall(library="libphysics.so"), or @pythoncall(host=True)'
        )
    if copy not in COPIES:
        raise TypeError(f"copy={copy!r}: it is one of {', '.join(COPIES)}")
    sources = (source,) if isinstance(source, str) or hasattr(source, "__fspath__") else tuple(source)
    origin = Origin(tuple(map(Path, sources)), module.lower(), library, tuple(map(Path, includes)), host, tuple(links))
    options = {"copy": copy, "errors": errors, "nogil": nogil, "isolate": isolate}
    return functools.partial(_stubbed, origin=origin, name=name, options=options)


def _stubbed(function: Any, *, origin: Origin, name: str | None, options: dict[str, Any]) -> Any:
    if not inspect.isfunction(function):
        raise TypeError(f"@pythoncall is for a function with an empty body, not for {type(function).__name__}")
    where = where_defined(function)
    try:
        refuse_body(function)
        parameters = inspect.signature(function)
        procedure, returns = read_stub(
            name or function.__name__, parameters, known_names(function), inspect.getdoc(function) or "", options["errors"]
        )
    except RefusedError as error:
        raise SignatureError(f"{where}: {error}") from error.__cause__
    if options["isolate"] and (origin.host or any(a.callback for a in procedure.arguments)):
        raise SignatureError(
            f"{where}: '{procedure.name}' cannot be isolated: {'the program' if origin.host else 'a Callable'} is in this process"
        )
    stub = Stub(
        procedure=procedure,
        module=function.__module__,
        qualname=function.__qualname__,
        where=where,
        origin=origin.beside(Path(function.__code__.co_filename).parent),
        defaults=tuple(REQUIRED if p.default is p.empty else p.default for p in parameters.parameters.values()),
        keywords=tuple(p.name for p in parameters.parameters.values() if p.kind is p.KEYWORD_ONLY),
        returns=returns,
        **options,
    )
    register_stub(stub)
    return _callee(function, stub, parameters)


def _callee(function: Any, stub: Stub, parameters: inspect.Signature) -> Any:
    from py2f.runtime.fetch import Procedure, resolve, resolve_isolated

    callee: Any = functools.update_wrapper(Procedure(resolve_isolated if stub.isolate else resolve), function)
    callee.__py2f__ = stub
    callee.__signature__ = seen_signature(stub, parameters)
    return callee


def seen_signature(stub: Stub, parameters: inspect.Signature) -> inspect.Signature:
    """The signature for those who call: outs may be given by keyword."""
    hidden = {a.name for a in stub.procedure.arguments if a.intent.value == "Out"} - {a.name for a in stub.outs}
    outs = {a.name for a in stub.outs}
    rows = list(parameters.parameters.values())
    plain = [p for p in rows if p.name not in outs | hidden]
    filled = [p.replace(kind=p.KEYWORD_ONLY, default=None) for p in rows if p.name in outs]
    return parameters.replace(parameters=[*plain, *filled])
