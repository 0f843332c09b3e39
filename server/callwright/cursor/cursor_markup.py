"""The cursor in markup and prose: a probe is put at the place, and the reader of documents finds what it is part of.

Owns: `markup_place`, and what an element among others is to the call around it. Must not know: how prose, fences and
elements are read, dialect modules, protocols.

The probe is an element where a tag may be written: one that begins a call of its own is in prose, one within a call
among its elements. In the text of a value it is a word. The text around it is read whole; broken text after the cursor
is left out, and open elements there need no end.
"""

from __future__ import annotations

import re
from itertools import count, takewhile
from typing import TYPE_CHECKING, Final

from callwright.calls.json_objects import LANGUAGES, begins_like_call
from callwright.calls.model import JsonValue, MarkupValue, ToolCall
from callwright.calls.protocol import ReadContext
from callwright.calls.tags import BARE_TAG_DIALECTS
from callwright.calls.tool_calls import CALL, WRAPPER
from callwright.cursor.cursor_calls import open_bracket
from callwright.cursor.cursor_json import json_hit, json_over
from callwright.cursor.cursor_outline import ARGUMENTS_ELEMENT, BRACKET, NAME_ELEMENT, REST_OF_TAG, Outline, outline_of
from callwright.cursor.cursor_places import NAME_CHARACTER, CursorPlace, Role, Schemas, end_of, skip_space, word_before
from callwright.cursor.cursor_probe import NEAR, PROBE, ProbeTools
from callwright.document.reader import ReaderState, read_segment
from callwright.syntax.prose import CodeSpans, FenceState, fence_at, line_end, line_start
from callwright.syntax.xml import read_element
from callwright.syntax.xml_nodes import XmlElement
from callwright.text.budget import Budget, BudgetExceededError
from callwright.text.holes import HOLE
from callwright.text.records import NamedTuple
from callwright.text.span import Span

if TYPE_CHECKING:
    from collections.abc import Sequence

    from callwright.calls.model import Path
    from callwright.tools.registry import ToolRegistry

#: How much text after the cursor is read, in code points.
AFTER: Final = 32 * 1024
#: How many steps all readings for one answer may take: where they take more, nothing can be written.
MAX_STEPS: Final = 1_500

_ELEMENT: Final = f"<{PROBE}></{PROBE}>"
_JSON: Final = f'{{"{PROBE}": 0}}'
#: The elements of a frame, and of a list of them, in which a call may begin or continue.
_PARTS: Final = (
    (CALL, f"<{ARGUMENTS_ELEMENT}>{_ELEMENT}</{ARGUMENTS_ELEMENT}>"),
    (WRAPPER, f"<{CALL}><{NAME_ELEMENT}>{PROBE}</{NAME_ELEMENT}></{CALL}>"),
)
_NAME_ON: Final = re.compile(rf"{NAME_CHARACTER}*+")
_TAG_BEFORE: Final = re.compile(rf"<(/?){NAME_CHARACTER}*+\Z")
_IN_TAG: Final = re.compile(
    r"""<!(?:--?+|\[[A-Z]*+)?+|</?+[^\W\d](?:[^<>"']++|"[^"<>]*+(?:"|\Z)|'[^'<>]*+(?:'|\Z))*+"""
)
_TAG: Final = re.compile(rf"<(/?)([^\W\d]{NAME_CHARACTER}*+)(?:[^<>]*+[^<>/])?>")
_FIRST_KEY: Final = re.compile(r"""[ \t>]*+\{\s*+["']?\w*+""")
#: Holes beside tags, which are no text of a call.
_HOLES: Final = re.compile(rf"(?<=[>\s]){HOLE}++(?=[\s<])")
_TICKS: Final = re.compile(r"`++")
#: How long a name may be that ends at the cursor.
_MAX_NAME: Final = 300
#: A call that is found in a string.
_PROSE: Final = ToolCall("", Span(0, 0), PROBE, Span(0, 0), None, Span(0, 0))


class _MarkupTools(ProbeTools):
    """The tools while a probe is in the text: all are in force, those that are plain words, too."""

    closed = True


class _Hit(NamedTuple):
    """A text with a probe at `at`, and the call that it is part of, which is in a fence of some language.

    `frame` is the frame or the list of frames of which it is a part, None where it is in one of the parts.
    """

    text: str
    at: int
    call: ToolCall
    fence: str | None
    frame: str | None = None

    @property
    def is_prose(self) -> bool:
        """Whether the probe is a call by itself."""
        return self.call.tool == PROBE and self.frame is None and not _is_framed(self.call)

    def elements(self) -> list[XmlElement]:
        """Return the elements of the call around the probe, outermost first."""
        value = self.call.arguments
        found: list[XmlElement] = []
        node = value.element if isinstance(value, MarkupValue) and value.style is None else None
        while node is not None and node.name != PROBE and node.open_end <= self.at <= node.content_end:
            found.append(node)
            node = next((each for each in node.elements if each.start < self.at < each.end), None)
        return found


def markup_place(text: str, cursor: int, tools: ToolRegistry, fence: FenceState | None = None) -> CursorPlace:
    """Return what is at a cursor in markup or prose; `fence` is open where the text begins."""
    # A tag whose name ends at the cursor is no evidence by itself.
    tag = _TAG_BEFORE.search(text, max(0, cursor - _MAX_NAME), cursor)
    outline = outline_of(text, cursor if tag is None else tag.start(), tools, fence)
    try:
        return _MarkupCursor(text, cursor, tools, outline).place(tag).shift(outline.begin)
    except BudgetExceededError:
        return CursorPlace(Role.NOTHING, Span(cursor, cursor))


class _MarkupCursor:
    """The cursor in a text from the beginning of its outline on, of which all offsets are."""

    def __init__(self, whole: str, cursor: int, tools: ToolRegistry, outline: Outline) -> None:
        self.whole = whole
        self.begin = outline.begin
        self.text = whole[self.begin :]
        self.cursor = cursor - self.begin
        self.tools = tools
        self.names = _MarkupTools(tools)
        self.schemas = Schemas(tools)
        self.outline = outline
        steps = count()
        #: What all readings for one answer may take together.
        self.budget = Budget(cancelled=lambda: next(steps) >= MAX_STEPS)
        self._found: dict[tuple[str, str | None], _Hit | None] = {}

    def place(self, tag: re.Match[str] | None) -> CursorPlace:
        """Return what is at the cursor, at which the name of a tag may end."""
        if self.outline.is_hidden:
            return self._nothing()
        within = self._in_open_json(self.outline.json - self.begin) if self.outline.json is not None else None
        if within is not None:
            return within
        if tag is None:
            return self._in_text()
        at, end = tag.start() - self.begin, end_of(_NAME_ON, self.text, self.cursor)
        return self._at_closing(at, end) if tag[1] else self._at_opening(at, end)

    # Reading

    def _read(self, at: int, probe: str, resume: int | None, frame: str | None = None) -> _Hit | None:
        """Return where a probe is, with the text from `resume` on after it; None where it is in no call."""
        text = f"{self.text[:at]}{probe}{'' if resume is None else self.text[resume:]}"
        text = _HOLES.sub(lambda holes: " " * len(holes[0]), text) if HOLE in text else text
        if (text, frame) not in self._found:
            self._found[text, frame] = self._found_in(text, at + probe.index(PROBE), frame)
        return self._found[text, frame]

    def _found_in(self, text: str, place: int, frame: str | None) -> _Hit | None:
        context = ReadContext(self.names, reasoning="calls", siblings=frozenset(self.tools.names), budget=self.budget)
        fence = self.outline.fence
        state = ReaderState((fence,) if fence is not None else ())
        segment = read_segment(text, context, state=state, stop_after=place)
        calls = segment.calls
        around = [at for at, each in enumerate(calls) if each.call.place.start <= place < each.call.place.end]
        if not around:
            quoted = any(each.call.tool == PROBE for passage in segment.quoted for each in passage.segment.calls)
            return _Hit(text, place, _PROSE, None) if quoted else None
        # The calls of a list have it as their place, all of them.
        at = max((at for at in around if calls[at].call.span.start <= place), default=around[0])
        call, fenced = calls[at].call, calls[at].fence
        before = calls[at - 1].call if at > 0 and call.tool == PROBE else call
        if not before.complete and _is_walked(before) and not text[before.place.end : call.place.start].strip():
            # An element without an end reaches up to the probe.
            call = before
        hit = _Hit(text, place, call, fenced.language if fenced is not None else None, frame)
        return hit if frame is not None else hit._replace(frame=_frame_of(hit))

    def _element_at(self, start: int, end: int) -> _Hit | None:
        """Return where an element is in place of what is between two offsets, None where none can be."""
        hit = self._completed(self._read(start, _ELEMENT, end), start, _ELEMENT)
        if hit is None or not hit.is_prose or not self.outline.is_open:
            return hit
        hit = self._completed(self._read(start, _ELEMENT, None), start, _ELEMENT) or hit
        return (self._in_frame(start, end) or hit) if hit.is_prose else hit

    def _in_frame(self, start: int, end: int) -> _Hit | None:
        """Return where a part of a frame is, or a frame in a list of them, where an element would begin a call."""
        for frame, part in _PARTS:
            opened, closed = (self.text.rfind(f"{lead}{frame}", 0, start) for lead in ("<", "</"))
            if opened <= closed:
                continue
            word = self._word_at(start, end)
            if word is not None and not word.is_prose and word.frame is None:
                return word
            for resume in (end, None):
                hit = self._read(start, part, resume, frame)
                if hit is not None and _is_framed(hit.call) and (frame == CALL or hit.call.frame is not None):
                    return hit
        return None

    def _word_at(self, start: int, end: int) -> _Hit | None:
        """Return where a word is in place of what is between two offsets."""
        return self._completed(self._read(start, PROBE, end) or self._read(start, PROBE, None), start, PROBE)

    def _completed(self, hit: _Hit | None, at: int, probe: str) -> _Hit | None:
        """Return where a probe is with what ends the elements that are open there, where those are taken for text."""
        elements = hit.elements() if hit is not None else []
        if hit is None or len(elements) < 2 or elements[-1].close_span is not None:
            return hit
        if self.schemas.is_text(hit.call.tool or "", self._path(hit, elements)):
            return hit
        names: list[str] = []
        for tag in _TAG.finditer(hit.text, elements[-1].open_end, at):
            if not tag[1]:
                names.append(tag[2])
            elif tag[2] in names:
                del names[len(names) - 1 - names[::-1].index(tag[2]) :]
        if not names:
            return hit
        ends = [*reversed(names), *self._open_names(hit)]
        return self._read(at, probe + "".join(f"</{name}>" for name in ends), None) or hit

    # What the elements are to a call

    def _open_names(self, hit: _Hit | None) -> tuple[str, ...]:
        """Return the elements of the call that are open at the probe, innermost first: up to one that a hole names."""
        if hit is None or hit.is_prose or not _is_walked(hit.call) or _has_attributes(hit.call):
            return ()
        call = hit.call
        names = [element.name for element in reversed(hit.elements())]
        lists = [WRAPPER] if call.frame is not None else []
        if not _is_framed(call):
            names = names or [call.tool or ""]
        elif hit.frame is not None:
            names = [CALL, *lists] if hit.frame == CALL else [WRAPPER]
        else:
            inner = NAME_ELEMENT if hit.at <= call.tool_span.end else ARGUMENTS_ELEMENT
            names = [*(names or [inner]), CALL, *lists]
        return tuple(takewhile(lambda name: HOLE not in name, names))

    def _path(self, hit: _Hit, elements: Sequence[XmlElement]) -> Path:
        """Return the path from the arguments to the innermost of some elements."""
        path: Path = ()
        for element in elements[1:]:
            path = self.schemas.step(hit.call.tool or "", path, element.name)
        return path

    def _nothing(self, hit: _Hit | None = None, span: Span | None = None) -> CursorPlace:
        return CursorPlace(Role.NOTHING, span or Span(self.cursor, self.cursor), open_names=self._open_names(hit))

    # Places

    def _at_opening(self, at: int, end: int) -> CursorPlace:
        """Return the place of the name of an opening tag."""
        text = self.text
        if text.startswith(("</", "<!"), at):
            return self._nothing()
        is_whole = end > at + 1 and REST_OF_TAG.match(text, end) is not None
        hit = self._element_at(at, at if is_whole else end)
        span, name = Span(at + 1, end), text[at + 1 : end]
        if hit is None:
            return self._in_code(span)
        return self._among(hit, (Role.CALL_TAG, Role.FRAME_TAG, Role.CHILD_TAG), span, name)

    def _among(self, hit: _Hit, roles: tuple[Role, Role, Role], span: Span, name: str) -> CursorPlace:
        """Return a place in prose, in a frame or among the elements of a call, for each of which there is a role."""
        call, names, typed = hit.call, self._open_names(hit), self.text[span.start : self.cursor]
        if hit.is_prose or _has_attributes(call):
            if fence_at(self.text, line_start(self.text, self.cursor)) is not None or self._is_json(hit):
                return self._nothing()
            if hit.fence is not None and self._is_code(span.start):
                return self._in_code(span)
            return CursorPlace(roles[0], span, typed, name, fence=hit.fence)
        if not _is_walked(call):
            return self._nothing(hit, span)
        if hit.frame is not None:
            tool = call.tool if hit.frame == CALL else None
            return CursorPlace(roles[1], span, typed, name, tool, (hit.frame,), self._parts(hit, name), names)
        if isinstance(call.arguments, JsonValue):
            value = self._in_value(hit, call.arguments.node.span.start, ()) or self._nothing(hit)
            is_over = value.role is Role.NOTHING and roles[2] is Role.CHILD_TAG
            return CursorPlace(roles[2], span, typed, name, open_names=names) if is_over else value
        elements = hit.elements()
        path, unclosed = self._path(hit, elements), frozenset[str]()
        if len(elements) > 1 and self.schemas.is_text(call.tool or "", path):
            # In plain text a tag is text, unless it is the next parameter and the author forgot to close this one.
            line, text = line_start(self.text, span.start), elements.pop()
            if text.close_span is not None or self.text[line : span.start - 1].strip():
                return self._nothing(hit, span)
            path, names, unclosed = self._path(hit, elements), names[1:], frozenset({text.name})
        if not elements:
            return self._nothing(hit, span)
        inner = elements[-1].elements
        before = max((each.end for each in inner if each.end < hit.at), default=elements[-1].open_end)
        if " " in hit.text[before : hit.at - 1].strip():
            # Sentences among the elements of a call belong to the prose around it.
            return CursorPlace(roles[0], span, typed, name, fence=hit.fence)
        present = _names(inner, hit, name) | unclosed
        return CursorPlace(roles[2], span, typed, name, call.tool, path, present, names)

    def _parts(self, hit: _Hit, name: str) -> frozenset[str]:
        """Return the names of the parts that a frame has beside the probe."""
        begin = hit.call.frame.start if hit.frame == WRAPPER and hit.call.frame is not None else hit.call.span.start
        read = read_element(hit.text, begin, end=hit.call.place.end)
        return frozenset() if read is None else _names(read.element.elements, hit, name)

    def _at_closing(self, at: int, end: int) -> CursorPlace:
        """Return the place of the name of a closing tag, and what the element is that it closes."""
        text, name = self.text, self.text[at + 2 : end]
        hit = self._element_at(at, at)
        if hit is None:
            return self._in_code(Span(at + 2, end))
        word = self._word_at(at, at)
        hit = hit if word is None or word.is_prose else word
        names = self.outline.open_names if hit.is_prose else self._open_names(hit)
        if text.rfind(f"<{HOLE}", 0, at) > text.rfind(f"</{HOLE}", 0, at):
            # An element that an expression names is open, and must be closed first.
            names = ()
        closes, tool = Role.NOTHING, None
        path: Path = ()
        if name in names:
            elements = hit.elements()
            depth = next((i for i in range(len(elements) - 1, 0, -1) if elements[i].name == name), 0)
            if depth:
                closes, tool, path = Role.CHILD_TAG, hit.call.tool, self._path(hit, elements[:depth])
            elif name == hit.call.tool:
                closes, tool = Role.CALL_TAG, name
        elif self.tools.has(name) and f"<{name}" in text[:at]:
            closes, tool = Role.CALL_TAG, name
        typed = text[at + 2 : self.cursor]
        return CursorPlace(
            Role.CLOSING_TAG, Span(at + 2, end), typed, name, tool, path, open_names=names, closes=closes
        )

    def _in_text(self) -> CursorPlace:
        """Return the place of a cursor that is in plain text."""
        text, cursor = self.text, self.cursor
        start, end = word_before(text, cursor), max(end_of(_NAME_ON, text, cursor), cursor)
        key = self._first_key()
        if key is not None:
            return key
        span = Span(start, end)
        # Dashes may be part of what ends a comment.
        hit = self._element_at(start, end if text[start:end].strip("-.:") else start)
        if hit is None:
            return self._in_code(span)
        in_tag = _IN_TAG.fullmatch(text, max(text.rfind("<", line_start(text, cursor), cursor), 0), cursor)
        if in_tag is not None and in_tag[0].startswith("<!"):
            return self._nothing(hit)
        if hit.is_prose:
            return self._nothing() if in_tag is not None else self._among(hit, (Role.PROSE,) * 3, span, text[start:end])
        word = self._word_at(cursor, cursor)
        if word is not None and hit.frame is None:
            inner = self._in_word(word)
            if inner is not None:
                return inner
        if in_tag is not None:
            return self._nothing(hit)
        return self._among(hit, (Role.PROSE, Role.BODY, Role.BODY), span, text[start:end])

    def _in_word(self, hit: _Hit) -> CursorPlace | None:
        """Return what is at a cursor in the text of an element, None among other elements."""
        call, text, cursor = hit.call, self.text, self.cursor
        elements = hit.elements()
        if _is_framed(call) and call.tool_span.start <= hit.at < call.tool_span.end:
            return self._text_of(hit, Role.TOOL_NAME, call.tool_span.start, ())
        if len(elements) < 2:
            return None
        inner = elements[-1]
        path = self._path(hit, elements)
        bracket = BRACKET.match(text, inner.open_end)
        if bracket is not None and bracket.start(1) < cursor and not self.schemas.is_text(call.tool or "", path):
            return self._in_value(hit, bracket.start(1), path)
        return self._text_of(hit, Role.TEXT, inner.open_end, path, _names(inner.elements, hit, ""))

    def _text_of(
        self, hit: _Hit, role: Role, content: int, path: Path, present: frozenset[str] = frozenset()
    ) -> CursorPlace:
        """Return the place in the text of an element, as far as it is on the cursor's line."""
        text, cursor = self.text, self.cursor
        line, end = line_end(text, cursor), text.find("<", cursor)
        end = line if end < 0 or line < end else end
        start = skip_space(text, max(content, line_start(text, cursor)), cursor)
        name = text[start:end].rstrip()
        span = Span(start, max(start + len(name), cursor))
        tool = hit.call.tool if role is Role.TEXT else None
        return CursorPlace(role, span, text[start:cursor], name, tool, path, present, self._open_names(hit))

    # JSON

    def _in_open_json(self, start: int) -> CursorPlace | None:
        """Return the place in a JSON text that begins an element and is not over, None where it belongs to no call."""
        if self._is_code(start):
            return self._in_code(Span(self.cursor, self.cursor))
        hit = self._read(start, _JSON, json_over(self.text, start)) or self._read(start, _JSON, None)
        return self._in_value(hit, start, ()) if hit is not None and _is_walked(hit.call) else None

    def _in_value(self, hit: _Hit, start: int, path: Path) -> CursorPlace | None:
        """Return the place of a cursor in JSON among the arguments of a call, None where that is over before it."""
        marker = self.text.find(f"</{next(iter(self._open_names(hit)), '')}", self.cursor)
        found, _ = json_hit(self.text, start, len(self.text) if marker < 0 else marker, self.cursor)
        if found is None:
            return None
        return found.argument(hit.call.tool, (*path, *found.steps)) if found.frames else self._nothing(hit)

    def _is_json(self, hit: _Hit) -> bool:
        """Return whether a place in prose is in a fence of JSON, or in an object that is a call of some dialect."""
        cursor = self.begin + self.cursor
        opened = open_bracket(self.whole, max(self.outline.fenced - 1, cursor - NEAR, 0), cursor)
        return opened is not None and (hit.fence in LANGUAGES or begins_like_call(self.whole, opened[0]))

    def _first_key(self) -> CursorPlace | None:
        """Return the place in the first key of a JSON object that begins a line, None elsewhere."""
        opened = self.text.rfind("{", 0, self.cursor)
        line = line_start(self.text, max(opened, 0))
        if opened < 0 or _FIRST_KEY.fullmatch(self.text, line, self.cursor) is None:
            return None
        hit, _ = json_hit(self.text, opened, len(self.text), self.cursor)
        if hit is None or not hit.is_key or hit.frames[-1].members.keys() - {hit.name}:
            return None
        return CursorPlace(Role.FRAME_KEY, hit.span, hit.typed, hit.name, json=hit.around)

    # Code spans

    def _is_code(self, at: int) -> bool:
        """Return whether a place is in a code span that begins on its line."""
        text, line = self.text, line_start(self.text, at)
        if fence_at(text, line) is not None:
            return False
        spans, tick = CodeSpans(text), text.find("`", line, at)
        while tick >= 0:
            end, run = spans.span_end(tick)[0], end_of(_TICKS, text, tick) - tick
            if tick + run <= at <= end - run:
                return True
            tick = text.find("`", end, at)
        return False

    def _in_code(self, span: Span) -> CursorPlace:
        """Return a place where no call can begin: in a code span the name of one can be written."""
        text, name = self.text, self.text[span.start : span.end]
        if not self._is_code(span.start):
            return self._nothing(None, span)
        role = Role.CALL_TAG if text[span.start - 1 : span.start] in ("<", "`") else Role.NOTHING
        return CursorPlace(role, span, text[span.start : self.cursor], name, in_code=True)


def _is_framed(call: ToolCall) -> bool:
    """Return whether a call has its name and its arguments in elements of their own."""
    return call.details.get("family") == CALL and "misnamed" in call.details


def _has_attributes(call: ToolCall) -> bool:
    """Return whether the tag of a call has attributes: what it holds is text."""
    value = call.arguments
    element = value.element if call.dialect in BARE_TAG_DIALECTS and isinstance(value, MarkupValue) else None
    return element is not None and "=" in element.open_span.of(element.source)


def _is_walked(call: ToolCall) -> bool:
    """Return whether the name of a call or the parts of it are tags without attributes."""
    return call.dialect in BARE_TAG_DIALECTS or _is_framed(call)


def _frame_of(hit: _Hit) -> str | None:
    """Return the frame of whose parts a probe is in none."""
    call = hit.call
    if not _is_framed(call) or hit.elements():
        return None
    is_named = call.tool_span.start <= hit.at <= call.tool_span.end and call.tool_span.start > call.span.start
    in_json = isinstance(call.arguments, JsonValue) and call.body.start <= hit.at
    return None if is_named or (in_json and "</" not in hit.text[call.body.end : hit.at]) else CALL


def _names(elements: Sequence[XmlElement], hit: _Hit, name: str) -> frozenset[str]:
    """Return the names of elements without the probe, and without the one whose name is at the cursor after it."""
    after = next((each.end for each in elements if each.start < hit.at < each.end), -1)
    return frozenset(
        each.name
        for each in elements
        if not each.start < hit.at < each.end and (each.start != after or each.name != name)
    )
