"""The tool lists of public servers load as they are, and what is found in them is what was reviewed.

`corpus/SOURCES.md` says where each list comes from and why its diagnostics are right; `corpus/diagnostics.md` lists
them.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from pathlib import Path

import jsonschema  # type: ignore[import-untyped] # it ships no types
import pytest

import callwright
from callwright.dialects.catalogue import all_dialects
from callwright.document.settings import DEFAULT
from callwright.lint.files import tool_diagnostics
from callwright.mcp.lock import parse, render
from callwright.rules.base import Severity
from callwright.teaching.section import teach
from callwright.tools.documents import ToolDocument, read_tool_document
from support.cases import may_update
from support.sampling import sampled

CORPUS = Path(__file__).parent / "corpus"
SCHEMAS = CORPUS.parents[2] / "schemas"
FILES = sorted(CORPUS.glob("*.lock.json"))
#: How many tools each server has.
NUMBERS = {
    "chart": 27, "context7": 2, "everything": 13, "filesystem": 14, "git": 12, "memory": 9, "notion": 24,
    "playwright": 25,
}  # fmt: skip


def document_of(file: Path) -> ToolDocument:
    return read_tool_document(file.read_text(encoding="utf-8"), file.name)


def test_every_list_is_there() -> None:
    assert {file.name.partition(".")[0] for file in FILES} == set(NUMBERS)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_a_real_list_loads_whole(file: Path) -> None:
    name = file.name.partition(".")[0]
    document = document_of(file)
    assert document.problems == []
    assert len(document.definitions) == NUMBERS[name]
    assert {one.tool.origin.tool_set for one in document.definitions} == {name}
    # Every schema is one that arguments can be held against.
    assert all(one.tool.checked for one in document.definitions)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_a_call_of_each_tool_is_held_against_its_schema(file: Path) -> None:
    document = document_of(file)
    for definition in document.definitions:
        call = json.dumps({"name": definition.tool.name, "arguments": {}})
        found = callwright.parse(f"<tool_call>{call}</tool_call>", tools=document.registry).diagnostics
        missing = {
            name for one in found if one.name == "missing-argument" for name in re.findall("`([^`]+)`", one.message)
        }
        assert set(definition.input_schema.get("required", [])) <= missing
        assert bool(missing) == bool(definition.input_schema.get("required"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_a_list_was_written_by_the_command_and_not_by_hand(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    servers = parse(text)
    jsonschema.validate(json.loads(text), json.loads((SCHEMAS / "tools-lock.schema.json").read_text(encoding="utf-8")))
    assert render(servers) == text
    assert not any(server.edited for server in servers.values())


@pytest.mark.parametrize(
    "file", [file for file in FILES if not file.name.startswith("chart")], ids=lambda file: file.name
)
def test_every_dialect_can_teach_a_real_list(file: Path) -> None:
    document = document_of(file)
    tools = [one.tool for one in document.definitions]
    for dialect in sampled(all_dialects(), keep=8):
        taught = teach(dialect, tools)
        parsed = callwright.parse(taught.text, tools=document.registry, dialect=dialect.name)
        faults = [one for one in parsed.diagnostics if one.severity in (Severity.ERROR, Severity.WARNING)]
        assert (dialect.name, faults) == (dialect.name, [])
        # An example of each tool, but for those of which the dialect says that it cannot write them.
        assert {tool.name for tool in tools} - {call.tool for call in parsed.calls} <= {
            name for name, _ in taught.refused
        }


def test_the_diagnostics_are_those_that_were_reviewed(request: pytest.FixtureRequest) -> None:
    parts = [
        "# What is found in the lists of public servers\n\nReviewed in `SOURCES.md`; written by `--update-cases`.\n"
    ]
    for file in FILES:
        document = document_of(file)
        found: dict[tuple[str, str, str], list[str]] = defaultdict(list)
        for one in tool_diagnostics(document, document.registry, DEFAULT):
            within = [
                each.tool.name for each in document.definitions if document.places.value(each.path).covers(one.span)
            ]
            key = (one.code, one.name, one.severity.value)
            found[key].append(f"- {within[0] if within else '-'}: {one.message}")
        parts.append(f"## {file.name}\n")
        parts += [f"{' '.join(key)}\n\n" + "\n".join(lines) + "\n" for key, lines in sorted(found.items())] or [
            "Nothing.\n"
        ]
    text = "\n".join(parts)
    page = CORPUS / "diagnostics.md"
    if may_update(request.config.getoption("--update-cases")):
        page.write_text(text, encoding="utf-8", newline="\n")
    assert page.read_text(encoding="utf-8") == text
