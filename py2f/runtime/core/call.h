/* call.h - the hot path. Nothing may be added here without a number: benchmarks/call.py. */

static THREAD int p2f_attached;
static void p2f_attach_thread(void); /* extern "Python", empty: cffi keeps the state of a thread that has been there */

static APART PyObject *p2f_call_mixed(py2f_procedure *p, p2f_state *f, PyObject *function, PyObject *views, const p2f_word **w, int *told)
{
  PyObject *room[p->narguments + 1], **args = room + 1, *r = NULL;
  int j, k = 0;
  for (j = 0; j < p->narguments; j++)
    if (p->argument[j].flags & PY2F_VIEW) args[j] = Py_NewRef(PyTuple_GET_ITEM(views, k++));
    else if (UNLIKELY(!(args[j] = p2f_box(p, f, j, w)))) break;
  if (LIKELY(j == p->narguments))
    r = PyObject_Vectorcall(function, args, (size_t)f->npositional | PY_VECTORCALL_ARGUMENTS_OFFSET, f->keywords);
  else *told = !PyErr_Occurred();
  if (UNLIKELY(f->specs != NULL)) p2f_end_procedures(f, p->narguments);
  while (--j >= 0) Py_DECREF(args[j]);
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
    views = LIKELY(p2f_same(frame->words, words, f->nwords) && frame->views) ? frame->views : p2f_miss(p, f, words);
    if (UNLIKELY(!views)) return wrapped && !PyErr_Occurred() ? PY2F_BAD_ARGUMENT : p2f_raised(p);
    Py_INCREF(views); /* a nested call, or another thread's, may evict the frame */
    if (wrapped) arrays = Py_NewRef(f->frame[f->recent].arrays);
  }
  if (f->nvalues == 0 && !f->keywords)
    r = PyObject_Vectorcall(function, views ? &PyTuple_GET_ITEM(views, 0) : NULL, (size_t)f->nviews, NULL);
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

STRAIGHT int p2f_enter(py2f_procedure *p, void *words, const int wrapped)
{
  p2f_state *f = p->state;
  const p2f_traps traps = p2f_mask();
  if (UNLIKELY(!p2f_attached)) {
    p2f_attach_thread();
    p2f_attached = 1;
  }
  PyGILState_STATE gil = PyGILState_Ensure();
  const int rc = p2f_invoke(p, f, f->function, words, wrapped);
  PyGILState_Release(gil);
  p2f_unmask(traps);
  return rc;
}

static int p2f_call(py2f_procedure *p, void *words)
{
  return p2f_enter(p, words, 0);
}

static int p2f_call_wrapped(py2f_procedure *p, void *words)
{
  return p2f_enter(p, words, 1);
}
