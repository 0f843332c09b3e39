"""Records that are known to be faultless, and are taken apart only where somebody asks what stands in them.

Owns: `DeferredBlock`, and what triage says of a whole JSON document (`Outlook`). Must not know: rules, hosts, how a
record is taken apart, how triage comes to know.

To check a document nobody need know where in it anything stands, as long as nothing is wrong but its commas. Who
shows calls or follows references does ask; the record is read then.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from callwright.document.blocks import Block, ReadPassage
from callwright.document.reader import START
from callwright.document.settings import Settings
from callwright.text.span import Span
from callwright.tools.registry import ToolRegistry

if TYPE_CHECKING:
    from callwright.hosts.base import TranscriptPart
    from callwright.syntax.problem import Problem

#: What of a record is read late.
_LATE: Final = ("passages", "transcripts")


class Outlook(NamedTuple):
    """All that there may be to say about a text: the faults of its JSON, and what is said of the parts in doubt."""

    faults: Sequence[Problem] = ()
    doubtful: Sequence[Span] = ()


#: Returns what there may be to say about a JSON text; None where only close reading tells.
Triage: TypeAlias = Callable[[str, ToolRegistry, Settings], Outlook | None]


class DeferredBlock(Block):
    """A block of which there is nothing to say but its problems and what is said of the parts in doubt; its passages
    and transcripts are read when somebody looks at them.

    Invariant: once it is read, it is as if the block had been read at once.
    """

    __slots__ = ("_doubtful", "_read", "_whole")

    def __init__(
        self,
        length: int,
        reach: int,
        read: Callable[[], Block],
        problems: Sequence[Problem] = (),
        doubtful: Sequence[tuple[int, Block]] = (),
    ) -> None:
        """Take the block's length and reach, what reads it, the faults of its JSON, and the parts in doubt."""
        self.length = length
        self.state = self.after = START
        self.reach = reach
        self.problems = problems
        self.fenced = self.embedded = ()
        self.brought = self.log = None
        self.facts = {}
        self.on_release = ()
        self._doubtful = doubtful
        self._read = read
        self._whole = False

    @property
    def faultless(self) -> bool:
        """Whether its passages need not be looked at: once those of a block with parts in doubt are read, they are."""
        return not self._whole

    @property
    def doubtful(self) -> Sequence[tuple[int, Block]]:
        """The parts that are to be looked at in place of the whole, each with its place."""
        return self._doubtful

    def __getattr__(self, name: str) -> Sequence[ReadPassage] | Sequence[TranscriptPart]:
        """Read the block where one of the parts that wait for it is asked for."""
        if name not in _LATE:
            raise AttributeError(name)
        block = self._read()
        self.passages, self.transcripts = block.passages, block.transcripts
        if self._doubtful:
            # From now on what is said of it is kept with what was read.
            self._whole, self._doubtful = True, ()
            self.facts.clear()
        found: Sequence[Any] = getattr(block, name)
        return found
