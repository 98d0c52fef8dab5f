#!/bin/sh
# apt.sh COMMAND=PACKAGE[,PACKAGE...] ...: install the packages of each command that is missing, where that is permitted.
# Only gfortran is indispensable; without the others, tests that need them are skipped and say so.
set -u
missing= packages=
for pair in "$@"; do
  command=${pair%%=*}
  command -v "$command" >/dev/null 2>&1 || { missing="$missing $command"; packages="$packages $(echo "${pair#*=}" | tr , ' ')"; }
done
[ -z "$missing" ] && exit 0
if [ "$(id -u)" = 0 ]; then as_root=; elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then as_root=sudo; else as_root=none; fi
if [ "$as_root" != none ] && command -v apt-get >/dev/null 2>&1; then
  echo "installing:$packages"
  export DEBIAN_FRONTEND=noninteractive
  $as_root apt-get update -qq
  for package in $packages; do # one by one: a release of Debian may lack one of them
    $as_root apt-get install -qq -y --no-install-recommends "$package" >/dev/null 2>&1 || echo "not to be had here: $package"
  done
fi
command -v gfortran >/dev/null 2>&1 && exit 0
echo "gfortran is missing and cannot be installed from here. Install the package gfortran (Debian: apt-get install gfortran)." >&2
exit 1
