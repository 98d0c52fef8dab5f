"""Make the sources that the build compiles or ships: called by meson.build as ``build_runtime.py WHAT OUTPUT``.

``_runtime.c``     cffi's glue around the fixed C core
``py2f_codes.h``   kinds, status codes and settings for C, from py2f/types.py, py2f/errors.py and py2f/configuration.py
``py2f.f90``       module py2f with the status codes and py2f_configure, from py2f.f90.in
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from py2f import configuration
from py2f.errors import Status
from py2f.types import KINDS

CDEF = """
typedef struct { const char *name, *declared; uint8_t kind, rank; uint16_t flags; ...; } py2f_argument;
typedef struct { const char *name; int narguments, nresults; const py2f_argument *argument, *result; ...; } py2f_procedure;
typedef struct { int argument, dimension; } py2f_known;
typedef struct { void *first; ...; } py2f_array;
typedef struct py2f_calling py2f_calling;
typedef struct {
  void (*call)(void *const *, py2f_calling *); const char *name; int narguments, nresults, nknown, nwanted;
  const py2f_argument *argument, *result; const py2f_known *known; void (*extents)(const int64_t *, int64_t *); int reach; ...;
} py2f_target;
typedef struct { int layout, count; const char *name; const py2f_target *target; } py2f_targets;
typedef struct {
  const char *executable, *version; const char *const *origins, *const *path;
  int optimize; const char *const *environment, *const *start; ...;
} py2f_site;
typedef struct {
  int layout, count; py2f_procedure *procedure; const char *name; const char *const *modules; const py2f_site *site;
  const py2f_targets *targets; ...;
} py2f_library;
static const int PY2F_OPTIONAL, PY2F_READONLY, PY2F_EXPLICIT, PY2F_OUT, PY2F_CONTIGUOUS, PY2F_LAYOUT, PY2F_LINKED, PY2F_POINTED;
int p2f_ready(uintptr_t describe);
int p2f_bind(py2f_library *library, uintptr_t functions);
int p2f_bound(void);
void p2f_threads_given(int n, ssize_t modules);
const char *p2f_host_object(int);
const char *p2f_openmp_file(void);
int p2f_native_raised(py2f_procedure *);
int p2f_native_misfit(py2f_procedure *, void *result);
int p2f_native_refused(py2f_procedure *, void *words);
int p2f_native_settle(py2f_procedure *, void *words);
void p2f_forget(void);
int p2f_optimize(const py2f_site *site);
const char *p2f_setting(const char *name, const char **where);
int p2f_rank(void);
int p2f_ours(void);
const char *p2f_file_of(const void *symbol);
int p2f_report(int code, const char *message, const char *traceback);
int p2f_callee_type(uintptr_t list, uintptr_t error);
int p2f_callee_bind(uintptr_t object, const py2f_target *, uintptr_t spec);
void p2f_callee_forward(uintptr_t object, uintptr_t callable);
const py2f_targets *p2f_open(const char *path, const char *symbol, char *trouble, size_t room);
extern "Python" int p2f_attach(py2f_library *);
extern "Python" void p2f_attach_thread(void);
"""


def glue(output: Path) -> None:
    """Let cffi emit the extension; the core's own static functions precede what cffi makes of extern "Python"."""
    import cffi

    ffi = cffi.FFI()
    ffi.cdef(CDEF)
    ffi.set_source("py2f.runtime._runtime", '#include "py2f_runtime.h"', compiler_verbose=0)
    ffi.emit_c_code(str(output))


def codes(output: Path) -> None:
    """Write the enumerators, and the rows of the tables of types and settings as X macros."""
    kinds = "".join(f'  row({k.code}, "{k.name}", {k.word.name}, {k.size}, {k.npy}) \\\n' for k in KINDS)
    output.write_text(
        "/* SPDX-License-Identifier: 0BSD\n"
        " * Made from py2f/types.py, py2f/errors.py and py2f/configuration.py; rows are only ever appended. */\n"
        "#ifndef PY2F_CODES_H\n#define PY2F_CODES_H\n"
        f"enum {{ {', '.join(f'PY2F_{s.name} = {s.value}' for s in Status)} }};\n"
        f"enum {{ {', '.join(k.code for k in KINDS)} }};\n"
        "/* row(code, name, word, bytes of an element in Fortran, NumPy's type number) */\n"
        f"#define PY2F_KINDS(row) \\\n{kinds}\n"
        "/* row(name, variable, what it may be, the same as a message says it) */\n"
        f"{configuration.c_rows()}#endif\n"
    )


def support_module(output: Path) -> None:
    """Fill the status codes and settings into module py2f."""
    rows = "\n".join(f"  integer, parameter, public :: py2f_{s.name.lower()} = {s.value}" for s in Status)
    template = Path(__file__).with_name("py2f.f90.in")
    parts = {"STATUS_CODES": rows, "CONFIGURE": configuration.fortran_procedure(), "CONFIGURE_NAME": configuration.fortran_name()}
    text = template.read_text()
    for name, part in parts.items():
        text = text.replace(f"@{name}@", part)
    output.write_text(text)


if __name__ == "__main__":
    {"_runtime.c": glue, "py2f_codes.h": codes, "py2f.f90": support_module}[sys.argv[1]](Path(sys.argv[2]))
