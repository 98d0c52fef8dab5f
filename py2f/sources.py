"""A user's own Fortran sources as a shared library: one a set of files, compiler and flags, whichever module asks for it.

What is compiled are copies, beside copies of what they include. The folder of the sources is not searched: a .mod file that
an earlier build has left there would be used without a word, and is in no key.
"""

from __future__ import annotations

import re
import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING

from py2f.cache.key import make_key
from py2f.cache.layers import cached
from py2f.emit.build_files import sources_meson_text
from py2f.errors import BuildError, SourceError, StubError
from py2f.fortran.reader import read
from py2f.library import linked
from py2f.pipeline import compiled_in

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from py2f.decorators.stub import Origin, Stub
    from py2f.fortran.declared import Source
    from py2f.settings import Settings
    from py2f.toolchain.compilers import Toolchain

LIBRARY = "library.so"
_INCLUDE = re.compile(rb"""^[ \t]*#?[ \t]*include[ \t]*(["'])(.+?)\1""", re.MULTILINE | re.IGNORECASE)
_CONDITION = re.compile(rb"^#[ \t]*(?:if|ifdef|ifndef|define)\b", re.MULTILINE)
_USE = re.compile(rb"^[ \t]*use\b[^\n!]*?(?:::)?[ \t]*(\w+)[ \t]*(?=$|[,!\r])", re.MULTILINE | re.IGNORECASE)


@dataclass(frozen=True)
class Texts:
    """Sources as they are now: what they declare, and all that a compiler needs of them."""

    name: str
    source: Source
    files: dict[str, bytes]
    paths: list[str]  # of the sources among the files
    folders: list[str]  # where the compiler looks for the rest
    modules: dict[str, bytes]  # that were compiled elsewhere
    origin: Origin

    def meson(self, digest: str) -> bytes:
        """The project file."""
        libraries = [linked(name) for name in self.origin.links]
        return sources_meson_text(self.name, self.paths, self.folders, libraries, digest).encode()

    @property
    def parts(self) -> dict[str, bytes]:
        """All that the library depends on besides compiler and flags."""
        return {**self.files, **self.modules, "meson.build": self.meson("")}


@dataclass(frozen=True)
class Compiled:
    """Sources as a library."""

    path: Path
    modules: Path  # the folder of its .mod files

    def copies(self, folder: str) -> dict[str, bytes]:
        """What a project that uses it needs, as files of that project: in it no path of the cache is left."""
        found = {path.name: path.read_bytes() for path in sorted(self.modules.iterdir())}
        return {f"{folder}/{name}": content for name, content in {**found, LIBRARY: self.path.read_bytes()}.items()}


def texts_of(stub: Stub) -> Texts:
    """Read the sources of a stub. Raises StubError or SourceError."""
    origin = stub.origin
    for path in origin.sources:
        if not path.is_file():
            raise StubError(f"{stub.where}: there is no file {path}")
        _refuse_directives(path)
    name = origin.sources[0].stem
    files, outside = _copies(origin)
    return Texts(
        name=name if name.isascii() and name.isidentifier() else "sources",
        source=read(origin.sources),
        files=files,
        paths=[f"sources/{k}/{path.name}" for k, path in enumerate(origin.sources)],
        folders=[str(path.absolute()) for path in (*origin.includes, *outside)],
        modules={f"module {path}": path.read_bytes() for path in _given_modules(origin)},
        origin=origin,
    )


def _refuse_directives(path: Path) -> None:
    """Compilers leave directives out in files of such a name, and compile both branches."""
    found = _CONDITION.search(path.read_bytes()) if path.suffix == path.suffix.lower() else None
    if found:
        line = path.read_bytes().count(b"\n", 0, found.start()) + 1
        raise SourceError(path, line, f"directives need a preprocessor: call the file {path.stem}{path.suffix.upper()}")


def compiled_sources(texts: Texts, toolchain: Toolchain, settings: Settings, module: str) -> Compiled:
    """Compile sources for the stubs of a module, or find what was made of them. Raises BuildError."""
    # The loader takes two libraries of the same name for one: the name has to tell all that the bytes depend on.
    digest = make_key(texts.parts, toolchain).digest[:12]
    library = f"lib{texts.name}.so.{digest}"
    files = {**texts.files, "meson.build": texts.meson(digest)}

    def make(folder: Path) -> Path:
        try:
            _, out = compiled_in(folder, texts.name, files, toolchain, settings, in_order=len(texts.paths) == 1)
        except BuildError as error:
            raise _with_own_paths(error, texts.origin) from None
        return laid_out(folder / "prefix", out, out / library)

    entry, _, _ = cached(make_key({**files, **texts.modules}, toolchain, texts.name, module), settings, make)
    return Compiled(entry / "lib" / library, entry / "mod")


def _with_own_paths(error: BuildError, origin: Origin) -> BuildError:
    """What the compiler says of the copies, of the user's own files."""
    output = error.output
    for k, path in enumerate(origin.sources):
        output = output.replace(f"../sources/{k}/{path.name}", str(path))
    return BuildError(error.command, error.status, output, error.folder)


def laid_out(prefix: Path, out: Path, library: Path) -> Path:
    """Arrange a library and the .mod files beside it."""
    for part in ("lib", "mod"):
        (prefix / part).mkdir(parents=True)
    shutil.copy2(library, prefix / "lib")
    for module in out.rglob("*.mod"):
        shutil.copy2(module, prefix / "mod")
    return prefix


def _copies(origin: Origin) -> tuple[dict[str, bytes], list[Path]]:
    """The sources and what they include, by path; also the folders in which the compiler must look for the rest."""
    files: dict[str, bytes] = {}
    outside: dict[Path, None] = {}
    for k, source in enumerate(origin.sources):
        folder = source.parent
        files[f"sources/{k}/{source.name}"] = source.read_bytes()
        for path in _included(source, {source.resolve()}):
            inside = path.is_relative_to(folder) and ".." not in path.relative_to(folder).parts
            files[f"sources/{k}/{path.relative_to(folder)}" if inside else f"outside/{k}{path}"] = path.read_bytes()
            outside |= {} if inside else {folder: None}
    return files, list(outside)


def _included(path: Path, seen: set[Path]) -> Iterator[Path]:
    """What a file includes, by lines of Fortran or of the preprocessor, and what these include."""
    for _, name in _INCLUDE.findall(path.read_bytes()):
        found = path.parent / name.decode("utf-8", "surrogateescape")
        if found.is_file() and found.resolve() not in seen:
            seen.add(found.resolve())
            yield found
            yield from _included(found, seen)


def _given_modules(origin: Origin) -> list[Path]:
    """The .mod files of `includes` that the sources use: compiled elsewhere, they are as much a part as a source is."""
    used = {name.decode().lower() for path in origin.sources for name in _USE.findall(path.read_bytes())}
    return [path for folder in origin.includes for name in sorted(used) if (path := folder / f"{name}.mod").is_file()]


def first_of_each(stubs: Sequence[Stub]) -> list[Stub]:
    """One stub for each library that sources are compiled to."""
    return list({stub.origin.compiled_from: stub for stub in reversed(stubs) if stub.origin.sources}.values())
