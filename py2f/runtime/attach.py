"""The cold path of the runtime: import the user's module, compare it with the table, bind its functions.

Imported by the C core once Python runs (core/start.h); by then the extension is in the process already. It is longer than
most modules, since what it does is one sequence, each step of which has its own errors to tell.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import itertools
import os
import sys
import traceback
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from py2f import delivered
from py2f.changes import NOT_LAST, Dummy, Interface
from py2f.changes import changes as compared
from py2f.decorators.registry import Exported, exported, host_stubs
from py2f.errors import Py2fError, Status
from py2f.runtime import chosen, output, starting
from py2f.runtime._runtime import ffi, lib
from py2f.runtime.wrapping import Wrapping

if TYPE_CHECKING:
    from collections.abc import Iterator

    from py2f.signature import Procedure


class _FailedError(Exception):
    """Ends the attachment with a status."""

    def __init__(self, status: Status, message: str, trace: str = "") -> None:
        super().__init__(message)
        self.status, self.trace = status, trace


def describe(exception: BaseException) -> tuple[str, str]:
    """The message and the traceback of whatever a function raised."""
    trace = "".join(traceback.format_exception(exception)) if exception.__traceback__ else ""
    return _plain(": ".join(filter(None, (type(exception).__name__, _text_of(exception))))), _plain(trace)


def _text_of(exception: BaseException) -> str:
    try:
        return str(exception)
    except BaseException:  # noqa: BLE001 -- an exception that fails at being shown is still the one to report
        return ""


def _plain(text: str) -> str:
    """UTF-8 without NUL, as C takes it; what stood for other bytes (in the name of a file) is shown by its number."""
    return text.encode(errors="backslashreplace").decode().replace("\0", "\\0")


@ffi.def_extern(error=int(Status.IMPORT_FAILED))
def p2f_attach(library: Any) -> int:
    """Import and bind at the first call of a library; returns a status code."""
    try:
        functions = _functions(_Table.read(library), library)
    except _FailedError as failed:
        return _report(failed.status, str(failed), failed.trace)
    except BaseException as error:  # noqa: BLE001  SystemExit at import must not end the model with "success"
        return _report(Status.IMPORT_FAILED, *describe(error))
    return int(lib.p2f_bind(library, id(functions)))


@ffi.def_extern()
def p2f_attach_thread() -> None:
    """Do nothing: cffi keeps the state of a thread that has been here."""


def _report(status: Status, message: str, trace: str = "") -> int:
    return int(lib.p2f_report(int(status), _plain(message).encode(), _plain(trace).encode()))


# ---- what the library was exported with


@dataclass(frozen=True)
class _Table:
    """The table of a library, in Python's terms."""

    name: str
    modules: tuple[str, ...]
    executable: str
    version: str
    origins: tuple[str, ...]
    path: tuple[str, ...]
    environment: tuple[str, ...]
    start: tuple[str, ...]
    optimize: int
    procedures: dict[str, Interface]

    @classmethod
    def read(cls, library: Any) -> _Table:
        """Copy it out of C."""
        if library.layout != lib.PY2F_LAYOUT:  # nothing else of it may be read
            advice = f"py2f of {sys.executable} has {lib.PY2F_LAYOUT}: run py2f.export again"
            raise _FailedError(Status.NOT_STARTED, f"{_file_of(library)} has layout {library.layout}, {advice}")
        site = library.site
        return cls(
            name=_text(library.name),
            modules=_texts(library.modules),
            executable=_text(site.executable),
            version=_text(site.version),
            origins=_texts(site.origins),
            path=_texts(site.path),
            environment=_texts(site.environment),
            start=_texts(site.start),
            optimize=lib.p2f_optimize(site),
            procedures={_text(p.name): _interface(p) for p in (library.procedure[i] for i in range(library.count))},
        )


def _file_of(library: Any) -> Path:
    return Path(os.fsdecode(ffi.string(lib.p2f_file_of(library)))).absolute()


def _text(pointer: Any) -> str:
    return os.fsdecode(ffi.string(pointer))


def _texts(pointers: Any) -> tuple[str, ...]:
    """All up to a null pointer."""
    return tuple(_text(pointer) for pointer in itertools.takewhile(ffi.NULL.__ne__, (pointers[i] for i in itertools.count())))


def _interface(p: Any) -> Interface:
    arguments, results = ([_dummy(rows[i]) for i in range(n)] for rows, n in ((p.argument, p.narguments), (p.result, p.nresults)))
    return Interface.of(arguments, results)


def _dummy(a: Any) -> Dummy:
    return Dummy(_text(a.name), _text(a.declared), bool(a.flags & lib.PY2F_OPTIONAL))


# ---- import and comparison


def _functions(table: _Table, library: Any) -> list[tuple[Any, ...]]:
    _check_environment()
    try:
        output.direct_once()
    except Py2fError as error:
        raise _FailedError(Status.NOT_STARTED, str(error)) from None
    starting.compare_optimization(table.name, table.optimize)
    starting.set_environment(dict(entry.split("=", 1) for entry in table.environment))
    _extend_path(table)
    delivered.folders += _file_of(library).parents[:2]  # lib, or the folder of a compiler in it
    known: dict[str, Exported] = {}
    for name, origin in zip(table.modules, table.origins, strict=True):
        _check_origin(table, name, origin, _imported(name, origin))
        known = {**exported(name), **known}
    changes = [change for name, built in table.procedures.items() for change in _changes(name, built, known.get(name))]
    changes += _host(table.modules, library.targets) if library.targets != ffi.NULL else []
    if changes:
        advice = "run py2f.export again and compile the program anew"
        message = f"{', '.join(table.modules)} has changed since py2f.export: {'; '.join(changes)}; {advice}"
        raise _FailedError(Status.SIGNATURE_CHANGED, message)
    _call_at_start(table)
    wrapping = Wrapping()
    return [_row(known[name], len(built.arguments), wrapping) for name, built in table.procedures.items()]


def _call_at_start(table: _Table) -> None:
    for call in starting.calls_at_start(table.start):
        try:
            starting.call_once(call)
        except BaseException as error:  # noqa: BLE001, PERF203  SystemExit as well, as at import
            message, trace = describe(error)
            raise _FailedError(Status.IMPORT_FAILED, f"{call}, which is called at the start: {message}", trace) from None


def _row(entry: Exported, narguments: int, wrapping: Wrapping) -> tuple[Any, ...]:
    """What p2f_bind() takes: function, what stands for absent arguments, keywords, specs, wraps, keeper, native, threads."""
    names = [a.name for a in entry.procedure.arguments[:narguments]]
    specs = None
    if any(a.callback for a in entry.procedure.arguments[:narguments]):
        from py2f.runtime.fetch import argument_specs

        specs = argument_specs(entry.procedure)
    keywords = tuple(name for name in entry.keywords if name in names)
    function, address = _native(entry) or (wrapping.function(entry), 0)
    return function, entry.defaults[:narguments], keywords, specs, *wrapping.of(entry, narguments), address, _threads(entry)


def _threads(entry: Exported) -> int:
    if isinstance(entry.threads, int):
        return entry.threads
    return 0 if entry.threads else -1


def _native(entry: Exported) -> tuple[Any, int] | None:
    """What numba made of a function, kept by its row, and where it is; None: Python calls the function."""
    if not entry.native:
        return None
    from py2f.backends.numba import native
    from py2f.errors import ExportError

    try:
        made = native(entry)
    except ExportError as error:
        raise _FailedError(Status.IMPORT_FAILED, str(error)) from None
    return (made, made.address) if made else None


def _host(modules: tuple[str, ...], targets: Any) -> list[str]:
    """Tell the stubs of host procedures where their thunks are; returns what has changed since the export."""
    from py2f.runtime.fetch import open_host

    changes = []
    now = {s.procedure.name: s for module in modules for s in host_stubs(module)}
    for target in (targets.target + k for k in range(targets.count)):
        name = _text(target.name)
        if target.reach == lib.PY2F_POINTED:
            continue
        stub = now.get(name)
        built = _interface(target)
        if stub is None:
            changes.append(f"the host procedure '{name}' is gone")
            continue
        is_ = _described(stub.procedure)
        if compared(built, is_):
            changes.append(f"the host procedure '{name}' was {built}, is {is_}")
        open_host(stub, target)
    return changes


def _check_environment() -> None:
    """Say so if the environment was made anew with another Python while the old libpython, in which we run, is still there."""
    config = Path(sys.prefix, "pyvenv.cfg")
    lines = config.read_text(encoding="utf-8").splitlines() if config.exists() else []
    values = {key.strip(): value.strip() for key, _, value in (line.partition("=") for line in lines)}
    version = values.get("version", values.get("version_info", ""))
    ours = f"{sys.version_info[0]}.{sys.version_info[1]}"
    if version and not f"{version}.".startswith(f"{ours}."):
        raise _FailedError(Status.NOT_STARTED, f"{sys.prefix} is Python {version} now, but this is {ours}: run py2f.export again")


def _extend_path(table: _Table) -> None:
    """Put what the export found on sys.path first, in that order."""
    sys.path[:0] = [entry for entry in table.path if entry not in sys.path]
    importlib.invalidate_caches()


@contextlib.contextmanager
def _collecting_nothing() -> Iterator[None]:
    """What an import makes stays: looking for garbage among it takes a tenth of the time. What the module says of it counts."""
    before = gc.get_threshold()
    gc.set_threshold(0)
    try:
        yield
    finally:
        if gc.get_threshold()[0] == 0:
            gc.set_threshold(*before)


def _imported(name: str, origin: str) -> Any:
    try:
        with _collecting_nothing():
            return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{name}.".startswith(f"{error.name}."):
            raise  # something that the module itself needs
        message, trace = describe(error)
        message += f"; at export it was {origin}: restore it, or run py2f.export again" if origin else f" in {sys.prefix}"
        raise _FailedError(Status.IMPORT_FAILED, message, trace) from None


def _check_origin(table: _Table, name: str, was: str, module: Any) -> None:
    origin = str(Path(getattr(module, "__file__", None) or "").absolute())
    if not was and not Path(origin).is_relative_to(sys.prefix):
        message = f"{name} is {origin}, but {table.name} is part of a wheel: install that in {sys.prefix}"
        raise _FailedError(Status.IMPORT_FAILED, message)
    if origin == was or not was or (chosen.setting("python") and _inside(was, table.executable)):
        return
    message = f"{name} is {origin} now, but {table.name} was exported from {was}: run py2f.export again"
    raise _FailedError(Status.IMPORT_FAILED, message)


def _inside(origin: str, executable: str) -> bool:
    """Whether a file belongs to the environment of an interpreter: in another environment it lies elsewhere."""
    return Path(origin).is_relative_to(Path(executable).parents[1])


def _changes(name: str, built: Interface, entry: Exported | None) -> list[str]:
    """What a caller compiled against `built` would get wrong."""
    if entry is None:
        return [f"'{name}' is gone"]
    now = _described(entry.procedure)
    if not any(change.breaking for change in compared(built, now)):
        return []
    note = f" ({NOT_LAST})" if len(now.arguments) > len(built.arguments) else ""
    return [f"'{name}' was {built}, is {now}{note}"]


def _described(procedure: Procedure) -> Interface:
    arguments, results = (
        [Dummy(a.name, a.declared, a.optional, a.default) for a in rows] for rows in (procedure.arguments, procedure.results)
    )
    return Interface.of(arguments, results)


if lib.p2f_ready(id(describe)):
    raise ImportError("py2f.runtime: NumPy does not load")
