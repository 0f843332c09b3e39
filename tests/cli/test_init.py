"""`callwright init`: what it sees, what it writes, and that the configuration then means just that."""

import json
import tomllib
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from callwright.cli.main import main
from callwright.cli.support.file_patterns import file_pattern, patterns_for
from callwright.config import find_project
from callwright.path_patterns import PROMPT_ENDINGS, matches
from callwright.templates.catalogue import TEMPLATES
from cli.test_process import run as run_process
from support.sampling import tries

CALL = "<read_file><path>a</path></read_file>\n"
JSON_CALL = '<read_file>{"path": "a"}</read_file>\n'
TOOLS = json.dumps(
    [
        {
            "name": "read_file",
            "description": "Read a file.",
            "input_schema": {"type": "object", "properties": {"path": {"type": "string", "description": "Its path."}}},
        }
    ]
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def fill(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


def written(folder: Path) -> dict[str, object]:
    values = tomllib.loads((folder / "callwright.toml").read_text(encoding="utf-8"))
    assert find_project(folder).problems == ()
    return values


def test_what_is_seen_is_written(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    chat = [{"role": "user", "content": "x"}, {"role": "assistant", "content": CALL}]
    fill(
        folder,
        {
            "tools/a.json": TOOLS,
            "README.md": f"Look:\n\n{CALL}",
            "prompts/one.md": CALL,
            "prompts/two.md": CALL * 2,
            "prompts/deep/three.md": CALL,
            "system.prompt": CALL,
            "logs/chat.json": json.dumps({"messages": chat}),
            "src/agent.py": f'PROMPT = """{CALL}"""\n',
            "notes.md": "No calls: <b>bold</b>, `x`.",
            "package.json": '{"name": "x"}',
            "node_modules/a/x.md": CALL,
            "ignored/x.md": CALL,
            ".gitignore": "ignored/\n",
        },
    )
    assert main(["init"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert out == (
        "Scanned 11 files: 7 hold 8 calls, 1 tool file with 1 tool.\n"
        "Wrote callwright.toml. `callwright check .` checks the folder.\n"
    )
    assert written(folder) == {
        "tools": ["tools/a.json"],
        "dialect": "xml-children",
    }
    main(["check", ".", "--show-files"])
    assert set(capsys.readouterr().out.splitlines()) == {
        "README.md", "logs/chat.json", "prompts/one.md", "prompts/two.md", "prompts/deep/three.md", "src/agent.py",
        "system.prompt", "tools/a.json",
    }  # fmt: skip
    assert main(["check", "."]) == 0


def test_tools_beside_the_configuration_are_found(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fill(folder, {"tools.json": TOOLS, "a.prompt": CALL})
    assert main(["init"]) == 0
    assert written(folder) == {"tools": ["tools.json"], "dialect": "xml-children"}
    assert main(["check", "."]) == 0
    assert capsys.readouterr().out.endswith("Checked 2 files: no diagnostics.\n")


def test_the_dialect_of_most_calls_is_proposed(folder: Path) -> None:
    fill(folder, {"a.prompt": CALL * 3 + JSON_CALL, "b.prompt": JSON_CALL})
    assert main(["init"]) == 0
    assert written(folder) == {"dialect": "xml-children", "accept": ["xml-json"]}
    text = (folder / "callwright.toml").read_text(encoding="utf-8")
    assert "several dialects: 3 in xml-children, 2 in xml-json." in text


def test_of_dialects_with_as_many_calls_none_is_asked_for(folder: Path) -> None:
    fill(folder, {"a.prompt": CALL * 2 + JSON_CALL, "b.prompt": JSON_CALL})
    assert main(["init"]) == 0
    assert written(folder) == {}
    text = (folder / "callwright.toml").read_text(encoding="utf-8")
    # What is proposed is a configuration when the comment signs are removed.
    proposed = "".join(
        line[2:] for line in text.splitlines(keepends=True) if line.startswith(("# dialect", "# accept"))
    )
    assert tomllib.loads(proposed) == {"dialect": "xml-children", "accept": ["xml-json"]}


def test_an_empty_folder_gets_a_configuration_that_states_what_there_is_to_report(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["init", "--dry-run"]) == 0
    out, err = capsys.readouterr()
    assert tomllib.loads(out) == {}
    assert all(f"# {key} = " in out for key in ("tools", "dialect", "files"))
    assert err == "Scanned 0 files: 0 hold 0 calls, 0 tool files.\n"
    assert not (folder / "callwright.toml").exists()


@pytest.mark.parametrize(
    ("name", "content", "code"),
    [
        ("callwright.toml", "strict = true\n", 2),
        ("callwright.toml", "", 2),
        ("pyproject.toml", "[tool.callwright]\n", 2),
        ("pyproject.toml", "[tool.ruff]\n", 0),
        ("pyproject.toml", "no TOML", 0),
        ("pyproject.toml", "tool = 1\n", 0),
    ],
)
def test_no_configuration_is_overwritten(
    name: str, content: str, code: int, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fill(folder, {name: content})
    assert main(["init"]) == code
    assert (folder / name).read_text(encoding="utf-8") == content
    assert (name in capsys.readouterr().err) == (code == 2)


def test_a_link_in_the_place_of_the_configuration_is_not_followed(folder: Path) -> None:
    (folder / "callwright.toml").symlink_to("elsewhere.toml")
    assert main(["init"]) == 2
    assert not (folder / "elsewhere.toml").exists()


def test_a_folder_must_be_one(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["init", "nowhere"]) == 2
    assert "folder not found" in capsys.readouterr().err


def test_files_that_cannot_be_read_are_passed_over(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "a.md").write_bytes(b"\xff\xfe" + CALL.encode())
    (folder / "b.md").write_bytes(b"x" * (2 << 20))
    (folder / "new\nline.md").write_bytes(CALL.encode())
    assert main(["init"]) == 0
    assert written(folder) == {}


NAMES = st.text(st.sampled_from("ab*?[]{},.! é\"'\\#"), min_size=1, max_size=6).filter(lambda name: set(name) != {"."})


@settings(deadline=None, max_examples=tries(200), suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.lists(NAMES, min_size=1, max_size=3).map("/".join), min_size=1, max_size=8, unique=True))
def test_patterns_name_their_files(names: list[str]) -> None:
    # A pattern knows no sign for a `\\`, which parts folders on some systems.
    names = [name for name in names if "\\" not in name]
    assert [name for name in names if not matches(file_pattern(name), name)] == []
    assert [name for name in names if matches(file_pattern(name), f"other/{name}")] == []


def test_end_to_end(folder: Path) -> None:
    fill(folder, {"a.md": CALL})
    out, err, code = run_process("init", ".")
    assert (err, code) == (b"", 0)
    assert out.startswith(b"Scanned 1 file: 1 holds 1 call, 0 tool files.\n")
    assert run_process("init", ".")[2] == 2
    assert run_process("check", ".", "--quiet") == (b"", b"", 0)


def test_files_are_found_again_whatever_they_are(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    own = "## look_up\n\nLooks a word up.\n\nParameters:\n- word: (required) The word.\n"
    fill(
        folder,
        {
            "agent.jinja": "{% if tools %}<tool_call>{{ call }}</tool_call>{% endif %}\n",
            "page.hbs": '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>\n',
            "SYSTEM": '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>\n',
            "own.md": own,
            "AGENTS.md": "Be brief.\n",
            "data/a.json": json.dumps({"messages": [{"role": "user", "content": "x"}]}),
            "data/b.json": json.dumps([{"id": number} for number in range(9)]),
            "docs/a.md": "# A page\n\nOf no interest.\n",
        },
    )
    assert main(["init"]) == 0
    assert not written(folder).keys() & {"files", "tools"}
    capsys.readouterr()
    main(["check", ".", "--show-files"])
    assert sorted(capsys.readouterr().out.splitlines()) == ["AGENTS.md", "SYSTEM", "agent.jinja", "own.md", "page.hbs"]
    main(["check", "."])
    assert capsys.readouterr().out.endswith("Checked 5 of 8 files: no diagnostics.\n")


def test_files_that_are_added_later_are_checked(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wrong = CALL.replace("path>", "pth>")
    rows = json.dumps({"messages": [{"role": "user", "content": "x"}, {"role": "assistant", "content": wrong}]})
    fill(folder, {"tools.json": TOOLS, "prompts/one.md": CALL, "transcripts/09.jsonl": rows.replace("pth", "path")})
    assert main(["init"]) == 0
    fill(folder, {"prompts/two.md": wrong, "transcripts/10.jsonl": rows + "\n", "notes.md": "No calls.\n"})
    capsys.readouterr()
    assert main(["check", ".", "--output-format", "concise"]) == 1
    *lines, summary = capsys.readouterr().out.splitlines()
    assert [line.partition(":")[0] for line in lines] == ["prompts/two.md", "transcripts/10.jsonl"]
    assert summary.startswith("Checked 5 of 6 files: 2 errors.")


def test_folders_are_matched_as_a_whole_where_nearly_all_their_texts_are_wanted(folder: Path) -> None:
    chat = json.dumps({"messages": [{"role": "user", "content": "x"}, {"role": "assistant", "content": CALL}]})
    fill(
        folder,
        {
            "tools.json": TOOLS,
            "chats/09.jsonl": chat,
            "chats/10.jsonl": chat,
            "data/chat.json": chat,
            **{f"data/{number}.json": json.dumps([{"text": f"<b>{number}</b>"}]) for number in range(9)},
            "prompts/one.md": CALL,
            "src/agent.py": f'PROMPT = """{CALL}"""\n',
            # What is not read as a whole makes the files that a check finds others than those that were surveyed.
            "chats/large.jsonl": f"{chat}\n" * 10_000,
        },
    )
    assert main(["init"]) == 0
    assert written(folder)["files"] == [
        "chats/**/*.jsonl", "data/chat.json", "prompts/**/*.md", "src/agent.py",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("wanted", "others", "patterns"),
    [
        # All texts of a folder, and of one inside it.
        (["prompts/a.md", "prompts/in/b.md"], [], ["prompts/**/*.md"]),
        (["a/prompts/a.md", "a/prompts/b.txt"], ["a/x.md"], ["a/prompts/**/*.md", "a/prompts/**/*.txt"]),
        # Nearly all prose; of data, each file.
        ([f"p/{number}.md" for number in range(4)], ["p/README.md"], ["p/**/*.md"]),
        (["p/0.md", "p/1.md"], ["p/README.md"], ["p/0.md", "p/1.md"]),
        (["t/0.jsonl", "t/1.jsonl"], [], ["t/**/*.jsonl"]),
        ([f"t/{number}.json" for number in range(9)], ["t/x.json"], [f"t/{number}.json" for number in range(9)]),
        # One file of data may be there by chance; one prompt is not.
        (["t/0.jsonl"], [], ["t/0.jsonl"]),
        (["p/0.md"], [], ["p/**/*.md"]),
        # A folder that mixes prompts with other data, and one in it that does not.
        (["m/0.md", "m/in/1.md"], [f"m/{number}.json" for number in range(9)], ["m/0.md", "m/in/**/*.md"]),
        # Programs, YAML, files in the root and files without an ending are named one by one.
        (["s/a.py", "s/b.py", "y/a.yaml", "y/b.yaml"], [], ["s/a.py", "s/b.py", "y/a.yaml", "y/b.yaml"]),
        (["a.md", "b.md", "p/SYSTEM"], [], ["/a.md", "/b.md", "p/SYSTEM"]),
        (["p[1]/a.md"], [], ["p?1?/**/*.md"]),
    ],
)
def test_patterns_for_files(wanted: list[str], others: list[str], patterns: list[str]) -> None:
    every = [*wanted, *others]
    assert patterns_for(wanted, every) == sorted(patterns)
    assert all(any(matches(pattern, name) for pattern in patterns) for name in wanted)


def test_a_prompt_is_a_tool_file_where_others_call_its_tools(folder: Path) -> None:
    documented = "## look_up\n\nLooks a word up.\n\nParameters:\n- word: (required) The word.\n"
    fill(folder, {"tools.md": documented, "example.md": "<look_up><word>tide</word></look_up>\n"})
    assert main(["init"]) == 0
    assert written(folder)["tools"] == ["tools.md"]
    assert "# 1 tool in 1 file. A call of any other is an error." in (folder / "callwright.toml").read_text("utf-8")


def test_a_prompt_with_its_own_tools_needs_none(folder: Path) -> None:
    documented = "## look_up\n\nLooks a word up.\n\nParameters:\n- word: (required) The word.\n"
    fill(folder, {"tools.md": f"{documented}\n<look_up><word>tide</word></look_up>\n"})
    assert main(["init"]) == 0
    assert "tools" not in written(folder)


def test_a_tool_is_counted_once(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fill(folder, {"a.json": TOOLS, "b.json": TOOLS, "c.prompt": CALL})
    assert main(["init"]) == 0
    assert "2 tool files with 1 tool." in capsys.readouterr().out
    assert "# 1 tool in 2 files." in (folder / "callwright.toml").read_text(encoding="utf-8")


def test_init_and_tools_count_alike(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tool = {"name": "read", "description": "Reads.", "aliases": ["open"], "input_schema": {"type": "object"}}
    for file, names in (("a.json", ["read", "write"]), ("more/b.json", ["read", "list"])):
        (folder / file).parent.mkdir(exist_ok=True)
        (folder / file).write_text(json.dumps([{**tool, "name": name} for name in names]), encoding="utf-8")
    assert main(["init"]) == 0
    assert "2 tool files with 3 tools." in capsys.readouterr().out
    assert main(["tools"]) == 0
    assert capsys.readouterr().out.splitlines()[-1].startswith("3 tools from `callwright.toml`")


@pytest.mark.parametrize(
    "ending", sorted({one for entry in TEMPLATES.entries for one in entry["suffixes"]} - {*PROMPT_ENDINGS})
)
def test_templates_are_found(ending: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tool = {"name": "read_it", "description": "Reads.", "input_schema": {"properties": {"path": {}}}}
    (folder / "tools.json").write_text(json.dumps([tool]), encoding="utf-8")
    for name in (f"b{ending}", f"prompts/a{ending}", f"c.md{ending}"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("Call:\n<read_it><path>a</path></read_it>\n", encoding="utf-8")
    assert main(["init"]) == 0
    capsys.readouterr()
    assert main(["check", ".", "--show-files"]) == 0
    assert sorted(capsys.readouterr().out.splitlines()) == [
        f"b{ending}", f"c.md{ending}", f"prompts/a{ending}", "tools.json",
    ]  # fmt: skip


def test_tools_that_are_not_those_of_the_calls_are_not_in_force(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = '<tool_call>\n{"name": "send_mail", "arguments": {"to": "a"}}\n</tool_call>\n'
    fill(folder, {"tools.json": TOOLS, "a.md": other})
    assert main(["init"]) == 0
    text = (folder / "callwright.toml").read_text(encoding="utf-8")
    assert "Calls of `send_mail` are of none of them, and would be errors with these lines." in text
    assert written(folder) == {"dialect": "hermes"}
    # The tool file is checked all the same.
    capsys.readouterr()
    main(["check", ".", "--show-files"])
    assert capsys.readouterr().out.split() == ["a.md", "tools.json"]


def test_tools_of_the_same_names_with_other_parameters_are_not_in_force(folder: Path) -> None:
    fill(folder, {"tools.json": TOOLS, "a.prompt": "<read_file><target>a</target></read_file>\n"})
    assert main(["init"]) == 0
    assert "tools" not in written(folder)
    assert "have other parameters" in (folder / "callwright.toml").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("values", "markup"),
    [
        (["a &lt; b", "c &amp;&amp; d"], "xml"),
        (["a < b && c", "a &lt; b"], None),
        (["a < b && c"], "raw"),
        (["a"], None),
    ],
)
def test_how_values_are_written_is_proposed(values: list[str], markup: str | None, folder: Path) -> None:
    call = "<read_file><path>{}</path></read_file>\n"
    fill(folder, {f"{number}.prompt": call.format(value) for number, value in enumerate(values)})
    fill(folder, {"tools.json": TOOLS})
    assert main(["init"]) == 0
    assert written(folder).get("markup") == markup
    assert main(["check", "."]) == 0


@pytest.mark.parametrize("name", ["README.md", "agent.jinja", "prompts/a.txt", "agent.py"])
def test_a_managed_block_works_under_what_is_written(
    name: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    markers = ("<!--", "-->") if not name.endswith(".py") else ("#", "")
    block = "{0} callwright:tools {1}\n{2}{0} /callwright:tools {1}\n"
    fill(folder, {"tools.json": TOOLS, name: block.format(*markers, 'PROMPT = """\n"""\n' if "py" in name else "")})
    assert main(["init"]) == 0
    assert main(["prompt", "--check"]) == 1
    assert main(["prompt", "--write"]) == 0
    assert "1 block in 1 file; 1 updated." in capsys.readouterr().err
    assert main(["prompt", "--check"]) == 0
    assert main(["check", "."]) == 0


OWN = """## lay_bricks
Description: Lay bricks.
Parameters:
- count: (required) How many.

<lay_bricks><count>3</count></lay_bricks>

<lay_brick><count>3</count></lay_brick>
"""


def test_a_prompt_with_tools_of_its_own_keeps_them(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A misspelt call of one of them says nothing against the tool file, either."""
    fill(folder, {"tools.json": TOOLS, "one.md": CALL, "own.md": OWN})
    assert main(["init"]) == 0
    values = written(folder)
    assert values["tools"] == ["tools.json"]
    assert values["overrides"] == [{"files": ["/own.md"], "tools": []}]
    capsys.readouterr()
    assert main(["check", ".", "--output-format", "concise", "--select", "unknown-tool"]) == 1
    assert capsys.readouterr().out.splitlines()[:-1] == [
        "own.md:8:2: warning TC301 [unknown-tool] [*] `lay_brick` is not a tool; did you mean `lay_bricks`?"
    ]


@pytest.mark.parametrize("more", [CALL, "## read_file\nDescription: Read.\nParameters:\n- path: (required) It.\n"])
def test_a_prompt_that_shares_tools_with_the_project_is_checked_against_them(folder: Path, more: str) -> None:
    fill(folder, {"tools.json": TOOLS, "one.md": CALL, "own.md": f"{more}\n{OWN}"})
    assert main(["init"]) == 0
    assert "overrides" not in written(folder)
