/* wrapped.h - views that Python sees as something else: GT4Py fields, and tables whose indices count from zero.
 *
 * They are made on a frame miss, by Python, and kept in the frame as plain views are; a procedure that has none does not come
 * here. What is checked of a field besides: nobody has kept it, or the array behind it. */

/* ---- tables: the indices of Fortran count from `base`, those of Python from zero */

enum { P2F_FETCH, P2F_COMPARE, P2F_STORE };

#define P2F_SHIFT(type, there, here)                                                                                \
  for (npy_intp i = 0; i < n; i++, there += step, here += stride) {                                                 \
    type *there_ = (type *)(void *)there, *here_ = (type *)(void *)here, moved;                                     \
    if (what == P2F_STORE) { if (__builtin_add_overflow(*here_, (type)base, &moved)) return -1; *there_ = moved; }  \
    else if (__builtin_sub_overflow(*there_, (type)base, &moved)) return -1;                                        \
    else if (what == P2F_FETCH) *here_ = moved;                                                                     \
    else if (*here_ != moved) return -1;                                                                            \
  }                                                                                                                 \
  return 0

static int p2f_shift_row(int size, int what, int64_t base, char *there, npy_intp step, char *here, npy_intp stride, npy_intp n)
{
  switch (size) {
  case 1: P2F_SHIFT(int8_t, there, here);
  case 2: P2F_SHIFT(int16_t, there, here);
  case 4: P2F_SHIFT(int32_t, there, here);
  default: P2F_SHIFT(int64_t, there, here);
  }
}

/* Nonzero: an index does not fit, or, of P2F_COMPARE, the two are not the same. */
static int p2f_shift(int what, int64_t base, PyArrayObject *view, PyArrayObject *table)
{
  npy_intp index[NPY_MAXDIMS] = { 0 };
  const int rank = PyArray_NDIM(view);
  const npy_intp *extent = PyArray_DIMS(view), *step = PyArray_STRIDES(view), *stride = PyArray_STRIDES(table);
  int r;
  if (!PyArray_SAMESHAPE(view, table) || PyArray_TYPE(table) != PyArray_TYPE(view)) return -1; /* changed in place */
  if (PyArray_SIZE(view) == 0) return 0;
  do {
    char *there = PyArray_BYTES(view), *here = PyArray_BYTES(table);
    for (r = 1; r < rank; r++) there += index[r] * step[r], here += index[r] * stride[r];
    if (p2f_shift_row((int)PyArray_ITEMSIZE(view), what, base, there, step[0], here, stride[0], extent[0])) return -1;
    for (r = 1; r < rank && ++index[r] >= extent[r]; r++) index[r] = 0;
  } while (r < rank);
  return 0;
}

static PyObject *p2f_table(const py2f_procedure *p, const py2f_argument *a, int64_t base, PyObject *view) /* takes the view */
{
  PyArrayObject *v = (PyArrayObject *)view;
  PyObject *table = PyArray_NewLikeArray(v, NPY_FORTRANORDER, NULL, 0);
  if (table && p2f_shift(P2F_FETCH, base, v, (PyArrayObject *)table)) {
    PyErr_Format(PyExc_OverflowError, "argument '%s' of '%s': an index minus %lld does not fit", a->name, p->name, (long long)base);
    Py_CLEAR(table);
  }
  if (table && a->flags & PY2F_READONLY) PyArray_CLEARFLAGS((PyArrayObject *)table, NPY_ARRAY_WRITEABLE);
  Py_DECREF(view);
  return table;
}

static PyObject *p2f_memory(const py2f_procedure *p, const py2f_argument *a, const p2f_word *w) /* what a table was made of */
{
  py2f_argument plain = *a;
  plain.flags &= (uint16_t)~PY2F_READONLY;
  return p2f_argument_view(p, &plain, w, Py_None);
}

/* One after the other: the tables of a procedure. Nonzero: see p2f_shift(); of P2F_STORE with an exception. */
static int p2f_tables(const py2f_procedure *p, const p2f_state *f, PyObject *arrays, const p2f_word *w, int what)
{
  int bad = 0, k = 0;
  for (const py2f_argument *a = p->argument; !bad && a < p->argument + p->narguments; a++) {
    if (!(a->flags & PY2F_VIEW)) continue;
    if (f->base[k] && !p2f_is_absent(a, w) && !(what == P2F_STORE && a->flags & PY2F_READONLY)) {
      PyObject *memory = p2f_memory(p, a, w);
      bad = !memory || p2f_shift(what, f->base[k], (PyArrayObject *)memory, (PyArrayObject *)PyTuple_GET_ITEM(arrays, k));
      if (bad && memory && what == P2F_STORE)
        PyErr_Format(PyExc_OverflowError, "argument '%s' of '%s': an index plus %lld does not fit", a->name, p->name, (long long)f->base[k]);
      Py_XDECREF(memory);
    }
    k++;
    w += p2f_view_words(a);
  }
  return bad;
}

/* Fortran may have changed a table at the same address: the frame of it is of no use then. */
static APART void p2f_refresh(const py2f_procedure *p, p2f_state *f, const p2f_word *words)
{
  for (int i = 0; i < P2F_WAYS; i++) {
    p2f_frame *frame = &f->frame[i];
    if (!frame->views || memcmp(frame->words, words, 8 * (size_t)f->nwords) || !p2f_tables(p, f, frame->arrays, words, P2F_COMPARE)) continue;
    PyObject *old = p2f_empty(frame);
    Py_XDECREF(old);
  }
}

/* ---- fields */

/* Takes the view; returns the array behind what Python is given, borrowed from the tuples, or NULL: with an exception, or,
 * when the argument was refused, with the error told. */
static PyObject *p2f_wrapped(const py2f_procedure *p, const p2f_state *f, int k, PyObject *view, PyObject *views, PyObject *arrays)
{
  PyObject *wrap = PyTuple_GET_ITEM(f->wraps, k), *given;
  const py2f_argument *a = p->argument;
  for (int before = k; !(a->flags & PY2F_VIEW) || before-- > 0;) a++;
  if (f->base[k] && PyArray_Check(view) && !(view = p2f_table(p, a, f->base[k], view))) return NULL;
  if (wrap != Py_None && PyArray_Check(view)) /* GT4Py's programs refuse what is read-only, as input too */
    PyArray_ENABLEFLAGS((PyArrayObject *)view, NPY_ARRAY_WRITEABLE);
  given = wrap == Py_None || !PyArray_Check(view) ? Py_NewRef(view) : PyObject_CallOneArg(wrap, view);
  PyTuple_SET_ITEM(arrays, k, view);
  if (given && given != view && PyUnicode_Check(given)) {
    p2f_fail(PY2F_BAD_ARGUMENT, "%s", PyUnicode_AsUTF8(given));
    Py_CLEAR(given);
  }
  if (!given) return NULL;
  PyTuple_SET_ITEM(views, k, given);
  return view;
}

/* After a call: write tables back, tell the keeper which fields somebody has kept, and drop a frame that has such. */
static APART int p2f_after_wrapped(const py2f_procedure *p, p2f_state *f, PyObject *views, PyObject *arrays, const p2f_word *words)
{
  PyObject *kept = NULL, *old = NULL, *told = NULL;
  p2f_frame *frame = NULL; /* none: a nested call has evicted it */
  for (int i = 0; i < P2F_WAYS; i++) if (f->frame[i].views == views) frame = &f->frame[i];
  const int bad = f->tables && p2f_tables(p, f, arrays, words, P2F_STORE);
  const p2f_image *image = frame ? frame->images : NULL;
  for (int k = 0; !bad && k < f->nviews; k++, image = image ? p2f_next(f, image) : NULL) {
    PyObject *given = PyTuple_GET_ITEM(views, k), *array = PyTuple_GET_ITEM(arrays, k);
    if (given == array || (Py_REFCNT(given) == 1 && (!image || Py_REFCNT(array) == image->references))) continue;
    if (!kept && !(kept = PyList_New(0))) return -1;
    PyObject *pair = Py_BuildValue("iO", k, array);
    const int failed = !pair || PyList_Append(kept, pair);
    Py_XDECREF(pair);
    if (failed) break;
  }
  if (kept && frame) old = p2f_empty(frame);
  if (kept && f->keeper && !PyErr_Occurred()) told = PyObject_CallOneArg(f->keeper, kept);
  Py_XDECREF(told);
  Py_XDECREF(old);
  Py_XDECREF(kept);
  return bad || PyErr_Occurred() ? -1 : 0;
}

/* All frames of wrapped views, of every procedure: what they were checked against has changed. */
static void p2f_forget(void)
{
  PyGILState_STATE gil = PyGILState_Ensure();
  for (p2f_state *f = p2f_states; f; f = f->before)
    for (int i = 0; f->wraps && i < P2F_WAYS; i++) {
      PyObject *old = p2f_empty(&f->frame[i]);
      Py_XDECREF(old);
    }
  PyGILState_Release(gil);
}
