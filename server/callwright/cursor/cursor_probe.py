"""The cursor's probe: a word put at a place of a text, and where the reader of a dialect finds it in a call.

Owns: `Attempt`, what every attempt to find a cursor in a call needs, `Found`, `where`. Must not know: any single
dialect, documents, in which order places are tried.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from callwright.calls.model import JsonValue, MarkupValue
from callwright.calls.protocol import ReadContext
from callwright.cursor.cursor_ends import HARMLESS, is_sound, is_whole, offends, reaching
from callwright.cursor.cursor_forms import KEY, TOOL, VALUE, Form, starts
from callwright.cursor.cursor_json import Hit, json_hit
from callwright.cursor.cursor_places import CursorPlace, Role, Writing
from callwright.dialects.catalogue import find_dialect
from callwright.syntax.prose import line_start
from callwright.text.records import NamedTuple
from callwright.text.span import Span
from callwright.tools.registry import EMPTY

if TYPE_CHECKING:
    from callwright.calls.model import Argument, Path, ToolCall
    from callwright.syntax.json_nodes import JsonNode
    from callwright.tools.registry import ToolRegistry

#: How far before the cursor a call is searched that the reader did not find.
NEAR: Final = 4 * 1024
#: How much text after the cursor may belong to the call.
_AFTER: Final = 8 * 1024
#: How often a dialect's reader is asked in all.
READINGS: Final = 40
#: How many beginnings of what leads to a name are tried.
LEADS: Final = 6
#: What is put at the cursor.
PROBE: Final = "Cwprobe"
_NAME: Final = r"[\w.\-]"
_WORD_BEFORE: Final = re.compile(rf"{_NAME}{{1,200}}\Z")
_WORD_AFTER: Final = re.compile(rf"{_NAME}*+")
_CLEAN: Final = re.compile(rf"[\"']?{_NAME}*{PROBE}{_NAME}*[\"']?")
#: The first mark of a text.
MARKER: Final = re.compile(r"<[^<>\s]*+>|\S+")


class ProbeTools:
    """The tools for a reader while a probe is in the text: a name with the probe in it is one."""

    closed = False

    def __init__(self, tools: ToolRegistry) -> None:
        self._tools = tools

    def has(self, name: str) -> bool:
        """Return whether a tool has this name, or might have it once it is written."""
        return PROBE in name or self._tools.has(name)

    def near(self, name: str) -> str | None:
        """Return no name: nothing is fixed here."""
        return self._tools.near(name) if name == "" else None

    def parameters(self, name: str) -> Mapping[str, Mapping[str, Any]] | None:
        """Return the parameters of a tool."""
        return self._tools.parameters(name)

    def has_parameter(self, name: str) -> bool:
        """Return whether any tool has a parameter of this name."""
        return PROBE in name or self._tools.has_parameter(name)

    def markup(self, name: str) -> str | None:
        """Return how element text of this tool is written."""
        return self._tools.markup(name)

    def dialect(self, name: str) -> str | None:
        """Return the dialect that this tool's own system uses."""
        return self._tools.dialect(name)


class ProbeHit(NamedTuple):
    """Where a probe is in a call: `span` covers the name, key or value with the probe in it.

    `spoils` is true where a problem of the call reaches the text of the probe: the probe does not fit there.
    """

    role: Role
    call: ToolCall
    span: Span
    path: Path
    present: frozenset[str]
    faults: int
    probe: str = PROBE
    spoils: bool = False


class Attempt:
    """The attempt to find a cursor in a call of one dialect that begins at one place."""

    def __init__(
        self, text: str, start: int, opener: str, offset: int, form: Form, tools: ToolRegistry, readings: list[int]
    ) -> None:
        self.begin = line_start(text, start) if start - line_start(text, start) < NEAR else start
        self.start = start - self.begin
        self.front = text[self.begin : offset]
        self.after = text[offset : offset + _AFTER]
        self.cursor = len(self.front)
        self.form = form
        self.tail = _tail_after(form, opener)
        self.tools = tools
        self.names = ProbeTools(tools)
        self.dialect = find_dialect(form.dialect)
        self.readings = readings
        lead = self.front[: self.start]
        self.margin = lead if not lead.strip() else ""
        #: Whether the call that begins here was over before the cursor, and whether no other dialect need be asked.
        self.is_over = False
        self.is_certain = False
        self.has_call = False
        self.own_openers = tuple(self.dialect.openers) if self.dialect is not None else ()
        word = _WORD_BEFORE.search(self.front, max(self.start, self.cursor - 200))
        self.typed = word[0] if word is not None else ""
        after = _WORD_AFTER.match(self.after)
        self.word_after = after[0] if after is not None else ""
        #: Where a name is begun in another quote than the dialect writes, which is then written again.
        self.quote: Span | None = None
        at = self.cursor - len(self.typed) - 1
        written = '="' in f"{form.head}{form.first}{form.next}"
        if written and self.front[at - 1 : at + 1] == "='" and not self.after[len(self.word_after) :].startswith("'"):
            self.front = f'{self.front[:at]}"{self.front[at + 1 :]}'
            self.quote = Span(self.begin + at, self.begin + at + 1)

    def read(self, text: str) -> list[ToolCall]:
        """Return the calls that are read at the opener of a text."""
        self.readings[0] += 1
        if self.dialect is None or self.readings[0] > READINGS:
            return []
        context = ReadContext(self.names, preferred=self.form.dialect)
        reading = self.dialect.read(text, self.start, context)
        if reading is None:
            return []
        for problem in reading.problems:
            if problem.kind not in HARMLESS and reading.calls:
                reading.calls[-1].problems.append(problem)
        return reading.calls

    def probe(self, before: str, after: str, probe: str = PROBE) -> ProbeHit | None:
        """Return where a probe is between two texts, None where it is part of no call.

        What is written there and spoils another call is a fault, too.
        """
        text = before + probe + after
        at = len(before)
        calls = self.read(text)
        for call in calls:
            found = where(call, text, at)
            if found is not None:
                spoilt = sum(other is not call and reaching(other, text, min(at, self.cursor)) for other in calls)
                spoils = reaching(call, text, min(at, self.cursor))
                return found._replace(probe=probe, faults=found.faults + spoilt, spoils=spoils)
        return None

    def nothing(self) -> CursorPlace:
        """Return the cursor as a place where nothing can be written."""
        at = self.begin + self.cursor
        return CursorPlace(Role.NOTHING, Span(at, at))

    def end(self, ending: str, typed: int, faults: int, call: ToolCall) -> CursorPlace:
        """Return the cursor as a place where something can only be ended."""
        at = self.begin + self.cursor
        writing = Writing(self.form.dialect, closer=ending, closer_typed=typed, faults=faults, margin=self.margin)
        return CursorPlace(Role.END, Span(at, at), tool=call.tool, writing=writing)

    def ended(self, ending: str, typed: int) -> ToolCall | None:
        """Return the call that an end at the cursor leaves, None where it leaves none, or one that is not whole.

        `typed` is how much of the end is before the cursor. A typed part of the call's own end means that end, whatever
        the call lacks.
        """
        at = self.cursor - typed
        text = self.front[:at] + ending
        calls = self.read(text)
        if not calls or not calls[-1].complete or calls[-1].place.end < len(text.rstrip()):
            return None
        if is_whole(calls[-1], text, at, self.tools):
            return calls[-1]
        is_meant = self.begins_no_argument(typed) and len(ending) - typed < len(self.tail.lstrip())
        return calls[-1] if is_meant and is_sound(calls[-1], text, at) and not faults_of(calls[-1]) else None

    def fits(self, text: str, path: Path) -> bool:
        """Return whether the schemas allow what a text has at a path, as far as it can be read.

        The text is what is before the cursor, with an end after it.
        """
        calls = self.read(text)
        return not calls or not offends(calls[-1], text, path, self.tools)

    def begins_no_argument(self, typed: int) -> bool:
        """Return whether so much of an end is typed that it cannot be the beginning of a further argument."""
        return typed > max(1, *map(self.overlap, starts(self.form.next)))

    @property
    def ahead_of_word(self) -> str:
        """The text before the cursor without the word that ends there."""
        return self.front[: self.cursor - len(self.typed)]

    def follows(self, literal: str) -> bool:
        """Return whether the word at the cursor may be right after a literal, by its last character."""
        last = literal.rstrip()[-1:]
        return not last or self.ahead_of_word.rstrip().endswith(last)

    def leads(self, *literals: str) -> list[tuple[int, str]]:
        """Return what can lead from the cursor to a name, each with how much of it is typed: the likeliest first.

        What is typed the furthest comes first, then what takes the least, and last what sets a line further in.
        """
        found: dict[tuple[int, str], bool] = {}
        for literal in literals:
            for part in starts(literal):
                typed = self.overlap(part)
                found.setdefault((typed, part.lstrip() if typed or self.at_space else part), False)
                missing, _ = ("", "") if typed else self.indentation(literal, part)
                if missing:
                    found.setdefault((0, missing + part.lstrip()), True)

        def order(each: tuple[int, str]) -> tuple[int, int, bool, int]:
            return -each[0], len(each[1].lstrip()), found[each], -len(each[1])

        return sorted((each for each in found if each[1]), key=order)

    def indentation(self, literal: str, part: str) -> tuple[str, str]:
        """Return what lacks before a line's part of a literal at the cursor, and what there is too much; one is empty.

        Both are where the part does not begin a line, or other text is before the cursor on its line.
        """
        _, newline, line = literal[: len(literal) - len(part.lstrip())].rpartition("\n")
        present = self.front[line_start(self.front, self.cursor) :]
        wanted = self.margin + line
        if not newline or line.strip() or present.strip():
            return "", ""
        if wanted.startswith(present):
            return wanted[len(present) :], ""
        return "", present[len(wanted) :] if present.startswith(wanted) else ""

    @property
    def at_space(self) -> bool:
        """Whether white space is right before the cursor."""
        return self.front[-1:].isspace()

    def overlap(self, literal: str) -> int:
        """Return how much of a literal is typed already at the end of the text before the cursor, on its line."""
        wanted = literal.lstrip()
        size = min(len(wanted), self.cursor - self.start)
        # Only what ends as the text before the cursor does is compared with it.
        while size > 0 and (size := wanted.rfind(self.front[-1], 0, size) + 1):
            if self.front.endswith(wanted[:size]) and "\n" not in wanted[:size]:
                return size
            size -= 1
        return 0

    def placed(
        self,
        hit: ProbeHit,
        *,
        alone: bool = False,
        goes_on: bool = False,
        lead: str = "",
        lead_typed: int = 0,
        closer: str = "",
    ) -> CursorPlace | None:
        """Return the place of a probe that was found, in offsets of the whole text."""
        span = hit.span
        if lead:
            at = self.begin + self.cursor
            whole = Span(at - lead_typed, at)
            typed = name = self.front[self.cursor - lead_typed : self.cursor]
        else:
            start = min(span.start, self.cursor)
            end = max(span.end - len(hit.probe), self.cursor) if goes_on else self.cursor
            if not goes_on and (hit.role is not Role.VALUE or alone):
                end += len(self.word_after)
            text = self.front + self.after
            while start < min(self.cursor, end) and text[start].isspace():
                start += 1
            while end > max(self.cursor, start) and text[end - 1].isspace():
                end -= 1
            markers = ('"', "'") if hit.role is not Role.VALUE else ()
            if text[start : start + 1] in markers and text[start:end].endswith(text[start]) and end - start > 1:
                start, end = start + 1, end - 1
            if "\n" in text[start:end] or "\r" in text[start:end]:
                if hit.role is not Role.VALUE:
                    return None
                return self.in_value(hit) or self.nothing()
            whole = Span(self.begin + start, self.begin + end)
            typed, name = text[start : self.cursor], text[start:end]
        if hit.role is Role.VALUE:
            inside = self.in_value(hit)
            if inside is not None:
                return inside
        role = Role.ARGUMENT if hit.role is Role.KEY and lead else hit.role
        role = Role.CALL if hit.role is Role.TOOL_NAME and lead else role
        tool = hit.call.tool if hit.role is not Role.TOOL_NAME else None
        writing = Writing(
            self.form.dialect,
            alone,
            lead,
            closer,
            faults=hit.faults,
            margin=self.margin,
            quote=self.quote,
            tail=self.tail if not lead and self.tail != self.form.tail else None,
        )
        present = frozenset(one for one in hit.present if PROBE not in one)
        self.is_certain = bool(tool and self.tools.has(tool))
        return CursorPlace(role, whole, typed, name, tool, hit.path, present, writing=writing)

    def in_value(self, hit: ProbeHit) -> CursorPlace | None:
        """Return the place inside of a value that is written as JSON, None where it is none."""
        if not self.form.json_values or not hit.path or hit.call.tool is None:
            return None
        text = self.front + self.after
        at = hit.span.start
        while at < self.cursor and text[at].isspace():
            at += 1
        if at >= self.cursor or text[at] not in "{[":
            return None
        marker = MARKER.search(self.form.number_close)
        stop = text.find(marker[0], self.cursor) if marker is not None else -1
        found, _ = json_hit(text, at, len(text) if stop < 0 else stop, self.cursor)
        if found is None or not found.frames:
            return None
        return self.argument(found, hit.call.tool, (*hit.path[:1], *found.steps))

    def argument(self, hit: Hit, tool: str | None, path: Path) -> CursorPlace:
        """Return the place of a key or value among the arguments, where `path` leads to it from them."""
        self.is_certain = True
        return hit.argument(tool, path).shift(self.begin)


@cache
def _tail_after(form: Form, opener: str) -> str:
    """Return how much of what ends a call of the form does so where it began with this opener."""
    whole = form.head + TOOL + form.first + KEY + form.link + VALUE + form.close
    dialect, at = find_dialect(form.dialect), whole.find(opener)
    if dialect is None or at <= 0:
        return form.tail
    for part in ("", *starts(form.tail)):
        tail = form.tail[: len(form.tail) - len(part)]
        text = whole[at:] + tail
        reading = dialect.read(text, 0, ReadContext(ProbeTools(EMPTY), preferred=form.dialect))
        calls = reading.calls if reading is not None else []
        if calls and calls[-1].complete and not faults_of(calls[-1]) and not (reading and reading.problems):
            return tail
    return form.tail


def faults_of(call: ToolCall) -> int:
    """Return how many problems of a call are about something missing or out of place."""
    return sum(problem.kind not in HARMLESS for problem in call.problems)


def where(call: ToolCall, text: str, at: int) -> ProbeHit | None:
    """Return where in a call the probe at `at` is."""
    faults = faults_of(call) + (not call.complete)
    for span in call.name_spans or (call.tool_span,):
        if span.start <= at < span.end:
            clean = _CLEAN.fullmatch(span.of(text)) is not None
            return ProbeHit(Role.TOOL_NAME, call, span, (), frozenset(), faults) if clean else None
    value = call.arguments
    if isinstance(value, MarkupValue):
        return _in_markup(call, value.members, text, at, (), faults)
    if isinstance(value, JsonValue):
        return _in_node(call, value.node, text, at, (), faults)
    return None


def _in_markup(
    call: ToolCall, members: Sequence[Argument], text: str, at: int, path: Path, faults: int
) -> ProbeHit | None:
    names = frozenset(member.name for member in members)
    for index, member in enumerate(members):
        if member.name_span.start <= at < member.name_span.end:
            clean = _CLEAN.fullmatch(member.name_span.of(text)) is not None
            return ProbeHit(Role.KEY, call, member.name_span, path, names, faults) if clean else None
        span = member.value.span
        if span.start <= at < span.end:
            step: str | int = index if member.name == "item" and path else member.name
            inner = member.value.members if isinstance(member.value, MarkupValue) else ()
            deeper = _in_markup(call, inner, text, at, (*path, step), faults) if inner else None
            if inner:
                return deeper
            return ProbeHit(Role.VALUE, call, span, (*path, step), names, faults)
    return None


def _in_node(call: ToolCall, node: JsonNode, text: str, at: int, path: Path, faults: int) -> ProbeHit | None:
    if node.kind == "object":
        names = frozenset(member.key for member in node.members)
        for member in node.members:
            if member.key_span.start <= at < member.key_span.end:
                clean = _CLEAN.fullmatch(member.key_span.of(text)) is not None
                return ProbeHit(Role.KEY, call, member.key_span, path, names, faults) if clean else None
            if member.value.span.start <= at < member.value.span.end:
                return _in_node(call, member.value, text, at, (*path, member.key), faults)
        return None
    if node.kind == "array":
        for index, item in enumerate(node.items):
            if item.span.start <= at < item.span.end:
                return _in_node(call, item, text, at, (*path, index), faults)
        return None
    return ProbeHit(Role.VALUE, call, node.span, path, frozenset(), faults) if path else None
