"""What the server reads without a configuration: prompts by language and by name, texts by what they hold."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from lsp.conversation import Conversation, between, codes, conversation

BROKEN = '<tool_call>\n{"name": "find_page", "arguments": {"text": "a"}\n</tool_call>\n'
PROSE = "# Notes\n\nNothing is called here.\n"
LIST = "---\ntools: [find_page, raed_page]\n---\n"


@pytest.fixture
def talk() -> Iterator[Conversation]:
    with conversation() as talk:
        yield talk


def host(talk: Conversation, uri: str) -> str | None:
    found = talk.request("callwright/status", {"uri": uri})["host"]
    assert found is None or isinstance(found, str)
    return found


@pytest.mark.parametrize(
    ("name", "language", "expected"),
    [
        # what VS Code gives a language of its own
        ("review.prompt.md", "prompt", "Markdown"),
        (".github/instructions/style.instructions.md", "instructions", "Markdown"),
        ("planner.agent.md", "chatagent", "Markdown"),
        ("skills/pages/SKILL.md", "skill", "Markdown"),
        # and what it does not, or another editor does not
        ("review.prompt.md", "markdown", "Markdown"),
        ("AGENTS.md", "markdown", "Markdown"),
        ("CLAUDE.md", "markdown", "Markdown"),
        (".cursor/rules/style.mdc", "plaintext", "Markdown"),
        (".cursorrules", "plaintext", "Markdown"),
        (".clinerules", "", "Markdown"),
        ("a.prompt", "dotprompt", "Prompt in Handlebars or Mustache"),
        ("a.prompty", "prompty", "Prompt in Jinja"),
        ("untitled", "prompt", "Markdown"),
        ("prompts/notes.txt", "plaintext", "Plain text"),
        ("prompts/build.py", "python", None),
        ("prompts/data.json", "json", None),
        # what is not a prompt by its name
        ("README.md", "markdown", None),
        ("notes.txt", "plaintext", None),
        ("agents.py", "python", None),
        ("package.json", "json", None),
    ],
)
def test_a_prompt_is_read_by_its_language_or_its_name(
    talk: Conversation, tmp_path: Path, name: str, language: str, expected: str | None
) -> None:
    talk.initialize(root=tmp_path)
    uri = (tmp_path / name).as_uri()
    talk.open(uri, PROSE, language=language)
    assert host(talk, uri) == expected
    assert talk.diagnostics(uri) == []


@pytest.mark.parametrize(
    ("name", "language", "is_read"),
    [
        ("README.md", "markdown", True),
        ("notes.txt", "plaintext", True),
        ("agent.yaml", "yaml", True),
        ("prompt.md.j2", "jinja", True),
        ("agents.py", "python", False),
        ("package.json", "json", False),
    ],
)
def test_a_text_is_read_where_it_holds_a_call(
    talk: Conversation, tmp_path: Path, name: str, language: str, is_read: bool
) -> None:
    talk.initialize(root=tmp_path)
    uri = (tmp_path / name).as_uri()
    text = f"prompt: |\n  {BROKEN.replace(chr(10), chr(10) + '  ')}\n" if language == "yaml" else BROKEN
    talk.open(uri, text, language=language)
    assert codes(talk.diagnostics(uri)) == (["TC202"] if is_read else [])


def test_a_text_is_read_from_the_first_call_on_that_is_typed_to_the_last_that_is_deleted(
    talk: Conversation, tmp_path: Path
) -> None:
    talk.initialize(root=tmp_path)
    uri = (tmp_path / "README.md").as_uri()
    talk.open(uri, PROSE, language="markdown")
    assert talk.diagnostics(uri, 1) == []
    talk.change(uri, 2, {"range": between((3, 0), (3, 0)), "text": BROKEN})
    assert codes(talk.diagnostics(uri, 2)) == ["TC202"]
    talk.change(uri, 3, {"range": between((0, 0), (0, 0)), "text": "More.\n"})
    assert codes(talk.diagnostics(uri, 3)) == ["TC202"]
    talk.change(uri, 4, {"range": between((4, 0), (7, 0)), "text": ""})
    assert talk.diagnostics(uri, 4) == []
    assert host(talk, uri) is None


def test_what_a_configuration_excludes_is_not_read(talk: Conversation, tmp_path: Path) -> None:
    (tmp_path / "callwright.toml").write_text('exclude = ["old/**"]\n')
    talk.initialize(root=tmp_path)
    for name in ("old/AGENTS.md", "old/README.md"):
        uri = (tmp_path / name).as_uri()
        talk.open(uri, BROKEN, language="markdown")
        assert host(talk, uri) is None


def test_where_a_configuration_names_files_no_others_are_found(talk: Conversation, tmp_path: Path) -> None:
    (tmp_path / "callwright.toml").write_text('files = ["texts/**"]\n')
    talk.initialize(root=tmp_path)
    for name, is_read in (("texts/a.md", True), ("a.prompt", True), ("AGENTS.md", False), ("README.md", False)):
        uri = (tmp_path / name).as_uri()
        talk.open(uri, BROKEN, language="markdown")
        assert codes(talk.diagnostics(uri)) == (["TC202"] if is_read else []), name


def test_a_text_that_was_read_for_its_call_is_not_once_a_configuration_names_others(
    talk: Conversation, tmp_path: Path
) -> None:
    talk.initialize(root=tmp_path)
    uri = (tmp_path / "README.md").as_uri()
    talk.open(uri, BROKEN, language="markdown")
    assert codes(talk.diagnostics(uri)) == ["TC202"]
    (tmp_path / "callwright.toml").write_text('files = ["texts/**"]\n')
    changes = [{"uri": (tmp_path / "callwright.toml").as_uri(), "type": 1}]
    talk.notify("workspace/didChangeWatchedFiles", {"changes": changes})
    assert host(talk, uri) is None


def test_the_tools_that_an_agent_lists_are_those_of_the_configuration(talk: Conversation, tmp_path: Path) -> None:
    (tmp_path / "tools.json").write_text('[{"name": "find_page"}, {"name": "read_page"}]')
    talk.initialize(root=tmp_path)
    uri = (tmp_path / "pages.agent.md").as_uri()
    talk.open(uri, LIST, language="chatagent")
    assert talk.diagnostics(uri) == []
    (tmp_path / "callwright.toml").write_text('tools = ["tools.json"]\n')
    changes = [{"uri": (tmp_path / "callwright.toml").as_uri(), "type": 1}]
    talk.notify("workspace/didChangeWatchedFiles", {"changes": changes})
    talk.expect(lambda message: message.get("params", {}).get("diagnostics"))
    talk.change(uri, 2, {"range": between((3, 0), (3, 0)), "text": "\n"})
    assert codes(talk.diagnostics(uri, 2)) == ["TC817"]
