"""Whatever a text, a name or a message holds, no command lets a terminal obey it; files and pipes get it as it is."""

import io
import json
import os
import re
import shlex
import sys
from pathlib import Path
from typing import Any, Final

import pytest

from callwright.cli.main import main
from callwright.cli.support import engine
from callwright.cli.support.arguments import command_names
from support.pseudo import on_terminal

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")

#: Colours as Callwright's own, links, titles, a bell, C1, backspace, DEL, overrides, separators, FF, VT and NEL.
NAME: Final = "\x1b[1;31mX\x1b]8;;u\x07L\x1b]0;T\x07\x9b31m\x08\x7f\u202eR\u2028S\x0cF\x0bV\x85N"
#: The same in a text, where CR and NUL may be, too.
TEXT: Final = f"{NAME}\rover\0nul"
#: What a terminal may be given: colours of our own, and a line drawn again.
OWN: Final = re.compile(r"\x1b\[(?:0|1|2|1;3[1-6])m|\r?\x1b\[2K")

SCHEMA: Final = {
    "type": "object",
    "properties": {"path": {"type": "string", "description": TEXT}, NAME: {"enum": [TEXT], "default": TEXT}},
    "required": ["path"],
    "additionalProperties": False,
}
TOOLS: Final[list[Any]] = [
    {"name": "read", "description": f"{TEXT}\n{TEXT}", "input_schema": SCHEMA, "input_examples": [{"path": TEXT}]},
    {"name": NAME, "title": TEXT, "description": TEXT, "input_schema": {"type": TEXT}, "aliases": [TEXT]},
    {"name": "old", "description": "Old.", "deprecated": TEXT, "input_schema": SCHEMA},
]
CALLS: Final = "\n".join([
    f"<read><path>{TEXT}</path></read>",
    f"<read><path>{TEXT}</pathh><{NAME}>{TEXT}</{NAME}></read>",
    f'<tool_call>\n{{"name": "read", "arguments": {{"path": {json.dumps(TEXT, ensure_ascii=False)},}}}}\n</tool_call>',
    f'<tool_call>\n{{"name": "{NAME}", "arguments": {{"path": 1, "{NAME}": 2}}}}\n</tool_call>',
    f"<old><path>{TEXT}</path></old>",
    "",
])  # fmt: skip
CHAT: Final = {
    "messages": [
        {"role": TEXT, "content": TEXT},
        {"role": "assistant", "content": CALLS, "name": TEXT},
        {
            "role": "assistant",
            "tool_calls": [
                {"id": TEXT, "type": "function", "function": {"name": NAME, "arguments": json.dumps({"path": TEXT})}}
            ],
        },
        {"role": "tool", "tool_call_id": TEXT, "content": TEXT},
    ]
}
CONFIGURATION: Final = f"""\
tools = ["tools.json"]
dialect = "xml-children"
accept = ["hermes"]
{json.dumps(NAME)} = {json.dumps(NAME)}
ignore = [{json.dumps(NAME)}]
"""
TAUGHT: Final = f"# {TEXT}\n<!-- callwright:tools -->\n{TEXT}\n<!-- /callwright:tools -->\n"

#: Each command on hostile files, and with hostile words; `PROMPT` and `NAME` are filled in.
COMMANDS: Final[dict[str, list[str]]] = {
    "check": [
        "check .",
        "check PROMPT --diff",
        "check . --output-format concise",
        "check . --statistics",
        "check NAME",
        "check . --show-files",
        "check . --output-format json",
        "check . --output-format github",
        "check PROMPT --select NAME",
        "check . --output-format junit",
        "check . --output-format gitlab",
        "check . --output-format sarif",
        "check . --diff --unsafe-fixes",
        "check . --diff --add-ignore --reason NAME",
        "check . --severity NAME",
        "check . --baseline NAME",
        "check . --baseline known.json --write-baseline",
        "check --NAME",
        "check . --jobs NAME",
        "check . --config NAME",
        "check . --tools NAME",
        "check . --output-file NAME/NAME",
        "check . --output-format NAME",
        "check linked.prompt --fix",
        "check .",
    ],
    "completion": ["completion bash", "completion NAME"],
    "config": ["config", "config PROMPT", "config --json", "config NAME --dialect NAME"],
    "convert": [
        "convert PROMPT --to hermes",
        "convert PROMPT --to hermes --diff",
        "convert . --to hermes --check",
        "convert . --to hermes --check --output-format json",
        "convert . --to hermes --diff",
        "convert PROMPT --to NAME",
        "convert NAME --to hermes",
        "convert PROMPT --to hermes --write",
        "convert - --to hermes",
    ],
    "corpus check": [
        "corpus check NAME",
        "corpus check rows.jsonl --out NAME --messages NAME..[",
        "corpus check rows.jsonl --jobs NAME",
    ],
    "corpus convert": ["corpus convert NAME --to hermes --out out", "corpus convert rows.jsonl --to NAME --out out"],
    "corpus dedupe-diagnostics": ["corpus dedupe-diagnostics NAME"],
    "corpus report": ["corpus report NAME"],
    "corpus row": [
        "corpus row rows.jsonl 0",
        "corpus row rows.jsonl 0 --json",
        "corpus row broken.jsonl 0",
        "corpus row NAME 0",
        "corpus row rows.jsonl NAME",
    ],
    "corpus stats": ["corpus stats NAME"],
    "demo": ["demo PROMPT", "demo NAME --write-only"],
    "dialect": ["dialect", "dialect hermes", "dialect xml-json --tools tools.json", "dialect NAME"],
    "feedback": ["feedback PROMPT", "feedback PROMPT --json", "feedback NAME"],
    "init": ["init . --dry-run", "init sub", "init NAME"],
    "parse": ["parse PROMPT", "parse chat.json", "parse PROMPT --json", "parse NAME"],
    "prompt": [
        "prompt",
        "prompt --format json",
        "prompt --format yaml --style terse",
        "prompt --only NAME",
        "prompt NAME",
        "prompt . --check",
        "prompt . --write",
    ],
    "rename": [
        "rename read write . --diff",
        "rename NAME write .",
        "rename read NAME .",
        "rename nothing NAME NAME",
        "rename read.path read.file . --write",
    ],
    "replay": [
        "replay chat.json",
        "replay chat.json --feedback",
        "replay chat.json --json",
        "replay NAME",
    ],
    "chat-template check": [
        "chat-template check chat.jinja",
        "chat-template check chat.jinja --all",
        "chat-template check chat.jinja --output-format json",
        "chat-template check NAME",
    ],
    "chat-template show": [
        "chat-template show chat.jinja",
        "chat-template show chat.jinja --messages chat.json",
        "chat-template show chat.jinja --messages NAME",
    ],
    "report": ["report . --output-file -", "report . --output-file NAME.html", "report NAME"],
    "rule": ["rule", "rule TC101", "rule NAME"],
    "server": [],
    "stream": ["stream", "stream --strict --dialect hermes", "stream --dialect NAME"],
    "tools": [
        "tools",
        "tools read",
        "tools NAME",
        "tools old",
        "tools --json",
        "tools --tools broken.jsonl",
    ],
    "tools export": [
        "tools export tools.json",
        "tools export broken.jsonl",
        "tools export NAME",
        "tools export --import NAME",
    ],
    "tools lock": [
        "tools lock NAME",
        "tools lock --all",
        "tools lock --check",
        "tools lock --output NAME/NAME",
        "tools lock --timeout NAME",
    ],
}
#: What no command is for.
OTHERS: Final = ["NAME", "NAME --help", "check --help", "--version", "--NAME", ""]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    files = {
        "callwright.toml": CONFIGURATION,
        "tools.json": json.dumps(TOOLS),
        f"a{NAME}.prompt": CALLS,
        "taught.prompt": TAUGHT,
        "chat.json": json.dumps(CHAT),
        "rows.jsonl": json.dumps(CHAT) + "\n",
        "chat.jinja": "{% for message in messages %}"
        + TEXT
        + "{{ message.tool_calls }}{% endfor %}{{ '"
        + NAME
        + "' }}",
        "broken.jsonl": f"{TEXT}\n{{{TEXT}\n",
        ".mcp.json": json.dumps(
            {"mcpServers": {NAME: {"command": TEXT.replace("\0", ""), "args": [NAME]}, "b": {TEXT: 1}}}
        ),
        f"sub/b{NAME}.md": CALLS,
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(text.encode())
    (tmp_path / ".git").mkdir()
    (tmp_path.parent / f"{tmp_path.name}{NAME}.out").write_bytes(CALLS.encode())
    (tmp_path / "linked.prompt").symlink_to(f"../{tmp_path.name}{NAME}.out")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def words_of(line: str) -> list[str]:
    return [word.replace("PROMPT", f"a{NAME}.prompt").replace("NAME", NAME) for word in shlex.split(line)]


def shown(line: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """What a terminal is given while a command runs."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(CALLS.encode()), "utf-8"))
    return on_terminal(lambda: main(words_of(line)))


def obeyed(text: str) -> list[str]:
    """What a terminal would obey, or be misled by, beside what is Callwright's own."""
    assert "\x1b[1;31mX" not in text
    rest = OWN.sub("", text).replace("\r\n", "\n")
    return re.findall(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff].{0,20}", rest)


def test_each_command_is_here() -> None:
    assert set(COMMANDS) == set(command_names())


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("command", [name for name, lines in COMMANDS.items() if lines])
def test_a_terminal_is_shown_hostile_text_and_obeys_none(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = ""
    for line in COMMANDS[command]:
        text = shown(line, monkeypatch)
        assert text, line
        assert obeyed(text) == [], line
        assert "internal error" not in text, line
        seen += text
    assert command in ("rule", "completion", "demo") or "␛" in seen or "\\u001b" in seen


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("line", OTHERS)
def test_words_that_make_no_sense_are_shown_and_not_obeyed(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = shown(line, monkeypatch)
    # Help is drawn with styles of its own, and holds nothing that is not Callwright's.
    assert obeyed(re.sub(r"\x1b\[[\d;]*m", "", text) if not line or "--help" in line else text) == []


@pytest.mark.usefixtures("folder")
def test_what_an_exception_states_is_shown_and_not_obeyed(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise LookupError(TEXT)

    monkeypatch.setattr(engine, "diagnostics", fail, raising=False)
    monkeypatch.setattr("callwright.lint.linter.diagnostics", fail)
    text = shown("check PROMPT", monkeypatch)
    assert "internal error: LookupError: ␛[1;31mX␛]8;;u␇L" in text
    assert obeyed(text) == []


def test_a_pipe_is_given_a_text_as_it_is(folder: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    plain = f"<read><path>{TEXT}</path></read>\r\n\tEnd.\n"
    (folder / "plain.prompt").write_bytes(plain.encode())
    with open(os.dup(1), "w", encoding="utf-8") as stream, pytest.MonkeyPatch.context() as patch:  # noqa: PTH123 - a descriptor
        patch.setattr(sys, "stdout", stream)
        assert main(["convert", "plain.prompt", "--to", "xml-children"]) == 0
    assert capfdbinary.readouterr().out == plain.encode()


def test_a_terminal_is_shown_lines_and_tabs_as_they_are(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "plain.prompt").write_bytes("\ufeffa\tb\r\nc\rd\n\x1b[0me é😀\n".encode())
    assert shown("convert plain.prompt --to hermes", monkeypatch) == "a\tb\r\r\nc␍d\r\n␛[0me é😀\r\n"
