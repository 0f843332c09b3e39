"""The nodes of an XML fragment, as they are in the source.

Owns: elements and leaves. A node keeps offsets and the source; spans and values are computed on demand. Must not know:
how text is scanned, what is an error, tools.
"""

from typing import TypeAlias

from callwright.syntax.xml_tags import CDATA_OPEN, XmlAttribute, tag_at
from callwright.text.span import Span


class XmlLeaf:
    """A node without children: it covers `[start, end)` of the source.

    `value` is what it adds to the character data of its element: nothing, unless a subclass says otherwise.
    """

    __slots__ = ("end", "source", "start")

    def __init__(self, source: str, start: int, end: int) -> None:
        self.source = source
        self.start = start
        self.end = end

    @property
    def span(self) -> Span:
        """Where the node is, its markers included."""
        return Span(self.start, self.end)

    @property
    def value(self) -> str:
        """The node's own text."""
        return self.source[self.start : self.end]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.start}..{self.end})"


class XmlText(XmlLeaf):
    """Characters that mean themselves. Line ends are kept as written (XML would turn CR LF and CR into LF)."""

    __slots__ = ()


class XmlCData(XmlLeaf):
    """A CDATA section. `value` is between its markers, or up to the element's end where it is not closed."""

    __slots__ = ("inner_end",)

    def __init__(self, source: str, start: int, end: int, inner_end: int) -> None:
        super().__init__(source, start, end)
        self.inner_end = inner_end

    @property
    def value(self) -> str:
        """The text between the markers."""
        return self.source[self.start + len(CDATA_OPEN) : self.inner_end]


class XmlReference(XmlLeaf):
    """A reference such as `&lt;` or `&#10;`; `value` is its character, or its own text if the reference is unknown."""

    __slots__ = ("_value",)

    def __init__(self, source: str, start: int, end: int, value: str) -> None:
        super().__init__(source, start, end)
        self._value = value

    @property
    def value(self) -> str:
        """The characters that the reference means."""
        return self._value


class XmlComment(XmlLeaf):
    """A comment, markers included in the span; its value is no part of the character data."""

    __slots__ = ()


class XmlInstruction(XmlLeaf):
    """A processing instruction; its value is no part of the character data."""

    __slots__ = ()


class XmlFault(XmlLeaf):
    """Text outside the tree: an unmatched closing tag, an incomplete tag, a DOCTYPE. Not character data."""

    __slots__ = ()


class XmlElement:
    """An element: its tags, and the nodes between them.

    The children tile `content`. An unclosed element has no `close_span` and ends where its content ends. `opaque` says
    that the content was read as plain text, because it is a text value or its markup is broken.
    """

    __slots__ = (
        "_attributes",
        "children",
        "close_start",
        "content_end",
        "end",
        "name",
        "opaque",
        "open_end",
        "self_closing",
        "source",
        "start",
    )

    def __init__(self, source: str, name: str, start: int, open_end: int, self_closing: bool = False) -> None:
        self.source = source
        self.name = name
        self.start = start
        self.open_end = open_end
        self.self_closing = self_closing
        self.close_start = -1
        self.content_end = open_end
        self.end = open_end
        self.opaque = False
        self.children: list[XmlNode] = []
        self._attributes: list[XmlAttribute] | None = None

    @property
    def name_span(self) -> Span:
        """The name in the opening tag."""
        return Span(self.start + 1, self.start + 1 + len(self.name))

    @property
    def open_span(self) -> Span:
        """The whole opening tag."""
        return Span(self.start, self.open_end)

    @property
    def close_span(self) -> Span | None:
        """The whole closing tag, even one with a wrong name; None if there is none."""
        return None if self.close_start < 0 else Span(self.close_start, self.end)

    @property
    def close_name_span(self) -> Span | None:
        """The name in the closing tag, right or wrong; None if there is none."""
        if self.close_start < 0:
            return None
        start = self.close_start + (2 if self.source.startswith("</", self.close_start) else 1)
        return Span(start, start + len(self.source[start : self.end].rstrip("> \t\r\n")))

    @property
    def span(self) -> Span:
        """From the opening tag to the end of the closing tag."""
        return Span(self.start, self.end)

    @property
    def content(self) -> Span:
        """What is between the tags; without the whitespace before a missing closing tag."""
        return Span(self.open_end, self.content_end)

    @property
    def attributes(self) -> list[XmlAttribute]:
        """The attributes in order, those of a broken tag as far as they can be read."""
        if self._attributes is None and self.open_end == self.start + len(self.name) + 2:
            self._attributes = []
        if self._attributes is None:
            tag = tag_at(self.source, self.start)
            self._attributes = [] if tag is None else [a for a in tag.attributes if a.span.end <= self.open_end]
        return self._attributes

    @property
    def elements(self) -> "list[XmlElement]":
        """The child elements in order."""
        return [child for child in self.children if isinstance(child, XmlElement)]

    @property
    def has_elements(self) -> bool:
        """Whether there is a child element."""
        for child in self.children:  # noqa: SIM110  # a generator takes twice as long, and every value is asked
            if isinstance(child, XmlElement):
                return True
        return False

    def literal(self) -> bool:
        """Return whether part of the value is in a CDATA section."""
        for child in self.children:  # noqa: SIM110  # as above
            if isinstance(child, XmlCData):
                return True
        return False

    def text(self) -> str:
        """Return the element's own character data: references decoded, no comments, nothing of child elements."""
        if len(self.children) == 1 and isinstance(only := self.children[0], XmlText):
            return only.value
        return "".join([each.value for each in self.children if isinstance(each, XmlText | XmlCData | XmlReference)])

    def loose_text(self) -> list[Span]:
        """Return the runs of text beside child elements that are not whitespace, without the space around them."""
        if not self.has_elements:
            return []
        runs: list[Span] = []
        start = end = -1
        for child in self.children:
            if isinstance(child, XmlElement):
                if start >= 0:
                    runs.append(Span(start, end))
                start = -1
            elif isinstance(child, XmlText | XmlCData | XmlReference):
                value = child.value
                if isinstance(child, XmlText):
                    stripped = value.strip(" \t\r\n")
                    if not stripped:
                        continue
                    first = child.start + len(value) - len(value.lstrip(" \t\r\n"))
                    last = first + len(stripped)
                elif value.strip(" \t\r\n"):
                    first, last = child.start, child.end
                else:
                    continue
                if start < 0:
                    start = first
                end = last
        if start >= 0:
            runs.append(Span(start, end))
        return runs

    def walk(self) -> "list[XmlElement]":
        """Return this element and all below it, in the order of their opening tags."""
        found: list[XmlElement] = []
        waiting = [self]
        while waiting:
            element = waiting.pop()
            found.append(element)
            waiting.extend(reversed(element.elements))
        return found

    def make_opaque(self) -> None:
        """Turn everything between the tags into text."""
        self.opaque = True
        stop = self.content_end
        self.children = [XmlText(self.source, self.open_end, stop)] if stop > self.open_end else []

    def detach(self, own: str, whole: str) -> None:
        """Refer to `own` in place of `whole`, which begins with it and may be far longer.

        Invariant: later results do not change.
        """
        waiting: list[XmlNode] = [self]
        while waiting:
            node = waiting.pop()
            if isinstance(node, XmlElement):
                # How the tag is read may depend on what is far after it.
                assert node.attributes is not None
                waiting.extend(node.children)
            if node.source is whole:
                node.source = own

    def __repr__(self) -> str:
        return f"XmlElement({self.name!r}, {self.start}..{self.end})"


XmlNode: TypeAlias = XmlElement | XmlText | XmlCData | XmlReference | XmlComment | XmlInstruction | XmlFault
