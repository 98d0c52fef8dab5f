"""Several caches: in which order they are read, which one is written, what modes allow, and how entries travel between them."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sys
import tarfile
from typing import TYPE_CHECKING

import pytest
from caches import GOOD, KEY, command, prefix, settings
from programs import Project, run

from py2f.cache.entry import MANIFEST
from py2f.cache.key import Key
from py2f.cache.layers import Layers, cached
from py2f.cache.store import Store
from py2f.errors import CacheMissError, Py2fError
from py2f.settings import Settings

if TYPE_CHECKING:
    import subprocess
    from pathlib import Path


def _make(folder: Path) -> Path:
    return prefix(folder / "p")


def _never(_: Path) -> Path:
    raise AssertionError("built, although it is there")


def _states(folder: Path) -> dict[str, tuple[int, int]]:
    return {str(path): (path.lstat().st_mtime_ns, path.lstat().st_ino) for path in folder.rglob("*")}


def _layered(tmp_path: Path, **environment: str) -> Settings:
    path = ":".join(str(tmp_path / name) for name in ("user", "site", "image"))
    return Settings.read({"PY2F_CACHE_PATH": path, "PATH": os.environ["PATH"], **environment})


def test_the_first_is_written_and_all_are_read_in_order(tmp_path: Path) -> None:
    image = Store(tmp_path / "image").publish(KEY, prefix(tmp_path / "built"))
    assert cached(KEY, _layered(tmp_path), _never)[0] == image
    site = Store(tmp_path / "site").publish(KEY, tmp_path / "built")
    assert cached(KEY, _layered(tmp_path), _never)[0] == site
    assert not (tmp_path / "user").exists()
    other = Key((("part", "two"),), "two_py")
    assert cached(other, _layered(tmp_path), _make)[0].is_relative_to(tmp_path / "user")
    assert cached(other, _layered(tmp_path, PY2F_CACHE_DIR=str(tmp_path / "own")), _never)[0].is_relative_to(tmp_path / "user")


def test_a_layer_that_is_only_read_is_never_touched(tmp_path: Path) -> None:
    """Nor is a damaged entry of it moved: it is built again, in the user's own cache."""
    entry = Store(tmp_path / "site").publish(KEY, prefix(tmp_path / "built"))
    os.truncate(entry / "lib" / "libone.so", 100)
    before = _states(tmp_path / "site")
    ours, compiled, _ = cached(KEY, _layered(tmp_path), _make)
    assert compiled
    assert ours.is_relative_to(tmp_path / "user")
    assert _states(tmp_path / "site") == before


def test_ro_reads_and_writes_nothing(tmp_path: Path) -> None:
    Store(tmp_path / "user").publish(KEY, prefix(tmp_path / "built"))
    before = _states(tmp_path / "user")
    ours = _layered(tmp_path, PY2F_CACHE_MODE="ro")
    assert cached(KEY, ours, _never)[1] is False
    other = Key((("part", "two"),))
    entry, compiled, _ = cached(other, ours, _make)
    assert compiled
    assert not entry.is_relative_to(tmp_path / "user")
    assert cached(other, ours, _never)[:2] == (entry, False)  # for this process it is there
    assert _states(tmp_path / "user") == before


def test_off_neither_reads_nor_writes(tmp_path: Path) -> None:
    Store(tmp_path / "user").publish(KEY, prefix(tmp_path / "built"))
    assert cached(KEY, _layered(tmp_path, PY2F_CACHE_MODE="off"), _make)[1] is True


def test_require_says_what_is_missing_why_and_what_mends_it(tmp_path: Path) -> None:
    Store(tmp_path / "user").publish(Key((("c flags", "[]"), ("part", "one")), "one_py"), prefix(tmp_path / "built"))
    wanted = Key((("c flags", '["-g"]'), ("part", "one")), "one_py", "one")
    with pytest.raises(CacheMissError) as missed:
        cached(wanted, _layered(tmp_path, PY2F_CACHE_MODE="require"), _never)
    looked = ", ".join(str(tmp_path / name) for name in ("user", "site", "image"))
    nearest = Store(tmp_path / "user").entries()[0].name[:12]
    assert str(missed.value).splitlines() == [
        f"one_py is not in the cache, and PY2F_CACHE_MODE=require forbids to build it; looked in {looked}",
        f"the nearest entry, {nearest}, is of another key (wanted | there):",
        '  c flags: ["-g"] | []',
        "to build it: PY2F_CACHE_MODE=rw py2f prebuild one, where a compiler is",
    ]


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("PY2F_CACHE_MODE", "on", r"PY2F_CACHE_MODE='on' is not one of rw, ro, require, off, refresh"),
        ("PY2F_CACHE_SHARED", "all", r"PY2F_CACHE_SHARED='all' is not one of group"),
        ("PY2F_CACHE_LEASE", "yes", r"PY2F_CACHE_LEASE='yes' is not one of auto, on, off"),
        ("PY2F_CACHE_TRUST", "me", r"PY2F_CACHE_TRUST='me' is not a list of numbers of users, as 1000,1001"),
        ("PY2F_CACHE_MAX_SIZE", "much", r"PY2F_CACHE_MAX_SIZE='much' is not a size, as 500M or 2G"),
        ("PY2F_LOCK_TIMEOUT", "long", r"PY2F_LOCK_TIMEOUT='long' is not a number of seconds"),
    ],
)
def test_a_variable_that_makes_no_sense_is_refused(name: str, value: str, said: str) -> None:
    with pytest.raises(Py2fError, match=f"^{said}$"):
        Settings.read({name: value})


# ---- the way back


STUBS = """
from __future__ import annotations
from py2f import *

@pythoncall(source="physics.f90", module="physics")
def doubled(x: f64) -> f64: ...
"""
PHYSICS = """
module physics
contains
  function doubled(x) result(y)
    real(8), intent(in) :: x
    real(8) :: y
    y = 2*x
  end function
end module
"""
CALL = """
import subprocess, sys
started = []
before = subprocess.Popen.__init__
subprocess.Popen.__init__ = lambda self, command, *a, **k: (started.append(command), before(self, command, *a, **k))[1]
import stubs
print(stubs.doubled(2.0), len(started), "filelock" in sys.modules)
"""


def _call(project: Project, *, check: bool = True, **environment: str) -> subprocess.CompletedProcess[str]:
    given = {**os.environ, "PYTHONPATH": str(project.folder), **environment}
    return run([sys.executable, "-c", CALL], cwd="/", env=given, check=check)


def test_a_job_that_requires_its_cache_starts_no_process(project: Project, tmp_path: Path) -> None:
    """Built once, in a cache that then lies elsewhere, as in an image: no compiler is asked who it is."""
    project.write(stubs_py=STUBS, physics_f90=PHYSICS)
    user, image = tmp_path / "user", tmp_path / "image"
    missed = _call(project, check=False, PY2F_CACHE_DIR=str(user), PY2F_CACHE_MODE="require")
    assert "CacheMissError: physics is not in the cache" in missed.stderr
    assert missed.stderr.endswith("to build it: PY2F_CACHE_MODE=rw py2f prebuild stubs, where a compiler is\n")
    command("prebuild", "stubs", cwd=project.folder, check=True, PY2F_CACHE_DIR=str(user), PYTHONPATH=str(project.folder))
    command("cache", "export", str(image), cwd=project.folder, check=True, PY2F_CACHE_DIR=str(user))
    shutil.rmtree(user)
    done = _call(project, PY2F_CACHE_PATH=f"{user}:{image}", PY2F_CACHE_MODE="require")
    assert done.stdout == "4.0 0 False\n"
    done = _call(project, PY2F_CACHE_PATH=f"{user}:{image}")  # asks the compilers, and finds the same
    assert done.stdout.startswith("4.0 ")
    assert done.stdout.endswith(" False\n")
    assert not (user / "entries").exists()


# ---- entries that travel


@pytest.fixture
def filled(tmp_path: Path) -> Path:
    """A cache with two entries, a note, and what GT4Py keeps in it."""
    store = Store(tmp_path / "from")
    first = store.publish(KEY, prefix(tmp_path / "built"))
    store.publish(Key((("part", "two"),), "two_py"), tmp_path / "built")
    Layers(settings(store.root)).remember(Key((("asked", "1"),)), [first / "lib" / "libone.so"])
    (store.root / "gt4py" / "stencil").mkdir(parents=True)
    (store.root / "gt4py" / "stencil" / "code.so").write_bytes(GOOD)
    return store.root


@pytest.mark.parametrize("name", ["cache.tar", "cache.tar.gz", "cache.tar.zst", "folder"])
def test_what_is_exported_can_be_imported_and_found(filled: Path, tmp_path: Path, name: str) -> None:
    if name.endswith("zst") and not shutil.which("zstd"):
        pytest.skip("zstd is not installed: archives that it compresses are not verified")
    target = tmp_path / name
    said = command("cache", "export", str(target), cwd=tmp_path, check=True, PY2F_CACHE_DIR=str(filled))
    assert said.stdout == f"{target}: 2 entries\n"
    said = command("cache", "import", str(target), cwd=tmp_path, check=True, PY2F_CACHE_DIR=str(tmp_path / "to"))
    assert said.stdout == f"{tmp_path}/to: 2 entries\n"
    ours = settings(tmp_path / "to")
    assert cached(KEY, ours, _never)[1] is False
    assert Layers(ours).recall(Key((("asked", "1"),))) == [Store(tmp_path / "to").folder(KEY.digest) / "lib" / "libone.so"]
    assert (tmp_path / "to" / "gt4py" / "stencil" / "code.so").read_bytes() == GOOD
    assert (tmp_path / "to").stat().st_mode & 0o777 == 0o700


def test_the_same_cache_makes_the_same_archive(filled: Path, tmp_path: Path) -> None:
    digests = set()
    for name in ("a.tar.gz", "b.tar.gz"):
        command("cache", "export", name, cwd=tmp_path, check=True, PY2F_CACHE_DIR=str(filled))
        digests.add(hashlib.sha256((tmp_path / name).read_bytes()).hexdigest())
    assert len(digests) == 1


def test_a_damaged_entry_is_neither_exported_nor_imported(filled: Path, tmp_path: Path) -> None:
    command("cache", "export", "folder", cwd=tmp_path, check=True, PY2F_CACHE_DIR=str(filled))
    for root in (filled, tmp_path / "folder"):
        os.truncate(Store(root).folder(KEY.digest) / "lib" / "libone.so", 10)
    done = command("cache", "export", "again.tar", cwd=tmp_path, PY2F_CACHE_DIR=str(filled))
    assert (done.returncode, done.stdout) == (1, "again.tar: 1 entries\n")
    done = command("cache", "import", "folder", cwd=tmp_path, PY2F_CACHE_DIR=str(tmp_path / "to"))
    assert done.returncode == 1
    assert done.stdout.endswith(f"/to: 1 entries; damaged, and left out: {KEY.digest}\n")


def test_an_archive_that_would_leave_its_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "evil").write_text("x")
    with tarfile.open(tmp_path / "evil.tar", "w") as archive:
        archive.add(tmp_path / "evil", "../../evil")
    done = command("cache", "import", "evil.tar", cwd=tmp_path, PY2F_CACHE_DIR=str(tmp_path / "a" / "b" / "cache"))
    assert done.returncode == 1
    assert done.stderr.startswith(f"py2f: {tmp_path}/evil.tar cannot be unpacked: ")
    assert not list(tmp_path.rglob("staging/*"))


def test_a_manifest_that_names_paths_elsewhere_is_not_sound(tmp_path: Path) -> None:
    """What is checked is what is in the folder; a name that leads out of it is of nothing that was found there."""
    entry = Store(tmp_path / "cache").publish(KEY, prefix(tmp_path / "built"))
    said = json.loads((entry / MANIFEST).read_text())
    said["files"]["../../evil"] = said["files"].pop("src/one.f90")
    (entry / MANIFEST).write_text(json.dumps(said))
    assert Store(tmp_path / "cache").find(KEY) is None
