"""Elements as the entries of an array: each by the schema of its place."""

from collections.abc import Mapping

import callwright


def arguments(schema: Mapping[str, object], body: str) -> dict[str, object]:
    tool = {"name": "f", "inputSchema": {"type": "object", "properties": {"a": schema}}}
    result = callwright.parse(f"<f>{body}</f>", tools=[tool])
    assert result.diagnostics == []
    return result.calls[0].arguments


def test_the_first_entries_can_have_schemas_of_their_own() -> None:
    pair = {"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}], "items": {"type": "boolean"}}
    body = "<a><item>1</item><item>2</item><item>true</item></a>"
    assert arguments(pair, body) == {"a": ["1", 2, True]}
    assert arguments(pair, "<a>1</a><a>2</a>") == {"a": ["1", 2]}


def test_without_a_schema_all_repeated_values_count_and_are_converted() -> None:
    assert callwright.convert("<get_x><p>a</p><p>b</p></get_x>", "xml-json").text == '<get_x>{"p": ["a", "b"]}</get_x>'
