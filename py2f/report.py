"""What an export says of itself: for people, with the lines that compile against it, and as JSON for programs."""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from py2f.decorators.libraries import left_out
from py2f.emit.build_files import compiled_files
from py2f.emit.host import host_calls
from py2f.prefix import project_of
from py2f.toolchain.compilers import BINDING

if TYPE_CHECKING:
    from pathlib import Path

    from py2f.pipeline import Plugin, Sources

SHOWN = 8
"""How many procedures a report names."""


@dataclass(frozen=True)
class Report:
    """An export: what it consists of, where it is, and what of it is new."""

    sources: Sources
    plugin: Plugin | None  # None: nothing was compiled, sources were written
    prefix: Path
    written: tuple[str, ...]
    fc: str | None
    without: tuple[str, ...] = ()  # modules that nobody misses

    @property
    def commands(self) -> list[list[str]]:
        """What compiles a program, main.f90."""
        name = self.sources.library.name
        if self.plugin:
            lib = linked(self.prefix / "lib", name)
            return [[*self.plugin.toolchain.fortran.command, f"-I{self.prefix / 'mod'}", "main.f90", "-o", "main", *lib]]
        src = self.prefix / "src"
        tables, modules = compiled_files(name, host=bool(host_calls(self.sources.library).called))
        tables = [*tables, "loader.c"]
        objects = [file.replace(".c", ".o") for file in tables]
        fortran = [*(str(src / file) for file in modules), "main.f90", *objects, "-o", "main", "-ldl", "-lpthread"]
        return [["cc", "-c", *(str(src / file) for file in tables)], [self.fc or "gfortran", *fortran]]

    def json(self) -> str:
        """All of it, as JSON."""
        library = self.sources.library
        modules = [{"fortran": part.name, "python": part.module} for part in library.parts]
        content: dict[str, Any] = {
            "library": library.name,
            "signature": library.signature,
            "python": library.modules,
            "modules": [*modules, {"fortran": library.name, "python": library.module}],
            "procedures": [p.name for p in library.procedures],
            "prefix": str(self.prefix.absolute()),
            "compiler": self.plugin.toolchain.fortran.release if self.plugin else None,
            "compiled": self.plugin.compiled if self.plugin else False,
            "written": self.written,
            "left_out": list(self._left_out),
            "commands": self.commands,
        }
        return json.dumps(content, indent=2)

    def __str__(self) -> str:
        library = self.sources.library
        lines = [f"{library.name}: {_few([p.name for p in library.procedures])} ({self._how()})"]
        lines += [f"in the modules {_few([*(part.name for part in library.parts)])} as well"] * bool(library.parts)
        lines += [f"left out, since {why}: {module}" for module, why in self._left_out.items()]
        lines += [f"starts with {self.sources.start}"] * bool(str(self.sources.start))
        lines += self._projects() + self._bindings()
        return "\n".join([*lines, f"use {library.name}, and compile with:", *(f"  {shlex.join(line)}" for line in self.commands)])

    def _projects(self) -> list[str]:
        name, other = self.sources.library.name, project_of(self.prefix)
        mend = f"to compile {name} by them, export it into another folder"
        return [f"src/CMakeLists.txt and src/meson.build are those of {other}: {mend}"] * (other not in ("", name))

    def _bindings(self) -> list[str]:
        """Sources that a C compiler compiles with the header of another Fortran compiler, without a word."""
        name, host = self.sources.library.name, host_calls(self.sources.library).called
        note = f"{name}_host.c needs the {BINDING} of the Fortran compiler: unless that is GCC's, give cc its folder, by -I"
        return [note] * bool(host and not self.plugin)

    @property
    def _left_out(self) -> dict[str, str]:
        return left_out(self.sources.library.named, self.without)

    def _how(self) -> str:
        if self.plugin is None:
            return "sources only" if self.written else "sources only, unchanged"
        how = "compiled" if self.plugin.compiled else "unchanged, nothing compiled"
        return how + (f"; not kept in the cache {self.plugin.trouble}" if self.plugin.trouble else "")


def _few(names: list[str]) -> str:
    return ", ".join(names[:SHOWN]) + (", ..." if len(names) > SHOWN else "")


def linked(folder: Path, name: str) -> list[str]:
    """The arguments that link a library, which is found in its folder when the program runs."""
    where = str(folder.absolute())
    rpath = (
        ["-Xlinker", "-rpath", "-Xlinker", where] if "," in where else [f"-Wl,-rpath,{where}"]
    )  # commas end an argument of -Wl
    return [f"-L{folder}", *rpath, f"-l{name}"]
