"""What a stream costs in memory, of many that are open at once: `tests/benchmarks/streams.py` measures 10,000."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Iterator
from typing import Any

import pytest

from benchmarks.streams import Script, feed_in_turn, pieces, scripts
from callwright.runtime import StreamingParser
from invariants.corpus import registry

#: What the docstrings state: bytes that one stream keeps, beside the text of its reply.
STATED = 8_000
COUNT = 120


@pytest.fixture
def plan() -> list[Script]:
    """Give the parsers with the replies that their streams are fed."""
    return scripts()


@pytest.fixture
def traced(plan: list[Script]) -> Iterator[Any]:
    """Give a function that says how many bytes Python holds more than at the test's beginning, parsers aside."""
    # Whatever is loaded and kept once is not a stream's.
    for script in plan:
        stream = script.parser.stream()
        for piece in pieces("".join(script.parts)):
            stream.feed(piece)
        stream.finish()
    gc.collect()
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    yield lambda: tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()


@pytest.mark.whole(reason="reads streams of many megabytes; the lenient ones are measured")
def test_strict_streams_stay_within_what_is_stated(plan: list[Script], traced: Any) -> None:
    streams = [plan[at % len(plan)].parser.stream() for at in range(COUNT)]
    assert traced() / COUNT < STATED / 2
    for part in range(3):
        feed_in_turn(streams, plan, part)
        stated = sum(len(stream.text) for stream in streams)
        assert (traced() - stated) / COUNT < STATED
    assert all(len(stream.finish().calls) == 1 for stream in streams)
    # What is left is the result.
    gc.collect()
    assert traced() / COUNT < STATED * 3 / 4
    for stream in streams:
        stream.reset()
    gc.collect()
    assert traced() / COUNT < STATED / 2


def test_streaming_parsers_stay_within_what_is_stated(plan: list[Script], traced: Any) -> None:
    tools = registry()
    parsers = [StreamingParser(tools=tools, dialect=plan[at % len(plan)].parser.dialect) for at in range(COUNT)]
    for at, parser in enumerate(parsers):
        for part in plan[at % len(plan)].parts[:2]:
            for piece in pieces(part):
                parser.feed(piece)
    assert traced() / COUNT < STATED


def test_the_length_of_an_open_call_is_all_that_it_costs(plan: list[Script], traced: Any) -> None:
    script = next(each for each in plan if each.parser.dialect == "hermes")
    stream = script.parser.stream()
    stream.feed(script.parts[0] + script.parts[1])
    for _ in range(2_000):
        stream.feed("x = 'some more of the value'\\n")
    # The text is kept as it arrives, as it is read, and as the value was reported.
    assert traced() < 6 * len(stream.text)
