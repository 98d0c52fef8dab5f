"""The reader of Fortran sources: free and fixed form, comments, included files, and what cannot be read, word for word."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest
from reading import read_module, read_texts, signature

from py2f import SourceError
from py2f.fortran.reader import read

if TYPE_CHECKING:
    from pathlib import Path


# ---- the text of sources

FIXED = """\
C     Norm of a vector.
      DOUBLE PRECISION FUNCTION NORM(N, X,                              00000010
     &                               SCALE)                             00000020
*
*     INTEGER IN A COMMENT
      INTEGER N ! how many
      DOUBLE PRECISION X(N),
     1                 SCALE
\tCHARACTER*3 C
\tREAL
\t1 Y
      DATA C /'a!
     &b'/
      include 'more.inc'
   10 NORM = X(1); SCALE = 2
      IF (N .GT. 1) GO TO 10
      END
"""


def test_fixed_form_is_read(tmp_path: Path) -> None:
    (tmp_path / "more.inc").write_text("      INTEGER K\n")
    source = read_texts(tmp_path, FIXED, suffix=".f")
    function = source.externals[0]
    assert (function.name, function.doc) == ("norm", "Norm of a vector.")
    assert signature(function) == "n: i32, x: f64[n], scale: f64 -> f64"
    assert [sorted(d.attributes) for d in function.arguments] == [[], [], ["written"]]
    assert source.included == (tmp_path / "more.inc",)


def test_the_end_of_a_short_line_of_fixed_form_parts_words_and_that_of_a_full_one_does_not(tmp_path: Path) -> None:
    text = "      recursive\n     *subroutine s(a" + " " * 40 + "\n     *,b)\n" + "      double precision a, b\n      end\n"
    full = "      subroutine second(" + "".join(f"a{i}, " for i in range(8)) + "fir\n     *st)\n      end\n"
    assert len(full.splitlines()[0]) < 72
    full = full.replace("second(", f"second({' ' * (72 - len(full.splitlines()[0]))}")
    short, long = read_texts(tmp_path, text, full, suffix=".f").externals
    assert (short.name, signature(short)) == ("s", "a: f64, b: f64")
    assert long.arguments[-1].name == "first"


@pytest.mark.parametrize("suffix", [".f", ".for", ".ftn", ".F", ".FOR", ".f77"])
def test_suffixes_of_fixed_form(suffix: str, tmp_path: Path) -> None:
    text = "      subroutine s(a,\n     & b)\nc     nothing\n      end\n"
    assert len(read_texts(tmp_path, text, suffix=suffix).externals[0].arguments) == 2


def test_the_form_can_be_given(tmp_path: Path) -> None:
    text = "c     old\n      subroutine s(a,\n     & b)\n      end\n"
    assert len(read_texts(tmp_path, text, fixed=True).externals[0].arguments) == 2
    free = "subroutine s(a, & ! first\n  b)\nend\n"
    assert len(read_texts(tmp_path, free, suffix=".f", fixed=False).externals[0].arguments) == 2


FREE = """\
module m; implicit none; contains
  subroutine s(a, & ! the first

    ! a comment inside

    & b, c) ! the last
    character(len=*), intent(in) :: a; integer, intent(in) :: b
    real, intent(in) :: c(b); character(len=9) :: text = "a; b & c! 'd'"
    text = 'it''s &
      &end subroutine'
    do 10 while (.false.)
10  end do
    end subroutine; subroutine t
  end
end
"""


def test_free_form_is_read(tmp_path: Path) -> None:
    module = read_module(tmp_path, FREE)
    assert [(p.name, p.line, signature(p)) for p in module.procedures] == [
        ("s", 2, "a: str** in, b: i32 in, c: f32[b] in"),
        ("t", 13, ""),
    ]


def test_statements_that_fparser_does_not_know_may_be_executed(tmp_path: Path) -> None:
    text = """\
subroutine s(x)
  real, intent(inout) :: x(..)
  select rank (x)
  rank (1)
    x = 0
  end select
  error stop merge('a', 'b', .true.), quiet=.true.
  do concurrent (integer :: i = 1:3) local(j)
  end do
  interface = 3
end subroutine
subroutine t(n)
  integer, intent(in) :: n
  block
    interface
      subroutine inner(x)
      end subroutine inner
    end interface
  end block
end subroutine
"""
    assert [(p.name, p.trouble) for p in read_texts(tmp_path, text).externals] == [("s", "argument 'x': assumed rank"), ("t", "")]


def test_a_main_program_needs_no_program_statement(tmp_path: Path) -> None:
    source = read_texts(
        tmp_path,
        "integer :: i\ni = 1\nend\nsubroutine s\nend\nprogram p\ncontains\nsubroutine q\nend\nend program\nblock data\nend\n",
    )
    assert [p.name for p in source.externals] == ["s"]


COMMENTS = {
    "!> Saturate.\n!! Twice.\nsubroutine s": "Saturate.\nTwice.",
    "! Saturate.\nsubroutine s": "Saturate.",
    "subroutine s\n  !! Saturate.\n  !! Twice.": "Saturate.\nTwice.",
    "subroutine s & !! Not this.\n ()\n! But this.": "But this.",
    "! Far away.\n\nsubroutine s": "",
    "!-------\n! Saturate.\n!\n!   more\n!=======\nsubroutine s": "Saturate.\n\n  more",
    "!$omp declare simd\n!> Saturate.\n!dir$ inline\nsubroutine s": "Saturate.",
    "call x ! No.\nend\nsubroutine s": "",
}


@pytest.mark.parametrize("text", COMMENTS, ids=str)
def test_the_comment_at_a_procedure_documents_it(text: str, tmp_path: Path) -> None:
    assert read_texts(tmp_path, f"{text}\nend\n").externals[0].doc == COMMENTS[text]


def test_comments_in_latin_1_are_read(tmp_path: Path) -> None:
    path = tmp_path / "old.f90"
    path.write_bytes("! Gr\u00f6\u00dfe\nsubroutine s\nend\n".encode("latin-1"))
    assert read([path]).externals[0].doc == "Gr\u00f6\u00dfe"


def test_included_files_are_part_of_the_source(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "kinds.inc").write_text("integer, parameter :: wp = 8\ninclude 'sub/more.inc'\n")
    (tmp_path / "sub/more.inc").write_text("real(wp) x\n")
    source = read_texts(tmp_path, "subroutine s(x)\ninclude 'kinds.inc'\nend\n")
    assert signature(source.externals[0]) == "x: f64"
    assert source.included == (tmp_path / "kinds.inc", tmp_path / "sub/more.inc")


def test_a_missing_include_file_may_declare_what_nothing_else_does(tmp_path: Path) -> None:
    x, y = read_texts(tmp_path, "subroutine s(x, y)\ninclude 'mpif.h'\nreal :: y\nend\n").externals[0].arguments
    assert (x.trouble, y.trouble) == ("its type may be declared in 'mpif.h', which is not beside the source", "")


PREPROCESSED = """\
#define N 4
#include "more.h"
module m
contains
#ifdef NEVER
  subroutine never
  end subroutine
#else
  subroutine always(x)
    real(WP) :: x(N) ! don't
  end subroutine
#endif
end module
"""


def test_directives_go_through_the_preprocessor(tmp_path: Path) -> None:
    (tmp_path / "more.h").write_text("#define WP 8\n")
    procedures = read_texts(tmp_path, PREPROCESSED, suffix=".F90").modules[0].procedures
    assert [(p.name, p.line, signature(p)) for p in procedures] == [("always", 9, "x: f64[4]")]


# ---- what cannot be read

REFUSED = {
    "subroutine s(x)\nreal :: x(\nend": "2: fparser does not understand a type declaration: `real :: x(`",
    "subroutine s\n  use\nend": "2: fparser does not understand a statement `use`: `use`",
    "subroutine s\n  parameter n = 3, m\nend": "2: fparser does not understand a statement `parameter`: `parameter n = 3, m`",
    "subroutine s(x)\n  record /grid/ x\nend": "2: neither a declaration nor an executable statement: `record /grid/ x`",
    "subroutine s(x)\n  real x /3.0/\nend": "2: fparser does not understand a type declaration: `real x /3.0/`",
    "module m\ncontains\n  subroutine s\nend module": "1: `module m` has no end",
    "module m\ncontains\n  x = 1\nend": "3: `x = 1` is no subprogram, but stands behind `contains`",
    "subroutine s(x)\nreal, intent() :: x\nend": "2: an intent is in, out or inout: `real, intent() :: x`",
    "subroutine s(x)\nreal, intent :: x\nend": "2: an intent is in, out or inout: `real, intent :: x`",
    "module m\ninteger :: x(1) = [ , 3]\nend": "2: fparser does not understand a type declaration: `integer :: x(1) = [ , 3]`",
    "module m\ninteger :: x(2) = [ int(z'1'), 2'), 3 ]\nend": (
        "2: fparser does not understand a type declaration: `integer :: x(2) = [ int(z'1'), 2'), 3 ]`"
    ),
    "subroutine s\n": "1: `subroutine s` has no end",
    "interface\n": "1: `interface` has no end",
    "module m\nend\nmodule m\nend": "3: there is another module 'm'",
    "module m\nenum, bind(c)\nenumerator a b\nend enum\nend": "3: fparser does not understand an enumerator: `enumerator a b`",
    "module m\ninterface f\nmodule procedure a b\nend interface\nend": (
        "3: fparser does not understand a procedure statement: `module procedure a b`"
    ),
    "include 'source_0.f90'": "1: the file includes itself",
}


@pytest.mark.parametrize("text", REFUSED, ids=str)
def test_what_cannot_be_read_is_said_with_file_and_line(text: str, tmp_path: Path) -> None:
    with pytest.raises(SourceError) as caught:
        read_texts(tmp_path, text)
    assert str(caught.value) == f"{tmp_path / 'source_0.f90'}:{REFUSED[text]}"


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(SourceError) as caught:
        read([tmp_path / "none.f90"])
    assert str(caught.value) == f"{tmp_path / 'none.f90'}: No such file or directory"
    assert (caught.value.path, caught.value.line) == (tmp_path / "none.f90", 0)


def test_a_label_of_fixed_form_is_a_number(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"source_0\.f:2: columns 1 to 5 of fixed form hold a label, not 'sub'$"):
        read_texts(tmp_path, "      x = 1\n  subroutine s\n", suffix=".f")


def test_a_missing_preprocessor_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)
    message = r"source_0\.F90:2: the file has preprocessor directives, and there is no command cpp on PATH$"
    with pytest.raises(SourceError, match=message):
        read_texts(tmp_path, "subroutine s\n#ifdef A\n#endif\nend\n", suffix=".F90")


def test_what_the_preprocessor_says_isshown(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"source_0\.F90:1: the C preprocessor says: .*none\.h: No such file"):
        read_texts(tmp_path, '#include "none.h"\n', suffix=".F90")
