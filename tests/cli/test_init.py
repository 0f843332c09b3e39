"""`callwright init`: what it sees, what it writes, and that the configuration then means just that."""

import json
import tomllib
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from callwright.cli.init import patterns
from callwright.cli.main import main
from callwright.config import find_project
from callwright.path_patterns import matches
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
        "Looked at 10 files: 7 hold 8 calls, 1 tool file.\n"
        "Wrote callwright.toml. `callwright check .` checks the folder.\n"
    )
    assert written(folder) == {
        "tools": ["tools/a.json"],
        "dialect": "xml-children",
        "files": ["/README.md", "logs/chat.json", "prompts/**/*.md", "src/agent.py"],
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
    assert capsys.readouterr().out.endswith("Checked 2 files: no findings.\n")


def test_several_dialects_are_told_and_none_is_asked_for(folder: Path) -> None:
    fill(folder, {"a.prompt": CALL * 3 + JSON_CALL, "b.prompt": JSON_CALL})
    assert main(["init"]) == 0
    assert written(folder) == {}
    text = (folder / "callwright.toml").read_text(encoding="utf-8")
    assert "several dialects: 3 in xml-children, 2 in xml-json." in text
    # What is proposed is a configuration when the marks are taken away.
    proposed = "".join(
        line[2:] for line in text.splitlines(keepends=True) if line.startswith(("# dialect", "# accept"))
    )
    assert tomllib.loads(proposed) == {"dialect": "xml-children", "accept": ["xml-json"]}


def test_an_empty_folder_gets_a_configuration_that_says_what_there_is_to_say(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["init", "--dry-run"]) == 0
    out, err = capsys.readouterr()
    assert tomllib.loads(out) == {}
    assert all(f"# {key} = " in out for key in ("tools", "dialect", "files"))
    assert err == "Looked at 0 files: 0 hold 0 calls, 0 tool files.\n"
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
    assert "no such folder" in capsys.readouterr().err


def test_files_that_cannot_be_read_are_passed_over(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "a.md").write_bytes(b"\xff\xfe" + CALL.encode())
    (folder / "b.md").write_bytes(b"x" * (2 << 20))
    (folder / "new\nline.md").write_bytes(CALL.encode())
    assert main(["init"]) == 0
    assert written(folder) == {}


NAMES = st.text(st.sampled_from("ab*?[]{},.! é\"'\\#"), min_size=1, max_size=6).filter(lambda name: set(name) != {"."})


@settings(deadline=None, max_examples=tries(200), suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.lists(NAMES, min_size=1, max_size=3).map("/".join), min_size=1, max_size=8, unique=True))
def test_patterns_stand_for_their_files(names: list[str]) -> None:
    # A pattern knows no sign for a `\\`, which parts folders on some systems.
    names = [name for name in names if "\\" not in name]
    found = patterns(names)
    assert [name for name in names if not any(matches(one, name) for one in found)] == []
    if len(names) == 1:
        assert not any(matches(one, f"other/{names[0]}") for one in found)


def test_end_to_end(folder: Path) -> None:
    fill(folder, {"a.md": CALL})
    out, err, code = run_process("init", ".")
    assert (err, code) == (b"", 0)
    assert out.startswith(b"Looked at 1 file: 1 holds 1 call, 0 tool files.\n")
    assert run_process("init", ".")[2] == 2
    assert run_process("check", ".", "--quiet") == (b"", b"", 0)
