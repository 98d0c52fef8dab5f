"""`python fetch_cffi.py FOLDER`, in the venv of fetch.py: the extension of cffi's API mode."""

import sys
from pathlib import Path

import cffi

DECLARATIONS = """
void fetched_nothing(void);
void fetched_three(double, double, double);
void fetched_add(const double *, const double *, double *);
void fetched_add_n(int, const double *, const double *, double *);
double fetched_last_of(int, const double *);
double fetched_each(double (*)(const double *), int);
"""


def main(folder: Path) -> None:
    """Write and compile it, linked with libfetched.so."""
    builder = cffi.FFI()
    builder.cdef(DECLARATIONS + 'extern "Python" double called(const double *);')
    where = {"library_dirs": [str(folder)], "runtime_library_dirs": [str(folder)]}
    builder.set_source("fetched_cffi", DECLARATIONS, libraries=["fetched"], extra_compile_args=["-O2"], **where)
    builder.compile(tmpdir=str(folder))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
