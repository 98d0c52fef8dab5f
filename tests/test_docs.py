"""Every code block of the documentation runs and prints what the page says; docs/reference leaves nothing out."""

from __future__ import annotations

import argparse
import builtins
import re
import warnings
from pathlib import Path

import pytest
from pages import Runner
from programs import found

import py2f
from py2f import cli, export, stubs
from py2f.configuration import EXPORT, RUN, Setting, table
from py2f.types import KINDS

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")), *sorted((ROOT / "examples").rglob("*.md"))]
REFERENCE = ROOT / "docs" / "reference"


def _name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def _text(name: str) -> str:
    return (REFERENCE / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_code_runs(page: Path, tmp_path: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for tool in ("mpirun", "cmake", "gfortran-11"):
        if re.search(rf"^\$ .*{tool}\b", text, re.MULTILINE) and not found(tool):
            pytest.skip(f"{tool} is not installed: that the commands of this page work is not verified")
    runner = Runner(page, tmp_path)
    if page.is_relative_to(ROOT / "examples"):
        for name in ("model.py", "main.f90"):
            (tmp_path / name).write_bytes((page.parent / name).read_bytes())
    runner.run()
    for skipped in runner.skipped:
        warnings.warn(skipped, stacklevel=1)


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_links_lead_somewhere(page: Path) -> None:
    targets = re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8"))
    assert [t for t in targets if not (page.parent / t).exists()] == []


def test_readme_leads_to_every_page() -> None:
    """In one step; to decisions and examples by their folders."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    pages = [_name(page) for page in ROOT.glob("docs/*/*.md") if page.parent.name != "decisions"]
    pages += ["docs/decisions/", "gallery/README.md"]
    pages += [f"{_name(folder)}/" for folder in ROOT.glob("examples/[0-9]*")]
    assert sorted(page for page in pages if f"]({page}" not in readme) == []


# ---- docs/reference is complete


@pytest.mark.parametrize("name", py2f.__all__)
def test_reference_has_every_public_name(name: str) -> None:
    pages = "".join(map(_text, ("python_api.md", "decorator.md", "types.md", "bridge.md")))
    assert f"`{name}`" in pages or f"`{name}(" in pages or f"`py2f.{name}" in pages


def _options(parser: argparse.ArgumentParser) -> list[str]:
    found = []
    for action in parser._actions:
        found += [option for option in action.option_strings if option not in ("-h", "--help")]
        if isinstance(action, argparse._SubParsersAction):
            found += list(action.choices)
            found += [option for sub in action.choices.values() for option in _options(sub)]
    return found


def _parsers(monkeypatch: pytest.MonkeyPatch) -> list[argparse.ArgumentParser]:
    """Catch what the commands parse with."""
    parsers: list[argparse.ArgumentParser] = []

    def remember(self: argparse.ArgumentParser, *_: object) -> None:
        parsers.append(self)
        raise StopIteration

    monkeypatch.setattr(argparse.ArgumentParser, "parse_args", remember)
    for main in (cli.main, export.main, stubs.main):
        with pytest.raises(StopIteration):
            main([])
    return parsers


def test_reference_has_every_option(monkeypatch: pytest.MonkeyPatch) -> None:
    options = {option for parser in _parsers(monkeypatch) for option in _options(parser)}
    assert {"export", "show", "-o", "--output", "--name", "--fc", "--fflags", "--what", "--module", "--fixed"} <= options
    assert sorted(option for option in options if not re.search(rf"`[^`\n]*{option}\b", _text("command_line.md"))) == []


@pytest.mark.parametrize(("heading", "settings"), [("## When the program runs", RUN), ("## At export", EXPORT)])
def test_reference_has_the_table_of_settings(heading: str, settings: tuple[Setting, ...], request: pytest.FixtureRequest) -> None:
    page = REFERENCE / "configuration.md"
    before, found, after = page.read_text(encoding="utf-8").partition(heading)
    rows = re.search(r"^\|.*?\n(?!\|)", after, re.DOTALL | re.MULTILINE)
    assert found
    assert rows
    if request.config.getoption("--update-golden"):
        page.write_text(f"{before}{found}{after.replace(rows[0], table(settings), 1)}", encoding="utf-8")
    assert rows[0] == table(settings), "py2f/configuration.py has another table: pytest --update-golden writes it"


def test_every_variable_that_is_read_is_in_the_table() -> None:
    sources = [*(ROOT / "py2f").rglob("*.py"), *(ROOT / "py2f").rglob("*.c"), *(ROOT / "py2f").rglob("*.h")]
    reads = re.compile(r"""(?:getenv\(|environ(?:\.get\(|\[)|_(?:seconds|said)\(environ, )\s*["'](\w+)["']""")
    names = {name for source in sources for name in reads.findall(source.read_text(encoding="utf-8"))}
    assert {"PY2F_CACHE_DIR", "PY2F_LOCK_TIMEOUT", "FC", "CC"} <= names
    rows = {s.variable for s in (*RUN, *EXPORT)}
    text = _text("configuration.md")
    assert sorted(name for name in names - rows if f"`{name}`" not in text) == []
    assert {s.variable for s in EXPORT} - names == set(), "a variable that nothing reads"
    assert set(re.findall(r"`(PY2F_[A-Z_]+)`", text)) - rows == set()


def test_reference_has_every_kind_as_it_is_declared() -> None:
    page = _text("types.md")
    assert [
        kind.name
        for kind in KINDS
        if not re.search(rf"^\|.*`{re.escape(kind.name)}`.*`{re.escape(kind.fortran)}`", page, re.MULTILINE)
    ] == []


def test_every_kind_is_a_public_name() -> None:
    assert [
        kind.name for kind in KINDS if kind.name.isidentifier() and kind.name not in (*dir(builtins), *py2f.__all__, "Callable")
    ] == []  # which is in collections.abc


def test_reference_has_every_public_name_of_the_fortran_module() -> None:
    source = (ROOT / "py2f/runtime/py2f.f90.in").read_text(encoding="utf-8")
    names = re.search(r"public :: (py2f_configure.*)", source)[1].split(", ")
    codes = [f"py2f_{status.name.lower()}" for status in py2f.Status]
    assert [name for name in [*names, *codes] if f"`{name}" not in _text("fortran_module.md")] == []
