"""One wrapper: the Fortran procedure that users call, which fills a frame, calls, and hands out the result."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from py2f.emit.frame import components
from py2f.emit.names import assign, free, words
from py2f.emit.text import comment, indent
from py2f.signature import Intent
from py2f.types import Word

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from py2f.signature import Argument, Procedure

ALWAYS = ("stat", "errmsg")


@dataclass(frozen=True)
class Scope:
    """The names inside one wrapper."""

    module: str
    procedure: str  # the specific procedure
    dummies: Mapping[str, str]  # Python's name -> the dummy argument
    frame: str = "frame"
    layout: str = "frame_layout"
    rc: str = "rc"
    result: str = "res"

    def __getitem__(self, argument: Argument) -> str:
        return self.dummies[argument.name]

    def component(self, argument: Argument) -> str:
        """The component of the frame that belongs to an argument."""
        return f"{self.frame}%{self[argument]}"


def references(procedure: Procedure) -> set[str]:
    """What a wrapper refers to besides its own variables: read off the wrapper itself, with dummies that cannot be mistaken."""
    neutral = Scope("", "", {a.name: f"py2f__{i}" for i, a in enumerate(procedure.arguments)})
    referred = words(declarations(procedure, neutral), statements(procedure, neutral, 0))
    own = {neutral.frame, neutral.layout, neutral.rc, neutral.result, *ALWAYS}
    return {name for name in referred - own if not name.startswith("py2f__")}


def scope(procedure: Procedure, module: str, specific: str, renamed: Collection[str] = ()) -> Scope:
    """Name everything: a dummy argument yields to what the wrapper refers to, the wrapper's variables to the dummies.

    `renamed` are names that the module imports under other names: a dummy of such a name would be taken for them.
    """
    taken = references(procedure) | {specific.lower(), *ALWAYS, *renamed}
    wanted = {a.fortran or a.name: a.name for a in procedure.arguments}
    given = assign(wanted, taken)
    dummies = {wanted[fortran]: name for fortran, name in given.items()}
    used = taken | {name.lower() for name in dummies.values()}
    return Scope(module, specific, dummies, *(free(v, used) for v in ("frame", "frame_layout", "rc", "res")))


def procedure_text(procedure: Procedure, s: Scope, number: int, intrinsics: Collection[str]) -> list[str]:
    """The rows of a wrapper; `intrinsics` are generic names of the module that hide intrinsics of the same name."""
    specific = s.procedure
    declared, body = declarations(procedure, s), statements(procedure, s, number)
    hidden = _called([*body, *(row.partition("::")[2] for row in declared)], intrinsics)
    kind = "function" if procedure.result else "subroutine"
    head = f"{kind} {specific}({', '.join([*(s[a] for a in procedure.arguments), *ALWAYS])})"
    return [
        *comment(procedure.doc),
        *_renamed(procedure, s),
        head + (f" result({s.result})" if procedure.result else ""),
        *([f"  intrinsic :: {', '.join(hidden)}"] if hidden else []),
        *indent(declared),
        "",
        *indent(body),
        f"end {kind} {specific}",
    ]


def _called(rows: list[str], intrinsics: Collection[str]) -> list[str]:
    return sorted(set(re.findall(r"(?<![\w%])([a-z]\w*)\(", "\n".join(rows))) & set(intrinsics))


def _renamed(procedure: Procedure, s: Scope) -> list[str]:
    return [f"!> Python's argument '{a.name}' is called {s[a]} here." for a in procedure.arguments if s[a] != a.name]


# ---- declarations


def declarations(procedure: Procedure, s: Scope) -> list[str]:
    """The specification part of a wrapper."""
    rows = [_dummy(a, s[a]) for a in procedure.arguments]
    rows += ["integer, intent(out), optional :: stat", "character(len=*), intent(inout), optional :: errmsg"]
    rows += [_result(procedure, result, s) for result in procedure.results]
    layout = components(procedure, s.dummies, s.result)
    if layout:
        rows += [f"type, bind(c) :: {s.layout}", *indent(layout), f"end type {s.layout}"]
        rows += [f"type({s.layout}), target :: {s.frame}"]
    return [*rows, f"integer(c_int) :: {s.rc}"]


def _dummy(a: Argument, name: str) -> str:
    attributes = [a.kind.fortran, "intent(in)" if a.intent is Intent.IN else "intent(inout)"]
    attributes += ["optional"] * a.optional + ["target"] * bool(a.shape or a.kind.word is Word.TEXT)
    return f"{', '.join(attributes)} :: {name}{_colons(a.rank)}"


def _colons(rank: int) -> str:
    return f"({', '.join(':' * rank)})" if rank else ""


def _result(procedure: Procedure, result: Argument, s: Scope) -> str:
    if result.kind.word is Word.TEXT:
        return f"character(len=:), allocatable :: {s.result}"
    if result.shape is None:
        return f"{result.kind.fortran} :: {s.result}"
    if not result.shape.explicit:
        return f"{result.kind.fortran}, allocatable :: {s.result}{_colons(result.rank)}"
    bounds = ", ".join(_bound(procedure, e.text, s) for e in result.shape.extents if e)
    return f"{result.kind.fortran}, target :: {s.result}({bounds})"


def _bound(procedure: Procedure, extent: str, s: Scope) -> str:
    """An extent as a specification expression, of dummies and their sizes; sums and products in 64 bits."""
    scalars = {a.name: s[a] for a in procedure.scalars}
    sizes = {e: f"size({s[a]}, {d}, c_int64_t)" for a, d, e in reversed(_named_extents(procedure)) if not a.optional}
    alone = extent.isidentifier()

    def spell(match: re.Match[str]) -> str:
        name = match[0]
        if name in scalars:
            return scalars[name] if alone else f"int({scalars[name]}, c_int64_t)"
        return sizes[name]

    return re.sub(r"[^\W\d]\w*", spell, extent)


# ---- statements


def statements(procedure: Procedure, s: Scope, number: int) -> list[str]:
    """The execution part of a wrapper."""
    rows = [row for a in procedure.arrays for row in _fill_array(a, s)]
    rows += [row for a in procedure.scalars for row in _fill_scalar(a, s)]
    rows += [row for r in procedure.results for row in _prepare(r, s)]
    rows += _checked_call(procedure, s, number)
    rows += [row for r in procedure.results for row in _finish(r, s)]
    conclude = f'call py2f_conclude({s.rc}, "{s.module}:{procedure.name}", stat, errmsg)'
    return [*rows, f"if ({s.rc} /= py2f_ok .or. present(stat)) {conclude}"]


def _fill_array(a: Argument, s: Scope) -> list[str]:
    name, c, ranks = s[a], s.component(a), range(1, a.rank + 1)
    extents = [f"{c}%extent({d}) = size({name}, {d}, c_int64_t)" for d in ranks]
    nowhere = [f"{c}%first = c_null_ptr", *(f"{c}%next({d}) = c_null_ptr" for d in ranks)]
    occupied = f"if (size({name}, kind=c_int64_t) > 0) then"
    if a.optional:
        absent = [f"{c}%extent({d}) = -1" for d in ranks]
        present = [*extents, occupied, *indent(_addresses(a, s)), "end if"]
        return [*absent, *nowhere, f"if (present({name})) then", *indent(present), "end if"]
    return [*extents, occupied, *indent(_addresses(a, s)), "else", *indent(nowhere), "end if"]


def _addresses(a: Argument, s: Scope) -> list[str]:
    name, c, ranks = s[a], s.component(a), range(1, a.rank + 1)

    def element(along: int) -> str:
        subscripts = (f"min(2_c_int64_t, {c}%extent({d}))" if d == along else "1" for d in ranks)
        return f"c_loc({name}({', '.join(subscripts)}))"

    return [f"{c}%first = {element(0)}", *(f"{c}%next({d}) = {element(d)}" for d in ranks)]


def _fill_scalar(a: Argument, s: Scope) -> list[str]:
    name, c = s[a], s.component(a)
    if a.kind.word is Word.TEXT:
        return _fill_text(a, name, c)
    value = f"merge(1_c_int64_t, 0_c_int64_t, {name})" if a.kind.word is Word.LOGICAL else name
    if not a.optional:
        return [f"{c} = {value}"]
    given = [f"{c}%given = 1", f"{c}%value = {value}"]
    return [f"{c}%given = 0", f"{c}%value = 0", f"if (present({name})) then", *indent(given), "end if"]


def _fill_text(a: Argument, name: str, c: str) -> list[str]:
    given = [f"{c}%length = len({name}, c_int64_t)", f"if (len({name}) > 0) {c}%first = c_loc({name}(1:1))"]
    if not a.optional:
        return [f"{c}%first = c_null_ptr", *given]
    return [f"{c}%first = c_null_ptr", f"{c}%length = -1", f"if (present({name})) then", *indent(given), "end if"]


def _prepare(result: Argument, s: Scope) -> list[str]:
    """Tell the runtime where a result of explicit shape lies; what else the runtime returns is taken afterwards."""
    if result.shape is None or not result.shape.explicit:
        return []
    c = f"{s.frame}%{s.result}"
    extents = [f"{c}%extent({d}) = size({s.result}, {d}, c_int64_t)" for d in range(1, result.rank + 1)]
    first = f"c_loc({s.result}({', '.join('1' * result.rank)}))"
    where = f"if (size({s.result}, kind=c_int64_t) > 0) {c}%first = {first}"
    return [*extents, f"{c}%first = c_null_ptr", where]


def _checked_call(procedure: Procedure, s: Scope, number: int) -> list[str]:
    """Compare the named extents, then call; the first mismatch is the error."""
    address = f"c_loc({s.frame})" if procedure.arguments or procedure.results else "c_null_ptr"
    call = f"{s.rc} = py2f_call({number}_c_int, {address})"
    rows: list[str] = []
    for condition, failure in _mismatches(procedure, s):
        rows += [f"{'else ' if rows else ''}if ({condition}) then", f"  {failure}"]
    return [*rows, "else", f"  {call}", "end if"] if rows else [call]


def _mismatches(procedure: Procedure, s: Scope) -> list[tuple[str, str]]:
    scalars = {a.name: s.component(a) for a in procedure.scalars}
    found = []
    bearers = _bearers(procedure)
    for a in procedure.arrays:
        for d, extent in enumerate(a.shape.extents if a.shape else (), 1):
            if extent is None:
                continue
            for sources in _sources(extent.names, scalars, bearers, (a, d), s):
                found.append(_mismatch(procedure, s, (a, d), extent.text, sources))
    return found


def _mismatch(
    procedure: Procedure, s: Scope, place: tuple[Argument, int], extent: str, sources: Mapping[str, tuple[str, str]]
) -> tuple[str, str]:
    a, d = place
    actual = f"{s.component(a)}%extent({d})"
    wanted = re.sub(r"[^\W\d]\w*", lambda m: sources[m[0]][0], extent)
    wanted = f"{wanted}_c_int64_t" if wanted.isdigit() else wanted
    guards = [f"{actual} >= 0 .and."] * a.optional + [g for _, g in sources.values() if g]
    condition = " ".join([*guards, f"{actual} /= {wanted}"])
    return condition, f'{s.rc} = py2f_mismatch("{procedure.name}", "{a.name}", {d}, {actual}, "{extent}", {wanted})'


def _named_extents(procedure: Procedure) -> list[tuple[Argument, int, str]]:
    """Where array arguments bear a plain name as extent."""
    shapes = [(a, a.shape) for a in procedure.arrays if a.shape]
    return [(a, d, e.text) for a, shape in shapes for d, e in enumerate(shape.extents, 1) if e and e.text.isidentifier()]


def _bearers(procedure: Procedure) -> dict[str, list[tuple[Argument, int]]]:
    """Which extents give a name its value: the first array that is always there, else all optional ones that bear it."""
    bearers: dict[str, list[tuple[Argument, int]]] = {}
    for a, d, name in _named_extents(procedure):
        bearers.setdefault(name, []).append((a, d))
    return {name: next(([p] for p in places if not p[0].optional), places) for name, places in bearers.items()}


def _sources(
    names: tuple[str, ...],
    scalars: Mapping[str, str],
    bearers: Mapping[str, list[tuple[Argument, int]]],
    place: tuple[Argument, int],
    s: Scope,
) -> list[dict[str, tuple[str, str]]]:
    """For each way in which the names of an extent get values: name -> (Fortran, guard). Nothing where it would be itself."""
    ways: list[dict[str, tuple[str, str]]] = [{}]
    for name in dict.fromkeys(names):
        if name in scalars:
            ways = [{**way, name: (scalars[name], "")} for way in ways]
            continue
        candidates = bearers[name]
        if place in candidates:  # it gives the value, so compare with those before it only
            candidates = candidates[: candidates.index(place)]
        ways = [{**way, name: _borne(a, d, s)} for way in ways for a, d in candidates]
    return ways


def _borne(a: Argument, d: int, s: Scope) -> tuple[str, str]:
    extent = f"{s.component(a)}%extent({d})"
    return extent, f"{extent} >= 0 .and." if a.optional else ""


def _finish(result: Argument, s: Scope) -> list[str]:
    """Hand out the result; after an error it is defined all the same."""
    c = f"{s.frame}%{s.result}"
    if result.shape is None and result.kind.word is not Word.TEXT:
        nothing = ".false." if result.kind.word is Word.LOGICAL else "0"
        return _either(s, [f"{s.result} = {_narrowed(result, c)}"], [f"{s.result} = {nothing}"])
    if result.shape is None:
        taken = [f"allocate (character(len={c}%length) :: {s.result})", f"call py2f_take_text({c}%first, {s.result})"]
        return _either(s, taken, [f"{s.result} = ''"])
    if result.shape.explicit:
        nothing = ".false." if result.kind.word is Word.LOGICAL else "0"
        return [f"if ({s.rc} /= py2f_ok) {s.result} = {nothing}"]
    extents = ", ".join(f"{c}%extent({d})" for d in range(1, result.rank + 1))
    taken = [f"allocate ({s.result}({extents}))", f"call py2f_take_array({c}%first, {s.result})"]
    return _either(s, taken, [f"allocate ({s.result}({', '.join('0' * result.rank)}))"])


def _either(s: Scope, done: list[str], failed: list[str]) -> list[str]:
    return [f"if ({s.rc} == py2f_ok) then", *indent(done), "else", *indent(failed), "end if"]


def _narrowed(result: Argument, value: str) -> str:
    """From the word of the frame to the kind; where they are the same nothing is called that a dummy could hide."""
    kind = result.kind.fortran.partition("(")[2].rstrip(")")
    if result.kind.word is Word.LOGICAL:
        return f"{value} /= 0"
    if kind in ("c_int64_t", "c_double", "c_double_complex"):
        return value
    function = {Word.INTEGER: "int({}, {})", Word.REAL: "real({}, {})", Word.COMPLEX: "cmplx({}, kind={})"}
    return function[result.kind.word].format(value, kind)
