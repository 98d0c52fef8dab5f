/* bind.h - from a table to callable procedures; called by attach.py through cffi, which drops the GIL around every C function. */

static int p2f_gone(py2f_procedure *p, void *words)
{
  (void)words;
  return p2f_fail(PY2F_NOT_STARTED, "'%s': the Python interpreter has been finalized", p->name);
}

static void p2f_finalized(void) /* by a host that finalizes its Python; we never do */
{
  for (p2f_state *f = p2f_states; f; f = f->before) __atomic_store_n(&f->procedure->call, p2f_gone, __ATOMIC_RELEASE);
}

static int p2f_report(int code, const char *message, const char *traceback)
{
  p2f_tell(message, traceback, NULL);
  return code;
}

static int p2f_bound(void) /* how many procedures */
{
  int n = 0;
  for (p2f_state *f = p2f_states; f; f = f->before) n++;
  return n;
}

static int p2f_ready(uintptr_t describe) /* at the import of attach.py; nonzero: NumPy does not load */
{
  PyGILState_STATE gil = PyGILState_Ensure();
  int bad = _import_array() < 0;
  if (bad) PyErr_Print();
  else {
    p2f_describe = Py_NewRef((PyObject *)describe);
    Py_AtExit(p2f_finalized);
  }
  PyGILState_Release(gil);
  return bad;
}

/* The targets of a procedure's arguments: they follow those of the host, and those of the procedures before it. */
static const py2f_target *p2f_first_target(const py2f_procedure *p)
{
  const py2f_target *target = p->library->targets->target;
  while (target->reach == PY2F_PROVIDED) target++;
  for (const py2f_procedure *q = p->library->procedure; q < p; q++)
    for (int j = 0; j < q->narguments; j++) target += p2f_kind[q->argument[j].kind].word == P2F_PROCEDURE;
  return target;
}

static p2f_state *p2f_new_state(py2f_procedure *p, PyObject *function, PyObject *absent, PyObject *keywords, PyObject *specs)
{
  p2f_state *f = calloc(1, sizeof *f);
  int highest = 0;
  if (!f) return NULL;
  f->procedure = p;
  f->function = Py_NewRef(function);
  if (specs != Py_None) {
    f->specs = Py_NewRef(specs);
    f->targets = p2f_first_target(p);
    if (!(f->lent = calloc((size_t)p->narguments + 1, sizeof *f->lent))) return NULL;
  }
  f->absent = Py_NewRef(absent);
  f->keywords = PyTuple_GET_SIZE(keywords) ? Py_NewRef(keywords) : NULL;
  f->npositional = p->narguments - (int)PyTuple_GET_SIZE(keywords);
  f->moves = 1;
  if (!(f->plan = malloc((size_t)p->narguments + 1))) return NULL;
  for (const py2f_argument *a = p->argument; a < p->argument + p->narguments; a++) {
    const int view = (a->flags & PY2F_VIEW) != 0;
    f->nvalues += !view;
    f->nviews += view;
    f->nwords += view ? p2f_view_words(a) : 0;
    if (a->rank > highest) highest = a->rank;
    f->plan[a - p->argument] = p2f_plan(a);
    f->moves &= !view || p2f_kind[a->kind].word != P2F_STRING;
    f->settles |= view && p2f_settles(a) && !(a->flags & PY2F_READONLY);
  }
  f->image_size = sizeof(p2f_image) + 2 * (size_t)highest * sizeof(npy_intp);
  for (int k = 0; k < P2F_WAYS; k++) {
    f->frame[k].words = calloc((size_t)f->nwords + 1, sizeof(p2f_word));
    f->frame[k].images = calloc((size_t)f->nviews + 1, f->image_size);
    if (!f->frame[k].words || !f->frame[k].images) return NULL; /* the job is over anyhow */
  }
  return f;
}

/* `wraps`: a tuple of (what makes something of the view or None, base of its indices), one a view */
static int p2f_add_wraps(p2f_state *f, PyObject *wraps, PyObject *keeper)
{
  if (!(f->wraps = PyTuple_New(f->nviews)) || !(f->base = calloc((size_t)f->nviews + 1, sizeof *f->base))) return -1;
  for (int k = 0; k < f->nviews; k++) {
    PyObject *pair = PyTuple_GET_ITEM(wraps, k);
    PyTuple_SET_ITEM(f->wraps, k, Py_NewRef(PyTuple_GET_ITEM(pair, 0)));
    f->base[k] = PyLong_AsLongLong(PyTuple_GET_ITEM(pair, 1));
    f->tables |= f->base[k] != 0;
  }
  f->moves = 0;
  f->keeper = Py_NewRef(keeper);
  return 0;
}

static p2f_state *p2f_new_callback(py2f_procedure *p) /* an absent argument is None; NULL with an exception */
{
  PyObject *absent = PyTuple_New(p->narguments), *keywords = PyTuple_New(0);
  for (int j = 0; absent && j < p->narguments; j++) PyTuple_SET_ITEM(absent, j, Py_NewRef(Py_None));
  p2f_state *state = absent && keywords ? p2f_new_state(p, Py_None, absent, keywords, Py_None) : NULL;
  if (!state && !PyErr_Occurred()) PyErr_NoMemory();
  Py_XDECREF(absent);
  Py_XDECREF(keywords);
  return state;
}

/* What a row calls: whoever looks at the number of threads pays for it. */
static p2f_native p2f_entry(const p2f_state *f)
{
  if (f->native) return p2f_call_native_first;
  if (p2f_counting) return f->wraps ? p2f_call_wrapped_counting : p2f_call_counting;
  return f->wraps ? p2f_call_wrapped : p2f_call;
}

static void p2f_start_counting(void) /* numbers are told from now on: also those who want none have to be told */
{
  p2f_counting = 1;
  p2f_modules = PyImport_GetModuleDict();
  for (p2f_state *f = p2f_states; f; f = f->before)
    if (!f->native) __atomic_store_n(&f->procedure->call, p2f_entry(f), __ATOMIC_RELEASE);
}

/* `functions`: a list of (function, absent, keywords, specs or None, wraps or None, keeper, address of machine code or 0,
 * threads), one a row of the table */
static int p2f_bind(py2f_library *library, uintptr_t functions)
{
  PyGILState_STATE gil = PyGILState_Ensure();
  int rc = PY2F_OK;
  for (int i = 0; i < library->count && rc == PY2F_OK; i++) {
    py2f_procedure *p = &library->procedure[i];
    PyObject *row = PyList_GET_ITEM((PyObject *)functions, i);
    if (p->state) continue; /* another thread was here first */
    PyObject *wraps = PyTuple_GET_ITEM(row, 4);
    p2f_state *f = p2f_new_state(p, PyTuple_GET_ITEM(row, 0), PyTuple_GET_ITEM(row, 1), PyTuple_GET_ITEM(row, 2), PyTuple_GET_ITEM(row, 3));
    if (!f || (wraps != Py_None && p2f_add_wraps(f, wraps, PyTuple_GET_ITEM(row, 5)))) rc = p2f_fail(PY2F_NOT_STARTED, "no memory for the frames of '%s'", p->name);
    else {
      f->before = p2f_states;
      p2f_states = f;
      p->state = f;
      f->native = (p2f_native)(uintptr_t)PyLong_AsVoidPtr(PyTuple_GET_ITEM(row, 6));
      f->threads = (int)PyLong_AsLong(PyTuple_GET_ITEM(row, 7));
      if (!p2f_counting && (f->threads > 0 || (f->threads == P2F_HOST_THREADS && p2f_openmp.most))) p2f_start_counting();
      __atomic_store_n(&p->call, p2f_entry(f), __ATOMIC_RELEASE); /* last: from here on every thread comes straight in */
    }
  }
  PyGILState_Release(gil);
  return rc;
}
