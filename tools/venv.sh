#!/bin/sh
# venv.sh PYTHON FOLDER [WHAT...]: make or refresh the environment, with a regular install of WHAT, or of py2f and its test extra.
set -eu
python=$1 folder=$2 stamp=$2/installed
shift 2
[ $# -gt 0 ] || set -- '.[test]'
identity='import sys; print(sys.version, sys.base_prefix)'
wanted=$("$python" -c "$identity")
if [ "$("$folder/bin/python" -c "import pip; $identity" 2>/dev/null)" != "$wanted" ]; then # none, another Python's, or broken
  rm -rf "$folder"
  "$python" -m venv "$folder" || {
    echo "$python cannot make environments: use another one with \`make PYTHON=...\`" >&2
    exit 1
  }
fi
sources() { find pyproject.toml meson.build tools/venv.sh py2f -name __pycache__ -prune -o "$@" -print; }
if [ ! -e "$stamp" ] || [ -n "$(sources -newer "$stamp")" ]; then
  "$folder/bin/pip" install --quiet --disable-pip-version-check "$@"
  touch "$stamp"
fi
