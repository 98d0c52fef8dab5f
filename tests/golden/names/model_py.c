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

static const py2f_argument size_arguments[] = {
  { "x", "f64[:]", PY2F_F64, 1, PY2F_VIEW | PY2F_READONLY },
  { "kind", "i32", PY2F_I32, 0, 0 },
};

static const py2f_argument size_results[] = {
  { "(result)", "i32", PY2F_I32, 0, 0 },
};

static const py2f_argument end_arguments[] = {
  { "result", "f64", PY2F_F64, 0, 0 },
  { "stat_", "i32", PY2F_I32, 0, 0 },
  { "real", "f64", PY2F_F64, 0, 0 },
  { "do", "i32", PY2F_I32, 0, 0 },
};

static const py2f_argument end_results[] = {
  { "(result)", "f64", PY2F_F64, 0, 0 },
};

static const py2f_argument Mixed_arguments[] = {
  { "stat", "i32", PY2F_I32, 0, 0 },
  { "errmsg", "i32", PY2F_I32, 0, 0 },
  { "frame", "i32", PY2F_I32, 0, 0 },
  { "rc", "i32", PY2F_I32, 0, 0 },
};

static const py2f_argument Mixed_results[] = {
  { "(result)", "i32", PY2F_I32, 0, 0 },
};

static const py2f_argument mixed_arguments[] = {
  { "_hidden", "i32", PY2F_I32, 0, 0 },
  { "Case", "i32", PY2F_I32, 0, 0 },
  { "case", "i32", PY2F_I32, 0, 0 },
  { "mixed_", "i32", PY2F_I32, 0, 0 },
};

static const py2f_argument mixed_results[] = {
  { "(result)", "i32", PY2F_I32, 0, 0 },
};

static const py2f_argument area_weighted_mean_arguments[] = {
  { "gr\303\266\303\237e", "f64[n]", PY2F_F64, 1, PY2F_VIEW | PY2F_READONLY | PY2F_EXPLICIT },
  { "is_contiguous", "f64[n]", PY2F_F64, 1, PY2F_VIEW | PY2F_READONLY | PY2F_EXPLICIT },
  { "dense", "Out[f64[1]]", PY2F_F64, 1, PY2F_VIEW | PY2F_EXPLICIT },
};

static py2f_library library;
static py2f_procedure procedures[] = {
  { py2f_first_call, 0, &library, "size", 2, 1, size_arguments, size_results },
  { py2f_first_call, 0, &library, "end", 4, 1, end_arguments, end_results },
  { py2f_first_call, 0, &library, "Mixed", 4, 1, Mixed_arguments, Mixed_results },
  { py2f_first_call, 0, &library, "mixed", 4, 1, mixed_arguments, mixed_results },
  { py2f_first_call, 0, &library, "area_weighted_mean", 3, 0, area_weighted_mean_arguments, 0 },
};
static py2f_library library = { PY2F_LAYOUT, 5, procedures, "model_py", modules, &site, 0 };

PY2F_ENTRY(py2f_model_py_d415260ec864_call, procedures)
