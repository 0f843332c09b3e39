"""The names that a document documents: evidence that a tag of such a name is a call, not a section.

Owns: `DocumentedNames`, and the places in which a name is documented. Must not know: what a tool's parameters are,
calls, files.

A name is documented where a heading, the lead of a list item or table row, a key `name`, a signature or a tag for names
contains it. Which tool it is and which parameters it has is not known from that, so it is not used to check arguments.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping
from typing import TYPE_CHECKING, Final

from callwright.text.patterns import compile_later
from callwright.text.records import dataclass

if TYPE_CHECKING:
    from callwright.text.document import TextDocument

#: How many characters are searched for the names of one document: a text of very many names costs no more.
MAX_SEARCHED: Final = 1 << 26
#: How many places of a name are examined.
MAX_PLACES: Final = 400
#: How many characters before a name on its line, and after it, show what kind of line it is.
MAX_BEFORE: Final = 200
MAX_AFTER: Final = 40

_QUOTE: Final = r"[`*_\"']{0,3}+"
_LABEL: Final = r"(?:(?:[Tt]ool|[Ff]unction|[Cc]ommand|[Aa]ction)(?:[ \t]?[Nn]ame)?[ \t]*+:?[ \t]*+)"
_ITEM: Final = r"(?:[-*+•]|\d{1,3}[.)])[ \t]+"
#: What is before a name on a line that documents it: a heading's `#`, the lead of a list item or a label, the beginning
#: of bold or code, a table's bar.
_LEADS: Final = compile_later(
    rf"[ \t>|]*+(?:#{{1,6}}[ \t]+(?:\d+[.)][ \t]*+)?{_LABEL}?{_QUOTE}|{_ITEM}{_LABEL}?{_QUOTE}|{_LABEL}{_QUOTE}"
    rf"|[`*]{{1,3}})|[ \t>]*+\|[ \t]?"
)
_LEADING: Final = compile_later(r"[`*_\"']{0,3}[ \t]*(?:[:(\-–—|.,\r\n]|\\n|$)")
#: A name of two words that documents itself: `read_file(path)`, `read_file:` of YAML.
_PLAIN: Final = compile_later(r"[ \t>|]*+")
_SIGNED: Final = compile_later(r"[ \t]*[(:]")
#: The key or attribute `name`, a signature of a program, a tag for names; each with what follows the name.
_KEY: Final = compile_later(r"\bname\\?[\"']?[ \t]*[:=][ \t]*\\?[\"']?$")
_KEYED: Final = compile_later(r"\\?[\"']?(?![\w(])")
_DEFINES: Final = compile_later(r"\b(?:def|function|func|type)[ \t]+$")
_DEFINED: Final = compile_later(r"[ \t]*[(=<]")
_TAG: Final = compile_later(r"<(?:tool|tool_name|function|function_name|name)>[ \t]*$")
_TAGGED: Final = compile_later(r"[ \t]*</")
_LINE: Final = compile_later(r"[\r\n]|\\n")


class DocumentedNames:
    """The names that one document documents, each searched for when it is asked about.

    `elsewhere` are the names that other files of the project document, None where these do not count. The answers of an
    instance never change: an edit gives a new one (`edited`), which searches again for the names in the edited lines.
    """

    __slots__ = ("_answers", "_document", "_left", "asked_elsewhere", "elsewhere")

    def __init__(
        self, document: TextDocument, elsewhere: Container[str] | None = None, answers: dict[str, bool] | None = None
    ) -> None:
        self.elsewhere = elsewhere
        #: Whether an answer depends on what other files document.
        self.asked_elsewhere = False
        self._document = document
        self._answers = {} if answers is None else answers
        self._left = MAX_SEARCHED

    @property
    def evidence(self) -> DocumentedNames | None:
        """What parsers ask whether a name is documented; None where the shape of a call is evidence enough."""
        return self

    def __contains__(self, name: object) -> bool:
        if not isinstance(name, str) or not name:
            return False
        known = self._answers.get(name)
        if known is None:
            known = self._answers[name] = self._sought(name)
        if known or self.elsewhere is None:
            return known
        self.asked_elsewhere = True
        return name in self.elsewhere

    def _sought(self, name: str) -> bool:
        self._left -= len(self._document)
        return self._left >= 0 and documents(self._document.text(), name)

    @property
    def known(self) -> KnownNames:
        """The answers known so far, without a document."""
        return KnownNames(self._answers, self.elsewhere)

    def beside(self, elsewhere: Container[str] | None) -> DocumentedNames:
        """Return the names of the same document, with other names documented by other files of the project."""
        return DocumentedNames(self._document, elsewhere, self._answers)

    def edited(self, after: TextDocument, low: int, high: int, delta: int) -> DocumentedNames:
        """Return the names of the text after edits that changed `[low, high)` of it, which grew by `delta`.

        Offsets are code points of `after`.
        """
        names = DocumentedNames(after, self.elsewhere, dict(self._answers))
        if self._answers:
            before = "".join(_lines_around(self._document, low, max(high - delta, low)))
            touched = "".join(_lines_around(after, low, high))
            for name, answer in self._answers.items():
                if name in touched and documents(touched, name):
                    names._answers[name] = True
                elif answer and name in before and documents(before, name):
                    # Whether another line documents it is not known.
                    names._answers[name] = names._sought(name)
        return names

    def changed_since(self, before: DocumentedNames) -> frozenset[str]:
        """Return the names that were asked about `before` an edit and have another answer now."""
        return frozenset(name for name, answer in before._answers.items() if self._answers.get(name, answer) != answer)


@dataclass(frozen=True, slots=True)
class KnownNames:
    """The names for which it is known whether a document documents them, and those that other files document."""

    answers: Mapping[str, bool]
    elsewhere: Container[str] | None

    def __contains__(self, name: object) -> bool:
        known = isinstance(name, str) and self.answers.get(name, False)
        return known or (self.elsewhere is not None and name in self.elsewhere)


class AnyName(DocumentedNames):
    """The names of a text that is known to contain calls: the shape of a call is evidence enough."""

    __slots__ = ()

    @property
    def evidence(self) -> None:
        """None: no name needs to be documented."""
        return None

    def beside(self, elsewhere: Container[str] | None) -> AnyName:
        """Return the same: no name needs to be documented."""
        del elsewhere
        return self

    def edited(self, after: TextDocument, low: int, high: int, delta: int) -> AnyName:
        """Return the same for another text."""
        del low, high, delta
        return AnyName(after)


def documents(text: str, name: str) -> bool:
    """Return whether a text documents a name, at one of the first places where the name occurs as a word."""
    at = -1
    for _ in range(MAX_PLACES):
        at = text.find(name, at + 1)
        if at < 0:
            return False
        if _is_documented(text, at, at + len(name)):
            return True
    return False


def _is_documented(text: str, start: int, end: int) -> bool:
    before, after = text[max(start - MAX_BEFORE, 0) : start], text[end : end + MAX_AFTER]
    line = before[max((match.end() for match in _LINE.finditer(before)), default=0) :]
    if _is_word(line[-1:]) or _is_word(after[:1]) or (after[:1] == "." and _is_word(after[1:2])):
        return False
    if _LEADS.fullmatch(line) is not None and _LEADING.match(after) is not None:
        return not re.match(r"name\b", text[start:end])
    if _PLAIN.fullmatch(line) is not None and "_" in text[start:end] and _SIGNED.match(after) is not None:
        return True
    pairs = ((_KEY, _KEYED), (_DEFINES, _DEFINED), (_TAG, _TAGGED))
    return any(one.search(line) is not None and other.match(after) is not None for one, other in pairs)


def _is_word(char: str) -> bool:
    return bool(char) and (char.isalnum() or char in "_-")


def _lines_around(document: TextDocument, low: int, high: int) -> Iterator[str]:
    """Return the lines that contain `[low, high]` and one more at either end, whose own end may have changed."""
    first, last = document.line_at(low), document.line_at(min(high, len(document)))
    return document.lines(max(first - 1, 0), min(last + 2, document.line_count))
