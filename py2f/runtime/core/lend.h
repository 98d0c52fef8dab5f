/* lend.h - what Python gives, as Fortran takes it: strict, and nothing is rounded into range, cut, or copied without a word. */


enum { P2F_QUICK_ARGUMENTS = 16 }; /* at most, for the straight path */

typedef struct p2f_quick { /* what an argument usually is; see callee_quick.h */
  uint8_t how, rank, size;
  int flags;
  PyArray_Descr *type;
} p2f_quick;

typedef struct {
  PyObject_HEAD
  vectorcallfunc vectorcall;
  PyObject *dict, *weak;
  PyObject *resolve;  /* called once, with the callee: finds or builds what the target is in */
  PyObject *forward;  /* makes the calls where there is no target: a worker process */
  PyObject *keep;     /* what the fields below are borrowed from */
  PyObject *names;    /* one an argument, in Fortran's order */
  PyObject **defaults; /* NULL: required */
  PyObject *returns;  /* a NamedTuple class, or NULL */
  const py2f_target *target;
  void *procedure; /* of an argument of an exported function; else null */
  int *parameter, npositional, nparameters; /* the arguments that Python's parameters are */
  int *returned, nreturned;                 /* the arguments that Python gets back; narguments is the result */
  int written[P2F_QUICK_ARGUMENTS + 1];     /* for the straight path: the arrays that Fortran writes, then -1 */
  struct p2f_quick *quick;                  /* one an argument, if the call may take the straight path */
  int narrays, copies, nogil, stat, errmsg; /* the last two are arguments, or -1 */
} p2f_callee;

enum { P2F_COPY_NEVER, P2F_COPY_WARN, P2F_COPY_OK };

typedef struct {
  p2f_word value[2];
  PyObject *temporary;  /* what was made for this call and is handed to Fortran */
  PyArrayObject *original; /* what it is copied back into; borrowed */
} p2f_lent;

typedef struct {
  py2f_calling face; /* first: thunks know no more of it */
  p2f_callee *callee;
  PyObject **got; /* one an argument, then the result: what Fortran gave */
  const int64_t *wanted; /* the declared extents of the result */
  PyObject **given, *raised; /* what Python gave; what a callback raised */
} p2f_context;

static PyObject *p2f_fortran_error; /* py2f.errors.FortranError */

static COLD int p2f_refuse(PyObject *type, const p2f_callee *self, const py2f_argument *a, const char *format, ...)
{
  va_list list;
  va_start(list, format);
  PyObject *text = PyUnicode_FromFormatV(format, list);
  va_end(list);
  if (text) PyErr_Format(type, "argument '%s' of '%s': %U", a->name, self->target->name, text);
  Py_XDECREF(text);
  return -1;
}

/* ---- lend scalars */

static int p2f_is_number(const py2f_argument *a, PyObject *o)
{
  if (PyBool_Check(o)) return 0;
  switch (p2f_kind[a->kind].word) {
    case P2F_INTEGER:
    case P2F_POINTER: return PyIndex_Check(o) && !PyArray_Check(o);
    case P2F_REAL: return p2f_is_real(o);
    case P2F_COMPLEX: return PyComplex_Check(o) || p2f_is_real(o) || PyArray_IsScalar(o, ComplexFloating);
    default: return 0;
  }
}

static COLD int p2f_bad_scalar(const p2f_callee *self, const py2f_argument *a, PyObject *o)
{
  if (PyErr_Occurred() && !PyErr_ExceptionMatches(PyExc_OverflowError) && p2f_is_number(a, o)) return -1; /* of its own __index__ or __float__ */
  PyErr_Clear();
  if (p2f_is_number(a, o)) return p2f_refuse(PyExc_OverflowError, self, a, "%R does not fit %s", o, a->declared);
  return p2f_refuse(PyExc_TypeError, self, a, "%s was given, %s is declared", p2f_type_name(o), a->declared);
}

static inline int p2f_lend_real(const py2f_argument *a, PyObject *o, p2f_word *w)
{
  double d;
  if (LIKELY(PyFloat_CheckExact(o))) d = PyFloat_AS_DOUBLE(o);
  else {
    if (!p2f_is_number(a, o)) return -1;
    d = PyFloat_AsDouble(o);
    if (d == -1 && PyErr_Occurred()) return -1;
  }
  w->d = d;
  if (p2f_kind[a->kind].size == 4) {
    const float single = (float)d;
    if (p2f_out_of_range(d, 1)) return -1;
    memcpy(w, &single, 4);
  }
  return 0;
}

static int p2f_lend_complex(const py2f_argument *a, PyObject *o, p2f_word *w)
{
  if (!p2f_is_number(a, o)) return -1;
  const Py_complex z = PyComplex_AsCComplex(o);
  if (PyErr_Occurred()) return -1;
  w[0].d = z.real, w[1].d = z.imag;
  if (p2f_kind[a->kind].size == 8) {
    const float single[2] = { (float)z.real, (float)z.imag };
    if (p2f_out_of_range(z.real, 1) || p2f_out_of_range(z.imag, 1)) return -1;
    memcpy(w, single, 8);
  }
  return 0;
}

/* Where a scalar lies that Fortran is handed by reference: little-endian, so the low bytes of a word are the number. */
static inline int p2f_lend_value(const p2f_callee *self, const py2f_argument *a, PyObject *o, p2f_word *w)
{
  int bad;
  switch (p2f_kind[a->kind].word) {
    case P2F_INTEGER:
      bad = PyBool_Check(o) || p2f_unbox_integer(o, p2f_kind[a->kind].size, w);
      break;
    case P2F_REAL: bad = p2f_lend_real(a, o, w); break;
    case P2F_COMPLEX: bad = p2f_lend_complex(a, o, w); break;
    case P2F_POINTER:
      w->p = NULL;
      bad = o != Py_None && p2f_unbox_address(o, w);
      break;
    default:
      bad = !(PyBool_Check(o) || PyArray_IsScalar(o, Bool));
      w->i = !bad && PyObject_IsTrue(o) == 1;
  }
  return UNLIKELY(bad) ? p2f_bad_scalar(self, a, o) : 0;
}

/* ---- lend arrays */

static int p2f_dtype_differs(const py2f_argument *a, PyArrayObject *v)
{
  const int wanted = p2f_kind[a->kind].npy;
  if (wanted == NPY_STRING) return PyArray_TYPE(v) != NPY_STRING;
  return PyArray_TYPE(v) != wanted && !PyArray_EquivTypenums(PyArray_TYPE(v), wanted);
}

static const char *p2f_dtype_name(const py2f_argument *a)
{
  return p2f_last_part(PyArray_DescrFromType(p2f_kind[a->kind].npy)->typeobj->tp_name); /* builtin: lives for ever */
}

/* A mask would be lost without a word. */
static COLD int p2f_is_masked(PyObject *o)
{
  PyObject *mask = PyArray_CheckExact(o) ? NULL : PyObject_GetAttrString(o, "mask");
  const int masked = mask != NULL && PyObject_HasAttrString(o, "filled");
  Py_XDECREF(mask);
  PyErr_Clear();
  return masked;
}

static COLD int p2f_bad_array(const p2f_callee *self, const py2f_argument *a, PyObject *o)
{
  if (!PyArray_Check(o))
    return p2f_refuse(PyExc_TypeError, self, a, "%s was given, %s is declared: pass an array of %s", p2f_type_name(o), a->declared, p2f_dtype_name(a));
  PyArrayObject *v = (PyArrayObject *)o;
  if (p2f_dtype_differs(a, v))
    return p2f_refuse(PyExc_TypeError, self, a, "an array of %s was given, %s is declared", p2f_last_part(PyArray_DESCR(v)->typeobj->tp_name), a->declared);
  if (PyArray_NDIM(v) != a->rank)
    return p2f_refuse(PyExc_ValueError, self, a, "an array of rank %d was given, %s is declared", PyArray_NDIM(v), a->declared);
  return p2f_refuse(PyExc_ValueError, self, a, "the array is read-only, and Fortran may write %s", a->declared);
}

/* Why Fortran cannot be handed the memory itself; NULL: it can. gfortran takes a stride of zero for one. */
static const char *p2f_obstacle(const py2f_argument *a, PyArrayObject *v)
{
  if (!PyArray_ISNOTSWAPPED(v)) return "its byte order is not the machine's";
  if (!PyArray_ISALIGNED(v)) return "it is not aligned";
  if (p2f_kind[a->kind].word == P2F_STRING || PyArray_SIZE(v) == 0) return NULL;
  for (int r = 0; r < a->rank; r++)
    if (PyArray_DIM(v, r) > 1 && PyArray_STRIDE(v, r) == 0) return "a stride is zero, as broadcasting makes it";
  if (a->flags & PY2F_CONTIGUOUS) return PyArray_IS_F_CONTIGUOUS(v) ? NULL : "it is not contiguous in Fortran's order";
  for (int r = 0; r < a->rank; r++)
    if (PyArray_DIM(v, r) > 1 && PyArray_STRIDE(v, r) % PyArray_ITEMSIZE(v)) return "its strides are not multiples of the item size";
  return NULL;
}

static COLD PyArrayObject *p2f_copied(const p2f_callee *self, const py2f_argument *a, PyArrayObject *v, const char *why, p2f_lent *l)
{
  if (self->copies == P2F_COPY_NEVER) {
    p2f_refuse(PyExc_ValueError, self, a, "%s: pass np.array(..., \"%s\", order=\"F\"), or allow copies with @pythoncall(copy=\"ok\")", why, p2f_dtype_name(a));
    return NULL;
  }
  if (!(a->flags & PY2F_READONLY) && PyArray_SIZE(v) > 1 && strstr(why, "zero")) {
    p2f_refuse(PyExc_ValueError, self, a, "%s: Fortran may write %s, and elements share their memory", why, a->declared);
    return NULL;
  }
  if (self->copies == P2F_COPY_WARN
      && PyErr_WarnFormat(PyExc_RuntimeWarning, 1, "argument '%s' of '%s' is copied: %s", a->name, self->target->name, why)) return NULL;
  PyArray_Descr *type = PyArray_DescrFromType(p2f_kind[a->kind].npy); /* stolen below */
  if (p2f_kind[a->kind].npy == NPY_STRING) Py_XSETREF(type, PyArray_DescrNew(PyArray_DESCR(v)));
  l->temporary = PyArray_FromArray(v, type, NPY_ARRAY_F_CONTIGUOUS | NPY_ARRAY_ALIGNED | NPY_ARRAY_WRITEABLE | NPY_ARRAY_ENSURECOPY | NPY_ARRAY_ENSUREARRAY);
  if (!(a->flags & PY2F_READONLY)) l->original = v;
  return (PyArrayObject *)l->temporary;
}

static inline void p2f_point(PyArrayObject *v, int rank, py2f_array *to)
{
  int64_t step = PyArray_ITEMSIZE(v);
  to->first = PyArray_BYTES(v);
  to->length = step;
  for (int r = 0; r < rank; r++) {
    const int64_t extent = PyArray_DIMS(v)[r];
    to->extent[r] = extent;
    to->stride[r] = LIKELY(extent > 1) ? PyArray_STRIDES(v)[r] : step;
    step *= extent;
  }
}

static inline int p2f_lend_array(const p2f_callee *self, const py2f_argument *a, PyObject *o, py2f_array *to, p2f_lent *l)
{
  PyArrayObject *v = (PyArrayObject *)o;
  if (UNLIKELY(!PyArray_Check(o)) || UNLIKELY(p2f_dtype_differs(a, v)) || UNLIKELY(PyArray_NDIM(v) != a->rank)
      || UNLIKELY(!(a->flags & PY2F_READONLY) && !PyArray_ISWRITEABLE(v))) return p2f_bad_array(self, a, o);
  if (UNLIKELY(!PyArray_CheckExact(o)) && p2f_is_masked(o))
    return p2f_refuse(PyExc_TypeError, self, a, "a masked array was given, and Fortran would not see the mask: pass its filled(...)");
  const int dense = NPY_ARRAY_F_CONTIGUOUS | NPY_ARRAY_ALIGNED;
  if (UNLIKELY((PyArray_FLAGS(v) & dense) != dense || !PyArray_ISNOTSWAPPED(v))) {
    const char *why = p2f_obstacle(a, v);
    if (why && !(v = p2f_copied(self, a, v, why, l))) return -1;
  }
  p2f_point(v, a->rank, to);
  return 0;
}

/* ---- lend texts: a string of NumPy ends in NUL, one of Fortran in blanks */

static int p2f_lend_text(const p2f_callee *self, const py2f_argument *a, PyObject *o, int64_t declared, py2f_array *to, p2f_lent *l)
{
  Py_ssize_t n = 0;
  if (!(a->flags & PY2F_READONLY)) return p2f_refuse(PyExc_TypeError, self, a, "a str cannot be written into: leave it out, Python gets a new one");
  if (!PyUnicode_Check(o)) return p2f_refuse(PyExc_TypeError, self, a, "%s was given, %s is declared", p2f_type_name(o), a->declared);
  const char *text = PyUnicode_AsUTF8AndSize(o, &n); /* kept in the object */
  if (!text) return -1;
  to->first = (void *)text;
  to->length = n;
  if (declared == PY2F_ANY || declared == n) return 0;
  if (n > declared) return p2f_refuse(PyExc_ValueError, self, a, "%zd bytes were given, %lld fit", n, (long long)declared);
  if (!(l->temporary = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)declared))) return -1;
  to->first = PyBytes_AS_STRING(l->temporary);
  to->length = declared;
  memcpy(to->first, text, (size_t)n);
  memset((char *)to->first + n, ' ', (size_t)(declared - n));
  return 0;
}

/* The extents of several texts: they are checked before anything is lent. */
static int p2f_measure(const p2f_callee *self, const py2f_argument *a, PyObject *o, py2f_array *to)
{
  if (p2f_kind[a->kind].word == P2F_TEXTS) {
    if (!PyList_Check(o) && !PyTuple_Check(o)) return p2f_refuse(PyExc_TypeError, self, a, "%s was given, %s is declared", p2f_type_name(o), a->declared);
    to->extent[0] = PySequence_Fast_GET_SIZE(o);
    return 0;
  }
  PyArrayObject *v = (PyArrayObject *)o;
  if (!PyArray_Check(o) || p2f_dtype_differs(a, v) || PyArray_NDIM(v) != a->rank) return p2f_bad_array(self, a, o);
  p2f_point(v, a->rank, to);
  return 0;
}

static int p2f_lend_texts(const p2f_callee *self, const py2f_argument *a, PyObject *o, int64_t declared, py2f_array *to, p2f_lent *l)
{
  if (!PyList_Check(o) && !PyTuple_Check(o)) return p2f_refuse(PyExc_TypeError, self, a, "%s was given, %s is declared", p2f_type_name(o), a->declared);
  const Py_ssize_t count = PySequence_Fast_GET_SIZE(o);
  Py_ssize_t n, longest = 0;
  for (Py_ssize_t i = 0; i < count; i++) {
    PyObject *item = PySequence_Fast_GET_ITEM(o, i);
    if (!PyUnicode_Check(item)) return p2f_refuse(PyExc_TypeError, self, a, "element %zd is %s, not str", i + 1, p2f_type_name(item));
    if (!PyUnicode_AsUTF8AndSize(item, &n)) return -1;
    if (declared != PY2F_ANY && n > declared) return p2f_refuse(PyExc_ValueError, self, a, "element %zd has %zd bytes, %lld fit", i + 1, n, (long long)declared);
    longest = n > longest ? n : longest;
  }
  const Py_ssize_t length = declared == PY2F_ANY ? longest : (Py_ssize_t)declared;
  if (!(l->temporary = PyBytes_FromStringAndSize(NULL, count * length))) return -1;
  char *at = PyBytes_AS_STRING(l->temporary);
  memset(at, ' ', (size_t)(count * length));
  for (Py_ssize_t i = 0; i < count; i++) {
    const char *text = PyUnicode_AsUTF8AndSize(PySequence_Fast_GET_ITEM(o, i), &n);
    memcpy(at + i * length, text, (size_t)n);
  }
  *to = (py2f_array){ .first = at, .length = length, .extent = { count }, .stride = { length } };
  return 0;
}

static void p2f_pad(PyArrayObject *v, char from, char into) /* the end of each element of a dense array */
{
  const npy_intp length = PyArray_ITEMSIZE(v);
  char *element = PyArray_BYTES(v);
  for (npy_intp i = 0, n = PyArray_SIZE(v); i < n; i++, element += length)
    for (npy_intp c = length; c > 0 && element[c - 1] == from; c--) element[c - 1] = into;
}

static int p2f_lend_string(const p2f_callee *self, const py2f_argument *a, PyObject *o, int64_t declared, py2f_array *to, p2f_lent *l)
{
  PyArrayObject *v = (PyArrayObject *)o;
  if (!PyArray_Check(o) || p2f_dtype_differs(a, v) || PyArray_NDIM(v) != a->rank
      || (!(a->flags & PY2F_READONLY) && !PyArray_ISWRITEABLE(v))) return p2f_bad_array(self, a, o);
  if (declared != PY2F_ANY && PyArray_ITEMSIZE(v) != declared)
    return p2f_refuse(PyExc_ValueError, self, a, "its elements have %zd bytes, %lld are declared", (Py_ssize_t)PyArray_ITEMSIZE(v), (long long)declared);
  l->temporary = PyArray_NewCopy(v, NPY_FORTRANORDER);
  if (!l->temporary) return -1;
  if (!(a->flags & PY2F_READONLY)) l->original = v;
  p2f_pad((PyArrayObject *)l->temporary, '\0', ' ');
  p2f_point((PyArrayObject *)l->temporary, a->rank, to);
  return 0;
}

/* ---- extents */

static int p2f_declared_extents(const py2f_argument *a)
{
  return a->rank + !!(a->flags & PY2F_LENGTH);
}

static inline int64_t p2f_integer_at(const py2f_argument *a, const void *at)
{
  const int size = p2f_kind[a->kind].size;
  return size == 4 ? *(const int32_t *)at : size == 8 ? *(const int64_t *)at : size == 1 ? *(const int8_t *)at : *(const int16_t *)at;
}

/* Every declared extent and length, in order; returns 16 times the argument, plus the dimension, that is not as declared, or -1. */
static inline int p2f_mismatch(const py2f_target *t, void *const *place, int64_t *wanted)
{
  int64_t known[t->nknown + 1];
  for (int k = 0; k < t->nknown; k++) {
    const py2f_known *from = &t->known[k];
    const void *at = place[from->argument];
    known[k] = UNLIKELY(!at) ? PY2F_ANY : from->dimension < 0 ? p2f_integer_at(&t->argument[from->argument], at)
      : ((const py2f_array *)at)->extent[from->dimension];
  }
  t->extents(known, wanted);
  for (int j = 0; j < t->narguments; j++) {
    const py2f_argument *a = &t->argument[j];
    const py2f_array *given = place[j];
    for (int r = 0; given && r < a->rank; r++)
      if (UNLIKELY(wanted[r] != given->extent[r]) && wanted[r] != PY2F_ANY) return 16 * j + r;
    wanted += p2f_declared_extents(a);
  }
  return -1;
}

static COLD int p2f_bad_extent(const p2f_callee *self, int where, void *const *place, const int64_t *wanted)
{
  const py2f_argument *a = &self->target->argument[where / 16];
  const int r = where % 16;
  for (const py2f_argument *b = self->target->argument; b < a; b++) wanted += p2f_declared_extents(b);
  return p2f_refuse(PyExc_ValueError, self, a, "extent %d is %lld, %s makes it %lld", r + 1,
                    (long long)((const py2f_array *)place[where / 16])->extent[r], a->declared, (long long)wanted[r]);
}

static PyObject *p2f_new_array(const py2f_argument *a, const npy_intp *extent)
{
  return PyArray_Zeros(a->rank, extent, PyArray_DescrFromType(p2f_kind[a->kind].npy), 1);
}

static PyObject *p2f_new_strings(const py2f_argument *a, const npy_intp *extent, int64_t length)
{
  PyArray_Descr *type = PyArray_DescrNewFromType(NPY_STRING);
  if (!type) return NULL;
  PyDataType_SET_ELSIZE(type, (npy_intp)length);
  PyObject *array = PyArray_Zeros(a->rank, extent, type, 1);
  if (array) p2f_pad((PyArrayObject *)array, '\0', ' ');
  return array;
}

static int p2f_make_room(const p2f_callee *self, const py2f_argument *a, const int64_t *wanted, int64_t length, py2f_array *to, p2f_lent *l)
{
  const int is_string = p2f_kind[a->kind].word == P2F_STRING;
  if (is_string && length == PY2F_ANY)
    return p2f_refuse(PyExc_TypeError, self, a, "its length is not known: pass an array of bytes, %s=..., or declare a Length", a->name);
  if (is_string && length < 0) return p2f_refuse(PyExc_ValueError, self, a, "its length would be %lld", (long long)length);
  npy_intp extent[NPY_MAXDIMS];
  for (int r = 0; r < a->rank; r++) {
    extent[r] = wanted[r];
    if (wanted[r] == PY2F_ANY) return p2f_refuse(PyExc_TypeError, self, a, "its extent %d is not known: pass an array, %s=...", r + 1, a->name);
    if (wanted[r] < 0) return p2f_refuse(PyExc_ValueError, self, a, "extent %d would be %lld", r + 1, (long long)wanted[r]);
  }
  l->temporary = is_string ? p2f_new_strings(a, extent, length) : p2f_new_array(a, extent);
  if (!l->temporary) return -1;
  p2f_point((PyArrayObject *)l->temporary, a->rank, to);
  return 0;
}

static int p2f_make_text(const p2f_callee *self, const py2f_argument *a, int64_t length, py2f_array *to, p2f_lent *l)
{
  if (length == PY2F_ANY || length < 0) return p2f_refuse(PyExc_ValueError, self, a, "its length would be %lld", (long long)length);
  if (!(l->temporary = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)length))) return -1;
  to->first = PyBytes_AS_STRING(l->temporary);
  to->length = length;
  memset(to->first, ' ', (size_t)length);
  return 0;
}
