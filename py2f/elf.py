"""What executables and shared libraries export."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path


def exported_procedures(file: Path) -> list[str]:
    """The functions in the dynamic symbol table of a file, as the linker calls them, sorted."""
    from elftools.elf.elffile import ELFFile
    from elftools.elf.sections import SymbolTableSection

    with file.open("rb") as content:
        table = ELFFile(content).get_section_by_name(".dynsym")
        symbols = table.iter_symbols() if isinstance(table, SymbolTableSection) else []
        return sorted({s.name for s in symbols if _is_defined_function(s.entry)})


def _is_defined_function(entry: Any) -> bool:
    return bool(entry.st_info.type == "STT_FUNC" and entry.st_shndx != "SHN_UNDEF")
