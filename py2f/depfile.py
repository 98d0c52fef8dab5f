"""What an export depends on, as make and ninja read it: the Python files whose change may change what is generated."""

from __future__ import annotations

import re
import site
import sys
import sysconfig
from pathlib import Path
from typing import TYPE_CHECKING

from py2f.decorators.registry import stub_modules, stubs
from py2f.site import shipped

if TYPE_CHECKING:
    from py2f.pipeline import Sources


def depfile_text(target: str, sources: Sources) -> str:
    """A rule for `target`, and an empty one for each file, so that one that is gone is no error."""
    files = [_escaped(file) for file in dependencies(sources)]
    return "\n".join([" \\\n  ".join([f"{_escaped(target)}:", *files]), *(f"{file}:" for file in files)]) + "\n"


def dependencies(sources: Sources) -> list[str]:
    """The files of all loaded modules, but for those that are installed: of these the exported packages, and py2f itself.

    The Fortran sources that stubs name are among them: what they are compiled to is delivered.
    """
    tops = {module.partition(".")[0] for module in sources.library.modules}
    loaded = {name: getattr(module, "__file__", None) for name, module in tuple(sys.modules.items())}
    files = [file for name, file in loaded.items() if file and (name.partition(".")[0] in tops or not _installed(file))]
    fortran = [path for module in stub_modules() for stub in stubs(module).values() for path in stub.origin.sources]
    return [*sorted({str(Path(file).absolute()) for file in (*files, *fortran)}), str(shipped("loader.c"))]


def _installed(file: str) -> bool:
    folders = [*sysconfig.get_paths().values(), *site.getsitepackages(), site.getusersitepackages()]
    return any(Path(file).is_relative_to(folder) for folder in folders)


def _escaped(file: str) -> str:
    return re.sub(r"([ #:\\])", r"\\\1", file).replace("$", "$$")
