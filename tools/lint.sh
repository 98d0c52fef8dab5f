#!/bin/sh
# lint.sh BIN: every check of house style; stops at the first that fails.
set -eu
bin=$1
"$bin/ruff" check .
"$bin/ruff" format --check .
"$bin/mypy" --strict py2f
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$bin/python" py2f/runtime/build_runtime.py py2f_codes.h "$work/py2f_codes.h"
gcc -std=gnu11 -O2 -Wall -Wextra -Werror -fPIC -I "$work" -I py2f/runtime -c py2f/runtime/loader.c -o "$work/loader.o"
"$bin/python" py2f/runtime/build_runtime.py _runtime.c "$work/_runtime.c"
gcc -std=gnu11 -O2 -Wall -Wextra -Werror -Wno-unused-function -fPIC -D_CFFI_NO_LIMITED_API -I "$work" -I py2f/runtime \
  $("$bin/python" -c 'import numpy, sysconfig; print("-isystem", sysconfig.get_path("include"), "-isystem", numpy.get_include())') \
  -c "$work/_runtime.c" -o "$work/_runtime.o"
# C003: `implicit none (type, external)` is not Fortran 2003; C071, C072: assumed size and extent are how C memory travels
# the Fortran of 04 is a driver that other bridges are measured with as well: it keeps its own style
"$bin/fortitude" check --ignore C003,C071,C072 tests/golden/*/model_py.f90 examples/0[1-3]*
echo "lint: clean"
