"""What a document itself says about how its calls are written: that values are XML, that arguments are attributes.

Owns: `Evidence`, `evidence_of`. Must not know: calls, rules, configuration. It depends on the characters alone, so that
every way to read a document comes to the same.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from callwright.calls.vocabularies import HTML_NAMES
from callwright.text.facts import derived

if TYPE_CHECKING:
    from callwright.document.blocks import Block
    from callwright.document.snapshot import Snapshot

_CDATA: Final = "<![CDATA["
_ENTITY: Final = r"&(?:lt|gt|amp|quot|apos|#\d{1,7}|#x[0-9a-fA-F]{1,6});"
_REFERENCE: Final = re.compile(_ENTITY)
#: An entity that somebody names, and one in the text of an element on one line: how a text is cut does not matter.
_NAMED: Final = re.compile(rf"[`'\"(]{_ENTITY}")
_USED: Final = re.compile(rf"<([A-Za-z_][\w.:-]*+)>(?:[^<>&\r\n]|(?!{_ENTITY})&)*+{_ENTITY}[^<>\r\n]*+</\1>")
#: A tag with an attribute; in a string of a program its quote may be escaped.
_ATTRIBUTE: Final = re.compile(r"<([A-Za-z_][\w.:-]*+)[ \t]++[A-Za-z_][\w.:-]*+[ \t]*+=[ \t]*+\\{0,3}+[\"'{]")


@dataclass(frozen=True, slots=True)
class Evidence:
    """What is found in a stretch of text: whether it writes or teaches XML's escapes, and how many tags of each name
    have attributes."""

    xml: bool
    attributes: Counter[str]


def states_xml(value: str) -> bool:
    """Return whether a value holds an entity or a CDATA section: who writes one means it."""
    return _CDATA in value or _REFERENCE.search(value) is not None


def evidence_in(text: str) -> Evidence:
    """Return what a text says."""
    xml = _CDATA in text or (
        "&" in text
        and (_NAMED.search(text) is not None or any(used[1].lower() not in HTML_NAMES for used in _USED.finditer(text)))
    )
    return Evidence(xml, Counter(match[1] for match in _ATTRIBUTE.finditer(text)))


@derived
def evidence_of(block: Block, snapshot: Snapshot, start: int) -> Evidence:
    """Return what the block that begins at `start` says."""
    if snapshot.host.name == "xml":
        # The file's own escapes say nothing about those of the calls in it.
        return evidence_in("\n".join(read.passage.text for read in block.passages))
    return evidence_in(snapshot.document.slice(start, start + block.length))
