"""What is done once Python runs in a Fortran program: variables before the import of the module, calls after it."""

from __future__ import annotations

import importlib
import operator
import os
import sys
import threading
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

from py2f.errors import ExportError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

CACHE_DIR = "GT4PY_BUILD_CACHE_DIR"
CACHE_LIFETIME = "GT4PY_BUILD_CACHE_LIFETIME"

_lock = threading.RLock()  # a call may come back to us, by way of Fortran
_begun: set[str] = set()


def set_environment(recorded: Mapping[str, str]) -> None:
    """Set what is not set; where GT4Py is among it, let it find its folder and the tools beside our Python."""
    for name, value in recorded.items():
        os.environ.setdefault(name, value)
    if CACHE_DIR in recorded:
        _make(Path(os.environ[CACHE_DIR]))
        tools, path = str(Path(sys.executable).parent), os.environ.get("PATH") or os.defpath
        if tools not in path.split(os.pathsep):  # last: cmake and ninja, if there are no others
            os.environ["PATH"] = f"{path}{os.pathsep}{tools}"


def _make(folder: Path) -> None:
    """Make GT4Py's folder, or let GT4Py do without; it would fail at the first program."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        os.environ[CACHE_LIFETIME] = "session"
        text = f"{CACHE_DIR}={folder} cannot be made ({error.strerror}): GT4Py compiles everything anew in this process"
        warnings.warn(text, RuntimeWarning, stacklevel=2)


def compare_optimization(library: str, wish: int) -> None:
    """Warn if Python runs with another level of optimization than a library wants, a negative one if any will do."""
    if wish >= 0 and wish != sys.flags.optimize:
        text = (
            f"{library} wants Python with optimize={wish}, but the one of this process was started before, "
            f"with optimize={sys.flags.optimize}: set PY2F_OPTIMIZE, or start python with -O or -OO"
        )
        warnings.warn(text, RuntimeWarning, stacklevel=2)


def calls_at_start(recorded: Iterable[str]) -> list[str]:
    """What is called at the start: what the export says, then the setting ``start``."""
    from py2f.runtime import chosen  # exports do without the extension

    given = (text.strip() for text in chosen.setting("start").split(","))
    return list(dict.fromkeys([*recorded, *filter(None, given)]))


def call_once(call: str) -> None:
    """Call a function, if nobody has in this process; raises whatever it raises, and is tried again then."""
    with _lock:
        if call in _begun:
            return
        _begun.add(call)
        try:
            callable_of(call)()
        except BaseException:
            _begun.discard(call)
            raise


def callable_of(call: str) -> Callable[[], Any]:
    """The function that ``module:function`` names; raises ExportError, and whatever importing the module raises."""
    module, _, name = call.partition(":")
    if not all(part.isidentifier() for text in (module, name) for part in text.split(".")):
        raise ExportError(f"{call!r} is not MODULE:FUNCTION")
    try:
        found = operator.attrgetter(name)(importlib.import_module(module))
    except AttributeError as error:
        raise ExportError(f"{call}: {module} has no '{name}'") from error
    if not callable(found):
        raise ExportError(f"{call} is no function: it is a {type(found).__name__}")
    return found  # type: ignore[no-any-return]
