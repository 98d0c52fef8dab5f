"""Fixtures: a project folder, the compilers, a cache of the test session's own."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from programs import COMPILERS, Project, found

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--update-golden``."""
    parser.addoption("--update-golden", action="store_true", help="write the golden files anew")


def pytest_configure() -> None:
    """A make that a test starts is none of those of `make test`."""
    for name in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL"):
        os.environ.pop(name, None)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run what asks for `compiler` with every compiler that is installed; say which is not."""
    if "compiler" in metafunc.fixturenames:
        reason = "{} is not installed: what it makes of the generated Fortran is not verified"
        metafunc.parametrize(
            "compiler", [pytest.param(c, marks=[] if found(c) else pytest.mark.skip(reason=reason.format(c))) for c in COMPILERS]
        )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """GT4Py compiles for minutes: `make granule` asks for those tests by their marker."""
    if "granule" not in config.option.markexpr:
        reason = "`make granule` runs it: here what GT4Py compiles is not verified"
        for item in items:
            if item.get_closest_marker("granule"):
                item.add_marker(pytest.mark.skip(reason=reason))


@pytest.fixture(scope="session", autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> None:
    os.environ.pop("FC", None)
    os.environ["PY2F_CACHE_DIR"] = str(tmp_path_factory.getbasetemp().parent / "cache")


@pytest.fixture(scope="module", autouse=True)
def _own_compiler() -> Iterator[None]:
    """Stubs choose their compiler by FC: the next module of tests has not asked for it."""
    yield
    os.environ.pop("FC", None)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """An empty project, exported with gfortran."""
    return Project(tmp_path / "project")
