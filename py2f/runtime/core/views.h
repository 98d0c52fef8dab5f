/* views.h - Fortran arrays as NumPy views, and the frames that keep them for the next call with the same arrays. */

static char p2f_nowhere[16] __attribute__((aligned(16))); /* where arrays of zero size lie */

/* A view over memory; a default logical is seen through the low byte of each element. Strides of NULL: dense, Fortran order.
 * `length` is that of a string; one of no length has no memory and lies nowhere, each element at the same place. */
static inline PyObject *p2f_view(int kind, int rank, const npy_intp *extent, const npy_intp *stride, void *data, int flags, npy_intp length)
{
  static const npy_intp still[NPY_MAXDIMS];
  npy_intp dense[NPY_MAXDIMS], step = p2f_kind[kind].size;
  PyArray_Descr *type = PyArray_DescrFromType(p2f_kind[kind].npy);
  if (p2f_kind[kind].word == P2F_STRING) {
    Py_XSETREF(type, PyArray_DescrNewFromType(NPY_STRING));
    if (type) PyDataType_SET_ELSIZE(type, length ? length : 1);
    if (!length) stride = still;
  }
  else if (!stride && p2f_kind[kind].word == P2F_LOGICAL && step > 1) {
    for (int r = 0; r < rank; r++) dense[r] = step, step *= extent[r] > 0 ? extent[r] : 1;
    stride = dense;
  }
  if (!type) return NULL;
  flags |= NPY_ARRAY_ALIGNED | (stride ? 0 : NPY_ARRAY_F_CONTIGUOUS);
  return PyArray_NewFromDescr(&PyArray_Type, type, rank, extent, stride, data, flags, NULL);
}

static int p2f_is_absent(const py2f_argument *a, const p2f_word *w)
{
  return a->rank || p2f_kind[a->kind].word == P2F_STRING ? w[1].i < 0 : !w[0].p;
}

static inline PyObject *p2f_argument_view(const py2f_procedure *p, const py2f_argument *a, const p2f_word *w, PyObject *absent)
{
  const int string = p2f_kind[a->kind].word == P2F_STRING;
  const npy_intp length = string ? w[1 + 2 * a->rank].i : 0;
  npy_intp extent[NPY_MAXDIMS], stride[NPY_MAXDIMS], step = string ? length : p2f_kind[a->kind].size;
  const p2f_word *next = w + 1 + a->rank;
  char *first = w[0].p;
  int dense = 1, empty = string && length == 0;
  if (UNLIKELY(p2f_is_absent(a, w))) {
    if (a->flags & PY2F_OPTIONAL) return Py_NewRef(absent);
    PyErr_Format(PyExc_ValueError, "argument '%s' of '%s' is not associated", a->name, p->name);
    return NULL;
  }
  for (int r = 0; r < a->rank; r++) {
    extent[r] = w[1 + r].i;
    stride[r] = extent[r] > 1 ? next[r].p - first : step;
    dense &= stride[r] == step;
    empty |= extent[r] == 0;
    step *= extent[r];
  }
  if (UNLIKELY(empty)) dense = 1, first = p2f_nowhere;
  if (UNLIKELY((uintptr_t)first < 65536)) {
    PyErr_Format(PyExc_ValueError, "argument '%s' of '%s' is not allocated", a->name, p->name);
    return NULL;
  }
  const int flags = a->flags & PY2F_READONLY ? 0 : NPY_ARRAY_WRITEABLE;
  return p2f_view(a->kind, a->rank, extent, dense ? NULL : stride, first, flags, length);
}

/* ---- frames */

typedef int64_t p2f_two __attribute__((vector_size(16), aligned(8), may_alias));

static inline int p2f_same(const void *a, const void *b, int n) /* n words; no branch a word */
{
  const p2f_two *x = a, *y = b;
  p2f_two d = { 0, 0 }, e = { 0, 0 };
  int i = 0;
  for (; i + 2 <= n / 2; i += 2) {
    d |= x[i] ^ y[i];
    e |= x[i + 1] ^ y[i + 1];
  }
  if (i < n / 2) d |= x[i] ^ y[i];
  d |= e;
  return (d[0] | d[1] | (n & 1 ? ((const int64_t *)a)[n - 1] ^ ((const int64_t *)b)[n - 1] : 0)) == 0;
}

static void p2f_photograph(p2f_image *image, npy_intp *shape, PyObject *view, int rank)
{
  image->rank = rank;
  image->data = NULL; /* absent; the frame may have served a present array before */
  if (!PyArray_Check(view)) return;
  PyArrayObject *v = (PyArrayObject *)view;
  image->data = PyArray_BYTES(v);
  image->type = PyArray_DESCR(v);
  image->flags = PyArray_FLAGS(v);
  image->references = Py_REFCNT(v);
  for (int r = 0; r < 2 * rank; r++) shape[r] = PyArray_DIMS(v)[r]; /* extents, then strides */
}

static PyObject *p2f_wrapped(const py2f_procedure *, const p2f_state *, int, PyObject *, PyObject *, PyObject *); /* wrapped.h */

/* The views of a frame, and the arrays behind them; of a procedure without wraps these are one tuple. */
static int p2f_fill_frame(const py2f_procedure *p, const p2f_state *f, p2f_frame *frame, PyObject *views, PyObject *arrays, const p2f_word *w)
{
  npy_intp *shape = frame->shapes;
  for (int j = 0, k = 0; j < p->narguments; j++) {
    const py2f_argument *a = &p->argument[j];
    if (!(a->flags & PY2F_VIEW)) continue;
    PyObject *view = p2f_argument_view(p, a, w, PyTuple_GET_ITEM(f->absent, j));
    if (view && f->wraps) view = p2f_wrapped(p, f, k, view, views, arrays);
    else if (view) PyTuple_SET_ITEM(views, k, view);
    if (!view) return -1;
    p2f_photograph(&frame->images[k++], shape, view, a->rank);
    w += p2f_view_words(a);
    shape += 2 * a->rank;
  }
  return 0;
}

static PyObject *p2f_empty(p2f_frame *frame) /* what it held, for the caller to drop when all is complete again */
{
  PyObject *held = frame->views && frame->arrays != frame->views ? Py_BuildValue("NN", frame->views, frame->arrays) : frame->views;
  frame->views = frame->arrays = NULL;
  return held;
}

/* The most recent frame did not match: look at the others, else make the views anew. Borrowed; NULL with an exception. */
static APART PyObject *p2f_miss(const py2f_procedure *p, p2f_state *f, const p2f_word *words)
{
  for (int i = 0; i < P2F_WAYS; i++)
    if (f->frame[i].views && memcmp(f->frame[i].words, words, 8 * (size_t)f->nwords) == 0) {
      f->recent = i;
      return f->frame[i].views;
    }
  PyObject *views = PyTuple_New(f->nviews), *arrays = views && f->wraps ? PyTuple_New(f->nviews) : views;
  if (!arrays) {
    Py_XDECREF(views);
    return NULL;
  }
  int slot = f->next;
  p2f_frame *frame = &f->frame[slot];
  PyObject *old = p2f_empty(frame); /* nobody may find it half made */
  if (p2f_fill_frame(p, f, frame, views, arrays, words)) {
    if (arrays != views) Py_DECREF(arrays);
    Py_DECREF(views);
    Py_XDECREF(old);
    return NULL;
  }
  memcpy(frame->words, words, 8 * (size_t)f->nwords);
  frame->views = views;
  frame->arrays = arrays;
  f->next = (slot + 1) % P2F_WAYS;
  f->recent = slot;
  Py_INCREF(views);
  Py_XDECREF(old); /* a destructor may call us again: all is complete */
  Py_DECREF(views);
  return views;
}

/* Did Python keep a view, or change its shape, dtype or flags in place? Then it is not handed out again. One branch a view:
 * a view of another rank has another number of extents; all else is gathered and looked at once. */
static inline int p2f_intact(const p2f_state *f, const p2f_frame *frame)
{
  PyObject *arrays = frame->arrays;
  const p2f_image *was = frame->images;
  const npy_intp *shape = frame->shapes;
  intptr_t changed = 0;
  p2f_two moved = { 0, 0 };
  for (int k = 0; k < f->nviews; k++, was++) {
    if (UNLIKELY(was->data == NULL)) { /* absent */
      shape += 2 * was->rank;
      continue;
    }
    PyArrayObject *v = (PyArrayObject *)PyTuple_GET_ITEM(arrays, k);
    if (UNLIKELY(PyArray_NDIM(v) != was->rank)) return 0;
    changed |= (Py_REFCNT(v) ^ was->references) | ((intptr_t)PyArray_BYTES(v) ^ (intptr_t)was->data) | ((intptr_t)PyArray_DESCR(v) ^ (intptr_t)was->type)
      | (PyArray_FLAGS(v) ^ was->flags);
    const p2f_two *now = (const p2f_two *)PyArray_DIMS(v), *then = (const p2f_two *)shape; /* extents and strides are one block */
    for (int r = 0; r < was->rank; r++) moved |= now[r] ^ then[r];
    shape += 2 * was->rank;
  }
  return (changed | moved[0] | moved[1]) == 0;
}

/* ---- settling: what Python has written, as Fortran expects it */

static void p2f_settle_logical(char *element, int64_t size) /* Python writes the low byte, the compilers test the whole */
{
  const int value = *element != 0;
  memset(element, 0, (size_t)size);
  *element = (char)value;
}

static void p2f_settle_string(char *element, int64_t length) /* NumPy fills up with NUL, Fortran with blanks */
{
  while (length > 0 && !element[length - 1]) element[--length] = ' ';
}

static void p2f_settle(const py2f_argument *a, const npy_intp *extent, const npy_intp *stride, char *data, int64_t length)
{
  void (*settle)(char *, int64_t) = p2f_kind[a->kind].word == P2F_STRING ? p2f_settle_string : p2f_settle_logical;
  npy_intp index[NPY_MAXDIMS] = { 0 };
  int r;
  for (r = 0; r < a->rank; r++) if (extent[r] <= 0) return;
  do {
    char *element = data;
    for (r = 0; r < a->rank; r++) element += index[r] * stride[r];
    settle(element, length);
    for (r = 0; r < a->rank && ++index[r] >= extent[r]; r++) index[r] = 0;
  } while (r < a->rank);
}

static int p2f_settles(const py2f_argument *a) /* little-endian: the low byte comes first */
{
  return p2f_kind[a->kind].word == P2F_STRING || (p2f_kind[a->kind].word == P2F_LOGICAL && p2f_kind[a->kind].size > 1);
}

static APART void p2f_settle_arguments(const py2f_procedure *p, const p2f_word *w)
{
  memset(p2f_nowhere, 0, sizeof p2f_nowhere);
  for (const py2f_argument *a = p->argument; a < p->argument + p->narguments; a++) {
    if (!(a->flags & PY2F_VIEW)) continue;
    if (p2f_settles(a) && !(a->flags & PY2F_READONLY) && w[0].p && !p2f_is_absent(a, w)) {
      npy_intp extent[NPY_MAXDIMS], stride[NPY_MAXDIMS];
      const int64_t length = p2f_kind[a->kind].word == P2F_STRING ? w[1 + 2 * a->rank].i : p2f_kind[a->kind].size;
      for (int r = 0; r < a->rank; r++) extent[r] = w[1 + r].i, stride[r] = w[1 + a->rank + r].p - w[0].p;
      p2f_settle(a, extent, stride, w[0].p, length);
    }
    w += p2f_view_words(a);
  }
}
