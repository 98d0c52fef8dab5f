"""Entries on disk: found without a lock, checked before anybody loads them, published whole by one rename."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from filelock import BaseFileLock

    from py2f.cache.key import Key

MANIFEST = "manifest.json"
_private: list[tempfile.TemporaryDirectory[str]] = []  # entries that no cache could take; they live as long as the process


class Store:
    """A cache directory."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.trouble = ""  # why the last entry could not be kept

    def find(self, key: Key) -> Path | None:
        """The entry of a key, or None; a damaged one is moved aside and counts as missing."""
        folder = self._folder(key)
        if _sound(folder, key):
            return folder
        if os.path.lexists(folder):
            self._quarantine(folder)
        return None

    def publish(self, key: Key, built: Path) -> Path:
        """Take over a finished folder; returns where the entry is. Who comes second gets the first one's entry."""
        _write_manifest(built, key)
        try:
            return self._rename(key, built)
        except OSError as error:  # read-only, full, vanished: whatever the cache's trouble, the build goes on
            self.trouble = f"{self.root}: {_reason(error)}"
            return _keep_privately(built)

    def _rename(self, key: Key, built: Path) -> Path:
        folder = self._folder(key)
        staged = self.root / "staging" / os.urandom(16).hex()
        for parent in (folder.parent, staged.parent):
            parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        try:
            shutil.copytree(built, staged, symlinks=True)
            try:
                staged.rename(folder)
            except OSError:
                if not _sound(folder, key):
                    raise
        finally:
            shutil.rmtree(staged, ignore_errors=True)
        return folder

    def remember(self, asked: Key, paths: Sequence[Path]) -> None:
        """Note what was built for an `asked`, a key that knows no compiler; what was built last counts."""
        note = self._note(asked)
        if not all(path.is_relative_to(self.root / "entries") for path in paths):
            return  # private: it ends with this process
        text = json.dumps([path.relative_to(self.root).as_posix() for path in paths])
        with contextlib.suppress(OSError):  # as any trouble with the cache
            if note.is_file() and note.read_text(encoding="ascii") == text:
                return
            note.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            aside = note.with_name(f"{note.name}-{os.urandom(4).hex()}")
            aside.write_text(text, encoding="ascii")
            aside.replace(note)

    def recall(self, asked: Key) -> list[Path] | None:
        """What was noted, if it is all there and sound."""
        try:
            paths = [self.root / path for path in json.loads(self._note(asked).read_bytes())]
        except (OSError, ValueError):
            return None
        entries = {self.root.joinpath(*path.relative_to(self.root).parts[:3]) for path in paths}
        return paths if all(_sound(entry, None) for entry in entries) and all(path.is_file() for path in paths) else None

    def _note(self, asked: Key) -> Path:
        return self.root / "asked" / asked.digest[:2] / asked.digest

    def _folder(self, key: Key) -> Path:
        return self.root / "entries" / key.digest[:2] / key.digest

    def _quarantine(self, folder: Path) -> None:
        aside = self.root / "quarantine" / f"{folder.name}-{os.urandom(4).hex()}"
        with contextlib.suppress(OSError):  # read-only, or another process was faster: publish() looks again
            aside.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            folder.rename(aside)

    @contextlib.contextmanager
    def builder(self, key: Key, timeout: float) -> Iterator[None]:
        """Let one process build a key while others wait; the lock only saves work, so any trouble with it is passed over."""
        import filelock

        lock = filelock.FileLock(self.root / "locks" / key.digest)
        with contextlib.ExitStack() as stack:
            with contextlib.suppress(OSError, filelock.Timeout, NotImplementedError):
                (self.root / "locks").mkdir(parents=True, exist_ok=True, mode=0o700)
                _wait(lock, timeout)
                stack.callback(lock.release)
            yield


PATIENCE = 2.0
"""Seconds after which one is told what one waits for."""


def _wait(lock: BaseFileLock, timeout: float) -> None:
    import filelock

    try:
        lock.acquire(timeout=min(PATIENCE, timeout) if timeout >= 0 else PATIENCE)
    except filelock.Timeout:
        if 0 <= timeout <= PATIENCE:
            raise
        print("py2f: another process compiles the same library; waiting for it", file=sys.stderr)
        lock.acquire(timeout=timeout - PATIENCE if timeout >= 0 else -1)


def _files(folder: Path) -> list[str]:
    paths = (path for path in folder.rglob("*") if path.is_symlink() or path.is_file())
    return sorted(name for path in paths if (name := path.relative_to(folder).as_posix()) != MANIFEST)


def _checksum(path: Path) -> str:
    content = os.fsencode(path.readlink()) if path.is_symlink() else path.read_bytes()
    return hashlib.blake2b(content, digest_size=20).hexdigest()


def _write_manifest(folder: Path, key: Key) -> None:
    manifest = {"key": dict(key.parts), "files": {name: _checksum(folder / name) for name in _files(folder)}}
    (folder / MANIFEST).write_text(json.dumps(manifest, indent=1), encoding="ascii")


def _sound(folder: Path, key: Key | None) -> bool:
    """Whether an entry is there, is of this key (None: of any), and has what was published, unchanged, and nothing else."""
    try:
        manifest = json.loads((folder / MANIFEST).read_bytes())
        parts = dict(key.parts) if key else manifest["key"]
        found = {name: _checksum(folder / name) for name in _files(folder)}
    except (OSError, ValueError, RecursionError, TypeError, KeyError):  # the last two: a manifest of something else
        return False
    return bool(manifest == {"key": parts, "files": found})


def _reason(error: OSError) -> str:
    """The system's own words; copytree() collects one line a file, of which one is enough."""
    if isinstance(error, shutil.Error):
        return str(error.args[0][0][-1]).partition("] ")[2].partition(":")[0]
    return error.strerror or str(error)


def _keep_privately(built: Path) -> Path:
    holder = tempfile.TemporaryDirectory(prefix="py2f-private-")
    _private.append(holder)
    return Path(shutil.copytree(built, Path(holder.name, "entry"), symlinks=True))
