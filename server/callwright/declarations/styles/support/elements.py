"""Elements of markup in prose: a small tree of those whose names are known, all else taken as text.

Owns: `Element`, `Kind`, `read_element`, `words_of`. Must not know: what any element means, definitions.

Prompts hold markup that is not escaped: `use <br> here`, an example of a call, a tag that is never closed. So an
element whose name the caller does not ask for is text, and one that is not closed ends where its parent does.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from typing import Final

from callwright.text.patterns import compile_later
from callwright.text.span import Span

#: How deep elements nest.
_DEPTH: Final = 12
_NAME: Final = r"[A-Za-z_][\w.-]{0,99}+"
_TAG: Final = compile_later(
    rf"<!--|</({_NAME})\s{{0,20}}+>|<({_NAME})((?:\s++[\w:.-]{{1,100}}+(?:\s*+=\s*+(?:\"[^\"]{{0,4000}}+\"|'[^']{{0,4000}}+'"
    r"|[^\s\"'<>=]{1,400}+))?+){0,30}+)\s*+(/?)>"
)
_ATTRIBUTE: Final = compile_later(
    r"(?<!\s)\s++([\w:.-]{1,100}+)(?:\s*+=\s*+(?:\"([^\"]{0,4000}+)\"|'([^']{0,4000}+)'|([^\s\"'<>=]{1,400}+)))?+"
)
#: A blank line, or a fence: what is not closed ends there.
_BREAK: Final = compile_later(r"\n[ \t]*+(?:\n|`{3}|~{3})")
_CDATA: Final = compile_later(r"\s*<!\[CDATA\[(.*?)\]\]>\s*\Z", re.DOTALL)


@dataclass(slots=True)
class Element:
    """An element `[start, end)`: its name in lower case, its attributes with the places of their values, and the
    elements in it that are not text. `inner` is what is between its tags; `closed` is true if it has an end tag."""

    name: str
    start: int
    attributes: dict[str, tuple[str, Span]]
    inner: Span
    end: int
    closed: bool = True
    children: list[Element] = field(default_factory=list)

    def child(self, *names: str) -> Element | None:
        """Return the first child of one of these names, which are asked for in their order."""
        return next((each for name in names for each in self.children if each.name == name), None)


class Kind(Enum):
    """One node of a tree of elements: a part with further elements, a leaf that holds text, or text."""

    PART = "part"
    LEAF = "leaf"
    TEXT = "text"


#: Says what an element is, by its name and that of its parent.
Kinds = Callable[[str, str], Kind]


def read_element(text: str, start: int, end: int, kind_of: Kinds) -> Element | None:
    """Return the element whose start tag is at `start`, None where none does; nothing from `end` on is read.

    It ends before another one of its name that begins in it. Without an end tag it ends with the paragraph that its
    last element is in.
    """
    first = _TAG.match(text, start, end)
    if first is None or first[2] is None:
        return None
    top = _opened(text, first)
    if first[4]:
        return top
    _Reader(text, end, kind_of, top).read(first)
    return top


class _Reader:
    """Reads what is in one element, tag by tag."""

    def __init__(self, text: str, end: int, kind_of: Kinds, top: Element) -> None:
        self._text = text
        self._end = end
        self._kind_of = kind_of
        self._top = top
        top.closed = False
        self._stack = [top]
        self._leaf: Element | None = None

    def read(self, first: re.Match[str]) -> None:
        text = self._text
        at = first.end()
        endless = text.find(f"</{first[2]}", at, self._end) < 0
        while self._stack:
            tag = _TAG.search(text, at, self._end)
            if tag is None or (endless and self._leaf is None and _BREAK.search(text, at, tag.start()) is not None):
                break
            at = tag.end()
            if tag[1] is not None:
                self._close(tag[1].lower(), tag)
            elif tag[2] is None:
                after = text.find("-->", at, self._end)
                at = after + 3 if after >= 0 else at
            elif tag[2].lower() == self._top.name:
                self._finish(tag.start())
                return
            else:
                at = self._open(tag)
        self._finish(self._end)

    def _open(self, tag: re.Match[str]) -> int:
        """Add the element that a start tag opens; returns where to continue."""
        name = tag[2].lower()
        kind = self._kind_of(name, self._stack[-1].name)
        if kind is Kind.TEXT or len(self._stack) == _DEPTH:
            closing = -1 if tag[4] else self._text.find(f"</{tag[2]}>", tag.end(), self._end)
            return closing + len(tag[2]) + 3 if closing >= 0 else tag.end()
        self._leave_leaf(tag.start())
        element = _opened(self._text, tag)
        self._stack[-1].children.append(element)
        if tag[4]:
            return tag.end()
        if kind is Kind.PART:
            element.closed = False
            self._stack.append(element)
            return tag.end()
        closing = self._text.find(f"</{tag[2]}>", tag.end(), self._end)
        if closing < 0 or self._text.find(f"<{tag[2]}>", tag.end(), closing) >= 0:
            # It has no end tag of its own: it ends where the next element begins.
            element.closed = False
            self._leaf = element
            return tag.end()
        element.inner = Span(tag.end(), closing)
        element.end = closing + len(tag[2]) + 3
        return element.end

    def _leave_leaf(self, at: int) -> None:
        """Let a leaf without an end tag end."""
        if self._leaf is not None:
            self._leaf.inner = Span(self._leaf.inner.start, at)
            self._leaf.end = at
            self._leaf = None

    def _close(self, name: str, tag: re.Match[str]) -> None:
        """Take the element that an end tag closes from the stack, with those in it that have none."""
        if not any(each.name == name for each in self._stack):
            return
        self._leave_leaf(tag.start())
        while self._stack:
            element = self._stack.pop()
            element.inner = Span(element.inner.start, tag.start())
            element.closed = element.name == name
            element.end = tag.end() if element.closed else tag.start()
            if element.closed:
                return

    def _finish(self, end: int) -> None:
        """Let what is not closed end with the paragraph that its last element is in."""
        if not self._stack:
            return
        last = max(each.children[-1].end if each.children else each.inner.start for each in self._stack)
        blank = _BREAK.search(self._text, last, end)
        stop = blank.start() if blank is not None else end
        stop = last + len(self._text[last:stop].rstrip())
        self._leave_leaf(stop)
        for element in self._stack:
            element.inner, element.end = Span(element.inner.start, stop), stop


def _opened(text: str, tag: re.Match[str]) -> Element:
    attributes: dict[str, tuple[str, Span]] = {}
    for found in _ATTRIBUTE.finditer(text, *tag.span(3)):
        group = next((number for number in (2, 3, 4) if found[number] is not None), 0)
        value = html.unescape(found[group]) if group else ""
        attributes.setdefault(found[1].lower(), (value, Span(*found.span(group or 1))))
    return Element(tag[2].lower(), tag.start(), attributes, Span(tag.end(), tag.end()), tag.end())


def words_of(text: str, span: Span) -> tuple[str, Span]:
    """Return what an element's text says, with its place: without space around it, and with its references resolved."""
    cdata = _CDATA.match(text, span.start, span.end)
    own = (Span(*cdata.span(1)) if cdata is not None else span).trimmed(text)
    raw = own.of(text)
    return (raw if cdata is not None or "&" not in raw else html.unescape(raw)), own
