"""The section that teaches tools: what it says, and that every call in it is read as it is meant."""

import json
import re
from xml.etree import ElementTree

import pytest

from callwright.calls.protocol import RenderStyle
from callwright.dialects.base import Dialect
from callwright.dialects.catalogue import all_dialects, find_dialect
from callwright.document.settings import Settings
from callwright.lint.linter import diagnostics
from callwright.lint.opening import open_snapshot
from callwright.teaching.examples import candidates
from callwright.teaching.reading import Example, Referee
from callwright.teaching.rejected import rejected
from callwright.teaching.section import DIALECT_OF, FORMATS, STYLES, Format, SectionOptions, Style, section, teach
from callwright.tools.model import ToolSchema
from callwright.tools.registry import ToolRegistry
from callwright.tools.shipped import shipped_registry, shipped_sets
from support.dialects import general_dialects
from support.sampling import sampled, whole

SETS = shipped_sets()
#: A tool for each thing that a schema says of a parameter.
EVERYTHING = ToolRegistry.of(
    {
        "name": "plan_trip",
        "description": "Plan a trip.\n\nIt is `slow`; see <plan> for more.",
        "input_schema": {
            "type": "object",
            "properties": {
                "city": {"type": "string", "description": "Where to.", "minLength": 2, "maxLength": 40},
                "days": {"type": "integer", "minimum": 1, "maximum": 30, "default": 3},
                "mode": {"enum": ["train", "bus"]},
                "stops": {
                    "type": "array",
                    "minItems": 1,
                    "items": {
                        "type": "object",
                        "properties": {
                            "name": {"type": "string", "description": "Its name."},
                            "tags": {"type": "array", "items": {"type": "string"}},
                        },
                        "required": ["name"],
                    },
                },
                "extra": {"type": "object", "additionalProperties": {"type": "number"}},
                "note": {"type": ["string", "null"], "description": "Anything\n  else."},
                "speed": {"type": "number", "deprecated": True},
            },
            "required": ["city", "stops"],
        },
    }
).tools


def dialect_named(name: str) -> Dialect:
    found = find_dialect(name)
    assert found is not None
    return found


def tools_of(name: str) -> list[ToolSchema]:
    return list(shipped_registry([name]))


def reported_diagnostics(text: str, dialect: Dialect, tools: list[ToolSchema], path: str = "prompt.md") -> list[str]:
    settings = Settings(dialect=dialect.name, strict=True)
    snapshot = open_snapshot(text, path=path, registry=ToolRegistry(tools), settings=settings)
    return [f"{one.code} {one.message} {one.span.of(text)!r}" for one in diagnostics(snapshot)]


def calls_in(text: str, dialect: Dialect, tools: list[ToolSchema]) -> list[str | None]:
    settings = Settings(dialect=dialect.name, strict=True)
    snapshot = open_snapshot(text, path="prompt.md", registry=ToolRegistry(tools), settings=settings)
    return [placed.call.tool for placed in snapshot.placed_calls() if placed.call.dialect == dialect.name]


@pytest.mark.parametrize("dialect", all_dialects(), ids=lambda one: one.name)
def test_every_example_of_every_shipped_tool_is_clean(dialect: Dialect) -> None:
    # A sample teaches one small set in each dialect, and the test below another one.
    for name in SETS if whole() else ("accesslint",):
        tools = tools_of(name)
        for style in STYLES:
            # What styles and dialects change does not depend on the set: one is enough for them.
            if style != "full" and name != "accesslint":
                continue
            for format_ in sampled(FORMATS) if name == "accesslint" else FORMATS[:1]:
                taught = teach(dialect, tools, SectionOptions(style=style, value_format=format_))
                assert reported_diagnostics(taught.text, dialect, tools) == [], (name, style, format_)
                assert "\n\n\n" not in taught.text
                assert taught.text.endswith("\n")
                if style != "full":
                    continue
                shown = set(calls_in(taught.text, dialect, tools))
                lacking = {name for name, _ in taught.refused}
                wanted = {tool.name for tool in tools if tool.deprecated is None}
                assert shown == wanted - lacking


@pytest.mark.parametrize("dialect", general_dialects(), ids=lambda one: one.name)
def test_most_shipped_tools_have_an_example(dialect: Dialect) -> None:
    """Only what a dialect or its engines cannot hold is refused."""
    refused = {
        (name, *one)
        for name in sampled(SETS)
        for one in teach(dialect, tools_of(name), SectionOptions(style="terse")).refused
    }
    allowed = {"functools": 4, "pythonic": 1, "python-action": 1}
    assert len(refused) <= allowed.get(dialect.name, 0), refused


@pytest.mark.parametrize("dialect", general_dialects(), ids=lambda one: one.name)
def test_what_is_shown_as_rejected_is_rejected(dialect: Dialect) -> None:
    for name in sampled(("accesslint", "windlass", "zentara-debug")):
        tools = [tool for tool in tools_of(name) if tool.deprecated is None]
        text = section(dialect, tools, SectionOptions(style="strict"))
        wrong = re.findall(r"^- ❌ (`+) ?(.+?) ?\1: ", text, re.MULTILINE)
        assert len(wrong) >= 3
        referee = Referee(dialect, tools)
        example = next(
            one
            for tool in tools
            for arguments in candidates(tool)
            for one in [Example(tool, arguments)]
            if arguments and isinstance(referee.written([one], RenderStyle()), str)
        )
        texts = [one.text for one in rejected(referee, example)]
        assert [one.replace("\n", "\\n") for one in texts] == [shown for _, shown in wrong]
        for one in texts:
            found = reported_diagnostics(one, dialect, tools)
            assert found or not calls_in(one, dialect, tools), one


@pytest.mark.parametrize("dialect", general_dialects(), ids=lambda one: one.name)
def test_quoted_examples_are_strings_of_clean_calls(dialect: Dialect) -> None:
    tools = tools_of("accesslint")
    text = section(dialect, tools, SectionOptions(style="quoted"))
    strings = re.findall(r'^(`*) ?(".*") ?\1$', text, re.MULTILINE)
    assert len(strings) >= 7
    for _, quoted in strings:
        call = json.loads(quoted)
        assert calls_in(call, dialect, tools)
        assert reported_diagnostics(call, dialect, tools) == []


@pytest.mark.parametrize("dialect", general_dialects(), ids=lambda one: one.name)
def test_in_plain_text_a_section_is_clean_too(dialect: Dialect) -> None:
    tools = tools_of("accesslint")
    for style in sampled(STYLES):
        text = section(dialect, tools, SectionOptions(style=style, masked=False))
        assert reported_diagnostics(text, dialect, tools, "prompt.txt") == [], style
        assert calls_in(text, dialect, tools)


def test_the_list_of_tools_states_what_a_schema_states() -> None:
    text = section(dialect_named("hermes"), EVERYTHING)
    assert "### `plan_trip`\n\nPlan a trip.\n\nIt is `slow`; see `<plan>` for more.\n" in text
    assert "- `city` (string, required, at least 2 characters, at most 40 characters): Where to.\n" in text
    assert "- `days` (integer, optional, at least 1, at most 30, default `3`)\n" in text
    assert '- `mode` (one of `"train"`, `"bus"`, optional)\n' in text
    assert "- `stops` (array of objects, required, at least 1 item)\n" in text
    assert "  - `name` (string, required): Its name.\n" in text
    assert "  - `tags` (array of strings, optional)\n" in text
    assert "- `extra` (object whose values are numbers, optional)\n" in text
    assert "- `note` (string or null, optional): Anything else.\n" in text
    assert "speed" not in text


def test_a_dialect_without_types_shows_choices_without_quotes() -> None:
    assert "- `mode` (one of `train`, `bus`, optional)\n" in section(dialect_named("xml-children"), EVERYTHING)


def test_the_terse_style_takes_one_line_for_each_tool() -> None:
    text = section(dialect_named("hermes"), EVERYTHING, SectionOptions(style="terse"))
    line = (
        '- `plan_trip(city: string, days?: integer, mode?: "train" | "bus", stops: {name: string, tags?: string[]}[],'
        " extra?: {[name]: number}, note?: string | null)`: Plan a trip.\n"
    )
    assert line in text
    assert text.index(line) < text.index("### How to write a call") < text.index("<tool_call>\n")


def test_alternatives_of_required_parameters_are_reported() -> None:
    text = section(dialect_named("xml-json"), tools_of("zentara-debug"))
    assert "Give at least one of these: `program`, `configName`.\n" in text


@pytest.mark.parametrize("value_format", FORMATS[1:])
def test_a_list_as_data_is_that_data(value_format: Format) -> None:
    text = section(dialect_named(DIALECT_OF[value_format]), EVERYTHING, SectionOptions(value_format=value_format))
    block = re.search(rf"^```{value_format}\n(.*?)\n```$", text, re.MULTILINE | re.DOTALL)
    assert block is not None
    if value_format == "xml":
        (tool,) = ElementTree.fromstring(block[1])  # noqa: S314 - our own text
        assert tool.get("name") == "plan_trip"
        assert tool.findtext("description") == "Plan a trip. It is `slow`; see <plan> for more."
        assert [one.get("name") for one in tool.iter("parameter")] == [
            *("city", "days", "mode", "stops", "name", "tags", "extra", "note")
        ]
        return
    if value_format == "json":
        read = json.loads(block[1])
    else:
        from ruamel.yaml import YAML

        read = YAML(typ="safe").load(block[1])
    (tool,) = read
    assert tool["name"] == "plan_trip"
    assert tool["description"] == EVERYTHING[0].description
    expected = {**EVERYTHING[0].input_schema["properties"]}
    del expected["speed"]
    assert tool["parameters"]["properties"] == expected


@pytest.mark.parametrize("style", STYLES)
def test_without_tools_it_states_so(style: Style) -> None:
    assert section(dialect_named("hermes"), [], SectionOptions(style=style)) == "## Tools\n\nThere are no tools.\n"


def test_deprecated_tools_are_taught_only_where_they_are_asked_for() -> None:
    tools = tools_of("mcp-go-debugger")
    old = {tool.name for tool in tools if tool.deprecated is not None}
    assert old
    usual = section(dialect_named("hermes"), tools)
    every = section(dialect_named("hermes"), tools, SectionOptions(deprecated=True))
    for name in old:
        assert f"### `{name}`\n" not in usual
        assert f"### `{name}`\n\nDeprecated" in every


def test_one_call_a_reply_where_it_is_wanted_or_the_dialect_has_no_more() -> None:
    tools = tools_of("accesslint")
    several = "Several calls in one reply:"
    assert several in section(dialect_named("hermes"), tools)
    assert several not in section(dialect_named("hermes"), tools, SectionOptions(several=False))
    assert several not in section(dialect_named("react"), tools)
    assert "Write only one call in a reply." in section(dialect_named("react"), tools)


def test_headings_have_the_level_that_is_asked_for() -> None:
    tools = tools_of("accesslint")
    deep = section(dialect_named("hermes"), tools, SectionOptions(heading_level=3))
    assert deep.startswith("### Tools\n")
    assert "\n#### `read_file`\n" in deep
    bold = section(dialect_named("hermes"), tools, SectionOptions(heading_level=0))
    assert bold.startswith("**Tools**\n")
    assert re.search("^#", bold, re.MULTILINE) is None


def test_without_examples_there_is_no_call() -> None:
    tools = tools_of("accesslint")
    for style in STYLES:
        text = section(dialect_named("xml-json"), tools, SectionOptions(style=style, examples=False))
        assert calls_in(text, dialect_named("xml-json"), tools) == []
        assert "xample" not in text


@pytest.mark.parametrize("value_format", ["json", "yaml"])
def test_only_keywords_are_ever_left_out_of_a_schema(value_format: Format) -> None:
    (tool,) = ToolRegistry.of(
        {
            "name": "send",
            "inputSchema": {
                "$schema": "https://json-schema.org/draft/2020-12/schema",
                "type": "object",
                "x-internal": "left-out",
                "properties": {
                    "x-request-id": {"type": "string", "x-order": "left-out"},
                    "headers": {"type": "object", "default": {"x-trace": "kept"}},
                },
                "required": ["x-request-id"],
            },
        }
    )
    text = section(dialect_named(DIALECT_OF[value_format]), [tool], SectionOptions(value_format=value_format))
    listed = text[text.index(f"```{value_format}\n", text.index("The tools")) :]
    assert listed.count("x-request-id") >= 2
    assert "x-trace" in listed
    assert "left-out" not in listed
    assert "$schema" not in listed
