"""Results that are in the text of a message: which dialects are read, and where everything is."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callwright.calls.turns import Spot, TurnResult, TurnText
from callwright.conversation.conversation import conversations
from callwright.document.settings import Settings
from callwright.lint.opening import open_snapshot
from callwright.syntax.json import read_json
from callwright.syntax.json_views import JsonView
from callwright.text.span import Span
from callwright.tools.registry import EMPTY
from callwright.transcripts.support.segments import Segment
from callwright.transcripts.support.text_results import text_results, whole_result


def spot(text: str) -> TurnText:
    return TurnText(Spot(Span(0, len(text))), text)


def shown(results: list[TurnResult]) -> list[tuple[str | None, str | None, Any, bool | None]]:
    return [(result.tool, result.id, result.value, result.failed) for result in results]


@pytest.mark.parametrize(
    ("text", "results"),
    [
        ("<tool_response>\nrain\n</tool_response>", [(None, None, "rain", None)]),
        ('<tool_response>{"name": "f", "content": {"a": 1}}</tool_response>', [("f", None, {"a": 1}, None)]),
        ('<tool_response>{"tool_call_id": "c1", "content": "x"}</tool_response>', [(None, "c1", "x", None)]),
        ('<tool_response>{"temperature": 3}</tool_response>', [(None, None, '{"temperature": 3}', None)]),
        ('<tool_response>{"name": "f", "age": 3}</tool_response>', [(None, None, '{"name": "f", "age": 3}', None)]),
        ("<tool_result>a</tool_result> and <tool_output>b</tool_output>", [(None, None, x, None) for x in "ab"]),
        ("<function_result>a</function_result>", [(None, None, "a", None)]),
        (
            (
                "<function_results>\n<result>\n<tool_name>f</tool_name>\n<stdout>\nx\n</stdout>\n</result>\n"
                "<result><error>no</error></result></function_results>"
            ),
            [("f", None, "x", None), (None, None, "no", True)],
        ),
        ("<function_results><error>no</error></function_results>", [(None, None, "no", True)]),
        (
            '[TOOL_RESULTS] [{"name": "f", "content": 1}, {"name": "g", "content": 2}] [/TOOL_RESULTS] x',
            [("f", None, 1, None), ("g", None, 2, None)],
        ),
        (
            '[TOOL_RESULTS]{"call_id": "a", "content": 1}[TOOL_RESULTS]{"call_id": "b", "content": 2}</s>',
            [(None, "a", 1, None), (None, "b", 2, None)],
        ),
        (
            "[read_file for 'a] b'] Result:\nx\n\n[write_file] Result:\nThe tool execution failed with the following",
            [
                ("read_file", None, "x", None),
                ("write_file", None, "The tool execution failed with the following", True),
            ],
        ),
        ("[read_file for 'a'] Result:", [("read_file", None, None, None)]),
        ("Observation: [a] Result:\nx", [(None, None, "[a] Result:\nx", None)]),
        ("My Observation: x", []),
        ("no <tool_response> here, and [read_file] Results: none", []),
        ("text [read_file] Result: in a line", []),
        ("<tool_responses>x</tool_responses>", []),
        ("", []),
    ],
)
def test_formats(text: str, results: list[Any]) -> None:
    assert shown(text_results(spot(text))) == results


def test_what_a_user_quotes_need_not_answer_a_call() -> None:
    text = "<tool_response>x</tool_response>"
    assert [result.tentative for result in text_results(spot(text))] == [True]
    assert [result.tentative for result in whole_result(spot(text))] == [False]
    assert [result.tentative for result in whole_result(spot("x"))] == [False]


def test_a_message_without_markers_is_one_result() -> None:
    assert shown(whole_result(spot(' {"a": 1}\n'))) == [(None, None, '{"a": 1}', None)]
    assert shown(whole_result(spot("x <tool_response>y</tool_response>"))) == [(None, None, "y", None)]


@pytest.mark.parametrize("cited", [False, True])
def test_a_history_of_cline_is_read_with_its_results(cited: bool) -> None:
    """A label in one block and the content in the next, beside calls in text."""
    call = {"type": "text", "text": "<read_file>\n<path>a</path>\n</read_file>"}
    blocks = ["[read_file for 'a'] Result:", "x", "[write_file for 'b'] Result:", "The tool execution failed"]
    history = [
        {"role": "user", "content": [{"type": "text", "text": "<task>read a</task>"}]},
        {"role": "assistant", "content": [{"type": "thinking", "thinking": "…"}, call] if cited else [call]},
        {"role": "user", "content": [{"type": "text", "text": text} for text in blocks]},
    ]
    snapshot = open_snapshot(
        json.dumps(history), path="api_conversation_history.json", registry=EMPTY, settings=Settings()
    )
    (conversation,) = conversations(snapshot)
    assert conversation.shape == ("anthropic" if cited else "openai-chat")
    assert [placed.call.tool for placed in conversation.turns[1].calls] == ["read_file"]
    found = conversation.turns[2].turn.results
    assert shown(found) == [
        ("read_file", None, "x", None),
        ("write_file", None, "The tool execution failed", True),
    ]


def test_places_in_a_json_string() -> None:
    stated = 'é 😀\t<tool_response>\n{"name": "f", "content": {"a": "ö\\n"}}\n</tool_response>'
    for ascii_only in (True, False):
        raw = json.dumps({"value": stated}, ensure_ascii=ascii_only)
        read = read_json(raw)
        place = JsonView.of(read).get("value")
        assert place is not None
        (result,) = text_results(TurnText(place, stated))
        assert isinstance(result.content, Segment)
        assert result.content.text == '{"a": "ö\\n"}'
        assert json.loads(f'"{result.content.span.of(raw)}"') == result.content.text
        assert result.value == {"a": "ö\n"}
        assert isinstance(result.tool_place, Segment)
        assert json.loads(f'"{result.tool_place.span.of(raw)}"') == '"f"'
        projection = result.content.projection
        assert projection is not None
        assert projection.length == len(result.content.text)
        assert projection.raw_span(Span(0, projection.length)) == result.content.span


def test_the_place_in_a_fixed_string_is_the_whole_string() -> None:
    raw = "{'value': 'x <tool_response>y</tool_response>'}"
    place = JsonView.of(read_json(raw)).get("value")
    assert place is not None
    (result,) = text_results(TurnText(place, place.value))
    assert result.value == "y"
    assert result.place.span == place.span


@given(
    st.lists(
        st.sampled_from(
            [
                "<tool_response>",
                "</tool_response>",
                "<function_results>",
                "</function_results>",
                "<result>",
                "</result>",
                "[TOOL_RESULTS]",
                "[/TOOL_RESULTS]",
                "\n[a for 'b'] Result:",
                '{"name": "f", "content": 1}',
                "[",
                "x",
                "\n",
            ]
        ),
        max_size=12,
    ).map("".join)
)
def test_any_text_is_read_in_order(text: str) -> None:
    end = 0
    for result in text_results(spot(text)):
        span = result.place.span
        assert end <= span.start <= span.end <= len(text)
        end = span.end
        for part in (result.content, result.tool_place):
            assert part is None or span.start <= part.span.start <= part.span.end <= span.end


@pytest.mark.parametrize(
    "unit", ["<tool_response>", "<function_results><result>", "[TOOL_RESULTS]", "\n[a] Result:", "<function_result>\n"]
)
def test_repetition_is_read_in_linear_time(unit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    class Counted(str):
        """A text that counts how far it is searched."""

        __slots__ = ()
        scanned = 0

        def find(self, *args: Any) -> int:
            found = super().find(*args)
            Counted.scanned += (found if found >= 0 else len(self)) - int(args[1])
            return found

    text = Counted(unit * 2_000)
    text_results(TurnText(Spot(Span(0, len(text))), text))
    assert Counted.scanned <= 8 * len(text)
