"""Strict mode and patterns in tool files: what is found where, and what the fixes make of it."""

import json
from typing import Any

import pytest

from callwright.document.settings import Settings
from callwright.lint.files import tool_diagnostics
from callwright.rules.base import Applicability, Diagnostic
from callwright.rules.support.strict_fixes import branches_exclude_each_other
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
    assert [one.message[:35] for one in found(openai(many))] == ["The schema has 5,001 properties, bu"]
    deep: dict[str, Any] = {"type": "string"}
    for _ in range(12):
        deep = {"type": "object", "properties": {"a": deep}, "required": ["a"], "additionalProperties": False}
    assert [one.message[:25] for one in found(openai(deep))] == ["Objects are nested deeper"]


def test_anthropic_lets_properties_be_left_out_and_takes_no_limits() -> None:
    schema = {
        "type": "object",
        "properties": {"count": {"type": "integer", "minimum": 1}, "text": {"type": "string", "maxLength": 9}},
    }
    text = anthropic(schema)
    assert sorted(places(text)) == ['"maxLength"', '"minimum"', '"type"']
    (lacks,) = [one for one in found(text) if "additionalProperties" in one.message]
    assert lacks.fixes[0].is_safe
    assert json.loads(apply_edits(text, lacks.fixes[0].edits))[0]["input_schema"]["additionalProperties"] is False


@pytest.mark.parametrize(
    ("optional", "wanted"),
    [
        ({"$ref": "#/$defs/x"}, {"anyOf": [{"$ref": "#/$defs/x"}, {"type": "null"}]}),
        (
            {"description": "One.", "type": "integer", "const": 1},
            {"description": "One.", "anyOf": [{"type": "integer", "const": 1}, {"type": "null"}]},
        ),
        ({"anyOf": [{"type": "string"}, {"type": "integer"}]}, None),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, {"anyOf": [{"type": "string"}, {"type": "null"}]}),
        ({"type": ["string", "null"], "enum": ["a"]}, {"type": ["string", "null"], "enum": ["a", None]}),
    ],
)
def test_what_was_optional_may_be_null(optional: dict[str, Any], wanted: dict[str, Any] | None) -> None:
    defs = {"x": {"type": "string"}}
    schema = {"type": "object", "properties": {"x": optional}, "additionalProperties": False, "$defs": defs}
    text = openai(schema)
    (one,) = found(text)
    (fix,) = one.fixes
    assert fix.applicability is Applicability.UNSAFE
    fixed = apply_edits(text, fix.edits)
    assert found(fixed) == []
    made = json.loads(fixed)[0]["parameters"]["properties"]["x"]
    assert made == (wanted or {"anyOf": [*optional["anyOf"], {"type": "null"}]})


def test_an_object_that_is_stated_in_several_places_is_closed_as_a_guess() -> None:
    def fixes(**more: Any) -> list[Applicability]:
        text = anthropic({"type": "object", "properties": {"a": {"type": "object", **more}}})
        return [fix.applicability for fix in found(text)[0].fixes]

    assert fixes(properties={"b": {"type": "string"}}) == [Applicability.SAFE]
    assert fixes() == [Applicability.UNSAFE]
    assert fixes(properties={"b": {}}, anyOf=[{"required": ["b"]}]) == [Applicability.UNSAFE]
    assert fixes(properties={"b": {}}, required=["c"]) == []


def test_what_cannot_be_stated_strictly_has_no_fix() -> None:
    for odd in ({"description": "anything"}, {"anyOf": [{"minimum": 1}], "type": "integer"}):
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


def choices(*values: list[str]) -> dict[str, Any]:
    properties = {f"p{number}": {"type": "string", "enum": each} for number, each in enumerate(values)}
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


LONG_CHOICES = (
    "The values of this `enum` have 15,703 characters; OpenAI's strict mode accepts at most 15,000 for more than 250"
    " values: use a plain string and validate it afterwards."
)
TAKES = "but OpenAI's strict mode accepts at most"
LONG_NAMES = f"The schema has 120,004 characters in its names and choices, {TAKES} 120,000: split the tool."


@pytest.mark.parametrize(
    ("schema", "wanted"),
    [
        (choices([str(number) for number in range(1_000)]), []),
        (
            choices([str(number) for number in range(900)], [str(number) for number in range(101)]),
            [
                (
                    "The schema has 1,001 values in its `enum`s, but OpenAI's strict mode accepts at most 1,000: "
                    "split the tool."
                )
            ],
        ),
        (choices(["x" * 75 + str(number) for number in range(250)]), []),
        (
            choices(["x" * 60 + str(number) for number in range(251)]),
            [LONG_CHOICES],
        ),
        (
            choices(["x" * 60_000], ["y" * 60_000]),
            [LONG_NAMES],
        ),
    ],
    ids=["many", "too many", "few and long", "many and long", "all together"],
)
def test_openai_counts_choices_and_their_characters(schema: dict[str, Any], wanted: list[str]) -> None:
    assert [one.message for one in found(openai(schema))] == wanted


def optionals(number: int, kind: Any = "string") -> dict[str, Any]:
    properties = {f"p{index}": {"type": kind} for index in range(number)}
    return {"type": "object", "properties": properties, "additionalProperties": False}


def strict_tools(*schemas: dict[str, Any]) -> str:
    return json.dumps(
        [
            {"name": f"t{index}", "description": "Acts.", "strict": True, "input_schema": schema}
            for index, schema in enumerate(schemas)
        ]
    )


def test_anthropic_counts_what_is_optional_in_a_tool_and_in_all_of_them() -> None:
    assert found(strict_tools(optionals(24))) == []
    (alone,) = found(strict_tools(optionals(25)))
    assert (str(alone.severity), alone.message) == (
        "error",
        "The schema has 25 optional properties, but Anthropic's strict mode accepts at most 24: split the tool.",
    )
    text = strict_tools(optionals(20), optionals(4), optionals(1), optionals(9))
    (together,) = found(text)
    assert (str(together.severity), together.span.of(text)) == ("warning", '"t2"')
    assert [one.message[:71] for one in found(strict_tools(optionals(17, ["string", "null"])))] == [
        "The schema has 17 properties of several types, but Anthropic's strict m"
    ]
    many = strict_tools(*[optionals(0)] * 22)
    (tools,) = found(many)
    assert (str(tools.severity), tools.span.of(many)) == ("warning", '"t20"')


@pytest.mark.parametrize(
    ("branches", "apart"),
    [
        ([{"type": "string"}, {"type": "array"}], True),
        ([{"type": "integer"}, {"type": "number"}], False),
        ([{"type": ["string", "null"]}, {"type": "null"}], False),
        ([{"const": 1}, {"enum": ["1", True]}], True),
        ([{"const": 1}, {"enum": [1.0, 2]}], False),
        ([{"const": "a"}, {"type": "string"}], False),
        ([{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/b"}], True),
        ([{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/a"}], False),
        ([{"$ref": "#/$defs/a"}, True], False),
        ([{}, {"type": "string"}], False),
    ],
)
def test_branches_that_exclude_each_other(branches: list[Any], apart: bool) -> None:
    tagged = {
        name: {"type": "object", "properties": {"kind": {"const": name}}, "required": ["kind"]} for name in ("a", "b")
    }
    assert branches_exclude_each_other(branches, {"$defs": tagged}) is apart


def test_strict_mode_goes_with_the_provider_that_is_named() -> None:
    text = json.dumps([{"name": "act", "description": "Acts.", "strict": True, "inputSchema": NESTED}])
    document = read_tool_document(text, "tools.json")
    codes = {
        provider: [one.code for one in tool_diagnostics(document, document.registry, Settings(provider=provider))]
        for provider in ("openai", "anthropic", "mistral")
    }
    assert {provider: each.count("TC520") for provider, each in codes.items()} == {
        "openai": 7,
        "anthropic": 3,
        "mistral": 0,
    }


def test_gemini_declarations_may_name_types_in_lower_case() -> None:
    tool = {
        "name": "act",
        "description": "Acts.",
        "parameters": {"type": "object", "properties": {"a": {"const": "x"}}},
    }
    text = json.dumps({"functionDeclarations": [tool]})
    assert places(text) == ['"const"']
    others = {
        "name": "act",
        "description": "Acts.",
        "inputSchema": {"type": "object", "properties": {"a": {"const": 1}}},
    }
    assert found(json.dumps({"functionDeclarations": [others]})) == []


def test_a_schema_is_passed_whole() -> None:
    schema = {"type": "object", "properties": {"a": {"type": ["string", "null"]}, "b": {"not": {"const": 1}}}}
    text = json.dumps(
        {"functionDeclarations": [{"name": "act", "description": "Acts.", "parameters": schema}]}, indent=1
    )
    fixes = [fix for one in found(text) for fix in one.fixes if "parametersJsonSchema" in fix.title]
    assert len(fixes) == 2
    fixed = apply_edits(text, fixes[0].edits)
    assert found(fixed) == []
    assert json.loads(fixed)["functionDeclarations"][0]["parametersJsonSchema"] == schema


def patterned(pattern: str) -> str:
    schema = {"type": "object", "properties": {"a": {"type": "string", "pattern": pattern}}}
    return json.dumps([{"name": "act", "inputSchema": schema}])


def test_patterns_are_checked_where_they_are() -> None:
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
