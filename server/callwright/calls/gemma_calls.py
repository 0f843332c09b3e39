"""Calls in Gemma's dialect: `<|tool_call>call:f{city:<|"|>London<|"|>}<tool_call|>`, and FunctionGemma's spelling.

Owns: reading the text between two such markers: one call, or several. Must not know: dialect modules.
"""

import re
from typing import Final

from callwright.calls.fences import fence_limit
from callwright.calls.marker_problems import differ, unclosed, unmatched
from callwright.calls.model import JsonValue, ToolCall
from callwright.calls.named_json import look_for
from callwright.calls.protocol import ReadContext, Reading
from callwright.calls.scanning import match_end
from callwright.calls.sketch import is_placeholder_name
from callwright.syntax.gemma_values import ESCAPE, QUOTE, GemmaRead, read_gemma
from callwright.syntax.problem import Problem
from callwright.text.holes import HOLE
from callwright.text.records import dataclass
from callwright.text.span import Edit, Span, delete

CALL: Final = "call:"


@dataclass(frozen=True, slots=True)
class GemmaMarkers:
    """One spelling of the dialect: the opener and closer of a call, and the delimiter of strings."""

    opener: str
    closer: str
    quote: str


GEMMA_4: Final = GemmaMarkers("<|tool_call>", "<tool_call|>", QUOTE)
FUNCTION_GEMMA: Final = GemmaMarkers("<start_function_call>", "<end_function_call>", ESCAPE)
SPELLINGS: Final = (GEMMA_4, FUNCTION_GEMMA)

_HEAD = re.compile(r"\s*+(?P<call>call\s*+:|:)\s*+(?P<name>[^\s{}()<>\[\]:,\"']*+)")
_SPACE = re.compile(r"\s*+")
_NAMELESS = re.compile(r"[^<\r\n]{0,200}+")
_CLOSERS = re.compile(r"\s*+([}\])](?:\s*+[}\])])*+)\s*+")
_NEXT = re.compile(r"\s*+,?+\s*+(?=call\s*+:)")
#: The possible beginnings of a match of `_NEXT`.
_BETWEEN = re.compile(r"\s*+,?+\s*+(?:call\s*+|cal|ca|c)?+")


def read_gemma_calls(text: str, start: int, context: ReadContext, dialect: str) -> Reading | None:
    """Read the calls after the marker that is at `start`; None if there are none."""
    markers = next(each for each in SPELLINGS if text.startswith(each.opener, start))
    limit = fence_limit(text, start, context)
    at = start + len(markers.opener)
    calls: list[ToolCall] = []
    while True:
        call = _read_call(text, start if not calls else at, at, limit, markers, context, dialect)
        if call is None:
            break
        calls.append(call)
        at = call.span.end
        context.look(match_end(_BETWEEN, text, at, limit) + 1)
        following = _NEXT.match(text, at, limit)
        if not call.complete or following is None:
            break
        at = following.end()
    if not calls:
        return _cut_in_name(text, start, at, limit, markers, context)
    end = _close(text, calls, limit, markers, context)
    frame = Span(start, end)
    for call in calls:
        call.frame = frame
        if len(calls) == 1:
            call.span = frame
    context.look(end + 1)
    return Reading(calls, end, end + 1)


def _read_call(
    text: str, start: int, at: int, limit: int, markers: GemmaMarkers, context: ReadContext, dialect: str
) -> ToolCall | None:
    head = _HEAD.match(text, at, limit)
    context.look((head.end() if head is not None else at + len(CALL)) + 1)
    if head is None or not head["name"]:
        return None
    brace = match_end(_SPACE, text, head.end(), limit)
    context.look(brace + len(markers.closer) + 1)
    name, tool_span = head["name"], Span(*head.span("name"))
    read: GemmaRead | None = None
    if brace < limit and text[brace] == "{":
        ending = markers.closer
        read = read_gemma(text, brace, limit, quote=markers.quote, ending=ending, budget=context.budget)
        context.look(read.reach)
    elif not text.startswith(markers.closer, brace) or brace >= limit:
        # Without braces, all text up to the closing marker on the line is an unknown name.
        rest = _NAMELESS.match(text, brace, limit)
        closer = rest.end() if rest is not None else brace
        context.look(closer + len(markers.closer) + 1)
        if not text.startswith(markers.closer, closer) or closer >= limit:
            return None
        tool_span = Span(tool_span.start, tool_span.start + len(text[tool_span.start : closer].rstrip()))
        name = tool_span.of(text)
    problems = list(read.problems) if read is not None else []
    if text[head.start("call")] == ":":
        place = Span(*head.span("call"))
        problems.insert(0, Problem("foreign-value", place, {"text": ":", "write": CALL}, (Edit(place, CALL),), True))
    end = max(read.end, read.span.end) if read is not None else tool_span.end
    inside = text.find(markers.closer, brace, end) if read is not None else -1
    if inside >= 0:
        reading = f"`{markers.closer}` is part of a string here, so the call continues"
        others = "Ollama ends the call at the first such marker, even in a string"
        problems.append(differ(Span(inside, inside + len(markers.closer)), reading, others, certain=False))
    return ToolCall(
        dialect=dialect,
        span=Span(start, end),
        tool=HOLE if not name.strip(HOLE) else name,
        tool_span=tool_span,
        arguments=JsonValue(read) if read is not None else None,
        body=read.span if read is not None else Span(tool_span.end, tool_span.end),
        name_spans=(tool_span,),
        problems=problems,
        sketch=is_placeholder_name(name) or (read is not None and () in read.elided),
        complete=read is None or read.closed or end < limit,
        details={"family": "gemma"},
    )


def _cut_in_name(
    text: str, start: int, at: int, limit: int, markers: GemmaMarkers, context: ReadContext
) -> Reading | None:
    """Return the problem of a text that ends before the tool's name is complete."""
    head = _HEAD.match(text, at, limit)
    if head is None or limit < len(text) or match_end(_SPACE, text, head.end(), limit) < limit:
        return None
    context.look(len(text))
    marker = Span(start, start + len(markers.opener))
    problem = Problem("unclosed-tag", marker, {"name": "", "marker": markers.closer, "by_truncation": True})
    return Reading([], limit, limit, [problem])


def _close(text: str, calls: list[ToolCall], limit: int, markers: GemmaMarkers, context: ReadContext) -> int:
    """Read the closing marker of the last call, or report that it is missing; return where the calls end."""
    call, closer = calls[-1], markers.closer
    at = call.span.end
    if not call.complete:
        return at
    extra = _CLOSERS.match(text, at, limit)
    look_for(text, extra.end() if extra is not None else at, (closer,), context)
    if extra is not None and text.startswith(closer, extra.end()):
        written = Span(*extra.span(1))
        counts = {"braces": extra[1].count("}"), "brackets": extra[1].count("]"), "text": "".join(extra[1].split())}
        repair = (delete(*written),)
        call.problems.append(Problem("extra-closers", written, {"format": "Gemma", **counts}, repair, True))
        at = extra.end()
    following = match_end(_SPACE, text, at, limit)
    look_for(text, following, (closer,), context)
    if text.startswith(closer, following) and following + len(closer) <= limit:
        end = following + len(closer)
        while text.startswith(closer, end) and end + len(closer) <= limit:
            call.problems.append(unmatched(Span(end, end + len(closer)), closer))
            end += len(closer)
        look_for(text, end, (closer,), context)
        return end
    part = text[following:limit]
    truncated = limit == len(text) and closer.startswith(part)
    marker = Span(calls[0].span.start, calls[0].span.start + len(markers.opener))
    place = Span(following, limit) if truncated and part else Span(at, at)
    call.problems.append(unclosed(marker, closer, place.end, (Edit(place, closer),), cut=truncated))
    call.complete = not truncated
    return place.end
