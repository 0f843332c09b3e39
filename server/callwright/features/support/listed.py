"""What can be written in a list of tools in front matter: the names of the tools in force.

Owns: `listed_offers`, and where such a list is being written. Must not know: how a list that is written is read,
protocols.

A list is recognised by its lines, for while one is typed it is no YAML yet.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from callwright.features.support.configuration import Offer
from callwright.prompt.listed_tools import LISTS, front_of, list_key, listed_tools
from callwright.text.span import Span

if TYPE_CHECKING:
    from callwright.document.snapshot import Snapshot
    from callwright.prompt.listed_tools import ListedTool

#: A key with what stands after it on its line, and a line that goes on with a list.
_KEYED: Final = re.compile(r"[ \t]*+(?P<key>[\w-]++)[ \t]*+:(?:[ \t]++(?P<rest>.*+))?+$", re.DOTALL)
_ITEM: Final = re.compile(r"[ \t]*+-[ \t]++(?![\w.-]++[ \t]*+:(?:[ \t]|$))")
#: The name before the cursor, and what of it stands after.
_TYPED: Final = re.compile(r"(?P<prefix>(?:[!@]?[\w.@-]++[/:])*+)(?P<name>[\w.-]*+)\Z")
_BEGUN: Final = re.compile(r"[\w.@/:!-]*+\Z")
_REST: Final = re.compile(r"[\w.-]*+")
#: So many lines are gone back to the key of a list, and no line that is longer holds one; a name is no longer either.
_LINES: Final = 200
_LONGEST_NAME: Final = 200
_LONGEST: Final = 20_000


def listed_offers(snapshot: Snapshot, offset: int) -> list[Offer] | None:
    """Return what can be written at an offset that lies in a list of tools, None elsewhere."""
    if not snapshot.registry:
        return None
    front = front_of(snapshot)
    if offset >= len(front):
        return None
    before = _list_before(front, offset)
    if before is None:
        return None
    begun = _BEGUN.search(before, max(0, len(before) - _LONGEST_NAME))
    typed = _TYPED.match(before, begun.start()) if begun is not None else None
    lead = before[: begun.start()] if begun is not None else ""
    if typed is None or lead[-1:] not in ("", " ", "\t", ",", "[", "'", '"') or lead.count("(") > lead.count(")"):
        return []
    behind = _REST.match(front, offset)
    span = Span(offset - len(typed["name"]), behind.end() if behind is not None else offset)
    others = [each for each in listed_tools(snapshot) if not each.span.overlaps(Span(span.start, span.end + 1))]
    return list(_names(snapshot, span, typed["prefix"], others))


def _names(snapshot: Snapshot, span: Span, prefix: str, others: list[ListedTool]) -> Iterator[Offer]:
    """Yield the tools that are not listed yet; qualified as the others are, where nothing qualifies what is typed."""
    present = {each.name for each in others} | {each.whole for each in others}
    prefixes = {each.prefix for each in others if snapshot.registry.has(each.name)}
    lead = next(iter(prefixes)) if len(prefixes) == 1 and not prefix else ""
    for tool in snapshot.registry:
        if tool.name not in present and tool.deprecated is None:
            name = lead + tool.name
            yield Offer(name, "tool", span, name, about=tool.description)


def _list_before(front: str, offset: int) -> str | None:
    """Return what a list holds between its key, or its dash, and an offset; None where the offset is in no list."""
    start = _line_start(front, offset)
    line = front[start:offset] if offset - start <= _LONGEST else ""
    keyed = _KEYED.match(line)
    if keyed is not None:
        return (keyed["rest"] or "") if list_key(keyed["key"]) in LISTS and keyed["rest"] is not None else None
    item = _ITEM.match(line)
    text = line[item.end() :] if item is not None else line
    for _ in range(_LINES):
        if start == 0:
            return None
        end = start
        start = _line_start(front, end - 1)
        above = front[start : end - 1] if end - start <= _LONGEST else ""
        keyed = _KEYED.match(above.rstrip("\r"))
        if keyed is not None:
            rest = (keyed["rest"] or "").split(" #")[0].strip()
            # Below a key stand items with dashes; other lines only where its bracket is still open.
            in_bracket = rest.startswith("[") and "]" not in rest
            goes_on = in_bracket or (not rest and item is not None)
            return text if goes_on and list_key(keyed["key"]) in LISTS else None
        if "]" in above:
            return None
    return None


def _line_start(text: str, offset: int) -> int:
    return max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) + 1
