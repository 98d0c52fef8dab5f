/* callee_quick.h - the straight path of a call: numbers and arrays as they are usually given. Whatever is unusual, wrong
 * or in need of a word takes the general path from the beginning (callee.h); nothing has happened by then. */

enum { P2F_QUICK_NEVER, P2F_QUICK_REAL, P2F_QUICK_INTEGER, P2F_QUICK_DENSE, P2F_QUICK_STRIDED };
enum { P2F_QUICK_EXTENTS = 32 }; /* at most: the room for them is of constant size, which is quicker */

static int p2f_quick_class(const py2f_argument *a)
{
  const int word = p2f_kind[a->kind].word, size = p2f_kind[a->kind].size;
  if (a->flags & (PY2F_OUT | PY2F_OPTIONAL | PY2F_GIVEN)) return P2F_QUICK_NEVER;
  if (a->rank) return word == P2F_STRING || word == P2F_TEXTS ? P2F_QUICK_NEVER : a->flags & PY2F_CONTIGUOUS ? P2F_QUICK_DENSE : P2F_QUICK_STRIDED;
  if (!(a->flags & PY2F_READONLY)) return P2F_QUICK_NEVER;
  return word == P2F_REAL && size == 8 ? P2F_QUICK_REAL : word == P2F_INTEGER && size >= 4 ? P2F_QUICK_INTEGER : P2F_QUICK_NEVER;
}

/* What is needed to see at one glance that an argument is as usual; NULL: the procedure has others. */
static p2f_quick *p2f_new_quick(p2f_callee *self)
{
  int narrays = 0, nwritten = 0;
  const py2f_target *t = self->target;
  const int plain = self->npositional == t->narguments && self->stat < 0 && !self->nogil && t->reach != PY2F_PROVIDED;
  if (t->narguments > P2F_QUICK_ARGUMENTS || t->nwanted > P2F_QUICK_EXTENTS || t->nknown > P2F_QUICK_EXTENTS) return NULL;
  if (!plain || self->returns || (t->nresults && t->result->flags & PY2F_GIVEN) || self->nreturned != t->nresults) return NULL;
  p2f_quick *quick = calloc((size_t)t->narguments + 1, sizeof *quick);
  for (int j = 0; quick && j < t->narguments; j++) {
    const py2f_argument *a = &t->argument[j];
    const int size = p2f_kind[a->kind].word == P2F_LOGICAL ? 1 : p2f_kind[a->kind].size;
    quick[j] = (p2f_quick){ p2f_quick_class(a), a->rank, (uint8_t)size, NPY_ARRAY_F_CONTIGUOUS | NPY_ARRAY_ALIGNED, NULL };
    if (quick[j].how == P2F_QUICK_NEVER || self->parameter[j] != j) {
      free(quick);
      return NULL;
    }
    if (a->rank && !(a->flags & PY2F_READONLY)) self->written[nwritten++] = narrays;
    narrays += a->rank > 0;
    if (a->rank) quick[j].type = PyArray_DescrFromType(p2f_kind[a->kind].npy); /* NumPy's own: one for all arrays */
    if (!(a->flags & PY2F_READONLY)) quick[j].flags |= NPY_ARRAY_WRITEABLE;
  }
  self->written[nwritten] = -1;
  return quick;
}

static inline int p2f_quick_integer(PyObject *o, p2f_word *w) /* nonzero: not a small one */
{
  if (UNLIKELY(!PyLong_CheckExact(o))) return 1;
#if PY_VERSION_HEX >= 0x030C0000
  if (UNLIKELY(!PyUnstable_Long_IsCompact((PyLongObject *)o))) return 1;
  w->i = PyUnstable_Long_CompactValue((PyLongObject *)o);
#else
  const Py_ssize_t digits = Py_SIZE(o);
  if (UNLIKELY(digits < -1 || digits > 1)) return 1;
  w->i = digits * (int64_t)((PyLongObject *)o)->ob_digit[0];
#endif
  return 0;
}

/* Other layouts, where Fortran takes strides; nonzero: it cannot take these. */
static APART int p2f_quick_strided(const p2f_quick *q, PyArrayObject *v, py2f_array *to, p2f_span *span)
{
  const int flags = q->flags & ~NPY_ARRAY_F_CONTIGUOUS;
  if (q->how != P2F_QUICK_STRIDED || (PyArray_FLAGS(v) & flags) != flags) return 1;
  int64_t step = q->size; /* a power of two */
  to->first = PyArray_BYTES(v);
  for (int r = 0; r < q->rank; r++) {
    const int64_t extent = PyArray_DIMS(v)[r], stride = PyArray_STRIDES(v)[r];
    if (extent > 1 && (stride == 0 || stride & (q->size - 1))) return 1;
    to->extent[r] = extent;
    to->stride[r] = extent > 1 ? stride : step;
    step *= extent;
  }
  *span = p2f_span_of(to, q->rank, q->size);
  return 0;
}

/* `span` is what p2f_span_of() makes of it. */
static inline int p2f_quick_array(const p2f_quick *q, PyObject *o, py2f_array *to, p2f_span *span)
{
  PyArrayObject *v = (PyArrayObject *)o;
  if (UNLIKELY(!PyArray_CheckExact(o)) || UNLIKELY(PyArray_DESCR(v) != q->type) || UNLIKELY(PyArray_NDIM(v) != q->rank)) return 1;
  if (UNLIKELY((PyArray_FLAGS(v) & q->flags) != q->flags)) return p2f_quick_strided(q, v, to, span);
  int64_t step = q->size;
  to->first = PyArray_BYTES(v);
  for (int r = 0; r < q->rank; r++) { /* dense, whatever NumPy says of dimensions with one element */
    to->extent[r] = PyArray_DIMS(v)[r];
    to->stride[r] = step;
    step *= to->extent[r];
  }
  *span = (p2f_span){ to->first, (char *)to->first + step };
  return 0;
}

/* Nonzero: what was given is no number as usual. */
static inline int p2f_quick_number(const p2f_quick *q, PyObject *o, p2f_word *value)
{
  if (q->how != P2F_QUICK_REAL) return p2f_quick_integer(o, value);
  if (UNLIKELY(!PyFloat_CheckExact(o))) return 1;
  value->d = PyFloat_AS_DOUBLE(o);
  return 0;
}

/* The thunk of such a procedure asks for nothing but, at most, the pointer that the callable was made for. */
static inline void p2f_quick_enter(const p2f_callee *self, void **place)
{
  const py2f_target *t = self->target;
  if (LIKELY(t->reach == PY2F_LINKED)) t->call(place, NULL);
  else t->call(place, &(py2f_calling){ .target = t, .procedure = self->procedure });
}

static inline PyObject *p2f_quick_call(const p2f_callee *self, const p2f_word *result, void **place)
{
  PyObject **carried = p2f_carried; /* what the procedure calls in turn has errors of its own */
  p2f_carried = NULL;
  p2f_quick_enter(self, place);
  p2f_carried = carried;
  if (self->target->nresults) return p2f_box_value(self->target->result, result);
  Py_RETURN_NONE;
}

static inline int p2f_quick_unusual(const p2f_callee *self, size_t flagged, PyObject *keywords)
{
  return UNLIKELY(keywords != NULL) || UNLIKELY(PyVectorcall_NARGS(flagged) != self->target->narguments);
}

/* Nonzero: an array that Fortran writes may share memory with another one. */
static inline int p2f_quick_share(const p2f_callee *self, const p2f_span *span, const p2f_span *end)
{
  for (const int *w = self->written; *w >= 0; w++) { /* by their number among the arrays */
    const p2f_span written = span[*w];
    for (const p2f_span *other = span; other < end; other++)
      if (UNLIKELY(other->low < written.high) && written.low < other->high && other != &span[*w]) return 1;
  }
  return 0;
}

/* p2f_mismatch() for numbers that are words and arrays that are there; nonzero: an extent is not as declared. */
static inline int p2f_quick_mismatch(const p2f_callee *self, void *const *place, const py2f_array *array)
{
  const py2f_target *t = self->target;
  int64_t known[P2F_QUICK_EXTENTS], wanted[P2F_QUICK_EXTENTS], *at = wanted;
  for (int k = 0; k < t->nknown; k++) {
    const py2f_known *from = &t->known[k];
    const void *given = place[from->argument];
    known[k] = from->dimension < 0 ? ((const p2f_word *)given)->i : ((const py2f_array *)given)->extent[from->dimension];
  }
  t->extents(known, wanted);
  for (const p2f_quick *q = self->quick, *end = q + t->narguments; q < end; q++) {
    if (!q->rank) continue;
    for (int r = 0; r < q->rank; r++, at++)
      if (UNLIKELY(*at != array->extent[r]) && *at != PY2F_ANY) return 1;
    array++;
  }
  return 0;
}

static PyObject *p2f_quick_call_arrays(PyObject *object, PyObject *const *args, size_t flagged, PyObject *keywords)
{
  p2f_callee *self = (p2f_callee *)object;
  const py2f_target *t = self->target;
  const int n = t->narguments;
  p2f_word value[P2F_QUICK_ARGUMENTS], result[2]; /* it may be complex */
  void *place[P2F_QUICK_ARGUMENTS + 1];
  py2f_array arrays[P2F_QUICK_ARGUMENTS], *array = arrays;
  p2f_span spans[P2F_QUICK_ARGUMENTS], *span = spans;
  if (p2f_quick_unusual(self, flagged, keywords)) goto general;
  for (int j = 0; j < n; j++) {
    const p2f_quick *q = &self->quick[j];
    if (q->how >= P2F_QUICK_DENSE) {
      if (UNLIKELY(p2f_quick_array(q, args[j], array, span++))) goto general;
      place[j] = array++;
    }
    else {
      if (UNLIKELY(p2f_quick_number(q, args[j], &value[j]))) goto general;
      place[j] = &value[j];
    }
  }
  if (span - spans > 1 && UNLIKELY(p2f_quick_share(self, spans, span))) goto general;
  if (t->nwanted && UNLIKELY(p2f_quick_mismatch(self, place, arrays))) goto general;
  place[n] = result;
  return p2f_quick_call(self, result, place);
general:
  return p2f_callee_call(object, args, flagged, keywords);
}

static PyObject *p2f_quick_call_numbers(PyObject *object, PyObject *const *args, size_t flagged, PyObject *keywords)
{
  p2f_callee *self = (p2f_callee *)object;
  const int n = self->target->narguments;
  p2f_word value[P2F_QUICK_ARGUMENTS], result[2];
  void *place[P2F_QUICK_ARGUMENTS + 1];
  if (p2f_quick_unusual(self, flagged, keywords)) goto general;
  for (int j = 0; j < n; j++) {
    if (UNLIKELY(p2f_quick_number(&self->quick[j], args[j], &value[j]))) goto general;
    place[j] = &value[j];
  }
  place[n] = result;
  return p2f_quick_call(self, result, place);
general:
  return p2f_callee_call(object, args, flagged, keywords);
}

static PyObject *p2f_quick_call_bare(PyObject *object, PyObject *const *args, size_t flagged, PyObject *keywords)
{
  const uintptr_t unusual = (uintptr_t)keywords | (uintptr_t)PyVectorcall_NARGS(flagged) | (uintptr_t)p2f_carried;
  if (UNLIKELY(unusual != 0)) return p2f_callee_call(object, args, flagged, keywords);
  ((p2f_callee *)object)->target->call(NULL, NULL);
  Py_RETURN_NONE;
}

/* The shortest way that the calls of a procedure may take. */
static vectorcallfunc p2f_quickest(const p2f_callee *self)
{
  if (!self->quick) return p2f_callee_call;
  if (self->narrays) return p2f_quick_call_arrays;
  const int bare = !self->target->narguments && !self->target->nresults && self->target->reach == PY2F_LINKED;
  return bare ? p2f_quick_call_bare : p2f_quick_call_numbers;
}
