"""The cache: what is in it is right, whatever happens to it; what is wrong with it costs time and nothing else."""

from __future__ import annotations

import dataclasses
import json
import os
import pwd
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from programs import Project, run

from py2f.cache import key as keys
from py2f.cache.entry import MANIFEST
from py2f.cache.key import Key, make_key
from py2f.cache.layers import cached, private
from py2f.cache.store import Store
from py2f.errors import Py2fError
from py2f.settings import Settings
from py2f.site import shipped
from py2f.toolchain.compilers import Compiler, Toolchain, find_toolchain

if TYPE_CHECKING:
    from collections.abc import Callable

MODEL = "from py2f import export_to_fortran\n\n@export_to_fortran\ndef one() -> int:\n    return 1\n"
MAIN = "program main\n  use model_py\n  print '(i0)', one()\nend program main\n"
BUILD = "import py2f; plugin = py2f.build('model'); print(plugin.compiled, plugin.prefix)"
TOOLCHAIN = Toolchain(Compiler(("gfortran",), "GNU 12"), Compiler(("cc",), "GNU 12"), ("-O2",))
FILES = {"model_py.f90": b"module model_py", "model_py_site.h": b"paths", "py2f_table.h": b"layout", "libpy2f.so": b"loader"}


GOOD = shipped("libpy2f.so").read_bytes()
"""A library that can be loaded."""


@pytest.fixture(autouse=True)
def _nothing_private() -> None:
    """What no cache could take lives as long as the process, which runs many tests."""
    private.clear()


@pytest.fixture
def model(project: Project, tmp_path: Path) -> Project:
    """A module, a program, and a cache of their own."""
    project.environment = {"PY2F_CACHE_DIR": str(tmp_path / "cache")}
    return project.write(model_py=MODEL, main_f90=MAIN)


def build(model: Project, code: str = BUILD, **environment: str) -> list[str]:
    """Run code that builds the module; the words that it prints."""
    given = {**os.environ, **model.environment, "PYTHONPATH": str(model.folder), **environment}
    return run([sys.executable, "-c", code], cwd="/", env=given).stdout.split()


def compiler(folder: Path, name: str, real: str, then: str) -> str:
    """A compiler that says of itself what the real one says, and logs and does what `then` says before it compiles."""
    folder.mkdir(exist_ok=True)
    script = folder / name
    log = f"echo {name} >> '{folder}/log'"
    script.write_text(f'#!/bin/sh\nif [ "$*" != -v ]; then {log}; {then}; fi\nexec {real} "$@"\n', encoding="utf-8")
    script.chmod(0o755)
    return str(script)


def states(folder: Path) -> dict[str, tuple[int, ...]]:
    """Everything that would show a write: times, inodes, sizes."""
    found = ((path, path.lstat()) for path in sorted(folder.rglob("*")))
    return {str(path): (s.st_mtime_ns, s.st_ctime_ns, s.st_ino, s.st_size) for path, s in found}


# ---- hits


def test_a_second_build_compiles_nothing(model: Project, tmp_path: Path) -> None:
    """Both compilers would fail now: they are asked who they are, and nothing else."""
    broken = f"test ! -e '{tmp_path}/broken' || exit 9"
    tools = {v: compiler(tmp_path / "bin", v, real, broken) for v, real in (("FC", "gfortran"), ("CC", "cc"))}
    assert build(model, **tools)[0] == "True"
    (tmp_path / "broken").touch()
    (tmp_path / "bin" / "log").unlink()
    assert build(model, **tools)[0] == "False"
    assert not (tmp_path / "bin" / "log").exists()


def test_a_hit_writes_nothing_and_imports_neither_lock_nor_meson(model: Project, tmp_path: Path) -> None:
    """An entry is never touched again, not even by whoever publishes the same key a second time."""
    build(model)
    before = states(tmp_path / "cache")
    code = f"{BUILD}\nimport sys\nprint(*{{'filelock', 'mesonbuild', 'ninja', 'multiprocessing'}} & set(sys.modules))"
    words = build(model, code)
    assert words[0] == "False"
    assert words[2:] == []
    assert states(tmp_path / "cache") == before


# ---- the key


def test_the_parts_of_a_key_have_names() -> None:
    """A miss can be explained; so the entry says its key in its manifest, too."""
    parts = dict(make_key(FILES, TOOLCHAIN).parts)
    ours = {"format", "fortran compiler", "c compiler", "fortran flags", "c flags", "libc", "environment"}
    assert set(parts) == {f"file {name}" for name in FILES} | ours
    assert parts["fortran compiler"] == "GNU 12"


@pytest.mark.parametrize("name", FILES)
def test_every_file_changes_the_key(name: str) -> None:
    """Generated text, site header, table header and loader alike; and so does another name or one file less."""
    digests = {make_key(files, TOOLCHAIN).digest for files in (FILES, {**FILES, name: FILES[name] + b" "})}
    digests |= {make_key({k: v for k, v in FILES.items() if k != name}, TOOLCHAIN).digest}
    digests |= {make_key({k.replace(name, "other"): v for k, v in FILES.items()}, TOOLCHAIN).digest}
    assert len(digests) == 4


@pytest.mark.parametrize(
    "change",
    [
        {"fortran": Compiler(("gfortran",), "GNU 13")},
        {"c": Compiler(("cc",), "GNU 13")},
        {"fflags": ("-O3",)},
        {"fflags": ("-O2 -g",)},
        {"fflags": ("-O2", "-g")},
    ],
)
def test_compilers_and_flags_change_the_key(change: dict[str, Any]) -> None:
    """Each on its own."""
    changed = [dataclasses.replace(TOOLCHAIN, **c) for c in ({}, change, {"fflags": ("-O2", "-g", "-v")})]
    assert len({make_key(FILES, toolchain).digest for toolchain in changed}) == 3


def test_libc_and_the_layout_of_entries_change_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another libc, none that has a version, another format."""
    digests = {make_key(FILES, TOOLCHAIN).digest}
    monkeypatch.setattr(os, "confstr", lambda _: "glibc 2.99")
    digests |= {make_key(FILES, TOOLCHAIN).digest}
    monkeypatch.setattr(os, "confstr", os.sysconf)  # raises ValueError, as confstr does where there is another libc
    digests |= {make_key(FILES, TOOLCHAIN).digest}
    monkeypatch.setattr(keys, "FORMAT", "other")
    digests |= {make_key(FILES, TOOLCHAIN).digest}
    assert len(digests) == 4


KEY = """
from py2f.cache.key import make_key; from py2f.pipeline import Start, describe, find_toolchain, site_of, sources
import py2f.settings, sys
library = describe('model')
files = sources(library, site_of([sys.modules['model']], Start()))
print(make_key(files, find_toolchain(py2f.settings.Settings.read())).digest)
"""


def test_nothing_else_changes_the_key(model: Project, tmp_path: Path) -> None:
    """Not time, directory, home, hash seed, locale, language, time zone, host name, terminal, or what else was imported before."""
    expected = build(model, KEY)
    for environment in (
        {"HOME": str(tmp_path), "USER": "nobody", "HOSTNAME": "elsewhere", "TERM": "dumb", "COLUMNS": "20"},
        {"PYTHONHASHSEED": "1", "LC_ALL": "de_DE.UTF-8", "LANGUAGE": "de", "TZ": "Asia/Tokyo", "SLURM_JOB_ID": "4"},
        {"PYTHONHASHSEED": "2", "LC_ALL": "C", "CFLAGS": "-g", "FFLAGS": "-g", "LDFLAGS": "-s", "PY2F_LOCK_TIMEOUT": "3"},
    ):
        code = f"import os, decimal, sqlite3, model\nos.chdir({str(tmp_path)!r})\nimport numpy.fft{KEY}"
        assert build(model, code if "TZ" in environment else KEY, **environment) == expected
    os.utime(model.folder / "model.py", (1, 1))
    assert build(model, KEY) == expected


def test_what_a_compiler_says_of_itself_does_not_depend_on_the_language(tmp_path: Path) -> None:
    """Gettext prefers LANGUAGE to LC_ALL=C.UTF-8; a translated version text would be another key."""
    compiler(tmp_path, "fc", "echo $LANGUAGE $LC_ALL", "true")
    identities = {
        find_toolchain(Settings.read({"PATH": os.environ["PATH"], "LANGUAGE": language}, fc=f"{tmp_path}/fc")).fortran.identity
        for language in ("de", "fr")
    }
    assert len(identities) == 1


def test_native_is_expanded_and_always_the_same() -> None:
    """-march=native alone would be a hit on a CPU that lacks the instructions."""
    read = [
        Settings.read({"PATH": os.environ["PATH"]}, fc="gfortran", fflags=flags) for flags in (("-march=native",),) * 2 + ((),)
    ]
    first, second, without = (find_toolchain(settings).fortran.identity for settings in read)
    assert first == second
    assert first.count('"-march=') > without.count('"-march=')
    assert '"-march=native' not in first
    assert "l1-cache-size" not in first


# ---- entries


@pytest.fixture
def entry(tmp_path: Path) -> tuple[Store, Key, Path]:
    """A small entry."""
    store, key = Store(tmp_path / "cache"), make_key(FILES, TOOLCHAIN)
    return store, key, store.publish(key, built(tmp_path / "built"))


def built(folder: Path, content: bytes = b"machine code " * 1000) -> Path:
    """A folder as a build leaves it."""
    (folder / "lib").mkdir(parents=True)
    (folder / "lib" / "libmodel_py.so.1").write_bytes(content)
    (folder / "lib" / "libmodel_py.so").symlink_to("libmodel_py.so.1")
    (folder / "src").mkdir()
    (folder / "src" / "model_py.f90").write_text("module model_py\n", encoding="utf-8")
    return folder


def _truncate(percent: int, name: str = "lib/libmodel_py.so.1") -> Callable[[Path], None]:
    return lambda folder: os.truncate(folder / name, (folder / name).stat().st_size * percent // 100)


def _write(name: str, text: str) -> Callable[[Path], None]:
    return lambda folder: (folder / name).write_text(text, encoding="utf-8") and None


def _edit(name: str, old: str, new: str) -> Callable[[Path], None]:
    return lambda folder: _write(name, (folder / name).read_text(encoding="utf-8").replace(old, new))(folder)


def _flip(folder: Path) -> None:
    file = folder / "lib" / "libmodel_py.so.1"
    content = bytearray(file.read_bytes())
    content[5000] ^= 4
    file.write_bytes(content)


def _zero_tail(folder: Path) -> None:
    with (folder / "lib" / "libmodel_py.so.1").open("r+b") as file:
        file.seek(-4096, os.SEEK_END)
        file.write(bytes(4096))


def _link_elsewhere(folder: Path) -> None:
    (folder / "lib" / "libmodel_py.so").unlink()
    (folder / "lib" / "libmodel_py.so").symlink_to("/lib/libc.so.6")


def _become_empty(folder: Path) -> None:
    shutil.rmtree(folder)
    folder.mkdir()


def _manifest_folder(folder: Path) -> None:
    (folder / MANIFEST).unlink()
    (folder / MANIFEST).mkdir()


def _become_a_file(folder: Path) -> None:
    shutil.rmtree(folder)
    folder.write_text("file", encoding="utf-8")


DAMAGES: dict[str, Callable[[Path], None]] = {
    **{f"library cut to {percent} %": _truncate(percent) for percent in (0, 10, 50, 90)},
    **{f"manifest cut to {percent} %": _truncate(percent, MANIFEST) for percent in (0, 10, 50, 90)},
    "one bit flipped": _flip,
    "the tail is zero": _zero_tail,
    "library missing": lambda folder: (folder / "lib" / "libmodel_py.so.1").unlink(),
    "link missing": lambda folder: (folder / "lib" / "libmodel_py.so").unlink(),
    "link leads elsewhere": _link_elsewhere,
    "source missing": lambda folder: shutil.rmtree(folder / "src"),
    "source changed": _write("src/model_py.f90", "module model_px\n"),
    "manifest missing": lambda folder: (folder / MANIFEST).unlink(),
    "everything missing": _become_empty,
    "a file too many": _write("src/another.f90", ""),
    "a second manifest": _write(f"src/{MANIFEST}", ""),
    "manifest is no JSON": _write(MANIFEST, "\0\0garbage"),
    "manifest is not UTF-8": lambda folder: (folder / MANIFEST).write_bytes(b"\xff\xfe{}") and None,
    "manifest nests for ever": _write(MANIFEST, "[" * 100_000),
    "manifest is another value": _write(MANIFEST, "3"),
    "manifest is a list": _write(MANIFEST, '["files"]'),
    "manifest knows no files": _edit(MANIFEST, '"files"', '"fileS"'),
    "manifest names nothing": _write(MANIFEST, json.dumps({"key": {}, "files": {}})),
    "manifest is of another key": _edit(MANIFEST, "GNU 12", "GNU 13"),
    "manifest is a folder": _manifest_folder,
    "entry is a file": _become_a_file,
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_entry_is_moved_aside_and_published_again(entry: tuple[Store, Key, Path], damage: str, tmp_path: Path) -> None:
    """It is not found, it stands in quarantine, and the next builder's entry is found in its place."""
    store, key, folder = entry
    assert store.find(key) == folder
    DAMAGES[damage](folder)
    assert store.find(key) is None
    assert store.publish(key, built(tmp_path / "again")) == folder
    assert len(list((tmp_path / "cache" / "quarantine").iterdir())) == 1
    assert store.find(key) == folder


def test_a_damaged_library_is_never_loaded(model: Project, tmp_path: Path) -> None:
    """With a real one: it is compiled again, once, and the program works."""
    model.export()
    library = next((tmp_path / "cache").rglob("libmodel_py.so.*"))
    os.truncate(library, library.stat().st_size // 2)
    assert model.go().stdout == "1\n"
    assert "nothing compiled" in model.export().stdout
    assert len(list((tmp_path / "cache" / "quarantine").iterdir())) == 1


def test_a_damaged_entry_that_cannot_be_moved_is_not_used(entry: tuple[Store, Key, Path], tmp_path: Path) -> None:
    """The build is used from a private folder then."""
    store, key, folder = entry
    (tmp_path / "cache" / "quarantine").write_text("in the way", encoding="utf-8")
    _flip(folder)
    settings = Settings.read({"PY2F_CACHE_DIR": str(store.root)})
    ours, compiled, trouble = cached(key, settings, lambda folder: built(folder / "again", GOOD))
    assert compiled
    assert not ours.is_relative_to(tmp_path / "cache")
    assert (ours / "lib" / "libmodel_py.so").read_bytes() == GOOD
    assert trouble.startswith(f"{tmp_path}/cache: ")
    assert cached(key, settings, lambda folder: built(folder / "third", b"bad"))[:2] == (ours, False)


def test_who_publishes_second_gets_the_first_entry(entry: tuple[Store, Key, Path], tmp_path: Path) -> None:
    """A published entry is never written again."""
    store, key, folder = entry
    before = states(folder)
    assert store.publish(key, built(tmp_path / "second", b"other machine code")) == folder
    assert states(folder) == before
    assert list((tmp_path / "cache" / "staging").iterdir()) == []


def test_two_keys_do_not_meet(entry: tuple[Store, Key, Path], tmp_path: Path) -> None:
    """Two entries side by side; and one that stands under another's name is not taken for it."""
    store, key, folder = entry
    other = make_key({**FILES, "model_py.f90": b"module model_py2"}, TOOLCHAIN)
    assert store.find(other) is None
    there = store.publish(other, built(tmp_path / "other", b"other"))
    assert [store.find(key), store.find(other)] == [folder, there]
    shutil.rmtree(there)
    shutil.copytree(folder, there, symlinks=True)
    assert store.find(other) is None


def test_what_a_killed_builder_left_is_harmless(entry: tuple[Store, Key, Path], tmp_path: Path) -> None:
    """Half a staged entry, a lock file of nobody, rubbish between the entries."""
    store, key, folder = entry
    shutil.rmtree(folder)
    shutil.copytree(built(tmp_path / "half") / "lib", tmp_path / "cache" / "staging" / "half" / "lib", symlinks=True)
    (tmp_path / "cache" / "locks").mkdir()
    (tmp_path / "cache" / "locks" / key.digest).touch()
    (folder.parent / "rubbish").touch()
    assert store.find(key) is None
    settings = Settings.read({"PY2F_CACHE_DIR": str(store.root), "PY2F_LOCK_TIMEOUT": "0.1"})
    assert cached(key, settings, lambda place: built(place / "again", GOOD))[:2] == (folder, True)
    assert store.find(key) == folder


# ---- a cache that cannot be used


@pytest.mark.parametrize("place", ["file/cache", "/proc/cache", "/dev/full/cache"])
def test_a_cache_that_cannot_be_written_is_no_error(model: Project, tmp_path: Path, place: str) -> None:
    """The export says so, compiles, and what it wrote works; the next one compiles again."""
    (tmp_path / "file").touch()
    place = str(tmp_path / place)
    model.environment = {"PY2F_CACHE_DIR": place, "TMPDIR": str(tmp_path / "tmp")}
    (tmp_path / "tmp").mkdir()
    assert f"model_py: one (compiled; not kept in the cache {place}: " in model.export().stdout
    model.compile()
    assert model.run().stdout == "1\n"
    assert list((tmp_path / "tmp").iterdir()) == []


def test_a_full_disk_is_no_error(model: Project, tmp_path: Path) -> None:
    """A cache on a file system of 64 kB: the build goes on privately, and nothing damaged is left."""
    cache = tmp_path / "small"
    cache.mkdir()
    mounted = f"mount -t tmpfs -o size=64k,mode=700 none '{cache}'"
    if not shutil.which("unshare") or run(["unshare", "-rm", "sh", "-c", mounted], cwd="/", check=False).returncode:
        pytest.skip("this user cannot mount a small file system: a full disk is not verified")
    script = (
        f"{mounted} && '{sys.executable}' -m py2f.export model -o build && find '{cache}' -name '*.so*' -o -path '*/staging/*'"
    )
    environment = {**os.environ, "PY2F_CACHE_DIR": str(cache)}
    done = run(["unshare", "-rm", "sh", "-c", script], cwd=model.folder, env=environment)
    assert f"(compiled; not kept in the cache {cache}: No space left on device)" in done.stdout
    assert done.stdout.splitlines()[-1].startswith("  gfortran")
    model.compile()
    assert model.run().stdout == "1\n"


def test_blanks_and_umlauts_in_cache_and_temporary_folder(model: Project, tmp_path: Path) -> None:
    """Meson, Ninja and the compilers work there, too."""
    (tmp_path / "Zwischen ablage ü").mkdir()
    model.environment = {"PY2F_CACHE_DIR": str(tmp_path / "Ablage für alle"), "TMPDIR": str(tmp_path / "Zwischen ablage ü")}
    assert [build(model)[0], build(model)[0]] == ["True", "False"]


def test_no_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """HOME unset: the password file knows; nobody's home: nothing is kept, and no folder called ~ is made here."""
    monkeypatch.chdir(tmp_path)
    for name in ("HOME", "PY2F_CACHE_DIR", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    assert Settings.read({}).cache_dir == Path(pwd.getpwuid(os.getuid()).pw_dir, ".cache", "py2f")

    def nobody(_: int) -> None:
        raise KeyError

    monkeypatch.setattr(pwd, "getpwuid", nobody)
    entry, compiled, trouble = cached(make_key(FILES, TOOLCHAIN), Settings.read({}), lambda folder: built(folder / "built", GOOD))
    assert (entry.is_dir(), compiled, trouble) == (True, True, "/dev/null/py2f: Not a directory")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(Py2fError, match=r"^PY2F_CACHE_DIR=~/cache: no home directory is known$"):
        Settings.read({"PY2F_CACHE_DIR": "~/cache"})


# ---- many processes


def test_eight_processes_on_a_cold_cache_compile_once(model: Project) -> None:
    """One compiles, the others wait for it, all have the same entry."""
    environment = {**os.environ, **model.environment, "PYTHONPATH": str(model.folder)}
    started = [
        subprocess.Popen(
            [sys.executable, "-c", BUILD], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        for _ in range(8)
    ]
    answers = [process.communicate(timeout=120) for process in started]
    assert sorted(out.split()[0] for out, _ in answers) == ["False"] * 7 + ["True"], answers
    assert len({out.split()[1] for out, _ in answers}) == 1


def test_a_builder_that_is_killed_wedges_nobody(model: Project, tmp_path: Path) -> None:
    """`kill -9` while the compiler runs: the lock goes with the process, the next build compiles, and all that is found is whole."""
    hang = f"if test -e '{tmp_path}/hang'; then touch '{tmp_path}/started'; exec sleep 60; fi"
    fortran = compiler(tmp_path / "bin", "FC", "gfortran", hang)
    (tmp_path / "hang").touch()
    environment = {**os.environ, **model.environment, "PYTHONPATH": str(model.folder), "FC": fortran}
    killed = subprocess.Popen([sys.executable, "-c", BUILD], env=environment, start_new_session=True)
    deadline = time.monotonic() + 60
    while not (tmp_path / "started").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    killed.kill()
    killed.wait()
    (tmp_path / "hang").unlink()
    begin = time.monotonic()
    assert [build(model, FC=fortran)[0], build(model, FC=fortran)[0]] == ["True", "False"]
    assert time.monotonic() - begin < 20
    os.killpg(killed.pid, signal.SIGKILL)  # its Meson
