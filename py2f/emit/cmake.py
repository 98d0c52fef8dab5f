"""What CMake reads: the project that compiles a library from its sources, and the package that finds it in a prefix."""

from __future__ import annotations

from typing import TYPE_CHECKING

from py2f.emit.build_files import compiled_files
from py2f.toolchain.compilers import BINDING

if TYPE_CHECKING:
    from py2f.signature import Library


def cmake_text(library: Library, *, host: bool) -> str:
    """The CMake project of the sources; the target is ``heat_py::heat_py``, as that of the package."""
    name = library.name
    tables, modules = compiled_files(name, host=host)
    return f"""\
cmake_minimum_required(VERSION 3.18)
project({name} LANGUAGES C Fortran)
find_package(Threads REQUIRED)

if(NOT TARGET py2f::loader)  # one for all the libraries of a build
  add_library(py2f_loader SHARED loader.c)
  set_target_properties(py2f_loader PROPERTIES OUTPUT_NAME py2f SOVERSION 1 C_VISIBILITY_PRESET hidden)
  target_compile_options(py2f_loader PRIVATE -std=gnu11)
  target_link_libraries(py2f_loader PRIVATE ${{CMAKE_DL_LIBS}} Threads::Threads m)
  target_link_options(py2f_loader PRIVATE -Wl,-z,nodelete)
  add_library(py2f::loader ALIAS py2f_loader)
endif()

add_library({name} SHARED {" ".join([*tables, *modules])})
add_library({name}::{name} ALIAS {name})
set_target_properties({name} PROPERTIES SOVERSION {library.signature} C_VISIBILITY_PRESET hidden
  POSITION_INDEPENDENT_CODE ON Fortran_MODULE_DIRECTORY "${{CMAKE_CURRENT_BINARY_DIR}}/mod")
target_include_directories({name} PUBLIC "${{CMAKE_CURRENT_BINARY_DIR}}/mod" "${{CMAKE_CURRENT_SOURCE_DIR}}")
target_compile_options({name} PRIVATE $<$<COMPILE_LANGUAGE:C>:-std=gnu11> $<$<CONFIG:>:-O1>)
target_link_libraries({name} PUBLIC py2f::loader)
target_link_options({name} PRIVATE -Wl,-z,nodelete)  # the runtime keeps addresses of the table
if(CMAKE_Fortran_COMPILER_ID MATCHES Flang)  # its run time is a static archive: the program has one already
  set_target_properties({name} PROPERTIES LINKER_LANGUAGE C)
else()
  set_target_properties({name} PROPERTIES LINKER_LANGUAGE Fortran)
endif()
{CMAKE_BINDING.format(name=name) if host else ""}"""


CMAKE_BINDING = f"""
# the Fortran compiler's own {BINDING}
if(CMAKE_Fortran_COMPILER_ID MATCHES Flang)
  execute_process(COMMAND "${{{{CMAKE_Fortran_COMPILER}}}}" -print-resource-dir
    OUTPUT_VARIABLE said OUTPUT_STRIP_TRAILING_WHITESPACE)
  set(said "${{{{said}}}}/include" "${{{{said}}}}/../../../include/flang")
else()
  execute_process(COMMAND "${{{{CMAKE_Fortran_COMPILER}}}}" -print-file-name=include/{BINDING}
    OUTPUT_VARIABLE said OUTPUT_STRIP_TRAILING_WHITESPACE)
  get_filename_component(said "${{{{said}}}}" DIRECTORY)
endif()
set_property(SOURCE {{name}}_host.c PROPERTY INCLUDE_DIRECTORIES "${{{{said}}}}")
"""


def cmake_config_text(library: Library) -> str:
    """The CMake package of a prefix: the library of the compiler of the model; where there is none, its sources."""
    name = library.name
    families = "".join(f"\nset({name}_{cmake} {ours})" for cmake, ours in CMAKE_FAMILIES.items())
    return f"""\
# The Python module {library.module} for Fortran: target {name}::{name}. Made by py2f; do not edit.
if(TARGET {name}::{name})
  return()
endif()
get_filename_component({name}_prefix "${{CMAKE_CURRENT_LIST_DIR}}/../../.." ABSOLUTE)
{families.strip()}
string(REGEX MATCH "^[0-9]+" {name}_release "${{CMAKE_Fortran_COMPILER_VERSION}}")
if(DEFINED {name}_${{CMAKE_Fortran_COMPILER_ID}})
  set({name}_release "${{{name}_${{CMAKE_Fortran_COMPILER_ID}}}}-${{{name}_release}}")
else()
  set({name}_release "${{CMAKE_Fortran_COMPILER_ID}}-${{{name}_release}}")
endif()
if(NOT CMAKE_Fortran_COMPILER_LOADED)  # a program in C: whatever the library was compiled with last
  set({name}_release .)
endif()

if(EXISTS "${{{name}_prefix}}/lib/${{{name}_release}}/lib{name}.so.{library.signature}")
  add_library({name}::{name} SHARED IMPORTED)
  set_target_properties({name}::{name} PROPERTIES
    IMPORTED_LOCATION "${{{name}_prefix}}/lib/${{{name}_release}}/lib{name}.so.{library.signature}"
    IMPORTED_SONAME lib{name}.so.{library.signature}
    INTERFACE_LINK_LIBRARIES "${{{name}_prefix}}/lib/libpy2f.so.1"
    INTERFACE_COMPILE_DEFINITIONS py2f_{name}={library.signature}  # another signature: what uses it is compiled again
    INTERFACE_INCLUDE_DIRECTORIES "${{{name}_prefix}}/mod/${{{name}_release}};${{{name}_prefix}}/include")
else()
  file(STRINGS "${{{name}_prefix}}/src/CMakeLists.txt" {name}_project REGEX "^project[(]{name} ")
  if({name}_project STREQUAL "")
    message(FATAL_ERROR "{name}: nothing was exported for ${{{name}_release}}, and ${{{name}_prefix}}/src is the project of "
      "another library: export {name} for this compiler, or into another folder")
  endif()
  message(STATUS "{name}: nothing was exported for ${{{name}_release}}, its sources are compiled")
  add_subdirectory("${{{name}_prefix}}/src" "${{CMAKE_BINARY_DIR}}/{name}")
endif()
"""


CMAKE_FAMILIES = {
    "GNU": "gfortran",
    "LLVMFlang": "flang",
    "IntelLLVM": "ifx",
    "Intel": "ifort",
    "NVHPC": "nvfortran",
}
"""CMake's names of compilers, and ours: :attr:`py2f.toolchain.compilers.Compiler.release`."""
