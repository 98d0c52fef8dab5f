/* callee_quick.h - the straight path of a call: numbers and dense arrays as they are usually given. Whatever is unusual, wrong
 * or in need of a word takes the general path from the beginning (callee.h); nothing has happened by then. */

enum { P2F_QUICK_NEVER, P2F_QUICK_REAL, P2F_QUICK_INTEGER, P2F_QUICK_ARRAY };

static int p2f_quick_class(const py2f_argument *a)
{
  const int word = p2f_kind[a->kind].word, size = p2f_kind[a->kind].size;
  if (a->flags & (PY2F_OUT | PY2F_OPTIONAL | PY2F_GIVEN)) return P2F_QUICK_NEVER;
  if (a->rank) return word == P2F_STRING || word == P2F_TEXTS ? P2F_QUICK_NEVER : P2F_QUICK_ARRAY;
  if (!(a->flags & PY2F_READONLY)) return P2F_QUICK_NEVER;
  return word == P2F_REAL && size == 8 ? P2F_QUICK_REAL : word == P2F_INTEGER && size >= 4 ? P2F_QUICK_INTEGER : P2F_QUICK_NEVER;
}

/* What is needed to see at one glance that an argument is as usual; NULL: the procedure has others. */
static p2f_quick *p2f_new_quick(const p2f_callee *self)
{
  const py2f_target *t = self->target;
  const int plain = self->npositional == t->narguments && self->stat < 0 && !self->nogil && t->reach != PY2F_PROVIDED;
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
    if (quick[j].how == P2F_QUICK_ARRAY) quick[j].type = PyArray_DescrFromType(p2f_kind[a->kind].npy); /* NumPy's own: one for all arrays */
    if (!(a->flags & PY2F_READONLY)) quick[j].flags |= NPY_ARRAY_WRITEABLE;
  }
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

static inline int p2f_quick_array(const p2f_quick *q, PyObject *o, py2f_array *to)
{
  PyArrayObject *v = (PyArrayObject *)o;
  if (UNLIKELY(!PyArray_CheckExact(o)) || UNLIKELY(PyArray_DESCR(v) != q->type) || UNLIKELY(PyArray_NDIM(v) != q->rank)
      || UNLIKELY((PyArray_FLAGS(v) & q->flags) != q->flags)) return 1;
  int64_t step = q->size;
  to->first = PyArray_BYTES(v);
  for (int r = 0; r < q->rank; r++) { /* dense, whatever NumPy says of dimensions with one element */
    to->extent[r] = PyArray_DIMS(v)[r];
    to->stride[r] = step;
    step *= to->extent[r];
  }
  return 0;
}

static PyObject *p2f_callee_call_quick(PyObject *object, PyObject *const *args, size_t flagged, PyObject *keywords)
{
  p2f_callee *self = (p2f_callee *)object;
  const py2f_target *t = self->target;
  const int n = t->narguments;
  p2f_word value[n + 2];
  void *place[n + 1];
  py2f_array arrays[self->narrays + 1], *array = arrays;
  if (UNLIKELY(keywords != NULL) || UNLIKELY(PyVectorcall_NARGS(flagged) != n)) goto general;
  for (int j = 0; j < n; j++) {
    const p2f_quick *q = &self->quick[j];
    place[j] = &value[j];
    if (q->how == P2F_QUICK_ARRAY) {
      if (UNLIKELY(p2f_quick_array(q, args[j], array))) goto general;
      place[j] = array++;
    }
    else if (q->how == P2F_QUICK_REAL) {
      if (UNLIKELY(!PyFloat_CheckExact(args[j]))) goto general;
      value[j].d = PyFloat_AS_DOUBLE(args[j]);
    }
    else if (UNLIKELY(p2f_quick_integer(args[j], &value[j]))) goto general;
  }
  if (t->nwanted) {
    int64_t wanted[t->nwanted];
    if (UNLIKELY(p2f_mismatch(t, place, wanted) >= 0)) goto general;
  }
  place[n] = &value[n];
  p2f_context context = { { t, NULL, self->procedure, p2f_find_in_host, p2f_back, p2f_give }, self, NULL, NULL, NULL, NULL };
  PyObject **carried = p2f_carried;
  p2f_carried = NULL;
  t->call(place, &context.face);
  p2f_carried = carried;
  if (t->nresults) return p2f_box_value(t->result, &value[n]);
  Py_RETURN_NONE;
general:
  return p2f_callee_call(object, args, flagged, keywords);
}
