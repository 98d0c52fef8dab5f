"""What a Fortran module has for Python: read from its sources, made into callables and variables, built together."""

from __future__ import annotations

import keyword
import typing
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from py2f import types
from py2f.decorators.annotations import read
from py2f.decorators.pythoncall import seen_signature
from py2f.decorators.stub import REQUIRED, Stub, read_stub
from py2f.emit.stub_signature import signature_of
from py2f.emit.stub_types import WORDS
from py2f.emit.variables import Accessor, roles, trouble_of
from py2f.errors import RefusedError, StubError
from py2f.signature import Argument
from py2f.variables import Variable, variable_of

if TYPE_CHECKING:
    import inspect

    from py2f.decorators.stub import Origin
    from py2f.fortran.declared import Dummy, Interface, Module, Source

KNOWN: dict[str, Any] = {
    **{word: getattr(types, word) for word, home in WORDS.items() if home == "py2f" and hasattr(types, word)},
    "Annotated": typing.Annotated, "Callable": Callable, "NDArray": NDArray, "np": np,
}  # fmt: skip
"""What the words of annotations stand for."""


@dataclass(frozen=True)
class Contents:
    """The attributes of a Fortran module."""

    title: str  # "module 'physics' of physics.f90"
    doc: str
    procedures: dict[str, Any]
    variables: dict[str, Variable]
    unwrapped: dict[str, str]
    library: _Library

    def missing(self, name: str) -> AttributeError:
        """Why there is no such attribute."""
        if name in self.unwrapped:
            return AttributeError(f"'{name}' of {self.title} is not wrapped: {self.unwrapped[name]}")
        lower = name.lower()
        known = lower in self.procedures or lower in self.variables or lower in self.unwrapped
        hint = f": Fortran's names are lower case here, as in '{lower}'" if known else ""
        return AttributeError(f"{self.title} has no public '{name}'{hint}")


class _Library:
    """All stubs of a module: built and opened together, when the first of them is called."""

    def __init__(self, title: str) -> None:
        self.title, self.stubs, self.opened = title, list[Stub](), False

    def callee(self, stub: Stub) -> Any:
        """The callable of a stub."""
        from py2f.runtime.fetch import Procedure

        self.stubs.append(stub)
        callee: Any = Procedure(self._resolve)
        callee.__py2f__ = stub
        return callee

    def _resolve(self, callee: Any) -> None:
        from py2f.calls import build_calls
        from py2f.runtime.fetch import open_library, resolve

        if not self.opened:
            open_library(self.stubs, build_calls(self.title, self.stubs))
            self.opened = True
        resolve(callee)


def contents_of(origin: Origin, module: str | None, where: str, options: dict[str, Any]) -> Contents:
    """Read the sources and make what they declare callable. Raises SourceError, StubError."""
    from py2f.fortran.reader import read as read_sources

    for path in origin.sources:
        if not path.is_file():
            raise StubError(f"{where}: there is no file {path}")
    chosen = _chosen(read_sources(origin.sources), origin, module, where)
    return _Maker(origin, chosen, where, dict(options)).contents()


def _chosen(source: Source, origin: Origin, name: str | None, where: str) -> Module:
    """The module that is meant; external procedures are like one without a name."""
    from py2f.fortran.declared import Module

    paths = ", ".join(map(str, origin.sources))
    modules = {m.name: m for m in source.modules}
    if name is None and len(modules) > 1:
        raise StubError(f"{where}: {paths} has several modules, say which: {', '.join(f'module={m!r}' for m in modules)}")
    if name is None and modules:
        return next(iter(modules.values()))
    if not name:
        unwrapped = tuple((p.name, p.trouble) for p in source.externals if p.trouble)
        return Module("", source.externals, (), (), unwrapped=unwrapped, path=paths)
    if name not in modules:
        raise StubError(f"{where}: module '{name}' is not in {paths}, which has {', '.join(modules) or 'no module'}")
    return modules[name]


class _Maker:
    """Makes the contents of one module."""

    def __init__(self, origin: Origin, module: Module, where: str, options: dict[str, Any]) -> None:
        self.module, self.where = module, where
        self.only_variables = options.pop("variables", False)
        self.options = options
        self.origin = replace(origin, module=module.name)
        self.library = _Library(module.name or origin.sources[0].stem)
        self.unwrapped = dict(module.unwrapped)
        self.title = f"module '{module.name}' of {module.path}" if module.name else module.path

    def contents(self) -> Contents:
        """All of it."""
        variables = self._variables()
        procedures = {} if self.only_variables else self._procedures()
        return Contents(self.title, self._doc(), procedures, variables, self.unwrapped, self.library)

    def _doc(self) -> str:
        return "\n\n".join(part for part in (f"Fortran {self.title}", self.module.doc) if part)

    def _variables(self) -> dict[str, Variable]:
        found = {}
        for number, dummy in enumerate((*self.module.variables, *self.module.constants)):
            if trouble := trouble_of(dummy):
                self.unwrapped[dummy.name] = trouble
            else:
                accessors = {role: Accessor(role, dummy, self.module.name, number) for role in roles(dummy)}
                procedures = {role: self.library.callee(self._accessor_stub(a)) for role, a in accessors.items()}
                found[_attribute(dummy.name)] = variable_of(dummy, self.module.name, procedures)
        return found

    def _accessor_stub(self, accessor: Accessor) -> Stub:
        required = (REQUIRED,) * len(accessor.procedure.arguments)
        name = f"{accessor.variable.name}.{accessor.role}"
        return Stub(accessor.procedure, self.library.title, name, self.where, self.origin, required, (), accessor=accessor)

    def _procedures(self) -> dict[str, Any]:
        found = {}
        for interface in self.module.procedures:
            if interface.trouble:
                continue
            try:
                found[_attribute(interface.name)] = self._procedure(interface)
            except RefusedError as error:
                self.unwrapped[interface.name] = str(error)
        return found

    def _procedure(self, interface: Interface) -> Any:
        signature = signature_of(interface)
        procedure, returns = read_stub(interface.name, signature, KNOWN, interface.doc, "")
        parameters = signature.parameters.values()
        stub = Stub(
            procedure=procedure,
            module=self.library.title,
            qualname=interface.name,
            where=f"{interface.path}:{interface.line}",
            origin=self.origin,
            defaults=tuple(REQUIRED if p.default is p.empty else p.default for p in parameters),
            keywords=tuple(p.name for p in parameters if p.kind is p.KEYWORD_ONLY),
            returns=returns,
            **self.options,
        )
        callee = self.library.callee(stub)
        callee.__name__ = callee.__qualname__ = _attribute(interface.name)
        callee.__module__ = self.library.title
        callee.__signature__ = seen_signature(stub, signature)
        callee.__doc__ = _docstring(callee.__name__, interface, callee.__signature__)
        return callee


def _attribute(name: str) -> str:
    return f"{name}_" if keyword.iskeyword(name) else name


def _docstring(name: str, interface: Interface, signature: inspect.Signature) -> str:
    """How it is called, what Fortran's comments say, and how Fortran declares it."""
    taken = ", ".join(
        str(p).replace("'", "") if p.default is p.empty else f"{p.name}=None" for p in signature.parameters.values()
    )
    parts = [f"{name}({taken}) -> {signature.return_annotation}", interface.doc]
    declared = [f"    {d.text}" for d in interface.arguments if d.text]
    return "\n\n".join([*(part for part in parts if part), "\n".join([f"Fortran: {interface.text}", *dict.fromkeys(declared)])])


# ---- variables that are declared in Python


def checked_variable(contents: Contents, name: str, kind: object, where: str) -> Variable:
    """A variable, if it is what Python says of it; raises StubError."""
    variable = contents.variables.get(_attribute(name))
    if variable is None:
        raise StubError(f"{where}: {contents.missing(name)}")
    dummy = variable.dummy
    try:
        ours = read(kind, Argument(name, types.BY_NAME["i32"], stub=True), f"variable '{name}'")
    except RefusedError as error:
        raise StubError(f"{where}: {error}") from None
    if not _agrees(ours, dummy):
        theirs = f"{_declared(dummy)} in line {dummy.line} of {contents.title}: {dummy.text}"
        raise StubError(f"{where}: variable '{name}' is {ours.declared} here, but {theirs}")
    return variable


def _agrees(ours: Argument, dummy: Dummy) -> bool:
    row = "str" if ours.kind.name in ("string", "list[str]") else ours.kind.name
    extents = [str(e) if e else ":" for e in ours.shape.extents] if ours.shape else [":"] * (ours.kind.name == "list[str]")
    same = all(mine in (":", theirs) for mine, theirs in zip(extents, dummy.dimensions, strict=False))
    return row == dummy.row and len(extents) == len(dummy.dimensions) and same


def _declared(dummy: Dummy) -> str:
    shape = f"[{', '.join(dummy.dimensions)}]" if dummy.dimensions else ""
    return f"{dummy.row}{shape}"
