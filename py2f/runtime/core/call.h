/* call.h - the hot path. Nothing may be added here without a number: benchmarks/call.py. */

static void p2f_attach_thread(void); /* extern "Python", empty: cffi keeps the state of a thread that has been there */

/* PyGILState_Ensure() and Release() ask twice for the state of the thread, and count: that is needed only where the state is made
 * for one call, and so is none of ours. In which thread it was made, and whether it still exists, is asked anew at each call. */
static COLD PyThreadState *p2f_new_thread(void)
{
  p2f_attach_thread();
  return PyGILState_GetThisThreadState();
}

STRAIGHT PyThreadState *p2f_take_gil(void) /* the GIL; NULL: this thread has it already */
{
  PyThreadState *thread = PyGILState_GetThisThreadState();
  if (UNLIKELY(!thread)) thread = p2f_new_thread();
  if (UNLIKELY(thread == _PyThreadState_UncheckedGet())) return NULL;
  PyEval_RestoreThread(thread);
  return thread;
}

/* What PyObject_Vectorcall() does, without looking whether a Python function keeps the protocol. */
STRAIGHT PyObject *p2f_vectorcall(PyObject *function, PyObject *const *arguments, size_t n, PyObject *keywords)
{
  if (LIKELY(Py_IS_TYPE(function, &PyFunction_Type))) return ((PyFunctionObject *)function)->vectorcall(function, arguments, n, keywords);
  return PyObject_Vectorcall(function, arguments, n, keywords);
}

/* Most arguments are arrays and numbers that are always there: those are handed over here, all others by p2f_box(). */
enum { P2F_AS_VIEW, P2F_AS_FLOAT, P2F_AS_INT, P2F_AS_OTHER };

static uint8_t p2f_plan(const py2f_argument *a)
{
  if (a->flags & PY2F_VIEW) return P2F_AS_VIEW;
  if (a->flags & PY2F_OPTIONAL) return P2F_AS_OTHER;
  return p2f_kind[a->kind].word == P2F_REAL ? P2F_AS_FLOAT : p2f_kind[a->kind].word == P2F_INTEGER ? P2F_AS_INT : P2F_AS_OTHER;
}

static APART PyObject *p2f_call_mixed(py2f_procedure *p, p2f_state *f, PyObject *function, PyObject *views, const p2f_word **w, int *told)
{
  const int n = p->narguments;
  const uint8_t *plan = f->plan;
  PyObject *room[n + 1], **args = room + 1, *r = NULL, *const *view = views ? &PyTuple_GET_ITEM(views, 0) : NULL;
  const p2f_word *from = *w;
  int j;
  for (j = 0; j < n; j++) {
    if (plan[j] == P2F_AS_VIEW) args[j] = *view++; /* the tuple keeps them */
    else if (plan[j] == P2F_AS_FLOAT) args[j] = PyFloat_FromDouble((from++)->d);
    else if (plan[j] == P2F_AS_INT) args[j] = PyLong_FromLongLong((from++)->i);
    else args[j] = p2f_box(p, f, j, &from);
    if (UNLIKELY(!args[j])) break;
  }
  *w = from;
  if (LIKELY(j == n)) r = p2f_vectorcall(function, args, (size_t)f->npositional | PY_VECTORCALL_ARGUMENTS_OFFSET, f->keywords);
  else *told = !PyErr_Occurred();
  if (UNLIKELY(f->specs != NULL)) p2f_end_procedures(f, n);
  while (--j >= 0)
    if (plan[j] != P2F_AS_VIEW) Py_DECREF(args[j]);
  return r;
}

static inline void p2f_guard(p2f_state *f, PyObject *views) /* drop the frame if its views are no longer as they were made */
{
  for (int i = f->recent, n = P2F_WAYS; n-- > 0; i = (i + 1) % P2F_WAYS)
    if (LIKELY(f->frame[i].views == views)) {
      if (UNLIKELY(!p2f_intact(f, &f->frame[i]))) {
        PyObject *old = p2f_empty(&f->frame[i]);
        Py_XDECREF(old);
      }
      return;
    }
}

/* Under the GIL: the function is that of the procedure, or of a callback the one that this call was given. `wrapped` is known
 * when this is compiled: what Python sees as something else than a view costs nothing where there is no such argument. */
STRAIGHT int p2f_invoke(py2f_procedure *p, p2f_state *f, PyObject *function, void *words, const int wrapped)
{
  int rc = PY2F_OK, told = 0;
  PyObject *views = NULL, *arrays = NULL, *r;
  const p2f_word *w = (const p2f_word *)words + f->nwords;
  if (wrapped && f->tables) p2f_refresh(p, f, words);
  if (f->nviews) { /* compared under the GIL: another thread may be about to replace the frame */
    const p2f_frame *frame = &f->frame[f->recent];
    if (LIKELY(p2f_same(frame->words, words, f->nwords) && frame->views)) {
      views = Py_NewRef(frame->views); /* a nested call, or another thread's, may evict the frame */
      arrays = wrapped ? Py_NewRef(frame->arrays) : views;
    }
    else views = p2f_miss(p, f, words, wrapped ? &arrays : NULL);
    if (UNLIKELY(!views)) return wrapped && !PyErr_Occurred() ? PY2F_BAD_ARGUMENT : p2f_raised(p);
  }
  if (f->nvalues == 0 && !f->keywords)
    r = p2f_vectorcall(function, views ? &PyTuple_GET_ITEM(views, 0) : NULL, (size_t)f->nviews, NULL);
  else r = p2f_call_mixed(p, f, function, views, &w, &told);
  if (LIKELY(r != NULL)) {
    rc = p2f_result(p, r, (p2f_word *)w);
    Py_DECREF(r);
  }
  else rc = told ? PY2F_BAD_ARGUMENT : p2f_raised(p);
  if (views) {
    if (wrapped) {
      if (p2f_after_wrapped(p, f, views, arrays, words)) rc = p2f_raised(p);
      Py_DECREF(arrays);
    }
    p2f_guard(f, views);
    if (UNLIKELY(f->settles)) p2f_settle_arguments(p, words);
    Py_DECREF(views);
  }
  return rc;
}

STRAIGHT int p2f_enter(py2f_procedure *p, void *words, const int wrapped, const int counting)
{
  p2f_state *f = p->state;
  const p2f_traps traps = p2f_mask();
  PyThreadState *taken = p2f_take_gil();
  const p2f_count before = counting ? p2f_give_threads(f) : (p2f_count){ 0, 0 };
  const int rc = p2f_invoke(p, f, f->function, words, wrapped);
  if (counting) p2f_take_threads(before);
  if (LIKELY(taken != NULL)) PyEval_SaveThread();
  p2f_unmask(traps);
  return rc;
}

static int p2f_call(py2f_procedure *p, void *words)
{
  return p2f_enter(p, words, 0, 0);
}

static int p2f_call_wrapped(py2f_procedure *p, void *words)
{
  return p2f_enter(p, words, 1, 0);
}

static int p2f_call_counting(py2f_procedure *p, void *words)
{
  return p2f_enter(p, words, 0, 1);
}

static int p2f_call_wrapped_counting(py2f_procedure *p, void *words)
{
  return p2f_enter(p, words, 1, 1);
}
