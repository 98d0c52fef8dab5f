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

static const py2f_argument next_i8_arguments[] = {
  { "x", "i8", PY2F_I8, 0, 0 },
};

static const py2f_argument next_i8_results[] = {
  { "(result)", "i8", PY2F_I8, 0, 0 },
};

static const py2f_argument next_i16_arguments[] = {
  { "x", "i16", PY2F_I16, 0, 0 },
};

static const py2f_argument next_i16_results[] = {
  { "(result)", "i16", PY2F_I16, 0, 0 },
};

static const py2f_argument next_i32_arguments[] = {
  { "x", "i32", PY2F_I32, 0, 0 },
};

static const py2f_argument next_i32_results[] = {
  { "(result)", "i32", PY2F_I32, 0, 0 },
};

static const py2f_argument next_i64_arguments[] = {
  { "x", "i64", PY2F_I64, 0, 0 },
};

static const py2f_argument next_i64_results[] = {
  { "(result)", "i64", PY2F_I64, 0, 0 },
};

static const py2f_argument half_f32_arguments[] = {
  { "x", "f32", PY2F_F32, 0, 0 },
};

static const py2f_argument half_f32_results[] = {
  { "(result)", "f32", PY2F_F32, 0, 0 },
};

static const py2f_argument half_f64_arguments[] = {
  { "x", "f64", PY2F_F64, 0, 0 },
};

static const py2f_argument half_f64_results[] = {
  { "(result)", "f64", PY2F_F64, 0, 0 },
};

static const py2f_argument turn_c32_arguments[] = {
  { "z", "c32", PY2F_C32, 0, 0 },
};

static const py2f_argument turn_c32_results[] = {
  { "(result)", "c32", PY2F_C32, 0, 0 },
};

static const py2f_argument turn_c64_arguments[] = {
  { "z", "c64", PY2F_C64, 0, 0 },
};

static const py2f_argument turn_c64_results[] = {
  { "(result)", "c64", PY2F_C64, 0, 0 },
};

static const py2f_argument not_b8_arguments[] = {
  { "x", "b8", PY2F_B8, 0, 0 },
};

static const py2f_argument not_b8_results[] = {
  { "(result)", "b8", PY2F_B8, 0, 0 },
};

static const py2f_argument not_b32_arguments[] = {
  { "x", "b32", PY2F_B32, 0, 0 },
};

static const py2f_argument not_b32_results[] = {
  { "(result)", "b32", PY2F_B32, 0, 0 },
};

static const py2f_argument plain_arguments[] = {
  { "i", "i32", PY2F_I32, 0, 0 },
  { "x", "f64", PY2F_F64, 0, 0 },
  { "z", "c64", PY2F_C64, 0, 0 },
  { "flag", "b32", PY2F_B32, 0, 0 },
};

static const py2f_argument plain_results[] = {
  { "(result)", "str", PY2F_STR, 0, 0 },
};

static py2f_library library;
static py2f_procedure procedures[] = {
  { py2f_first_call, 0, &library, "next_i8", 1, 1, next_i8_arguments, next_i8_results },
  { py2f_first_call, 0, &library, "next_i16", 1, 1, next_i16_arguments, next_i16_results },
  { py2f_first_call, 0, &library, "next_i32", 1, 1, next_i32_arguments, next_i32_results },
  { py2f_first_call, 0, &library, "next_i64", 1, 1, next_i64_arguments, next_i64_results },
  { py2f_first_call, 0, &library, "half_f32", 1, 1, half_f32_arguments, half_f32_results },
  { py2f_first_call, 0, &library, "half_f64", 1, 1, half_f64_arguments, half_f64_results },
  { py2f_first_call, 0, &library, "turn_c32", 1, 1, turn_c32_arguments, turn_c32_results },
  { py2f_first_call, 0, &library, "turn_c64", 1, 1, turn_c64_arguments, turn_c64_results },
  { py2f_first_call, 0, &library, "not_b8", 1, 1, not_b8_arguments, not_b8_results },
  { py2f_first_call, 0, &library, "not_b32", 1, 1, not_b32_arguments, not_b32_results },
  { py2f_first_call, 0, &library, "plain", 4, 1, plain_arguments, plain_results },
};
static py2f_library library = { PY2F_LAYOUT, 11, procedures, "model_py", modules, &site, 0 };

PY2F_ENTRY(py2f_model_py_a5c6c05a5466_call, procedures)
