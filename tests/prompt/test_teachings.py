"""What a text documents, whatever it is cut into, and that the sections Callwright itself writes are understood."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest

from callwright.dialects.catalogue import all_dialects, dialect_names, find_dialect
from callwright.document import block_reading
from callwright.document.settings import Settings
from callwright.document.snapshot import Snapshot
from callwright.lint.linter import diagnostics
from callwright.lint.opening import open_snapshot
from callwright.prompt.demanded_formats import demands_of
from callwright.prompt.teachings import teaching_of
from callwright.rules.base import Diagnostic
from callwright.teaching.section import SectionOptions, section
from callwright.text.span import Edit, Span
from callwright.tools.registry import ToolRegistry
from callwright.tools.shipped import shipped_registry, shipped_sets
from support.engine import registry_named

PROMPT = """# Tools

## read_file
Description: Read a file.

Parameters:

- file: (required) The file.
- limit: (required) How many lines.

Tool calls MUST be written in XML.

## wite_file

| Parameter | Type | Required |
|---|---|---|
| path | integer | yes |

## list_files

```json
[
  {
    "name": "run_code",
    "parameters": {
      "type": "object",
      "properties": {
        "cod": {"type": "string"}
      },
      "required": ["cod"]
    }
  }
]
```

## write_file

type debug_launch = (_: {
program: number,

mode: string,
}) => any;

TOOL_CALL: read_file
INPUT: {"path": "a.py"}

- `git_status`: shows what has changed
"""
DRIFT = ("TC810", "TC811", "TC812", "TC813", "TC814", "TC815", "TC816")


def drift(snapshot: Snapshot) -> list[Diagnostic]:
    """Return the diagnostics about documentation."""
    return [each for each in diagnostics(snapshot) if each.code in DRIFT]


def opened(text: str, path: str = "a.md", registry: ToolRegistry | None = None) -> Snapshot:
    """Return the snapshot of a text."""
    tools = registry_named("examples") if registry is None else registry
    return open_snapshot(text, path=path, registry=tools, settings=Settings())


def seen(snapshot: Snapshot) -> list[Any]:
    """Return the diagnostics with their fixes, to be compared."""
    found = drift(snapshot)
    return [
        (each.code, each.span, each.message, [(fix.title, fix.edits, fix.applicability) for fix in each.fixes])
        for each in found
    ]


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize(("block", "window"), [(1, 8), (30, 64), (200, 1_000)])
def test_where_blocks_end_changes_nothing(
    newline: str, block: int, window: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = PROMPT.replace("\n", newline)
    whole = opened(text)
    assert len(whole.blocks) == 1
    expected = seen(whole)
    assert {code for code, *_ in expected} == {"TC810", "TC811", "TC812", "TC813", "TC816"}
    monkeypatch.setattr(block_reading, "BLOCK", block)
    monkeypatch.setattr(block_reading, "WINDOW", window)
    small = opened(text)
    assert len(small.blocks) > 1
    assert seen(small) == expected


@pytest.mark.parametrize("path", ["a.md", "a.md.j2"])
def test_edits_give_what_opening_gives(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(block_reading, "BLOCK", 40)
    monkeypatch.setattr(block_reading, "WINDOW", 64)
    snapshot = opened(PROMPT, path)
    places = [PROMPT.index(word) for word in ("Tools", "file:", "Parameters", "```json", '"cod"', "MUST", "type debug")]
    for at, new in zip(
        places, ["## ", "\n", "x", "````\n", "}", "{% if a %}", "<!-- callwright:tools -->\n"], strict=True
    ):
        drift(snapshot)
        snapshot = snapshot.edit([Edit(Span(at, at + 1), new)])
        assert seen(snapshot) == seen(opened(snapshot.document.text(), path))


@pytest.mark.parametrize("name", shipped_sets())
@pytest.mark.parametrize("style", ["terse", "full", "strict", "quoted"])
def test_the_sections_that_are_written_for_prompts_are_understood(name: str, style: Any) -> None:
    tools = shipped_registry([name]).tools
    registry = ToolRegistry(tools)
    every = name == "accesslint" and style == "full"
    for dialect in (each for each in all_dialects() if every or each.name in ("xml-json", "yaml")):
        text = section(dialect, tools, SectionOptions(style=style, deprecated=True))
        settings = Settings(dialect=dialect.name)
        snapshot = open_snapshot(text, path="a.md", registry=registry, settings=settings)
        assert [(each.message, dialect.name) for each in drift(snapshot) if each.code != "TC814"] == []
        documented = {
            taught.name: {each.claim.name for each in taught.parameters}
            for taught in teaching_of(snapshot).known(registry)
        }
        assert documented == {
            tool.name: {each.name for each in tool.parameters.values() if each.alias_of is None and not each.deprecated}
            for tool in tools
        }, dialect.name


@pytest.mark.parametrize("name", dialect_names())
def test_what_asks_for_a_dialect_demands_it(name: str) -> None:
    dialect = find_dialect(name)
    assert dialect is not None
    demands = demands_of(opened(section(dialect, registry_named("examples").tools)))
    assert demands
    assert all(name in demand.dialects for demand in demands)


def test_two_tools_of_a_name_allow_what_one_of_them_allows() -> None:
    one = {"name": "read", "inputSchema": {"type": "object", "properties": {"path": {"type": "string"}}}}
    other = {"name": "read", "inputSchema": {"type": "object", "properties": {"path": {"type": "integer"}, "line": {}}}}
    registry = ToolRegistry.of([one]).merge(ToolRegistry.of([other]))
    text = "## read\nParameters:\n- path (integer): a\n- line (string, required): b\n- word: (required) c\n"
    found = drift(opened(text, registry=registry))
    assert [(each.code, each.span.of(text)) for each in found] == [("TC811", "required"), ("TC810", "word")]


@pytest.mark.parametrize("registry", [ToolRegistry(), registry_named("examples").opened()], ids=["empty", "open"])
def test_nothing_is_reported_about_tools_that_are_not_all_known(registry: ToolRegistry) -> None:
    assert drift(opened(PROMPT, registry=registry)) == []


def test_the_schema_of_a_definition_is_renamed_as_a_whole() -> None:
    definition = {"name": "read_file", "parameters": {"properties": {"pth": {"type": "string"}}, "required": ["pth"]}}
    text = f"<tools>\n{json.dumps(definition)}\n</tools>\n"
    (found,) = drift(opened(text))
    assert found.fix is not None
    assert [span.of(text) for span, _ in found.fix.edits] == ["pth", "pth"]
    assert {new for _, new in found.fix.edits} == {"path"}


REPEATED = {
    "parameters": ("## read_file\nParameters:\n", "- par_am: (required) x\n"),
    "tools": ("", "## read_file\n- path: (optional, integer)\n\n"),
    "unknown tools": ("## read_file\n\n## write_file\n", "\n## copy_file\n"),
    "definitions": ("<tools>\n", '{"name": "read_file", "parameters": {"properties": {"a": {}}}}\n'),
    "rows": ("## read_file\n| name | type |\n|--|--|\n", "| path | int |\n"),
    "members": ("type read_file = (_: {\n", "path: number,\n"),
    "open signatures": ("- `read_file(", "a: b[, "),
    "demands": ("read_file\n", "Tool calls must be XML. Tool calls must be JSON.\n"),
    "patterns": ("Tool calls MUST be XML: read_file\n", "TOOL_CALL: tool_name\nINPUT: {}\n"),
    "calls": ("Tool calls MUST be XML.\n", 'TOOL_CALL: read_file\nINPUT: {"path": "a"}\n'),
    "managed blocks": ("read_file\n", "<!-- callwright:tools -->\n- path\n<!-- /callwright:tools -->\n"),
}


@pytest.mark.parametrize("kind", REPEATED)
def test_twice_the_text_takes_twice_the_work(kind: str) -> None:
    head, piece = REPEATED[kind]
    short, long = (opened(head + piece * (length // len(piece))) for length in (4_000, 12_000))
    drift(opened(head + piece))
    assert calls_made(long) < 4.2 * calls_made(short) + 20_000


def calls_made(snapshot: Snapshot) -> int:
    """Return how many functions are called to find what is documented wrongly."""
    count = 0

    def counting(frame: Any, event: str, argument: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(counting)
    try:
        drift(snapshot)
    finally:
        sys.setprofile(before)
    return count
