"""The words of XML: names, tags, references, and how text is escaped.

Owns: the patterns, the reading of one tag and of its attributes, references, escaping. Must not know: elements,
nesting, tools.
"""

import re
from typing import Final

from callwright.syntax.problem import Problem
from callwright.syntax.xml_names import NAME, NamePattern
from callwright.text.holes import HOLE
from callwright.text.patterns import compile_later
from callwright.text.span import Edit, Span, delete, insert
from callwright.text.xml_text import NOT_XML
from callwright.text.xml_text import character_of as named_character

SPACE: Final = " \t\r\n"
#: What opens and closes a CDATA section.
CDATA_OPEN: Final = "<![CDATA["
CDATA_CLOSE: Final = "]]>"

_S = "[ \t\r\n]"
_ATTRIBUTE = f"(?:{NAME}{_S}*+={_S}*+(?:\"[^\"<]*+\"|'[^'<]*+'|{HOLE}++)|{HOLE}++)"

#: A well-formed opening or empty tag: name, attributes, slash.
OPEN_TAG: Final = NamePattern(f"<({NAME})((?:{_S}++{_ATTRIBUTE})*+){_S}*+(/?)>")
#: A well-formed closing tag: name.
CLOSE_TAG: Final = NamePattern(f"</({NAME}){_S}*+>")
REFERENCE: Final = NamePattern(f"&(?:#([0-9]++)|#x([0-9a-fA-F]++)|({NAME}));")
#: What XML forbids even if escaped: controls, lone surrogates, U+FFFE and U+FFFF.
BAD_CHARACTERS: Final = compile_later(f"{NOT_XML.pattern}++")

_TAG_NAME = NamePattern(f"<(/?)({NAME})(>?)")
_ATTRIBUTE_NAME = NamePattern(NAME)
_SPACES = re.compile(f"{_S}*+")
_QUOTED = re.compile("\"([^\"<]*+)\"|'([^'<]*+)'")
_QUOTED_ON_LINE = compile_later(f"\"([^\"\r\n]*+)\"(?={_S}|/?>)|'([^'\r\n]*+)'(?={_S}|/?>)")
_UNQUOTED = re.compile("[^ \t\r\n\"'<>]*+")
_HOLES = re.compile(f"{HOLE}++")
_GARBAGE = compile_later("[^ \t\r\n<>/]++|/(?!>)")


class XmlAttribute:
    """One attribute of an opening tag. `value` has its references decoded; `quote` is empty where quotes are missing.

    `span` covers name, `=` and value; `value_span` lies between the quotes.
    """

    __slots__ = ("name", "name_span", "quote", "span", "value", "value_span")

    def __init__(self, name: str, name_span: Span, value: str, value_span: Span, span: Span, quote: str) -> None:
        self.name = name
        self.name_span = name_span
        self.value = value
        self.value_span = value_span
        self.span = span
        self.quote = quote

    def __repr__(self) -> str:
        return f"XmlAttribute({self.name}={self.value!r})"


class XmlTag:
    """One tag. `end` is the offset after it; for a truncated tag, the offset where it is cut.

    `broken` says that it is not well-formed; `problems` says why. `truncated` says that no `>` ends it.
    """

    __slots__ = ("attributes", "broken", "closing", "end", "name", "name_span", "problems", "self_closing", "truncated")

    def __init__(self, name: str, name_span: Span, closing: bool) -> None:
        self.name = name
        self.name_span = name_span
        self.closing = closing
        self.end = name_span.end
        self.attributes: list[XmlAttribute] = []
        self.self_closing = False
        self.broken = False
        self.truncated = False
        self.problems: list[Problem] = []

    @property
    def span(self) -> Span:
        """From the `<` to the end of the tag."""
        return Span(self.name_span.start - (2 if self.closing else 1), self.end)

    def __repr__(self) -> str:
        return f"XmlTag({'/' if self.closing else ''}{self.name}, {self.span.start}..{self.end})"

    def fault(self, reason: str, span: Span, repair: tuple[Edit, ...] = (), certain: bool = False, **data: str) -> None:
        """Record why the tag is not well-formed."""
        self.broken = True
        facts = {"reason": reason, "tag": self.name, **data}
        self.problems.append(Problem("broken-attribute", span, facts, repair, certain))


def tag_at(text: str, pos: int, end: int | None = None) -> XmlTag | None:
    """Read the tag whose `<` is at `pos`; None if no name follows.

    Reads tolerantly: missing quotes, a missing `=`, doubled names and garbage make the tag `broken`. A `<` or the end
    of the text before any `>` makes it `truncated`. Never reads past the next `<` outside quotes.
    """
    if end is None:
        end = len(text)
    opened = _TAG_NAME.match(text, pos, end)
    if opened is None:
        return None
    tag = XmlTag(opened[2], Span(*opened.span(2)), bool(opened[1]))
    at = opened.end()
    if opened[3]:
        tag.end = at
        return tag
    seen: set[str] = set()
    while True:
        spaces = _SPACES.match(text, at, end)
        after = at if spaces is None else spaces.end()
        spaced = after > at
        if after >= end or text[after] == "<":
            tag.truncated = tag.broken = True
            tag.end = at
            return tag
        at = after
        character = text[at]
        if character == ">":
            tag.end = at + 1
            return tag
        if character == "/" and text.startswith("/>", at, end):
            tag.end = at + 2
            if tag.closing:
                tag.broken = True
            else:
                tag.self_closing = True
            return tag
        at = _attribute(text, at, end, tag, seen, spaced)


def _attribute(text: str, at: int, end: int, tag: XmlTag, seen: set[str], spaced: bool) -> int:
    """Read one attribute at `at` into `tag`; return the offset after it, which is always greater."""
    named = _ATTRIBUTE_NAME.match(text, at, end)
    if named is None:
        junk = _GARBAGE.match(text, at, end)
        stop = at + 1 if junk is None else junk.end()
        tag.fault("unexpected", Span(at, stop), found=text[at:stop])
        return stop
    name, name_span = named[0], Span(*named.span())
    if tag.closing:
        tag.fault("closing-tag", name_span, name=name)
    after = _skip(text, name_span.end, end)
    if not text.startswith("=", after, end):
        if not _HOLES.fullmatch(name):
            tag.fault("missing-equals", name_span, name=name)
            tag.attributes.append(XmlAttribute(name, name_span, "", Span(name_span.end, name_span.end), name_span, ""))
        return name_span.end
    at = _skip(text, after + 1, end)
    quoted = _QUOTED.match(text, at, end)
    quote = text[at : min(at + 1, end)]
    if quoted is not None:
        value_span, stop = Span(at + 1, quoted.end() - 1), quoted.end()
    elif (hole := _HOLES.match(text, at, end)) is not None:
        value_span, stop, quote = Span(*hole.span()), hole.end(), ""
    elif quote in ('"', "'") and (quoted := _QUOTED_ON_LINE.match(text, at, end)) is not None:
        value_span, stop = Span(at + 1, quoted.end() - 1), quoted.end()
        raw = value_span.of(text)
        tag.fault("less-than", value_span, (Edit(value_span, raw.replace("<", "&lt;")),), True, name=name)
    else:
        start = at + 1 if quote in ('"', "'") else at
        bare = _UNQUOTED.match(text, start, end)
        stop = start if bare is None else bare.end()
        if stop > start and text[stop - 1] == "/" and text.startswith(">", stop, end):
            stop -= 1
        value_span = Span(start, stop)
        if start > at:
            tag.fault("unclosed-quote", Span(name_span.start, stop), (insert(stop, quote),), name=name)
        elif stop > start:
            repair = (insert(start, '"'), insert(stop, '"'))
            tag.fault("missing-quotes", Span(name_span.start, stop), repair, True, name=name)
        else:
            tag.fault("missing-value", Span(name_span.start, at), name=name)
        quote = ""
        stop = max(stop, at)
    value, faults = _decode(text, value_span)
    for fault in faults:
        tag.broken = True
        tag.problems.append(fault)
    span = Span(name_span.start, stop)
    if name in seen:
        before = name_span.start
        while text[before - 1] in SPACE:
            before -= 1
        tag.fault("duplicate", span, (delete(before, stop),), name=name)
    elif not spaced:
        tag.fault("missing-space", span, (insert(name_span.start, " "),), True, name=name)
    seen.add(name)
    tag.attributes.append(XmlAttribute(name, name_span, value, value_span, span, quote))
    return stop


def _skip(text: str, at: int, end: int) -> int:
    spaces = _SPACES.match(text, at, end)
    return at if spaces is None else spaces.end()


def skip_space(text: str, at: int, end: int) -> int:
    """Return the first offset from `at` on, before `end`, that is not XML whitespace."""
    return _skip(text, at, end)


def character_of(reference: re.Match[str]) -> str | None:
    """Return the character of a matched reference; None if the entity is unknown or the character forbidden."""
    return named_character(reference[0][1:-1])


def reference_problem(reference: re.Match[str]) -> Problem:
    """Return the problem of an invalid reference: `unknown-entity`, or `bad-character` for a number."""
    span = Span(*reference.span())
    if reference[3] is not None:
        escape = (insert(span.start + 1, "amp;"),)
        return Problem("unknown-entity", span, {"name": reference[3]}, escape, False)
    return Problem("bad-character", span, {"character": reference[0], "count": 1, "reference": True}, (delete(*span),))


def _decode(text: str, span: Span) -> tuple[str, list[Problem]]:
    """Return the text of an attribute value with references decoded, and the problems of its references."""
    at = text.find("&", span.start, span.end)
    if at < 0:
        return text[span.start : span.end], []
    parts: list[str] = []
    problems: list[Problem] = []
    done = span.start
    while at >= 0:
        parts.append(text[done:at])
        reference = REFERENCE.match(text, at, span.end)
        if reference is None:
            done = at + 1
            parts.append("&")
            data = {"reason": "ampersand", "tag": "", "name": ""}
            problems.append(Problem("broken-attribute", Span(at, done), data, (Edit(Span(at, done), "&amp;"),), True))
        else:
            done = reference.end()
            value = character_of(reference)
            parts.append(reference[0] if value is None else value)
            if value is None and HOLE not in reference[0]:
                problems.append(reference_problem(reference))
        at = text.find("&", done, span.end)
    parts.append(text[done : span.end])
    return "".join(parts), problems


def decode_references(text: str) -> str:
    """Return `text` with the five entities of XML and numeric references decoded; invalid ones are kept."""
    return REFERENCE.sub(lambda found: found[0] if (value := character_of(found)) is None else value, text)


def escape_text(value: str) -> str:
    """Return `value` written as element text: `&`, `<` and the `>` of `]]>` become entities."""
    return value.replace("&", "&amp;").replace("<", "&lt;").replace("]]>", "]]&gt;")


def cdata(value: str) -> str:
    """Return `value` written as CDATA; a `]]>` in it is split over two sections."""
    return CDATA_OPEN + value.replace(CDATA_CLOSE, "]]]]><![CDATA[>") + CDATA_CLOSE


def same_name(first: str, second: str) -> bool:
    """Return whether two tag names agree; a hole agrees with any characters."""
    if first == second:
        return True
    if HOLE not in first and HOLE not in second:
        return False
    a, b = (first, second) if HOLE in first else (second, first)
    head, tail = a[: a.find(HOLE)], a[a.rfind(HOLE) + 1 :]
    if HOLE in b:
        return head == b[: b.find(HOLE)] and tail == b[b.rfind(HOLE) + 1 :]
    return len(b) > len(head) + len(tail) and b.startswith(head) and b.endswith(tail)
