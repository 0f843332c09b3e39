"""Many streams at once: what one costs in memory and in time, of 10,000 that are open in one process.

    .venv/bin/python tests/benchmarks/streams.py [COUNT]

Every stream gets a reply of its own dialect, in small pieces, in turn with all others. Prints the memory of one stream
(by tracemalloc, and the growth of the process beside it) while it is idle, in prose, in the middle of a call, after it
and after its end; then the characters a second of all together, and of one stream alone.

Owns: the run and its figures. Must not know: how a stream works.
"""

from __future__ import annotations

import resource
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from callwright.calls.protocol import Refusal, RenderStyle
from callwright.dialects.catalogue import all_dialects
from callwright.runtime import StrictParser, StrictStream
from invariants.corpus import registry

COUNT = 10_000
PIECE = 16
PROSE = "I look at the file first, and then I write what is asked for.\n\n"
CONTENT = "def add(a, b):\n    return a + b\n" * 8


class Script:
    """One dialect's parser, and a reply in three parts: prose, the first half of a call, the rest with more prose."""

    def __init__(self, parser: StrictParser, call: str) -> None:
        self.parser = parser
        half = call.index("return") + len("return")
        self.parts = (PROSE, call[:half], call[half:] + "\n\nThat is all.\n")


def scripts() -> list[Script]:
    """Return a script for every dialect that can write the call."""
    found: list[Script] = []
    tool = registry().get("write_file")[0]
    for dialect in all_dialects():
        text = dialect.render("write_file", {"path": "src/add.py", "content": CONTENT}, tool, RenderStyle())
        if not isinstance(text, Refusal):
            found.append(Script(StrictParser(tools=registry(), dialect=dialect.name), text))
    return found


def pieces(text: str) -> Iterator[str]:
    """Yield a text in small pieces."""
    for at in range(0, len(text), PIECE):
        yield text[at : at + PIECE]


def feed_in_turn(streams: Sequence[StrictStream], plan: Sequence[Script], part: int) -> None:
    """Feed one part of each stream's reply, piece by piece in turn."""
    waiting = [(stream, pieces(plan[at % len(plan)].parts[part])) for at, stream in enumerate(streams)]
    while waiting:
        left = []
        for stream, rest in waiting:
            piece = next(rest, None)
            if piece is not None:
                stream.feed(piece)
                left.append((stream, rest))
        waiting = left


def stages(count: int, plan: Sequence[Script], weigh: Callable[[], int]) -> Iterator[tuple[str, float]]:
    """Yield what one of `count` streams weighs at each stage of its life."""
    before = weigh()
    streams = [plan[at % len(plan)].parser.stream() for at in range(count)]
    yield "open", (weigh() - before) / count
    for name, part in (("in prose", 0), ("in a call", 1), ("after it", 2)):
        feed_in_turn(streams, plan, part)
        yield name, (weigh() - before) / count
    results = [stream.finish() for stream in streams]
    assert all(len(calls) == 1 and error is None for calls, error in results), "every reply is sound"
    del results
    yield "finished", (weigh() - before) / count


def traced() -> int:
    """Return the bytes that Python holds."""
    return tracemalloc.get_traced_memory()[0]


def resident() -> int:
    """Return the most memory that the process has had, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def main() -> int:
    """Measure and print."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else COUNT
    plan = scripts()
    # Once through, so that what is loaded and kept once is not counted.
    list(stages(2 * len(plan), plan, resident))
    state_text(f"{count} strict streams, {len(plan)} notations, pieces of {PIECE} characters")
    resident_before = resident()
    begun = time.process_time()
    for _ in stages(count, plan, resident):
        pass
    spent = time.process_time() - begun
    state_text(f"peak of the process: {(resident() - resident_before) / count / 1000:.1f} KB a stream")
    fed = sum(len(part) for at in range(count) for part in plan[at % len(plan)].parts)
    state_text(
        f"all in turn: {fed / spent / 1e6:.2f} million characters a second, {spent / count * 1e3:.2f} ms a reply"
    )
    begun = time.process_time()
    for script in plan * 10:
        stream = script.parser.stream()
        for part in script.parts:
            for piece in pieces(part):
                stream.feed(piece)
        stream.finish()
    spent = time.process_time() - begun
    fed = 10 * sum(len(part) for script in plan for part in script.parts)
    each = spent / 10 / len(plan) * 1e3
    state_text(f"one alone:   {fed / spent / 1e6:.2f} million characters a second, {each:.2f} ms a reply")
    tracemalloc.start()
    for name, weight in stages(count, plan, traced):
        state_text(f"{name + ':':11} {weight / 1000:6.1f} KB a stream")
    return 0


def state_text(line: str) -> None:
    """Print a line."""
    sys.stdout.write(line + "\n")


if __name__ == "__main__":
    sys.exit(main())
