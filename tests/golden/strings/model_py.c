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

static const py2f_argument longest_arguments[] = {
  { "names", "string[:]", PY2F_STRING, 1, PY2F_VIEW | PY2F_READONLY },
};

static const py2f_argument longest_results[] = {
  { "(result)", "str", PY2F_STR, 0, 0 },
};

static const py2f_argument label_arguments[] = {
  { "code", "i32", PY2F_I32, 0, 0 },
  { "text", "Out[string]", PY2F_STRING, 0, PY2F_VIEW },
};

static const py2f_argument upper_arguments[] = {
  { "table", "InOut[string[:, :]]", PY2F_STRING, 2, PY2F_VIEW },
};

static const py2f_argument upper_results[] = {
  { "(result)", "i32", PY2F_I32, 0, 0 },
};

static const py2f_argument joined_arguments[] = {
  { "names", "list[str]", PY2F_LIST_STR, 0, 0 },
  { "by", "str | None", PY2F_STR, 0, PY2F_OPTIONAL },
};

static const py2f_argument joined_results[] = {
  { "(result)", "str", PY2F_STR, 0, 0 },
};

static const py2f_argument maybe_arguments[] = {
  { "text", "InOut[string] | None", PY2F_STRING, 0, PY2F_OPTIONAL | PY2F_VIEW },
  { "names", "list[str] | None", PY2F_LIST_STR, 0, PY2F_OPTIONAL },
  { "table", "string[:] | None", PY2F_STRING, 1, PY2F_OPTIONAL | PY2F_VIEW | PY2F_READONLY },
};

static const py2f_argument maybe_results[] = {
  { "(result)", "str", PY2F_STR, 0, 0 },
};

static const py2f_argument step_arguments[] = {
  { "table", "string[:]", PY2F_STRING, 1, PY2F_VIEW | PY2F_READONLY },
};

static const py2f_argument step_results[] = {
  { "(result)", "i32", PY2F_I32, 0, 0 },
};

static const py2f_argument fixed_arguments[] = {
  { "text", "string", PY2F_STRING, 0, PY2F_VIEW | PY2F_READONLY },
};

static const py2f_argument fixed_results[] = {
  { "(result)", "i32", PY2F_I32, 0, 0 },
};

static py2f_library library;
static py2f_procedure procedures[] = {
  { py2f_first_call, 0, &library, "longest", 1, 1, longest_arguments, longest_results },
  { py2f_first_call, 0, &library, "label", 2, 0, label_arguments, 0 },
  { py2f_first_call, 0, &library, "upper", 1, 1, upper_arguments, upper_results },
  { py2f_first_call, 0, &library, "joined", 2, 1, joined_arguments, joined_results },
  { py2f_first_call, 0, &library, "maybe", 3, 1, maybe_arguments, maybe_results },
  { py2f_first_call, 0, &library, "step", 1, 1, step_arguments, step_results },
  { py2f_first_call, 0, &library, "fixed", 1, 1, fixed_arguments, fixed_results },
};
static py2f_library library = { PY2F_LAYOUT, 7, procedures, "model_py", modules, &site, 0 };

PY2F_ENTRY(py2f_model_py_a088770c3ffd_call, procedures)
