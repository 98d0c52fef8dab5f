"""Caches that travel: into an image, to a site without a network, to a node.

What travels are entries, the notes of what was asked for, and the folder `gt4py`, where GT4Py's own compiled stencils are.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import tarfile
from typing import IO, TYPE_CHECKING

from py2f.cache.entry import sound
from py2f.errors import Py2fError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from py2f.cache.store import Store

OTHERS = "gt4py"
"""Folders of a cache that are not ours, and are carried as they are."""
ZST = ".zst"


def export_cache(store: Store, target: Path, entries: Sequence[Path]) -> int:
    """Write entries and what belongs to them to a folder, or to an archive: .tar, .tar.gz, .tar.zst; returns how many.

    Damaged entries are left out. The same entries make the same archive. Raises Py2fError, OSError.
    """
    paths = travelling(store, entries)
    if ".tar" not in target.name:
        for path in paths:
            _copied(path, target / path.relative_to(store.root))
        return _count(paths)
    with packed(target) as archive:
        for path in paths:
            archive.add(path, path.relative_to(store.root).as_posix(), filter=neutral)
    return _count(paths)


def travelling(store: Store, entries: Sequence[Path]) -> list[Path]:
    """What of a cache travels: those of these entries that are sound, all notes, and the folders that are not ours."""
    notes = sorted(store.root.glob("asked/??/" + "[0-9a-f]" * 40))
    others = [path for path in (store.root / OTHERS,) if path.is_dir()]
    return [*(entry for entry in entries if sound(entry)), *notes, *others]


def _count(paths: Sequence[Path]) -> int:
    return sum(path.parents[1].name == "entries" for path in paths)


def import_cache(store: Store, source: Path) -> tuple[int, list[str]]:
    """Take over what was exported: how many entries are there now, and which were damaged. Raises Py2fError, OSError."""
    staged = store.made("staging") / os.urandom(16).hex()
    try:
        if source.is_dir():
            shutil.copytree(source, staged, symlinks=True)
        else:
            unpack(source, staged)
        return _taken_over(store, staged)
    finally:
        shutil.rmtree(staged, ignore_errors=True)


def _taken_over(store: Store, staged: Path) -> tuple[int, list[str]]:
    count, damaged = 0, []
    for entry in sorted(staged.glob("entries/??/*")):
        if not sound(entry):
            damaged.append(entry.name)
            continue
        target = store.made(f"entries/{entry.parent.name}") / entry.name
        if not sound(target):
            store.quarantine(target)
            with contextlib.suppress(FileExistsError):  # another process was faster
                entry.rename(target)
        count += 1
    for note in sorted(staged.glob("asked/??/*")):
        store.write(f"asked/{note.parent.name}", note.name, note.read_text(encoding="ascii"))
    if (staged / OTHERS).is_dir():
        _copied(staged / OTHERS, store.made(".") / OTHERS)
    return count, damaged


def _copied(path: Path, target: Path) -> None:
    """Copy a file or a folder; what is there already stays."""
    target.parent.mkdir(parents=True, exist_ok=True)
    if not path.is_dir():
        shutil.copy2(path, target)
    elif not target.exists():
        shutil.copytree(path, target, symlinks=True)
    else:
        for each in sorted(path.iterdir()):
            _copied(each, target / each.name) if each.is_dir() or not (target / each.name).exists() else None


# ---- archives


def neutral(member: tarfile.TarInfo) -> tarfile.TarInfo:
    """An archive says nothing of who made it, and when."""
    member.uid = member.gid = member.mtime = 0
    member.uname = member.gname = ""
    return member


@contextlib.contextmanager
def packed(target: Path) -> Iterator[tarfile.TarFile]:
    """An archive to fill; it appears under its name when it is whole. Raises Py2fError, OSError."""
    target.parent.mkdir(parents=True, exist_ok=True)
    aside = target.with_name(f".{target.name}.{os.urandom(4).hex()}")
    plain = aside.with_name(f"{aside.name}.tar")
    try:
        with tarfile.open(plain, "w", format=tarfile.PAX_FORMAT) as archive:
            yield archive
        _compressed(plain, aside, target.name)
        aside.replace(target)
    finally:
        for path in (aside, plain):
            path.unlink(missing_ok=True)


def _compressed(plain: Path, aside: Path, name: str) -> None:
    if name.endswith(ZST):
        subprocess.run([_program(), "-q", "-T0", str(plain), "-o", str(aside)], check=True)
    elif name.endswith((".gz", ".tgz")):
        import gzip

        with plain.open("rb") as source, aside.open("wb") as raw, gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as target:
            shutil.copyfileobj(source, target)
    else:
        plain.rename(aside)


def unpack(source: Path, target: Path, *, ours: bool = False) -> None:
    """Unpack an archive into a new folder. Raises Py2fError, OSError.

    Members that would leave the folder are refused; in an archive of our own, links may lead out of it.
    """
    if not source.is_file():
        raise Py2fError(f"there is no archive {source}")
    target.mkdir(parents=True)
    try:
        with _plain(source) as content, tarfile.open(fileobj=content, mode="r|*") as archive:
            archive.extractall(target, filter="tar" if ours else "data")  # noqa: S202  filtered
    except (tarfile.TarError, EOFError) as error:
        raise Py2fError(f"{source} cannot be unpacked: {error}") from None


@contextlib.contextmanager
def _plain(source: Path) -> Iterator[IO[bytes]]:
    """What is in an archive; tarfile knows all compressions but one."""
    if not source.name.endswith(ZST):
        with source.open("rb") as file:
            yield file
        return
    with subprocess.Popen([_program(), "-q", "-d", "-c", str(source)], stdout=subprocess.PIPE) as process:
        assert process.stdout
        yield process.stdout
        process.stdout.close()


def _program() -> str:
    command = shutil.which("zstd")
    if not command:
        raise Py2fError(
            "there is no program zstd on PATH: install it (Debian: apt-get install zstd), or name the archive .tar.gz"
        )
    return command
