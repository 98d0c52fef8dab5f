"""What things are called in Fortran: any Python name works, or is refused with the option that renames."""

from __future__ import annotations

import pytest
from programs import Project, strict_fflags

from py2f.emit.names import INTRINSICS, ISO_C, KEYWORDS, assign, free
from py2f.emit.text import wrap

EVERY = sorted(KEYWORDS | INTRINSICS | ISO_C)
PYTHON_KEYWORDS = (
    {"and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del", "elif", "else", "except"}
    | {
        "finally",
        "for",
        "from",
        "global",
        "if",
        "import",
        "in",
        "is",
        "lambda",
        "nonlocal",
        "not",
        "or",
        "pass",
        "raise",
        "return",
    }
    | {"try", "while", "with", "yield", "none", "true", "false"}
)


def test_a_taken_name_gets_underscores_until_it_is_free() -> None:
    """One underscore after the other, case ignored."""
    assert free("Size", {"size", "size_"}) == "Size__"


def test_a_leading_underscore_is_dropped_and_a_leading_digit_covered() -> None:
    """Fortran's names begin with a letter."""
    assert [free(name, ()) for name in ("_x", "__init", "_1")] == ["x", "init", "x_1"]


def test_a_name_at_the_limit_stays_within_63_characters() -> None:
    """The underscore replaces the last character."""
    longest = "a" * 63
    assert free(longest, {longest}) == "a" * 62 + "_"


def test_who_has_a_legal_name_keeps_it() -> None:
    """`stat` yields, since it is taken; `stat_` is somebody's own name and stays."""
    names = ["stat", "stat_", "Foo", "foo", "_x", "x", "x"]
    assert assign(names, {"stat"}) == ["stat__", "stat_", "Foo", "foo_", "x__", "x", "x_"]


def _export_all(project: Project, functions: str, main: str, compiler: str) -> str:
    project.compiler = compiler
    project.write(model_py=functions, main_f90=main)
    project.export(strict_fflags(compiler))
    project.compile()
    return project.run().stdout


def test_every_keyword_and_intrinsic_may_name_a_function(project: Project, compiler: str) -> None:
    """Each function returns its number; all are called, and the intrinsics keep their meaning beside them."""
    functions = ["from py2f import export_to_fortran, f64, i32", ""]
    main = ["program main", "  use model_py", "  implicit none", "  integer :: total", "  total = 0"]
    for number, name in enumerate(EVERY):
        functions += [f"def call_{number}(x: f64[:], k: i32) -> i32:", f"    return int(x.sum()) + {number} * k", ""]
        functions += [f"export_to_fortran(call_{number}, name='{name}')", ""]
        main.append(f"  if ({name}([1d0, 2d0], 1) /= {number + 3}) total = total + 1")
    main += ["  print '(i0)', total", "  print '(i0,1x,f3.1)', len('four'), abs(-2.0)", "end program main"]
    assert _export_all(project, "\n".join(functions), "\n".join(main) + "\n", compiler) == "0\n4 2.0\n"


def test_every_keyword_and_intrinsic_may_name_an_argument(project: Project, compiler: str) -> None:
    """A dummy argument is renamed only where the wrapper needs the name itself; the order of arguments is the same.

    A dozen at a time, once as scalars and once as arrays, since what a wrapper needs differs.
    """
    names = [name for name in EVERY if name not in PYTHON_KEYWORDS]
    functions = ["from __future__ import annotations", "from py2f import export_to_fortran, f32, f64, i32, In", ""]
    main = ["program main", "  use model_py", "  implicit none", "  integer :: wrong", "  wrong = 0"]
    for number, group in enumerate(names[i : i + 12] for i in range(0, len(names), 12)):
        scalars = ", ".join(f"{name}: i32" for name in group)
        arrays = ", ".join(f"{name}: f64[n]" for name in group)
        total = " + ".join(group)
        functions += ["@export_to_fortran", f"def scalar_{number}({scalars}, other: f32, text: str, flag: bool) -> f32:"]
        functions += [f"    return {total} + other", "", "@export_to_fortran"]
        functions += [f"def array_{number}({arrays}, more: i32 | None) -> f64[n]:", f"    return {total}", ""]
        twos, pairs = "2, " * len(group), ", ".join(["[1d0, 2d0]"] * len(group))
        main.append(f"  if (abs(scalar_{number}({twos}1.5, 'x', .true.) - {2 * len(group) + 1.5}) > 0) wrong = wrong + 1")
        main.append(f"  if (any(abs(array_{number}({pairs}) - [{len(group)}, {2 * len(group)}]) > 0)) wrong = wrong + 1")
    main += ["  print '(i0)', wrong", "end program main"]
    assert _export_all(project, "\n".join(functions), "\n".join(map(wrap, main)) + "\n", compiler) == "0\n"


FIELDS = {
    "scalar": ("f64", "2.0", "real(8) :: {}", "abs({} - 2) > 0"),
    "explicit": ("f64[2]", "np.full(2, 2.0)", "real(8), dimension(2) :: {}", "any(abs({} - 2) > 0)"),
    "deferred": ("f64[:]", "np.full(2, 2.0)", "real(8), dimension(:), allocatable :: {}", "any(abs({} - 2) > 0)"),
    "rank 2": ("c32[:, :]", "np.ones((2, 1), 'F')", "complex, dimension(:, :), allocatable :: {}", "any(abs({} - 1) > 0)"),
    "handles": ("CPtr[:]", "np.zeros(2, np.uintp)", "type(c_ptr), dimension(:), allocatable :: {}", "size({}) /= 2"),
    "text": ("str", "'two'", "character(len=:), allocatable :: {}", "{} /= 'two'"),
}
"""What a field is: in Python, a value, in Fortran, how a wrong value is noticed."""


@pytest.mark.parametrize("field", FIELDS)
def test_every_keyword_and_intrinsic_may_name_a_field(project: Project, compiler: str, field: str) -> None:
    """`allocate (character(n))` would be a declaration of a type: the name is that of an array all the same."""
    kind, value, variables, is_wrong = FIELDS[field]
    functions = ["from __future__ import annotations", "from typing import Annotated", "import numpy as np"]
    functions += ["from py2f import CPtr, Name, c32, export_to_fortran, f64", ""]
    taken = ", ".join(f"v{i}" for i in range(12))
    main = ["program main", "  use, intrinsic :: iso_c_binding", "  use model_py", "  implicit none", "  integer :: wrong"]
    main += [f"  {variables.format(taken)}", "  wrong = 0"]
    for number, group in enumerate(EVERY[i : i + 12] for i in range(0, len(EVERY), 12)):
        fields = ", ".join(f"Annotated[{kind}, Name({name!r})]" for name in group)
        functions += ["@export_to_fortran", f"def function_{number}() -> tuple[{fields}]:"]
        functions += [f"    return {len(group)} * ({value},)", ""]
        main.append(f"  call function_{number}({', '.join(f'v{i}' for i in range(len(group)))})")
        main += [f"  if ({is_wrong.format(f'v{i}')}) wrong = wrong + 1" for i in range(len(group))]
    main += ["  print '(i0)', wrong", "end program main"]
    assert _export_all(project, "\n".join(functions), "\n".join(map(wrap, main)) + "\n", compiler) == "0\n"


@pytest.mark.parametrize("module", ["if_", "size", "c_int", "end", "module", "Heat", "iso_c_binding", "py2f_extra"])
def test_a_module_may_be_called_like_a_keyword_or_an_intrinsic(project: Project, module: str) -> None:
    """The library adds _py, so nothing clashes."""
    project.module = module
    project.write(
        **{f"{module}_py": "from py2f import export_to_fortran, i32\n@export_to_fortran\ndef one() -> i32: return 1\n"},
        main_f90=f"program main\n  use {module}_py\n  print '(i0)', one()\nend program main\n",
    )
    assert project.go().stdout == "1\n"


def test_what_the_wrapper_calls_its_own_variables_is_the_users_to_take(project: Project) -> None:
    """Names of the wrapper's variables, of its types and of the optional arguments: users' names stay, but stat and errmsg."""
    project.write(
        model_py="""\
from __future__ import annotations
from py2f import export_to_fortran, f64, i32

@export_to_fortran
def frame(frame: i32, rc: i32, res: i32, frame_layout: i32, stat: i32, errmsg: i32, Frame_: i32, _x: i32, x: f64[:], x_n: i32) -> i32:
    return frame + 10 * rc + 100 * res + 1000 * frame_layout + stat + errmsg + Frame_ + _x + int(x[0]) + x_n

@export_to_fortran
def Frame() -> i32:
    return 5
""",
        main_f90="""\
program main
  use model_py, only: frame, frame_
  implicit none
  print '(i0)', frame(frame__=1, rc=2, res=3, frame_layout=4, stat_=1, errmsg_=1, Frame_=1, x_=1, x=[1d0], x_n=1)
  print '(i0)', frame_()
end program main
""",
    )
    project.export(strict_fflags("gfortran"))
    project.compile()
    assert project.run().stdout == "4327\n5\n"


def test_names_of_63_characters_fit_into_lines(project: Project, compiler: str) -> None:
    """As function, argument, extent and module at once: no row is too long, literals are continued."""
    function, first, second = "f" * 63, "f" * 62 + "g", "g" * 63
    project.module = "m" * 60
    text = f"""\
from __future__ import annotations
from py2f import export_to_fortran, f64, i32, InOut

@export_to_fortran
def {function}({function}: i32, {first}: i32, {second}: InOut[f64[{function} + {first}, :]]) -> f64[{function} * {first} + {function}]:
    {second}[...] = 1
    return {second}[0, 0] + 0 * {second}[:1, 0].repeat({function} * {first} + {function})
"""
    main = f"""\
program main
  use {project.name}, only: &
    f => {function}
  implicit none
  integer :: stat
  character(len=300) :: message
  double precision :: x(5, 2)
  print '(8(f4.1))', f(2, 3, x)
  print '(8(f4.1))', f(2, 2, x, stat, message)
  print '(a)', trim(message)
end program main
"""
    project.compiler = compiler
    project.write(**{f"{project.module}_py": text, "main_f90": main})
    project.export(strict_fflags(compiler))
    rows = (project.folder / f"build/src/{project.name}.f90").read_text().splitlines()
    assert [row for row in rows if len(row) > 100 and "!>" not in row] == []
    project.compile()
    message = f"argument '{second}' of '{function}': extent 1 is 5, {function} + {first} is 4"
    ones, zeros = " 1.0" * 8, " 0.0" * 6
    assert project.run().stdout == f"{ones}\n{zeros}\n{message}\n"


def test_a_function_may_be_called_like_the_dummies_that_every_wrapper_has(project: Project, compiler: str) -> None:
    model = "from py2f import export_to_fortran, i32\n" + "".join(
        f"@export_to_fortran\ndef {name}(x: i32) -> i32: return x + {number}\n" for number, name in enumerate(("stat", "errmsg"))
    )
    main = "program main\n  use model_py, only: f => stat, g => errmsg\n  print '(2i2)', f(1), g(1)\nend program main\n"
    assert _export_all(project, model, main, compiler) == " 1 2\n"


def test_an_array_may_be_called_like_an_intrinsic_that_a_function_of_the_module_hides(project: Project, compiler: str) -> None:
    model = """\
from py2f import export_to_fortran, f64, i32
@export_to_fortran
def access(x: i32) -> i32: return x
@export_to_fortran
def first(access: f64[:]) -> f64: return access[0]
"""
    main = "program main\n  use model_py, only: first\n  print '(f3.1)', first([2d0, 3d0])\nend program main\n"
    assert _export_all(project, model, main, compiler) == "2.0\n"


def test_a_function_called_like_a_name_of_iso_c_binding_is_called_so_in_messages(project: Project) -> None:
    """The module imports that name under another one, which is nobody's business but its own."""
    project.write(
        model_py="""\
from __future__ import annotations
from py2f import export_to_fortran, f64, i32

@export_to_fortran
def c_int(x: f64[n], y: f64[n]) -> i32:
    return 1
""",
        main_f90="""\
program main
  use model_py
  implicit none
  integer :: n, stat
  character(len=60) :: msg
  n = c_int([1d0, 2d0], [1d0], stat, msg)
  print '(i0,1x,a)', n, trim(msg)
end program main
""",
    )
    assert project.go().stdout == "0 argument 'y' of 'c_int': extent 1 is 1, n is 2\n"
