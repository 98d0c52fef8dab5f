"""Who may have written a cache: to load a library is to run it, so nobody but us and those whom we trust."""

from __future__ import annotations

import os
import stat
from functools import lru_cache
from pathlib import Path


@lru_cache
def refusal(root: Path, *, own: bool, shared: bool = False, trusted: frozenset[int] = frozenset()) -> str:
    """Why nothing may be loaded from a cache; empty: it may. One that is not there yet may.

    Every folder on the way must belong to root, to us or to one of `trusted`, and be closed to all others. Where it is
    sticky, as /tmp is, others cannot replace what is ours. A cache of our `own` may be open to its group, if it is `shared`.
    """
    real = Path(os.path.realpath(root))
    known = {0, os.geteuid(), *trusted, Path("/").stat().st_uid}  # root has another number in some containers
    for folder in (*reversed(real.parents), real):
        try:
            status = folder.stat()
        except OSError:  # not there: nothing can be loaded
            return ""
        if not stat.S_ISDIR(status.st_mode):
            return ""
        group = shared and own and folder == real
        trouble = _trouble(status, known, group=group, sticky=folder != real)
        if trouble:
            return f"{folder} {trouble}"
    return ""


def _trouble(status: os.stat_result, known: set[int], *, group: bool, sticky: bool) -> str:
    mode = status.st_mode
    if status.st_uid not in known:
        return f"belongs to user {status.st_uid}: name that user in PY2F_CACHE_TRUST to trust them"
    if sticky and mode & stat.S_ISVTX:
        return ""
    if mode & stat.S_IWOTH:
        return "can be written by everybody: chmod o-w"
    if mode & stat.S_IWGRP and not group:
        return "can be written by its group: chmod g-w, or PY2F_CACHE_SHARED=group for a cache that the group shares"
    return ""
