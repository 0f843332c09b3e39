"""Reading a schema: its parameters, the schemas at a place, types and enums; through references, never without end."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from callwright.tools.parameters import enum_of, facets, parameters_of, subschema, subschemas, types_of
from callwright.tools.references import resolve, target
from support.sampling import tries

TREE: dict[str, Any] = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "description": "The name.", "deprecated": True},
        "node": {"$ref": "#/$defs/node", "description": "The root."},
        "env": {"type": "object", "additionalProperties": {"type": "string"}},
        "pair": {"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}], "items": {"type": "null"}},
        "either": {"anyOf": [{"type": "array", "items": {"type": "number"}}, {"$ref": "#/$defs/node"}]},
        "old": {"type": "string", "x-alias-of": "name"},
    },
    "required": ["node"],
    "$defs": {
        "node": {
            "type": "object",
            "description": "A node.",
            "properties": {
                "label": {"type": "string"},
                "children": {"type": "array", "items": {"$ref": "#/$defs/node"}},
            },
        }
    },
}


def test_parameters_keep_their_order_and_have_their_references_resolved() -> None:
    parameters = parameters_of(TREE)
    assert list(parameters) == ["name", "node", "env", "pair", "either", "old"]
    node = parameters["node"]
    assert (node.required, node.description, node.schema["type"]) == (True, "The root.", "object")
    assert (parameters["name"].deprecated, parameters["name"].required) == (True, False)
    assert parameters["old"].alias_of == "name"


def test_parameters_come_from_every_part_and_variant_and_the_first_definition_wins() -> None:
    schema = {
        "properties": {"a": {"type": "string"}},
        "allOf": [{"properties": {"b": {}, "a": {"type": "integer"}}, "required": ["b"]}],
        "oneOf": [
            {"properties": {"c": {}, "kind": {"const": "x"}}, "required": ["c", "kind"]},
            {"properties": {"d": {}, "kind": {"const": "y"}}, "required": ["d", "kind"]},
        ],
        "$ref": "#/$defs/more",
        "$defs": {"more": {"properties": {"e": True, "f": False}, "required": ["e"]}},
    }
    parameters = parameters_of(schema)
    assert {name for name, one in parameters.items() if one.required} == {"b", "e", "kind"}
    assert set(parameters) == {"a", "b", "c", "d", "e", "kind"}
    assert parameters["a"].schema == {"type": "string"}


@pytest.mark.parametrize(
    ("path", "types"),
    [
        ((), {"object"}),
        (("name",), {"string"}),
        (("node", "children", 7, "label"), {"string"}),
        (("env", "HOME"), {"string"}),
        (("pair", 0), {"string"}),
        (("pair", 1), {"integer"}),
        (("pair", 2), {"null"}),
        (("either",), {"array", "object"}),
        (("either", 3), {"number"}),
        (("either", "label"), {"string"}),
        (("nothing",), None),
        (("name", "inside"), None),
    ],
)
def test_a_path_leads_to_the_schema_of_the_value_there(path: tuple[str | int, ...], types: set[str] | None) -> None:
    found = subschema(TREE, TREE, path)
    assert (None if found is None else types_of(found, TREE)) == types


def test_all_variants_of_a_place_are_given() -> None:
    assert [one.get("type") for one in subschemas(TREE, TREE, ("either",))] == [None, "array", None, "object"]
    assert len(facets(TREE, TREE)) == 1


@pytest.mark.parametrize(
    ("schema", "types", "options"),
    [
        ({}, None, None),
        (True, None, None),
        ({"type": ["string", "null"]}, {"string", "null"}, None),
        ({"enum": ["a", 1]}, {"string", "integer"}, ("a", 1)),
        ({"const": True}, {"boolean"}, (True,)),
        ({"anyOf": [{"const": "a"}, {"enum": ["a", "b"]}, {"type": "null"}]}, {"string", "null"}, ("a", "b", None)),
        ({"anyOf": [{"const": "a"}, {"type": "string"}]}, {"string"}, None),
        ({"anyOf": [{"type": "string"}, {}]}, None, None),
        ({"allOf": [{"type": ["integer", "string"]}, {"type": "number"}]}, {"integer"}, None),
        ({"type": "number", "enum": [1, 2.5]}, {"integer", "number"}, (1, 2.5)),
        ({"$ref": "#/$defs/no"}, None, None),
        ({"type": "whatever"}, None, None),
        ({"anyOf": [{"const": 1}, {"const": True}]}, {"integer", "boolean"}, (1, True)),
    ],
)
def test_types_and_options(schema: Any, types: set[str] | None, options: tuple[Any, ...] | None) -> None:
    root = schema if isinstance(schema, dict) else {}
    assert types_of(schema, root) == types
    assert enum_of(schema, root) == options


def test_a_reference_may_be_a_pointer_an_anchor_or_the_root() -> None:
    root = {
        "$defs": {"a/b~": {"type": "null"}, "x": {"$anchor": "here", "type": "array", "prefixItems": [{"const": 1}]}}
    }
    assert target("#", root) is root
    assert target("#/$defs/a~1b~0", root) == {"type": "null"}
    assert target("#/$defs/a%2Fb~0".replace("%2F", "~1"), root) == {"type": "null"}
    assert target("#here", root) is root["$defs"]["x"]
    assert target("#/$defs/x/prefixItems/0", root) == {"const": 1}
    assert target("#/$defs/x/prefixItems/9", root) is None
    assert target("http://example.org#/x", root) is None


def test_keywords_beside_a_reference_are_laid_over_its_target() -> None:
    root = {"$defs": {"a": {"type": "string", "title": "A"}}}
    assert resolve({"$ref": "#/$defs/a", "title": "B"}, root) == {"type": "string", "title": "B"}
    assert resolve(True, root) == {}
    assert resolve(False, root) == {"not": {}}


CIRCLES = [
    {"$ref": "#"},
    {"allOf": [{"$ref": "#"}]},
    {"anyOf": [{"$ref": "#"}, {"oneOf": [{"$ref": "#"}]}]},
    {"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}, "$ref": "#/$defs/a"},
    {"properties": {"x": {"$ref": "#"}}, "items": {"$ref": "#"}},
]


@pytest.mark.parametrize("schema", CIRCLES)
def test_circles_end(schema: dict[str, Any]) -> None:
    assert set(parameters_of(schema)) <= {"x"}
    assert types_of(schema, schema) is None
    assert enum_of(schema, schema) is None
    assert len(subschemas(schema, schema, ("x", 0, "x") * 30)) < 10
    subschema(schema, schema, ("x", 0))


def test_a_schema_that_doubles_at_every_step_ends() -> None:
    bomb: dict[str, Any] = {"$defs": {"x0": {"type": "string"}}}
    for level in range(1, 60):
        twice = {"$ref": f"#/$defs/x{level - 1}"}
        bomb["$defs"][f"x{level}"] = {"allOf": [twice, dict(twice)], "anyOf": [dict(twice), dict(twice)]}
    bomb["$ref"] = "#/$defs/x59"
    types_of(bomb, bomb)
    enum_of(bomb, bomb)
    parameters_of(bomb)
    assert len(facets(bomb, bomb)) < 2_000


schemas = st.recursive(
    st.booleans() | st.none() | st.sampled_from(["#", "#/properties/a", "string", "a"]) | st.integers(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "type",
                    "properties",
                    "items",
                    "prefixItems",
                    "anyOf",
                    "oneOf",
                    "allOf",
                    "$ref",
                    "enum",
                    "const",
                    "required",
                    "additionalProperties",
                    "patternProperties",
                    "$defs",
                    "a",
                    "then",
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=25,
)


@settings(deadline=None, max_examples=tries(150))
@given(st.dictionaries(st.sampled_from(["properties", "allOf", "anyOf", "$ref", "items", "type"]), schemas), st.data())
def test_any_json_can_be_asked(schema: dict[str, Any], data: st.DataObject) -> None:
    path: list[str | int] = data.draw(st.lists(st.sampled_from(["a", "x", 0, 1]), max_size=3))
    for name, parameter in parameters_of(schema).items():
        assert name == parameter.name
    subschema(schema, schema, path)
    types_of(schema, schema)
    enum_of(schema, schema)
