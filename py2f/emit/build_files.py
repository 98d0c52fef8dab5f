"""What build systems read: the Meson project that compiles a library, and the pkg-config file of a prefix."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from py2f.signature import Library


def meson_text(library: Library, *, host: bool) -> str:
    """The project file. C has a target of its own, since its arguments would reach every language of a target.

    With -O2 a compiler of Fortran takes half as long again, and a call is not faster by it.
    """
    name = library.name
    tables, modules = [f"{name}.c"], [f"{name}.f90"]
    if host:
        tables, modules = [*tables, f"{name}_host.c"], [f"{name}_host.f90", *modules]
    include = ", '-I' + meson.current_source_dir()" * host  # the compiler's own ISO_Fortran_binding.h
    return f"""\
project('{library.name}', 'c', 'fortran', meson_version: '>=1.1',
  default_options: ['buildtype=plain', 'optimization=1', 'c_std=gnu11', 'warning_level=0'])

# the option 'link' says which compiler links: see meson.options
table = static_library('table', {_quoted(tables)}, pic: true, gnu_symbol_visibility: 'hidden', c_args: ['-O2'{include}])
libpy2f = meson.get_compiler('c').find_library('py2f', dirs: meson.current_source_dir())
shared_library('{library.name}', 'py2f.f90', {_quoted(modules)}, soversion: '{library.signature}',
  link_whole: table, link_language: get_option('link'), dependencies: libpy2f,
  link_args: ['-Wl,-rpath,$ORIGIN', '-Wl,-z,nodelete'])  # the runtime keeps addresses of the table
"""


OPTIONS = """\
# flang's run time is a static archive: linked into the library it would be a second one in the process. With 'c' it is
# left to the program, which has its own.
option('link', type: 'string', value: 'fortran')
"""


def pkgconfig_text(library: Library) -> str:
    """The pkg-config file; it stands in lib/pkgconfig of the prefix and moves with it."""
    return f"""\
prefix=${{pcfiledir}}/../..
libdir=${{prefix}}/lib
moddir=${{prefix}}/mod

Name: {library.name}
Description: The Python module {library.module} for Fortran
Version: {library.signature}
Cflags: -I${{moddir}}
Libs: -L${{libdir}} -Wl,-rpath,${{libdir}} -l{library.name}
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
