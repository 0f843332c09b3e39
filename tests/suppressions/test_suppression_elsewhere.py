"""Suppressions in files that hold no calls, and where they count for nothing."""

from __future__ import annotations

import pytest

from callwright.declarations.load import read_tools
from callwright.document.settings import Settings
from callwright.fix.fixer import fix_all
from callwright.fix.ignoring import ignore
from callwright.hosts.catalogue import find_host
from callwright.lint.files import tool_diagnostics
from callwright.lint.linter import diagnostics
from callwright.lint.opening import open_snapshot
from callwright.rules.base import ErrorType
from callwright.runtime.strict import StrictParser
from callwright.text.span import apply_edits
from callwright.tools.documents import read_tool_document
from support.engine import registry_named, snapshot_of

BAD = "<raed_file><path>a.py</path></raed_file>"
TOOLS = """\
# callwright: ignore[TC508] -- soon
- name: one
  # callwright: ignore[TC509]
  inputSchema: {type: object, properties: {a: {type: string}}}
- name: two
  inputSchema: {type: object, properties: {a: {type: string}}}
"""


def found_in(text: str, file: str) -> list[tuple[str, str]]:
    document = read_tool_document(text, file)
    return [(each.code, each.span.of(text)) for each in tool_diagnostics(document, document.registry, Settings())]


def test_in_a_tool_file_a_comment_is_for_a_definition_or_a_line() -> None:
    assert found_in(TOOLS, "tools.yaml") == [("TC508", "two"), ("TC509", "a")]
    opened = open_snapshot(
        TOOLS,
        path="tools.yaml",
        registry=read_tools(TOOLS, "tools.yaml"),
        settings=Settings(),
        host=find_host("tool-file"),
    )
    assert [each.code for each in diagnostics(opened)] == ["TC508", "TC509"]
    text = apply_edits(TOOLS, ignore(opened).edits)
    assert found_in(text, "tools.yaml") == []
    assert text.count("# callwright: ignore") == 4


def test_a_tool_file_in_json_has_no_comments() -> None:
    text = '[{"name": "one", "inputSchema": {"type": "object"}}]'
    opened = open_snapshot(
        text, path="tools.json", registry=read_tools(text, "t.json"), settings=Settings(), host=find_host("tool-file")
    )
    written = ignore(opened)
    assert not written.edits
    assert [each.code for each in written.left] == ["TC508"]


def test_what_is_off_in_the_settings_is_stated_of_no_comment() -> None:
    text = f"<!-- callwright: ignore[TC302] -->\n{BAD}\n"
    for quiet in (Settings(severity={"TC901": "off"}), Settings(ignore=("unused-suppression",))):
        assert [each.code for each in diagnostics(snapshot_of(text, settings=quiet))] == ["TC301"]
    loud = diagnostics(snapshot_of(text, settings=Settings(severity={"unused-suppression": "error"})))
    assert [(each.code, each.severity.value) for each in loud] == [("TC901", "error"), ("TC301", "error")]


def test_a_comment_cannot_hide_that_comments_do_nothing() -> None:
    text = "<!-- callwright: ignore-file[TC9] -->\n<!-- callwright: ignore[TC302] -->\nText.\n"
    assert [each.code for each in diagnostics(snapshot_of(text))] == ["TC901", "TC901"]


def test_fixes_leave_alone_what_is_suppressed() -> None:
    text = f"<!-- callwright: disable[TC301] -->\n{BAD}\n"
    assert fix_all(snapshot_of(text), unsafe=True) == (text, [])


@pytest.mark.parametrize("comment", ["<!-- callwright: ignore -->", "<!-- callwright: ignore-file[ALL] -->"])
def test_a_reply_has_no_comments(comment: str) -> None:
    parser = StrictParser(tools=registry_named("examples"), dialect="xml-children")
    calls, error = parser.parse(f"{comment}\n{BAD}")
    assert calls == []
    assert error is not None
    assert error.type is ErrorType.UNKNOWN_TOOL
