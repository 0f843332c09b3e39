"""The `kimi` dialect: an id with the tool's name and a counter in markers, and the arguments as JSON after it.

Owns: this dialect. Must not know: other dialects, the registry's class.
"""

import re
from collections.abc import Sequence
from typing import Final

from callwright.calls.marker_problems import differ
from callwright.calls.named_json import (
    MAX_LENGTH,
    Grammar,
    Header,
    Section,
    name_with_holes,
    read_section,
)
from callwright.calls.protocol import ReadContext, Reading, Refusal, Rendering
from callwright.dialects.support.named import NamedDialect
from callwright.syntax.problem import Problem
from callwright.text.holes import HOLE
from callwright.text.span import Span, insert

_SECTION: Final = "<|tool_calls_section_begin|>"
_SECTION_END: Final = "<|tool_calls_section_end|>"
_CALL: Final = "<|tool_call_begin|>"
_CALL_END: Final = "<|tool_call_end|>"
_ARGUMENTS: Final = "<|tool_call_argument_begin|>"
_HEADER = re.compile(r"\s*+(?P<id>[^\s<]++)\s*+<\|tool_call_argument_begin\|>")
_CUT = re.compile(r"\s*+(?P<id>(?:\w[^\s<]*+)?+)\s*+(?P<half><[^\s>]*+)?+\Z")
_ID = re.compile(r"(?:functions\.)?(?P<name>.+):\d+")
_COUNTER = re.compile(r"\d+")
_NAME = re.compile(r"[^\s<|]+")
_GRAMMAR: Final = Grammar(
    header=re.compile(
        r"<\|tool_call_begin\|>\s*+(?:functions\.)?+(?P<name>[^\s<]+?):\d++\s*+<\|tool_call_argument_begin\|>"
    ),
    closers=(_CALL_END, _SECTION_END),
    every=re.compile(r"<\|(?:tool_call(?:s_section)?_(?:begin|end)|tool_call_argument_begin|im_end)\|>"),
    markers=(_SECTION, _SECTION_END, _CALL, _CALL_END, _ARGUMENTS, "<|im_end|>"),
    closing=re.compile(r"<\|tool_call_end\|>"),
)


def _header(text: str, at: int, context: ReadContext) -> Header | None:
    """Read the id and the marker after it."""
    match = _HEADER.match(text, at)
    if match is None:
        return _cut(text, at, context)
    context.look(match.end())
    written = match["id"]
    place = Span(match.start("id"), match.end("id"))
    header = Header(None, place, match.end(), written, name_key="functions.NAME:0")
    counted = _ID.fullmatch(written)
    if counted is not None:
        header.tool = name_with_holes(counted["name"])
        header.tool_span = Span(place.start + counted.start("name"), place.start + counted.end("name"))
        header.counted = True
    elif HOLE in written:
        header.tool, header.call_id = HOLE, None
    elif _COUNTER.fullmatch(written) is not None:
        header.counted = True
        header.problems.append(
            differ(
                place,
                "The id is a mere number, so the call names no tool",
                "SGLang guesses the tool by the names of the arguments, others skip the call",
            )
        )
    else:
        data = {"reason": "its id ends in no number", "remedy": f"Write `{written}:0`"}
        header.skipped = Problem("skipped-call", place, data, (insert(place.end, ":0"),), certain=True)
    return header


def _cut(text: str, at: int, context: ReadContext) -> Header | None:
    """Return the header that the text's end cuts off, None where something else follows."""
    context.look(at + MAX_LENGTH)
    match = _CUT.match(text, at)
    if match is None:
        context.look(_reach(text, at))
        return None
    context.look(len(text))
    if match["half"] is not None and not _ARGUMENTS.startswith(match["half"]):
        return None
    return Header(match["id"], Span(at, len(text)), len(text), awaited=_ARGUMENTS)


def _reach(text: str, at: int) -> int:
    """Return how far to read to know that no id is at `at`."""
    match = _BEFORE.match(text, at)
    return (match.end() if match is not None else at) + MAX_LENGTH


_BEFORE = re.compile(r"\s*+[^\s<]*+\s*+")
_PARTS: Final = Section(
    grammar=_GRAMMAR,
    opening=re.compile(re.escape(_SECTION)),
    call=re.compile(re.escape(_CALL)),
    call_end=re.compile(re.escape(_CALL_END)),
    closing=re.compile(re.escape(_SECTION_END)),
    header=_header,
    outside="vLLM, SGLang and smg read no call outside a section",
)


class Kimi(NamedDialect):
    """A section of calls; each has an id such as `functions.read_file:0` and its arguments as one JSON object.

    The name is between `functions.` and the last `:` with its number.
    """

    name = "kimi"
    title = "Kimi K2 sections"
    summary = "A marked section with an id such as `functions.NAME:0` and a JSON object for each call."
    used_by: Sequence[str] = ("Kimi K2", "Kimi K2 Thinking")
    openers: Sequence[str] = (_SECTION, _CALL)
    pairs = ((_SECTION, _SECTION_END), (_CALL, _CALL_END))
    markers = (_SECTION, _SECTION_END, _CALL, _CALL_END, _ARGUMENTS)
    gathers = True
    grammar = _GRAMMAR
    around = (_SECTION, _SECTION_END)
    closer = _CALL_END
    ambiguity = """
        A closing marker inside a JSON string is part of the string, with a warning. Calls without a section around them
        are read. A call without its closing marker ends with its JSON, at the next marker or at the end of the text,
        with a diagnostic.

        The id is kept as the call's id; it only counts the calls, so a conversion may change it. An id without `:` and
        a number is not a call, as in every engine. Words between the section's opening marker and its first call are
        ignored.
    """
    peers = """
        vLLM, SGLang and smg ignore a call outside a section; llama.cpp reads it. SGLang and smg end a call at the first
        closing marker after a `}`, even inside a string. SGLang accepts an id that is only a number, and guesses the
        tool by the names of the arguments. vLLM ends the name at the first `:` of the id.

        Callwright reads as much as possible of a broken or truncated call and reports it; SGLang and smg drop it, vLLM
        returns its text.
    """
    asks: Sequence[str] = (
        f"Write all calls of a reply between `{_SECTION}` and `{_SECTION_END}`.",
        (
            f"Write each call as `{_CALL}functions.NAME:INDEX{_ARGUMENTS}`, one JSON object with the arguments, and"
            f" `{_CALL_END}`; INDEX counts the calls from 0."
        ),
    )

    def read(self, text: str, start: int, context: ReadContext) -> Reading | None:
        """Read the section or the call that begins at `start`."""
        return read_section(text, start, context, self.name, _PARTS)

    def head(self, call: Rendering, index: int) -> str | Refusal:
        """Return the id and its markers; an id is kept where it has the dialect's form, else calls count."""
        if _NAME.fullmatch(call.tool) is None:
            return Refusal(f"an id cannot hold the name `{call.tool}`")
        identifier = call.call_id or ""
        kept = _ID.fullmatch(identifier)
        if kept is None or kept["name"] != call.tool or _NAME.fullmatch(identifier) is None:
            identifier = f"functions.{call.tool}:{index}"
        return f"{_CALL}{identifier}{_ARGUMENTS}"


DIALECT = Kimi()
