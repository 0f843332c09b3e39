"""The scenarios of "JSON Validation Feedback Loop", in the note's order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from callwright.runtime import ErrorType, Feedback, FeedbackLoop, LogEvent, ParseResult, StrictParser, StrictToolManager

RUN_CODE = {
    "type": "object",
    "properties": {"code": {"type": "string"}},
    "required": ["code"],
    "additionalProperties": False,
}
TOOLS = [{"name": "run_code", "input_schema": RUN_CODE}]


class RunCode:
    """The tool of the note; it answers what the code prints, where that can be seen."""

    name = "run_code"
    schema = RUN_CODE

    def __init__(self) -> None:
        self.ran: list[str] = []

    def validate(self, params: Mapping[str, Any]) -> None:
        """Take everything that the schema takes."""

    def execute(self, params: Mapping[str, Any]) -> str:
        self.ran.append(params["code"])
        return "hello world"


def fenced(json: str) -> str:
    return f"```json\n{json}\n```"


def parse(json: str) -> ParseResult:
    return StrictParser(tools=[{"name": "run_code", "input_schema": RUN_CODE}], dialect="fenced-json").parse(
        fenced(json)
    )


def reported(json: str) -> str:
    error = parse(json).error
    assert error is not None
    return Feedback()(error)


# What the parser returns


def test_valid_json_gives_the_calls_and_no_error() -> None:
    calls, error = parse('{"tool": "run_code", "arguments": {"code": "print(1)"}}')
    assert [(call.tool, call.arguments) for call in calls] == [("run_code", {"code": "print(1)"})]
    assert error is None


def test_parsing_that_fails_gives_no_calls_and_states_why() -> None:
    calls, error = parse('{"tool": "run_code", "arguments": {"code": "print(1)"}}}}')
    assert calls == []
    assert error is not None
    assert error.type is ErrorType.MALFORMED_JSON


def test_no_json_means_that_the_agent_just_talks() -> None:
    parser = StrictParser(tools=TOOLS, dialect="fenced-json")
    assert parser.parse("The result is 42, as expected.") == ([], None)


# The four scenarios, each with the message to the agent and with the turn that fixes it


@pytest.mark.parametrize(
    ("first", "diagnosis", "second"),
    [
        pytest.param(
            """{"tool": "run_code", "arguments": {"code": "print('hello')"}}}}""",
            "→ You have 2 extra closing braces `}}`.",
            """{"tool": "run_code", "arguments": {"code": "print('hello')"}}""",
            id="extra braces",
        ),
        pytest.param(
            """{"tool": "run_code", "arguments": {"code": "print('hello')\"""",
            "→ You're missing 2 closing braces `}}`.",
            """{"tool": "run_code", "arguments": {"code": "print('hello')"}}""",
            id="missing braces",
        ),
        pytest.param(
            '{"tool": "run_code", "arguments": {"code": "print("hello)}}',
            "→ Unmatched quotes detected.",
            """{"tool": "run_code", "arguments": {"code": "print('hello')"}}""",
            id="unmatched quotes",
        ),
        pytest.param(
            """{"tool": "run_code", "arguments": "print('hello')"}""",
            '→ `arguments` must be an object such as `{"code": …}`, got a string.',
            """{"tool": "run_code", "arguments": {"code": "print('hello')"}}""",
            id="wrong structure",
        ),
    ],
)
def test_a_scenario(first: str, diagnosis: str, second: str) -> None:
    # Turn 1: the agent errs and gets feedback; Turn 2: it fixes the call, which is carried out; Turn 3: it answers.
    assert f"  {diagnosis}" in reported(first).splitlines()
    replies = iter([fenced(first), f"I apologize! Here is the corrected JSON:\n\n{fenced(second)}", "It printed it."])
    tool = RunCode()
    manager = StrictToolManager([tool])
    parser = StrictParser(tools=manager.registry, dialect="fenced-json")
    loop = FeedbackLoop(model=lambda _: next(replies), parser=parser, manager=manager, max_turns=5)
    result = loop.run([{"role": "user", "content": "Print hello."}])
    assert (result.stop, result.turns, result.text) == ("answer", 3, "It printed it.")
    assert tool.ran == ["print('hello')"]
    stated = [(message["role"], message["content"]) for message in result.messages]
    assert stated[2][0] == "user"
    assert diagnosis in stated[2][1]
    assert "hello world" in stated[4][1]


# The structure is checked


@pytest.mark.parametrize(
    ("json", "words"),
    [
        ('{"arguments": {"code": "1"}}', "The call names no tool."),
        ('{"tool": "run_code", "arguments": []}', "got an array"),
        ('{"tool": "run_code", "arguments": 1}', "got a number"),
    ],
)
def test_the_structure_is_checked(json: str, words: str) -> None:
    assert words in reported(json)


# The message


def test_the_message_has_the_shape_of_the_note() -> None:
    message = reported('{"tool": "run_code", "arguments": {"code": "import math\\nprint(math.pi)"}}}}')
    lines = message.splitlines()
    assert lines[0] == "⚠️ Tool Call JSON Error:"
    assert lines[1].startswith("Tool call 1 (`run_code`): Invalid JSON at position 74 ")
    assert lines[2].startswith("  Error: ")
    assert lines[3].startswith('  Your JSON: `{"tool": "run_code", ')
    assert lines[5] == "  → You have 2 extra closing braces `}}`."
    assert "Please fix the JSON" in lines[-1]
    assert lines[-1].endswith("Ensure proper brace matching: `{` and `}`.")


def test_the_error_is_logged_as_a_validation_error() -> None:
    events: list[LogEvent] = []
    manager = StrictToolManager([RunCode()])
    replies = iter([fenced('{"tool": "run_code", "arguments": {"code": "1"}}}}'), "Sorry."])
    FeedbackLoop(
        model=lambda _: next(replies),
        parser=StrictParser(tools=manager.registry, dialect="fenced-json"),
        manager=manager,
        log=events.append,
    ).run([{"role": "user", "content": "Go on."}])
    (event,) = [each for each in events if each.node_type == "validation_error"]
    assert event.data["type"] == "MALFORMED_JSON"
    assert event.data["codes"] == ["TC201"]
