"""Damaged tags that explain why a call seems to lack an argument.

Owns: the place of diagnostics about missing or superfluous parts where a damaged tag is the cause. Must not know: any
single rule's words, how readers find the damage. Each segment is scanned once for each missing name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from callwright.text.span import Span

if TYPE_CHECKING:
    from callwright.calls.model import ToolCall
    from callwright.syntax.problem import Problem

Related = tuple[tuple[Span, str], ...]

#: How many characters of a segment are scanned, and how many problems of a call.
_LOOK: Final = 2000
_MAX_COUNT: Final = 40
#: How many characters after a name a span includes.
_TAG: Final = 100
_SIGN: Final = "<>=\"'“”/\\\\|｜"
_TAG_SIGN: Final = re.compile(r"</|/>|[\w\"'”]>")
#: A marker, or one without its first character.
_MARKER: Final = re.compile(r"\s*+(?:</?[^\s<>]{1,60}[ =>]|[\w|]{1,60}+>)")
_WORD: Final = re.compile(r"[A-Za-z]+")


def place_of_missing(call: ToolCall, text: str, names: Sequence[str]) -> tuple[Span, Related]:
    """Return where required arguments are missing: the tool's name, or the damaged tag of an argument."""
    for problem in call.problems[:_MAX_COUNT]:
        found = _damaged(problem, text, names)
        if found is not None:
            return found, ((call.tool_span, "the call begins here"),)
    return call.tool_span, ()


def with_truncated_marker(text: str, closer: Span, used: Span) -> Span:
    """Return the span of a closer in a value, extended over text after it that is nearly a marker."""
    words = _WORD.findall(closer.of(text))
    if not words:
        return closer
    word = re.escape(words[-2] if len(words) > 1 and len(words[-2]) < len(words[-1]) else words[-1])
    truncated = re.compile(rf"\s*+<?[ /\\|｜]{{0,3}}[^\s<>]{{0,40}}?{word}[^<>\r\n]{{0,100}}+>?", re.IGNORECASE)
    found = truncated.match(text, closer.end, min(used.start, closer.end + _LOOK))
    end = found.end() if found is not None else closer.end
    if _MARKER.match(text, closer.end, used.start):
        # The value contains more of the call: one of its markers is damaged.
        end = max(end, min(used.start, closer.end + _TAG))
    return Span(closer.start, end)


def _damaged(problem: Problem, text: str, names: Iterable[str]) -> Span | None:
    span = problem.span
    if problem.kind == "ambiguous-closer" and "used" in problem.data:
        swallowed = Span(span.end, min(problem.data["used"].start, span.end + _LOOK))
        if swallowed.end <= swallowed.start:
            return None
        found = _named(swallowed, text, names)
        end = found.end if found is not None else span.end
        return Span(span.start, min(swallowed.end, end + _TAG))
    if problem.kind == "text-between-parameters":
        scanned = Span(span.start, min(span.end, span.start + _LOOK))
        closed = any(text.startswith(f"</{name}", span.end) for name in names)
        return span if closed or _named(scanned, text, names) or _TAG_SIGN.search(text, *scanned) else None
    if problem.kind == "unmatched-closing-tag":
        return span if problem.data["name"] in names else None
    if problem.kind == "unescaped-markup":
        truncated = span.of(text)[:_TAG]
        return (
            span
            if any(char.isspace() for char in truncated) and "".join(truncated.strip("</>").split()) in names
            else None
        )
    if problem.kind == "broken-attribute":
        start = text.rfind("<", max(span.start - _LOOK, 0), span.start)
        truncated = "".join(text[start + 1 : span.end].split())
        return Span(start, span.end) if start >= 0 and truncated in names else None
    return None


def _named(span: Span, text: str, names: Iterable[str]) -> Span | None:
    """Return where one of the names is next to a sign of markup."""
    for name in names:
        pattern = rf"(?:[{_SIGN}]\s?{re.escape(name)}(?!\w))|(?:(?<!\w){re.escape(name)}\s?[{_SIGN}])"
        found = re.search(pattern, text[span.start : span.end])
        if found is not None:
            return Span(span.start + found.start(), span.start + found.end())
    return None
