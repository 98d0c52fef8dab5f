"""How many threads the libraries in Python have: told by the runtime (core/threads.h) when the number is another than before.

threadpoolctl finds the thread pools of BLAS and the run times of OpenMP; numba and torch have switches of their own. Whatever
the model is linked with itself is the model's, and left alone.
"""

from __future__ import annotations

import functools
import os
import sys
import threading
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from py2f.runtime._runtime import ffi, lib

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@dataclass(frozen=True)
class _Pool:
    """Threads that a library has for itself."""

    tell: Callable[[int], object]
    own: int  # how many it had


class _Pools:
    """Those of this process, by name: the file of a library, or a module."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self._known: dict[str, _Pool] = {}
        self._modules = 0
        self._warned = False

    def tell(self, n: int) -> None:
        """Give each pool `n` threads; 0: what it had."""
        if len(sys.modules) != self._modules:
            self._known = dict(self._found()) | self._known
            self._modules = len(sys.modules)
        for pool in self._known.values():
            pool.tell(n or pool.own)

    def _found(self) -> Iterator[tuple[str, _Pool]]:
        from threadpoolctl import ThreadpoolController

        model = {os.path.realpath(name) for name in _model()}
        controllers = [c for c in ThreadpoolController().lib_controllers if c.num_threads]
        self._warn_of_two({c.filepath for c in controllers if c.user_api == "openmp"})
        for c in controllers:
            if os.path.realpath(c.filepath) not in model:
                yield c.filepath, _Pool(functools.partial(_tell, c), c.num_threads)
        if (torch := sys.modules.get("torch")) and hasattr(torch, "set_num_threads"):
            yield "torch", _Pool(torch.set_num_threads, torch.get_num_threads())
        if (numba := sys.modules.get("numba")) and _has_threads(sys.modules.get("numba.np.ufunc.parallel")):
            most = numba.config.NUMBA_NUM_THREADS
            yield "numba", _Pool(lambda n: numba.set_num_threads(min(n, most)), most)

    def _warn_of_two(self, files: set[str]) -> None:
        """Say once which run times of OpenMP there are, the model's first."""
        own = ffi.string(lib.p2f_openmp_file()).decode(errors="backslashreplace")
        files = {os.path.realpath(file) for file in files} - {os.path.realpath(own)}
        if not own or not files or self._warned:
            return
        self._warned = True
        named = " and ".join([os.path.realpath(own), *sorted(files)])
        text = (
            f"{1 + len(files)} run times of OpenMP in one process, {named}: each has its own threads, which wait for work "
            f"on the same cores; set OMP_WAIT_POLICY=passive, or build with one of them"
        )
        warnings.warn(text, RuntimeWarning, stacklevel=2)


def _tell(controller: Any, n: int) -> None:
    controller.set_num_threads(n)
    if hasattr(controller, "clear_controlling_thread"):  # of threadpoolctl 3.8: else no other thread could tell it
        controller.clear_controlling_thread()


def _model() -> Iterator[str]:
    """The files that the model is made of, beside the executable."""
    number = 0
    while (name := lib.p2f_host_object(number)) != ffi.NULL:
        yield os.fsdecode(ffi.string(name))
        number += 1


def _has_threads(parallel: Any) -> bool:
    """Whether numba has started its threads: it would do so when they are counted, too."""
    return bool(getattr(parallel, "_is_initialized", False))


_pools = _Pools()


def give(n: int) -> None:
    """Tell every library in Python to use `n` threads; 0: as many as it did by itself."""
    with _pools.lock:
        _pools.tell(n)
        lib.p2f_threads_given(n, len(sys.modules))
