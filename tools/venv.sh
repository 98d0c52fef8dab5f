#!/bin/sh
# venv.sh PYTHON FOLDER: make or refresh the environment, with a regular install of py2f and the test extra.
set -eu
python=$1 folder=$2
if ! "$folder/bin/python" -c 'import pip' >/dev/null 2>&1; then
  rm -rf "$folder"
  "$python" -m venv "$folder" || {
    echo "$python cannot make environments. Install the package python3-venv (Debian: apt-get install python3-venv python3-dev)." >&2
    exit 1
  }
fi
"$folder/bin/pip" install --quiet --disable-pip-version-check '.[test]'
