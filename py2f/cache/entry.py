"""One entry: an immutable folder with a manifest, which says the size and the checksum of every file in it."""

from __future__ import annotations

import hashlib
import json
import os
import stat
from typing import TYPE_CHECKING, Any

from py2f.cache.key import Key

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

MANIFEST = "manifest.json"


def write_manifest(folder: Path, key: Key, built: Mapping[str, Any]) -> None:
    """Describe a finished folder; `built` says by whom and how, for people."""
    files = {name: _described(path) for name, path in _files(str(folder))}
    manifest = {"key": dict(key.parts), "name": key.name, "module": key.module, "built": dict(built), "files": files}
    (folder / MANIFEST).write_text(json.dumps(manifest, indent=1, sort_keys=True), encoding="ascii")


def manifest_of(folder: Path) -> dict[str, Any] | None:
    """What an entry says of itself, if it says anything. Reading it does not count as use."""
    try:
        descriptor = os.open(folder / MANIFEST, os.O_RDONLY | os.O_NOFOLLOW | os.O_NOATIME)
    except OSError:
        return None
    try:
        with os.fdopen(descriptor, "rb") as file:
            found = json.load(file)
    except (OSError, ValueError, RecursionError):
        return None
    whole = isinstance(found, dict) and all(isinstance(found.get(part), dict) for part in ("key", "built", "files"))
    return found if whole else None


def sound(folder: Path, key: Key | None = None) -> bool:
    """Whether an entry is there, is of this key (None: of the one that it is called by), and is what was published, all of it."""
    try:
        with open(folder / MANIFEST, "rb", opener=_not_through_links) as file:
            manifest = json.load(file)
        parts, files = manifest["key"], manifest["files"]
        if parts != dict(key.parts) if key else Key(tuple(parts.items())).digest != folder.name:
            return False
        seen = 0
        for name, path in _files(str(folder)):
            if _described(path, files[name][0]) != files[name]:
                return False
            seen += 1
    except (
        OSError,
        ValueError,
        RecursionError,
        TypeError,
        LookupError,
        AttributeError,
    ):  # the last three: of something else
        return False
    return seen == len(files)


def _not_through_links(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NOFOLLOW)


def _files(folder: str, prefix: str = "") -> Iterator[tuple[str, str]]:
    """Every file and link in a folder but its manifest: its name in it, and its path."""
    with os.scandir(folder) as found:
        for item in found:
            name = f"{prefix}{item.name}"
            if item.is_dir(follow_symlinks=False):
                yield from _files(item.path, f"{name}/")
            elif name != MANIFEST:
                yield name, item.path


def _described(path: str, size: int | None = None) -> list[Any]:
    """Size and checksum of a file, or where a link leads; a file that has not the given size is not read."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return ["link", os.readlink(path)]  # noqa: PTH115  a Path costs more than the link
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or size not in (None, status.st_size):
            return [status.st_size, "another size"]
        content = os.read(descriptor, status.st_size + 1)
        while len(content) < status.st_size and (more := os.read(descriptor, status.st_size)):
            content += more
    finally:
        os.close(descriptor)
    return [len(content), hashlib.blake2b(content, digest_size=20).hexdigest()]
