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

static const py2f_argument extremes_arguments[] = {
  { "x", "f64[:]", PY2F_F64, 1, PY2F_VIEW | PY2F_READONLY },
};

static const py2f_argument extremes_results[] = {
  { "low", "f64", PY2F_F64, 0, PY2F_FIELD },
  { "high", "f64", PY2F_F64, 0, PY2F_FIELD },
  { "where", "i32", PY2F_I32, 0, PY2F_FIELD },
};

static const py2f_argument split_arguments[] = {
  { "x", "f64[n]", PY2F_F64, 1, PY2F_VIEW | PY2F_READONLY | PY2F_EXPLICIT },
  { "m", "i32", PY2F_I32, 0, 0 },
};

static const py2f_argument split_results[] = {
  { "scaled", "f64[n]", PY2F_F64, 1, PY2F_VIEW | PY2F_READONLY | PY2F_EXPLICIT | PY2F_FIELD },
  { "split_2", "f64[:]", PY2F_F64, 1, PY2F_VIEW | PY2F_READONLY | PY2F_FIELD },
  { "split_3", "b32[n]", PY2F_B32, 1, PY2F_VIEW | PY2F_READONLY | PY2F_EXPLICIT | PY2F_FIELD },
  { "split_4", "c64", PY2F_C64, 0, PY2F_FIELD },
  { "split_5", "str", PY2F_STR, 0, PY2F_FIELD },
  { "split_6", "i8", PY2F_I8, 0, PY2F_FIELD },
  { "split_7", "b32", PY2F_B32, 0, PY2F_FIELD },
};

static const py2f_argument wrong_arguments[] = {
  { "kind", "str", PY2F_STR, 0, 0 },
};

static const py2f_argument wrong_results[] = {
  { "wrong_1", "f64", PY2F_F64, 0, PY2F_FIELD },
  { "wrong_2", "f64[:]", PY2F_F64, 1, PY2F_VIEW | PY2F_READONLY | PY2F_FIELD },
  { "wrong_3", "str", PY2F_STR, 0, PY2F_FIELD },
  { "wrong_4", "f64[2]", PY2F_F64, 1, PY2F_VIEW | PY2F_READONLY | PY2F_EXPLICIT | PY2F_FIELD },
};

static py2f_library library;
static py2f_procedure procedures[] = {
  { py2f_first_call, 0, &library, "extremes", 1, 3, extremes_arguments, extremes_results },
  { py2f_first_call, 0, &library, "split", 2, 7, split_arguments, split_results },
  { py2f_first_call, 0, &library, "wrong", 1, 4, wrong_arguments, wrong_results },
};
static py2f_library library = { PY2F_LAYOUT, 3, procedures, "model_py", modules, &site, 0 };

PY2F_ENTRY(py2f_model_py_2b75c033756c_call, procedures)
