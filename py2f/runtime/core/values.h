/* values.h - scalars to Python, results from it: strict, nothing is rounded into range or cut. */

/* ---- scalar arguments */

static PyObject *p2f_decoded(const char *from, int64_t n, const py2f_procedure *p, const py2f_argument *a, int64_t element)
{
  while (n > 0 && from[n - 1] == ' ') n--;
  PyObject *text = PyUnicode_DecodeUTF8(from, (Py_ssize_t)n, NULL);
  if (!text && PyErr_ExceptionMatches(PyExc_UnicodeDecodeError)) {
    PyObject *error = p2f_fetch();
    Py_ssize_t at = 0;
    char which[40] = "";
    PyUnicodeDecodeError_GetStart(error, &at);
    Py_DECREF(error);
    if (element) snprintf(which, sizeof which, "element %lld of ", (long long)element);
    p2f_fail(PY2F_BAD_ARGUMENT, "%sargument '%s' of '%s' is not UTF-8: byte %zd is 0x%02x", which, a->name, p->name, at + 1, (unsigned char)from[at]);
  }
  return text;
}

static PyObject *p2f_texts(const py2f_procedure *p, const py2f_argument *a, const p2f_word *w)
{
  const int64_t n = w[1].i, length = w[0].p ? w[3].i : 0;
  PyObject *list = PyList_New((Py_ssize_t)n);
  for (int64_t i = 0; list && i < n; i++) {
    PyObject *text = p2f_decoded(w[0].p + i * p2f_stride(w, 1, 0, length), length, p, a, i + 1);
    if (text) PyList_SET_ITEM(list, (Py_ssize_t)i, text);
    else Py_CLEAR(list);
  }
  return list;
}

static PyObject *p2f_lent_procedure(const py2f_procedure *, const p2f_state *, int j, void *procedure); /* callee_type.h */
static void p2f_end_procedures(const p2f_state *, int n);

/* How many words a value takes, and how many more if it is optional. */
static const uint8_t p2f_value_words[] = { [P2F_INTEGER] = 1, [P2F_REAL] = 1, [P2F_COMPLEX] = 2, [P2F_LOGICAL] = 1, [P2F_POINTER] = 1, [P2F_PROCEDURE] = 1,
  [P2F_TEXT] = 2, [P2F_TEXTS] = 4, [P2F_STRING] = 0 };

/* The object of argument j; *word moves on. NULL: an exception is set, or the error is told already. */
static APART PyObject *p2f_box(const py2f_procedure *p, const p2f_state *f, int j, const p2f_word **word)
{
  const py2f_argument *a = &p->argument[j];
  const p2f_word *w = *word;
  const uint8_t class = p2f_kind[a->kind].word;
  int there = 1;
  if (a->flags & PY2F_OPTIONAL) there = class == P2F_TEXT || class == P2F_TEXTS ? w[1].i >= 0 : (int)(w++)->i;
  *word = w + p2f_value_words[class];
  if (UNLIKELY(!there)) return Py_NewRef(PyTuple_GET_ITEM(f->absent, j));
  switch (class) {
    case P2F_INTEGER: return PyLong_FromLongLong(w->i);
    case P2F_REAL: return PyFloat_FromDouble(w->d);
    case P2F_COMPLEX: return PyComplex_FromDoubles(w[0].d, w[1].d);
    case P2F_LOGICAL: return PyBool_FromLong(w->i != 0);
    case P2F_POINTER: return PyLong_FromVoidPtr(w->p);
    case P2F_PROCEDURE: return p2f_lent_procedure(p, f, j, w->p);
    case P2F_TEXTS: return p2f_texts(p, a, w);
    default: return p2f_decoded(w[0].p, w[1].i, p, a, 0);
  }
}

/* ---- results */

static COLD int p2f_bad_result(const py2f_procedure *p, const py2f_argument *a, PyObject *o)
{
  if (PyErr_Occurred() && !PyErr_ExceptionMatches(PyExc_OverflowError) && !PyArray_Check(o)) return p2f_raised(p); /* of its own __index__ or __float__ */
  int number = PyLong_Check(o) || PyFloat_Check(o) || PyComplex_Check(o) || PyArray_IsScalar(o, Number);
  PyErr_Clear();
  PyObject *shown = number && p2f_kind[a->kind].word != P2F_TEXT ? PyObject_Str(o) : NULL;
  const char *text = shown ? PyUnicode_AsUTF8(shown) : NULL;
  PyErr_Clear();
  int code = text ? p2f_fail(PY2F_BAD_ARGUMENT, "'%s' returned %.200s (%s), which does not fit %s", p->name, text, p2f_type_name(o), a->declared)
    : p2f_fail(PY2F_BAD_ARGUMENT, "'%s' returned %s, %s is declared", p->name, p2f_type_name(o), a->declared);
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

static int p2f_unbox_address(PyObject *o, p2f_word *w) /* nonzero: is none */
{
  PyObject *index = PyIndex_Check(o) && !PyBool_Check(o) ? PyNumber_Index(o) : NULL;
  w->i = index ? (int64_t)PyLong_AsUnsignedLongLong(index) : 0;
  Py_XDECREF(index);
  return !index || PyErr_Occurred();
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
    case P2F_POINTER:
      bad = o != Py_None && p2f_unbox_address(o, w);
      if (o == Py_None) w->p = NULL;
      break;
    case P2F_LOGICAL:
      bad = !(PyBool_Check(o) || PyArray_IsScalar(o, Bool));
      w->i = !bad && PyObject_IsTrue(o) == 1;
      break;
  }
  return UNLIKELY(bad || PyErr_Occurred()) ? p2f_bad_result(p, a, o) : PY2F_OK;
}

typedef struct { PyObject *object; const char *text; size_t length; const py2f_argument *declared; } p2f_returned; /* `length` bytes until the wrapper takes them */

static int p2f_hold(const py2f_procedure *p, p2f_returned value, p2f_word *w)
{
  p2f_returned *kept = malloc(sizeof *kept);
  void *volatile room = malloc(value.length ? value.length : 1); /* what the wrapper allocates next: if it failed there, the program would end */
  free(room);
  if (!kept || !room) {
    free(kept);
    return p2f_fail(PY2F_EXCEPTION, "MemoryError: no memory for what '%s' returned", p->name);
  }
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
  return p2f_hold(p, (p2f_returned){ o, text, (size_t)n, a }, w);
}

static int p2f_copy_array(PyArrayObject *from, const py2f_argument *a, const npy_intp *stride, char *to) /* NULL: dense */
{
  npy_intp dense[NPY_MAXDIMS], step = p2f_kind[a->kind].size;
  if (PyArray_SIZE(from) == 0) return 0;
  PyObject *view = p2f_view(a->kind, a->rank, PyArray_DIMS(from), stride, to, NPY_ARRAY_WRITEABLE, 0);
  int bad = !view || PyArray_CopyInto((PyArrayObject *)view, from) < 0;
  Py_XDECREF(view);
  if (bad || !p2f_settles(a)) return bad;
  for (int r = 0; r < a->rank; r++) dense[r] = step, step *= PyArray_DIM(from, r);
  p2f_settle(a, PyArray_DIMS(from), stride ? stride : dense, to, p2f_kind[a->kind].size);
  return 0;
}

static int p2f_copy_out(const py2f_procedure *p, const py2f_argument *a, PyArrayObject *v, const p2f_word *w)
{
  npy_intp stride[NPY_MAXDIMS];
  for (int r = 0; r < a->rank; r++)
    if (PyArray_DIM(v, r) != w[1 + r].i)
      return p2f_fail(PY2F_BAD_ARGUMENT, "'%s' returned an array whose extent %d is %zd, %s makes it %lld", p->name, r + 1,
                      (Py_ssize_t)PyArray_DIM(v, r), a->declared, (long long)w[1 + r].i);
  if (a->flags & PY2F_FIELD) p2f_strides(w, a->rank, p2f_kind[a->kind].size, stride);
  return p2f_copy_array(v, a, a->flags & PY2F_FIELD ? stride : NULL, w[0].p) ? p2f_raised(p) : PY2F_OK;
}

static int p2f_array_out(const py2f_procedure *p, const py2f_argument *a, PyObject *o, p2f_word *w)
{
  PyArrayObject *v = (PyArrayObject *)o;
  if (!PyArray_Check(o)) return p2f_bad_result(p, a, o);
  if (!PyArray_EquivTypenums(PyArray_TYPE(v), p2f_kind[a->kind].npy))
    return p2f_fail(PY2F_BAD_ARGUMENT, "'%s' returned an array of %s, %s is declared", p->name, p2f_last_part(PyArray_DESCR(v)->typeobj->tp_name), a->declared);
  if (PyArray_NDIM(v) != a->rank)
    return p2f_fail(PY2F_BAD_ARGUMENT, "'%s' returned an array of rank %d, %s is declared", p->name, PyArray_NDIM(v), a->declared);
  if (a->flags & PY2F_EXPLICIT) return p2f_copy_out(p, a, v, w);
  size_t length = p2f_kind[a->kind].size;
  for (int r = 0; r < a->rank; r++) {
    w[1 + r].i = PyArray_DIM(v, r);
    if (__builtin_mul_overflow(length, (size_t)PyArray_DIM(v, r), &length)) length = SIZE_MAX;
  }
  return p2f_hold(p, (p2f_returned){ o, NULL, length, a }, w);
}

static inline int p2f_one_result(const py2f_procedure *p, const py2f_argument *a, PyObject *o, p2f_word *w)
{
  if (a->rank) return p2f_array_out(p, a, o, w);
  return p2f_kind[a->kind].word == P2F_TEXT ? p2f_text_out(p, a, o, w) : p2f_unbox_scalar(p, a, o, w);
}

static int p2f_result_words(const py2f_argument *a)
{
  if (!a->rank) return p2f_value_words[p2f_kind[a->kind].word];
  return 1 + a->rank * (a->flags & PY2F_FIELD && a->flags & PY2F_EXPLICIT ? 2 : 1);
}

static void p2f_let_go(const py2f_argument *a, p2f_word *w) /* of what p2f_hold() kept for a result that is not taken */
{
  if (p2f_kind[a->kind].word != P2F_TEXT && (!a->rank || a->flags & PY2F_EXPLICIT)) return;
  p2f_returned *kept = (p2f_returned *)w[0].p;
  Py_DECREF(kept->object);
  free(kept);
}

static COLD int p2f_fields(const py2f_procedure *p, PyObject *o, p2f_word *w)
{
  if (!PyTuple_Check(o)) return p2f_fail(PY2F_BAD_ARGUMENT, "'%s' returned %s, a tuple of %d is declared", p->name, p2f_type_name(o), p->nresults);
  if (PyTuple_GET_SIZE(o) != p->nresults)
    return p2f_fail(PY2F_BAD_ARGUMENT, "'%s' returned a tuple of %zd, one of %d is declared", p->name, PyTuple_GET_SIZE(o), p->nresults);
  p2f_word *at = w;
  for (int k = 0; k < p->nresults; at += p2f_result_words(&p->result[k++])) {
    int rc = p2f_one_result(p, &p->result[k], PyTuple_GET_ITEM(o, k), at);
    if (rc == PY2F_OK) continue;
    for (int done = 0; done < k; w += p2f_result_words(&p->result[done++])) p2f_let_go(&p->result[done], w);
    return rc;
  }
  return PY2F_OK;
}

static inline int p2f_result(const py2f_procedure *p, PyObject *o, p2f_word *w)
{
  if (LIKELY(!p->nresults)) {
    if (LIKELY(o == Py_None)) return PY2F_OK;
    return p2f_fail(PY2F_BAD_ARGUMENT, "'%s' returned %s, None is declared", p->name, p2f_type_name(o));
  }
  return p->result->flags & PY2F_FIELD ? p2f_fields(p, o, w) : p2f_one_result(p, p->result, o, w);
}

/* The wrapper has allocated: copy what p2f_hold() kept, and let it go. */
static void p2f_take(void *returned, void *destination)
{
  const p2f_traps traps = p2f_mask();
  PyGILState_STATE gil = PyGILState_Ensure();
  p2f_returned *r = returned;
  if (r->text) memcpy(destination, r->text, r->length);
  else if (p2f_copy_array((PyArrayObject *)r->object, r->declared, NULL, destination)) PyErr_WriteUnraisable(r->object);
  Py_DECREF(r->object);
  free(r);
  PyGILState_Release(gil);
  p2f_unmask(traps);
}
