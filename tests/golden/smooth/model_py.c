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

static const py2f_argument smooth_arguments[] = {
  { "field", "f64[:, :]", PY2F_F64, 2, PY2F_VIEW | PY2F_READONLY },
  { "weight", "f64", PY2F_F64, 0, 0 },
  { "smoothed", "Out[f64[:, :]]", PY2F_F64, 2, PY2F_VIEW },
};

static py2f_library library;
static py2f_procedure procedures[] = {
  { py2f_first_call, 0, &library, "smooth", 3, 0, smooth_arguments, 0 },
};
static py2f_library library = { PY2F_LAYOUT, 1, procedures, "model_py", modules, &site, 0 };

PY2F_ENTRY(py2f_model_py_1780b46284b5_call, procedures)
