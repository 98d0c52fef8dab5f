/* start.h - the entry points that libpy2f finds by dlsym: the extension is loaded before Python is started, and imported
 * afterwards as the very same instance. Until attach.py has been imported only Python's C API may be used here. */

static int p2f_attach(py2f_library *library); /* extern "Python", attach.py */

/* Python is never finalized, since a thread may still be inside; what finalizing would have printed is printed here. */
static void p2f_at_exit(void)
{
  if (!Py_IsInitialized()) return;
  PyGILState_STATE gil = PyGILState_Ensure();
  PyRun_SimpleString("import atexit, sys\n"
                     "atexit._run_exitfuncs()\n"
                     "for stream in (sys.stdout, sys.stderr):\n"
                     "    try:\n"
                     "        stream.flush()\n"
                     "    except Exception:\n" /* closed, or nobody reads: there is nowhere to say so */
                     "        pass\n");
  PyGILState_Release(gil);
}

/* Python's libraries and the model's stay apart by RTLD_DEEPBIND; not when malloc is not libc's (jemalloc, a sanitizer): then
 * one side would free what the other allocated. */
static int p2f_isolate(void)
{
  const char *wish = getenv("PY2F_ISOLATE");
  if (wish && *wish) return strcmp(wish, "off") != 0;
  void *libc = dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD);
  return libc && dlsym(libc, "malloc") == dlsym(RTLD_DEFAULT, "malloc");
}

static int p2f_initialize(const char *executable)
{
  PyPreConfig before;
  PyConfig config;
  PyPreConfig_InitIsolatedConfig(&before);
  before.utf8_mode = 1;
  PyStatus status = Py_PreInitialize(&before);
  PyConfig_InitIsolatedConfig(&config); /* no environment, no user site, no argv, no signal handlers */
  if (!PyStatus_Exception(status)) status = PyConfig_SetBytesString(&config, &config.executable, executable);
  if (!PyStatus_Exception(status)) status = PyConfig_SetBytesString(&config, &config.program_name, executable);
  if (!PyStatus_Exception(status)) status = Py_InitializeFromConfig(&config);
  PyConfig_Clear(&config);
  if (!PyStatus_Exception(status)) return PY2F_OK;
  return p2f_fail(PY2F_NOT_STARTED, "Python does not start: %s", status.err_msg ? status.err_msg : "no reason given");
}

static void p2f_settle(void) /* what must hold before the first import of an extension */
{
  if (p2f_isolate()) PyRun_SimpleString("import os, sys\nsys.setdlopenflags(os.RTLD_NOW | os.RTLD_DEEPBIND)\n");
  /* a line is one write; unbuffered, print("a", 1) would be four, which threads and ranks mix */
  PyRun_SimpleString("import sys\nfor stream in (sys.stdout, sys.stderr):\n    if stream: stream.reconfigure(line_buffering=True)\n");
}

/* under libpy2f's lock, without the GIL */
ENTRY int py2f_runtime_start(int layout, const char *executable, void (*tell)(const char *, const char *, void (*)(void)))
{
  static const char minor[] = Py_STRINGIFY(PY_MAJOR_VERSION) "." Py_STRINGIFY(PY_MINOR_VERSION) ".";
  p2f_tell = tell;
  if (layout != PY2F_LAYOUT)
    return p2f_fail(PY2F_NOT_STARTED, "the library has layout %d, py2f of %s has %d: run py2f.export again", layout, executable, PY2F_LAYOUT);
  if (strncmp(Py_GetVersion(), minor, strlen(minor))) /* PyConfig of another minor version would start, wrongly */
    return p2f_fail(PY2F_NOT_STARTED, "py2f was compiled for Python %s and is loaded into %.20s", minor, Py_GetVersion());
  if (Py_IsInitialized()) return PY2F_OK;
  struct sigaction interrupt;
  sigaction(SIGINT, NULL, &interrupt);
  int code = p2f_initialize(executable);
  if (code) return code;
  atexit(p2f_at_exit);
  p2f_settle();
  PyRun_SimpleString("import signal"); /* the first import takes SIGINT ... */
  sigaction(SIGINT, &interrupt, NULL); /* ... which is the host's */
  PyEval_SaveThread();
  return PY2F_OK;
}

/* under no lock: importing may run anything, even a call of this library */
ENTRY int py2f_runtime_attach(py2f_library *library)
{
  PyGILState_STATE gil = PyGILState_Ensure();
  if (!p2f_clear) p2f_clear = PyUnicode_InternFromString("clear"); /* an import that fails needs it */
  PyObject *cold = PyImport_ImportModule("py2f.runtime.attach"); /* dlopens this very file again: the same handle */
  int code = PY2F_OK;
  if (!cold) code = p2f_raised(NULL) ? PY2F_IMPORT_FAILED : PY2F_OK;
  else if (!p2f_describe) code = p2f_fail(PY2F_NOT_STARTED, "Python imports another copy of py2f than %s", library->site->runtime);
  Py_XDECREF(cold);
  PyGILState_Release(gil);
  return code ? code : p2f_attach(library); /* takes the GIL itself */
}

ENTRY void py2f_runtime_take(void *returned, void *destination)
{
  p2f_take(returned, destination);
}
