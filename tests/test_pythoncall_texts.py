"""`@pythoncall`: characters in, out, back, as results and in arrays; several results at once; statuses as exceptions."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from stubs import EACH_COMPILER, stubbed

import py2f

FORTRAN = """\
module texts
  implicit none
contains
  subroutine measure(s, n, last)
    character(len=*), intent(in) :: s
    integer, intent(out) :: n
    character(len=1), intent(out) :: last
    n = len(s)
    last = ' '
    if (n > 0) last = s(n:n)
  end subroutine
  subroutine fixed(s, r)
    character(len=5), intent(in) :: s
    character(len=7), intent(out) :: r
    r = '[' // s // ']'
  end subroutine
  subroutine sized(n, s, r)
    integer, intent(in) :: n
    character(len=n), intent(in) :: s
    character(len=*), intent(out) :: r
    r = s // '|'
  end subroutine
  subroutine upper(s)
    character(len=*), intent(inout) :: s
    s = '<' // trim(s) // '>'
  end subroutine
  subroutine maybe(s, there)
    character(len=*), intent(in), optional :: s
    integer, intent(out) :: there
    there = -1
    if (present(s)) there = len(s)
  end subroutine
  subroutine joined(names, r, width)
    character(len=*), intent(in) :: names(:)
    character(len=60), intent(out) :: r
    integer, intent(out) :: width
    integer :: i
    r = ''
    width = len(names)
    do i = 1, size(names)
      r = trim(r) // trim(names(i)) // ';'
    end do
  end subroutine
  subroutine marked(names)
    character(len=*), intent(inout) :: names(:)
    integer :: i
    do i = 1, size(names)
      if (len_trim(names(i)) == 0) then
        names(i) = 'none'
      else
        names(i)(1:1) = '*'
      end if
    end do
  end subroutine
  subroutine marked_fixed(n, names)
    integer, intent(in) :: n
    character(len=4), intent(out) :: names(n)
    names = 'ab'
    if (n > 1) names(n) = 'last'
  end subroutine
  subroutine fill(n, names)
    integer, intent(in) :: n
    character(len=4), intent(inout) :: names(n)
    names = 'full'
  end subroutine
  integer function letters(n, names) result(r)
    integer, intent(in) :: n
    character(len=*), intent(in) :: names(n + 1)
    r = sum(len_trim(names))
  end function
  subroutine silent(x, stat, errmsg)
    real(8), intent(in) :: x
    integer, intent(out) :: stat
    character(len=:), allocatable, intent(out) :: errmsg
    stat = 3
    if (x > 0) errmsg = 'positive'
  end subroutine
  subroutine named(s)
    character(len=6), intent(out) :: s
    s = 'name'
  end subroutine
  function label(n) result(r)
    integer, intent(in) :: n
    character(len=:), allocatable :: r
    if (n >= 0) r = repeat('x', n)
  end function
  function eight() result(r)
    character(len=8) :: r
    r = 'eight'
  end function
  function twice(s) result(r)
    character(len=*), intent(in) :: s
    character(len=2*len(s)) :: r
    r = s // s
  end function
  subroutine grown(n, s)
    integer, intent(in) :: n
    character(len=:), allocatable, intent(out) :: s
    if (n >= 0) s = repeat('y', n)
  end subroutine
  subroutine bad_bytes(s)
    character(len=3), intent(out) :: s
    s = achar(97) // char(255) // char(254)
  end subroutine
  function stats(n, x, low, high) result(mean)
    integer, intent(in) :: n
    real(8), intent(in) :: x(n)
    real(8), intent(out) :: low, high
    real(8) :: mean
    low = minval(x)
    high = maxval(x)
    mean = sum(x) / n
  end function
  subroutine solve(x, y, stat, errmsg)
    real(8), intent(in) :: x
    real(8), intent(inout) :: y(:)
    integer, intent(out) :: stat
    character(len=*), intent(inout) :: errmsg
    y = x
    stat = 0
    if (x > 0) then
      stat = int(x)
      errmsg = 'no convergence'
    end if
  end subroutine
  subroutine info_only(x, y, info)
    real(8), intent(in) :: x
    real(8), intent(out) :: y
    integer(8), intent(out) :: info
    y = 2*x
    info = -int(x, 8)
  end subroutine
  subroutine many(n, x, y, name, flag, z, k, opt)
    integer, intent(in) :: n
    real(8), intent(out) :: x(n)
    real, allocatable, intent(out) :: y(:)
    character(len=8), intent(out) :: name
    logical, intent(out) :: flag
    complex, intent(out) :: z
    integer(8), intent(out) :: k
    integer, intent(in), optional :: opt
    x = 7
    allocate(y(2*n))
    y = 3
    name = 'hello'
    flag = present(opt)
    z = (1., 2.)
    k = 2_8**40
  end subroutine
end module
"""
STUBS = """
@ph()
def measure(s: str, n: Out[i32], last: Out[str]) -> tuple[i32, str]: ...
@ph()
def fixed(s: str, r: Out[str]) -> str: ...
@ph()
def sized(n: i32, s: Annotated[str, Length("n")], r: Annotated[str, Out, Length("n + 1")]) -> str: ...
@ph()
def upper(s: InOut[string]) -> None: ...
@ph()
def maybe(s: str | None, there: Out[i32]) -> i32: ...
@ph()
def joined(names: list[str], r: Out[str], width: Out[i32]) -> tuple[str, i32]: ...
@ph()
def marked(names: InOut[string[:]]) -> None: ...
@ph()
def marked_fixed(n: i32, names: Out[string[n]]) -> string[n]: ...
@ph()
def fill(n: i32, names: InOut[string[n]]) -> None: ...
@ph()
def letters(n: i32, names: list[str]) -> i32: ...
@ph(errors="stat")
def silent(x: f64, stat: Out[i32], errmsg: Out[Allocatable[str]]) -> None: ...
@ph()
def named(s: Out[string]) -> string: ...
@ph()
def label(n: i32) -> str: ...
@ph()
def eight() -> str: ...
@ph()
def grown(n: i32, s: Out[Allocatable[str]]) -> str: ...
@ph()
def bad_bytes(s: Out[str]) -> str: ...
class Stats(NamedTuple):
    mean: f64
    low: f64
    high: f64
@ph()
def stats(n: i32, x: f64[n], low: Out[f64], high: Out[f64]) -> Stats: ...
@ph(errors="stat")
def solve(x: f64, y: InOut[f64[:]], stat: Out[i32], errmsg: Annotated[str, Out, Length(30)]) -> None: ...
@ph(errors="info")
def info_only(x: f64, y: Out[f64], info: Out[i64]) -> f64: ...
@ph()
def many(n: i32, x: Out[f64[n]], y: Out[Allocatable[f32[:]]], name: Out[str], flag: Out[bool], z: Out[c32], k: Out[i64], *, opt: i32 | None = None) -> tuple[f64[n], f32[:], str, bool, c32, i64]: ...
@ph(name="many")
def many_by_default(n: i32 = 2, x: Out[f64[n]] = None, y: Out[Allocatable[f32[:]]] = None, name: Out[str] = None, flag: Out[bool] = None, z: Out[c32] = None, k: Out[i64] = None, opt: i32 | None = 5) -> tuple[f64[n], f32[:], str, bool, c32, i64]: ...
"""


@pytest.fixture(scope="module", params=EACH_COMPILER)
def texts(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    module = stubbed(tmp_path_factory.mktemp("texts"), request.param, STUBS, texts_f90=FORTRAN)
    module.eight()
    return module


def test_a_str_goes_in_as_utf_8(texts: Any) -> None:
    assert [texts.measure(s + "|")[0] for s in ("", "a", "hé", "日本", "a b ")] == [1, 2, 4, 7, 5]
    assert texts.measure("") == (0, "")
    assert texts.measure("abc")[1] == "c"


def test_a_str_is_padded_to_the_length_that_fortran_declares(texts: Any) -> None:
    assert texts.fixed("ab") == "[ab   ]"
    assert texts.fixed("abcde") == "[abcde]"


def test_a_str_that_does_not_fit_is_refused_and_not_cut(texts: Any) -> None:
    with pytest.raises(ValueError, match="argument 's' of 'fixed': 6 bytes were given, 5 fit"):
        texts.fixed("ééé")


def test_a_length_may_depend_on_an_argument(texts: Any) -> None:
    assert texts.sized(4, "ab") == "ab  |"
    assert texts.sized(2, "ab") == "ab|"
    with pytest.raises(ValueError, match="3 bytes were given, 2 fit"):
        texts.sized(2, "abc")


def test_an_inout_string_is_written_in_place(texts: Any) -> None:
    s = np.array(b"ab", "S6")
    texts.upper(s)
    assert s[()] == b"<ab>"


def test_an_absent_str_is_none(texts: Any) -> None:
    assert [texts.maybe(s) for s in (None, "", "abc")] == [-1, 0, 3]


def test_a_list_of_str_goes_in_as_wide_as_the_longest(texts: Any) -> None:
    assert texts.joined(["a", "bcd", "ü"]) == ("a;bcd;ü;", 3)
    assert texts.joined(("x",)) == ("x;", 1)
    assert texts.joined([]) == ("", 0)


def test_an_array_of_strings_is_written_in_place(texts: Any) -> None:
    names = np.array([b"alpha", b"b", b"", b"gamma"])
    texts.marked(names)
    assert names.tolist() == [b"*lpha", b"*", b"none", b"*amma"]
    texts.marked(names[::-2])
    assert names.tolist() == [b"*lpha", b"*", b"none", b"*amma"]


def test_an_out_array_of_strings_is_made_with_the_length_that_fortran_declares(texts: Any) -> None:
    assert texts.marked_fixed(3).tolist() == [b"ab", b"ab", b"last"]
    names = np.zeros(2, "S4")
    assert texts.marked_fixed(2, names=names) is names
    assert names.tolist() == [b"ab", b"last"]


def test_an_out_string_is_an_array_of_rank_0(texts: Any) -> None:
    s = texts.named()
    assert (s.shape, s.dtype, s[()]) == ((), "S6", b"name")


def test_a_function_returns_a_str(texts: Any) -> None:
    assert [texts.label(n) for n in (4, 0)] == ["xxxx", ""]
    assert texts.eight() == "eight"


def test_an_allocatable_text_is_a_str_or_none(texts: Any) -> None:
    assert [texts.grown(n) for n in (3, 0, -1)] == ["yyy", "", None]


def test_bytes_that_are_no_utf_8_are_an_error(texts: Any) -> None:
    with pytest.raises(ValueError, match=r"^argument 's' of 'bad_bytes' is not UTF-8 as Fortran has written it: b'a\\xff\\xfe'$"):
        texts.bad_bytes()


def test_a_text_that_fortran_writes_cannot_be_given(texts: Any) -> None:
    name = "abcdefg"
    with pytest.raises(TypeError, match="argument 'r' of 'fixed': a str cannot be written into: leave it out"):
        texts.fixed("ab", r=name)
    assert name == "abcdefg"


@pytest.mark.parametrize("other", [1, b"a", None, ["a"], np.array("a"), np.array(b"a")], ids=repr)
def test_what_is_no_str_is_refused(texts: Any, other: Any) -> None:
    with pytest.raises(TypeError, match=r"argument 's' of 'measure': .* was given, str is declared"):
        texts.measure(other)


def test_a_lone_surrogate_is_refused(texts: Any) -> None:
    with pytest.raises(UnicodeEncodeError):
        texts.measure("\ud800")


def test_a_function_and_its_outs_make_a_named_tuple(texts: Any) -> None:
    found = texts.stats(3, np.array([1.0, 2.0, 6.0]))
    assert found == texts.Stats(3, 1, 6)
    assert (type(found), found.high) == (texts.Stats, 6)


def test_outs_of_all_sorts_make_a_tuple(texts: Any) -> None:
    x, y, *rest = texts.many(3)
    assert (x.tolist(), y.tolist(), rest) == ([7.0] * 3, [3.0] * 6, ["hello", False, 1 + 2j, 2**40])
    assert y.dtype == np.float32


def test_an_out_that_is_given_by_keyword_is_the_one_that_is_returned(texts: Any) -> None:
    x, k = np.empty(3), np.zeros((), np.int64)
    found = texts.many(3, x=x, k=k, opt=1)
    assert (found[0] is x, found[3], found[5] is k, k[()], x.tolist()) == (True, True, True, 2**40, [7.0] * 3)


def test_defaults_are_taken_where_nothing_is_given(texts: Any) -> None:
    assert [len(texts.many_by_default(*a, **k)[0]) for a, k in (((), {}), ((1,), {}), ((), {"n": 4}))] == [2, 1, 4]
    assert [texts.many_by_default()[3], texts.many_by_default(opt=None)[3], texts.many_by_default(1, None)[3]] == [
        True,
        False,
        False,
    ]


def test_what_is_keyword_only_cannot_be_given_by_position(texts: Any) -> None:
    with pytest.raises(TypeError, match="'many' takes 1 positional argument, 2 were given"):
        texts.many(3, 1)


def test_a_status_of_zero_is_nothing(texts: Any) -> None:
    y = np.zeros(2)
    assert texts.solve(-1.0, y) is None
    assert y.tolist() == [-1, -1]
    assert texts.info_only(0.5) == 1


def test_a_status_is_an_exception_with_its_text(texts: Any) -> None:
    y = np.zeros(2)
    with pytest.raises(py2f.FortranError, match=r"^'solve' reported status 3: no convergence$") as caught:
        texts.solve(3.0, y)
    assert (caught.value.procedure, caught.value.stat, caught.value.errmsg) == ("solve", 3, "no convergence")
    assert y.tolist() == [3, 3]
    again = pickle.loads(pickle.dumps(caught.value))  # noqa: S301  our own
    assert (str(again), again.stat) == (str(caught.value), 3)


def test_a_status_without_a_text_is_an_exception(texts: Any) -> None:
    with pytest.raises(py2f.FortranError, match=r"^'info_only' reported status -2$") as caught:
        texts.info_only(2.0)
    assert caught.value.errmsg is None


def test_a_status_is_no_argument_of_python(texts: Any) -> None:
    for name in ("stat", "errmsg"):
        with pytest.raises(TypeError, match=f"'solve' has no argument '{name}'"):
            texts.solve(1.0, np.zeros(1), **{name: 1})


def test_as_many_texts_are_given_as_fortran_declares(texts: Any) -> None:
    names = np.array([b"a", b"b"], "S4")
    texts.fill(2, names)
    assert names.tolist() == [b"full"] * 2
    with pytest.raises(ValueError, match=r"argument 'names' of 'fill': extent 1 is 2, .* makes it 3"):
        texts.fill(3, names)
    assert texts.letters(1, ["ab", "c"]) == 3
    for wrong in ([], ["ab"], ("ab", "c", "d")):
        with pytest.raises(ValueError, match=rf"argument 'names' of 'letters': extent 1 is {len(wrong)}, .* makes it 2"):
            texts.letters(1, wrong)


def test_a_status_without_its_text_is_an_exception(texts: Any) -> None:
    with pytest.raises(py2f.FortranError, match="'silent' reported status 3: positive"):
        texts.silent(1.0)
    with pytest.raises(py2f.FortranError, match=r"'silent' reported status 3$"):
        texts.silent(-1.0)
