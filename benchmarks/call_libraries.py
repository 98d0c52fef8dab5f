"""The libraries and the one program of call.py, made below `.bench/`: py2f's export, the peer's, the empty C library, prototype v4x."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import call_fortran
from bench_venv import BENCH, HERE, PYTHON, digest, importable, once, run
from call_fortran import EMPTY, PEER, PY2F, V4X, Variant

OPTIMIZE = "-O2"


class Program:
    """The executable that calls every variant, for one Fortran compiler."""

    def __init__(self, compiler: str, installed: str, prototypes: Path | None) -> None:
        """Say what is to be built: installed is the key of the venv, prototypes the folder with overhead/gen.py."""
        self.compiler = compiler
        self.key = digest(installed, compiler, *sorted(HERE.glob("build_*.py")), HERE / "call_libraries.py")
        self.overhead = prototypes and prototypes.resolve() / "overhead"
        self.variants: tuple[Variant, ...] = (PY2F, PEER, *([V4X] if prototypes else []), EMPTY)
        self.folder = BENCH / "call" / Path(compiler).name
        self.path = self.folder / "alternate"

    def build(self) -> None:
        """Make whatever changed."""
        for folder in (self.folder, BENCH / "peer", BENCH / "v4x"):
            folder.mkdir(parents=True, exist_ok=True)
        importable(HERE, BENCH / "v4x")
        made = [self._export(), once("peer", digest(self.key, HERE / "peer.py"), self._build_peer)]
        if self.overhead:
            made.append(once("v4x", digest(self.key, self.overhead), self._build_v4x))
        sources = (HERE / "call_fortran.py", HERE / "alternate.f90", HERE / "callgrind.c")
        once(f"program-{self.folder.name}", digest(*made, *sources), self._link)

    def _export(self) -> str:
        """Export granule.py as a user does; the library is the only one here that the Fortran compiler has a part in."""

        def make() -> None:
            run(PYTHON, "-m", "py2f.export", "granule", "-o", self.folder / "py2f", cwd=HERE, FC=self.compiler)

        return once(f"export-{self.folder.name}", digest(self.key, HERE / "granule.py"), make)

    def _build_peer(self) -> None:
        run(PYTHON, HERE / "build_peer.py", PEER.module, BENCH / "peer")

    def _build_v4x(self) -> None:
        """Lay the prototype's files out as its gen.py expects them, in a folder that is ours to write, and build there."""
        assert self.overhead
        (BENCH / "v4x/proto").mkdir(exist_ok=True)
        for source, copy in {"gen.py": "gen.py", "p2f_fns.py": "p2f_fns.py", "p2f_rt.h": "proto/p2f_rt.h"}.items():
            shutil.copyfile(self.overhead / source, BENCH / "v4x" / copy)
        run(PYTHON, HERE / "build_v4x.py", BENCH / "v4x")

    def _link(self) -> None:
        """Compile the Fortran side of every variant, the loops and the main program, and link them all."""
        (self.folder / "empty.c").write_text(call_fortran.empty_c())
        (self.folder / f"{EMPTY.module}.f90").write_text(call_fortran.empty_module())
        (self.folder / "cases.f90").write_text(call_fortran.cases_module(self.variants))
        run("gcc", OPTIMIZE, "-fPIC", "-shared", "-o", "libempty.so", "empty.c", cwd=self.folder)
        run("gcc", OPTIMIZE, "-c", HERE / "callgrind.c", cwd=self.folder)
        for source in self._fortran():
            run(self.compiler, OPTIMIZE, *self._modules(), "-c", source, "-o", f"{source.stem}.o", cwd=self.folder)
        objects = [f"{source.stem}.o" for source in self._fortran()]
        run(self.compiler, "-o", self.path, *objects, "callgrind.o", *self._libraries(), cwd=self.folder)

    def _fortran(self) -> Iterator[Path]:
        yield BENCH / "peer" / f"{PEER.module}.f90"
        if self.overhead:
            yield BENCH / "v4x" / f"{V4X.module}.f90"
        yield self.folder / f"{EMPTY.module}.f90"
        yield self.folder / "cases.f90"
        yield HERE / "alternate.f90"

    def _modules(self) -> list[str]:
        """Return the options for .mod files; the peer's Fortran wants the preprocessor, but not from gfortran's `-c` of a .f90."""
        written = ["-module-dir", "."] if "flang" in self.compiler else ["-J", "."]
        return ["-cpp", *written, "-I", "py2f/include", "-I", "py2f/mod"]

    def _libraries(self) -> Iterator[str]:
        libraries = {"granule_py": self.folder / "py2f/lib", PEER.module: BENCH / "peer", "empty": self.folder}
        if self.overhead:
            libraries["v4x"] = BENCH / "v4x"
        for name, folder in libraries.items():
            yield from (f"-L{folder}", f"-l{name}", f"-Wl,-rpath,{folder}")
        # the peer and v4x are linked with libpython; py2f opens the same file by itself
        libpython = run(PYTHON, "-c", "import sysconfig; print(sysconfig.get_config_var('LIBDIR'))").strip()
        yield f"-Wl,-rpath,{libpython}"
