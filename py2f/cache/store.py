"""Entries on disk: found without a lock, checked before anybody loads them, published whole by one rename."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import stat
import time
from typing import TYPE_CHECKING, Any

from py2f.cache.entry import MANIFEST, sound, write_manifest

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from py2f.cache.key import Key

DAY = 86400.0
TAG = "CACHEDIR.TAG"
TAG_TEXT = "Signature: 8a477f597d28d172789f06886806bc55\n# Compiled libraries of py2f; delete them whenever you like.\n"


class Store:
    """A cache directory. With `shared` the members of its group may write, too."""

    def __init__(self, root: Path, *, shared: bool = False) -> None:
        self.root, self.shared = root, shared

    # ---- look-up

    def find(self, key: Key) -> Path | None:
        """The entry of a key, or None. Nothing is written, and no lock is asked for."""
        folder = self.folder(key.digest)
        return folder if sound(folder, key) else None

    def folder(self, digest: str) -> Path:
        """Where the entry of a digest is, or would be."""
        return self.root / "entries" / digest[:2] / digest

    def entries(self) -> list[Path]:
        """Every entry, sound or not, by digest."""
        return sorted(self.root.glob("entries/??/" + "[0-9a-f]" * 40))

    def used(self, key: Key) -> None:
        """Note that an entry is in use, once a day, where the file system does not note it."""
        with contextlib.suppress(OSError):
            manifest = self.folder(key.digest) / MANIFEST
            if time.time() - last_used(manifest) > DAY:
                os.utime(manifest)

    # ---- publishing

    def publish(self, key: Key, built: Path, about: Mapping[str, Any] | None = None, *, replace: bool = False) -> Path:
        """Copy a finished folder into the cache; returns where the entry is. Who comes second gets the first one's entry.

        Raises OSError when the cache cannot take it.
        """
        folder = self.folder(key.digest)
        staged = self.made("staging") / os.urandom(16).hex()
        self.made(folder.parent.relative_to(self.root).as_posix())
        try:
            shutil.copytree(built, staged, symlinks=True)
            write_manifest(staged, key, about or {})
            self._settle(staged)
            if replace or (os.path.lexists(folder) and not sound(folder, key)):
                self.quarantine(folder)
            try:
                staged.rename(folder)
            except OSError:
                if not sound(folder, key):
                    raise
            _sync(folder.parent)
        finally:
            shutil.rmtree(staged, ignore_errors=True)
        return folder

    def _settle(self, staged: Path) -> None:
        """Give everything the modes that it keeps, whatever the umask is, and let it reach the disk."""
        for folder, _, files in os.walk(staged):
            for name in files:
                path = os.path.join(folder, name)  # noqa: PTH118  it walks strings
                if not os.path.islink(path):  # noqa: PTH114
                    os.chmod(path, 0o755 if os.stat(path).st_mode & 0o100 else 0o644)  # noqa: PTH101, PTH116
                    _sync(path)
            os.chmod(folder, 0o2775 if self.shared else 0o755)  # noqa: PTH101  the root is what is closed
            _sync(folder)

    def quarantine(self, folder: Path) -> None:
        """Move a bad entry aside: who has loaded it keeps its files."""
        with contextlib.suppress(OSError):  # read-only, or another process was faster: who publishes looks again
            folder.rename(self.made("quarantine") / f"{folder.name}-{os.urandom(4).hex()}")

    def made(self, name: str) -> Path:
        """A folder of the cache, made where it is not there: the whole way is closed to others."""
        folder = self.root / name
        if not folder.is_dir():
            ways = [folder, *folder.parents]
            for path in reversed(ways[: ways.index(self.root) + 1]):
                self._make(path)
        return folder

    def _make(self, path: Path) -> None:
        if not path.parent.exists():
            self._make(path.parent)
        with contextlib.suppress(FileExistsError):
            path.mkdir(mode=0o700)
            path.chmod(0o2770 if self.shared else 0o700)  # mkdir heeds the umask
            if path == self.root:
                (path / TAG).write_text(TAG_TEXT, encoding="ascii")

    def write(self, folder: str, name: str, text: str) -> None:
        """Write a small file, by one rename. Raises OSError."""
        aside = self.made(folder) / f"{name}-{os.urandom(4).hex()}"
        aside.write_text(text, encoding="ascii")
        aside.replace(self.root / folder / name)

    # ---- what was built last for a text, whoever compiled it

    def remember(self, asked: Key, paths: Sequence[str]) -> None:
        """Note what was built for an `asked`, a key that knows no compiler; what was built last counts."""
        text = json.dumps(list(paths))
        with contextlib.suppress(OSError):  # as any trouble with the cache
            note = self.root / "asked" / asked.digest[:2] / asked.digest
            if not note.is_file() or note.read_text(encoding="ascii") != text:
                self.write(f"asked/{asked.digest[:2]}", asked.digest, text)

    def recall(self, asked: Key) -> list[str]:
        """What was noted: paths in the cache; empty: nothing."""
        return noted(self.root / "asked" / asked.digest[:2] / asked.digest)


def noted(note: Path) -> list[str]:
    """The paths in a note; a damaged one has none."""
    try:
        paths = json.loads(note.read_bytes())
    except (OSError, ValueError):
        return []
    return paths if isinstance(paths, list) and all(isinstance(path, str) for path in paths) else []


def last_used(manifest: Path) -> float:
    """When an entry was read: the kernel notes it once a day. Where it does not, :meth:`Store.used` does. Raises OSError."""
    status = manifest.stat()
    return max(status.st_atime, status.st_mtime)


def is_entry_file(path: str) -> bool:
    """Whether a path, relative to a cache, is in an entry."""
    parts = path.split("/")
    return parts[0] == "entries" and len(parts) > len(("entries", "ab", "digest")) and ".." not in parts


def size_of(folder: Path) -> int:
    """Bytes in a folder."""
    return sum(status.st_size for status in _statuses(folder))


def _statuses(folder: Path) -> Iterator[os.stat_result]:
    for path in folder.rglob("*"):
        with contextlib.suppress(OSError):  # gone meanwhile
            status = path.lstat()
            if stat.S_ISREG(status.st_mode):
                yield status


def _sync(path: Path | str) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
