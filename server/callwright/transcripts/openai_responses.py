"""The shape `openai-responses`: requests, responses and items of OpenAI's Responses interface.

Owns: recognising them, and reading them. Must not know: other shapes, hosts, dialects.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from callwright.calls.turns import NativeCall, Turn
from callwright.syntax.json_views import JsonView
from callwright.transcripts.base import Shape
from callwright.transcripts.support.contents import add_text, begun_turn, finish, list_under, result, returned
from callwright.transcripts.support.openai_messages import ROLES
from callwright.transcripts.support.text_results import add_text_results

_CALLS: Final = frozenset({"function_call", "custom_tool_call"})
_OUTPUTS: Final = frozenset({"function_call_output", "function_call_result", "custom_tool_call_output"})
#: The members that name a call; the second is that of agents in JavaScript.
_IDS: Final = ("call_id", "callId")
#: Types of items that no other format has.
_OWN_ITEMS: Final = (
    _CALLS
    | _OUTPUTS
    | {"mcp_call", "mcp_list_tools", "mcp_approval_request", "mcp_approval_response", "item_reference"}
    | {"web_search_call", "file_search_call", "code_interpreter_call", "image_generation_call", "computer_call"}
    | {"local_shell_call", "shell_call", "apply_patch_call", "compaction"}
)
#: Types of parts of a message's content that no other format has.
_OWN_PARTS: Final = frozenset({"input_text", "output_text", "input_image", "input_file"})
#: What a request has besides `input` that requests of other kinds do not have.
_OWN_MEMBERS: Final = (
    "instructions",
    "previous_response_id",
    "max_output_tokens",
    "tools",
    "tool_choice",
    "parallel_tool_calls",
    "reasoning",
    "text",
)
#: Items of the model that have no text or calls for us.
_SILENT: Final = ("reasoning", "compaction")


class OpenAIResponses(Shape):
    """A request with `input`, a response with `output`, a list of items, or a single item, as in logs."""

    name = "openai-responses"
    title = "OpenAI Responses items"
    keys = ("input", "output", "call_id", "role", "summary")
    provider = "openai-responses"
    scanned_at = 32
    tools_at = ("tools",)
    sources = (
        "https://platform.openai.com/docs/api-reference/responses/create",
        "https://platform.openai.com/docs/api-reference/responses/object",
        "https://platform.openai.com/docs/guides/function-calling",
        "https://platform.openai.com/docs/guides/conversation-state",
        "https://github.com/openai/openai-python/tree/main/src/openai/types/responses",
    )
    about = """
    Callwright reads request bodies (`input`, `instructions`, `tools`), responses (`output`), lists of items, the
    streamed event that ends a response and contains all of it, and logs with one item per line.

    Consecutive items of the model are one turn: its messages, its reasoning, its calls. A call is an item
    `function_call`, whose `arguments` are a string with JSON in it, or `custom_tool_call`, whose `input` is text and
    not read as JSON. A result is an item `function_call_output` or `custom_tool_call_output`; both name their call in
    `call_id`.

    The provider itself runs an `mcp_call`: it contains its own result, and its name need not be in `tools`. Items of
    other tools of the provider have no name or arguments to check.

    With `previous_response_id` or a reference to an item, earlier turns are not in the text. An `incomplete` response
    states the reason.

    Other streamed events are skipped, because they contain only pieces.
    """

    def matches(self, value: Any) -> int:
        """Return how certainly this is of the Responses interface: items that only it has, or a whole response."""
        if isinstance(value, list):
            return 75 if any(map(_is_own_item, value[: self.scanned_at])) else 0
        if not isinstance(value, Mapping):
            return 0
        output = value.get("output")
        if isinstance(output, list) and output and not _is_output(value):
            if value.get("object") == "response":
                return 90
            return 70 if any(map(_is_own_item, output[: self.scanned_at])) else 0
        given = value.get("input")
        if "role" not in value and "messages" not in value and isinstance(given, list):
            if any(map(_is_own_item, given[: self.scanned_at])):
                return 75
            return 45 if _asks(value) and any(map(_is_message, given[:4])) else 0
        if isinstance(given, str) and "role" not in value and "type" not in value:
            return 30 if _asks(value) else 0
        return 60 if _is_own_item(value) else 0

    def is_whole(self, value: Any) -> bool:
        """Return whether this is more than one item of a log."""
        return not isinstance(value, Mapping) or not _is_own_item(value)

    def turns(self, root: JsonView) -> Iterator[Turn]:
        """Yield the turns: what the model does in one response, each message of others, each result."""
        value = root.value
        if isinstance(value, list) or _is_own_item(value):
            yield from _item_turns(root.each())
            return
        instructions, given, output = root.get("instructions"), root.get("input"), list_under(root, "output")
        if output is not None:
            turns = list(_item_turns(output.objects()))
            if turns:
                turns[0].continues = True
                _finish(root, turns[-1])
            yield from turns
            return
        for stated, role in ((instructions, "system"), (given, "user")):
            if stated is not None and isinstance(stated.value, str) and (stated.value or stated is given):
                turn = Turn(stated, role)
                add_text(turn, stated)
                yield turn
        if given is not None:
            turns = list(_item_turns(given.objects()))
            if turns and any(
                isinstance(value.get(key), str | dict) for key in ("previous_response_id", "conversation")
            ):
                turns[0].continues = True
            yield from turns


def _is_output(value: Mapping[str, Any]) -> bool:
    """Return whether an object with `output` is itself the output of a call, whose content may be a list."""
    kind = value.get("type")
    return isinstance(kind, str) and kind in _OUTPUTS


def _is_own_item(value: Any) -> bool:
    if not isinstance(value, Mapping):
        return False
    kind = value.get("type")
    if not isinstance(kind, str):
        return False
    if kind in _CALLS:
        return not value.keys().isdisjoint((*_IDS, "arguments"))
    if kind in _OUTPUTS:
        return not value.keys().isdisjoint((*_IDS, "output"))
    if kind == "message":
        content = value.get("content")
        if not isinstance(value.get("role"), str):
            return False
        if isinstance(content, list):
            return any(isinstance(part, Mapping) and _is_own_part(part) for part in content[:4])
        return isinstance(content, str)
    if kind == "reasoning":
        return isinstance(value.get("summary"), list) and "id" in value
    return kind in _OWN_ITEMS and "id" in value


def _is_own_part(part: Mapping[str, Any]) -> bool:
    kind = part.get("type")
    return isinstance(kind, str) and kind in _OWN_PARTS


def _is_message(value: Any) -> bool:
    return isinstance(value, Mapping) and isinstance(value.get("role"), str) and "content" in value


def _asks(value: Mapping[str, Any]) -> bool:
    return isinstance(value.get("model"), str) and any(key in value for key in _OWN_MEMBERS)


def _item_turns(items: Iterator[JsonView]) -> Iterator[Turn]:
    model: Turn | None = None
    missing = False
    for item in items:
        kind = item.value.get("type")
        if kind == "item_reference":
            missing = True
            continue
        if isinstance(kind, str) and kind in _OUTPUTS:
            if model is not None:
                yield model
                model = None
            answer = result(item, _IDS, returned(item.get("output")))
            yield Turn(item, "tool", results=[answer], continues=missing)
            missing = False
            continue
        if not isinstance(kind, str) or kind == "message":
            turn = begun_turn(item, ROLES)
            if turn.role != "assistant":
                if model is not None:
                    yield model
                    model = None
                turn.continues, missing = missing, False
                _add_content(turn, item)
                if turn.role == "user":
                    add_text_results(turn)
                yield turn
                continue
        elif not (kind in _SILENT or kind.endswith("_call") or kind == "mcp_approval_request"):
            # The answers to the provider's own tools, and what is not known.
            continue
        if model is None:
            model = Turn(item, "assistant", item.get("role"), continues=missing)
            missing = False
        _add_item(item, kind, model)
    if model is not None:
        yield model


def _add_item(item: JsonView, kind: Any, turn: Turn) -> None:
    """Add one item of the model to its turn."""
    if kind in (None, "message"):
        _add_content(turn, item)
    elif kind in ("function_call", "custom_tool_call"):
        custom = kind == "custom_tool_call"
        key = "input" if custom else "arguments"
        turn.calls.append(NativeCall(item, item.get("name"), item.get(key), item.get(*_IDS), unparsed=custom, key=key))
    elif kind == "mcp_call":
        call_id = item.get("id")
        turn.calls.append(NativeCall(item, item.get("name"), item.get("arguments"), call_id, hosted=True))
        error = item.given("error")
        content = error or item.given("output")
        if content is not None:
            failed = error is not None
            turn.results.append(result(item, "id", content, tool=("name",), failed=failed, hosted=True))
    status = item.get("status")
    if status is not None and status.value == "incomplete":
        finish(turn, status)


def _add_content(turn: Turn, item: JsonView) -> None:
    add_text(turn, item.get("content"))
    for part in item.list_at("content"):
        add_text(turn, part.get("text", "refusal"))


def _finish(root: JsonView, turn: Turn) -> None:
    """Set why a response stopped: the reason that it gives for being incomplete, else its status."""
    finish(turn, root.get("status"))
    finish(turn, root.at("incomplete_details", "reason"))


SHAPE = OpenAIResponses()
