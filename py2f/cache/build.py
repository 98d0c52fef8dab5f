"""A miss: built once, in a folder of this node, tried in a child process, and published."""

from __future__ import annotations

import os
import platform
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from py2f.cache import failures
from py2f.cache.entry import sound
from py2f.cache.explain import nearest
from py2f.cache.key import differences
from py2f.cache.layers import private, refreshed
from py2f.cache.node import build_folder
from py2f.cache.prune import prune_now_and_then
from py2f.cache.turn import turn
from py2f.errors import BuildError, CacheMissError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from py2f.cache.key import Key
    from py2f.cache.layers import Layers
    from py2f.cache.store import Store

TRY = "import ctypes, sys\nfor path in sys.argv[1:]: ctypes.CDLL(path, 1)"  # lazily: flang's run time is the program's
_holders: list[tempfile.TemporaryDirectory[str]] = []


def built(key: Key, layers: Layers, make: Callable[[Path], Path], needed: Sequence[Path]) -> tuple[Path, bool, str]:
    """Build what is in no cache, or wait for another process that does; see :func:`py2f.cache.layers.cached`."""
    store = layers.own
    if layers.settings.cache_mode == "require":
        raise CacheMissError(_missed(key, layers))
    if store is None:
        entry, _, trouble = _build(key, layers, None, make, needed)
        return entry, True, layers.trouble or trouble
    if layers.settings.cache_mode == "rw":
        failures.recall(store, key)

    def look() -> Path | None:
        _list(store.folder(key.digest).parent)
        found = layers.find(key)
        if found is None and layers.settings.cache_mode == "rw":
            failures.recall(store, key)
        return found

    with turn(key, store, layers.settings, look) as found:
        return (found, False, "") if found else _build(key, layers, store, make, needed)


def _list(shard: Path) -> None:
    """A network file system believes for half a minute that what was not there is not there, unless the folder is read."""
    try:
        os.listdir(shard)  # noqa: PTH208  the names do not matter
    except OSError:
        return


def _build(
    key: Key, layers: Layers, store: Store | None, make: Callable[[Path], Path], needed: Sequence[Path]
) -> tuple[Path, bool, str]:
    begin = time.monotonic()
    with build_folder(layers.settings, key.digest) as folder:
        try:
            prefix = make(folder)
        except BuildError as error:
            if store:
                failures.note(store, key, error)
            raise
        trouble = _trouble(prefix, needed, layers.settings.environment)
        if store and not trouble:
            about = _about(time.monotonic() - begin)
            try:
                entry = store.publish(key, prefix, about, replace=layers.settings.cache_mode == "refresh")
            except OSError as error:  # read-only, full, vanished: whatever the cache's trouble, the build goes on
                trouble = f"{store.root}: {_reason(error)}"
            else:
                refreshed.add(key.digest)
                prune_now_and_then(store, layers.settings)
                if sound(entry, key):  # a network file system may not show it yet
                    return entry, True, ""
        return _keep_privately(key, prefix), True, trouble


def _trouble(prefix: Path, needed: Sequence[Path], environment: Any) -> str:
    """Why the libraries of a prefix cannot be loaded: another process tries it, which a broken one may kill.

    A library elsewhere that is not found says nothing of ours: who loads it may know where that one is.
    """
    libraries = [path for path in sorted((prefix / "lib").rglob("*.so*")) if not path.is_symlink()]
    command = [sys.executable, "-I", "-S", "-c", TRY, *map(str, [*needed, *libraries])]
    try:
        done = subprocess.run(command, env=dict(environment), capture_output=True, text=True, errors="replace", check=False)
    except (OSError, TypeError):  # the Python in a Fortran program has no executable
        return ""
    if not done.returncode or "cannot open shared object file" in done.stderr:
        return ""
    return f"it cannot be loaded: {(done.stderr.strip().splitlines() or [f'status {done.returncode}'])[-1]}"


def _about(seconds: float) -> dict[str, Any]:
    from importlib.metadata import version

    versions = {name: version(name) for name in ("py2f", "meson")}
    where = {"host": socket.gethostname(), "pid": os.getpid(), "time": int(time.time())}
    return {**versions, **where, "python": platform.python_version(), "seconds": round(seconds, 3)}


def _keep_privately(key: Key, prefix: Path) -> Path:
    holder = tempfile.TemporaryDirectory(prefix="py2f-private-")
    _holders.append(holder)
    private[key.digest] = Path(shutil.copytree(prefix, Path(holder.name, "entry"), symlinks=True))
    return private[key.digest]


def _reason(error: OSError) -> str:
    """The system's own words; copytree() collects one line a file, of which one is enough."""
    if isinstance(error, shutil.Error):
        return str(error.args[0][0][-1]).partition("] ")[2].partition(":")[0]
    return error.strerror or str(error)


def _missed(key: Key, layers: Layers) -> str:
    looked = ", ".join(str(store.root) for store in layers.stores) or layers.trouble
    said = f"{key.name or key.digest} is not in the cache, and PY2F_CACHE_MODE=require forbids to build it; looked in {looked}"
    close = nearest(key, layers.stores)
    lines = [f"  {line}" for line in differences(dict(key.parts), close[1]["key"])] if close else []
    why = [f"the nearest entry, {close[0].name[:12]}, is of another key (wanted | there):", *lines] if close else []
    mend = f"to build it: PY2F_CACHE_MODE=rw py2f prebuild {key.module or 'MODULE'}, where a compiler is"
    return "\n".join([said, *why, mend])
