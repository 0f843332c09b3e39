"""The content of a block: what was read in it, at once, deferred, or again after it was evicted.

Owns: `Content`, `Read`, `Deferred`, `Evictable`, and what triage returns for a whole JSON document (`TriageResult`).
Must not know: rules, hosts, how a block is read, how triage works.

All blocks are of one kind and differ in their content only. Invariant: whatever its kind, the passages and transcripts
of a content are equal to those of a block that is read at once.

A call that was read takes many times the memory of its text, and most calls of a long document are never needed again
once they are checked. And to check a long clean document, nothing in it needs offsets. So content may be evicted, and
read again from the same text in the same state; or it is not read before it is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final, Protocol, TypeAlias

from callwright.text.records import NamedTuple, dataclass

if TYPE_CHECKING:
    from callwright.document.blocks import Block, ReadPassage
    from callwright.document.memo import Memo
    from callwright.document.settings import Settings
    from callwright.hosts.base import TranscriptPart
    from callwright.syntax.problem import Problem
    from callwright.text.facts import Facts
    from callwright.text.span import Span
    from callwright.tools.registry import ToolRegistry

#: Content that was read again this many times is kept: the whole document is asked for at every keystroke.
MAX_READS: Final = 3


class TriageResult(NamedTuple):
    """All problems that a text may have: the syntax errors of its JSON, and the parts that are suspect."""

    faults: Sequence[Problem] = ()
    suspects: Sequence[Span] = ()


#: Returns the problems that a JSON text may have; None where only a full reading can decide.
Triage: TypeAlias = Callable[[str, "ToolRegistry", "Settings"], TriageResult | None]


class Content(Protocol):
    """What was read in a block, in its offsets."""

    @property
    def passages(self) -> list[ReadPassage]:
        """The passages, each with its calls and problems."""

    @property
    def transcripts(self) -> Sequence[TranscriptPart]:
        """The transcripts that the passages are of."""

    @property
    def is_clean(self) -> bool:
        """Whether the block is known to have no problems but its `problems`, and those in its `suspects`."""

    @property
    def suspects(self) -> Sequence[tuple[int, Block]]:
        """The parts that are to be checked in place of the whole, each with its place."""


@dataclass(slots=True)
class Read:
    """Content that was read at once."""

    passages: list[ReadPassage]
    transcripts: Sequence[TranscriptPart] = ()
    is_clean: bool = False
    suspects: Sequence[tuple[int, Block]] = ()


class Deferred:
    """Content that is read when it is asked for: it is clean except for the parts that are suspect.

    `facts` are those of the block. Once content with suspects is read, it is checked as any other.
    """

    def __init__(self, read: Callable[[], Content], suspects: Sequence[tuple[int, Block]], facts: Facts) -> None:
        self.suspects = suspects
        self.is_clean = True
        self._read = read
        self._facts = facts
        self._content: Content | None = None

    @property
    def passages(self) -> list[ReadPassage]:
        """The passages; they are read now if they were not before."""
        return self._whole().passages

    @property
    def transcripts(self) -> Sequence[TranscriptPart]:
        """The transcripts; they are read now if they were not before."""
        return self._whole().transcripts

    def _whole(self) -> Content:
        if self._content is None:
            self._content = self._read()
            if self.suspects:
                self.is_clean, self.suspects = False, ()
                self._facts.clear()
        return self._content


class Evictable:
    """The passages of a block of a flow document, which a memo evicts in favour of others."""

    __slots__ = ("_kept", "_memo", "_read", "_reads")

    is_clean: Final = False
    suspects: Final = ()
    transcripts: Final = ()

    def __init__(self, passages: list[ReadPassage], read: Callable[[], list[ReadPassage]], memo: Memo) -> None:
        """Hold passages that were just read: mostly they are needed at once."""
        self._kept: list[ReadPassage] | None = passages
        self._read = read
        self._memo = memo
        self._reads = 0
        memo.hold(self)

    @property
    def passages(self) -> list[ReadPassage]:
        """The passages; they are read again if they were evicted."""
        if self._kept is None:
            self._kept = self._read()
            self._reads += 1
            if self._reads < MAX_READS:
                self._memo.hold(self)
        return self._kept

    @property
    def is_evicted(self) -> bool:
        """Whether the passages are evicted."""
        return self._kept is None

    def evict(self) -> None:
        """Drop the passages."""
        self._kept = None
