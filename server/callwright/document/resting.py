"""Blocks of long documents that were looked at and rest: what was read in them is let go of, and read again on demand.

Owns: `RestingBlock`, `settled`. Must not know: rules, hosts, who asks.

A call as it was read takes many times the memory of its text, and of a long document nearly all calls are never asked
for again once it is known what is wrong with them. So a block that rests keeps where its text stands in the document
that it was read from, and the state it began with. The same text read in the same state gives the same again.
"""

from __future__ import annotations

import contextlib
from collections import deque
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple

from callwright.document.block_reading import WINDOW, BlockReading
from callwright.document.blocks import Block, ReadPassage
from callwright.hosts.base import FlowHost
from callwright.text.budget import UNLIMITED
from callwright.text.document import EMPTY

if TYPE_CHECKING:
    from collections.abc import Sequence

    from callwright.document.settings import Settings
    from callwright.hosts.base import Host
    from callwright.text.document import Excerpt
    from callwright.tools.registry import ToolRegistry

#: How many blocks may be awake that rest otherwise: more than anybody asks for around one place.
_AWAKE: Final = 32
#: A block that is woken so often stays awake: somebody wants all of the document at every keystroke.
_OFTEN: Final = 3
#: A block that was read from so many times its own text, or what a block is first read from, does not rest: to wake
#: many of them would be to read all that follows each.
_FAR: Final = 16

#: Those that were read or woken, the latest last.
_awake: deque[RestingBlock] = deque()


class _Readers(NamedTuple):
    """What reads resting blocks, and under which tools and settings."""

    registry: ToolRegistry
    settings: Settings
    template: object
    host: Host
    reading: BlockReading


#: The latest: the blocks of one document have it in common, whichever edit they were read after.
_latest: _Readers | None = None


class RestingBlock(Block):
    """A block of a flow document; its passages are read again when somebody looks at them.

    Invariant: they are equal to those that were there, whenever that is.
    """

    __slots__ = ("_excerpt", "_reading", "_stop_after", "_to_end", "_woken")

    def __init__(self, block: Block, reading: BlockReading, excerpt: Excerpt, stop_after: int, *, to_end: bool) -> None:
        """Take the place of a block that was read from `excerpt`, which goes `to_end` of its document or not."""
        self.length = block.length
        self.state = block.state
        self.after = block.after
        self.reach = block.reach
        self.problems = block.problems
        self.transcripts = ()
        self.brought = self.log = None
        self.fenced = tuple(block.fenced)
        self.embedded = block.embedded
        self.facts = block.facts
        self.on_release = block.on_release
        self._reading = reading
        self._excerpt = excerpt
        self._stop_after = stop_after
        self._to_end = to_end
        self._woken = 0
        # Whoever asks for a block that was just read asks at once: for what stands where somebody types.
        self.passages = block.passages
        self._stay_awake()

    def __getattr__(self, name: str) -> Sequence[ReadPassage]:
        """Read the block where its passages are asked for."""
        if name != "passages":
            raise AttributeError(name)
        text = self._excerpt.text()
        read = self._reading.flow_again(text, self.state, self._stop_after, at_end=self._to_end)
        self.passages = passages = read.passages
        self._woken += 1
        if self._woken < _OFTEN:
            self._stay_awake()
        return passages

    def _stay_awake(self) -> None:
        """Rest no sooner than many others have been woken."""
        _awake.append(self)
        if len(_awake) > _AWAKE:
            _awake.popleft().rest()

    def rest(self) -> None:
        """Let go of what was read, if anything is there."""
        with contextlib.suppress(AttributeError):
            del self.passages


def settled(block: Block, reading: BlockReading, at: int) -> Block:
    """Return what takes the place of a block that `reading` has just read at `at`, and that was looked at.

    That is the block itself where more belongs to it than its text, and where it was read from far more than itself.
    """
    if at == 0 or not isinstance(reading.host, FlowHost) or type(block) is not Block or not block.length:
        return block
    window, stop_after = reading.read_from
    if window > _FAR * max(WINDOW, block.length):
        return block
    end = min(at + window, reading.size)
    excerpt = reading.document.excerpt(at, end)
    return RestingBlock(block, _lasting(reading), excerpt, stop_after, to_end=end == reading.size)


def _lasting(reading: BlockReading) -> BlockReading:
    """Return a reading for later, which holds no document; mostly the one that other blocks have."""
    global _latest  # noqa: PLW0603 - what is remembered says what it is for
    known = _latest
    if (
        known is None
        or known.registry is not reading.registry
        or known.template is not reading.template
        or known.reading.undeclared is not reading.undeclared
        or known.reading.host_context.template != reading.host_context.template
        or known.host is not reading.host
        or known.settings != reading.settings
    ):
        late = copy(reading)
        late.document = EMPTY
        late.budget, late.context = UNLIMITED, replace(reading.context, budget=UNLIMITED)
        _latest = known = _Readers(reading.registry, reading.settings, reading.template, reading.host, late)
    return known.reading
