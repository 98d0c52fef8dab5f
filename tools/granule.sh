#!/bin/sh
# granule.sh PYTHON: the diffusion granule of ICON4Py from nothing: environment, example, tests, figures.
set -eu
folder=.granule/venv
sh tools/venv.sh "$1" "$folder" '.[test]' icon4py-bindings==0.2.0 cmake ninja
sh examples/04_diffusion_granule/run.sh "$folder/bin/python" .granule/cache
PATH=$PWD/$folder/bin:$PATH PYTHONSAFEPATH=1 "$folder/bin/pytest" -q -m granule tests
PYTHONSAFEPATH= "$folder/bin/python" benchmarks/granule.py --environment "$folder" --cache .granule/cache --rounds 3 --steps 200
