"""A call does not become dearer unnoticed: instructions a call, row by row, against a committed budget."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from programs import found

ROOT = Path(__file__).parents[1]


@pytest.fixture
def budget(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    import budget as module

    return module


def test_no_row_has_grown_by_more_than_five_percent(budget: Any, tmp_path: Path) -> None:
    if not found("valgrind"):
        pytest.skip("valgrind is not installed: that no call has become dearer is not verified")
    python = Path(sys.executable)
    versions = budget.versions(python, "gfortran")
    allowed = budget.budget_of(versions)
    if allowed is None:
        entries = json.loads(budget.BUDGET.read_text())
        pytest.skip(f"no budget for these versions, so growth is not verified: {budget.differing(entries, versions)}")
    assert budget.grown(budget.count(budget.build(python, tmp_path, "gfortran")), allowed) == []


def test_a_row_that_grows_is_named(budget: Any) -> None:
    allowed = {"A": 1000.0, "B": 2000.0}
    assert budget.grown({"A": 1049.0, "B": 2101.0}, allowed) == ["B: 2101 instructions, 2000 before"]
    assert budget.grown({"A": 1000.0}, allowed) == ["B is no longer counted"]
    assert budget.grown({"A": 900.0, "B": 2000.0, "C": 5.0}, allowed) == []


def test_what_differs_from_the_versions_of_the_budget_is_told(budget: Any) -> None:
    entries = [{"versions": {"Python": "3.11", "NumPy": "2.4"}}, {"versions": {"Python": "3.9", "NumPy": "1.2"}}]
    assert budget.differing(entries, {"Python": "3.12", "NumPy": "2.4"}) == "Python is 3.12, not 3.11"


def test_every_row_of_the_benchmark_has_a_budget(budget: Any) -> None:
    for entry in json.loads(budget.BUDGET.read_text()):
        assert set(entry["instructions"]) == {row.name for row in budget.call_fortran.ROWS}
