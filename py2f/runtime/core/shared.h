/* shared.h - Fortran forbids that what it writes is reached through another argument as well, and its compilers count on it:
 * arrays that share memory are refused, or copied as declared. Bounds are compared at every call, and where these meet,
 * NumPy says whether elements do: the parts of a complex array lie in one another's bounds, and share nothing. */

typedef struct { char *low, *high; } p2f_span;

static inline p2f_span p2f_span_of(const py2f_array *a, int rank, int64_t size)
{
  p2f_span span = { a->first, (char *)a->first + size };
  for (int r = 0; r < rank; r++) {
    if (UNLIKELY(a->extent[r] == 0)) return (p2f_span){ NULL, NULL };
    const int64_t last = (a->extent[r] - 1) * a->stride[r];
    if (UNLIKELY(last < 0)) span.low += last;
    else span.high += last;
  }
  return span;
}

static inline int p2f_meet(p2f_span a, p2f_span b)
{
  return a.low < b.high && b.low < a.high;
}

static COLD int p2f_share_memory(PyObject *a, PyObject *b) /* -1: an exception */
{
  PyObject *numpy = PyImport_ImportModule("numpy");
  PyObject *answer = numpy ? PyObject_CallMethod(numpy, "shares_memory", "OO", a, b) : NULL;
  const int shared = answer ? PyObject_IsTrue(answer) : -1;
  Py_XDECREF(answer);
  Py_XDECREF(numpy);
  return shared;
}

/* Argument k shares memory with j, which Fortran writes. */
static COLD int p2f_separate(const p2f_callee *self, int j, int k, PyObject *o, p2f_lent *l, void *place)
{
  const py2f_argument *written = &self->target->argument[j], *a = &self->target->argument[k];
  char why[200];
  if (!(a->flags & PY2F_READONLY))
    return p2f_refuse(PyExc_ValueError, self, a, "it shares memory with '%s', and Fortran may write both: pass a copy", written->name);
  snprintf(why, sizeof why, "it shares memory with '%s', which Fortran may write", written->name);
  PyArrayObject *copy = p2f_copied(self, a, (PyArrayObject *)o, why, l);
  if (!copy) return -1;
  p2f_point(copy, a->rank, place);
  return 0;
}

static int p2f_is_lent(const py2f_argument *a, PyObject *given, const p2f_lent *l) /* the memory itself */
{
  return a->rank && given && given != Py_None && !l->temporary && p2f_kind[a->kind].npy != NPY_NOTYPE;
}

static int p2f_keep_apart(const p2f_callee *self, PyObject **given, void **place, p2f_lent *lent)
{
  const py2f_target *t = self->target;
  for (int j = 0; j < t->narguments; j++) {
    const py2f_argument *a = &t->argument[j];
    if (a->flags & PY2F_READONLY || !p2f_is_lent(a, given[j], &lent[j])) continue;
    const p2f_span written = p2f_span_of(place[j], a->rank, PyArray_ITEMSIZE((PyArrayObject *)given[j]));
    for (int k = 0; k < t->narguments; k++) {
      const py2f_argument *b = &t->argument[k];
      if (k == j || !p2f_is_lent(b, given[k], &lent[k])) continue;
      if (LIKELY(!p2f_meet(written, p2f_span_of(place[k], b->rank, PyArray_ITEMSIZE((PyArrayObject *)given[k]))))) continue;
      const int shared = p2f_share_memory(given[j], given[k]);
      if (shared < 0 || (shared && p2f_separate(self, j, k, given[k], &lent[k], place[k]))) return -1;
    }
  }
  return 0;
}
