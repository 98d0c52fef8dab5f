"""A package is exported with all its modules: one library, a Fortran module for each, one that has them all."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest
from programs import Project, found, run

from py2f.signature import Library

if TYPE_CHECKING:
    from pathlib import Path

HEAD = "from __future__ import annotations\nfrom py2f import InOut, Out, export_to_fortran, f64, i32\n\n"
FILES = {
    "__init__": HEAD + "@export_to_fortran\ndef version(n: i32) -> i32:\n    return n + 1\n",
    "__main__": "raise SystemExit('a program')\n",
    "heat": HEAD + "@export_to_fortran\ndef warm(x: InOut[f64[:]]) -> None:\n    x += 1\n",
    "plain": "import no_such_module_but_nobody_looks\n",
    "wind/__init__": "",
    "wind/size": HEAD
    + "@export_to_fortran\ndef size(x: f64[:]) -> f64:\n    return x.size\n\n@export_to_fortran\ndef c_loc(x: f64) -> f64:\n    return -x\n",
    "tests/__init__": "raise RuntimeError('a test')\n",
    "test_heat": "raise RuntimeError('a test')\n",
    "conftest": "raise RuntimeError('a test')\n",
    "_private": "raise RuntimeError('private')\n",
}
MAIN = """\
program main
  use mypkg_py, only: all_of_them => warm, version, size_of => size
  use mypkg_heat_py, only: warm
  use mypkg_wind_size_py, only: c_loc
  implicit none
  double precision :: x(3)
  x = 1
  call warm(x)
  call all_of_them(x(::2))
  print '(3f4.1, i3, 2f5.1)', x, version(1), size_of(x), c_loc(3d0)
end program main
"""


@pytest.fixture
def package(project: Project) -> Project:
    """A package; in it a module that does not import."""
    project.module = "mypkg"
    project.write(main_f90=MAIN)
    return write(project, FILES)


def write(project: Project, files: dict[str, str], name: str = "mypkg") -> Project:
    """Write the modules of a package."""
    for module, text in files.items():
        path = project.folder / name / f"{module}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return project


def refused(project: Project, *options: str) -> str:
    """What an export says that fails."""
    done = project.export(*options, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert not (project.folder / "build").exists()
    return done.stderr.replace(f"{project.folder}/", "")


def test_a_package_is_one_library_with_a_module_for_each(package: Project, compiler: str) -> None:
    """Private modules, tests and __main__ are not imported; a function called like an intrinsic hides it from nobody."""
    package.compiler = compiler
    said = package.export("--without", "mypkg.plain").stdout.splitlines()
    assert said[0] == "mypkg_py: version, warm, size, c_loc (compiled)"
    assert said[1:3] == ["in the modules mypkg_heat_py, mypkg_wind_size_py as well", "use mypkg_py, and compile with:"]
    package.compile()
    assert package.run().stdout == " 3.0 2.0 3.0  2  3.0 -3.0\n"


def test_the_contract_says_which_module_has_what(package: Project) -> None:
    package.export("--without", "mypkg.plain", "--no-compile")
    contract = json.loads((package.folder / "build" / "lib" / "mypkg_py.json").read_text(encoding="utf-8"))
    assert contract["module"] == "mypkg, mypkg.heat, mypkg.wind.size"
    assert {p["name"]: p["use"] for p in contract["procedures"]} == {
        "version": "mypkg_py",
        "warm": "mypkg_heat_py",
        "size": "mypkg_wind_size_py",
        "c_loc": "mypkg_wind_size_py",
    }


def test_a_name_is_that_of_all_its_modules(package: Project) -> None:
    """With and without the usual ending."""
    for name, inner in (("warmth", "warmth_heat"), ("warmth_py", "warmth_heat_py")):
        out = package.export("--without", "mypkg.plain", "--no-compile", "--name", name, "--json").stdout
        assert [m["fortran"] for m in json.loads(out)["modules"]][::2] == [inner, name]


def test_a_module_that_moves_to_another_is_another_signature(package: Project) -> None:
    """Programs name the Fortran modules."""
    first = json.loads(package.export("--without", "mypkg.plain", "--no-compile", "--json").stdout)
    (package.folder / "mypkg" / "heat.py").rename(package.folder / "mypkg" / "cold.py")
    second = json.loads(package.export("--without", "mypkg.plain", "--no-compile", "--json", "-o", "second").stdout)
    assert first["procedures"] == second["procedures"]
    assert first["signature"] != second["signature"]


def test_a_module_that_is_gone_is_gone_from_the_prefix(package: Project) -> None:
    """No program compiles against it any more, whatever the compiler; --check tells."""
    compilers = [name for name in ("gfortran-11", "gfortran") if found(name)]
    for package.compiler in compilers:
        package.export("--without", "mypkg.plain")
    mod = package.folder / "build" / "mod"
    assert len(list(mod.rglob("mypkg_heat_py.mod"))) == len(compilers) + 1
    (package.folder / "mypkg" / "heat.py").unlink()
    said = package.export("--without", "mypkg.plain", "--check", check=False).stdout
    assert {"  mod/mypkg_heat_py.mod", "  mod/gfortran-12/mypkg_heat_py.mod"} <= set(said.splitlines())
    package.export("--without", "mypkg.plain")
    assert sorted(path.relative_to(mod).as_posix() for path in mod.rglob("mypkg_*.mod")) == [
        *(f"gfortran-12/{name}.mod" for name in ("mypkg_py", "mypkg_wind_size_py")),
        *("mypkg_py.mod", "mypkg_wind_size_py.mod"),
    ]
    assert package.export("--without", "mypkg.plain", "--check").returncode == 0


def test_several_modules_go_into_one_and_packages_with_theirs(package: Project) -> None:
    """With --name; there is one Fortran module."""
    write(package, {"ice": HEAD + "@export_to_fortran\ndef melt(x: f64) -> f64:\n    return 2 * x\n"}, "other")
    command = [package.python, *"-m py2f.export other.ice mypkg --without mypkg.plain --name both -o build".split()]
    run(command, cwd=package.folder)
    package.write(
        main_f90=MAIN.replace("mypkg_py", "both").replace("mypkg_heat_py", "both").replace("mypkg_wind_size_py", "both")
    )
    run(
        [*"gfortran -Ibuild/mod main.f90 -o main -Lbuild/lib".split(), f"-Wl,-rpath,{package.folder}/build/lib", "-lboth"],
        cwd=package.folder,
    )
    assert package.run().stdout == " 3.0 2.0 3.0  2  3.0 -3.0\n"


def test_what_a_private_module_exports_is_said_to_be_left_out(package: Project) -> None:
    """Somebody has imported it."""
    write(package, {"_private": HEAD + "@export_to_fortran\ndef hidden(x: f64) -> f64:\n    return x\n"})
    (package.folder / "mypkg" / "heat.py").write_text(FILES["heat"] + "\nfrom mypkg._private import hidden\n", encoding="utf-8")
    assert "left out, since it is private: mypkg._private\n" in package.export("--without", "mypkg.plain", "--no-compile").stdout


def test_what_a_private_module_exports_is_said_where_the_package_itself_exports_nothing(package: Project) -> None:
    """An __init__ is often empty."""
    write(package, {"__init__": "", "_private": HEAD + "@export_to_fortran\ndef hidden(x: f64) -> f64:\n    return x\n"})
    (package.folder / "mypkg" / "heat.py").write_text(FILES["heat"] + "\nimport mypkg._private\n", encoding="utf-8")
    said = package.export("--without", "mypkg.plain", "--no-compile", "--json").stdout
    assert json.loads(said)["left_out"] == ["mypkg._private"]


def test_a_folder_without_init_is_said_to_be_left_out(package: Project) -> None:
    """It might be data; where it was forgotten, a function would be missing without a word."""
    write(package, {"sea/ice": FILES["heat"].replace("warm", "melt"), "wind/high/jet": "", "wind/tests/test_jet": ""})
    write(package, {"_secret/one": "", "wind/__pycache__/one": ""})
    (package.folder / "mypkg" / "data").mkdir()
    said = package.export("--without", "mypkg.plain", "--no-compile").stdout
    assert [line for line in said.splitlines() if "left out" in line] == [
        "left out, since it has no __init__.py: mypkg.sea",
        "left out, since it has no __init__.py: mypkg.wind.high",
    ]
    said = package.export(*"--without mypkg.plain --without mypkg.wind --without mypkg.sea --no-compile".split()).stdout
    assert "left out" not in said


def test_prebuild_takes_a_package(package: Project) -> None:
    """With its modules, but for those that are left out."""
    command = [package.python, "-c", "from py2f.cli import main; raise SystemExit(main())", "prebuild", "mypkg"]
    assert run([*command, "--without", "mypkg.plain"], cwd=package.folder).stdout == "in the cache: mypkg_py\n"
    assert "(unchanged, nothing compiled)" in package.export("--without", "mypkg.plain").stdout


# ---- what may be wrong


def test_a_module_that_does_not_import_is_shown(package: Project) -> None:
    """Which, for which package, how to leave it out, and its own traceback."""
    said = refused(package).splitlines()
    assert said[0] == (
        "py2f: mypkg.plain, which the export of mypkg takes in, does not import; mend it, or leave it out: --without mypkg.plain"
    )
    assert 'File "mypkg/plain.py", line 1' in "".join(said)
    assert said[-1] == "ModuleNotFoundError: No module named 'no_such_module_but_nobody_looks'"


@pytest.mark.parametrize("text", ["def f(:\n", "def f():\n    return 1 / 0\n\nf()\n"], ids=["syntax", "exception"])
def test_a_traceback_begins_in_the_package(package: Project, text: str) -> None:
    """How an export and Python import it is nobody's trouble."""
    write(package, {"plain": text})
    lines = refused(package).splitlines()
    files = [line for line in lines if line.strip().startswith("File ")]
    assert files[0].startswith('  File "mypkg/plain.py", line ')
    assert not [line for line in files if "importlib" in line or "py2f" in line.replace("py2f: ", "")]
    assert lines[1] == "Traceback (most recent call last):" or text.startswith("def f(:")


CLASHES = {  # modules of the package, options, the message
    "one name in two modules": (
        {"heat": FILES["heat"], "cold": FILES["heat"]},
        (),
        (
            "'warm' is exported by mypkg.cold and by mypkg.heat: "
            "give one of them another name, with @export_to_fortran(name=...), or put them into two libraries"
        ),
    ),
    "names that differ in case": (
        {"heat": FILES["heat"], "cold": FILES["heat"].replace("warm", "Warm")},
        (),
        (
            "'warm' is exported by mypkg.cold, as 'Warm', and by mypkg.heat: "
            "give one of them another name, with @export_to_fortran(name=...), or put them into two libraries"
        ),
    ),
    "modules that differ in case": (
        {"heat": FILES["heat"], "Heat": FILES["heat"].replace("warm", "cool")},
        (),
        "mypkg.Heat and mypkg.heat would both be called 'mypkg_heat_py' in Fortran: rename one of the modules",
    ),
    "modules of one Fortran name": (
        {"heat_sea": FILES["heat"], "heat/__init__": "", "heat/sea": FILES["heat"].replace("warm", "cool")},
        (),
        "mypkg.heat.sea and mypkg.heat_sea would both be called 'mypkg_heat_sea_py' in Fortran: rename one of the modules",
    ),
    "a name that is too long": (
        {"h" * 60: FILES["heat"]},
        (),
        (
            f"the Fortran module of mypkg.{'h' * 60} would be called 'mypkg_{'h' * 60}_py', which has 69 characters of 63 that may be: "
            "rename the module, or give the library a shorter name, with --name"
        ),
    ),
    "a name that Fortran cannot have": (
        {"höhe": FILES["heat"]},
        (),
        "'mypkg_höhe_py' cannot be the name of a Fortran module: rename mypkg.höhe",
    ),
    "a function called like a module": (
        {"heat": FILES["heat"].replace("warm", "mypkg_heat_py")},
        (),
        "'mypkg_heat_py' is called like its Fortran module: rename one, with @export_to_fortran(name=...) or the Python module",
    ),
    "nothing": (
        {"heat": "", "cold": ""},
        (),
        "mypkg exports nothing, nor does mypkg.cold or mypkg.heat: put @export_to_fortran on a function of it",
    ),
    "only in a folder without an __init__": (
        {"cold": "", "heat/sea": FILES["heat"]},
        (),
        (
            "mypkg exports nothing, nor does mypkg.cold: put @export_to_fortran on a function of it "
            "(mypkg.heat is left out, since it has no __init__.py)"
        ),
    ),
    "a module to leave out that is not there": (
        {"heat": FILES["heat"]},
        ("--without", "mypkg.cold"),
        "--without mypkg.cold: mypkg has no such module",
    ),
    "a module to leave out of another package": (
        {"heat": FILES["heat"]},
        ("--without", "json.tool"),
        "--without json.tool: mypkg has no such module",
    ),
    "an inner module that ends Python": (
        {"heat": "raise SystemExit(3)\n"},
        (),
        "mypkg.heat ends Python while it is imported (SystemExit: 3); put what it does under `if __name__ == '__main__':`",
    ),
}


@pytest.mark.parametrize("case", CLASHES)
def test_message(project: Project, case: str) -> None:
    """One line that says what is wrong and which name mends it; nothing is written."""
    files, options, message = CLASHES[case]
    project.module = "mypkg"
    write(project, {"__init__": "", **files})
    assert refused(project, *options) == f"py2f: {message}\n"


@pytest.mark.parametrize("first", ["mypkg", "mypkg_heat"])
def test_fortran_modules_of_two_libraries_do_not_replace_each_other_in_a_prefix(project: Project, first: str) -> None:
    """mypkg.heat and mypkg_heat have one name in Fortran."""
    write(project, {"__init__": "", "heat": FILES["heat"]})
    project.write(mypkg_heat_py=FILES["heat"].replace("warm", "cool"))
    project.module = first
    project.export("--no-compile")
    project.module = second = "mypkg_heat" if first == "mypkg" else "mypkg"
    for options in ((), ("--check",), ("--no-compile",)):
        done = project.export(*options, check=False)
        message = (
            f"py2f: {project.folder}/build has a Fortran module mypkg_heat_py already, of {first}; "
            f"choose another name for {second}, with --name, or another folder\n"
        )
        assert (done.returncode, done.stdout, done.stderr) == (1, "", message)
    assert project.export("--name", "other_py", "--no-compile").stdout.startswith("other_py: ")


def test_a_namespace_package_has_modules_too(project: Project) -> None:
    """Without an __init__."""
    project.module = "mypkg"
    write(project, {"heat": FILES["heat"]})
    assert project.export("--no-compile").stdout.startswith(
        "mypkg_py: warm (sources only)\nin the modules mypkg_heat_py as well\n"
    )


def test_the_run_time_imports_what_exports_and_nothing_else(package: Project, tmp_path: Path) -> None:
    """A module that fails since the export is no trouble if it exports nothing."""
    (package.folder / "mypkg" / "plain.py").write_text("", encoding="utf-8")
    package.export()
    package.compile()
    (package.folder / "mypkg" / "plain.py").write_text("raise RuntimeError\n", encoding="utf-8")
    assert package.run(env={"TMPDIR": str(tmp_path), "LANG": os.environ.get("LANG", "C")}).stdout == " 3.0 2.0 3.0  2  3.0 -3.0\n"


def test_the_hash_of_a_library_is_made_once() -> None:
    """It stands beside each procedure of the header: made anew each time, a thousand of them would take seconds."""
    library = Library("model_py", ("model",), ())
    assert library.signature is library.signature
