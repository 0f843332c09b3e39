"""Words for tools, and the arguments of example calls."""

from typing import Any

import pytest

from callwright.teaching.examples import candidates
from callwright.teaching.field_texts import code, fields, first_sentence, one_line, paragraphs, signature
from callwright.tools.registry import ToolRegistry


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        ("Plain words,\n  on two lines.", "Plain words, on two lines."),
        ("Wrap it in <diff>, please.", "Wrap it in `<diff>`, please."),
        ('An <invoke name="x"> begins it.', 'An `<invoke name="x">` begins it.'),
        ("Where a < b and c > d.", "Where a < b and c > d."),
        ("Keep `<path>` as it is.", "Keep `<path>` as it is."),
        ("A lone ` back-tick.", "``A lone ` back-tick.``"),
        ('{"a": 1} is JSON.', '`{"a": 1} is JSON.`'),
        ("Action: what to do.", "`Action: what to do.`"),
        ("The Action to take, in package.json.", "The Action to take, in package.json."),
    ],
)
def test_what_might_begin_a_call_is_in_a_code_span(text: str, reported: str) -> None:
    assert one_line(text) == reported


def test_a_description_keeps_its_lines_but_neither_headings_nor_fences() -> None:
    text = "Do it.\n\n\n# Notes\n- one <a>\n  2. two\n```json\n{}\n```\nEnd.\n"
    assert paragraphs(text) == "Do it.\n\n**Notes**\n- one `<a>`\n  2. two\n`{}`\nEnd."


def test_the_first_sentence_ends_at_its_end() -> None:
    assert first_sentence("Read a.py. Then stop.") == "Read a.py."


@pytest.mark.parametrize(
    ("text", "span"), [("a", "`a`"), ("a`b", "``a`b``"), ("`a`", "`` `a` ``"), ("", '`""`'), (" a\n b ", "`a b`")]
)
def test_a_code_span_holds_any_text(text: str, span: str) -> None:
    assert code(text) == span


@pytest.mark.parametrize(
    ("properties", "required", "made"),
    [
        ({"path": {"type": "string"}}, ["path"], {"path": "src/main.py"}),
        ({"n": {"type": "integer", "minimum": 5, "multipleOf": 4}}, ["n"], {"n": 100}),
        ({"n": {"type": "integer", "minimum": 7}}, ["n"], {"n": 10}),
        ({"n": {"type": "number", "exclusiveMaximum": -3}}, ["n"], {"n": -4}),
        ({"day": {"type": "string", "format": "date"}}, ["day"], {"day": "2026-01-31"}),
        ({"code": {"type": "string", "pattern": "^[A-Z]{3}$"}}, ["code"], {"code": "EUR"}),
        ({"a": {"enum": ["x", "y"]}, "b": {"type": "boolean"}}, ["a"], {"a": "x"}),
        (
            {"tags": {"type": "array", "items": {"type": "string"}, "minItems": 2}},
            ["tags"],
            {"tags": ["example", "example2"]},
        ),
        (
            {"to": {"anyOf": [{"type": "string"}, {"type": "object", "properties": {"id": {"type": "string"}}}]}},
            ["to"],
            {"to": {"id": "a1"}},
        ),
        ({"x": {"type": "string", "const": "<your text>"}}, ["x"], None),
    ],
)
def test_arguments_are_made_that_the_schema_accepts(
    properties: dict[str, Any], required: list[str], made: dict[str, Any] | None
) -> None:
    schema = {"type": "object", "properties": properties, "required": required}
    (tool,) = ToolRegistry.of({"name": "t", "input_schema": schema})
    assert next(candidates(tool), None) == made


def test_an_author_s_example_comes_first_unless_its_schema_rejects_it() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}
    given = [{"a": "one"}, {"a": 7}]
    (tool,) = ToolRegistry.of({"name": "t", "input_schema": schema, "input_examples": given})
    assert next(candidates(tool)) == {"a": 7}


def test_a_format_is_taught_with_a_text_in_it_also_beside_null() -> None:
    when = {"type": "string", "format": "date-time"}
    limited = {"type": "integer", "minimum": 1, "default": 4}
    properties = {
        "start": when,
        "end": {"anyOf": [when, {"type": "null"}], "default": None},
        "count": {"oneOf": [{"type": "null"}, limited]},
        "either": {"anyOf": [when, {"type": "integer"}]},
        "own": {"type": "string", "format": "house-number"},
    }
    (tool,) = ToolRegistry.of({"name": "t", "input_schema": {"type": "object", "properties": properties}})
    shown = "format `date-time` as in `2026-01-31T12:00:00Z`"
    assert {each.name: list(each.notes) for each in fields(tool, typed=True)} == {
        "start": [shown],
        "end": [shown, "default `null`"],
        "count": ["at least 1"],
        "either": [],
        "own": ["format `house-number`"],
    }


PLACE: dict[str, Any] = {
    "type": "object",
    "required": ["street"],
    "properties": {"street": {"type": "string"}, "zip": {"type": "string"}},
}


@pytest.mark.parametrize(
    ("schema", "reported"),
    [
        (PLACE, "{street: string, zip?: string}"),
        ({"anyOf": [{"$ref": "#/$defs/Place"}, {"type": "null"}]}, "{street: string, zip?: string} | null"),
        ({**PLACE, "type": ["object", "null"]}, "{street: string, zip?: string} | null"),
        (
            {"type": "array", "items": {"oneOf": [{"type": "null"}, PLACE]}},
            "({street: string, zip?: string} | null)[]",
        ),
        (
            {"anyOf": [PLACE, {"type": "object", "required": ["at"], "properties": {"at": {"type": "number"}}}]},
            "{street?: string, zip?: string, at?: number}",
        ),
    ],
)
def test_a_member_is_required_where_all_objects_that_are_allowed_require_it(
    schema: dict[str, Any], reported: str
) -> None:
    definition = {"type": "object", "$defs": {"Place": PLACE}, "required": ["to"], "properties": {"to": schema}}
    (tool,) = ToolRegistry.of([{"name": "send", "input_schema": definition}])
    assert signature(tool) == f"send(to: {reported})"
