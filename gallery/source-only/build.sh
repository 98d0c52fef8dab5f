# No build system and no Python: the sources of the bridge were exported elsewhere, and any two compilers take them.
set -eu
: "${FC:=gfortran}" "${CC:=cc}"
$CC -O2 -c heat_py/src/heat_py.c heat_py/src/loader.c
$FC -O1 -o main heat_py/src/py2f.f90 heat_py/src/heat_py.f90 ../model/state.f90 ../model/main.f90 heat_py.o loader.o -ldl -lpthread
