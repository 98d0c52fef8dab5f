/* native.h - what the machine code that numba makes of a function (backends/numba.py) calls off its straight path. An error is
 * told under the GIL, which is taken for that alone. */

static COLD int p2f_native_raised(py2f_procedure *p) /* an exception is set */
{
  return p2f_raised(p);
}

static COLD int p2f_native_misfit(py2f_procedure *p, void *boxed) /* a reference that it is given */
{
  PyObject *result = boxed;
  p2f_word w[2];
  const int rc = result ? p2f_one_result(p, p->result, result, w) : p2f_raised(p);
  Py_XDECREF(result);
  return rc;
}

static COLD int p2f_native_unallocated(py2f_procedure *p, const py2f_argument *a, const p2f_word *w)
{
  PyGILState_STATE gil = PyGILState_Ensure();
  PyObject *view = p2f_argument_view(p, a, w, Py_None); /* says so */
  Py_XDECREF(view);
  const int rc = p2f_raised(p);
  PyGILState_Release(gil);
  return rc;
}

/* An address is that of nothing: is an array not allocated, or is it of zero size? Without the GIL. */
static int p2f_native_refused(py2f_procedure *p, void *words)
{
  const p2f_word *w = words;
  for (const py2f_argument *a = p->argument; a < p->argument + p->narguments; a++) {
    if (!(a->flags & PY2F_VIEW)) continue;
    int64_t size = 1;
    for (int r = 1; r <= a->rank; r++) size *= w[r].i;
    if (size && (uintptr_t)w[0].p < 65536) return p2f_native_unallocated(p, a, w);
    w += p2f_view_words(a);
  }
  return PY2F_OK;
}

static int p2f_native_settle(py2f_procedure *p, void *words) /* without the GIL */
{
  p2f_settle_arguments(p, words);
  return PY2F_OK;
}

/* Floating-point traps: LLVM may compute what the program would not have, so that they must not trap. Looking for them at each
 * call would double its cost: a program that has none at the first call of a procedure is not asked again. */
static int p2f_call_native_masked(py2f_procedure *p, void *words)
{
  const p2f_traps traps = p2f_mask();
  const int rc = ((p2f_state *)p->state)->native(p, words);
  p2f_unmask(traps);
  return rc;
}

static int p2f_call_native_first(py2f_procedure *p, void *words)
{
  p2f_native call = p2f_trapping() ? p2f_call_native_masked : ((p2f_state *)p->state)->native;
  __atomic_store_n(&p->call, call, __ATOMIC_RELEASE);
  return call(p, words);
}
