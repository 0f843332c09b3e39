"""Calls whose arguments are nested elements, each tag with a marker before it that text does not contain by chance.

Owns: reading and writing this dialect: calls, elements, sections. Must not know: dialect modules, the registry's
class, how values are typed by a schema.

Only a tag after the marker is a tag, so everything else is text. One pass over the tags of a call builds its tree.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from callwright.calls.marker_problems import differ, half_written, mismatched, text_between, unclosed, unmatched
from callwright.calls.model import MarkupValue, TextStyle, ToolCall, dotted
from callwright.calls.protocol import ReadContext, Reading, Refusal, Rendering, RenderStyle, collected
from callwright.calls.render import child_elements, json_text
from callwright.calls.scanning import closes_later, next_literal, skip_space
from callwright.calls.sketch import is_placeholder_name
from callwright.calls.tagged.heads import Head, attribute_head, ends_as_marker
from callwright.calls.tagged.reader import TaggedElement, close_section_too, make_uncertain
from callwright.syntax.problem import Problem
from callwright.syntax.xml import XmlElement, XmlText
from callwright.text.holes import HOLE
from callwright.text.span import Edit, Span, insert

#: Elements deeper than this are text.
_MAX_DEPTH: Final = 100
_NAME = re.compile(rf"[\w.\-:$@{HOLE}]+")


class NestedElement(TaggedElement):
    """An element of this dialect; its closing tag repeats the name."""

    __slots__ = ("close_place",)

    def __init__(self, source: str, name: str, start: int, open_end: int, place: Span) -> None:
        super().__init__(source, name, start, open_end, place)
        self.close_place: Span | None = None

    @property
    def close_name_span(self) -> Span | None:
        """The name in the closing tag, None where there is none."""
        return self.close_place


class NestedFormat:
    """How fixes write in a dialect of nested elements."""

    between = ""

    def __init__(self, markers: "NestedMarkers") -> None:
        self.markers = markers

    def named(self, name: str) -> str | None:
        """Return a name as it is in a tag."""
        return name if _NAME.fullmatch(name) is not None else None

    def content(self, value: Any, path: Sequence[str | int]) -> str | None:
        """Return what is between the tags of an element."""
        text = self.markers.content(value, tuple(path))
        return None if isinstance(text, Refusal) else text

    def parameter(self, name: str, value: Any) -> str | None:
        """Return a whole element."""
        text = self.markers.element(name, value, (name,))
        return None if isinstance(text, Refusal) else text


class NestedMarkers:
    """The markers of one such dialect: `marker` is before every tag."""

    def __init__(self, marker: str) -> None:
        self.marker = marker
        self.section = (f"{marker}<tool_call>", f"{marker}</tool_call>")
        self.call_opener = f"{marker}<invoke"
        self.call_closer = f"{marker}</invoke>"
        self.openers = (self.section[0], self.call_opener)
        self.head = attribute_head(self.call_opener, "name")
        self.tag = re.compile(rf"{re.escape(marker)}[ \t\r\n]{{0,20}}+<(?P<slash>/?)(?P<name>[^<>\r\n]{{1,300}}+)>")
        self.style = TextStyle(
            newlines="none", untyped="string", python=True, loose=True, value_format=NestedFormat(self)
        )

    def element(self, name: str, value: Any, path: tuple[str | int, ...]) -> str | Refusal:
        """Return one value as an element, or the reason why it cannot be written."""
        if _NAME.fullmatch(name) is None or name in ("invoke", "tool_call"):
            return Refusal(f"`{name}` is not a valid element name here", path)
        content = self.content(value, path)
        if isinstance(content, Refusal):
            return content
        return f"{self.marker}<{name}>{content}{self.marker}</{name}>"

    def content(self, value: Any, path: tuple[str | int, ...]) -> str | Refusal:
        """Return what is between the tags of an element."""
        if isinstance(value, Mapping | list):
            parts = collected(self.element(key, entry, (*path, step)) for key, step, entry in child_elements(value))
            return parts if isinstance(parts, Refusal) else "".join(parts)
        if isinstance(value, str):
            if self.marker in value:
                return Refusal(f"`{dotted(path)}` contains `{self.marker}`, which cannot be escaped here", path)
            if "\r\n" in value:
                return Refusal("its line ends are CR LF, which saving the file may change", path)
            return value
        return json_text(value)

    def render(self, calls: Sequence[Rendering], style: RenderStyle) -> str | Refusal:
        """Return calls in one section."""
        line = "" if style.compact else "\n" + style.margin
        parts = [self.section[0]]
        for call in calls:
            if not call.tool or any(char in call.tool for char in "\"'<>&\r\n"):
                return Refusal(f"`{call.tool}` is not a valid name for the opening marker of a call")
            body = self.content(call.arguments, ())
            if isinstance(body, Refusal):
                return body
            parts.append(f'{self.call_opener} name="{call.tool}">{body}{self.call_closer}')
        return line.join([*parts, self.section[1]])


def read_nested(text: str, start: int, context: ReadContext, markers: NestedMarkers, dialect: str) -> Reading | None:
    """Read the call, or the section of calls, that begins at `start`; None if there is none."""
    reader = _Reader(text, context, markers, dialect)
    reading = reader.read(start)
    context.look(min(len(text), reader.reach))
    return reading


class _Reader:
    """One reading of one call or section."""

    def __init__(self, text: str, context: ReadContext, markers: NestedMarkers, dialect: str) -> None:
        self.text = text
        self.context = context
        self.markers = markers
        self.dialect = dialect
        self.reach = 0

    def scanned(self, to: int) -> None:
        self.reach = max(self.reach, to)

    def space(self, at: int) -> int:
        end = skip_space(self.text, at)
        self.scanned(end + 1)
        return end

    def read(self, start: int) -> Reading | None:
        """Read what begins at `start`."""
        text, (opener, closer) = self.text, self.markers.section
        framed = text.startswith(opener, start)
        at = self.space(start + len(opener)) if framed else start
        calls: list[ToolCall] = []
        problems: list[Problem] = []
        while (call := self.call(at, framed=framed)) is not None:
            calls.append(call)
            at = self.space(call.span.end)
            if not framed:
                break
        if not calls:
            return None
        end = calls[-1].span.end
        self.scanned(at + len(closer))
        if text.startswith(closer, at):
            end = at + len(closer)
            if not framed:
                problems.append(unmatched(Span(at, end), closer, certain=calls[-1].complete))
        elif framed and closes_later(text, at, opener, closer, self.context, self.markers.call_opener):
            make_uncertain(calls[-1])
            problems.append(unclosed(Span(start, start + len(opener)), closer, end, certain=False))
        elif framed and not calls[-1].complete:
            close_section_too(calls[-1], self.markers.call_closer, "", closer)
        elif framed:
            rest = text[at:]
            half = bool(rest) and len(rest) < len(closer) and closer.startswith(rest)
            repair = Edit(Span(at, len(text)), closer) if half else insert(end, "\n" + closer)
            opening = Span(start, start + len(opener))
            problems.append(unclosed(opening, closer, end, (repair,), cut=at >= len(text) or half))
            end = len(text) if half else end
        if framed or end > calls[-1].span.end:
            frame = Span(start, end)
            for call in calls:
                call.frame = frame
        return Reading(calls, end, min(len(text), max(self.reach, end)), problems)

    def call(self, start: int, *, framed: bool) -> ToolCall | None:
        """Read the call at `start`, None where none begins there. Outside a section the call's tag has to be followed
        by another tag."""
        head, scanned = self.markers.head(self.text, start)
        self.scanned(scanned)
        if head is None or head.name is None:
            return None
        if not framed:
            visible, marker = self.space(head.end), self.markers.marker
            self.scanned(visible + len(marker))
            if not self.text.startswith(marker, visible) and not marker.startswith(
                self.text[visible : visible + len(marker)]
            ):
                return None
        return _Call(self, head).read()


class _Call:
    """One call while it is read: the elements that are open, outermost first."""

    def __init__(self, reader: _Reader, head: Head) -> None:
        self.reader = reader
        self.text = reader.text
        self.markers = reader.markers
        self.head = head
        self.problems = list(head.problems)
        self.root = NestedElement(self.text, head.name or "", head.start, head.end, head.name_span)
        self.open: list[NestedElement] = [self.root]
        self.filled = head.end
        self.skipped = 0
        self.known = reader.context.tools.parameters(head.name or "") or {}

    def read(self) -> ToolCall:
        """Read up to the call's end."""
        text = self.text
        if self.head.empty:
            return self._done(self.head.end, self.head.end, True)
        at = self.head.end
        while True:
            self.reader.context.budget.check()
            match = self.markers.tag.search(text, at)
            if match is None:
                return self._cut_off(at)
            self.reader.scanned(match.end())
            place, at = match.start(), match.end()
            name, closing = match["name"].strip(), bool(match["slash"])
            if name == "invoke" and closing:
                if len(self.open) > 1 and self._closes_open(at):
                    continue
                self._close_all(place, truncated=False)
                return self._done(place, at, True)
            if name.startswith("invoke ") or (name == "tool_call" and self._is_section(closing)):
                self._close_all(place, truncated=False)
                end = len(text[:place].rstrip())
                self._unclosed(max(end, self.filled))
                return self._done(max(end, self.filled), max(end, self.filled), False)
            if closing:
                self._close(name, match)
            else:
                self._opened(name, match)

    def _is_section(self, closing: bool) -> bool:
        """Return whether the markers of a section end the call: not where an argument of that name is open."""
        return not (closing and any(element.name == "tool_call" for element in self.open[1:])) and (
            closing or len(self.open) == 1
        )

    def _closes_open(self, at: int) -> bool:
        """Return whether the innermost open element is closed right after the end of a call: that end is text then."""
        closer = f"{self.markers.marker}</{self.open[-1].name}>"
        place = self.reader.space(at)
        self.reader.scanned(place + len(closer))
        return self.text.startswith(closer, place)

    def _opened(self, name: str, match: re.Match[str]) -> None:
        if len(self.open) > _MAX_DEPTH:
            self.skipped += 1
            return
        if len(self.open) == 2 and self._is_next(name, match.start()):
            self._end_open(match.start())
        element = NestedElement(self.text, name, match.start(), match.end(), Span(*match.span("name")))
        self._fill(match.start())
        self.open[-1].children.append(element)
        self.open.append(element)
        self.filled = match.end()

    def _is_next(self, name: str, at: int) -> bool:
        """Return whether a tag in an argument that holds no elements begins the next argument, because a closer is
        missing."""
        own = self.open[-1].name
        if name == own or name not in self.known or own not in self.known:
            return False
        if any(child.name == name for child in self.root.elements):
            return False
        kind = self.known[own].get("type")
        if kind not in ("string", "integer", "number", "boolean"):
            return False
        closer = next_literal(self.text, at, f"{self.markers.marker}</{own}>", self.reader.context)
        end = next_literal(self.text, at, self.markers.call_closer, self.reader.context)
        return closer < 0 or 0 <= end < closer

    def _close(self, name: str, match: re.Match[str]) -> None:
        if self.skipped:
            self.skipped -= 1
            return
        span = Span(*match.span())
        top = self.open[-1]
        if top is self.root:
            self._fill(span.start)
            self.filled = span.end
            self.problems.append(unmatched(span, span.of(self.text), name))
            return
        if name != top.name:
            if any(element.name == name for element in self.open[1:-1]):
                while self.open[-1].name != name:
                    self._end_open(span.start)
                top = self.open[-1]
            else:
                closer = f"{self.markers.marker}</{top.name}>"
                self.problems.append(mismatched(span, closer, Span(top.start, top.open_end)))
        self._fill(span.start)
        top.content_end = top.close_start = span.start
        top.end = span.end
        top.close_place = Span(*match.span("name"))
        self._finish(top)
        self.open.pop()
        self.filled = span.end

    def _fill(self, to: int) -> None:
        if to > self.filled:
            self.open[-1].children.append(XmlText(self.text, self.filled, to))
        self.filled = max(self.filled, to)

    def _end_open(self, at: int, *, truncated: bool = False) -> None:
        """End the innermost open element, which has no closing tag, at `at`."""
        self._fill(at)
        element = self.open.pop()
        element.content_end = element.end = at
        closer = f"{self.markers.marker}</{element.name}>"
        opening = Span(element.start, element.open_end)
        last = element.children[-1] if element.children else None
        certain = not truncated and not (isinstance(last, XmlText) and ends_as_marker(last.value))
        self.problems.append(unclosed(opening, closer, at, cut=truncated, certain=certain, value=True))
        self._finish(element)

    def _finish(self, element: NestedElement) -> None:
        """Report text beside the child elements of an element: arrays and objects cannot contain it."""
        if not element.has_elements:
            element.make_opaque()
            return
        between = element.loose_text()
        if between:
            reading = (
                f"There is text next to the elements of `{element.name}`, so all of it is read as text, including"
                " the tags"
            )
            self.problems.append(differ(between[0], reading, "vLLM reads an object and keeps the text under `$text`"))

    def _close_all(self, at: int, *, truncated: bool) -> None:
        while len(self.open) > 1:
            self._end_open(at, truncated=truncated)

    def _unclosed(self, at: int, *, truncated: bool = False) -> None:
        opening, closer = Span(self.head.start, self.head.end), self.markers.call_closer
        self.problems.append(unclosed(opening, closer, at, cut=truncated, certain=not self.problems))

    def _cut_off(self, at: int) -> ToolCall:
        """Return the call in which the text ends, or after which it continues without the call's closing tag."""
        text, marker = self.text, self.markers.marker
        self.reader.scanned(len(text))
        half = text.find("]", max(at, len(text) - len(marker) - 300))
        while half >= 0 and not _is_half(text[half:], marker):
            half = text.find("]", half + 1)
        end = half if half >= 0 else len(text)
        if len(self.open) > 1:
            last = self.open[-1]
            self._fill(end)
            for element in reversed(self.open[1:]):
                element.content_end, element.end = end, len(text)
                self._finish(element)
            closers = "".join(f"{marker}</{element.name}>" for element in reversed(self.open[1:]))
            closers += self.markers.call_closer
            opening, repair = Span(last.start, last.open_end), Edit(Span(end, len(text)), closers)
            self.problems.append(unclosed(opening, closers, end, (repair,), cut=True, certain=False))
            self.filled = len(text)
            return self._done(len(text), len(text), False)
        if half >= 0 and not text[at:half].strip():
            rest = Span(half, len(text))
            repair = Edit(rest, self.markers.call_closer)
            self.problems.append(half_written(rest, rest.of(text), repair, certain=False))
            return self._done(half, len(text), False)
        whole = not text[at:].strip()
        self._unclosed(at, truncated=whole)
        return self._done(at, at, False)

    def _done(self, body_end: int, end: int, complete: bool) -> ToolCall:
        root, head = self.root, self.head
        if body_end > self.filled:
            root.children.append(XmlText(self.text, self.filled, body_end))
        root.content_end = root.end = body_end
        self._unmatched()
        name = head.name or ""
        return ToolCall(
            dialect=self.reader.dialect,
            span=Span(head.start, end),
            tool=name,
            tool_span=head.name_span,
            arguments=MarkupValue(root, self.markers.style),
            body=Span(head.end, body_end),
            name_spans=(head.name_span,),
            problems=self.problems,
            sketch=is_placeholder_name(name),
            complete=complete,
            details={"family": self.reader.dialect},
        )

    def _unmatched(self) -> None:
        """Report text between the arguments."""
        for child in self.root.children:
            if isinstance(child, XmlElement) or self.markers.marker in child.value:
                continue
            problem = text_between(self.text, child.start, child.end, "arguments")
            if problem is not None:
                self.problems.append(problem)


def _is_half(rest: str, marker: str) -> bool:
    """Return whether `rest` is a tag with its marker that is cut off; a bracket alone is not one."""
    if len(rest) < 2:
        return False
    if len(rest) <= len(marker):
        return marker.startswith(rest)
    return rest.startswith(marker) and rest[len(marker)] == "<" and ">" not in rest[len(marker) :] and "\n" not in rest
