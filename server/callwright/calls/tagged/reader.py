"""Calls whose parameters are in markers of their own: one parser for all such dialects.

Owns: missing parts of a call, sections of calls, and the call tree. Must not know: dialect modules, the registry's
class, how values are typed by a schema.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from callwright.calls.json_places import own_problems
from callwright.calls.marker_problems import differ, half_written, mismatched, text_between, unclosed, unmatched
from callwright.calls.model import JsonValue, MarkupValue, ToolCall, Value
from callwright.calls.protocol import ReadContext, Reading
from callwright.calls.scanning import closes_later, next_literal, skip_space
from callwright.calls.sketch import is_placeholder_name
from callwright.calls.tagged.heads import Head, Parameter
from callwright.calls.tagged.text import WRONG_CLOSER
from callwright.calls.tagged.types import typed_arguments
from callwright.calls.tagged.values import TaggedValues
from callwright.syntax.json import JsonRead, read_json
from callwright.syntax.problem import Problem
from callwright.syntax.xml import XmlCData, XmlElement, XmlText
from callwright.syntax.xml_plain import NamedText
from callwright.text.records import replace
from callwright.text.span import Edit, Span, insert

if TYPE_CHECKING:
    from callwright.calls.tagged.grammar import Grammar

_ENTITY = re.compile(r"&(?:lt|gt|amp|quot|apos|#\d{1,7}|#x[0-9a-fA-F]{1,6});")
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
        """None: a closing marker does not repeat the name."""
        return None


def read_tagged(text: str, start: int, context: ReadContext, grammar: Grammar, dialect: str) -> Reading | None:
    """Read the call, or the section of calls, that begins at `start`; None where none does."""
    if grammar.section_at(text, start) is None:
        head, scanned = grammar.call(text, start)
        if head is None:
            # Most markers that several dialects share fail here; the full reading would return None as well.
            context.look(min(len(text), scanned))
            return None
    reader = TaggedReader(text, context, grammar, dialect)
    reading = reader.read(start)
    context.look(min(len(text), reader.reach))
    return reading


class TaggedReader(TaggedValues):
    """One reading of one call or section: the places that were scanned so far, and the problems."""

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

    def _close_section(
        self, start: int, section: tuple[str, str], calls: list[ToolCall], at: int, problems: list[Problem]
    ) -> int:
        """Return where the section ends whose last call ends at `at`; report a missing closing marker."""
        text, (opener, closer) = self.text, section
        place = self.space(at)
        self.scanned_for(place, (each for _, each in self.grammar.sections))
        if text.startswith(closer, place):
            end = place + len(closer)
            if not calls[-1].complete:
                # Where another call follows, the marker may be that of the call, misspelt.
                after = self.space(end)
                self.scanned_for(after, (self.grammar.call_opener,))
                if text.startswith(self.grammar.call_opener, after):
                    make_uncertain(calls[-1])
            return end
        other = next((each for _, each in self.grammar.sections if text.startswith(each, place)), None)
        if other is not None:
            span = Span(place, place + len(other))
            problems.append(mismatched(span, closer, Span(start, start + len(opener))))
            return span.end
        later = closes_later(text, place, opener, closer, self.context, self.grammar.call_opener)
        if not calls[-1].complete:
            if later:
                make_uncertain(calls[-1])
            else:
                close_section_too(calls[-1], self.grammar.call_closer, self.grammar.between, closer)
            return at
        half = self._half(place, closer)
        end = half or at
        repair = insert(at, self.grammar.between + closer)
        if half is not None:
            repair = Edit(Span(place, len(text)), closer)
        cut = place >= len(text) or half is not None
        opening = Span(start, start + len(opener))
        problems.append(unclosed(opening, closer, at, (repair,), cut=cut, certain=not later))
        return end

    def _alone(self, call: ToolCall) -> Reading:
        """Return the reading of a call without a section in front of it; it includes a section's closing marker that
        follows."""
        text, end = self.text, call.span.end
        place = self.space(end)
        sections = self.grammar.sections
        closer = next((closer for _, closer in sections if text.startswith(closer, place)), None)
        self.scanned_for(place, (each for _, each in sections))
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
            opening = Span(call.span.start, max(call.tool_span.end, call.span.start))
            reading = f"This call is read although there is no `{opener}` before it"
            call.problems.append(differ(opening, reading, self.grammar.outside, edits))
        elif closer is not None:
            call.problems.append(unmatched(Span(place, end), closer, certain=call.complete))
        return Reading([call], end, min(len(text), max(self.reach, end)))

    def call(self, start: int, *, framed: bool) -> ToolCall | None:
        """Read the call at `start`; None where none begins there. In a section an opening marker is enough."""
        text, grammar = self.text, self.grammar
        head, self.misspelt_closer = self.call_head(start), ""
        if head is None and framed:
            head = self.misspelt_head(start)
        if head is None or (head.name is None and (not framed or self._is_other(head))):
            return None
        if head.end >= len(text) and text[-1] not in grammar.head_ends and not self.context.tools.has(head.name or ""):
            self.scanned(len(text))
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
            self.scanned_for(place, (grammar.call_closer,))
            if text.startswith(grammar.call_closer, place):
                end = place + len(grammar.call_closer)
                return self._done(head, parameters, problems, place, end, True)
            if self._is_misspelt_closer(place):
                end = place + len(self.misspelt_closer)
                problems[0] = self._renamed_too(problems[0], place)
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

    def _is_other(self, head: Head) -> bool:
        """Return whether a call without a name is of another dialect: its body says so, and no setting denies it."""
        other, place = self.grammar.other, self.space(head.end)
        if not other or self.context.strict or self.context.preferred == self.dialect:
            return False
        self.scanned_for(place, (other,))
        return self.text.startswith(other, place)

    def _plain_parameters(self, at: int, parameters: list[Parameter]) -> tuple[int, int]:
        """Read parameters in the plain form from `at` on; return where the first other text begins, and where the
        call's closing marker begins if it follows, else -1.

        The result is that of reading marker by marker, including the places that are scanned, but much faster.
        """
        text, grammar = self.text, self.grammar
        match, types, size = grammar.plain.match, grammar.types, len(grammar.parameter_closer)
        while (found := match(text, at)) is not None:
            last = found.start("last")
            if last >= 0 and self._closes_after(last + len(grammar.call_closer), ends_call=True):
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

    def _beyond_text(self, at: int, problems: list[Problem]) -> int | None:
        """Return where reading continues after text between parameters; None where the call cannot continue."""
        text, grammar = self.text, self.grammar
        if at >= len(text) or self._half(at, grammar.call_closer, grammar.parameter_opener) is not None:
            return None
        place = at
        while True:
            match = grammar.tokens.search(text, place)
            if match is None:
                self.scanned(len(text))
                return None
            self.scanned(match.end())
            kind = match.lastgroup
            if kind == "close" or (kind == "parameter" and self._any_head(match.start()) is not None):
                break
            if kind in ("shut", "section") or (kind == "call" and self._names_call(match.start())):
                return None
            place = match.end()
        between = text_between(text, at, match.start(), "arguments")
        if between is not None:
            written = between.span.of(text)
            if WRONG_CLOSER.fullmatch(written) is not None or written == grammar.parameter_closer:
                between = unmatched(between.span, written, written.strip("</>"))
            problems.append(between)
        return match.start()

    def _unclosed(
        self, head: Head, parameters: list[Parameter], problems: list[Problem], at: int, place: int
    ) -> ToolCall:
        """Return the call that ends at `at` without its closing marker."""
        text, grammar = self.text, self.grammar
        closer = grammar.call_closer
        closers = tuple(each for _, each in grammar.sections)
        self.scanned_for(place, closers)
        wrong = None if text.startswith(closers, place) else self._closing_tag(place)
        if wrong is not None and self._ends_section(wrong.end()):
            span = Span(place, place + len(wrong[0].rstrip()))
            problems.append(mismatched(span, closer, Span(head.start, head.end)))
            return self._done(head, parameters, problems, place, span.end, True)
        half = self._half(place, closer, grammar.parameter_opener, grammar.separator) is not None
        if half or self._half_head(place):
            return self._half_marker(head, parameters, problems, place)
        repair = (insert(at, grammar.between + closer),)
        opening, cut = Span(head.start, head.end), place >= len(text)
        problems.append(unclosed(opening, closer, at, repair, cut=cut, certain=not problems))
        return self._done(head, parameters, problems, at, at, False)

    def _renamed_too(self, problem: Problem, closer: int) -> Problem:
        """Return the problem of a misspelt opening marker, about the closing marker at `closer` as well."""
        written, word = problem.span.of(self.text), problem.repair[0].text
        begin = closer + self.misspelt_closer.index(written)
        return replace(problem, repair=(*problem.repair, Edit(Span(begin, begin + len(written)), word)))

    def _half_marker(self, head: Head, parameters: list[Parameter], problems: list[Problem], place: int) -> ToolCall:
        """Return the call in which the text ends in the middle of a marker."""
        text, closer = self.text, self.grammar.call_closer
        rest = text[place:].rstrip()
        span = Span(place, place + len(rest))
        closing = closer.startswith(rest)
        separator = self.grammar.separator if len(rest) > 1 and self.grammar.separator.startswith(rest) else ""
        repair = Edit(Span(place, len(text)), separator + closer)
        problems.append(half_written(span, " ".join(rest.split()), repair, certain=closing and len(rest) > 1))
        return self._done(head, parameters, problems, place, len(text), False)

    def _with_object(self, head: Head, at: int, problems: list[Problem]) -> ToolCall:
        """Read a call whose parameters are one JSON object instead of markers."""
        text, closer = self.text, self.grammar.call_closer
        found = next_literal(text, at, closer, self.context)
        other = next_literal(text, at, self.grammar.call_opener, self.context)
        limit = min((each for each in (found, other) if each >= 0), default=len(text))
        self.scanned(limit)
        read = read_json(text, at, limit, open_ended=found < 0, budget=self.context.budget)
        self.scanned(read.reach)
        problems += own_problems(read)
        place = self.space(read.end)
        self.scanned(place + len(closer))
        closed = text.startswith(closer, place)
        end = place + len(closer) if closed else read.end
        if not closed:
            opening, cut = Span(head.start, head.end), place >= len(text)
            problems.append(unclosed(opening, closer, read.end, cut=cut, certain=not read.problems))
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
        """Return the call with the parameters that were read, of which the first `plain` are in the plain form."""
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
        """Return the arguments if they are all in the object of one parameter that the tool does not have."""
        known = self.context.tools.parameters(head.name or "")
        if len(parameters) != 1 or not known or parameters[0].head.name not in _WRAPPERS - known.keys():
            return None
        start, end = parameters[0].content
        if not self.text.startswith("{", skip_space(self.text, start), end):
            return None
        read = read_json(self.text, start, end, budget=self.context.budget)
        if not isinstance(read.value, dict) or not read.value.keys() <= known.keys():
            return None
        wrapper = parameters[0].head
        reading = f"The tool has no `{wrapper.name}`; its content is read as the arguments"
        others = "most parsers read it as one argument of that name"
        read.problems = [*own_problems(read), differ(wrapper.name_span, reading, others)]
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
        """Report CDATA sections that are not closed before their value ends."""
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
        """Report text in a value that is markup for parsers that read the call as XML."""
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
                    reading = f"`{entity[0]}` is read literally"
                    others = "parsers that read the call as XML replace it with the character"
                    problems.append(differ(Span(*entity.span()), reading, others))
            if not self.grammar.cdata:
                section = text.find("<![CDATA[", start, end)
                if section >= 0 and text.find("]]>", section, end) >= 0:
                    reading = "The CDATA section is read literally, including its markers"
                    others = "parsers that read the call as XML remove its markers"
                    problems.append(differ(Span(section, section + 9), reading, others))


def close_section_too(call: ToolCall, call_closer: str, between: str, closer: str) -> None:
    """Make the fix that closes the last call of a section close the section, too."""
    for index, problem in enumerate(call.problems):
        if problem.repair and problem.repair[-1].text.endswith(call_closer):
            *edits, last = problem.repair
            data = dict(problem.data)
            if "marker" in data:
                data["marker"] += closer
            repair = (*edits, Edit(last.span, last.text + between + closer))
            call.problems[index] = replace(problem, data=data, repair=repair)
            return


def make_uncertain(call: ToolCall) -> None:
    """Make the fix that closes a call a guess."""
    call.problems[:] = [
        replace(problem, certain=False) if problem.kind == "unclosed-tag" else problem for problem in call.problems
    ]


def _sections(text: str, start: int, end: int) -> list[XmlText | XmlCData]:
    """Return the CDATA sections between two offsets, and the text around them that is not whitespace."""
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
