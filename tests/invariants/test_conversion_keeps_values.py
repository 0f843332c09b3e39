"""Invariant 5, conversion keeps values: A → B → A gives the same arguments, or a refusal that says why."""

from __future__ import annotations

from itertools import permutations
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from callwright.calls.protocol import Refusal, RenderStyle
from callwright.conversion import convert_document, first_difference
from callwright.dialects.catalogue import dialect_names, find_dialect
from callwright.linter import diagnostics
from callwright.rules.base import Severity
from callwright.tools.registry import ToolRegistry
from invariants.texts import EMPTY, GOOD_CALLS, REGISTRY, opened

if TYPE_CHECKING:
    from collections.abc import Mapping

PAIRS = list(permutations(dialect_names(), 2))

NASTY = [
    *(
        "",
        " ",
        "  two  ",
        "\n",
        "\n\n",
        "a\n",
        "\na",
        "\n\na\n\n",
        " \n x \n ",
        "\t",
        "a\tb",
        "\r",
        "\r\n",
        "a\rb",
        "a\r\nb\r\n",
    ),
    *(
        "]]>",
        "a]]>b]]>",
        "]]",
        "]",
        "]]]]>>",
        "<![CDATA[",
        "<![CDATA[x]]>",
        "</tool>",
        "</value>",
        "</read_file>",
        "</tool_call>",
    ),
    *("</arguments>", "<arguments>", "<b>x</b>", "<", ">", "&", "&amp;", "&#10;", "<!-- x -->", "<?pi?>", "-->"),
    *(
        "```",
        "```json\n{}\n```",
        "\n```\n",
        "~~~",
        "`x`",
        '{"a": 1}',
        "[1]",
        "{",
        "}",
        '"',
        "\\",
        '\\"',
        "'",
        "\\n",
        "\\u0041",
    ),
    *(
        "007",
        "7",
        "-0",
        "1.0",
        "1e400",
        "true",
        "True",
        "null",
        "none",
        "NaN",
        "yes",
        "...",
        "…",
        "${x}",
        "{{x}}",
        "File path here",
    ),
    *(
        "é",
        "😀",
        "\u2028",
        "\x85",
        "\ufeff",
        "\ud800",
        "\udfff\ud800",
        "\x00",
        "\x01",
        "\x1f",
        "\x7f",
        "\ufffe",
        "\uffff",
    ),
    *("a" * 200, "x\n" * 60, "<a>" * 30),
]
TEXT = st.one_of(
    st.sampled_from(NASTY), st.text(max_size=12), st.lists(st.sampled_from(NASTY), max_size=3).map("".join)
)
NUMBERS = st.one_of(st.integers(), st.integers(-(10**30), 10**30), st.floats(allow_nan=False, allow_infinity=False))
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.one_of(TEXT, NUMBERS, st.booleans(), st.none()),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(["a", "b_c", "item", "x1"]), inner, max_size=3)
    ),
    max_leaves=6,
)

_TEXTS = {"type": "string"}
_SCHEMAS: dict[str, tuple[Mapping[str, Any], st.SearchStrategy[Any]]] = {
    "text": (_TEXTS, TEXT),
    "count": ({"type": "integer"}, st.integers()),
    "ratio": ({"type": "number"}, NUMBERS),
    "flag": ({"type": "boolean"}, st.booleans()),
    "maybe": ({"type": ["string", "null"]}, st.one_of(TEXT, st.none())),
    "mode": ({"enum": ["a", "b c", 1, None]}, st.sampled_from(["a", "b c", 1, None])),
    "names": ({"type": "array", "items": _TEXTS}, st.lists(TEXT, max_size=3)),
    "grid": (
        {"type": "array", "items": {"type": "array", "items": {"type": "integer"}}},
        st.lists(st.lists(st.integers(), max_size=2), max_size=2),
    ),
    "env": (
        {"type": "object", "additionalProperties": _TEXTS},
        st.dictionaries(st.sampled_from(["A", "b-c", "item"]), TEXT, max_size=2),
    ),
    "edits": (
        {"type": "array", "items": {"type": "object", "properties": {"old": _TEXTS, "new": _TEXTS}}},
        st.lists(st.fixed_dictionaries({"old": TEXT}, optional={"new": TEXT}), max_size=3),
    ),
    "any": ({}, VALUES),
}


@st.composite
def typed_calls(draw: st.DrawFn) -> tuple[ToolRegistry, dict[str, Any]]:
    """Return a tool with some of the parameters above, and arguments that its schema takes."""
    names = draw(st.lists(st.sampled_from(sorted(_SCHEMAS)), unique=True, max_size=4))
    schema = {"type": "object", "properties": {name: _SCHEMAS[name][0] for name in names}}
    markup = draw(st.sampled_from(["xml", "xml", "raw"]))
    tool = {"name": "do_things", "description": "", "inputSchema": schema, "markup": markup}
    return ToolRegistry.of([tool]), {name: draw(_SCHEMAS[name][1]) for name in names}


def written(
    tool: str, arguments: Mapping[str, Any], dialect: str, registry: ToolRegistry, *, compact: bool
) -> str | None:
    """Return a call in `dialect` that reads back to the arguments, None where the dialect refuses."""
    found = find_dialect(dialect)
    assert found is not None
    known = registry.get(tool)
    text = found.render(tool, arguments, known[0] if known else None, RenderStyle(compact=compact))
    if isinstance(text, Refusal):
        assert text.reason
        return None
    return text


def only_call(text: str, registry: ToolRegistry) -> tuple[str | None, dict[str, Any], str] | None:
    placed = list(opened(text, registry=registry).placed_calls())
    if len(placed) != 1:
        return None
    return placed[0].call.tool, placed[0].binding.arguments, placed[0].call.dialect


def assert_round_trip(
    tool: str, arguments: dict[str, Any], one: str, other: str, registry: ToolRegistry, *, compact: bool
) -> None:
    text = written(tool, arguments, one, registry, compact=compact)
    if text is None:
        return
    source = f"Before.\n\n{text}\n\nAfter.\n"
    read = only_call(source, registry)
    if read is None or read[0] != tool or first_difference(read[1], arguments) is not None:
        # A dialect without types may write what reads as something else; conversion must find that out, below.
        assert find_dialect(one) is not None
        assert one in ("xml-children", "tool-call-xml")
        if read is None:
            return
    there = convert_document(opened(source, registry=registry), other)
    assert there.converted + len(there.refused) == 1
    if there.refused:
        assert there.refused[0].reason
        assert there.text == source
        return
    assert there.text.startswith("Before.\n\n")
    assert there.text.endswith("\n\nAfter.\n")
    middle = only_call(there.text, registry)
    assert middle is not None
    assert (middle[0], middle[2]) == (tool, other)
    assert first_difference(read[1], middle[1]) is None, f"{read[1]} became {middle[1]}"
    assert not [each for each in diagnostics(opened(there.text, registry=registry)) if each.severity is Severity.ERROR]
    back = convert_document(opened(there.text, registry=registry), one)
    if back.refused:
        assert back.refused[0].reason
        return
    again = only_call(back.text, registry)
    assert again is not None
    assert first_difference(read[1], again[1]) is None


@settings(max_examples=250, deadline=None)
@given(call=typed_calls(), pair=st.sampled_from(PAIRS), compact=st.booleans())
def test_typed_arguments_survive_there_and_back(
    call: tuple[ToolRegistry, dict[str, Any]], pair: tuple[str, str], *, compact: bool
) -> None:
    registry, arguments = call
    assert_round_trip("do_things", arguments, *pair, registry, compact=compact)


@settings(max_examples=250, deadline=None)
@given(
    arguments=st.dictionaries(st.sampled_from(["a", "b_c", "path"]), VALUES, max_size=3),
    pair=st.sampled_from(PAIRS),
    compact=st.booleans(),
)
def test_arguments_without_a_schema_survive_or_are_refused(
    arguments: dict[str, Any], pair: tuple[str, str], *, compact: bool
) -> None:
    assert_round_trip("do_things", arguments, *pair, EMPTY, compact=compact)


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: f"{pair[0]} to {pair[1]}")
@pytest.mark.parametrize("value", NASTY)
def test_a_text_that_a_schema_knows_survives(value: str, pair: tuple[str, str]) -> None:
    assert_round_trip("write_file", {"path": "a", "content": value}, *pair, REGISTRY, compact=False)


@pytest.mark.parametrize("to", dialect_names())
@pytest.mark.parametrize("call", GOOD_CALLS)
def test_good_calls_are_converted_and_not_refused(call: str, to: str) -> None:
    before = [placed.binding.arguments for placed in opened(call).placed_calls()]
    result = convert_document(opened(call), to)
    assert not result.refused
    after = list(opened(result.text).placed_calls())
    assert [placed.call.dialect for placed in after] == [to] * len(before)
    assert [placed.binding.arguments for placed in after] == before
    assert diagnostics(opened(result.text)) == []


@pytest.mark.parametrize(
    ("arguments", "to", "words"),
    [
        ('{"a": "\\u0000"}', "xml-children", "U+0000"),
        ('{"a": "007", "b": "7"}', "xml-children", "`b` would not keep its value"),
        ('{"a b": 1}', "xml-children", "`a b` is no name"),
        ('{"a": null}', "xml-children", "`a` would not keep its value"),
        ('{"a": []}', "tool-call-xml", "`a` would not keep its value"),
        ('{"a": [1]}', "tool-call-xml", "`a` would not keep its value"),
    ],
)
def test_what_a_dialect_cannot_hold_is_refused_with_the_reason(arguments: str, to: str, words: str) -> None:
    text = f"<do_things>{arguments}</do_things>"
    result = convert_document(opened(text, registry=EMPTY), to)
    assert (result.text, result.converted) == (text, 0)
    assert words in result.refused[0].reason
    assert result.refused[0].span.of(text) == text
