"""The loop with models through real clients: what it makes of how a reply ends, and what it does to the connection."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from threading import Thread
from typing import Any

import pytest

from callwright.runtime import (
    FeedbackLoop,
    LoopResult,
    NativeCallError,
    StrictParser,
    StrictToolManager,
    anthropic_messages,
    openai_chat,
)
from support.sampling import sampled
from support.wire import AnthropicServer, OpenAIServer, Scripted, WireServer

ASKED = [{"role": "system", "content": "Be short."}, {"role": "user", "content": "What is in a.py?"}]
SOUND = '<read_it>{"path": "a.py"}</read_it>'
BROKEN = '<read_it>{"path": "a.py"}}</read_it>'

EVERY_WAY = [
    pytest.param(provider, awaited, stream, id=f"{provider}-{'async' if awaited else 'sync'}-{stream}")
    for provider in ("openai", "anthropic")
    for awaited in (False, True)
    for stream in (False, True)
]
#: In a sample each provider, each kind of client and each kind of reply remains.
WAYS = sampled(EVERY_WAY, by=lambda way: frozenset(enumerate(way.values)))
STREAMS = sampled([way for way in EVERY_WAY if way.values[2]], by=lambda way: way.values[0])


class ReadIt:
    name = "read_it"
    schema = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}  # noqa: RUF012

    def __init__(self) -> None:
        self.read: list[str] = []

    def validate(self, params: Any) -> None:
        """The schema says it all."""

    def execute(self, params: Any) -> str:
        self.read.append(params["path"])
        return "print(7)"


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "*")


@pytest.fixture
def tool() -> ReadIt:
    return ReadIt()


def server_of(provider: str, *script: Scripted | str) -> WireServer:
    return (OpenAIServer if provider == "openai" else AnthropicServer)(script)


def model_of(provider: str, awaited: bool, stream: bool, server: WireServer) -> tuple[Any, Any]:
    """A client, and the model that it calls."""
    import anthropic
    import openai

    if provider == "openai":
        kind = openai.AsyncOpenAI if awaited else openai.OpenAI
        client: Any = kind(base_url=server.url, api_key="none", max_retries=0)
        return client, openai_chat(client, model="some", stream=stream)
    other = anthropic.AsyncAnthropic if awaited else anthropic.Anthropic
    client = other(base_url=server.url, api_key="none", max_retries=0)
    return client, anthropic_messages(client, model="some", max_tokens=100, stream=stream)


def loop_of(model: Any, tool: ReadIt, **options: Any) -> FeedbackLoop:
    manager = StrictToolManager([tool])
    parser = StrictParser(tools=manager.registry, dialect="xml-json")
    return FeedbackLoop(model=model, parser=parser, manager=manager, **options)


def run(
    provider: str, awaited: bool, stream: bool, server: WireServer, tool: ReadIt, **options: Any
) -> tuple[FeedbackLoop, LoopResult]:
    async def later() -> tuple[FeedbackLoop, LoopResult]:
        client, model = model_of(provider, True, stream, server)
        async with client:
            loop = loop_of(model, tool, **options)
            return loop, await loop.arun(ASKED)

    if awaited:
        return asyncio.run(later())
    client, model = model_of(provider, False, stream, server)
    with client:
        loop = loop_of(model, tool, **options)
        return loop, loop.run(ASKED)


@pytest.mark.parametrize(("provider", "awaited", "stream"), WAYS)
def test_a_mistake_is_reported_fixed_and_the_tool_runs_once(
    provider: str, awaited: bool, stream: bool, tool: ReadIt
) -> None:
    with server_of(provider, BROKEN, SOUND, "It prints 7.") as server:
        _, result = run(provider, awaited, stream, server, tool)
    assert (result.stop, result.turns, result.text) == ("answer", 3, "It prints 7.")
    assert tool.read == ["a.py"]
    assert [message["role"] for message in result.messages] == [
        "system",
        "user",
        *["assistant", "user"] * 2,
        "assistant",
    ]
    assert "extra closing brace" in server.bodies[1]["messages"][-1]["content"]
    assert "print(7)" in server.bodies[2]["messages"][-1]["content"]


@pytest.mark.parametrize(("provider", "awaited", "stream"), WAYS)
def test_a_reply_without_text_does_not_make_the_next_request_a_wrong_one(
    provider: str, awaited: bool, stream: bool, tool: ReadIt
) -> None:
    with server_of(provider, "", SOUND, "It prints 7.") as server:

        async def later() -> LoopResult:
            client, model = model_of(provider, True, stream, server)
            async with client:
                return await strict(model).arun(ASKED)

        def strict(model: Any) -> FeedbackLoop:
            manager = StrictToolManager([tool])
            parser = StrictParser(tools=manager.registry, dialect="xml-json", require_call=True)
            return FeedbackLoop(model=model, parser=parser, manager=manager, max_turns=2)

        if awaited:
            result = asyncio.run(later())
        else:
            client, model = model_of(provider, False, stream, server)
            with client:
                result = strict(model).run(ASKED)
    assert (result.stop, result.turns, tool.read) == ("max_turns", 2, ["a.py"])


@pytest.mark.parametrize(("provider", "awaited", "stream"), WAYS)
def test_a_reply_that_was_cut_off_is_reported_so(provider: str, awaited: bool, stream: bool, tool: ReadIt) -> None:
    word = "length" if provider == "openai" else "max_tokens"
    with server_of(provider, Scripted(SOUND[:-5], finish=word), Scripted("It pri", finish=word)) as server:
        _, result = run(provider, awaited, stream, server, tool)
    assert "cut off" in server.bodies[1]["messages"][-1]["content"]
    assert tool.read == []
    assert (result.stop, result.text, result.cut_off, result.finish_reason) == ("answer", "It pri", True, word)


@pytest.mark.parametrize(("provider", "awaited", "stream"), WAYS)
def test_a_native_call_ends_the_run_with_what_there_was(
    provider: str, awaited: bool, stream: bool, tool: ReadIt
) -> None:
    native = Scripted("I look.", calls=[("read_it", {"path": "a.py"})])
    with server_of(provider, SOUND, native) as server, pytest.raises(NativeCallError) as raised:
        run(provider, awaited, stream, server, tool)
    result = raised.value.__dict__["loop_result"]
    assert (result.stop, result.turns, result.messages[2]["content"]) == ("failed", 1, SOUND)
    assert tool.read == ["a.py"]


@pytest.mark.parametrize("text", [f"I look. {SOUND}", f"I look. {BROKEN}"], ids=["complete", "mistake"])
@pytest.mark.parametrize(("provider", "awaited", "stream"), STREAMS)
def test_a_reply_that_states_enough_is_left_and_its_connection_closed(
    provider: str, awaited: bool, stream: bool, text: str, tool: ReadIt
) -> None:
    with server_of(provider, Scripted(text, endless=True), "It prints 7.") as server:
        _, result = run(provider, awaited, stream, server, tool, interrupt=True)
        assert server.dropped.wait(60)
    assert (result.stop, result.turns) == ("answer", 2)
    assert tool.read == (["a.py"] if text.endswith(SOUND) else [])
    assert result.messages[2]["content"].startswith("I look. <read_it>")


@pytest.mark.parametrize(("provider", "awaited", "stream"), STREAMS)
def test_cancelling_a_loop_closes_the_connection(provider: str, awaited: bool, stream: bool, tool: ReadIt) -> None:
    loops: list[FeedbackLoop] = []

    def cancel(*_: object) -> None:
        Thread(target=loops[0].cancel).start()

    with server_of(provider, Scripted("I look.", endless=True)) as server:
        if awaited:

            async def later() -> LoopResult:
                client, model = model_of(provider, True, True, server)
                async with client:
                    loops.append(loop_of(model, tool, on_event=cancel))
                    return await loops[0].arun(ASKED)

            result = asyncio.run(later())
        else:
            client, model = model_of(provider, False, True, server)
            with client:
                loops.append(loop_of(model, tool, on_event=cancel))
                result = loops[0].run(ASKED)
        assert server.dropped.wait(60)
    assert (result.stop, result.messages) == ("cancelled", ASKED)


def test_an_asynchronous_client_is_reported_where_it_cannot_be_waited_for(tool: ReadIt) -> None:
    def models(server: WireServer) -> Iterator[Any]:
        for stream in (False, True):
            yield from (model_of(provider, True, stream, server) for provider in ("openai", "anthropic"))

    async def check(server: WireServer) -> None:
        for client, model in models(server):
            async with client:
                with pytest.raises(TypeError, match="arun"):
                    loop_of(model, tool).run(ASKED)

    with server_of("openai") as server:
        asyncio.run(check(server))
    assert server.requests == []
