"""The strict reader is closed: what is written like a call is a known tool's sound call, or the reply is rejected.

Every way to judge a reply says the same: the parser, its stream in pieces of any size, the loop, `feedback`, `replay`
and `check --strict`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

import pytest

from callwright.calls.protocol import Refusal, RenderStyle
from callwright.cli.main import main
from callwright.dialects.catalogue import dialect_names, find_dialect
from callwright.rules.base import ErrorType
from callwright.runtime import FeedbackLoop, StrictParser
from callwright.runtime.events import Text
from invariants.streams import chunks
from runtime.strict_replies import ANSWER_TAGS, TOOLS, answers, invented
from support.dialects import general_names

INVENTED: Final = invented()
ANSWERS: Final = answers()
DIALECTS: Final = ("hermes", "xml-json", "xml-children", "invoke", "llama-json", "pythonic", "react", "qwen-coder")
#: How many of the texts every way of judging is asked about.
EACH: Final = 9


@cache
def parser(dialect: str) -> StrictParser:
    return StrictParser(tools=TOOLS, dialect=dialect, answer_tags=ANSWER_TAGS)


def shown(texts: list[str]) -> str:
    return "\n".join(map(repr, texts))


def test_the_tables_are_long_enough() -> None:
    assert len(set(INVENTED)) >= 300
    assert len(set(ANSWERS)) >= 300


@pytest.mark.parametrize("dialect", DIALECTS)
def test_what_calls_an_invented_tool_is_rejected(dialect: str) -> None:
    errors = {text: parser(dialect).parse(text).error for text in INVENTED}
    passed = [text for text, error in errors.items() if error is None or error.type is not ErrorType.UNKNOWN_TOOL]
    assert not passed, shown(passed)


def test_the_message_states_first_that_there_is_no_such_tool() -> None:
    for text in sample(INVENTED):
        error = parser("hermes").parse(text).error
        assert error is not None
        assert "TC301" in [each.code for each in error.diagnostics], text
        assert re.search(": (?:Unknown tool|Invented result) at ", error.feedback().splitlines()[1]), text


@pytest.mark.parametrize("dialect", dialect_names())
def test_every_dialect_rejects_a_sample_of_them(dialect: str) -> None:
    texts = INVENTED[dialect_names().index(dialect) % 13 :: 13]
    types = {error.type for text in texts if (error := parser(dialect).parse(text).error)}
    assert all(parser(dialect).parse(text).error for text in texts)
    # Where a fence's object is asked for, one with another key for the name has none.
    nameless = {ErrorType.SCHEMA_VALIDATION} if dialect == "fenced-json" else set()
    assert types - nameless == {ErrorType.UNKNOWN_TOOL}


@pytest.mark.parametrize("written", general_names())
def test_an_invented_tool_is_unknown_in_every_format(written: str) -> None:
    format_ = find_dialect(written)
    assert format_ is not None
    call = format_.render("delete_all", {"target": "a"}, None, RenderStyle())
    assert not isinstance(call, Refusal)
    for asked in (written, "hermes", "xml-json"):
        for text in (call, f"I do it now.\n\n{call}\n"):
            error = parser(asked).parse(text).error
            assert error is not None, (asked, text)
            assert error.type is ErrorType.UNKNOWN_TOOL, (asked, text)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_answers_are_taken(dialect: str) -> None:
    rejected = [text for text in ANSWERS if parser(dialect).parse(text) != ([], None)]
    assert not rejected, shown(rejected)


def test_only_named_tags_are_allowed_in_an_answer() -> None:
    text = '<answer>{"sum": 3}</answer>'
    assert parser("hermes").parse(text) == ([], None)
    error = StrictParser(tools=TOOLS, dialect="hermes").parse(text).error
    assert error is not None
    assert error.type is ErrorType.UNKNOWN_TOOL
    inside = '<answer><bash>{"command": "ls"}</bash></answer>'
    assert parser("hermes").parse(inside).error is not None
    with pytest.raises(TypeError, match="`answer_tags` must be a list"):
        StrictParser(tools=TOOLS, dialect="hermes", answer_tags="answer")


@pytest.mark.parametrize("dialect", ["hermes", "xml-json", "xml-children"])
@pytest.mark.parametrize("size", [1, 3, 16, 4096])
def test_a_stream_states_the_same_in_pieces_of_any_size(dialect: str, size: int) -> None:
    for text in (INVENTED + ANSWERS)[size % 7 :: 7]:
        stream = parser(dialect).stream()
        early = None
        for piece in chunks(text, [size]):
            stream.feed(piece)
            early = early or stream.error
        calls, error = stream.finish()
        whole = parser(dialect).parse(text)
        assert calls == whole.calls
        assert (error and (error.type, error.message)) == (whole.error and (whole.error.type, whole.error.message)), (
            text
        )
        if early is not None:
            assert whole.error is not None
            assert early.type is whole.error.type, text


#: What begins as calls do, and is none as soon as it continues.
BEGINNINGS: Final = (
    "<note>Some text",
    "A List<String> holds them",
    "The tag <bash> begins it",
    "Well, bash(1) is",
    "read_file",
    '{"users" is',
    '{"users": 1} is',
    "<list><item>a</item> lists",
    "<list><item>",
)


@pytest.mark.parametrize("beginning", BEGINNINGS[:-1])
def test_text_is_held_back_only_until_it_is_no_call(beginning: str) -> None:
    stream = parser("hermes").stream()
    fed = beginning + " one and another" * 8
    reported = "".join(event.text for piece in fed for event in stream.feed(piece) if isinstance(event, Text))
    assert reported.startswith(beginning)


def test_text_is_held_back_while_it_may_be_a_call() -> None:
    stream = parser("hermes").stream()
    assert not any(isinstance(event, Text) for piece in BEGINNINGS[-1] + "a" * 200 for event in stream.feed(piece))


def sample(texts: list[str]) -> list[str]:
    return texts[::EACH]


@pytest.mark.parametrize("dialect", ["hermes", "xml-json"])
def test_the_loop_states_the_same(dialect: str) -> None:
    for text in sample(INVENTED + ANSWERS):
        replies = iter([text, "Done."])

        def model(_: object, replies: Iterator[str] = replies) -> str:
            return next(replies)

        result = FeedbackLoop(model=model, parser=parser(dialect)).run([])
        reported = [message["content"] for message in result.messages if message["role"] == "user"]
        error = parser(dialect).parse(text).error
        assert reported == ([] if error is None else [error.feedback()]), text


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tools.json").write_text(json.dumps(TOOLS), encoding="utf-8")
    config = 'tools = ["tools.json"]\ndialect = "hermes"\nstrict = true\nanswer_tags = ["answer", "plan"]\n'
    (tmp_path / "callwright.toml").write_text(config, encoding="utf-8")
    return tmp_path


def test_feedback_states_the_same(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for text in sample(INVENTED + ANSWERS):
        (folder / "reply.txt").write_bytes(text.encode())
        code = main(["feedback", "reply.txt"])
        error = parser("hermes").parse(text).error
        assert (code, capsys.readouterr().out) == ((0, "") if error is None else (1, error.feedback() + "\n")), text


def test_replay_states_the_same(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    texts = sample(INVENTED + ANSWERS)
    turns = [
        turn for text in texts for turn in ({"role": "user", "content": "Go."}, {"role": "assistant", "content": text})
    ]
    (folder / "chat.json").write_text(json.dumps({"messages": turns}), encoding="utf-8")
    main(["replay", "chat.json", "--json", "--max-mistakes", str(len(texts))])
    (conversation,) = json.loads(capsys.readouterr().out)["conversations"]
    reported = [turn["error"] and turn["error"]["type"] for turn in conversation["turns"]]
    errors = [parser("hermes").parse(text).error for text in texts]
    assert reported == [error and str(error.type) for error in errors]


@pytest.mark.parametrize("kind", ["document", "transcript"])
def test_check_states_the_same(folder: Path, capsys: pytest.CaptureFixture[str], kind: str) -> None:
    texts = sample(INVENTED + ANSWERS)
    for number, text in enumerate(texts):
        if kind == "document":
            (folder / f"{number}.md").write_bytes(text.encode())
            continue
        turns = [{"role": "user", "content": "Go."}, {"role": "assistant", "content": text}]
        (folder / f"{number}.json").write_text(json.dumps({"messages": turns}), encoding="utf-8")
    names = [path.name for path in folder.glob("[0-9]*")]
    main(["check", *names, "--output-format", "json"])
    faulty = {
        Path(each["path"]).stem
        for each in json.loads(capsys.readouterr().out)["diagnostics"]
        if each["severity"] == "error"
    }
    errors = [parser("hermes").parse(text).error for text in texts]
    assert faulty == {str(number) for number, error in enumerate(errors) if error is not None}


def test_what_a_prompt_states_is_no_reply(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    prompt = '<tools>\n{"name": "other", "parameters": {}}\n</tools>\n<rules><rule>Be brief.</rule></rules>'
    turns = [{"role": "system", "content": prompt}, {"role": "assistant", "content": "Done."}]
    (folder / "chat.json").write_text(json.dumps({"messages": turns}), encoding="utf-8")
    main(["check", "chat.json", "--output-format", "json"])
    assert json.loads(capsys.readouterr().out)["diagnostics"] == []
