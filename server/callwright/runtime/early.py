"""Early events: calls that are announced before they are complete, and how these are reconciled with the final reading.

Owns: the decision when a call and its arguments are certain enough to announce, and the text of an argument. Must not
know: how a stream is buffered, dialect modules.

An incomplete call is read repeatedly by the ordinary reader (the stream decides how often), which shows which call it
is and where its arguments begin. Between two readings the scanners of `calls.watch` follow the open value, so that its
text is emitted as it arrives.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from callwright.calls.attribute_write import AttributeElement, BodyElement
from callwright.calls.model import Argument, JsonValue, MarkupValue, ToolCall, arguments_of
from callwright.calls.partial_values import JsonMembers, MarkedText
from callwright.dialects.catalogue import find_dialect
from callwright.runtime.events import ArgumentClosed, ArgumentOpened, ArgumentText, CallOpened, Event
from callwright.schema.coercion import element_text, inner_source, styled_text
from callwright.syntax.json_encoded import ENCODED_JSON
from callwright.syntax.value_format import JSON
from callwright.text.projection import decode_json_string

if TYPE_CHECKING:
    from callwright.calls.protocol import ToolNames
    from callwright.syntax.xml import XmlElement

#: The word of an opening marker, `parameter` in `<parameter=a>`, `<｜DSML｜parameter …>` and `<|open|>parameter …`.
_OPENING_WORD: Final = re.compile(r"<(?:\|open\|>)?+[|｜]?+(?:\w++[|｜])?+([\w:.\-]++)(?!\|>)")
_MAX_OPENING_LENGTH: Final = 400
_MARKER_WORD: Final = re.compile(r"<[/|｜]?([\w:.\-]++)")
#: The characters that end something in any dialect.
_STRUCTURE: Final = re.compile(r"[>(){}\[\]`,\r\n]")
#: JSON without a marker before it.
_BARE: Final = re.compile(r"[\[{][\[{\s]*+[\"}\]]")
#: How long a marker may be; a longer text is not a marker.
_MAX_MARKER_LENGTH: Final = 100


@dataclass(slots=True)
class _StreamedCall:
    """A call as announced so far: its arguments' names and texts, and the scanner that follows the open value."""

    tool: str | None
    names: list[str] = field(default_factory=list)
    texts: list[list[str]] = field(default_factory=list)
    open: bool = False
    members: JsonMembers | None = None
    text: MarkedText | None = None
    closer: re.Pattern[str] | None = None

    def follow(self, scanner: MarkedText, before: str) -> MarkedText:
        """Let a scanner follow the open value, whose opening marker ends `before`."""
        words = _OPENING_WORD.findall(before[-_MAX_OPENING_LENGTH:])
        self.text = scanner
        self.closer = _closer_of(words[-1]) if words else None
        return scanner

    def is_ended(self, text: str) -> bool:
        """Return whether the scanner has reached the closing marker of the open value; `text` ends where the scanner
        is.

        A reading of an unfinished text may end the value elsewhere, since the rest is not there yet.
        """
        if self.text is None or self.text.unended:
            return False
        marker = text[len(text) - self.text.after :]
        return self.closer is None or self.closer.match(marker) is not None


class Early:
    """The calls at one place in the stream, from their first event until they are decided.

    `first` is the index of the first of them.
    """

    def __init__(self, first: int, tools: ToolNames) -> None:
        self._first = first
        self._tools = tools
        self._reported: list[_StreamedCall] = []
        self._lost = False
        #: Whether anything was fed or read yet.
        self.begun = False
        self._since = 0
        self._next = 1
        #: Whether the last piece may change the result of a reading.
        self.urged = True

    def __len__(self) -> int:
        return len(self._reported)

    @property
    def depth(self) -> int:
        """The depth of the open value, 1 for the arguments object; 0 where it is not known."""
        members = self._reported[-1].members if self._reported else None
        return 0 if members is None else members.depth + 1

    def keep(self, count: int) -> None:
        """Forget all announced calls but the first `count`."""
        del self._reported[count:]

    def take(self, chunk: str) -> Iterator[Event]:
        """Yield the events of the next piece of the stream for the open value."""
        self.begun = True
        reported = self._reported[-1] if self._reported and not self._lost else None
        index = self._first + len(self._reported) - 1
        if reported is not None and reported.members is not None:
            if reported.members.is_plain(chunk):
                yield from self._text(reported, chunk, index)
            elif not reported.members.done:
                yield from self._members(reported, chunk, index)
            self.urged = reported.members.done and self._is_worth(chunk)
        elif reported is not None and reported.open and reported.text is not None:
            yield from self._text(reported, reported.text.feed(chunk), index)
            after = reported.text.after
            self.urged = reported.text.stalled and (after >= _MAX_MARKER_LENGTH or ">" in chunk)
        else:
            self.urged = self._is_worth(chunk)

    def read(self, calls: Sequence[ToolCall], text: str, place: int, base: int) -> Iterator[Event]:
        """Yield the events of a reading of the text so far: `calls` begin at or after `place` and are undecided."""
        self.begun = True
        if self._lost:
            return
        for number, call in enumerate(calls):
            if number == len(self._reported):
                if not _is_certain(call, text, place):
                    return
                yield CallOpened(call.tool, call.dialect, self._first + number, base + call.span.start)
                self._reported.append(_StreamedCall(call.tool))
            reported = self._reported[number]
            if reported.tool != call.tool:
                self._lost = True
                return
            if number < len(calls) - 1:
                if number == len(self._reported) - 1:
                    if reported.text is not None and not reported.is_ended(text):
                        return
                    yield from self._rest(reported, call, text, self._first + number)
            else:
                yield from self._arguments(reported, call, text, place, self._first + number)

    def agreeing(self, calls: Sequence[ToolCall]) -> int:
        """Return how many announced calls, from the first, agree with the final reading."""
        count = 0
        for reported, call in zip(self._reported, calls, strict=False):
            if reported.tool != call.tool:
                break
            count += 1
        return count

    def close(self, number: int, call: ToolCall, text: str, offset: int) -> Iterator[Event]:
        """Yield the remaining events of a decided call: all of them where it was not announced."""
        index = self._first + number
        if number >= len(self._reported):
            yield CallOpened(call.tool, call.dialect, index, offset)
            self._reported.append(_StreamedCall(call.tool))
        yield from self._rest(self._reported[number], call, text, index)

    def _is_worth(self, chunk: str) -> bool:
        """Return whether to read again: where something may have ended, and at growing distances after that."""
        if _STRUCTURE.search(chunk) is not None:
            self._since, self._next = 0, 1
            return True
        self._since += len(chunk)
        if self._since < self._next:
            return False
        self._next = 2 * self._since
        return True

    # -- one call ------------------------------------------------------------------------------------------------------

    def _open(self, reported: _StreamedCall, name: str, index: int) -> Iterator[Event]:
        reported.names.append(name)
        reported.texts.append([])
        reported.open = True
        yield ArgumentOpened(index, name)

    def _text(self, reported: _StreamedCall, text: str, index: int) -> Iterator[Event]:
        if text:
            reported.texts[-1].append(text)
            yield ArgumentText(index, reported.names[-1], text)

    def _close(self, reported: _StreamedCall, index: int) -> Iterator[Event]:
        reported.open = False
        reported.text = None
        yield ArgumentClosed(index, reported.names[-1])

    def _whole(self, reported: _StreamedCall, name: str, text: str, index: int) -> Iterator[Event]:
        yield from self._open(reported, name, index)
        yield from self._text(reported, text, index)
        yield from self._close(reported, index)

    def _members(self, reported: _StreamedCall, chunk: str, index: int) -> Iterator[Event]:
        assert reported.members is not None, "only asked where a scanner is at work"
        for kind, text in reported.members.feed(chunk):
            if kind == "open":
                yield from self._open(reported, text, index)
            elif kind == "text":
                yield from self._text(reported, text, index)
            else:
                yield from self._close(reported, index)

    def _rest(self, reported: _StreamedCall, call: ToolCall, text: str, index: int) -> Iterator[Event]:
        """Yield the remaining events of a complete call's arguments, as far as they agree with the earlier ones."""
        reported.members = None
        arguments = argument_texts(call, text)
        agrees = True
        for place, name in enumerate(reported.names):
            early = "".join(reported.texts[place])
            agrees = place < len(arguments) and arguments[place][0] == name and arguments[place][1].startswith(early)
            if reported.open and place == len(reported.names) - 1:
                if agrees:
                    yield from self._text(reported, arguments[place][1][len(early) :], index)
                yield from self._close(reported, index)
            if not agrees:
                break
        if reported.open:
            yield from self._close(reported, index)
        if not agrees:
            return
        for name, whole in arguments[len(reported.names) :]:
            yield from self._whole(reported, name, whole, index)

    def _arguments(self, reported: _StreamedCall, call: ToolCall, text: str, place: int, index: int) -> Iterator[Event]:
        """Yield the events of the arguments of the last call in a reading; the last argument may still be open."""
        value = call.arguments
        if reported.members is not None or value is None:
            return
        if isinstance(value, JsonValue):
            if value.read.value_format is JSON:
                start = value.span.start
                if not reported.names and text.startswith("{", start):
                    reported.members = JsonMembers()
                    yield from self._members(reported, text[start + 1 :], index)
                return
            yield from self._written(reported, value, text, place, index)
            return
        arguments = arguments_of(value)
        if [argument.name for argument in arguments[: len(reported.names)]] != reported.names:
            self._lost = True
            return
        for number, argument in enumerate(arguments):
            if not isinstance(argument.value, MarkupValue) or number < len(reported.names) - reported.open:
                continue
            element = argument.value.element
            if isinstance(element, AttributeElement) and not isinstance(element, BodyElement):
                # A quoted value is announced once its quote is closed.
                if element.close_start < 0 or element.end >= len(text):
                    return
                yield from self._whole(reported, argument.name, _argument_text(argument, text), index)
                continue
            if number == len(reported.names):
                if element.open_end >= len(text):
                    return
                yield from self._open(reported, argument.name, index)
                before = text[place : element.open_end]
                scanner = reported.follow(self._scanner(argument.value, call, before), before)
                yield from self._text(reported, scanner.feed(text[element.open_end :]), index)
            if reported.text is None:
                return
            if element.close_start >= 0 and element.end < len(text) and reported.is_ended(text):
                yield from self._finish(reported, argument, text, index)
                continue
            yield from self._resume(reported, reported.text, element.content_end, text, index)
            return

    def _written(self, reported: _StreamedCall, value: JsonValue, text: str, place: int, index: int) -> Iterator[Event]:
        """Yield the events of typed arguments that are not JSON: those that others follow, and text between markers."""
        arguments = arguments_of(value)
        if [argument.name for argument in arguments[: len(reported.names)]] != reported.names:
            self._lost = True
            return
        for number, argument in enumerate(
            arguments[len(reported.names) - reported.open :], len(reported.names) - reported.open
        ):
            last = number == len(arguments) - 1
            if number == len(reported.names):
                if not last:
                    yield from self._whole(reported, argument.name, _argument_text(argument, text), index)
                    continue
                start = argument.value.span.start
                if not _is_literal(argument, text):
                    return
                yield from self._open(reported, argument.name, index)
                before = text[place:start]
                words = frozenset(_MARKER_WORD.findall(before))
                follower = reported.follow(MarkedText("none", words, xml=False, cdata=False), before)
                yield from self._text(reported, follower.feed(text[start:]), index)
            scanner, end = reported.text, argument.value.span.end
            if scanner is None:
                return
            if reported.is_ended(text) and end == len(text) - scanner.after and (not last or _is_whole(text[end:])):
                yield from self._finish(reported, argument, text, index)
                continue
            yield from self._resume(reported, scanner, end, text, index)
            return

    def _finish(self, reported: _StreamedCall, argument: Argument, text: str, index: int) -> Iterator[Event]:
        """Close the open argument, with the rest of its text."""
        whole, early = _argument_text(argument, text), "".join(reported.texts[-1])
        if whole.startswith(early):
            yield from self._text(reported, whole[len(early) :], index)
        yield from self._close(reported, index)

    def _resume(
        self, reported: _StreamedCall, scanner: MarkedText, content_end: int, text: str, index: int
    ) -> Iterator[Event]:
        """Resume the scanner where it stopped at something that the reading treats as text."""
        while scanner.stalled and content_end > len(text) - scanner.after:
            if scanner.after < _MAX_MARKER_LENGTH and not _is_whole(text[len(text) - scanner.after :]):
                return
            yield from self._text(reported, scanner.resume(), index)

    def _scanner(self, value: MarkupValue, call: ToolCall, before: str) -> MarkedText:
        """Return the scanner for the text of an argument whose opening marker ends `before`."""
        words = frozenset(_MARKER_WORD.findall(before))
        if value.style is not None:
            dialect = find_dialect(call.dialect)
            return MarkedText(value.style.newlines, words, xml=False, cdata=dialect is not None and dialect.cdata)
        element = value.element
        tagged = element.source.startswith("<", element.start) or isinstance(element, BodyElement)
        xml = tagged and (call.tool is None or self._tools.markup(call.tool) != "raw")
        return MarkedText("one", words, xml=xml, cdata=xml, old_lines=True)


@lru_cache(maxsize=256)
def _closer_of(word: str) -> re.Pattern[str]:
    """Return the pattern of the closing marker with `word`, in any dialect."""
    return re.compile(rf"(?:\]<\]\w*+\[>\[)?+<(?:/|\|close\|>)[|｜]?+(?:\w++[|｜])?+{re.escape(word)}(?![\w:.\-])")


def _is_whole(marker: str) -> bool:
    """Return whether `marker` begins with a complete marker."""
    return marker.count(">") > marker.startswith("]")


def _is_certain(call: ToolCall, text: str, place: int) -> bool:
    """Return whether a call's name is complete, text follows it, and the call cannot turn out to be of another dialect.

    An object without markers is a call only with its arguments. Between XML tags the arguments may still turn out to be
    JSON.
    """
    if call.tool is None or len(text[call.tool_span.end :].rstrip()) <= 1:
        return False
    value = call.arguments
    if isinstance(value, MarkupValue):
        if value.style is None:
            # After a separate name it is a call, whatever its arguments are.
            return value.element.has_elements or call.tool_span.start > call.span.start + 1
        if any(isinstance(each.value, MarkupValue) and _is_closed(each.value.element) for each in value.members):
            return True
        return bool(text[value.element.open_end :].strip())
    if value is not None:
        return value.read.value_format is not JSON or text.startswith("{", value.span.start)
    dialect = find_dialect(call.dialect)
    return dialect is not None and dialect.typed and _BARE.match(text, place) is None


def _is_closed(element: XmlElement) -> bool:
    """Return whether an element is an attribute with a closed quote: a tag with one is a call of its tool."""
    return isinstance(element, AttributeElement) and element.close_start >= 0


def _is_literal(argument: Argument, text: str) -> bool:
    """Return whether a value after a marker is a literal string."""
    span = argument.value.span
    if not isinstance(argument.value, JsonValue) or not text.startswith(">", span.start - 1):
        return False
    return bool(argument.value.python == span.of(text))


def argument_texts(call: ToolCall, text: str) -> list[tuple[str, str]]:
    """Return each argument of a call that was read in `text` with its text, as `ArgumentText` defines it."""
    return [(argument.name, _argument_text(argument, text)) for argument in arguments_of(call.arguments)]


def _argument_text(argument: Argument, text: str) -> str:
    value = argument.value
    if isinstance(value, JsonValue):
        if isinstance(value.python, str):
            return value.python
        written = value.span.of(text)
        return decode_json_string(written) if value.read.value_format is ENCODED_JSON else written
    element = value.element
    if element.has_elements and not element.opaque:
        return inner_source(element)
    return element_text(element) if value.style is None else styled_text(element, value.style)
