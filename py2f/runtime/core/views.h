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
  char *first = w[0].p;
  int dense = 1, empty = string && length == 0;
  if (UNLIKELY(p2f_is_absent(a, w))) {
    if (a->flags & PY2F_OPTIONAL) return Py_NewRef(absent);
    PyErr_Format(PyExc_ValueError, "argument '%s' of '%s' is not associated", a->name, p->name);
    return NULL;
  }
  for (int r = 0; r < a->rank; r++) {
    extent[r] = w[1 + r].i;
    stride[r] = p2f_stride(w, a->rank, r, step);
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

STRAIGHT int p2f_same(const void *a, const void *b, int n) /* n words, a is ours; no branch a word */
{
  const p2f_pair *x = a;
  const p2f_two *y = b;
  p2f_pair d = { 0, 0 }, e = d, g = d, h = d;
  int i = 0, pairs = n / 2;
  for (; i + 4 <= pairs; i += 4) {
    d |= x[i] ^ y[i];
    e |= x[i + 1] ^ y[i + 1];
    g |= x[i + 2] ^ y[i + 2];
    h |= x[i + 3] ^ y[i + 3];
  }
  for (; i < pairs; i++) d |= x[i] ^ y[i];
  d |= e | g | h;
  return (d[0] | d[1] | (n & 1 ? ((const int64_t *)a)[n - 1] ^ ((const int64_t *)b)[n - 1] : 0)) == 0;
}

#define P2F_HEAD(view) ((const p2f_two *)(const void *)(view))
_Static_assert(offsetof(PyArrayObject_fields, data) == 16 && offsetof(PyArrayObject_fields, nd) == 24
               && offsetof(PyArrayObject_fields, base) == 48 && offsetof(PyArrayObject_fields, descr) == 56, "the head of an array");

static void p2f_photograph(p2f_image *image, PyObject *view, int rank)
{
  image->rank = rank;
  image->present = PyArray_Check(view);
  if (!image->present) return;
  PyArrayObject *v = (PyArrayObject *)view;
  image->references = Py_REFCNT(v);
  image->place = P2F_HEAD(v)[1];
  image->kind = P2F_HEAD(v)[3];
  image->flags = PyArray_FLAGS(v);
  if (rank) memcpy(image->shape, PyArray_DIMS(v), 2 * (size_t)rank * sizeof(npy_intp)); /* extents and strides are one block */
}

static PyObject *p2f_wrapped(const py2f_procedure *, const p2f_state *, int, PyObject *, PyObject *, PyObject *); /* wrapped.h */

/* The views of a frame, and the arrays behind them; of a procedure without wraps these are one tuple. */
static int p2f_fill_frame(const py2f_procedure *p, const p2f_state *f, p2f_frame *frame, PyObject *views, PyObject *arrays, const p2f_word *w)
{
  p2f_image *image = frame->images;
  frame->absent = 0;
  for (int j = 0, k = 0; j < p->narguments; j++) {
    const py2f_argument *a = &p->argument[j];
    if (!(a->flags & PY2F_VIEW)) continue;
    PyObject *view = p2f_argument_view(p, a, w, PyTuple_GET_ITEM(f->absent, j));
    if (view && f->wraps) view = p2f_wrapped(p, f, k, view, views, arrays);
    else if (view) PyTuple_SET_ITEM(views, k, view);
    if (!view) return -1;
    p2f_photograph(image, view, a->rank);
    frame->absent |= !image->present;
    image = p2f_next(f, image);
    w += p2f_view_words(a);
    k++;
  }
  return 0;
}

static PyObject *p2f_empty(p2f_frame *frame) /* what it held, for the caller to drop when all is complete again */
{
  PyObject *held = frame->views && frame->arrays != frame->views ? Py_BuildValue("NN", frame->views, frame->arrays) : frame->views;
  frame->views = frame->arrays = NULL;
  return held;
}

/* Did Python keep a view, or change its shape, dtype or flags in place? Then it is not handed out again. One branch a view:
 * a view of another rank has another number of extents; all else is gathered and looked at once. */
STRAIGHT int p2f_as_made(const p2f_state *f, const p2f_frame *frame, const int absent)
{
  PyObject *const *view = &PyTuple_GET_ITEM(frame->arrays, 0), *const *end = view + f->nviews;
  const p2f_image *was = frame->images;
  intptr_t other = 0;
  p2f_pair changed = { 0, 0 };
  for (; view < end; view++, was = p2f_next(f, was)) {
    if (absent && !was->present) continue;
    PyArrayObject *v = (PyArrayObject *)*view;
    if (UNLIKELY(PyArray_NDIM(v) != was->rank)) return 0;
    changed |= (P2F_HEAD(v)[1] ^ was->place) | (P2F_HEAD(v)[3] ^ was->kind);
    other |= (Py_REFCNT(v) ^ was->references) | (PyArray_FLAGS(v) ^ was->flags);
    const p2f_two *now = (const p2f_two *)PyArray_DIMS(v);
    const p2f_pair *then = (const p2f_pair *)was->shape;
    for (int r = 0; r < was->rank; r++) changed |= now[r] ^ then[r];
  }
  return (changed[0] | changed[1] | other) == 0;
}

STRAIGHT int p2f_intact(const p2f_state *f, const p2f_frame *frame)
{
  return UNLIKELY(frame->absent) ? p2f_as_made(f, frame, 1) : p2f_as_made(f, frame, 0);
}

/* ---- a loop over blocks: other addresses at each call, the same views
 *
 * Nobody can tell a view that is set on other memory from a new one, if nobody has the old one: the tuple is ours alone, so no
 * call is under way with it; so is each view, and it is as it was made; no weak reference leads to it, and no buffer was ever
 * exported (NumPy keeps the shapes of those with the array). Python code does not run in between. */

static int p2f_is_movable(PyArrayObject *v)
{
  const PyArrayObject_fields *field = (const PyArrayObject_fields *)v;
  return !field->weakreflist && !field->_buffer_info;
}

static int p2f_is_ordinary(const py2f_argument *a, const p2f_word *w) /* present, allocated, not of zero size */
{
  intptr_t least = 1;
  for (int r = 1; r <= a->rank; r++) if (w[r].i < least) least = w[r].i;
  return least > 0 && (uintptr_t)w[0].p >= 65536;
}

static inline void p2f_set(PyArrayObject *v, p2f_image *image, const p2f_word *w, npy_intp step)
{
  const int rank = image->rank;
  npy_intp *extent = PyArray_DIMS(v), *stride = extent + rank;
  char *first = w[0].p;
  intptr_t other = ((intptr_t)first ^ (intptr_t)PyArray_BYTES(v)) & 15; /* it may be aligned otherwise */
  for (int r = 0; r < rank; r++) {
    const npy_intp n = w[1 + r].i, s = p2f_stride(w, rank, r, step);
    other |= (extent[r] ^ n) | (stride[r] ^ s);
    extent[r] = n;
    stride[r] = s;
    step *= n;
  }
  ((PyArrayObject_fields *)v)->data = first;
  image->place[0] = (intptr_t)first;
  if (LIKELY(!other)) return;
  PyArray_UpdateFlags(v, NPY_ARRAY_UPDATE_ALL);
  p2f_photograph(image, (PyObject *)v, rank);
}

static int p2f_move(const py2f_procedure *p, const p2f_state *f, p2f_frame *frame, const p2f_word *words)
{
  if (!f->moves || !frame->views || frame->absent || Py_REFCNT(frame->views) != 1 || !p2f_intact(f, frame)) return 0;
  const py2f_argument *a = p->argument, *end = a + p->narguments;
  const p2f_word *w = words;
  PyObject **view = &PyTuple_GET_ITEM(frame->views, 0);
  for (; a < end; a++) {
    if (!(a->flags & PY2F_VIEW)) continue;
    if (!p2f_is_ordinary(a, w) || !p2f_is_movable((PyArrayObject *)*view++)) return 0;
    w += p2f_view_words(a);
  }
  p2f_image *image = frame->images;
  for (a = p->argument, w = words, view = &PyTuple_GET_ITEM(frame->views, 0); a < end; a++) {
    if (!(a->flags & PY2F_VIEW)) continue;
    p2f_set((PyArrayObject *)*view++, image, w, p2f_kind[a->kind].size);
    w += p2f_view_words(a);
    image = p2f_next(f, image);
  }
  return 1;
}

static int p2f_make(const py2f_procedure *p, const p2f_state *f, p2f_frame *frame, const p2f_word *words)
{
  PyObject *views = PyTuple_New(f->nviews), *arrays = views && f->wraps ? PyTuple_New(f->nviews) : views;
  if (!arrays || p2f_fill_frame(p, f, frame, views, arrays, words)) {
    if (arrays != views) Py_XDECREF(arrays);
    Py_XDECREF(views);
    return -1;
  }
  frame->views = views;
  frame->arrays = arrays;
  return 0;
}

/* The most recent frame did not match: look at the others, else set an old one on these arrays, else make one anew.
 * New references to its tuples; NULL with an exception. */
static APART PyObject *p2f_miss(const py2f_procedure *p, p2f_state *f, const p2f_word *words, PyObject **arrays)
{
  PyObject *old = NULL, *views = NULL;
  int slot = 0;
  while (slot < P2F_WAYS && !(f->frame[slot].words->p == words->p && f->frame[slot].views && p2f_same(f->frame[slot].words, words, f->nwords))) slot++;
  const int found = slot < P2F_WAYS;
  if (!found) slot = f->next;
  p2f_frame *frame = &f->frame[slot];
  if (!found && !p2f_move(p, f, frame, words)) {
    old = p2f_empty(frame); /* nobody may find it half made */
    if (p2f_make(p, f, frame, words)) frame = NULL;
  }
  if (frame) {
    if (!found) {
      for (int i = 0; i < f->nwords; i++) frame->words[i] = words[i];
      f->next = (slot + 1) % P2F_WAYS;
    }
    f->recent = slot;
    views = Py_NewRef(frame->views);
    if (arrays) *arrays = Py_NewRef(frame->arrays);
  }
  Py_XDECREF(old); /* last: a destructor may call us again, and evict what was just made */
  return views;
}

/* ---- settling: what Python has written, as Fortran expects it */

typedef uint32_t p2f_default_logical __attribute__((aligned(1), may_alias)); /* the only logical that is wider than NumPy's */

/* Along one dimension: Python writes the low byte, the compilers test the whole. */
static void p2f_settle_logicals(char *element, npy_intp stride, npy_intp n, int64_t size)
{
  (void)size;
  for (; n > 0; n--, element += stride) *(p2f_default_logical *)element = *element != 0;
}

static void p2f_settle_strings(char *element, npy_intp stride, npy_intp n, int64_t length) /* NumPy fills up with NUL, Fortran with blanks */
{
  for (; n > 0; n--, element += stride)
    for (int64_t end = length; end > 0 && !element[end - 1];) element[--end] = ' ';
}

static void p2f_settle(const py2f_argument *a, const npy_intp *extent, const npy_intp *stride, char *data, int64_t length)
{
  void (*settle)(char *, npy_intp, npy_intp, int64_t) = p2f_kind[a->kind].word == P2F_STRING ? p2f_settle_strings : p2f_settle_logicals;
  npy_intp index[NPY_MAXDIMS] = { 0 };
  int r;
  for (r = 0; r < a->rank; r++) if (extent[r] <= 0) return;
  do {
    char *row = data;
    for (r = 1; r < a->rank; r++) row += index[r] * stride[r];
    settle(row, a->rank ? stride[0] : 0, a->rank ? extent[0] : 1, length);
    for (r = 1; r < a->rank && ++index[r] >= extent[r]; r++) index[r] = 0;
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
      for (int r = 0; r < a->rank; r++) extent[r] = w[1 + r].i;
      p2f_strides(w, a->rank, length, stride);
      p2f_settle(a, extent, stride, w[0].p, length);
    }
    w += p2f_view_words(a);
  }
}
