"""The library's face: what `parse`, `check` and `convert` take, give and refuse."""

from __future__ import annotations

import subprocess
import sys
from functools import partial
from typing import Any

import pytest

import callwright
from callwright import runtime
from callwright.runtime import StrictParser

TEXT = 'Well:\n\n<debug_launch>{"program": "a.py", "mode": "pytst"}</debug_launch>\n'
TOOL = {
    "name": "debug_launch",
    "description": "",
    "inputSchema": {
        "type": "object",
        "properties": {"program": {"type": "string"}, "mode": {"enum": ["pytest"]}},
        "required": ["program"],
    },
}


def test_parse_gives_calls_and_diagnostics_with_places_and_fixes() -> None:
    parsed = callwright.parse(TEXT, tools=[TOOL])
    (call,) = parsed.calls
    assert (call.tool, call.arguments, call.dialect) == (
        "debug_launch",
        {"program": "a.py", "mode": "pytst"},
        "xml-json",
    )
    assert TEXT[call.span.start : call.span.end] == TEXT.strip().split("\n")[-1]
    (found,) = parsed.diagnostics
    assert (found.code, found.name, found.severity) == ("TC305", "not-in-enum", "error")
    assert TEXT[found.span.start : found.span.end] == '"pytst"'
    assert found.fix is not None


@pytest.mark.parametrize("tools", [None, []])
def test_no_registry_objects_to_no_name(tools: list[dict[str, object]] | None) -> None:
    parsed = callwright.parse(TEXT, tools=tools)
    assert [call.tool for call in parsed.calls] == ["debug_launch"]
    assert parsed.diagnostics == []


def test_convert_is_a_function_whatever_was_imported_before() -> None:
    code = (
        "import callwright, callwright.lint.linter, callwright.conversion, callwright.rules.other_dialect;"
        "print(callwright.convert('<do_it>{\"a\": \"x\"}</do_it>', 'xml-children').text)"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout == "<do_it><a>x</a></do_it>\n"


def test_a_demanded_dialect_makes_another_a_diagnostic_with_the_conversion_as_its_fix() -> None:
    (found,) = callwright.parse("<do_it><a>x</a></do_it>", dialect="xml-json").diagnostics
    assert found.fix is not None
    assert found.fix.edits[0].text == '<do_it>{"a": "x"}</do_it>'


def test_an_unknown_dialect_is_refused_with_those_there_are() -> None:
    with pytest.raises(ValueError, match=r"there is no dialect `xml`; there are .*`fenced-json`"):
        callwright.parse("", dialect="xml")
    with pytest.raises(ValueError, match="there is no dialect `yamml`"):
        callwright.convert("", "yamml")
    with pytest.raises(ValueError, match="there is no dialect `None`"):
        callwright.instructions(None, tools=[TOOL])  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("style", "stated"), [("short", "there are `terse`"), ("ters", r"did you mean `terse`\? There")]
)
def test_an_unknown_style_of_a_section_is_refused(style: Any, stated: str) -> None:
    with pytest.raises(ValueError, match=f"there is no style `{style}`; {stated}"):
        callwright.instructions("hermes", tools=[TOOL], style=style)


def test_a_misspelt_dialect_is_refused_with_the_one_that_was_meant() -> None:
    meant = "there is no dialect `herms`; did you mean `hermes`\\? There are `anthropic-json`"
    with pytest.raises(ValueError, match=meant):
        callwright.parse("", dialect="herms")
    with pytest.raises(ValueError, match=meant):
        callwright.convert("", "herms")
    with pytest.raises(ValueError, match=meant):
        runtime.StrictParser(tools=[TOOL], dialect="herms")
    with pytest.raises(ValueError, match=meant):
        runtime.render_results([], "herms")


@pytest.mark.parametrize("name", runtime.__all__)
def test_each_public_name_of_the_runtime_can_be_imported(name: str) -> None:
    assert getattr(runtime, name) is not None


def test_what_a_program_annotates_is_public() -> None:
    for name in ("Approve", "Call", "CallClosed", "Event", "Model"):
        assert name in runtime.__all__


@pytest.mark.parametrize("text", [None, 5, b"text"])
def test_a_text_that_is_none_is_refused(text: Any) -> None:
    for door in (
        callwright.parse,
        callwright.check,
        partial(callwright.check, path="a.md"),
        partial(callwright.convert, to="hermes"),
    ):
        with pytest.raises(TypeError, match=f"the text is a `{type(text).__name__}`: (it must be|decode)"):
            door(text)


def test_check_reads_a_file_as_its_ending_states() -> None:
    source = '{"messages": [{"role": "user", "content": "<debug_launch>{\\"mode\\": \\"pytest\\"}</debug_launch>"}]}'
    assert [each.code for each in callwright.check(source, tools=[TOOL], path="a.json")] == ["TC302"]


def test_one_call_of_several_is_converted_where_a_place_states_which() -> None:
    text = "<a_b><x>1</x></a_b> and <c_d><x>2</x></c_d>"
    conversion = callwright.convert(text, "xml-json", at=text.index("c_d"))
    assert str(conversion) == '<a_b><x>1</x></a_b> and <c_d>{"x": 2}</c_d>'
    assert (conversion.converted, conversion.refused) == (1, ())
    assert callwright.convert(text, "xml-json", at=text.index(" and") + 2).text == text


def test_the_instructions_teach_what_the_strict_parser_takes() -> None:
    text = callwright.instructions("xml-json", tools=[TOOL], style="strict")
    calls, error = StrictParser(tools=[TOOL], dialect="xml-json").parse(text)
    assert error is None
    assert calls
    with pytest.raises(ValueError, match="there is no dialect `xml`"):
        callwright.instructions("xml", tools=[TOOL])
