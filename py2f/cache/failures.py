"""Notes of builds that a compiler refused: 999 ranks need not be told by the compiler what it has told the first.

A note expires soon, and is of one key, so of the same texts, compilers and flags. Only what the compiler says of a line of
source is noted: a full disk, a killed compiler or a library that is missing may be mended without a change of the key.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import socket
import time
from pathlib import Path
from typing import TYPE_CHECKING

from py2f.errors import BuildError

if TYPE_CHECKING:
    from py2f.cache.key import Key
    from py2f.cache.store import Store

LIFETIME = 60.0
"""Seconds."""
_OF_A_LINE = re.compile(r"^\S[^\n]*\.\w+:\d+[:.]\d+", re.MULTILINE)
_TRANSIENT = re.compile(
    r"No space left|quota exceeded|terminated program|internal compiler error|allocate memory|Input/output error", re.IGNORECASE
)


def note(store: Store, key: Key, error: BuildError) -> None:
    """Remember what a compiler refused."""
    if error.status <= 0 or not _OF_A_LINE.search(error.output) or _TRANSIENT.search(error.output):
        return
    content = {"command": error.command, "status": error.status, "output": error.output, "folder": str(error.folder)}
    by = f"{socket.gethostname()}:{os.getpid()}"
    with contextlib.suppress(OSError):
        store.write("failed", f"{key.digest}.json", json.dumps({**content, "by": by, "time": time.time()}))


def recall(store: Store, key: Key) -> None:
    """Raise the BuildError that was noted a moment ago, if one was."""
    try:
        found = json.loads((store.root / "failed" / f"{key.digest}.json").read_bytes())
        age = time.time() - found["time"]
        error = BuildError(found["command"], found["status"], found["output"], Path(found["folder"]))
        said = f"\n(noted {max(age, 0):.0f} s ago by {found['by']}; PY2F_CACHE_MODE=refresh tries again at once)\n"
    except (OSError, ValueError, TypeError, LookupError):  # none, or rubbish
        return
    if abs(age) < LIFETIME:  # a clock that is wrong by more makes a note worthless
        raise BuildError(error.command, error.status, error.output + said, error.folder)
