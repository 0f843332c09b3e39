"""The shape `mcp`: logs of the Model Context Protocol, JSON-RPC messages between a client and its servers.

Owns: recognising them, and reading the calls of tools and their answers. Must not know: other shapes, hosts, dialects.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from callwright.calls.turns import NativeCall, Turn, TurnResult, written_id
from callwright.syntax.json_views import JsonView
from callwright.transcripts.base import Shape
from callwright.transcripts.support.contents import returned

_METHODS: Final = frozenset(
    {"ping", "roots/list", "sampling/createMessage", "elicitation/create", "completion/complete", "logging/setLevel"}
    | {"server/discover"}
)
_FAMILIES: Final = ("tools/", "resources/", "prompts/", "tasks/", "notifications/", "subscriptions/")


class Mcp(Shape):
    """JSON-RPC messages: a single one, as in logs, a list of them, or a batch."""

    name = "mcp"
    title = "MCP messages"
    keys = ("jsonrpc", "method")
    provider = "mcp"
    whole = False
    scanned_at = 16
    sources = (
        "https://modelcontextprotocol.io/specification/2025-06-18/server/tools",
        "https://modelcontextprotocol.io/specification/2025-06-18/basic",
        "https://modelcontextprotocol.io/specification/2025-06-18/basic/lifecycle",
        "https://modelcontextprotocol.io/specification/2025-06-18/basic/utilities/cancellation",
        "https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks",
        "https://github.com/modelcontextprotocol/modelcontextprotocol/tree/main/schema",
        "https://www.jsonrpc.org/specification",
    )
    about = """
    Callwright reads logs with one message per line, lists of messages and batches. All messages of a document are one
    conversation; `initialize` begins a new one.

    A call is a request `tools/call`, with the name of the tool and its arguments in `params`. A result is the response
    with the same `id`. The value that the tool returned is in `structuredContent`, or else in `content`, and `isError`
    marks a failure. A protocol error with that `id` is a failure, too; errors of other requests are ignored.

    A call that was cancelled, or that became a task, needs no response. The tools in a response to `tools/list` are
    those that may be called.
    """

    def form(self, value: Any) -> int:
        """Return how certainly this is a message of the protocol, and not of another one that uses JSON-RPC."""
        if not isinstance(value, Mapping):
            return 0
        method, params = value.get("method"), value.get("params")
        if value.get("jsonrpc") != "2.0":
            return 50 if method == "tools/call" and isinstance(params, Mapping) and "name" in params else 0
        if isinstance(method, str):
            if method == "initialize":
                return 90 if isinstance(params, Mapping) and "protocolVersion" in params else 0
            return 90 if method in _METHODS or method.startswith(_FAMILIES) else 0
        result = value.get("result")
        if isinstance(result, Mapping):
            known = _is_tool_result(result) or _is_task(result) or _is_listing(result) or "protocolVersion" in result
            return 90 if known else 0
        # An error does not show its protocol.
        return 10 if isinstance(value.get("error"), Mapping) and "id" in value else 0

    def turns(self, root: JsonView) -> Iterator[Turn]:
        """Yield a turn for each call and each answer, and one for each beginning of a session."""
        for message in root.each():
            yield from _message(message)

    def tools(self, root: JsonView) -> JsonView | None:
        """Return the tools that the last answer to `tools/list` names."""
        messages = [*root.items()] if isinstance(root.value, list) else [root]
        for message in reversed(messages):
            found = message.at("result", "tools")
            if found is not None and isinstance(found.value, list):
                return found
        return None


def _is_listing(result: Mapping[str, Any]) -> bool:
    tools = result.get("tools")
    return isinstance(tools, list) and any(isinstance(tool, Mapping) and "inputSchema" in tool for tool in tools[:4])


def _is_task(result: Mapping[str, Any]) -> bool:
    task = result.get("task")
    return isinstance(task, Mapping) and isinstance(task.get("taskId"), str)


def _is_tool_result(result: Mapping[str, Any]) -> bool:
    content = result.get("content")
    if "structuredContent" in result or isinstance(result.get("isError"), bool):
        return True
    return isinstance(content, list) and all(
        isinstance(block, Mapping) and isinstance(block.get("type"), str) for block in content[:4]
    )


def _message(message: JsonView) -> Iterator[Turn]:
    method = message.text("method")
    if method is not None:
        if method == "tools/call":
            name, arguments = message.at("params", "name"), message.at("params", "arguments")
            call = NativeCall(message, name, arguments, message.get("id"), optional=True)
            yield Turn(message, "assistant", calls=[call])
        elif method == "initialize":
            yield Turn(message, None, begins=True)
        elif method == "notifications/cancelled":
            cancelled = message.at("params", "requestId")
            if cancelled is not None and written_id(cancelled.value) is not None:
                yield _answer(message, cancelled, None, tentative=True)
        return
    call_id, result, error = message.get("id"), message.get("result"), message.get("error")
    if call_id is None or written_id(call_id.value) is None:
        return
    if result is not None and isinstance(result.value, dict):
        if _is_tool_result(result.value):
            content = result.get("structuredContent") or returned(result.get("content"))
            # In the protocol, a result without the flag is not a failure.
            yield _answer(message, call_id, content, failed=result.value.get("isError") is True)
        elif _is_task(result.value):
            yield _answer(message, call_id, None, tentative=True)
    elif error is not None and isinstance(error.value, dict):
        yield _answer(message, call_id, error.get("message") or error, tentative=True, failed=True)


def _answer(
    message: JsonView,
    call_id: JsonView,
    content: JsonView | None,
    *,
    failed: bool | None = None,
    tentative: bool = False,
) -> Turn:
    value = content.value if content is not None else None
    written = written_id(call_id.value)
    answer = TurnResult(message, call_id, written, content=content, value=value, failed=failed, tentative=tentative)
    return Turn(message, "tool", results=[answer])


SHAPE = Mcp()
