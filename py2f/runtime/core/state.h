/* state.h - what the parts of the runtime share: headers, the codes of kinds, frames and the state of a procedure.
 *
 * The runtime is one C file, py2f_runtime.h, in parts; it is compiled once into the wheel's extension. What is generated for
 * a module is a table (py2f_table.h) that it walks. A frame is an array of 64-bit words; py2f/emit/frame.py has their order.
 */
#define NPY_NO_DEPRECATED_API NPY_2_0_API_VERSION
#include <numpy/arrayobject.h>
#include <structmember.h>
#include <dlfcn.h>
#include <fenv.h>
#include <link.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "py2f_table.h"

#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)
#define COLD __attribute__((noinline, cold))
#define STRAIGHT static inline __attribute__((always_inline)) /* on the straight path, although there are two of them */
#define APART __attribute__((noinline)) /* off the straight path, but not rare: every call of a block loop may come here */
#define THREAD __thread __attribute__((tls_model("initial-exec")))
#define ENTRY __attribute__((visibility("default")))

enum { P2F_INTEGER, P2F_REAL, P2F_COMPLEX, P2F_LOGICAL, P2F_POINTER, P2F_PROCEDURE, P2F_TEXT, P2F_TEXTS, P2F_STRING };
#define P2F_ROW(code, name, word, size, npy) { name, npy, P2F_##word, size },
static const struct { const char *name; short npy; uint8_t word, size; } p2f_kind[] = { PY2F_KINDS(P2F_ROW) };

enum { P2F_WAYS = 4 };

typedef union { int64_t i; double d; char *p; } p2f_word;

typedef int64_t p2f_two __attribute__((vector_size(16), aligned(8), may_alias));
typedef int64_t p2f_pair __attribute__((vector_size(16), may_alias)); /* of memory that is ours: malloc aligns it */

/* A view as it was made, to see whether Python changed it in place: a photograph of the head of the object, in pairs of words.
 * The references apart: they were written a moment ago, and a processor waits until it can read more than was written. */
typedef struct {
  p2f_pair place; /* address, rank */
  p2f_pair kind;  /* base, dtype */
  intptr_t references; /* to the view, while Python holds none */
  int flags, rank, present;
  npy_intp shape[] __attribute__((aligned(16))); /* extents, then strides, as NumPy keeps them */
} p2f_image;

typedef struct {
  PyObject *views; /* a tuple: what Python is given; NULL: the frame is empty */
  PyObject *arrays; /* a tuple of the NumPy arrays in or behind these: the same one, unless something is wrapped */
  p2f_word *words;
  p2f_image *images; /* one a view, each with room for the highest rank: p2f_next() */
  int absent;        /* whether some argument is */
} p2f_frame;

typedef int (*p2f_native)(py2f_procedure *, void *words);

typedef struct p2f_state {
  PyObject *function, *absent, *keywords; /* absent: what stands for an argument that is not there, one an argument */
  int nwords, nviews, nvalues, npositional; /* nwords: of all views */
  int recent, next; /* frame to be tried first; frame to be replaced next */
  PyObject *specs;  /* of the procedures among the arguments: what fetch.py knows of them, one an argument; or NULL */
  PyObject **lent;  /* ... the callables that were made of them last ... */
  const py2f_target *targets; /* ... and what these call, in the order of the arguments */
  size_t image_size;
  uint8_t *plan;    /* how each argument is handed over: see p2f_call_mixed() */
  int threads;      /* how many the libraries of Python have during a call: see threads.h */
  int moves;        /* a view of an old frame may be set on other memory: see p2f_move() */
  int settles;      /* has views that are to be settled after each call: see p2f_settle() */
  PyObject *wraps;  /* what makes something else of a view (a GT4Py field), or None, one a view; or NULL: see wrapped.h */
  int64_t *base;    /* of the indices in a table, one a view ... */
  int tables;       /* ... and whether there is one */
  PyObject *keeper; /* is told which wrapped views Python has kept */
  p2f_frame frame[P2F_WAYS];
  p2f_native native; /* machine code that is called instead of the function, which is kept alive; or NULL */
  py2f_procedure *procedure;
  struct p2f_state *before;
} p2f_state;

STRAIGHT p2f_image *p2f_next(const p2f_state *f, const p2f_image *image) /* where it lies depends on nothing that has to be read first */
{
  return (p2f_image *)((const char *)image + f->image_size);
}

static inline int p2f_view_words(const py2f_argument *a)
{
  return 1 + 2 * a->rank + (p2f_kind[a->kind].word == P2F_STRING);
}

/* Bytes from an element of a view to the next along a dimension; `dense`: if the view is. A null neighbour says so, for all. */
static inline npy_intp p2f_stride(const p2f_word *w, int rank, int r, npy_intp dense)
{
  const char *next = w[1 + rank + r].p;
  return next && w[1 + r].i > 1 ? next - (const char *)w[0].p : dense;
}

static inline void p2f_strides(const p2f_word *w, int rank, npy_intp size, npy_intp *stride)
{
  for (int r = 0; r < rank; r++) {
    stride[r] = p2f_stride(w, rank, r, size);
    size *= w[1 + r].i;
  }
}

static p2f_state *p2f_states; /* all that were ever bound */
