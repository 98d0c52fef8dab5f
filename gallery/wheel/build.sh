# Builds the wheel, installs it into an environment, and links the model with what lies there; $PYTHON has py2f and meson-python.
set -eu
: "${FC:=gfortran}" "${PYTHON:=python3}"
rm -rf dist
"$PYTHON" -m pip wheel --quiet --no-build-isolation --no-deps --disable-pip-version-check . -w dist
[ -d venv ] || "$PYTHON" -m venv venv
site=$(venv/bin/python -c "import sysconfig; print(sysconfig.get_path('platlib'))")
if [ ! -e "$site/py2f" ]; then # stands for `pip install py2f`, which would ask the network
  ln -s "$("$PYTHON" -c 'import os, py2f; print(os.path.dirname(py2f.__file__))')" "$site/py2f"
  "$PYTHON" -c "import sysconfig; print(sysconfig.get_path('platlib'))" > "$site/others.pth"
fi
venv/bin/python -m pip install --quiet --no-deps --no-index --force-reinstall --disable-pip-version-check dist/*.whl
flags=$(PKG_CONFIG_PATH=$site/heat_bridge/lib/pkgconfig pkg-config --cflags --libs heat_py)
$FC -o main ../model/state.f90 ../model/main.f90 $flags
