"""What a fault is: a kind of damage that is done to a sound call, and where it was done.

Owns: `Sample`, `Injected`, `Kind`. Must not know: any single kind, how calls are read.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

if TYPE_CHECKING:
    from random import Random

    from callwright.text.span import Span
    from callwright.tools.registry import ToolRegistry


@dataclass(frozen=True)
class Sample:
    """One sound call in a text: what it was read as before anything was done to it.

    `span` covers the call in `text`, `body` the arguments as they are written (JSON text, or the elements between the
    call's tags). `origin` names the corpus it is from. `arguments` are what a reader gives for the sound text.
    """

    text: str
    span: Span
    body: Span
    dialect: str
    tool: str
    arguments: dict[str, Any]
    registry: ToolRegistry
    origin: str


@dataclass(frozen=True)
class Injected:
    """A text with one fault in it; `place` is where, in offsets of the new text: empty where something was left out.

    `keeps_information` is False where the sound text cannot be restored from it for certain.
    """

    text: str
    place: Span
    keeps_information: bool = True


class Kind(ABC):
    """One kind of fault. A module of this folder lists its kinds in `KINDS`."""

    name: str
    #: What the damaged dialect is: which referee decides whether the damage is a fault at all.
    group: ClassVar[Literal["json", "xml", "python", "schema", "frame"]]

    @abstractmethod
    def inject(self, sample: Sample, random: Random) -> Injected | None:
        """Return the sample's text with one fault at a place chosen by `random`; None where it has no such place."""
