"""``batch_child.py FOLDER``: make every call of a batch by `bridge` and by plain Python, and write what came of them."""

from __future__ import annotations

import copy
import functools
import pickle
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

folder = Path(sys.argv[1])
sys._batch_child = True  # type: ignore[attr-defined]  # the program is not us: leave its notes alone
sys.path[:0] = [str(folder), str(Path(__file__).parent)]  # the actor of the batch, not the one here

import batch_actor  # noqa: E402
import numpy as np  # noqa: E402
from batch_files import Outcome, cut, encoded, has_message, has_stat, mismatch, nothing, picture, python_value, whole  # noqa: E402
from batches import Array, Call, Function  # noqa: E402

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
    given, memory = _values(f, call)
    failure, returned = mismatch(f, call) if way == "plain" else "", None
    status = 3 if failure else 0
    for _ in range(0 if failure else call.repeat):
        made = (
            functools.partial(_plain, function, f, given) if way == "plain" else functools.partial(bridge.call, f.name, **given)
        )
        status, failure, returned = _ended(made)
    reached = status != 3
    arrays = {
        name: _after(a.form, given[a.name], elements, reached=reached)
        for a in f.arguments
        if (name := a.name) in memory
        for elements in [memory[name]]
    }
    if failure:
        message = cut(failure, call.message) if has_message(call) else None
        return Outcome(status if has_stat(f, call) else None, message, arrays, nothing(f, call))
    untouched = b"?" * call.message if has_message(call) else None
    return Outcome(0 if has_stat(f, call) else None, untouched, arrays, encoded(f, returned))


def _ended(call: Callable[[], Any]) -> tuple[int, str, Any]:
    """Status, message and result."""
    try:
        return 0, "", call()
    except batch_actor.PlannedError as error:
        return 4, f"PlannedError: {error}" if str(error) else "PlannedError", None
    except py2f.CallError as error:
        return int(error.status), error.message, None


def _values(f: Function, call: Call) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """What is there, by name, and the declared arrays."""
    given, memory = {}, {}
    for a, v in zip(f.arguments, call.values, strict=True):
        if v.absent:
            continue
        if isinstance(a.form, Array):
            memory[a.name], given[a.name] = picture(a.form, v)
            given[a.name].flags.writeable = a.form.intent != "In"
        else:
            given[a.name] = python_value(a.form, v.content)
    return given, memory


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


def _after(form: Array, view: np.ndarray, elements: np.ndarray, *, reached: bool) -> bytes:
    """The declared array; what Python may have written of default logicals is 0 or 1 as a whole element."""
    if form.kind.name == "b32" and form.intent != "In" and reached:
        low = view.copy()
        interface = dict(view.__array_interface__, typestr="<i4")
        whole_elements = np.asarray(_Same(interface, elements))
        whole_elements[...] = low
    return whole(elements)


class _Same:
    """The same memory, as whole elements."""

    def __init__(self, interface: dict[str, Any], memory: np.ndarray) -> None:
        self.__array_interface__, self.memory = interface, memory


main()
