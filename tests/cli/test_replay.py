"""`callwright replay` beyond what its sessions show: JSON, sessions of the runtime, and that it judges strictly."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from callwright.cli.main import main
from callwright.runtime import Limits, StrictParser, Strikes
from callwright.runtime.session import Session
from support.sampling import tries

TOOLS: list[dict[str, Any]] = [
    {
        "name": "read_file",
        "input_schema": {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]},
    }
]
GOOD = '<read_file>{"path": "a"}</read_file>'
NO_PATH = "<read_file>{}</read_file>"
BROKEN = '<read_file>{"path": "a"</read_file>'
NO_TOOL = '<raed_file>{"path": "a"}</raed_file>'
OTHER = "<read_file><path>a</path></read_file>"
TALK = "I think, therefore I read."
REPLIES = [GOOD, NO_PATH, BROKEN, NO_TOOL, OTHER, TALK, "", "\ud83d alone", f"{GOOD}\n\n{NO_PATH}"]


def chat(replies: list[str], **more: Any) -> dict[str, Any]:
    messages = [
        message
        for reply in replies
        for message in ({"role": "user", "content": "Go on."}, {"role": "assistant", "content": reply})
    ]
    return {**more, "tools": TOOLS, "messages": messages}


def replayed(value: Any, folder: Path, capsys: pytest.CaptureFixture[str], *options: str) -> tuple[int, dict[str, Any]]:
    file = folder / "chat.json"
    file.write_text(json.dumps(value), encoding="utf-8")
    code = main(["replay", str(file), "--isolated", "--json", *options])
    return code, json.loads(capsys.readouterr().out)


def test_the_json_reports_every_turn(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, reported = replayed(chat([TALK, NO_PATH, GOOD]), tmp_path, capsys, "--dialect", "xml-json")
    assert code == 1
    assert reported["summary"] == {"conversations": 1, "replies": 3, "calls": 1, "rejected": 1, "talk": 1}
    (conversation,) = reported["conversations"]
    assert (conversation["max_mistakes"], conversation["stops_at"]) == (3, None)
    talk, rejected, sound = conversation["turns"]
    assert [turn["outcome"] for turn in (talk, rejected, sound)] == ["talk", "rejected", "calls"]
    assert [turn["strikes"] for turn in (talk, rejected, sound)] == [0, 1, 0]
    assert [(turn["turn"], turn["message"]) for turn in (talk, rejected, sound)] == [(1, 2), (2, 4), (3, 6)]
    assert (talk["error"], talk["feedback"], talk["calls"]) == (None, None, [])
    assert rejected["error"]["type"] == "SCHEMA_VALIDATION"
    assert "`path`" in rejected["feedback"]
    assert sound["calls"] == [
        {"tool": "read_file", "arguments": {"path": "a"}, "dialect": "xml-json", "id": None, "span": [0, len(GOOD)]}
    ]


def test_the_place_of_a_turn_is_the_place_of_its_message(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    value = chat([GOOD, TALK])
    _, reported = replayed(value, tmp_path, capsys)
    text = (tmp_path / "chat.json").read_text(encoding="utf-8")
    for turn, message in zip(reported["conversations"][0]["turns"], value["messages"][1::2], strict=True):
        start, end = turn["range"]["start"]["offset"], turn["range"]["end"]["offset"]
        assert json.loads(text[start:end]) == message


@settings(
    deadline=None,
    max_examples=tries(60),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(replies=st.lists(st.sampled_from(REPLIES), min_size=1, max_size=8), maximum=st.integers(1, 4))
def test_outcomes_and_strikes_are_those_of_the_strict_parser(
    replies: list[str], maximum: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    parser = StrictParser(tools=TOOLS, dialect="xml-json", strikes=Strikes(maximum))
    assert parser.strikes is not None
    expected = []
    for reply in replies:
        calls, error = parser.parse(reply)
        kind = "rejected" if error is not None else "calls" if calls else "talk"
        expected.append((kind, None if error is None else error.to_dict(), parser.strikes.count))
    options = ("--dialect", "xml-json", "--max-mistakes", str(maximum))
    code, reported = replayed(chat(replies), tmp_path, capsys, *options)
    (conversation,) = reported["conversations"]
    assert [(each["outcome"], each["error"], each["strikes"]) for each in conversation["turns"]] == expected
    assert code == int(any(kind == "rejected" for kind, _, _ in expected))
    over = [number for number, (_, _, count) in enumerate(expected, 1) if count > maximum]
    assert conversation["stops_at"] == (over[0] if over else None)


def test_a_session_is_replayed_as_it_was_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    parser = StrictParser(tools=TOOLS, dialect=["xml-json", "xml-children"], require_call=True, strikes=Strikes(1))
    session = Session.begin(parser, [{"role": "assistant", "content": NO_PATH}, {"role": "user", "content": "Go."}])
    for reply in (OTHER, TALK, NO_PATH):
        session.messages.append({"role": "assistant", "content": reply})
    file = tmp_path / "session.json"
    session.dump(file)
    assert main(["replay", str(file), "--isolated", "--json"]) == 1
    (conversation,) = json.loads(capsys.readouterr().out)["conversations"]
    assert conversation["max_mistakes"] == 1
    assert [turn["outcome"] for turn in conversation["turns"]] == ["calls", "rejected", "rejected"]
    assert conversation["turns"][1]["error"]["type"] == "NO_XML_BLOCKS"
    assert conversation["turns"][2]["error"]["type"] == "MAX_MISTAKES"
    assert conversation["stops_at"] == 3


def test_native_calls_are_held_against_the_tools(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def calling(*arguments: Any) -> dict[str, Any]:
        calls = [
            {"id": f"c{at}", "type": "function", "function": {"name": "read_file", "arguments": each}}
            for at, each in enumerate(arguments)
        ]
        return {"role": "assistant", "content": None, "tool_calls": calls}

    value = {
        "tools": TOOLS,
        "messages": [calling('{"path": "a"}'), calling('{"path": "a"}', '{"path": 1}'), calling('{"path": "a"')],
    }
    _, reported = replayed(value, tmp_path, capsys, "--require-call")
    sound, wrong, broken = reported["conversations"][0]["turns"]
    assert [(each["dialect"], each["arguments"], each["id"]) for each in sound["calls"]] == [
        ("native", {"path": "a"}, "c0")
    ]
    assert (wrong["error"]["type"], wrong["error"]["call"]["number"]) == ("SCHEMA_VALIDATION", 2)
    assert broken["error"]["type"] == "MALFORMED_JSON"
    assert [turn["outcome"] for turn in (sound, wrong, broken)] == ["calls", "rejected", "rejected"]


def test_a_native_call_that_ran_out_of_room_is_broken(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "read_file", "arguments": '{"path": "a'}}
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    _, reported = replayed({"choices": [{"index": 0, "message": message, "finish_reason": "length"}]}, tmp_path, capsys)
    (turn,) = reported["conversations"][0]["turns"]
    assert turn["error"]["type"] == "MALFORMED_JSON"


def test_without_a_word_about_dialects_a_reply_is_held_against_its_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, reported = replayed(chat([OTHER, GOOD, TALK, f"{OTHER} and {GOOD}"]), tmp_path, capsys)
    turns = reported["conversations"][0]["turns"]
    assert code == 0
    assert [turn["dialects"] for turn in turns] == [
        ["xml-children"],
        ["xml-json"],
        ["xml-children"],
        ["xml-children", "xml-json"],
    ]


def test_the_configuration_states_which_dialect_is_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "callwright.toml").write_text('dialect = "xml-json"\naccept = ["xml-children"]\nmax_mistakes = 7\n')
    (tmp_path / "chat.json").write_text(json.dumps(chat([OTHER, GOOD, "<invoke name='x'></invoke>"])))
    assert main(["replay", "chat.json", "--json"]) == 1
    (conversation,) = json.loads(capsys.readouterr().out)["conversations"]
    assert conversation["max_mistakes"] == 7
    assert [turn["outcome"] for turn in conversation["turns"]] == ["calls", "calls", "rejected"]


def test_what_a_reply_states_commands_no_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "chat.json"
    file.write_text(json.dumps(chat(["\x1b[2J" + "long " * 5000, '<read_file>{"path": "\\u001b[2J"}</read_file>'])))
    assert main(["replay", str(file), "--isolated", "--feedback"]) == 0
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert max(map(len, out.splitlines())) < 200 + len(str(file))


def test_unknown_statements_of_a_session_are_skipped(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    head = {"version": 1, "max_mistakes": [], "history": -1, "limits": {"max_calls": 0, "max_words": 3}, "more": 1}
    code, reported = replayed({"callwright_session": head, **chat([OTHER, NO_PATH])}, tmp_path, capsys)
    assert code == 1
    assert [turn["outcome"] for turn in reported["conversations"][0]["turns"]] == ["calls", "rejected"]


@pytest.mark.parametrize("command", ["replay", "feedback"])
@pytest.mark.parametrize(
    ("head", "fault"),
    [
        ({"version": 99}, "this session has the form 99, and this version of Callwright knows forms up to 1"),
        ({"version": "1"}, "`callwright_session.version` must be a whole number of 1 or more"),
        ({"dialect": "hermes"}, "`callwright_session.version` must be a whole number of 1 or more"),
        ({"version": 1, "dialect": "nope"}, "unknown dialect `nope` for its replies"),
        ({"version": 1, "accept": ["hermes", {}]}, "unknown dialect `{}` for its replies"),
    ],
)
def test_a_session_that_cannot_be_checked_is_refused(
    command: str, head: dict[str, Any], fault: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "session.json"
    file.write_text(json.dumps({"callwright_session": head, **chat([OTHER])}), encoding="utf-8")
    assert main([command, str(file), "--isolated"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"callwright: {file}: {fault}")


@pytest.mark.parametrize(
    ("limits", "reply", "stated"),
    [
        (Limits(max_text=40), f"{GOOD} and more", "longer than 40 characters (`max_text`)"),
        (Limits(max_calls=1), f"{GOOD} {GOOD}", "more than 1 calls in one reply (`max_calls`)"),
        (Limits(max_call=10), GOOD, "longer than 10 characters (`max_call`)"),
        (Limits(max_depth=1), '<read_file>{"path": ["a"]}</read_file>', "more than 1 levels deep (`max_depth`)"),
    ],
)
def test_a_reply_that_was_rejected_for_its_size_is_rejected_again(
    limits: Limits, reply: str, stated: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    parser = StrictParser(tools=TOOLS, dialect="xml-json", limits=limits)
    session = Session.begin(parser, [{"role": "user", "content": "Go on."}])
    session.messages.append({"role": "assistant", "content": reply})
    code, reported = replayed(session.to_dict(), tmp_path, capsys)
    (turn,) = reported["conversations"][0]["turns"]
    assert (code, turn["outcome"]) == (1, "rejected")
    assert stated in turn["error"]["message"]
    assert main(["feedback", str(tmp_path / "chat.json"), "--isolated"]) == 1
    assert stated in capsys.readouterr().out
    assert main(["check", str(tmp_path / "chat.json"), "--isolated"]) == 1
    assert stated in capsys.readouterr().out


def test_a_session_that_states_nothing_of_limits_has_those_of_every_parser(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    head = {"version": 1, "dialect": "xml-json"}
    _, reported = replayed({"callwright_session": head, **chat([GOOD * 1001])}, tmp_path, capsys)
    assert "more than 1000 calls" in reported["conversations"][0]["turns"][0]["error"]["message"]
    assert main(["check", str(tmp_path / "chat.json"), "--isolated"]) == 0


WORDS = st.sampled_from(
    ["role", "content", "tool_calls", "function", "name", "arguments", "id", "type", "input", "text", "finish_reason"]
)
SCALARS = st.sampled_from(
    [None, True, 3, "", "assistant", "tool_use", "text", "function", GOOD, NO_PATH, '{"path": 1}', "{"]
)
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=4))
MESSAGES = st.fixed_dictionaries({"role": st.just("assistant")}, optional={"content": VALUES, "tool_calls": VALUES})


@settings(
    deadline=None,
    max_examples=tries(100),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(messages=st.lists(MESSAGES | VALUES, min_size=1, max_size=4), head=st.dictionaries(WORDS, VALUES, max_size=2))
def test_no_transcript_is_too_odd(
    messages: list[Any], head: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "chat.json"
    for value in ({"messages": messages}, {"callwright_session": head, "messages": messages}):
        file.write_text(json.dumps(value), encoding="utf-8")
        code = main(["replay", str(file), "--isolated", "--feedback"])
        captured = capsys.readouterr()
        assert code in (0, 1, 2)
        assert "internal error" not in captured.err
        assert bool(captured.err) == (code == 2)


@pytest.mark.parametrize("message", [{"content": NO_PATH}, {"content": None, "tool_calls": [{"id": "a"}]}])
def test_a_row_cut_off_in_its_tools_is_judged(
    message: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The definition is reported by `check`; here it must not end the command."""
    row = {"messages": [{"role": "user", "content": "Go on."}, {"role": "assistant", **message}], "tools": TOOLS}
    written = json.dumps(row)
    file = tmp_path / "rows.jsonl"
    file.write_text("".join(f"{written[:end]}\n" for end in range(len(written) - 90, len(written))), encoding="utf-8")
    assert main(["replay", str(file), "--isolated", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["summary"]["replies"] == 90
