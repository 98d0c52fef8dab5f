/* SPDX-License-Identifier: 0BSD
 * py2f_table.h - the plain data between what is generated for a module, the loader libpy2f and the runtime extension.
 *
 * No Python here. The three are compiled apart, perhaps years apart: `layout` is compared at the first call, members are
 * only ever appended. The codes of kinds and statuses are in py2f_codes.h.
 */
#ifndef PY2F_TABLE_H
#define PY2F_TABLE_H
#include <stdint.h>
#include "py2f_codes.h"

#define PY2F_LAYOUT 1

enum {
  PY2F_OPTIONAL = 1, /* may be absent */
  PY2F_READONLY = 2, /* an array that Python must not write */
  PY2F_EXPLICIT = 4, /* every extent is declared: as a result, Fortran provides the memory */
  PY2F_VIEW = 8,     /* Python sees the caller's memory; otherwise it gets a value */
  PY2F_FIELD = 16    /* a result that is a field of the tuple that Python returns */
};

typedef struct {
  const char *name;     /* Python's name */
  const char *declared; /* the annotation in its canonical spelling: equal text, equal argument */
  uint8_t kind, rank, flags;
} py2f_argument;

typedef struct py2f_procedure {
  int (*call)(struct py2f_procedure *, void *frame); /* py2f_first_call; the runtime's own once it is attached */
  void *state;                                       /* the runtime's: function, frames */
  struct py2f_library *library;
  const char *name;
  int narguments, nresults;
  const py2f_argument *argument, *result;
} py2f_procedure;

typedef struct {
  const char *executable;  /* the Python that runs the functions ... */
  const char *version;     /* ... "3.11" */
  const char *libpython;   /* ... its libpython, absolute */
  const char *runtime;     /* ... and the extension of its py2f */
  const char *origin;      /* the file of the module at export */
  const char *const *path; /* entries of sys.path that a bare start lacks; ends with a null pointer */
} py2f_site;

typedef struct py2f_library {
  int layout, count;
  py2f_procedure *procedure;
  const char *name, *module; /* "heat_py"; "heat" */
  const py2f_site *site;
} py2f_library;

/* in libpy2f: starts Python if need be, attaches the library, then makes the call */
int py2f_first_call(py2f_procedure *, void *frame);

/* The only code of a table: what its Fortran calls. Fortran cannot share a bind(C) variable with C portably. */
#define PY2F_ENTRY(symbol, procedures)                                                          \
  __attribute__((visibility("default"))) int symbol(int number, void *frame)                    \
  {                                                                                             \
    return __atomic_load_n(&procedures[number].call, __ATOMIC_ACQUIRE)(&procedures[number], frame); \
  }
#endif
