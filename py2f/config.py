"""``py2f config``: every setting, its value, and who says so.

What a run heeds is asked of libpy2f itself, so that there is one reader of py2f.toml.
"""

from __future__ import annotations

import ctypes
import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from py2f.configuration import EXPORT, RUN
from py2f.errors import Py2fError
from py2f.settings import Settings
from py2f.site import shipped

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from py2f.configuration import Setting


@dataclass(frozen=True)
class Row:
    """A setting as it stands; without a value its default holds."""

    name: str | None  # in py2f.toml and py2f_configure
    variable: str
    value: str | None
    source: str  # a variable, file and line, or "default"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Say what the command takes."""
    parser.add_argument(
        "executable", nargs="?", metavar="EXECUTABLE", help="a Fortran program: py2f.toml beside it counts as well"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=run, module="")


def run(options: argparse.Namespace) -> int:
    """Print every setting."""
    rows = [*of_run(options.executable), *of_exports()]
    configures = options.executable is not None and b"py2f_configure" in Path(options.executable).read_bytes()
    if options.json:
        print(json.dumps({"settings": [asdict(row) for row in rows], "configures": configures}, indent=2))
        return 0
    defaults = {s.variable: s.default.replace("`", "") or "nothing" for s in (*RUN, *EXPORT)}
    shown = [(row.name or row.variable, row.source, row.value or defaults[row.variable]) for row in rows]
    widths = [max(len(row[k]) for row in shown) for k in (0, 1)]
    for name, source, value in shown:
        print(f"{name:{widths[0]}}  {source:{widths[1]}}  {value}")
    if configures:
        print(f"{options.executable} calls py2f_configure: what it says there comes before all of these")
    return 0


def of_run(executable: str | None) -> Iterator[Row]:
    """What a program would heed; raises Py2fError in its words."""
    libpy2f: Any = ctypes.CDLL(str(shipped("libpy2f.so")))
    libpy2f.py2f_setting.restype = ctypes.c_char_p
    libpy2f.py2f_message_length.restype = ctypes.c_size_t
    if executable is not None and not Path(executable).is_file():
        raise Py2fError(f"there is no file {executable}")
    if executable is not None:
        _check(libpy2f, libpy2f.py2f_settings_beside(os.fsencode(Path(executable).resolve())))
    _check(libpy2f, libpy2f.py2f_settings_check())
    for setting in RUN:
        where = ctypes.c_char_p()
        value = libpy2f.py2f_setting(setting.name.encode(), ctypes.byref(where))
        said = os.fsdecode(where.value or b"").removesuffix(f": {setting.name}")
        yield _row(setting, None if value is None else os.fsdecode(value), said)


def _check(libpy2f: Any, code: int) -> None:
    if code:
        text = ctypes.create_string_buffer(libpy2f.py2f_message_length())
        libpy2f.py2f_message_copy(text, ctypes.c_size_t(len(text)))
        raise Py2fError(os.fsdecode(text.raw))


def of_exports() -> Iterator[Row]:
    """What an export would heed; raises Py2fError as that would."""
    Settings.read()
    for setting in EXPORT:
        yield _row(setting, os.environ.get(setting.variable), setting.variable)


def _row(setting: Setting, value: str | None, source: str) -> Row:
    return Row(setting.name or None, setting.variable, value or None, source if value else "default")
