"""Validation: one error for each fault, with its path; the two libraries agree; nothing raises, hangs or fetches."""

import sys
from typing import Any

import jsonschema  # type: ignore[import-untyped] # it ships no types
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from callwright.schema import validation
from callwright.schema.errors import SchemaError
from callwright.schema.plain_validity import plainly_valid
from callwright.schema.slow_validation import SlowValidator
from callwright.schema.validation import UNCHECKED, compile_schema, validate
from callwright.text.lru import Kept
from support.sampling import tries

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "path": {"type": "string"},
        "line": {"type": "integer", "minimum": 1},
        "mode": {"enum": ["r", "w"]},
        "tags": {"type": "array", "items": {"type": "string"}, "uniqueItems": True},
        "filter": {
            "anyOf": [
                {"type": "string"},
                {"type": "object", "required": ["by"], "properties": {"by": {"type": "string"}}},
            ]
        },
    },
    "required": ["path", "line"],
    "additionalProperties": False,
}


@pytest.fixture(params=["fast", "slow"])
def library(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Let a test run with each library: the slow one answers where the fast one cannot be imported."""
    monkeypatch.setattr(validation, "_cache", Kept(512, 200_000))
    if request.param == "slow":
        monkeypatch.setitem(sys.modules, "jsonschema_rs", None)
    return str(request.param)


def stated(errors: list[SchemaError]) -> set[tuple[Any, ...]]:
    return {(error.path, error.keyword, repr(dict(error.data))) for error in errors}


def test_every_fault_is_one_error(library: str) -> None:
    arguments = {"line": 0, "mode": "x", "tags": ["a", 1, "a"], "pth": 1, "lin": 2}
    assert stated(validate(SCHEMA, arguments)) == {
        ((), "required", "{'missing': 'path'}"),
        (("line",), "minimum", "{'limit': 1, 'got': 0}"),
        (("mode",), "enum", "{'options': ['r', 'w']}"),
        (("tags", 1), "type", "{'expected': ['string'], 'got': 'integer'}"),
        (("tags",), "uniqueItems", "{'duplicates': [0, 2]}"),
        ((), "additionalProperties", "{'unexpected': ['pth']}"),
        ((), "additionalProperties", "{'unexpected': ['lin']}"),
    }


def test_each_missing_property_is_an_error_of_its_own(library: str) -> None:
    assert [error.data for error in validate(SCHEMA, {})] == [{"missing": "path"}, {"missing": "line"}]
    odd = {"required": ["it's", 'a "b"', "a is a b"]}
    assert [error.data["missing"] for error in validate(odd, {})] == odd["required"]


def test_a_required_property_that_is_forbidden_as_well_is_not_missing(library: str) -> None:
    schema = {"properties": {}, "required": ["b"], "additionalProperties": False}
    assert [(error.keyword, error.data) for error in validate(schema, {"b": None})] == [
        ("additionalProperties", {"unexpected": ["b"]})
    ]
    assert {error.keyword for error in validate(schema, {"a": None})} == {"additionalProperties", "required"}


@pytest.mark.parametrize(
    ("schema", "value", "keyword", "data"),
    [
        ({"type": ["string", "null"]}, 1.5, "type", {"expected": ["string", "null"], "got": "number"}),
        ({"type": "integer"}, True, "type", {"expected": ["integer"], "got": "boolean"}),
        ({"const": 1}, True, "const", {"options": [1]}),
        ({"maxLength": 2}, "abc", "maxLength", {"limit": 2, "got": 3}),
        ({"minItems": 2}, [1], "minItems", {"limit": 2, "got": 1}),
        ({"minProperties": 1}, {}, "minProperties", {"limit": 1, "got": 0}),
        ({"exclusiveMaximum": 3}, 3, "exclusiveMaximum", {"limit": 3, "got": 3}),
        ({"multipleOf": 5}, 7, "multipleOf", {"limit": 5, "got": 7}),
        ({"pattern": "^a"}, "b", "pattern", {"pattern": "^a"}),
        ({"oneOf": [{"type": "integer"}, {"minimum": 1}]}, 2, "oneOf", {"matching": 2}),
        ({"not": {"type": "null"}}, None, "not", {}),
        ({"contains": {"const": 1}}, [], "contains", {}),
        ({"contains": {}, "minContains": 2}, [1], "minContains", {}),
        ({"propertyNames": {"pattern": "^x"}}, {"y": 1}, "propertyNames", {"name": "y"}),
        ({"dependentRequired": {"a": ["b"]}}, {"a": 1}, "dependentRequired", {"missing": "b"}),
        ({"unevaluatedProperties": False}, {"a": 1}, "unevaluatedProperties", {"unexpected": ["a"]}),
        ({"properties": {"a": False}}, {"a": 1}, "falseSchema", {}),
        ({"prefixItems": [{}], "items": False}, [1, 2], "falseSchema", {}),
        ({"if": {"required": ["a"]}, "then": {"required": ["b"]}}, {"a": 1}, "required", {"missing": "b"}),
        ({"$ref": "#/$defs/a", "$defs": {"a": {"type": "null"}}}, 1, "type", {"expected": ["null"], "got": "integer"}),
    ],
)
def test_an_error_carries_what_a_message_needs(
    library: str, schema: dict[str, Any], value: Any, keyword: str, data: dict[str, Any]
) -> None:
    (error,) = validate(schema, value)
    assert (error.keyword, error.data) == (keyword, data)


@pytest.mark.parametrize(
    "schema", [{"additionalProperties": False}, {"type": "object", "properties": {}, "additionalProperties": False}]
)
def test_a_tool_without_parameters_has_each_argument_named(library: str, schema: dict[str, Any]) -> None:
    assert [error.data for error in validate(schema, {"a": 1, "b": 2})] == [
        {"unexpected": ["a"]},
        {"unexpected": ["b"]},
    ]
    nested = {"properties": {"x": schema}}
    assert {(error.path, error.keyword) for error in validate(nested, {"x": {"a": 1}})} == {
        (("x",), "additionalProperties")
    }
    assert [error.data for error in validate({"propertyNames": False}, {"a": 1, "b": 2})] == [
        {"name": "a"},
        {"name": "b"},
    ]


def test_properties_may_be_called_like_keywords(library: str) -> None:
    words = ("propertyNames", "additionalProperties", "items", "required", "anyOf")
    for word in words:
        (error,) = validate({"properties": {word: False}}, {word: {"a": 1}})
        assert (error.path, error.keyword) == ((word,), "falseSchema")
        (error,) = validate({"properties": {word: {"type": "null"}}}, {word: {"a": 1}})
        assert (error.path, error.keyword) == ((word,), "type")


def test_formats_are_not_asserted(library: str) -> None:
    assert (
        validate({"type": "string", "format": "date", "minLength": 1, "allOf": [{"format": "email"}]}, "no date") == []
    )


def test_the_variant_that_was_most_likely_meant_comes_first(library: str) -> None:
    (error,) = validate(SCHEMA, {"path": "a", "line": 1, "filter": {"by": 1}})
    assert (error.path, error.keyword) == (("filter",), "anyOf")
    assert [[(inner.path, inner.keyword) for inner in branch] for branch in error.branches] == [
        [(("filter", "by"), "type")],
        [(("filter",), "type")],
    ]
    (error,) = validate(SCHEMA, {"path": "a", "line": 1, "filter": {}})
    assert [branch[0].keyword for branch in error.branches] == ["required", "type"]


def test_an_alias_is_for_its_parameter_and_errors_name_what_was_written(library: str) -> None:
    schema = {
        "type": "object",
        "properties": {
            "file_path": {"type": "string", "minLength": 1},
            "path": {"type": "string", "deprecated": True, "x-alias-of": "file_path"},
        },
        "required": ["file_path"],
        "additionalProperties": False,
    }
    assert validate(schema, {"path": "a"}) == []
    assert [(error.path, error.keyword) for error in validate(schema, {"path": 1})] == [(("path",), "type")]
    assert [(error.path, error.keyword) for error in validate(schema, {"path": ""})] == [(("path",), "minLength")]
    assert [error.data for error in validate(schema, {})] == [{"missing": "file_path"}]
    both = validate(schema, {"file_path": 1, "path": 2})
    assert {error.path for error in both} == {("file_path",), ("path",)}


HOSTILE_VALUES = [
    {"path": "\ud800", "line": 1},
    {"path": "a", "line": 10**5_000},
    {"path": "a", "line": 1, 3: "key"},
    {"path": "a", "line": 1, "\ud800": 1},
    {"path": {1, 2}, "line": object()},
    {"path": "a", "line": float("nan")},
    [],
    None,
    "\udfff",
]


@pytest.mark.parametrize("value", HOSTILE_VALUES, ids=range(len(HOSTILE_VALUES)))
def test_values_that_json_does_not_have_do_not_raise(library: str, value: Any) -> None:
    others: list[dict[str, Any]] = [{"type": "object", "minProperties": 99}, {"enum": [1]}, {"not": {}}]
    for schema in (SCHEMA, {"uniqueItems": True}, *others):
        validate(schema, value)


def test_a_lone_surrogate_is_text_and_a_key_with_one_keeps_its_name(library: str) -> None:
    assert validate(SCHEMA, {"path": "\ud800", "line": 1}) == []
    errors = validate(SCHEMA, {"path": "\ud800", "line": 1, "\udfff": 1, 7: 2})
    assert [error.data["unexpected"] for error in errors] == [["\udfff"], [7]]


def test_infinity_is_a_number_here(library: str) -> None:
    schema = {"type": "object", "properties": {"x": {"type": "number"}}}
    assert validate(schema, {"x": float("inf")}) == []
    assert validate(schema, {"x": float("nan")}) == []


def test_a_value_that_nests_too_deep_is_left_alone(library: str) -> None:
    value: Any = []
    for _ in range(50_000):
        value = [value]
    assert validate({"type": "array", "items": {"$ref": "#"}, "not": {"const": 1}}, value) == []


def test_a_hostile_pattern_ends(library: str) -> None:
    for pattern in ("^(a+)+$", "^(a|aa)+$", r"^(a*)*\1$", "(?:a?){50}a{50}"):
        validate({"pattern": pattern}, "a" * 20_000 + "b")
        validate({"patternProperties": {pattern: {"type": "null"}}}, {"a" * 5_000 + "b": 1})


def test_many_items_are_compared_in_linear_time(library: str) -> None:
    items: list[Any] = [{"n": number} for number in range(20_000)]
    assert validate({"uniqueItems": True, "not": {"const": 1}}, items) == []
    (error,) = validate({"uniqueItems": True}, [*items, {"n": 5.0}])
    assert error.data == {"duplicates": [5, 20_000]}


def test_json_equality_reports_true_from_one(library: str) -> None:
    assert validate({"uniqueItems": True}, [1, True, "1", None, 0, False]) == []
    assert validate({"enum": [1]}, True)
    assert validate({"enum": [1]}, 1.0) == []


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#"},
        {"anyOf": [{"$ref": "#"}]},
        {"$ref": "http://127.0.0.1:9/schema.json"},
        {"$ref": "file:///etc/hostname"},
        {"$ref": "#/$defs/nowhere"},
        {"type": "strin"},
        {"properties": 3},
        {"pattern": "("},
        {"multipleOf": 0},
        {"required": [1]},
    ],
)
def test_a_schema_that_cannot_be_used_finds_nothing_and_fetches_nothing(library: str, schema: Any) -> None:
    assert validate(schema, {"a": "b"}) == []


def test_a_schema_that_doubles_its_work_at_every_level_of_the_value_ends(library: str) -> None:
    schema: dict[str, Any] = {"properties": {"a": {"allOf": [{"$ref": "#"}, {"$ref": "#"}]}}, "minProperties": 1}
    value: dict[str, Any] = {}
    for _ in range(60):
        value = {"a": value}
    assert [error.keyword for error in validate(schema, value)] == [UNCHECKED]
    assert [error.keyword for error in validate(schema, {"a": {"a": {}}})][:1] == ["minProperties"]


def test_an_honest_recursive_schema_is_followed(library: str) -> None:
    schema = {"type": "object", "properties": {"label": {"type": "string"}, "children": {"items": {"$ref": "#"}}}}
    value: dict[str, Any] = {"label": 3}
    for _ in range(20):
        value = {"label": "x", "children": [value, {"label": "y"}]}
    (error,) = validate(schema, value)
    assert error.path == ("children", 0) * 20 + ("label",)


def test_errors_have_a_bound(library: str) -> None:
    assert len(validate({"items": {"type": "string"}}, list(range(5_000)))) == validation.MAX_ERRORS


def test_a_compiled_schema_is_kept_for_that_schema_only() -> None:
    for number in range(600):
        schema: dict[str, Any] = {"type": "object", "minProperties": number % 2}
        assert bool(validate(schema, {})) == bool(number % 2)


def test_a_plainly_valid_call_imports_no_library(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("jsonschema", "jsonschema_rs"):
        monkeypatch.setitem(sys.modules, name, None)
    assert validate(SCHEMA, {"path": "a", "line": 3, "mode": "r", "filter": "x"}) == []


@pytest.mark.parametrize(
    ("pattern", "value", "stated"),
    [
        ("^file://", "file:///a", True),
        ("^file://", "/a", None),
        ("^file://", 7, True),
        ("file://", "file:///a", None),
        ("^a.c", "abc", None),
        ("^a$", "a", None),
        ("^é", "é", None),
        (7, "a", None),
    ],
)
def test_a_pattern_that_states_what_a_text_begins_with_needs_no_library(pattern: Any, value: Any, stated: bool) -> None:
    assert plainly_valid({"pattern": pattern}, value) is stated


# Differential tests: the fast library, the slow one and the plain jsonschema say the same.

scalars = st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from([0.5, 1.0, "", "a", "b", "é"])


def nested(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3)


values = st.recursive(scalars, nested, max_leaves=5)
hostile_values = st.recursive(scalars | st.just("\ud800"), nested, max_leaves=5)
types = st.sampled_from(["array", "boolean", "integer", "null", "number", "object", "string"])


def with_keywords(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.fixed_dictionaries(
        {},
        optional={
            "type": types | st.lists(types, min_size=1, max_size=3, unique=True),
            "properties": st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
            "required": st.lists(st.sampled_from("abc"), max_size=3, unique=True),
            "additionalProperties": inner,
            # `items: false` is one error with a place of its own in each library; it has its own test.
            "items": inner.filter(lambda one: one is not False),
            "enum": st.lists(scalars, min_size=1, max_size=3),
            "const": st.sampled_from(["a", 1, None]),
            "anyOf": st.lists(inner, min_size=1, max_size=3),
            "minimum": st.integers(-1, 2),
            "maxLength": st.integers(0, 2),
            "minItems": st.integers(0, 2),
            "description": st.just("d"),
            "x-note": st.just(1),
        },
    )


schemas = st.recursive(st.booleans() | with_keywords(st.nothing() | st.booleans()), with_keywords, max_leaves=4)


@settings(deadline=None, max_examples=tries(120))
@given(schemas, hostile_values)
def test_plainly_valid_is_never_wrong(schema: Any, value: Any) -> None:
    assert plainly_valid(schema, value) in (True, None)
    if plainly_valid(schema, value):
        assert jsonschema.Draft202012Validator(schema).is_valid(value)


@settings(deadline=None, max_examples=tries(80))
@given(with_keywords(schemas), values)
def test_both_libraries_find_the_same(schema: dict[str, Any], value: Any) -> None:
    fast, slow = compile_schema(schema), SlowValidator.of(schema)
    assert fast is not None
    assert slow is not None
    assert sorted(map(repr, stated(list(fast.errors(value))))) == sorted(map(repr, stated(list(slow.errors(value)))))
    # Plain jsonschema forgets where a `false` was.
    plain = [
        error for error in jsonschema.Draft202012Validator(schema).iter_errors(value) if error.validator is not None
    ]
    found = [error for error in validate(schema, value) if error.keyword != "falseSchema"]
    assert {error.path for error in found} == {tuple(error.absolute_path) for error in plain}


@settings(deadline=None, max_examples=tries(50))
@given(st.lists(with_keywords(schemas), min_size=2, max_size=3), values)
def test_the_first_variant_is_the_one_that_jsonschema_would_name(variants: list[Any], value: Any) -> None:
    schema = {"anyOf": variants}
    whole = next(iter(jsonschema.Draft202012Validator(schema).iter_errors(value)), None)
    if whole is None:
        return
    best = min(whole.context, key=jsonschema.exceptions.relevance)
    (error,) = validate(schema, value)
    assert any(inner.path == tuple(best.absolute_path) for inner in error.branches[0])


anything = st.recursive(
    scalars | st.just("\ud800") | st.floats() | st.integers() | st.binary(max_size=2),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2) | st.integers(), inner, max_size=3),
    max_leaves=10,
)


@settings(deadline=None, max_examples=tries(80))
@given(with_keywords(schemas), anything)
def test_nothing_raises(schema: dict[str, Any], value: Any) -> None:
    for error in validate(schema, value):
        assert isinstance(error.path, tuple)
