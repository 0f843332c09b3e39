"""Models: a client of a provider as the callable that a loop asks.

Owns: the request for a conversation, and the reply in the answer, for the wire formats of OpenAI's chat completions and
of Anthropic's messages, whole and streamed. Must not know: how a reply is read, how a loop continues. No provider's
package is imported: a client is known by the one method that is called, an answer by its fields.

Only text is a reply. Reasoning in a separate field, and calls of tools that the provider runs itself, are left out. A
native call, which the caller would have to run, raises `NativeCallError`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import (
    AsyncIterator,
    Awaitable,
    Callable,
    Coroutine,
    Generator,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from typing import Any, ClassVar, Final, TypeAlias

#: What a model returns for a conversation: the reply, or its pieces as they arrive.
Answer: TypeAlias = "Reply | TextPieces | Awaitable[Reply] | AsyncTextPieces"

#: Providers' finish reasons for a reply that reached its length limit.
_CUT_OFF: Final = frozenset({"length", "max_tokens", "model_context_window_exceeded"})
#: Providers' finish reasons for a reply that was withheld, in whole or in part.
_REFUSED: Final = frozenset({"content_filter", "refusal"})


class ReplyError(Exception):
    """A provider's answer contains nothing that could be a reply."""


class NativeCallError(ReplyError):
    """A model called tools in its provider's own fields, where the text of the reply does not show it.

    `names` are the tools' names, as far as they are known when the first call is seen.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self.names = tuple(names)
        tools = ", ".join(f"`{name}`" for name in self.names)
        super().__init__(
            f"The model called {tools or 'a tool'} in its provider's fields, but calls are read from the text of the "
            "reply. Do not send `tools` with the request, and disable the server's tool-call parser."
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return NativeCallError, (self.names,)


class Reply(str):
    """The text of a reply, with the reason why the model stopped.

    `finish_reason` is the provider's own value, None where there is none. `cut_off` says that the reply reached its
    length limit, `refused` that the model or its provider refused to answer.
    """

    __slots__ = ("finish_reason", "refused")

    finish_reason: str | None
    refused: bool

    def __new__(cls, text: str = "", *, finish_reason: str | None = None, refused: bool = False) -> Reply:
        """Return the text as a reply. Raises TypeError where it is not text, as clients return None for none."""
        if not isinstance(text, str):
            raise TypeError(f'the reply is a `{type(text).__name__}`: pass its text, or `""` if it has none')
        reply = super().__new__(cls, text)
        reply.finish_reason = finish_reason
        reply.refused = refused
        return reply

    @property
    def cut_off(self) -> bool:
        """Whether the reply reached its length limit and is incomplete."""
        return self.finish_reason in _CUT_OFF


class ChatModel:
    """A model that uses a client: called with a conversation, it returns the reply.

    With a synchronous client it returns a `Reply` or, streamed, `TextPieces`; with an asynchronous one an awaitable of
    a `Reply` or `AsyncTextPieces`. Exceptions of the client are passed on. Messages are never changed. It has no state,
    and may be used by many threads and tasks at once if its client may.
    """

    __slots__ = ("_ask", "_prepare", "_reader", "model", "options", "provider", "stream")

    def __init__(
        self,
        ask: Callable[..., Any],
        *,
        provider: str,
        model: str,
        stream: bool,
        options: Mapping[str, Any],
        prepare: Callable[[Sequence[Mapping[str, Any]], Mapping[str, Any]], dict[str, Any]],
        reader: Callable[[], _Reader],
    ) -> None:
        for name in ("messages", "stream", "model"):
            if name in options:
                raise TypeError(f"`{name}` is not an option here: it has another name, or the loop sets it.")
        self.provider = provider
        self.model = model
        self.stream = stream
        self.options = dict(options)
        self._ask = ask
        self._prepare = prepare
        self._reader = reader

    def __call__(self, messages: Sequence[Mapping[str, Any]]) -> Answer:
        """Ask for the reply to a conversation."""
        request: dict[str, Any] = {"model": self.model, **self.options, **self._prepare(messages, self.options)}
        if not self.stream:
            answer = self._ask(**request)
            return _PendingReply(answer, self._reader()) if _is_awaitable(answer) else self._reader().whole(answer)
        answer = self._ask(**request, stream=True)
        if _is_awaitable(answer) or (hasattr(answer, "__aiter__") and not hasattr(answer, "__iter__")):
            return AsyncTextPieces(answer, self._reader())
        return TextPieces(answer, self._reader())

    def __repr__(self) -> str:
        return f"<{self.provider} model {self.model!r}{', streamed' if self.stream else ''}>"


def openai_chat(client: Any, *, model: str, stream: bool = False, **options: Any) -> ChatModel:
    """Return the model for a client of OpenAI's chat completions, or of any server with that interface.

    `client` is an `openai.OpenAI` or `openai.AsyncOpenAI`, or anything else with `chat.completions.create`. `options`
    are added to every request: `temperature`, `max_completion_tokens`, `stop`, `extra_body` and the like.

    Raises TypeError where the client has no such method, or `options` has a key that the loop sets.
    """
    ask = _method(client, "chat.completions.create", "an `openai.OpenAI` or `openai.AsyncOpenAI`")
    return ChatModel(
        ask,
        provider="openai",
        model=model,
        stream=stream,
        options=options,
        prepare=lambda messages, _: {"messages": [dict(message) for message in messages]},
        reader=_OpenAIReader,
    )


def anthropic_messages(client: Any, *, model: str, max_tokens: int, stream: bool = False, **options: Any) -> ChatModel:
    """Return the model for a client of Anthropic's messages.

    `client` is an `anthropic.Anthropic` or `anthropic.AsyncAnthropic`, or anything else with `messages.create`.
    `options` are added to every request: `stop_sequences`, `thinking`, `system` and the like.

    System messages of the conversation, at any place, follow the option `system` in the request's own `system`.
    Successive messages of one role are sent as one, and messages without text, which the provider rejects, are not
    sent.

    Raises TypeError where the client has no such method, or `options` has a key that the loop sets.
    """
    ask = _method(client, "messages.create", "an `anthropic.Anthropic` or `anthropic.AsyncAnthropic`")
    return ChatModel(
        ask,
        provider="anthropic",
        model=model,
        stream=stream,
        options={"max_tokens": max_tokens, **options},
        prepare=_for_anthropic,
        reader=_AnthropicReader,
    )


class _PendingReply(Coroutine[Any, Any, Reply]):
    """A reply that is not requested yet. It may be closed without a request, and without a warning."""

    def __init__(self, answer: Awaitable[Any], reader: _Reader) -> None:
        self._answer = answer
        self._reader = reader
        self._run: Coroutine[Any, Any, Reply] | None = None

    async def _reply(self) -> Reply:
        return self._reader.whole(await self._answer)

    def _begun(self) -> Coroutine[Any, Any, Reply]:
        if self._run is None:
            self._run = self._reply()
        return self._run

    def __await__(self) -> Generator[Any, Any, Reply]:
        return self._begun().__await__()

    def send(self, value: Any) -> Any:
        return self._begun().send(value)

    def throw(self, *error: Any) -> Any:
        return self._begun().throw(*error)

    def close(self) -> None:
        if self._run is not None:
            self._run.close()
        elif isinstance(self._answer, Coroutine):
            self._answer.close()


class _Ended:
    """How a streamed reply ended."""

    def __init__(self, answer: Any, reader: _Reader) -> None:
        self._answer = answer
        self._reader = reader
        self._events: Any = None
        self._closed = False

    @property
    def finish_reason(self) -> str | None:
        """Why the model stopped, as the provider's value; None before that is known."""
        return self._reader.finish_reason

    @property
    def cut_off(self) -> bool:
        """Whether the reply reached its length limit and is incomplete."""
        return self._reader.finish_reason in _CUT_OFF

    @property
    def refused(self) -> bool:
        """Whether the model or its provider refused to answer."""
        return self._reader.refused


class TextPieces(_Ended, Iterator[str]):
    """The pieces of a reply's text, as they arrive; none is empty.

    After the last piece, `finish_reason`, `cut_off` and `refused` are as in `Reply`. `close()` ends the connection, and
    so does the end of the reply, a failure, and the end of a `with` block.
    """

    def __iter__(self) -> TextPieces:
        return self

    def __next__(self) -> str:
        if self._closed:
            raise StopIteration
        try:
            if self._events is None:
                self._events = iter(_streamed(self._answer, "__iter__"))
            for event in self._events:
                if text := self._reader.piece(event):
                    return text
            self._reader.end()
        except BaseException:
            self.close()
            raise
        self.close()
        raise StopIteration

    def close(self) -> None:
        """End the connection; there are no more pieces. May be called again."""
        self._closed = True
        close = getattr(self._answer, "close", None)
        if close is not None:
            close()

    def __enter__(self) -> TextPieces:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class AsyncTextPieces(_Ended, AsyncIterator[str]):
    """The pieces of a reply's text, as they arrive; none is empty. The request is sent when the first is requested.

    After the last piece, `finish_reason`, `cut_off` and `refused` are as in `Reply`. `aclose()` ends the connection,
    and so does the end of the reply, a failure, a cancellation, and the end of an `async with` block.
    """

    def __aiter__(self) -> AsyncTextPieces:
        return self

    async def __anext__(self) -> str:
        if self._closed:
            raise StopAsyncIteration
        try:
            if self._events is None:
                if _is_awaitable(self._answer):
                    self._answer = await self._answer
                answer = _streamed(self._answer, "__aiter__")
                # A stream that is its own iterator is used directly, so that no second generator is left open.
                self._events = answer if hasattr(answer, "__anext__") else aiter(answer)
            while True:
                try:
                    event = await anext(self._events)
                except StopAsyncIteration:
                    break
                if text := self._reader.piece(event):
                    return text
            self._reader.end()
        except BaseException:
            await self.aclose()
            raise
        await self.aclose()
        raise StopAsyncIteration

    async def aclose(self) -> None:
        """End the connection; there are no more pieces. May be called again."""
        self._closed = True
        close = getattr(self._answer, "aclose", None) or getattr(self._answer, "close", None)
        if close is not None:
            closing = close()
            if _is_awaitable(closing):
                await closing

    def __del__(self) -> None:
        # A request that was never started must not cause a warning that it was not awaited.
        if self._events is None and not self._closed and isinstance(self._answer, Coroutine):
            self._answer.close()

    async def __aenter__(self) -> AsyncTextPieces:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


# -- what is sent ------------------------------------------------------------------------------------------------------


def _method(client: Any, path: str, wanted: str) -> Callable[..., Any]:
    found = client
    for name in path.split("."):
        found = getattr(found, name, None)
    if not callable(found):
        raise TypeError(f"The client has no method `{path}`: pass {wanted} or an object with the same methods.")
    return found  # type: ignore[no-any-return]


def _for_anthropic(messages: Sequence[Mapping[str, Any]], options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the request's `messages` and, where there is one, its `system`.

    The first message must be the user's, roles must alternate on some of the provider's platforms, and a text may not
    be blank ("text content blocks must be non-empty"): https://docs.anthropic.com/en/api/messages and the messages of
    the API's errors.
    """
    stated_names: list[dict[str, Any]] = []
    system: list[Any] = []
    for position, message in enumerate(messages):
        role, content = message.get("role"), message.get("content")
        if role in ("system", "developer"):
            if not _is_blank(content):
                system.append(content)
            continue
        if role not in ("user", "assistant"):
            raise ValueError(f"Message {position + 1} has the role `{role}`: Anthropic accepts `user` and `assistant`.")
        if _is_blank(content) and position < len(messages) - 1:
            continue
        if stated_names and stated_names[-1]["role"] == role:
            stated_names[-1]["content"] = _joined([stated_names[-1]["content"], content])
        else:
            stated_names.append({"role": role, "content": content})
    if not system:
        return {"messages": stated_names}
    given = options.get("system")
    return {"messages": stated_names, "system": _joined(system if _is_blank(given) else [given, *system])}


def _is_blank(content: Any) -> bool:
    return not content or (isinstance(content, str) and not content.strip())


def _joined(contents: Sequence[Any]) -> Any:
    """Return contents joined to one: texts with an empty line between them, or blocks where one of them has blocks."""
    if all(isinstance(content, str) for content in contents):
        return "\n\n".join(contents)
    blocks: list[Any] = []
    for content in contents:
        if isinstance(content, str):
            blocks.append({"type": "text", "text": content})
        else:
            blocks.extend(content or ())
    return blocks


# -- what comes back ---------------------------------------------------------------------------------------------------


class _Reader(ABC):
    """Reads one answer, whole or event by event. `wanted` names what an answer without a reply lacks."""

    wanted: ClassVar[str]

    def __init__(self) -> None:
        self.finish_reason: str | None = None
        self.refused = False
        self._answered = False

    @abstractmethod
    def whole(self, answer: Any) -> Reply: ...

    @abstractmethod
    def piece(self, event: Any) -> str: ...

    def end(self, answer: Any = None) -> None:
        if not self._answered:
            raise ReplyError(_nothing_in(answer, self.wanted))

    def _stopped(self, reason: Any) -> None:
        self.finish_reason = reason or self.finish_reason
        self.refused = self.refused or self.finish_reason in _REFUSED

    def _reply(self, text: str) -> Reply:
        return Reply(text, finish_reason=self.finish_reason, refused=self.refused)


class _OpenAIReader(_Reader):
    """Reads chat completions; the first of several choices is used.

    Servers that only resemble OpenAI leave fields out or give null for them: `id`, `index`, `content`, `choices` of the
    chunk with the usage, `finish_reason` to the very end. So only a choice is required. Fields:
    https://github.com/openai/openai-openapi (`CreateChatCompletionResponse`, `CreateChatCompletionStreamResponse`).
    """

    wanted = "choice"

    def whole(self, answer: Any) -> Reply:
        text = self._read(answer, "message")
        self.end(answer)
        return self._reply(text)

    def piece(self, event: Any) -> str:
        text = self._read(event, "delta")
        if not self._answered and _of(event, "error") is not None:
            self.end(event)
        return text

    def _read(self, answer: Any, field: str) -> str:
        choices = _of(answer, "choices")
        first = next((each for each in choices or () if not _of(each, "index")), None)
        if first is None:
            return ""
        self._answered = True
        self._stopped(_of(first, "finish_reason"))
        stated = _of(first, field)
        native = [_of(call, "function") or _of(call, "custom") for call in _of(stated, "tool_calls") or ()]
        native.extend(call for call in [_of(stated, "function_call")] if call is not None)
        if native:
            raise NativeCallError(name for name in (_of(function, "name") for function in native) if name)
        refusal = _of(stated, "refusal")
        self.refused = self.refused or bool(refusal)
        return _text(_of(stated, "content")) + _text(refusal)


class _AnthropicReader(_Reader):
    """Reads messages. Text blocks count, in their order; `tool_use` is a native call.

    Tools that the provider runs itself (`server_tool_use` and the blocks with its results) are ignored. Blocks and
    events: https://docs.anthropic.com/en/api/messages and
    https://docs.anthropic.com/en/docs/build-with-claude/streaming.
    """

    wanted = "content"

    def whole(self, answer: Any) -> Reply:
        content = _of(answer, "content")
        self._answered = content is not None
        self.end(answer)
        self._stopped(_of(answer, "stop_reason"))
        calls = [block for block in content if _of(block, "type") == "tool_use"]
        if calls:
            raise NativeCallError(name for name in (_of(block, "name") for block in calls) if name)
        return self._reply(_text(content))

    def piece(self, event: Any) -> str:
        kind = _of(event, "type")
        if kind == "message_start":
            self._answered = True
        elif kind == "content_block_start":
            self._answered = True
            block = _of(event, "content_block")
            if _of(block, "type") == "tool_use":
                raise NativeCallError(name for name in [_of(block, "name")] if name)
            return _text([block])
        elif kind == "content_block_delta":
            delta = _of(event, "delta")
            if _of(delta, "type") == "text_delta":
                return _of(delta, "text") or ""
        elif kind == "message_delta":
            self._stopped(_of(_of(event, "delta"), "stop_reason"))
        elif kind == "error":
            raise ReplyError(_nothing_in(event, self.wanted))
        return ""


def _of(thing: Any, name: str) -> Any:
    """Return a field of what a client returned, an object or plain data; None where there is none."""
    return thing.get(name) if isinstance(thing, Mapping) else getattr(thing, name, None)


def _text(content: Any) -> str:
    """Return the text of a content: a string, or a list of parts, of which the texts and refusals are joined."""
    if content is None or isinstance(content, str):
        return content or ""
    texts = []
    for part in content:
        if isinstance(part, str):
            texts.append(part)
        elif _of(part, "type") in ("text", None):
            texts.append(_of(part, "text") or "")
        elif _of(part, "type") == "refusal":
            texts.append(_of(part, "refusal") or "")
    return "".join(texts)


def _streamed(answer: Any, method: str) -> Any:
    """Return a streamed answer as an iterable. Raises ReplyError where it is a whole answer, or not an answer."""
    if not hasattr(answer, method) or isinstance(answer, str | bytes | Mapping):
        raise ReplyError(_nothing_in(answer, "stream"))
    return answer


def _nothing_in(answer: Any, wanted: str) -> str:
    stated = _of(_of(answer, "error"), "message") or _of(answer, "error")
    if stated:
        return f"The provider answered with an error: {stated}"
    if isinstance(answer, str):
        return (
            f"The provider answered with plain text instead of a {wanted}: {answer[:80]!r}. Check the client's base "
            "URL."
        )
    return f"The provider's answer has no {wanted}, so it contains no reply."


def _is_awaitable(thing: Any) -> bool:
    return hasattr(thing, "__await__")
