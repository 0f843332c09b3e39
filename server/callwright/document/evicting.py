"""Evicting: which blocks of a long document give up their content once they were checked.

Owns: `make_evictable`. Must not know: rules, hosts, who asks.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

from callwright.document.block_reading import WINDOW, BlockReading
from callwright.document.contents import Evictable, Read
from callwright.document.documented_names import DocumentedNames
from callwright.document.flow_reading import FlowReader
from callwright.hosts.base import FlowHost
from callwright.text.budget import UNLIMITED

if TYPE_CHECKING:
    from callwright.document.blocks import Block, ReadPassage
    from callwright.document.memo import Memo
    from callwright.document.reader import ReaderState
    from callwright.text.document import Excerpt

#: A block that was read from this many times its own text, or from more than a block is first read from, keeps its
#: content: to read many of them again would be to read all that follows each.
_FAR: Final = 16


def make_evictable(block: Block, reading: BlockReading, at: int, memo: Memo) -> None:
    """Let `memo` evict the content of a block that `reading` has just read at `at`, and that was checked.

    Its content is kept where it depends on more than its text, or was read from far more than its text.
    """
    content = block.content
    if at == 0 or not isinstance(reading.host, FlowHost) or not isinstance(content, Read) or not block.length:
        return
    window, stop_after = reading.read_from
    if window > _FAR * max(WINDOW, block.length):
        return
    end = min(at + window, reading.size)
    flow = _lasting(reading.flow(reading.host), memo)
    again = partial(_read_again, flow, reading.document.excerpt(at, end), block.state, stop_after, end == reading.size)
    block.fenced = tuple(block.fenced)
    block.content = Evictable(content.passages, again, memo)


def _read_again(
    flow: FlowReader, excerpt: Excerpt, state: ReaderState, stop_after: int, at_end: bool
) -> list[ReadPassage]:
    """Return the passages of a block from the text that it was read from: the same state gives the same passages."""
    block = flow.block(excerpt.text(), state, stop_after, at_end=at_end)
    assert block is not None, "the same text was enough before"
    return block.passages


def _lasting(flow: FlowReader, memo: Memo) -> FlowReader:
    """Return a reader for later use that refers to no document; most blocks share one."""
    context, known = flow.context, memo.flow
    names = context.documented.known if isinstance(context.documented, DocumentedNames) else context.documented
    if (
        known is None
        or known.context.tools is not context.tools
        or known.context.documented != names
        or (known.host, known.template, known.undeclared) != (flow.host, flow.template, flow.undeclared)
        or known.settings != flow.settings
    ):
        known = memo.flow = replace(flow, context=replace(context, budget=UNLIMITED, documented=names))
    return known
