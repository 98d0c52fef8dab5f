"""The C side of the way back: thunks of one signature, and the table that the runtime's callable walks. No Python here."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from py2f.emit.c_table import argument_lists, procedure_row
from py2f.emit.callback import back_symbol, backs
from py2f.emit.targets import table_symbol
from py2f.emit.text import quote
from py2f.emit.thunk_fortran import bindable, give_symbol, given, provided_symbol, symbol, takes_pointer
from py2f.emit.variables import address_symbol
from py2f.fortran.called import TEXTS, Reach, dense, described
from py2f.signature import Intent
from py2f.types import Word

if TYPE_CHECKING:
    from py2f.fortran.called import Called, Calls
    from py2f.signature import Argument

REACH = {Reach.MODULE: "PY2F_LINKED", Reach.LINKED: "PY2F_LINKED", Reach.HOST: "PY2F_PROVIDED", Reach.ARGUMENT: "PY2F_POINTED"}
DESCRIBED = {"f32": "float", "f64": "double", "c32": "float_Complex", "c64": "double_Complex", "CPtr": "cptr"}


def thunks_text(calls: Calls) -> str:
    """Source text of the thunks and the table."""
    descriptors = any(_by_descriptor(c, a) for c in calls.called for a in c.procedure.arguments)
    rows = [
        "/* SPDX-License-Identifier: 0BSD",
        f" * How the Python module {calls.module} calls Fortran. Made by py2f; do not edit. */",
        f'#include "{"py2f_descriptor.h" if descriptors else "py2f_table.h"}"',
        *(['#include "py2f_back.h"'] if backs(calls) else []),
        "",
        *_backs(calls),
        f"void {give_symbol(calls)}(py2f_calling *calling, int number, const void *first, int64_t length, const int64_t *extent)",
        "{",
        "  calling->give(calling, number, first, length, extent);",
        "}",
        "",
        *([*_address(calls), ""] if calls.accessors else []),
        *(row for number, c in enumerate(calls.called) for row in _thunk(calls, number, c)),
        "static const py2f_target targets[] = {",
        *(_target(number, c) for number, c in enumerate(calls.called)),
        "};",
        f'__attribute__((visibility("default"))) const py2f_targets {table_symbol(calls)} =',
        f"  {{ PY2F_LAYOUT, {len(calls.called)}, {quote(calls.name)}, targets }};",
    ]
    return "\n".join(rows) + "\n"


def _address(calls: Calls) -> list[str]:
    """Where a variable is: Fortran knows it of targets only."""
    name = address_symbol(calls.name)
    return [f"int64_t {name}(const void *x);", f"int64_t {name}(const void *x)", "{", "  return (int64_t)(intptr_t)x;", "}"]


def _backs(calls: Calls) -> list[str]:
    """The table of procedure arguments, and the function through which Fortran calls them."""
    found = backs(calls)
    if not found:
        return []
    return [
        *(row for b in found for row in argument_lists(f"back_{b.row}", b.procedure)),
        f"static const py2f_target targets[{len(calls.called)}];",
        "static _Thread_local py2f_calling *current;",
        "static py2f_procedure procedures[] = {",
        *(f"  {{ 0, 0, 0, {procedure_row(f'back_{b.row}', b.procedure)} }}," for b in found),
        "};",
        f"static const py2f_known back[] = {{ {', '.join(f'{{ {b.target}, {b.argument} }}' for b in found)} }};",
        "",
        f"int {back_symbol(calls)}(int number, void *frame)",
        "{",
        "  return py2f_back(current, &targets[back[number].argument], back[number].dimension, &procedures[number], frame);",
        "}",
        "",
    ]


def _by_descriptor(c: Called, a: Argument) -> bool:
    if given(a) or a.kind.word in TEXTS:
        return False
    return described(c.dummy(a)) or (a.rank > 0 and a.kind.word is Word.LOGICAL and a.kind.size > 1)


def _thunk(calls: Calls, number: int, c: Called) -> list[str]:
    """Declaration, thunk, rows and extents of one procedure."""
    gives = any(map(given, (*c.procedure.arguments, *c.procedure.results)))
    parts = [_part(c, j, a) for j, a in enumerate(c.procedure.arguments) if not given(a) and (a.optional or not a.callback)]
    callbacks = any(a.callback for a in c.procedure.arguments)
    parts += [([], "void *", f"place[{len(c.procedure.arguments)}]") for r in c.procedure.results if not given(r)]
    parts += [([], "void *", "bound")] if takes_pointer(c) else []
    parts += [([], "py2f_calling *", "calling")] if gives else []
    types = ", ".join(kind for _, kind, _ in parts) or "void"
    unused = [
        f"(void){name};"
        for name, on in (("place", len(parts) == gives + takes_pointer(c)), ("calling", not (gives or callbacks or c.pointed)))
        if on
    ]
    return [
        f"void {symbol(calls, number)}({types});",
        *([f"int {provided_symbol(calls, number)}(void);"] if c.reach is Reach.HOST else []),
        "",
        f"static void call_{number}(void *const *place, py2f_calling *calling) /* {c.procedure.name} */",
        "{",
        *(f"  {row}" for row in unused),
        *(f"  {row}" for row in _bound(calls, number, c)),
        *(f"  {row}" for rows, _, _ in parts for row in rows),
        *(["  py2f_enter(&current, calling);"] if callbacks else []),
        f"  {symbol(calls, number)}({', '.join(actual for _, _, actual in parts)});",
        *(["  py2f_leave(&current, calling);"] if callbacks else []),
        "}",
        "",
        *_rows(c, number),
        *_extents(c, number),
    ]


def _bound(calls: Calls, number: int, c: Called) -> list[str]:
    """The pointer by which a procedure is known; the runtime finds it, or has raised an exception."""
    if c.reach is Reach.ARGUMENT:
        return ["void *bound = calling->procedure;"]
    if c.reach is Reach.HOST:
        provided = f"{provided_symbol(calls, number)}()"
        if not bindable(c):
            return [f"if (!{provided} && !calling->find(calling, 0)) return;"]
        return [
            f"const int provided = {provided};",
            "void *bound = provided ? 0 : calling->find(calling, 1);",
            "if (!provided && !bound) return;",
        ]
    return []


def _part(c: Called, j: int, a: Argument) -> tuple[list[str], str, str]:
    """Statements before the call, C types, and what is passed."""
    array = f"((const py2f_array *)place[{j}])"
    if a.callback:
        return [], "int", f"place[{j}] != 0"
    if a.kind.word in TEXTS:
        names = [f"place[{j}] ? {array}->first : 0", f"place[{j}] ? {array}->length : 0"]
        if a.rank or a.kind.word is Word.TEXTS:
            return (
                [f"static const int64_t none_{j}[15];"],
                "void *, int64_t, const int64_t *",
                ", ".join([*names, f"place[{j}] ? {array}->extent : none_{j}"]),
            )
        return [], "void *, int64_t", ", ".join(names)
    if _by_descriptor(c, a):
        size = 1 if a.kind.word is Word.LOGICAL else a.kind.size
        kind = f"CFI_type_{DESCRIBED.get(a.kind.name, 'Bool' if a.kind.word is Word.LOGICAL else f'int{8 * size}_t')}"
        variable = f"CFI_CDESC_T({a.rank}) d{j};"
        describe = "py2f_describe_pointer" if a.optional else "py2f_describe"
        return [variable], "CFI_cdesc_t *", f"{describe}((CFI_cdesc_t *)&d{j}, place[{j}], {a.rank}, {kind}, {size})"
    if a.rank:
        return [], "void *", f"place[{j}] ? {array}->first : 0" if a.optional else f"{array}->first"
    return [], "void *", f"place[{j}]"


def flags_of(c: Called, a: Argument) -> str:
    """How the runtime treats an argument: enumerators of py2f_table.h."""
    flags = {
        "PY2F_OPTIONAL": a.optional,
        "PY2F_READONLY": a.intent is Intent.IN,
        "PY2F_OUT": a.intent is Intent.OUT,
        "PY2F_EXPLICIT": a.explicit,
        "PY2F_CONTIGUOUS": a.rank > 0
        and ("contiguous" in c.dummy(a).attributes or (dense(c.dummy(a)) and not _by_descriptor(c, a))),
        "PY2F_LENGTH": a.length is not None,
        "PY2F_GIVEN": given(a),
    }
    return " | ".join(flag for flag, on in flags.items() if on) or "0"


def _rows(c: Called, number: int) -> list[str]:
    lists = ((f"arguments_{number}", c.procedure.arguments), (f"results_{number}", c.procedure.results))
    rows = []
    for name, items in lists:
        if items:
            rows += [f"static const py2f_argument {name}[] = {{"]
            rows += [f"  {{ {quote(a.name)}, {quote(a.declared)}, {a.kind.code}, {a.rank}, {flags_of(c, a)} }}," for a in items]
            rows += ["};", ""]
    return rows


def _sources(c: Called) -> dict[str, list[tuple[int, int]]]:
    """Where the value of each name comes from: an integer, else the arrays that bear it, those first that are always there."""
    numbered = list(enumerate(c.procedure.arguments))
    integers = [(j, a) for j, a in numbered if not a.shape and a.kind.word is Word.INTEGER and a.intent is Intent.IN]
    arrays = [(j, a, a.shape) for j, a in numbered if a.shape and a.intent is not Intent.OUT]
    borne: dict[str, list[tuple[int, int]]] = {}
    for j, _, shape in sorted(arrays, key=lambda row: row[1].optional):
        for d, extent in enumerate(shape.extents):
            if extent and extent.text.isidentifier():
                borne.setdefault(extent.text, []).append((j, d))
    given = {a.name: [(j, -1)] for j, a in integers}
    return given | {name: places for name, places in borne.items() if name not in given}


def used_sources(c: Called) -> dict[str, list[tuple[int, int]]]:
    """Of the names that occur in declared extents."""
    used = {name for e in declared_extents(c) if e for name in re.findall(r"[^\W\d]\w*", e)}
    return {name: places for name, places in _sources(c).items() if name in used}


def places_of(c: Called) -> list[tuple[int, int]]:
    """The same in one list."""
    return [place for places in used_sources(c).values() for place in places]


def declared_extents(c: Called) -> list[str | None]:
    """Every declared extent and length, in order; None is any."""
    found: list[str | None] = []
    for a in (*c.procedure.arguments, *c.procedure.results):
        found += [e.text if e else None for e in a.shape.extents] if a.shape else []
        found += [a.length.text] if a.length else []
    return found


def has_extents(c: Called) -> bool:
    """Whether extents are evaluated at a call: some are declared, or room must be made, for which all must be known."""
    return any(declared_extents(c)) or any(a.rank and a.intent is Intent.OUT for a in c.procedure.arguments)


def _extents(c: Called, number: int) -> list[str]:
    declared = declared_extents(c)
    if not has_extents(c):
        return []
    sources, places = used_sources(c), places_of(c)
    listed = ", ".join(f"{{ {j}, {d} }}" for j, d in places)
    known = [f"static const py2f_known known_{number}[] = {{ {listed} }};", ""] if places else []
    body = ["(void)known;"] * (not places)
    index = 0
    for name, found in sources.items():
        at = [f"known[{index + k}]" for k in range(len(found))]
        index += len(found)
        body.append(f"const int64_t n_{name} = {''.join(f'{a} != PY2F_ANY ? {a} : ' for a in at[:-1])}{at[-1]};")
    body += [f"wanted[{k}] = {_wanted(e)};" for k, e in enumerate(declared)]
    return [
        *known,
        f"static void extents_{number}(const int64_t *known, int64_t *wanted)",
        "{",
        *(f"  {row}" for row in body),
        "}",
        "",
    ]


def _wanted(extent: str | None) -> str:
    if extent is None:
        return "PY2F_ANY"
    names = list(dict.fromkeys(re.findall(r"[^\W\d]\w*", extent)))
    if names == [extent]:
        return f"n_{extent}"
    wide = re.sub(r"[^\W\d]\w*|\d+", lambda m: f"(py2f_wide)n_{m[0]}" if not m[0].isdigit() else f"(py2f_wide){m[0]}", extent)
    unknown = " || ".join(f"n_{name} == PY2F_ANY" for name in names)
    return f"{unknown} ? PY2F_ANY : py2f_narrow({wide})" if names else f"py2f_narrow({wide})"


def _target(number: int, c: Called) -> str:
    declared = declared_extents(c)
    procedure, places = c.procedure, places_of(c)
    lists = [
        f"arguments_{number}" if procedure.arguments else "0",
        f"results_{number}" if procedure.results else "0",
        f"known_{number}" if places else "0",
        f"extents_{number}" if has_extents(c) else "0",
    ]
    counts = [len(procedure.arguments), len(procedure.results), len(places), len(declared) if has_extents(c) else 0]
    return f"  {{ call_{number}, {quote(procedure.name)}, {', '.join(map(str, counts))}, {', '.join(lists)}, {REACH[c.reach]} }},"
