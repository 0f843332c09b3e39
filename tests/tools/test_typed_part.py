"""What is kept of a schema that is not valid."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from callwright.tools.parameters import types_of
from callwright.tools.registry import ToolRegistry
from callwright.tools.schema_check import DEPTH
from callwright.tools.typed_part import typed_part
from support.sampling import tries


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("float", "number"),
        ("double", "number"),
        ("int", "integer"),
        ("str", "string"),
        ("bool", "boolean"),
        ("dict", "object"),
        ("list", "array"),
        ("number ", "number"),
        ("String", "string"),
        (["str", "null"], ["string", "null"]),
        (["int", "integer"], "integer"),
    ],
)
def test_a_type_of_another_language_is_the_json_type_that_is_meant(written: Any, kept: Any) -> None:
    assert typed_part({"type": written}) == {"type": kept}


@pytest.mark.parametrize("written", ["objekt", "", 3, None, ["string", "any"], [], ["string", 4]])
def test_a_type_that_means_nothing_states_nothing(written: Any) -> None:
    assert typed_part({"type": written, "description": "Any."}) == {"description": "Any."}


def test_sound_parts_are_kept_and_broken_ones_left_out() -> None:
    schema = {
        "type": "dict",
        "properties": {
            "city": {"type": "string", "minLength": -1, "pattern": "("},
            "score": {"type": "float", "description": 3},
            "tags": {"type": "list", "items": {"type": "str"}},
            "pair": {"items": [{"type": "int"}, 7]},
            "unit": {"enum": ["C", "F"], "required": True},
            "place": {"$ref": "#/$defs/place"},
            "far": {"$ref": "https://example.org/far.json", "type": "object"},
            "odd": 5,
            "never": False,
        },
        "required": ["city", 3, "city"],
        "additionalProperties": {"type": "int"},
        "$defs": {"place": {"anyOf": [{"type": "str"}, {"type": "null"}]}},
    }
    assert typed_part(schema) == {
        "type": "object",
        "properties": {
            "city": {"type": "string"},
            "score": {"type": "number"},
            "tags": {"type": "array", "items": {"type": "string"}},
            "pair": {"prefixItems": [{"type": "integer"}, {}]},
            "unit": {"enum": ["C", "F"]},
            "place": {"$ref": "#/$defs/place"},
            "far": {"type": "object"},
            "odd": {},
            "never": False,
        },
        "required": ["city"],
        "additionalProperties": {"type": "integer"},
        "$defs": {"place": {"anyOf": [{"type": "string"}, {"type": "null"}]}},
    }


def test_a_schema_that_nests_without_end_has_no_such_part() -> None:
    deep: dict[str, Any] = {}
    for _ in range(DEPTH + 1):
        deep = {"items": deep}
    endless: dict[str, Any] = {}
    endless["items"] = endless
    wide: dict[str, Any] = {"type": "str"}
    for _ in range(60):
        wide = {"anyOf": [wide, wide]}
    assert [typed_part(deep), typed_part(endless), typed_part(wide)] == [None, None, None]


@pytest.mark.parametrize(
    ("schema", "checked", "kept"),
    [
        ({"type": "object", "properties": {"a": {"type": "integer"}}}, True, "integer"),
        ({"type": "object", "properties": {"a": {"type": "int"}}}, False, "integer"),
        ({"type": "dict", "properties": {"a": {"type": "int"}}}, False, "integer"),
        ({"properties": {"a": {"type": "int"}}, "required": "a"}, False, "integer"),
        ({"type": "list", "properties": {"a": {"type": "int"}}}, False, None),
    ],
)
def test_a_tool_keeps_the_types_of_an_invalid_schema(schema: Any, checked: bool, kept: str | None) -> None:
    registry = ToolRegistry.of([{"name": "f", "inputSchema": schema}])
    (tool,) = registry.tools
    assert tool.checked is checked
    assert tool.input_schema["type"] == "object"
    assert {problem.problem.kind for problem in registry.problems} == (set() if checked else {"tool-schema-invalid"})
    types = types_of(tool.parameters["a"].schema, tool.input_schema) if "a" in tool.parameters else None
    assert types == (frozenset({kept}) if kept else None)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from(["int", "string", "#", "#/properties/a", "x"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["type", "properties", "items", "anyOf", "required", "$ref", "enum", "$defs", "a"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=20,
)


@settings(max_examples=tries(150), deadline=None)
@given(st.dictionaries(st.sampled_from(["type", "properties", "items", "anyOf", "required", "$ref", "a"]), _JSON))
def test_any_schema_has_a_part_that_is_its_own(schema: Any) -> None:
    before = json.dumps(schema)
    part = typed_part(schema)
    assert part is not None
    assert typed_part(part) == part
    assert json.dumps(schema) == before
