"""Calls whose parameters stand in markers of their own: one reading for every such notation.

Owns: where a value ends, what is missing, and the call tree. Must not know: dialect modules, the registry's class, how
values are typed by a schema.

Nothing in these notations can be escaped, so a value may hold the marker that ends it. A closing marker ends the value
where what follows it can follow a parameter: the next one's opening marker, the end of the call, of the section, of the
text. Any other is part of the value. Where a whole call or a whole pair of markers stands in a value, it is text. A
value without a closing marker ends where the next parameter begins, if that parameter is closed in its turn, or where
the call ends.

Each marker is looked at a bounded number of times, whatever the text.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, NamedTuple

from callwright.calls.json_places import own_problems
from callwright.calls.model import JsonValue, MarkupValue, ToolCall, Value
from callwright.calls.protocol import ReadContext, Reading
from callwright.calls.scanning import next_literal, skip_space
from callwright.calls.sketch import is_placeholder_name
from callwright.calls.tagged_grammar import LONGEST_HEAD, Grammar, Head, ends_as_marker
from callwright.calls.tagged_types import typed_arguments, types_of
from callwright.syntax.json import JsonRead, read_json
from callwright.syntax.problem import Problem
from callwright.syntax.xml import XmlCData, XmlElement, XmlText
from callwright.syntax.xml_plain import NamedText
from callwright.text.holes import HOLE
from callwright.text.line_ends import last_line
from callwright.text.span import Edit, Span, delete, insert

#: So many whole calls may stand in one value before it is taken for one that was never closed.
_MOST_NESTED: Final = 8
_ENTITY = re.compile(r"&(?:lt|gt|amp|quot|apos|#\d{1,7}|#x[0-9a-fA-F]{1,6});")
_WRONG_CLOSER = re.compile(r"</\s*+([A-Za-z_][\w.:\-]{0,100}+)\s*+>\s*+")
_LAYOUT = re.compile(r"[ \t]*+(?:\r\n|\n|\r)?(?=[ \t]*+\Z)")
_ELISION = re.compile(rf"(?:\.\.\.|…|{HOLE}++)\s*+")
#: What follows the name of a tag that has no attributes.
_NAMELESS = re.compile(r"(?<=[a-z])[ \t]*+>")
#: The attribute that a marker's name stands in.
_NAME_KEY = re.compile(r'\s([\w\-]++)="\{name\}')
#: Names under which models put all arguments at once.
_WRAPPERS: Final = frozenset({"arguments", "input", "properties", "parameters"})
_ELISIONS: Final = frozenset({"...", "…"})


class TaggedElement(XmlElement):
    """A parameter with markers of its own: the name is written once, at `place`."""

    __slots__ = ("place",)

    def __init__(self, source: str, name: str, start: int, open_end: int, place: Span) -> None:
        super().__init__(source, name, start, open_end)
        self.place = place
        self._attributes = []

    @property
    def name_span(self) -> Span:
        """The name in the opening marker."""
        return self.place

    @property
    def close_name_span(self) -> Span | None:
        """None: a closing marker does not say the name again."""
        return None


@dataclass(slots=True)
class Parameter:
    """One parameter: its opening marker, the content, and where the parameter ends."""

    head: Head
    content: Span
    end: int
    closed: bool


class _Follow(NamedTuple):
    """What makes a closing marker the end of a value: the kind of what follows, and the next parameter's name."""

    kind: Literal["parameter", "call", "close", "shut", "end"]
    name: str | None = None


class _End(NamedTuple):
    """Where a value ends and reading goes on, and whether by a closing marker; `at_end` where the text ends in it."""

    content: int
    end: int
    closed: bool
    at_end: bool = False
    inner: Span | None = None


def read_tagged(text: str, start: int, context: ReadContext, grammar: Grammar, dialect: str) -> Reading | None:
    """Read the call, or the section of calls, that begins at `start`; None where none does."""
    if grammar.section_at(text, start) is None:
        head, looked = grammar.call(text, start)
        if head is None:
            # As most places where a marker begins that others use as well; a reader would only find the same.
            context.look(min(len(text), looked))
            return None
    reader = TaggedReader(text, context, grammar, dialect)
    reading = reader.read(start)
    context.look(min(len(text), reader.reach))
    return reading


class TaggedReader:
    """One reading of one call or section: what was looked at so far, and what is wrong."""

    def __init__(self, text: str, context: ReadContext, grammar: Grammar, dialect: str) -> None:
        self.text = text
        self.context = context
        self.grammar = grammar
        self.dialect = dialect
        self.reach = 0
        self.follows: dict[int, _Follow | None] = {}
        #: The parameters of the call that is read, None where they are not known.
        self.known: Mapping[str, Any] | None = None

    def looked(self, to: int) -> None:
        """Note that the text was looked at up to `to`."""
        self.reach = max(self.reach, to)

    def looked_for(self, at: int, markers: Iterable[str]) -> None:
        """Note how far one has to look to tell which of `markers` stands at `at`, or that none does."""
        text = self.text
        for marker in markers:
            size = len(marker)
            if not text.startswith(marker, at):
                # Up to the first character that is none of the marker's.
                size = next(n for n, char in enumerate(marker, 1) if text[at + n - 1 : at + n] != char)
            self.looked(at + size)

    def _may_be_marker(self, at: int) -> bool:
        """Return whether a marker may begin at `at`."""
        return at >= len(self.text) or self.text[at] in self.grammar.firsts

    def space(self, at: int) -> int:
        """Return where white space that begins at `at` ends."""
        end = skip_space(self.text, at)
        self.looked(end + 1)
        return end

    def call_head(self, at: int) -> Head | None:
        """Return the call's opening marker at `at`, or None."""
        head, looked = self.grammar.call(self.text, at)
        self.looked(looked if self._may_be_marker(at) else at + 1)
        if head is not None and self.grammar.doubled:
            self._halve(head)
        if head is not None and head.name is None and head.attributes:
            self._name(head, self.grammar.call_form, self.context.tools.has)
        return head

    def _name(self, head: Head, form: str, is_known: Callable[[str], bool]) -> None:
        """Name a marker by the one attribute that says a known name, where it stands under a wrong key."""
        key = _NAME_KEY.search(form)
        named = [name for name, value in head.attributes.items() if name != self.grammar.types and is_known(value)]
        if key is None or len(named) != 1 or key[1] in head.attributes:
            return
        span = head.attribute_spans[named[0]]
        place = self.text.rfind(named[0], head.start, span.start)
        if place < 0:
            return
        wrong = Span(place, place + len(named[0]))
        data = {"reason": "misnamed", "name": named[0], "found": key[1]}
        head.name, head.name_span = head.attributes[named[0]], span
        head.problems = (*head.problems, Problem("broken-attribute", wrong, data, (Edit(wrong, key[1]),), True))

    def _halve(self, head: Head) -> None:
        """Take the name of a head that is written twice, as `f.f`, for what it is; no tool is called so as a whole."""
        first, dot, second = (head.name or "").partition(".")
        begin, end = head.name_span
        if not dot or first != second or end - begin != len(head.name or "") or self.context.tools.has(head.name or ""):
            return
        head.name, head.name_span = second, Span(end - len(second), end)
        head.again = (Span(begin, begin + len(first)),)

    def parameter_head(self, at: int) -> Head | None:
        """Return the parameter's opening marker at `at`, None where none stands there or it has no name."""
        head, looked = self.grammar.parameter(self.text, at)
        self.looked(looked if self._may_be_marker(at) else at + 1)
        if head is not None and head.name is None and head.attributes and self.known:
            self._name(head, self.grammar.parameter_form, self.known.__contains__)
        return head if head is not None and head.name is not None else None

    def faulty_head(self, at: int) -> Head | None:
        """Return what was meant for a parameter's opening marker at `at`; it has no name where its value is missing."""
        if self.grammar.faulty is None or not self.text.startswith(self.grammar.parameter_opener, at):
            return None
        head, looked = self.grammar.faulty(self.text, at)
        self.looked(looked)
        return head

    def _any_head(self, at: int) -> Head | None:
        """Return the parameter's opening marker at `at`, or what was meant for one."""
        return self.parameter_head(at) or self.faulty_head(at)

    def read(self, start: int) -> Reading | None:
        """Read what begins at `start`."""
        section = self.grammar.section_at(self.text, start)
        if section is None:
            call = self.call(start, framed=False)
            if call is None:
                return None
            return self._alone(call)
        at = start + len(section[0])
        calls: list[ToolCall] = []
        problems: list[Problem] = []
        while True:
            begin = self._beyond(self.space(at), self.grammar.lead)
            call = self.call(begin, framed=True)
            if call is None:
                break
            calls.append(call)
            at = self._beyond(self.space(call.span.end), self.grammar.tail, call.span.end)
        if not calls:
            return None
        end = self._close_section(start, section, calls, at, problems)
        frame = Span(start, end)
        for call in calls:
            call.frame = frame
        return Reading(calls, end, min(len(self.text), max(self.reach, end)), problems)

    def _beyond(self, at: int, markers: tuple[str, ...], default: int | None = None) -> int:
        """Return where the markers that may stand at `at` end, white space behind them included."""
        moved = False
        for marker in markers:
            self.looked_for(at, (marker,))
            if self.text.startswith(marker, at):
                end = at + len(marker)
                at, moved = self.space(end), True
                default = end if default is not None else None
        return at if moved and default is None else default if default is not None else at

    def _close_section(
        self, start: int, section: tuple[str, str], calls: list[ToolCall], at: int, problems: list[Problem]
    ) -> int:
        """Return where the section ends whose last call ends at `at`; tell where its closing marker is missing."""
        text, (opener, closer) = self.text, section
        place = self.space(at)
        self.looked_for(place, (each for _, each in self.grammar.sections))
        if text.startswith(closer, place):
            return place + len(closer)
        other = next((each for _, each in self.grammar.sections if text.startswith(each, place)), None)
        if other is not None:
            span = Span(place, place + len(other))
            opening = Span(start, start + len(opener))
            data = {"expected": closer, "found": other, "open": opening, "swallows": (), "marker": closer}
            problems.append(Problem("mismatched-tag", span, data, (Edit(span, closer),), certain=True))
            return span.end
        if not calls[-1].complete:
            close_section_too(calls[-1], self.grammar.call_closer, self.grammar.between, closer)
            return at
        half = self._half(place, closer)
        end = half or at
        repair = (insert(at, self.grammar.between + closer),)
        if half is not None:
            repair = (Edit(Span(place, len(text)), closer),)
        missing: dict[str, Any] = {
            "name": closer,
            "names": (),
            "insert_at": at,
            "by_truncation": place >= len(text) or half is not None,
            "marker": closer,
        }
        problems.append(Problem("unclosed-tag", Span(start, start + len(opener)), missing, repair, certain=True))
        return end

    def _half(self, at: int, *markers: str) -> int | None:
        """Return the text's end where it ends in the middle of one of `markers`, which begins at `at`; else None."""
        size, longest = len(self.text) - at, max(map(len, markers))
        self.looked_for(at, markers)
        if not 0 < size < longest:
            return None
        rest = self.text[at:]
        return len(self.text) if any(marker.startswith(rest) for marker in markers) else None

    def _alone(self, call: ToolCall) -> Reading:
        """Return the reading of a call without a section in front of it; a closing marker behind it is taken along."""
        text, end = self.text, call.span.end
        place = self.space(end)
        sections = self.grammar.sections
        closer = next((closer for _, closer in sections if text.startswith(closer, place)), None)
        self.looked_for(place, (each for _, each in sections))
        if closer is not None:
            end = place + len(closer)
            call.frame = Span(call.span.start, end)
        if self.grammar.wraps:
            opener = next((opener for opener, each in sections if each == closer), sections[0][0])
            edits = [insert(call.span.start, opener + self.grammar.between)]
            if closer is None:
                edits.append(insert(call.span.end, self.grammar.between + sections[0][1]))
            if not call.complete:
                edits = []
            data = {
                "reading": f"This call is read although `{opener}` does not stand in front of it",
                "others": self.grammar.outside,
            }
            opening = Span(call.span.start, max(call.tool_span.end, call.span.start))
            call.problems.append(Problem("engines-differ", opening, data, tuple(edits), certain=True))
        elif closer is not None:
            span = Span(place, end)
            data = {"name": closer, "marker": closer}
            call.problems.append(Problem("stray-closing-tag", span, data, (delete(*span),), certain=call.complete))
        return Reading([call], end, min(len(text), max(self.reach, end)))

    def call(self, start: int, *, framed: bool) -> ToolCall | None:
        """Read the call at `start`; None where none begins there. In a section a call needs no further sign."""
        text, grammar = self.text, self.grammar
        head = self.call_head(start)
        if head is None or (head.name is None and not framed):
            return None
        if head.end >= len(text) and text[-1] not in grammar.head_ends and not self.context.tools.has(head.name or ""):
            self.looked(len(text))
            return None
        problems = list(head.problems)
        if head.empty:
            return self._call(head, [], MarkupValue(self._root(head, [], head.end)), head.end, head.end, True)
        parameters: list[Parameter] = []
        at, last = self._plain_parameters(head.end, parameters)
        if last >= 0:
            end = last + len(grammar.call_closer)
            return self._done(head, parameters, problems, last, end, True, plain=len(parameters))
        if not parameters:
            visible = self.space(head.end)
            if grammar.object_body and text.startswith("{", visible):
                return self._with_object(head, visible, problems)
            if not framed and not self._goes_on(visible):
                return None
            if head.problems and head.end == head.name_span.end and not self._goes_on(visible):
                return None
        tool = head.name or ""
        known = self.known = self.context.tools.parameters(tool) or None
        given: set[str] = {parameter.head.name or "" for parameter in parameters}
        while True:
            self.context.budget.check()
            place = self.space(at)
            self.looked_for(place, (grammar.call_closer,))
            if text.startswith(grammar.call_closer, place):
                end = place + len(grammar.call_closer)
                return self._done(head, parameters, problems, place, end, True)
            found = self.parameter_head(place) if text.startswith(grammar.parameter_opener, place) else None
            if found is None:
                found = self.faulty_head(place)
            if found is not None and found.name is None:
                problems += found.problems
                at = found.end
                continue
            if found is None:
                following = self._beyond_text(place, problems)
                if following is None:
                    return self._unclosed(head, parameters, problems, at, place)
                at = following
                continue
            parameter = self._parameter(found, known, given, problems)
            parameters.append(parameter)
            given.add(found.name or "")
            at = parameter.end
            if not parameter.closed and at >= len(text):
                return self._done(head, parameters, problems, at, at, False)

    def _plain_parameters(self, at: int, parameters: list[Parameter]) -> tuple[int, int]:
        """Read parameters that are written without any doubt from `at` on; return where the first other thing stands,
        and where the call's closing marker does if it ends there, else -1.

        It gives what reading marker by marker gives, the places that are looked at included, at a fraction of the cost.
        """
        text, grammar = self.text, self.grammar
        match, types, size = grammar.plain.match, grammar.types, len(grammar.parameter_closer)
        while (found := match(text, at)) is not None:
            last = found.start("last")
            if last >= 0 and self._closes_behind(last + len(grammar.call_closer), ends_call=True):
                break
            begin, end = found.span("name")
            start, stop = found.span("value")
            head = Head(begin - grammar.name_at, start, found["name"], Span(begin, end))
            if types:
                head.attributes, head.attribute_spans = {types: found["type"]}, {types: Span(*found.span("type"))}
            at = stop + size
            parameters.append(Parameter(head, Span(start, stop), at, True))
            if last >= 0:
                return at, last
        return at, -1

    def _goes_on(self, at: int) -> bool:
        """Tell whether what stands at `at` shows that the marker in front of it was no mention: a parameter, the
        call's end, the end of the text."""
        text, grammar = self.text, self.grammar
        self.looked(at + max(len(grammar.call_closer), len(grammar.parameter_opener)))
        if at >= len(text) or text.startswith(grammar.call_closer, at):
            return True
        if text.startswith(grammar.parameter_opener, at) and (
            self.parameter_head(at) is not None
            or _NAMELESS.match(text, at + len(grammar.parameter_opener)) is not None
            or self.faulty_head(at) is not None
        ):
            return True
        elision = _ELISION.match(text, at)
        if elision is not None:
            self.looked(elision.end() + len(grammar.call_closer))
            return text.startswith(grammar.call_closer, elision.end())
        return self._half(at, grammar.call_closer, grammar.parameter_opener) is not None or self._half_head(at)

    def _half_head(self, at: int) -> bool:
        """Tell whether the text ends inside a parameter's opening marker that begins at `at`."""
        text, opener = self.text, self.grammar.parameter_opener
        if not text.startswith(opener, at):
            return False
        if self.grammar.half is not None:
            self.looked(at + LONGEST_HEAD)
            return self.grammar.half(text, at)
        begin = at + len(opener)
        end, firsts = self.grammar.parameter_form.rstrip()[-1], self.grammar.firsts
        close = text.find(end, begin, begin + LONGEST_HEAD)
        if close >= 0 or len(text) > begin + LONGEST_HEAD:
            self.looked(close + 1 if close >= 0 else begin + LONGEST_HEAD + 1)
            return False
        self.looked(len(text))
        rest = text[begin:].replace("<|", "").rstrip(firsts)
        return not any(first in rest for first in firsts)

    def _beyond_text(self, at: int, problems: list[Problem]) -> int | None:
        """Return where reading goes on behind text between parameters; None where the call cannot go on."""
        text, grammar = self.text, self.grammar
        if at >= len(text) or self._half(at, grammar.call_closer, grammar.parameter_opener) is not None:
            return None
        place = at
        while True:
            match = grammar.tokens.search(text, place)
            if match is None:
                self.looked(len(text))
                return None
            self.looked(match.end())
            kind = match.lastgroup
            if kind == "close" or (kind == "parameter" and self._any_head(match.start()) is not None):
                break
            if kind in ("shut", "section") or (kind == "call" and self._names_call(match.start())):
                return None
            place = match.end()
        stray = text[at : match.start()].rstrip()
        if stray and stray not in _ELISIONS and stray.strip(HOLE):
            span = Span(at, at + len(stray))
            closer = _WRONG_CLOSER.fullmatch(stray)
            if closer is not None or stray == grammar.parameter_closer:
                data: dict[str, Any] = {"name": stray.strip("</>"), "marker": stray}
                problems.append(Problem("stray-closing-tag", span, data, (delete(*span),), certain=True))
            else:
                data = {"name": "arguments", "text": stray}
                problems.append(Problem("text-between-parameters", span, data, (delete(*span),)))
        return match.start()

    def _names_call(self, at: int) -> bool:
        """Tell whether a call's opening marker with a name stands at `at`: text between parameters holds none."""
        head = self.call_head(at)
        return head is not None and head.name is not None

    def structural(self, at: int) -> bool:
        """Tell whether the call's opening marker at `at` begins a whole call and is no mention of one."""
        head = self.call_head(at)
        if head is None or head.name is None:
            return False
        visible = self.space(head.end)
        if self.grammar.object_body and self.text.startswith("{", visible):
            return True
        return head.empty or self._goes_on(visible)

    def _unclosed(
        self, head: Head, parameters: list[Parameter], problems: list[Problem], at: int, place: int
    ) -> ToolCall:
        """Return the call that ends at `at` for want of its closing marker."""
        text, grammar = self.text, self.grammar
        closer = grammar.call_closer
        closers = tuple(each for _, each in grammar.sections)
        self.looked_for(place, closers)
        wrong = None if text.startswith(closers, place) else self._closing_tag(place)
        if wrong is not None and self._ends_section(wrong.end()):
            span = Span(place, place + len(wrong[0].rstrip()))
            opening = Span(head.start, head.end)
            data = {"expected": closer.strip("</>"), "found": wrong[1], "open": opening, "swallows": ()}
            problems.append(Problem("mismatched-tag", span, data | {"marker": closer}, (Edit(span, closer),), True))
            return self._done(head, parameters, problems, place, span.end, True)
        half = self._half(place, closer, grammar.parameter_opener, grammar.separator) is not None
        if half or self._half_head(place):
            return self._half_marker(head, parameters, problems, place)
        data = {
            "name": closer,
            "names": (),
            "insert_at": at,
            "by_truncation": place >= len(text),
            "marker": closer,
        }
        repair = (insert(at, grammar.between + closer),)
        problems.append(Problem("unclosed-tag", Span(head.start, head.end), data, repair, certain=not problems))
        return self._done(head, parameters, problems, at, at, False)

    def _closing_tag(self, at: int) -> re.Match[str] | None:
        """Return the closing tag of whatever name at `at`, or None."""
        match = _WRONG_CLOSER.match(self.text, at)
        if match is not None:
            self.looked(match.end() + 1)
        elif self.text.startswith("</", at):
            self.looked(at + LONGEST_HEAD)
        else:
            self.looked(at + 2)
        return match

    def _half_marker(self, head: Head, parameters: list[Parameter], problems: list[Problem], place: int) -> ToolCall:
        """Return the call in which the text ends in the middle of a marker."""
        text, closer = self.text, self.grammar.call_closer
        rest = text[place:].rstrip()
        span = Span(place, place + len(rest))
        closing = closer.startswith(rest)
        shown = " ".join(rest.split())
        data = {"name": shown.strip("</>|"), "names": (), "text": shown, "by_truncation": True, "closing": closing}
        separator = self.grammar.separator if len(rest) > 1 and self.grammar.separator.startswith(rest) else ""
        repair = (Edit(Span(place, len(text)), separator + closer),)
        problems.append(Problem("truncated-tag", span, data, repair, certain=closing and len(rest) > 1))
        return self._done(head, parameters, problems, place, len(text), False)

    def _ends_section(self, at: int) -> bool:
        place = skip_space(self.text, at)
        closers = tuple(closer for _, closer in self.grammar.sections)
        self.looked_for(place, closers)
        return place >= len(self.text) or self.text.startswith(closers, place)

    def _with_object(self, head: Head, at: int, problems: list[Problem]) -> ToolCall:
        """Read a call whose parameters are one JSON object in the place of markers."""
        text, closer = self.text, self.grammar.call_closer
        found = next_literal(text, at, closer, self.context)
        other = next_literal(text, at, self.grammar.call_opener, self.context)
        limit = min((each for each in (found, other) if each >= 0), default=len(text))
        self.looked(limit)
        read = read_json(text, at, limit, open_ended=found < 0, budget=self.context.budget)
        self.looked(read.reach)
        problems += own_problems(read)
        place = self.space(read.end)
        self.looked(place + len(closer))
        closed = text.startswith(closer, place)
        end = place + len(closer) if closed else read.end
        if not closed:
            data = {"name": closer, "names": (), "insert_at": read.end, "by_truncation": place >= len(text)}
            repair = (insert(read.end, closer),)
            opening = Span(head.start, head.end)
            problems.append(
                Problem("unclosed-tag", opening, data | {"marker": closer}, repair, certain=not read.problems)
            )
        return self._call(head, problems, JsonValue(read), place if closed else read.end, end, closed)

    def _done(
        self,
        head: Head,
        parameters: list[Parameter],
        problems: list[Problem],
        body_end: int,
        end: int,
        complete: bool,
        plain: int = 0,
    ) -> ToolCall:
        """Return the call with the parameters that were read, of which the first `plain` are without any doubt."""
        grammar, text = self.grammar, self.text
        wrapped = self._wrapped(head, parameters)
        if wrapped is not None:
            problems += wrapped.problems
            return self._call(head, problems, JsonValue(wrapped), body_end, end, complete)
        if grammar.types:
            read = typed_arguments(text, Span(head.end, body_end), parameters, grammar, self.context, head.name or "")
            problems += read.problems
            return self._call(head, problems, JsonValue(read), body_end, end, complete)
        self._note_sections(parameters, problems)
        self._note_markup(parameters, problems)
        if plain and len(parameters) == plain and len({parameter.head.name for parameter in parameters}) == plain:
            texts = [NamedText(each.head.name or "", text[slice(*each.content)]) for each in parameters]
            value = MarkupValue(lambda: self._root(head, parameters, body_end), grammar.style, texts)
        else:
            value = MarkupValue(self._root(head, parameters, body_end), grammar.style)
        return self._call(head, problems, value, body_end, end, complete)

    def _wrapped(self, head: Head, parameters: list[Parameter]) -> JsonRead | None:
        """Return the arguments where one parameter that the tool does not have holds all of them as an object."""
        known = self.context.tools.parameters(head.name or "")
        if len(parameters) != 1 or not known or parameters[0].head.name not in _WRAPPERS - known.keys():
            return None
        start, end = parameters[0].content
        if not self.text.startswith("{", skip_space(self.text, start), end):
            return None
        read = read_json(self.text, start, end, budget=self.context.budget)
        if not isinstance(read.value, dict) or not read.value.keys() <= known.keys():
            return None
        data = {
            "reading": f"The tool has no `{parameters[0].head.name}`; what it holds is read as the arguments",
            "others": "most readers take it for one argument of that name",
        }
        name_span = parameters[0].head.name_span
        read.problems = [*own_problems(read), Problem("engines-differ", name_span, data, certain=True)]
        return read

    def _call(
        self, head: Head, problems: list[Problem], arguments: Value, body_end: int, end: int, complete: bool
    ) -> ToolCall:
        name = head.name
        call_id = head.attributes.get("index") if self.grammar.types == "type" else None
        details: dict[str, Any] = {"family": self.dialect}
        if call_id is not None:
            details |= {"counted": True, "counts_from": 1}
        if name is None:
            details["name_key"] = "name"
        return ToolCall(
            dialect=self.dialect,
            span=Span(head.start, end),
            tool=name,
            tool_span=head.name_span,
            arguments=arguments,
            body=Span(head.end, body_end),
            name_spans=(head.name_span, *head.again) if name is not None else (),
            problems=problems,
            call_id=call_id,
            sketch=name is not None and is_placeholder_name(name),
            complete=complete,
            details=details,
        )

    def _root(self, head: Head, parameters: list[Parameter], body_end: int) -> TaggedElement:
        """Return the element whose children are the parameters."""
        text = self.text
        root = TaggedElement(text, head.name or "", head.start, head.end, head.name_span)
        root.content_end = root.end = body_end
        at = head.end
        for parameter in parameters:
            element = self._element(parameter)
            if element.start > at:
                root.children.append(XmlText(text, at, element.start))
            root.children.append(element)
            at = element.end
        if body_end > at:
            root.children.append(XmlText(text, at, body_end))
        return root

    def _element(self, parameter: Parameter) -> TaggedElement:
        head, (start, end) = parameter.head, parameter.content
        element = TaggedElement(self.text, head.name or "", head.start, start, head.name_span)
        element.content_end, element.end = end, parameter.end
        if parameter.closed:
            element.close_start = end
        element.make_opaque()
        if self.grammar.cdata:
            element.children = list(_sections(self.text, start, end)) or element.children
        return element

    def _note_sections(self, parameters: list[Parameter], problems: list[Problem]) -> None:
        """Tell of sections that are opened in a value and not closed before it ends."""
        if not self.grammar.cdata:
            return
        text = self.text
        for parameter in parameters:
            start, end = parameter.content
            section = text.rfind("<![CDATA[", start, end)
            if section >= 0 and text.find("]]>", section, end) < 0:
                stop = end
                while stop > section and text[stop - 1] in "]>" and stop > end - 2:
                    stop -= 1
                data = {"names": (parameter.head.name or "",)}
                repair = (Edit(Span(stop, end), "]]>"),)
                problems.append(
                    Problem("unterminated-cdata", Span(section, section + 9), data, repair, certain=stop == end)
                )

    def _note_markup(self, parameters: list[Parameter], problems: list[Problem]) -> None:
        """Tell of what stands in a value and means something to readers that take the call for XML."""
        if not self.grammar.markup or not parameters:
            return
        text = self.text
        begin, stop = parameters[0].content.start, parameters[-1].content.end
        if text.find("&", begin, stop) < 0 and text.find("<![CDATA[", begin, stop) < 0:
            return
        for parameter in parameters:
            start, end = parameter.content
            if text.find("&", start, end) >= 0:
                entity = _ENTITY.search(text, start, end)
                if entity is not None and not (self.grammar.cdata and text.find("<![CDATA[", start, end) >= 0):
                    data = {
                        "reading": f"`{entity[0]}` is read as it is written",
                        "others": "readers that take the call for XML put the character itself in its place",
                    }
                    problems.append(Problem("engines-differ", Span(*entity.span()), data, certain=True))
            if not self.grammar.cdata:
                section = text.find("<![CDATA[", start, end)
                if section >= 0 and text.find("]]>", section, end) >= 0:
                    data = {
                        "reading": "The CDATA section is read as it is written, markers included",
                        "others": "readers that take the call for XML leave its markers out",
                    }
                    problems.append(Problem("engines-differ", Span(section, section + 9), data, certain=True))

    def _parameter(
        self,
        head: Head,
        known: Mapping[str, Any] | None,
        given: set[str],
        problems: list[Problem],
    ) -> Parameter:
        """Read the parameter whose opening marker was read; note what is wrong with its end."""
        grammar = self.grammar
        problems += head.problems
        if head.empty:
            return Parameter(head, Span(head.end, head.end), head.end, True)
        ending = self._value_end(head, known, given)
        content = Span(head.end, ending.content)
        if ending.closed:
            if ending.inner is not None:
                closer = grammar.parameter_closer
                used = Span(ending.content, ending.end)
                data: dict[str, Any] = {"name": closer.strip("</>"), "marker": closer, "used": used}
                problems.append(Problem("ambiguous-closer", ending.inner, data))
            return Parameter(head, content, ending.end, True)
        if ending.at_end:
            return self._cut_off(head, problems)
        return self._without_closer(head, ending.content, problems)

    def _cut_off(self, head: Head, problems: list[Problem]) -> Parameter:
        """Return the parameter in whose value the text ends."""
        text, closer = self.text, self.grammar.parameter_closer
        end = len(text)
        last = text.find(closer[0], max(head.end, end - len(closer) + 1))
        while last >= 0 and not closer.startswith(text[last:]):
            last = text.find(closer[0], last + 1)
        content_end = last if 0 <= last < end - 1 else end
        whole = self.grammar.close_gap + closer + self.grammar.between + self.grammar.call_closer
        data = {
            "name": closer,
            "names": (),
            "insert_at": content_end,
            "by_truncation": True,
            "marker": closer + self.grammar.call_closer,
        }
        repair = (Edit(Span(content_end, end), whole),)
        problems.append(Problem("unclosed-tag", Span(head.start, head.end), data, repair))
        return Parameter(head, Span(head.end, content_end), end, False)

    def _without_closer(self, head: Head, end: int, problems: list[Problem]) -> Parameter:
        """Return the parameter that ends at `end` without its closing marker, or with a wrong one."""
        text, closer = self.text, self.grammar.parameter_closer
        opening = Span(max(head.start, last_line(text, head.start, head.end)), head.end)
        wrong = self._wrong_closer(head, end)
        if wrong is not None:
            following = self.parameter_head(end)
            swallows = (following.name,) if following is not None else ()
            data: dict[str, Any] = {
                "expected": closer.strip("</>"),
                "found": wrong.of(text).strip("</> \t\r\n"),
                "open": opening,
                "swallows": swallows if closer.startswith("</") else (),
                "marker": closer,
            }
            problems.append(Problem("mismatched-tag", wrong, data, (Edit(wrong, closer),), certain=True))
            return Parameter(head, Span(head.end, wrong.start), wrong.end, True)
        start = max(head.end, end - 200)
        layout = _LAYOUT.search(text[start:end])
        content_end = end if layout is None else start + layout.start()
        data = {"name": closer, "names": (), "insert_at": content_end, "by_truncation": False, "marker": closer}
        data["value"] = True
        # A value that begins next to its marker ends next to it.
        gap = self.grammar.close_gap if text.startswith(("\n", "\r"), head.end) else ""
        repair = (insert(content_end, gap + closer),)
        certain = self._shows_end(head, content_end, end)
        if not self.grammar.markup and ends_as_marker(text[start:content_end]):
            certain = False
        problems.append(Problem("unclosed-tag", opening, data, repair, certain=certain))
        return Parameter(head, Span(head.end, content_end), content_end, False)

    def _shows_end(self, head: Head, content_end: int, end: int) -> bool:
        """Tell whether the white space between a value without a closing marker and the next marker is layout.

        It is where it stands in front of the parameter as well, where the notation puts values on lines of their own,
        and where the schema wants no text; else it may be the value's.
        """
        text = self.text
        if content_end == end or (self.grammar.close_gap and text.startswith(("\n", "\r"), head.end)):
            return text[content_end - 1 : content_end] not in ("\n", "\r")
        before = head.start
        while before > 0 and text[before - 1] in " \t\r\n":
            before -= 1
        if text[before : head.start] == text[content_end:end]:
            return True
        schema = (self.known or {}).get(head.name or "")
        types = types_of(schema)
        return types is not None and "string" not in types

    def _wrong_closer(self, head: Head, end: int) -> Span | None:
        """Return a closing tag right before `end` that was meant to close the value: the parameter's own name, or one
        that resembles the right marker; a tag that closes something in the value is none."""
        text = self.text
        if not self.grammar.markup:
            return None
        begin = text.rfind("</", max(head.end, end - LONGEST_HEAD), end)
        match = _WRONG_CLOSER.match(text, begin, end) if begin >= 0 else None
        if match is None or match.end() != end:
            return None
        name = match[1]
        right = self.grammar.parameter_closer.strip("</>")
        meant = name == head.name or name.split("=")[0][:3] == right[:3] or name in ("value", "arg", "argument")
        if not meant or text.find(f"<{name}", head.end, begin) >= 0:
            return None
        return Span(begin, begin + len(match[0].rstrip()))

    def _follow(self, at: int) -> _Follow | None:
        """Return what follows a value's closing marker that ends at `at`, None where a value goes on there."""
        if at in self.follows:
            return self.follows[at]
        result = self.follows[at] = self._following(at)
        return result

    def _following(self, at: int) -> _Follow | None:
        text, grammar = self.text, self.grammar
        place = self.space(at)
        if place >= len(text):
            return _Follow("end")
        match = grammar.tokens.match(text, place)
        self.looked_for(place, (*self._markers(), grammar.parameter_closer, grammar.call_opener, "<![CDATA["))
        if match is None:
            if self._half(place, *self._markers()) is not None or self._half_head(place):
                return _Follow("end")
            wrong = self._closing_tag(place)
            if wrong is not None and self._ends_section(wrong.end()):
                return _Follow("close")
            return None
        kind = match.lastgroup
        if kind == "parameter":
            head = self._any_head(place)
            if head is None:
                return _Follow("end") if self._half_head(place) else None
            return _Follow("parameter", head.name)
        if kind in ("close", "shut"):
            return _Follow("close" if kind == "close" else "shut") if not self._inside(match) else None
        if kind == "section":
            return _Follow("call") if self.structural(self.space(match.end())) else None
        if kind == "call":
            return _Follow("call") if self.structural(place) else None
        return None

    def _markers(self) -> tuple[str, ...]:
        grammar = self.grammar
        return (
            grammar.call_closer,
            grammar.parameter_opener,
            *(marker for pair in grammar.sections for marker in pair),
        )

    def _inside(self, match: re.Match[str]) -> bool:
        """Tell whether the end of a call or section is one in a value: the value's closing marker comes behind it."""
        return self._closes_behind(match.end(), ends_call=match.lastgroup == "close")

    def _closes_behind(self, at: int, *, ends_call: bool) -> bool:
        """Tell whether a value's closing marker comes behind the end of a call or of a section at `at`."""
        text, grammar = self.text, self.grammar
        place = self.space(at)
        if ends_call:
            place = self._beyond(place, grammar.tail)
            closer = next((each for _, each in grammar.sections if text.startswith(each, place)), None)
            if closer is not None:
                place = self.space(place + len(closer))
        self.looked_for(place, (grammar.parameter_closer,))
        return text.startswith(grammar.parameter_closer, place)

    def _ends_hard(self, match: re.Match[str]) -> bool:
        """Tell whether the end of a call without a closed value in front is one: the section ends or another begins."""
        text, grammar = self.text, self.grammar
        place = self.space(match.end())
        if match.lastgroup == "close":
            place = self._beyond(place, grammar.tail)
            self.looked_for(place, (each for _, each in grammar.sections))
            if any(text.startswith(each, place) for _, each in grammar.sections):
                return True
        if place >= len(text):
            return True
        following = grammar.tokens.match(text, place)
        if following is None:
            return False
        if following.lastgroup == "section":
            return self.structural(self.space(following.end()))
        return following.lastgroup == "call" and self.structural(place)

    def _next_closer(self, at: int) -> int:
        return next_literal(self.text, at, self.grammar.parameter_closer, self.context)

    def _value_end(self, head: Head, known: Mapping[str, Any] | None, given: set[str]) -> _End:
        """Return where the value ends whose opening marker is `head`."""
        text, tokens, name = self.text, self.grammar.tokens, head.name
        size = len(self.grammar.parameter_closer)
        at = head.end
        depth = nested = openers = 0
        first = last = weak = restart = -1
        section = (-1, -1)
        inner: Span | None = None
        while True:
            match = tokens.search(text, at)
            if match is None:
                self.looked(len(text))
                break
            self.looked(match.end())
            kind, place = match.lastgroup, match.start()
            at = match.end()
            if kind == "cdata":
                end = next_literal(text, at, "]]>", self.context)
                at = end + 3 if end >= 0 else at
            elif kind == "section":
                section = (place, self.space(at))
            elif kind == "call":
                if self.structural(place):
                    if restart < 0:
                        restart = section[0] if section[1] == place else place
                    nested += 1
                    openers += 1
                    if openers > _MOST_NESTED:
                        break
            elif nested:
                if kind == "close":
                    nested -= 1
                    at = at if nested else self._behind_section(at)
                elif kind == "value" and inner is None:
                    inner = Span(*match.span())
            elif kind == "value":
                follow = self._follow(at)
                if follow is not None and not (
                    depth and follow.kind == "parameter" and not _fresh(follow.name, name, known, given)
                ):
                    return _End(place, at, True, inner=inner)
                inner = inner or Span(*match.span())
                if depth:
                    depth -= 1
                else:
                    first = place if first < 0 else first
                    last = place
            elif kind == "parameter":
                other = self.parameter_head(place)
                if other is None:
                    continue
                if _fresh(other.name, name, known, given) and self._begins_next(other, known, last):
                    return _End(last, last + size, True) if last >= 0 else _End(place, place, False)
                depth += 1
                at = max(at, other.end)
            elif self._inside(match):
                continue
            elif self._ends_hard(match):
                return _End(last, last + size, True) if last >= 0 else _End(place, place, False)
            elif weak < 0:
                weak = place
        ends = [each for each in (first, weak, restart) if each >= 0]
        if not ends:
            return _End(len(text), len(text), False, at_end=True)
        end = min(ends)
        return _End(end, end + size, True) if end == first else _End(end, end, False)

    def _behind_section(self, at: int) -> int:
        """Return where a section's closing marker behind a whole call in a value ends; `at` where there is none."""
        place = self._beyond(self.space(at), self.grammar.tail)
        closer = next((each for _, each in self.grammar.sections if self.text.startswith(each, place)), None)
        self.looked_for(place, (each for _, each in self.grammar.sections))
        return at if closer is None else place + len(closer)

    def _begins_next(self, head: Head, known: Mapping[str, Any] | None, closed: int) -> bool:
        """Tell whether a parameter's opening marker inside a value that was not closed before begins the next one.

        The next one is closed in its turn: a pair that is closed inside the value is part of it. Without a schema the
        marker must stand on a line of its own, or behind a closing marker.
        """
        if known is None and closed < 0 and not self._leads_line(head.start):
            return False
        closer = self._next_closer(head.end)
        return closer < 0 or self._follow(closer + len(self.grammar.parameter_closer)) is not None

    def _leads_line(self, at: int) -> bool:
        text = self.text
        while at > 0 and text[at - 1] in " \t":
            at -= 1
        return at == 0 or text[at - 1] in "\r\n"


def close_section_too(call: ToolCall, call_closer: str, between: str, closer: str) -> None:
    """Let the fix that inserts the missing end of the last call of a section insert the section's end, too."""
    for index, problem in enumerate(call.problems):
        if problem.repair and problem.repair[-1].text.endswith(call_closer):
            *edits, last = problem.repair
            data = dict(problem.data)
            if "marker" in data:
                data["marker"] += closer
            repair = (*edits, Edit(last.span, last.text + between + closer))
            call.problems[index] = replace(problem, data=data, repair=repair)
            return


def _fresh(name: str | None, own: str | None, known: Mapping[str, Any] | None, given: set[str]) -> bool:
    """Tell whether a parameter of this name can come next: the tool has it, and the call does not give it yet."""
    return name is not None and name != own and name not in given and (known is None or name in known)


def _sections(text: str, start: int, end: int) -> list[XmlText | XmlCData]:
    """Return the CDATA sections between two offsets, and the text around them that is not white space."""
    pieces: list[XmlText | XmlCData] = []
    at = start
    while (found := text.find("<![CDATA[", at, end)) >= 0:
        close = text.find("]]>", found, end)
        if text[at:found].strip():
            pieces.append(XmlText(text, at, found))
        stop = end if close < 0 else close + 3
        pieces.append(XmlCData(text, found, stop, end if close < 0 else close))
        at = stop
    if pieces and text[at:end].strip():
        pieces.append(XmlText(text, at, end))
    return pieces
