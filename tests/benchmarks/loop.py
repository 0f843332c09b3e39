"""What the feedback loop adds to a turn: with a model that answers at once, beside the parser and the tools alone.

Run it by hand, on a machine that does nothing else: `make bench`, or
`python tests/benchmarks/loop.py [ROUNDS] [--json FILE]`.
The smallest of some rounds is given, in the process's own CPU time. A run has twenty turns and one tool that returns at
once. *alone* is what the turn's parts take without a loop: parsing the reply, running its call, writing the result or
the feedback. The rest is the loop's own.
"""

import asyncio
import json
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2] / "server"))

from callwright.runtime import StrictParser
from callwright.runtime.loop import FeedbackLoop
from callwright.runtime.strikes import Strikes
from callwright.runtime.tools.manager import StrictToolManager
from callwright.runtime.tools.results import render_results

TURNS = 20
PIECE = 16
DIALECT = "fenced-json"
GOOD = 'I look.\n\n```json\n{"tool": "read_file", "arguments": {"path": "src/app/main.py", "limit": 20}}\n```\n'
BAD = '```json\n{"tool": "read_file", "arguments": {"path": "src/app/main.py", "limit": 20}}}}\n```\n'
ASKED = [{"role": "user", "content": "Look at the failing test."}]


class ReadFile:
    """A tool that returns at once."""

    name = "read_file"
    schema: Mapping[str, Any] = {
        "type": "object",
        "properties": {"path": {"type": "string"}, "limit": {"type": "integer", "minimum": 1}},
        "required": ["path"],
    }

    def validate(self, params: Any) -> None:
        """Take everything."""

    def execute(self, params: Any) -> str:
        del params
        return "def main() -> None: ..."


def pieces(reply: str) -> Iterator[str]:
    for at in range(0, len(reply), PIECE):
        yield reply[at : at + PIECE]


def quickest(work: Callable[[], object], rounds: int) -> float:
    """Return the microseconds that one of a run's turns takes, in the best round."""
    work()
    best = float("inf")
    for _ in range(rounds):
        started = time.process_time()
        work()
        best = min(best, time.process_time() - started)
    return best / TURNS * 1e6


def measured(rounds: int) -> dict[str, float]:
    """Return the microseconds for a turn of each kind."""
    manager = StrictToolManager([ReadFile()])
    parser = StrictParser(tools=manager.registry, dialect=DIALECT)

    def run(reply: str, *, streamed: bool = False, before: int = 0, **options: Any) -> Callable[[], object]:
        model = (lambda _: pieces(reply)) if streamed else (lambda _: reply)
        loop = FeedbackLoop(
            model=model, parser=parser, manager=manager, max_turns=TURNS, strikes=Strikes(10**9), **options
        )
        messages = [*ASKED, *[{"role": "user", "content": "a"}] * before]

        def work() -> None:
            if loop.run(messages).turns != TURNS:
                raise SystemExit("the run did not take all turns")

        return work

    def arun(reply: str) -> Callable[[], object]:
        async def model(_: list[dict[str, Any]]) -> str:
            return reply

        loop = FeedbackLoop(model=model, parser=parser, manager=manager, max_turns=TURNS, strikes=Strikes(10**9))
        return lambda: asyncio.run(loop.arun(ASKED))

    def good_alone() -> None:
        for _ in range(TURNS):
            calls, _error = parser.parse(GOOD)
            render_results([manager.run(calls[0])], DIALECT)

    def bad_alone() -> None:
        for _ in range(TURNS):
            _calls, error = parser.parse(BAD)
            assert error is not None, "the reply has superfluous braces"
            error.feedback()

    works = {
        "a call, alone": good_alone,
        "a call": run(GOOD),
        "a call, with a log": run(GOOD, log=lambda _: None),
        "a call, after 1,000 messages": run(GOOD, before=1_000),
        "a call, in pieces": run(GOOD, streamed=True),
        "a call, in pieces with events": run(GOOD, streamed=True, on_event=lambda _: None),
        "a call, asynchronous, in a thread": arun(GOOD),
        "a mistake, alone": bad_alone,
        "a mistake": run(BAD),
    }
    return {name: quickest(work, rounds) for name, work in works.items()}


def main() -> None:
    arguments = sys.argv[1:]
    target = Path(arguments.pop(arguments.index("--json") + 1)) if "--json" in arguments else None
    rounds = next((int(argument) for argument in arguments if argument.isdigit()), 20)
    found = measured(rounds)
    for name, took in found.items():
        sys.stdout.write(f"{name:34} {took:9.1f} µs\n")
    if target is not None:
        target.write_text(json.dumps({"turn_us": found}, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
