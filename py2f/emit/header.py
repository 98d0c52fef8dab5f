"""The header for C: a function a procedure, that fills the frame as a wrapper in Fortran does, and returns the status.

It needs no Python and no Fortran, and no code of its own in the library: the functions are ``static inline``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from py2f.emit.extents import comparisons, cut, known, spelled
from py2f.emit.fortran import entry_symbol
from py2f.emit.frame import CHARACTERS, rank_of
from py2f.emit.names import free
from py2f.emit.text import comment, indent, quote
from py2f.types import Word

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from py2f.emit.extents import Comparison
    from py2f.signature import Argument, Library, Procedure
    from py2f.types import Kind

TYPES = {
    "c32": "float _Complex",
    "c64": "double _Complex",
    "f32": "float",
    "f64": "double",
    "b8": "uint8_t",
    "b32": "int32_t",
    "CPtr": "void *",
    "string": "char",
    "list[str]": "char",
    "str": "char",
}
"""Of the elements of a kind; integers are called as in stdint.h."""
WORDS = {
    Word.INTEGER: "int64_t",
    Word.REAL: "double",
    Word.COMPLEX: "double _Complex",
    Word.LOGICAL: "int64_t",
    Word.POINTER: "void *",
}
RESERVED = frozenset(
    """auto break case char const continue default do double else enum extern float for goto if inline int long register
    restrict return short signed sizeof static struct switch typedef union unsigned void volatile while bool true false
    class delete explicit export friend mutable namespace new operator private protected public template this throw try
    catch typename using virtual and or not xor bitand bitor compl and_eq or_eq xor_eq not_eq asm alignas alignof char8_t
    char16_t char32_t concept const_cast constexpr consteval constinit co_await co_return co_yield decltype dynamic_cast noexcept
    nullptr reinterpret_cast requires static_assert static_cast thread_local typeid typeof typeof_unqual wchar_t
    assert complex imaginary linux unix eof infinity nan main frame rc errno stdin stdout stderr null""".split()
)
"""Words of C and C++, what their headers define, and what the functions call their own."""


def header_text(library: Library) -> str:
    """Source text of the header."""
    homes = {p.name: part.name for part in library.parts for p in part.procedures}
    named = [(n, homes.get(p.name, library.name), p) for n, p in enumerate(library.procedures)]
    kinds = sorted({_struct(a) for p in library.procedures if not _fortran_only(p) for a in _arrays(p)})
    guard = f"{library.name.upper()}_H"
    rows = [
        "/* SPDX-License-Identifier: 0BSD",
        f" * The functions of the Python module {library.module}, for C. Made by py2f; do not edit.",
        " * Each returns a status of py2f_codes.h. Extents and strides are in Fortran's order, strides count elements; all",
        " * strides zero: dense, the first index runs fastest. What is a pointer to an array or to a scalar that is read may be",
        " * null: absent. What Python allocates is freed with free(). */",
        f"#ifndef {guard}",
        f"#define {guard}",
        '#include "py2f_c.h"',
        "",
        "#ifdef __cplusplus",
        'extern "C" {',
        "#endif",
        "",
        *(row for name, element, rank, text in kinds for row in _definition(name, element, rank, text=text)),
        f"int {entry_symbol(library)}(int number, void *frame);",
        "",
        *(row for number, module, p in named for row in (*_function(library, module, p, number), "")),
        "#ifdef __cplusplus",
        "}",
        "#endif",
        "#endif",
    ]
    return "\n".join(rows) + "\n"


# ---- types


def _element(kind: Kind) -> str:
    return TYPES.get(kind.name) or f"int{8 * kind.size}_t"


def _arrays(p: Procedure) -> list[Argument]:
    """What is handed over as a struct: arrays, strings of fixed length, and results that Python allocates."""
    given = [a for a in p.arguments if rank_of(a) or a.kind.word is Word.STRING]
    return given + [r for r in p.results if r.shape and not _dense(r)]


def _dense(r: Argument) -> bool:
    """Whether C provides the memory of a function's result: its extents are known before the call."""
    return r.explicit and not r.field


def _struct(a: Argument) -> tuple[str, str, int, bool]:
    text, rank = a.kind.word in CHARACTERS, rank_of(a)
    name = "string" if text else a.kind.name.lower()
    return f"py2f_{name}" + f"_{rank}" * bool(rank), _element(a.kind), rank, text


def _definition(name: str, element: str, rank: int, *, text: bool) -> list[str]:
    """Several headers may have it."""
    pointer = f"{element}*first" if element.endswith("*") else f"{element} *first"
    members = [pointer, *([f"int64_t extent[{rank}], stride[{rank}]"] if rank else []), *(["int64_t length"] if text else [])]
    guard = name.upper()
    return [f"#ifndef {guard}", f"#define {guard}", f"typedef struct {{ {'; '.join(members)}; }} {name};", "#endif", ""]


# ---- functions


def _fortran_only(p: Procedure) -> bool:
    return any(a.kind.word is Word.PROCEDURE for a in p.arguments)


@dataclass(frozen=True)
class _Names:
    """What a function calls its parameters."""

    procedure: Procedure
    names: Mapping[Argument, str]

    @classmethod
    def of(cls, p: Procedure) -> _Names:
        names: dict[Argument, str] = {}
        for a in (*p.arguments, *p.results):
            wanted = a.fortran or ("result" if a is p.result else a.name)
            wanted = "I_" if wanted == "I" else wanted  # <complex.h> defines it, but not the `i` of every loop
            names[a] = free(wanted, {*RESERVED, *(n.lower() for n in names.values())})
        return cls(p, names)

    def __getitem__(self, a: Argument) -> str:
        return self.names[a]


def _function(library: Library, module: str, p: Procedure, number: int) -> list[str]:
    name = f"{module}_{p.name}"
    if _fortran_only(p):
        return [f"/* {name} takes a procedure: only Fortran can call it */"]
    n = _Names.of(p)
    parameters = [_parameter(a, n) for a in p.arguments] + [_returned(r, n) for r in p.results]
    members = [_member(a, n) for a in (*p.views, *p.values)] + [_result_member(r, n) for r in p.results]
    filled = [row for a in (*p.views, *p.values) for row in _fill(a, p, n)]
    filled += [row for r in p.results for row in _prepare(r, p, n)]
    address = "&frame" if members else "NULL"
    rows = [
        *(["struct {", *indent(members), "} frame;"] if members else []),
        *filled,
        *(row for c in comparisons(p) for row in _compare(c, p, n)),
        *(f"if ({_extent(n)(c.argument, 1)} > {_wanted(c, n)}) {_extent(n)(c.argument, 1)} = {_wanted(c, n)};" for c in cut(p)),
        f"int rc = {entry_symbol(library)}({number}, {address});",
        *(row for r in p.results for row in _take(r, n)),
        "return rc;",
    ]
    said = [row.removeprefix("!>").replace("*/", "* /") for row in comment(p.doc)]
    head = [f"/*{said[0]}", *(f" *{row}" for row in said[1:])] if said else []
    head = [*head[:-1], f"{head[-1]} */"] if head else []
    return [*head, f"static inline int {name}({', '.join(parameters) or 'void'})", "{", *indent(rows), "}"]


def _parameter(a: Argument, n: _Names) -> str:
    if rank_of(a) or a.kind.word is Word.STRING:
        return f"const {_struct(a)[0]} *{n[a]}" if a.optional else f"{_struct(a)[0]} {n[a]}"
    if a.kind.word is Word.TEXT:
        return f"const char *{n[a]}"
    plain = "int" if a.kind.word is Word.LOGICAL and not a.view else _element(a.kind)
    if a.view:
        return f"{plain} *{n[a]}"
    if a.optional:
        return f"{plain}const *{n[a]}" if plain.endswith("*") else f"const {plain} *{n[a]}"
    return f"{plain} {n[a]}"


def _returned(r: Argument, n: _Names) -> str:
    if r.shape and not _dense(r):
        return f"{_struct(r)[0]} {'' if r.explicit else '*'}{n[r]}"
    if r.kind.word is Word.TEXT:
        return f"char **{n[r]}"
    return f"{'int' if r.kind.word is Word.LOGICAL and not r.shape else _element(r.kind)} *{n[r]}"


# ---- the frame


def _member(a: Argument, n: _Names) -> str:
    if rank := rank_of(a):
        length = " int64_t length;" * (a.kind.word in CHARACTERS)
        return f"struct {{ void *first; int64_t extent[{rank}]; void *next[{rank}];{length} }} {n[a]};"
    if a.kind.word in (Word.TEXT, Word.STRING):
        return f"struct {{ const void *first; int64_t length; }} {n[a]};"
    if a.view:
        return f"void *{n[a]};"
    word = WORDS[a.kind.word]
    return f"struct {{ int64_t given; {word} value; }} {n[a]};" if a.optional else f"{word} {n[a]};"


def _result_member(r: Argument, n: _Names) -> str:
    if r.shape and not (r.field and r.explicit):
        return f"struct {{ void *first; int64_t extent[{r.rank}]; }} {n[r]};"
    if r.kind.word is Word.TEXT:
        return f"struct {{ void *first; int64_t length; }} {n[r]};"
    return _member(r, n)


def _fill(a: Argument, p: Procedure, n: _Names) -> list[str]:
    name, frame = n[a], f"frame.{n[a]}"
    if rank_of(a):
        return _lend(a, p, n)
    if a.kind.word is Word.STRING:
        given, to = (f"{name} ? {name}->", " : ") if a.optional else (f"{name}.", "")
        ends = (f"{to}NULL", f"{to}-1") if a.optional else ("", "")
        return [f"{frame}.first = {given}first{ends[0]};", f"{frame}.length = {given}length{ends[1]};"]
    if a.kind.word is Word.TEXT:
        return [f"{frame}.first = {name};", f"{frame}.length = {name} ? (int64_t)strlen({name}) : {-1 if a.optional else 0};"]
    if a.view:
        return [f"{frame} = {name};"]
    if a.optional:
        value = f"*{name} != 0" if a.kind.word is Word.LOGICAL else f"*{name}"
        return [f"{frame}.given = {name} != NULL;", f"{frame}.value = {name} ? {value} : 0;"]
    return [f"{frame} = {name}{' != 0' * (a.kind.word is Word.LOGICAL)};"]


def _lend(a: Argument, p: Procedure, n: _Names) -> list[str]:
    name, frame, rank = n[a], f"frame.{n[a]}", rank_of(a)
    pointed = a.optional and not a.field
    size = f"sizeof({_element(a.kind)})"
    rows = []
    if a.kind.word in CHARACTERS:
        length = f"({name} ? {name}->length : 0)" if pointed else f"{name}.length"
        size, rows = f"(size_t){length}", [f"{frame}.length = {length};"]
    given = [f"{name} ? {name}->{m} : NULL" if pointed else f"{name}.{m}" for m in ("first", "extent", "stride")]
    call = f"py2f_lend({given[0]}, {size}, {rank}, {given[1]}, {given[2]}, &{frame}.first, {frame}.extent, {frame}.next)"
    refused = f'return py2f_differs({quote(p.name)}, {quote(a.name)}, 1, {frame}.extent[0], "0", 0);'
    return [*rows, f"if ({call})", f"  {refused}"]


def _extent(n: _Names) -> Callable[[Argument, int], str]:
    return lambda a, d: f"frame.{n[a]}.extent[{d - 1}]" if d else f"frame.{n[a]}"


def _wanted(c: Comparison, n: _Names) -> str:
    return spelled(c.extent, c.values, _extent(n))


def _compare(c: Comparison, p: Procedure, n: _Names) -> list[str]:
    actual, wanted = _extent(n)(c.argument, c.dimension), _wanted(c, n)
    guards = [f"{_extent(n)(*value)} >= 0 && " for value in c.absent]
    told = f"{quote(p.name)}, {quote(c.argument.name)}, {c.dimension}, {actual}, {quote(c.extent)}, {wanted}"
    return [f"if ({''.join(guards)}{actual} {'<' if c.at_least else '!='} {wanted})", f"  return py2f_differs({told});"]


# ---- results


def _prepare(r: Argument, p: Procedure, n: _Names) -> list[str]:
    if not r.explicit or not r.shape:
        return []
    if r.field:
        return _lend(r, p, n)
    spell = [spelled(e.text, known(p), _extent(n)) for e in r.shape.extents if e]
    extents = [f"frame.{n[r]}.extent[{d}] = py2f_count({extent});" for d, extent in enumerate(spell)]
    some = " && ".join(f"frame.{n[r]}.extent[{d}] > 0" for d in range(r.rank))
    return [*extents, f"frame.{n[r]}.first = {some} ? {n[r]} : NULL;"]


def _take(r: Argument, n: _Names) -> list[str]:
    name, frame = n[r], f"frame.{n[r]}"
    if r.shape and r.explicit:
        return []
    if r.shape:
        taken = f"({_element(r.kind)} *)py2f_array_taken({frame}.first, sizeof({_element(r.kind)}), {r.rank}, {frame}.extent)"
        return [
            f"memset({name}, 0, sizeof *{name});",
            f"if (rc == PY2F_OK) memcpy({name}->extent, {frame}.extent, sizeof {name}->extent);",
            f"if (rc == PY2F_OK) {name}->first = {taken};",
        ]
    if r.kind.word is Word.TEXT:
        return [f"*{name} = rc == PY2F_OK ? py2f_text_taken({frame}.first, {frame}.length) : NULL;"]
    kind = "int" if r.kind.word is Word.LOGICAL else _element(r.kind)
    return [f"*{name} = rc == PY2F_OK ? ({kind}){frame} : 0;"]
