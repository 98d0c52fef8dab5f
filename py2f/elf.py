"""What executables and shared libraries export."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path


def exported_procedures(file: Path) -> list[str]:
    """The functions in the dynamic symbol table of a file, as the linker calls them, sorted."""
    from elftools.elf.elffile import ELFFile

    with file.open("rb") as content:
        table = ELFFile(content).get_section_by_name(".dynsym")
        return sorted({s.name for s in table.iter_symbols() if _is_defined_function(s.entry)}) if table else []


def _is_defined_function(entry: Any) -> bool:
    return bool(entry.st_info.type == "STT_FUNC" and entry.st_shndx != "SHN_UNDEF")
