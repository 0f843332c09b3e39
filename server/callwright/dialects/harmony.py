"""The `harmony` dialect: a message to a recipient such as `functions.NAME`, whose content is the arguments as JSON.

Owns: this dialect. Must not know: other dialects, the registry's class.
"""

import re
from collections.abc import Sequence
from typing import Final

from callwright.calls.marker_problems import differ, half_marker, unclosed
from callwright.calls.named_json import (
    MAX_LENGTH,
    Grammar,
    Header,
    ambiguous,
    body_limit,
    cut_header,
    look_for,
    name_with_holes,
    named_call,
    read_body,
)
from callwright.calls.protocol import ReadContext, Reading, Refusal, Rendering
from callwright.calls.scanning import skip_space
from callwright.dialects.support.named import NamedDialect
from callwright.text.span import Span

_START: Final = "<|start|>"
_CHANNEL: Final = "<|channel|>"
_MESSAGE: Final = "<|message|>"
_CALL: Final = "<|call|>"
_NAMESPACE: Final = "functions."
_RECIPIENT: Final = f"to={_NAMESPACE}"
_WORDS: Final = r"[^<\r\n]{0,200}+"
_HEADER = re.compile(
    rf"(?:<\|start\|>(?P<role>{_WORDS})|to={_WORDS})?+(?:<\|channel\|>{_WORDS}){{0,3}}+"
    rf"(?:<\|constrain\|>{_WORDS})?+(?P<end><\|message\|>)?+"
)
_TO = re.compile(r"(?<![^\s>])to=(?P<name>[^\s<]++)")
_HALF = re.compile(r"(?:<[|a-z]*+)?+\Z")
_NAME = re.compile(r"[^\s<]+")
#: Recipients that are not functions, whatever follows a dot in them.
_PEOPLE: Final = frozenset({"assistant", "user", "system", "developer", "tool", "self", "all"})
_BUILT_IN: Final = frozenset({"python", "browser", "container"})
_CLOSING = re.compile(r"<\|(?:call|end|return)\|>")
_GRAMMAR: Final = Grammar(
    header=re.compile(
        rf"(?:<\|start\|>{_WORDS})?+(?:<\|channel\|>[^<\r\n]{{0,200}}?)??to=(?:functions\.)?+(?P<name>[^\s<]++){_WORDS}"
        rf"(?:<\|(?:channel|constrain)\|>{_WORDS}){{0,3}}+<\|message\|>"
    ),
    closers=(_CALL, "<|end|>", "<|return|>"),
    every=re.compile(r"<\|(?:call|end|return|start|channel|constrain|message)\|>"),
    markers=(_START, _CHANNEL, _MESSAGE, _CALL, "<|end|>", "<|return|>", "<|constrain|>"),
    closing=_CLOSING,
)


class Harmony(NamedDialect):
    """A message whose header names a recipient, `to=functions.NAME`, before or after the channel.

    A message without a recipient is reasoning or an answer, in any channel.
    """

    name = "harmony"
    title = "Harmony"
    summary = "A message `<|channel|>commentary to=functions.NAME <|constrain|>json<|message|>` and a JSON object."
    used_by: Sequence[str] = ("gpt-oss",)
    openers: Sequence[str] = (_START, _CHANNEL, _RECIPIENT)
    markers = _GRAMMAR.markers
    chat_markers = tuple(marker for marker in _GRAMMAR.markers if marker != _CALL)
    gathers = True
    grammar = _GRAMMAR
    closer = _CALL
    escaping = r"""
        JSON escapes. A marker inside a string is written with `\u003c` for its `<`, because the text would be read as
        the token of the marker.
    """
    ambiguity = """
        The recipient may be after the role or after the channel, and the content type with or without `<|constrain|>`.
        A call may end at the end of the text, because engines remove `<|call|>` as their stop token; if another message
        follows, the marker is missing.

        A recipient without `functions.` is a call if it is the name of a tool. It is also one if JSON follows and the
        recipient is neither a person nor one of the built-in tools `python`, `browser` and `container`. A closing
        marker inside a JSON string is part of the string, with a warning.
    """
    peers = """
        llama.cpp ignores a call whose recipient lacks `functions.`; vLLM reads it unless it is the call of a built-in
        tool. SGLang requires `commentary` as the channel and `<|constrain|>json`. Engines that stop only at `<|call|>`
        do not run a call that ends with `<|end|>`. Dynamo reads only calls that end with `<|call|>`. vLLM and Dynamo
        return content that is not JSON unchanged; in Callwright the call then has no arguments, with a diagnostic.
    """
    asks: Sequence[str] = (
        "Write each call as a message on the commentary channel to the tool, with one JSON object as its content:",
        f"`{_START}assistant{_CHANNEL}commentary to=functions.NAME <|constrain|>json{_MESSAGE}{{…}}{_CALL}`",
    )

    def read(self, text: str, start: int, context: ReadContext) -> Reading | None:
        """Read the message that begins at `start`; None where its recipient is not a tool."""
        match = _HEADER.match(text, start)
        if match is None or match["end"] is None:
            context.look((match.end() if match is not None else start) + MAX_LENGTH)
        if match is None or match.end() == start:
            return None
        recipient = _TO.search(text, start, match.end())
        if recipient is None:
            return None
        named = recipient["name"].startswith(_NAMESPACE)
        name = recipient["name"].removeprefix(_NAMESPACE)
        place = Span(recipient.end() - len(name), recipient.end())
        header = Header(name_with_holes(name), place, match.end())
        if match["end"] is None:
            return _cut(text, start, header, context) if named else None
        if not name or not _may_be_json(text, header.body, context):
            return None
        if not named and not _is_tool(text, name, header.body, context):
            return None
        limit = body_limit(text, header.body, context)
        body = read_body(text, header.body, limit, _GRAMMAR, context)
        closing = _CLOSING.match(text, body.at)
        half = half_marker(text, body.at, _CALL) if closing is None else None
        body_end = max(body.end, header.body)
        end = body_end
        problems = list(header.problems)
        complete = not body.cut
        opened = Span(start, header.body)
        if closing is not None:
            end = closing.end()
            used = Span(closing.start(), closing.end())
            problems += ambiguous(text, body, _CLOSING, used)
            if closing[0] != _CALL:
                reading = f"The call ends at `{closing[0]}`"
                problems.append(differ(used, reading, f"engines that stop at `{_CALL}` alone do not run it"))
        elif half is not None:
            problems.append(half)
            end, body_end, complete = half.span.end, body.at, False
        elif body.at < limit:
            certain = not body.problems
            problems.append(unclosed(opened, _CALL, body_end, certain=certain))
        elif body.value is None:
            complete = False
            problems.append(unclosed(opened, "{}", body_end, cut=True, certain=False))
        if not named:
            reading = f"`{name}` is read as a tool's name although it lacks `{_NAMESPACE}`"
            problems.append(differ(place, reading, "llama.cpp reads no call here"))
        call = named_call(self.name, header, Span(start, end), body, Span(header.body, body_end), complete=complete)
        call.problems += problems
        return Reading([call], end, end)

    def head(self, call: Rendering, index: int) -> str | Refusal:
        """Return the header of a message on the commentary channel."""
        del index
        if _NAME.fullmatch(call.tool) is None or len(call.tool) > _MAX_NAME_LENGTH:
            return Refusal(f"a recipient cannot contain the name `{call.tool}`")
        return f"{_START}assistant{_CHANNEL}commentary to={_NAMESPACE}{call.tool} <|constrain|>json{_MESSAGE}"


_MAX_NAME_LENGTH: Final = 160


def _may_be_json(text: str, at: int, context: ReadContext) -> bool:
    """Return whether no tag begins the content: other dialects write their own into messages of this form."""
    visible = skip_space(text, at)
    look_for(text, visible, _GRAMMAR.markers, context)
    return not text.startswith("<", visible) or text.startswith("<|", visible)


def _is_tool(text: str, name: str, at: int, context: ReadContext) -> bool:
    """Return whether a recipient without the functions' namespace is a tool."""
    if context.tools.has(name):
        return True
    first = name.split(".", 1)[0]
    if first in _PEOPLE or first in _BUILT_IN:
        return False
    return text.startswith("{", skip_space(text, at))


def _cut(text: str, start: int, header: Header, context: ReadContext) -> Reading | None:
    """Return the reading of a message in whose header the text ends; None where something else follows."""
    if "<|" not in text[start : header.body]:
        return None
    half = _HALF.match(text, header.body)
    context.look(header.body + MAX_LENGTH)
    if half is None or (
        half[0] and not any(marker.startswith(half[0]) for marker in (_MESSAGE, _CHANNEL, "<|constrain|>"))
    ):
        return None
    header.body = len(text)
    header.awaited = _MESSAGE
    return Reading([], len(text), len(text), [cut_header(Span(start, header.tool_span.start), header)])


DIALECT = Harmony()
