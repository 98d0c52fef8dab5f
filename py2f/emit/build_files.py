"""What build systems read: projects that compile a library from its sources, and what finds a compiled one in a prefix."""

from __future__ import annotations

from typing import TYPE_CHECKING

from py2f.toolchain.compilers import BINDING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from py2f.signature import Library


def compiled_files(name: str, *, host: bool) -> tuple[list[str], list[str]]:
    """What the C compiler gets besides the loader, and what the Fortran compiler gets, in this order."""
    second = [f"{name}_host"] * host
    return [f"{each}.c" for each in (name, *second)], [f"{each}.f90" for each in ("py2f", *second, name)]


def meson_text(library: Library, *, host: bool) -> str:
    """The project file. C has a target of its own, since its arguments would reach every language of a target.

    With -O2 a compiler of Fortran takes half as long again, and a call is not faster by it. The file is what compiles the
    entries of the cache, and a subproject of a model: there the loader is compiled as well.
    """
    name = library.name
    tables, modules = compiled_files(name, host=host)
    hidden = "gnu_symbol_visibility: 'hidden'" + ", c_args: ['-O2']" + " + binding" * host
    return f"""\
project('{name}', 'c', 'fortran', meson_version: '>=1.1',
  default_options: ['buildtype=plain', 'optimization=1', 'c_std=gnu11', 'warning_level=0'])
cc = meson.get_compiler('c')
fc = meson.get_compiler('fortran')

# the option 'link' says which compiler links: see meson.options
link = get_option('link')
if link == 'auto'
  link = fc.get_id().contains('flang') ? 'c' : 'fortran'
endif
{MESON_BINDING if host else ""}table = static_library('table', {_quoted(tables)}, pic: true, {hidden})
libpy2f = cc.find_library('py2f', dirs: meson.current_source_dir(), required: false)
if not libpy2f.found()
  libpy2f = declare_dependency(link_with: shared_library('py2f', 'loader.c', soversion: 1, gnu_symbol_visibility: 'hidden',
    c_args: '-O2', dependencies: [dependency('dl'), dependency('threads'), cc.find_library('m')], link_args: '-Wl,-z,nodelete'))
endif
bridge = shared_library('{name}', {_quoted(modules)}, soversion: '{library.signature}',
  link_whole: table, link_language: link, dependencies: libpy2f, override_options: ['b_lundef=' + (link != 'c').to_string()],
  link_args: ['-Wl,-rpath,$ORIGIN:$ORIGIN/..', '-Wl,-z,nodelete'])  # the runtime keeps addresses of the table
meson.override_dependency('{name}', declare_dependency(link_with: bridge, dependencies: libpy2f, include_directories: '.'))
"""


MESON_BINDING = f"""
# the Fortran compiler's own {BINDING}
binding = ['-I' + meson.current_source_dir()]
if not import('fs').exists('{BINDING}')
  flang = fc.get_id().contains('flang')
  said = run_command(fc, flang ? '-print-resource-dir' : '-print-file-name=include/{BINDING}', check: true).stdout().strip()
  said = flang ? [said / 'include', said / '../../../include/flang'] : [import('fs').parent(said)]
  binding = []
  foreach folder : said
    binding += '-I' + folder
  endforeach
endif
"""
OPTIONS = """\
# flang's run time is a static archive: linked into the library it would be a second one in the process. With 'c' it is
# left to the program, which has its own.
option('link', type: 'string', value: 'auto')
"""


def pkgconfig_text(library: Library, release: str) -> str:
    """The pkg-config file; it stands in lib/pkgconfig of the prefix and moves with it."""
    return f"""\
prefix=${{pcfiledir}}/../..
compiler={release}
libdir=${{prefix}}/lib/${{compiler}}
moddir=${{prefix}}/mod/${{compiler}}
includedir=${{prefix}}/include

Name: {library.name}
Description: The Python module {library.module} for Fortran
Version: {library.signature}
Cflags: -I${{moddir}} -I${{includedir}}
Libs: -L${{libdir}} -L${{prefix}}/lib -Wl,-rpath,${{libdir}}:${{prefix}}/lib -l{library.name} -l:libpy2f.so.1
"""


def sources_meson_text(name: str, files: Sequence[str], includes: Sequence[str], libraries: Sequence[str], digest: str) -> str:
    """The project file of a library of a user's own sources."""
    return f"""\
project('{name}', 'fortran', meson_version: '>=1.1', default_options: ['buildtype=plain', 'optimization=2', 'warning_level=0'])
shared_library('{name}', {_quoted(files)}, soversion: '{digest}', fortran_args: {meson_list(f"-I{path}" for path in includes)},
  link_args: {meson_list(["-Wl,-Bsymbolic", *libraries])})
"""


def calls_meson_text(
    name: str, fortran: Sequence[str], libraries: Sequence[str], modules: Sequence[str], flags: Sequence[str]
) -> str:
    """The project file of a library of thunks. Its names are its own: the process may have others like them."""
    return f"""\
project('{name}', 'c', 'fortran', meson_version: '>=1.1',
  default_options: ['buildtype=plain', 'optimization=2', 'c_std=gnu11', 'warning_level=0'])
thunks = static_library('thunks', '{name}.c', pic: true, gnu_symbol_visibility: 'hidden',
  c_args: ['-I' + meson.current_source_dir()])
shared_library('{name}', {_quoted(fortran)}, link_whole: thunks, link_language: 'fortran',
  fortran_args: {meson_list([*flags, *(f"-I{path}" for path in modules)])},
  link_args: {meson_list(["-Wl,-Bsymbolic", *libraries])})
"""


def _quoted(names: Iterable[str]) -> str:
    return ", ".join("'" + name.replace("\\", "\\\\").replace("'", "\\'") + "'" for name in names)


def meson_list(names: Iterable[str]) -> str:
    """A list as Meson reads it, in a project file or in an option."""
    return f"[{_quoted(names)}]"
