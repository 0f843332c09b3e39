"""The memo: what is kept of reading documents, bounded for any number and length of them.

Owns: `Memo`, which contents it evicts, prompts that were read before. Must not know: rules, hosts, who asks.

A server has one for all open documents, since their memory together must be bounded. What it keeps depends only on a
text, and the tools and settings that the text is read with, so it never changes how a document is read.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Final

from callwright.text.lru import Kept

if TYPE_CHECKING:
    from weakref import ref

    from callwright.calls.protocol import ToolNames
    from callwright.document.contents import Evictable
    from callwright.document.flow_reading import FlowReader
    from callwright.document.reader import ReadResult
    from callwright.document.settings import Settings

#: How many evictable contents are held: more than are needed around one place.
MAX_HELD: Final = 32
#: How many prompts without calls are kept, and how many characters of them.
_MAX_PROMPTS: Final = 64
_MAX_PROMPT_TEXT: Final = 4_000_000


class Memo:
    """What is kept of reading."""

    def __init__(self) -> None:
        self._held: deque[Evictable] = deque()
        #: Prompts without calls, with the tools and settings under which they have none, and the result of reading
        #: them.
        self.plain_prompts: Kept[tuple[str, bool], tuple[ref[ToolNames], Settings, ReadResult]] = Kept(
            _MAX_PROMPTS, _MAX_PROMPT_TEXT
        )
        #: What reads evicted contents again: the blocks of one document share it, however the document was edited
        #: since.
        self.flow: FlowReader | None = None

    def hold(self, content: Evictable) -> None:
        """Hold a content, and evict the one that was held longest where there are too many."""
        self._held.append(content)
        if len(self._held) > MAX_HELD:
            self._held.popleft().evict()
