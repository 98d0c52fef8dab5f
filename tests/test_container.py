"""As in a container: prefix and program lie elsewhere, everything is read-only, there is no HOME, no compiler and no network.

A program then runs as ever; strace shows that it neither writes nor starts anything. What Python itself would like to write is
the bytecode of a module that was changed after the export, as `python` does; it does without where it may not.
"""

from __future__ import annotations

import os
import re
import shutil
from typing import TYPE_CHECKING

import pytest
from programs import Project, run

if TYPE_CHECKING:
    import subprocess
    from pathlib import Path

HEAT = '''\
"""Heat."""

from __future__ import annotations

import numpy as np
from py2f import InOut, export_to_fortran, f64, pythoncall, i32

@pythoncall(source="physics.f90", module="physics")
def add(n: i32, u: InOut[f64[n]], by: f64) -> None: ...

@export_to_fortran
def warm(x: InOut[f64[:]]) -> None:
    u = np.ones(x.size)
    add(x.size, u, 1.5)
    x += u
'''
PHYSICS = """\
module physics
  implicit none
contains
  subroutine add(n, u, by)
    integer, intent(in) :: n
    real(8), intent(inout) :: u(n)
    real(8), intent(in) :: by
    u = u + by
  end subroutine
end module
"""
PLAIN = """\
import sys
from py2f import InOut, export_to_fortran, f64

@export_to_fortran
def cool(x: InOut[f64[:]]) -> None:
    x -= 1
    print("builds:", sorted({"py2f.calls", "py2f.pipeline", "py2f.cache.store", "filelock", "mesonbuild"} & set(sys.modules)))
"""
MAIN = """\
program main
  use mypkg_py, only: warm
  use mypkg_cold_py, only: cool
  implicit none
  double precision :: x(3)
  character(len=500) :: errmsg
  integer :: stat
  x = 1
  call warm(x, stat=stat, errmsg=errmsg)
  if (stat /= 0) print '(a)', trim(errmsg)
  call cool(x(::2))
  print '(3f4.1)', x
end program main
"""
CHANGES = re.compile(
    r"(?:creat|mkdir|mknod|rename|unlink|rmdir|symlink|link|truncate|chmod|chown|chownat|utime|utimes|utimensat|futimesat|setxattr|exec)"
)
TRACED = "trace=%file,%process,%network"
INSIDE = 'mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" && ! touch "$1/touched" 2>/dev/null'


@pytest.fixture(scope="module")
def container(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a package, and in it, moved after the export, prefix and program."""
    for tool in ("strace", "unshare"):
        if not shutil.which(tool):
            pytest.skip(f"{tool} is not installed: what a program writes and starts is not verified")
    folder = tmp_path_factory.mktemp("container")
    if _inside(folder, ["strace", "-f", "-o", str(folder.parent / "trace"), str(shutil.which("true"))], shell=INSIDE).returncode:
        pytest.skip("namespaces or strace are not permitted here: what a program writes and starts is not verified")
    project = Project(folder / "made", module="mypkg", environment={"PYTHONDONTWRITEBYTECODE": ""})
    (project.folder / "mypkg").mkdir(parents=True)
    project.write(main_f90=MAIN, physics_f90=PHYSICS)
    for name, text in (("__init__", HEAT.replace("physics.f90", "../physics.f90")), ("cold", PLAIN)):
        (project.folder / "mypkg" / f"{name}.py").write_text(text, encoding="utf-8")
    project.export()
    run(
        [*"gfortran -Ibuild/mod main.f90 -o main -Lbuild/lib -lmypkg_py".split(), "-Wl,-rpath,$ORIGIN/build/lib"],
        cwd=project.folder,
    )
    there = folder / "an anderem Örtchen"
    there.mkdir()
    for name in ("build", "main"):
        shutil.move(project.folder / name, there / name)
    (project.folder / "physics.f90").unlink()  # sources of Fortran do not travel
    return folder


def _inside(folder: Path, command: list[str], *, shell: str = INSIDE) -> subprocess.CompletedProcess[str]:
    """Run a command without network, in an environment of nothing; the folder is read-only to it."""
    script = f'{shell} && shift && exec env -i "$@"'
    tools = [str(shutil.which(command[0])), *command[1:]]
    return run(["unshare", "-rmn", "sh", "-c", script, "sh", str(folder), *tools], cwd="/", env=dict(os.environ), check=False)


def traced(container: Path) -> tuple[str, list[str]]:
    """What the program prints, and the system calls by which it changes files, starts programs, or connects."""
    trace = container.parent / "trace"
    program = container / "an anderem Örtchen" / "main"
    done = _inside(container, ["strace", "-f", "-qq", "-o", str(trace), "-e", TRACED, str(program)])
    assert done.returncode == 0, done.stderr
    calls = [line.split(maxsplit=1)[1] for line in trace.read_text(encoding="utf-8", errors="replace").splitlines()]
    return done.stdout + done.stderr, [call for call in calls[1:] if _changes(call)]


def _changes(call: str) -> bool:
    name = call.partition("(")[0]
    if name.startswith("open"):
        return bool(re.search(r"O_WRONLY|O_RDWR|O_CREAT|O_TRUNC|O_TMPFILE", call))
    return bool(CHANGES.match(name)) or name in {"fork", "vfork"} or "AF_INET" in call


def test_nothing_is_written_and_nothing_is_started(container: Path) -> None:
    """What builds is not even imported."""
    assert traced(container) == ("builds: []\n 2.5 3.5 2.5\n", [])


def test_a_module_that_has_changed_runs_all_the_same(container: Path) -> None:
    """Python would keep the bytecode of the new text, and does without."""
    module = container / "made" / "mypkg" / "__init__.py"
    before, folder = module.read_text(encoding="utf-8"), re.escape(f"{module.parent}/__pycache__/")
    module.write_text(before.replace("x += u", "x += 2 * u"), encoding="utf-8")
    try:
        printed, calls = traced(container)
    finally:
        module.write_text(before, encoding="utf-8")
    assert printed == "builds: []\n 5.0 6.0 5.0\n"
    assert [call for call in calls if not re.match(rf'openat\(AT_FDCWD, "{folder}.* = -1 EROFS', call)] == []
