"""The shape `gemini`: requests and responses of Gemini's interfaces, in the words of REST and of the Python SDK.

Owns: recognising them, and reading them. Must not know: other shapes, hosts, dialects.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from callwright.calls.turns import NativeCall, Turn, TurnResult
from callwright.syntax.json_views import JsonView
from callwright.transcripts.base import Shape
from callwright.transcripts.support.contents import add_text, begun_turn, finish, list_under, result
from callwright.transcripts.support.text_results import add_text_results

_ROLES: Final = {"model": "assistant", "function": "tool"}
_SYSTEM: Final = ("systemInstruction", "system_instruction")
#: The members of a call that is streamed in pieces.
_PIECES: Final = frozenset({"partialArgs", "partial_args", "willContinue", "will_continue"})
#: The members of which a part has one; SDKs write the others, too, but empty.
_PARTS: Final = frozenset(
    {"text", "functionCall", "function_call", "functionResponse", "function_response", "inlineData", "inline_data"}
    | {"fileData", "file_data", "executableCode", "executable_code", "codeExecutionResult", "code_execution_result"}
    | {"toolCall", "tool_call", "toolResponse", "tool_response"}
)


class Gemini(Shape):
    """A request with `contents`, a response with `candidates`, a list of contents or of streamed responses."""

    name = "gemini"
    title = "Gemini contents"
    keys = ("contents", "candidates", "parts")
    provider = "gemini"
    whole = ("contents", "candidates")
    scanned_at = 16
    read = frozenset({"contents", "candidates", "parts", "tools", "config", *_SYSTEM})
    tools_at = ("tools", "config.tools")
    sources = (
        "https://ai.google.dev/api/generate-content",
        "https://ai.google.dev/api/caching#Content",
        "https://ai.google.dev/gemini-api/docs/function-calling",
        "https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/inference",
        "https://cloud.google.com/vertex-ai/generative-ai/docs/models/tune-function-calling",
        "https://googleapis.github.io/js-genai/classes/types.FunctionResponse.html",
    )
    about = """
    Callwright reads request bodies (`contents`, `systemInstruction`, `tools`), responses (`candidates`), lists of
    streamed responses, lists of contents such as a chat history, tuning and batch files, and logs with one content per
    line. The names of the Python SDK (`function_call`, `finish_reason`, …) mean the same as those of REST.

    A call is a part `functionCall`, whose `args` are an object; the `id` is optional. A result is a part
    `functionResponse`, which names its tool, and its call if that has an `id`. Its `response` is an object: the value
    that the tool returned is under `output` or is the whole object, and `error` marks a failure.

    Calls in reasoning are ignored. `finishReason` states why the model stopped. Each candidate is a separate
    conversation.
    """

    def matches(self, value: Any) -> int:
        """Return how certainly these are Gemini's contents."""
        if isinstance(value, list):
            if any(map(_is_content, value[: self.scanned_at])):
                return 70
            return 80 if any(map(_is_response, value[:4])) else 0
        if not isinstance(value, Mapping):
            return 0
        contents = value.get("contents")
        if isinstance(contents, list):
            return 80 if any(map(_is_content, contents[: self.scanned_at])) else 0
        if isinstance(contents, Mapping):
            return 70 if _is_content(contents) else 0
        if _is_response(value):
            return 80
        return 60 if isinstance(value.get("role"), str) and _is_content(value) else 0

    def entries(self, root: JsonView) -> JsonView | None:
        """Return the contents of a request."""
        return list_under(root, "contents")

    def turns(self, root: JsonView) -> Iterator[Turn]:
        """Yield one turn a content. What a stream delivers in pieces is one turn."""
        value = root.value
        if isinstance(value, list):
            yield from _streamed(root) if any(map(_is_response, value[:4])) else map(_turn, root.objects())
        elif isinstance(value, dict):
            system, contents = root.get(*_SYSTEM), root.get("contents")
            if contents is None and "candidates" in value:
                yield from _candidates(root)
                return
            if system is None:
                config = root.get("config")
                system = config.get(*_SYSTEM) if config is not None else None
            if system is not None and system.value:
                turn = Turn(system, "system")
                _read_parts(system, turn)
                yield turn
            yield from map(_turn, (root if contents is None else contents).each())


def _is_content(value: Any) -> bool:
    if not isinstance(value, Mapping):
        return False
    parts, role = value.get("parts"), value.get("role")
    if not isinstance(parts, list) or not (role is None or isinstance(role, str)):
        return False
    return any(isinstance(part, Mapping) and not _PARTS.isdisjoint(part) and "type" not in part for part in parts[:8])


def _is_response(value: Any) -> bool:
    candidates = value.get("candidates") if isinstance(value, Mapping) else None
    return isinstance(candidates, list) and any(
        isinstance(candidate, Mapping)
        and isinstance(candidate.get("content"), Mapping)
        and ("parts" in candidate["content"] or "finishReason" in candidate or "finish_reason" in candidate)
        for candidate in candidates[:4]
    )


def _turn(content: JsonView) -> Turn:
    turn = begun_turn(content, _ROLES)
    _read_parts(content, turn)
    if turn.role == "user":
        add_text_results(turn)
    return turn


def _read_parts(content: JsonView, turn: Turn) -> None:
    add_text(turn, content)
    for part in content.list_at("parts"):
        call = part.get("functionCall", "function_call")
        answer = part.get("functionResponse", "function_response")
        if call is not None and isinstance(call.value, dict):
            if _is_piece(call.value):
                continue
            arguments, call_id = call.given("args"), call.given("id")
            turn.calls.append(NativeCall(call, call.get("name"), arguments, call_id, key="args", optional=True))
        elif answer is not None and isinstance(answer.value, dict):
            turn.results.append(_result(answer))
        elif part.value is not None and not (isinstance(part.value, dict) and part.value.get("thought") is True):
            add_text(turn, part if isinstance(part.value, str) else part.get("text"))


def _is_piece(call: Mapping[str, Any]) -> bool:
    """Return whether a call is a piece of a streamed one; the last piece is empty."""
    return not call or not _PIECES.isdisjoint(call)


def _result(answer: JsonView) -> TurnResult:
    response = answer.get("response")
    error = response.given("error") if response is not None else None
    content = error or (response.get("output") if response is not None else None) or response
    found = result(answer, "id", content, tool=("name",), failed=True if error is not None else None)
    found.call_id = answer.given("id")
    return found


def _candidates(response: JsonView) -> Iterator[Turn]:
    """Yield the turn of each candidate. The first continues the request's conversation, the others are beside it."""
    for number, candidate in enumerate(response.list_at("candidates")):
        if not isinstance(candidate.value, dict):
            continue
        content = candidate.get("content")
        turn = _turn(content) if content is not None and isinstance(content.value, dict) else Turn(candidate, None)
        turn.role = turn.role or "assistant"
        turn.continues = True
        turn.conversation = ("candidate", number) if number else None
        finish(turn, candidate.get("finishReason", "finish_reason"))
        yield turn


def _streamed(responses: JsonView) -> Iterator[Turn]:
    """Yield the turns of streamed responses: pieces of one candidate are put together until it has finished."""
    running: dict[Any, Turn] = {}
    for response in responses.items():
        for turn in _candidates(response):
            whole = running.get(turn.conversation)
            if whole is None:
                running[turn.conversation] = whole = turn
            else:
                whole.texts += turn.texts
                whole.calls += turn.calls
                whole.results += turn.results
                whole.finish, whole.finish_place = turn.finish, turn.finish_place
            if whole.finish is not None:
                yield running.pop(turn.conversation)
    yield from running.values()


SHAPE = Gemini()
