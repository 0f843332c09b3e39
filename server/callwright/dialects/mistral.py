"""The `mistral` dialect: `[TOOL_CALLS]` with an array of objects, or with a name, an id and JSON between markers.

Owns: this dialect. Must not know: other dialects, the registry's class.
"""

import re
from collections.abc import Sequence
from typing import Any, Final

from callwright.calls.json_calls import Form, distribute, ends_text, entry_at, object_call
from callwright.calls.json_places import own_problems
from callwright.calls.marker_problems import differ, unclosed
from callwright.calls.model import Path, ToolCall
from callwright.calls.named_json import (
    FAMILY,
    MAX_LENGTH,
    Grammar,
    Header,
    body_limit,
    cut_header,
    look_for,
    name_with_holes,
    named_call,
    read_alone,
    read_body,
)
from callwright.calls.protocol import ReadContext, Reading, Refusal, Rendering
from callwright.calls.scanning import skip_space
from callwright.dialects.support.named import NamedDialect
from callwright.syntax.problem import Problem
from callwright.text.holes import HOLE
from callwright.text.span import Span

_MARKER: Final = "[TOOL_CALLS]"
_ARGUMENTS: Final = "[ARGS]"
_IDENTIFIER: Final = "[CALL_ID]"
#: What some parsers and templates write after the calls, though no tokenizer has it.
_CLOSING: Final = "[/TOOL_CALLS]"
_NAME: Final = rf"[\w.\-:/{HOLE}]{{1,256}}+"
_HEADER = re.compile(
    rf"(?P<space>\s*+)(?P<name>{_NAME})\s*+(?:\[CALL_ID\]\s*+(?P<id>[\w\-{HOLE}]*+)\s*+)?+(?P<end>\[ARGS\])?+"
)
#: The beginning of a JSON object, which hardly any prose in braces has.
_OBJECT = re.compile(rf"(?P<space>\s*+)\{{(?=\s*+(?:[\"'}}{HOLE}.…]|\Z))")
#: How far to read to know whether there is a header.
_SEEN = re.compile(
    rf"\s*+[\w.\-:/{HOLE}]{{0,256}}+\s*+(?:\[[A-Z_]*+\]?+\s*+(?:[\w\-{HOLE}]*+\s*+(?:\[[A-Z]*+\]?+)?+)?+)?+"
)
_CUT = re.compile(r"(?P<name>\w[\w.\-:/]{0,255}+)(?:\[CALL_ID\][\w\-]*+)?+(?P<half>\[[A-Z_]*+)?+\Z")
_RUN = re.compile(r"(?:\[TOOL_CALLS\]\s*+)++")
_ARRAY = re.compile(r"\[\s*+[\{\]]")
_EVERY = re.compile(r"\[(?:TOOL_CALLS|ARGS|CALL_ID|/TOOL_CALLS|TOOL_RESULTS|TOOL_CONTENT|/?INST)\]|</s>")
_GRAMMAR: Final = Grammar(
    header=re.compile(rf"\[TOOL_CALLS\]\s*+(?P<name>{_NAME})\s*+(?:\[CALL_ID\]\s*+[\w\-]*+\s*+)?+(?:\[ARGS\]|(?=\{{))"),
    closers=(),
    every=_EVERY,
    markers=(
        _MARKER,
        _ARGUMENTS,
        _IDENTIFIER,
        _CLOSING,
        "[TOOL_RESULTS]",
        "[TOOL_CONTENT]",
        "[INST]",
        "[/INST]",
        "</s>",
    ),
)
_FORM: Final = Form(arguments_else=(), ids=("id",), family=FAMILY, held=False)


class Mistral(NamedDialect):
    """`[TOOL_CALLS]`, the name, optionally `[CALL_ID]` and an id, `[ARGS]` and the arguments as one JSON object.

    Older models write `[TOOL_CALLS]` and one JSON array of objects with `name`, `arguments` and `id`.
    """

    name = "mistral"
    title = "Mistral"
    summary = "`[TOOL_CALLS]NAME[ARGS]` and a JSON object, or `[TOOL_CALLS]` and an array of objects."
    used_by: Sequence[str] = ("Mistral", "Ministral", "Magistral", "Devstral")
    openers: Sequence[str] = (_MARKER,)
    markers = (_MARKER, _ARGUMENTS, _IDENTIFIER, _CLOSING, "[TOOL_RESULTS]", "[TOOL_CONTENT]")
    gathers = True
    grammar = _GRAMMAR
    ambiguity = """
        A closing `[/TOOL_CALLS]`, which some templates write and no tokenizer has, is part of the calls. Without it, a
        call ends where its JSON is complete; broken JSON ends at the next marker or with its paragraph.

        A name needs `[ARGS]` after it or a `{` directly after it. Further names with `[ARGS]` may follow without
        another marker. The array contains calls if an entry has a `name` or `arguments`; entries that are not objects
        are ignored. One object without an array is one call. A repeated marker before one call is ignored. Any other
        text after the marker is not a call.
    """
    peers = """
        llama.cpp reads the forms that the model's template writes. vLLM reads the array with older tokenizers and the
        calls of the first marker only, and names with or without `[ARGS]` with newer ones. SGLang and smg require a
        space between the marker and the array, and reject an incomplete array. mlx-lm reads further names without
        another marker.

        After the newer marker, vLLM reads a name alone as a call without arguments, and arguments alone as a call
        without a name; for Callwright neither is a call. Callwright reads as much as possible of a broken or truncated
        call and reports it; most others drop it.
    """
    # mistral-common, https://github.com/mistralai/mistral-common
    results = "mistral"
    asks: Sequence[str] = (f"Write each call as `{_MARKER}NAME{_ARGUMENTS}` and one JSON object with the arguments.",)

    def read(self, text: str, start: int, context: ReadContext) -> Reading | None:
        """Read the calls that the marker at `start` announces."""
        claims = context.scan.claims
        if start < max(claims.markers, claims.objects):
            return None
        run = _RUN.match(text, start)
        at = run.end() if run is not None else start
        look_for(text, at, (_MARKER,), context)
        problems: list[Problem] = []
        if at - len(text[start:at].rstrip()) != start and text[start:at].count(_MARKER) > 1:
            problems.append(
                differ(
                    Span(start, start + len(text[start:at].rstrip())),
                    "The repeated marker counts once",
                    "readers that take what follows the first marker for a call find none",
                )
            )
        if _ARRAY.match(text, at) is not None or text.startswith("{", at):
            reading = _read_objects(text, start, at, context, self.name)
        else:
            reading = _read_named(text, start, at, context, self.name)
        if reading is None:
            claims.markers = max(claims.markers, at)
            return None
        if reading.calls:
            reading.calls[0].problems += problems
        return reading

    def head(self, call: Rendering, index: int) -> str | Refusal:
        """Return the head in the newer form."""
        del index
        if re.fullmatch(_NAME, call.tool) is None:
            return Refusal(f"nothing marks where the name `{call.tool}` ends")
        if call.call_id is None:
            return f"{_MARKER}{call.tool}{_ARGUMENTS}"
        if re.fullmatch(r"[\w\-]+", call.call_id) is None:
            return Refusal(f"nothing marks where the id `{call.call_id}` ends")
        return f"{_MARKER}{call.tool}{_IDENTIFIER}{call.call_id}{_ARGUMENTS}"


def _read_named(text: str, start: int, at: int, context: ReadContext, dialect: str) -> Reading | None:
    """Read calls whose names are after the marker at `start`; None where none does."""
    calls: list[ToolCall] = []
    begin = start
    while True:
        context.budget.check()
        match = _HEADER.match(text, at)
        context.look(_SEEN.match(text, at).end() + 1)  # type: ignore[union-attr]  # it matches anything
        if match is None or (match["end"] is None and (calls or not _is_bare(text, match, context))):
            break
        place = Span(match.start("name"), match.end("name"))
        header = Header(name_with_holes(match["name"]), place, match.end(), match["id"] or None)
        body = read_body(text, header.body, body_limit(text, header.body, context), _GRAMMAR, context)
        end = max(body.end, header.body)
        cut = body.cut
        if body.read is None:
            cut = body.at >= body_limit(text, header.body, context)
            if cut:
                place = Span(begin, header.body)
                body.problems.append(unclosed(place, "{}", header.body, cut=True, certain=False))
        if calls:
            reading = "This call is read although it has no marker of its own"
            body.problems.append(differ(place, reading, "readers that look for one take it for text"))
        span = Span(begin if not calls else place.start, end)
        calls.append(named_call(dialect, header, span, body, Span(header.body, end), complete=not cut))
        begin = at = skip_space(text, end)
        if not body.sound:
            break
    if not calls:
        return _cut(text, start, at, context)
    end = _after_closing(text, calls[-1].span.end, context)
    if len(calls) > 1 or end > calls[-1].span.end:
        for call in calls:
            call.frame = Span(start, end)
    return Reading(calls, end, end)


def _after_closing(text: str, at: int, context: ReadContext) -> int:
    """Return where the closing marker after the calls ends, `at` where there is none."""
    visible = skip_space(text, at)
    look_for(text, visible, (_CLOSING,), context)
    return visible + len(_CLOSING) if text.startswith(_CLOSING, visible) else at


def _is_bare(text: str, match: re.Match[str], context: ReadContext) -> bool:
    """Return whether a name without `[ARGS]` is one, because JSON follows it more closely than in prose."""
    if match["id"] is not None:
        return False
    found = _OBJECT.match(text, match.end("name"))
    context.look(skip_space(text, skip_space(text, match.end("name")) + 1) + 1)
    return found is not None and not (match["space"] and found["space"])


def _cut(text: str, start: int, at: int, context: ReadContext) -> Reading | None:
    """Return the reading of a call whose name or id the text's end cuts off; None where something else follows."""
    match = _CUT.match(text, at)
    context.look(at + 256 + MAX_LENGTH)
    if match is None or text[at - 1] != "]":
        return None
    half = match["half"]
    if half is not None and not _ARGUMENTS.startswith(half) and not _IDENTIFIER.startswith(half):
        return None
    header = Header(match["name"], Span(at, len(text)), len(text), awaited=_ARGUMENTS)
    return Reading([], len(text), len(text), [cut_header(Span(start, at), header)])


def _read_objects(text: str, start: int, at: int, context: ReadContext, dialect: str) -> Reading | None:
    """Read the array or the object that begins at `at` as calls; None where nothing in it is one."""
    limit = body_limit(text, at, context)
    read = read_alone(text, at, limit, _EVERY, context)
    value = read.value
    paths: list[Path] = [()] if _is_call(value) else []
    if isinstance(value, list):
        paths = [(index,) for index, entry in enumerate(value) if _is_call(entry)]
    if not paths:
        entries = value if isinstance(value, list) else [value]
        cut = [problem for problem in own_problems(read) if ends_text([problem])]
        if cut and entries and isinstance(entries[-1], dict) and read.end >= limit:
            return Reading([], read.end, read.end, cut)
        if read.clean:
            return Reading([], read.end, read.end)
        # The text inside broken JSON is not read again from each marker in it.
        context.scan.claims.objects = max(context.scan.claims.objects, read.end)
        return None
    end = _after_closing(text, read.end, context)
    frame = Span(start, end)
    calls = []
    for path in paths:
        entry = entry_at(read, path)
        whole = Span(start, read.end) if len(paths) == 1 else entry.node.span
        calls.append(object_call(text, entry, _FORM, dialect, whole))
        calls[-1].frame = frame
    distribute(calls, own_problems(read))
    calls[-1].complete = not ends_text(own_problems(read))
    if isinstance(value, list):
        kept = set(paths)
        calls[0].problems += [
            differ(node.span, "This entry is not a call and is left out", "mlx-lm rejects the whole array")
            for index, node in enumerate(read.root.items)
            if (index,) not in kept
        ]
    return Reading(calls, end, end)


def _is_call(value: Any) -> bool:
    return isinstance(value, dict) and ("name" in value or "arguments" in value)


DIALECT = Mistral()
