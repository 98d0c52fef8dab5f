"""``py2f cache`` and its exit status: 0, 1 when something is wrong, 2 for wrong options; --json everywhere."""

from __future__ import annotations

import json
import os
import time
from typing import TYPE_CHECKING, Any

import pytest
from caches import KEY, command, prefix, settings

from py2f.cache.entry import MANIFEST
from py2f.cache.key import Key
from py2f.cache.layers import cached
from py2f.cache.prune import Caps, prune
from py2f.cache.store import DAY, Store

if TYPE_CHECKING:
    from pathlib import Path

TWO = Key((("part", "two"), ("only", "here")), "two_py")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    made = Store(tmp_path / "cache")
    made.publish(KEY, prefix(tmp_path / "built"), {"seconds": 1.5, "time": 1})
    made.publish(TWO, tmp_path / "built", {"seconds": 2.5, "time": 2})
    return made


def said(store: Store, *words: str, status: int = 0) -> Any:
    """What a verb prints, as text and as JSON; both have the same status."""
    runs = [command("cache", *words, *more, cwd=store.root.parent, PY2F_CACHE_DIR=str(store.root)) for more in ((), ("--json",))]
    assert [done.returncode for done in runs] == [status, status], runs[0].stderr
    return runs[0].stdout, json.loads(runs[1].stdout)


def age(entry: Path, days: float) -> None:
    """Make an entry old."""
    then = time.time() - days * DAY
    os.utime(entry / MANIFEST, (then, then))


def test_path_shows_each_cache_and_what_is_wrong(store: Store, tmp_path: Path) -> None:
    text, (row,) = said(store, "path")
    assert text.startswith(f"{store.root}  written, ")
    assert {"path", "role", "trouble", "file_system", "network", "noexec", "free"} == row.keys()
    store.root.chmod(0o777)
    text, (row,) = said(store, "path", status=1)
    assert row["trouble"] == f"{store.root} can be written by everybody: chmod o-w"
    done = command("cache", "path", "--json", cwd=tmp_path, PY2F_CACHE_PATH=f"{tmp_path}/a:{tmp_path}/b", PY2F_CACHE_DIR="")
    assert [(r["path"], r["role"]) for r in json.loads(done.stdout)] == [(f"{tmp_path}/a", "written"), (f"{tmp_path}/b", "read")]


def test_list_sorts_and_selects(store: Store) -> None:
    text, rows = said(store, "list")
    assert [row["name"] for row in rows] == ["one_py", "two_py"]
    assert [line.split()[-1] for line in text.splitlines()] == ["one_py", "two_py"]
    assert [row["name"] for row in said(store, "list", "--sort", "time")[1]] == ["two_py", "one_py"]
    assert [row["name"] for row in said(store, "list", "--name", "one*")[1]] == ["one_py"]
    age(store.folder(KEY.digest), 3)
    assert [row["name"] for row in said(store, "list", "--sort", "used")[1]] == ["two_py", "one_py"]


def test_looking_at_an_entry_does_not_make_it_used(store: Store) -> None:
    age(store.folder(KEY.digest), 30)
    for verb in ("list", "stats"):
        said(store, verb)
    assert time.time() - said(store, "list", "--name", "one_py")[1][0]["used"] > 29 * DAY


def test_info_shows_manifest_and_soundness(store: Store) -> None:
    text, content = said(store, "info", "one_py")
    assert content["key"] == {"part": "one"}
    assert content["sound"] is True
    assert "lib/libone.so  " in text
    os.truncate(store.folder(KEY.digest) / "lib" / "libone.so", 1)
    assert said(store, "info", KEY.digest[:8], status=1)[1]["sound"] is False


def test_explain_names_the_parts_that_differ(store: Store) -> None:
    text, content = said(store, "explain", "one_py", "two_py", status=1)
    assert content["differences"] == ["only: only in the second", "part: one | two"]
    assert text == "only: only in the second\npart: one | two\n"
    assert said(store, "explain", "one_py", KEY.digest[:9])[1] == {"differences": []}


def test_explain_says_why_a_module_would_be_built(store: Store, tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text("from py2f import export_to_fortran\n@export_to_fortran\ndef one() -> int: ...\n")
    text, content = said(store, "explain", "model", status=1)
    assert text.startswith("model_py is not in the cache")
    assert text.endswith("py2f prebuild model, where a compiler is\n")
    assert content["explanation"] == text.splitlines()
    command("prebuild", "model", cwd=tmp_path, check=True, PY2F_CACHE_DIR=str(store.root))
    assert said(store, "explain", "model")[0] == "model: everything is in the cache: model_py\n"
    done = command("cache", "explain", "nomodule", cwd=tmp_path, PY2F_CACHE_DIR=str(store.root))
    assert (done.returncode, done.stderr.startswith("py2f: there is no module nomodule")) == (1, True)


def test_verify_finds_and_mends(store: Store) -> None:
    assert said(store, "verify")[0] == "all entries are sound\n"
    os.truncate(store.folder(KEY.digest) / "lib" / "libone.so", 1)
    assert said(store, "verify", status=1)[1]["left"] == [str(store.folder(KEY.digest))]
    done = command("cache", "verify", "--fix", cwd=store.root, check=True, PY2F_CACHE_DIR=str(store.root))
    assert done.stdout == f"damaged, moved to quarantine: {store.folder(KEY.digest)}\n"
    assert said(store, "verify")[1] == {"damaged": [], "left": []}
    assert store.find(TWO)


def test_stats_count(store: Store) -> None:
    assert (
        said(store, "stats")[1].items()
        >= {"entries": 2, "build_seconds": 4.0, "staging": 0, "quarantine": 0, "failed": 0}.items()
    )


def test_clear_removes_everything_of_ours(store: Store) -> None:
    (store.root / "gt4py").mkdir()
    done = command("cache", "clear", cwd=store.root, check=True, PY2F_CACHE_DIR=str(store.root))
    assert done.stdout == f"removed 2 of 2 from {store.root}\n"
    assert store.entries() == []
    assert (store.root / "gt4py").is_dir()


def test_all_verbs_work_where_there_is_no_cache(tmp_path: Path) -> None:
    nothing = Store(tmp_path / "none")
    for words in (["list"], ["path"], ["verify"], ["verify", "--fix"], ["prune"], ["clear"], ["stats"]):
        said(nothing, *words)
    done = command("cache", "info", "one_py", cwd=tmp_path, PY2F_CACHE_DIR=str(nothing.root))
    assert done.returncode == 1
    assert done.stderr == "py2f: there is no entry 'one_py' in the cache: `py2f cache list` shows those that are\n"
    assert not nothing.root.exists()


@pytest.mark.parametrize("words", [["nonsense"], ["list", "--sort", "colour"], [], ["prune", "--max-entries", "many"]])
def test_wrong_options_are_status_2(tmp_path: Path, words: list[str]) -> None:
    assert command("cache", *words, cwd=tmp_path).returncode == 2


# ---- room


def test_what_was_not_used_for_longest_goes_first_and_nothing_that_was_used_lately(store: Store, tmp_path: Path) -> None:
    keys = [Key((("number", str(k)),)) for k in range(4)]
    for k, key in enumerate(keys):
        age(store.publish(key, tmp_path / "built"), 10 * (k + 1))
    for caps, left in (
        (Caps(2**30, 4), [KEY, TWO, *keys[:2]]),
        (Caps(2**30, 5000, 15), [KEY, TWO, keys[0]]),
        (Caps(0), [KEY, TWO]),
    ):
        would = prune(store, caps, dry_run=True)
        assert prune(store, caps) == would
        assert {entry.name for entry in store.entries()} == {key.digest for key in left}
    assert list((store.root / "staging").iterdir()) == []


def test_waste_goes_when_it_is_old_and_not_while_it_may_be_in_use(store: Store) -> None:
    old, new = time.time() - 9 * DAY, time.time()
    for name in ("staging", "quarantine", "failed", "locks", "leases"):
        for kind in ("old", "new"):
            (store.root / name).mkdir(exist_ok=True)
            (store.root / name / kind).mkdir()
            os.utime(store.root / name / kind, (old, old) if kind == "old" else (new, new))
    # the time of the last change of the name is the kernel's: look from ten days ahead
    before = time.time
    try:
        time.time = lambda: before() + 8 * DAY
        for name in ("staging", "quarantine", "failed", "locks", "leases"):
            os.utime(store.root / name / "new", (before() + 8 * DAY,) * 2)
        going = {str(path.relative_to(store.root)) for path in prune(store, Caps(2**30))}
    finally:
        time.time = before
    assert going == {f"{name}/old" for name in ("staging", "quarantine", "failed", "locks", "leases")}
    assert {p.name for p in store.root.glob("*/new")} == {"new"}


def test_what_killed_builders_have_left_goes_after_a_day(store: Store, tmp_path: Path) -> None:
    """Where they compiled; what is kept of failed builds is the user's, and other names are other people's."""
    place = tmp_path / "node"
    old = time.time() - 2 * DAY
    names = (
        "py2f-0123456789abcdef",
        "py2f-a_b2c3d4",
        "py2f-fedcba9876543210",
        "py2f-failed-model_py-abcdefgh",
        "py2f-1000",
        "other",
    )
    for name in names:
        (place / name).mkdir(parents=True)
        if name != "py2f-fedcba9876543210":
            os.utime(place / name, (old, old))
    command("cache", "prune", cwd=tmp_path, check=True, PY2F_CACHE_DIR=str(store.root), PY2F_BUILD_DIR=str(place))
    assert sorted(path.name for path in place.iterdir()) == sorted(names[2:])
    (place / "py2f-0123456789abcdef").symlink_to(tmp_path)
    os.utime(place / "py2f-0123456789abcdef", (old, old), follow_symlinks=False)
    command("cache", "prune", cwd=tmp_path, check=True, PY2F_CACHE_DIR=str(store.root), PY2F_BUILD_DIR=str(place))
    assert tmp_path.is_dir()
    assert (place / "py2f-0123456789abcdef").is_symlink()


def test_who_publishes_keeps_the_cap_once_a_day(store: Store, tmp_path: Path) -> None:
    age(store.folder(KEY.digest), 30)
    third = Key((("part", "three"),))
    ours = settings(store.root, PY2F_CACHE_MAX_SIZE="1K")
    cached(third, ours, lambda folder: prefix(folder / "p"))
    assert {entry.name for entry in store.entries()} == {TWO.digest, third.digest}
    age(store.folder(TWO.digest), 30)
    cached(Key((("part", "four"),)), ours, lambda folder: prefix(folder / "p"))
    assert store.folder(TWO.digest).is_dir()
    assert tmp_path


def test_prune_as_a_command(store: Store) -> None:
    age(store.folder(KEY.digest), 30)
    text, content = said(store, "prune", "--max-age", "20", "--dry-run")
    assert content == {"removed": [str(store.folder(KEY.digest))], "dry_run": True}
    assert text == f"would be removed: {store.folder(KEY.digest)}\n"
    done = command("cache", "prune", "--max-size", "1K", cwd=store.root, check=True, PY2F_CACHE_DIR=str(store.root))
    assert done.stdout == f"removed: {store.folder(KEY.digest)}\n"
    done = command("cache", "prune", "--max-size", "big", cwd=store.root, PY2F_CACHE_DIR=str(store.root))
    assert (done.returncode, done.stderr) == (1, "py2f: --max-size='big' is not a size, as 500M or 2G\n")
