"""Many processes at once, and all that a batch system does to them: no errors, and one build, or one more for a dead builder."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING

import pytest
from caches import GOOD, KEY, builds, ended, herd, prefix, settings, start
from programs import MPI, Project, run

from py2f.cache.layers import cached
from py2f.cache.store import Store

if TYPE_CHECKING:
    from pathlib import Path

FLOCK = """
#define _GNU_SOURCE
#include <errno.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>
/* flock as on NFS without lockd, or on Lustre; and calls that take their time */
int flock(int fd, int how) { (void)fd; (void)how; errno = FAILURE; return -1; }
int fsync(int fd) { struct timespec t = {0, 20000000}; (void)fd; return nanosleep(&t, 0); }
"""


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "log"


def test_sixty_four_processes_on_a_cold_cache_build_once(tmp_path: Path, log: Path) -> None:
    """And all have it within a second after it is there."""
    said = herd(tmp_path / "cache", log, 64)
    assert builds(log) == 1
    assert sum(words[0] == "1" for words in said) == 1
    assert {words[2] for words in said} == {str(Store(tmp_path / "cache").folder(KEY.digest))}


@pytest.mark.parametrize("failure", ["ENOSYS", "ENOLCK", "EIO"])
def test_without_locks_as_on_some_network_file_systems_there_is_no_error(tmp_path: Path, log: Path, failure: str) -> None:
    """With a library that refuses flock and slows fsync down: each may build, and one entry remains."""
    source, shim = tmp_path / "shim.c", tmp_path / "shim.so"
    source.write_text(FLOCK)
    run(["cc", "-shared", "-fPIC", f"-DFAILURE={failure}", str(source), "-o", str(shim)], cwd=tmp_path)
    said = herd(tmp_path / "cache", log, 8, LD_PRELOAD=str(shim))
    assert 1 <= builds(log) <= 8
    assert len(Store(tmp_path / "cache").entries()) == 1
    assert cached(KEY, settings(tmp_path / "cache"), _never)[1] is False
    assert "flock" not in "".join(words[-1] for words in said)


def _never(_: Path) -> Path:
    raise AssertionError("built, although it is there")


def _truncated(percent: int, entry: Path) -> None:
    os.truncate(entry / "lib" / "libone.so", len(GOOD) * percent // 100)


def _flipped(entry: Path) -> None:
    content = bytearray(GOOD)
    content[len(content) // 2] ^= 8
    (entry / "lib" / "libone.so").write_bytes(content)


DAMAGES = {
    **{f"library cut to {p} %": (lambda entry, p=p: _truncated(p, entry)) for p in (10, 50, 75, 90)},
    "one bit flipped": _flipped,
    "deleted": shutil.rmtree,
    "manifest is garbage": lambda entry: (entry / "manifest.json").write_bytes(b"\0garbage"),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_entry_is_built_again_once(tmp_path: Path, log: Path, damage: str) -> None:
    """Six processes meet it at the same time."""
    entry = Store(tmp_path / "cache").publish(KEY, prefix(tmp_path / "built"))
    DAMAGES[damage](entry)
    herd(tmp_path / "cache", log, 6, seconds=0.2)
    assert builds(log) == 1


def test_an_entry_that_goes_and_comes_while_others_read_is_no_error(tmp_path: Path) -> None:
    """One process clears the cache all the time; what others return is whole at that moment, or their own."""
    store, stop = Store(tmp_path / "cache"), threading.Event()
    store.publish(KEY, prefix(tmp_path / "built"))

    def disturb() -> None:
        while not stop.wait(0.01):
            store.quarantine(store.folder(KEY.digest))

    thread = threading.Thread(target=disturb)
    thread.start()
    try:
        for _ in range(40):
            entry, _, trouble = cached(KEY, settings(store.root), lambda folder: prefix(folder / "p"))
            assert trouble == ""
            assert entry.name in (KEY.digest, "entry")
    finally:
        stop.set()
        thread.join()


def test_clocks_that_differ_do_not_matter(tmp_path: Path, log: Path) -> None:
    """Everything in the cache is from another day, before or after: entries are found, and locks and notes are no older."""
    for shift in (-40 * 86400, 40 * 86400):
        root = tmp_path / f"cache{shift}"
        herd(root, log, 1, seconds=0)
        (root / "failed").mkdir(exist_ok=True)
        note = {"command": [], "status": 1, "output": "a.f90:1:1", "folder": "/", "by": "x", "time": time.time() + shift}
        (root / "failed" / f"{KEY.digest}.json").write_text(json.dumps(note))
        for path in root.rglob("*"):
            os.utime(path, (time.time() + shift,) * 2, follow_symlinks=False)
        assert herd(root, log, 1)[0][0] == "0"
        shutil.rmtree(Store(root).folder(KEY.digest))
        assert sorted(words[0] for words in herd(root, log, 2, seconds=0)) == ["0", "1"]
    assert builds(log) == 4


@pytest.mark.parametrize("place", ["blanks and ünï cödé", "$x,#'quote", "a:b%c&d"])
def test_any_path_will_do(project: Project, tmp_path: Path, place: str) -> None:
    """The cache, the folder of the build and the module stand in folders with odd names; the locale is C."""
    project.folder = tmp_path / place / "project"
    project.folder.parent.mkdir()
    (tmp_path / place / "tmp").mkdir()
    project.write(model_py="from py2f import export_to_fortran\n\n@export_to_fortran\ndef one() -> int:\n    return 1\n")
    given = {"PY2F_CACHE_DIR": str(tmp_path / place / "cache"), "TMPDIR": str(tmp_path / place / "tmp"), "LC_ALL": "C"}
    project.environment = {**given, "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    assert "(compiled)" in project.export().stdout
    assert "nothing compiled" in project.export().stdout


def test_no_compiler_is_no_matter_for_a_hit_and_an_error_for_a_miss(project: Project, tmp_path: Path) -> None:
    """An export asks the compilers who they are, since that is in its key: without one it says what to install."""
    project.write(model_py="from py2f import export_to_fortran\n\n@export_to_fortran\ndef one() -> int:\n    return 1\n")
    environment = {"PATH": str(tmp_path), "PY2F_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": str(project.folder)}
    done = run([sys.executable, "-c", "import py2f; py2f.build('model')"], cwd="/", env=environment, check=False)
    assert "ToolchainError: no Fortran compiler on PATH: install gfortran" in done.stderr


def test_ranks_of_mpi_on_a_cold_cache(project: Project, tmp_path: Path) -> None:
    """Eight ranks call a Fortran procedure; one compiles, all get the result."""
    if not shutil.which("mpirun"):
        pytest.skip("mpirun is not installed: ranks of MPI on a cold cache are not verified")
    source = "module m\ncontains\n  function two() result(n)\n    integer :: n\n    n = 2\n  end function\nend module\n"
    stubs = (
        "from __future__ import annotations\nfrom py2f import *\nimport os, sys\n"
        "import py2f.pipeline as p\nbefore = p.compile_sources\n"
        "p.compile_sources = lambda *a: (os.write(1, b'compiled\\n'), before(*a))[1]\n"
        "@pythoncall(source='m.f90', module='m')\ndef two() -> i32: ...\nos.write(1, b'rank %d\\n' % two())\n"
    )
    project.write(stubs_py=stubs, m_f90=source)
    command = ["mpirun", "-n", "8", "--oversubscribe", sys.executable, str(project.folder / "stubs.py")]
    done = run(command, cwd=tmp_path, env={**os.environ, **MPI, "PY2F_CACHE_DIR": str(tmp_path / "cache")})
    lines = done.stdout.split("\n")
    assert lines.count("rank 2") == 8
    assert lines.count("compiled") == 2  # the source, and the thunks


PREBUILD = """
import sys
from mpi4py import MPI
import py2f
import py2f.pipeline as p
before = p.compile_sources
p.compile_sources = lambda *a: (sys.stdout.write("compiled\\n"), before(*a))[1]
try:
    made = py2f.prebuild("granule", MPI.COMM_WORLD)
except py2f.Py2fError as error:
    sys.stderr.write(f"{error}\\n")
    sys.exit(3)
sys.stdout.write(f"{MPI.COMM_WORLD.Get_size()} {made[0]} {py2f.build('granule').compiled}\\n")
"""


@pytest.mark.parametrize("fc", ["", "nofortran"])
def test_prebuild_among_ranks_of_mpi4py(project: Project, tmp_path: Path, fc: str) -> None:
    """The first rank builds, once; where it cannot, the job says why and ends."""
    if not shutil.which("mpirun"):
        pytest.skip("mpirun is not installed: prebuild with mpi4py is not verified")
    pytest.importorskip("mpi4py", reason="mpi4py is not installed: prebuild with it is not verified")
    project.write(granule_py="from py2f import export_to_fortran\n\n@export_to_fortran\ndef one() -> int:\n    return 1\n")
    given = {**os.environ, **MPI, "PY2F_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": str(project.folder)}
    given |= {"FC": fc} if fc else {}
    command = ["mpirun", "-n", "4", "--oversubscribe", sys.executable, "-c", PREBUILD]
    done = run(command, cwd=tmp_path, env=given, check=False, timeout=120)
    if fc:
        assert (done.returncode, done.stdout) == (3, "")
        assert "there is no compiler called 'nofortran' on PATH" in done.stderr
    else:
        assert (done.returncode, sorted(done.stdout.split("\n"))) == (0, ["", *["4 granule_py False"] * 4, "compiled"]), (
            done.stderr
        )


@pytest.mark.torture
def test_sixty_four_real_builds_are_one(project: Project, tmp_path: Path) -> None:
    """Whole py2f in each process, compilers and all."""
    project.write(model_py="from py2f import export_to_fortran\n\n@export_to_fortran\ndef one() -> int:\n    return 1\n")
    given = {**os.environ, "PY2F_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": str(project.folder)}
    code = "import py2f; print(py2f.build('model').compiled)"
    processes = [
        subprocess.Popen([sys.executable, "-c", code], env=given, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(64)
    ]
    said = ended(processes)
    assert sorted(words[0] for words in said) == ["False"] * 63 + ["True"]


@pytest.mark.torture
@pytest.mark.parametrize("lease", ["on", "off"])
def test_sixty_four_processes_whose_builders_are_killed(tmp_path: Path, log: Path, lease: str) -> None:
    """Three builders die one after the other, by kill -9; the others have an entry in the end, and no error."""
    root = tmp_path / "cache"
    victims = [start(root, log, str(tmp_path / f"started{k}"), PY2F_CACHE_LEASE=lease) for k in range(3)]
    others = [start(root, log, seconds=0.5, PY2F_CACHE_LEASE=lease) for _ in range(61)]
    for _ in range(3):
        time.sleep(2)
        for k, victim in enumerate(victims):
            if (tmp_path / f"started{k}").exists():
                victim.kill()
    for victim in victims:
        victim.kill()
        victim.communicate()
    ended(others)
    assert 1 <= builds(log) <= 4


@pytest.mark.torture
def test_publishers_and_readers_for_ten_seconds(tmp_path: Path) -> None:
    """Two threads publish over and over, four read: what is found is whole."""
    store, end = Store(tmp_path / "cache"), time.monotonic() + 10
    prefix(tmp_path / "built")
    seen: list[bool] = []

    def publish() -> None:
        while time.monotonic() < end:
            with contextlib.suppress(OSError):  # another publisher was faster
                store.publish(KEY, tmp_path / "built", replace=True)

    def look() -> None:
        while time.monotonic() < end:
            entry = store.find(KEY)
            if entry:
                with contextlib.suppress(FileNotFoundError):  # moved aside meanwhile
                    seen.append((entry / "lib" / "libone.so").read_bytes() == GOOD)

    threads = [threading.Thread(target=work) for work in (publish, publish, look, look, look, look)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(seen) > 100
    assert all(seen)
