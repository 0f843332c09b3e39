"""`prompt`: what it prints, which dialect and tools it takes, and how it keeps the blocks in files."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from callwright.cli.main import main

TOOL = {
    "name": "look_up",
    "description": "Look something up.",
    "input_schema": {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]},
    "input_examples": [{"query": "tides"}],
}
MARKED = "<!-- callwright:tools style=terse{} -->\n{}<!-- /callwright:tools -->\n"
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tools.json").write_text(json.dumps([TOOL, {**TOOL, "name": "look_down"}]))

    def command(*words: str) -> tuple[int, str, str]:
        code = main(["prompt", *words])
        out, err = capsys.readouterr()
        return code, out, err

    return command


def test_it_prints_the_section_for_the_tools_that_are_named(run: Run) -> None:
    code, out, err = run("--tools", "tools.json", "--dialect", "hermes")
    assert (code, err) == (0, "")
    assert out.startswith("## Tools\n")
    assert '\n<tool_call>\n{"name": "look_up", "arguments": {"query": "tides"}}\n</tool_call>\n' in out
    assert out.index("### `look_up`") < out.index("### `look_down`")


def test_the_options_choose_what_is_stated(run: Run) -> None:
    _, out, _ = run(
        *("--tools", "tools.json", "--dialect", "hermes", "--only", "look_down", "--style", "terse"),
        *("--heading-level", "0", "--no-examples", "--one-call"),
    )
    assert out.startswith("**Tools**\n")
    assert "look_up" not in out
    assert "<tool_call>\n" not in out
    assert "Write only one call in a reply." in out


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        (["--shipped", "zentara-debug", "--only", "debug_quit"], "<debug_quit>{}</debug_quit>"),
        (["--shipped", "ragforge", "--only", "read_file", "--format", "xml"], "<tool_name>read_file</tool_name>"),
        (["--tools", "tools.json", "--format", "json"], '{"tool_calls": [{"tool_name": "look_up",'),
        (["--tools", "tools.json", "--format", "yaml"], "tool_calls:\n  - tool_name: look_up\n"),
    ],
)
def test_without_a_dialect_it_is_that_of_the_format_or_of_the_tools(run: Run, words: list[str], shown: str) -> None:
    code, out, err = run(*words)
    assert (code, err) == (0, "")
    assert shown in out


def test_the_configuration_states_the_tools_and_the_dialect(run: Run) -> None:
    Path("callwright.toml").write_text('tools = ["tools.json"]\ndialect = "xml-json"\n')
    assert '<look_up>{"query": "tides"}</look_up>' in run()[1]
    assert '<look_up>{"query": "tides"}</look_up>' in run("--format", "yaml")[1]


@pytest.mark.parametrize(
    ("words", "stated"),
    [
        ([], "no tools to teach"),
        (["--tools", "tools.json"], "no dialect given"),
        (["--tools", "tools.json", "--dialect", "hermse"], "Did you mean `hermes`?"),
        (["--tools", "tools.json", "--dialect", "hermes", "--only", "lok_up"], "Did you mean `look_up`?"),
        (["a.md"], "a path needs `--write`"),
        (["--write", "--check"], "cannot be combined"),
        (["--write", "-"], "standard input"),
        (["--write", "--style", "terse"], "<!-- callwright:tools style=… -->"),
        (["--check", "--one-call"], "<!-- callwright:tools several=no -->"),
        (["--write", "--dialect", "hermse"], "Did you mean `hermes`?"),
    ],
)
def test_what_makes_no_sense_is_reported_with_the_remedy(run: Run, words: list[str], stated: str) -> None:
    code, out, err = run(*words)
    assert (code, out) == (2, "")
    assert stated in err


def test_a_tool_without_an_example_is_reported(run: Run) -> None:
    never = {"type": "object", "properties": {"a": {"type": "string", "pattern": "^x{7}y{7}$"}}, "required": ["a"]}
    Path("odd.json").write_text(json.dumps([{"name": "odd", "input_schema": never}]))
    code, out, err = run("--tools", "odd.json", "--dialect", "hermes")
    assert code == 0
    assert "### `odd`" in out
    assert err == (
        "callwright: no example for `odd`: no arguments that match its schema are known: add an example to the tool\n"
    )


def test_blocks_in_files_are_checked_and_written(run: Run) -> None:
    Path("callwright.toml").write_text('tools = ["tools.json"]\ndialect = "xml-json"\n')
    Path("a.prompt").write_text("Hello.\n\n" + MARKED.format("", "old\n"))
    Path("b.md").write_bytes(MARKED.format(" only=look_down", "").replace("\n", "\r\n").encode())
    code, out, err = run("--check", "a.prompt", "b.md")
    assert code == 1
    assert "--- a/a.prompt\n+++ b/a.prompt\n" in out
    assert "\n-old\n+## Tools\n" in out
    assert err == "callwright: 2 blocks in 2 files; 2 out of date.\n"
    assert "old" in Path("a.prompt").read_text()

    assert run("--write", "a.prompt", "b.md") == (0, "", "callwright: 2 blocks in 2 files; 2 updated.\n")
    printed = run("--style", "terse")[1]
    assert Path("a.prompt").read_text() == "Hello.\n\n" + MARKED.format("", printed)
    only = run("--style", "terse", "--only", "look_down")[1]
    wanted = MARKED.format(" only=look_down", only).replace("\n", "\r\n")
    assert Path("b.md").read_bytes() == wanted.encode()
    assert run("--check", "a.prompt", "b.md") == (0, "", "callwright: 2 blocks in 2 files; none is out of date.\n")
    assert run("--write", "b.md") == (0, "", "callwright: 1 block in 1 file; nothing to write.\n")
    assert main(["check", "a.prompt", "b.md"]) == 0


def test_without_paths_the_files_of_the_working_folder_are_kept(run: Run) -> None:
    Path("callwright.toml").write_text('tools = ["tools.json"]\ndialect = "xml-json"\nfiles = ["docs/*.md"]\n')
    Path("docs").mkdir()
    Path("docs/c.md").write_text(MARKED.format("", ""))
    Path("d.prompt").write_text(MARKED.format("", ""))
    assert run("--write") == (0, "", "callwright: 2 blocks in 2 files; 2 updated.\n")
    assert "look_up" in Path("docs/c.md").read_text()


def test_a_block_that_cannot_be_written_is_reported_with_its_place(run: Run) -> None:
    Path("callwright.toml").write_text('tools = ["tools.json"]\ndialect = "xml-json"\n')
    Path("a.prompt").write_text("\n" + MARKED.format(" only=look_sideways", "old\n"))
    Path("b.prompt").write_text("<!-- callwright:tools -->\n")
    Path("c.prompt").write_text(MARKED.format("", "old\n"))
    code, _, err = run("--write")
    assert code == 2
    assert "callwright: a.prompt:2:1: there is no tool `look_sideways`" in err
    assert "callwright: b.prompt:1:1: the block that begins here is never closed" in err
    assert "1 updated" in err
    assert "look_up" in Path("c.prompt").read_text()
