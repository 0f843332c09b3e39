"""The `inkling` dialect: a message of the model whose content is one JSON object with `name` and `args`.

Owns: this dialect. Must not know: other dialects, the registry's class.
"""

import re
from collections.abc import Sequence
from typing import Final

from callwright.calls.envelopes import Envelope, read_enveloped, render_enveloped
from callwright.calls.json_calls import Form
from callwright.calls.marker_problems import differ
from callwright.calls.protocol import ReadContext, Reading, Refusal, Rendering, RenderStyle, collected
from callwright.dialects.support.envelope import EnvelopeDialect
from callwright.text.span import Span

_MESSAGE: Final = "<|message_model|>"
_JSON: Final = "<|content_invoke_tool_json|>"
_MAX_NAME_LENGTH: Final = 200
_HEADER = re.compile(rf"{re.escape(_MESSAGE)}(?P<name>[^<\r\n]{{0,{_MAX_NAME_LENGTH}}}+)(?P<marker>{re.escape(_JSON)})")
_NAME = re.compile(r"[^\s<]+")


class Inkling(EnvelopeDialect):
    """A message of the model: the tool's name as its recipient, then a JSON object with `name` and `args`.

    The name in the JSON decides; the recipient may be missing.
    """

    name = "inkling"
    title = "Inkling"
    summary = '`<|message_model|>NAME<|content_invoke_tool_json|>{"name": …, "args": …}<|end_message|>`.'
    used_by: Sequence[str] = ("Inkling",)
    openers: Sequence[str] = (_MESSAGE, _JSON)
    markers = (_MESSAGE, _JSON, "<|end_message|>")
    chat_markers = (_MESSAGE, "<|end_message|>")
    envelopes = (Envelope(_JSON, "<|end_message|>"),)
    form = Form(arguments="args", arguments_else=("arguments", "parameters"))
    ambiguity = """
        `<|message_model|>` begins every message of the model. A call begins there only if the marker of a call follows
        its recipient. An `<|end_message|>` inside a JSON string is text; a diagnostic marks each. Content after
        `<|content_invoke_tool_text|>` names no tool and is text.
    """
    peers = """
        SGLang ends the JSON at the first `<|end_message|>`, even inside a string; if one call of a message is broken,
        it reads only the last call. vLLM also ends a call at `<|content_model_end_sampling|>`, and reads a call without
        `args` as one without arguments. Neither reads the name before the JSON; TensorRT-LLM drops a call whose two
        names differ.
    """
    asks = (
        (
            f"Write each call as `{_MESSAGE}NAME{_JSON}`, one JSON object with the keys `name` and `args`, and"
            " `<|end_message|>`."
        ),
    )

    def read_other(self, text: str, start: int, context: ReadContext) -> Reading | None:
        """Read a message of the model that is a call."""
        header = _HEADER.match(text, start)
        context.look(header.end() if header is not None else start + len(_MESSAGE) + _MAX_NAME_LENGTH + len(_JSON))
        if header is None:
            return None
        reading = read_enveloped(text, header.start("marker"), self.envelope, self.form, context, self.name)
        if reading is None:
            return None
        frame = Span(start, reading.end)
        for call in reading.calls:
            if call.span == call.frame:
                call.span = frame
            call.frame = frame
        written = header["name"].strip()
        if len(reading.calls) == 1 and written:
            (call,) = reading.calls
            begin = header.start("name") + header["name"].index(written)
            place = Span(begin, begin + len(written))
            if written == call.tool:
                call.name_spans = (*call.name_spans, place)
            elif call.tool is not None:
                reading_stated = f"The call is one of `{call.tool}`, as its JSON says"
                call.problems.append(differ(place, reading_stated, "TensorRT-LLM drops a call whose two names differ"))
        return reading

    def render_all(self, calls: Sequence[Rendering], style: RenderStyle) -> str | Refusal:
        """Return calls as messages of the model, one below the other."""
        parts = collected(self._message(call, style) for call in calls)
        return parts if isinstance(parts, Refusal) else ("\n" + style.margin).join(parts)

    def _message(self, call: Rendering, style: RenderStyle) -> str | Refusal:
        if _NAME.fullmatch(call.tool) is None:
            return Refusal(f"`{call.tool}` is no name that a message can be addressed to")
        part = render_enveloped([call], self.envelope, self.form, style)
        return part if isinstance(part, Refusal) else f"{_MESSAGE}{call.tool}{part}"


DIALECT = Inkling()
