"""Elements that contain only named text, like most calls in XML: read without building a tree.

Owns: which elements are that plain, and the text in them. Must not know: tools, calls, what a value means.

Elements that are read here are well-formed: the full reading would find no problem and return the same text.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from callwright.text.records import NamedTuple

if TYPE_CHECKING:
    from callwright.syntax.searches import Searches

_S = r"[ \t\r\n]*+"
_NAME = r"[A-Za-z_][A-Za-z0-9_.\-]*+"
_MEMBER: Final = re.compile(rf"{_S}<({_NAME})>(?:([^<&]*+)</\1{_S}>|<!\[CDATA\[)")
_AFTER: Final = re.compile(rf"\]\]></({_NAME}){_S}>")
_CLOSER: Final = re.compile(rf"{_S}</({_NAME}){_S}>")
#: The keys of the cached searches for a section's end.


class NamedText(NamedTuple):
    """A named value that is only text: as it is written, or with `literal` in a CDATA section."""

    name: str
    text: str
    literal: bool = False


class PlainElement(NamedTuple):
    """The members of an element, each named once; its content ends at `content_end`, its closing tag at `end`."""

    texts: list[NamedText]
    content_end: int
    end: int


def read_plain(text: str, name: str, open_end: int, searches: Searches) -> PlainElement | None:
    """Return what is in the element whose opening tag ends at `open_end`, None if it is empty or not plain.

    Takes time linear in the element if it is plain, else in the text before its first other part. `searches` are those
    of the text.
    """
    texts: list[NamedText] = []
    names: set[str] = set()
    match, at = _MEMBER.match, open_end
    while (found := match(text, at)) is not None:
        member, written = found.groups()
        at = found.end()
        if written is None:
            close = searches.find(text, "]]>", at)
            after = _AFTER.match(text, close) if close >= 0 else None
            if after is None or after[1] != member:
                return None
            texts.append(NamedText(member, text[at:close], literal=True))
            at = after.end()
        elif "]]>" in written:
            return None
        else:
            texts.append(NamedText(member, written))
        names.add(member)
    closer = _CLOSER.match(text, at)
    if closer is None or closer[1] != name or len(names) != len(texts) or not texts:
        return None
    # What XML forbids is not printable, and neither are holes.
    if not text[open_end:at].replace("\n", "").replace("\t", "").isprintable():
        return None
    return PlainElement(texts, closer.start(1) - 2, closer.end())
