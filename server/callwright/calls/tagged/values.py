"""Where the values end of calls whose parameters are in markers of their own.

Owns: `TaggedValues`. Must not know: the call tree, how values are typed, dialect modules.

These dialects have no escapes, so a value may contain the marker that ends it. A closing marker ends the value where
what follows it can follow a parameter: the next one's opening marker, the end of the call, of the section, of the text.
Any other is part of the value. Where a whole call or a whole pair of markers is in a value, it is text. A value without
a closing marker ends where the next parameter begins, if that parameter is closed in its turn, or where the call ends.

Each marker is scanned a bounded number of times in any text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, Literal

from callwright.calls.marker_problems import mismatched, unclosed
from callwright.calls.scanning import next_literal
from callwright.calls.tagged.heads import MAX_HEAD_LENGTH, Head, Parameter, ends_as_marker
from callwright.calls.tagged.text import TaggedText
from callwright.calls.tagged.types import types_of
from callwright.syntax.problem import Problem
from callwright.text.line_ends import last_line
from callwright.text.records import NamedTuple
from callwright.text.span import Edit, Span, insert

if TYPE_CHECKING:
    from callwright.calls.protocol import ReadContext
    from callwright.calls.tagged.grammar import Grammar

#: The number of whole calls in one value above which the value is read as not closed.
_MAX_NESTED: Final = 8
#: A closing tag, or one whose slash is missing, turned or in another place.
_AS_CLOSER = re.compile(r"<(?P<mark>\s*+[/\\]?+)\s*+(?P<name>[A-Za-z_][\w.:\-]{0,100}+)\s*+(?P<last>/?+)>\s*+")
_LAYOUT = re.compile(r"[ \t]*+(?:\r\n|\n|\r)?(?=[ \t]*+\Z)")


class _Follow(NamedTuple):
    """What makes a closing marker the end of a value: the kind of what follows, and the next parameter's name."""

    kind: Literal["parameter", "call", "close", "shut", "end"]
    name: str | None = None


class _End(NamedTuple):
    """Where a value ends and reading continues, and whether by a closing marker; `at_end` where the text ends in it.
    `certain` says that it ends nowhere else."""

    content: int
    end: int
    closed: bool
    at_end: bool = False
    inner: Span | None = None
    certain: bool = True


class TaggedValues(TaggedText):
    """One reading of values: where each of them ends."""

    def __init__(self, text: str, context: ReadContext, grammar: Grammar, dialect: str) -> None:
        super().__init__(text, context, grammar, dialect)
        self.follows: dict[int, _Follow | None] = {}

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
        return self._without_closer(head, ending.content, problems, certain=ending.certain)

    def _cut_off(self, head: Head, problems: list[Problem]) -> Parameter:
        """Return the parameter in whose value the text ends."""
        text, closer = self.text, self.grammar.parameter_closer
        end = len(text)
        last = text.find(closer[0], max(head.end, end - len(closer) + 1))
        while last >= 0 and not closer.startswith(text[last:]):
            last = text.find(closer[0], last + 1)
        content_end = last if 0 <= last < end - 1 else end
        whole = self.grammar.close_gap + closer + self.grammar.between + self.grammar.call_closer
        opening, repair = Span(head.start, head.end), Edit(Span(content_end, end), whole)
        markers = closer + self.grammar.call_closer
        problems.append(unclosed(opening, markers, content_end, (repair,), cut=True, certain=False))
        return Parameter(head, Span(head.end, content_end), end, False)

    def _without_closer(self, head: Head, end: int, problems: list[Problem], *, certain: bool) -> Parameter:
        """Return the parameter that ends at `end` without its closing marker, or with a wrong one; `certain` says that
        it ends there and nowhere else."""
        text, closer = self.text, self.grammar.parameter_closer
        opening = Span(max(head.start, last_line(text, head.start, head.end)), head.end)
        wrong = self._wrong_closer(head, end)
        if wrong is not None:
            following = self.parameter_head(end)
            swallows = (following.name or "",) if following is not None and closer.startswith("</") else ()
            problems.append(mismatched(wrong, closer, opening, swallows))
            return Parameter(head, Span(head.end, wrong.start), wrong.end, True)
        start = max(head.end, end - 200)
        layout = _LAYOUT.search(text[start:end])
        content_end = end if layout is None else start + layout.start()
        # A value that begins next to its marker ends next to it.
        gap = self.grammar.close_gap if text.startswith(("\n", "\r"), head.end) else ""
        repair = insert(content_end, gap + closer)
        certain = certain and self._shows_end(head, content_end, end)
        if not self.grammar.markup and ends_as_marker(text[start:content_end]):
            certain = False
        problems.append(unclosed(opening, closer, content_end, (repair,), certain=certain, value=True))
        return Parameter(head, Span(head.end, content_end), content_end, False)

    def _shows_end(self, head: Head, content_end: int, end: int) -> bool:
        """Return whether the whitespace between a value without a closing marker and the next marker is layout.

        It is layout if the same whitespace is before the parameter, if the dialect puts values on lines of their own,
        or if the schema requires no text; otherwise it may be the value's.
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
        """Return a tag right before `end` that was meant to close the value: it has the parameter's own name, or
        resembles the right marker, or has its slash in another place; a tag that closes an element in the value does
        not count."""
        text = self.text
        if not self.grammar.markup:
            return None
        begin = text.rfind("<", max(head.end, end - MAX_HEAD_LENGTH), end)
        match = _AS_CLOSER.match(text, begin, end) if begin >= 0 else None
        if match is None or match.end() != end:
            return None
        name = match["name"]
        right = self.grammar.parameter_closer.strip("</>")
        meant = name == right
        if (match["mark"], match["last"]) == ("/", ""):
            meant = name == head.name or name.split("=")[0][:3] == right[:3] or name in ("value", "arg", "argument")
        if not meant or text.find(f"<{name}", head.end, begin) >= 0:
            return None
        return Span(begin, begin + len(match[0].rstrip()))

    def _follow(self, at: int) -> _Follow | None:
        """Return what follows a value's closing marker that ends at `at`, None where a value continues there."""
        if at in self.follows:
            return self.follows[at]
        result = self.follows[at] = self._following(at)
        return result

    def _following(self, at: int) -> _Follow | None:
        text, grammar = self.text, self.grammar
        place = self.space(at)
        if place >= len(text):
            return _Follow("end")
        if self._is_misspelt_closer(place):
            return None if self._closes_after(place + len(self.misspelt_closer), ends_call=True) else _Follow("close")
        match = grammar.tokens.match(text, place)
        self.scanned_for(place, (*self._markers(), grammar.parameter_closer, grammar.call_opener, "<![CDATA["))
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
        """Return whether the end of a call or section is one in a value: the value's closing marker comes after it."""
        return self._closes_after(match.end(), ends_call=match.lastgroup == "close")

    def _closes_after(self, at: int, *, ends_call: bool) -> bool:
        """Return whether a value's closing marker comes after the end of a call or of a section at `at`."""
        text, grammar = self.text, self.grammar
        place = self.space(at)
        if ends_call:
            place = self._beyond(place, grammar.tail)
            closer = next((each for _, each in grammar.sections if text.startswith(each, place)), None)
            if closer is not None:
                place = self.space(place + len(closer))
        self.scanned_for(place, (grammar.parameter_closer,))
        return text.startswith(grammar.parameter_closer, place)

    def _ends_hard(self, match: re.Match[str]) -> bool:
        """Return whether the end of a call after an unclosed value is real: the section ends or another call begins."""
        text, grammar = self.text, self.grammar
        place = self.space(match.end())
        if match.lastgroup == "close":
            place = self._beyond(place, grammar.tail)
            self.scanned_for(place, (each for _, each in grammar.sections))
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
        mention = False
        section = (-1, -1)
        inner: Span | None = None
        while True:
            match = tokens.search(text, at)
            if match is None:
                self.scanned(len(text))
                break
            self.scanned(match.end())
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
                    if openers > _MAX_NESTED:
                        break
            elif nested:
                if kind == "close":
                    nested -= 1
                    at = at if nested else self._after_section(at)
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
                weak, mention = place, section[1] == place
        ends = [each for each in (first, weak, restart) if each >= 0]
        if not ends:
            return _End(len(text), len(text), False, at_end=True)
        end = min(ends)
        # An empty pair of a section's markers may be a mention of them.
        certain = end != weak or not mention
        return _End(end, end + size, True) if end == first else _End(end, end, False, certain=certain)

    def _after_section(self, at: int) -> int:
        """Return where a section's closing marker after a whole call in a value ends; `at` if there is none."""
        place = self._beyond(self.space(at), self.grammar.tail)
        closer = next((each for _, each in self.grammar.sections if self.text.startswith(each, place)), None)
        self.scanned_for(place, (each for _, each in self.grammar.sections))
        return at if closer is None else place + len(closer)

    def _begins_next(self, head: Head, known: Mapping[str, Any] | None, closed: int) -> bool:
        """Return whether a parameter's opening marker inside a value that was not closed before begins the next one.

        The next one must be closed too: a pair that is closed inside the value is part of it. Without a schema the
        marker must be on a line of its own, or after a closing marker.
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


def _fresh(name: str | None, own: str | None, known: Mapping[str, Any] | None, given: set[str]) -> bool:
    """Return whether a parameter of this name can follow: the tool has it, and the call does not contain it yet."""
    return name is not None and name != own and name not in given and (known is None or name in known)
