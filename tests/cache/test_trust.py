"""Whose caches are loaded from: ours, root's and those that are named, where nobody else can write."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from caches import KEY, prefix, settings

from py2f.cache.layers import Layers, cached
from py2f.cache.store import Store
from py2f.cache.trust import refusal

OTHER = 12345
needs_root = pytest.mark.skipif(
    os.geteuid() != 0, reason="only root can give a file away: caches of other users are not verified"
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    Store(tmp_path / "cache").publish(KEY, prefix(tmp_path / "built"))
    return tmp_path / "cache"


def _make(folder: Path) -> Path:
    return prefix(folder / "p")


@pytest.mark.parametrize("mode", [0o700, 0o755, 0o555])
def test_what_is_ours_and_closed_is_trusted(root: Path, mode: int) -> None:
    root.chmod(mode)
    assert refusal(root, own=True) == ""


@pytest.mark.parametrize(
    ("mode", "why"),
    [
        (0o777, "can be written by everybody: chmod o-w"),
        (0o1777, "can be written by everybody: chmod o-w"),
        (0o770, "can be written by its group: chmod g-w, or PY2F_CACHE_SHARED=group for a cache that the group shares"),
    ],
)
def test_what_others_can_write_is_not_used_and_said(root: Path, mode: int, why: str) -> None:
    """The library is compiled, and used from a private folder."""
    root.chmod(mode)
    with pytest.warns(RuntimeWarning, match=f"the cache {root} is not used: {root} {why}"):
        entry, compiled, trouble = cached(KEY, settings(root), _make)
    assert compiled
    assert trouble == f"{root}: {root} {why}"
    assert not entry.is_relative_to(root)


def test_a_folder_above_that_others_can_write_is_as_bad_but_for_a_sticky_one(root: Path) -> None:
    root.parent.chmod(0o777)
    assert refusal(root, own=True) == f"{root.parent} can be written by everybody: chmod o-w"
    refusal.cache_clear()
    root.parent.chmod(0o1777)
    assert refusal(root, own=True) == ""


def test_a_link_is_followed_to_where_it_leads(root: Path, tmp_path: Path) -> None:
    (tmp_path / "open").mkdir(mode=0o777)
    (tmp_path / "open").chmod(0o777)
    root.rename(tmp_path / "open" / "cache")
    (tmp_path / "link").symlink_to(tmp_path / "open" / "cache")
    assert refusal(tmp_path / "link", own=True) == f"{tmp_path}/open can be written by everybody: chmod o-w"


def test_a_group_shares_a_cache_only_when_it_is_asked_to(tmp_path: Path) -> None:
    """Then what is made in it is the group's, too; a layer that is only read may not be open."""
    root = tmp_path / "cache"
    ours = settings(root, PY2F_CACHE_SHARED="group")
    cached(KEY, ours, _make)
    assert [p.stat().st_mode & 0o7777 for p in (root, root / "entries", Store(root).folder(KEY.digest))] == [
        0o2770,
        0o2770,
        0o2775,
    ]
    assert cached(KEY, ours, _make)[1] is False
    assert "can be written by its group" in refusal(root, own=False, shared=True)
    assert "can be written by its group" in refusal(root, own=True)


@needs_root
def test_a_cache_of_another_user_is_used_only_when_that_user_is_named(root: Path) -> None:
    os.chown(root, OTHER, OTHER)
    assert refusal(root, own=True) == f"{root} belongs to user {OTHER}: name that user in PY2F_CACHE_TRUST to trust them"
    with pytest.warns(RuntimeWarning, match=f"belongs to user {OTHER}"):
        assert Layers(settings(root)).stores == []
    assert cached(KEY, settings(root, PY2F_CACHE_TRUST=f"1,{OTHER}"), _make)[1] is False


@needs_root
def test_another_user_without_name_or_home_works_privately(root: Path) -> None:
    """A number without an entry in the password file, HOME unset, everything read-only: it is built, and nothing is written."""
    code = (
        "import os, warnings; warnings.simplefilter('ignore')\n"
        "from caches import KEY, prefix\nfrom py2f.cache.layers import cached, private\nfrom py2f.settings import Settings\n"
        "cached(KEY, Settings.read({'PATH': '/bin', 'PY2F_CACHE_DIR': os.environ['ROOT'] + '2'}), lambda folder: prefix(folder / 'p'))\n"
        "os.setgid(12345); os.setuid(12345)\n"  # everything is imported: this user may not be able to read this Python
        "for root in ('', os.environ['ROOT']):\n    private.clear()\n"
        "    print(cached(KEY, Settings.read({'PATH': '/bin', 'PY2F_CACHE_DIR': root}), lambda folder: prefix(folder / 'p'))[1:])\n"
    )
    environment = {n: v for n, v in os.environ.items() if n not in ("HOME", "PY2F_CACHE_DIR", "XDG_CACHE_HOME")}
    support = str(Path(__file__).parents[1] / "support")
    given = {**environment, "PYTHONPATH": support, "ROOT": str(root)}
    done = subprocess.run([sys.executable, "-c", code], env=given, capture_output=True, text=True, check=True, cwd="/")
    first, second = done.stdout.splitlines()
    assert first == "(True, '/dev/null/py2f: Not a directory')"
    assert second.startswith(f"(True, '{root}: ")
