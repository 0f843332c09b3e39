"""Every call of the five design notes in its dialect: good ones are clean, bad ones get the reason."""

from __future__ import annotations

from pathlib import Path

import pytest

import callwright
from callwright.document.settings import Settings
from callwright.lint.linter import diagnostics
from callwright.lint.opening import open_snapshot
from callwright.rules.base import Severity
from callwright.text.span import apply_edits
from callwright.tools.shipped import shipped_registry
from seeds.texts import (
    ACCESSLINT,
    ACCESSLINT_BROKEN,
    ACCESSLINT_SKETCH,
    NO_CALL,
    OLDER,
    RAGFORGE,
    RAGFORGE_ARGUMENTS,
    RAGFORGE_BUG,
    RAGFORGE_SKETCHES,
    WINDLASS,
    WINDLASS_BROKEN,
    WINDLASS_SKETCHES,
    ZENTARA,
    ZENTARA_QUOTED,
    ZENTARA_TRUNCATED,
    Bad,
    Good,
    ragforge_call,
)

SHIPPED = shipped_registry()
NOTES = Path(__file__).parent / "notes"
SKETCHES = [*RAGFORGE_SKETCHES, *WINDLASS_SKETCHES, ACCESSLINT_SKETCH]


@pytest.mark.parametrize(
    "good", [*ZENTARA, *RAGFORGE, WINDLASS, *ACCESSLINT], ids=lambda good: f"{good.dialect} {good.tool}"
)
def test_a_good_call_is_read_without_a_diagnostic(good: Good) -> None:
    parsed = callwright.parse(good.text, tools=SHIPPED)
    assert [(call.dialect, call.tool, call.arguments) for call in parsed.calls] == [
        (good.dialect, good.tool, good.arguments)
    ]
    assert parsed.diagnostics == []
    assert callwright.parse(good.text, tools=SHIPPED, dialect=good.dialect).diagnostics == []


@pytest.mark.parametrize(
    "bad", [*ZENTARA_TRUNCATED, *WINDLASS_BROKEN, *ACCESSLINT_BROKEN], ids=lambda bad: bad.text[:60]
)
def test_a_bad_call_gets_the_diagnostic_that_its_note_describes(bad: Bad) -> None:
    parsed = callwright.parse(bad.text, tools=SHIPPED)
    found = [each for each in parsed.diagnostics if each.code == bad.code]
    assert len(found) == 1
    assert bad.words in found[0].message
    assert found[0].severity == "error"


@pytest.mark.parametrize(("arguments", "values"), RAGFORGE_ARGUMENTS)
def test_elements_without_a_schema_are_typed_where_they_print_back(arguments: str, values: dict[str, object]) -> None:
    parsed = callwright.parse(ragforge_call(arguments))
    assert [(call.dialect, call.arguments) for call in parsed.calls] == [("tool-call-xml", values)]
    assert parsed.diagnostics == []


def test_a_raw_line_break_in_json_keeps_its_content_and_is_fixed() -> None:
    parsed = callwright.parse(RAGFORGE_BUG, tools=SHIPPED)
    assert parsed.calls[0].arguments == {"content": "## Mon titre\n\nDu contenu avec ```code```"}
    assert {each.code for each in parsed.diagnostics} == {"TC206"}
    text = RAGFORGE_BUG
    for _ in range(3):
        found = callwright.parse(text, tools=SHIPPED).diagnostics
        if found and found[0].fix is not None:
            text = apply_edits(text, found[0].fix.edits)
    fixed = callwright.parse(text, tools=SHIPPED)
    assert (fixed.diagnostics, fixed.calls[0].arguments) == ([], parsed.calls[0].arguments)


def test_a_quoted_string_that_holds_a_call_is_a_passage_of_its_own() -> None:
    parsed = callwright.parse(ZENTARA_QUOTED, tools=SHIPPED)
    assert [(call.dialect, call.tool) for call in parsed.calls] == [("xml-json", "debug_launch")]
    assert parsed.calls[0].arguments == ZENTARA[0].arguments
    assert parsed.calls[0].span.of(ZENTARA_QUOTED).startswith('<debug_launch>{\\"program')
    assert parsed.diagnostics == []


def test_a_fault_in_a_quoted_string_is_shown_and_fixed_in_its_escapes() -> None:
    text = ZENTARA_QUOTED.replace("mode", "mdoe")
    (found,) = callwright.parse(text, tools=SHIPPED).diagnostics
    assert found.name == "unknown-argument"
    assert found.span.of(text) == '\\"mdoe\\"'
    assert found.fix is not None
    assert apply_edits(text, found.fix.edits) == ZENTARA_QUOTED


@pytest.mark.parametrize("sketch", SKETCHES)
def test_placeholders_are_no_error(sketch: str) -> None:
    for tools in (SHIPPED, None):
        parsed = callwright.parse(sketch, tools=tools)
        assert len(parsed.calls) == 1
        assert parsed.diagnostics == []


@pytest.mark.parametrize("good", OLDER, ids=lambda good: good.dialect)
def test_older_formats_are_read(good: Good) -> None:
    for dialect in (None, good.dialect):
        # The notes' values are for show: no tool would take them.
        parsed = callwright.parse(good.text, dialect=dialect)
        assert [(call.dialect, call.tool, call.arguments) for call in parsed.calls] == [
            (good.dialect, good.tool, good.arguments)
        ]
        assert parsed.diagnostics == []


def test_natural_language_is_no_call() -> None:
    parsed = callwright.parse(NO_CALL, tools=SHIPPED)
    assert (parsed.calls, parsed.diagnostics) == ([], [])


@pytest.mark.parametrize(
    ("note", "calls", "errors"),
    [
        ("json-in-xml", ["debug_launch"], []),
        ("xml-with-cdata", ["append_to_report", "append_to_report", "${exampleTool1}", "${exampleTool1}"], []),
        ("go-debugger", [], []),
        # Both are shown as what an agent got wrong: `…)"}}}}` in Turn 1, and `{"tool": "run_code", ...}}}}` in the log.
        ("feedback-loop", ["run_code"] * 4, [("TC201", "}}"), ("TC201", "}}}")]),
        # The third attempt, "rejected with schema: Missing required parameter: file_path".
        ("strict-xml", ["tool_name", "read_file", "read_file", "write_file", "write_file"], [("TC302", "write_file")]),
    ],
)
def test_a_whole_note_has_no_error_but_those_it_shows(
    note: str, calls: list[str], errors: list[tuple[str, str]]
) -> None:
    text = (NOTES / f"{note}.md").read_text("utf-8")
    snapshot = open_snapshot(text, path=f"{note}.md", registry=SHIPPED, settings=Settings())
    assert [placed.call.tool for placed in snapshot.placed_calls()] == calls
    found = [each for each in diagnostics(snapshot) if each.severity is Severity.ERROR]
    assert [(each.code, each.span.of(text)) for each in found] == errors
