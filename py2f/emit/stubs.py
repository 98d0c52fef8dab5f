"""Typed stubs for what Fortran sources declare: a Python module whose functions are decorated with ``@pythoncall``.

The spellings are those that mypy and pyright accept. Names in extents are made at the top of the module, for the type
checkers; the decorator takes them for arguments.
"""

from __future__ import annotations

import keyword
import re
from typing import TYPE_CHECKING

from py2f.emit.stub_signature import returned, signature_of
from py2f.emit.stub_types import WORDS, Caller, extent_names, writes

if TYPE_CHECKING:
    import inspect
    from collections.abc import Iterator, Sequence

    from py2f.fortran.declared import Dummy, Interface, Source

WIDTH = 100
"""How long a line with a whole signature may be."""


def stub_text(source: Source, *, paths: Sequence[str]) -> str:
    """A Python module with a stub for every procedure of `source` that can be wrapped.

    `paths` are the sources as the decorators shall name them: from the folder of the module that is written.
    """
    taken: dict[str, Interface] = {}
    procedures = [p for module in source.modules for p in module.procedures] + list(source.externals)
    for procedure in procedures:
        if not procedure.trouble:
            taken.setdefault(_free(procedure.name, taken), procedure)
    stubs = [_stub(name, procedure, paths) for name, procedure in taken.items()]
    names = sorted({name for procedure in taken.values() for name in _extents(procedure)} - set(taken))
    parts = [
        _header([*stubs, *(["extent("] if names else [])], paths),
        "".join(f'{name} = extent("{name}")\n' for name in names),
        *(f"\n{stub}" for stub in stubs),
        _block("Module variables: see py2f.fortran_module", _variables(source)),
        _block("Named constants:", _constants(source)),
        _block("Not wrapped:", _unwrapped(source)),
    ]
    return "\n".join(part for part in parts if part)


def _free(name: str, taken: dict[str, Interface]) -> str:
    """The name in Python: with an underscore where it is a keyword, or means something else in the module."""
    while name in taken or name in WORDS or keyword.iskeyword(name):
        name += "_"
    return name


def _header(stubs: Sequence[str], paths: Sequence[str]) -> str:
    text = "\n".join(stubs)
    words = set(re.findall(r"\w+", re.sub(r'(?s:""".*?""")|#.*', "", text)))
    ours = sorted({word for word in words if WORDS.get(word) == "py2f"}, key=_order)
    lines = [
        "# mypy: disable-error-code=empty-body",  # a stub has no body, whatever it returns
        f'"""Stubs of {", ".join(paths)}, written by py2f."""\n',
        "from __future__ import annotations\n",
        "from collections.abc import Callable" if "Callable" in words else "",
        "from typing import Annotated\n" if "Annotated" in words else "",
        "import numpy as np\nfrom numpy.typing import NDArray\n" if "NDArray" in words else "",
        f"{_import(ours)}\n" if ours else "",
    ]
    return "\n".join(line for line in lines if line)


def _order(word: str) -> tuple[bool, str, int]:
    """Classes first, then by name, and i8 before i16: as ruff sorts imports."""
    letters = word.rstrip("0123456789")
    return not word[0].isupper(), letters, int(word[len(letters) :] or 0)


def _import(names: Sequence[str]) -> str:
    line = f"from py2f import {', '.join(names)}"
    return line if len(line) <= WIDTH else "\n".join(["from py2f import (", *(f"    {name}," for name in names), ")"])


def _extents(procedure: Interface) -> Iterator[str]:
    caller = Caller.of(procedure)
    for dummy in (*procedure.arguments, *([procedure.result] if procedure.result else [])):
        yield from (caller.python(name) for name in extent_names(dummy))
        if dummy.interface:
            yield from _extents(dummy.interface)


def _stub(name: str, procedure: Interface, paths: Sequence[str]) -> str:
    caller = Caller.of(procedure)
    options = [f"source={_source(paths)}"]
    options += [f'module="{procedure.module}"'] if procedure.module else []
    options += [f'name="{procedure.name}"'] if name != procedure.name else []
    lines = [
        *_intents(procedure, caller),
        f"@pythoncall({', '.join(options)})",
        _definition(name, signature_of(procedure), returned(procedure)),
    ]
    body = f"\n    {_docstring(procedure.doc)}\n    ...\n" if procedure.doc else " ...\n"
    return "\n".join(lines) + body


def _source(paths: Sequence[str]) -> str:
    quoted = [f'"{_escaped(path)}"' for path in paths]
    return quoted[0] if len(quoted) == 1 else f"[{', '.join(quoted)}]"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


def _definition(name: str, signature: inspect.Signature, parts: list[str]) -> str:
    parameters, result = list(_parameters(signature)), signature.return_annotation
    line = f"def {name}({', '.join(parameters)}) -> {result}:"
    if len(line) <= WIDTH:
        return line
    inside = "".join(f"    {parameter},\n" for parameter in parameters)
    head = f"def {name}(\n{inside})" if parameters else f"def {name}()"
    if len(last := f") -> {result}:") <= WIDTH or len(parts) == 1:
        return head[:-1] + last
    return "\n".join([f"{head} -> tuple[", *(f"    {part}," for part in parts), "]:"])


def _parameters(signature: inspect.Signature) -> Iterator[str]:
    keywords = False
    for parameter in signature.parameters.values():
        if parameter.kind is parameter.KEYWORD_ONLY and not keywords:
            keywords = True
            yield "*"
        absent = "" if parameter.default is parameter.empty else f" = {parameter.default}"
        yield f"{parameter.name}: {parameter.annotation}{absent}"


def _intents(procedure: Interface, caller: Caller) -> Iterator[str]:
    """A comment for each argument whose use is not declared."""
    for dummy in procedure.arguments:
        if dummy.intent or dummy.type == "procedure" or "value" in dummy.attributes:
            continue
        if writes(dummy, caller):
            what = "may be written" if "written" in dummy.attributes else "an array, taken as InOut"
        else:
            what = "an extent, taken as In" if "written" in dummy.attributes else "never written"
        yield f"# no intent in the source: {dummy.name}: {what}"


def _docstring(doc: str) -> str:
    lines = doc.replace("\\", "\\\\").replace('"""', '\\"\\"\\"').splitlines()
    if lines[-1].endswith('"') and not lines[-1].endswith('\\"') and len(lines) == 1:
        lines[0] = f'{lines[0][:-1]}\\"'
    closing = '"""' if len(lines) == 1 else '\n    """'
    return '"""' + "\n".join([lines[0], *(f"    {line}" if line else "" for line in lines[1:])]) + closing


def _block(title: str, entries: Sequence[tuple[str, str]]) -> str:
    return "".join([f"\n# {title}\n", *(f"#   {name}: {text}\n" for name, text in entries)]) if entries else ""


def _crossing(dummies: Sequence[Dummy]) -> Iterator[Dummy]:
    return (dummy for dummy in dummies if not dummy.trouble and dummy.type != "procedure")


def _variables(source: Source) -> list[tuple[str, str]]:
    return [(f"{module.name}.{v.name}", v.text) for module in source.modules for v in _crossing(module.variables)]


def _constants(source: Source) -> list[tuple[str, str]]:
    return [(f"{module.name}.{c.name}", c.value) for module in source.modules for c in _crossing(module.constants)]


def _unwrapped(source: Source) -> list[tuple[str, str]]:
    inside = [entry for module in source.modules for entry in module.unwrapped]
    return inside + [(procedure.name, procedure.trouble) for procedure in source.externals if procedure.trouble]
