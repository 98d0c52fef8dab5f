"""The key: whatever changes the binary changes it, and nothing else does."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from py2f.cache.entry import manifest_of
from py2f.cache.key import Key, differences, make_key
from py2f.cache.store import Store
from py2f.settings import Settings
from py2f.toolchain.compilers import Compiler, Toolchain, find_toolchain

if TYPE_CHECKING:
    from pathlib import Path

NAMES = st.text(st.characters(codec="ascii", categories=["L", "N"]), min_size=1, max_size=8)
FILES = st.dictionaries(NAMES, st.binary(max_size=12), max_size=4)
FLAGS = st.lists(st.text(max_size=6), max_size=3).map(tuple)
COMPILERS = st.builds(lambda said, flags: Compiler(("fc", *flags), said), st.text(max_size=12), FLAGS)
VARIABLES = st.dictionaries(NAMES, st.text(max_size=6), max_size=2).map(lambda d: tuple(sorted(d.items())))
TOOLCHAINS = st.builds(Toolchain, COMPILERS, COMPILERS, FLAGS, VARIABLES)


def made_of(files: dict[str, bytes], toolchain: Toolchain) -> object:
    """All that a build is given. Flags of the command and flags beside it come to the same, in this order."""
    fortran, c = toolchain.fortran, toolchain.c
    flags = (*fortran.command[1:], *toolchain.fflags)
    return files, fortran.identity, c.identity, flags, c.command[1:], toolchain.environment


@given(FILES, TOOLCHAINS, FILES, TOOLCHAINS)
def test_two_keys_are_the_same_if_and_only_if_all_that_is_built_from_is(
    files: dict[str, bytes], tools: Toolchain, other_files: dict[str, bytes], other_tools: Toolchain
) -> None:
    same = made_of(files, tools) == made_of(other_files, other_tools)
    assert (make_key(files, tools).digest == make_key(other_files, other_tools).digest) is same


@given(FILES, TOOLCHAINS, st.data())
def test_a_change_of_one_ingredient_changes_the_key_and_is_explained(
    files: dict[str, bytes], tools: Toolchain, data: st.DataObject
) -> None:
    before = make_key(files, tools)
    name = data.draw(NAMES)
    changed = {**files, name: files.get(name, b"") + b"x"}
    after = make_key(changed, tools)
    assert after.digest != before.digest
    (line,) = differences(dict(before.parts), dict(after.parts))
    assert line.startswith(f"file {name}: ")


@given(FILES, TOOLCHAINS, st.randoms())
def test_order_name_module_and_the_path_of_a_compiler_change_nothing(
    files: dict[str, bytes], tools: Toolchain, random: object
) -> None:
    items = list(files.items())
    random.shuffle(items)  # type: ignore[attr-defined]
    elsewhere = Toolchain(
        Compiler(("/opt/bin/fc", *tools.fortran.command[1:]), tools.fortran.identity), tools.c, tools.fflags, tools.environment
    )
    assert make_key(dict(items), elsewhere, "another", "name").digest == make_key(files, tools).digest


def test_a_key_is_written_in_one_way() -> None:
    """Canonical JSON and blake2b of 160 bits: another program can compute it."""
    key = Key((("b", "ü"), ("a", "1")))
    assert key.digest == Key((("a", "1"), ("b", "ü"))).digest
    code = (
        "import hashlib, json; text = json.dumps({'a': '1', 'b': 'ü'}, sort_keys=True, separators=(',', ':'), ensure_ascii=True);"
        "print(hashlib.blake2b(text.encode(), digest_size=20).hexdigest())"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == key.digest


def test_an_entry_says_its_key_its_builder_and_its_name(tmp_path: Path) -> None:
    key = make_key({"a.f90": b"text"}, Toolchain(Compiler(("fc",), "1"), Compiler(("cc",), "2"), ()), "one_py", "one")
    (tmp_path / "built").mkdir()
    said = manifest_of(Store(tmp_path / "cache").publish(key, tmp_path / "built", {"host": "here"}))
    assert said == {"key": dict(key.parts), "name": "one_py", "module": "one", "built": {"host": "here"}, "files": {}}


def test_a_compiler_by_a_link_or_another_path_is_the_same_compiler(tmp_path: Path) -> None:
    """GCC says by which path it was called."""
    real = subprocess.run(["sh", "-c", "command -v gfortran"], capture_output=True, text=True, check=True).stdout.strip()
    (tmp_path / "fortran").symlink_to(real)
    read = [Settings.read({"PATH": os.environ["PATH"]}, fc=fc) for fc in ("gfortran", real, f"{tmp_path}/fortran")]
    assert len({make_key({}, find_toolchain(settings)).digest for settings in read}) == 1


def test_variables_that_compilers_read_are_in_the_key_and_others_do_not_reach_them() -> None:
    """CPATH is, as it changes what is included; the rest of the environment is not handed on, so that it cannot matter."""
    given_ = {"PATH": os.environ["PATH"], "CPATH": "/opt/include", "SLURM_PROCID": "3", "CFLAGS": "-g", "OMPI_FC": "flang"}
    settings = Settings.read(given_)
    assert settings.parts == (("CPATH", "/opt/include"), ("OMPI_FC", "flang"))
    assert set(settings.environment) == {"PATH", "CPATH", "OMPI_FC"}
    other = Settings.read({**given_, "CPATH": "/other"})
    parts = [dict(make_key({}, find_toolchain(s)).parts) for s in (settings, other)]
    assert differences(*parts) == [f"environment: {json.dumps(settings.parts)} | {json.dumps(other.parts)}"]
