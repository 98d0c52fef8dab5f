"""The environments of the benchmarks, in `.bench`: the peers and the measured py2f, renewed where something changed.

One venv a question, because one process has one Python: whoever is compared in one program shares its interpreter and
its NumPy.
"""

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
HERE = ROOT / "benchmarks"
BENCH = ROOT / ".bench"
VENV = BENCH / "venv"
PYTHON = VENV / "bin/python"  # of call.py


def run(*command: str | Path, cwd: Path = ROOT, **environment: str) -> str:
    """Return the standard output of a command; where it fails, stop with the command, its status and all it said."""
    words = [str(word) for word in command]
    done = subprocess.run(words, cwd=cwd, env=os.environ | environment, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(words)}\nin {cwd} ended with status {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


def digest(*parts: str | Path) -> str:
    """Return a hash of texts, files and folders, by content."""
    total = hashlib.sha256()
    for part in parts:
        if isinstance(part, str):
            total.update(part.encode())
        elif part.is_dir():
            total.update(digest(*sorted(p for p in part.iterdir() if p.name != "__pycache__")).encode())
        else:
            total.update(part.name.encode() + part.read_bytes())
    return total.hexdigest()


def once(stamp: Path, key: str, make: Callable[[], object]) -> str:
    """Call make unless the stamp holds this key already. Return the key, for what is built upon it.

    The stamp lies in the folder that make fills: who deletes the folder deletes the claim that it is ready.
    """
    if not stamp.exists() or stamp.read_text() != key:
        print(f"making {stamp.stem} ...", file=sys.stderr, flush=True)
        stamp.unlink(missing_ok=True)  # an interrupted or failed make leaves no stamp
        make()
        stamp.parent.mkdir(parents=True, exist_ok=True)
        stamp.write_text(key)
    return key


def python_of(venv: Path) -> Path:
    """Return the interpreter of a venv."""
    return venv / "bin/python"


def pip_install(*what: str | Path, venv: Path = VENV) -> None:
    """Install into a venv."""
    run(python_of(venv), "-m", "pip", "install", "--quiet", *what)


class Installed(NamedTuple):
    """Keys of what is in the venv; py2f's includes the peers', not vice versa: a change of py2f rebuilds no peer."""

    peers: str
    py2f: str


def prepare(peers: tuple[str, ...], checkout: Path, venv: Path = VENV) -> Installed:
    """Make the venv with the peers (pinned requirements) and the py2f of a checkout."""
    installed = prepare_plain(peers, venv)
    sources = [path for name in ("pyproject.toml", "meson.build", "py2f") if (path := checkout / name).exists()]
    py2f = once(venv / "py2f.key", digest(installed, *sources), lambda: pip_install(checkout, venv=venv))
    return Installed(installed, py2f)


def prepare_plain(requirements: tuple[str, ...], venv: Path) -> str:
    """Make a venv with packages from PyPI; return the key of what is in it."""
    interpreter = digest(sys.version, sys.base_prefix)
    base = once(venv / "venv.key", interpreter, lambda: run(sys.executable, "-m", "venv", "--clear", venv))
    return once(venv / "peers.key", digest(base, *requirements), lambda: pip_install(*requirements, venv=venv))


def importable(*folders: Path) -> None:
    """Put folders on the path of every Python of the venv.

    The peer and the prototypes import their functions when they start and learn of no folder but by PYTHONPATH, which
    an isolated Python ignores. py2f needs no such help.
    """
    site = run(PYTHON, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip()
    Path(site, "benchmarks.pth").write_text("".join(f"{folder}\n" for folder in folders))


def versions(*distributions: str, venv: Path = VENV) -> dict[str, str]:
    """Return the versions of distributions that a venv has, and of its Python."""
    ask = (
        "import importlib.metadata as m, json, platform, sys;"
        "print(json.dumps({'Python': platform.python_version()} | {d: m.version(d) for d in sys.argv[1:]}))"
    )
    found: dict[str, str] = json.loads(run(python_of(venv), "-c", ask, *distributions))
    return found
