"""`callwright init`: what it sees, what it writes, and that the configuration then means just that."""

import json
import tomllib
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from callwright.cli.init import _pattern
from callwright.cli.main import main
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
        "files": [
            "/README.md",
            "logs/chat.json",
            "prompts/deep/three.md",
            "prompts/one.md",
            "prompts/two.md",
            "src/agent.py",
        ],
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
    assert [name for name in names if not matches(_pattern(name), name)] == []
    assert [name for name in names if matches(_pattern(name), f"other/{name}")] == []


def test_end_to_end(folder: Path) -> None:
    fill(folder, {"a.md": CALL})
    out, err, code = run_process("init", ".")
    assert (err, code) == (b"", 0)
    assert out.startswith(b"Scanned 1 file: 1 holds 1 call, 0 tool files.\n")
    assert run_process("init", ".")[2] == 2
    assert run_process("check", ".", "--quiet") == (b"", b"", 0)


def test_exact_files_are_listed_whatever_they_are(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
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
    assert written(folder)["files"] == ["/AGENTS.md", "/SYSTEM", "/agent.jinja", "/own.md", "/page.hbs"]
    assert "tools" not in written(folder)
    main(["check", "."])
    assert capsys.readouterr().out.endswith("Checked 5 files: no diagnostics.\n")


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
    assert main(["init", "--dry-run"]) == 0
    written = tomllib.loads(capsys.readouterr().out)
    assert written["files"] == [f"/b{ending}", f"/c.md{ending}", f"prompts/a{ending}"]


def test_tools_that_are_not_those_of_the_calls_are_not_in_force(folder: Path) -> None:
    other = '<tool_call>\n{"name": "send_mail", "arguments": {"to": "a"}}\n</tool_call>\n'
    fill(folder, {"tools.json": TOOLS, "a.md": other})
    assert main(["init"]) == 0
    text = (folder / "callwright.toml").read_text(encoding="utf-8")
    assert "Calls of `send_mail` are of none of them, and would be errors with these lines." in text
    # The tool file is checked all the same.
    assert written(folder) == {"dialect": "hermes", "files": ["/a.md", "/tools.json"]}


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
