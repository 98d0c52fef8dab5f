"""Fortran sources read from texts, and what was read in one line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from py2f.fortran.reader import read

if TYPE_CHECKING:
    from pathlib import Path

    from py2f.fortran.declared import Dummy, Interface, Module, Source


def read_texts(folder: Path, *texts: str, suffix: str = ".f90", fixed: bool | None = None) -> Source:
    paths = [folder / f"source_{i}{suffix}" for i in range(len(texts))]
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text, encoding="utf-8")
    return read(paths, fixed=fixed)


def read_module(folder: Path, *texts: str) -> Module:
    """The module that the last text is."""
    return read_texts(folder, *texts).modules[-1]


def shown(d: Dummy) -> str:
    """`f64[:] in optional`, or the trouble behind an exclamation mark."""
    shape = f"[{', '.join(d.dimensions)}]" if d.dimensions else ""
    length = f"*{d.length}" if d.length else ""
    inner = f"({signature(d.interface)})" if d.interface else ""
    trouble = f"! {d.trouble}" if d.trouble else ""
    words = [f"{d.row or d.type}{length}{shape}{inner}", d.intent, *sorted(d.attributes - {"written", "passed"}), trouble]
    return " ".join(word for word in words if word)


def signature(p: Interface) -> str:
    result = f" -> {shown(p.result)}" if p.result else ""
    return f"{', '.join(f'{d.name}: {shown(d)}' for d in p.arguments)}{result}"
