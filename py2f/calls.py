"""The way back on one screen: stubs -> what Fortran declares -> thunks -> key -> entry of the cache."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from py2f.cache.key import asked_key, make_key, portable
from py2f.cache.layers import Layers, cached
from py2f.delivered import Thunks
from py2f.emit.build_files import calls_meson_text
from py2f.emit.targets import table_symbol
from py2f.emit.thunk_c import thunks_text
from py2f.emit.thunk_fortran import calls_text, probe_text
from py2f.emit.variables import variables_module, variables_text
from py2f.errors import BuildError, StubError, ToolchainError
from py2f.fortran.called import Called, Calls, Reach, assumed, matched
from py2f.library import find_symbol, linked
from py2f.pipeline import THUNK_HEADERS, compiled_in
from py2f.prefix import HEADERS
from py2f.settings import Settings
from py2f.site import shipped
from py2f.sources import LIBRARY, compiled_sources, first_of_each, laid_out, texts_of
from py2f.toolchain.compilers import BINDING, binding_header, find_toolchain

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from py2f.cache.key import Key
    from py2f.decorators.stub import Stub
    from py2f.fortran.declared import Interface, Source
    from py2f.sources import Compiled, Texts
    from py2f.toolchain.compilers import Toolchain


def build_calls(module: str, stubs: Sequence[Stub], settings: Settings | None = None) -> Thunks:
    """Build or find the thunks of a module's stubs, one row a stub, in order.

    Raises StubError, ToolchainError or BuildError.
    """
    settings = settings or Settings.read()
    texts = {stub.origin.compiled_from: texts_of(stub) for stub in first_of_each(stubs)}
    called = tuple(_called(stub, texts.get(stub.origin.compiled_from), _name(module)) for stub in stubs)
    calls = Calls(_name(module), module, called, tuple(stub.accessor for stub in stubs if stub.accessor))
    generated, layers = _texts(calls), Layers(settings)
    asked = _asked(generated, stubs, texts.values(), settings)
    paths = layers.recall(asked) if settings.cache_mode == "require" and portable(settings) else None
    if paths:  # no compiler is asked who it is: a thousand ranks start no processes
        return Thunks(paths[0], table_symbol(calls), tuple(paths[1:]))
    try:
        toolchain = find_toolchain(settings)
    except ToolchainError:
        paths = layers.recall(asked) if portable(settings) else None
        if paths is None:
            raise
        return Thunks(paths[0], table_symbol(calls), tuple(paths[1:]))
    compiled = [compiled_sources(each, toolchain, settings, module) for each in texts.values()]
    files = _project(calls, generated, stubs, compiled, toolchain) | {BINDING: binding_header(toolchain, settings)}
    key, needed = make_key(files, toolchain, calls.name, module), tuple(c.path for c in compiled)
    entry, _, _ = cached(key, settings, lambda folder: _compile(calls, files, folder, toolchain, settings), needed)
    thunks = Thunks(entry / "lib" / f"lib{calls.name}.so", table_symbol(calls), needed)
    if portable(settings):
        layers.remember(asked, [thunks.path, *thunks.needed])
    return thunks


def _project(
    calls: Calls, generated: Mapping[str, bytes], stubs: Sequence[Stub], compiled: Sequence[Compiled], toolchain: Toolchain
) -> dict[str, bytes]:
    """All files of the project: what is compiled, and what it is linked with."""
    files = dict(generated)
    folders = [f"compiled/{k}" for k in range(len(compiled))]
    for folder, each in zip(folders, compiled, strict=True):
        files |= each.copies(folder)
    includes = [str(folder) for stub in stubs for folder in stub.origin.includes] + [f"../{folder}" for folder in folders]
    links = dict.fromkeys([*(f"../{folder}/{LIBRARY}" for folder in folders), *_libraries(stubs)])
    fortran = [file for file in generated if file.endswith(".f90")]
    text = calls_meson_text(calls.name, fortran, list(links), list(dict.fromkeys(includes)), _standard(toolchain))
    return {**files, "meson.build": text.encode()}


def _libraries(stubs: Sequence[Stub]) -> list[str]:
    return [linked(stub.origin.library) for stub in stubs if stub.origin.library]


def _asked(generated: Mapping[str, bytes], stubs: Sequence[Stub], texts: Iterable[Texts], settings: Settings) -> Key:
    """What is asked for, without the compiler that answers."""
    parts = {f"{k} {name}": content for k, each in enumerate(texts) for name, content in each.parts.items()}
    return asked_key({**parts, **generated, "libraries": "\n".join(_libraries(stubs)).encode()}, settings)


def _name(module: str) -> str:
    last = module.rpartition(".")[2].strip("_") or "module"
    return f"{last if last.isascii() else 'module'}_calls"[:50]


# ---- what Fortran declares


def _called(stub: Stub, texts: Texts | None, name: str) -> Called:
    if stub.accessor:
        return stub.accessor.called(name)
    if texts:
        return matched(stub, _declared(stub, texts.source))
    interface = assumed(stub.procedure)
    if stub.origin.module:
        return Called(stub.procedure, interface, stub.origin.module, Reach.MODULE)
    symbol = find_symbol(stub)
    if not symbol:
        _refuse_descriptors(stub)
    return Called(stub.procedure, interface, symbol=symbol)


def _refuse_descriptors(stub: Stub) -> None:
    """Without a source nobody knows that an external procedure would take one."""
    for a in stub.procedure.arguments:
        if a.shape and not any(a.shape.extents) and not a.allocatable:
            raise StubError(
                f"{stub.where}: argument '{a.name}' of '{stub.procedure.name}': {a.declared} is a descriptor, and external "
                f"procedures take addresses: write its extents, as in {a.kind}[n]"
            )


def _declared(stub: Stub, source: Source) -> Interface:
    """The procedure that a stub means."""
    name, module = stub.procedure.name.lower(), stub.origin.module
    if module and module not in {m.name for m in source.modules}:
        known = ", ".join(m.name for m in source.modules) or "no module"
        raise StubError(f"{stub.where}: module '{module}' is not in {_paths(stub)}, which has {known}")
    procedures = [p for m in source.modules if m.name == module for p in m.procedures] if module else list(source.externals)
    for procedure in procedures:
        if procedure.name == name:
            return procedure
    elsewhere = next((m.name for m in source.modules for p in m.procedures if p.name == name), "")
    hint = (
        f"; it is in module '{elsewhere}': say module=\"{elsewhere}\""
        if elsewhere
        else f"; there is {', '.join(p.name for p in procedures)}" * bool(procedures)
    )
    raise StubError(f"{stub.where}: there is no procedure '{name}' in {_paths(stub)}{hint}")


def _paths(stub: Stub) -> str:
    return ", ".join(map(str, stub.origin.sources))


# ---- the thunks


def _texts(calls: Calls) -> dict[str, bytes]:
    """What no compiler has a say in."""
    texts = {f"{variables_module(calls.name)}.f90": variables_text(calls)} if calls.accessors else {}
    texts |= {f"{calls.name}.f90": calls_text(calls), f"{calls.name}.c": thunks_text(calls)}  # which uses that module
    texts |= {f"{calls.name}_probe.f90": probe_text(calls)} if _is_probed(calls) else {}
    return {name: text.encode() for name, text in texts.items()} | {
        name: shipped(name).read_bytes() for name in (*HEADERS, *THUNK_HEADERS)
    }


def _is_probed(calls: Calls) -> bool:
    return any(c.explicit for c in calls.called)


def _standard(toolchain: Toolchain) -> list[str]:
    """Without this gfortran takes any procedure called `second` or `free` for GNU's intrinsic of that name."""
    return [] if toolchain.fortran.is_flang else ["-std=f2018"]


def _compile(calls: Calls, files: dict[str, bytes], folder: Path, toolchain: Toolchain, settings: Settings) -> Path:
    try:
        _, out = compiled_in(folder, calls.name, files, toolchain, settings)
    except BuildError as error:
        raise _explained(error, calls) from error
    return laid_out(folder / "prefix", out, out / f"lib{calls.name}.so")


def _explained(error: BuildError, calls: Calls) -> Exception:
    """A stub that the compiler refuses, as such; any other failure as it is."""
    lines = error.output.splitlines()
    probes = rf"(?:{calls.name}_probe|{variables_module(calls.name)})\.f90:\d"
    hits = [k for k, line in enumerate(lines) if re.search(probes, line)]
    if not hits:
        return error
    said = "\n".join(line for line in lines[hits[0] :] if not line.startswith(("ninja:", "[")))
    return StubError(f"{calls.module}: {_refused(error.output, calls)}:\n{said}")


def _refused(output: str, calls: Calls) -> str:
    variables = dict.fromkeys(int(n) for n in re.findall(r"\bcall take\((?:variable|copy)_(\d+)\)", output))
    if variables:
        known = {a.number: f"'{a.variable.name}'" for a in calls.accessors}
        return (
            f"{', '.join(known[n] for n in variables)}: the Fortran compiler finds that the variable is not what was read of it"
        )
    numbers = dict.fromkeys(int(n) for n in re.findall(r"\bcall takes_(\d+)\(", output))
    names = ", ".join(repr(calls.called[n].procedure.name) for n in numbers) or "a procedure"
    return f"{names}: the Fortran compiler finds that the stub is not what the procedure is"
