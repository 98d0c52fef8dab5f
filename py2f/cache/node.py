"""Places of this node: where things are compiled, where locks are, and which caches are shared with other nodes."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import stat
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from py2f.errors import Py2fError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from py2f.settings import Settings

MOUNTS = Path("/proc/self/mountinfo")
NETWORK = re.compile(r"nfs\d?|lustre|gpfs|beegfs\w*|cifs|smb\w*|panfs|ceph|afs|9p|glusterfs|orangefs|pvfs2|wekafs|fuse\..*")
OURS = "py2f-"
BUILT = re.compile(rf"{OURS}(?:[0-9a-f]{{16}}|[a-z0-9_]{{8}})")
"""What :func:`build_folder` calls its folders."""
ROOM = 16 * 2**20
"""What a build may need, in bytes."""


def file_system(path: Path) -> str:
    """The type of the file system of a path, or of the first folder above it that is there; empty: unknown."""
    try:
        device = next(parent.stat().st_dev for parent in (path, *path.parents) if parent.exists())
        lines = [line.split() for line in MOUNTS.read_text(encoding="utf-8", errors="replace").splitlines()]
    except (OSError, StopIteration):
        return ""
    number = f"{os.major(device)}:{os.minor(device)}"
    return next((words[words.index("-") + 1] for words in lines if words[2] == number), "")


def is_network(path: Path) -> bool:
    """Whether other nodes may see a path, too."""
    return bool(NETWORK.fullmatch(file_system(path)))


def node_folder(name: str) -> Path:
    """A folder on this node that nobody else can write. Raises OSError where there is none."""
    trouble: OSError = FileNotFoundError("no folder on this node")
    for base in dict.fromkeys(("/tmp", tempfile.gettempdir())):  # noqa: S108  a job's TMPDIR is not for all jobs on the node
        folder = Path(base, f"py2f-{os.getuid()}")
        try:
            folder.mkdir(mode=0o700, exist_ok=True)
            status = folder.lstat()
            if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.getuid() or status.st_mode & 0o077:
                raise PermissionError(f"{folder} is not ours alone")
            (folder / name).mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            trouble = error
        else:
            return folder / name
    raise trouble


@contextlib.contextmanager
def build_folder(settings: Settings, digest: str) -> Iterator[Path]:
    """A folder in which programs can be compiled and run; it is removed afterwards. Raises Py2fError where there is none.

    It is called by what is built in it, unless that is taken: flang writes down the paths of sources.
    """
    given = _places(settings)
    troubles = {base: trouble for base in given if (trouble := _unusable(base))}
    usable = next((base for base in given if base not in troubles), None)
    if usable is None:
        said = "; ".join(f"{base} {trouble}" for base, trouble in troubles.items())
        raise Py2fError(f"no folder to compile in: {said}; name one with PY2F_BUILD_DIR")
    folder = Path(usable, f"{OURS}{digest[:16]}")
    try:
        folder.mkdir(mode=0o700)
    except OSError:  # another process, or what one has left that was killed
        folder = Path(tempfile.mkdtemp(prefix=OURS, dir=usable))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def abandoned(settings: Settings, before: float) -> Iterator[Path]:
    """Folders in which was compiled that have not changed since a time: whoever made them was killed."""
    for base in dict.fromkeys(_places(settings)):
        with contextlib.suppress(OSError):
            yield from (path for path in Path(base).iterdir() if BUILT.fullmatch(path.name) and _ours_since(path, before))


def _ours_since(path: Path, before: float) -> bool:
    with contextlib.suppress(OSError):  # gone by now
        status = path.lstat()
        return stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid() and status.st_mtime < before
    return False


def _places(settings: Settings) -> list[str]:
    return [str(settings.build_dir)] if settings.build_dir else list(_usual())


def _usual() -> Iterator[str]:
    with contextlib.suppress(FileNotFoundError):  # no place for temporary files at all
        yield tempfile.gettempdir()
    yield from ("/tmp", "/var/tmp", "/dev/shm")  # noqa: S108  folders with names of their own are made in them


def _unusable(base: str) -> str:
    try:
        system = os.statvfs(base)
        Path(tempfile.mkdtemp(prefix="py2f-", dir=base)).rmdir()
    except OSError as error:
        return f"cannot be written ({error.strerror})"
    if system.f_flag & os.ST_NOEXEC:
        return "is mounted noexec"
    return "is full" if system.f_bavail * system.f_frsize < ROOM else ""
