"""Models through clients: the real packages against servers on this machine, whole and streamed, sync and awaited."""

from __future__ import annotations

import asyncio
import copy
import gc
import pickle
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from callwright.runtime import NativeCallError, Reply, ReplyError, anthropic_messages, openai_chat
from callwright.runtime.models import AsyncTextPieces, ChatModel, TextPieces
from support.sampling import crossed, sampled, tries
from support.wire import AnthropicServer, OpenAIServer, Scripted, WireServer

TALK = [{"role": "system", "content": "Be short."}, {"role": "user", "content": "Read a.py."}]
#: A reply in which every cut may hurt: markers, several bytes for a character, newlines as in server-sent events.
CALL = '<tool_call>\n{"name": "read_file", "arguments": {"path": "äöü/😀\u2028.py"}}\n</tool_call>\r\n\ndata: [DONE]\n'

EVERY_WAY = [
    pytest.param(
        provider, awaited, stream, id=f"{provider}-{'async' if awaited else 'sync'}-{'stream' if stream else 'whole'}"
    )
    for provider in ("openai", "anthropic")
    for awaited in (False, True)
    for stream in (False, True)
]
#: In a sample each provider, each kind of client and each kind of reply remains.
WAYS = sampled(EVERY_WAY, by=lambda way: frozenset(enumerate(way.values)))
STREAMS = sampled([way for way in EVERY_WAY if way.values[2]], by=lambda way: way.values[0])


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "*")


def server_of(provider: str, *script: Scripted | str) -> WireServer:
    return (OpenAIServer if provider == "openai" else AnthropicServer)(script)


def client_of(server: WireServer, awaited: bool) -> Any:
    import anthropic
    import openai

    kinds = {
        (True, False): openai.OpenAI,
        (True, True): openai.AsyncOpenAI,
        (False, False): anthropic.Anthropic,
        (False, True): anthropic.AsyncAnthropic,
    }
    kind: Callable[..., Any] = kinds[isinstance(server, OpenAIServer), awaited]
    return kind(base_url=server.url, api_key="none", max_retries=0)


def model_of(client: Any, **options: Any) -> ChatModel:
    import openai

    if isinstance(client, openai.OpenAI | openai.AsyncOpenAI):
        return openai_chat(client, model="some", **options)
    return anthropic_messages(client, model="some", max_tokens=100, **options)


def ask(server: WireServer, awaited: bool, stream: bool, talk: list[dict[str, Any]] = TALK, **options: Any) -> Reply:
    """The reply, whichever way it came."""

    async def later() -> Reply:
        async with client_of(server, True) as client:
            answer = model_of(client, stream=stream, **options)(talk)
            if not stream:
                assert not isinstance(answer, Reply | TextPieces | AsyncTextPieces)
                return await answer
            assert isinstance(answer, AsyncTextPieces)
            pieces = [piece async for piece in answer]
            assert all(pieces)
            return stated("".join(pieces), answer)

    if awaited:
        return asyncio.run(later())
    with client_of(server, False) as client:
        answer = model_of(client, stream=stream, **options)(talk)
        if not stream:
            assert isinstance(answer, Reply)
            return answer
        assert isinstance(answer, TextPieces)
        pieces = list(answer)
        assert all(pieces)
        return stated("".join(pieces), answer)


def stated(text: str, answer: TextPieces | AsyncTextPieces) -> Reply:
    reply = Reply(text, finish_reason=answer.finish_reason, refused=answer.refused)
    assert reply.cut_off is answer.cut_off
    return reply


# -- replies -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("provider", "awaited", "stream"), WAYS)
def test_a_reply_comes_as_it_was_stated(provider: str, awaited: bool, stream: bool) -> None:
    with server_of(provider, CALL) as server:
        reply = ask(server, awaited, stream)
    assert reply == CALL
    assert reply.finish_reason == ("stop" if provider == "openai" else "end_turn")
    assert not reply.cut_off
    assert not reply.refused


@pytest.mark.parametrize(("provider", "awaited", "stream"), STREAMS)
def test_pieces_come_as_the_provider_cuts_them(provider: str, awaited: bool, stream: bool) -> None:
    pieces = ["<tool", "_call>", "", "😀", "é", "</", "tool_call>"]
    with server_of(provider, Scripted("", pieces)) as server, client_of(server, False) as client:
        answer = model_of(client, stream=True)(TALK)
        assert isinstance(answer, TextPieces)
        assert list(answer) == [piece for piece in pieces if piece]
        assert next(answer, None) is None


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
def test_any_text_comes_as_it_was_stated_however_it_is_cut(provider: str) -> None:
    stated: list[Scripted] = []
    with server_of(provider) as server, client_of(server, False) as client:
        server.reply_with(lambda: stated[-1])
        whole, streamed = model_of(client), model_of(client, stream=True)

        @settings(max_examples=tries(15), deadline=None)
        @given(st.lists(st.text() | st.sampled_from(["\n\n", "\r", "data: ", "[DONE]", "\u2028", "\x85", "😀"])))
        def check(pieces: list[str]) -> None:
            stated.append(Scripted("".join(pieces), pieces))
            assert whole(TALK) == "".join(pieces)
            answer = streamed(TALK)
            assert isinstance(answer, TextPieces)
            assert list(answer) == [piece for piece in pieces if piece]

        check()


@pytest.mark.parametrize(("provider", "awaited", "stream"), WAYS)
def test_a_reply_that_was_cut_off_states_so(provider: str, awaited: bool, stream: bool) -> None:
    word = "length" if provider == "openai" else "max_tokens"
    with server_of(provider, Scripted('<tool_call>{"name"', finish=word)) as server:
        reply = ask(server, awaited, stream)
    assert (reply, reply.finish_reason, reply.cut_off) == ('<tool_call>{"name"', word, True)


@pytest.mark.parametrize(("provider", "awaited", "stream"), WAYS)
def test_a_reply_without_text_is_an_empty_one(provider: str, awaited: bool, stream: bool) -> None:
    with server_of(provider, Scripted(None)) as server:
        reply = ask(server, awaited, stream)
    assert reply == ""
    assert type(reply) is Reply


@pytest.mark.parametrize(("awaited", "stream"), [(False, False), (False, True), (True, False), (True, True)])
def test_a_refusal_is_text_that_states_so(awaited: bool, stream: bool) -> None:
    with server_of("openai", Scripted(None, refusal="I cannot help with that.")) as server:
        reply = ask(server, awaited, stream)
    assert (reply, reply.refused) == ("I cannot help with that.", True)
    with server_of("anthropic", Scripted("I cann", finish="refusal")) as server:
        reply = ask(server, awaited, stream)
    assert (reply, reply.refused) == ("I cann", True)


@pytest.mark.parametrize(("provider", "awaited", "stream"), WAYS)
def test_a_native_call_is_never_lost(provider: str, awaited: bool, stream: bool) -> None:
    script = Scripted("I read it.", calls=[("read_file", {"path": "a.py"})])
    with server_of(provider, script) as server, pytest.raises(NativeCallError, match="`read_file`") as raised:
        ask(server, awaited, stream)
    assert raised.value.names == ("read_file",)
    again = pickle.loads(pickle.dumps(raised.value))  # noqa: S301 - what was pickled a moment ago
    assert (again.names, str(again)) == (raised.value.names, str(raised.value))


@pytest.mark.parametrize(("awaited", "stream"), [(False, False), (False, True), (True, False), (True, True)])
def test_what_is_thought_in_a_block_of_its_own_is_no_reply(awaited: bool, stream: bool) -> None:
    with server_of("anthropic", Scripted("It is 7.", thinking="<read_file/> or not?")) as server:
        assert ask(server, awaited, stream) == "It is 7."


@pytest.mark.parametrize("stream", [False, True])
def test_what_the_provider_does_with_its_own_tools_is_no_native_call(stream: bool) -> None:
    blocks: list[dict[str, Any]] = [
        {"type": "text", "text": "I look. "},
        {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}, "caller": {"type": "direct"}},
        {"type": "web_search_tool_result", "tool_use_id": "s", "content": [], "caller": {"type": "direct"}},
        {"type": "text", "text": "Found."},
    ]
    message: dict[str, Any] = {
        "id": "m",
        "type": "message",
        "role": "assistant",
        "model": "some",
        "usage": {},
        "stop_reason": None,
    }
    raw: Any = {**message, "content": blocks, "stop_reason": "end_turn"}
    if stream:
        raw = [{"type": "message_start", "message": message | {"content": []}}]
        for at, block in enumerate(blocks):
            raw.append({"type": "content_block_start", "index": at, "content_block": block})
            if block["type"] == "server_tool_use":
                delta = {"type": "input_json_delta", "partial_json": '{"query": "x"}'}
                raw.append({"type": "content_block_delta", "index": at, "delta": delta})
            raw.append({"type": "content_block_stop", "index": at})
        raw.append({"type": "message_stop"})
    with server_of("anthropic", Scripted(raw=raw)) as server:
        assert ask(server, False, stream) == "I look. Found."


# -- connections -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
def test_closing_ends_the_connection(provider: str) -> None:
    with server_of(provider, Scripted("abcdef", endless=True)) as server, client_of(server, False) as client:
        answer = model_of(client, stream=True)(TALK)
        assert isinstance(answer, TextPieces)
        with answer:
            assert [next(answer), next(answer)] == ["abc", "def"]
            assert answer.finish_reason is None
        assert server.dropped.wait(60)
        assert list(answer) == []
        answer.close()


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
def test_closing_what_was_never_begun_ends_the_connection(provider: str) -> None:
    with server_of(provider, Scripted(endless=True)) as server, client_of(server, False) as client:
        answer = model_of(client, stream=True)(TALK)
        assert isinstance(answer, TextPieces)
        answer.close()
        assert server.dropped.wait(60)


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
def test_closing_ends_the_connection_of_an_asynchronous_client(provider: str) -> None:
    async def run(server: WireServer) -> None:
        async with client_of(server, True) as client:
            answer = model_of(client, stream=True)(TALK)
            assert isinstance(answer, AsyncTextPieces)
            async with answer:
                assert [await anext(answer), await anext(answer)] == ["abc", "def"]
            assert await asyncio.to_thread(server.dropped.wait, 60)
            assert [piece async for piece in answer] == []
            await answer.aclose()

    with server_of(provider, Scripted("abcdef", endless=True)) as server:
        asyncio.run(run(server))


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
def test_a_reply_that_is_never_read_makes_no_request(provider: str) -> None:
    async def run(server: WireServer) -> None:
        async with client_of(server, True) as client:
            answer = model_of(client, stream=True)(TALK)
            assert isinstance(answer, AsyncTextPieces)
            await answer.aclose()

    with server_of(provider) as server:
        asyncio.run(run(server))
    assert server.requests == []


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("provider", ["openai", "anthropic"])
def test_what_is_never_awaited_is_released_without_a_warning(provider: str, stream: bool) -> None:
    async def run(server: WireServer) -> None:
        async with client_of(server, True) as client:
            answer = model_of(client, stream=stream)(TALK)
            if not stream:
                assert isinstance(answer, Coroutine)
                answer.close()
            del answer
            gc.collect()

    with server_of(provider) as server:
        asyncio.run(run(server))
    assert server.requests == []


def test_an_awaited_reply_may_be_run_by_itself() -> None:
    with server_of("openai", "A") as server:

        async def asked() -> Any:
            async with client_of(server, True) as client:
                return await asyncio.create_task(model_of(client)(TALK))  # type: ignore[arg-type]

        assert asyncio.run(asked()) == "A"


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
def test_cancelling_ends_the_connection(provider: str) -> None:
    async def run(server: WireServer) -> None:
        async with client_of(server, True) as client:
            begun = asyncio.Event()

            async def listen() -> None:
                answer = model_of(client, stream=True)(TALK)
                assert isinstance(answer, AsyncTextPieces)
                async for _ in answer:
                    begun.set()

            task = asyncio.create_task(listen())
            await begun.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert await asyncio.to_thread(server.dropped.wait, 60)

    with server_of(provider, Scripted("abc", endless=True)) as server:
        asyncio.run(run(server))


@pytest.mark.parametrize(("provider", "awaited", "stream"), STREAMS)
def test_an_error_amid_a_stream_is_the_clients_own(provider: str, awaited: bool, stream: bool) -> None:
    import anthropic
    import openai

    kind = openai.APIError if provider == "openai" else anthropic.APIError
    with (
        server_of(provider, Scripted("abc", fails=True)) as server,
        pytest.raises(kind, match=r"server had|Overloaded"),
    ):
        ask(server, awaited, stream)


@pytest.mark.parametrize(("awaited", "stream"), [(False, False), (False, True), (True, False), (True, True)])
def test_a_refused_request_is_the_clients_own_error(awaited: bool, stream: bool) -> None:
    import anthropic
    import openai

    with (
        server_of("openai", "never said") as server,
        pytest.raises(openai.BadRequestError, match="Invalid value: 'owl'"),
    ):
        ask(server, awaited, stream, [{"role": "owl", "content": "Hu."}])
    with (
        server_of("anthropic", "never said") as server,
        pytest.raises(anthropic.BadRequestError, match="first message"),
    ):
        ask(server, awaited, stream, [{"role": "assistant", "content": "Hu."}])


# -- what is sent ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("provider", "awaited", "stream"), WAYS)
def test_options_go_with_every_request_and_messages_stay_as_they_are(
    provider: str, awaited: bool, stream: bool
) -> None:
    stop = "stop" if provider == "openai" else "stop_sequences"
    talk = copy.deepcopy(TALK)
    with server_of(provider, "A") as server:
        ask(server, awaited, stream, talk, **{stop: ["</tool_call>"]})
    (body,) = server.bodies
    assert body[stop] == ["</tool_call>"]
    assert body.get("stream", False) is stream
    assert talk == TALK
    if provider == "openai":
        assert body["messages"] == TALK
    else:
        assert (body["system"], body["messages"], body["max_tokens"]) == ("Be short.", TALK[1:], 100)


def test_usage_at_the_end_of_a_stream_is_no_reply() -> None:
    with server_of("openai", "A") as server:
        reply = ask(server, False, True, stream_options={"include_usage": True})
    assert (reply, reply.finish_reason) == ("A", "stop")


def sent(*talk: tuple[str, Any], **options: Any) -> dict[str, Any]:
    """The body of a conversation for Anthropic's server."""
    with server_of("anthropic", "A") as server:
        ask(server, False, False, [{"role": role, "content": content} for role, content in talk], **options)
    return dict(server.bodies[0])


def test_system_messages_follow_the_option_and_are_joined() -> None:
    talk = [("system", "One."), ("user", "Hi."), ("developer", "Two."), ("system", "  ")]
    assert sent(*talk)["system"] == "One.\n\nTwo."
    assert sent(*talk, system="Zero.")["system"] == "Zero.\n\nOne.\n\nTwo."
    cached = {"type": "text", "text": "Zero.", "cache_control": {"type": "ephemeral"}}
    blocks = [cached, {"type": "text", "text": "One."}, {"type": "text", "text": "Two."}]
    assert sent(*talk, system=[cached])["system"] == blocks
    assert sent(("user", "Hi."), system="Zero.")["system"] == "Zero."
    assert "system" not in sent(("user", "Hi."))


def test_neighbours_of_one_role_are_sent_as_one() -> None:
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": ""}}
    talk = [("user", "A."), ("user", "B."), ("assistant", "C."), ("assistant", ""), ("user", [image]), ("user", "D.")]
    assert sent(*talk)["messages"] == [
        {"role": "user", "content": "A.\n\nB."},
        {"role": "assistant", "content": "C."},
        {"role": "user", "content": [image, {"type": "text", "text": "D."}]},
    ]


def test_messages_without_text_are_not_sent() -> None:
    talk = [("user", "A."), ("assistant", " \n"), ("user", "B.")]
    assert sent(*talk)["messages"] == [{"role": "user", "content": "A.\n\nB."}]


def test_fields_that_anthropic_does_not_know_are_not_sent() -> None:
    with server_of("anthropic", "A") as server:
        ask(server, False, False, [{"role": "user", "content": "Hi.", "name": "Ann"}])
    assert server.bodies[0]["messages"] == [{"role": "user", "content": "Hi."}]


def test_a_role_that_anthropic_does_not_know_is_stated_before_anything_is_sent() -> None:
    with server_of("anthropic", "A") as server, pytest.raises(ValueError, match="Message 2 has the role `tool`"):
        ask(server, False, False, [{"role": "user", "content": "A."}, {"role": "tool", "content": "B."}])
    assert server.requests == []


@pytest.mark.parametrize("make", [openai_chat, anthropic_messages])
def test_a_client_of_another_kind_is_refused_at_once(make: Any) -> None:
    with pytest.raises(TypeError, match=r"The client has no method `[a-z.]+create`: pass an `"):
        make(object(), model="some", max_tokens=1)


def test_what_comes_from_the_loop_is_no_option() -> None:
    client: Any = SimpleNamespace(messages=SimpleNamespace(create=print))
    with pytest.raises(TypeError, match="`messages` is not an option"):
        anthropic_messages(client, model="some", max_tokens=1, messages=[])


def test_a_model_shows_what_it_is() -> None:
    client: Any = SimpleNamespace(messages=SimpleNamespace(create=print))
    model = anthropic_messages(client, model="some", max_tokens=1, stream=True)
    assert repr(model) == "<anthropic model 'some', streamed>"
    assert (model.provider, model.model, model.stream, model.options) == ("anthropic", "some", True, {"max_tokens": 1})


# -- servers that only resemble OpenAI's -------------------------------------------------------------------------------

#: Streams as such servers write them, each with its text and the word for why it ended.
ODD_STREAMS: dict[str, tuple[list[Any], str, str | None]] = {
    # Nothing but a delta; no reason ever.
    "least": ([{"choices": [{"delta": {"content": "A"}}]}, {"choices": [{"delta": {"content": "B"}}]}], "AB", None),
    # llama.cpp: thoughts in a field of their own, no `content` beside them.
    # https://github.com/openai-php/client/issues/780
    "thoughts": (
        [
            {"choices": [{"index": 0, "finish_reason": None, "delta": {"role": "assistant", "content": None}}]},
            {"choices": [{"index": 0, "finish_reason": None, "delta": {"reasoning_content": "<read_file>"}}]},
            {"choices": [{"index": 0, "finish_reason": None, "delta": {"reasoning": "hm"}}]},
            {"choices": [{"index": 0, "finish_reason": None, "delta": {"content": "A"}}]},
            {"choices": [{"index": 0, "finish_reason": "stop", "delta": {}}], "timings": {"predicted_n": 4}},
        ],
        "A",
        "stop",
    ),
    # vLLM: the last text and the reason in one chunk (https://github.com/vllm-project/vllm/pull/36944), an empty list
    # of native calls, and null for the choices of the chunk with the usage.
    "together": (
        [
            {"choices": [{"index": 0, "delta": {"content": "A", "tool_calls": []}, "finish_reason": None}]},
            {"choices": [{"index": 0, "delta": {"content": "B"}, "finish_reason": "length", "stop_reason": None}]},
            {"choices": None, "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}},
        ],
        "AB",
        "length",
    ),
    # Gateways: comments to keep the connection, a chunk of the provider's own without choices, an empty reason.
    "gateway": (
        [
            ": PROCESSING\n\n",
            {"choices": [], "prompt_filter_results": []},
            {"id": "", "choices": [{"index": 0, "delta": {"content": "A"}, "finish_reason": ""}]},
            {"choices": [{"index": 0, "delta": None, "finish_reason": "stop"}]},
        ],
        "A",
        "stop",
    ),
    # Mistral: parts in place of a string.
    "parts": (
        [
            {"choices": [{"index": 0, "delta": {"content": [{"type": "thinking", "thinking": []}]}}]},
            {"choices": [{"index": 0, "delta": {"content": [{"type": "text", "text": "A"}]}}]},
        ],
        "A",
        None,
    ),
    # Two choices: the first counts.
    "choices": (
        [
            {"choices": [{"index": 1, "delta": {"content": "X"}}, {"index": 0, "delta": {"content": "A"}}]},
            {"choices": [{"index": 1, "delta": {"content": "Y"}, "finish_reason": "length"}]},
            {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
        ],
        "A",
        "stop",
    ),
}


@pytest.mark.parametrize(("name", "awaited", "done"), crossed(ODD_STREAMS, [False, True], [True, False]))
def test_streams_of_other_servers_are_understood(name: str, awaited: bool, done: bool) -> None:
    events, text, reason = ODD_STREAMS[name]
    raw = [*events, "data: [DONE]\n\n"] if done else events
    with server_of("openai", Scripted(raw=raw)) as server:
        reply = ask(server, awaited, True)
    assert (reply, reply.finish_reason) == (text, reason)


@pytest.mark.parametrize(
    ("message", "text"),
    [
        ({"content": "A"}, "A"),
        ({"content": None, "reasoning_content": "<read_file>"}, ""),
        ({"content": [{"type": "text", "text": "A"}, {"type": "thinking", "thinking": []}, {"text": "B"}, "C"]}, "ABC"),
        ({"content": [{"type": "refusal", "refusal": "No."}]}, "No."),
        ({"role": "assistant", "content": "A", "tool_calls": [], "function_call": None}, "A"),
        ({}, ""),
    ],
)
def test_replies_of_other_servers_are_understood(message: dict[str, Any], text: str) -> None:
    with server_of("openai", Scripted(raw={"choices": [{"message": message}]})) as server:
        reply = ask(server, False, False)
    assert (reply, reply.finish_reason, reply.cut_off) == (text, None, False)


@pytest.mark.parametrize("call", [{"tool_calls": [{"function": {"name": "f"}}]}, {"function_call": {"name": "f"}}])
def test_native_calls_of_other_servers_are_seen(call: dict[str, Any]) -> None:
    whole = {"choices": [{"message": call}]}
    with server_of("openai", Scripted(raw=whole)) as server, pytest.raises(NativeCallError, match="`f`"):
        ask(server, False, False)
    pieces = [{"choices": [{"delta": call}]}]
    with server_of("openai", Scripted(raw=pieces)) as server, pytest.raises(NativeCallError, match="`f`"):
        ask(server, False, True)


@pytest.mark.parametrize(
    ("provider", "raw", "message"),
    [
        ("openai", {"choices": []}, "no choice"),
        ("openai", {"choices": None, "error": {"message": "No room.", "code": 502}}, "error: No room."),
        ("openai", "<!doctype html><title>Welcome</title>", "Check the client's base URL"),
        ("anthropic", {"type": "message"}, "no content"),
        ("anthropic", {"type": "error", "error": {"type": "api_error", "message": "No room."}}, "error: No room."),
    ],
)
def test_an_answer_without_a_reply_is_an_error(provider: str, raw: Any, message: str) -> None:
    with server_of(provider, Scripted(raw=raw)) as server, pytest.raises(ReplyError, match=message):
        ask(server, False, False)


@pytest.mark.parametrize("awaited", [False, True])
@pytest.mark.parametrize("provider", ["openai", "anthropic"])
def test_a_stream_without_a_reply_is_an_error(provider: str, awaited: bool) -> None:
    with (
        server_of(provider, Scripted(raw=[": nothing\n\n"])) as server,
        pytest.raises(ReplyError, match="it contains no reply"),
    ):
        ask(server, awaited, True)


# -- clients that only resemble the packages' --------------------------------------------------------------------------


def test_a_client_may_give_plain_data() -> None:
    def create(*, stream: bool = False, **_: Any) -> Any:
        if stream:
            return iter([{"choices": [{"delta": {"content": "A"}, "finish_reason": "stop"}]}])
        return {"choices": [{"message": {"content": "B"}}]}

    client = SimpleNamespace(chat=SimpleNamespace(completions=SimpleNamespace(create=create)))
    assert openai_chat(client, model="some")(TALK) == "B"
    pieces = openai_chat(client, model="some", stream=True)(TALK)
    assert isinstance(pieces, TextPieces)
    assert list(pieces) == ["A"]


def test_a_client_may_give_an_asynchronous_stream_at_once() -> None:
    closed = []

    async def events() -> AsyncIterator[Any]:
        try:
            yield {"type": "content_block_delta", "delta": {"type": "text_delta", "text": "?"}}
            yield {"type": "content_block_start", "content_block": {"type": "text", "text": "A"}}
            yield {"type": "error", "error": {"type": "api_error", "message": "No room."}}
        finally:
            closed.append(True)

    client: Any = SimpleNamespace(messages=SimpleNamespace(create=lambda **_: events()))

    async def run() -> None:
        pieces = anthropic_messages(client, model="some", max_tokens=1, stream=True)(TALK)
        assert isinstance(pieces, AsyncTextPieces)
        assert [await anext(pieces), await anext(pieces)] == ["?", "A"]
        with pytest.raises(ReplyError, match=r"error: No room\."):
            await anext(pieces)
        assert closed == [True]

    asyncio.run(run())


def test_a_whole_answer_where_a_stream_was_asked_for_is_an_error() -> None:
    client: Any = SimpleNamespace(messages=SimpleNamespace(create=lambda **_: {"content": []}))
    pieces = anthropic_messages(client, model="some", max_tokens=1, stream=True)(TALK)
    assert isinstance(pieces, TextPieces)
    with pytest.raises(ReplyError, match="no stream"):
        next(pieces)


def test_the_generator_of_a_client_is_closed() -> None:
    closed = []

    def events() -> Iterator[Any]:
        try:
            yield {"choices": [{"delta": {"content": "A"}}]}
            yield {"choices": [{"delta": {"content": "B"}}]}
        finally:
            closed.append(True)

    client = SimpleNamespace(chat=SimpleNamespace(completions=SimpleNamespace(create=lambda **_: events())))
    pieces = openai_chat(client, model="some", stream=True)(TALK)
    assert isinstance(pieces, TextPieces)
    assert next(pieces) == "A"
    pieces.close()
    assert closed == [True]


def test_a_reply_keeps_what_it_knows_when_it_is_copied() -> None:
    reply = Reply("A", finish_reason="length", refused=True)
    for again in (copy.copy(reply), copy.deepcopy(reply), pickle.loads(pickle.dumps(reply))):  # noqa: S301 - our own
        assert (again, again.finish_reason, again.refused, again.cut_off) == ("A", "length", True, True)


def test_no_package_of_a_provider_is_imported() -> None:
    program = (
        "import sys; from callwright.runtime import openai_chat, anthropic_messages\n"
        "heavy = ('openai', 'anthropic', 'httpx2', 'asyncio', 'json', 'inspect')\n"
        "print([name for name in heavy if name in sys.modules])"
    )
    shown = subprocess.run(
        [sys.executable, "-S", "-c", f"import sys; sys.path[:0] = {sys.path!r}\n{program}"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert shown.stdout == "[]\n"
