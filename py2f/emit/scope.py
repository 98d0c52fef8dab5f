"""The names inside one wrapper."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from py2f.signature import Argument

ALWAYS = ("stat", "errmsg")


@dataclass(frozen=True)
class Scope:
    """What the dummies, the variables and the procedure itself are called."""

    module: str
    procedure: str  # the specific procedure
    dummies: Mapping[Argument, str]
    frame: str = "frame"
    layout: str = "frame_layout"
    rc: str = "rc"
    result: str = "res"
    interfaces: Mapping[str, str] = field(default_factory=dict)  # of the procedures among the arguments

    def __getitem__(self, argument: Argument) -> str:
        return self.dummies.get(argument, self.result)

    def component(self, argument: Argument) -> str:
        """The component of the frame that belongs to an argument or a result."""
        return f"{self.frame}%{self[argument]}"
