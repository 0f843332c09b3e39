"""What can be written in a list of tools in front matter: the names of the tools in force.

Owns: `listed_offers`, and where such a list is being written. Must not know: how a list that is written is read,
protocols.

A list is read with a word put at the place: while one is typed it is no YAML yet.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from callwright.features.support.configuration import Offer
from callwright.prompt.listed_tools import MENTION, ListedTool, front_of, listed_tools, tools_listed_in
from callwright.text.span import Span

if TYPE_CHECKING:
    from callwright.document.snapshot import Snapshot

#: What is put at a place to see what a name there would be, and what may still have to close before it is YAML.
_PROBE: Final = "x"
_CLOSERS: Final = ("", "]", '"', "'", '"]', "']")
_REST: Final = re.compile(r"[\w.-]*+")


def listed_offers(snapshot: Snapshot, offset: int) -> list[Offer] | None:
    """Return what can be written at an offset that lies in a list of tools, None elsewhere."""
    if not snapshot.registry:
        return None
    front = front_of(snapshot)
    if offset >= len(front):
        return None
    typed = _typed(front[:offset])
    if typed is None:
        return None
    after = _REST.match(front, offset)
    span = Span(typed.span.start, after.end() if after is not None else offset)
    others = [each for each in listed_tools(snapshot) if not each.span.overlaps(Span(span.start, span.end + 1))]
    return list(_names(snapshot, span, typed.prefix, others))


def _names(snapshot: Snapshot, span: Span, prefix: str, others: list[ListedTool]) -> Iterator[Offer]:
    """Yield the tools that are not listed yet; qualified as the others are, where nothing qualifies what is typed."""
    present = {each.name for each in others} | {each.whole for each in others}
    prefixes = {each.prefix for each in others if snapshot.registry.has(each.name)}
    lead = next(iter(prefixes)) if len(prefixes) == 1 and not prefix else ""
    for tool in snapshot.registry:
        if tool.name not in present and tool.deprecated is None:
            name = lead + tool.name
            yield Offer(name, "tool", span, name, about=tool.description)


def _typed(before: str) -> ListedTool | None:
    """Return what a list would name where a word was after `before`, None where that is in no list."""
    if MENTION.search(before) is None:
        return None
    for closer in _CLOSERS:
        found = [*tools_listed_in(before + _PROBE + closer)]
        if found and found[-1].span.end == len(before) + len(_PROBE):
            return found[-1]
    return None
