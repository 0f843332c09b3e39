"""Tools of many sources: never an exception, places for everything, equal tools once, and bounded work."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from callwright.declarations.load import read_tools
from callwright.text.span import Span
from callwright.tools.documents import ToolDocument, holds_tools, read_tool_document
from callwright.tools.hints import hint_sentence
from callwright.tools.older_drafts import modernised
from callwright.tools.registry import ToolRegistry
from callwright.tools.sources.base import sources
from support.sampling import tries

OBJECT = {"type": "object", "properties": {"x": {"type": "string"}}}
ONE = json.dumps([{"name": "a", "description": "A.", "inputSchema": OBJECT}])


def test_a_tool_of_two_files_in_the_same_words_is_there_once() -> None:
    one, other = read_tools(ONE, "one.json"), read_tools(ONE, "other.json")
    merged = one.merge(other)
    assert [tool.origin.file for tool in merged] == ["one.json"]


def test_a_tool_of_two_files_in_other_words_is_kept_twice_the_first_first() -> None:
    one = read_tools(ONE, "one.json")
    other = read_tools(ONE.replace("string", "integer"), "other.json")
    merged = one.merge(other)
    assert [tool.origin.file for tool in merged.get("a")] == ["one.json", "other.json"]
    assert merged.parameters("a") == {"x": {"type": "string"}}


def test_equal_tools_of_clashing_names_and_aliases_are_not_confused() -> None:
    kit = {"name": "kit", "tools": [{"name": "b", "aliases": ["a"], "inputSchema": OBJECT}]}
    merged = read_tools(ONE, "one.json").merge(ToolRegistry.of(kit))
    assert merged.names == ("a", "b")


@pytest.mark.parametrize(
    ("text", "file", "holds"),
    [
        (ONE, "kit.json", True),
        ('{"tools": ' + ONE + ', "nextCursor": "x"}', "kit.json", True),
        ('{"jsonrpc": "2.0", "id": 1, "result": {"tools": ' + ONE + "}}", "kit.json", True),
        ('{"tools": ' + ONE + ', "messages": []}', "kit.json", False),
        ('{"prompts": ["x"], "tools": ' + ONE + "}", "kit.json", False),
        ('[{"role": "user", "content": "inputSchema"}]', "kit.json", False),
        ('[{"type": "function", "function": {"name": "a", "arguments": "{}", "parameters": {}}}]', "kit.json", False),
        ('{"type": "object", "properties": {"parameters": {"type": "object"}}}', "kit.json", False),
        ("openapi: 3.1.0\npaths: {}\n", "api.yaml", False),
        ('{"openapi": "3.1.0", "paths": {"/a": {"get": {"operationId": "a", "parameters": []}}}}', "api.json", False),
        ("name: tutor\ndescription: Helps.\nparameters: {temperature: 0.7}\n", "model.yaml", False),
        ("name: tutor\nparameters: {type: object, properties: {}}\n", "prompt.yaml", False),
        ("functions:\n- name: tutor\n  parameters: {temperature: 0.7}\n", "models.yaml", False),
        ('{"name": "a", "parameters": {"type": "object"}}\n{"name": "b", "parameters": {}}\n', "rows.json", False),
        ('{"functions": [{"name": "a", "parameters": {"type": "dict"}}]}', "kit.json", True),
        ("- name: a\n  inputSchema: {type: object}\n", "kit.yml", True),
        ("prompts: [a]\nparameters: {x: 1}\n", "kit.yml", False),
        (ONE, "kit.py", False),
        (ONE, "kit.md", False),
        ("[" * 10_000 + '"inputSchema"', "kit.json", False),
        ("", "kit.json", False),
    ],
)
def test_what_is_plainly_a_tool_file(text: str, file: str, holds: bool) -> None:
    assert holds_tools(text, file) is holds
    assert holds_tools("\ufeff" + text, file) is holds


@pytest.mark.parametrize(
    ("schema", "modern"),
    [
        ({"items": [{"type": "string"}]}, {"prefixItems": [{"type": "string"}]}),
        ({"items": [True], "additionalItems": False}, {"prefixItems": [True], "items": False}),
        ({"minimum": 1, "exclusiveMinimum": True}, {"exclusiveMinimum": 1}),
        ({"maximum": 1, "exclusiveMaximum": False}, {"maximum": 1}),
        ({"exclusiveMinimum": True}, {}),
        ({"anyOf": [{"items": []}, {"items": [{}]}]}, {"anyOf": [{}, {"prefixItems": [{}]}]}),
        ({"$defs": {"a": {"items": [{}]}}}, {"$defs": {"a": {"prefixItems": [{}]}}}),
        ({"items": {"type": "string"}}, None),
        ({"properties": {"items": {"enum": [["items"]]}}}, None),
        ({"$schema": "http://json-schema.org/draft-07/schema#", "items": []}, None),
        (True, None),
    ],
)  # fmt: skip
def test_older_keywords_mean_what_they_meant(schema: Any, modern: Any) -> None:
    before = json.dumps(schema)
    assert modernised(schema) == modern
    assert json.dumps(schema) == before


@pytest.mark.parametrize(
    ("annotations", "sentence"),
    [
        ({}, ""),
        ({"readOnlyHint": False, "title": "x", "destructiveHint": "yes"}, ""),
        ({"readOnlyHint": True, "destructiveHint": True}, "Its annotations say that it changes nothing."),
        (
            {"destructiveHint": False, "openWorldHint": True, "taskSupport": "required"},
            (
                "Its annotations say that it only makes additive changes, interacts with external systems and"
                " runs only as a task."
            ),
        ),
        ({"taskSupport": ["optional"], "openWorldHint": 1}, ""),
    ],
)
def test_hints_are_reported_as_the_authors_word(annotations: dict[str, Any], sentence: str) -> None:
    assert hint_sentence(annotations) == sentence


KEYS = [
    *("openapi", "swagger", "paths", "/a", "get", "parameters", "requestBody", "content", "application/json", "schema"),
    *("responses", "200", "$ref", "components", "schemas", "name", "in", "required", "properties", "items", "nullable"),
    *(
        "tools",
        "result",
        "jsonrpc",
        "definitions",
        "$defs",
        "description",
        "inputSchema",
        "jsonSchema",
        "args",
        "inputs",
    ),
    *("parameter_definitions", "functionDeclarations", "minItems", "exclusiveMinimum", "minimum", "type", "example"),
    *(
        "examples",
        "operationId",
        "additionalOperations",
        "allOf",
        "annotations",
        "execution",
        "enum",
        "body",
        "function",
    ),
]
WORDS = [
    *(
        "3.1.0",
        "2.0",
        "object",
        "array",
        "string",
        "#/components/schemas/A",
        "#/definitions/A",
        "#",
        "#/paths/~1a",
        "path",
    ),
    *("body", "query", "3", "nope", "OBJECT", "web_search", "bash_20250124", "function", "", "tool", "#/components"),
]
VALUES = st.recursive(
    st.sampled_from(WORDS) | st.booleans() | st.none() | st.integers(-2, 9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=6),
    max_leaves=30,
)
PATHS = st.dictionaries(
    st.sampled_from(["/a", "/b/{id}", "x"]), st.dictionaries(st.sampled_from(["get", "post", "parameters"]), VALUES)
)
DOCUMENTS = VALUES | st.fixed_dictionaries(
    {
        "openapi": st.sampled_from(["3.0.0", "3.1.0"]),
        "paths": PATHS,
        "components": st.fixed_dictionaries({"schemas": st.dictionaries(st.sampled_from(["A", "B"]), VALUES)}),
    }
)  # fmt: skip


def places_of(document: ToolDocument) -> list[Span]:
    spans: list[Span] = []
    for definition in document.definitions:
        paths = [definition.path, definition.name_path, definition.description_path]
        for path in (definition.schema_path, definition.output_path, definition.examples_path):
            paths += [path] if path is not None else []
        if definition.schema_path is not None:
            paths += [(*definition.schema_path, "properties", name) for name in definition.tool.parameters]
        for path in paths:
            spans += [document.places.value(path), document.places.key(path)]
    return spans + [problem.span for problem in document.problems]


@settings(deadline=None, max_examples=tries(300))
@given(DOCUMENTS, st.sampled_from(["kit.json", "kit.yaml", "kit.jsonl"]))
def test_any_value_gives_tools_with_places(value: Any, file: str) -> None:
    text = json.dumps(value)
    document = read_tool_document(text, file)
    for tool in document.registry:
        assert tool.input_schema["type"] == "object"
        assert tool.name
    for span in places_of(document):
        assert 0 <= span.start <= span.end <= len(text)
    assert isinstance(holds_tools(text, file), bool)
    for definition in document.definitions:
        json.dumps(definition.tool.input_schema)


def test_a_long_chain_of_references_is_followed_without_recursion() -> None:
    schemas = {
        f"C{n}": {"type": "object", "properties": {"next": {"$ref": f"#/components/schemas/C{n + 1}"}}}
        for n in range(3_000)
    }
    schemas["C3000"] = {"$ref": "#/components/schemas/C0"}
    body = {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/C0"}}}}
    paths = {"/a": {"post": {"operationId": "a", "requestBody": body}}}
    api = {"openapi": "3.0.0", "paths": paths, "components": {"schemas": schemas}}
    (definition,) = read_tool_document(json.dumps(api), "api.json").definitions
    assert len(definition.tool.input_schema["$defs"]) == 3_001
    assert definition.tool.checked


def test_a_schema_that_refers_to_itself_alone_ends() -> None:
    api = """
openapi: 3.0.0
paths:
  /a:
    post: {operationId: a, requestBody: {$ref: "#/paths/~1a/post/requestBody"}, parameters: [{$ref: "#/components/x"}]}
  /b: {$ref: "#/paths/~1b"}
components: {x: {$ref: "#/components/x"}, schemas: {A: {$ref: "#/components/schemas/A"}}}
"""
    document = read_tool_document(api, "api.yaml")
    assert [definition.tool.name for definition in document.definitions] == ["a"]


def test_every_source_has_a_name_and_its_own_place_in_the_order() -> None:
    names = [source.name for source in sources()]
    assert len(set(names)) == len(names)
    assert names.index("lock") < names.index("openapi") < names.index("mcp") < names.index("plain")
