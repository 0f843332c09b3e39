"""What goes before what: extended files, the file, overrides, and settings from elsewhere."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from callwright.config import Project, find_project, load_project, override, read_config
from callwright.config.explanation import explained
from callwright.path_patterns import matches
from support.sampling import tries

FILES = ("x.prompt", "a/x.prompt", "a/b/x.md", "b/x.md", "b/y.prompt")
PATTERNS = ("a/**", "b", "*.md", "a/b/*", "**/*.prompt", "{a,b}/x.*")

rules = st.lists(st.sampled_from(["TC301", "TC4", "unknown-tool"]), max_size=2)
keys = st.fixed_dictionaries(
    {},
    optional={
        "dialect": st.sampled_from(["xml-json", "invoke", "kimi"]),
        "strict": st.booleans(),
        "max_mistakes": st.integers(1, 5),
        "select": rules,
        "extend_select": rules,
        "ignore": rules,
        "extend_ignore": rules,
        "accept": st.lists(st.sampled_from(["yaml", "hermes"]), max_size=2),
        "extend_accept": st.lists(st.sampled_from(["yaml", "hermes"]), max_size=2),
        "severity": st.dictionaries(
            st.sampled_from(["TC301", "TC3", "unknown-tool"]), st.sampled_from(["off", "hint"]), max_size=2
        ),
    },
)
patterns = st.lists(st.sampled_from(PATTERNS), max_size=2)
overrides = st.lists(st.tuples(patterns, patterns, keys), max_size=3)


def written(stated: Mapping[str, Any], more: list[tuple[list[str], list[str], dict[str, Any]]], first: str = "") -> str:
    def line(key: str, value: Any) -> str:
        inner = ", ".join(f'"{name}" = {json.dumps(each)}' for name, each in value.items()) if key == "severity" else ""
        return f"{key} = {{ {inner} }}" if key == "severity" else f"{key} = {json.dumps(value)}"

    lines = [first, *(line(key, value) for key, value in stated.items())]
    for only, but, table in more:
        lines += ["[[overrides]]", line("files", only), line("exclude", but)]
        lines += [line(key, value) for key, value in table.items()]
    return "\n".join(lines)


def expected(tables: list[Mapping[str, Any]]) -> dict[str, Any]:
    """Return what tables say together, by the words of the documentation."""
    stated: dict[str, Any] = {}
    for table in tables:
        for key, value in table.items():
            if key == "severity":
                merged = dict(stated.get(key, {}))
                for name, each in value.items():
                    merged.pop(name, None)
                    merged[name] = each
                stated[key] = merged
            elif not key.startswith("extend_"):
                stated[key] = value
        for key, value in table.items():
            base = key.removeprefix("extend_")
            if base != key and not (base == "select" and not stated.get("select")):
                stated[base] = stated.get(base, []) + value
    return stated


@settings(deadline=None, max_examples=tries(100))
@given(keys, overrides, keys, overrides, keys)
def test_what_is_in_force_is_what_the_documentation_states(
    tmp_path_factory: pytest.TempPathFactory,
    base: dict[str, Any],
    base_overrides: Any,
    own: dict[str, Any],
    own_overrides: Any,
    last: dict[str, Any],
) -> None:
    folder = tmp_path_factory.getbasetemp() / "model"
    folder.mkdir(exist_ok=True)
    (folder / "base.toml").write_text(written(base, base_overrides), encoding="utf-8")
    project = read_config(written(own, own_overrides, 'extend = "base.toml"'), folder / "callwright.toml")
    assert project.problems == ()
    project = override(project, last)
    last = {key: value for key, value in last.items() if value not in ([], {})}
    for name in FILES:
        found = project.at(folder / name)
        fitting = [
            table
            for only, but, table in (*base_overrides, *own_overrides)
            if any(matches(one, name) for one in only) and not any(matches(one, name) for one in but)
        ]
        stated = expected([base, own, *fitting, last])
        for key in ("dialect", "strict", "max_mistakes"):
            if key in stated:
                assert getattr(found.settings, key) == stated[key]
        for key in ("select", "ignore", "accept"):
            assert list(getattr(found.settings, key)) == stated.get(key, [])
        assert list(found.settings.severity.items()) == list(stated.get("severity", {}).items())
        assert found.at(folder / name) is found
        reported = {one.name: one for one in explained(found)}
        for key, value in stated.items():
            if key == "severity":
                assert {f"severity.{rule}": each for rule, each in value.items()} == {
                    name: one.value for name, one in reported.items() if name.startswith("severity.")
                }
            else:
                assert reported[key].value == value
                assert reported[key].places or value == []


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / ".git").mkdir()
    (tmp_path / "prompts").mkdir()
    (tmp_path / "callwright.toml").write_text(
        'dialect = "xml-json"\n[[overrides]]\nfiles = ["prompts/**"]\ndialect = "invoke"\n'
        '[[overrides]]\nfiles = ["*.md"]\ndialect = "kimi"\n',
        encoding="utf-8",
    )
    return tmp_path


def dialect(project: Project, path: Path) -> str | None:
    return project.at(path).settings.dialect


def test_a_path_is_taken_as_its_user_knows_it(folder: Path) -> None:
    (folder / "link").symlink_to(folder / "prompts")
    project = find_project(folder / "prompts" / "a.prompt")
    assert dialect(project, folder / "prompts" / "a.prompt") == "invoke"
    # The link is a folder of its own, wherever it leads.
    assert dialect(project, folder / "link" / "a.prompt") == "xml-json"
    assert dialect(project, folder / "link" / ".." / "prompts" / "a.prompt") == "invoke"


def test_a_relative_path_counts_from_the_working_folder(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder / "prompts")
    project = find_project("a.prompt")
    assert project.at("a.prompt").settings.dialect == "invoke"
    assert project.at(os.path.join("..", "a.prompt")).settings.dialect == "xml-json"  # noqa: PTH118 - as it is typed


def test_a_configuration_named_by_the_user_is_for_files_anywhere(
    folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    project = load_project(folder / "callwright.toml")
    # A folder is meant beside the configuration, a name wherever it is.
    assert dialect(project, elsewhere / "prompts" / "a.prompt") == "xml-json"
    assert dialect(project, elsewhere / "prompts" / "a.md") == "kimi"


def test_the_nearest_configuration_alone_counts(folder: Path) -> None:
    (folder / "prompts" / "callwright.toml").write_text("", encoding="utf-8")
    project = find_project(folder / "prompts" / "a.md")
    assert dialect(project, folder / "prompts" / "a.md") is None


def test_tools_of_overrides_are_loaded_once_and_shown_wherever_they_fail(folder: Path) -> None:
    (folder / "kit.json").write_text(json.dumps({"name": "my_tool"}), encoding="utf-8")
    (folder / "broken.json").write_text("{", encoding="utf-8")
    text = (
        'tools = ["kit.json"]\n[[overrides]]\nfiles = ["a"]\nextend_tools = ["broken.json"]\n'
        '[[overrides]]\nfiles = ["b"]\ntools = ["kit.json", "broken.json"]\n'
    )
    project = read_config(text, folder / "callwright.toml")
    assert [problem.kind for _, problem in project.problems] == ["config-tools-failed", "tools-invalid-syntax"]
    assert project.registry.closed
    for name in ("a", "b"):
        found = project.at(folder / name).registry
        assert (found.names, found.closed) == (("my_tool",), False)
        assert found.get("my_tool")[0] is project.registry.get("my_tool")[0]


def test_an_override_may_offer_shipped_tools(folder: Path) -> None:
    (folder / "kit.json").write_text(json.dumps({"name": "my_tool"}), encoding="utf-8")
    text = (
        'tools = ["kit.json"]\n[[overrides]]\nfiles = ["a"]\nshipped = ["cline"]\n'
        '[[overrides]]\nfiles = ["b"]\ntools = []\n'
    )
    project = read_config(text, folder / "callwright.toml")
    assert project.registry.tool_sets == ("kit",)
    assert project.at(folder / "a").registry.tool_sets == ("kit", "cline")
    # Where no tool is named, all shipped ones are offered.
    assert not project.at(folder / "b").registry.closed
    assert len(project.at(folder / "b").registry.tool_sets) > 1
