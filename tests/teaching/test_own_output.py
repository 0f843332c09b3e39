"""What `callwright prompt` prints checks clean with the tools that it is about, whatever dialect, style and form."""

from pathlib import Path
from typing import Any

import pytest

from callwright.cli.main import main
from callwright.dialects.catalogue import all_dialects, find_dialect
from callwright.document.settings import Settings
from callwright.lint.linter import diagnostics
from callwright.lint.opening import open_snapshot
from callwright.teaching.section import FORMATS, STYLES, SectionOptions, section
from callwright.tools.registry import ToolRegistry
from callwright.tools.shipped import shipped_registry, shipped_sets
from support.sampling import crossed

SETS = [name for name in shipped_sets() if shipped_registry([name]).tools]


def codes(text: str, registry: ToolRegistry, **settings: Any) -> list[tuple[str, str]]:
    snapshot = open_snapshot(text, path="prompt.md", registry=registry, settings=Settings(**settings))
    return [(each.code, each.message) for each in diagnostics(snapshot)]


@pytest.mark.parametrize(
    ("name", "dialect", "style", "value_format"),
    crossed(SETS, [dialect.name for dialect in all_dialects()], STYLES, FORMATS),
)
def test_a_section_of_a_shipped_set_is_clean(name: str, dialect: str, style: Any, value_format: Any) -> None:
    found, registry = find_dialect(dialect), shipped_registry([name])
    assert found is not None
    text = section(found, list(registry), SectionOptions(style=style, value_format=value_format))
    assert codes(text, registry, dialect=dialect) == []


@pytest.mark.parametrize(
    ("name", "value_format"),
    crossed([name for name in SETS if any(tool.dialect for tool in shipped_registry([name]))], FORMATS),
)
def test_without_a_word_about_the_dialect_a_section_is_in_that_of_its_tools(
    name: str, value_format: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the list of tools is written in says nothing of calls."""
    monkeypatch.chdir(tmp_path)
    assert main(["prompt", "--isolated", "--shipped", name, "--format", value_format]) == 0
    assert codes(capsys.readouterr().out, shipped_registry([name])) == []
