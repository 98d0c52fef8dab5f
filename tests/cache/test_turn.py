"""One builder a key: who waits, for what, for how long; what happens to dead builders, bad locks and failed builds."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import re
import signal
import socket
import threading
import time
from pathlib import Path

import filelock
import pytest
from caches import KEY, builds, ended, prefix, settings, start, until

from py2f.cache import failures, turn
from py2f.cache.failures import LIFETIME
from py2f.cache.layers import cached
from py2f.cache.store import Store
from py2f.errors import BuildError


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "cache"


def _held(root: Path) -> filelock.BaseFileLock:
    """The lock of KEY, as another process holds it."""
    (root / "locks").mkdir(parents=True, exist_ok=True)
    return filelock.FileLock(root / "locks" / KEY.digest, is_singleton=False)


def _make(folder: Path) -> Path:
    return prefix(folder / "p")


def test_who_waits_uses_the_entry_as_soon_as_it_is_there(root: Path, tmp_path: Path) -> None:
    """Although the lock is held still: what one waits for is the entry."""
    with _held(root):
        timer = threading.Timer(0.5, lambda: Store(root).publish(KEY, prefix(tmp_path / "built")))
        timer.start()
        begin = time.monotonic()
        assert cached(KEY, settings(root), _make)[1] is False
        assert time.monotonic() - begin < 0.5 + turn.LONGEST * 1.2 + 0.5
        timer.join()


def test_the_time_out_ends_in_a_build_of_ones_own(root: Path) -> None:
    with _held(root):
        begin = time.monotonic()
        assert cached(KEY, settings(root, PY2F_LOCK_TIMEOUT="0.3"), _make)[1] is True
        assert 0.3 <= time.monotonic() - begin < 2
    assert Store(root).find(KEY)


def test_who_waits_long_is_told_by_whom_it_is_built(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(turn, "PATIENCE", 0.2)
    monkeypatch.setattr(turn, "AGAIN", 0.3)
    with _held(root):
        (root / "locks" / f"{KEY.digest}.builder").write_text("node7:4711")
        cached(KEY, settings(root, PY2F_LOCK_TIMEOUT="0.1"), _make)
        assert capsys.readouterr().err == ""
        Store(root).quarantine(Store(root).folder(KEY.digest))
        cached(KEY, settings(root, PY2F_LOCK_TIMEOUT="1.5"), _make)
    lines = capsys.readouterr().err.splitlines()
    assert 2 <= len(lines) <= 4
    assert all(re.fullmatch(r"py2f: waiting for one_py, built by node7:4711 for \d+ s", line) for line in lines)


def test_one_process_of_a_node_speaks(root: Path, tmp_path: Path) -> None:
    """Of four that wait three seconds, one says so, with host and process of the builder."""
    log = tmp_path / "log"
    first = start(root, log, seconds=3.5)
    until(root / "locks" / f"{KEY.digest}.builder")
    others = [start(root, log) for _ in range(4)]
    said = "".join(words[-1] for words in ended([first, *others]))
    assert re.fullmatch(rf"py2f: waiting for one_py, built by {re.escape(socket.gethostname())}:{first.pid} for [23] s\n", said)
    assert builds(log) == 1


def test_on_a_terminal_the_line_changes(root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(turn, "PATIENCE", 0.0)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    with _held(root):
        cached(KEY, settings(root, PY2F_LOCK_TIMEOUT="0.4"), _make)
    assert re.fullmatch(r"py2f: waiting for one_py, built by another node for 0 s\r", capsys.readouterr().err)


@pytest.mark.parametrize("number", [errno.ENOSYS, errno.EOPNOTSUPP, errno.ENOLCK, errno.ESTALE, errno.EIO])
def test_a_lock_that_cannot_be_had_is_no_error(root: Path, monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    """No locks on Lustre, stale ones on NFS: the entry is built and published without."""

    def refuse(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(fcntl, "flock", refuse)
    monkeypatch.setattr(fcntl, "lockf", refuse)
    assert cached(KEY, settings(root), _make)[1:] == (True, "")
    assert Store(root).find(KEY)


def test_no_place_for_locks_is_no_error(root: Path) -> None:
    root.mkdir(mode=0o700)
    (root / "locks").touch()
    assert cached(KEY, settings(root), _make)[1:] == (True, "")


# ---- across nodes


def test_a_lease_keeps_another_node_waiting_and_goes_with_its_builder(root: Path, tmp_path: Path) -> None:
    """With PY2F_CACHE_LEASE=on, as on a network file system: the lock is of the node, so only the lease is in the cache."""
    log = tmp_path / "log"
    process = start(root, log, seconds=1.5, PY2F_CACHE_LEASE="on")
    until(root / "leases" / KEY.digest)
    assert not (root / "locks").exists()
    assert cached(KEY, settings(root, PY2F_CACHE_LEASE="on"), _make)[1] is False
    assert ended([process])[0][0] == "1"
    assert builds(log) == 1


def test_the_lease_of_a_dead_node_is_taken_over(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody here can ask whether a process of another host lives: a lease that is not renewed expires."""
    monkeypatch.setattr(turn, "LEASE", 1.0)
    monkeypatch.setattr(turn, "HEARTBEAT", 0.3)
    (root / "leases").mkdir(parents=True, mode=0o700)
    root.chmod(0o700)
    lease = filelock.SoftFileLease(root / "leases" / KEY.digest, lease_duration=1.0, heartbeat_interval=0.3)
    lease.acquire()
    marker = Path(lease.lock_file).read_text()
    lease.release()
    Path(lease.lock_file).write_text(marker.replace(f"host={socket.gethostname()}", "host=node7"))
    Path(lease.lock_file).chmod(0o600)
    begin = time.monotonic()
    assert cached(KEY, settings(root, PY2F_CACHE_LEASE="on"), _make)[1:] == (True, "")
    assert 0.5 < time.monotonic() - begin < 4


# ---- dead builders


def test_a_builder_that_is_killed_is_followed_by_another(root: Path, tmp_path: Path) -> None:
    """`kill -9` in the middle: at most two builds, no errors, and the waiters need one build more."""
    log, started = tmp_path / "log", tmp_path / "started"
    victim = start(root, log, str(started))
    until(started)
    waiting = [start(root, log, seconds=0.5) for _ in range(4)]
    time.sleep(1)
    os.kill(victim.pid, signal.SIGKILL)
    victim.communicate()
    begin = time.monotonic()
    said = ended(waiting)
    assert time.monotonic() - begin < 10
    assert builds(log) == 2
    assert sorted(words[0] for words in said) == ["0", "0", "0", "1"]


# ---- failed builds


def _refused(output: str, status: int = 1) -> BuildError:
    return BuildError(["ninja"], status, output, Path("/kept"))


COMPILER = "../one.f90:3:5:\n\nError: Syntax error\n"


def test_a_refused_source_is_not_compiled_again_by_those_who_wait_or_come_soon(root: Path) -> None:
    """They raise the same error, which says by whom it was noted."""
    made = []

    def fail(_: Path) -> Path:
        made.append(1)
        raise _refused(COMPILER)

    for k in range(3):
        with pytest.raises(BuildError, match="Syntax error") as raised:
            cached(KEY, settings(root), fail)
        noted = (
            rf"\(noted 0 s ago by {re.escape(socket.gethostname())}:{os.getpid()}; PY2F_CACHE_MODE=refresh tries again at once\)"
        )
        assert bool(re.search(noted, raised.value.output)) is (k > 0)
    assert len(made) == 1
    assert cached(KEY, settings(root, PY2F_CACHE_MODE="refresh"), _make)[1] is True


@pytest.mark.parametrize("age", [LIFETIME + 1, -LIFETIME - 1, 3e9])
def test_a_note_expires_and_a_wrong_clock_makes_it_worthless(root: Path, age: float) -> None:
    store = Store(root)
    failures.note(store, KEY, _refused(COMPILER))
    with pytest.raises(BuildError):
        failures.recall(store, KEY)
    note = root / "failed" / f"{KEY.digest}.json"
    content = json.loads(note.read_text())
    note.write_text(json.dumps({**content, "time": time.time() - age}))
    assert cached(KEY, settings(root), _make)[1] is True


@pytest.mark.parametrize(
    ("output", "status"),
    [
        ("/usr/bin/ld: final link failed: No space left on device\n../one.f90:3:5:\n", 1),
        ("../one.f90:3:5: internal compiler error\n", 1),
        ("gfortran: fatal error: Killed signal terminated program f951\n../one.f90:1:1:\n", 1),
        ("ld: undefined reference to `low_'\n", 1),
        (COMPILER, -9),
    ],
)
def test_what_may_be_mended_without_a_change_of_the_key_is_not_noted(root: Path, output: str, status: int) -> None:
    failures.note(Store(root), KEY, _refused(output, status))
    assert not (root / "failed").exists()


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"time": "x"}', "\0", "null"])
def test_a_damaged_note_is_none(root: Path, text: str) -> None:
    store = Store(root)
    store.write("failed", f"{KEY.digest}.json", text)
    assert cached(KEY, settings(root), _make)[1] is True
