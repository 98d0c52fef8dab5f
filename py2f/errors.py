"""Every exception that py2f raises, and the status codes that Fortran sees.

Only the standard library is imported here: the build of the runtime extension reads :class:`Status`.
"""

from __future__ import annotations

import enum
import signal
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


class Status(enum.IntEnum):
    """What ``stat`` is set to: ``py2f_ok`` and so on in Fortran's module ``py2f``; codes are only ever appended."""

    OK = 0
    NOT_STARTED = 1
    IMPORT_FAILED = 2
    BAD_ARGUMENT = 3
    EXCEPTION = 4
    EXIT = 5
    SIGNATURE_CHANGED = 6


class Py2fError(Exception):
    """Base of all that py2f raises."""


class RefusedError(Exception):
    """Why something cannot be exported; whoever knows file and line adds them and raises SignatureError."""


class SignatureError(Py2fError, TypeError):
    """A function cannot be exported as it is declared; raised at decoration, says file, line, argument, what to do."""


class ExportError(Py2fError):
    """A module cannot be exported: it does not import, exports nothing, or its name would not be found at run time."""


class ToolchainError(Py2fError):
    """A compiler or build tool is missing or cannot be identified."""


class BuildError(Py2fError):
    """A compiler refused what py2f generated.

    `command`, `status` and `output` are what was run, its exit status and all that it printed; `folder` holds the sources.
    """

    def __init__(self, command: Sequence[str], status: int, output: str, folder: Path) -> None:
        self.command, self.status, self.output, self.folder = tuple(command), status, output, folder
        super().__init__(f"{' '.join(command)} ended with status {status}; sources and build are kept in {folder}\n{output}")


class CacheMissError(Py2fError):
    """What is needed is not in the cache, and PY2F_CACHE_MODE forbids to build it; says why, and how to mend it."""


class StubError(Py2fError, TypeError):
    """A stub of `@pythoncall` is not what the Fortran procedure is, or there is no such procedure; shows both."""


class FortranError(Py2fError):
    """A Fortran procedure reported a status: `procedure`, `stat`, and `errmsg`, which is None where it has no message."""

    def __init__(self, procedure: str, stat: int, errmsg: str | None) -> None:
        self.procedure, self.stat, self.errmsg = procedure, stat, errmsg
        super().__init__(f"'{procedure}' reported status {stat}" + f": {errmsg}" * bool(errmsg))

    def __reduce__(self) -> tuple[type[FortranError], tuple[str, int, str | None]]:
        """Of three arguments: the base class would be given the text."""
        return type(self), (self.procedure, self.stat, self.errmsg)


class ProcedureEndedError(Py2fError):
    """A procedure of a stub with ``isolate=True`` ended its process: `procedure`, `status`, and `output`.

    `status` is an exit status, or minus the number of a signal; `output` is the end of what was written to stderr.
    """

    def __init__(self, procedure: str, status: int, output: str) -> None:
        self.procedure, self.status, self.output = procedure, status, output
        super().__init__(f"'{procedure}' ended its process {_how(status)}" + f":\n{output}" * bool(output))

    def __reduce__(self) -> tuple[type[ProcedureEndedError], tuple[str, int, str]]:
        """Of three arguments: the base class would be given the text."""
        return type(self), (self.procedure, self.status, self.output)


def _how(status: int) -> str:
    if status >= 0:
        return f"with exit status {status}"
    try:
        return f"by {signal.Signals(-status).name}"
    except ValueError:  # one of real time
        return f"by signal {-status}"


class StaleViewError(Py2fError):
    """A view of an array of Fortran was used after Fortran deallocated the array, or moved it."""


class CheckError(Py2fError):
    """Under ``PY2F_CHECK=1``: an array is not what its marks promise."""


class SourceError(Py2fError):
    """A Fortran source cannot be read: `path`, `line` (0: the file as a whole) and `reason`, what the parser says."""

    def __init__(self, path: Path, line: int, reason: str) -> None:
        self.path, self.line, self.reason = path, line, reason
        super().__init__(f"{path}:{line}: {reason}" if line else f"{path}: {reason}")


class CallError(Py2fError):
    """A call through :func:`py2f.bridge` ended with a status other than ``py2f_ok``."""

    def __init__(self, status: Status, message: str, traceback: str) -> None:
        self.status, self.message, self.traceback = status, message, traceback
        super().__init__(f"{status.name.lower()}: {message}")
