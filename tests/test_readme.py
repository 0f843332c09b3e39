"""The README's own examples: what it says of the library and the configuration holds."""

import re
import tomllib
from pathlib import Path

import pytest

import callwright
from callwright.cli.support.arguments import command_names
from callwright.config import find_project
from callwright.dialects.catalogue import dialect_names
from callwright.transcripts.catalogue import all_shapes

README = Path(__file__).parents[1] / "README.md"


def fences(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README.read_text("utf-8"), re.MULTILINE | re.DOTALL)


def test_the_library_example_prints_what_its_comments_report(capsys: pytest.CaptureFixture[str]) -> None:
    source = fences("python")[0]
    names: dict[str, object] = {}
    exec(compile(source, str(README), "exec"), names)  # noqa: S102 -- the README's own example is what is tested
    printed = capsys.readouterr().out.strip()
    assert f"print(diagnostic.message)  # {printed}" in source
    converted = callwright.convert("<read_file><path>a.py</path></read_file>", "xml-json", tools=names["tools"]).text  # type: ignore[arg-type]
    assert source.rstrip().endswith(f"# {converted}")


def test_the_example_of_an_agent_runs_as_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    source = fences("python")[1]
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    exec(compile(source, str(README), "exec"), names)  # noqa: S102 -- as above
    printed = capsys.readouterr().out.strip()
    assert source.rstrip().endswith(f"print(result.stop, result.turns)  # {printed}")


def test_the_configuration_example_means_what_it_states(tmp_path: Path) -> None:
    (source,) = fences("toml")
    tomllib.loads(source)
    (tmp_path / "callwright.toml").write_text(source, "utf-8")
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools" / "read.json").write_text(
        '{"tools": [{"name": "read_file", "inputSchema": {"type": "object"}}]}'
    )
    project = find_project(tmp_path / "prompts" / "a.prompt", root=tmp_path)
    assert [problem for _, problem in project.problems] == []
    assert project.settings.dialect == "xml-json"
    assert project.settings.accept == ("xml-children",)


def test_every_page_that_it_links_to_is_there() -> None:
    links = re.findall(r"\]\(([^)#]+)\)", README.read_text("utf-8"))
    assert len(links) > 8
    assert [link for link in links if "://" not in link and not (README.parent / link).exists()] == []


def test_the_dialects_are_counted() -> None:
    assert f"reads {len(dialect_names())} [dialects](" in README.read_text("utf-8")


def test_it_is_short() -> None:
    assert len(README.read_text("utf-8").splitlines()) <= 200


def test_every_shape_of_transcripts_is_named() -> None:
    (row,) = [line for line in README.read_text("utf-8").splitlines() if line.startswith("| [transcripts]")]
    assert [shape.title for shape in all_shapes() if shape.title.split()[0].lower() not in row.lower()] == []


def test_the_changelog_counts_the_dialects_and_names_commands_that_exist() -> None:
    text = (README.parent / "CHANGELOG.md").read_text("utf-8")
    assert f"in {len(dialect_names())} dialects" in text
    (commands,) = [line for line in text.split("\n- ") if line.startswith("Commands ")]
    named = re.findall(r"`([a-z]+)`", commands)
    assert named
    assert set(named) <= set(command_names())
