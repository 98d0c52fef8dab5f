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

static const py2f_argument by_argument_arguments[] = {
  { "n", "i32", PY2F_I32, 0, 0 },
  { "x", "InOut[f64[n]]", PY2F_F64, 1, PY2F_VIEW | PY2F_EXPLICIT },
};

static const py2f_argument by_arrays_arguments[] = {
  { "x", "f64[n, m]", PY2F_F64, 2, PY2F_VIEW | PY2F_READONLY | PY2F_EXPLICIT },
  { "y", "f64[m]", PY2F_F64, 1, PY2F_VIEW | PY2F_READONLY | PY2F_EXPLICIT },
  { "z", "f64[2 * n + 1, :] | None", PY2F_F64, 2, PY2F_OPTIONAL | PY2F_VIEW | PY2F_READONLY },
};

static const py2f_argument by_arrays_results[] = {
  { "(result)", "f64[n]", PY2F_F64, 1, PY2F_VIEW | PY2F_READONLY | PY2F_EXPLICIT },
};

static const py2f_argument constant_arguments[] = {
  { "x", "f32[3]", PY2F_F32, 1, PY2F_VIEW | PY2F_READONLY | PY2F_EXPLICIT },
  { "y", "f32[:, 2]", PY2F_F32, 2, PY2F_VIEW | PY2F_READONLY },
};

static const py2f_argument constant_results[] = {
  { "(result)", "i32", PY2F_I32, 0, 0 },
};

static const py2f_argument only_optional_arguments[] = {
  { "a", "f64[n] | None", PY2F_F64, 1, PY2F_OPTIONAL | PY2F_VIEW | PY2F_READONLY | PY2F_EXPLICIT },
  { "b", "f64[n] | None", PY2F_F64, 1, PY2F_OPTIONAL | PY2F_VIEW | PY2F_READONLY | PY2F_EXPLICIT },
  { "c", "f64[n] | None", PY2F_F64, 1, PY2F_OPTIONAL | PY2F_VIEW | PY2F_READONLY | PY2F_EXPLICIT },
};

static const py2f_argument only_optional_results[] = {
  { "(result)", "i32", PY2F_I32, 0, 0 },
};

static const py2f_argument products_arguments[] = {
  { "n", "i64", PY2F_I64, 0, 0 },
  { "m", "i32", PY2F_I32, 0, 0 },
  { "x", "f64[n * (m - 1)]", PY2F_F64, 1, PY2F_VIEW | PY2F_READONLY | PY2F_EXPLICIT },
};

static const py2f_argument products_results[] = {
  { "(result)", "f64[m - 1, n]", PY2F_F64, 2, PY2F_VIEW | PY2F_READONLY | PY2F_EXPLICIT },
};

static py2f_library library;
static py2f_procedure procedures[] = {
  { py2f_first_call, 0, &library, "by_argument", 2, 0, by_argument_arguments, 0 },
  { py2f_first_call, 0, &library, "by_arrays", 3, 1, by_arrays_arguments, by_arrays_results },
  { py2f_first_call, 0, &library, "constant", 2, 1, constant_arguments, constant_results },
  { py2f_first_call, 0, &library, "only_optional", 3, 1, only_optional_arguments, only_optional_results },
  { py2f_first_call, 0, &library, "products", 3, 1, products_arguments, products_results },
};
static py2f_library library = { PY2F_LAYOUT, 5, procedures, "model_py", modules, &site, 0 };

PY2F_ENTRY(py2f_model_py_4af35935264b_call, procedures)
