"""The model's libraries and Python's stay apart, and a library shows nothing but what it is called by."""

from __future__ import annotations

import re
import shutil

import pytest
from programs import Project, run
from starting import MODEL, greeting

NETCDF = """\
from py2f import InOut, export_to_fortran, f64


@export_to_fortran
def double(path: str, x: InOut[f64[:, :]]) -> None:
    import netCDF4

    with netCDF4.Dataset(path, "w") as file:
        for name, extent in zip("ij", x.shape):
            file.createDimension(name, extent)
        file.createVariable("x", "f8", ("i", "j"))[:] = x
    with netCDF4.Dataset(path) as file:
        x[...] = 2 * file["x"][:]
"""

NETCDF_MAIN = """\
program main
  use netcdf
  use model_py, only: double
  implicit none
  integer :: file, dims(2), var
  double precision :: x(3, 2), back(3, 2)
  x = reshape([1, 2, 3, 4, 5, 6], [3, 2])
  call check(nf90_create('model.nc', ior(nf90_netcdf4, nf90_clobber), file))
  call check(nf90_def_dim(file, 'i', 3, dims(1)))
  call check(nf90_def_dim(file, 'j', 2, dims(2)))
  call check(nf90_def_var(file, 'x', nf90_double, dims, var))
  call check(nf90_enddef(file))
  call double('python.nc', x)
  call check(nf90_put_var(file, var, x))
  call check(nf90_close(file))
  call check(nf90_open('model.nc', nf90_nowrite, file))
  call check(nf90_get_var(file, var, back))
  call check(nf90_close(file))
  print '(6f5.0)', back
contains
  subroutine check(rc)
    integer, intent(in) :: rc
    if (rc /= nf90_noerr) error stop 'the netCDF of the model failed'
  end subroutine check
end program main
"""

MALLOC = """\
/* An allocator of its own, as jemalloc is: memory that libc's free() would abort on. */
#include <stddef.h>
#include <string.h>
static char heap[1 << 29];
static size_t used;
void *malloc(size_t n)
{
  size_t at = __atomic_fetch_add(&used, ((n + 15) & ~(size_t)15) + 16, __ATOMIC_RELAXED);
  *(size_t *)(heap + at) = n;
  return heap + at + 16;
}
void free(void *p) { (void)p; }
void *calloc(size_t n, size_t size) { return malloc(n * size); }
void *realloc(void *p, size_t n)
{
  void *q = malloc(n);
  if (p) memcpy(q, p, ((size_t *)p)[-2] < n ? ((size_t *)p)[-2] : n);
  return q;
}
"""
FLAGS = ("import os, sys", "import numpy", "return str(bool(sys.getdlopenflags() & os.RTLD_DEEPBIND))")


@pytest.fixture(scope="module")
def flags(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A program that says whether Python's libraries are isolated."""
    return greeting(Project(tmp_path_factory.mktemp("flags") / "project"), *FLAGS)


@pytest.mark.skipif(
    not shutil.which("nf-config"), reason="nf-config is missing: a model with a netCDF of its own is not verified"
)
def test_a_model_with_its_own_netcdf_runs_a_granule_that_imports_netcdf4(project: Project) -> None:
    """Each with its own HDF5, while the model's file is open."""
    pytest.importorskip("netCDF4", reason="netCDF4 is not installed: a granule that imports it is not verified")
    project.write(model_py=NETCDF, main_f90=NETCDF_MAIN).export()
    fflags, flibs = (
        run(["nf-config", what], cwd="/", env={"PATH": "/usr/bin:/bin"}).stdout.split() for what in ("--fflags", "--flibs")
    )
    project.compile(*fflags, "-Wl,--no-as-needed", *flibs)
    done = run([str(project.folder / "main")], cwd=project.folder, env={})
    assert done.stdout == "   2.   4.   6.   8.  10.  12.\n"


def test_libraries_of_python_are_isolated(flags: Project) -> None:
    """RTLD_DEEPBIND is set before the first import."""
    assert flags.run().stdout == "True\n"


def test_isolation_is_off_where_malloc_is_not_that_of_libc(flags: Project) -> None:
    """One side would free what the other allocated."""
    flags.write(malloc_c=MALLOC)
    run(["cc", "-O1", "-fno-builtin", "-shared", "-fPIC", "malloc.c", "-o", "malloc.so"], cwd=flags.folder)
    done = flags.run(env={"LD_PRELOAD": str(flags.folder / "malloc.so")})
    assert (done.returncode, done.stdout) == (0, "False\n"), done.stderr


@pytest.mark.parametrize(("wish", "isolated"), [("on", True), ("off", False), ("", True)])
def test_py2f_isolate_decides(flags: Project, wish: str, isolated: bool) -> None:  # noqa: FBT001
    """For those who know better."""
    assert flags.run(env={"PY2F_ISOLATE": wish}).stdout == f"{isolated}\n"


# ---- what the libraries are, from outside


@pytest.fixture(scope="module")
def libraries(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Both libraries of an export, by name, and the hash of the signatures."""
    project = Project(tmp_path_factory.mktemp("libraries") / "project").write(model_py=MODEL)
    project.export()
    lib = project.folder / "build" / "lib"
    contract = (lib / "model_py.json").read_text(encoding="utf-8")
    (signature,) = re.findall(r'"signature": "([0-9a-f]{12})"', contract)
    return {"libmodel_py.so": str(lib / "libmodel_py.so"), "libpy2f.so.1": str(lib / "libpy2f.so.1"), "signature": signature}


def dynamic(libraries: dict[str, str], name: str, tag: str) -> list[str]:
    """Entries of the dynamic section."""
    return re.findall(rf"\({tag}\).*\[(.*)\]", run(["readelf", "-dW", libraries[name]], cwd="/").stdout)


def test_libpy2f_needs_libc_only(libraries: dict[str, str]) -> None:
    """A program starts where there is no Python."""
    assert set(dynamic(libraries, "libpy2f.so.1", "NEEDED")) <= {
        "libc.so.6",
        "libdl.so.2",
        "libpthread.so.0",
        "ld-linux-x86-64.so.2",
    }
    assert dynamic(libraries, "libpy2f.so.1", "SONAME") == ["libpy2f.so.1"]


def test_a_library_needs_no_python(libraries: dict[str, str]) -> None:
    """Neither libpython nor a symbol of it or of cffi."""
    needed = set(dynamic(libraries, "libmodel_py.so", "NEEDED"))
    assert needed - {"libc.so.6", "libm.so.6", "libgcc_s.so.1", "libquadmath.so.0"} == {"libpy2f.so.1", "libgfortran.so.5"}
    for name in ("libmodel_py.so", "libpy2f.so.1"):
        undefined = run(["nm", "-D", "--undefined-only", libraries[name]], cwd="/").stdout
        assert re.findall(r"\b_?(?:Py|cffi)\w*", undefined) == []


def test_the_name_of_a_library_ends_in_the_hash_of_its_signatures(libraries: dict[str, str]) -> None:
    """And the library finds libpy2f beside itself, wherever the prefix is."""
    assert dynamic(libraries, "libmodel_py.so", "SONAME") == [f"libmodel_py.so.{libraries['signature']}"]
    (path,) = dynamic(libraries, "libmodel_py.so", "RUNPATH")
    folders = path.split(":")
    assert "$ORIGIN" in folders
    assert set(folders) <= {"$ORIGIN", "$ORIGIN/.."}  # the second is of Meson's build tree


def test_stacks_are_not_executable(libraries: dict[str, str]) -> None:
    """Hardened systems refuse them."""
    for name in ("libmodel_py.so", "libpy2f.so.1"):
        (flags,) = re.findall(r"GNU_STACK.* (R\S*) ", run(["readelf", "-lW", libraries[name]], cwd="/").stdout)
        assert flags == "RW"


def test_a_library_shows_its_procedures_module_py2f_and_its_entry_only(libraries: dict[str, str]) -> None:
    """Two libraries in one process never meet."""
    defined = run(["nm", "-D", "--defined-only", libraries["libmodel_py.so"]], cwd="/").stdout
    names = {line.split()[-1] for line in defined.splitlines()}
    names = {name for name in names if "_MOD___" not in name}  # gfortran 14 adds tables of each module's types
    entry = f"py2f_model_py_{libraries['signature']}_call"
    others = {name for name in names if not name.startswith(("__py2f_MOD_py2f_", "__model_py_MOD_"))}
    assert others == {entry}
    assert {name for name in names if name.startswith("__model_py_MOD_")} == {"__model_py_MOD_scaled"}


def test_libpy2f_shows_its_own_names_only(libraries: dict[str, str]) -> None:
    """All begin with py2f_."""
    defined = run(["nm", "-D", "--defined-only", libraries["libpy2f.so.1"]], cwd="/").stdout
    assert {line.split()[-1].partition("_")[0] for line in defined.splitlines()} == {"py2f"}
