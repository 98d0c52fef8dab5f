"""The caches of a process, in order: the user's own, which is written, then those of the site and of the image, only read.

What is imported here is all that a hit needs; what a miss needs is in build.py.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

from py2f.cache.entry import sound
from py2f.cache.store import Store, is_entry_file
from py2f.cache.trust import refusal

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from py2f.cache.key import Key
    from py2f.settings import Settings

private: dict[str, Path] = {}
"""By digest, what no cache could take; it lives as long as the process."""
refreshed: set[str] = set()
"""The digests that were built in this process although they were there."""


class Layers:
    """The caches that may be used. `trouble` says why the own one is none of them."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.trouble = ""
        self.stores: list[Store] = []
        mode = settings.cache_mode
        for root in () if mode == "off" else (settings.cache_dir, *settings.cache_layers):
            own = root == settings.cache_dir
            why = refusal(root, own=own, shared=settings.cache_shared, trusted=settings.cache_trust)
            if not why:
                self.stores.append(Store(root, shared=settings.cache_shared))
                continue
            warnings.warn(f"the cache {root} is not used: {why}", RuntimeWarning, stacklevel=2)
            self.trouble = f"{root}: {why}" if own else self.trouble

    @property
    def own(self) -> Store | None:
        """The cache that is written, if any is."""
        written = self.settings.cache_mode in ("rw", "refresh")
        return next((store for store in self.stores if written and store.root == self.settings.cache_dir), None)

    def find(self, key: Key) -> Path | None:
        """The entry of a key in the first cache that has it, sound."""
        digest = key.digest
        if digest in private:
            return private[digest]
        if self.settings.cache_mode == "refresh" and digest not in refreshed:
            return None
        for store in self.stores:
            if entry := store.find(key):
                if store is self.own:
                    store.used(key)
                return entry
        return None

    def remember(self, asked: Key, paths: Sequence[Path]) -> None:
        """Note what was built for an `asked`, a key that knows no compiler."""
        names = [self._relative(path) for path in paths]
        known = [name for name in names if name]
        if self.own and len(known) == len(names):  # what is private ends with this process
            self.own.remember(asked, known)

    def recall(self, asked: Key) -> list[Path] | None:
        """What was noted for an `asked`, if all of it is there and sound."""
        for store in self.stores:
            names = store.recall(asked)
            paths = [self._found(name) for name in names]
            known = [path for path in paths if path]
            if names and len(known) == len(names):
                return known
        return None

    def _relative(self, path: Path) -> str:
        return next((path.relative_to(s.root).as_posix() for s in self.stores if path.is_relative_to(s.root / "entries")), "")

    def _found(self, name: str) -> Path | None:
        entry = name.split("/")[:3]
        if not is_entry_file(name):
            return None
        return next((s.root / name for s in self.stores if sound(s.root.joinpath(*entry)) and (s.root / name).is_file()), None)


def cached(key: Key, settings: Settings, make: Callable[[Path], Path], needed: Sequence[Path] = ()) -> tuple[Path, bool, str]:
    """The entry of a key; what `make` builds in a folder of its own becomes it. Also: was it built; why could it not be kept.

    `needed` are the libraries that must be loaded before those of the entry. Raises what `make` raises, CacheMissError where
    nothing may be built, Py2fError where there is no place to build.
    """
    layers = Layers(settings)
    entry = layers.find(key)
    if entry:
        return entry, False, ""
    from py2f.cache.build import built

    return built(key, layers, make, needed)
