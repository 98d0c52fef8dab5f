#!/bin/sh
# demo.sh PYTHON: what a user types to call the Python function of 01_heat from Fortran, and what comes of it.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
python=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$here"/01_heat/model.py "$here"/01_heat/main.f90 "$work"
cd "$work"
say() { printf '\n$ %s\n' "$*"; }

say cat model.py
cat model.py
say python -m py2f.export model -o build
"$python" -m py2f.export model -o build | sed "s|$work/||g"
say 'gfortran -O2 -Ibuild/mod main.f90 -o main -Lbuild/lib -Wl,-rpath,build/lib -lmodel_py'
gfortran -O2 -Ibuild/mod main.f90 -o main -Lbuild/lib -Wl,-rpath,"$work/build/lib" -lmodel_py
say ./main time
env -i ./main time
