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

static const py2f_argument fill_arguments[] = {
  { "i", "Out[i64]", PY2F_I64, 0, PY2F_VIEW },
  { "x", "Out[f32]", PY2F_F32, 0, PY2F_VIEW },
  { "z", "Out[c32]", PY2F_C32, 0, PY2F_VIEW },
  { "flag", "Out[b32]", PY2F_B32, 0, PY2F_VIEW },
  { "byte_flag", "Out[b8]", PY2F_B8, 0, PY2F_VIEW },
};

static const py2f_argument advance_arguments[] = {
  { "time", "InOut[f64]", PY2F_F64, 0, PY2F_VIEW },
  { "steps", "InOut[i8]", PY2F_I8, 0, PY2F_VIEW },
  { "done", "InOut[b32]", PY2F_B32, 0, PY2F_VIEW },
  { "by", "f64 | None", PY2F_F64, 0, PY2F_OPTIONAL },
};

static const py2f_argument maybe_arguments[] = {
  { "x", "InOut[f64] | None", PY2F_F64, 0, PY2F_OPTIONAL | PY2F_VIEW },
};

static const py2f_argument maybe_results[] = {
  { "(result)", "b32", PY2F_B32, 0, 0 },
};

static const py2f_argument untouched_arguments[] = {
  { "x", "Out[f64]", PY2F_F64, 0, PY2F_VIEW },
};

static py2f_library library;
static py2f_procedure procedures[] = {
  { py2f_first_call, 0, &library, "fill", 5, 0, fill_arguments, 0 },
  { py2f_first_call, 0, &library, "advance", 4, 0, advance_arguments, 0 },
  { py2f_first_call, 0, &library, "maybe", 1, 1, maybe_arguments, maybe_results },
  { py2f_first_call, 0, &library, "untouched", 1, 0, untouched_arguments, 0 },
};
static py2f_library library = { PY2F_LAYOUT, 4, procedures, "model_py", modules, &site, 0 };

PY2F_ENTRY(py2f_model_py_12ee0f40f70b_call, procedures)
