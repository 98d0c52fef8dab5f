/* SPDX-License-Identifier: 0BSD
 * loader.c - libpy2f: needs libc only, is built once into the wheel and copied into every prefix; one a process, whatever
 * libraries are linked with it.
 *
 * The first call of any procedure lands in py2f_first_call(): it opens libpython, then the runtime extension of that
 * environment, which starts Python and puts its own entry into every row of the table. From then on a call is one jump
 * through that row. The text of the last error lives here as well, since there is one even where there is no Python.
 * Its other two parts are py2f_ending.h and py2f_settings.h.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fenv.h>
#include <glob.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>
#include "py2f_table.h"

#define SHARED __attribute__((visibility("default")))

static struct { /* the entry points of the extension, once it is there */
  int (*open)(const py2f_library *, const char *executable, void (*tell)(const char *, const char *, void (*)(void)));
  int (*attach)(py2f_library *);
  void (*take)(void *returned, void *destination);
  void (*flush)(void);
} runtime;

/* ---- the last error of this thread */

static __thread char *last_message, *last_traceback;
static __thread void (*last_explain)(void); /* makes the traceback on demand: formatting costs 20 us */

static char *copy(const char *text)
{
  return text && *text ? strdup(text) : NULL;
}

static void error_set(const char *message, const char *traceback, void (*explain)(void)) /* no message: it stays */
{
  if (message) {
    free(last_message);
    last_message = copy(message);
  }
  free(last_traceback);
  last_traceback = copy(traceback);
  last_explain = explain;
}

static __attribute__((format(printf, 2, 3))) int error_text(int code, const char *format, ...)
{
  char text[4 * PATH_MAX];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  error_set(text, NULL, NULL);
  return code;
}

static const char *message(void)
{
  return last_message ? last_message : "";
}

static const char *traceback(void)
{
  void (*explain)(void) = last_explain;
  last_explain = NULL;
  if (explain) explain();
  return last_traceback ? last_traceback : "";
}

SHARED size_t py2f_message_length(void)
{
  return strlen(message());
}

SHARED void py2f_message_copy(char *text, size_t length) /* blank-padded, cut between characters of UTF-8 */
{
  const char *from = message();
  size_t n = strlen(from);
  if (n > length) for (n = length; n > 0 && (from[n] & 0xC0) == 0x80;) n--;
  memcpy(text, from, n);
  memset(text + n, ' ', length - n);
}

SHARED size_t py2f_traceback_length(void)
{
  return strlen(traceback());
}

SHARED void py2f_traceback_copy(char *text, size_t length)
{
  size_t n = strlen(traceback());
  memcpy(text, traceback(), n < length ? n : length);
}

SHARED void py2f_mismatch(const char *procedure, size_t nprocedure, const char *argument, size_t nargument, int dimension,
                          int64_t extent, const char *expression, size_t nexpression, int64_t wanted)
{
  int literal = nexpression > 0 && expression[0] >= '0' && expression[0] <= '9' && !memchr(expression, ' ', nexpression);
  if (literal)
    error_text(PY2F_BAD_ARGUMENT, "argument '%.*s' of '%.*s': extent %d is %lld, not %lld", (int)nargument, argument,
               (int)nprocedure, procedure, dimension, (long long)extent, (long long)wanted);
  else
    error_text(PY2F_BAD_ARGUMENT, "argument '%.*s' of '%.*s': extent %d is %lld, %.*s is %lld", (int)nargument, argument,
               (int)nprocedure, procedure, dimension, (long long)extent, (int)nexpression, expression, (long long)wanted);
}

static pthread_mutex_t starting = PTHREAD_MUTEX_INITIALIZER; /* one start a process; never held while waiting for the GIL */
static int started;

#include "py2f_ending.h"
#include "py2f_settings.h"

/* ---- which Python */

typedef struct {
  char executable[PATH_MAX], libpython[PATH_MAX], runtime[PATH_MAX], version[16];
} place;

static void escape(const char *path, char *pattern) /* for glob(): folders may have any name */
{
  const char *end = pattern + PATH_MAX - 2;
  for (; *path && pattern < end; *pattern++ = *path++) if (strchr("*?[\\", *path)) *pattern++ = '\\';
  *pattern = 0;
}

static int only(const char *pattern, char *path) /* the one file that a pattern names */
{
  glob_t found;
  if (glob(pattern, 0, NULL, &found)) return 0;
  int one = found.gl_pathc == 1;
  if (one) snprintf(path, PATH_MAX, "%s", found.gl_pathv[0]);
  globfree(&found);
  return one;
}

static void read_pyvenv(const char *prefix, char *home, int *minor) /* pyvenv.cfg: absent in a base installation */
{
  char line[PATH_MAX];
  snprintf(line, sizeof line, "%.4000s/pyvenv.cfg", prefix);
  FILE *file = fopen(line, "r");
  while (file && fgets(line, sizeof line, file)) {
    sscanf(line, " home = %4095[^\n]", home);
    if (sscanf(line, " version = 3.%d", minor) != 1) sscanf(line, " version_info = 3.%d", minor); /* uv and virtualenv */
  }
  if (file) fclose(file);
}

static int locate_runtime(const char *prefix, int minor, place *at)
{
  static const char *const folders[] = { "lib", "lib64", "local/lib" }, *const packages[] = { "site-packages", "dist-packages" };
  char pattern[PATH_MAX], folder[PATH_MAX], which[16] = "*";
  escape(prefix, folder);
  if (minor) snprintf(which, sizeof which, "%d", minor);
  for (int i = 0; i < 6; i++) {
    snprintf(pattern, sizeof pattern, "%.2000s/%s/python3.%s/%s/py2f/runtime/_runtime.*.so", folder, folders[i / 2], which, packages[i % 2]);
    if (!only(pattern, at->runtime)) continue;
    sscanf(strstr(at->runtime + strlen(prefix), "/python3."), "/python3.%d", &minor);
    snprintf(at->version, sizeof at->version, "3.%d", minor);
    return 1;
  }
  return 0;
}

/* Where another environment has its libpython and its py2f: read off its layout, without running it (no fork in an MPI rank). */
static int locate(const char *executable, const char *where, place *at)
{
  char prefix[PATH_MAX], home[PATH_MAX], folder[PATH_MAX], pattern[PATH_MAX];
  int minor = 0;
  char *slash;
  if (executable[0] != '/') return error_text(PY2F_NOT_STARTED, "%s must be an absolute path, not '%s'", where, executable);
  if (access(executable, X_OK)) return error_text(PY2F_NOT_STARTED, "%s names %s, which is not there", where, executable);
  snprintf(at->executable, PATH_MAX, "%s", executable);
  snprintf(prefix, PATH_MAX, "%s", executable);
  for (int up = 0; up < 2; up++) if ((slash = strrchr(prefix, '/'))) *slash = 0;
  snprintf(home, PATH_MAX, "%.4000s/bin", prefix);
  read_pyvenv(prefix, home, &minor);
  if (!locate_runtime(prefix, minor, at))
    return error_text(PY2F_NOT_STARTED, "no py2f in the environment of %s, which %s names: pip install py2f there", executable, where);
  static const char *const folders[] = { "lib", "lib64", "lib/*-linux-gnu" };
  escape(home, folder);
  for (int i = 0; i < 3; i++) {
    snprintf(pattern, sizeof pattern, "%.2000s/../%s/libpython%s.so.1.0", folder, folders[i], at->version);
    if (only(pattern, at->libpython)) return PY2F_OK;
  }
  return error_text(PY2F_NOT_STARTED, "the Python of %s has no shared libpython beside %s; use one configured with --enable-shared", executable, home);
}

static int locate_around(const py2f_library *library, place *at) /* a library that lies in an environment, as a part of a wheel */
{
  char folder[PATH_MAX] = "", executable[PATH_MAX + 16], where[PATH_MAX + 32], *slash;
  Dl_info file;
  if (dladdr(library, &file) && realpath(file.dli_fname, folder)) snprintf(where, sizeof where, "the place of %s", folder);
  while ((slash = strrchr(folder, '/')) && slash != folder) { /* not the root: every library lies below it */
    *slash = 0;
    snprintf(executable, sizeof executable, "%s/bin/python3", folder);
    if (!access(executable, X_OK)) return locate(executable, where, at);
  }
  return error_text(PY2F_NOT_STARTED, "lib%s.so is part of a wheel, but lies in no environment of Python: install the wheel, or let PY2F_PYTHON name one",
                    library->name);
}

static int choose(const py2f_library *library, place *at)
{
  const char *where, *other = py2f_setting("python", &where);
  const py2f_site *site = library->site;
  if (other) return locate(other, where, at);
  if (!*site->executable) return locate_around(library, at);
  snprintf(at->executable, PATH_MAX, "%s", site->executable);
  snprintf(at->libpython, PATH_MAX, "%s", site->libpython);
  snprintf(at->runtime, PATH_MAX, "%s", site->runtime);
  snprintf(at->version, sizeof at->version, "%s", site->version);
  return PY2F_OK;
}

static int check(const py2f_library *library, const place *at) /* never fall back to another Python */
{
  if (access(at->executable, X_OK))
    return error_text(PY2F_NOT_STARTED, "the Python of %s is gone: %s; make it again, or let PY2F_PYTHON name another", library->name, at->executable);
  if (access(at->runtime, R_OK))
    return error_text(PY2F_NOT_STARTED, "py2f is gone from the environment of %s, it was %s; install it there again", at->executable, at->runtime);
  return PY2F_OK;
}

/* ---- the start */

static int open_libpython(const py2f_library *library, const place *at) /* unless there is one in the process */
{
  const char *(*version)(void);
  size_t n = strlen(at->version);
  *(void **)&version = dlsym(RTLD_DEFAULT, "Py_GetVersion");
  if (!version) {
    if (!dlopen(at->libpython, RTLD_NOW | RTLD_GLOBAL))
      return error_text(PY2F_NOT_STARTED, "cannot open libpython: %s; install that Python again, or let PY2F_PYTHON name another", dlerror());
    *(void **)&version = dlsym(RTLD_DEFAULT, "Py_GetVersion");
  }
  if (!version) return error_text(PY2F_NOT_STARTED, "%s is no libpython", at->libpython);
  if (strncmp(version(), at->version, n) || version()[n] != '.')
    return error_text(PY2F_NOT_STARTED, "another Python, %.*s, is in this process and %s needs %s: load one only", (int)strcspn(version(), " "), version(),
                      library->name, at->version);
  return PY2F_OK;
}

static int open_runtime(const place *at)
{
  const char *(*ask)(const char *(*)(const char *, const char **), int (*)(void));
  void *extension = dlopen(at->runtime, RTLD_NOW | RTLD_LOCAL);
  if (!extension) return error_text(PY2F_NOT_STARTED, "cannot open the runtime of py2f: %s; install py2f there again", dlerror());
  *(void **)&runtime.open = dlsym(extension, "py2f_runtime_open");
  *(void **)&runtime.attach = dlsym(extension, "py2f_runtime_attach");
  *(void **)&runtime.take = dlsym(extension, "py2f_runtime_take");
  *(void **)&runtime.flush = dlsym(extension, "py2f_runtime_flush");
  *(void **)&ask = dlsym(extension, "py2f_runtime_ask");
  if (!runtime.open || !runtime.attach || !runtime.take)
    return error_text(PY2F_NOT_STARTED, "%s is not a runtime of py2f: install py2f there again, and run py2f.export", at->runtime);
  return settings_heeded(ask ? ask(py2f_setting, rank_of_process) : "|python|", at->executable);
}

static int start(const py2f_library *library)
{
  static place at; /* the Python of this process */
  place wanted;
  int code = settings_read();
  if (code || (code = choose(library, &wanted))) return code;
  if (started)
    return strcmp(at.runtime, wanted.runtime) == 0 ? PY2F_OK /* not the executables: bin/python is bin/python3 */
      : error_text(PY2F_NOT_STARTED, "one Python a process: %s runs, %s was exported with %s; let PY2F_PYTHON name one for both",
                   at.executable, library->name, wanted.executable);
  at = wanted;
  if ((code = check(library, &at)) || (code = open_libpython(library, &at)) || (code = open_runtime(&at))) return code;
  code = runtime.open(library, at.executable, error_set);
  started = code == PY2F_OK;
  return code;
}

SHARED int py2f_first_call(py2f_procedure *procedure, void *frame)
{
  fenv_t traps;
  feholdexcept(&traps); /* masked for start and import, as for every call */
  pthread_mutex_lock(&starting);
  int code = start(procedure->library);
  pthread_mutex_unlock(&starting);
  if (code == PY2F_OK) code = runtime.attach(procedure->library); /* under no lock: an import may run anything */
  fesetenv(&traps);
  return code == PY2F_OK ? __atomic_load_n(&procedure->call, __ATOMIC_ACQUIRE)(procedure, frame) : code;
}

SHARED void py2f_take_text(void *returned, void *text)
{
  runtime.take(returned, text);
}

SHARED void py2f_take_array(void *returned, void *array)
{
  runtime.take(returned, array);
}
