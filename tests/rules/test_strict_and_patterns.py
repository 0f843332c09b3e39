"""Strict mode and patterns in tool files: what is found where, and what the fixes make of it."""

import json
from typing import Any

import pytest

from callwright.analysis.settings import Settings
from callwright.linter import tool_diagnostics
from callwright.rules.base import Applicability, Diagnostic
from callwright.text.span import apply_edits
from callwright.tools.documents import read_tool_document

MINE = {"TC520", "TC521", "TC522"}


def openai(schema: Any, **more: Any) -> str:
    tool = {"type": "function", "name": "act", "description": "Acts.", "strict": True, "parameters": schema, **more}
    return json.dumps([tool], indent=2)


def anthropic(schema: Any) -> str:
    return json.dumps([{"name": "act", "description": "Acts.", "strict": True, "input_schema": schema}], indent=2)


def found(text: str) -> list[Diagnostic]:
    document = read_tool_document(text, "tools.json")
    return [one for one in tool_diagnostics(document, document.registry, Settings()) if one.code in MINE]


def places(text: str) -> list[str]:
    return [one.span.of(text) for one in found(text)]


NESTED: dict[str, Any] = {
    "type": "object",
    "properties": {
        "path": {"type": "string"},
        "mode": {"type": "string", "enum": ["r", "w"]},
        "range": {"type": "object", "properties": {"from": {"type": "integer"}}, "required": ["from"]},
        "lines": {"type": "array", "items": {"type": "object", "properties": {"text": {"type": ["string", "null"]}}}},
    },
    "required": ["path"],
}


def test_one_fix_makes_every_object_strict() -> None:
    text = openai(NESTED)
    diagnostics = found(text)
    assert {one.code for one in diagnostics} == {"TC520"}
    assert sorted(places(text)) == ['"lines"', '"mode"', '"range"', '"text"', '"type"', '"type"', '"type"']
    fixes = [one.fixes for one in diagnostics]
    assert all(len(each) == 1 and each[0].edits == fixes[0][0].edits for each in fixes)
    assert fixes[0][0].applicability is Applicability.UNSAFE
    fixed = apply_edits(text, fixes[0][0].edits)
    assert found(fixed) == []
    schema = json.loads(fixed)[0]["parameters"]
    assert schema["required"] == ["path", "mode", "range", "lines"]
    assert schema["properties"]["mode"] == {"type": ["string", "null"], "enum": ["r", "w", None]}
    assert schema["properties"]["range"]["type"] == ["object", "null"]
    assert schema["properties"]["range"]["additionalProperties"] is False
    assert schema["properties"]["lines"]["items"]["required"] == ["text"]


def test_without_strict_nothing_is_demanded() -> None:
    assert found(openai(NESTED, strict=False)) == []
    assert found(json.dumps([{"name": "act", "inputSchema": NESTED, "strict": True}])) == []


@pytest.mark.parametrize("keyword", ["allOf", "not", "if", "dependentRequired"])
def test_openai_takes_some_keywords_never(keyword: str) -> None:
    value: Any = [{}] if keyword == "allOf" else {}
    schema = {"type": "object", "properties": {}, "additionalProperties": False, keyword: value}
    assert places(openai(schema)) == [f'"{keyword}"']


def test_openai_wants_an_object_at_the_top_and_bounds() -> None:
    variants = {
        "type": "object",
        "additionalProperties": False,
        "anyOf": [{"type": "object", "additionalProperties": False}],
    }
    assert places(openai(variants)) == ['"anyOf"']
    names = {f"p{number}": {"type": "string"} for number in range(5_001)}
    many = {"type": "object", "properties": names, "required": list(names), "additionalProperties": False}
    assert [one.message[:35] for one in found(openai(many))] == ["The schema has 5,001 properties, an"]
    deep: dict[str, Any] = {"type": "string"}
    for _ in range(12):
        deep = {"type": "object", "properties": {"a": deep}, "required": ["a"], "additionalProperties": False}
    assert [one.message[:23] for one in found(openai(deep))] == ["The objects nest deeper"]


def test_anthropic_lets_properties_be_left_out_and_takes_no_limits() -> None:
    schema = {
        "type": "object",
        "properties": {"count": {"type": "integer", "minimum": 1}, "text": {"type": "string", "maxLength": 9}},
    }
    text = anthropic(schema)
    assert sorted(places(text)) == ['"maxLength"', '"minimum"', '"type"']
    (lacks,) = [one for one in found(text) if one.fixes]
    assert lacks.fixes[0].is_safe
    assert json.loads(apply_edits(text, lacks.fixes[0].edits))[0]["input_schema"]["additionalProperties"] is False


def test_what_cannot_be_said_strictly_has_no_fix() -> None:
    for odd in ({"$ref": "#/$defs/x"}, {"const": 1}, {"description": "anything"}):
        schema = {
            "type": "object",
            "properties": {"x": odd},
            "additionalProperties": False,
            "$defs": {"x": {"type": "string"}},
        }
        (one,) = found(openai(schema))
        assert one.fixes == ()
    named = {"type": "object", "properties": {}, "additionalProperties": {"type": "string"}}
    (one,) = found(openai(named))
    assert one.fixes == ()


def patterned(pattern: str) -> str:
    schema = {"type": "object", "properties": {"a": {"type": "string", "pattern": pattern}}}
    return json.dumps([{"name": "act", "inputSchema": schema}])


def test_patterns_are_judged_where_they_stand() -> None:
    text = patterned("^(a+)+$")
    (one,) = found(text)
    assert (one.code, str(one.severity), one.span.of(text)) == ("TC521", "warning", '"^(a+)+$"')
    (slow,) = found(patterned(r"^.+@.+\..+$"))
    assert (slow.code, str(slow.severity)) == ("TC521", "info")
    keys = json.dumps([{"name": "act", "inputSchema": {"type": "object", "patternProperties": {"^(a|a)*$": {}}}}])
    assert places(keys) == ['"^(a|a)*$"']
    for innocent in (r"^\d{4}-\d{2}$", "^[a-z0-9_-]{1,64}$", r"^(\w+\.)*\w+$", "^https?://.*$", r"\S"):
        assert found(patterned(innocent)) == []


def test_foreign_patterns_are_changed_where_ecma_has_the_same() -> None:
    text = patterned(r"\A(?P<year>\d+)\Z")
    (one,) = found(text)
    assert one.code == "TC522"
    fixed = json.loads(apply_edits(text, one.fixes[0].edits))
    assert fixed[0]["inputSchema"]["properties"]["a"]["pattern"] == r"^(?<year>\d+)$"
    (flag,) = found(patterned("(?i)abc"))
    assert (flag.code, flag.fixes) == ("TC522", ())
