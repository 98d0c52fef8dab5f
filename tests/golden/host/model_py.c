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

extern const py2f_targets py2f_model_py_host_targets;

static const py2f_argument step_arguments[] = {
  { "field", "InOut[f64[:, :]]", PY2F_F64, 2, PY2F_VIEW },
  { "rate", "Callable[[f64], f64]", PY2F_CALLABLE, 0, 0 },
  { "watch", "Callable[[i32, InOut[f64[:, :]]], None] | None", PY2F_CALLABLE, 0, PY2F_OPTIONAL },
};

static const py2f_argument step_results[] = {
  { "(result)", "f64", PY2F_F64, 0, 0 },
};

static const py2f_argument deeper_arguments[] = {
  { "x", "f64", PY2F_F64, 0, 0 },
};

static const py2f_argument deeper_results[] = {
  { "(result)", "f64", PY2F_F64, 0, 0 },
};

static py2f_library library;
static py2f_procedure procedures[] = {
  { py2f_first_call, 0, &library, "step", 3, 1, step_arguments, step_results },
  { py2f_first_call, 0, &library, "deeper", 1, 1, deeper_arguments, deeper_results },
};
static py2f_library library = { PY2F_LAYOUT, 2, procedures, "model_py", modules, &site, &py2f_model_py_host_targets };

PY2F_ENTRY(py2f_model_py_51b1393b1451_call, procedures)
