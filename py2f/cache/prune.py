"""What goes when there is too much: the entries that were not used for longest, never one that was used lately."""

from __future__ import annotations

import contextlib
import shutil
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from py2f.cache.entry import MANIFEST
from py2f.cache.node import abandoned, is_network
from py2f.cache.store import DAY, is_entry_file, last_used, noted, size_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from py2f.cache.store import Store
    from py2f.settings import Settings

STAMP = "pruned"
WASTE = {"staging": DAY, "quarantine": 7 * DAY, "failed": DAY, "locks": 7 * DAY, "leases": 7 * DAY}
"""The age at which what is in these folders goes."""


@dataclass(frozen=True)
class Caps:
    """What a cache may hold: bytes, entries, days since the last use."""

    size: int
    entries: int = 5000
    days: float = 180.0


def prune(store: Store, caps: Caps, settings: Settings | None = None, *, dry_run: bool = False) -> list[Path]:
    """Remove waste, and entries until the caps are kept; returns what goes. Entries that were used lately stay.

    With settings, also what killed builders have left a day ago where they compiled. Lately is within a day; on a network
    file system within seven, since a process of another node may have it open.
    """
    now = time.time()
    lately = 7 * DAY if is_network(store.root) else DAY
    left = [*abandoned(settings, now - DAY)] if settings else []
    going = [*_waste(store, now), *_beyond(store, caps, now, lately)]
    for path in () if dry_run else going:
        remove(store, path)
    for path in () if dry_run else left:
        shutil.rmtree(path, ignore_errors=True)
    return going + left


def remove(store: Store, path: Path) -> None:
    """Take something out of a cache, by one rename where it is a folder: nobody sees half an entry."""
    with contextlib.suppress(OSError):  # another process was faster, or it is not ours to remove
        if path.is_dir() and not path.is_symlink():
            staged = store.made("staging") / path.name
            target = path.rename(staged) if path.parent != staged.parent else path
            shutil.rmtree(target, ignore_errors=True)
        else:
            path.unlink()


def _waste(store: Store, now: float) -> Iterator[Path]:
    for name, age in WASTE.items():
        with contextlib.suppress(OSError):
            for path in sorted((store.root / name).iterdir()):
                with contextlib.suppress(OSError):
                    status = path.lstat()
                    if now - max(status.st_mtime, status.st_ctime) > age:  # a rename changes the latter
                        yield path
    for note in sorted(store.root.glob("asked/??/*")):
        paths = noted(note)
        if any(is_entry_file(path) and not (store.root / path).exists() for path in paths) and _old(note, now):
            yield note


def _old(note: Path, now: float) -> bool:
    """Its entries may be in another cache; a note is small."""
    with contextlib.suppress(OSError):
        return now - note.stat().st_mtime > WASTE["quarantine"]
    return False


def _beyond(store: Store, caps: Caps, now: float, lately: float) -> list[Path]:
    """The entries that are too old, and then the least recently used ones, until what remains is small enough."""
    used = {entry: _used(entry) for entry in store.entries()}
    sizes = {entry: size_of(entry) for entry in used}
    total, count, going = sum(sizes.values()), len(used), []
    for entry in sorted(used, key=lambda e: used[e]):
        age = now - used[entry]
        if age < lately:  # so are all that follow
            break
        if total > caps.size or count > caps.entries or age > caps.days * DAY:
            going.append(entry)
            total, count = total - sizes[entry], count - 1
    return going


def _used(entry: Path) -> float:
    try:
        return last_used(entry / MANIFEST)
    except OSError:  # it has no manifest
        return entry.lstat().st_ctime


def prune_now_and_then(store: Store, settings: Settings) -> None:
    """Keep the caps: who has published something looks once a day."""
    with contextlib.suppress(OSError):
        stamp = store.root / STAMP
        if not stamp.exists() or time.time() - stamp.stat().st_mtime > DAY:
            stamp.touch()
            prune(store, Caps(settings.cache_max_size), settings)
