"""What is built from this folder: the source distribution, the wheel that is built from it, and their metadata."""

from __future__ import annotations

import email
import json
import os
import shutil
import sys
import tarfile
import zipfile
from pathlib import Path

import filelock
import pytest
from programs import Project, run

ROOT = Path(__file__).parents[1]
SOURCES = ("py2f", "tests", "examples", "meson.build", "pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md")


@pytest.fixture(scope="session")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the sdist of the working tree, and a wheel from it; once for all processes of the test session."""
    pytest.importorskip("build")
    pytest.importorskip("mesonpy")
    folder = tmp_path_factory.getbasetemp().parent / "packaging"
    with filelock.FileLock(f"{folder}.lock"):
        if not (folder / "done").exists():
            _build(folder)
    return folder / "dist"


def _build(folder: Path) -> None:
    tree = folder / "tree"
    shutil.rmtree(folder, ignore_errors=True)
    tree.mkdir(parents=True)
    for name in SOURCES:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, tree / name, ignore=shutil.ignore_patterns("__pycache__", ".*"))
        else:
            shutil.copy(source, tree)
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    git = ["git", "-c", "user.name=test", "-c", "user.email=test@example.org", "-c", "commit.gpgsign=false"]
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "tree"]):  # `meson dist` takes what is committed
        run([*git, *command], cwd=tree)
    run(
        [sys.executable, "-m", "build", "--no-isolation", "--skip-dependency-check", "--outdir", str(folder / "dist"), "."],
        cwd=tree,
        env=environment,
    )
    (folder / "done").touch()


@pytest.fixture
def wheel(dist: Path) -> zipfile.ZipFile:
    """Open the wheel."""
    return zipfile.ZipFile(next(dist.glob("*.whl")))


def test_sdist_has_sources_and_tests(dist: Path) -> None:
    with tarfile.open(next(dist.glob("*.tar.gz"))) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {
        "pyproject.toml",
        "LICENSE",
        "README.md",
        "py2f/runtime/loader.c",
        "py2f/runtime/core/call.h",
        "tests/conftest.py",
    } <= names


def test_wheel_has_what_it_must(wheel: zipfile.ZipFile) -> None:
    names = {name for name in wheel.namelist() if not name.endswith("/")}
    extension = [name for name in names if name.startswith("py2f/runtime/_runtime.") and name.endswith(".so")]
    assert len(extension) == 1
    runtime = {"libpy2f.so", "py2f.f90", "py2f_table.h", "py2f_codes.h", "attach.py", "__init__.py"}
    runtime |= {"loader.c", "py2f_ending.h", "py2f_settings.h"}
    assert {f"py2f/runtime/{name}" for name in runtime} <= names
    assert {"py2f/py.typed", "py2f/__init__.py"} <= names
    modules = {path.relative_to(ROOT).as_posix() for path in (ROOT / "py2f").rglob("*.py")}
    assert modules - names == {"py2f/runtime/build_runtime.py"}


def test_wheel_has_nothing_else(wheel: zipfile.ZipFile) -> None:
    names = [name for name in wheel.namelist() if ".dist-info/" not in name]
    assert [name for name in names if not name.startswith("py2f/")] == []
    assert [name for name in names if "/core/" in name or name.endswith((".in", "py2f_runtime.h", ".pyc", ".a", ".o"))] == []


def test_metadata(wheel: zipfile.ZipFile) -> None:
    name = next(name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
    metadata = email.message_from_bytes(wheel.read(name))
    assert (metadata["Name"], metadata["Requires-Python"], metadata["License-Expression"]) == ("py2f", ">=3.10", "BSD-3-Clause")
    classifiers = metadata.get_all("Classifier")
    assert [f"Programming Language :: Python :: 3.{minor}" in classifiers for minor in range(9, 15)] == [
        False,
        *[True] * 4,
        False,
    ]
    assert metadata.get_all("Project-URL") is None
    assert any(name.endswith("LICENSE") or "licenses/" in name for name in wheel.namelist())
    assert not [line for line in metadata.get_all("Requires-Dist") if "extra" not in line and any(c in line for c in "<~")]


def test_version_has_one_home(wheel: zipfile.ZipFile) -> None:
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8").partition("[project]")[2].partition("\n[")[0]
    assert 'dynamic = ["version"]' in project
    version = (ROOT / "meson.build").read_text(encoding="utf-8").partition("version: '")[2].partition("'")[0]
    assert Path(wheel.filename or "").name.startswith(f"py2f-{version}-")


def test_import_needs_nothing(wheel: zipfile.ZipFile, tmp_path: Path) -> None:
    wheel.extractall(tmp_path)
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import py2f, json; print(json.dumps([py2f.__file__, [*sys.modules]]))"
    file, loaded = json.loads(run([sys.executable, "-I", "-c", code], cwd="/", env={"PATH": ""}).stdout)
    assert Path(file).is_relative_to(tmp_path)
    assert {"cffi", "mesonbuild", "filelock", "numpy", "platformdirs", "ninja", "subprocess"} & set(loaded) == set()


def test_source_folder_says_what_is_wrong(project: Project) -> None:
    project.write(model_py="import py2f\n\n@py2f.export_to_fortran\ndef one() -> int:\n    return 1\n")
    project.environment = {"PYTHONPATH": str(ROOT)}
    done = project.export(check=False)
    assert done.returncode == 1
    assert "has no compiled runtime: this is the source folder; install the package" in done.stderr
    assert "Traceback" not in done.stderr
