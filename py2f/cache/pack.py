"""A whole environment as one file, and its copy on each node: a thousand ranks that import NumPy ask a shared disk for one file.

`pack` puts the virtual environment into an archive, the package and the cache with it. `stage` unpacks it once a
node, and says which variables lead there.
"""

from __future__ import annotations

import hashlib
import importlib
import os
import shlex
import shutil
import sys
import sysconfig
from pathlib import Path
from typing import TYPE_CHECKING

from py2f.cache.carry import neutral, packed, travelling, unpack
from py2f.cache.node import node_folder
from py2f.cache.store import Store
from py2f.errors import Py2fError
from py2f.settings import Settings

if TYPE_CHECKING:
    import argparse
    import tarfile
    from types import ModuleType

ENVIRONMENT, CACHE = "environment", "cache"


def pack(name: str, target: Path, settings: Settings) -> int:
    """Write an archive; returns how many entries of the cache are in it. Raises Py2fError and OSError."""
    prefix = Path(sys.prefix)
    if sys.prefix == sys.base_prefix:
        raise Py2fError(
            f"{sys.prefix} is no virtual environment: make one, install {name} and py2f there, and pack with its py2f"
        )
    module = importlib.import_module(name)
    own = Store(settings.cache_dir)
    paths = travelling(own, own.entries())
    with packed(target) as archive:
        archive.add(prefix, ENVIRONMENT)  # with its times: Python compares those of compiled modules
        _add_package(archive, module, prefix)
        for path in paths:
            archive.add(path, f"{CACHE}/{path.relative_to(own.root).as_posix()}", filter=neutral)
    return sum(path.parents[1].name == "entries" for path in paths)


def _add_package(archive: tarfile.TarFile, module: ModuleType, prefix: Path) -> None:
    """A package that is not installed in the environment is put there."""
    top = importlib.import_module(module.__name__.partition(".")[0])
    path = Path(top.__path__[0] if hasattr(top, "__path__") else top.__file__ or "")
    if not path.is_relative_to(prefix):
        site = Path(sysconfig.get_path("purelib")).relative_to(prefix).as_posix()
        archive.add(path, f"{ENVIRONMENT}/{site}/{path.name}")


def stage(source: Path, folder: Path | None = None) -> Path:
    """The copy of an archive on this node; one process makes it while others wait. Raises Py2fError, OSError."""
    import filelock

    status = source.stat() if source.is_file() else None
    if status is None:
        raise Py2fError(f"there is no archive {source}")
    said = f"{source.resolve()} {status.st_size} {status.st_mtime_ns}"
    place = folder.absolute() if folder else node_folder("staged")
    place.mkdir(parents=True, exist_ok=True, mode=0o700)
    target = place / hashlib.blake2b(said.encode(), digest_size=10).hexdigest()
    if not target.is_dir():
        with filelock.FileLock(f"{target}.lock"):
            if not target.is_dir():
                _unpacked(source, target)
    return target


def _unpacked(source: Path, target: Path) -> None:
    aside = target.with_name(f"{target.name}-{os.urandom(4).hex()}")
    try:
        unpack(source, aside, ours=True)
        aside.rename(target)
    finally:
        shutil.rmtree(aside, ignore_errors=True)


# ---- commands


def run_pack(options: argparse.Namespace) -> int:
    """``py2f pack``."""
    from py2f.export import search_here

    search_here()
    count = pack(options.module, options.output.absolute(), Settings.read())
    print(f"{options.output}: {sys.prefix}, {options.module}, {count} entries of the cache")
    return 0


def run_stage(options: argparse.Namespace) -> int:
    """``py2f stage``: prints what a shell evaluates."""
    place = stage(options.archive, options.to)
    python, cache = place / ENVIRONMENT / "bin" / "python", place / CACHE
    print(f"export PY2F_PYTHON={shlex.quote(str(python))}")
    print(f"export PY2F_CACHE_PATH={shlex.quote(str(cache))}${{PY2F_CACHE_PATH:+:$PY2F_CACHE_PATH}}")
    print(f"export PATH={shlex.quote(str(python.parent))}:$PATH")
    return 0


def add_arguments(packer: argparse.ArgumentParser, stager: argparse.ArgumentParser) -> None:
    """Declare the options of both."""
    packer.add_argument("module", help="the package or module that the job imports")
    packer.add_argument("-o", "--output", type=Path, required=True, metavar="ARCHIVE", help="a .tar, .tar.gz or .tar.zst")
    packer.set_defaults(run=run_pack)
    stager.add_argument("archive", type=Path, metavar="ARCHIVE", help="what `py2f pack` has written")
    stager.add_argument("--to", type=Path, metavar="DIR", help="where to unpack it; default: a folder of this node's /tmp")
    stager.set_defaults(run=run_stage)
