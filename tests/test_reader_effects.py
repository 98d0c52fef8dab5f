"""The reader of Fortran sources: what procedures do to arguments without intent."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from reading import read_module, read_texts

if TYPE_CHECKING:
    from pathlib import Path


# ---- what happens to arguments without intent

EFFECTS = {  # what is done: to x
    "y = x": "",
    "x = 1": "written",
    "x(1) = y": "written",
    "x(i)%a(2) = y": "written",
    "if (x(1) == y) y = 2": "",
    "if (y > 0) x(1) = 2": "written",
    "if (y > 0) then\nx = 2\nend if": "written",
    "where (a > 0) x = 1": "written",
    "forall (i = 1:3) x(i) = 1": "written",
    "do x = 1, 3\nend do": "written",
    "outer: do x = 1, 3\nend do outer": "written",
    "do 10 x = 1, 3\n10 continue": "written",
    "do i = 1, x\nend do": "",
    "read *, x": "written",
    "read (5, *) y, x": "written",
    "read (5, *) (x(i), i = 1, 3)": "written",
    "read (x, *) y": "",
    "write (6, *) x": "",
    "write (x, *) y": "",
    "write (6, *, iostat=x) y": "written",
    "write (6, *) (y, x = 1, 3)": "written",
    "print *, x": "",
    "open (newunit=x, file='a')": "written",
    "open (unit=x, file='a')": "",
    "inquire (file='a', exist=x)": "written",
    "close (x, iostat=y)": "",
    "allocate (a(x))": "",
    "allocate (a(3), stat=x)": "written",
    "allocate (x(3))": "written",
    "deallocate (x)": "written",
    "nullify (x)": "written",
    "p => x": "written",
    "associate (q => x)\nq = 1\nend associate": "written",
    "block\nx = 1\nend block": "written",
    "assign 10 to x": "written",
    "call work(x)": "passed",
    "call work(x(1:3))": "passed",
    "call work(key=x)": "passed",
    "call work(x + 1)": "",
    "call work((x))": "",
    "call work(2*g(x))": "passed",
    "call work(sin(x))": "",
    "call random_number(x)": "written",
    "call move_alloc(y, x)": "written",
    "call x%step()": "written",
    "y = work(x)": "passed",
    "y = 1 + work(a(1), x)": "passed",
    "y = sin(x)": "",
    "y = max(x, 1)": "",
    "y = a(x)": "",
    "y = a(1:x)": "",
    "y = 'x = 1'": "",
    "y = 1 ! x = 2": "",
    "if (work(x)) y = 1": "passed",
    "print *, work(x)": "passed",
    "contains\nsubroutine inner\nx = 1\nend subroutine": "written",
    "y = 1; x = 2": "written",
    "y = &\n  1; x &\n = 2": "written",
}


@pytest.mark.parametrize("statements", EFFECTS, ids=str)
def test_writes_of_arguments_without_intent_are_seen(statements: str, tmp_path: Path) -> None:
    text = f"subroutine s(x, y, i)\ndimension x(3)\nreal a(9)\n{statements}\nend subroutine\n"
    x = read_texts(tmp_path, text).externals[0].arguments[0]
    found = "passed" if "passed" in x.attributes else "written" if "written" in x.attributes else ""
    assert found == EFFECTS[statements]
    assert "written" in x.attributes or not found


CALLEES = """\
subroutine reads(a, b)
  c = a + b
end
subroutine writes(a, b)
  b = a
end
subroutine declares(a, b)
  real, intent(in) :: a
  real, intent(inout) :: b
end
subroutine by_value(a)
  real, value :: a
  a = 1
end
subroutine ping(a, b)
  call pong(a, b)
end
subroutine pong(a, b)
  call ping(a, b)
  call reads(a, b)
  call writes(b, a)
end
real function area(a)
  area = a
end
subroutine jumps(*)
end
module tools
  private :: hidden
  interface
    subroutine described(a, b) bind(c)
      real, intent(in) :: a
      real :: b
    end subroutine
  end interface
  interface several
    module procedure looks
  end interface
contains
  subroutine looks(a)
    b = a
  end
  subroutine hidden(a)
    a = 1
  end
end module
"""
HANDED_ON = {  # x is
    "call reads(x, y)": "",
    "call reads(y, x)": "",
    "call reads(b=x, a=y)": "",
    "call writes(x, y)": "",
    "call writes(y, x)": "passed",
    "call writes(b=x, a=y)": "passed",
    "call declares(x, y)": "",
    "call declares(y, x)": "passed",
    "call by_value(x)": "",
    "call ping(y, x)": "",
    "call ping(x, y)": "passed",
    "y = area(x)": "",
    "y = 2*area(x(1:2))": "",
    "if (.not.area(x) > 1) y = 1": "",
    "if (.not.unknown(x)) y = 1": "passed",
    "real :: area\ny = area(x)": "",
    "external reads\ncall reads(x, y)": "",
    "call reads(y, z, x)": "passed",
    "call jumps(x)": "passed",
    "call unknown(x)": "passed",
    "use tools\ncall looks(x)": "",
    "use tools, only: see => looks\ncall see(x)": "",
    "use tools, only: reads => looks\ncall reads(y, x)": "passed",
    "use tools\ncall several(x)": "passed",
    "use tools\ncall described(x, y)": "",
    "use tools\ncall described(y, x)": "passed",
    "use tools\ncall hidden(x)": "passed",
    "use unknown\ncall reads(x, y)": "passed",
    "use unknown, only: reads\ncall reads(x, y)": "passed",
    "call y(x)": "passed",
    "procedure(area), pointer :: reads\ncall reads(x)": "passed",
    "call obj%reads(x, y)": "passed",
    "call inner\ncontains\nsubroutine inner\ncall reads(x, y)\nend subroutine": "passed",
    "call inner(x)\ncontains\nsubroutine inner(a)\nb = a\nend subroutine": "",
    "call inner(x)\ncontains\nsubroutine inner(a)\na = 1\nend subroutine": "passed",
}


@pytest.mark.parametrize("statements", HANDED_ON, ids=str)
def test_arguments_are_followed_through_procedures_of_the_sources(statements: str, tmp_path: Path) -> None:
    use, newline, rest = statements.rpartition("\n") if statements.startswith("use") else ("", "", statements)
    text = f"subroutine s(x, y)\n{use}{newline}dimension x(3)\n{rest}\nend subroutine\n"
    x = read_texts(tmp_path, text, CALLEES).externals[0].arguments[0]
    assert ("passed" if "passed" in x.attributes else "") == HANDED_ON[statements]
    assert ("written" in x.attributes) is ("passed" in x.attributes)


def test_namelists_and_internal_files_are_written(tmp_path: Path) -> None:
    text = "subroutine s(x, c)\ncharacter(len=9) c\nnamelist /n/ x\nread (5, nml=n)\nwrite (c, *) 1\nend\n"
    assert [sorted(d.attributes) for d in read_texts(tmp_path, text).externals[0].arguments] == [["written"], ["written"]]


def test_an_intrinsic_that_is_redeclared_may_write(tmp_path: Path) -> None:
    text = "module m\ncontains\nsubroutine s(x)\ny = sum(x)\nend\nreal function sum(x)\nx = 1\nend\nend module\n"
    assert sorted(read_module(tmp_path, text).procedures[0].arguments[0].attributes) == ["passed", "written"]


def test_without_a_body_everything_may_be_written(tmp_path: Path) -> None:
    text = "module m\ninterface\nmodule subroutine s(x, n)\ninteger n\nreal x(n)\nend subroutine\nend interface\nend\n"
    procedure = read_module(tmp_path, text).procedures[0]
    assert [sorted(d.attributes) for d in procedure.arguments] == [["passed", "written"], ["passed", "written"]]
    assert procedure.trouble == ""


def test_an_extent_that_is_written_is_refused(tmp_path: Path) -> None:
    text = "subroutine s(n, x)\nreal x(n)\nn = 3\nend\n"
    assert read_texts(tmp_path, text).externals[0].trouble == "argument 'x': extent 'n' has no intent, and is written"


def test_a_name_before_an_operator_is_no_function(tmp_path: Path) -> None:
    text = "      subroutine s(n, lwa)\n      integer n, lwa\n      if (lwa .lt. (n*(3*n + 13))/2 .or. .not. (n > 1)) n = 2\n      end\n"
    n, lwa = read_texts(tmp_path, text, suffix=".f").externals[0].arguments
    assert (n.type, lwa.type) == ("integer", "integer")
