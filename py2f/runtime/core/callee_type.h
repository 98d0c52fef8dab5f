/* callee_type.h - the callable as a Python type, and what fetch.py tells it. It is found by name when it is pickled, as
 * functions are, and carries attributes, as functions do. */

static PyTypeObject *p2f_procedure_class;

static PyObject *p2f_callee_first(PyObject *object, PyObject *const *args, size_t flagged, PyObject *keywords)
{
  p2f_callee *self = (p2f_callee *)object;
  if (!self->forward) {
    PyObject *done = PyObject_CallOneArg(self->resolve, object); /* p2f_callee_bind, or an exception */
    if (!done) return NULL;
    Py_DECREF(done);
  }
  if (self->forward) return PyObject_Vectorcall(self->forward, args, flagged, keywords);
  return self->vectorcall(object, args, flagged, keywords);
}

static PyObject *p2f_callee_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
  PyObject *resolve;
  if (keywords || !PyArg_ParseTuple(args, "O:Procedure", &resolve)) return NULL;
  p2f_callee *self = (p2f_callee *)type->tp_alloc(type, 0);
  if (!self) return NULL;
  self->vectorcall = p2f_callee_first;
  self->resolve = Py_NewRef(resolve);
  return (PyObject *)self;
}

static int p2f_callee_traverse(PyObject *object, visitproc visit, void *arg)
{
  p2f_callee *self = (p2f_callee *)object;
  Py_VISIT(Py_TYPE(object));
  Py_VISIT(self->dict);
  Py_VISIT(self->resolve);
  Py_VISIT(self->forward);
  Py_VISIT(self->keep);
  return 0;
}

static int p2f_callee_clear(PyObject *object)
{
  p2f_callee *self = (p2f_callee *)object;
  Py_CLEAR(self->dict);
  Py_CLEAR(self->resolve);
  Py_CLEAR(self->forward);
  return 0;
}

static void p2f_callee_dealloc(PyObject *object)
{
  p2f_callee *self = (p2f_callee *)object;
  PyTypeObject *type = Py_TYPE(object);
  PyObject_GC_UnTrack(object);
  if (self->weak) PyObject_ClearWeakRefs(object);
  p2f_callee_clear(object);
  Py_CLEAR(self->keep);
  free(self->defaults);
  free(self->parameter);
  free(self->returned);
  free(self->quick);
  type->tp_free(object);
  Py_DECREF(type);
}

static PyObject *p2f_callee_reduce(PyObject *object, PyObject *unused)
{
  (void)unused;
  return PyObject_GetAttrString(object, "__qualname__");
}

static PyObject *p2f_callee_repr(PyObject *object)
{
  p2f_callee *self = (p2f_callee *)object;
  if (!self->dict && self->target) return PyUnicode_FromFormat("<Fortran procedure %s>", self->target->name);
  PyObject *name = PyObject_GetAttrString(object, "__qualname__");
  PyObject *text = name ? PyUnicode_FromFormat("<Fortran procedure %U>", name) : NULL;
  Py_XDECREF(name);
  return text;
}

/* In a class it is called like a static method; to inspect and help() it is a routine, since it has this. */
static PyObject *p2f_callee_get(PyObject *object, PyObject *instance, PyObject *owner)
{
  (void)instance, (void)owner;
  return Py_NewRef(object);
}

static PyMemberDef p2f_callee_members[] = {
  { "__vectorcalloffset__", T_PYSSIZET, offsetof(p2f_callee, vectorcall), READONLY, NULL },
  { "__dictoffset__", T_PYSSIZET, offsetof(p2f_callee, dict), READONLY, NULL },
  { "__weaklistoffset__", T_PYSSIZET, offsetof(p2f_callee, weak), READONLY, NULL },
  { NULL, 0, 0, 0, NULL },
};
static PyGetSetDef p2f_callee_attributes[] = {
  { "__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, NULL, NULL },
  { NULL, NULL, NULL, NULL, NULL },
};
static PyMethodDef p2f_callee_methods[] = {
  { "__reduce__", p2f_callee_reduce, METH_NOARGS, NULL },
  { NULL, NULL, 0, NULL },
};
static PyType_Slot p2f_callee_slots[] = {
  { Py_tp_new, p2f_callee_new },
  { Py_tp_dealloc, p2f_callee_dealloc },
  { Py_tp_traverse, p2f_callee_traverse },
  { Py_tp_clear, p2f_callee_clear },
  { Py_tp_call, PyVectorcall_Call },
  { Py_tp_descr_get, p2f_callee_get },
  { Py_tp_repr, p2f_callee_repr },
  { Py_tp_members, p2f_callee_members },
  { Py_tp_getset, p2f_callee_attributes },
  { Py_tp_methods, p2f_callee_methods },
  { 0, NULL },
};
static PyType_Spec p2f_callee_spec = {
  "py2f.Procedure", sizeof(p2f_callee), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL, p2f_callee_slots,
};

/* ---- called by fetch.py through cffi; objects travel as addresses */

/* Appends the type to `list`; `error` is the exception of a procedure that reports a status. Nonzero: an exception was printed. */
static int p2f_callee_type(uintptr_t list, uintptr_t error)
{
  PyGILState_STATE gil = PyGILState_Ensure();
  PyObject *type = _import_array() < 0 ? NULL : PyType_FromSpec(&p2f_callee_spec);
  int bad = !type || PyList_Append((PyObject *)list, type) < 0;
  if (bad) PyErr_Print();
  p2f_procedure_class = (PyTypeObject *)type;
  p2f_fortran_error = Py_NewRef((PyObject *)error);
  PyGILState_Release(gil);
  return bad;
}

static int *p2f_numbers(PyObject *tuple)
{
  const Py_ssize_t n = PyTuple_GET_SIZE(tuple);
  int *numbers = malloc(sizeof(int) * (size_t)(n + 1));
  for (Py_ssize_t k = 0; numbers && k < n; k++) numbers[k] = (int)PyLong_AsLong(PyTuple_GET_ITEM(tuple, k));
  return numbers;
}

/* `spec`: (names, defaults, parameters, how many of them are positional, returned, NamedTuple class or None, copies, nogil,
 * status, message), made by fetch.py; a default that is the tuple of names itself is none. Nonzero: no memory. */
static int p2f_callee_fill(p2f_callee *self, const py2f_target *target, PyObject *spec)
{
  PyObject *defaults = PyTuple_GET_ITEM(spec, 1), *returns = PyTuple_GET_ITEM(spec, 5);
  int *number[] = { &self->copies, &self->nogil, &self->stat, &self->errmsg };
  self->names = PyTuple_GET_ITEM(spec, 0);
  self->parameter = p2f_numbers(PyTuple_GET_ITEM(spec, 2));
  self->nparameters = (int)PyTuple_GET_SIZE(PyTuple_GET_ITEM(spec, 2));
  self->npositional = (int)PyLong_AsLong(PyTuple_GET_ITEM(spec, 3));
  self->returned = p2f_numbers(PyTuple_GET_ITEM(spec, 4));
  self->nreturned = (int)PyTuple_GET_SIZE(PyTuple_GET_ITEM(spec, 4));
  self->returns = returns == Py_None ? NULL : returns;
  for (int k = 0; k < 4; k++) *number[k] = (int)PyLong_AsLong(PyTuple_GET_ITEM(spec, 6 + k));
  self->defaults = calloc((size_t)target->narguments + 1, sizeof *self->defaults);
  if (!self->parameter || !self->returned || !self->defaults) return 1;
  for (int j = 0; j < target->narguments; j++) {
    PyObject *given = PyTuple_GET_ITEM(defaults, j);
    self->defaults[j] = given == self->names ? NULL : given;
    self->narrays += p2f_takes_place(&target->argument[j]);
  }
  self->keep = Py_NewRef(spec);
  self->target = target;
  self->quick = p2f_new_quick(self);
  self->vectorcall = p2f_quickest(self);
  return 0;
}

static int p2f_callee_bind(uintptr_t object, const py2f_target *target, uintptr_t spec)
{
  PyGILState_STATE gil = PyGILState_Ensure();
  int bad = p2f_callee_fill((p2f_callee *)object, target, (PyObject *)spec);
  PyGILState_Release(gil);
  return bad;
}

/* ---- procedures that are arguments of exported functions: valid during the call */

static PyObject *p2f_callee_ended(PyObject *object, PyObject *const *args, size_t flagged, PyObject *keywords)
{
  (void)args, (void)flagged, (void)keywords;
  PyErr_Format(PyExc_RuntimeError, "'%s' is an argument of a call that has ended: it is valid until the function returns", ((p2f_callee *)object)->target->name);
  return NULL;
}

/* The callable that was made for the last call serves again, if nobody kept it. */
static PyObject *p2f_lent_procedure(const py2f_procedure *p, const p2f_state *f, int j, void *procedure)
{
  p2f_callee *callee = (p2f_callee *)f->lent[j];
  if (!callee || Py_REFCNT(callee) != 1) {
    callee = (p2f_callee *)p2f_procedure_class->tp_alloc(p2f_procedure_class, 0);
    if (!callee) return NULL;
    const py2f_target *target = f->targets;
    for (int k = 0; k < j; k++) target += p2f_kind[p->argument[k].kind].word == P2F_PROCEDURE;
    if (p2f_callee_fill(callee, target, PyTuple_GET_ITEM(f->specs, j))) {
      Py_DECREF(callee);
      return PyErr_NoMemory();
    }
    Py_XSETREF(f->lent[j], (PyObject *)callee);
  }
  callee->vectorcall = p2f_quickest(callee);
  callee->procedure = procedure;
  return Py_NewRef((PyObject *)callee);
}

static void p2f_end_procedures(const p2f_state *f, int n)
{
  for (int j = 0; j < n; j++)
    if (f->lent[j]) ((p2f_callee *)f->lent[j])->vectorcall = p2f_callee_ended;
}

static void p2f_callee_forward(uintptr_t object, uintptr_t callable) /* calls are made by Python: in another process */
{
  PyGILState_STATE gil = PyGILState_Ensure();
  Py_XSETREF(((p2f_callee *)object)->forward, Py_NewRef((PyObject *)callable));
  PyGILState_Release(gil);
}

/* The targets of a plugin; NULL: dlerror() or the missing symbol is told in `trouble`. */
static const py2f_targets *p2f_open(const char *path, const char *symbol, char *trouble, size_t room)
{
  void *plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  const py2f_targets *targets = plugin && *symbol ? dlsym(plugin, symbol) : NULL;
  if (plugin && !*symbol) return NULL; /* loaded for others */
  if (!targets) snprintf(trouble, room, "%s", dlerror());
  return targets;
}
