"""A miss: where it is built, what the compilers see, what is tried before it is published, and that the bytes are the same."""

from __future__ import annotations

import dataclasses
import json
import os
import shutil
import stat
import sys
from pathlib import Path

import pytest
from caches import GOOD, KEY, prefix, settings
from programs import Project, found, run

from py2f.cache.layers import cached, refreshed
from py2f.cache.node import build_folder, file_system, is_network
from py2f.cache.store import TAG, Store
from py2f.emit.build_files import sources_meson_text
from py2f.errors import BuildError, Py2fError
from py2f.pipeline import _commands, compiled_in
from py2f.settings import Settings
from py2f.toolchain.compilers import find_toolchain
from py2f.toolchain.meson import compile_sources, write_files

MODEL = "from py2f import export_to_fortran\n\n@export_to_fortran\ndef one() -> int:\n    return 1\n"
BUILD = "import py2f; plugin = py2f.build('model'); print(plugin.compiled, plugin.prefix)"


# ---- where


def test_a_folder_that_forbids_programs_is_not_built_in(tmp_path: Path) -> None:
    """Meson runs what it compiles. The one that was asked for is refused with the reason; of the usual ones the next is taken."""
    place = tmp_path / "noexec"
    place.mkdir()
    mounted = f"mount -t tmpfs -o noexec,mode=700 none '{place}'"
    if not shutil.which("unshare") or run(["unshare", "-rm", "sh", "-c", mounted], cwd="/", check=False).returncode:
        pytest.skip("this user cannot mount: that noexec is noticed is not verified")
    code = (
        "from py2f.cache.node import build_folder\nfrom py2f.settings import Settings\nimport sys\n"
        "try:\n    with build_folder(Settings.read(), 'ab') as folder: print(folder)\n"
        "except Exception as error: print(type(error).__name__, error)\n"
    )
    asked = f"{mounted} && PY2F_BUILD_DIR='{place}' '{sys.executable}' -c \"$CODE\" && TMPDIR='{place}' '{sys.executable}' -c \"$CODE\""
    done = run(["unshare", "-rm", "sh", "-c", asked], cwd="/", env={**os.environ, "CODE": code})
    refused, taken = done.stdout.splitlines()
    assert refused == f"Py2fError no folder to compile in: {place} is mounted noexec; name one with PY2F_BUILD_DIR"
    assert not taken.startswith(str(place))
    assert "py2f-" in taken


def test_a_folder_that_cannot_be_written_or_is_full_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with (
        pytest.raises(Py2fError, match=r"no folder to compile in: /proc cannot be written \(.*\); name one with PY2F_BUILD_DIR"),
        build_folder(settings(tmp_path, PY2F_BUILD_DIR="/proc"), "ab"),
    ):
        pass
    monkeypatch.setattr("py2f.cache.node.ROOM", 2**60)
    with (
        pytest.raises(Py2fError, match=r"is full; .*is full; name one with PY2F_BUILD_DIR"),
        build_folder(settings(tmp_path), "ab"),
    ):
        pass


def test_it_is_built_in_the_folder_that_is_named_and_nothing_is_left(tmp_path: Path) -> None:
    place = tmp_path / "with blanks ü"
    place.mkdir()
    seen: list[Path] = []
    cached(
        KEY,
        settings(tmp_path / "cache", PY2F_BUILD_DIR=str(place)),
        lambda folder: (seen.append(folder), prefix(folder / "p"))[1],
    )
    assert seen[0].parent == place
    assert list(place.iterdir()) == []


def test_network_file_systems_are_known_by_their_type(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = tmp_path.stat().st_dev
    assert file_system(tmp_path / "not" / "there") == file_system(tmp_path) != ""
    for kind, expected in (("nfs4", True), ("lustre", True), ("fuse.sshfs", True), ("ext4", False), ("tmpfs", False)):
        mounts = tmp_path / "mounts"
        mounts.write_text(f"36 35 {os.major(here)}:{os.minor(here)} / /home rw master:1 - {kind} server:/home rw\n")
        monkeypatch.setattr("py2f.cache.node.MOUNTS", mounts)
        assert is_network(tmp_path) is expected


# ---- what the children see


def test_compilers_see_a_scrubbed_environment(tmp_path: Path) -> None:
    """A fake compiler writes down what it sees."""
    script = tmp_path / "fc"
    script.write_text(f"#!/bin/sh\nenv > '{tmp_path}/seen'\nexec gfortran \"$@\"\n")
    script.chmod(0o755)
    (tmp_path / "model.py").write_text(MODEL)
    given = {"FC": str(script), "PYTHONPATH": str(tmp_path), "PY2F_CACHE_DIR": str(tmp_path / "cache"), "FFLAGS": "-g"}
    more = {"SECRET": "1", "OMP_NUM_THREADS": "3", "MESON_X": "1", "LM_LICENSE_FILE": "1@server", "CPATH": "/opt"}
    run([sys.executable, "-c", BUILD], cwd=tmp_path, env={**os.environ, **given, **more})
    seen = dict(line.split("=", 1) for line in (tmp_path / "seen").read_text().splitlines() if "=" in line)
    assert not {"SECRET", "OMP_NUM_THREADS", "MESON_X", "FFLAGS", "PYTHONPATH"} & seen.keys()
    assert {name: seen[name] for name in ("LM_LICENSE_FILE", "CPATH", "TZ", "LC_ALL")} == {
        "LM_LICENSE_FILE": "1@server", "CPATH": "/opt", "TZ": "UTC", "LC_ALL": "C.UTF-8",
    }  # fmt: skip
    assert "py2f-" in seen["TMPDIR"]


# ---- what is tried


@pytest.mark.parametrize("content", [GOOD[: len(GOOD) // 2], b"", b"no library"])
def test_what_cannot_be_loaded_is_not_published(tmp_path: Path, content: bytes) -> None:
    """Half a library would kill this process; a child tries it."""
    entry, compiled, trouble = cached(KEY, settings(tmp_path / "cache"), lambda folder: prefix(folder / "p", content))
    assert compiled
    assert trouble.startswith("it cannot be loaded: ")
    assert not entry.is_relative_to(tmp_path / "cache")
    assert Store(tmp_path / "cache").find(KEY) is None


def test_a_library_elsewhere_that_is_not_found_says_nothing_of_ours(tmp_path: Path) -> None:
    """The process that loads it may have that one already."""
    (tmp_path / "other.c").write_text("int other(void) { return 1; }\n")
    (tmp_path / "ours.c").write_text("int other(void); int ours(void) { return other(); }\n")
    for name, link in (("other", []), ("ours", ["-L.", "-lother"])):
        run(["cc", "-shared", "-fPIC", f"{name}.c", "-o", f"lib{name}.so", *link], cwd=tmp_path)
    content = (tmp_path / "libours.so").read_bytes()
    (tmp_path / "libother.so").unlink()
    assert cached(KEY, settings(tmp_path / "cache"), lambda folder: prefix(folder / "p", content))[2] == ""


# ---- what is published


def test_modes_do_not_depend_on_the_umask_and_the_root_is_closed(tmp_path: Path) -> None:
    for mask in (0o000, 0o022, 0o077, 0o777):
        root = tmp_path / f"{mask:o}" / "deeper" / "cache"
        code = (
            f"import os; os.umask({mask})\nfrom pathlib import Path\nfrom py2f.cache.store import Store\nfrom py2f.cache.key import Key\n"
            f"print(Store(Path({str(root)!r})).publish(Key((('part', 'one'),)), Path({str(tmp_path / 'built')!r})))"
        )
        if mask == 0:
            prefix(tmp_path / "built")
        (tmp_path / f"{mask:o}").mkdir()
        entry = Path(run([sys.executable, "-c", code], cwd="/").stdout.strip())
        modes = {
            path: stat.S_IMODE(path.stat().st_mode)
            for path in (root.parent, root, entry, entry / "lib", entry / "lib" / "libone.so")
        }
        assert list(modes.values()) == [0o700, 0o700, 0o755, 0o755, 0o644], mask
        assert (root / TAG).read_text().startswith("Signature: 8a477f597d28d172789f06886806bc55")
        assert settings(root).cache_dir == root
        assert cached(KEY, settings(root), lambda folder: prefix(folder / "p"))[1] is False


def test_everything_reaches_the_disk_before_the_rename(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []
    monkeypatch.setattr(os, "fsync", lambda fd: done.append(str(Path(f"/proc/self/fd/{fd}").readlink())))
    rename = Path.rename
    monkeypatch.setattr(Path, "rename", lambda self, target: (done.append(f"rename {self}"), rename(self, target))[1])
    entry = Store(tmp_path / "cache").publish(KEY, prefix(tmp_path / "built"))
    (moved,) = [k for k, text in enumerate(done) if text.startswith("rename")]
    staged = done[moved].removeprefix("rename ")
    files = {f"{folder}/{name}" for folder, _, names in os.walk(entry) for name in names if name != "libone.so.1"}
    assert {path.replace(str(entry), staged) for path in files} <= set(done[:moved])
    assert staged in done[:moved]
    assert done[moved + 1] == str(entry.parent)


def test_refresh_builds_once_more_and_keeps_what_is_loaded(tmp_path: Path) -> None:
    """The old entry stands in quarantine, with its files; this process builds a key once."""
    first, _, _ = cached(KEY, settings(tmp_path / "cache"), lambda folder: prefix(folder / "p"))
    held = (first / "lib" / "libone.so").open("rb")
    again = settings(tmp_path / "cache", PY2F_CACHE_MODE="refresh")
    refreshed.clear()  # as in another process
    assert [cached(KEY, again, lambda folder: prefix(folder / "p"))[:2] for _ in range(2)] == [(first, True), (first, False)]
    assert held.read() == GOOD
    held.close()
    assert len(list((tmp_path / "cache" / "quarantine").iterdir())) == 1


# ---- the same bytes


def _contents(folder: Path) -> dict[str, bytes]:
    return {
        str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file() and p.name != "manifest.json"
    }


@pytest.mark.parametrize("flags", ["", "-g -O2 -fcheck=all"])
def test_two_builds_in_two_folders_give_equal_bytes(project: Project, tmp_path: Path, flags: str) -> None:
    """In other folders, by other caches, with debugging information."""
    project.write(model_py=MODEL)
    found_ = []
    for k in range(2):
        place = tmp_path / ("build" * (k + 1))
        place.mkdir()
        code = f"import py2f; from py2f.settings import Settings; print(py2f.build('model', settings=Settings.read(fflags={tuple(flags.split())!r})).prefix)"
        given = {"PY2F_BUILD_DIR": str(place), "PY2F_CACHE_DIR": str(tmp_path / f"cache{k}"), "PYTHONPATH": str(project.folder)}
        found_.append(_contents(Path(run([sys.executable, "-c", code], cwd="/", env={**os.environ, **given}).stdout.strip())))
    assert len(found_[0]) > 10
    assert found_[0] == found_[1]


PROJECTS = {
    "sources": {
        "sources/0/physics.f90": b"module physics\ncontains\n  subroutine s(x)\n    real :: x\n    x = 1\n  end subroutine\nend module\n"
    }
}


@pytest.mark.parametrize("fc", ["gfortran", "flang-new-19"])
def test_an_export_and_its_calls_are_the_bytes_of_meson(project: Project, tmp_path: Path, fc: str) -> None:
    """The same modules, with and without remembered commands: every file of every entry.

    flang writes down where a statement is that may fail, and knows no option for that: so folders are called by keys.
    """
    if not found(fc):
        pytest.skip(f"{fc} is not installed: that its commands can be replayed is not verified")
    source = PROJECTS["sources"]["sources/0/physics.f90"].decode()
    stubs = (
        "from __future__ import annotations\nfrom py2f import *\n"
        "@pythoncall(source='physics.f90', module='physics')\ndef s(x: InOut[f32]) -> None: ...\n"
        "m = fortran_module('vars.f90')\n"
    )
    variables = (
        "module vars\n  implicit none\n  real(8) :: a(3)\ncontains\n  subroutine t()\n    a = 1\n  end subroutine\nend module\n"
    )
    project.write(model_py=MODEL, stubs_py=stubs, physics_f90=source, vars_f90=variables)
    plain = "import py2f.pipeline as p\np._commands = lambda *_: None\n"
    watched = (
        "import py2f.toolchain.replay as r, py2f.toolchain.meson as m\nran = []\n"
        "before = r.Commands.run\nr.Commands.run = lambda *a: (ran.append(before(*a)), ran[-1])[1]\n"
    )
    code = "import py2f, model, stubs\nprint(len(py2f.prebuild(['model', 'stubs'])))\n"
    contents = []
    for k, first in enumerate((plain, watched)):
        given = {"PY2F_CACHE_DIR": str(tmp_path / f"cache{k}"), "PYTHONPATH": str(project.folder), "FC": fc}
        last = "print(ran)\n" if k else ""
        said = run([sys.executable, "-c", first + code + last], cwd="/", env={**os.environ, **given}).stdout.splitlines()
        assert said[0] == "3"
        assert k == 0 or said[1] == "[True, True, True, True, True]"  # none fell back
        entries = tmp_path / f"cache{k}" / "entries"
        contents.append({name: text for name, text in _contents(entries).items() if not name.endswith("commands.json")})
    assert len(contents[0]) > 20
    assert contents[0] == contents[1]


def test_commands_that_fail_are_followed_by_meson_and_its_word_is_the_last(tmp_path: Path) -> None:
    """Whether the commands are wrong or the source is: a good project is compiled, a bad one refused with Ninja's output."""
    ours = Settings.read({**os.environ, "PY2F_CACHE_DIR": str(tmp_path / "cache")}, fc="gfortran")
    tools = find_toolchain(ours)
    files = {**PROJECTS["sources"], "meson.build": sources_meson_text("physics", ["sources/0/physics.f90"], [], [], "1").encode()}
    commands = _commands("physics", files, tools, ours, ())
    assert commands
    wrong = dataclasses.replace(commands, steps=[["false"], *commands.steps])
    write_files(tmp_path / "work", files)
    assert (compile_sources(tmp_path / "work", tools, ours, (), wrong) / "libphysics.so.1").is_file()
    (tmp_path / "bad").mkdir()
    with pytest.raises(BuildError, match=r"(?s)ninja.*physics\.f90:1:"):
        compiled_in(tmp_path / "bad", "physics", {**files, "sources/0/physics.f90": b"rubbish\n"}, tools, ours)


def test_a_further_module_needs_no_meson(project: Project, tmp_path: Path) -> None:
    """Its time is printed by the benchmark; here: Meson is not started a second time."""
    project.write(model_py=MODEL, other_py=MODEL)
    code = (
        "import py2f, subprocess\nstarted = []\nbefore = subprocess.run\n"
        "subprocess.run = lambda c, **k: (started.append(' '.join(c)), before(c, **k))[1]\n"
        "for name in ('model', 'other'):\n    started.clear(); py2f.build(name)\n    print(sum('mesonmain setup' in c for c in started))\n"
    )
    given = {"PY2F_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": str(project.folder)}
    assert run([sys.executable, "-c", code], cwd="/", env={**os.environ, **given}).stdout.split() == ["1", "0"]


def test_the_builder_is_named_in_the_manifest(tmp_path: Path) -> None:
    entry, _, _ = cached(KEY, settings(tmp_path / "cache"), lambda folder: prefix(folder / "p"))
    about = json.loads((entry / "manifest.json").read_bytes())["built"]
    assert about["pid"] == os.getpid()
    assert {"host", "time", "python", "py2f", "meson", "seconds"} <= about.keys()
