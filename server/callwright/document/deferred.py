"""Records that are known to be faultless, and are taken apart only where somebody asks what stands in them.

Owns: `DeferredBlock`, and the outlook on a whole JSON document: one conversation, or a list of them. Must not know:
rules, hosts, how a record is taken apart.

To check a document nobody need know where in it anything stands, as long as nothing is wrong but its commas. Who
shows calls or follows references does ask; the record is read then.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from callwright.document.reader import START
from callwright.document.sessions import settings_of
from callwright.document.snapshot import Block, ReadPassage
from callwright.document.suppressions import WORD
from callwright.fastpath.fast_paths import IN_TEXTS, may_answer
from callwright.fastpath.quick import QuickVerdict
from callwright.hosts.catalogue import HEAD
from callwright.hosts.support.transcript_search import may_hold_transcript
from callwright.syntax.json_fast import NotCleanError, scan_clean
from callwright.syntax.json_mended import mended
from callwright.text.span import Span
from callwright.transcripts.catalogue import detect

if TYPE_CHECKING:
    from callwright.document.settings import Settings
    from callwright.hosts.base import TranscriptPart
    from callwright.syntax.problem import Problem
    from callwright.tools.registry import ToolRegistry

#: What of a record is read late.
_LATE: Final = ("passages", "transcripts")
_SPACE: Final = " \t\r\n"
#: How the first item of a list begins: a brace and a key.
_ITEM: Final = re.compile(r'[ \t\r\n]*+(\{[ \t\r\n]*+"\w++")')
#: Of a list so many items may be in doubt, or one among so many.
_DOUBTFUL: Final = 4
#: What of a list says whether it is itself a conversation.
_FIRST: Final = 8

#: The latest verdict, with the tools and settings that it is about: one project is open, as a rule.
_latest: tuple[ToolRegistry, Settings, QuickVerdict] | None = None


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
        self.cache = {}
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
            self.cache.clear()
        found: Sequence[Any] = getattr(block, name)
        return found


def is_faultless(text: str, registry: ToolRegistry, settings: Settings) -> bool:
    """Tell whether there is surely nothing to say about a JSON text: a plain conversation, or a list of such.

    False says nothing. Costs what it costs to parse the text about twice.
    """
    verdict = _verdict(registry, settings)
    try:
        if text.startswith("["):
            return _doubtful_items(text, verdict) == []
        return text.startswith("{") and verdict.sure(text.encode())
    except (ValueError, RecursionError):
        # It is no JSON, too deep, or no UTF-8.
        return False


class Outlook(NamedTuple):
    """All that there may be to say about a text: the faults of its JSON, and what is said of the parts in doubt."""

    faults: Sequence[Problem] = ()
    doubtful: Sequence[Span] = ()


def outlook(text: str, registry: ToolRegistry, settings: Settings) -> Outlook | None:
    """Return what there may be to say about a JSON text; None where only close reading tells.

    Parts in doubt are items of a list. Which faults there are is told of a text that is faultless but for them.
    """
    if not may_answer(settings, IN_TEXTS):
        return None
    verdict = _verdict(registry, settings)
    try:
        if text.startswith("["):
            doubtful = _doubtful_items(text, verdict)
            if doubtful is not None and all(_is_apart(span.of(text), settings) for span in doubtful):
                return Outlook(doubtful=doubtful)
        elif text.startswith("{") and verdict.sure(text.encode()):
            return Outlook()
    except (ValueError, RecursionError):
        # It is no JSON, too deep, or no UTF-8.
        pass
    if not may_hold_transcript(text):
        # Of what is no transcript, not even its faults are told.
        return None
    found = mended(text)
    return Outlook(found.problems) if found is not None and is_faultless(found.text, registry, settings) else None


def _is_apart(item: str, settings: Settings) -> bool:
    """Tell whether an item of a list is sound JSON and says nothing of how the list is read."""
    try:
        _, end = scan_clean(item, 0, len(item))
    except NotCleanError:
        return False
    return end == len(item) and WORD not in item and settings_of(item[:HEAD], settings) is settings


def _verdict(registry: ToolRegistry, settings: Settings) -> QuickVerdict:
    global _latest  # noqa: PLW0603 - what is remembered says what it is about
    if _latest is None or _latest[0] is not registry or _latest[1] != settings:
        _latest = (registry, settings, QuickVerdict(registry, settings, within=True))
    return _latest[2]


def _doubtful_items(text: str, verdict: QuickVerdict) -> list[Span] | None:
    """Look at each item of a list, and return those in doubt; None where these are many, or it is no such list.

    Items that begin alike are told apart by that, without parsing: what is a whole object up to a comma is an item. So
    what is in doubt need not be one. Raises ValueError where one of the first is no JSON.
    """
    begin = _ITEM.match(text, 1)
    whole = text.rstrip(_SPACE)
    if begin is None or not whole.endswith("]"):
        return None
    head = begin[1]
    starts = [begin.start(1)]
    while (at := text.find(head, starts[-1] + len(head))) >= 0:
        starts.append(at)
    first: list[Any] = []
    doubtful: list[Span] = []
    most = max(_DOUBTFUL, len(starts) // _DOUBTFUL)
    for start, end in pairwise([*starts, len(whole) - 1]):
        item = text[start:end].rstrip(_SPACE)
        if end < len(whole) - 1:
            if not item.endswith(","):
                return None
            item = item[:-1].rstrip(_SPACE)
        if not verdict.sure(item.encode()):
            doubtful.append(Span(start, start + len(item)))
            if len(doubtful) > most:
                return None
        if len(first) < _FIRST:
            first.append(json.loads(item))
    return doubtful if detect(first) is None else None
