/* SPDX-License-Identifier: 0BSD
 * What the runtime of py2f has to know of the Python module model. Made by py2f; do not edit. */
#include "py2f_table.h"
#include "model_py_site.h"

static const char *const modules[] = { "model", 0 };
static const char *const origins[] = { PY2F_ORIGINS 0 };
static const char *const path[] = { PY2F_PATH 0 };
static const char *const environment[] = { PY2F_ENVIRONMENT 0 };
static const char *const start[] = { PY2F_START 0 };
static const py2f_site site = { PY2F_EXECUTABLE, PY2F_VERSION, PY2F_LIBPYTHON, PY2F_RUNTIME, origins, path,
                                PY2F_OPTIMIZE, environment, start };

static const py2f_argument seen_arguments[] = {
  { "a", "f64[:, :] | None", PY2F_F64, 2, PY2F_OPTIONAL | PY2F_VIEW | PY2F_READONLY },
  { "n", "i32 | None", PY2F_I32, 0, PY2F_OPTIONAL },
  { "x", "f64 | None", PY2F_F64, 0, PY2F_OPTIONAL },
  { "z", "c64 | None", PY2F_C64, 0, PY2F_OPTIONAL },
  { "flag", "b32 | None", PY2F_B32, 0, PY2F_OPTIONAL },
  { "tag", "str | None", PY2F_STR, 0, PY2F_OPTIONAL },
};

static const py2f_argument seen_results[] = {
  { "(result)", "str", PY2F_STR, 0, 0 },
};

static const py2f_argument defaults_arguments[] = {
  { "n", "i32 | None", PY2F_I32, 0, PY2F_OPTIONAL },
  { "x", "f64 | None", PY2F_F64, 0, PY2F_OPTIONAL },
  { "z", "c64 | None", PY2F_C64, 0, PY2F_OPTIONAL },
  { "flag", "b32 | None", PY2F_B32, 0, PY2F_OPTIONAL },
  { "tag", "str | None", PY2F_STR, 0, PY2F_OPTIONAL },
  { "last", "i32 | None", PY2F_I32, 0, PY2F_OPTIONAL },
};

static const py2f_argument defaults_results[] = {
  { "(result)", "str", PY2F_STR, 0, 0 },
};

static const py2f_argument scale_arguments[] = {
  { "x", "InOut[f64[:]]", PY2F_F64, 1, PY2F_VIEW },
  { "mask", "b32[:] | None", PY2F_B32, 1, PY2F_OPTIONAL | PY2F_VIEW | PY2F_READONLY },
  { "factor", "f64 | None", PY2F_F64, 0, PY2F_OPTIONAL },
};

static py2f_library library;
static py2f_procedure procedures[] = {
  { py2f_first_call, 0, &library, "seen", 6, 1, seen_arguments, seen_results },
  { py2f_first_call, 0, &library, "defaults", 6, 1, defaults_arguments, defaults_results },
  { py2f_first_call, 0, &library, "scale", 3, 0, scale_arguments, 0 },
};
static py2f_library library = { PY2F_LAYOUT, 3, procedures, "model_py", modules, &site, 0 };

PY2F_ENTRY(py2f_model_py_5474ca29e319_call, procedures)
