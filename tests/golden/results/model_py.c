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

static const py2f_argument ramp_arguments[] = {
  { "n", "i32", PY2F_I32, 0, 0 },
};

static const py2f_argument ramp_results[] = {
  { "(result)", "f64[n]", PY2F_F64, 1, PY2F_VIEW | PY2F_READONLY | PY2F_EXPLICIT },
};

static const py2f_argument positive_arguments[] = {
  { "x", "f64[:]", PY2F_F64, 1, PY2F_VIEW | PY2F_READONLY },
};

static const py2f_argument positive_results[] = {
  { "(result)", "f64[:]", PY2F_F64, 1, PY2F_VIEW | PY2F_READONLY },
};

static const py2f_argument table_arguments[] = {
  { "x", "i32[n]", PY2F_I32, 1, PY2F_VIEW | PY2F_READONLY | PY2F_EXPLICIT },
  { "y", "i32[m]", PY2F_I32, 1, PY2F_VIEW | PY2F_READONLY | PY2F_EXPLICIT },
};

static const py2f_argument table_results[] = {
  { "(result)", "i64[n, m]", PY2F_I64, 2, PY2F_VIEW | PY2F_READONLY | PY2F_EXPLICIT },
};

static const py2f_argument reversed_table_arguments[] = {
  { "x", "f32[:, :]", PY2F_F32, 2, PY2F_VIEW | PY2F_READONLY },
};

static const py2f_argument reversed_table_results[] = {
  { "(result)", "f32[:, :]", PY2F_F32, 2, PY2F_VIEW | PY2F_READONLY },
};

static const py2f_argument below_arguments[] = {
  { "x", "f64[n]", PY2F_F64, 1, PY2F_VIEW | PY2F_READONLY | PY2F_EXPLICIT },
  { "limit", "f64", PY2F_F64, 0, 0 },
};

static const py2f_argument below_results[] = {
  { "(result)", "b32[n]", PY2F_B32, 1, PY2F_VIEW | PY2F_READONLY | PY2F_EXPLICIT },
};

static const py2f_argument mask_arguments[] = {
  { "n", "i32", PY2F_I32, 0, 0 },
};

static const py2f_argument mask_results[] = {
  { "(result)", "b32[:, :]", PY2F_B32, 2, PY2F_VIEW | PY2F_READONLY },
};

static const py2f_argument bytes_mask_arguments[] = {
  { "n", "i32", PY2F_I32, 0, 0 },
};

static const py2f_argument bytes_mask_results[] = {
  { "(result)", "b8[:]", PY2F_B8, 1, PY2F_VIEW | PY2F_READONLY },
};

static const py2f_argument anything_arguments[] = {
  { "kind", "str", PY2F_STR, 0, 0 },
};

static const py2f_argument anything_results[] = {
  { "(result)", "i8", PY2F_I8, 0, 0 },
};

static const py2f_argument single_arguments[] = {
  { "kind", "str", PY2F_STR, 0, 0 },
};

static const py2f_argument single_results[] = {
  { "(result)", "f32", PY2F_F32, 0, 0 },
};

static const py2f_argument wrong_arguments[] = {
  { "kind", "str", PY2F_STR, 0, 0 },
};

static const py2f_argument wrong_results[] = {
  { "(result)", "f64[2]", PY2F_F64, 1, PY2F_VIEW | PY2F_READONLY | PY2F_EXPLICIT },
};

static py2f_library library;
static py2f_procedure procedures[] = {
  { py2f_first_call, 0, &library, "ramp", 1, 1, ramp_arguments, ramp_results },
  { py2f_first_call, 0, &library, "positive", 1, 1, positive_arguments, positive_results },
  { py2f_first_call, 0, &library, "table", 2, 1, table_arguments, table_results },
  { py2f_first_call, 0, &library, "reversed_table", 1, 1, reversed_table_arguments, reversed_table_results },
  { py2f_first_call, 0, &library, "below", 2, 1, below_arguments, below_results },
  { py2f_first_call, 0, &library, "mask", 1, 1, mask_arguments, mask_results },
  { py2f_first_call, 0, &library, "bytes_mask", 1, 1, bytes_mask_arguments, bytes_mask_results },
  { py2f_first_call, 0, &library, "anything", 1, 1, anything_arguments, anything_results },
  { py2f_first_call, 0, &library, "single", 1, 1, single_arguments, single_results },
  { py2f_first_call, 0, &library, "wrong", 1, 1, wrong_arguments, wrong_results },
  { py2f_first_call, 0, &library, "superfluous", 0, 0, 0, 0 },
};
static py2f_library library = { PY2F_LAYOUT, 11, procedures, "model_py", modules, &site, 0 };

PY2F_ENTRY(py2f_model_py_f0072de0674e_call, procedures)
