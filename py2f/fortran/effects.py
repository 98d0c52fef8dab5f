"""What a procedure may do to dummy arguments without intent: write them, pass them on, call them.

The execution part is read by its words alone, and whatever may be a write counts as one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from py2f.fortran.grammar import intrinsics

if TYPE_CHECKING:
    from collections.abc import Iterator

    from py2f.fortran.scope import Scope
    from py2f.fortran.statements import Statement
    from py2f.fortran.units import Unit

_NAME = re.compile(r"[a-z]\w*")
_ASSIGNED = re.compile(r"([a-z]\w*)\s*=(?![=>])")
_POINTED = re.compile(r"=>\s*([a-z]\w*)")
_REFERENCE = re.compile(r"(?<!\w)([a-z]\w*)\s*\(")
_OPERATOR = re.compile(r"\.[a-z]+\.")
_BRANCH = re.compile(r"(?:else\s*)?(?:if|where|forall)\s*\(")
_TRANSFER = re.compile(r"(read|write|inquire|open|close|rewind|backspace|endfile|flush|wait|allocate|deallocate|nullify)\b")
_INPUTS = frozenset(
    "unit fmt rec advance nml pos file status form access action position recl blank delim pad encoding decimal round sign "
    "asynchronous source mold id".split()
)
"""Specifiers of input and output statements that are not written."""

_NO_FUNCTIONS = frozenset("if elseif where forall while case select read write print open close inquire allocate".split())
_OTHER_FUNCTIONS = frozenset(
    "bessel_j0 bessel_j1 bessel_jn bessel_y0 bessel_y1 bessel_yn bge bgt ble blt c_associated c_sizeof cdabs cdexp cdlog cdsqrt "
    "dcmplx dconjg dfloat dimag dreal dshiftl dshiftr erf erfc erfc_scaled findloc gamma hypot iall iany ieee_is_finite "
    "ieee_is_nan iparity is_contiguous isnan leadz log_gamma maskl maskr merge_bits norm2 num_images parity popcnt poppar "
    "shifta shiftl shiftr storage_size this_image trailz".split()
)
"""Functions besides those of Fortran 2003, none of which writes an argument; those of old compilers among them."""

_SUBROUTINES = frozenset(
    "random_number random_seed cpu_time date_and_time system_clock get_command get_command_argument get_environment_variable "
    "execute_command_line move_alloc mvbits".split()
)


@dataclass(frozen=True)
class Passed:
    """A variable that is handed on to a procedure."""

    name: str
    procedure: str  # empty: type-bound, or one that cannot be told
    place: int | str  # the position among the arguments, from 0, or the keyword


@dataclass
class Effects:
    """What is done to names."""

    written: set[str] = field(default_factory=set)
    passed: list[Passed] = field(default_factory=list)
    referenced: set[str] = field(default_factory=set)  # with parentheses
    called: set[str] = field(default_factory=set)  # by CALL


def effects_of(unit: Unit, scope: Scope) -> Effects:
    """What the statements of a procedure and of its internal procedures do."""
    effects = Effects(written=set(scope.namelists))  # reading a namelist writes its members
    for statement, inner in _executed(unit):
        _statement(statement.low, effects, scope)
        before = len(effects.passed)
        _references(statement.low, effects, scope)
        if inner:  # where names may mean something else than here
            effects.passed[before:] = [replace(passed, procedure="") for passed in effects.passed[before:]]
    return effects


def _executed(unit: Unit, *, inner: bool = False) -> Iterator[tuple[Statement, bool]]:
    yield from ((statement, inner) for statement in unit.execution)
    for part in unit.procedures:
        yield from _executed(part, inner=True)


def _statement(text: str, effects: Effects, scope: Scope) -> None:
    while branch := _BRANCH.match(text):
        text = text[_closing(text, branch.end() - 1) + 1 :].strip()
    effects.written.update(_ASSIGNED.findall(text))
    effects.written.update(_POINTED.findall(text))
    name = _designator(text.partition("=>")[0]) if "=>" in text else _left_side(text)
    effects.written.add(name)
    transfer = _TRANSFER.match(text)
    if transfer:
        _transfer(transfer[1], text[transfer.end() :].strip(), effects, scope)
    elif re.match(r"(accept|decode|encode|assign)\b", text):
        effects.written.update(_NAME.findall(text))
    elif called := re.match(r"call\s+([a-z]\w*)\s*(%|\(|$)", text):
        effects.called.add(called[1])
        if called[2] == "%":  # the object that a type-bound procedure is called for
            effects.written.add(called[1])


def _left_side(text: str) -> str:
    """The variable that an assignment with subscripts or components writes."""
    at = _after_designator(text)
    return _first_name(text) if re.match(r"\s*=(?!=)", text[at:]) else ""


def _transfer(word: str, text: str, effects: Effects, scope: Scope) -> None:
    end = _closing(text, 0) if text.startswith("(") else -1
    for part in _parts(text[1:end]) if end > 0 else []:
        keyword, equals, value = part.partition("=")
        if equals and keyword.strip() not in _INPUTS:
            effects.written.update(_first_names(value))
        elif not equals and (word in ("allocate", "deallocate", "nullify") or (word == "write" and _is_text(part, scope))):
            effects.written.update(_first_names(part))
        elif keyword.strip() == "unit" and word == "write" and _is_text(value, scope):
            effects.written.update(_first_names(value))
    if word == "read":  # `read *, x` has no parentheses
        for part in _parts(text[end + 1 :]):
            effects.written.update(_first_names(part))


def _is_text(part: str, scope: Scope) -> bool:
    name = _NAME.match(part.strip())
    return name is not None and scope.is_text(name[0])


def _references(text: str, effects: Effects, scope: Scope) -> None:
    """Function references and calls: what may be a variable among their arguments is passed on."""
    text = _OPERATOR.sub("+", text)  # `.not.f(x)`, and `n .lt. (m)`
    for match in _REFERENCE.finditer(text):
        name, opening = match[1], match.end() - 1
        before = text[: match.start()].rstrip()
        called = bool(re.search(r"\bcall$", before))
        effects.referenced.add(name)
        if not called and (name in _NO_FUNCTIONS or scope.is_array(name) or _is_intrinsic(name, scope)):
            continue
        parts = list(_parts(text[opening + 1 : _closing(text, opening)]))
        if not called and any(_is_section(part) for part in parts):
            continue
        passed = list(_passed("" if before.endswith("%") else name, parts))
        if called and name in _SUBROUTINES and not scope.hides(name):
            effects.written.update(p.name for p in passed)
        else:
            effects.passed += passed


def _is_intrinsic(name: str, scope: Scope) -> bool:
    return (name in intrinsics() or name in _OTHER_FUNCTIONS) and not scope.hides(name)


def _passed(procedure: str, parts: list[str]) -> Iterator[Passed]:
    for i, part in enumerate(parts):
        keyword = re.match(r"\s*([a-z]\w*)\s*=(?!=)", part)
        name = _designator(part[keyword.end() :] if keyword else part)
        if name:
            yield Passed(name, procedure, keyword[1] if keyword else i)


def _is_section(part: str) -> bool:
    return ":" in re.sub(r"\([^()]*\)", "", part)


def _parts(text: str) -> Iterator[str]:
    """Split at commas that are in no parentheses."""
    depth = start = 0
    for i, character in enumerate(text):
        depth += (character in "([") - (character in ")]")
        if character == "," and not depth:
            yield text[start:i]
            start = i + 1
    yield text[start:]


def _first_names(part: str) -> list[str]:
    """The variable of an item; of an implied DO all names."""
    part = part.strip()
    return _NAME.findall(part) if part.startswith("(") else _NAME.findall(part)[:1]


def _first_name(text: str) -> str:
    name = _NAME.match(text)
    return name[0] if name else ""


def _designator(part: str) -> str:
    """The name of a variable, its element, section or component; empty for another expression."""
    part = part.strip()
    return _first_name(part) if _after_designator(part) == len(part) else ""


def _after_designator(text: str) -> int:
    name = _NAME.match(text)
    at = name.end() if name else 0
    while at:
        rest = re.match(r"\s*(?:%\s*\w+|([(\[]))", text[at:])
        if rest is None:
            return at
        at = _closing(text, at + rest.end() - 1) + 1 if rest[1] else at + rest.end()
    return at


def _closing(text: str, opening: int) -> int:
    """Where the parenthesis closes; the end of the text if it does not."""
    depth = 0
    for i in range(opening, len(text)):
        depth += (text[i] in "([") - (text[i] in ")]")
        if not depth:
            return i
    return len(text)
