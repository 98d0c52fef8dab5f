/* native.h - what the machine code that numba makes of a function (backends/numba.py) calls when something goes wrong: under
 * the GIL, which it takes for that alone. Its straight path is its own. */

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

static COLD int p2f_native_refused(py2f_procedure *p, void *words) /* one of the arrays is not allocated */
{
  const p2f_word *w = words;
  for (const py2f_argument *a = p->argument; a < p->argument + p->narguments; a++) {
    if (!(a->flags & PY2F_VIEW)) continue;
    PyObject *view = p2f_argument_view(p, a, w, Py_None);
    if (!view) break;
    Py_DECREF(view);
    w += p2f_view_words(a);
  }
  return p2f_raised(p);
}

static int p2f_native_settle(py2f_procedure *p, void *words) /* without the GIL */
{
  p2f_settle_arguments(p, words);
  return PY2F_OK;
}
