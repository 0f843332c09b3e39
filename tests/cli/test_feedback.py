"""`feedback`: which reply is judged, in which dialect, with which tools, and what is printed with which exit code."""

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from callwright.cli.main import main
from callwright.runtime import Feedback, StrictParser

TOOL = {
    "name": "run_code",
    "description": "Run a program.",
    "input_schema": {
        "type": "object",
        "properties": {"code": {"type": "string"}, "timeout": {"type": "integer"}},
        "required": ["code"],
        "additionalProperties": False,
    },
    "input_examples": [{"code": "print(1)"}],
}
GOOD = '```json\n{"tool": "run_code", "arguments": {"code": "1"}}\n```\n'
BAD = '```json\n{"tool": "run_code", "arguments": {"code": "1"}}}}\n```\n'
TAGGED = '<run_code>{"code": "1"}</run_code>\n'
EXTRA = "  → You have 2 extra closing braces `}}`."
ONE_TOO_MANY = (
    "1 extra closing brace `}`: the JSON is complete before it, and parsers reject the whole call. Remove it."
)
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]) -> Run:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tools.json").write_text(json.dumps([TOOL]))

    def command(*words: str, stdin: str | None = None) -> tuple[int, str, str]:
        if stdin is not None:
            monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
        code = main(["feedback", *words])
        out, err = capfdbinary.readouterr()
        return code, out.decode(), err.decode()

    return command


def openai(*turns: dict[str, Any]) -> str:
    return json.dumps({"messages": [{"role": "user", "content": "Run it."}, *turns]})


def native(*arguments: str) -> dict[str, Any]:
    calls = [
        {"id": f"c{number}", "type": "function", "function": {"name": "run_code", "arguments": text}}
        for number, text in enumerate(arguments)
    ]
    return {"role": "assistant", "content": None, "tool_calls": calls}


def stated(text: str) -> dict[str, Any]:
    return {"role": "assistant", "content": text}


def answered(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


# -- a reply -----------------------------------------------------------------------------------------------------------


def test_a_reply_that_is_rejected_gives_the_message_and_ends_with_1(run: Run) -> None:
    Path("reply.md").write_text(BAD)
    code, out, err = run("reply.md", "--tools", "tools.json")
    assert (code, err) == (1, "")
    error = StrictParser(tools=[TOOL], dialect="fenced-json").parse(BAD).error
    assert error is not None
    assert out == Feedback()(error) + "\n"
    assert EXTRA in out.splitlines()


def test_a_reply_in_which_nothing_is_wrong_gives_nothing_and_ends_with_0(run: Run) -> None:
    assert run("-", "--tools", "tools.json", stdin=GOOD) == (0, "", "")
    assert run("-", "--tools", "tools.json", stdin="Here you are.") == (0, "", "")
    assert run("-", stdin="") == (0, "", "")


def test_standard_input_is_a_reply_or_what_its_name_states(run: Run) -> None:
    assert run("-", "--tools", "tools.json", stdin=BAD)[0] == 1
    turns = openai(stated(BAD))
    assert run("-", "--tools", "tools.json", "--stdin-filename", "chat.json", stdin=turns)[0] == 1


def test_a_reply_without_a_call_is_rejected_where_one_is_required(run: Run) -> None:
    code, out, _ = run("-", "--tools", "tools.json", "--dialect", "xml-json", "--require-call", stdin="Hm.")
    assert code == 1
    assert "There is no tool call in your reply, but one is required." in out
    assert "Write each call as an XML element named after the tool" in out
    assert run("-", "--tools", "tools.json", "--require-call", stdin=GOOD)[0] == 0


def test_the_message_is_limited(run: Run) -> None:
    _, whole, _ = run("-", "--tools", "tools.json", stdin=BAD)
    code, out, _ = run("-", "--tools", "tools.json", "--limit", "300", stdin=BAD)
    assert code == 1
    assert len(out) <= 301 < len(whole)
    assert "2 extra closing braces `}}`" in out


def test_no_example_is_shown_where_none_is_wanted(run: Run) -> None:
    assert "Your call, corrected:" in run("-", "--tools", "tools.json", stdin=BAD)[1]
    assert "corrected" not in run("-", "--tools", "tools.json", "--no-example", stdin=BAD)[1]


def test_a_template_makes_the_message(run: Run) -> None:
    Path("message.j2").write_text("{% for one in diagnostics %}{{ one.code }} at {{ one.position }}\n{% endfor %}")
    assert run("-", "--tools", "tools.json", "--template", "message.j2", stdin=BAD) == (1, "TC201 at 48\n", "")


# -- dialects ----------------------------------------------------------------------------------------------------------


def test_the_dialect_is_that_of_the_option_the_configuration_or_the_reply(run: Run) -> None:
    assert run("-", "--tools", "tools.json", stdin=TAGGED)[0] == 0
    code, out, _ = run("-", "--tools", "tools.json", "--dialect", "fenced-json", stdin=TAGGED)
    assert code == 1
    assert "This call is not in the format that is asked for." in out
    assert run("-", "--tools", "tools.json", "--dialect", "fenced-json", "--accept", "xml-json", stdin=TAGGED)[0] == 0
    Path("callwright.toml").write_text('tools = ["tools.json"]\ndialect = "fenced-json"\naccept = ["xml-json"]\n')
    assert run("-", stdin=TAGGED)[0] == 0
    assert run("-", "--strict", stdin=TAGGED)[0] == 1
    Path("callwright.toml").write_text('tools = ["tools.json"]\ndialect = "fenced-json"\n')
    assert run("-", stdin=TAGGED)[0] == 1
    assert run("-", "--isolated", stdin=TAGGED)[0] == 0


def test_the_dialect_of_the_tools_goes_before_that_of_the_reply(run: Run) -> None:
    tool_set = {
        "name": "own",
        "title": "Own",
        "dialect": "xml-json",
        "tools": [{**TOOL, "inputSchema": TOOL["input_schema"]}],
    }
    Path("set.json").write_text(json.dumps(tool_set))
    code, out, _ = run("-", "--tools", "set.json", stdin=GOOD)
    assert code == 1
    assert "This call is not in the format that is asked for." in out


def test_without_named_tools_an_unknown_one_is_not_an_error(run: Run) -> None:
    text = '```json\n{"tool": "my_very_own", "arguments": {"a": 1}}\n```\n'
    assert run("-", stdin=text) == (0, "", "")
    assert EXTRA in run("-", stdin=text.replace("}}", "}}}}"))[1]
    assert run("-", "--tools", "tools.json", stdin=text)[0] == 1


# -- transcripts -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("chat.json", openai(stated(BAD))),
        ("chat.json", json.dumps([answered("Run it."), stated(GOOD), answered("Again."), stated(BAD)])),
        ("chat.jsonl", "".join(json.dumps(turn) + "\n" for turn in (answered("Run it."), stated(BAD)))),
        ("chats.jsonl", openai(stated(GOOD)) + "\n" + openai(stated(BAD)) + "\n"),
        ("chat.yaml", "messages:\n  - role: user\n    content: Run it.\n  - role: assistant\n    content: |\n"
         + "".join(f"      {line}\n" for line in BAD.splitlines())),
        ("chat.json", json.dumps({"conversations": [{"from": "human", "value": "?"}, {"from": "gpt", "value": BAD}]})),
        ("claude.json", json.dumps([{"role": "assistant", "content": [{"type": "text", "text": BAD}]}])),
    ],
)  # fmt: skip
def test_of_a_transcript_the_last_turn_of_the_assistant_is_judged(run: Run, name: str, text: str) -> None:
    Path(name).write_text(text)
    code, out, err = run(name, "--tools", "tools.json", "--dialect", "fenced-json")
    assert (code, err) == (1, "")
    assert "Tool call 1 (`run_code`): Invalid JSON at position 48 (line 2, column 49 of your reply)" in out


def test_turns_before_the_last_one_are_no_matter(run: Run) -> None:
    Path("chat.json").write_text(openai(stated(BAD), answered("No."), stated(GOOD), answered("The result.")))
    assert run("chat.json", "--tools", "tools.json") == (0, "", "")
    Path("chat.json").write_text(openai(stated(TAGGED), answered("The result."), stated("I am done.")))
    _, out, _ = run("chat.json", "--tools", "tools.json", "--require-call")
    assert "Write each call as an XML element named after the tool that holds one JSON object" in out


def test_tools_that_a_transcript_brings_along_are_the_tools(run: Run) -> None:
    function = {"name": "look_up", "description": "Look up.", "parameters": {"type": "object", "properties": {}}}
    text = '```json\n{"tool": "run_code", "arguments": {"code": "1"}}\n```'
    inline_tools = {**json.loads(openai(stated(text))), "tools": [{"type": "function", "function": function}]}
    Path("chat.json").write_text(json.dumps(inline_tools))
    code, out, _ = run("chat.json", "--tools", "tools.json")
    assert code == 1
    assert "`run_code` is not a tool" in out
    assert "`look_up()`" in out


def test_a_transcript_without_a_reply_cannot_be_judged(run: Run) -> None:
    Path("chat.json").write_text(openai())
    code, out, err = run("chat.json", "--tools", "tools.json")
    assert (code, out) == (2, "")
    assert err.startswith("callwright: chat.json: the transcript has no assistant turn")


# -- native calls ------------------------------------------------------------------------------------------------------


def test_a_native_call_with_broken_arguments_needs_feedback(run: Run) -> None:
    Path("chat.json").write_text(openai(native('{"code": "1"}}')))
    code, out, _ = run("chat.json", "--tools", "tools.json")
    assert code == 1
    assert out.startswith(
        "⚠️ Tool Call JSON Error:\n"
        "Tool call 1 (`run_code`): Invalid JSON at position 13 of its arguments\n"
        f"  Error: {ONE_TOO_MANY}\n"
        '  Your arguments: `{"code": "1"}}`\n'
        "                                ^\n"
        "  → You have 1 extra closing brace `}`.\n"
    )
    assert '\n\nYour arguments, corrected:\n\n`{"code": "1"}`\n\n' in out
    assert out.endswith("Please fix the arguments and call the tool again.\n")


def test_of_several_native_calls_those_at_fault_are_reported_with_their_numbers(run: Run) -> None:
    Path("chat.json").write_text(openai(native('{"code": "1"}', '{"cod": "1"}', '{"code": 1}')))
    _, out, _ = run("chat.json", "--tools", "tools.json")
    assert "Tool call 1" not in out
    assert "Tool call 2 (`run_code`): Invalid arguments at position 1 of its arguments\n" in out
    assert "Tool call 3 (`run_code`): Invalid arguments at position 9 of its arguments\n" in out
    corrected = 'Tool call 2 (`run_code`): `{"code": "1"}`\nTool call 3 (`run_code`): `{"code": "1"}`'
    assert f"\n\nYour arguments, corrected:\n\n{corrected}\n\n" in out


def test_a_native_call_is_a_call(run: Run) -> None:
    Path("chat.json").write_text(openai(native('{"code": "1"}')))
    code, out, _ = run("chat.json", "--tools", "tools.json", "--require-call", "--json")
    assert code == 0
    (call,) = json.loads(out)["calls"]
    assert (call["tool"], call["arguments"], call["dialect"], call["id"]) == ("run_code", {"code": "1"}, "native", "c0")


def test_of_a_native_call_whose_arguments_are_an_object_these_are_shown(run: Run) -> None:
    block = {"type": "tool_use", "id": "t1", "name": "run_code", "input": {"code": 1}}
    Path("chat.json").write_text(json.dumps([answered("Run it."), {"role": "assistant", "content": [block]}]))
    code, out, _ = run("chat.json", "--tools", "tools.json")
    assert code == 1
    assert "`code` must be a string, not an integer." in out
    assert 'Your arguments: `{"code": 1}`' in out
    assert "at position 9 of its arguments" in out


# -- JSON --------------------------------------------------------------------------------------------------------------


def test_json_reports_the_error_the_message_and_the_calls(run: Run) -> None:
    code, out, _ = run("-", "--tools", "tools.json", "--json", stdin=BAD)
    reported = json.loads(out)
    assert code == 1
    assert sorted(reported) == ["calls", "error", "feedback"]
    assert reported["error"]["type"] == "MALFORMED_JSON"
    assert [diagnostic["code"] for diagnostic in reported["error"]["diagnostics"]] == ["TC201"]
    assert EXTRA in reported["feedback"]
    assert reported["calls"] == []
    code, out, _ = run("-", "--tools", "tools.json", "--json", stdin=GOOD)
    reported = json.loads(out)
    assert code == 0
    assert (reported["error"], reported["feedback"]) == (None, None)
    assert [(call["tool"], call["arguments"]) for call in reported["calls"]] == [("run_code", {"code": "1"})]


def test_what_no_terminal_can_show_is_no_failure(run: Run) -> None:
    text = '<run_code>{"code": "\\ud800\x1b[31m", "timeout": "\u202e"}</run_code>'
    code, out, err = run("-", "--tools", "tools.json", "--dialect", "xml-json", stdin=text)
    assert (code, err) == (1, "")
    assert "\x1b" not in out


# -- misuse ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "reported"),
    [
        (["missing.md"], "missing.md: file or folder not found"),
        (["."], "is a folder"),
        (["-", "--limit", "199"], "`--limit 199`: expected an integer of 200 or more, as in `--limit 2000`"),
        (["-", "--limit", "many"], "`--limit many`: expected an integer of 200 or more"),
        (["-", "--template", "missing.j2"], "`--template`: missing.j2: file or folder not found"),
        (
            ["-", "--template", "broken.j2"],
            "`--template broken.j2`: the feedback template is invalid: line 2: ",
        ),
        (["-", "--template", "failing.j2"], "`--template failing.j2`: the feedback template fails on line 1: "),
        (["-", "--tools", "missing.json"], "`--tools missing.json`: file not found"),
        (["-", "--dialect", "hermse"], "`--dialect`"),
        (["-", "--isolated", "--config", "a.toml"], "cannot be combined"),
        (["-", "--yaml"], "--yaml"),
        ([], "callwright feedback --help"),
    ],
)
def test_what_makes_no_sense_is_reported_with_the_remedy(run: Run, words: list[str], reported: str) -> None:
    Path("broken.j2").write_text("a\n{% for %}")
    Path("failing.j2").write_text("{{ nothing }}")
    code, out, err = run(*words, stdin=BAD)
    assert (code, out) == (2, "")
    assert reported in err
