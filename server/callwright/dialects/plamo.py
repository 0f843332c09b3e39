"""The `plamo` dialect: a name and arguments as JSON, each in a pair of PLaMo's markers.

Owns: this dialect. Must not know: other dialects, the registry's class.
"""

import re
from collections.abc import Sequence
from typing import Final

from callwright.calls.marker_problems import unclosed
from callwright.calls.model import ToolCall
from callwright.calls.named_json import (
    MAX_LENGTH,
    Grammar,
    Header,
    Section,
    name_with_holes,
    read_section,
)
from callwright.calls.protocol import ReadContext, Reading, Refusal, Rendering
from callwright.calls.scanning import skip_space
from callwright.dialects.support.named import NamedDialect
from callwright.text.span import Span


def _pair(word: str) -> tuple[str, str]:
    return f"<|plamo:begin_{word}:plamo|>", f"<|plamo:end_{word}:plamo|>"


_SECTION, _SECTION_END = _pair("tool_requests")
_CALL, _CALL_END = _pair("tool_request")
_NAME, _NAME_END = _pair("tool_name")
_ARGUMENTS, _ARGUMENTS_END = _pair("tool_arguments")
#: The markers that make the engine write JSON; only the second is passed on by every provider.
_CONSTRAIN: Final = "<|plamo:constrain|>json"
_BODY: Final = "<|plamo:msg|>"
_MAX_NAME_LENGTH: Final = 200
_LEAD = re.compile(rf"\s*+{re.escape(_NAME)}\s*+(?P<name>[^\s<]{{1,{_MAX_NAME_LENGTH}}}+)\s*+")
_AFTER = re.compile(
    rf"{re.escape(_NAME_END)}\s*+(?P<begin>{re.escape(_ARGUMENTS)})"
    rf"(?P<sign>\s*+(?:{re.escape(_CONSTRAIN)})?+\s*+(?:{re.escape(_BODY)})?+)"
)
#: What a text can end with inside a header that is still one.
_WHOLE: Final = f"{_NAME_END}{_ARGUMENTS}{_CONSTRAIN}{_BODY}"
_TOOL = re.compile(r"[^\s<]+")
_EVERY: Final = re.compile(r"<\|plamo:(?:(?:begin|end)_tool_\w{1,12}+:plamo|msg|tag)\|>")
_GRAMMAR: Final = Grammar(
    header=re.compile(
        rf"{re.escape(_CALL)}\s*+{re.escape(_NAME)}\s*+(?P<name>[^\s<]{{1,{_MAX_NAME_LENGTH}}}+)\s*+{_AFTER.pattern}"
    ),
    closers=(_ARGUMENTS_END, _CALL_END, _SECTION_END),
    every=_EVERY,
    markers=(
        *(_SECTION, _SECTION_END, _CALL, _CALL_END, _NAME, _NAME_END, _ARGUMENTS, _ARGUMENTS_END),
        *(_BODY, "<|plamo:tag|>"),
    ),
    closing=re.compile(re.escape(_ARGUMENTS_END)),
)


def _header(text: str, at: int, context: ReadContext) -> Header | None:
    """Read the name in its markers, and the marker in front of the arguments."""
    lead = _LEAD.match(text, at)
    if lead is None:
        context.look(skip_space(text, at) + len(_NAME) + _MAX_NAME_LENGTH + MAX_LENGTH)
        return None
    name = Span(lead.start("name"), lead.end("name"))
    after = _AFTER.match(text, lead.end())
    # What follows may be the rest of an optional marker.
    reported = after is not None and text[after.end() : after.end() + 1] not in ("", "<")
    context.look(after.end() + 1 if after is not None and reported else lead.end() + len(_WHOLE) + MAX_LENGTH)
    if after is None:
        rest = text[lead.end() : lead.end() + len(_WHOLE)]
        if lead.end() + len(rest) < len(text) or not _WHOLE.startswith(rest):
            return None
        return Header(name.of(text), name, len(text), awaited=_ARGUMENTS)
    return Header(name_with_holes(name.of(text)), name, after.end(), name_key="name")


_PARTS: Final = Section(
    grammar=_GRAMMAR,
    opening=re.compile(re.escape(_SECTION)),
    call=re.compile(re.escape(_CALL)),
    call_end=re.compile(
        rf"{re.escape(_ARGUMENTS_END)}\s*+{re.escape(_CALL_END)}|{re.escape(_CALL_END)}"
        rf"|{re.escape(_ARGUMENTS_END)}(?=\s*+(?:{re.escape(_CALL)}|{re.escape(_SECTION_END)}))"
    ),
    closing=re.compile(re.escape(_SECTION_END)),
    header=_header,
    outside="vLLM reads no call outside a section",
    closer=f"{_ARGUMENTS_END}{_CALL_END}",
)


class Plamo(NamedDialect):
    """A section of requests. Each has the tool's name and its arguments as one JSON object, in separate markers."""

    name = "plamo"
    title = "PLaMo 3 requests"
    summary = "Marked sections with `<|plamo:begin_tool_name:plamo|>NAME` and a JSON object for each call."
    used_by: Sequence[str] = ("PLaMo 3",)
    openers: Sequence[str] = (_SECTION, _CALL)
    pairs = ((_SECTION, _SECTION_END), (_CALL, _CALL_END), (_NAME, _ARGUMENTS_END))
    markers = _GRAMMAR.markers
    gathers = True
    grammar = _GRAMMAR
    around = (_SECTION, _SECTION_END)
    closer = f"{_ARGUMENTS_END}{_CALL_END}"
    ambiguity = (
        "A closing marker inside a JSON string is part of the string, with a warning. Calls without a section around"
        f" them are read, with a diagnostic. `{_CONSTRAIN}` and `{_BODY}` before the arguments are optional."
    )
    peers = (
        f"vLLM requires `{_CONSTRAIN}{_BODY}` before the arguments, and no whitespace between markers; other parsers do"
        " not. It ends the arguments at the first closing marker, even inside a string, and drops every call of a"
        " section in which a marker is missing."
    )
    asks: Sequence[str] = (
        f"Write all calls of a reply between `{_SECTION}` and `{_SECTION_END}`.",
        (
            f"Write each call as `{_CALL}{_NAME}NAME{_NAME_END}{_ARGUMENTS}{_CONSTRAIN}{_BODY}`, one JSON object with"
            f" the arguments, and `{_ARGUMENTS_END}{_CALL_END}`."
        ),
    )

    def read(self, text: str, start: int, context: ReadContext) -> Reading | None:
        """Read the section or the call that begins at `start`."""
        reading = read_section(text, start, context, self.name, _PARTS)
        for call in reading.calls if reading is not None else ():
            _end(text, call, context)
        return reading

    def head(self, call: Rendering, index: int) -> str | Refusal:
        """Return the name in its markers, and the markers in front of the arguments."""
        del index
        if _TOOL.fullmatch(call.tool) is None or len(call.tool) > _MAX_NAME_LENGTH:
            return Refusal(f"`{call.tool}` cannot be written between the markers of a name")
        return f"{_CALL}{_NAME}{call.tool}{_NAME_END}{_ARGUMENTS}{_CONSTRAIN}{_BODY}"


def _end(text: str, call: ToolCall, context: ReadContext) -> None:
    """Read both markers that end a call, and add the problem of the one that is missing where the other is there."""
    at = skip_space(text, call.body.end)
    inner = text.startswith(_ARGUMENTS_END, at)
    place = at + len(_ARGUMENTS_END) if inner else call.body.end
    outer = skip_space(text, place)
    context.look(outer + MAX_LENGTH)
    missing = _ARGUMENTS_END if not inner else _CALL_END if not text.startswith(_CALL_END, outer) else ""
    if not call.complete or not missing:
        return
    opening = Span(call.span.start, call.span.start + len(_CALL))
    call.problems.append(unclosed(opening, missing, place))


DIALECT = Plamo()
