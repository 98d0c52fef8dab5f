"""What call.py and threads.py run, below `.bench/`: the libraries of py2f, the peers, empty C and v4x; one program."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import call_fortran
from bench_venv import BENCH, HERE, PYTHON, Installed, digest, importable, once, run
from call_fortran import CFFI, EMPTY, PEER, PY2F, V4X, Variant

OPTIMIZE = "-O2"


class Program:
    """The executable that calls every variant, for one Fortran compiler."""

    def __init__(self, compiler: str, prototypes: Path | None, main: str = "alternate", *flags: str) -> None:
        """Say what is to be built; prototypes is the folder with overhead/gen.py, None without v4x."""
        self.compiler, self.main, self.flags = compiler, main, (OPTIMIZE, *flags)
        self.overhead = prototypes and prototypes.resolve() / "overhead"
        self.variants: tuple[Variant, ...] = (PY2F, PEER, CFFI, *([V4X] if prototypes else []), EMPTY)
        self.folder = BENCH / main / Path(compiler).name
        self.path = self.folder / main

    def build(self, installed: Installed) -> None:
        """Make whatever changed."""
        for folder in (self.folder, BENCH / "peer", BENCH / "cffi", BENCH / "v4x/proto"):
            folder.mkdir(parents=True, exist_ok=True)
        importable(HERE, BENCH / "v4x")
        compiler = run(self.compiler, "--version")
        export_key = digest(installed.py2f, compiler, HERE / "exported.py")
        peer_key = digest(installed.peers, HERE / "peer.py", HERE / "build_peer.py")
        cffi_key = digest(installed.peers, *(HERE / name for name in ("build_cffi.py", "call_fortran.py", "embedded.py")))
        keys = [
            once(self.folder / "py2f/export.key", export_key, self._export),
            once(BENCH / "peer/peer.key", peer_key, build_peer),
            once(BENCH / "cffi/cffi.key", cffi_key, build_cffi),
        ]
        if overhead := self.overhead:
            key = digest(installed.peers, HERE / "build_v4x.py", overhead)
            keys.append(once(BENCH / "v4x/v4x.key", key, lambda: build_v4x(overhead)))
        sources = [HERE / name for name in ("call_fortran.py", "call_libraries.py", f"{self.main}.f90", "callgrind.c")]
        once(self.folder / "program.key", digest(compiler, *keys, *sources), self._link)

    def _export(self) -> None:
        """Export exported.py as a user does, into an empty folder: another py2f may have left .mod files in this one."""
        prefix = self.folder / "py2f"
        shutil.rmtree(prefix, ignore_errors=True)
        run(PYTHON, "-m", "py2f.export", "exported", "-o", prefix, cwd=HERE, FC=self.compiler)

    def _link(self) -> None:
        """Compile the Fortran side of every variant, the loops and the main program, and link them all."""
        (self.folder / "empty.c").write_text(call_fortran.empty_c())
        for variant in (CFFI, EMPTY):
            (self.folder / f"{variant.module}.f90").write_text(call_fortran.c_module(variant))
        (self.folder / "cases.f90").write_text(call_fortran.cases_module(self.variants))
        run("gcc", OPTIMIZE, "-fPIC", "-shared", "-o", "libempty.so", "empty.c", cwd=self.folder)
        run("gcc", OPTIMIZE, "-c", HERE / "callgrind.c", cwd=self.folder)
        objects = ["callgrind.o"]
        for source in self._fortran():
            objects.append(f"{source.stem}.o")
            run(self.compiler, *self.flags, *self._options(), "-c", source, "-o", objects[-1], cwd=self.folder)
        run(self.compiler, *self.flags, "-o", self.path, *objects, *self._libraries(), cwd=self.folder)

    def _fortran(self) -> Iterator[Path]:
        """Yield the sources, modules before their users."""
        yield BENCH / "peer" / f"{PEER.module}.f90"
        if self.overhead:
            yield BENCH / "v4x" / f"{V4X.module}.f90"
        yield from (self.folder / f"{variant.module}.f90" for variant in (CFFI, EMPTY))
        yield self.folder / "cases.f90"
        yield HERE / f"{self.main}.f90"

    def _options(self) -> list[str]:
        """Return where .mod files go and come from; the peer's Fortran wants the preprocessor."""
        written = ["-module-dir", "."] if "flang" in self.compiler else ["-J", "."]
        return ["-cpp", *written, "-I", "py2f/include", "-I", "py2f/mod"]

    def _libraries(self) -> Iterator[str]:
        """Yield the linker's options."""
        for variant in self.variants:
            yield from self._linked(variant)

    def _linked(self, variant: Variant) -> Iterator[str]:
        places = {
            PY2F: (PY2F.module, self.folder / "py2f/lib"),
            PEER: (PEER.module, BENCH / "peer"),
            CFFI: ("cffi_embedded", BENCH / "cffi"),
            V4X: ("v4x", BENCH / "v4x"),
            EMPTY: ("empty", self.folder),
        }
        name, folder = places[variant]
        yield from (f"-L{folder}", f"-l{name}", f"-Wl,-rpath,{folder}")
        if variant in (PEER, CFFI, V4X):  # they are linked with libpython; py2f opens the same file by itself
            libpython = run(PYTHON, "-c", "import sysconfig; print(sysconfig.get_config_var('LIBDIR'))").strip()
            yield f"-Wl,-rpath,{libpython}"

    def beginning(self, variant: Variant) -> Path:
        """Make a program whose only call is the first of a variant; the others are not in it."""
        source, program = self.folder / f"first_{variant.name}.f90", self.folder / f"first_{variant.name}"
        source.write_text(call_fortran.first_call(variant))
        objects = [f"{variant.module}.o"] if variant is not PY2F else []  # of the C functions or of the generator's module
        run(
            self.compiler, *self.flags, *self._options(), source, *objects, *self._linked(variant), "-o", program, cwd=self.folder
        )
        return program


def build_peer() -> None:
    """Have py2fgen make its library and Fortran module."""
    run(PYTHON, HERE / "build_peer.py", PEER.module, BENCH / "peer")


def build_cffi() -> None:
    """Have cffi make the library of its functions."""
    run(PYTHON, HERE / "build_cffi.py", BENCH / "cffi")


def build_v4x(overhead: Path) -> None:
    """Lay the prototype's files out as its gen.py expects them, in a folder that is ours to write, and build there."""
    for source, copy in {"gen.py": "gen.py", "p2f_fns.py": "p2f_fns.py", "p2f_rt.h": "proto/p2f_rt.h"}.items():
        shutil.copyfile(overhead / source, BENCH / "v4x" / copy)
    run(PYTHON, HERE / "build_v4x.py", BENCH / "v4x")
