"""A hit: no lock, no write, nothing loaded that a miss needs, and less than half a millisecond."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

from caches import GOOD, KEY, prefix, settings

from py2f.cache.layers import cached
from py2f.cache.store import DAY, MANIFEST, Store
from py2f.site import shipped


def _never(_: Path) -> Path:
    raise AssertionError("built, although it is there")


def test_a_look_up_takes_half_a_millisecond(tmp_path: Path) -> None:
    """With an entry as an export has it, of sixteen files; the best of five medians, since others use this machine."""
    built = prefix(tmp_path / "built")
    for k in range(14):
        (built / "src" / f"file{k}.f90").write_text("x" * 3000)
    Store(tmp_path / "cache").publish(KEY, built)
    ours = settings(tmp_path / "cache")
    medians = []
    for _ in range(5):
        times = []
        for _ in range(100):
            begin = time.perf_counter()
            cached(KEY, ours, _never)
            times.append(time.perf_counter() - begin)
        medians.append(statistics.median(times))
    assert min(medians) <= 0.5e-3, medians


def test_a_hit_asks_the_file_system_for_little_and_writes_nothing(tmp_path: Path) -> None:
    """Every call that names a path or opens one for writing is counted by Python itself."""
    Store(tmp_path / "cache").publish(KEY, prefix(tmp_path / "built"))
    code = """
import sys
from caches import KEY
from py2f.cache.layers import cached
from py2f.settings import Settings
asked = []
sys.addaudithook(lambda event, args: asked.append((event, args)) if event.startswith(("open", "os.", "shutil", "fcntl", "socket", "subprocess")) else None)
print(cached(KEY, Settings.read(), None)[1])
opened = [args for event, args in asked if event == "open"]
print([args for args in opened if args[2] & 3], {event for event, _ in asked} - {"open", "os.scandir"}, len(asked))
print({"filelock", "mesonbuild", "ninja", "tempfile", "subprocess", "platformdirs", "multiprocessing", "sqlite3", "pickle"} & set(sys.modules))
"""
    environment = {
        **os.environ,
        "PY2F_CACHE_DIR": str(tmp_path / "cache"),
        "PYTHONPATH": str(Path(__file__).parents[1] / "support"),
    }
    light = code.replace("from caches import KEY\n", "from py2f.cache.key import Key\nKEY = Key((('part', 'one'),), 'one_py')\n")
    done = subprocess.run([sys.executable, "-c", light], env=environment, capture_output=True, text=True, check=True)
    hit, calls, modules = done.stdout.splitlines()
    assert hit == "False"
    assert calls.startswith("[] set() ")
    assert int(calls.split()[-1]) <= 10  # a manifest, three folders, three files and a link
    assert modules == "set()"


def test_a_use_is_noted_once_a_day_where_the_file_system_does_not(tmp_path: Path) -> None:
    """The time of access is the kernel's; where that stays old, as under noatime, the entry's own time is set."""
    store = Store(tmp_path / "cache")
    manifest = store.publish(KEY, prefix(tmp_path / "built")) / MANIFEST
    old = time.time() - 3 * DAY
    os.utime(manifest, (old, old))
    store.used(KEY)
    assert time.time() - manifest.stat().st_mtime < 60
    before = manifest.stat().st_mtime_ns
    store.used(KEY)
    assert manifest.stat().st_mtime_ns == before


def test_size_is_compared_before_anything_is_read(tmp_path: Path) -> None:
    store = Store(tmp_path / "cache")
    entry = store.publish(KEY, prefix(tmp_path / "built"))
    assert (entry / "lib" / "libone.so").read_bytes() == GOOD == shipped("libpy2f.so").read_bytes()
    os.truncate(entry / "lib" / "libone.so", 2**40)  # sparse: whoever reads it all does not come back soon
    begin = time.monotonic()
    assert store.find(KEY) is None
    assert time.monotonic() - begin < 1
