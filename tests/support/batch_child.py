"""``batch_child.py FOLDER``: make every call of a batch by `bridge` and by plain Python, and write what came of them."""

from __future__ import annotations

import copy
import functools
import pickle
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

folder = Path(sys.argv[1])
sys._batch_child = True  # type: ignore[attr-defined]  # the program is not us: leave its notes alone
sys.path[:0] = [str(folder), str(Path(__file__).parent)]  # the actor of the batch, not the one here

import batch_actor  # noqa: E402
import numpy as np  # noqa: E402
from batch_files import (  # noqa: E402
    Outcome,
    cut,
    encoded,
    has_message,
    has_stat,
    mismatch,
    nothing,
    picture,
    python_texts,
    python_value,
    whole,
)
from batches import STRING, Array, Call, Function, Texts, Value  # noqa: E402

sys.path[:] = [
    str(folder),
    *(entry for entry in sys.path if entry not in (str(folder), str(Path(__file__).parent))),
]  # as at export

import py2f  # noqa: E402
from py2f.settings import Settings  # noqa: E402


def main() -> None:
    """Both ways, each with notes of its own."""
    task = pickle.loads((folder / "task.pickle").read_bytes())  # noqa: S301  our own
    ways = {"plain": [], "bridge": []}
    notes = {}
    bridge = py2f.bridge("model", settings=Settings.read(fc=task["compiler"], fflags=tuple(task["fflags"])))
    model = sys.modules["model"]
    for way, outcomes in ways.items():
        batch_actor.seen.clear()
        for number, f in enumerate(task["batch"].functions):
            for call in f.calls:
                outcomes.append(_made(way, getattr(model, f"function_{number}"), bridge, f, call))
        notes[way] = copy.copy(batch_actor.seen)
    (folder / "done.pickle").write_bytes(pickle.dumps((ways, notes)))


def _made(way: str, function: Any, bridge: Any, f: Function, call: Call) -> Outcome:
    pictures = {i: picture(a.form, v) for i, (a, v) in enumerate(zip(f.dummies, call.values, strict=True)) if v.layout}
    given = _given(f, call, pictures)
    # the bridge provides the memory of fields: their extents cannot be wrong there
    failure, returned = mismatch(f, call) if way == "plain" or _misfit(f, call) else "", None
    status = 3 if failure else 0
    for _ in range(0 if failure else call.repeat):
        made = (
            functools.partial(_plain, function, f, given) if way == "plain" else functools.partial(bridge.call, f.name, **given)
        )
        status, failure, returned = _ended(made)
        for i, (elements, passed) in pictures.items():
            if i < len(f.arguments) and status != 3 and f.arguments[i].form.intent != "In":
                _settle(f.arguments[i].form, call.values[i], passed, elements)
    for i, (elements, passed) in pictures.items():
        if i >= len(f.arguments):
            passed[...] = 0 if failure else returned[i - len(f.arguments)]
            _settle(f.dummies[i].form, call.values[i], passed, elements)
    arrays = {i: whole(elements) for i, (elements, _) in pictures.items()}
    if failure:
        message = cut(failure, call.message) if has_message(call) else None
        return Outcome(status if has_stat(f, call) else None, message, arrays, nothing(f, call))
    untouched = b"?" * call.message if has_message(call) else None
    return Outcome(0 if has_stat(f, call) else None, untouched, arrays, encoded(f, returned))


def _misfit(f: Function, call: Call) -> bool:
    """Whether the first extent that is wrong is that of a field."""
    return bool(mismatch(f, call)) and not mismatch(replace(f, fields=""), call)


def _ended(call: Callable[[], Any]) -> tuple[int, str, Any]:
    """Status, message and result."""
    try:
        return 0, "", call()
    except batch_actor.PlannedError as error:
        return 4, f"PlannedError: {error}" if str(error) else "PlannedError", None
    except py2f.CallError as error:
        return int(error.status), error.message, None


def _given(f: Function, call: Call, pictures: dict[int, tuple[np.ndarray, np.ndarray]]) -> dict[str, Any]:
    """What is there, by name."""
    given = {}
    for i, (a, v) in enumerate(zip(f.arguments, call.values, strict=False)):
        if v.absent:
            continue
        if isinstance(a.form, Array):
            passed = pictures[i][1]
            given[a.name] = python_texts(passed, v.length) if isinstance(a.form, Texts) else passed
            if a.form.intent == "In" and not isinstance(a.form, Texts):
                given[a.name] = passed.view()
                given[a.name].flags.writeable = False
        else:
            given[a.name] = python_value(a.form, v.content)
    return given


def _plain(function: Any, f: Function, given: dict[str, Any]) -> Any:
    positional, by_name, left_out = [], {}, False
    for i, a in enumerate(f.arguments):
        if a.name not in given and a.default:
            left_out = True
        elif left_out or i >= f.keyword_only:
            by_name[a.name] = given.get(a.name)
        else:
            positional.append(given.get(a.name))
    return function(*positional, **by_name)


def _settle(form: Array, v: Value, passed: np.ndarray, elements: np.ndarray) -> None:
    """As Fortran has what Python may have written: default logicals are 0 or 1 as whole elements, strings end in blanks."""
    if form.kind.name == "b32":
        low = passed.copy()
        interface = dict(passed.__array_interface__, typestr="<i4")
        np.asarray(_Same(interface, elements))[...] = low
    if form.kind == STRING:
        for index in np.ndindex(passed.shape):
            passed[index] = passed[index].ljust(v.length) if v.length else b""  # no memory keeps what is written there


class _Same:
    """The same memory, as whole elements."""

    def __init__(self, interface: dict[str, Any], memory: np.ndarray) -> None:
        self.__array_interface__, self.memory = interface, memory


main()
