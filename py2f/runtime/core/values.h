/* values.h - scalars to Python, results from it: strict, nothing is rounded into range or cut. */

/* ---- scalar arguments */

static PyObject *p2f_text(const py2f_procedure *p, const py2f_argument *a, const p2f_word *w)
{
  int64_t n = w[1].i;
  while (n > 0 && w[0].p[n - 1] == ' ') n--;
  PyObject *text = PyUnicode_DecodeUTF8(w[0].p, (Py_ssize_t)n, NULL);
  if (!text && PyErr_ExceptionMatches(PyExc_UnicodeDecodeError)) {
    PyObject *error = p2f_fetch();
    Py_ssize_t at = 0;
    PyUnicodeDecodeError_GetStart(error, &at);
    Py_DECREF(error);
    p2f_fail(PY2F_BAD_ARGUMENT, "argument '%s' of '%s' is not UTF-8: byte %zd is 0x%02x", a->name, p->name, at + 1, (unsigned char)w[0].p[at]);
  }
  return text;
}

/* The object of argument j; *word moves on. NULL: an exception is set, or the error is told already. */
static inline PyObject *p2f_box(const py2f_procedure *p, const p2f_state *f, int j, const p2f_word **word)
{
  const py2f_argument *a = &p->argument[j];
  const p2f_word *w = *word;
  const uint8_t class = p2f_kind[a->kind].word;
  int there = 1;
  if (a->flags & PY2F_OPTIONAL) there = class == P2F_TEXT ? w[1].i >= 0 : (int)(w++)->i;
  *word = w + 1 + (class == P2F_COMPLEX || class == P2F_TEXT);
  if (UNLIKELY(!there)) return Py_NewRef(PyTuple_GET_ITEM(f->absent, j));
  switch (class) {
    case P2F_INTEGER: return PyLong_FromLongLong(w->i);
    case P2F_REAL: return PyFloat_FromDouble(w->d);
    case P2F_COMPLEX: return PyComplex_FromDoubles(w[0].d, w[1].d);
    case P2F_LOGICAL: return PyBool_FromLong(w->i != 0);
    default: return p2f_text(p, a, w);
  }
}

/* ---- results */

static COLD int p2f_bad_result(const py2f_procedure *p, const py2f_argument *a, PyObject *o)
{
  int number = PyLong_Check(o) || PyFloat_Check(o) || PyComplex_Check(o) || PyArray_IsScalar(o, Number);
  PyErr_Clear();
  PyObject *shown = number && p2f_kind[a->kind].word != P2F_TEXT ? PyObject_Str(o) : NULL;
  const char *text = shown ? PyUnicode_AsUTF8(shown) : NULL;
  PyErr_Clear();
  int code = text ? p2f_fail(PY2F_BAD_ARGUMENT, "'%s' returned %.200s (%s), which does not fit %s", p->name, text, p2f_type_name(o), a->declared)
    : p2f_fail(PY2F_BAD_ARGUMENT, "'%s' returned %s, %s is declared", p->name, o == Py_None ? "None" : p2f_type_name(o), a->declared);
  Py_XDECREF(shown);
  return code;
}

static int p2f_is_real(PyObject *o)
{
  return PyFloat_Check(o) || PyLong_Check(o) || PyArray_IsScalar(o, Integer) || PyArray_IsScalar(o, Floating);
}

static int p2f_unbox_integer(PyObject *o, int size, p2f_word *w) /* nonzero: does not fit */
{
  PyObject *index = PyIndex_Check(o) ? PyNumber_Index(o) : NULL;
  w->i = index ? PyLong_AsLongLong(index) : -1;
  Py_XDECREF(index);
  if (!index || (w->i == -1 && PyErr_Occurred())) return 1;
  int64_t half = INT64_C(1) << (8 * (size < 8 ? size : 1) - 1);
  return size < 8 && (w->i < -half || w->i >= half);
}

static int p2f_out_of_range(double d, int single)
{
  return single && isfinite(d) && !isfinite((double)(float)d);
}

static int p2f_unbox_scalar(const py2f_procedure *p, const py2f_argument *a, PyObject *o, p2f_word *w)
{
  int bad = 0;
  switch (p2f_kind[a->kind].word) {
    case P2F_INTEGER:
      bad = p2f_unbox_integer(o, p2f_kind[a->kind].size, w);
      break;
    case P2F_REAL:
      bad = !p2f_is_real(o);
      w->d = bad ? 0 : PyFloat_AsDouble(o);
      bad |= p2f_out_of_range(w->d, p2f_kind[a->kind].size == 4);
      break;
    case P2F_COMPLEX: {
      bad = !(PyComplex_Check(o) || p2f_is_real(o) || PyArray_IsScalar(o, ComplexFloating));
      Py_complex z = bad ? (Py_complex){ 0, 0 } : PyComplex_AsCComplex(o);
      w[0].d = z.real;
      w[1].d = z.imag;
      bad |= p2f_out_of_range(z.real, p2f_kind[a->kind].size == 8) || p2f_out_of_range(z.imag, p2f_kind[a->kind].size == 8);
      break;
    }
    case P2F_LOGICAL:
      bad = !(PyBool_Check(o) || PyArray_IsScalar(o, Bool));
      w->i = !bad && PyObject_IsTrue(o) == 1;
      break;
  }
  return UNLIKELY(bad || PyErr_Occurred()) ? p2f_bad_result(p, a, o) : PY2F_OK;
}

typedef struct { PyObject *object; const char *text; size_t length; int kind; } p2f_returned; /* until the wrapper takes it */

static int p2f_hold(p2f_returned value, p2f_word *w)
{
  p2f_returned *kept = malloc(sizeof *kept);
  if (!kept) return p2f_fail(PY2F_EXCEPTION, "MemoryError");
  *kept = value;
  Py_INCREF(value.object);
  w[0].p = (char *)kept;
  return PY2F_OK;
}

static int p2f_text_out(const py2f_procedure *p, const py2f_argument *a, PyObject *o, p2f_word *w)
{
  Py_ssize_t n = 0;
  if (!PyUnicode_Check(o)) return p2f_bad_result(p, a, o);
  const char *text = PyUnicode_AsUTF8AndSize(o, &n); /* kept in the object */
  if (!text) return p2f_raised(p);
  w[1].i = n;
  return p2f_hold((p2f_returned){ o, text, (size_t)n, a->kind }, w);
}

static int p2f_copy_array(PyArrayObject *from, int kind, void *to) /* into dense memory in Fortran order */
{
  npy_intp stride[NPY_MAXDIMS], step = p2f_kind[kind].size;
  int rank = PyArray_NDIM(from);
  if (PyArray_SIZE(from) == 0) return 0;
  PyObject *view = p2f_view(kind, rank, PyArray_DIMS(from), NULL, to, NPY_ARRAY_WRITEABLE);
  int bad = !view || PyArray_CopyInto((PyArrayObject *)view, from) < 0;
  Py_XDECREF(view);
  if (bad || p2f_kind[kind].word != P2F_LOGICAL || step == 1) return bad;
  for (int r = 0; r < rank; r++) stride[r] = step, step *= PyArray_DIM(from, r);
  p2f_widen(rank, PyArray_DIMS(from), stride, to);
  return 0;
}

static int p2f_array_out(const py2f_procedure *p, const py2f_argument *a, PyObject *o, p2f_word *w)
{
  PyArrayObject *v = (PyArrayObject *)o;
  if (!PyArray_Check(o)) return p2f_bad_result(p, a, o);
  if (PyArray_TYPE(v) != p2f_kind[a->kind].npy && !PyArray_EquivTypenums(PyArray_TYPE(v), p2f_kind[a->kind].npy))
    return p2f_fail(PY2F_BAD_ARGUMENT, "'%s' returned an array of %s, %s is declared", p->name, p2f_last_part(PyArray_DESCR(v)->typeobj->tp_name), a->declared);
  if (PyArray_NDIM(v) != a->rank)
    return p2f_fail(PY2F_BAD_ARGUMENT, "'%s' returned an array of rank %d, %s is declared", p->name, PyArray_NDIM(v), a->declared);
  if (a->flags & PY2F_EXPLICIT) {
    for (int r = 0; r < a->rank; r++)
      if (PyArray_DIM(v, r) != w[1 + r].i)
        return p2f_fail(PY2F_BAD_ARGUMENT, "'%s' returned an array whose extent %d is %zd, %s makes it %lld", p->name, r + 1,
                        (Py_ssize_t)PyArray_DIM(v, r), a->declared, (long long)w[1 + r].i);
    return p2f_copy_array(v, a->kind, w[0].p) ? p2f_raised(p) : PY2F_OK;
  }
  for (int r = 0; r < a->rank; r++) w[1 + r].i = PyArray_DIM(v, r);
  return p2f_hold((p2f_returned){ o, NULL, 0, a->kind }, w);
}

static inline int p2f_result(const py2f_procedure *p, PyObject *o, p2f_word *w)
{
  if (LIKELY(!p->nresults)) {
    if (LIKELY(o == Py_None)) return PY2F_OK;
    return p2f_fail(PY2F_BAD_ARGUMENT, "'%s' returned %s, None is declared", p->name, p2f_type_name(o));
  }
  const py2f_argument *a = p->result;
  if (a->rank) return p2f_array_out(p, a, o, w);
  return p2f_kind[a->kind].word == P2F_TEXT ? p2f_text_out(p, a, o, w) : p2f_unbox_scalar(p, a, o, w);
}

/* The wrapper has allocated: copy what p2f_hold() kept, and let it go. */
static void p2f_take(void *returned, void *destination)
{
  const p2f_traps traps = p2f_mask();
  PyGILState_STATE gil = PyGILState_Ensure();
  p2f_returned *r = returned;
  if (r->text) memcpy(destination, r->text, r->length);
  else if (p2f_copy_array((PyArrayObject *)r->object, r->kind, destination)) PyErr_WriteUnraisable(r->object);
  Py_DECREF(r->object);
  free(r);
  PyGILState_Release(gil);
  p2f_unmask(traps);
}
