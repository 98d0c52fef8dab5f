"""What `make mutants` breaks is still there to be broken."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

HERE = Path(__file__).parent


def test_every_text_that_a_mutant_replaces_stands_once_in_its_file() -> None:
    """A mutant whose text was rewritten ends `make mutants` in the middle."""
    spec = importlib.util.spec_from_file_location("mutants", HERE / "mutants.py")
    assert spec
    assert spec.loader
    module = sys.modules["mutants"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    texts = {file: (HERE.parent / "py2f" / file).read_text(encoding="utf-8") for file in {m.file for m in module.MUTANTS}}
    assert [(m.what, m.file, m.text) for m in module.MUTANTS if texts[m.file].count(m.text) != 1] == []
