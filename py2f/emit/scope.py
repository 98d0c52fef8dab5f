"""The names inside one wrapper."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from py2f.emit.names import free

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

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
    dense: str = "dense"
    interfaces: Mapping[str, str] = field(default_factory=dict)  # of the procedures among the arguments

    @classmethod
    def of(
        cls, module: str, procedure: str, dummies: Mapping[Argument, str], taken: Collection[str], interfaces: Mapping[str, str]
    ) -> Scope:
        """With variables that yield to the dummies, and to what else is taken."""
        used = {*taken, *(name.lower() for name in dummies.values())}
        frame, layout, rc, result, dense = (free(name, used) for name in ("frame", "frame_layout", "rc", "res", "dense"))
        return cls(module, procedure, dummies, frame, layout, rc, result, dense, interfaces)

    def __getitem__(self, argument: Argument) -> str:
        return self.dummies.get(argument, self.result)

    def component(self, argument: Argument) -> str:
        """The component of the frame that belongs to an argument or a result."""
        return f"{self.frame}%{self[argument]}"
