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

static const py2f_argument rank_1_arguments[] = {
  { "a", "InOut[i32[:]]", PY2F_I32, 1, PY2F_VIEW },
};

static const py2f_argument rank_2_arguments[] = {
  { "a", "InOut[i64[:, :]]", PY2F_I64, 2, PY2F_VIEW },
};

static const py2f_argument rank_4_arguments[] = {
  { "a", "f32[:, :, :, :]", PY2F_F32, 4, PY2F_VIEW | PY2F_READONLY },
};

static const py2f_argument rank_4_results[] = {
  { "(result)", "f64", PY2F_F64, 0, 0 },
};

static const py2f_argument rank_15_arguments[] = {
  { "a", "InOut[f64[:, :, :, :, :, :, :, :, :, :, :, :, :, :, :]]", PY2F_F64, 15, PY2F_VIEW },
};

static const py2f_argument rank_15_results[] = {
  { "(result)", "i32", PY2F_I32, 0, 0 },
};

static py2f_library library;
static py2f_procedure procedures[] = {
  { py2f_first_call, 0, &library, "rank_1", 1, 0, rank_1_arguments, 0 },
  { py2f_first_call, 0, &library, "rank_2", 1, 0, rank_2_arguments, 0 },
  { py2f_first_call, 0, &library, "rank_4", 1, 1, rank_4_arguments, rank_4_results },
  { py2f_first_call, 0, &library, "rank_15", 1, 1, rank_15_arguments, rank_15_results },
};
static py2f_library library = { PY2F_LAYOUT, 4, procedures, "model_py", modules, &site, 0 };

PY2F_ENTRY(py2f_model_py_1901c341bc17_call, procedures)
