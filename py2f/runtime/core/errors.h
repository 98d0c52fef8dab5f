/* errors.h - every error ends in libpy2f, which keeps the text of the last one of each thread and needs no Python. */

static void (*p2f_tell)(const char *message, const char *traceback, void (*explain)(void)); /* libpy2f's error_set */
static PyObject *p2f_clear;    /* the string "clear" */
static PyObject *p2f_describe; /* attach.describe(exception) -> (message, traceback) */
static THREAD PyObject **p2f_carried; /* inside a callback: where its exception waits for Fortran to return to Python */
static THREAD PyObject *p2f_kept; /* this thread's last exception, its frames emptied */

static COLD __attribute__((format(printf, 2, 3))) int p2f_fail(int code, const char *format, ...)
{
  char text[1024];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  if (!p2f_carried) p2f_tell(text, NULL, NULL);
  else if (!*p2f_carried) *p2f_carried = PyObject_CallFunction(PyExc_TypeError, "s", text);
  return code;
}

/* Both texts as any C string may be: UTF-8, without NUL. Returns what they live in, a new reference, or NULL. */
static COLD PyObject *p2f_described(PyObject *exception, const char **message, const char **traceback)
{
  PyObject *described = p2f_describe ? PyObject_CallFunctionObjArgs(p2f_describe, exception, NULL) : NULL;
  if (described && PyArg_ParseTuple(described, "ss", message, traceback)) return described;
  PyErr_Clear();
  Py_XDECREF(described);
  return NULL;
}

/* Formatting a traceback costs 20 us and most errors are handled: it is made when py2f_traceback() or the end asks for it. */
static void p2f_explain(void)
{
  const p2f_traps traps = p2f_mask(); /* an exception may show its arrays */
  PyGILState_STATE gil = PyGILState_Ensure();
  const char *message, *text;
  PyObject *described = p2f_kept ? p2f_described(p2f_kept, &message, &text) : NULL;
  if (described) p2f_tell(NULL, text, NULL);
  Py_XDECREF(described);
  Py_CLEAR(p2f_kept);
  PyGILState_Release(gil);
  p2f_unmask(traps);
}

static PyObject *p2f_fetch(void) /* the exception that is being raised, with its traceback */
{
#if PY_VERSION_HEX >= 0x030C0000
  return PyErr_GetRaisedException();
#else
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  if (trace) PyException_SetTraceback(value, trace);
  Py_XDECREF(type);
  Py_XDECREF(trace);
  return value;
#endif
}

static void p2f_empty_frames(PyObject *exception) /* no array stays alive because an error is remembered */
{
  PyObject *trace = PyException_GetTraceback(exception);
  for (PyTracebackObject *t = (PyTracebackObject *)trace; t && (PyObject *)t != Py_None; t = t->tb_next) {
    PyObject *done = PyObject_CallMethodNoArgs((PyObject *)t->tb_frame, p2f_clear);
    if (!done) PyErr_Clear(); /* the frame still runs */
    Py_XDECREF(done);
  }
  Py_XDECREF(trace);
}

static const char *p2f_file_of(const void *symbol) /* that it lies in; empty: the loader does not know */
{
  Dl_info where;
  return dladdr(symbol, &where) && where.dli_fname ? where.dli_fname : "";
}

static const char *p2f_last_part(const char *name) /* of a type: without its module */
{
  const char *dot = strrchr(name, '.');
  return dot ? dot + 1 : name;
}

static const char *p2f_type_name(PyObject *o)
{
  return o == Py_None ? "None" : p2f_last_part(Py_TYPE(o)->tp_name);
}

static int p2f_takes_readonly(const py2f_procedure *p)
{
  for (int j = 0; p && j < p->narguments; j++) if (p->argument[j].flags & PY2F_READONLY) return 1;
  return 0;
}

/* An exception is on its way: keep it, tell its message. */
static COLD int p2f_raised(const py2f_procedure *p)
{
  PyObject *exception = p2f_fetch(), *old = p2f_kept;
  if (p2f_carried) {
    if (*p2f_carried) Py_DECREF(exception);
    else *p2f_carried = exception;
    return PY2F_EXCEPTION;
  }
  p2f_empty_frames(exception);
  Py_ssize_t length = 0;
  PyObject *string = PyObject_Str(exception), *described = NULL;
  const char *words = string ? PyUnicode_AsUTF8AndSize(string, &length) : NULL, *hint = "", *message = NULL, *traceback;
  if (!words) PyErr_Clear();
  if (string && (!words || strlen(words) != (size_t)length)) described = p2f_described(exception, &message, &traceback); /* its str() would be cut */
  if (words && PyErr_GivenExceptionMatches(exception, PyExc_ValueError) && strstr(words, "is read-only") && p2f_takes_readonly(p))
    hint = " (an array that is written must be marked Out or InOut)";
  size_t room = (words ? strlen(words) : 0) + 256;
  char *text = malloc(room);
  if (text) snprintf(text, room, words && *words ? "%.100s: %s%s" : "%.100s", p2f_type_name(exception), words, hint);
  p2f_kept = exception;
  p2f_tell(message ? message : text ? text : "MemoryError", NULL, p2f_explain);
  free(text);
  Py_XDECREF(described);
  int code = PyErr_GivenExceptionMatches(exception, PyExc_SystemExit) ? PY2F_EXIT : PY2F_EXCEPTION;
  Py_XDECREF(string);
  Py_XDECREF(old); /* last: its destructor may run anything */
  return code;
}
