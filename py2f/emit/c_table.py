"""The C table of a library: plain data, no Python, the same text on every machine; and the header with what differs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from py2f.emit.fortran import entry_symbol
from py2f.emit.host import host_calls
from py2f.emit.targets import table_symbol
from py2f.emit.text import quote
from py2f.signature import Intent

if TYPE_CHECKING:
    from collections.abc import Iterable

    from py2f.signature import Argument, Library, Procedure
    from py2f.site import Site


def table_text(library: Library) -> str:
    """Source text of the table."""
    host = host_calls(library)
    rows = [
        "/* SPDX-License-Identifier: 0BSD",
        f" * What the runtime of py2f has to know of the Python module {library.module}. Made by py2f; do not edit. */",
        '#include "py2f_table.h"',
        f'#include "{library.name}_site.h"',
        "",
        f"static const char *const modules[] = {{ {', '.join(map(quote, library.modules))}, 0 }};",
        "static const char *const origins[] = { PY2F_ORIGINS 0 };",
        "static const char *const path[] = { PY2F_PATH 0 };",
        "static const char *const environment[] = { PY2F_ENVIRONMENT 0 };",
        "static const char *const start[] = { PY2F_START 0 };",
        "static const py2f_site site = { PY2F_EXECUTABLE, PY2F_VERSION, PY2F_LIBPYTHON, PY2F_RUNTIME, origins, path,",
        "                                PY2F_OPTIMIZE, environment, start };",
        "",
        *([f"extern const py2f_targets {table_symbol(host)};", ""] if host.called else []),
        *(row for p in library.procedures for row in argument_lists(p.name, p)),
        "static py2f_library library;",
        "static py2f_procedure procedures[] = {",
        *map(_procedure, library.procedures),
        "};",
        f"static py2f_library library = {{ {', '.join(_library(library))} }};",
        "",
        f"PY2F_ENTRY({entry_symbol(library)}, procedures)",
    ]
    return "\n".join(rows) + "\n"


def _library(library: Library) -> list[str]:
    host = host_calls(library)
    targets = f"&{table_symbol(host)}" if host.called else "0"
    return ["PY2F_LAYOUT", str(len(library.procedures)), "procedures", quote(library.name), "modules", "&site", targets]


def argument_lists(name: str, p: Procedure) -> list[str]:
    """The rows of a procedure's arguments and results, in arrays that are called after `name`."""
    lists = ((f"{name}_arguments", p.arguments), (f"{name}_results", p.results))
    opened = ((f"static const py2f_argument {listed}[] = {{", items) for listed, items in lists if items)
    return [row for opening, items in opened for row in (opening, *map(_row, items), "};", "")]


def _row(a: Argument) -> str:
    flags = {
        "PY2F_OPTIONAL": a.optional,
        "PY2F_VIEW": a.view,
        "PY2F_READONLY": a.view and a.intent is Intent.IN,
        "PY2F_EXPLICIT": a.explicit,
        "PY2F_FIELD": a.field,
    }
    named = " | ".join(flag for flag, on in flags.items() if on) or "0"
    return f"  {{ {quote(a.name)}, {quote(a.declared)}, {a.kind.code}, {a.rank}, {named} }},"


def _procedure(p: Procedure) -> str:
    return f"  {{ py2f_first_call, 0, &library, {procedure_row(p.name, p)} }},"


def procedure_row(name: str, p: Procedure) -> str:
    """Name, numbers and lists of a procedure whose lists are called after `name`."""
    arguments = f"{name}_arguments" if p.arguments else "0"
    results = f"{name}_results" if p.results else "0"
    return f"{quote(p.name)}, {len(p.arguments)}, {len(p.results)}, {arguments}, {results}"


def site_text(site: Site) -> str:
    """Source text of the header that names the Python of this machine and the files of this module."""
    values = {
        "EXECUTABLE": site.executable,
        "VERSION": site.version,
        "LIBPYTHON": site.libpython,
        "RUNTIME": site.runtime,
    }
    rows = [f"#define PY2F_{name} {quote(value)}" for name, value in values.items()]
    lists: dict[str, Iterable[str]] = {
        "ENVIRONMENT": [f"{name}={value}" for name, value in site.start.environment],
        "ORIGINS": site.origins,
        "START": site.start.calls,
        "PATH": site.path,
    }
    rows.append(f"#define PY2F_OPTIMIZE {-1 if site.start.optimize is None else site.start.optimize}")
    rows += [f"#define PY2F_{name} {''.join(f'{quote(text)}, ' for text in texts)}".rstrip() for name, texts in lists.items()]
    return "\n".join(["/* Where the library was exported, and how its Python starts. */", *rows]) + "\n"
