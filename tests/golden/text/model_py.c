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

static const py2f_argument greet_arguments[] = {
  { "name", "str", PY2F_STR, 0, 0 },
};

static const py2f_argument greet_results[] = {
  { "(result)", "str", PY2F_STR, 0, 0 },
};

static const py2f_argument length_arguments[] = {
  { "text", "str", PY2F_STR, 0, 0 },
};

static const py2f_argument length_results[] = {
  { "(result)", "i32", PY2F_I32, 0, 0 },
};

static const py2f_argument repeated_arguments[] = {
  { "text", "str", PY2F_STR, 0, 0 },
  { "times", "i32", PY2F_I32, 0, 0 },
};

static const py2f_argument repeated_results[] = {
  { "(result)", "str", PY2F_STR, 0, 0 },
};

static const py2f_argument joined_arguments[] = {
  { "a", "str", PY2F_STR, 0, 0 },
  { "b", "str", PY2F_STR, 0, 0 },
  { "n", "i32", PY2F_I32, 0, 0 },
  { "c", "str", PY2F_STR, 0, 0 },
};

static const py2f_argument joined_results[] = {
  { "(result)", "str", PY2F_STR, 0, 0 },
};

static const py2f_argument no_text_arguments[] = {
  { "kind", "i32", PY2F_I32, 0, 0 },
};

static const py2f_argument no_text_results[] = {
  { "(result)", "str", PY2F_STR, 0, 0 },
};

static const py2f_argument fails_arguments[] = {
  { "text", "str", PY2F_STR, 0, 0 },
};

static py2f_library library;
static py2f_procedure procedures[] = {
  { py2f_first_call, 0, &library, "greet", 1, 1, greet_arguments, greet_results },
  { py2f_first_call, 0, &library, "length", 1, 1, length_arguments, length_results },
  { py2f_first_call, 0, &library, "repeated", 2, 1, repeated_arguments, repeated_results },
  { py2f_first_call, 0, &library, "joined", 4, 1, joined_arguments, joined_results },
  { py2f_first_call, 0, &library, "no_text", 1, 1, no_text_arguments, no_text_results },
  { py2f_first_call, 0, &library, "fails", 1, 0, fails_arguments, 0 },
};
static py2f_library library = { PY2F_LAYOUT, 6, procedures, "model_py", modules, &site, 0 };

PY2F_ENTRY(py2f_model_py_af0f2a910d16_call, procedures)
