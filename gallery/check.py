"""`python check.py [NAME...]`: builds the model with each build system, changes its Python, and looks what is built again.

A copy of the gallery is built, in a folder that is thrown away. For each build system: the first build, and what the model
prints; a second build, which does nothing; a change of a Python body, after which the model prints other numbers and nothing
has been compiled or linked; a change of a signature, after which main.f90 has been compiled and the model linked, and
state.f90, which knows nothing of it, has not. What is missing on this machine is said, and is no success.
"""

import argparse
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
FIRST = "step 1:  283.1250\nstep 2:  283.2575\nstep 3:  283.3963\n"
BODY = ("CONDUCTIVITY = 0.1", "CONDUCTIVITY = 0.2")
SECOND = "step 1:  283.1250\nstep 2:  283.2650\nstep 3:  283.4150\n"
SIGNATURE = ("flux: f64) -> f64:", "flux: f64, loss: f64 = 0.0) -> f64:")


class Failed(Exception):  # noqa: N818  it is no error of this program
    """What a build system has not done as it should."""


@dataclass(frozen=True)
class Entry:
    """A build system: what it needs, its commands, and where its results are, as patterns."""

    name: str
    needs: tuple[str, ...]
    once: tuple[str, ...]  # when nothing is there
    build: tuple[str, ...]  # each time
    program: str
    objects: tuple[str, str] | None  # of main.f90 and state.f90, as patterns; None: everything is compiled each time


PYTHON = shlex.quote(sys.executable)
PY2F = f"{PYTHON} -m py2f.cli"
SOURCES = f"cd ../model && {PY2F} export heat -o ../{{name}}/{{to}} --no-compile"
ENTRIES = (
    Entry("make", ("make", "pkg-config"), (), (f"make {shlex.quote(f'PY2F={PY2F}')}",), "main", ("main.o", "state.o")),
    Entry(
        "cmake",
        ("cmake", "ninja"),
        ("cmake -S . -B out -G Ninja",),
        ("cmake --build out",),
        "out/main",
        ("**/main.f90.o", "**/state.f90.o"),
    ),
    Entry(
        "meson",
        ("meson", "ninja"),
        (),
        (
            SOURCES.format(name="meson", to="exported"),
            "mkdir -p subprojects; test -e subprojects/heat_py || ln -s ../exported/src subprojects/heat_py",
            "test -d out || meson setup out",
            "meson compile -C out",
        ),
        "out/main",
        ("out/**/*main.f90.o", "out/**/*state.f90.o"),
    ),
    Entry(
        "autotools",
        ("autoreconf", "automake", "make", "pkg-config"),
        ("autoreconf -i", "./configure"),
        ("make",),
        "main",
        ("main.o", "state.o"),
    ),
    Entry(
        "fpm",
        ("fpm",),
        (),
        (SOURCES.format(name="fpm", to="heat_py"), "fpm build"),
        "build/*/app/main",
        ("build/**/*main.f90.o", "build/**/*state.f90.o"),
    ),
    Entry("wheel", ("gfortran", "pkg-config"), (), (f"PYTHON={PYTHON} sh build.sh",), "main", None),
    Entry("source-only", ("cc", "gfortran"), (), (SOURCES.format(name="source-only", to="heat_py"), "sh build.sh"), "main", None),
)


def shell(command: str, folder: Path) -> str:
    """What a command prints."""
    done = subprocess.run(
        ["sh", "-ec", command], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise Failed(f"{command}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def ran(entry: Entry, folder: Path) -> str:
    """What the model prints; it gets no environment."""
    done = subprocess.run([str(_found(folder, entry.program))], env={}, capture_output=True, text=True, check=False, cwd="/")
    if done.returncode:
        raise Failed(f"{entry.program}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def made(entry: Entry, folder: Path) -> dict[str, int]:
    """When the results were written last."""
    patterns = {
        "main.f90": (entry.objects or ("", ""))[0],
        "state.f90": (entry.objects or ("", ""))[1],
        "the model": entry.program,
    }
    return {what: _found(folder, pattern).stat().st_mtime_ns for what, pattern in patterns.items() if pattern}


def _found(folder: Path, pattern: str) -> Path:
    found = sorted(folder.glob(pattern))
    if len(found) != 1:
        raise Failed(f"there are {len(found)} files {pattern}, not one")
    return found[0]


def expect(what: object, wanted: object, found: object) -> None:
    """Compare."""
    if found != wanted:
        raise Failed(f"{what}:\n  wanted {wanted!r}\n  found  {found!r}")


def checked(entry: Entry, root: Path) -> Iterator[str]:
    """Yield what was seen, step by step."""
    folder, granule = root / entry.name, root / "model/heat.py"

    def build() -> dict[str, int]:
        for command in entry.build:
            shell(command, folder)
        return made(entry, folder)

    def changed(before: dict[str, int], after: dict[str, int]) -> list[str]:
        return [what for what in before if before[what] != after[what]]

    for command in entry.once:
        shell(command, folder)
    first = build()
    expect("the model prints", FIRST, ran(entry, folder))
    yield "builds"
    again = build()
    if entry.objects:
        expect("a second build makes", [], changed(first, again))
        yield "a second build does nothing"
    replace(granule, BODY)
    body = build()
    expect("with another body the model prints", SECOND, ran(entry, folder))
    if entry.objects:
        expect("with another body is made", [], changed(again, body))
        yield "another body: nothing is built"
    replace(granule, SIGNATURE)
    signature = build()
    expect("with another signature the model prints", SECOND, ran(entry, folder))
    if entry.objects:
        expect("with another signature is made", ["main.f90", "the model"], changed(body, signature))
        yield "another signature: main.f90 and the model are"


def replace(file: Path, change: tuple[str, str]) -> None:
    """Edit a file."""
    text = file.read_text(encoding="utf-8")
    if change[0] not in text:
        raise Failed(f"{file} has no {change[0]!r}")
    file.write_text(text.replace(*change), encoding="utf-8")


def one(entry: Entry) -> str:
    """How it went, in a line or more."""
    missing = [tool for tool in entry.needs if not shutil.which(tool)]
    if missing:
        return f"not verified: {', '.join(missing)} not installed"
    with tempfile.TemporaryDirectory(prefix="py2f-gallery-") as name:
        root = Path(name, "gallery")
        shutil.copytree(HERE, root, ignore=shutil.ignore_patterns("__pycache__"))
        try:
            return "; ".join(checked(entry, root))
        except Failed as error:
            return f"FAILED: {error}"


def main() -> int:
    """Check all, or those that are named."""
    names = [entry.name for entry in ENTRIES]
    parser = argparse.ArgumentParser(description="Build the model of the gallery with each build system.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"default: {' '.join(names)}")
    given = parser.parse_args()
    if unknown := set(given.names) - set(names):
        parser.error(f"there is no {', '.join(sorted(unknown))} in the gallery; there are {', '.join(names)}")
    good = True
    for entry in ENTRIES:
        if entry.name in (given.names or names):
            said = one(entry)
            good = good and not said.startswith(("FAILED", "not verified"))
            print(f"{entry.name:<12} {said}", flush=True)
    return 0 if good else 1


if __name__ == "__main__":
    raise SystemExit(main())
