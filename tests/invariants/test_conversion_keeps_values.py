"""Invariant 5, conversion keeps values: A → B → A gives the same arguments, or a refusal that says why.

Every dialect of the catalogue is tried, and every marker of every one inside the values of every other.
"""

from __future__ import annotations

import json
from itertools import permutations
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from callwright.calls.protocol import Refusal, RenderStyle
from callwright.conversion import convert_document, first_difference
from callwright.dialects.catalogue import find_dialect
from callwright.document.settings import Settings
from callwright.lint.linter import diagnostics
from callwright.rules.base import Severity
from callwright.tools.registry import ToolRegistry
from invariants.corpus import call_markers_of, markers, seeded
from invariants.texts import EMPTY, REGISTRY, opened
from support.dialects import general_names
from support.sampling import sampled, tries

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

PAIRS = list(permutations(general_names(), 2))
#: A dialect that holds whatever JSON holds, from which all others are reached.
CARRIER = "tool-call-json"
#: Each dialect with the dialect that its calls come from and return to.
CARRIED = [(name, CARRIER if name != CARRIER else "fenced-json") for name in general_names()]
each_dialect = pytest.mark.parametrize(("dialect", "carrier"), CARRIED, ids=[name for name, _ in CARRIED])

NASTY = [
    *("", " ", "  two  ", "\n", "\n\n", "a\n", "\na", "\n\na\n\n", " \n x \n ", "\t", "a\tb", "\r", "\r\n", "a\rb"),
    *("a\r\nb\r\n", "]]>", "a]]>b]]>", "]]", "]", "]]]]>>", "<![CDATA[", "<![CDATA[x]]>", "</tool>", "</value>"),
    *("</read_file>", "</tool_call>", "</arguments>", "<arguments>", "<b>x</b>", "<", ">", "&", "&amp;", "&#10;"),
    *("<!-- x -->", "<?pi?>", "-->", "```", "```json\n{}\n```", "\n```\n", "~~~", "`x`", '{"a": 1}', "[1]", "{", "}"),
    *('"', "\\", '\\"', "'", "'''", '"""', "\\n", "\\u0041", "007", "7", "-0", "1.0", "1e400", "true", "True", "null"),
    *("none", "None", "NaN", "yes", "...", "…", "${x}", "{{x}}", "File path here", "é", "😀", "\u2028", "\x85"),
    *("\ufeff", "\ud800", "\udfff\ud800", "\x00", "\x01", "\x1f", "\x7f", "\ufffe", "\uffff", "\xa0x\xa0", "\x0b\x0c"),
    *("a" * 200, "x\n" * 60, "<a>" * 30, "\\" * 31, '"' * 9, "f(a='x')", "a=1, b=2", "x)", ")]", ";", "a: b", "- a"),
    *("# a", "%TAG", "| a", "> a", "!!int 1", "*a", "&a b", "key: [", "2024-01-01", "0x1F", "1_000", "~", "on", "|"),
    *("a\n\nObservation: b", "Action: f\nAction Input: {}", "</s>", "<think>", "</think>", "<think>x</think>", "---"),
]
#: Names that some dialects cannot write.
ODD_KEYS = [
    *("", " ", "a b", "a.b", "é", "<x>", 'a"b', "a'b", "true", "1", "-", "\n", "=", "a=b", "class", "None", "a:b"),
    *("#", "\x00", "item", "name", "arguments", "tool", "parameters", "a/b", "<|x|>", "]]>", "&", "\\", "😀", "_"),
]


TEXT = st.deferred(
    lambda: st.one_of(
        st.sampled_from(NASTY),
        st.sampled_from(markers()),
        st.text(max_size=12),
        st.lists(st.one_of(st.sampled_from(NASTY), st.sampled_from(markers())), max_size=3).map("".join),
    )
)
NUMBERS = st.one_of(
    st.integers(),
    st.integers(-(10**30), 10**30),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from([0, -1, 2**53 + 1, 10**300, -(10**300), 1e308, 5e-324, 1e22, 1e16, 0.1, -0.0, 1.0, -1e-7, 1e100]),
)
KEYS = st.one_of(st.sampled_from(["a", "b_c", "item", "x1"]), st.sampled_from(ODD_KEYS), st.text(max_size=4))
EMPTIES: Sequence[Any] = ["", [], {}, [[]], [{}], {"a": {}}, {"a": []}, [""], [None], {"": ""}, None]
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.one_of(TEXT, NUMBERS, st.booleans(), st.none(), st.sampled_from(EMPTIES)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(KEYS, inner, max_size=3)),
    max_leaves=6,
)

_TEXTS = {"type": "string"}
_SCHEMAS: dict[str, tuple[Mapping[str, Any], st.SearchStrategy[Any]]] = {
    "text": (_TEXTS, TEXT),
    "count": ({"type": "integer"}, st.integers()),
    "ratio": ({"type": "number"}, NUMBERS),
    "flag": ({"type": "boolean"}, st.booleans()),
    "maybe": ({"type": ["string", "null"]}, st.one_of(TEXT, st.none())),
    "some": ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, st.one_of(st.integers(), st.none())),
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
    """Return a call in `dialect`, None where the dialect refuses."""
    found = find_dialect(dialect)
    assert found is not None
    known = registry.get(tool)
    text = found.render(tool, arguments, known[0] if known else None, RenderStyle(compact=compact))
    if isinstance(text, Refusal):
        assert text.reason
        return None
    return text


def only_call(text: str, registry: ToolRegistry, dialect: str | None = None) -> tuple[str | None, Any, str] | None:
    """Return tool, arguments and dialect of the one call in a text, None where there is none or several."""
    placed = list(
        opened(
            text, registry=registry, settings=Settings(dialect=dialect, template="none"), by_shape=True
        ).placed_calls()
    )
    if len(placed) != 1:
        return None
    return placed[0].call.tool, placed[0].binding.arguments, placed[0].call.dialect


def in_prose(call: str) -> str:
    return f"Before.\n\n{call}\n\nAfter.\n"


def assert_round_trip(
    tool: str, arguments: dict[str, Any], one: str, other: str, registry: ToolRegistry, *, compact: bool
) -> None:
    """Write a call in one dialect, convert it to the other and back: the same call, or refused."""
    text = written(tool, arguments, one, registry, compact=compact)
    if text is None:
        return
    source = in_prose(text)
    read = only_call(source, registry)
    if read is None or read[0] != tool or first_difference(read[1], arguments) is not None:
        # A dialect without types may write what reads as something else; conversion must find that out, below.
        dialect = find_dialect(one)
        assert dialect is not None
        assert not dialect.typed, f"{one} wrote {text!r} for {arguments!r}, which is read as {read}"
        if read is None or read[0] != tool:
            return
    if read[2] == other:
        # Two dialects may be the same text; it is the one's already.
        return
    there = convert_document(opened(source, registry=registry, by_shape=True), other)
    assert there.converted + len(there.refused) == 1
    if there.refused:
        assert there.refused[0].reason
        assert there.text == source
        return
    assert there.text.startswith("Before.\n\n")
    assert there.text.endswith("\n\nAfter.\n")
    middle = only_call(there.text, registry)
    assert middle is not None
    assert middle[0] == tool
    assert first_difference(read[1], middle[1]) is None, f"{read[1]} became {middle[1]} in {there.text!r}"
    preferred = only_call(there.text, registry, other)
    assert preferred is not None
    assert preferred[2] == other
    if first_difference(read[1], arguments) is None:
        found = diagnostics(opened(there.text, registry=registry, settings=Settings(dialect=other), by_shape=True))
        assert not [each for each in found if each.severity is Severity.ERROR], there.text
    back = convert_document(opened(there.text, registry=registry, by_shape=True), one)
    if back.refused:
        assert back.refused[0].reason
        return
    again = only_call(back.text, registry)
    assert again is not None
    assert first_difference(read[1], again[1]) is None, f"{read[1]} became {again[1]} in {back.text!r}"


@settings(max_examples=tries(250), deadline=None)
@given(call=typed_calls(), pair=st.sampled_from(PAIRS), compact=st.booleans())
def test_typed_arguments_survive_there_and_back(
    call: tuple[ToolRegistry, dict[str, Any]], pair: tuple[str, str], *, compact: bool
) -> None:
    registry, arguments = call
    assert_round_trip("do_things", arguments, *pair, registry, compact=compact)


@settings(max_examples=tries(250), deadline=None)
@given(arguments=st.dictionaries(KEYS, VALUES, max_size=3), pair=st.sampled_from(PAIRS), compact=st.booleans())
def test_arguments_without_a_schema_survive_or_are_refused(
    arguments: dict[str, Any], pair: tuple[str, str], *, compact: bool
) -> None:
    assert_round_trip("do_things", arguments, *pair, EMPTY, compact=compact)


@each_dialect
@settings(max_examples=tries(12), deadline=None)
@given(call=typed_calls(), compact=st.booleans())
def test_each_dialect_keeps_typed_arguments(
    dialect: str, carrier: str, call: tuple[ToolRegistry, dict[str, Any]], *, compact: bool
) -> None:
    registry, arguments = call
    assert_round_trip("do_things", arguments, dialect, carrier, registry, compact=compact)
    assert_round_trip("do_things", arguments, carrier, dialect, registry, compact=compact)


@each_dialect
@settings(max_examples=tries(12), deadline=None)
@given(arguments=st.dictionaries(KEYS, VALUES, max_size=3), compact=st.booleans())
def test_each_dialect_keeps_arguments_without_a_schema(
    dialect: str, carrier: str, arguments: dict[str, Any], *, compact: bool
) -> None:
    assert_round_trip("do_things", arguments, dialect, carrier, EMPTY, compact=compact)
    assert_round_trip("do_things", arguments, carrier, dialect, EMPTY, compact=compact)


def test_a_block_keeps_half_a_surrogate_pair() -> None:
    """Its values are JSON in quotes, whatever a reader of JSON has to say about one."""
    assert_round_trip("do_things", {"a": "\ud800"}, "tool-block", "tool-call-json", EMPTY, compact=False)


def texts_for(dialect: str) -> Sequence[str]:
    """Return texts that are awkward anywhere, all markers of a dialect, and some of the others'."""
    return sampled((*NASTY, *call_markers_of(dialect), *seeded(dialect).sample(markers(), 30)), keep=10)


@each_dialect
def test_a_text_that_a_schema_knows_survives(dialect: str, carrier: str) -> None:
    for value in texts_for(dialect):
        arguments = {"path": value, "content": value}
        assert_round_trip("write_file", arguments, carrier, dialect, REGISTRY, compact=True)


@each_dialect
def test_an_odd_name_survives_or_is_refused(dialect: str, carrier: str) -> None:
    for key in sampled((*ODD_KEYS, *call_markers_of(dialect)), keep=6):
        assert_round_trip("do_things", {key: 1, "a": [{key: "x"}]}, carrier, dialect, EMPTY, compact=True)


@each_dialect
def test_deep_and_wide_values_survive_or_are_refused(dialect: str, carrier: str) -> None:
    deep: Any = "x"
    wide: Any = 1
    for level in range(60):
        deep = [deep] if level % 2 else {"a": deep}
        wide = [wide, {"b": wide}] if level < 6 else wide
    for value in (deep, wide, list(range(500)), "x\n" * 2_000, {str(n): n for n in range(200)}):
        assert_round_trip("do_things", {"a": value}, carrier, dialect, EMPTY, compact=True)


#: Arguments under a schema that every dialect can write.
PLAIN: Sequence[tuple[str, dict[str, Any]]] = [
    ("git_status", {}),
    ("read_file", {"path": "src/a.py", "limit": 10}),
    ("write_file", {"path": "b.md", "content": "# Title\n\nTwo lines,\n  one indented.\n"}),
    ("debug_launch", {"program": "a", "mode": "pytest", "stop_on_entry": True, "timeout": 1.5}),
    ("debug_launch", {"program": "a", "args": ["-v", "007", ""], "env": {"A": "1"}}),
    ("edit_file", {"path": "a", "edits": [{"old": "x", "new": "y"}, {"old": "z", "new": ""}]}),
]


@pytest.mark.parametrize("pair", sampled(PAIRS, by=(itemgetter(0), itemgetter(1))), ids=" to ".join)
def test_plain_calls_are_converted_and_not_refused(pair: tuple[str, str]) -> None:
    one, other = pair
    texts = [written(tool, arguments, one, REGISTRY, compact=False) for tool, arguments in PLAIN]
    source = "\n\nAnd then:\n\n".join(["Before.", *filter(None, texts), "After.\n"])
    result = convert_document(opened(source, by_shape=True), other)
    assert not result.refused, f"{result.refused[0].reason}: {result.refused[0].span.of(source)}"
    after = opened(result.text, settings=Settings(dialect=other), by_shape=True)
    found = [(each.call.tool, each.binding.arguments, each.call.dialect) for each in after.placed_calls()]
    assert found == [(tool, arguments, other) for tool, arguments in PLAIN]
    assert [each for each in diagnostics(after) if each.severity is not Severity.INFO] == []


@pytest.mark.parametrize("to", general_names())
def test_calls_of_one_wrapper_keep_their_order(to: str) -> None:
    calls = "".join(
        f"<tool_call><tool_name>{tool}</tool_name><arguments>{json.dumps(arguments)}</arguments></tool_call>\n"
        for tool, arguments in PLAIN
    )
    source = f"Before.\n\n<tool_calls>\n{calls}</tool_calls>\n\nAfter.\n"
    result = convert_document(opened(source, by_shape=True), to)
    assert not result.refused
    assert result.text.startswith("Before.\n\n")
    assert result.text.endswith("\n\nAfter.\n")
    placed = opened(result.text, settings=Settings(dialect=to), by_shape=True).placed_calls()
    assert [(each.call.tool, each.binding.arguments) for each in placed] == list(PLAIN)


@pytest.mark.parametrize("to", general_names())
def test_an_id_is_kept_or_the_reason_names_it(to: str) -> None:
    call = '<tool_call><id>call_7</id><tool_name>read_file</tool_name><arguments>{"path": "a"}</arguments></tool_call>'
    if to == CARRIER:
        return
    result = convert_document(opened(call, by_shape=True), to)
    if result.refused:
        assert "`call_7`" in result.refused[0].reason
    else:
        placed = list(opened(result.text, settings=Settings(dialect=to), by_shape=True).placed_calls())
        assert [each.call.call_id for each in placed] == ["call_7"]


@pytest.mark.parametrize(
    ("arguments", "to", "words"),
    [
        ('{"a": "\\u0000"}', "xml-children", "U+0000"),
        ('{"a": "007", "b": "7"}', "xml-children", "`b` would not keep its value"),
        ('{"a b": 1}', "xml-children", "`a b` is not a valid element name"),
        ('{"a": null}', "xml-children", "`a` would not keep its value"),
        ('{"a": []}', "tool-call-xml", "`a` would not keep its value"),
        ('{"a": [1]}', "tool-call-xml", "`a` would not keep its value"),
    ],
)
def test_what_a_dialect_cannot_hold_is_refused_with_the_reason(arguments: str, to: str, words: str) -> None:
    text = f"<do_things>{arguments}</do_things>"
    result = convert_document(opened(text, registry=EMPTY, by_shape=True), to)
    assert (result.text, result.converted) == (text, 0)
    assert words in result.refused[0].reason
    assert result.refused[0].span.of(text) == text


@pytest.mark.parametrize("to", general_names())
def test_blocks_inside_of_a_longer_fence_keep_their_calls(to: str) -> None:
    """The line before a call may close another block: it opens no fence that holds the call alone."""
    calls = "```tool\ngit_status\n```\n\n```tool\nread_file\nBEGIN_ARG: path\na.py\nEND_ARG\n```\n"
    source = f"````source\n{calls}````\n"
    result = convert_document(opened(source, by_shape=True), to)
    assert result.text.startswith("````source\n")
    assert result.text.endswith("````\n")
    placed = opened(result.text, by_shape=True).placed_calls()
    found = [(each.call.tool, each.binding.arguments) for each in placed]
    assert found == [("git_status", {}), ("read_file", {"path": "a.py"})]
