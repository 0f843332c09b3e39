"""The `deepseek` dialect: the tool's name between markers with wide bars, and the arguments as JSON after it.

Owns: this dialect. Must not know: other dialects, the registry's class.
"""

import re
from collections.abc import Sequence
from typing import Final

from callwright.calls.named_json import (
    MAX_LENGTH,
    Grammar,
    Header,
    Section,
    look_for,
    name_with_holes,
    read_section,
)
from callwright.calls.protocol import ReadContext, Reading, Refusal, Rendering
from callwright.calls.scanning import skip_space
from callwright.dialects.support.named import NamedDialect
from callwright.syntax.problem import Problem
from callwright.text.span import Span, delete, insert

#: What models and people write between the words of a marker: the tokenizer's own sign first.
_GAPS: Final = ("▁", "_", " ", "\\_")
_GAP: Final = "(?:▁|_| |\\\\_)"


def _marker(*words: str) -> str:
    """Return the pattern of a marker in all its spellings."""
    return f"(?:<｜tool{_GAP}{_GAP.join(words)}｜>|<\\|tool▁{'▁'.join(words)}\\|>)"


_SECTION: Final = "<｜tool▁calls▁begin｜>"
_SECTION_END: Final = "<｜tool▁calls▁end｜>"
_CALL: Final = "<｜tool▁call▁begin｜>"
_CALL_END: Final = "<｜tool▁call▁end｜>"
_SEPARATOR: Final = "<｜tool▁sep｜>"
_SHORT: Final = "<｜tool▁calls｜>"
#: What is in place of the name in the older form, where the name follows the separator.
_KIND: Final = "function"
_MAX_NAME_LENGTH: Final = 200
_BEFORE = re.compile(rf"\s*+(?P<name>[^<\r\n]{{0,200}}+)(?P<separator>{_marker('sep')})")
_AFTER = re.compile(r"[ \t]*+(?P<name>[^\s<`{\[]++)[ \t]*+(?=[\r\n]|```|\Z)")
_FENCE = re.compile(r"\s*+(?P<fence>```)[ \t]*+(?:json)?+[ \t]*+(?:\r\n|\n|\r)?+")
_HALF_FENCE = re.compile(r"\s*+`{0,3}+[a-z]{0,4}+\Z")
_CUT = re.compile(r"\s*+(?P<name>(?:\w[^\s<]{0,200}+)?+)(?P<half><[^>]{0,40}+)?+\Z")
_NAME = re.compile(r"[^\s<`{\[]+")
_GRAMMAR: Final = Grammar(
    header=re.compile(
        rf"{_marker('call', 'begin')}\s*+(?:{_KIND}{_marker('sep')}[ \t]*+(?P<older>[^\s<`{{\[]++)\s*+"
        rf"(?:```[ \t]*+(?:json)?+\s*+)?+|(?P<name>[^<\r\n]{{1,200}}?)\s*+{_marker('sep')})"
    ),
    closers=(_CALL_END, _SECTION_END),
    every=re.compile(
        rf"{_marker('calls?', '(?:begin|end)')}|{_marker('sep')}|{_SHORT}|<｜(?:end▁of▁sentence|User|Assistant)｜>"
        rf"|{_marker('outputs?', '(?:begin|end)')}"
    ),
    markers=(
        *(
            marker.replace("▁", gap)
            for gap in _GAPS
            for marker in (_SECTION, _SECTION_END, _CALL, _CALL_END, _SEPARATOR)
        ),
        *(marker.replace("｜", "|") for marker in (_SECTION, _SECTION_END, _CALL, _CALL_END, _SEPARATOR)),
        *(_SHORT, "<｜end▁of▁sentence｜>", "<｜User｜>", "<｜Assistant｜>", "<｜tool▁outputs▁begin｜>", "```"),
    ),
    closing=re.compile(_marker("call", "end")),
)


def _header(text: str, at: int, context: ReadContext) -> Header | None:
    """Read the name and the separator, in the order of either form."""
    match = _BEFORE.match(text, at)
    if match is None:
        return _cut(text, at, context)
    written = match["name"].rstrip()
    place = Span(match.start("name"), match.start("name") + len(written))
    after = match.end()
    visible = skip_space(text, after)
    look_for(text, visible, _GRAMMAR.markers, context)
    if text.startswith("<", visible) and _GRAMMAR.every.match(text, visible) is None:
        return None
    if written != _KIND or text.startswith(("{", "["), visible):
        header = Header(name_with_holes(written) or None, place, after, name_key="name")
        return _in_fence(text, visible, header, context)
    named = _AFTER.match(text, after)
    if named is None:
        if visible >= len(text):
            return Header(None, Span(after, after), len(text), awaited=_CALL_END)
        return _in_fence(text, visible, Header(None, Span(after, after), after, name_key="name"), context)
    context.look(named.end() + len("```"))
    if named.end() >= len(text):
        return Header(named["name"], Span(named.start("name"), named.end()), len(text), awaited=_CALL_END)
    header = Header(name_with_holes(named["name"]), Span(named.start("name"), named.end("name")), named.end())
    visible = skip_space(text, named.end())
    look_for(text, visible, _GRAMMAR.markers, context)
    if _HALF_FENCE.match(text, named.end()) is not None:
        header.body = len(text)
        return header
    header = _in_fence(text, visible, header, context)
    if header.fence is None:
        data = {
            "reason": "its arguments are not in a json fence, which calls with `function` and a separator require",
            "remedy": f"Remove `{_KIND}` and the separator, and write the arguments after the name",
        }
        span = Span(place.start, match.end())
        # The newer form has the same parts in another order: the name, the separator, the JSON.
        repair = (delete(*span), insert(header.tool_span.end, match["separator"]))
        header.skipped = Problem("skipped-call", span, data, repair, certain=True)
    return header


def _in_fence(text: str, visible: int, header: Header, context: ReadContext) -> Header:
    """Return the header with the fence that opens at `visible`, if one does."""
    fence = _FENCE.match(text, visible)
    if fence is not None:
        header.fence = Span(fence.start("fence"), fence.end("fence"))
        header.body = fence.end()
        context.look(fence.end() + 1)
    return header


def _cut(text: str, at: int, context: ReadContext) -> Header | None:
    """Return the header that the text's end cuts off, None where something else follows."""
    match = _CUT.match(text, at)
    context.look(skip_space(text, at) + 200 + MAX_LENGTH)
    if match is None or (match["half"] is not None and not _SEPARATOR.startswith(match["half"])):
        return None
    return Header(match["name"], Span(at, len(text)), len(text), awaited=_SEPARATOR)


_PARTS: Final = Section(
    grammar=_GRAMMAR,
    opening=re.compile(f"{_marker('calls', 'begin')}|{_SHORT}"),
    call=re.compile(_marker("call", "begin")),
    call_end=re.compile(_marker("call", "end")),
    closing=re.compile(_marker("calls", "end")),
    header=_header,
    bare=True,
)


class DeepSeek(NamedDialect):
    """A section of calls between markers with wide bars. Each call is its name, a separator and the arguments as JSON.

    V3 and R1 write `function`, the separator, the name and the JSON in a fence. V3.1 writes only the name, the
    separator and the JSON.
    """

    name = "deepseek"
    title = "DeepSeek V3 and V3.1"
    summary = (
        "The tool's name, a separator and a JSON object between `<｜tool▁call▁begin｜>` and `<｜tool▁call▁end｜>`."
    )
    used_by: Sequence[str] = ("DeepSeek V3", "DeepSeek R1", "DeepSeek V3.1")
    openers: Sequence[str] = (
        *(f"<｜tool{gap}{word}{gap}begin｜>" for gap in _GAPS for word in ("calls", "call")),
        *("<|tool▁calls▁begin|>", "<|tool▁call▁begin|>"),
        _SHORT,
    )
    pairs = ((_SECTION, _SECTION_END), (_CALL, _CALL_END))
    markers = tuple(marker for marker in _GRAMMAR.markers if "tool" in marker)
    gathers = True
    grammar = _GRAMMAR
    around = (_SECTION, _SECTION_END)
    closer = _CALL_END
    ambiguity = r"""
        A call outside a section is not a call, and neither is the older form without its fence; all engines agree.
        `function` before the separator is the kind of call in the older form if a name follows, and a tool name if JSON
        follows.

        The markers are read with `▁`, `_`, `\_` or a space between their words, and with plain bars if the words are
        joined by `▁`.

        A closing marker inside a JSON string is part of the string, with a warning. Valid JSON without its closing
        marker is read, and the missing marker is reported: a model that stops at the end of its turn writes such a
        text.
    """
    peers = """
        No engine reads a call outside a section. vLLM, SGLang and smg ignore a call without its closing marker;
        llama.cpp reads the first call without an opening marker.

        vLLM, SGLang and smg end a call at the first closing marker, even inside a string. Each of them reads one of the
        two forms, and only the spelling with `▁`; llama.cpp also accepts the other spellings of the section's opening
        marker.

        Callwright reads as much as possible of a broken or truncated call and reports it; the others drop it or return
        its text.
    """
    asks: Sequence[str] = (
        f"Write all calls of a reply between `{_SECTION}` and `{_SECTION_END}`.",
        f"Write each call as `{_CALL}NAME{_SEPARATOR}`, one JSON object with the arguments, and `{_CALL_END}`.",
    )

    def read(self, text: str, start: int, context: ReadContext) -> Reading | None:
        """Read the section or the call that begins at `start`."""
        return read_section(text, start, context, self.name, _PARTS)

    def head(self, call: Rendering, index: int) -> str | Refusal:
        """Return the head in the newer form."""
        del index
        if _NAME.fullmatch(call.tool) is None or len(call.tool) > _MAX_NAME_LENGTH:
            return Refusal(f"nothing marks where the name `{call.tool}` ends")
        return f"{_CALL}{call.tool}{_SEPARATOR}"


DIALECT = DeepSeek()
