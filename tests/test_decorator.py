"""The decorator: it gives back what it got, and takes every sort of callable that Fortran can call."""

from __future__ import annotations

import functools
import importlib
import inspect
import pickle
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from programs import strict_fflags

from py2f import SignatureError, export_to_fortran, f64
from py2f.decorators.registry import exported

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from types import ModuleType

    from programs import Project

HEAD = """\
from __future__ import annotations
import functools
import threading
import numpy as np
from py2f import Out, export_to_fortran, extent, f64, i32
"""

SORTS = f"""{HEAD}
@export_to_fortran
def bare(x: f64) -> f64:
    return x + 1

@export_to_fortran(name="with_options")
def _hidden(x: f64) -> f64:
    return x + 2

def plain(x, y):
    return x + y

def stub(a: f64, b: f64) -> f64: ...

export_to_fortran(plain, name="as_a_call", like=stub)

@export_to_fortran
def keyword_only(x: f64, *, y: f64, z: f64 = 30.0) -> f64:
    return x + 10 * y + z

@export_to_fortran
def positional_only(x: f64, y: f64 = 0.5, /, z: f64 = 0.25) -> f64:
    return x + y + z

class Model:
    @staticmethod
    @export_to_fortran
    def static_outside(x: f64) -> f64:
        return x + 3

    @export_to_fortran
    @staticmethod
    def static_inside(x: f64) -> f64:
        return x + 4

    def __init__(self, offset: float) -> None:
        self.offset = offset

    def method(self, x: f64) -> f64:
        return x + self.offset

    def __call__(self, x: f64, y: f64 | None = None) -> f64:
        return x * self.offset + (0.0 if y is None else y)

    @classmethod
    def made(cls, x: f64) -> f64:
        return cls(x).offset

export_to_fortran(Model(5.0).method, name="bound_method")
export_to_fortran(Model.made, name="class_method")
scaled = export_to_fortran(Model(6.0), name="callable_object")

def traced(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return 100 + function(*args, **kwargs)
    return wrapper

@export_to_fortran
@traced
def wrapped(x: f64, y: f64 = 2.0) -> f64:
    return x + y

def three(x: f64, y: f64, z: f64) -> f64:
    return x + 10 * y + 100 * z

second = export_to_fortran(functools.partial(three, 1.0, z=3.0), name="partial_second")

def vector(x: f64[n]) -> f64[n]: ...
def scalar(x: f64) -> f64: ...
def largest(a: f64, b: f64) -> f64: ...

export_to_fortran(np.sqrt, like=vector, name="root")
export_to_fortran(max, like=largest, name="largest")
[export_to_fortran(function, like=scalar, name=f"of_{{function.__name__}}") for function in (np.cos, np.absolute)]
export_to_fortran(lambda x: 7 * x, like=scalar, name="anonymous")

def power(exponent):
    @export_to_fortran(name=f"power_{{exponent}}")
    def closure(x: f64) -> f64:
        return x**exponent
    return closure

square, cube = map(power, (2, 3))
export_to_fortran(float, like=scalar, name="a_type")
"""

MAIN = """\
program main
  use model_py
  use, intrinsic :: iso_c_binding, only: c_double
  implicit none
  real(c_double), parameter :: one = 1, two = 2
  print "(5f8.2)", bare(one), with_options(one), as_a_call(one, two), keyword_only(one, two), keyword_only(one, two, z=two)
  print "(5f8.2)", positional_only(one), positional_only(one, two), positional_only(one, z=two), static_outside(one), &
    static_inside(one)
  print "(5f8.2)", bound_method(one), class_method(two), callable_object(one), callable_object(one, two), wrapped(one)
  print "(5f8.2)", wrapped(one, one), partial_second(two), partial_second(two, z=one), root([4.0_c_double, 9.0_c_double])
  print "(5f8.2)", largest(one, two), of_cos(0 * one), of_absolute(-two), anonymous(two), a_type(two)
  print "(5f8.2)", power_2(3 * one), power_3(two)
end program main
"""

PRINTED = [
    [2, 3, 3, 51, 23],
    [1.75, 3.25, 3.5, 4, 5],
    [6, 2, 6, 8, 103],
    [102, 321, 121, 2, 3],
    [2, 1, 2, 14, 2],
    [9, 8],
]


@pytest.fixture
def load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], ModuleType]:
    """Import source text as module `model`, that nobody had before."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.delitem(sys.modules, "model", raising=False)

    def imported(source: str) -> ModuleType:
        (tmp_path / "model.py").write_text(source, encoding="utf-8")
        importlib.invalidate_caches()
        sys.modules.pop("model", None)
        return importlib.import_module("model")

    return imported


def test_every_sort_of_callable_is_called_from_fortran(project: Project) -> None:
    """One library with all sorts; each is called by a program that is compiled with every warning an error."""
    project.write(model_py=SORTS, main_f90=MAIN)
    project.export(strict_fflags("gfortran"))
    project.compile(*"-std=f2018 -Wall -Wextra -Werror".split())
    done = project.run()
    assert [[float(word) for word in line.split()] for line in done.stdout.splitlines()] == PRINTED, done.stderr


@pytest.mark.parametrize("options", [{}, {"name": "other"}])
def test_the_function_itself_comes_back(options: dict[str, str]) -> None:
    """Bare and with options: the very same object, with its name, docstring, signature and code."""

    def smooth(x: f64) -> f64:
        """Smooth."""
        return x

    before = (smooth.__name__, smooth.__qualname__, smooth.__doc__, smooth.__code__, inspect.signature(smooth))
    smooth.__module__ = "model_that_nobody_imports"
    given = export_to_fortran(**options)(smooth) if options else export_to_fortran(smooth)
    assert given is smooth
    assert before == (smooth.__name__, smooth.__qualname__, smooth.__doc__, smooth.__code__, inspect.signature(smooth))
    assert smooth.__py2f__.function is smooth
    assert smooth.__py2f__.procedure.name == options.get("name", "smooth")


def test_the_attribute_says_where_the_def_stands(load: Callable[[str], ModuleType]) -> None:
    """Not the line of a decorator; `where` is what messages begin with."""
    model = load(f"{HEAD}\n@export_to_fortran\n@functools.cache\ndef f(x: f64, *, y: f64 = 2.0) -> f64:\n    return x\n")
    known = model.f.__py2f__
    assert known.where == f"{model.__file__}:9"
    assert (known.module, known.qualname, known.defaults, known.keywords) == ("model", "f", (None, 2.0), ("y",))


def test_every_sort_has_what_py2f_knows(load: Callable[[str], ModuleType]) -> None:
    """Static methods in both orders, partials and objects carry it; what takes no attributes stands in the registry."""
    model = load(SORTS)
    static = [model.Model.static_outside, model.Model.static_inside]
    assert [function.__py2f__.procedure.name for function in static] == ["static_outside", "static_inside"]
    assert [model.second.__py2f__.procedure.name, model.scaled.__py2f__.procedure.name] == ["partial_second", "callable_object"]
    assert [exported("model")[name].function for name in ("root", "largest")] == [np.sqrt, max]
    assert not hasattr(max, "__py2f__")


def test_functions_are_pickled_as_before(load: Callable[[str], ModuleType]) -> None:
    """Functions by name; partials and objects, which carry the attribute, although a default cannot be pickled."""
    model = load(
        f"{HEAD}\n@export_to_fortran\ndef f(x: f64) -> f64:\n    return x\n"
        "class Scale:\n    def __call__(self, x: f64, lock: f64 | None = threading.Lock()) -> f64:\n        return 2 * x\n"
        "scale = export_to_fortran(Scale(), name='scale')\n"
        "part = export_to_fortran(functools.partial(f), name='part')\n"
    )
    again: Any = [pickle.loads(pickle.dumps(value)) for value in (model.f, model.scale, model.part)]  # noqa: S301  our own
    assert again[0] is model.f
    assert [function(3.0) for function in again] == [3.0, 6.0, 3.0]
    assert again[1].__py2f__ is model.scale.__py2f__


def test_a_loop_or_comprehension_exports_into_the_module_that_runs_it(load: Callable[[str], ModuleType]) -> None:
    """Also in Python before 3.12, where a comprehension has a frame of its own: the functions are somebody else's."""
    load(
        f"{HEAD}\nimport textwrap\nfor function in (textwrap.dedent,):\n"
        "    function.__annotations__ = {'text': str, 'return': int}\n    export_to_fortran(function, name='in_a_loop')\n"
        "[export_to_fortran(function, name='in_a_list') for function in (textwrap.dedent,)]\n"
        "dict((name, export_to_fortran(textwrap.dedent, name=name)) for name in ('in_a_generator',))\n"
    )
    assert list(exported("model")) == ["in_a_loop", "in_a_list", "in_a_generator"]
    assert not exported("textwrap")


def test_a_reload_begins_anew(load: Callable[[str], ModuleType], tmp_path: Path) -> None:
    """What is gone from the module is gone from its exports; what moved into a partial is no clash."""
    source = f"{HEAD}\n@export_to_fortran\ndef kept(x: f64) -> f64:\n    return x\n"
    model = load(f"{source}@export_to_fortran\ndef gone(x: f64) -> f64:\n    return x\n")
    assert list(exported("model")) == ["kept", "gone"]
    new = source.replace("@export_to_fortran\n", "") + "part = export_to_fortran(functools.partial(kept), name='kept')\n"
    (tmp_path / "model.py").write_text(new, encoding="utf-8")
    importlib.invalidate_caches()
    importlib.reload(model)
    assert exported("model")["kept"].function is model.part
    assert list(exported("model")) == ["kept"]


def test_a_def_under_try_and_except_replaces_the_first(load: Callable[[str], ModuleType]) -> None:
    """As in Python: the last definition of a name counts."""
    model = load(
        f"{HEAD}\n@export_to_fortran\ndef f(x: f64) -> f64: ...\n@export_to_fortran\ndef f(x: f64, y: f64) -> f64: ...\n"
    )
    assert exported("model")["f"].function is model.f


def test_annotations_may_be_postponed_and_quoted(load: Callable[[str], ModuleType]) -> None:
    """`from __future__ import annotations` with quotes inside is a string twice."""
    model = load(f"{HEAD}\n@export_to_fortran\ndef f(x: 'f64[n]', n: 'i32') -> 'f64[n]': ...\n")
    assert str(model.f.__py2f__.procedure) == "f(x: f64[n], n: i32) -> f64[n]"


@pytest.mark.parametrize(
    ("spelled", "declared"),
    [
        ("Int8[np.ndarray, 'n']", "i8[n]"),
        ("Float32[np.ndarray, 'n 3']", "f32[n, 3]"),
        ("Complex128[np.ndarray, '_ _m']", "c64[:, :]"),
        ("Bool[np.ndarray, 'n']", "b32[n]"),
        ("Out[Int64[np.ndarray, '_']] | None", "Out[i64[:]] | None"),
    ],
)
def test_jaxtypings_spellings_are_read(load: Callable[[str], ModuleType], spelled: str, declared: str) -> None:
    """What begins with an underscore is not compared, there and here."""
    names = "from jaxtyping import Bool, Complex128, Float32, Int8, Int64"
    model = load(f"{HEAD}\n{names}\n@export_to_fortran\ndef f(x: {spelled}) -> None: ...\n")
    assert str(model.f.__py2f__.procedure) == f"f(x: {declared}) -> None"


@pytest.mark.parametrize("name", ["n", "len"])
def test_an_extent_in_a_named_tuple_may_be_called_like_anything(load: Callable[[str], ModuleType], name: str) -> None:
    """Arguments are extents there as they are in the signature, though one is called like a function of Python."""
    fields = f"from typing import NamedTuple\nclass R(NamedTuple):\n    y: f64[{name}]\n    last: i32\n"
    model = load(f"{HEAD}\n{fields}@export_to_fortran\ndef f({name}: i32) -> R: ...\n")
    assert str(model.f.__py2f__.procedure) == f"f({name}: i32) -> tuple[y: f64[{name}], last: i32]"


def test_an_annotation_that_names_itself_is_refused(load: Callable[[str], ModuleType]) -> None:
    """Text that evaluates to itself does not hang the import."""
    with pytest.raises(SignatureError, match="itself has no Fortran counterpart"):
        load(f"{HEAD}\nitself = 'itself'\n@export_to_fortran\ndef f(x: itself) -> f64: ...\n")


def test_two_types_are_refused_without_postponed_annotations(load: Callable[[str], ModuleType]) -> None:
    """`i32 | f64` is an object then; file and line are said all the same."""
    with pytest.raises(SignatureError, match=r"model\.py:4: argument 'x' of 'f': i32 \| int \| f64 is more than one type"):
        load("from py2f import export_to_fortran, f64, i32\n\n@export_to_fortran\ndef f(x: i32 | int | f64) -> f64: ...\n")


def test_a_closure_of_the_import_is_found_by_its_own_name(load: Callable[[str], ModuleType]) -> None:
    """Two closures of one function are two procedures."""
    model = load(SORTS)
    assert [exported("model")[f"power_{k}"].function for k in (2, 3)] == [model.square, model.cube]
    assert functools.reduce(lambda value, function: function(value), (model.square, model.cube), 2.0) == 64.0


@pytest.mark.skipif(sys.version_info < (3, 12), reason="no `type` statement before Python 3.12: it is not verified")
def test_type_statements_are_read(load: Callable[[str], ModuleType]) -> None:
    """A field type of one's own, with and without a parameter."""
    types = "type Field = f64[:, :]\ntype Maybe[T] = T | None\n"
    model = load(f"{HEAD}{types}@export_to_fortran\ndef f(x: Field, y: Maybe[Field]) -> None: ...\n")
    assert str(model.f.__py2f__.procedure) == "f(x: f64[:, :], y: f64[:, :] | None) -> None"
