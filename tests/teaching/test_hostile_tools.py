"""Whatever tools say of themselves, the section that teaches them holds its own calls alone, and is clean."""

import json
from typing import Any

from hypothesis import assume, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from callwright.dialects.catalogue import dialect_names, find_dialect
from callwright.document.settings import Settings
from callwright.lint.linter import diagnostics
from callwright.lint.opening import open_snapshot
from callwright.teaching.section import FORMATS, STYLES, Format, SectionOptions, Style, teach
from callwright.tools.registry import ToolRegistry
from support.sampling import tries

#: What begins calls, ends them, or is mistaken for either, in one dialect or another.
FRAGMENTS = (
    *("<read_file>", "</read_file>", "<path>", "</tool_call>", "<tool_call>", '{"name": "read_file", "arguments": {}}'),
    *("]]>", "<![CDATA[", "<!--", "-->", "&lt;", "&", "<", ">", "`", "```", "```json", "~~~", '"', "'", "\\", "\\n"),
    *("{", "}", "[", "]", "{{ x }}", "{% if %}", "${x}", "[read_file(path='a')]", "TOOL_CALL: read_file", "INPUT: {}"),
    *("Action: read_file", "Action Input: {}", ">>>", "<|python_tag|>", "[TOOL_CALLS]", "functools[", "<think>"),
    *('<invoke name="read_file">', "<function=read_file>", "tool_calls:", "- tool_name: read_file", "<｜DSML｜"),
    *("]<]minimax[>[", "</think>", "|", "word", "two words", "é", "日本", "\u2028", "> quote", "# Title", "- item"),
    *("\n", "\n\n", "\r\n", "\t", "    ", "1. item", "\x00", "\ud800", "\ufdd0", "\u200b", "\ufeff"),
    *("...", "File path here", "<your text>"),
)
TEXTS = st.lists(st.sampled_from(FRAGMENTS), max_size=6).map("".join) | st.text(max_size=20)
PLAIN = st.sampled_from(["read_file", "path", "content", "tool_name", "arguments", "name", "a-b", "data", "x"])
NAMES = PLAIN | st.lists(st.sampled_from(FRAGMENTS), min_size=1, max_size=2).map("".join)
VALUES = st.none() | st.booleans() | st.integers(-5, 5) | st.floats(allow_nan=False, allow_infinity=False) | TEXTS
LEAVES = st.fixed_dictionaries(
    {},
    optional={
        "type": st.sampled_from(["string", "integer", "number", "boolean", "null", "array", "object", "what"]),
        "description": TEXTS,
        "enum": st.lists(VALUES, max_size=3),
        "const": VALUES,
        "default": VALUES,
        "examples": st.lists(VALUES, max_size=2),
        "minimum": st.integers(-3, 3),
        "minLength": st.integers(0, 3),
        "pattern": TEXTS,
        "format": TEXTS,
        "$ref": st.sampled_from(["#", "#/$defs/a", "https://example.com/x"]),
    },
)


def _grown(children: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    objects = st.fixed_dictionaries(
        {"type": st.just("object"), "properties": st.dictionaries(NAMES, children, max_size=3)},
        optional={"required": st.lists(NAMES, max_size=2), "additionalProperties": children | st.booleans()},
    )
    lists = st.fixed_dictionaries({"type": st.just("array"), "items": children}, optional={"description": TEXTS})
    unions = st.fixed_dictionaries({"anyOf": st.lists(children, min_size=1, max_size=3)})
    return objects | lists | unions


SCHEMAS = st.recursive(LEAVES, _grown, max_leaves=6)
PARAMETERS = st.fixed_dictionaries(
    {"type": st.just("object"), "properties": st.dictionaries(NAMES, SCHEMAS, max_size=3)},
    optional={"required": st.lists(NAMES, max_size=2)},
)
TOOLS = st.lists(
    st.fixed_dictionaries(
        {"name": NAMES, "description": TEXTS, "input_schema": PARAMETERS},
        optional={"input_examples": st.lists(st.dictionaries(NAMES, VALUES, max_size=2), max_size=2)},
    ),
    max_size=3,
)


@hypothesis_settings(max_examples=tries(150), deadline=None)
@given(TOOLS, st.sampled_from(dialect_names()), st.sampled_from(STYLES), st.sampled_from(FORMATS), st.booleans())
def test_no_word_of_a_tool_becomes_a_call(
    definitions: list[dict[str, Any]], name: str, style: Style, value_format: Format, masked: bool
) -> None:
    # In plain text, where backticks have no meaning, the words about this frame are a call of such a tool.
    assume(masked or name != "tool-call-json" or '"tool_name"' not in json.dumps(definitions))
    dialect = find_dialect(name)
    assert dialect is not None
    tools = list(ToolRegistry.of(definitions))
    taught = teach(dialect, tools, SectionOptions(style=style, value_format=value_format, masked=masked))
    assert taught == teach(dialect, tools, SectionOptions(style=style, value_format=value_format, masked=masked))
    assert taught.text.endswith("\n")
    assert not taught.text.endswith("\n\n")
    taught.text.encode()
    # Names of this sort are not written as they are, and rules about documentation would report that.
    settings = Settings(dialect=name, strict=True, ignore=("TC81",))
    path = "prompt.md" if masked else "prompt.txt"
    snapshot = open_snapshot(taught.text, path=path, registry=ToolRegistry(tools), settings=settings)
    found = [f"{one.code} {one.message} {one.span.of(taught.text)!r}" for one in diagnostics(snapshot)]
    assert found == [], taught.text
    called = [placed.call.tool for placed in snapshot.placed_calls()]
    assert set(called) <= {tool.name for tool in tools}
