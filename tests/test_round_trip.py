"""`py2f.bridge`: the compiled plugin called from Python gives what the plain function gives, or a clear error."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import py2f

if TYPE_CHECKING:
    from collections.abc import Iterator

MODEL = """
from __future__ import annotations
import numpy as np
from py2f import CPtr, In, InOut, Out, b32, c32, c64, export_to_fortran, f32, f64, i8, i16, i32, i64, string

@export_to_fortran
def smooth(field: In[f64[:, :]], weight: f64, smoothed: Out[f64[:, :]]) -> None:
    smoothed[...] = weight * field

@export_to_fortran
def scalars(i: i32, x: f64, z: c64, flag: bool, text: str) -> str:
    return repr((i, x, z, flag, text))

@export_to_fortran
def optional(a: f64[:] | None, i: i32 | None, x: f64 = 2.0, text: str = "default") -> str:
    return f"{None if a is None else a.shape} {i} {x} {text}"

@export_to_fortran
def flip(mask: InOut[b32[:, :]]) -> b32[:, :]:
    before = mask.copy()
    mask[...] = ~mask
    return before

@export_to_fortran
def outer(x: f32[n], y: f32[m]) -> f32[n, m]:
    return np.multiply.outer(x, y)

@export_to_fortran
def positive(x: i64[:]) -> i64[:]:
    return x[x > 0]

@export_to_fortran
def matched(n: i32, x: InOut[f64[2 * n]]) -> None:
    x += 1

@export_to_fortran
def half(x: f32) -> f32:
    return x / 2

@export_to_fortran
def small(x: i8) -> i8:
    return x * 2

@export_to_fortran
def turned(z: c64) -> c64:
    return z * 1j

@export_to_fortran
def grown(z: c32, by: f64) -> c32:
    return complex(z.real * by, z.imag)

@export_to_fortran
def grown_part(z: c32, by: f64) -> c32:
    return complex(z.real, z.imag * by)

@export_to_fortran
def fails(x: f64[:]) -> f64:
    raise ValueError("layer 7")

@export_to_fortran
def fails_with(text: i32[:]) -> None:
    raise ValueError("".join(map(chr, text)))

@export_to_fortran
def texts(names: list[str], by: str | None) -> str:
    return repr((names, by))

@export_to_fortran
def strings(table: InOut[string[:]], label: Out[string], fixed: In[string] | None = None) -> str:
    table[...] = [name.strip().upper() for name in table]
    label[()] = b"done"
    return repr(None if fixed is None else fixed.item())

@export_to_fortran
def written(count: InOut[i32], flag: Out[b32], factor: f64) -> None:
    count += 1
    flag[()] = factor > 0

@export_to_fortran
def handle(at: CPtr) -> CPtr:
    return at + 8 if at else None

@export_to_fortran
def many(x: f64[n], k: i8) -> tuple[f64[n], f64[:], str, i8, c64, bool]:
    return 2 * x, x[x > 0], str(k), k, complex(k), k > 1

@export_to_fortran
def crowd({CROWD}) -> i32:
    return a0 + 1000 * a299

@export_to_fortran
def shown(name: f64, self: c32, x: f64 = 1.0) -> str:
    return repr((name, self, x))

@export_to_fortran
def bound_by_none(a: f64[n] | None, b: f64[n + 1], c: f64[3] | None) -> bool:
    return a is None

@export_to_fortran
def writes_input(x: f64[:]) -> None:
    x[0] = 1
""".replace("{CROWD}", ", ".join(f"a{i}: i32" for i in range(300)))
RETURNED = "i8 i16 i32 i64 f32 f64 c32 c64 b32 CPtr str".split()
MODEL += "".join(f"@export_to_fortran\ndef as_{kind}(text: str) -> {kind}:\n    return eval(text)\n\n" for kind in RETURNED)


@pytest.fixture(scope="module")
def bridge(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    folder = tmp_path_factory.mktemp("bridge")
    Path(folder, "round_trip_model.py").write_text(MODEL)
    sys.path.insert(0, str(folder))
    yield py2f.bridge("round_trip_model")
    sys.path.remove(str(folder))


def test_arrays_go_in_and_out_with_any_strides(bridge: Any) -> None:
    """Rows, sections and reversed arrays: no copy in between, and nothing beside the section is written."""
    field, smoothed = np.arange(24.0).reshape(4, 6), np.full((4, 12), -1.0)
    bridge.call("smooth", field[::-1], 2.0, smoothed[:, ::-2])
    np.testing.assert_array_equal(smoothed[:, ::-2], 2 * field[::-1])
    assert (smoothed[:, ::2] == -1).all()


def test_scalars_arrive_as_python_objects(bridge: Any) -> None:
    assert bridge.call("scalars", -5, 0.1, 1 - 2j, flag=True, text="tür  ") == "(-5, 0.1, (1-2j), True, 'tür')"


def test_there_may_be_hundreds_of_arguments(bridge: Any) -> None:
    assert bridge.call("crowd", *range(300)) == 299000


def test_absent_arguments_are_none_or_the_default(bridge: Any) -> None:
    assert bridge.call("optional") == "None None 2.0 default"
    assert bridge.call("optional", np.zeros(3), x=1.0) == "(3,) None 1.0 default"
    assert bridge.call("optional", np.zeros(0), 0, 0.0, "") == "(0,) 0 0.0 "


def test_default_logicals_come_back_as_booleans(bridge: Any) -> None:
    mask = np.array([[True, False, True], [False, False, True]])
    before = mask.copy()
    np.testing.assert_array_equal(bridge.call("flip", mask), before, strict=True)
    np.testing.assert_array_equal(mask, ~before, strict=True)


def test_array_results_of_explicit_and_of_deferred_shape(bridge: Any) -> None:
    x, y = np.array([1, 2], np.float32), np.array([3, 4, 5], np.float32)
    np.testing.assert_array_equal(bridge.call("outer", x, y), np.multiply.outer(x, y), strict=True)
    np.testing.assert_array_equal(bridge.call("positive", np.array([3, -1, 4])), np.array([3, 4]), strict=True)
    assert bridge.call("positive", np.zeros(0, np.int64)).shape == (0,)


def test_scalar_results_have_the_declared_precision(bridge: Any) -> None:
    assert bridge.call("half", 0.1) == float(np.float32(np.float32(0.1) / 2))
    assert bridge.call("turned", 1 + 2j) == -2 + 1j


def test_lists_of_texts_and_strings_of_fixed_length(bridge: Any) -> None:
    assert bridge.call("texts", ["edge", "", "tür "], None) == "(['edge', '', 'tür'], None)"
    assert bridge.call("texts", [], "x") == "([], 'x')"
    table, label = np.array([b"one", b"three", b"a"]), np.array(b"........")
    assert bridge.call("strings", table[::2], label) == "None"
    assert (table.tobytes(), label.tobytes()) == (b"ONE  threeA    ", b"done    ")
    assert bridge.call("strings", table[:0], label, np.array(b"ab ")) == "b'ab '"


def test_scalars_that_python_writes(bridge: Any) -> None:
    count, flag = np.array(6, np.int32), np.array(False)
    bridge.call("written", count, flag, 0.5)
    assert (int(count), bool(flag)) == (7, True)


def test_handles_are_addresses(bridge: Any) -> None:
    assert bridge.call("handle", 2**64 - 16) == 2**64 - 8
    assert bridge.call("handle", 0) == 0


def test_a_tuple_comes_back_field_by_field(bridge: Any) -> None:
    x = np.array([1.0, -2.0, 3.0])
    doubled, positive, *others = bridge.call("many", x, 2)
    np.testing.assert_array_equal(doubled, 2 * x, strict=True)
    np.testing.assert_array_equal(positive, x[x > 0], strict=True)
    assert others == ["2", 2, 2 + 0j, True]


def test_an_exception_comes_back_with_its_traceback(bridge: Any) -> None:
    with pytest.raises(py2f.CallError, match=r"^exception: ValueError: layer 7$") as caught:
        bridge.call("fails", np.zeros(2))
    assert caught.value.status is py2f.Status.EXCEPTION
    assert "in fails" in caught.value.traceback


@pytest.mark.parametrize(("text", "shown"), [("b\udcff.nc", r"b\udcff.nc"), ("a\0b", r"a\0b")])
def test_an_exception_with_any_text_comes_back_whole(bridge: Any, text: str, shown: str) -> None:
    """A name of a file that is not UTF-8, and what would end a string of C."""
    with pytest.raises(py2f.CallError) as caught:
        bridge.call("fails_with", np.array([ord(c) for c in text], np.int32))
    assert caught.value.message == f"ValueError: {shown}"
    assert caught.value.traceback.endswith(f"ValueError: {shown}\n")


def test_a_written_input_array_says_how_to_mark_it(bridge: Any) -> None:
    message = r"ValueError: assignment destination is read-only \(an array that is written must be marked Out or InOut\)"
    with pytest.raises(py2f.CallError, match=message):
        bridge.call("writes_input", np.zeros(2))


def test_a_result_that_does_not_fit_is_refused(bridge: Any) -> None:
    assert bridge.call("small", -64) == -128
    with pytest.raises(py2f.CallError, match=r"'small' returned 128 \(int\), which does not fit i8"):
        bridge.call("small", 64)


@pytest.mark.parametrize(("kind", "bits"), [("i8", 7), ("i16", 15), ("i32", 31), ("i64", 63)])
def test_a_returned_integer_fits_up_to_the_limits_of_its_kind(bridge: Any, kind: str, bits: int) -> None:
    for value in (-(2**bits), 2**bits - 1):
        assert bridge.call(f"as_{kind}", str(value)) == value
    for value in (-(2**bits) - 1, 2**bits, 2**64, -(2**64)):
        with pytest.raises(py2f.CallError, match=rf": 'as_{kind}' returned {value} \(int\), which does not fit {kind}$"):
            bridge.call(f"as_{kind}", str(value))


@pytest.mark.parametrize(
    ("kind", "returned", "said"),
    [
        ("i32", "float('nan')", "nan (float), which does not fit i32"),
        ("i64", "np.float64('nan')", "nan (float64), which does not fit i64"),
        ("i64", "float('inf')", "inf (float), which does not fit i64"),
        ("i16", "np.float32(2)", "2.0 (float32), which does not fit i16"),
        ("i8", "1 + 0j", "(1+0j) (complex), which does not fit i8"),
        ("i32", "np.zeros(1, np.int32)", "ndarray, i32 is declared"),
        ("i32", "(1,)", "tuple, i32 is declared"),
        ("f32", "3.5e38", "3.5e+38 (float), which does not fit f32"),
        ("f64", "10**309", f"1{'0' * 199} (int), which does not fit f64"),
        ("f64", "1j", "1j (complex), which does not fit f64"),
        ("f64", "np.zeros(1)", "ndarray, f64 is declared"),
        ("f64", "b'1'", "bytes, f64 is declared"),
        ("c64", "'1j'", "str, c64 is declared"),
        ("c32", "10**39", f"1{'0' * 39} (int), which does not fit c32"),
        ("b32", "1", "1 (int), which does not fit b32"),
        ("b32", "None", "None, b32 is declared"),
        ("CPtr", "2**64", "18446744073709551616 (int), which does not fit CPtr"),
        ("CPtr", "-1", "-1 (int), which does not fit CPtr"),
        ("CPtr", "True", "True (bool), which does not fit CPtr"),
        ("CPtr", "8.0", "8.0 (float), which does not fit CPtr"),
        ("str", "b'text'", "bytes, str is declared"),
        ("str", "1", "int, str is declared"),
    ],
)
def test_what_is_returned_instead_is_shown(bridge: Any, kind: str, returned: str, said: str) -> None:
    """Nothing is rounded, cut or wrapped on its way to Fortran."""
    with pytest.raises(py2f.CallError) as caught:
        bridge.call(f"as_{kind}", returned)
    assert (caught.value.status, caught.value.message) == (py2f.Status.BAD_ARGUMENT, f"'as_{kind}' returned {said}")


@pytest.mark.parametrize(
    ("kind", "returned", "value"),
    [
        ("i8", "np.int64(-128)", -128),
        ("i32", "np.array(7)", 7),
        ("f64", "7", 7.0),
        ("f32", "np.float64(0.5)", 0.5),
        ("f64", "np.float32(0.5)", 0.5),
        ("c64", "np.float32(2)", 2 + 0j),
        ("c32", "1", 1 + 0j),
        ("b32", "np.bool_(1)", True),
        ("CPtr", "np.uint64(2**64 - 1)", 2**64 - 1),
        ("str", "'a\\0b '", "a\0b "),
        ("str", "''", ""),
        ("str", "'é' * 500_000", "é" * 500_000),
    ],
)
def test_what_fits_without_loss_may_be_returned(bridge: Any, kind: str, returned: str, value: object) -> None:
    """Text of any length, NUL and trailing blanks included."""
    assert bridge.call(f"as_{kind}", returned) == value


@pytest.mark.parametrize("name", ["grown", "grown_part"])
def test_a_complex_result_fits_in_both_parts(bridge: Any, name: str) -> None:
    assert bridge.call(name, 1 + 1j, float("inf")) in (complex(float("inf"), 1), complex(1, float("inf")))
    with pytest.raises(py2f.CallError, match=rf"'{name}' returned .* \(complex\), which does not fit c32"):
        bridge.call(name, 1 + 1j, 1e39)


def test_extents_are_checked_as_in_fortran(bridge: Any) -> None:
    x = np.zeros(6)
    bridge.call("matched", 3, x)
    with pytest.raises(py2f.CallError, match=r"argument 'x' of 'matched': extent 1 is 6, 2 \* n is 4"):
        bridge.call("matched", 2, x)
    assert (x == 1).all()


UNALIGNED = np.zeros(33, np.uint8)[1:].view(np.float64).reshape(2, 2)


@pytest.mark.parametrize(
    ("error", "message", "arguments"),
    [
        (
            TypeError,
            r"argument 'field': f64\[:, :\] is declared, not float32 of rank 2",
            (np.zeros((2, 2), np.float32), 1.0, np.zeros((2, 2))),
        ),
        (TypeError, r"argument 'field': f64\[:, :\] is declared, not float64 of rank 1", (np.zeros(2), 1.0, np.zeros((2, 2)))),
        (TypeError, r"argument 'smoothed': Out\[f64\[:, :\]\] is declared, not list", (np.zeros((2, 2)), 1.0, [[1.0]])),
        (TypeError, r"'smooth' takes \(field, weight, smoothed\)", (np.zeros((2, 2)), 1.0)),
        (TypeError, r"'smooth': weight may not be None", (np.zeros((2, 2)), None, np.zeros((2, 2)))),
        (TypeError, r"argument 'weight': f64 is declared, not str", (np.zeros((2, 2)), "2", np.zeros((2, 2)))),
        (
            ValueError,
            r"argument 'smoothed': .* is declared, not a read-only array",
            (np.zeros((2, 2)), 1.0, np.broadcast_to(1.0, (2, 2))),
        ),
        (ValueError, r"argument 'field': .* is declared, not an array that is not aligned", (UNALIGNED, 1.0, np.zeros((2, 2)))),
    ],
)
def test_what_is_not_declared_is_refused(bridge: Any, error: type[Exception], message: str, arguments: tuple[Any, ...]) -> None:
    with pytest.raises(error, match=message):
        bridge.call("smooth", *arguments)


@pytest.mark.parametrize(("name", "value"), [("i", 2.0), ("x", "2"), ("z", "2j"), ("flag", 1), ("text", b"two")])
def test_a_scalar_of_another_type_is_refused(bridge: Any, name: str, value: object) -> None:
    given = {"i": np.int8(1), "x": np.float32(1), "z": 1.0, "flag": np.bool_(1), "text": "one"}
    assert bridge.call("scalars", **given) == "(1, 1.0, (1+0j), True, 'one')"
    with pytest.raises(TypeError, match=f"argument '{name}': .* is declared, not {type(value).__name__}"):
        bridge.call("scalars", **{**given, name: value})


def test_integers_that_do_not_fit_are_refused(bridge: Any) -> None:
    with pytest.raises(OverflowError, match="argument 'x': 128 does not fit i8"):
        bridge.call("small", 128)


def test_a_negative_zero_keeps_its_sign(bridge: Any) -> None:
    assert bridge.call("shown", -0.0, complex(-0.0, -0.0), -0.0) == "(-0.0, (-0-0j), -0.0)"


def test_arguments_may_be_called_like_those_of_call_itself(bridge: Any) -> None:
    assert bridge.call("shown", name=1.0, self=2j) == "(1.0, 2j, 1.0)"


def test_an_extent_that_only_absent_arguments_bind_is_not_compared(bridge: Any) -> None:
    assert bridge.call("bound_by_none", None, np.zeros(7)) is True
    with pytest.raises(py2f.CallError, match=r"argument 'b' of 'bound_by_none': extent 1 is 7, n \+ 1 is 8"):
        bridge.call("bound_by_none", np.zeros(7), np.zeros(7))
    with pytest.raises(py2f.CallError, match="argument 'c' of 'bound_by_none': extent 1 is 4, not 3"):
        bridge.call("bound_by_none", c=np.zeros(4), b=np.zeros(1))


def test_an_unknown_function_is_a_key_error(bridge: Any) -> None:
    with pytest.raises(KeyError, match="nowhere"):
        bridge.call("nowhere")


def test_the_function_itself_is_unchanged(bridge: Any) -> None:
    module = importlib.import_module("round_trip_model")
    assert module.half(3.0) == 1.5
    assert module.half.__py2f__.build().path == bridge.path
