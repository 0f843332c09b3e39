"""The shape `langchain`: messages of LangChain and LangGraph, plain, as `messages_to_dict` or as `dumpd` writes them.

Owns: recognising and reading it. Must not know: other shapes, hosts, dialects.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from callwright.calls.turns import NativeCall, Turn
from callwright.syntax.json import read_json
from callwright.syntax.json_views import JsonView
from callwright.transcripts.base import Shape
from callwright.transcripts.support.contents import add_content, finish, result, returned
from callwright.transcripts.support.openai_messages import tool_calls
from callwright.transcripts.support.text_results import add_text_results

_ROLES: Final[Mapping[str, str]] = {
    "human": "user",
    "ai": "assistant",
    "system": "system",
    "developer": "system",
    "tool": "tool",
    "function": "tool",
}
#: The words for other speakers that a `ChatMessage` may have.
_TURN_ROLES: Final[Mapping[str, str]] = {**_ROLES, "user": "user", "assistant": "assistant"}
#: Blocks of content that mean a call which `tool_calls` contains as well.
_CALL_BLOCKS: Final = frozenset({"tool_use", "tool_call"})


class LangChain(Shape):
    """A list of messages, an object with `messages`, one message, or a traced run with its inputs and outputs."""

    name = "langchain"
    title = "LangChain messages"
    keys = ("type", "lc", "messages", "inputs", "outputs")
    provider = "langchain"
    whole = ("messages", "inputs", "outputs")
    sources = (
        "https://reference.langchain.com/python/langchain-core/messages/utils/messages_to_dict",
        "https://reference.langchain.com/python/langchain-core/load/dump/dumpd",
        "https://docs.langchain.com/oss/python/langchain/messages",
    )
    about = """
        Callwright reads three forms of a message: plain members (`type`, `content`), the form of `messages_to_dict`
        (`type` and `data`), and the form of `dumpd` (`lc`, `id` and `kwargs`).

        A call is an entry of `tool_calls` with `name`, `args` and `id`. An entry of `invalid_tool_calls` keeps its
        arguments as the string that could not be parsed, and the errors in that string are reported. If both are empty,
        calls among the blocks of the content are read, and else those in `additional_kwargs`, in OpenAI's form.

        A `ToolMessage` names its call in `tool_call_id`, and its `status` states whether the tool failed.
    """

    def matches(self, value: Any) -> int:
        """Return how certainly these are LangChain's messages: by the types of messages, which no other shape has."""
        if not isinstance(value, dict):
            return super().matches(value)
        for around in (value, value.get("inputs"), value.get("outputs"), value.get("kwargs")):
            messages = around.get("messages") if isinstance(around, dict) else None
            if isinstance(messages, list) and (found := self.certainty(messages)):
                return found
        return self.form(value)

    def form(self, value: Any) -> int:
        """Return how certainly a value is one message."""
        if not isinstance(value, dict):
            return 0
        if value.get("lc") == 1 and isinstance(value.get("kwargs"), dict):
            return 90 if _class_of(value) is not None and "content" in value["kwargs"] else 0
        kind = value.get("type")
        if not isinstance(kind, str):
            return 0
        data = value.get("data")
        if isinstance(data, dict) and "content" in data:
            return 80 if _role_of(kind) is not None or kind == "chat" else 0
        if "content" not in value or "role" in value or _role_of(kind) is None:
            return 0
        known = "additional_kwargs" in value or "response_metadata" in value
        return 85 if known else 65 if kind in ("human", "ai") else 30 if "tool_call_id" in value else 0

    def certainty(self, entries: list[Any]) -> int:
        """Return how certainly a list contains messages, or lists of them."""
        return super().certainty(entries[0] if entries and isinstance(entries[0], list) else entries)

    def is_whole(self, value: Any) -> bool:
        """Return whether this is more than one message of a log."""
        kept = value.get("kwargs") if isinstance(value, dict) else None
        return super().is_whole(value) or (isinstance(kept, dict) and "messages" in kept)

    def turns(self, root: JsonView) -> Iterator[Turn]:
        """Yield one turn a message."""
        for message in self._messages(root):
            body = _body(message)
            # A message of this type only names another one that is removed.
            if body is not None and body.text("type") != "remove":
                yield _turn(message, body)

    def _messages(self, root: JsonView) -> Iterator[JsonView]:
        """Yield the messages in a value that matches."""
        if isinstance(root.value, list):
            yield from _listed(root)
            return
        found = False
        for around in (root, root.get("inputs"), root.get("kwargs"), root.get("outputs")):
            messages = around.get("messages") if around is not None else None
            if messages is not None and isinstance(messages.value, list):
                found = True
                yield from _listed(messages)
        outputs = root.get("outputs")
        for generations in outputs.list_at("generations") if outputs is not None else ():
            # A traced model has what it generated in a list of its own for each prompt.
            for generation in generations.items():
                message = generation.get("message")
                if message is not None:
                    yield message
        if not found and self.form(root.value):
            yield root


def _role_of(kind: str) -> str | None:
    return _ROLES.get(kind) or _ROLES.get(kind.removesuffix("Chunk").removesuffix("Message").lower())


def _class_of(value: Mapping[str, Any]) -> str | None:
    """Return the name of the class of a serialised message, None where it is no message."""
    path = value.get("id")
    name = path[-1] if isinstance(path, list) and path else None
    return name if isinstance(name, str) and name.removesuffix("Chunk").endswith("Message") else None


def _listed(messages: JsonView) -> Iterator[JsonView]:
    for message in messages.items():
        if isinstance(message.value, list):
            yield from message.items()
        else:
            yield message


def _body(message: JsonView) -> JsonView | None:
    """Return the object with the members of a message, None where there is no message."""
    value = message.value
    if not isinstance(value, dict):
        return None
    for key in ("kwargs", "data"):
        if isinstance(value.get(key), dict) and "content" in value[key]:
            return message.get(key)
    return message if "content" in value else None


def _turn(message: JsonView, body: JsonView) -> Turn:
    kind = message.text("type")
    if kind == "constructor":
        kind = body.text("type") or _class_of(message.value)
    stated_names = body.text("role") if kind in ("chat", "ChatMessage", "ChatMessageChunk", None) else None
    role = (
        _TURN_ROLES.get(stated_names, stated_names)
        if stated_names is not None
        else _role_of(kind) or kind
        if kind
        else None
    )
    role_place = body.get("role") if stated_names is not None else body.get("type") or message.get("id", "type")
    turn = Turn(message, role, role_place)
    content = body.get("content")
    if role == "tool":
        status = body.text("status")
        failed = {"error": True, "success": False}.get(status) if status is not None else None
        turn.results.append(result(body, "tool_call_id", returned(content), tool=("name",), failed=failed))
        turn.results[0].place = message
        return turn
    add_content(turn, content, "text")
    if role == "user":
        add_text_results(turn)
    turn.calls += _calls(body, content)
    finished = body.get("response_metadata")
    if finished is not None:
        finish(turn, finished.get("finish_reason", "stop_reason", "done_reason"))
    return turn


def _calls(body: JsonView, content: JsonView | None) -> list[NativeCall]:
    """Return the calls of a message; the same call is in several places, the first place that has any counts."""
    found = [
        NativeCall(
            entry, entry.get("name"), entry.get("args"), entry.get("id"), kept=key == "invalid_tool_calls", key="args"
        )
        for key in ("tool_calls", "invalid_tool_calls")
        for entry in body.list_at(key)
        if isinstance(entry.value, dict) and ("args" in entry.value or key == "invalid_tool_calls")
    ]
    chunks = body.value.get("tool_call_chunks")
    if isinstance(chunks, list) and chunks:
        # A piece of a streamed message: an incomplete call is not read.
        return [call for call in found if call.id is not None and call.id in _whole_ids(chunks)]
    # A message that was written by hand may have calls in OpenAI's own form.
    found = found or [*tool_calls(body)]
    if not found and content is not None:
        found = [
            NativeCall(block, block.get("name"), block.get("input", "args"), block.get("id"))
            for block in content.items()
            if isinstance(block.value, dict) and block.text("type") in _CALL_BLOCKS
        ]
    extra = body.get("additional_kwargs")
    if not found and extra is not None:
        found = [*tool_calls(extra)]
        old = extra.get("function_call")
        if not found and old is not None and isinstance(old.value, dict):
            found = [NativeCall(old, old.get("name"), old.get("arguments"))]
        # Here the provider's own form is kept, not LangChain's.
        for call in found:
            call.kept = True
    return found


def _whole_ids(chunks: list[Any]) -> frozenset[str]:
    """Return the ids of the calls whose arguments are complete in one piece."""
    found: list[str] = []
    for chunk in chunks:
        if isinstance(chunk, dict) and isinstance(chunk.get("id"), str) and isinstance(chunk.get("args"), str):
            read = read_json(chunk["args"])
            if read.clean and isinstance(read.value, dict):
                found.append(chunk["id"])
    return frozenset(found)


SHAPE = LangChain()
