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

#define PY2F_LAYOUT 3

enum {
  PY2F_OPTIONAL = 1, /* may be absent */
  PY2F_READONLY = 2, /* an array that Python must not write */
  PY2F_EXPLICIT = 4, /* every extent is declared: as a result, Fortran provides the memory */
  PY2F_VIEW = 8,     /* Python sees the caller's memory; otherwise it gets a value */
  PY2F_FIELD = 16,   /* a result that is a field of the tuple that Python returns */
  /* of a Fortran procedure that Python calls: */
  PY2F_OUT = 32,        /* Fortran defines it: Python gets it back */
  PY2F_CONTIGUOUS = 64, /* Fortran needs it dense, in Fortran's order */
  PY2F_LENGTH = 128,    /* a text whose length is declared: the last of its declared extents */
  PY2F_GIVEN = 256      /* Fortran allocates it, and hands it over through py2f_calling.give */
};

typedef struct {
  const char *name;     /* Python's name */
  const char *declared; /* the annotation in its canonical spelling: equal text, equal argument */
  uint8_t kind, rank;
  uint16_t flags;
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
  const char *executable;  /* the Python that runs the functions; "": that in whose environment the library lies, as these: ... */
  const char *version;     /* ... "3.11" */
  const char *libpython;   /* ... its libpython, absolute */
  const char *runtime;     /* ... and the extension of its py2f */
  const char *const *origins; /* the files of the modules at export; ends with a null pointer */
  const char *const *path; /* entries of sys.path that a bare start lacks; ends with a null pointer */
  int optimize;            /* 0, 1, 2: Python's level of optimization; -1: none was asked for */
  const char *const *environment; /* "NAME=value", for the variables that are not set; ends with a null pointer */
  const char *const *start;       /* "module:function", called before the first call; ends with a null pointer */
} py2f_site;

typedef struct py2f_library {
  int layout, count;
  py2f_procedure *procedure;
  const char *name;           /* "heat_py" */
  const char *const *modules; /* "heat"; ends with a null pointer */
  const py2f_site *site;
  const struct py2f_targets *targets; /* what Python may call: procedures of the host, then those among the arguments, in order */
} py2f_library;

/* ---- the way back: Fortran procedures that Python calls */

#define PY2F_ANY INT64_MIN /* an extent that nothing is known of */

typedef struct { /* an array, or a text: what an argument that is no plain scalar is handed to a thunk as */
  void *first;
  int64_t length; /* characters of an element */
  int64_t extent[15], stride[15]; /* bytes */
} py2f_array;

typedef struct py2f_calling { /* one call: handed to the thunk, and back by what it calls */
  const void *target;           /* the row that is called */
  struct py2f_calling *before;  /* the call around it in this thread */
  int alone;                    /* Python waits with its lock held: no other thread can call it back */
  void *procedure;              /* what the callable was made for, where it is an argument of an exported function */
  void *(*find)(struct py2f_calling *, int by_symbol); /* a procedure that the host has not provided; null: an exception */
  int (*back)(struct py2f_calling *, int argument, struct py2f_procedure *, void *frame); /* call what was given as an argument */
  /* number: of the argument, or narguments for the result; copies what it is given */
  void (*give)(struct py2f_calling *, int number, const void *first, int64_t length, const int64_t *extent);
} py2f_calling;

__extension__ typedef __int128 py2f_wide; /* sums and products of extents do not wrap round */

static inline int64_t py2f_narrow(py2f_wide extent) /* what no array has is as good as any other such number */
{
  return extent > INT64_MAX ? INT64_MAX : extent <= INT64_MIN ? INT64_MIN + 1 : (int64_t)extent;
}

typedef struct { int argument, dimension; } py2f_known; /* where the value of a name comes from; dimension -1: a scalar */

typedef struct {
  void (*call)(void *const *place, py2f_calling *); /* one place an argument, then the result; null: absent */
  const char *name;
  int narguments, nresults, nknown, nwanted;
  const py2f_argument *argument, *result;
  const py2f_known *known;
  void (*extents)(const int64_t *known, int64_t *wanted); /* every declared extent and length, in order */
  int reach;
} py2f_target;

enum { PY2F_LINKED, PY2F_PROVIDED, PY2F_POINTED }; /* of a library; by the host; an argument of an exported function */

typedef struct py2f_targets {
  int layout, count;
  const char *name;
  const py2f_target *target;
} py2f_targets;

/* in libpy2f: starts Python if need be, attaches the library, then makes the call */
int py2f_first_call(py2f_procedure *, void *frame);

/* The only code of a table: what its Fortran calls. Fortran cannot share a bind(C) variable with C portably. */
#define PY2F_ENTRY(symbol, procedures)                                                          \
  __attribute__((visibility("default"))) int symbol(int number, void *frame)                    \
  {                                                                                             \
    return __atomic_load_n(&procedures[number].call, __ATOMIC_ACQUIRE)(&procedures[number], frame); \
  }
#endif
