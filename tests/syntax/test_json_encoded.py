"""JSON in a JSON string: every place is that of the text around it, and what is written there is read back."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from callwright.syntax.json import JsonNode, read_json
from callwright.syntax.json_encoded import ENCODED_JSON, read_encoded
from callwright.text.projection import decode_json_string
from callwright.text.span import Edit, Span, apply_edits
from support.sampling import tries

TEXTS = st.text(max_size=6) | st.sampled_from(['"', "\\", '\\"', "\n", "é", "😀", "\u2028", "a b", "/", "{}", "\\n"])
VALUES: st.SearchStrategy[Any] = st.recursive(
    TEXTS | st.integers() | st.booleans() | st.none() | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)
OBJECTS = st.dictionaries(TEXTS, VALUES, max_size=3)


def encoded(value: Any, *, ascii_only: bool = False, indent: int | None = None) -> tuple[str, Span]:
    """Return a text with a string that holds the JSON of a value, and what is between its quotes."""
    text = f'{{"a": {json.dumps(json.dumps(value, ensure_ascii=ascii_only, indent=indent), ensure_ascii=ascii_only)}}}'
    return text, Span(len('{"a": "'), len(text) - len('"}'))


def check(text: str, node: JsonNode, value: Any) -> None:
    """Check that a node, and each below it, covers what its value is written as."""
    assert json.loads(decode_json_string(node.span.of(text))) == value
    for member in node.members:
        assert json.loads(decode_json_string(member.key_span.of(text))) == member.key
        assert node.span.start <= member.key_span.start < member.value.span.end <= node.span.end
        check(text, member.value, value[member.key])
    for item, each in zip(node.items, value if isinstance(value, list) else (), strict=True):
        check(text, item, each)


@settings(max_examples=tries(300), deadline=None)
@given(value=OBJECTS, ascii_only=st.booleans(), indent=st.sampled_from([None, 2]))
def test_spans_are_those_of_the_text_around_the_string(value: Any, *, ascii_only: bool, indent: int | None) -> None:
    text, content = encoded(value, ascii_only=ascii_only, indent=indent)
    read = read_encoded(text, content)
    assert read.problems == []
    assert read.value == value
    assert read.span == content
    check(text, read.root, value)


@settings(max_examples=tries(200), deadline=None)
@given(value=OBJECTS, new=VALUES, key=TEXTS)
def test_what_the_format_writes_is_read_back(value: dict[str, Any], new: Any, key: str) -> None:
    text, content = encoded(value)
    read = read_encoded(text, content)
    for member in read.root.members:
        written, named = ENCODED_JSON.value(new, (member.key,)), ENCODED_JSON.key(key, ())
        assert written is not None
        assert named is not None
        replaced = apply_edits(text, [Edit(member.value.span, written)])
        assert json.loads(json.loads(replaced)["a"]) == {**value, member.key: new}
        renamed = apply_edits(text, [Edit(member.key_span, named)])
        assert set(json.loads(json.loads(renamed)["a"])) == {*value.keys() - {member.key}, key}
    beside = ENCODED_JSON.member("new key", new, ())
    assert beside is not None
    more = apply_edits(text, [Edit(Span(content.end - 1, content.end - 1), (", " if value else "") + beside)])
    assert json.loads(json.loads(more)["a"]) == {**value, "new key": new}


@pytest.mark.parametrize(
    ("inner", "fixed"),
    [
        ('{"a": 1,}', '{"a": 1}'),
        ('{"a": "x\ny"}', '{"a": "x\\ny"}'),
        ('{"a": 1}}', '{"a": 1}'),
        ('{"a": True}', '{"a": true}'),
        ("{'a': 'say \"x\"'}", None),
        ('{"a" 1}', '{"a": 1}'),
        ('{"a": "C:\\d"}', '{"a": "C:\\\\d"}'),
    ],
)
def test_repairs_are_written_through_the_escapes(inner: str, fixed: str | None) -> None:
    text = json.dumps({"a": inner})
    content = Span(len('{"a": "'), len(text) - len('"}'))
    read, plain = read_encoded(text, content), read_json(inner)
    assert [problem.kind for problem in read.problems] == [problem.kind for problem in plain.problems] != []
    for problem, other in zip(read.problems, plain.problems, strict=True):
        assert content.start <= problem.span.start <= problem.span.end <= content.end
        assert decode_json_string(problem.span.of(text)) == other.span.of(inner)
        assert json.loads(apply_edits(text, problem.repair))["a"] == apply_edits(inner, other.repair)
    if fixed is not None:
        edits = [edit for problem in read.problems for edit in problem.repair]
        assert json.loads(apply_edits(text, edits))["a"] == fixed


def test_a_string_that_breaks_off_is_read_as_far_as_it_goes() -> None:
    text = '{"a": "{\\"path\\": \\"src/\\u00'
    read = read_encoded(text, Span(len('{"a": "'), len(text)))
    assert read.value == {"path": "src/\\u00"}
    assert read.root.span.end == len(text)
    assert [problem.data.get("truncated") for problem in read.problems][-1]
