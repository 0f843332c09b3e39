"""What is generated from code agrees with the code: the index of the rooms, and the reference pages."""

import importlib.util
import json
import re
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest

from callwright.cli.support.arguments import command_names, load_command
from callwright.dialects.catalogue import all_dialects
from callwright.rules.catalogue import all_rules

DOCS = Path(__file__).parents[2] / "server" / "docs"
_LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")


@cache
def generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("generate", DOCS / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_no_generated_file_is_stale() -> None:
    found = generator().stale(generator().generated())
    failure = [f"{path.name} {what}" for path, what in found]
    assert not failure, f"{generator().REMEDY}: {', '.join(failure)}"


def test_a_stale_a_missing_and_a_superfluous_page_are_reported(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(generator(), "DOCS", tmp_path)
    pages = {tmp_path / "rules" / name: "right" for name in ("fresh.md", "old.md", "new.md")}
    generator().write(pages)
    (tmp_path / "rules" / "old.md").write_text("wrong", encoding="utf-8")
    (tmp_path / "rules" / "new.md").unlink()
    (tmp_path / "rules" / "gone.md").write_text("right", encoding="utf-8")
    assert [(path.name, what) for path, what in generator().stale(pages)] == [
        ("old.md", "is stale"),
        ("new.md", "is missing"),
        ("gone.md", "describes nothing that exists"),
    ]
    generator().write(pages)
    assert generator().stale(pages) == []


def test_every_code_belongs_to_a_group() -> None:
    prefixes = tuple(generator().GROUPS)
    assert [rule.code for rule in all_rules() if not rule.code.startswith(prefixes)] == []


def test_every_rule_and_dialect_has_a_page_and_is_listed() -> None:
    for folder, names in (("rules", all_rules()), ("dialects", all_dialects())):
        listed = set(_LINK.findall((DOCS / folder / "index.md").read_text(encoding="utf-8")))
        assert {f"{each.name}.md" for each in names} <= listed


def test_every_setting_is_documented_with_an_example() -> None:
    page = (DOCS / "configuration.md").read_text(encoding="utf-8")
    settings = json.loads((generator().SCHEMAS / "callwright.schema.json").read_text(encoding="utf-8"))["properties"]
    for name in settings:
        section = page.split(f"\n## `{name}`\n")[1].split("\n## ")[0]
        assert "```toml\n" in section, name


def test_every_command_and_option_is_documented() -> None:
    page = (DOCS / "cli.md").read_text(encoding="utf-8")
    for name in command_names():
        section = page.split(f"\n## `callwright {name}`\n")[1].split("\n## ")[0]
        for option in load_command(name).options.every:
            if option.kind == "option":
                assert re.search(rf"^\| `{option.written}\b[^|]*\| \S", section, re.MULTILINE), option


def test_a_fence_is_longer_than_those_in_it() -> None:
    assert generator().fenced("```json\n{}\n```", "text") == "````text\n```json\n{}\n```\n````"
    assert generator().fenced("`a`", "text") == "```text\n`a`\n```"
