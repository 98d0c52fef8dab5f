"""Which part of a key makes the difference."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from py2f.cache.entry import manifest_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from py2f.cache.key import Key
    from py2f.cache.store import Store


def described(stores: Iterable[Store]) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Every entry with what it says of itself; those that say nothing are left out."""
    for store in stores:
        for folder in store.entries():
            manifest = manifest_of(folder)
            if manifest:
                yield folder, manifest


def nearest(key: Key, stores: Sequence[Store]) -> tuple[Path, dict[str, Any]] | None:
    """The entry of the same name that shares most parts with a key; among equals the newest."""
    ours = set(key.parts)

    def likeness(found: tuple[Path, dict[str, Any]]) -> tuple[int, float]:
        return len(ours & set(found[1]["key"].items())), found[1]["built"].get("time", 0)

    same = [found for found in described(stores) if found[1].get("name") == key.name]
    return max(same, key=likeness, default=None)
