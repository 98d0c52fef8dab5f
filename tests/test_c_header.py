"""Exported functions from C, through the generated header: no Fortran, no Python.h."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from programs import Project, found, run

GOLDEN = Path(__file__).with_name("golden")
MODEL = """\
from __future__ import annotations
from collections.abc import Callable
from typing import Annotated
import numpy as np
from py2f import InOut, Out, Padded, b32, c64, export_to_fortran, f32, f64, i8, i32, i64, string

@export_to_fortran
def smooth(field: f64[n, m], weight: f64, smoothed: Out[f64[n, m]]) -> None:
    \"\"\"Print what arrives.

    A comment may not end */ here.
    \"\"\"
    print(field.tolist(), weight, field.strides)
    if field.size:
        assert not field.flags.writeable
    smoothed[...] = field + weight

@export_to_fortran
def optional(x: f32[:] | None, n: i8 | None, z: c64 | None, flag: bool | None, tag: str | None, word: InOut[string] | None, by: i64 = 7) -> str:
    if word is not None:
        word[()] = b"new"
    return f"{None if x is None else x.tolist()} {n} {z} {flag} {tag!r} {by}"

@export_to_fortran
def results(x: f64[n], m: i32) -> tuple[f64[n], f64[:], c64, str, bool, i8]:
    return x * m, x[x > 0], complex(m, 1), "größer", m > 2, -3

@export_to_fortran
def table(n: i32, m: i32) -> i32[m, n - 1]:
    return np.array([[10 * i + j for j in range(n - 1)] for i in range(m)], np.int32)

@export_to_fortran
def some(n: i32) -> f64[:]:
    if n < 0:
        raise ValueError("fewer than none")
    return np.full(n, 0.5)

@export_to_fortran
def words(names: list[str], table: InOut[string[:, :]], int: i32) -> None:
    print(names, table.tolist(), int)
    table[1, 0] = b"here"

@export_to_fortran
def padded(n: i32, x: Annotated[f64[n], Padded], mask: InOut[b32[:]], count: InOut[i64]) -> bool:
    count += x.size
    mask[0] = not mask[0]
    return bool(mask[1])

@export_to_fortran
def called(halo: Callable[[f64], None]) -> None:
    halo(1.0)
"""
MAIN = """\
#include <stdio.h>
#include "model_py.h"

static void said(int rc)
{
  char text[200];
  size_t n = py2f_message_length();
  py2f_message_copy(text, sizeof text);
  printf("%d %.*s\\n", rc, (int)n, text);
}

int main(void)
{
  setvbuf(stdout, NULL, _IONBF, 0); /* Python prints as well */
  double field[2][3] = { { 1, 2, 3 }, { 4, 5, 6 } }, out[2][3] = { { 0 } }; /* 3 x 2 in Fortran's order */
  py2f_f64_2 dense = { field[0], { 3, 2 }, { 0, 0 } }, rows = { field[0], { 2, 3 }, { 3, 1 } }, back = { field[0] + 2, { 3, 2 }, { -1, 3 } };
  py2f_f64_2 none = { NULL, { 3, 0 }, { 0, 0 } }, lost = { NULL, { 3, 2 }, { 0, 0 } }, smoothed = { out[0], { 3, 2 }, { 0, 0 } };
  printf("%d\\n", model_py_smooth(dense, 0.5, smoothed));
  printf("%g %g\\n", out[0][1], out[1][2]);
  smoothed.extent[0] = 2, smoothed.extent[1] = 3, smoothed.stride[0] = 3, smoothed.stride[1] = 1;
  printf("%d\\n", model_py_smooth(rows, 1, smoothed));
  smoothed.extent[0] = 3, smoothed.extent[1] = 2, smoothed.stride[0] = smoothed.stride[1] = 0;
  printf("%d\\n", model_py_smooth(back, 2, smoothed));
  printf("%g %g\\n", out[0][0], out[0][2]);
  said(model_py_smooth(rows, 1, smoothed));
  said(model_py_smooth(lost, 1, smoothed));
  smoothed.extent[1] = 0;
  printf("%d\\n", model_py_smooth(none, 1, smoothed));

  char *text, word[5] = "old  ";
  float x[3] = { 1, 2, 3 };
  int8_t n = -5;
  double _Complex z = 2.0;
  int flag = 4;
  int64_t by = 8;
  py2f_f32_1 every_second = { x, { 2 }, { 2 } };
  py2f_string fixed = { word, 5 };
  printf("%d ", model_py_optional(NULL, NULL, NULL, NULL, NULL, NULL, NULL, &text));
  puts(text);
  free(text);
  printf("%d ", model_py_optional(&every_second, &n, &z, &flag, "täg", &fixed, &by, &text));
  printf("%s [%.5s]\\n", text, word);
  free(text);

  double a[3] = { -1, 2, 3 }, scaled[3];
  py2f_f64_1 positive, in = { a, { 3 }, { 0 } }, scaled_view = { scaled, { 3 }, { 0 } };
  int large, rc = model_py_results(in, 2, scaled_view, &positive, &z, &text, &large, &n);
  printf("%d %g %g %g %s %d %d\\n", rc, scaled[2], positive.first[positive.extent[0] - 1], __real__ z, text, large, n);
  free(text);
  free(positive.first);
  int32_t numbers[2 * 3];
  rc = model_py_table(3, 3, numbers);
  printf("%d %d %d\\n", rc, numbers[1], numbers[5]);
  printf("%d ", model_py_some(2, &positive));
  printf("%d %g\\n", (int)positive.extent[0], positive.first[1]);
  free(positive.first);
  said(model_py_some(-1, &positive));
  printf("%p %d\\n", (void *)positive.first, (int)positive.extent[0]);

  char names[2][3] = { "one", "2  " }, cells[4][4] = { "a", "b", "c", "d" };
  py2f_string_1 list = { names[0], { 2 }, { 0 }, 3 };
  py2f_string_2 square = { cells[0], { 2, 2 }, { 0, 0 }, 4 };
  printf("%d", model_py_words(list, square, 9));
  printf(" %.4s\\n", cells[1]);
  int32_t mask[2] = { 0, 1 };
  py2f_b32_1 masked = { mask, { 2 }, { 0 } };
  int64_t count = 5;
  rc = model_py_padded(2, in, masked, &count, &flag);
  printf("%d %d %d %d\\n", rc, (int)count, mask[0], flag);
  said(model_py_padded(4, in, masked, &count, &flag));
  return 0;
}
"""
PRINTED = """\
[[1.0, 4.0], [2.0, 5.0], [3.0, 6.0]] 0.5 (8, 24)
0
2.5 6.5
[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]] 1.0 (24, 8)
0
[[3.0, 6.0], [2.0, 5.0], [1.0, 4.0]] 2.0 (-8, 24)
0
5 3
3 argument 'smoothed' of 'smooth': extent 1 is 3, n is 2
3 argument 'field' of 'smooth': extent 1 is 3, not 0
[[], [], []] 1.0 (8, 24)
0
0 None None None None None 7
0 [1.0, 3.0] -5 (2+0j) True 'täg' 8 [new  ]
0 6 3 2 größer 0 -3
0 10 21
0 2 0.5
4 ValueError: fewer than none
(nil) 0
['one', '2'] [[b'a', b'c'], [b'b', b'd']] 9
0 here
0 7 1 1
3 argument 'x' of 'padded': extent 1 is 3, n is 4
"""
STRICT = "-std=gnu11 -Wall -Wextra -Werror -g -fsanitize=undefined -fno-sanitize-recover=all".split()


@pytest.fixture
def model(project: Project) -> Project:
    """A module and a program in C."""
    return project.write(model_py=MODEL, main_c=MAIN)


def shown(project: Project) -> str:
    """What the program prints."""
    done = project.run(env={"LANG": "C.UTF-8"})
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_c_calls_everything_that_it_can(model: Project) -> None:
    """With an exported library: arrays of any strides, absent ones, texts, results; extents are compared."""
    model.export()
    lib = model.folder / "build" / "lib"
    linked = [f"-L{lib}", f"-Wl,-rpath,{lib}", "-lmodel_py", "-l:libpy2f.so.1"]
    run(["gcc", *STRICT, "-Ibuild/include", "main.c", "-o", "main", *linked], cwd=model.folder)
    assert shown(model) == PRINTED


def test_c_needs_no_fortran(model: Project) -> None:
    """The table, the loader and the program; what takes a procedure has a table of its own, and is left out."""
    model.write(model_py=MODEL.partition("@export_to_fortran\ndef called")[0])
    model.export("--no-compile")
    sources = ["build/src/model_py.c", "build/src/loader.c"]
    run(["gcc", *STRICT, "-Ibuild/src", "main.c", *sources, "-o", "main", "-ldl", "-lpthread", "-lm"], cwd=model.folder)
    assert shown(model) == PRINTED


def test_pkg_config_and_cmake_link_a_program_in_c(model: Project) -> None:
    """They add the loader, which the header calls."""
    model.export()
    if found("pkg-config"):
        environment = {**os.environ, "PKG_CONFIG_PATH": f"{model.folder}/build/lib/pkgconfig"}
        run(["sh", "-c", "gcc main.c -o main $(pkg-config --cflags --libs model_py)"], cwd=model.folder, env=environment)
        assert shown(model) == PRINTED
    if not found("cmake"):
        pytest.skip("CMake is not installed: a program in C is not verified with it")
    model.write(
        CMakeLists_txt="cmake_minimum_required(VERSION 3.18)\nproject(c LANGUAGES C)\nfind_package(model_py REQUIRED)\n"
        "add_executable(main main.c)\ntarget_link_libraries(main model_py::model_py)\n"
    )
    run(["cmake", "-S", ".", "-B", ".", f"-DCMAKE_PREFIX_PATH={model.folder}/build"], cwd=model.folder)
    run(["cmake", "--build", "."], cwd=model.folder)
    assert shown(model) == PRINTED


def test_what_takes_a_procedure_is_named(model: Project) -> None:
    """In a comment; only Fortran has what it is called with."""
    model.export("--no-compile")
    header = (model.folder / "build" / "include" / "model_py.h").read_text(encoding="utf-8")
    assert "/* model_py_called takes a procedure: only Fortran can call it */" in header
    assert " * A comment may not end * / here. */\nstatic inline int model_py_smooth(" in header


@pytest.mark.parametrize("cc", ["gcc", "g++"])
def test_names_of_arguments_that_mean_something_to_c_are_others_there(project: Project, cc: str) -> None:
    """Also what the headers of the standard library define, whichever the program includes before."""
    if not found(cc):
        pytest.skip(f"{cc} is not installed: headers are not verified with it")
    words = "I complex imaginary EOF NULL errno INFINITY NAN alignas noexcept nullptr constexpr static_assert typeof linux unix i".split()
    arguments = ", ".join(f"{word}: f64" for word in words)
    project.write(
        model_py=f"from py2f import export_to_fortran, f64\n\n@export_to_fortran\ndef names({arguments}) -> None: ...\n"
    )
    project.export("--no-compile")
    headers = "".join(f"#include <{name}.h>\n" for name in ("assert", "complex", "errno", "math", "stdio"))
    project.write(main_x=f'{headers}#include "model_py.h"\n')
    language = ["-x", "c++"] if cc == "g++" else ["-x", "c"]
    run([cc, "-Wall", "-Wextra", "-Werror", *language, "-fsyntax-only", "-Ibuild/include", "main.x"], cwd=project.folder)


@pytest.mark.parametrize("case", sorted(folder.name for folder in GOLDEN.iterdir()))
@pytest.mark.parametrize("language", ["c", "c++"])
def test_headers_of_all_golden_cases_compile(project: Project, case: str, language: str) -> None:
    """Twice in one file, without a warning, in C and C++."""
    compiler = {"c": "gcc", "c++": "g++"}[language]
    if not found(compiler):
        pytest.skip(f"{compiler} is not installed: headers are not verified with it")
    shutil.copytree(GOLDEN / case, project.folder)
    project.export("--no-compile")
    (project.folder / "main.x").write_text('#include "model_py.h"\n#include "model_py.h"\n', encoding="utf-8")
    run(
        [compiler, "-Wall", "-Wextra", "-Werror", "-x", language, "-fsyntax-only", "-Ibuild/include", "main.x"],
        cwd=project.folder,
    )
