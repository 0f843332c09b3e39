"""Servers on this machine that speak the wire formats of OpenAI's chat completions and Anthropic's messages, for tests.

Owns: what such a server answers to a request that it takes, whole or as server-sent events, and to one that it refuses.
Must not know: who asks.

A server is given a script: the replies, in order. It keeps every request. It refuses what the real services refuse,
with their status and their shape of an error. Everything is sent in small pieces of bytes that cut characters, events
and markers apart.

Facts, beside the types of the packages `openai` and `anthropic`:

- Errors of OpenAI, and the roles it takes: https://platform.openai.com/docs/api-reference/chat/create
- Server-sent events of OpenAI, `[DONE]`, the chunk with the usage and without choices:
  https://platform.openai.com/docs/api-reference/chat-streaming
- Events of Anthropic, with `ping` and `error` among them: https://docs.anthropic.com/en/docs/build-with-claude/streaming
- What Anthropic refuses, in its words: the first message must be the user's
  (https://github.com/lobehub/lobehub/issues/1601), roles must alternate
  (https://github.com/mattermost/mattermost-plugin-agents/issues/180; the service itself has come to join neighbours,
  its platforms have not: https://github.com/aws-samples/bedrock-access-gateway/issues/25), no text may be empty
  (https://github.com/mckaywrigley/chatbot-ui/issues/1656).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Lock, Thread
from typing import Any, Self

#: How many bytes are sent at once: a prime, so that the cuts fall differently in each event.
STEP = 7

ROLES = ("system", "assistant", "user", "function", "tool", "developer")


@dataclass(frozen=True)
class Scripted:
    """A reply: its text, which is streamed in `pieces` where they are given, and what comes with it.

    With `endless`, a stream never ends. With `fails`, it breaks off with an error of the provider. `calls` are native
    calls. `raw` is sent as it is, in place of everything else: a body, or the payloads of events.
    """

    text: str | None = ""
    pieces: Sequence[str] | None = None
    finish: str | None = None
    refusal: str | None = None
    thinking: str | None = None
    calls: Sequence[tuple[str, Mapping[str, Any]]] = ()
    endless: bool = False
    fails: bool = False
    raw: Any = None

    def parts(self) -> Sequence[str]:
        """The text as it is streamed: by default in pieces of three characters, which cut markers apart."""
        text = self.text or ""
        return [text[at : at + 3] for at in range(0, len(text), 3)] if self.pieces is None else self.pieces


@dataclass(frozen=True)
class Request:
    """A request as it came."""

    path: str
    headers: Mapping[str, str]
    body: Any


@dataclass
class RefusedError(Exception):
    """A request is refused."""

    status: int
    type: str
    message: str
    param: str | None = None
    code: str | None = None


@dataclass
class WireServer:
    """A server in a thread of its own, on a free port of this machine; closed at the end of a `with` block."""

    script: Iterable[Scripted | str]
    requests: list[Request] = field(default_factory=list)
    #: Set when a client has gone away in the middle of a stream.
    dropped: Event = field(default_factory=Event)

    #: Where requests go; the client's base URL is `url`.
    path = ""
    base = ""

    def __post_init__(self) -> None:
        self._replies = iter(self.script)
        self._lock = Lock()
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), _handler_of(self))
        self._http.daemon_threads = True
        self._thread = Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_address[1]}{self.base}"

    @property
    def bodies(self) -> list[Any]:
        return [request.body for request in self.requests]

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()

    def reply_with(self, reply: Callable[[], Scripted | str]) -> None:
        """Ask for each reply when it is wanted, in place of the script."""
        self._replies = iter(reply, None)

    def take(self, request: Request) -> Scripted:
        """Keep a request and return its reply. Raises RefusedError where the real service would refuse it."""
        with self._lock:
            self.requests.append(request)
            if request.path != self.path:
                raise RefusedError(404, self.unknown_path, f"Invalid URL (POST {request.path})")
            self.demand(request)
            reply = next(self._replies, None)
        if reply is None:
            raise RefusedError(400, "invalid_request_error", "The script of this server has no more replies.")
        return Scripted(reply) if isinstance(reply, str) else reply

    unknown_path = "invalid_request_error"

    def demand(self, request: Request) -> None:
        raise NotImplementedError

    def whole(self, reply: Scripted, body: Any) -> Any:
        raise NotImplementedError

    def events(self, reply: Scripted, body: Any) -> Iterator[str]:
        raise NotImplementedError

    def error(self, refusal: RefusedError) -> Any:
        raise NotImplementedError


def _handler_of(server: WireServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            raw = self.rfile.read(length)
            headers = {name.lower(): value for name, value in self.headers.items()}
            try:
                try:
                    body = json.loads(raw)
                except ValueError:
                    raise RefusedError(400, "invalid_request_error", "The body of the request is no JSON.") from None
                reply = server.take(Request(self.path, headers, body))
            except RefusedError as refusal:
                self._whole(refusal.status, server.error(refusal))
                return
            if body.get("stream"):
                self._stream(server.events(reply, body))
            else:
                self._whole(200, reply.raw if reply.raw is not None else server.whole(reply, body))

        def _whole(self, status: int, data: Any) -> None:
            text = isinstance(data, str)
            raw = data.encode() if text else json.dumps(data, ensure_ascii=False).encode()
            self.send_response(status)
            self.send_header("Content-Type", "text/html" if text else "application/json")
            self.send_header("Content-Length", str(len(raw)))
            self.end_headers()
            self.wfile.write(raw)

        def _stream(self, events: Iterator[str]) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream; charset=utf-8")
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            try:
                for event in events:
                    raw = event.encode()
                    for at in range(0, len(raw), STEP):
                        piece = raw[at : at + STEP]
                        self.wfile.write(b"%X\r\n%b\r\n" % (len(piece), piece))
                self.wfile.write(b"0\r\n\r\n")
            except (BrokenPipeError, ConnectionResetError):
                server.dropped.set()
                self.close_connection = True

        def log_message(self, *_: object) -> None:
            """Say nothing: what came is kept in `requests`."""

    return Handler


def _pieces(reply: Scripted) -> Iterator[str]:
    yield from reply.parts()
    while reply.endless:
        yield "…and on "


def _unknown(body: Mapping[str, Any], known: Iterable[str]) -> list[str]:
    return [name for name in body if name not in {*known, "stream"}]


class OpenAIServer(WireServer):
    """A server of chat completions."""

    base = "/v1"
    path = "/v1/chat/completions"

    def demand(self, request: Request) -> None:
        wrong = "invalid_request_error"
        body = request.body
        if not request.headers.get("authorization", "").startswith("Bearer "):
            raise RefusedError(401, wrong, "You didn't provide an API key.")
        if not isinstance(body.get("model"), str):
            raise RefusedError(400, wrong, "you must provide a model parameter")
        # The import takes a second, so only a test that uses the server pays for it.
        from openai.types.chat.completion_create_params import CompletionCreateParamsNonStreaming

        for name in _unknown(body, CompletionCreateParamsNonStreaming.__annotations__):
            raise RefusedError(400, wrong, f"Unrecognized request argument supplied: {name}", name, "unknown_parameter")
        if "messages" not in body:
            raise RefusedError(
                400, wrong, "Missing required parameter: 'messages'.", "messages", "missing_required_parameter"
            )
        if not body["messages"]:
            raise RefusedError(400, wrong, "Invalid 'messages': empty array.", "messages", "empty_array")
        if body.get("stream_options") is not None and not body.get("stream"):
            message = "The 'stream_options' parameter is only allowed when 'stream' is enabled."
            raise RefusedError(400, wrong, message, "stream_options")
        for at, message in enumerate(body["messages"]):
            place = f"messages[{at}]"
            if message.get("role") not in ROLES:
                *most, last = (f"'{role}'" for role in ROLES)
                supported = f"{', '.join(most)}, and {last}"
                words = f"Invalid value: '{message.get('role')}'. Supported values are: {supported}."
                raise RefusedError(400, wrong, words, f"{place}.role", "invalid_value")
            if not isinstance(message.get("content"), str | list) and message["role"] != "assistant":
                words = f"Invalid type for '{place}.content': expected one of a string or array of objects."
                raise RefusedError(400, wrong, words, f"{place}.content", "invalid_type")
            if message["role"] == "tool" and "tool_call_id" not in message:
                words = f"Missing required parameter: '{place}.tool_call_id'."
                raise RefusedError(400, wrong, words, f"{place}.tool_call_id", "missing_required_parameter")

    def error(self, refusal: RefusedError) -> Any:
        return {
            "error": {
                "message": refusal.message,
                "type": refusal.type,
                "param": refusal.param,
                "code": refusal.code,
            }
        }

    def whole(self, reply: Scripted, body: Any) -> Any:
        message: dict[str, Any] = {"role": "assistant", "content": reply.text, "refusal": reply.refusal}
        if reply.calls:
            message["tool_calls"] = [_function(name, arguments) for name, arguments in reply.calls]
        return {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 0,
            "model": body["model"],
            "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": self._finish(reply)}],
            "usage": _OPENAI_USAGE,
        }

    @staticmethod
    def _finish(reply: Scripted) -> str:
        return reply.finish or ("tool_calls" if reply.calls else "stop")

    def events(self, reply: Scripted, body: Any) -> Iterator[str]:
        if reply.raw is not None:
            for payload in reply.raw:
                yield payload if isinstance(payload, str) else f"data: {_json(payload)}\n\n"
            return
        with_usage = bool((body.get("stream_options") or {}).get("include_usage"))

        def chunk(choices: list[Any], usage: Any = None) -> str:
            data = {
                "id": "chatcmpl-1",
                "object": "chat.completion.chunk",
                "created": 0,
                "model": body["model"],
                "choices": choices,
            }
            return f"data: {_json(data | {'usage': usage} if with_usage else data)}\n\n"

        def delta(stated: Any, finish: str | None = None) -> str:
            return chunk([{"index": 0, "delta": stated, "logprobs": None, "finish_reason": finish}])

        yield delta({"role": "assistant", "content": "", "refusal": None})
        if reply.refusal is not None:
            yield delta({"refusal": reply.refusal})
        for piece in _pieces(reply):
            yield delta({"content": piece})
        if reply.fails:
            data = {
                "error": {"message": "The server had an error.", "type": "server_error", "param": None, "code": None}
            }
            yield f"data: {_json(data)}\n\n"
            return
        for at, (name, arguments) in enumerate(reply.calls):
            whole = _function(name, arguments)
            yield delta({"tool_calls": [whole | {"index": at, "function": {"name": name, "arguments": ""}}]})
            yield delta({"tool_calls": [{"index": at, "function": {"arguments": whole["function"]["arguments"]}}]})
        yield delta({}, self._finish(reply))
        if with_usage:
            yield chunk([], _OPENAI_USAGE)
        yield "data: [DONE]\n\n"


class AnthropicServer(WireServer):
    """A server of messages."""

    path = "/v1/messages"
    unknown_path = "not_found_error"

    def demand(self, request: Request) -> None:
        wrong = "invalid_request_error"
        body = request.body
        # Earlier versions of the package sent `x-api-key`, later ones send `Authorization`.
        if "x-api-key" not in request.headers and not request.headers.get("authorization", "").startswith("Bearer "):
            raise RefusedError(401, "authentication_error", "x-api-key header is required")
        if "anthropic-version" not in request.headers:
            raise RefusedError(400, wrong, "anthropic-version: header is required")
        for name in ("model", "max_tokens", "messages"):
            if name not in body:
                raise RefusedError(400, wrong, f"{name}: Field required")
        from anthropic.types.message_create_params import MessageCreateParamsNonStreaming

        for name in _unknown(body, MessageCreateParamsNonStreaming.__annotations__):
            raise RefusedError(400, wrong, f"{name}: Extra inputs are not permitted")
        if not body["messages"]:
            raise RefusedError(400, wrong, "messages: at least one message is required")
        before = None
        for at, message in enumerate(body["messages"]):
            for name in message.keys() - {"role", "content"}:
                raise RefusedError(400, wrong, f"messages.{at}.{name}: Extra inputs are not permitted")
            role = message["role"]
            if role not in ("user", "assistant"):
                words = f'messages: Unexpected role "{role}". The Messages API accepts a top-level `system` parameter.'
                raise RefusedError(400, wrong, words)
            if at == 0 and role != "user":
                raise RefusedError(400, wrong, 'messages: first message must use the "user" role')
            if role == before:
                words = 'messages: roles must alternate between "user" and "assistant", but found multiple '
                raise RefusedError(400, wrong, f'{words}"{role}" roles in a row')
            before = role
            self._demand_text(message["content"], "messages")
        self._demand_text(body.get("system", "."), "system")
        last = body["messages"][-1]
        if (
            last["role"] == "assistant"
            and isinstance(last["content"], str)
            and last["content"] != last["content"].rstrip()
        ):
            raise RefusedError(400, wrong, "messages: final assistant content cannot end with trailing whitespace")

    @staticmethod
    def _demand_text(content: Any, place: str) -> None:
        texts = [content] if isinstance(content, str) else [part["text"] for part in content if part["type"] == "text"]
        for text in texts:
            if not text:
                raise RefusedError(400, "invalid_request_error", f"{place}: text content blocks must be non-empty")
            if not text.strip():
                words = f"{place}: text content blocks must contain non-whitespace text"
                raise RefusedError(400, "invalid_request_error", words)

    def error(self, refusal: RefusedError) -> Any:
        error = {"type": refusal.type, "message": refusal.message}
        return {"type": "error", "error": error, "request_id": "req_1"}

    def whole(self, reply: Scripted, body: Any) -> Any:
        content: list[Any] = []
        if reply.thinking is not None:
            content.append({"type": "thinking", "thinking": reply.thinking, "signature": "c2ln"})
        if reply.text is not None:
            content.append({"type": "text", "text": reply.text, "citations": None})
        for at, (name, arguments) in enumerate(reply.calls):
            content.append({"type": "tool_use", "id": f"toolu_{at}", "name": name, "input": dict(arguments)})
        return self._message(body) | {"content": content, "stop_reason": self._finish(reply)}

    @staticmethod
    def _finish(reply: Scripted) -> str:
        return reply.finish or ("tool_use" if reply.calls else "end_turn")

    @staticmethod
    def _message(body: Any) -> dict[str, Any]:
        return {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": body["model"],
            "content": [],
            "stop_reason": None,
            "stop_sequence": None,
            "usage": {"input_tokens": 1, "output_tokens": 1},
        }

    def events(self, reply: Scripted, body: Any) -> Iterator[str]:
        if reply.raw is not None:
            for payload in reply.raw:
                yield payload if isinstance(payload, str) else _event(**payload)
            return
        yield _event("message_start", message=self._message(body))
        at = 0
        if reply.thinking is not None:
            yield _event(
                "content_block_start", index=at, content_block={"type": "thinking", "thinking": "", "signature": ""}
            )
            yield _event("content_block_delta", index=at, delta={"type": "thinking_delta", "thinking": reply.thinking})
            yield _event("content_block_delta", index=at, delta={"type": "signature_delta", "signature": "c2ln"})
            yield _event("content_block_stop", index=at)
            at += 1
        if reply.text is not None:
            yield _event("content_block_start", index=at, content_block={"type": "text", "text": ""})
            yield _event("ping")
            for piece in _pieces(reply):
                yield _event("content_block_delta", index=at, delta={"type": "text_delta", "text": piece})
            if reply.fails:
                yield _event("error", error={"type": "overloaded_error", "message": "Overloaded"})
                return
            yield _event("content_block_stop", index=at)
            at += 1
        for number, (name, arguments) in enumerate(reply.calls):
            block = {"type": "tool_use", "id": f"toolu_{number}", "name": name, "input": {}}
            yield _event("content_block_start", index=at, content_block=block)
            part = {"type": "input_json_delta", "partial_json": _json(arguments)}
            yield _event("content_block_delta", index=at, delta=part)
            yield _event("content_block_stop", index=at)
            at += 1
        stopped = {"stop_reason": self._finish(reply), "stop_sequence": None}
        yield _event("message_delta", delta=stopped, usage={"output_tokens": 2})
        yield _event("message_stop")


_OPENAI_USAGE = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}


def _function(name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    return {"id": "call_1", "type": "function", "function": {"name": name, "arguments": _json(arguments)}}


def _event(type: str, **data: Any) -> str:  # noqa: A002  # the name of the field
    return f"event: {type}\ndata: {_json({'type': type, **data})}\n\n"


def _json(data: Any) -> str:
    return json.dumps(data, ensure_ascii=False)
