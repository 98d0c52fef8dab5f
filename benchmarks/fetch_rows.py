"""What fetch.py compares, made below `.bench/fetch`: each row by its own generator, in one folder and one venv."""

import os
import shutil
import subprocess
import sysconfig
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from bench_venv import BENCH, HERE, Installed, digest, once, python_of, run

FOLDER = BENCH / "fetch"
VENV = BENCH / "fetch_venv"
PYTHON = python_of(VENV)
OPTIMIZE = "-O2"
NUMPY = "numpy==2.4.6"


class Row(NamedTuple):
    """One of those who are compared."""

    name: str
    requirements: tuple[str, ...]
    make: Callable[[str], None]  # takes the Fortran compiler
    checks: str


class UnavailableError(Exception):
    """Why a peer cannot be measured here."""


def tried(*command: str | Path, **environment: str) -> str:
    """Return the output of a peer's command; where it fails, raise with the last lines of what it said."""
    path = f"{PYTHON.parent}{os.pathsep}{os.environ['PATH']}"
    words, variables = [str(word) for word in command], os.environ | {"PATH": path} | environment
    done = subprocess.run(words, cwd=FOLDER, env=variables, capture_output=True, text=True, check=False)
    if done.returncode:
        raise UnavailableError(" ".join((done.stderr or done.stdout).strip().splitlines()[-3:]))
    return done.stdout


def make_library(compiler: str) -> None:
    """Make libfetched.so, for those who call symbols, and what marks where callgrind counts."""
    for name in ("fetched.f90", "fetched_plain.f90", "fetched_stubs.py"):
        shutil.copy(HERE / name, FOLDER)
    run(compiler, OPTIMIZE, "-fPIC", "-shared", "fetched.f90", "-o", "libfetched.so", cwd=FOLDER)
    run("gcc", OPTIMIZE, "-fPIC", "-shared", HERE / "callgrind.c", "-o", "libcallgrind.so", cwd=FOLDER)


def make_glue(_compiler: str) -> None:
    """Compile the hand-written extension."""
    numpy = run(PYTHON, "-c", "import numpy; print(numpy.get_include())").strip()
    python, suffix = sysconfig.get_path("include"), sysconfig.get_config_var("EXT_SUFFIX")
    options = [OPTIMIZE, "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared", "-isystem", python, "-isystem", numpy]
    libraries = ["-L.", "-lfetched", f"-Wl,-rpath,{FOLDER}", "-o", f"fetched_glue{suffix}"]
    run("gcc", *options, HERE / "fetched_glue.c", *libraries, cwd=FOLDER)


def make_py2f(compiler: str) -> None:
    """Have py2f build the stubs, as their first call does."""
    call = "import fetched_stubs; fetched_stubs.nothing()"
    run(PYTHON, "-c", call, cwd=FOLDER, FC=compiler, PY2F_CACHE_DIR=str(FOLDER / "cache"), PYTHONSAFEPATH="")


def make_f2py(compiler: str) -> None:
    """Have f2py make its extension."""
    command = ("-m", "numpy.f2py", "--backend", "meson", "-c", "fetched_plain.f90", "-m", "fetched_f2py")
    tried(PYTHON, *command, FC=compiler, FFLAGS=OPTIMIZE)


def make_pyccel(_compiler: str) -> None:
    """Have pyccel make its extension, linked with libfetched.so."""
    where = "".join(f"#$ header metavar {key}\n" for key in ('libraries="fetched"', 'libdirs="."', 'includes="."'))
    (FOLDER / "fetched.pyi").write_text(where + (HERE / "fetched.pyi").read_text())
    tried(VENV / "bin/pyccel", "wrap", "fetched.pyi")


def make_cffi(_compiler: str) -> None:
    """Have cffi make its extension."""
    tried(PYTHON, HERE / "fetch_cffi.py", FOLDER)


def make_ctypes(_compiler: str) -> None:
    """Nothing is made."""


def make_f90wrap(compiler: str) -> None:
    """Have f90wrap make its module, and f2py the extension below it."""
    tried(compiler, OPTIMIZE, "-fPIC", "-c", "fetched_plain.f90")
    tried(VENV / "bin/f90wrap", "-m", "fetched_f90wrap", "fetched_plain.f90", "--skip", "each")
    sources = ("f90wrap_fetched_plain.f90", FOLDER / "fetched_plain.o", f"-I{FOLDER}")
    tried(VENV / "bin/f2py-f90wrap", "--backend", "meson", "-c", "-m", "_fetched_f90wrap", *sources, FC=compiler, FFLAGS=OPTIMIZE)


ROWS = (  # what is checked was tried with array arguments of column c, and with numbers
    Row("C glue", (), make_glue, "number, type, kind, rank, extents, layout, alignment, byte order, writeable, overflow"),
    Row("py2f", (), make_py2f, "the same, memory that is shared with what is written, the stub against the source"),
    Row("f2py", ("meson==1.12.1", "ninja==1.13.2"), make_f2py, "the first; inputs of other kinds and layouts are copied unasked"),
    Row("pyccel", ("pyccel==2.2.3",), make_pyccel, "number, type, kind, rank; not extents, alignment, byte order, writeable"),
    Row("cffi", ("cffi==2.1.1", "setuptools==80.9.0"), make_cffi, "number, contiguous, overflow; no other property of an array"),
    Row("ctypes", (), make_ctypes, "number, kind, rank, layout, byte order; not extents, alignment, writeable, overflow"),
    Row("f90wrap", ("f90wrap==0.3.0", "meson==1.12.1", "ninja==1.13.2"), make_f90wrap, "as f2py"),
)


def build(installed: Installed, compiler: str) -> dict[str, str]:
    """Make whatever changed. Return why a row is not there."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    version = run(compiler, "--version")
    library = once(FOLDER / "library.key", digest(version, *sorted(HERE.glob("fetched*"))), lambda: make_library(compiler))
    missing = {}
    for row in ROWS:
        base = installed.py2f if row.name == "py2f" else installed.peers
        key = digest(base, library, *row.requirements, HERE / "fetch_rows.py", HERE / "fetch_cffi.py")
        try:
            once(FOLDER / f"row {row.name}.key", key, lambda row=row: _make(row, compiler))
        except UnavailableError as reason:
            missing[row.name] = str(reason)
    return missing


def _make(row: Row, compiler: str) -> None:
    if row.requirements:
        tried(PYTHON, "-m", "pip", "install", "--quiet", *row.requirements)
    row.make(compiler)
