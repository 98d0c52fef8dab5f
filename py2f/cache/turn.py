"""One builder a key: a lock on the node, a lease across nodes. Both only save work, so any trouble with them is passed over.

Who waits does not queue for the lock, but looks for the entry, and for a lock whose holder is dead. No wait is without end.
"""

from __future__ import annotations

import contextlib
import os
import random
import socket
import sys
import time
import warnings
from typing import TYPE_CHECKING

from py2f.cache.node import is_network, node_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from filelock import BaseFileLock

    from py2f.cache.key import Key
    from py2f.cache.store import Store
    from py2f.settings import Settings

PATIENCE, AGAIN = 2.0, 10.0
"""Seconds after which one is told what one waits for, and until one is told again."""
SHORTEST, LONGEST = 0.05, 0.5
"""Seconds between two looks."""
LEASE, HEARTBEAT = 30.0, 10.0
"""Seconds after which the lease of a dead node is taken over; a living one renews it."""


@contextlib.contextmanager
def turn(key: Key, store: Store, settings: Settings, look: Callable[[], Path | None]) -> Iterator[Path | None]:
    """Wait until it is our turn to build a key, or until `look` finds what another has built. What `look` raises passes."""
    with contextlib.ExitStack() as held:
        places = _places(store, settings)
        yield _Wait(key, places, held).until(look, settings.lock_timeout)


def _places(store: Store, settings: Settings) -> dict[str, Path]:
    """The folders of locks by kind; none where there is no place for them."""
    lease = is_network(store.root) if settings.cache_lease is None else settings.cache_lease
    places: dict[str, Path] = {}
    with contextlib.suppress(OSError):
        places["node"] = node_folder(f"locks-{abs(hash_of(store.root)):x}") if lease else store.made("locks")
    with contextlib.suppress(OSError):
        places |= {"lease": store.made("leases")} if lease else {}
    return places


def hash_of(path: Path) -> int:
    """A number for a path, the same in all processes."""
    import zlib

    return zlib.crc32(os.fsencode(path))


class _Wait:
    def __init__(self, key: Key, places: dict[str, Path], held: contextlib.ExitStack) -> None:
        import filelock

        self.key, self.held, self.timed_out = key, held, filelock.Timeout
        self.note = places["node"] / f"{key.digest}.builder" if "node" in places else None
        self.missing: list[BaseFileLock] = []
        self.voice: BaseFileLock | None = None
        if "node" in places:
            node = places["node"] / key.digest
            self.missing.append(filelock.FileLock(node, is_singleton=False))
            self.voice = filelock.FileLock(node.with_suffix(".voice"), is_singleton=False)
        if "lease" in places:
            lease = places["lease"] / key.digest
            self.missing.append(filelock.SoftFileLease(lease, lease_duration=LEASE, heartbeat_interval=HEARTBEAT))
        self.begin = time.monotonic()
        self.next_word = PATIENCE

    def until(self, look: Callable[[], Path | None], timeout: float) -> Path | None:
        pause = SHORTEST
        while not self._have_all():
            if found := look():
                return found
            waited = time.monotonic() - self.begin
            if 0 <= timeout <= waited:
                return None
            self._speak(waited)
            pause = min(pause * 1.5, LONGEST)
            time.sleep(min(pause * random.uniform(0.8, 1.2), max(timeout - waited, 0) if timeout >= 0 else LONGEST))  # noqa: S311
        self._sign()
        return look()

    def _have_all(self) -> bool:
        """Take the locks in order; one that cannot be had for a reason other than a holder is done without."""
        while self.missing:
            lock = self.missing[0]
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # that there is no flock here, so that a marker is made
                    lock.acquire(timeout=0)
                self.held.callback(_released, lock)
            except self.timed_out:
                return False
            except (OSError, NotImplementedError, RuntimeError, ValueError):  # no locks on this file system, a marker of rubbish
                pass
            del self.missing[0]
        return True

    def _sign(self) -> None:
        """Say who builds, for those who wait."""
        if self.note:
            with contextlib.suppress(OSError):
                self.note.write_text(f"{socket.gethostname()}:{os.getpid()}", encoding="utf-8")
                self.held.callback(_removed, self.note)

    def _speak(self, waited: float) -> None:
        """One process of a node says what all wait for: a line now and then, or one that changes on a terminal."""
        terminal = sys.stderr.isatty()
        if waited < self.next_word or not self._is_voice():
            return
        self.next_word = waited + (1.0 if terminal else AGAIN)
        builder, since = self._builder(waited)
        text = f"py2f: waiting for {self.key.name or 'a library'}, built by {builder} for {since:.0f} s"
        print(text, end="\r" if terminal else "\n", file=sys.stderr, flush=True)

    def _is_voice(self) -> bool:
        if self.voice is None:
            return False
        if not self.voice.is_locked:
            try:
                self.voice.acquire(timeout=0)
                self.held.callback(_released, self.voice)
            except (self.timed_out, OSError, NotImplementedError):
                return False
        return True

    def _builder(self, waited: float) -> tuple[str, float]:
        try:
            assert self.note
            return self.note.read_text(encoding="utf-8"), max(time.time() - self.note.stat().st_mtime, waited)
        except (OSError, AssertionError):
            return "another node", waited


def _released(lock: BaseFileLock) -> None:
    with contextlib.suppress(OSError):
        lock.release()


def _removed(note: Path) -> None:
    with contextlib.suppress(OSError):
        note.unlink()
