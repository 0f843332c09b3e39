"""The shape `vercel-ai`: messages of Vercel's AI SDK, those of its user interfaces and those for models.

Owns: recognising and reading it. Must not know: other shapes, hosts, dialects.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from callwright.calls.turns import NativeCall, Turn, TurnResult, TurnText
from callwright.syntax.json_views import JsonView
from callwright.transcripts.base import Shape
from callwright.transcripts.support.contents import flag, result
from callwright.transcripts.support.segments import Tail
from callwright.transcripts.support.text_results import text_results

#: Types of parts that only this SDK's messages have; those of tools begin with `tool-` and the tool's name.
_PART_TYPES: Final = frozenset({"text", "reasoning", "step-start", "file", "source-url", "source-document"})
_TOOL: Final = "tool-"
#: States in which a part's input is not all there yet.
_STREAMING: Final = frozenset({"input-streaming", "partial-call"})
_RESULT_STATES: Final[Mapping[str, bool]] = {
    "output-available": False,
    "result": False,
    "output-error": True,
    "output-denied": True,
}
#: The kinds of a model message's output, and whether they mean that the tool failed.
_OUTPUT_TYPES: Final[Mapping[str, bool]] = {
    "text": False,
    "json": False,
    "content": False,
    "error-text": True,
    "error-json": True,
    "execution-denied": True,
}


class VercelAI(Shape):
    """A list of messages, an object with `messages`, or one message."""

    name = "vercel-ai"
    title = "Vercel AI SDK messages"
    keys = ("messages", "parts", "role", "toolInvocations")
    provider = "vercel"
    whole = ("messages",)
    scanned_at = 32
    listed = ("messages",)
    sources = (
        "https://ai-sdk.dev/docs/reference/ai-sdk-core/ui-message",
        "https://ai-sdk.dev/docs/reference/ai-sdk-core/model-message",
        "https://ai-sdk.dev/v4/docs/reference/ai-sdk-ui/use-chat",
    )
    about = """
        In a UI message, a part of the type `tool-NAME` or `dynamic-tool` is a call. When its `state` says so, it also
        contains the result: `output`, or `errorText` if the tool failed. Earlier versions have `toolInvocations`, and
        parts of the type `tool-invocation`.

        In a model message, a call is a part `tool-call` and a result is a part `tool-result`, whose `output` states its
        kind. A message with several steps is read as several turns. A part whose input is still streaming is skipped.
    """

    def matches(self, value: Any) -> int:
        """Return how certainly these are the SDK's messages: by the parts that only they have."""
        messages = value.get("messages") if isinstance(value, dict) else None
        return super().matches(messages if isinstance(messages, list) else value)

    def form(self, value: Any) -> int:
        """Return how certainly a value is one message."""
        if not isinstance(value, dict) or not isinstance(value.get("role"), str):
            return 0
        if isinstance(value.get("toolInvocations"), list) and value["toolInvocations"]:
            return 90
        parts = value.get("parts")
        if isinstance(parts, list):
            kinds = [part.get("type") for part in parts[:8] if isinstance(part, dict)]
            if any(isinstance(kind, str) and kind.startswith((_TOOL, "dynamic-tool")) for kind in kinds):
                return 90
            return 65 if any(kind in _PART_TYPES for kind in kinds if isinstance(kind, str)) else 0
        content = value.get("content")
        if isinstance(content, list):
            for part in content[:8]:
                if isinstance(part, dict) and part.get("type") in ("tool-call", "tool-result") and "toolCallId" in part:
                    return 90
        return 0

    def turns(self, root: JsonView) -> Iterator[Turn]:
        """Yield the turns of each message."""
        for message in (self.entries(root) or root).each():
            yield from _turns(message)


def _turns(message: JsonView) -> Iterator[Turn]:
    """Yield the steps of a message: text and calls of the assistant, then the results, and so on."""
    steps = _Steps(message)
    parts = message.get("parts")
    content = message.get("content")
    if parts is not None and isinstance(parts.value, list):
        for part in parts.items():
            _read_part(part, steps)
    else:
        if content is not None:
            for part in (content,) if isinstance(content.value, str) else content.items():
                _read_part(part, steps)
        for invocation in message.list_at("toolInvocations"):
            _read_invocation(invocation, steps)
    yield from steps.close()


class _Steps:
    """The turns of one message while its parts are read."""

    def __init__(self, message: JsonView) -> None:
        self.message = message
        self.role = message.text("role")
        self.done: list[Turn] = []
        self.stated = self._turn()
        self.results: list[TurnResult] = []

    def _turn(self) -> Turn:
        return Turn(self.message, self.role, self.message.get("role"))

    def text(self, text: TurnText) -> None:
        """Add a text; after results it begins another step."""
        if self.results:
            self.step()
        self.stated.texts.append(text)
        if self.role == "user":
            self.stated.results += text_results(text)

    def step(self) -> None:
        """End the open step; what only tools wrote needs no turn of the message's own."""
        if self.stated.texts or self.stated.calls or self.stated.results:
            self.done.append(self.stated)
        if self.results:
            self.done.append(Turn(self.message, "tool", results=self.results))
        self.stated = self._turn()
        self.results = []

    def close(self) -> list[Turn]:
        """Return all turns; an empty message is one, too."""
        self.step()
        return self.done or [self.stated]


def _read_part(part: JsonView, steps: _Steps) -> None:
    if isinstance(part.value, str):
        steps.text(TurnText(part, part.value))
        return
    kind = part.text("type")
    if kind is None:
        return
    if kind == "text":
        text = part.get("text")
        if text is not None and isinstance(text.value, str):
            steps.text(TurnText(text, text.value))
    elif kind == "step-start":
        steps.step()
    elif kind == "tool-invocation":
        invocation = part.get("toolInvocation")
        if invocation is not None:
            _read_invocation(invocation, steps)
    elif kind == "tool-call":
        steps.stated.calls.append(_call(part, part.get("toolName")))
    elif kind == "tool-result":
        steps.results.append(_model_result(part))
    elif kind == "dynamic-tool":
        _read_tool(part, part.get("toolName"), steps)
    elif kind.startswith(_TOOL) and "state" in part.value:
        whole = part.get("type")
        _read_tool(part, Tail(whole, _TOOL) if whole is not None else None, steps)


def _read_invocation(invocation: JsonView, steps: _Steps) -> None:
    if isinstance(invocation.value, dict):
        _read_tool(invocation, invocation.get("toolName"), steps)


def _call(part: JsonView, name: JsonView | None) -> NativeCall:
    hosted = bool(part.value.get("providerExecuted"))
    key = "args" if "args" in part.value or part.text("type") is None else "input"
    arguments = part.get("input", "rawInput", "args")
    return NativeCall(part, name, arguments, part.get("toolCallId"), hosted=hosted, key=key)


def _read_tool(part: JsonView, name: JsonView | None, steps: _Steps) -> None:
    """Read a part that contains a call and its result."""
    state = part.text("state")
    if state in _STREAMING:
        return
    steps.stated.calls.append(_call(part, name))
    failed = _RESULT_STATES.get(state) if state is not None else None
    if failed is None:
        return
    call = steps.stated.calls[-1]
    content = part.get("errorText", "output") if failed else part.get("output", "result")
    back = result(part, "toolCallId", content, failed=failed, hosted=call.hosted)
    back.tool, back.tool_place = call.tool, name
    steps.results.append(back)


def _model_result(part: JsonView) -> TurnResult:
    """Return the result in a part of a model message: typed under `output`, or plain under the older `result`."""
    output = part.get("output")
    kind = output.text("type") if output is not None else None
    failed = _OUTPUT_TYPES.get(kind) if kind is not None else None
    content: JsonView | None
    if failed is not None and output is not None:
        content = output.get("value", "reason")
    else:
        content = output if output is not None else part.get("result")
    reported = flag(part, "isError")
    return result(part, "toolCallId", content, tool=("toolName",), failed=failed if reported is None else reported)


SHAPE = VercelAI()
