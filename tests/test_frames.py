"""The frame cache: views are made once for the same arrays, and never handed out again when Python kept or changed them."""

from __future__ import annotations

import gc
import importlib
import sys
import threading
import weakref
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import py2f

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MODEL = """
from __future__ import annotations
from py2f import InOut, b32, export_to_fortran, f64, i32

import weakref

act = last = None

@export_to_fortran
def touch(a: InOut[f64[:, :]]) -> i64:
    return act(a)

@export_to_fortran
def maybe(a: InOut[f64[:]] | None, b: InOut[f64[:, :]] | None) -> str:
    return f"{None if a is None else a.tolist()} {None if b is None else b.tolist()}"

@export_to_fortran
def same_as_before(a: f64[:] | None, b: InOut[f64[:, :]]) -> bool:
    global last
    same = last is not None and last() is b
    last = weakref.ref(b)
    return same

@export_to_fortran
def shown(a: InOut[f64[:, :]]) -> str:
    f = a.flags
    return f"{a.shape} {a.strides} {f.c_contiguous:d}{f.f_contiguous:d}{f.aligned:d}{f.writeable:d}{f.owndata:d} {a.sum():g}"

@export_to_fortran
def add(a: InOut[f64[:]], by: f64) -> None:
    a += by
""".replace("i32\n", "i32, i64\n", 1)


@pytest.fixture(scope="module")
def frames(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Any, Callable[..., Any]]]:
    """The model, in which a test sets what `touch` does, and the call through its plugin."""
    folder = tmp_path_factory.mktemp("frames")
    Path(folder, "frames_model.py").write_text(MODEL)
    sys.path.insert(0, str(folder))
    call = py2f.bridge("frames_model").call
    yield importlib.import_module("frames_model"), call
    sys.path.remove(str(folder))


def test_the_same_array_is_the_same_view(frames: tuple[Any, Callable[..., Any]]) -> None:
    model, call = frames
    model.act = id
    a = np.zeros((2, 3))
    assert call("touch", a) == call("touch", a)


def test_another_array_at_the_same_address_is_seen_with_its_own_shape(frames: tuple[Any, Callable[..., Any]]) -> None:
    model, call = frames
    model.act = lambda a: 1000 * a.shape[0] + 100 * a.shape[1] + a.strides[0] // 8 * 10 + a.strides[1] // 8
    a = np.zeros((4, 6))
    parts = [a, a[:2, :3], a[:2], a.T, a[::2], a.reshape(6, 4), a[:, :1], a[:1]]
    expected = [1000 * p.shape[0] + 100 * p.shape[1] + p.strides[0] // 8 * 10 + p.strides[1] // 8 for p in parts[:6]]
    for _ in range(3):
        assert [call("touch", p) for p in parts[:6]] == expected
        assert [call("touch", p) // 100 for p in parts[6:]] == [41, 16]


def test_arrays_that_differ_in_one_word_are_told_apart(frames: tuple[Any, Callable[..., Any]]) -> None:
    """In the first element, in one extent or in the stride along one dimension, one right after the other."""
    model, call = frames
    model.act = lambda a: int(a.sum()) * 100 + a.size
    a, x = np.arange(24.0).reshape(4, 6), np.zeros(8)
    parts = [a[:2, :2], a[:3, :2], a[:2, :3], a[:4:2, :2], a[:2, :4:2], a[:2, :2], a[:2, :4:2], a[1:3, :2]]
    assert [call("touch", p) for p in parts] == [int(p.sum()) * 100 + p.size for p in parts]
    expected = np.zeros(8)
    for part in (slice(0, 2), slice(0, 3), slice(0, 2), slice(0, 4, 2), slice(0, 2), slice(2, 0, -1), slice(4, 2, -1)):
        call("add", x[part], 1.0)
        expected[part] += 1
        np.testing.assert_array_equal(x, expected)


def test_a_kept_view_is_never_handed_out_again(frames: tuple[Any, Callable[..., Any]]) -> None:
    model, call = frames
    kept: list[np.ndarray] = []

    def keep(a: np.ndarray) -> int:
        assert all(a is not other for other in kept)
        kept.append(a)
        return 0

    model.act = keep
    a = np.zeros((2, 3))
    for _ in range(3):
        call("touch", a)
    assert len({id(view) for view in kept}) == 3


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda a: setattr(a, "shape", (3, 2)), id="shape"),
        pytest.param(lambda a: setattr(a, "shape", (6,)), id="rank"),
        pytest.param(lambda a: setattr(a, "shape", (1, 2, 3, 1)), id="higher rank"),
        pytest.param(lambda a: setattr(a, "dtype", np.int64), id="dtype"),
        pytest.param(lambda a: a.setflags(write=False), id="frozen"),
        pytest.param(lambda a: setattr(a, "strides", (8, 8)), id="strides"),
    ],
)
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_view_that_was_changed_in_place_is_made_anew(
    frames: tuple[Any, Callable[..., Any]], change: Callable[[Any], None]
) -> None:
    model, call = frames
    a = np.zeros((2, 3))
    seen = []

    def act(view: np.ndarray) -> int:
        seen.append((view.shape, view.strides, view.dtype, view.flags.writeable))
        change(view)
        return 0

    model.act = act
    call("touch", a)
    call("touch", a)
    assert seen == [((2, 3), (24, 8), np.dtype(float), True)] * 2


def test_a_nested_call_may_evict_the_frame_of_the_outer_one(frames: tuple[Any, Callable[..., Any]]) -> None:
    model, call = frames
    arrays = [np.full((2, 2), float(i)) for i in range(9)]

    def act(view: np.ndarray) -> int:
        depth = int(view[0, 0])
        inner = call("touch", arrays[depth + 1]) if depth < 8 else 0
        gc.collect()
        view += 100
        return inner + depth

    model.act = act
    assert call("touch", arrays[0]) == sum(range(9))
    assert [a[1, 1] for a in arrays] == [100.0 + i for i in range(9)]


def test_absent_and_present_arrays_may_alternate(frames: tuple[Any, Callable[..., Any]]) -> None:
    """More sets of arguments than there are frames, so that each frame serves absent and present arrays in turn."""
    _, call = frames
    a, b = np.arange(2.0), np.arange(2.0).reshape(1, 2)
    sets = [(a, b), (None, b), (a, None), (None, None), (a[:1], b), (a[:0], b[:, :0]), (None, b[:, :1])]
    for _ in range(4):
        for x, y in sets:
            assert call("maybe", x, y) == f"{None if x is None else x.tolist()} {None if y is None else y.tolist()}"


def test_an_absent_array_does_not_spoil_the_frame(frames: tuple[Any, Callable[..., Any]]) -> None:
    """A frame that served present arrays before is kept for the next call with the same absent one."""
    _, call = frames
    b = np.zeros((1, 2))
    for i in range(8):
        call("same_as_before", np.zeros(3 + i), b)
    assert [call("same_as_before", None, b) for _ in range(3)] == [False, True, True]


# ---- more sets of arrays than there are frames: the views of old frames are set on other memory


def _blocks(n: int = 12) -> list[np.ndarray]:
    return [np.full((2, 3), float(i)) for i in range(n)]


def test_a_view_that_nobody_has_is_set_on_the_next_block(frames: tuple[Any, Callable[..., Any]]) -> None:
    model, call = frames
    model.act = lambda a: int(a.sum()) * 1000 + a.__array_interface__["data"][0] % 1000
    blocks = _blocks()
    expected = [6 * i * 1000 + b.ctypes.data % 1000 for i, b in enumerate(blocks)]
    assert [call("touch", b) for b in blocks] * 3 == [call("touch", b) for _ in range(3) for b in blocks]
    assert [call("touch", b) for b in blocks] == expected


def test_a_weak_reference_never_leads_to_the_memory_of_another_block(frames: tuple[Any, Callable[..., Any]]) -> None:
    model, call = frames
    seen: list[tuple[weakref.ref[np.ndarray], int]] = []

    def act(a: np.ndarray) -> int:
        wrong = sum(r() is not None and r().ctypes.data != address for r, address in seen)  # type: ignore[union-attr]
        seen.append((weakref.ref(a), a.ctypes.data))
        return wrong

    model.act = act
    assert sum(call("touch", b) for _ in range(2) for b in _blocks()) == 0


def test_a_view_that_is_kept_shows_its_own_block_for_ever(frames: tuple[Any, Callable[..., Any]]) -> None:
    model, call = frames
    kept: list[np.ndarray] = []
    model.act = lambda a: kept.append(a) or 0
    blocks = _blocks()
    for b in blocks:
        call("touch", b)
    assert [k.ctypes.data for k in kept] == [b.ctypes.data for b in blocks]


def test_slices_buffers_and_iterators_of_a_view_show_their_own_block(frames: tuple[Any, Callable[..., Any]]) -> None:
    model, call = frames
    kept: list[Any] = []
    makers = [lambda a: a[1:], memoryview, lambda a: a.flat, lambda a: a.T, lambda a: a.ctypes, np.nditer]
    blocks = _blocks()
    for make in makers:
        kept.clear()
        model.act = lambda a, make=make: kept.append(make(a)) or 0
        for b in blocks:
            call("touch", b)
        assert [np.asarray(k if not hasattr(k, "_arr") else k._arr).max() for k in kept[:3]] == [0.0, 1.0, 2.0]


def test_nested_calls_leave_the_view_of_the_outer_one_alone(frames: tuple[Any, Callable[..., Any]]) -> None:
    model, call = frames
    blocks = _blocks()

    def act(a: np.ndarray) -> int:
        before = a.ctypes.data
        model.act = lambda _: 0
        for b in blocks:
            call("touch", b)
        model.act = act
        return before - a.ctypes.data

    model.act = act
    assert [call("touch", b) for b in blocks] == [0] * len(blocks)


def test_shape_layout_and_flags_of_a_view_are_those_of_its_block(
    frames: tuple[Any, Callable[..., Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    _, call = frames
    monkeypatch.setattr("py2f.round_trip.fortran_memory", lambda value, _: value)  # it refuses what is not aligned
    a = np.arange(240.0).reshape(12, 20)
    odd = np.zeros(8 * 12 + 1, np.uint8)[1:].view(np.float64).reshape(3, 4)
    parts = [
        a,
        a[:5, :6],
        a.T,
        a[::2],
        a[:, ::3],
        a[:1],
        a[:, :1],
        a[3:4, 2:3],
        a[::-1],
        a[:, ::-1],
        np.asfortranarray(a),
        odd,
        odd.T,
    ]
    parts += [a[:3, :4].copy(), odd, a[1:4, 1:5].copy()]  # the same shape and strides, aligned and not
    for step in (1, 3, 5, 7):
        for k in range(5 * len(parts)):
            part = parts[k * step % len(parts)]
            f = part.flags
            said = call("shown", part)
            assert said.startswith(f"{part.shape} ")
            assert said.endswith(f"{f.c_contiguous:d}{f.f_contiguous:d}{f.aligned:d}10 {part.sum():g}"), (part.strides, said)
            assert min(part.shape) == 1 or f" {part.strides} " in said


def test_blocks_of_zero_size_may_come_between(frames: tuple[Any, Callable[..., Any]]) -> None:
    _, call = frames
    a = np.arange(240.0).reshape(12, 20)
    for k in range(40):
        part = a[k % 3 : k % 3 + k % 4, : k % 5]
        assert call("shown", part).startswith(f"{part.shape} ")
        assert call("shown", part).endswith(f" {part.sum():g}")


def test_memory_does_not_grow_with_buffers_of_many_shapes(frames: tuple[Any, Callable[..., Any]]) -> None:
    """NumPy keeps the shape of every buffer that an array has exported, until the array goes."""
    model, call = frames
    model.act = lambda a: memoryview(a).nbytes
    a = np.zeros((40, 40))

    def burst(calls: int) -> None:
        for i in range(calls):
            m, n = 2 + i % 37, 2 + i // 37 % 37
            assert call("touch", a[:m, :n]) == 8 * m * n

    assert min(_growth(burst, 20000) for _ in range(3)) < 256


def test_threads_with_arrays_of_their_own_do_not_meet(frames: tuple[Any, Callable[..., Any]]) -> None:
    _, call = frames
    arrays = [np.zeros(50) for _ in range(8)]

    def work(i: int) -> None:
        for _ in range(300):
            call("add", arrays[i], float(i + 1))

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [set(a) for a in arrays] == [{300.0 * (i + 1)} for i in range(8)]


def test_memory_does_not_grow_with_fresh_addresses_errors_and_absent_arguments(frames: tuple[Any, Callable[..., Any]]) -> None:
    model, call = frames
    block = np.zeros(20000)

    def fail(_: np.ndarray) -> int:
        raise ValueError("no")

    model.act = fail

    def burst(calls: int) -> None:
        for i in range(calls):
            call("add", block[i % 10000 : i % 10000 + 5], 1.0)
            call("maybe", None, None)
            with pytest.raises(py2f.CallError):
                call("touch", block[:4].reshape(2, 2))

    assert min(_growth(burst, 4000) for _ in range(4)) < 256  # a leak grows each time


def _growth(burst: Callable[[int], None], calls: int) -> int:
    before = _resident()
    burst(calls)
    return _resident() - before


def _resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4  # KiB
