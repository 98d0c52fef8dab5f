/* outcome.h - what Fortran has defined, as Python gets it: the function result, then the outs. */

static COLD PyObject *p2f_bad_text(const py2f_target *t, const py2f_argument *a, const char *text, int64_t n)
{
  PyErr_Clear();
  PyObject *bytes = PyBytes_FromStringAndSize(text, (Py_ssize_t)n);
  if (!bytes) return NULL;
  if (a == t->result) PyErr_Format(PyExc_ValueError, "the result of '%s' is not UTF-8: %R", t->name, bytes);
  else PyErr_Format(PyExc_ValueError, "argument '%s' of '%s' is not UTF-8 as Fortran has written it: %R", a->name, t->name, bytes);
  Py_DECREF(bytes);
  return NULL;
}

static PyObject *p2f_text_from(const py2f_target *t, const py2f_argument *a, const char *text, int64_t n)
{
  while (n > 0 && text[n - 1] == ' ') n--;
  PyObject *decoded = PyUnicode_DecodeUTF8(text, (Py_ssize_t)n, NULL);
  return decoded || !PyErr_ExceptionMatches(PyExc_UnicodeDecodeError) ? decoded : p2f_bad_text(t, a, text, n);
}

static PyObject *p2f_box_value(const py2f_argument *a, const void *at)
{
  const int size = p2f_kind[a->kind].size;
  switch (p2f_kind[a->kind].word) {
    case P2F_INTEGER: return PyLong_FromLongLong(p2f_integer_at(a, at));
    case P2F_REAL: return PyFloat_FromDouble(size == 4 ? (double)*(const float *)at : *(const double *)at);
    case P2F_COMPLEX: {
      const float *single = at;
      const double *pair = at;
      return size == 8 ? PyComplex_FromDoubles((double)single[0], (double)single[1]) : PyComplex_FromDoubles(pair[0], pair[1]);
    }
    case P2F_POINTER: return PyLong_FromVoidPtr(*(void *const *)at);
    default: return PyBool_FromLong(*(const char *)at);
  }
}

static PyObject *p2f_given_array(const py2f_argument *a, const void *first, const int64_t *extent)
{
  npy_intp shape[NPY_MAXDIMS];
  for (int r = 0; r < a->rank; r++) shape[r] = extent[r] > 0 ? extent[r] : 0;
  PyObject *array = p2f_new_array(a, shape);
  if (array && PyArray_SIZE((PyArrayObject *)array)) memcpy(PyArray_BYTES((PyArrayObject *)array), first, (size_t)PyArray_NBYTES((PyArrayObject *)array));
  return array;
}

static void p2f_give(py2f_calling *calling, int number, const void *first, int64_t length, const int64_t *extent)
{
  p2f_context *context = (p2f_context *)calling;
  const py2f_target *t = context->callee->target;
  const py2f_argument *a = number < t->narguments ? &t->argument[number] : t->result;
  PyGILState_STATE gil = PyGILState_Ensure();
  for (int r = 0; a == t->result && a->flags & PY2F_EXPLICIT && r < a->rank; r++)
    if (extent[r] != context->wanted[r] && (extent[r] > 0 || context->wanted[r] > 0))
      PyErr_Format(PyExc_ValueError, "the result of '%s': extent %d is %lld, %s makes it %lld", t->name, r + 1, (long long)extent[r], a->declared, (long long)context->wanted[r]);
  if (!PyErr_Occurred())
    Py_XSETREF(context->got[number], p2f_kind[a->kind].word == P2F_TEXT ? p2f_text_from(t, a, first, length) : p2f_given_array(a, first, extent));
  PyGILState_Release(gil);
}

static int p2f_copy_back(const py2f_target *t, p2f_lent *lent)
{
  for (int j = 0; j < t->narguments; j++) {
    p2f_lent *l = &lent[j];
    if (LIKELY(!l->original)) continue;
    if (p2f_kind[t->argument[j].kind].word == P2F_STRING) p2f_pad((PyArrayObject *)l->temporary, ' ', '\0');
    if (PyArray_CopyInto(l->original, (PyArrayObject *)l->temporary) < 0) return -1;
  }
  return 0;
}

/* What argument j (or the result) is for Python after the call; a new reference. */
static inline PyObject *p2f_hand_out(const py2f_target *t, int j, PyObject *given, void *place, p2f_lent *l, PyObject *got)
{
  const py2f_argument *a = j < t->narguments ? &t->argument[j] : t->result;
  if (a->flags & PY2F_GIVEN) return Py_NewRef(got ? got : Py_None); /* nothing: it is not allocated */
  if (given) return Py_NewRef(given);
  if (p2f_kind[a->kind].word == P2F_TEXT) return p2f_text_from(t, a, ((py2f_array *)place)->first, ((py2f_array *)place)->length);
  if (p2f_kind[a->kind].word == P2F_STRING) p2f_pad((PyArrayObject *)l->temporary, ' ', '\0');
  return a->rank || p2f_kind[a->kind].word == P2F_STRING ? Py_NewRef(l->temporary) : p2f_box_value(a, place);
}

static COLD PyObject *p2f_stat_raised(const p2f_callee *self, void *const *place, int64_t stat, PyObject *got)
{
  PyObject *text = Py_NewRef(Py_None);
  if (self->errmsg >= 0) {
    const py2f_array *message = place[self->errmsg];
    if (got || message) Py_SETREF(text, got ? Py_NewRef(got) : p2f_text_from(self->target, &self->target->argument[self->errmsg], message->first, message->length));
  }
  PyObject *error = text ? PyObject_CallFunction(p2f_fortran_error, "sLO", self->target->name, (long long)stat, text) : NULL;
  if (error) PyErr_SetObject(p2f_fortran_error, error);
  Py_XDECREF(error);
  Py_XDECREF(text);
  return NULL;
}

static inline PyObject *p2f_outcome(const p2f_callee *self, PyObject **given, void *const *place, p2f_lent *lent, PyObject **got)
{
  const py2f_target *t = self->target;
  if (UNLIKELY(self->stat >= 0)) {
    const int64_t stat = p2f_integer_at(&t->argument[self->stat], place[self->stat]);
    if (stat) return p2f_stat_raised(self, place, stat, self->errmsg >= 0 ? got[self->errmsg] : NULL);
  }
  if (self->nreturned == 0) Py_RETURN_NONE;
  if (self->nreturned == 1 && !self->returns) {
    const int j = self->returned[0];
    return p2f_hand_out(t, j, given[j], place[j], &lent[j], got[j]);
  }
  PyObject *tuple = PyTuple_New(self->nreturned);
  for (int k = 0; tuple && k < self->nreturned; k++) {
    const int j = self->returned[k];
    PyObject *item = p2f_hand_out(t, j, given[j], place[j], &lent[j], got[j]);
    if (item) PyTuple_SET_ITEM(tuple, k, item);
    else Py_CLEAR(tuple);
  }
  if (tuple && self->returns) Py_SETREF(tuple, PyObject_Call(self->returns, tuple, NULL));
  return tuple;
}
