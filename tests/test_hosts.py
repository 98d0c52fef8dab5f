"""Libraries in processes that are no Fortran programs: loaded by C or Python, two in one process."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from programs import Project, run
from starting import MINOR, MODEL, environment, greeting

HOST = """\
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
int main(int n, char **a)
{
  void *library = dlopen(a[1], RTLD_NOW | RTLD_LOCAL);
  if (!library) return puts(dlerror());
  void (*hello)(int *, char *, size_t);
  *(void **)&hello = dlsym(library, "__model_py_MOD_hello");
  int stat = -1;
  char message[400];
  memset(message, ' ', sizeof message);
  hello(&stat, message, sizeof message);
  printf("%d %.400s\\n", stat, message);
  return 0;
}
"""

PYTHON_HOST = """\
import ctypes, sys
load = getattr(ctypes, sys.argv[2])
if len(sys.argv) > 3:
    import py2f.runtime.attach
hello = load(sys.argv[1]).__model_py_MOD_hello
stat, message = ctypes.c_int(-1), ctypes.create_string_buffer(b" " * 400, 400)
hello(ctypes.byref(stat), message, ctypes.c_size_t(400))
print(f"{stat.value} {message.value.decode().strip()}".strip())
"""

HELLO = """\
import sys

import numpy as np

from py2f import export_to_fortran


@export_to_fortran
def hello() -> None:
    print("hello from", sys.prefix, np.arange(3).sum())
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An exported library, to be loaded by a host."""
    project = Project(tmp_path_factory.mktemp("hosts") / "project").write(model_py=HELLO)
    project.export()
    return project.folder / "build" / "lib" / "libmodel_py.so"


def hosted(python: str, library: Path, *how: str) -> str:
    """What a Python says that loads the library."""
    return run([python, "-I", "-c", PYTHON_HOST, str(library), *how], cwd="/", env={}).stdout


def test_a_c_program_loads_a_library_locally(library: Path, tmp_path: Path) -> None:
    """NumPy finds the symbols of libpython although the library is loaded RTLD_LOCAL."""
    (tmp_path / "host.c").write_text(HOST, encoding="utf-8")
    run(["cc", "host.c", "-o", "host", "-ldl"], cwd=tmp_path)
    done = run([str(tmp_path / "host"), str(library)], cwd="/", env={})
    assert [line.rstrip() for line in done.stdout.splitlines()] == [f"hello from {sys.prefix} 3", "0"]


@pytest.mark.parametrize("how", [("CDLL",), ("PyDLL",), ("CDLL", "import"), ("PyDLL", "import")], ids=" ".join)
def test_a_python_program_loads_a_library(library: Path, how: tuple[str, ...]) -> None:
    """With the GIL and without it, whether or not it has imported py2f."""
    assert hosted(sys.executable, library, *how) == f"hello from {sys.prefix} 3\n0\n"


def test_a_python_of_another_environment_is_refused(library: Path, tmp_path: Path) -> None:
    """Two copies of py2f would not know of each other."""
    python = environment(tmp_path / "venv")
    runtime = next(Path(sys.prefix).glob("lib/python*/site-packages/py2f/runtime/_runtime.*.so"))
    message = (
        f"the Python of this process imports another py2f than {runtime}, which model_py was exported with: use one environment"
    )
    assert hosted(str(python), library, "CDLL") == f"1 {message}\n"


def test_a_python_without_py2f_is_refused(library: Path, tmp_path: Path) -> None:
    """Its executable is named, not the one of the export."""
    python = environment(tmp_path / "venv", py2f=False, borrow=False)
    message = f"py2f does not import in the environment of {python}: ModuleNotFoundError: No module named 'py2f'"
    assert hosted(str(python), library, "CDLL") == f"1 {message}\n"


def test_a_python_of_another_version_is_refused(library: Path) -> None:
    """It is in the process already."""
    other = next(Path(sys.base_prefix).parent.glob("3.12.*/bin/python3.12"), None)
    if other is None:
        pytest.skip("no Python 3.12 beside this one: that a host of another version is refused is not verified")
    version = other.parents[1].name
    message = f"another Python, {version}, is in this process and model_py needs {MINOR}: load one only"
    assert hosted(str(other), library, "CDLL") == f"1 {message}\n"


def test_what_a_python_host_printed_arrives_when_an_error_ends_it(project: Project) -> None:
    """Its own exit handlers do not run."""
    project.write(model_py=HELLO.replace("print(", "raise TypeError("))
    project.export()
    library = project.folder / "build" / "lib" / "libmodel_py.so"
    code = (
        "import ctypes, sys\nprint('host', end='')\nctypes.CDLL(sys.argv[1]).__model_py_MOD_hello(None, None, ctypes.c_size_t(0))"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-c", code, str(library)], capture_output=True, text=True, check=False, timeout=60
    )
    assert (done.returncode, done.stdout) == (1, "host")
    assert "py2f: model_py:hello: TypeError: ('hello from'" in done.stderr


def test_libraries_of_one_environment_share_it_whatever_its_python_was_called(tmp_path: Path) -> None:
    """``bin/python`` and ``bin/python3`` are the same."""
    python = environment(tmp_path / "venv")
    first = Project(tmp_path / "project", python=str(python))
    second = Project(tmp_path / "project", module="second", python=f"{python}3")
    main = """\
program main
  use model_py, only: scaled
  use second_py, only: other => scaled
  implicit none
  print '(2f4.1)', scaled(1.0d0), other(2.0d0)
end program main
"""
    first.write(model_py=MODEL, second_py=MODEL, main_f90=main).export()
    second.export()
    second.compile("-Wl,--no-as-needed", f"-L{first.folder}/build/lib", "-lmodel_py")
    assert first.run().stdout == " 2.0 4.0\n"


def test_two_libraries_share_one_python(project: Project) -> None:
    """Functions of the same name never meet."""
    second = Project(project.folder, module="second")
    main = """\
program main
  use model_py, only: greet
  use second_py, only: other => greet, scaled
  implicit none
  print '(3a,f4.1)', greet(), ' ', other(), scaled(2.0d0)
end program main
"""
    more = MODEL + "\n\n@export_to_fortran\ndef greet() -> str:\n    import sys\n    return str('model' in sys.modules)\n"
    second.write(second_py=more).export()
    greeting(project, "return 'first'")
    project.write(main_f90=main)
    second.compile("-Wl,--no-as-needed", f"-L{project.folder}/build/lib", "-lmodel_py")
    assert project.run().stdout == "first True 4.0\n"
