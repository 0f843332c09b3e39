"""What a document mentions at all: tools, words about notations, managed blocks. Who would look closer asks here first.

Owns: `Mentions`, `mentions_in`. Must not know: what is documented, what is demanded, rules. It is asked about every
document that is checked, so it imports next to nothing and looks at each part of a document once.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple
from weakref import ref

from callwright.hosts.support.managed import WORD

if TYPE_CHECKING:
    from callwright.analysis.snapshot import Block, Snapshot
    from callwright.tools.registry import ToolRegistry

#: What stands in each demand for a notation; a fence's language is none.
_NOTATIONS: Final = re.compile(
    r"(?<!```)(?<!~~~)(?:xml|json|yaml)|TOOL_CALL|Action Input|<invoke|Write (?:all|each|calls)|Answer ", re.IGNORECASE
)
#: One of these is in whatever the pattern finds, in small letters, but for letters that are small ones of others.
_TELLING: Final = ("xml", "json", "yaml", "tool_call", "action input", "<invoke", "write ", "answer ")
_ODD_LETTERS: Final = ("ſ", "ı", "İ")
#: So many names make one pattern; a registry with more is asked in parts.
_NAMES: Final = 500


class Mentions(NamedTuple):
    """What stands in a document: the tools that are named, whether one is named outside of calls, whether a notation
    is named, and whether there is the word of a managed block."""

    names: frozenset[str] = frozenset()
    outside: bool = False
    notation: bool = False
    managed: bool = False


def mentions_in(snapshot: Snapshot) -> Mentions:
    """Return what a document mentions; names count where the registry claims to know all of them."""
    if not snapshot.blocks:
        return Mentions()
    cache = snapshot.blocks[0].cache
    kept: tuple[ref[Snapshot], Mentions] | None = cache.get("all mentions")
    if kept is None or kept[0]() is not snapshot:
        cache["all mentions"] = kept = (ref(snapshot), _all(snapshot))
    return kept[1]


def _all(snapshot: Snapshot) -> Mentions:
    names: frozenset[str] = frozenset()
    outside = notation = managed = False
    for start, block in zip(snapshot.starts, snapshot.blocks, strict=True):
        own: Mentions | None = block.cache.get("mentions")
        if own is None:
            block.cache["mentions"] = own = _in_block(snapshot, block, start)
        names = names | own.names if own.names - names else names
        outside, notation, managed = outside or own.outside, notation or own.notation, managed or own.managed
    return Mentions(names, outside, notation, managed)


def documents_tools(snapshot: Snapshot) -> bool:
    """Tell whether a document may say something of its project's own tools, beside calling them."""
    return snapshot.registry.closed and mentions_in(snapshot).outside


def _in_block(snapshot: Snapshot, block: Block, start: int) -> Mentions:
    text = snapshot.document.slice(start, start + block.length)
    names: set[str] = set()
    outside = False
    if snapshot.registry.closed:
        calls = sorted(
            read.passage.projection.raw_span(found.call.frame or found.call.span)
            for read in block.passages
            for found in read.calls
        )
        for pattern in _patterns(snapshot.registry):
            number = end = 0
            for named in pattern.finditer(text):
                names.add(named[0])
                while number < len(calls) and calls[number].start <= named.start():
                    end = max(end, calls[number].end)
                    number += 1
                outside = outside or named.start() >= end
    notation = any(read.passage.calls is None and _names_notation(read.passage.text) for read in block.passages)
    return Mentions(frozenset(names), outside, notation, WORD in text)


def _names_notation(text: str) -> bool:
    # Faster by far than a pattern that begins with any of many letters.
    small = text.lower()
    if not any(word in small for word in _TELLING) and (
        text.isascii() or not any(letter in text for letter in _ODD_LETTERS)
    ):
        return False
    return _NOTATIONS.search(text) is not None


@lru_cache(maxsize=4)
def _patterns(registry: ToolRegistry) -> tuple[re.Pattern[str], ...]:
    """Return patterns that find the names of a registry's tools, longer ones first."""
    names = sorted(registry.names, key=len, reverse=True)
    parts = (names[at : at + _NAMES] for at in range(0, len(names), _NAMES))
    return tuple(re.compile("|".join(map(re.escape, part))) for part in parts)
