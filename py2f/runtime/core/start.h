/* start.h - the entry points that libpy2f finds by dlsym: the extension is loaded before Python is started, and imported
 * afterwards as the very same instance. Until attach.py has been imported only Python's C API may be used here. */

static int p2f_attach(py2f_library *library); /* extern "Python", attach.py */

static const char *(*p2f_said)(const char *name, const char **where); /* libpy2f's py2f_setting; null: none has come, or an older one */
static int (*p2f_rank_of)(void);
static int p2f_started; /* it was we who started Python */
static char p2f_broken[256]; /* why Python did not start; it is half there then, and must not be touched again */

static void p2f_run(const char *code) /* as guarded as a call, for the exit handlers */
{
  if (p2f_broken[0] || !Py_IsInitialized()) return;
  const p2f_traps traps = p2f_mask();
  PyGILState_STATE gil = PyGILState_Ensure();
  PyRun_SimpleString(code);
  PyGILState_Release(gil);
  p2f_unmask(traps);
}

ENTRY void py2f_runtime_flush(void)
{
  p2f_run("import sys\n"
          "for stream in (sys.stdout, sys.stderr):\n"
          "    try:\n"
          "        stream.flush()\n"
          "    except Exception:\n" /* closed, or nobody reads: there is nowhere to say so */
          "        pass\n");
}

/* Python is never finalized, since a thread may still be inside; what finalizing would have printed is printed here. */
static void p2f_at_exit(void)
{
  p2f_run("import atexit\natexit._run_exitfuncs()\n");
  py2f_runtime_flush();
}

#define P2F_SETTING_NAME(name, variable, choices, prose) name "|"
#define P2F_SETTING_VARIABLE(name, variable, choices, prose) { name, variable },

ENTRY const char *py2f_runtime_ask(const char *(*setting)(const char *, const char **), int (*rank)(void)) /* what is heeded here */
{
  p2f_said = setting;
  p2f_rank_of = rank;
  return "|" PY2F_SETTINGS(P2F_SETTING_NAME);
}

static const char *p2f_setting(const char *name, const char **where) /* null: nothing is said of it */
{
  static const struct { const char *name, *variable; } all[] = { PY2F_SETTINGS(P2F_SETTING_VARIABLE) };
  if (p2f_said) return p2f_said(name, where);
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    if (strcmp(all[i].name, name)) continue;
    const char *value = getenv(*where = all[i].variable);
    return value && *value ? value : NULL;
  }
  return NULL;
}

static int p2f_rank(void) /* -1: not known */
{
  return p2f_rank_of ? p2f_rank_of() : -1;
}

static int p2f_ours(void)
{
  return p2f_started;
}

/* Python's libraries and the model's stay apart by RTLD_DEEPBIND; not when malloc is not libc's (jemalloc, a sanitizer): then
 * one side would free what the other allocated. */
static int p2f_isolate(void)
{
  const char *where, *wish = p2f_setting("isolate", &where);
  if (wish && strcmp(wish, "auto")) return strcmp(wish, "off") != 0;
  void *libc = dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD);
  return libc && dlsym(libc, "malloc") == dlsym(RTLD_DEFAULT, "malloc");
}

/* The level of optimization that is asked for: 0, 1, 2; -1: none; -2: something else, which an older libpy2f lets pass. */
static int p2f_optimize(const py2f_site *site)
{
  const char *where, *wish = p2f_setting("optimize", &where);
  if (!wish) return site->optimize;
  return wish[0] >= '0' && wish[0] <= '2' && !wish[1] ? wish[0] - '0' : -2;
}

static void p2f_initialize(const char *executable, int optimize)
{
  PyPreConfig before;
  PyConfig config;
  PyPreConfig_InitIsolatedConfig(&before);
  before.utf8_mode = 1;
  PyStatus status = Py_PreInitialize(&before);
  PyConfig_InitIsolatedConfig(&config); /* no environment, no user site, no argv, no signal handlers */
  if (optimize > 0) config.optimization_level = optimize;
  if (!PyStatus_Exception(status)) status = PyConfig_SetBytesString(&config, &config.executable, executable);
  if (!PyStatus_Exception(status)) status = PyConfig_SetBytesString(&config, &config.program_name, executable);
  if (!PyStatus_Exception(status)) status = Py_InitializeFromConfig(&config);
  PyConfig_Clear(&config);
  if (PyStatus_Exception(status)) snprintf(p2f_broken, sizeof p2f_broken, "%s", status.err_msg ? status.err_msg : "no reason given");
}

static void p2f_prepare(void) /* what must hold before the first import of an extension */
{
  if (p2f_isolate()) PyRun_SimpleString("import os, sys\nsys.setdlopenflags(os.RTLD_NOW | os.RTLD_DEEPBIND)\n");
  /* a line is one write; unbuffered, print("a", 1) would be four, which threads and ranks mix */
  PyRun_SimpleString("import sys\nfor stream in (sys.stdout, sys.stderr):\n    if stream: stream.reconfigure(line_buffering=True)\n");
  PyRun_SimpleString("import signal"); /* now, while its handler for SIGINT can be put back */
}

/* Under libpy2f's lock, without the GIL. Until the layout is compared only that member of the library may be read. Called
 * differently by libpy2f of layout 1, which looks for another name. */
ENTRY int py2f_runtime_open(const py2f_library *library, const char *executable, void (*tell)(const char *, const char *, void (*)(void)))
{
  static const char minor[] = Py_STRINGIFY(PY_MAJOR_VERSION) "." Py_STRINGIFY(PY_MINOR_VERSION);
  const size_t n = strlen(minor);
  p2f_tell = tell;
  if (library->layout != PY2F_LAYOUT)
    return p2f_fail(PY2F_NOT_STARTED, "the library has layout %d, py2f of %s has %d: run py2f.export again", library->layout, executable, PY2F_LAYOUT);
  if (strncmp(Py_GetVersion(), minor, n) || Py_GetVersion()[n] != '.') /* PyConfig of another minor version would start, wrongly */
    return p2f_fail(PY2F_NOT_STARTED, "py2f of %s was compiled for Python %s, this is %.*s: install py2f there again", executable, minor,
                    (int)strcspn(Py_GetVersion(), " "), Py_GetVersion());
  const int optimize = p2f_optimize(library->site);
  const char *where, *wish = p2f_setting("optimize", &where);
  if (optimize < -1) return p2f_fail(PY2F_NOT_STARTED, "%s must be 0, 1 or 2, not '%s'", where, wish);
  if (!p2f_broken[0] && Py_IsInitialized()) return PY2F_OK;
  struct sigaction interrupt;
  sigaction(SIGINT, NULL, &interrupt);
  p2f_count_objects();
  if (!p2f_broken[0]) p2f_initialize(executable, optimize);
  if (!p2f_broken[0]) p2f_prepare();
  sigaction(SIGINT, &interrupt, NULL); /* the first import of signal took it, but it is the host's */
  if (p2f_broken[0]) return p2f_fail(PY2F_NOT_STARTED, "Python does not start: %s", p2f_broken);
  atexit(p2f_at_exit);
  p2f_started = 1;
  PyEval_SaveThread();
  return PY2F_OK;
}

static COLD int p2f_does_not_import(void) /* the environment's trouble, not the module's */
{
  PyObject *exception = p2f_fetch(), *string = PyObject_Str(exception), *executable = PySys_GetObject("executable");
  const char *words = string ? PyUnicode_AsUTF8(string) : NULL, *where = executable ? PyUnicode_AsUTF8(executable) : NULL;
  PyErr_Clear();
  int code = p2f_fail(PY2F_NOT_STARTED, "py2f does not import in the environment of %s: %s: %s", where ? where : "this Python",
                      p2f_type_name(exception), words ? words : "");
  Py_XDECREF(string);
  Py_DECREF(exception);
  return code;
}

/* under no lock: importing may run anything, even a call of this library */
ENTRY int py2f_runtime_attach(py2f_library *library)
{
  p2f_find_openmp(); /* before an import may bring another */
  const int most = p2f_openmp.most ? p2f_openmp.most() : 0;
  PyGILState_STATE gil = PyGILState_Ensure();
  if (!p2f_clear) p2f_clear = PyUnicode_InternFromString("clear"); /* an import that fails needs it */
  PyObject *cold = PyImport_ImportModule("py2f.runtime.attach"); /* dlopens this very file again: the same handle */
  int code = PY2F_OK;
  if (!cold) code = p2f_does_not_import();
  else if (!p2f_describe)
    code = p2f_fail(PY2F_NOT_STARTED, "the Python of this process imports another py2f than %s, which %s was exported with: use one environment",
                    library->site->runtime, library->name);
  Py_XDECREF(cold);
  PyGILState_Release(gil);
  if (!code) code = p2f_attach(library); /* takes the GIL itself */
  p2f_threads_back(most);
  return code;
}

ENTRY void py2f_runtime_take(void *returned, void *destination)
{
  p2f_take(returned, destination);
}
