"""The prefix for CMake, Meson, pkg-config and by hand: compiled, as sources, by several compilers, wherever it lies."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import sys
from typing import TYPE_CHECKING

import pytest
from programs import DOUBLE, DOUBLED, Project, found, run

from py2f.toolchain.compilers import Compiler

if TYPE_CHECKING:
    from pathlib import Path

MODEL = """\
from __future__ import annotations
from py2f import Out, export_to_fortran, f64

@export_to_fortran
def double(field: f64[:, :], doubled: Out[f64[:, :]]) -> None:
    doubled[...] = 2 * field
"""
HOST = """\
from __future__ import annotations
from collections.abc import Callable
from py2f import InOut, export_to_fortran, f64

@export_to_fortran
def double(field: InOut[f64[:]], halo: Callable[[InOut[f64[:]]], None]) -> None:
    halo(field)
    field *= 2
"""
HOST_MAIN = """\
program main
  use model_py, only: double
  implicit none
  double precision :: field(3)
  field = 1
  call double(field, halo)
  print '(3f5.1)', field
contains
  subroutine halo(x)
    double precision, intent(inout) :: x(:)
    x(1) = 10
  end subroutine halo
end program main
"""
CMAKE = """\
cmake_minimum_required(VERSION 3.18)
project(climate LANGUAGES {languages})
find_package(model_py REQUIRED)
add_executable(main {main})
target_link_libraries(main PRIVATE model_py::model_py)
"""
MESON = """\
project('climate', 'fortran')
executable('main', 'main.f90', dependencies: dependency('model_py'), link_language: 'fortran')
"""
ELSEWHERE = "anderswo für alle/ein prefix"
CHOSEN = ("gfortran", "flang-new-19")
cmake = pytest.mark.skipif(not found("cmake"), reason="CMake is not installed: its package is not verified")


@pytest.fixture
def model(project: Project) -> Project:
    """A module and a program."""
    return project.write(model_py=MODEL, main_f90=DOUBLE)


@pytest.fixture(params=CHOSEN)
def chosen(request: pytest.FixtureRequest) -> str:
    """A Fortran compiler."""
    if not found(request.param):
        pytest.skip(f"{request.param} is not installed: it is not verified")
    return str(request.param)


def tools(**environment: str) -> dict[str, str]:
    """What a build sees: the Meson and Ninja of the tests' environment."""
    variables = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return {**variables, "PATH": f"{os.path.dirname(sys.executable)}:{os.environ['PATH']}", **environment}  # noqa: PTH120


def built_by_cmake(project: Project, prefix: Path, compiler: str, languages: str = "Fortran", main: str = "main.f90") -> str:
    """Configure and build a CMake project; what it said while it was configured."""
    project.write(CMakeLists_txt=CMAKE.format(languages=languages, main=main))
    setup = ["cmake", "-S", ".", "-B", f"by-{compiler}", "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}"]
    said = run([*setup, f"-DCMAKE_Fortran_COMPILER={compiler}"], cwd=project.folder, env=tools()).stdout
    run(["cmake", "--build", f"by-{compiler}"], cwd=project.folder, env=tools())
    return said


def moved(project: Project, place: str = ELSEWHERE) -> Path:
    """The prefix, in another folder."""
    prefix = project.folder / place
    prefix.parent.mkdir(parents=True)
    (project.folder / "build").rename(prefix)
    return prefix


# ---- CMake


@cmake
def test_cmake_links_what_was_exported(model: Project, chosen: str) -> None:
    """From a folder with blanks and umlauts, nothing of it is compiled again."""
    model.compiler = chosen
    model.export()
    said = built_by_cmake(model, moved(model), chosen)
    assert "its sources are compiled" not in said
    assert not list(model.folder.glob("by-*/model_py"))
    assert model.run(program=f"by-{chosen}/main").stdout == DOUBLED


@cmake
def test_cmake_compiles_the_sources_for_another_compiler(model: Project) -> None:
    """With what was exported for gfortran only, or for none."""
    if not found("flang-new-19"):
        pytest.skip("flang is not installed: it is not verified")
    model.export()
    said = built_by_cmake(model, moved(model), "flang-new-19")
    assert "model_py: nothing was exported for flang-19, its sources are compiled" in said
    assert model.run(program="by-flang-new-19/main").stdout == DOUBLED


@cmake
def test_cmake_builds_from_sources_alone(project: Project, chosen: str) -> None:
    """Also procedures that are arguments: with the header of the compiler that the model is compiled with."""
    project.write(model_py=HOST, main_f90=HOST_MAIN)
    project.export("--no-compile")
    built_by_cmake(project, moved(project), chosen)
    assert project.run(program=f"by-{chosen}/main").stdout == " 20.0  2.0  2.0\n"


@cmake
def test_cmake_in_a_subdirectory(model: Project) -> None:
    model.export("--no-compile")
    text = CMAKE.format(languages="Fortran C", main="main.f90").replace(
        "find_package(model_py REQUIRED)", "add_subdirectory(build/src heat)"
    )
    model.write(CMakeLists_txt=text)
    run(["cmake", "-S", ".", "-B", "out", "-G", "Ninja"], cwd=model.folder, env=tools())
    run(["cmake", "--build", "out"], cwd=model.folder, env=tools())
    assert model.run(program="out/main").stdout == DOUBLED


# ---- Meson


@pytest.mark.parametrize("text", [(MODEL, DOUBLE, DOUBLED), (HOST, HOST_MAIN, " 20.0  2.0  2.0\n")], ids=["plain", "host"])
def test_meson_takes_the_sources_as_a_subproject(project: Project, chosen: str, text: tuple[str, str, str]) -> None:
    """`dependency('model_py')` finds it by its name."""
    project.write(model_py=text[0], main_f90=text[1], meson_build=MESON)
    project.export("--no-compile")
    (project.folder / "subprojects").mkdir()
    shutil.copytree(project.folder / "build" / "src", project.folder / "subprojects" / "model_py")
    environment = tools(FC=chosen)
    run(["meson", "setup", "--force-fallback-for=model_py", "out"], cwd=project.folder, env=environment)
    run(["ninja", "-C", "out"], cwd=project.folder, env=environment)
    assert project.run(program="out/main").stdout == text[2]


# ---- pkg-config


@pytest.mark.skipif(not found("pkg-config"), reason="pkg-config is not installed: its files are not verified")
def test_pkg_config_gives_each_compiler_its_own(model: Project) -> None:
    """The one that exported last, or the one that is named; from a folder with blanks and umlauts."""
    compilers = [name for name in CHOSEN if found(name)]
    for model.compiler in compilers:
        model.export()
    prefix = moved(model)
    environment = {**os.environ, "PKG_CONFIG_PATH": f"{prefix}/lib/pkgconfig"}
    for compiler in compilers:
        release = {"gfortran": "gfortran-12", "flang-new-19": "flang-19"}[compiler]
        ask = [
            "pkg-config",
            *([] if compiler == compilers[-1] else [f"--define-variable=compiler={release}"]),
            "--cflags",
            "--libs",
        ]
        line = (
            f"eval {compiler} main.f90 -o main $({shlex.join([*ask, 'model_py'])})"  # it escapes blanks and umlauts for a shell
        )
        run(["sh", "-c", line], cwd=model.folder, env=environment)
        assert model.run().stdout == DOUBLED
        assert f"lib/{release}/" in run(["ldd", "main"], cwd=model.folder).stdout


# ---- by hand


def test_two_lines_compile_the_sources(project: Project, chosen: str) -> None:
    """As the export prints them, from a folder that has moved; no Python and no py2f is on the way."""
    for text, main, printed in ((MODEL, DOUBLE, DOUBLED), (HOST, HOST_MAIN, " 20.0  2.0  2.0\n")):
        project.write(model_py=text, main_f90=main)
        project.compiler = chosen
        lines = project.export("--no-compile", "-o", "sources").stdout.splitlines()
        commands = [line.strip() for line in lines[lines.index("use model_py, and compile with:") + 1 :]]
        note = "model_py_host.c needs the ISO_Fortran_binding.h of the Fortran compiler: unless that is GCC's, give cc its folder, by -I"
        assert (note in lines) == (text is HOST)
        assert [command.split()[0] for command in commands] == ["cc", chosen]
        for command in commands:
            run(["sh", "-c", command], cwd=project.folder)
        assert project.run().stdout == printed


def test_sources_need_no_compiler(model: Project, tmp_path: Path) -> None:
    """Nothing is asked of any: PATH is empty."""
    model.environment = {"PATH": str(tmp_path), "FC": "nofortran"}
    assert model.export("--no-compile").stdout.startswith("model_py: double (sources only)\n")
    assert not list(model.folder.glob("build/**/*.so*")) + list(model.folder.glob("build/mod"))
    assert "unchanged" in model.export("--no-compile").stdout


# ---- several libraries


TWO = DOUBLE.replace("use model_py, only: double", "use model_py, only: double\n  use other_py, only: half").replace(
    "call double(field, doubled)",
    "call half(field, doubled)\n  field = doubled\n  call double(field, doubled)\n  doubled = 2*doubled",
)


@pytest.fixture
def two(model: Project) -> Project:
    """Two modules, the sources of both, and a program that uses both."""
    model.write(other_py=MODEL.replace("double(", "half(").replace("2 * field", "field / 2"), main_f90=TWO)
    for model.module in ("other", "model"):
        model.export("--no-compile", "-o", f"subprojects/{model.module}_py")
    return model


def test_several_libraries_of_one_prefix_leave_each_other_alone(two: Project) -> None:
    """The projects in src stay those of the first; the second says so, and neither is out of date for ever."""
    for two.module in ("other", "model"):
        said = two.export().stdout
    note = (
        "src/CMakeLists.txt and src/meson.build are those of other_py: to compile model_py by them, export it into another folder"
    )
    assert note in said.splitlines()
    for two.module in ("other", "model"):
        assert two.export("--json").stdout.count('"written": []') == 1
        assert two.export("--check").stdout == f"{two.name}: up to date in build\n"
    for file in ("meson.build", "CMakeLists.txt"):
        assert "other_py" in (two.folder / "build" / "src" / file).read_text(encoding="utf-8")
    (two.folder / "build" / "lib" / "other_py.json").unlink()
    assert "src/meson.build" in json.loads(two.export("--json").stdout)["written"]


@cmake
def test_cmake_says_that_the_sources_are_the_project_of_another_library(two: Project) -> None:
    """Where it would have to compile them."""
    for two.module in ("other", "model"):
        two.export("--no-compile")
    two.write(CMakeLists_txt=CMAKE.format(languages="Fortran", main="main.f90"))
    command = ["cmake", "-S", ".", "-B", "out", f"-DCMAKE_PREFIX_PATH={two.folder}/build"]
    done = run(command, cwd=two.folder, env=tools(), check=False)
    assert done.returncode
    message = f"model_py: nothing was exported for gfortran-12, and {two.folder}/build/src is the project of another library: export model_py for this compiler, or into another folder"
    assert message in " ".join(done.stderr.split())


@cmake
def test_cmake_compiles_several_libraries_of_one_program(two: Project) -> None:
    """With one loader."""
    text = CMAKE.format(languages="Fortran", main="main.f90").replace(
        "model_py REQUIRED)", "model_py REQUIRED)\nfind_package(other_py REQUIRED)"
    )
    two.write(CMakeLists_txt=text.replace("PRIVATE model_py::model_py", "PRIVATE model_py::model_py other_py::other_py"))
    path = ";".join(f"{two.folder}/subprojects/{name}" for name in ("model_py", "other_py"))
    run(["cmake", "-S", ".", "-B", "out", "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={path}"], cwd=two.folder, env=tools())
    run(["cmake", "--build", "out"], cwd=two.folder, env=tools())
    assert two.run(program="out/main").stdout == DOUBLED
    assert len(list(two.folder.glob("out/**/libpy2f.so.1"))) == 1


def test_meson_compiles_several_libraries_of_one_program(two: Project) -> None:
    for name in ("model_py", "other_py"):
        shutil.copytree(two.folder / "subprojects" / name / "src", two.folder / "subprojects" / name, dirs_exist_ok=True)
    two.write(meson_build=MESON.replace("dependency('model_py')", "[dependency('model_py'), dependency('other_py')]"))
    run(["meson", "setup", "--wrap-mode=forcefallback", "out"], cwd=two.folder, env=tools(FC="gfortran"))
    run(["ninja", "-C", "out"], cwd=two.folder, env=tools())
    assert two.run(program="out/main").stdout == DOUBLED


# ---- several compilers


@pytest.mark.parametrize(
    ("identity", "release"),
    [
        ("Using built-in specs.\nThread model: posix\ngcc version 12.2.0 (Debian 12.2.0-14+deb12u1) \n", "gfortran-12"),
        ("Debian flang-new version 19.1.7 (3~deb12u1)\nTarget: x86_64-pc-linux-gnu\n", "flang-19"),
        ("flang version 22.0.0\n", "flang-22"),
        ("ifx version 2024.1.0\n", "ifx-2024"),
        ("NAG Fortran Compiler Release 7.1\n", "nag_for"),
    ],
)
def test_the_folder_of_a_compiler_is_called_by_family_and_version(identity: str, release: str) -> None:
    """Where a compiler says neither, by its command."""
    assert Compiler(("/opt/nag for",), identity).release == release


def test_each_compiler_has_its_folder_until_the_signatures_change(model: Project) -> None:
    """What another compiler has made stays; what it has made of other signatures goes."""
    if not found("gfortran-11"):
        pytest.skip("gfortran-11 is not installed: two compilers in one prefix are not verified")
    folders = {"gfortran": "gfortran-12", "gfortran-11": "gfortran-11"}
    for model.compiler in folders:
        model.export()
    prefix = model.folder / "build"
    libraries = {folder: sorted(path.name for path in (prefix / "lib" / folder).iterdir()) for folder in folders.values()}
    assert libraries["gfortran-12"] == libraries["gfortran-11"]
    assert (prefix / "mod" / "model_py.mod").readlink().as_posix() == "gfortran-11/model_py.mod"
    for compiler, folder in folders.items():
        lib = prefix / "lib" / folder
        run(
            [compiler, f"-I{prefix}/mod/{folder}", "main.f90", f"-L{lib}", f"-Wl,-rpath,{lib}", "-lmodel_py", "-o", "main"],
            cwd=model.folder,
        )
        assert model.run().stdout == DOUBLED
    model.write(model_py=MODEL.replace("doubled:", "again:").replace("doubled[", "again["))
    model.export()
    assert [path.name for path in (prefix / "lib" / "gfortran-12").iterdir()] == []
    assert not (prefix / "mod" / "gfortran-12" / "model_py.mod").exists()
    assert model.go().stdout == DOUBLED
