"""A configuration as a document: what is found in it while it is written, and what can be done about it."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from callwright.config import default_project, find_project, read_config, tool_files
from callwright.document.snapshot import Snapshot
from callwright.features.base import Client, Request
from callwright.features.text_document_code_action import handle
from callwright.fix.fixer import fix_all
from callwright.lint.linter import diagnostics
from callwright.lint.opening import open_snapshot
from callwright.text.span import Edit, Span, apply_edits
from callwright.tools.registry import ToolRegistry
from support.sampling import tries

FAULTY = """\
dialekt = "xml-json"
extend = "base.toml"
strict = "yes"

[severity]
unknwn-tool = "warn"

[[overrides]]
files = ["*.md"]
dialect = "invok"
"""
FIXED = """\
dialect = "xml-json"
extend = "base.toml"
strict = true

[severity]
"unknown-tool" = "warning"

[[overrides]]
files = ["*.md"]
dialect = "invoke"
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A repository with a configuration that builds on a file with a fault of its own."""
    (tmp_path / ".git").mkdir()
    (tmp_path / "base.toml").write_text('provider = "antropic"\n', encoding="utf-8")
    (tmp_path / "kit.json").write_text(json.dumps({"name": "my_tool"}), encoding="utf-8")
    return tmp_path


def opened(file: Path, text: str) -> Snapshot:
    """Return a file of a project as an editor opens it: with its project around it."""
    project = find_project(file).at(file)
    return open_snapshot(
        text,
        path=str(file),
        registry=project.registry,
        settings=project.settings,
        host=project.host_of(file),
        boundary=str(project.boundary),
    )


def in_pyproject(text: str) -> str:
    nested = text.replace("[severity]", "[tool.callwright.severity]").replace("[[over", "[[tool.callwright.over")
    return f'[project]\nname = "x"\n\n[tool.callwright]\n{nested}'


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("start", ["", "\ufeff", "# é 𝕏\n"])
@pytest.mark.parametrize("name", ["callwright.toml", "pyproject.toml"])
def test_every_fault_is_found_and_fixed_in_its_file(folder: Path, name: str, start: str, newline: str) -> None:
    faulty, fixed = (in_pyproject(text) if name == "pyproject.toml" else text for text in (FAULTY, FIXED))
    faulty, fixed = ((start + text).replace("\n", newline) for text in (faulty, fixed))
    (folder / name).write_text(faulty, encoding="utf-8", newline="")
    snapshot = opened(folder / name, faulty)
    found = diagnostics(snapshot)
    assert [(one.code, one.span.of(faulty)) for one in found] == [
        ("TC602", "dialekt"),
        ("TC603", '"yes"'),
        ("TC603", "unknwn-tool"),
        ("TC603", '"warn"'),
        ("TC603", '"invok"'),
    ]
    for one in found:
        (action, *_) = handle(snapshot, Request(one.span, Client(), None))
        assert action.edits is not None
        assert action.diagnostic is not None
        fixed_text = apply_edits(faulty, action.edits)
        assert len(diagnostics(opened(folder / name, fixed_text))) == len(found) - 1
    text, fixed_diagnostics = fix_all(snapshot)
    assert (text, len(fixed_diagnostics)) == (fixed, len(found))


def test_what_is_typed_is_judged_as_it_is_typed(folder: Path) -> None:
    file = folder / "callwright.toml"
    file.write_text("", encoding="utf-8")
    snapshot = opened(file, "")
    text = ""
    for character in 'tools = ["kit.json"]\n[[overrides]]\nfiles = ["*.md"]\nmarkup = "raw"\n':
        snapshot = snapshot.edit((Edit(Span(len(text), len(text)), character),))
        text += character
        fresh = opened(file, text)
        found = diagnostics(snapshot)
        assert [(one.code, one.span, one.message) for one in found] == [
            (one.code, one.span, one.message) for one in diagnostics(fresh)
        ]
        assert all(0 <= one.span.start <= one.span.end <= len(text) for one in found)
    assert diagnostics(snapshot) == []


def test_while_a_text_is_written_its_tool_files_are_read_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    load = tool_files.reload

    def noted(file: Path) -> ToolRegistry:
        read.append(file.name)
        return load(file)

    monkeypatch.setattr(tool_files, "reload", noted)
    for text in ('tools = ["kit.json"]', 'tools = ["kit.json"]\n', 'tools = ["kit.json"]\nstrict = true'):
        project = read_config(text, folder / "callwright.toml")
        assert project.registry.names == ("my_tool",)
    assert read == ["kit.json"]
    (folder / "kit.json").write_text(json.dumps({"name": "another_tool"}), encoding="utf-8")
    assert read_config('tools = ["kit.json"]', folder / "callwright.toml").registry.names == ("another_tool",)


def test_a_file_that_is_built_on_is_judged_as_a_configuration(folder: Path) -> None:
    (folder / "callwright.toml").write_text('extend = "base.toml"', encoding="utf-8")
    file = folder / "base.toml"
    snapshot = opened(file, file.read_text(encoding="utf-8"))
    assert [(one.code, one.fix is not None) for one in diagnostics(snapshot)] == [("TC603", True)]


def test_a_pyproject_that_states_nothing_of_us_has_no_diagnostics(folder: Path) -> None:
    text = '[project]\nname = "x"\ndialekt = 3\n'
    assert diagnostics(opened(folder / "pyproject.toml", text)) == []
    # Not even where it is not TOML at all: other programs say so.
    assert diagnostics(opened(folder / "pyproject.toml", "[project\n")) == []


def test_nothing_is_to_be_converted_in_a_configuration(folder: Path) -> None:
    snapshot = opened(folder / "callwright.toml", FIXED)
    kinds = {action.kind for action in handle(snapshot, Request(Span(0, 0), Client(action_resolve=True), None))}
    assert kinds == set()


lines = st.lists(
    st.sampled_from(
        [
            'dialekt = "xml-json"', 'dialect = "xml-jsn"', "strict = 'yes'", "accept = 'yaml'", 'max_mistakes = "3"',
            "[severty]", "[severity]", 'unknwn-tool = "warn"', 'TC301 = "none"', 'unknown-tool = "off"', "[[overides]]",
            "[[overrides]]", "[overrides]", "files = ['a']", "files = 'a'", "extends = []", "x = 1", "",
            "shipped = 'clin'", "overrides.files = 3", "severity.TC301 = 'offf'", "exclde = [1]", "dialcet = 'invoke'",
            "[overrides.severty]",
        ]
    ),
    max_size=8,
)  # fmt: skip


@settings(deadline=None, max_examples=tries(100))
@given(lines, st.sampled_from(["\n", "\r\n"]))
def test_fixes_bring_no_new_faults_and_come_to_an_end(parts: list[str], newline: str) -> None:
    text = newline.join(parts)
    file = Path("/nowhere/callwright.toml")
    project = default_project("/nowhere")

    def snapshot(source: str) -> Snapshot:
        host = project.host_of(file)
        return open_snapshot(
            source, path=str(file), registry=project.registry, settings=project.settings, host=host, boundary="/nowhere"
        )

    before = diagnostics(snapshot(text))
    for one in before:
        assert len(one.fixes) <= 1
        for fix in one.fixes:
            after = diagnostics(snapshot(apply_edits(text, fix.edits)))
            assert "TC601" not in {each.code for each in after}
            assert not fix.is_safe or len(after) < len(before)
    fixed_text, fixed = fix_all(snapshot(text))
    assert len(diagnostics(snapshot(fixed_text))) <= len(before) - bool(fixed)
    assert fix_all(snapshot(fixed_text)) == (fixed_text, [])
