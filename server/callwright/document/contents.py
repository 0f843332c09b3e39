"""The content of a block: what was read in it, at once, late, or again after it was evicted.

Owns: `Content`, `Read`, `Deferred`, `Evictable`, and what triage says of a whole JSON document (`Outlook`). Must not
know: rules, hosts, how a block is read, how triage comes to know.

All blocks are of one kind and differ in their content alone. Invariant: whatever its kind, the passages and transcripts
of a content are equal to those that reading the block at once gives.

A call as it was read takes many times the memory of its text, and of a long document nearly all calls are never asked
for again once it is known what is wrong with them. And to check a long document that is clean, nothing in it need have
a place. So content may be evicted, and read again from the same text in the same state; or it is not read at all before
it is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol, TypeAlias

if TYPE_CHECKING:
    from callwright.document.blocks import Block, ReadPassage
    from callwright.document.memo import Memo
    from callwright.document.settings import Settings
    from callwright.hosts.base import TranscriptPart
    from callwright.syntax.problem import Problem
    from callwright.text.facts import Facts
    from callwright.text.span import Span
    from callwright.tools.registry import ToolRegistry

#: Content that was read again so often stays: all of the document is asked for at every keystroke.
MAX_READS: Final = 3


class TriageResult(NamedTuple):
    """All that there may be to say about a text: the syntax errors of its JSON, and the parts that are suspect."""

    faults: Sequence[Problem] = ()
    suspects: Sequence[Span] = ()


#: Returns what there may be to say about a JSON text; None where only close reading tells.
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
        """Whether it is known that nothing is wrong in the block but its `problems`, and what is in its `suspects`."""

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
    """Content that is read when it is asked for: it is clean but for the parts that are suspect.

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
        """The passages, which are read now if they were not."""
        return self._whole().passages

    @property
    def transcripts(self) -> Sequence[TranscriptPart]:
        """The transcripts, which are read now if they were not."""
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
        """Hold passages that were just read: mostly they are asked for at once."""
        self._kept: list[ReadPassage] | None = passages
        self._read = read
        self._memo = memo
        self._reads = 0
        memo.hold(self)

    @property
    def passages(self) -> list[ReadPassage]:
        """The passages, which are read again if they were evicted."""
        if self._kept is None:
            self._kept = self._read()
            self._reads += 1
            if self._reads < MAX_READS:
                self._memo.hold(self)
        return self._kept

    @property
    def is_evicted(self) -> bool:
        """Whether nothing is held."""
        return self._kept is None

    def evict(self) -> None:
        """Hold nothing."""
        self._kept = None
