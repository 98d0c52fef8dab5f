"""All the stages on one screen: decorated functions -> library -> sources -> key -> entry of the cache."""

from __future__ import annotations

import shutil
import sys
import tempfile
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from py2f.cache.key import make_key
from py2f.cache.layers import cached
from py2f.decorators.libraries import library as describe
from py2f.decorators.native import compile_native
from py2f.emit.build_files import OPTIONS, meson_text
from py2f.emit.c_table import site_text, table_text
from py2f.emit.cmake import cmake_config_text, cmake_text
from py2f.emit.contract import contract_text
from py2f.emit.fortran import module_text
from py2f.emit.header import header_text
from py2f.emit.host import host_calls
from py2f.emit.thunk_c import thunks_text
from py2f.emit.thunk_fortran import calls_text
from py2f.errors import BuildError
from py2f.prefix import C_HEADER, HEADERS, LOADER, lay_out_compiled, lay_out_sources
from py2f.settings import Settings
from py2f.site import Start, refuse_taken, shipped, site_of
from py2f.start import completed
from py2f.toolchain.compilers import BINDING, binding_header, find_toolchain
from py2f.toolchain.meson import compile_sources, for_programs, tools, write_files
from py2f.toolchain.replay import Shape

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from py2f.cache.key import Key
    from py2f.signature import Library
    from py2f.site import Site
    from py2f.toolchain.compilers import Toolchain
    from py2f.toolchain.replay import Commands

THUNK_HEADERS = ("py2f_descriptor.h", "py2f_back.h")
LOADER_SOURCES = ("loader.c", "py2f_ending.h", "py2f_settings.h")


@dataclass(frozen=True)
class Plugin:
    """A compiled library, in a complete prefix: lib, mod, include, src and the contract."""

    library: Library
    prefix: Path
    toolchain: Toolchain = field(repr=False)
    compiled: bool  # False: it was in the cache
    trouble: str = field(default="", repr=False)  # why the cache could not keep it
    start: Start = field(default_factory=Start, repr=False)

    @property
    def path(self) -> Path:
        """The shared library."""
        return self.prefix / "lib" / f"lib{self.library.name}.so"


def build(
    module: str | Sequence[str],
    *,
    name: str | None = None,
    settings: Settings | None = None,
    start: Start | None = None,
    without: Sequence[str] = (),
) -> Plugin:
    """Build the plugin of a module, or of several, or find it in the cache.

    All functions of `module` that are decorated go into one library and one Fortran module, called `name` or
    ``<last part of module>_py``; several modules need a name. The modules of a package, but those of `without`, have Fortran
    modules of their own in the library. `start` says how its Python starts in a Fortran program.
    Raises ExportError, ToolchainError or BuildError, and whatever importing the module raises.
    """
    settings = settings or Settings.read()
    return compiled(described(module, name=name, settings=settings, start=start, without=without), settings)


@dataclass(frozen=True)
class Sources:
    """All that compilers need of a library, by the names of files."""

    library: Library
    files: Mapping[str, bytes] = field(repr=False)
    start: Start = field(repr=False)


def described(
    module: str | Sequence[str],
    *,
    name: str | None = None,
    settings: Settings,
    start: Start | None = None,
    without: Sequence[str] = (),
) -> Sources:
    """Import modules and generate what is compiled. Raises what :func:`build` raises, but for what compilers say."""
    for each in (module,) if isinstance(module, str) else module:
        refuse_taken(each)
    library = describe(module, name, without)
    compile_native(library.modules)
    start = completed(start, settings.cache_dir) if start else Start()
    return Sources(library, sources(library, site_of([sys.modules[each] for each in library.modules], start)), start)


def compiled(wanted: Sources, settings: Settings) -> Plugin:
    """Compile sources, or find what was made of them in the cache."""
    wanted, toolchain, key = for_compilers(wanted, settings)
    entry, new, trouble = cached(key, settings, lambda folder: _compile(wanted, key.digest, folder, toolchain, settings))
    return Plugin(wanted.library, entry, toolchain, compiled=new, trouble=trouble, start=wanted.start)


def for_compilers(wanted: Sources, settings: Settings) -> tuple[Sources, Toolchain, Key]:
    """The sources with what is the compilers' own, these, and the key of what they make. Raises ToolchainError."""
    toolchain = find_toolchain(settings)
    if host_calls(wanted.library).called:
        wanted = replace(wanted, files={**wanted.files, BINDING: binding_header(toolchain, settings)})
    return wanted, toolchain, make_key(wanted.files, toolchain, wanted.library.name, wanted.library.module)


def sources(library: Library, site: Site) -> dict[str, bytes]:
    """Every file that a Fortran and a C compiler need, by name."""
    generated = texts(library) | {f"{library.name}_site.h": site_text(site)}
    headers = (*HEADERS, *THUNK_HEADERS) if host_calls(library).called else HEADERS
    fixed = {name: shipped(name).read_bytes() for name in (*headers, C_HEADER, "py2f.f90", *LOADER_SOURCES, LOADER)}
    return {name: text.encode("utf-8") for name, text in generated.items()} | fixed


def texts(library: Library) -> dict[str, str]:
    """What is generated for a library, the same on every machine, by the names of files."""
    host = host_calls(library)
    generated = {
        f"{library.name}.f90": module_text(library),
        f"{library.name}.c": table_text(library),
        f"{library.name}.h": header_text(library),
        f"{library.name}.json": contract_text(library),
        f"{library.name}-config.cmake": cmake_config_text(library),
        "CMakeLists.txt": cmake_text(library, host=bool(host.called)),
        "meson.build": meson_text(library, host=bool(host.called)),
        "meson.options": OPTIONS,
    }
    return generated | ({f"{host.name}.f90": calls_text(host), f"{host.name}.c": thunks_text(host)} if host.called else {})


def _compile(wanted: Sources, key: str, folder: Path, toolchain: Toolchain, settings: Settings) -> Path:
    """Write, compile, and lay out the prefix."""
    library, prefix = wanted.library, folder / "prefix"
    _, out = compiled_in(folder, library.name, wanted.files, toolchain, settings, *for_programs(toolchain))
    lay_out_sources(library, wanted.files, prefix)
    lay_out_compiled(library, toolchain.fortran.release, key, out, prefix)
    return prefix


def compiled_in(  # noqa: PLR0913  what a project consists of
    folder: Path,
    name: str,
    files: Mapping[str, bytes],
    toolchain: Toolchain,
    settings: Settings,
    *options: str,
    in_order: bool = True,
) -> tuple[Path, Path]:
    """Write files and compile them with Meson: the folder of the sources, that of the results. What fails is kept.

    Files that are `in_order`, each after those whose modules it uses, are compiled by the commands of an earlier project.
    """
    work = folder / "work"
    write_files(work, files)
    try:
        commands = _commands(name, files, toolchain, settings, options) if in_order else None
        return work, compile_sources(work, toolchain, settings, options, commands)
    except BuildError as error:
        kept = Path(tempfile.mkdtemp(prefix=f"py2f-failed-{name}-"))
        shutil.copytree(work, kept, dirs_exist_ok=True, symlinks=True)
        raise BuildError(error.command, error.status, error.output, kept) from None


def _commands(
    name: str, files: Mapping[str, bytes], toolchain: Toolchain, settings: Settings, options: tuple[str, ...]
) -> Commands | None:
    """What Ninja runs for projects like this one, from the cache; None where Meson cannot tell."""
    shape = Shape.of(name, files)
    key = make_key({**shape.parts, "options": "\n".join(options).encode(), **tools(toolchain)}, toolchain, "commands of Meson")
    try:
        entry, _, _ = cached(key, settings, lambda folder: shape.recorded(folder, toolchain, settings, options))
    except BuildError:  # the project itself cannot be configured: Meson will say so
        return None
    return shape.commands(entry)
