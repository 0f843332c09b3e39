"""Runs of the feedback loop as cases: what a model replies, one reply after another, and what comes of each.

In the case files a `source` holds the replies with a line `-----` between them; its words are `dialect=`, `max_turns=`,
`require_call` and `interrupt`. The `tools` say what each of them `returns`, or how it `fails`. The fence `steps` has a
line for each turn and the end of the run, the fence `told` the messages to the model, one after another.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from callwright.runtime.log import LogEvent
from callwright.runtime.loop import MAX_TURNS, FeedbackLoop
from callwright.runtime.strict import StrictParser
from callwright.runtime.tools.base import ToolError
from callwright.runtime.tools.manager import StrictToolManager
from callwright.runtime.turns import LoopResult
from invariants.streams import chunks
from runtime.loops import Message
from support.cases import Case, Fence, Producer, load_cases

FOLDER = Path(__file__).parent / "loop"
BETWEEN = "\n-----\n"


class Canned:
    """A tool that returns or fails as its definition says, whatever it is called with."""

    def __init__(self, definition: Mapping[str, Any]) -> None:
        self.name = definition["name"]
        self.schema = {key: value for key, value in definition.items() if key not in ("returns", "fails", "dangerous")}
        self.dangerous = definition.get("dangerous", False)
        self._definition = definition

    def validate(self, params: Mapping[str, Any]) -> None:
        """Take whatever the schema takes."""

    def execute(self, params: Mapping[str, Any]) -> Any:
        del params
        if "fails" in self._definition:
            raise ToolError(self._definition["fails"])
        return self._definition["returns"]


def run_of(case: Case) -> tuple[LoopResult, list[LogEvent]]:
    """Return what a case's run came to, and its log. Every reply must have been heard."""
    replies = case.source.split(BETWEEN)
    asked: list[int] = []
    events: list[LogEvent] = []

    def model(messages: list[Message]) -> Any:
        asked.append(len(messages))
        return chunks(replies[len(asked) - 1], [5])

    manager = StrictToolManager([Canned(each) for each in json.loads(case.given["tools"].body)])
    loop = FeedbackLoop(
        model=model,
        parser=StrictParser(
            tools=manager.registry, dialect=case.info["dialect"], require_call="require_call" in case.info
        ),
        manager=manager,
        max_turns=int(case.info.get("max_turns", MAX_TURNS)),
        interrupt="interrupt" in case.info,
        log=events.append,
    )
    result = loop.run([{"role": "user", "content": "Go on."}])
    assert len(asked) == len(replies), "the case has replies that the model was not asked for"
    return result, events


def steps(case: Case, _: Fence) -> str:
    """Return a line for each turn, for each call in it, and for the end."""
    result, events = run_of(case)
    lines: list[str] = []
    for event in events:
        data = event.data
        if event.node_type == "validation_error":
            strikes = data["strikes"]
            lines.append(f"turn {data['turn']}: ✗ {data['type']}, strike {strikes['count']} of {strikes['maximum']}")
        elif event.node_type == "max_mistakes":
            lines.append(f"turn {data['turn']}: ✗ MAX_MISTAKES, for {data['type']}")
        elif event.node_type == "tool_call":
            arguments = json.dumps(data["arguments"], ensure_ascii=False)
            lines.append(f"turn {data['turn']}: ✓ {data['tool']} {arguments}")
        elif event.node_type == "tool_result":
            shown = data["error"] if data["error"] is not None else json.dumps(data["value"], ensure_ascii=False)
            lines.append(f"    {data['kind']}: {shown}")
        elif event.node_type == "stop":
            lines.append(f"stop: {data['reason']}, {data['turn']} turns, {len(result.messages)} messages")
    return "\n".join(lines)


def reported(case: Case, _: Fence) -> str:
    """Return the messages to the model after its replies."""
    result, _events = run_of(case)
    return BETWEEN.join(message["content"] for message in result.messages[2::2])


PRODUCERS: dict[str, Producer] = {"steps": steps, "told": reported}


@pytest.mark.parametrize("case", load_cases(FOLDER), ids=str)
def test_case(case: Case, check_case: Callable[[Case, dict[str, Producer]], None]) -> None:
    check_case(case, PRODUCERS)
