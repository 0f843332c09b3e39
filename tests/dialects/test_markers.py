"""What is known of the dialects' markers where no dialect may be known follows from the dialects themselves."""

from __future__ import annotations

import pytest

from callwright.calls.envelopes import Envelope
from callwright.calls.markers import call_tags, openers
from callwright.dialects.catalogue import all_dialects
from callwright.document.settings import Settings
from callwright.lint.linter import diagnostics
from callwright.lint.opening import open_snapshot
from callwright.tools.registry import ToolRegistry
from dialects.test_added_dialects import TOOLS, dialect_of
from support.added_dialects import added_dialects

OBJECT = '{"name": "take_it", "arguments": {"path": "a"}}'


def test_the_openers_are_those_that_the_dialects_declare() -> None:
    assert openers() == {opener for dialect in all_dialects() for opener in dialect.openers}


def test_tags_with_other_uses_frame_no_calls() -> None:
    assert {"tool_call", "invoke", "TOOLCALL", "longcat_tool_call"} <= call_tags()
    assert not {"function", "code", "execute_bash"} & call_tags()


@pytest.mark.parametrize("written", ["</tool_call>", "</longcat_tool_call>", "</added_call>"])
def test_the_closer_of_another_dialect_is_taken_for_the_one_that_is_missing(written: str) -> None:
    with added_dialects(dialect_of("added", Envelope("<added_call>", "</added_call>"))):
        registry = ToolRegistry.of(TOOLS)
        text = f"<dots_function_call>{OBJECT}{written}\n"
        snapshot = open_snapshot(text, path="a.md", registry=registry, settings=Settings(dialect="hermes"))
        assert [each.code for each in diagnostics(snapshot)] == ["TC102"]


def test_the_element_of_an_added_dialect_frames_calls_in_a_file_of_xml() -> None:
    text = f"<prompt><added_call>{OBJECT.replace('take_it', 'taek_it')}</added_call></prompt>\n"
    with added_dialects(dialect_of("added", Envelope("<added_call>", "</added_call>"))):
        registry = ToolRegistry.of(TOOLS)
        snapshot = open_snapshot(text, path="a.xml", registry=registry, settings=Settings())
        assert [placed.call.tool for placed in snapshot.placed_calls()] == ["taek_it"]
