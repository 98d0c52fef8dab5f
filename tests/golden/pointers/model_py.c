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

static const py2f_argument address_arguments[] = {
  { "handle", "CPtr", PY2F_CPTR, 0, 0 },
};

static const py2f_argument address_results[] = {
  { "(result)", "i64", PY2F_I64, 0, 0 },
};

static const py2f_argument same_arguments[] = {
  { "handle", "CPtr", PY2F_CPTR, 0, 0 },
};

static const py2f_argument same_results[] = {
  { "(result)", "CPtr", PY2F_CPTR, 0, 0 },
};

static const py2f_argument nothing_results[] = {
  { "(result)", "CPtr", PY2F_CPTR, 0, 0 },
};

static const py2f_argument wrong_arguments[] = {
  { "kind", "str", PY2F_STR, 0, 0 },
};

static const py2f_argument wrong_results[] = {
  { "(result)", "CPtr", PY2F_CPTR, 0, 0 },
};

static const py2f_argument maybe_arguments[] = {
  { "handle", "CPtr | None", PY2F_CPTR, 0, PY2F_OPTIONAL },
};

static const py2f_argument maybe_results[] = {
  { "(result)", "b32", PY2F_B32, 0, 0 },
};

static const py2f_argument reverse_arguments[] = {
  { "handles", "InOut[CPtr[:]]", PY2F_CPTR, 1, PY2F_VIEW },
  { "first", "InOut[CPtr]", PY2F_CPTR, 0, PY2F_VIEW },
};

static const py2f_argument reverse_results[] = {
  { "(result)", "i32", PY2F_I32, 0, 0 },
};

static py2f_library library;
static py2f_procedure procedures[] = {
  { py2f_first_call, 0, &library, "address", 1, 1, address_arguments, address_results },
  { py2f_first_call, 0, &library, "same", 1, 1, same_arguments, same_results },
  { py2f_first_call, 0, &library, "nothing", 0, 1, 0, nothing_results },
  { py2f_first_call, 0, &library, "wrong", 1, 1, wrong_arguments, wrong_results },
  { py2f_first_call, 0, &library, "maybe", 1, 1, maybe_arguments, maybe_results },
  { py2f_first_call, 0, &library, "reverse", 2, 1, reverse_arguments, reverse_results },
};
static py2f_library library = { PY2F_LAYOUT, 6, procedures, "model_py", modules, &site, 0 };

PY2F_ENTRY(py2f_model_py_8eaa81c9bb44_call, procedures)
