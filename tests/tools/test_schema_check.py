"""Which schemas can be worked with: well-formed, local, and of bounded cost."""

import sys
from typing import Any

import jsonschema  # type: ignore[import-untyped] # it ships no types
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from callwright.tools.schema_check import DEPTH, INVALID, REMOTE, bounded, check_schema, object_schema
from support.sampling import tries


def kinds(schema: Any) -> list[str]:
    return [fault.kind for fault in check_schema(schema)]


@pytest.mark.parametrize(
    "schema",
    [
        {},
        {"type": "object", "properties": {"a": {"type": ["string", "null"]}}, "required": ["a"]},
        {"$schema": "http://json-schema.org/draft-07/schema#", "definitions": {"x": {}}, "$ref": "#/definitions/x"},
        {"$schema": "https://example.org/own-dialect", "type": "object"},
        {"properties": {"children": {"items": {"$ref": "#"}}}},
        {"properties": {"p": {"pattern": r"^(?!x)\p{L}+$"}}},
        {"properties": {"p": {"pattern": "^(a+)+$"}}},
        {"$defs": {"x": {"$anchor": "here"}}, "properties": {"p": {"$ref": "#here"}}},
        {"x-anything": 1, "unheard-of": [2]},
    ],
)
def test_sound_schemas_pass(schema: Any) -> None:
    assert check_schema(schema) == []
    assert bounded(schema)


def test_a_fault_states_where_why_and_what_to_do() -> None:
    (fault,) = check_schema({"properties": {"p": {"type": "str"}}})
    assert fault.path == ("properties", "p", "type")
    assert (fault.reason, fault.remedy) == ("`str` is not a JSON type", "write `string`")


def test_remote_references_are_refused_anywhere_and_first_of_all() -> None:
    schema = {"allOf": [{"$ref": "file:///etc/passwd"}], "type": "objec"}
    assert kinds(schema) == [REMOTE, INVALID]
    assert not bounded(schema)


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#"},
        {"anyOf": [{"not": {"$ref": "#"}}]},
        {"$defs": {"a": {"allOf": [{"$ref": "#/$defs/b"}]}, "b": {"oneOf": [{"$ref": "#/$defs/a"}]}}},
    ],
)
def test_a_schema_that_never_gets_to_a_part_of_the_value_is_refused(schema: Any) -> None:
    assert kinds(schema) == [INVALID]


def test_a_schema_that_multiplies_is_refused_quickly() -> None:
    bomb: dict[str, Any] = {"$defs": {"x0": {"type": "string"}}, "$ref": "#/$defs/x40"}
    for level in range(1, 41):
        bomb["$defs"][f"x{level}"] = {"allOf": [{"$ref": f"#/$defs/x{level - 1}"}, {"$ref": f"#/$defs/x{level - 1}"}]}
    assert kinds(bomb) == [INVALID]


def test_depth_and_size_have_bounds() -> None:
    deep: dict[str, Any] = {}
    for _ in range(5_000):
        deep = {"items": deep}
    assert kinds(deep) == [INVALID]
    assert kinds({"properties": {str(number): {} for number in range(60_000)}}) == [INVALID]
    bearable: dict[str, Any] = {}
    for _ in range(DEPTH // 2):
        bearable = {"items": bearable}
    assert check_schema(bearable) == []


def test_only_object_schemas_describe_arguments() -> None:
    assert object_schema({"type": "array"}) is None
    assert object_schema({"properties": {}}) == {"properties": {}, "type": "object"}
    assert object_schema({"type": ["object", "null"]}) == {"type": "object"}


def test_ordinary_schemas_need_no_library(monkeypatch: pytest.MonkeyPatch) -> None:
    for library in ("jsonschema", "jsonschema_rs"):
        monkeypatch.setitem(sys.modules, library, None)
    schema = {
        "type": "object",
        "properties": {"a": {"type": "string", "pattern": "^x", "minLength": 1}, "b": {"enum": [1, 2], "default": 1}},
        "required": ["a"],
        "additionalProperties": False,
    }
    assert check_schema(schema) == []


def test_without_the_fast_library_the_slow_one_judges(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jsonschema_rs", None)
    assert kinds({"properties": {"a": {"minLength": -1}}}) == [INVALID]
    assert kinds({"properties": {"a": {"dependentRequired": {"x": ["y"]}}}}) == []


schemas = st.recursive(
    st.booleans() | st.none() | st.sampled_from(["#", "#/$defs/a", "string", "object", "^a"]) | st.integers(-2, 3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "type",
                    "properties",
                    "items",
                    "anyOf",
                    "$ref",
                    "enum",
                    "required",
                    "minLength",
                    "pattern",
                    "uniqueItems",
                    "additionalProperties",
                    "a",
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=20,
)


@settings(deadline=None, max_examples=tries(200))
@given(schemas)
def test_what_passes_the_meta_schema_accepts(schema: Any) -> None:
    faults = check_schema(schema)
    if not faults:
        jsonschema.Draft202012Validator.check_schema(schema)
