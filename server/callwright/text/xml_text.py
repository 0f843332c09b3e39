"""XML text as projections: what is between tags, CDATA sections included, and the values of attributes.

Owns: the values of references, sections and line ends, and how an edit is written among them. Must not know: elements,
documents, entities that a document declares (they are literal text).
"""

import re
from abc import abstractmethod
from array import array
from bisect import bisect_right
from collections.abc import Iterator
from typing import Final

from callwright.text.holes import has_hole
from callwright.text.patterns import compile_later
from callwright.text.projection import SegmentProjection, Segments
from callwright.text.records import NamedTuple
from callwright.text.span import Edit

#: Characters that XML 1.0 cannot represent. A class of few characters compiles ten times as fast as that of all others.
NOT_XML: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_REFERENCE: Final = r"&(?:lt|gt|amp|quot|apos|\#[0-9]{1,8}|\#x[0-9a-fA-F]{1,7});"
_SECTION: Final = r"<!\[CDATA\[[\s\S]*?\]\]>"
_IN_TEXT: Final = compile_later(rf"({_SECTION}|{_REFERENCE}|\r\n|\r)")
_IN_VALUE: Final = compile_later(rf"({_REFERENCE}|\r\n|[\r\n\t])")
_LINE_ENDS: Final = re.compile(r"(\r\n|\r)")
_OPENING: Final = "<![CDATA["
_CLOSING: Final = "]]>"
_NAMED: Final = {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "apos": "'"}


class _Piece(NamedTuple):
    text: str
    raw: int


def character_of(name: str) -> str | None:
    """Return the character of the reference `&name;`; None for an unknown entity and a character that XML forbids."""
    if name[0] != "#":
        return _NAMED.get(name)
    digits = name.lstrip("#x").lstrip("0") or "0"
    # Longer numbers are beyond Unicode, and converting very long ones is slow or fails.
    code = int(digits, 16 if name[1] == "x" else 10) if len(digits) <= 7 else 0x110000
    return None if code > 0x10FFFF or NOT_XML.match(chr(code)) is not None else chr(code)


def _referred(reference: str) -> str:
    """Return the value of a reference; one to a forbidden character is literal text."""
    return character_of(reference[1:-1]) or reference


def _line_ends(text: str) -> Iterator[_Piece]:
    for part in _LINE_ENDS.split(text):
        if part:
            yield _Piece("\n" if part in ("\r\n", "\r") else part, len(part))


class _XmlScalar(SegmentProjection):
    """Text of XML, by its pieces."""

    def __init__(self, raw: str, start: int) -> None:
        self.raw = raw
        self.start = start
        self._lengths = array("q")
        self._raw_lengths = array("q")
        parts: list[str] = []
        for text, length in self._pieces():
            parts.append(text)
            self._lengths.append(len(text))
            self._raw_lengths.append(length)
        self.text = "".join(parts)

    @abstractmethod
    def _pieces(self) -> Iterator[_Piece]:
        """Yield the pieces of the raw text, in order."""

    def split(self) -> Segments:
        """Return the pieces."""
        return Segments(self._lengths, self._raw_lengths)

    def encode(self, edit: Edit) -> Edit | None:
        """Return the raw edit that changes the decoded text as `edit` does, or None where none can."""
        self.raw_span(edit.span)
        if has_hole(edit.text):
            return None
        span, text = self._widen(edit)
        place = self.raw_span(span)
        low, high = place.start - self.start, place.end - self.start
        written = self._write(text, low, high)
        if written is None:
            return None
        if low and self.raw[low - 1] == "\r" and (written + self.raw[high : high + 1])[:1] == "\n":
            # Two line ends would become one.
            return None
        return Edit(place, written)

    def _write(self, text: str, low: int, high: int) -> str | None:
        """Return what is written for `text` in place of the raw characters from `low` to `high`."""
        del low, high
        return self.escape(text)


class XmlText(_XmlScalar):
    """The text between two tags: `raw` as it is there, with references and CDATA sections.

    Invariant: if a parser accepts the document, `text` is its value. Decoding never fails. New text is written in a
    section if it begins in one, and with references elsewhere.
    """

    def __init__(self, raw: str, start: int) -> None:
        self._sections = array("q")
        super().__init__(raw, start)

    def _pieces(self) -> Iterator[_Piece]:
        at = 0
        for index, part in enumerate(_IN_TEXT.split(self.raw)):
            if not part:
                continue
            if not index % 2:
                yield _Piece(part, len(part))
            elif part[0] == "<":
                yield _Piece("", len(_OPENING))
                self._sections.append(at + len(_OPENING))
                self._sections.append(at + len(part) - len(_CLOSING))
                yield from _line_ends(part[len(_OPENING) : -len(_CLOSING)])
                yield _Piece("", len(_CLOSING))
            elif part[0] == "&":
                yield _Piece(_referred(part), len(part))
            else:
                yield _Piece("\n", len(part))
            at += len(part)

    def _in_section(self, raw: int) -> bool:
        """Return whether a raw offset is in a section, including its ends."""
        index = bisect_right(self._sections, raw)
        return bool(index % 2) or (index > 0 and self._sections[index - 1] == raw)

    def _write(self, text: str, low: int, high: int) -> str | None:
        opens, closes = self._in_section(low), self._in_section(high)
        written = self._section(text, low, high) if opens else self._escaped(text, low, high)
        if written is None or opens == closes:
            return written
        return written + (_CLOSING if opens else _OPENING)

    def _section(self, text: str, low: int, high: int) -> str | None:
        """Return `text` as it is in a section; a `]]>` in it is split over two sections."""
        if "\r" in text or NOT_XML.search(text):
            return None
        before = self.raw[max(low - 2, 0) : low]
        inner = before + text
        if inner.find(_CLOSING, 0, len(before) + 2) >= 0:
            return None
        ended = not self._in_section(high) or self.raw.startswith(_CLOSING, high)
        if not ended and (inner + self.raw[high : high + 2]).find(_CLOSING, max(len(inner) - 2, 0)) >= 0:
            return None
        return text.replace(_CLOSING, f"]]{_CLOSING}{_OPENING}>")

    def _escaped(self, text: str, low: int, high: int) -> str | None:
        """Return `text` as it is between tags."""
        if NOT_XML.search(text):
            return None
        written = self.escape(text)
        if _CLOSING in f"{self.raw[max(low - 2, 0) : low]}{written}{self.raw[high : high + 2]}":
            return None
        return written

    def escape(self, text: str) -> str:
        """Return `text` with references if they are required, or if this text has them already."""
        written = text.replace("&", "&amp;").replace("<", "&lt;").replace("\r", "&#13;")
        return written.replace(">", "&gt;") if "&gt;" in self.raw else written.replace(_CLOSING, "]]&gt;")


class XmlValue(_XmlScalar):
    """The value of an attribute: `raw` is what is between the quotes, of which `quote` is one.

    Each line end and tab that is not written as a reference is a space, as XML has it.
    """

    def __init__(self, raw: str, start: int, quote: str = '"') -> None:
        self._quote = quote
        super().__init__(raw, start)

    def _pieces(self) -> Iterator[_Piece]:
        for index, part in enumerate(_IN_VALUE.split(self.raw)):
            if not index % 2:
                if part:
                    yield _Piece(part, len(part))
            else:
                yield _Piece(_referred(part) if part[0] == "&" else " ", len(part))

    def escape(self, text: str) -> str | None:
        """Return `text` as it is between the quotes; None if XML cannot represent it."""
        if NOT_XML.search(text):
            return None
        written = text.replace("&", "&amp;").replace("<", "&lt;")
        written = written.replace("\n", "&#10;").replace("\t", "&#9;").replace("\r", "&#13;")
        written = written.replace(self._quote, "&quot;" if self._quote == '"' else "&apos;")
        return written.replace(">", "&gt;") if "&gt;" in self.raw else written
