"""How a document itself shows that its calls are written: that values are XML, that arguments are attributes.

Owns: `Evidence`, `evidence_of`. Must not know: calls, rules, configuration. The evidence depends on the characters
alone, so that every way to read a document gives the same.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from callwright.calls.vocabularies import HTML_NAMES
from callwright.text.facts import derived
from callwright.text.patterns import compile_later
from callwright.text.projection import Identity
from callwright.text.records import dataclass

if TYPE_CHECKING:
    from callwright.document.blocks import Block
    from callwright.document.snapshot import Snapshot

_CDATA: Final = "<![CDATA["
_ENTITY: Final = r"&(?:lt|gt|amp|quot|apos|#\d{1,7}|#x[0-9a-fA-F]{1,6});"
_REFERENCE: Final = compile_later(_ENTITY)
#: A named entity, and one in the text of an element on one line: how a text is cut does not matter.
_NAMED: Final = compile_later(rf"[`'\"(]{_ENTITY}")
_USED: Final = compile_later(rf"<([A-Za-z_][\w.:-]*+)>(?:[^<>&\r\n]|(?!{_ENTITY})&)*+{_ENTITY}[^<>\r\n]*+</\1>")
#: A tag with an attribute; in a string of a program its quote may be escaped.
_ATTRIBUTE: Final = compile_later(r"<([A-Za-z_][\w.:-]*+)[ \t]++[A-Za-z_][\w.:-]*+[ \t]*+=[ \t]*+\\{0,3}+[\"'{]")


@dataclass(frozen=True, slots=True)
class Evidence:
    """The evidence in a segment of text: whether it writes or teaches XML's escapes, and how many tags of each name
    have attributes."""

    xml: bool
    attributes: Counter[str]


def states_xml(value: str) -> bool:
    """Return whether a value contains an entity or a CDATA section: an author who writes one means it."""
    return _CDATA in value or _REFERENCE.search(value) is not None


def evidence_in(text: str) -> Evidence:
    """Return the evidence in a text."""
    xml = _CDATA in text or (
        "&" in text
        and (_NAMED.search(text) is not None or any(used[1].lower() not in HTML_NAMES for used in _USED.finditer(text)))
    )
    return Evidence(xml, Counter(match[1] for match in _ATTRIBUTE.finditer(text)))


@derived
def evidence_of(block: Block, snapshot: Snapshot, start: int) -> Evidence:
    """Return the evidence in the block that begins at `start`."""
    if snapshot.host.name == "xml":
        # The escapes of the file itself are no evidence for those of the calls in it.
        decoded = (each.passage.text for each in block.passages if not isinstance(each.passage.projection, Identity))
        return evidence_in("\n".join(decoded))
    return evidence_in(snapshot.document.slice(start, start + block.length))
