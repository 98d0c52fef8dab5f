#!/bin/sh
# apt.sh PYTHON [COMMAND-OR-LIBRARY-OR-FILE=PACKAGE[,PACKAGE...] ...]: install what is missing, where that is permitted.
# Indispensable are gfortran, a C compiler, and Python with venv, headers and shared library; without the others that are
# named, tests that need them are skipped and say so.
set -u
python=$1
shift

needed() { # the packages that are indispensable and missing
  command -v gfortran >/dev/null || echo gfortran
  echo '#include <stdio.h>' | ${CC:-cc} -E - >/dev/null 2>&1 || echo gcc libc6-dev
  command -v "$python" >/dev/null || { echo "${python##*/}-venv ${python##*/}-dev" && return; }
  "$python" -I - <<'END'
import importlib.util, os, sys, sysconfig

name = "python%d.%d" % sys.version_info[:2]
library = os.path.join(*sysconfig.get_config_vars("LIBDIR", "INSTSONAME"))
if sys.base_prefix == "/usr":  # Debian's own; another Python comes with all its parts, or no package has them
    if not importlib.util.find_spec("ensurepip"):
        print(name + "-venv")
    if not os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")):
        print(name + "-dev")
    if not os.path.exists(library):
        print("lib" + name)
END
}

there() { # a command, a shared library, or a file
  case $1 in
    /*) [ -e "$1" ] ;;
    *.so.*) PATH=$PATH:/sbin ldconfig -p 2>/dev/null | grep -q "$1 " ;;
    *) command -v "$1" >/dev/null ;;
  esac
}

packages=$(needed | xargs)
for pair in "$@"; do
  there "${pair%%=*}" || packages="$packages $(echo "${pair#*=}" | tr , ' ')"
done
[ -z "$packages" ] && exit 0
if [ "$(id -u)" = 0 ]; then as_root='env'; elif sudo -n true 2>/dev/null; then as_root='sudo env'; else as_root=; fi
if [ -n "$as_root" ] && command -v apt-get >/dev/null; then
  echo "installing:" $packages
  apt_get="$as_root DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=120"
  $apt_get update
  for package in $packages; do # one by one: a release of Debian may lack one of them
    said=$($apt_get install -y --no-install-recommends "$package" 2>&1) || echo "not installed: $package: $(echo "$said" | tail -n 1)"
  done
fi
packages=$(needed | xargs)
[ -z "$packages" ] && exit 0
echo "missing, and cannot be installed from here: $packages (Debian: apt-get install $packages)" >&2
exit 1
