#!/bin/sh
# run.sh PYTHON CACHE: build the example, run it in four ways and with four faults, and compare with the direct Python run.
# PYTHON has py2f and icon4py-bindings; CACHE keeps what py2f and GT4Py compile (GT4Py: some minutes the first time).
set -eu
here=$(cd "$(dirname "$0")" && pwd)
python=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
mkdir -p "$2"
PY2F_CACHE_DIR=$(cd "$2" && pwd)
GT4PY_BUILD_CACHE_DIR=$PY2F_CACHE_DIR/gt4py GT4PY_BUILD_CACHE_LIFETIME=persistent OMP_NUM_THREADS=1
export PY2F_CACHE_DIR GT4PY_BUILD_CACHE_DIR GT4PY_BUILD_CACHE_LIFETIME OMP_NUM_THREADS PYTHONWARNINGS=ignore
PATH=$(dirname "$python"):$PATH
unset PYTHONSAFEPATH # of make: reference.py imports model.py beside it
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$here"/*.py "$here"/*.f90 "$work"
cd "$work"
say() { printf '\n$ %s\n' "$*"; }

say python -m py2f.export model -o build --optimize 2 --env OMP_NUM_THREADS
"$python" -m py2f.export model -o build --optimize 2 --env OMP_NUM_THREADS >output
sed "s|$work/||g" output
say 'gfortran -O2 -Ibuild/mod torus_grid.f90 dump_mod.f90 main.f90 -o main -Lbuild/lib -Wl,-rpath,build/lib -lmodel_py'
gfortran -O2 -ffree-line-length-none -Ibuild/mod torus_grid.f90 dump_mod.f90 main.f90 -o main \
  -Lbuild/lib -Wl,-rpath,"$work/build/lib" -lmodel_py

same=0
compare() { # WHAT ARGUMENTS: run both ways
  say "./main 2 16 16 20 5 $2   # $1"
  # shellcheck disable=SC2086  # several words
  env -i HOME="$work" PATH="$PATH" ./main 2 16 16 20 5 $2 2>errors || { cat errors; exit 1; }
  say python reference.py run
  "$python" -O reference.py run 5
  same=$((same + 1))
}
compare 'all fields as they are' '0 run'
compare 'padded: five points more than there are' '5 run'
compare 'with the optional lists of steep slopes' '0 run 1'
compare 'without the optional diagnostics' '0 run 0 1'

say "./main 2 16 16 20 5 0 run 0 0 copied   # what Python has copied may change"
./main 2 16 16 20 5 0 run 0 0 copied 2>errors || { cat errors; exit 1; }
"$python" -O reference.py run 5
same=$((same + 1))

refused() { # FAULT PATTERN: must end with an error that says it
  say "PY2F_CHECK=1 ./main 2 16 16 20 5 0 '' 0 0 $1"
  if PY2F_CHECK=1 ./main 2 16 16 20 5 0 '' 0 0 "$1" >output 2>&1; then echo "$1 was not noticed"; exit 1; fi
  grep -- "$2" output || { cat output; exit 1; }
}
refused small_vn "argument 'vn' of 'diffusion_run': extent 1 is 568, Edge is 768"
refused noinit "grid_init.*diffusion_init"
refused borrow "argument 'cell_areas' of 'grid_init', which Python keeps, has changed"
echo
echo "$same runs from Fortran and from Python: ALL EQUAL"
