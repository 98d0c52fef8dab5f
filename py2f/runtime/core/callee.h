/* callee.h - the call of a Fortran procedure: match what was given with the arguments; lend scalars and arrays, then what
 * depends on extents; call the thunk; hand out what came back. The hot path of the way back: benchmarks/fetch.py. */

/* ---- match */

static COLD int p2f_find(const p2f_callee *self, PyObject *name)
{
  for (int j = 0; j < self->target->narguments; j++)
    if (PyTuple_GET_ITEM(self->names, j) == name) return j;
  for (int j = 0; j < self->target->narguments; j++)
    if (PyUnicode_Compare(PyTuple_GET_ITEM(self->names, j), name) == 0) return j;
  return -1;
}

static COLD int p2f_match_keywords(const p2f_callee *self, PyObject *const *values, PyObject *names, PyObject **given)
{
  for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(names); k++) {
    PyObject *name = PyTuple_GET_ITEM(names, k);
    const int j = p2f_find(self, name);
    if (j < 0 || j == self->stat || j == self->errmsg) {
      PyErr_Format(PyExc_TypeError, "'%s' has no argument '%U'", self->target->name, name);
      return -1;
    }
    if (given[j]) {
      PyErr_Format(PyExc_TypeError, "'%s' was given argument '%U' twice", self->target->name, name);
      return -1;
    }
    if (values[k] == Py_None && self->target->argument[j].flags & PY2F_OUT && !(self->target->argument[j].flags & PY2F_OPTIONAL))
      continue; /* as if it were left out: what inspect.signature() shows as the default */
    given[j] = values[k];
  }
  return 0;
}

static COLD int p2f_match_rest(const p2f_callee *self, PyObject *const *args, Py_ssize_t n, PyObject *names, PyObject **given)
{
  const py2f_target *t = self->target;
  if (n > self->npositional) {
    PyErr_Format(PyExc_TypeError, "'%s' takes %d positional argument%s, %zd %s given", t->name, self->npositional,
      self->npositional == 1 ? "" : "s", n, n == 1 ? "was" : "were");
    return -1;
  }
  if (names && p2f_match_keywords(self, args + n, names, given)) return -1;
  for (int k = 0; k < self->nparameters; k++) {
    const int j = self->parameter[k];
    if (!given[j]) given[j] = self->defaults[j];
    if (given[j]) continue;
    PyErr_Format(PyExc_TypeError, "'%s' needs argument '%s'", t->name, t->argument[j].name);
    return -1;
  }
  return 0;
}

/* ---- call */

/* Fortran calls what it was given as argument j. After an exception nothing is called any more: Fortran gets zero. */
static int p2f_back(py2f_calling *calling, int j, py2f_procedure *p, void *words)
{
  p2f_context *context = (p2f_context *)calling;
  const p2f_traps traps = p2f_mask();
  const int held = calling->alone; /* then this is the thread that holds Python's lock: see py2f_back.h */
  PyGILState_STATE gil = held ? PyGILState_LOCKED : PyGILState_Ensure();
  PyObject **carried = p2f_carried;
  int rc = PY2F_EXCEPTION;
  p2f_carried = &context->raised;
  if (!p->state && !(p->state = p2f_new_callback(p))) p2f_raised(p);
  if (!context->raised) rc = p2f_invoke(p, p->state, context->given[j], words, 0);
  p2f_carried = carried;
  if (!held) PyGILState_Release(gil);
  p2f_unmask(traps);
  return rc;
}

/* A procedure of the host that it has not provided: one that C knows by the same name, if the linker has kept that. */
static COLD void *p2f_find_in_host(py2f_calling *calling, int by_symbol)
{
  const char *name = ((const py2f_target *)calling->target)->name;
  void *procedure = by_symbol ? dlsym(RTLD_DEFAULT, name) : NULL;
  PyGILState_STATE gil = PyGILState_Ensure();
  if (!procedure)
    PyErr_Format(PyExc_RuntimeError, "'%s' is not provided: the Fortran program has to call provide_%s(...) first%s", name, name,
                 by_symbol ? ", or to export a bind(c) procedure of this name (link with -rdynamic)" : "");
  PyGILState_Release(gil);
  return procedure;
}

static COLD void p2f_raise(PyObject *exception) /* with its traceback; steals it */
{
#if PY_VERSION_HEX >= 0x030C0000
  PyErr_SetRaisedException(exception);
#else
  PyErr_Restore(Py_NewRef(Py_TYPE(exception)), exception, PyException_GetTraceback(exception));
#endif
}

static int p2f_takes_place(const py2f_argument *a) /* more than a scalar that Fortran only reads */
{
  return a->rank || p2f_kind[a->kind].word >= P2F_TEXT || !(a->flags & PY2F_READONLY);
}

/* What does not depend on extents: scalars, and arrays that were given. */
static inline int p2f_lend(const p2f_callee *self, int j, PyObject *o, py2f_array *array, p2f_lent *l, void **place)
{
  const py2f_argument *a = &self->target->argument[j];
  const int word = p2f_kind[a->kind].word;
  if (a->flags & PY2F_GIVEN) return o ? p2f_refuse(PyExc_TypeError, self, a, "Fortran allocates it, so none can be given") : 0;
  if (!o) { /* an Out that was not given */
    l->value[0].i = l->value[1].i = 0;
    *place = a->rank || word >= P2F_TEXT ? NULL : l->value;
    return 0;
  }
  if (UNLIKELY(o == Py_None) && a->flags & PY2F_OPTIONAL) return 0;
  if (word >= P2F_TEXT) { /* later; other arguments may have the same extents */
    if (a->rank) *place = array;
    return a->rank ? p2f_measure(self, a, o, array) : 0;
  }
  if (word == P2F_PROCEDURE) {
    *place = o;
    return PyCallable_Check(o) ? 0 : p2f_refuse(PyExc_TypeError, self, a, "%s was given, %s is declared", p2f_type_name(o), a->declared);
  }
  if (a->rank || !(a->flags & PY2F_READONLY)) {
    if (UNLIKELY(p2f_lend_array(self, a, o, array, l))) return -1;
    *place = a->rank ? (void *)array : array->first;
    return 0;
  }
  *place = l->value;
  return p2f_lend_value(self, a, o, l->value);
}

/* What does: texts of declared length, and room for what Fortran defines. */
static int p2f_lend_rest(const p2f_callee *self, int j, PyObject *o, const int64_t *wanted, py2f_array *array, p2f_lent *l, void **place)
{
  const py2f_argument *a = &self->target->argument[j];
  const int word = p2f_kind[a->kind].word;
  const int64_t length = a->flags & PY2F_LENGTH ? wanted[a->rank] : PY2F_ANY;
  if ((*place && word < P2F_TEXT) || a->flags & PY2F_GIVEN || (o == Py_None && a->flags & PY2F_OPTIONAL)) return 0;
  *place = array;
  if (o)
    return word == P2F_TEXT ? p2f_lend_text(self, a, o, length, array, l) : word == P2F_TEXTS ? p2f_lend_texts(self, a, o, length, array, l)
      : p2f_lend_string(self, a, o, length, array, l);
  return word == P2F_TEXT ? p2f_make_text(self, a, length, array, l) : p2f_make_room(self, a, wanted, length, array, l);
}

static PyObject *p2f_callee_call(PyObject *object, PyObject *const *args, size_t flagged, PyObject *keywords)
{
  p2f_callee *self = (p2f_callee *)object;
  const py2f_target *t = self->target;
  const Py_ssize_t nargs = PyVectorcall_NARGS(flagged);
  const int n = t->narguments;
  PyObject *given[n + 1], *got[n + 1], *outcome = NULL;
  void *place[n + 1];
  p2f_lent lent[n + 1];
  py2f_array arrays[self->narrays + 1], *array = arrays;
  int64_t wanted[t->nwanted + 1], *at = wanted;
  int j;
  for (j = 0; j <= n; j++) given[j] = got[j] = NULL, place[j] = NULL, lent[j].temporary = NULL, lent[j].original = NULL;
  for (Py_ssize_t k = 0; k < nargs && k < self->npositional; k++) given[self->parameter[k]] = args[k];
  if (UNLIKELY(nargs != self->npositional || keywords || self->npositional != self->nparameters) && p2f_match_rest(self, args, nargs, keywords, given)) return NULL;
  for (j = 0; j < n; j++) {
    if (UNLIKELY(p2f_lend(self, j, given[j], array, &lent[j], &place[j]))) goto done;
    array += p2f_takes_place(&t->argument[j]);
  }
  if (t->nwanted) {
    const int where = p2f_mismatch(t, place, wanted);
    if (UNLIKELY(where >= 0)) {
      p2f_bad_extent(self, where, place, wanted);
      goto done;
    }
  }
  for (j = 0, array = arrays; j < n; j++) {
    const py2f_argument *a = &t->argument[j];
    if ((!place[j] || p2f_kind[a->kind].word >= P2F_TEXT) && UNLIKELY(p2f_lend_rest(self, j, given[j], at, array, &lent[j], &place[j]))) goto done;
    array += p2f_takes_place(a);
    at += p2f_declared_extents(a);
  }
  if (UNLIKELY(self->narrays > 1) && UNLIKELY(p2f_keep_apart(self, given, place, lent))) goto done;
  place[n] = lent[n].value;
  p2f_context context = { { t, NULL, !self->nogil, self->procedure, p2f_find_in_host, p2f_back, p2f_give }, self, got, at, given, NULL };
  PyObject **carried = p2f_carried; /* what the procedure calls in turn has errors of its own */
  p2f_carried = NULL;
  if (self->nogil) {
    PyThreadState *state = PyEval_SaveThread();
    t->call(place, &context.face);
    PyEval_RestoreThread(state);
  }
  else t->call(place, &context.face);
  p2f_carried = carried;
  if (t->nresults && !got[n] && t->result->flags & PY2F_GIVEN && t->result->flags & PY2F_EXPLICIT)
    p2f_give(&context.face, n, NULL, 0, at); /* gfortran allocates nothing for a result of zero size */
  if (UNLIKELY(context.raised != NULL)) p2f_raise(context.raised);
  else if (LIKELY(!PyErr_Occurred()) && LIKELY(p2f_copy_back(t, lent) == 0)) outcome = p2f_outcome(self, given, place, lent, got);
done:
  for (j = 0; j <= n; j++) {
    Py_XDECREF(lent[j].temporary);
    Py_XDECREF(got[j]);
  }
  return outcome;
}
