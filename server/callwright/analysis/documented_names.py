"""The names that a document documents: evidence that a tag of such a name is a call, and no section.

Owns: `DocumentedNames`, and what a line that documents a name looks like. Must not know: what a tool's parameters are,
calls, the registry.

A name is documented where a heading, the lead of a list item or table row, a key `name`, a signature or a tag for names
bears it. Which tool it is and what it takes is not known from that, so no argument is judged by it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from callwright.text.document import TextDocument

#: Longer lines are data: nothing is sought in them, so that an edit in one costs what the edit costs.
MAX_LINE: Final = 16_384
#: Of a longer document it is not asked in which places a name that comes or goes is used.
MAX_SEARCHED: Final = 1 << 18

_NAME: Final = r"(?P<{0}>[A-Za-z_][\w.\-]{{1,63}}+)"
#: A line begins after a line's end, or after one that a string of JSON holds.
_BEGINS: Final = r"(?:(?<![^\r\n])|(?<=\\n))[ \t>|]*+"
_QUOTE: Final = r"[`*_\"']{0,3}+"
_LABEL: Final = r"(?:(?:[Tt]ool|[Ff]unction|[Cc]ommand|[Aa]ction)(?:[ \t]?[Nn]ame)?[ \t]*+:?[ \t]*+)"
_AFTER: Final = r"(?=[`*_\"']{0,3}[ \t]*(?:[:(\-–—|.,\r\n]|\\n|$))"
_LEAD: Final = rf"(?:(?:[-*+•]|\d{{1,3}}[.)])[ \t]+{_LABEL}?|{_LABEL})(?!{_QUOTE}name\b)"
_DOCUMENTS: Final = re.compile(
    "|".join(
        (
            # A heading: `## read_file`, `### 1. read_file (path)`, `## Tool: read_file`.
            rf"{_BEGINS}#{{1,6}}[ \t]+(?:\d+[.)][ \t]*+)?{_LABEL}?{_QUOTE}{_NAME.format('heading')}{_AFTER}",
            # A list item or a label: `- read_file: …`, `1. **read_file** - …`, `Tool: read_file`.
            rf"{_BEGINS}{_LEAD}{_QUOTE}{_NAME.format('item')}{_AFTER}",
            # A name in bold, in back-ticks or in a table's cell that begins a line.
            rf"{_BEGINS}(?:[`*]{{1,3}}+|(?<=\|[ \t])|(?<=\|)){_NAME.format('lead')}{_AFTER}",
            # A name of two words: `read_file(path: str)`, `read_file:` of YAML.
            rf"{_BEGINS}(?=[A-Za-z]+_){_NAME.format('plain')}(?=[ \t]*[(:])",
            # The key or attribute `name`.
            rf"\\?[\"']?\bname\\?[\"']?[ \t]*+[:=][ \t]*+\\?[\"']?{_NAME.format('key')}\\?[\"']?(?![\w(])",
            # A signature of Python, JavaScript or TypeScript.
            rf"\b(?:def|function|func|type)[ \t]+{_NAME.format('signature')}[ \t]*+[(=<]",
            # A tag for names.
            rf"<(?:tool|tool_name|function|function_name|name)>[ \t]*+{_NAME.format('tag')}[ \t]*+</",
        )
    ),
    re.MULTILINE,
)


class DocumentedNames:
    """The names that one document documents, found when the first is asked for.

    Immutable: an edit gives another one (`edited`), which costs what the lines cost that were edited.
    """

    __slots__ = ("_counts", "_document")

    def __init__(self, document: TextDocument, counts: Counter[str] | None = None) -> None:
        self._document = document
        self._counts = counts

    @property
    def evidence(self) -> DocumentedNames | None:
        """What readers ask whether a name is documented; None where the shape of a call is evidence enough."""
        return self

    def __contains__(self, name: object) -> bool:
        return name in self._known()

    def __iter__(self) -> Iterator[str]:
        return iter(self._known())

    def _known(self) -> Counter[str]:
        if self._counts is None:
            self._counts = names_in(self._document.lines())
        return self._counts

    def edited(self, after: TextDocument, low: int, high: int, delta: int) -> DocumentedNames:
        """Return the names of the text after edits, which changed `[low, high)` of it, grown by `delta`.

        Offsets are code points of `after`.
        """
        if self._counts is None:
            return DocumentedNames(after)
        before = self._document
        old = _lines_around(before, low, max(high - delta, low))
        new = _lines_around(after, low, max(high, low))
        gone, come = names_in(old), names_in(new)
        if gone == come:
            return DocumentedNames(after, self._counts)
        counts = self._counts.copy()
        counts.update(come)
        counts.subtract(gone)
        return DocumentedNames(after, +counts)

    def reads_as(self, before: DocumentedNames) -> bool:
        """Return whether what was read with the names of `before` is what would be read with these."""
        own, known = self._counts, before._counts
        if known is None or own is known or own is None:
            return True
        changed = own.keys() ^ known.keys()
        if not changed:
            return True
        if len(self._document) > MAX_SEARCHED:
            return False
        text = self._document.text()
        return not any(f"<{name}" in text for name in changed)


class AnyName(DocumentedNames):
    """The names of a text of which it is known that it holds calls: the shape of one is evidence enough."""

    __slots__ = ()

    @property
    def evidence(self) -> None:
        """None: nothing need be documented."""
        return None

    def edited(self, after: TextDocument, low: int, high: int, delta: int) -> AnyName:
        """Return the same for another text."""
        del low, high, delta
        return AnyName(after)


def names_in(lines: Iterable[str]) -> Counter[str]:
    """Return the names that lines document, with how often."""
    found: Counter[str] = Counter()
    for line in lines:
        if len(line) <= MAX_LINE:
            found.update(match[match.lastgroup or 0] for match in _DOCUMENTS.finditer(line))
    return found


def _lines_around(document: TextDocument, low: int, high: int) -> Iterator[str]:
    """Return the lines that hold `[low, high]` and one more at either end, whose own end may have changed."""
    first, last = document.line_at(low), document.line_at(min(high, len(document)))
    return document.lines(max(first - 1, 0), min(last + 2, document.line_count))
