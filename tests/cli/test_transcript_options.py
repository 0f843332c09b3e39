"""The options of `check` that say what a transcript is held against."""

import json
from pathlib import Path

import pytest

from callwright.cli.main import main

CALL = {"id": "c1", "type": "function", "function": {"name": "read_file", "arguments": '{"path": "a"}'}}
CHAT = [
    {"role": "user", "content": "Go."},
    {"role": "assistant", "content": None, "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "c1", "content": "Error: no"},
    {"role": "assistant", "content": "There is no such file."},
]


@pytest.fixture
def chat(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "chat.json").write_text(json.dumps(CHAT), encoding="utf-8")
    return "chat.json"


@pytest.mark.parametrize(
    ("options", "codes"),
    [
        ([], []),
        (["--provider", "anthropic"], ["TC707", "TC709"]),
        (["--provider", "mistral"], ["TC704"]),
        (["--provider", "none"], []),
        (["--max-mistakes", "1"], ["TC714"]),
        (["--max-mistakes=2"], []),
    ],
)
def test_a_transcript_is_held_against_what_is_asked_for(
    options: list[str], codes: list[str], chat: str, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["check", chat, "--output-format", "json", *options])
    out = capsys.readouterr().out
    assert sorted(code for code in {f"TC7{number:02}" for number in range(1, 15)} if code in out) == codes


@pytest.mark.parametrize(
    ("options", "stated"),
    [
        (["--provider", "antropic"], "write `anthropic`"),
        (["--max-mistakes", "0"], "expected an integer of 1 or more"),
        (["--max-mistakes", "many"], "expected an integer of 1 or more"),
        (["--max-mistakes", "²"], "expected an integer of 1 or more"),
    ],
)
def test_an_option_that_makes_no_sense_is_refused(
    options: list[str], stated: str, chat: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", chat, *options]) == 2
    assert stated in capsys.readouterr().err
