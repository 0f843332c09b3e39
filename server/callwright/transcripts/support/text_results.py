"""Results in text: what a tool returned, where a message has it between tags or after a label.

Owns: the formats of such results. Must not know: the shape of any transcript, hosts, dialects.

Only formats without another meaning are read:

| Format | Known from |
|---|---|
| `<tool_response>…</tool_response>` | Hermes, Qwen |
| `<function_results><result>…</result></function_results>` | Anthropic's text dialects |
| `<tool_result>`, `<tool_output>`, `<function_response>`, `<function_result>` | prompts of many agents |
| the same with attributes: `<tool_result name="f" id="1" is_error="true">` | agents with several calls in a turn |
| `[TOOL_RESULTS]…[/TOOL_RESULTS]` | Mistral |
| `[read_file for 'a.py'] Result:` at the start of a line | Cline, Roo Code |
| `Observation:` at the very beginning | ReAct agents that send what they observed as the user's message |

A user may quote any of them: such a result is tentative, so that it need not answer a call.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from callwright.calls.result_text import (
    CONTENT_KEYS,
    FAILED_KEY,
    ID_KEYS,
    LABELLED_FAILURES,
    TOOL_KEYS,
    is_envelope,
)
from callwright.calls.turns import Turn, TurnResult, TurnText
from callwright.syntax.json import JsonNode, JsonRead, read_json
from callwright.text.line_ends import LINE_START
from callwright.text.patterns import compile_later
from callwright.text.span import Span
from callwright.transcripts.support.segments import PlacedText, Segment

_OPENER: Final = compile_later(
    r"<(?P<tag>tool_response|tool_result|tool_output|function_response|function_results?)(?=[\s>])[^<>]{0,200}+>"
    r"|(?P<mistral>\[TOOL_RESULTS\])"
    rf"|{LINE_START}\[(?P<tool>[A-Za-z_][\w.-]{{0,80}}+)(?: for '[^\r\n]{{0,500}}?')?\] Result:",
    re.MULTILINE,
)
_LABEL: Final = re.compile(
    rf"{LINE_START}\[[A-Za-z_][\w.-]{{0,80}}+(?: for '[^\r\n]{{0,500}}?')?\] Result:", re.MULTILINE
)
_MISTRAL_END: Final = re.compile(r"\[/TOOL_RESULTS\]|\[TOOL_RESULTS\]|</s>")
_NAME: Final = re.compile(r"\s*+<(tool_name|name)>([^<]*+)</\1>")
_FAILURE: Final = re.compile(r"\s*+<(?:error|system_error)>")
#: The attributes of an opening tag, by what they mean.
_ATTRIBUTE: Final = compile_later(
    r"\b(?:(?P<tool>name|tool|tool_name)|(?P<id>id|call_id|tool_call_id|tool_use_id)|(?P<failed>is_error))"
    r'\s*+=\s*+"(?P<value>[^"]*+)"'
)
#: What may be around results without being content.
_BETWEEN: Final = re.compile(r"(?:\s|</?function_results>)*+")
#: Every format has one of these.
RESULT_MARKERS: Final = ("<tool_", "<function_", "[TOOL_RESULTS]", "] Result:", "Observation:")
_OBSERVED: Final = re.compile(r"\s*+Observation:")


def text_results(stated: TurnText) -> list[TurnResult]:
    """Return the results that a message contains as text, in their order; takes time linear in the text."""
    text = stated.value
    if not any(marker in text for marker in RESULT_MARKERS):
        return []
    stated_names = PlacedText(stated.place, text)
    observed = _OBSERVED.match(text)
    if observed is not None:
        found = [_result(stated_names, Span(0, len(text)), _stripped(text, Span(observed.end(), len(text))))]
    else:
        found = list(_results(stated_names))
    for result in found:
        result.tentative = True
    return found


def add_text_results(turn: Turn) -> None:
    """Add to a turn the results in its texts. A label at the end of one text applies to the next text."""
    for number, stated in enumerate(turn.texts):
        found = text_results(stated)
        turn.results += found
        if found and found[-1].content is None and number + 1 < len(turn.texts):
            following = turn.texts[number + 1]
            last = found[-1]
            last.content, last.value = following.place, following.value
            last.failed = following.value.startswith(LABELLED_FAILURES) or None


def only_results(stated: TurnText, results: Iterable[TurnResult]) -> bool:
    """Return whether a text contains only results, so that no call in it is made."""
    at, text, found = 0, stated.value, False
    for result in results:
        place = result.place
        if isinstance(place, Segment) and place.turn_texts.place is stated.place and place.part.start >= at:
            if _BETWEEN.fullmatch(text, at, place.part.start) is None:
                return False
            at, found = place.part.end, True
    return found and _BETWEEN.fullmatch(text, at) is not None


def whole_result(stated: TurnText) -> list[TurnResult]:
    """Return the results of a message that is nothing but results: those between markers, else the text as one."""
    marked = text_results(stated)
    if marked:
        for result in marked:
            result.tentative = False
        return marked
    whole = Span(0, len(stated.value))
    return [_result(PlacedText(stated.place, stated.value), whole, _stripped(stated.value, whole))]


def _results(turn_texts: PlacedText) -> Iterator[TurnResult]:
    text = turn_texts.value
    closerless: set[str] = set()
    at = 0
    while (opener := _OPENER.search(text, at)) is not None:
        at = opener.end()
        tag = opener["tag"]
        if tag is not None:
            closer = f"</{tag}>"
            end = -1 if closer in closerless else text.find(closer, at)
            if end < 0:
                closerless.add(closer)
                continue
            body, at = Span(at, end), end + len(closer)
            whole = Span(opener.start(), at)
            attributes = list(_ATTRIBUTE.finditer(text, opener.end("tag"), opener.end()))
            if tag != "function_results" and any(attribute["failed"] is None for attribute in attributes):
                yield _attributed(turn_texts, whole, body, attributes)
            else:
                yield from _tagged(turn_texts, tag, whole, body)
        elif opener["mistral"] is not None:
            found = _MISTRAL_END.search(text, at)
            end = found.start() if found is not None else len(text)
            body = Span(at, end)
            at = found.end() if found is not None and found[0] == "[/TOOL_RESULTS]" else end
            yield from _body_results(turn_texts, Span(opener.start(), at), body)
        else:
            following = _LABEL.search(text, at)
            end = following.start() if following is not None else len(text)
            name = Segment(turn_texts, Span(*opener.span("tool")))
            content = _stripped(text, Span(at, end))
            failed = text.startswith(LABELLED_FAILURES, content.start) and content.start < content.end
            yield _result(turn_texts, Span(opener.start(), end), content, tool=name, failed=failed or None)
            at = end


def _attributed(turn_texts: PlacedText, whole: Span, body: Span, attributes: list[re.Match[str]]) -> TurnResult:
    """Return the result of a tag that names its tool or its call: its text, without a newline at either end."""
    text = turn_texts.value
    start = body.start + 1 if text.startswith("\n", body.start, body.end) else body.start
    content = Span(start, body.end - 1 if text.endswith("\n", start, body.end) else body.end)
    place = Segment(turn_texts, content) if content.start < content.end else None
    result = TurnResult(Segment(turn_texts, whole), content=place, value=content.of(text))
    for attribute in attributes:
        stated = attribute["value"]
        segment = Segment(turn_texts, Span(*attribute.span("value")))
        if attribute["failed"] is not None:
            result.failed = {"true": True, "false": False}.get(stated)
        elif not stated:
            continue
        elif attribute["tool"] is not None:
            result.tool, result.tool_place = stated, segment
        else:
            result.id, result.call_id = stated, segment
    return result


def _tagged(turn_texts: PlacedText, tag: str, whole: Span, body: Span) -> Iterator[TurnResult]:
    if not tag.startswith("function_result"):
        yield from _body_results(turn_texts, whole, body)
        return
    text = turn_texts.value
    found = False
    at = body.start
    while (start := text.find("<result>", at, body.end)) >= 0:
        end = text.find("</result>", start, body.end)
        if end < 0:
            break
        found = True
        inner = Span(start + len("<result>"), end)
        at = end + len("</result>")
        named = _NAME.match(text, inner.start, inner.end)
        name = Segment(turn_texts, Span(*named.span(2))) if named is not None else None
        rest = _stripped(text, Span(named.end() if named is not None else inner.start, inner.end))
        failed = _FAILURE.match(text, rest.start, rest.end) is not None
        yield _result(turn_texts, Span(start, at), _inside(text, rest), tool=name, failed=failed or None)
    if not found:
        rest = _stripped(text, body)
        failed = _FAILURE.match(text, rest.start, rest.end) is not None
        yield _result(turn_texts, whole, _inside(text, rest), failed=failed or None)


_WRAPPED: Final = re.compile(r"<(stdout|output|content|error|system_error)>")


def _inside(text: str, span: Span) -> Span:
    """Return the inside of the one element that makes up a segment, or the segment."""
    opening = _WRAPPED.match(text, span.start, span.end)
    if opening is not None and text.endswith(f"</{opening[1]}>", opening.end(), span.end):
        return _stripped(text, Span(opening.end(), span.end - len(opening[1]) - 3))
    return span


def _body_results(turn_texts: PlacedText, whole: Span, body: Span) -> Iterator[TurnResult]:
    """Yield the results of a body: an envelope with the tool's name and the content, a list of these, or the text."""
    text = turn_texts.value
    content = _stripped(text, body)
    if text.startswith(("{", "["), content.start) and content.start < content.end:
        read = read_json(text, content.start, content.end)
        if read.clean:
            envelopes = _envelopes(read)
            if envelopes:
                for node, single in envelopes:
                    yield _from_envelope(turn_texts, whole if single else node.span, node)
                return
    yield _result(turn_texts, whole, content)


def _envelopes(read: JsonRead) -> list[tuple[JsonNode, bool]]:
    value = read.value
    if is_envelope(value):
        return [(read.root, True)]
    if isinstance(value, list) and value and all(map(is_envelope, value)):
        return [(node, False) for node in read.root.items]
    return []


def _from_envelope(turn_texts: PlacedText, whole: Span, node: JsonNode) -> TurnResult:
    def member(keys: tuple[str, ...]) -> JsonNode | None:
        return next((found for key in keys if (found := node.child(key)) is not None), None)

    def words(found: JsonNode | None) -> str | None:
        return found.value if found is not None and isinstance(found.value, str) else None

    name, call_id, content = member(TOOL_KEYS), member(ID_KEYS), member(CONTENT_KEYS)
    failed = member((FAILED_KEY,))
    return TurnResult(
        Segment(turn_texts, whole),
        Segment(turn_texts, call_id.span) if call_id is not None else None,
        words(call_id),
        words(name) or None,
        Segment(turn_texts, name.span) if name is not None else None,
        Segment(turn_texts, content.span) if content is not None else None,
        content.value if content is not None else None,
        failed=failed.value if failed is not None and isinstance(failed.value, bool) else None,
    )


def _result(
    turn_texts: PlacedText, whole: Span, content: Span, *, tool: Segment | None = None, failed: bool | None = None
) -> TurnResult:
    empty = content.start >= content.end
    return TurnResult(
        Segment(turn_texts, whole),
        tool=tool.text.strip() or None if tool is not None else None,
        tool_place=tool,
        content=None if empty else Segment(turn_texts, content),
        value=None if empty else content.of(turn_texts.value),
        failed=failed,
    )


def _stripped(text: str, span: Span) -> Span:
    """Return a segment without the space around it."""
    own = span.of(text)
    start = span.start + len(own) - len(own.lstrip())
    return Span(start, max(start, span.end - (len(own) - len(own.rstrip()))))
