"""Ahead of a job: prebuild on one rank, an environment in one archive, and what a start asks of the file system."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from caches import command, settings
from programs import Project, run

import py2f
from py2f.errors import Py2fError

MODEL = "from py2f import export_to_fortran\n\n@export_to_fortran\ndef one() -> int:\n    return 1\n"
STUBS = """
from __future__ import annotations
from py2f import *

@pythoncall(source="physics.f90", module="physics")
def doubled(x: f64) -> f64: ...
whole = fortran_module("whole.f90")
"""
PHYSICS = "module physics\ncontains\n  function doubled(x) result(y)\n    real(8), intent(in) :: x\n    real(8) :: y\n    y = 2*x\n  end function\nend module\n"
WHOLE = "module whole\n  implicit none\n  integer :: n = 7\nend module\n"


@pytest.fixture
def granules(project: Project) -> Project:
    return project.write(
        granules_py=MODEL + STUBS.replace("from __future__ import annotations\n", ""), physics_f90=PHYSICS, whole_f90=WHOLE
    )


class Ranks:
    """A communicator of threads, with what :func:`py2f.prebuild` uses of mpi4py's."""

    def __init__(self, size: int) -> None:
        self.size, self.barrier, self.sent = size, threading.Barrier(size), None
        self.here = threading.local()

    def Get_size(self) -> int:  # noqa: D102, N802  mpi4py's name
        return self.size

    def Get_rank(self) -> int:  # noqa: D102, N802  mpi4py's name
        return int(self.here.rank)

    def bcast(self, value: Any, root: int) -> Any:  # noqa: D102  mpi4py's
        assert root == 0
        if self.Get_rank() == 0:
            self.sent = value
        self.barrier.wait(60)
        return self.sent

    def run(self, work: Any) -> list[Any]:
        """What each rank returns or raises."""
        said: list[Any] = [None] * self.size

        def rank(k: int) -> None:
            self.here.rank = k
            try:
                said[k] = work(self)
            except Exception as error:  # noqa: BLE001  it is compared
                said[k] = error

        threads = [threading.Thread(target=rank, args=(k,)) for k in range(self.size)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return said


def test_prebuild_builds_what_modules_export_call_and_hold(tmp_path: Path, project: Project) -> None:
    """Afterwards a job that requires its cache has everything."""
    project.write(
        granules_py=MODEL.replace("from py2f", "from __future__ import annotations\nfrom py2f")
        + STUBS.replace("from __future__ import annotations\n", ""),
        physics_f90=PHYSICS,
        whole_f90=WHOLE,
    )
    given = {**os.environ, "PY2F_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": str(project.folder)}
    code = "import py2f; print(*py2f.prebuild('granules'))"
    assert run([sys.executable, "-c", code], cwd="/", env=given).stdout == "granules_py libgranules_calls.so libwhole_calls.so\n"
    use = "import py2f, granules; print(py2f.build('granules').compiled, granules.doubled(2.0), granules.whole.n)"
    assert run([sys.executable, "-c", use], cwd="/", env={**given, "PY2F_CACHE_MODE": "require"}).stdout == "False 4.0 7\n"


def test_prebuild_of_ranks(project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first builds while the others wait; its failure is the failure of all."""
    project.write(ranked_py=MODEL)
    monkeypatch.syspath_prepend(str(project.folder))
    ours = settings(tmp_path / "cache")
    assert Ranks(4).run(lambda comm: py2f.prebuild(["ranked"], comm, settings=ours)) == [["ranked_py"]] * 4
    bad = settings(tmp_path / "cache", FC="nofortran")
    first, *others = Ranks(3).run(lambda comm: py2f.prebuild("ranked", comm, settings=bad))
    assert str(first) == "there is no compiler called 'nofortran' on PATH"
    assert {type(error) for error in others} == {Py2fError}
    assert {str(error) for error in others} == {f"the first rank could not build ranked: ToolchainError: {first}"}


def test_an_environment_is_packed_and_staged_once(project: Project, tmp_path: Path) -> None:
    """What a shell evaluates leads to a Python that has the packages, the module and its entries, without the original."""
    if not shutil.which("zstd"):
        pytest.skip("zstd is not installed: the archive that the documentation shows is not verified")
    venv = tmp_path / "venv"
    run([sys.executable, "-m", "venv", "--without-pip", str(venv)], cwd=tmp_path)
    (site,) = venv.glob("lib/python*/site-packages")
    (site / "all.pth").write_text(next(p for p in sys.path if p.endswith("site-packages")) + "\n")
    package = project.folder / "granules"
    package.mkdir(parents=True)
    for name, text in (("__init__.py", STUBS), ("physics.f90", PHYSICS), ("whole.f90", WHOLE)):
        (package / name).write_text(text)
    given = {**os.environ, "PY2F_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": str(project.folder)}
    python = str(venv / "bin" / "python")
    run([python, "-m", "py2f.cli", "prebuild", "granules"], cwd="/", env=given)
    archive = tmp_path / "granules.tar.zst"
    said = run([python, "-m", "py2f.cli", "pack", "granules", "-o", str(archive)], cwd="/", env=given).stdout
    assert re.fullmatch(rf"{archive}: {venv}, granules, [4-9] entries of the cache\n", said)
    staged = [command("stage", str(archive), "--to", str(tmp_path / "node"), cwd=tmp_path, check=True).stdout for _ in range(2)]
    assert staged[0] == staged[1]
    place = Path(re.search(r"PY2F_PYTHON=(.*)/environment/bin/python", staged[0])[1])
    assert [p for p in place.parent.iterdir() if p.suffix != ".lock"] == [place]
    use = "import granules; print(granules.doubled(2.0), granules.whole.n, granules.__file__)"
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "PY2F_CACHE_MODE": "require"}
    shutil.rmtree(venv)
    done = run(["sh", "-c", f'{staged[0]}$PY2F_PYTHON -c "{use}"'], cwd="/", env=environment)
    assert done.stdout.startswith(f"4.0 7 {place}/environment/lib/")


def test_what_cannot_be_packed_or_staged_is_said(tmp_path: Path) -> None:
    done = command("stage", "nothing.tar", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (1, "py2f: there is no archive nothing.tar\n")
    (tmp_path / "rubbish.tar").write_text("rubbish")
    done = command("stage", "rubbish.tar", "--to", "node", cwd=tmp_path)
    assert done.stderr.startswith("py2f: rubbish.tar cannot be unpacked: ")
    assert not [p for p in (tmp_path / "node").iterdir() if p.is_dir()]


BUDGET_OF_CACHE, BUDGET = 20, 2000
"""Calls that name a file: in the cache, for two entries; and in all, above what Python itself and the import of NumPy ask
for: most are the imports of py2f and of the reader of Fortran."""


def test_the_file_system_is_asked_little_from_the_start_to_the_first_call(project: Project, tmp_path: Path) -> None:
    """Of a job that requires its cache, as a thousand ranks do: counted by strace, with all children."""
    if not shutil.which("strace") or run(["strace", "-o", "/dev/null", "true"], cwd="/", check=False).returncode:
        pytest.skip("strace is not installed or may not trace: the calls of a start are not verified")
    project.write(
        granules_py="from __future__ import annotations\n" + STUBS.replace("from __future__ import annotations\n", ""),
        physics_f90=PHYSICS,
        whole_f90=WHOLE,
    )
    cache = tmp_path / "cache"
    given = {**os.environ, "PY2F_CACHE_DIR": str(cache), "PYTHONPATH": str(project.folder), "PY2F_CACHE_MODE": "require"}
    run([sys.executable, "-m", "py2f.cli", "prebuild", "granules"], cwd="/", env={**given, "PY2F_CACHE_MODE": "rw"})

    def calls(code: str) -> list[str]:
        trace = tmp_path / "trace"
        run(["strace", "-f", "-qq", "-e", "trace=%file", "-o", str(trace), sys.executable, "-c", code], cwd="/", env=given)
        return trace.read_text(errors="replace").splitlines()

    use = "import numpy, granules; assert granules.doubled(2.0) == 4.0"
    calls(use)  # once, for Python's own cache of compiled modules
    before, after = calls("import numpy"), calls(use)
    ours = [line for line in after if str(cache) in line]
    assert len(ours) <= BUDGET_OF_CACHE, "\n".join(ours)
    assert len(after) - len(before) <= BUDGET, f"{len(before)} -> {len(after)}"
    assert not [line for line in after if "execve" in line][1:], "a process was started"


def test_a_start_of_python_is_what_most_of_it_costs() -> None:
    """Importing py2f adds no package but the standard library's."""
    code = "import sys; import py2f; print({'numpy', 'cffi', 'filelock', 'mesonbuild'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "set()\n"
