"""Each test has no private entries of another's."""

from __future__ import annotations

import pytest

from py2f.cache.layers import private, refreshed
from py2f.cache.trust import refusal


@pytest.fixture(autouse=True)
def _nothing_remembered() -> None:
    private.clear()
    refreshed.clear()
    refusal.cache_clear()
