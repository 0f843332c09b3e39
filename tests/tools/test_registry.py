"""The registry: definitions of every usual shape, clashing sets, and what a reader may ask."""

import sys
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from callwright.dialects.base import ToolNames
from callwright.tools.model import ToolSchema
from callwright.tools.registry import EMPTY, ToolRegistry
from callwright.tools.sources.base import sources
from support.sampling import tries

PATH = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}

SHAPES: dict[str, Any] = {
    "MCP": {"name": "read", "description": "Reads.", "inputSchema": PATH},
    "MCP's list": {"tools": [{"name": "read", "description": "Reads.", "inputSchema": PATH}]},
    "MCP's answer": {
        "jsonrpc": "2.0",
        "id": 1,
        "result": {"tools": [{"name": "read", "description": "Reads.", "inputSchema": PATH}]},
    },
    "a list": [{"name": "read", "description": "Reads.", "inputSchema": PATH}],
    "OpenAI chat": {"type": "function", "function": {"name": "read", "description": "Reads.", "parameters": PATH}},
    "OpenAI chat, type left out": {"function": {"name": "read", "description": "Reads.", "parameters": PATH}},
    "OpenAI responses": {"type": "function", "name": "read", "description": "Reads.", "parameters": PATH},
    "OpenAI functions": {"functions": [{"name": "read", "description": "Reads.", "parameters": PATH}]},
    "Anthropic": {"name": "read", "description": "Reads.", "input_schema": PATH},
    "Anthropic's request": {
        "model": "m",
        "messages": [],
        "tools": [{"name": "read", "description": "Reads.", "input_schema": PATH}],
    },
    "Converse": {"toolSpec": {"name": "read", "description": "Reads.", "inputSchema": {"json": PATH}}},
    "Converse's request": {
        "toolConfig": {
            "tools": [{"toolSpec": {"name": "read", "description": "Reads.", "inputSchema": {"json": PATH}}}]
        }
    },
    "Gemini": {
        "functionDeclarations": [
            {
                "name": "read",
                "description": "Reads.",
                "parameters": {"type": "OBJECT", "properties": {"path": {"type": "STRING"}}, "required": ["path"]},
            }
        ]
    },
    "Gemini's JSON Schema": {"name": "read", "description": "Reads.", "parametersJsonSchema": PATH},
    "plain parameters": {"name": "read", "description": "Reads.", "parameters": PATH},
    "plain schema": {"name": "read", "description": "Reads.", "schema": PATH},
    "a map of schemas": {"read": {**PATH, "description": "Reads."}},
    "a map of definitions": {"tools": {"read": {"description": "Reads.", "inputSchema": PATH}}},
    "a titled schema": {**PATH, "title": "read", "description": "Reads."},
    "our own": {"name": "set", "tools": [{"name": "read", "description": "Reads.", "inputSchema": PATH}]},
}


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_every_usual_shape_gives_the_same_tool(shape: Any) -> None:
    registry = ToolRegistry.of(shape)
    assert registry.names == ("read",)
    assert not registry.problems
    (tool,) = registry.get("read")
    assert tool.description == "Reads."
    assert tool.input_schema["type"] == "object"
    parameter = tool.parameters["path"]
    assert (parameter.schema, parameter.required) == ({"type": "string"}, True)


def test_shapes_may_be_mixed_in_one_list() -> None:
    registry = ToolRegistry.of([SHAPES["OpenAI chat"], {"name": "b", "inputSchema": PATH}, {"c": PATH}])
    assert registry.names == ("read", "b", "c")


def test_a_tool_keeps_all_that_its_definition_states() -> None:
    (tool,) = ToolRegistry.of(
        {
            "name": "kit",
            "dialect": "xml-children",
            "markup": "raw",
            "$defs": {"line": {"type": "integer"}},
            "tools": [
                {
                    "name": "jump",
                    "title": "Jump",
                    "aliases": ["leap", "jump"],
                    "deprecated": "use `until`",
                    "inputSchema": {"type": "object", "properties": {"line": {"$ref": "#/$defs/line"}}},
                    "outputSchema": {"type": "object"},
                    "examples": [{"line": 1}, "nonsense"],
                }
            ],
        }
    )
    assert (tool.title, tool.aliases, tool.deprecated) == ("Jump", ("leap",), "use `until`")
    assert (tool.markup, tool.dialect, tool.origin.tool_set) == ("raw", "xml-children", "kit")
    assert (tool.examples, tool.output_schema) == (
        ({"line": 1},),
        {"type": "object", "$defs": {"line": {"type": "integer"}}},
    )
    assert tool.origin.pointer == "/tools/0"
    assert tool.parameters["line"].schema == {"type": "integer"}


def test_gemini_words_become_json_schema() -> None:
    parameters = {
        "type": "OBJECT",
        "properties": {"tags": {"type": "ARRAY", "items": {"type": "STRING", "nullable": True, "enum": ["a"]}}},
    }
    (tool,) = ToolRegistry.of({"name": "g", "parameters": parameters})
    assert tool.parameters["tags"].schema == {
        "type": "array",
        "items": {"type": ["string", "null"], "enum": ["a", None]},
    }


@pytest.mark.parametrize(
    ("definition", "kind", "pointer"),
    [
        ({"inputSchema": PATH}, "tool-without-name", ""),
        ({"name": " ", "inputSchema": PATH}, "tool-without-name", "/name"),
        ({"name": 7, "inputSchema": PATH}, "tool-without-name", "/name"),
        ({"function": {"parameters": PATH}}, "tool-without-name", ""),
        ("read", "tools-not-understood", ""),
        ({"bogus": 1}, "tools-not-understood", ""),
        ({"error": {"code": -32601}}, "tools-not-understood", ""),
        ([[[[[[[[{"name": "deep"}]]]]]]]], "tools-not-understood", "/0/0/0/0/0/0"),
    ],
)
def test_what_is_no_tool_is_left_out_and_named(definition: Any, kind: str, pointer: str) -> None:
    registry = ToolRegistry.of([definition, {"name": "good", "inputSchema": PATH}])
    assert registry.names == ("good",)
    ((file, problem),) = registry.problems
    assert (file, problem.kind, problem.data["pointer"]) == (None, kind, f"/0{pointer}")
    assert problem.data["reason"]
    assert problem.data["remedy"]


@pytest.mark.parametrize(
    ("schema", "kind", "pointer"),
    [
        (None, "tool-schema-invalid", "/0/inputSchema"),
        (True, "tool-schema-invalid", "/0/inputSchema"),
        ("object", "tool-schema-invalid", "/0/inputSchema"),
        ({"type": "array"}, "tool-schema-invalid", "/0/inputSchema/type"),
        ({"type": "objekt"}, "tool-schema-invalid", "/0/inputSchema/type"),
        ({"properties": {"p": {"type": ["str"]}}}, "tool-schema-invalid", "/0/inputSchema/properties/p/type/0"),
        ({"properties": {"p": 3}}, "tool-schema-invalid", "/0/inputSchema/properties/p"),
        ({"properties": []}, "tool-schema-invalid", "/0/inputSchema/properties"),
        ({"required": "path"}, "tool-schema-invalid", "/0/inputSchema/required"),
        ({"properties": {"p": {"pattern": "("}}}, "tool-schema-invalid", "/0/inputSchema/properties/p/pattern"),
        ({"properties": {"p": {"$ref": "#/$defs/no"}}}, "tool-schema-invalid", "/0/inputSchema/properties/p/$ref"),
        ({"$ref": "https://example.org/s.json"}, "tool-remote-ref", "/0/inputSchema/$ref"),
        ({"properties": {"p": {"$ref": "other.json#/x"}}}, "tool-remote-ref", "/0/inputSchema/properties/p/$ref"),
        ({"$ref": "#"}, "tool-schema-invalid", "/0/inputSchema"),
    ],
)
def test_a_tool_with_a_broken_schema_is_kept_and_takes_anything(schema: Any, kind: str, pointer: str) -> None:
    registry = ToolRegistry.of([{"name": "tool", "inputSchema": schema}])
    tool = registry.get("tool")[0]
    assert tool.input_schema["type"] == "object"
    # A document's own schema that describes no object is replaced by one that takes any.
    assert not tool.checked or tool.input_schema == {"type": "object"}
    ((_, problem),) = registry.problems
    assert (problem.kind, problem.data["pointer"], problem.data["tool"]) == (kind, pointer, "tool")


def test_a_property_called_ref_is_no_reference() -> None:
    schema = {"type": "object", "properties": {"$ref": {"type": "string"}}, "examples": [{"$ref": "http://x"}]}
    assert not ToolRegistry.of([{"name": "tool", "inputSchema": schema}]).problems


def test_a_name_counts_once_in_a_set_and_as_often_as_there_are_sets() -> None:
    twice = ToolRegistry.of([{"name": "a", "parameters": PATH}, {"name": "a", "parameters": {"type": "object"}}])
    assert [tool.input_schema for tool in twice.get("a")] == [PATH]
    assert [problem.kind for _, problem in twice.problems] == ["tool-duplicate"]

    own = ToolRegistry.of([{"name": "a", "parameters": PATH}])
    other = ToolRegistry.of([{"name": "a", "parameters": {"type": "object", "properties": {"x": {}, "path": {}}}}])
    both = own.merge(other)
    assert [tool.input_schema for tool in both.get("a")] == [PATH, other.get("a")[0].input_schema]
    assert both.parameters("a") == {"path": {"type": "string"}, "x": {}}


def test_aliases_lead_to_their_tool_but_are_no_names() -> None:
    registry = ToolRegistry([ToolSchema("debug", aliases=("debug_source_file",)), ToolSchema("close")])
    assert registry.has("debug_source_file")
    assert registry.get("debug_source_file") == registry.get("debug")
    assert registry.names == ("debug", "close")
    assert registry.near("debug_sorce_file") == "debug_source_file"


def test_no_tools_are_no_registry() -> None:
    assert ToolRegistry.of(None) is ToolRegistry.of([]) is ToolRegistry.of({}) is ToolRegistry.of(EMPTY) is EMPTY
    assert not EMPTY.closed
    assert EMPTY.near("read_file") is None
    assert EMPTY.parameters("read_file") is None
    assert EMPTY.markup("read_file") is None
    assert not ToolRegistry.of([{"bogus": 1}]).closed


def test_a_registry_is_returned_as_it_is_and_merging_makes_a_new_one() -> None:
    registry = ToolRegistry.of([{"name": "a"}])
    assert ToolRegistry.of(registry) is registry
    assert registry.merge(EMPTY) is registry
    merged = registry.merge(ToolRegistry.of([{"name": "b"}]).opened())
    assert (merged.names, registry.names, merged.closed, registry.opened().closed) == (("a", "b"), ("a",), True, False)
    assert ToolRegistry.of([ToolSchema("c"), {"name": "d"}, {"bogus": 1}]).names == ("c", "d")


def test_the_preferred_tool_states_how_its_elements_are_written() -> None:
    raw, xml = ToolSchema("t", markup="raw"), ToolSchema("t", markup="xml")
    assert ToolRegistry([raw, xml]).markup("t") == "raw"
    assert ToolRegistry([xml, raw]).markup("t") == "xml"


def test_the_registry_answers_what_dialects_ask() -> None:
    names: ToolNames = ToolRegistry.of([{"name": "read_file", "parameters": PATH}])
    assert names.closed
    assert names.has("read_file")
    assert not names.has("raed_file")
    assert names.near("raed_file") == "read_file"
    assert names.parameters("read_file") == {"path": {"type": "string"}}


def test_sources_are_found_by_listing_their_folder_and_the_last_resort_comes_last() -> None:
    assert {source.name for source in sources()} >= {"mcp", "openai", "anthropic", "gemini", "plain", "tool-set"}
    assert sources()[-1].name == "plain"


def test_plain_tools_are_read_without_a_validator_or_a_distance_library(monkeypatch: pytest.MonkeyPatch) -> None:
    for library in ("jsonschema", "jsonschema_rs", "rapidfuzz", "rapidfuzz.distance"):
        monkeypatch.setitem(sys.modules, library, None)
    registry = ToolRegistry.of([{"name": "read_file", "inputSchema": PATH}])
    assert registry.near("thinking") is None
    assert not registry.problems


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=5)
    | st.sampled_from(["object", "#", "#/a"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "name",
                    "tools",
                    "type",
                    "function",
                    "parameters",
                    "inputSchema",
                    "input_schema",
                    "properties",
                    "$ref",
                    "$defs",
                    "allOf",
                    "items",
                    "title",
                    "required",
                    "enum",
                    "examples",
                    "aliases",
                    "result",
                    "functionDeclarations",
                    "description",
                    "a",
                ]
            ),
            inner,
            max_size=5,
        )
    ),
    max_leaves=25,
)


@settings(deadline=None, max_examples=tries(150))
@given(json_values)
def test_any_json_gives_a_registry(value: Any) -> None:
    registry = ToolRegistry.of(value if isinstance(value, dict | list) else [value])
    for tool in registry:
        assert isinstance(tool.name, str)
        assert tool.input_schema["type"] == "object"
        assert set(registry.parameters(tool.name) or {}) >= set(tool.parameters)
        registry.near(tool.name + "x")


@pytest.mark.parametrize(
    ("name", "tool"),
    [
        ("functions.read_file", "read_file"),
        ("mcp__files__read_file", "read_file"),
        ("a/b:read_file", "read_file"),
        ("files.list.all", "list.all"),
        ("functions.raed_file", None),
        ("read_file.functions", None),
        ("read_file", None),
        ("x." * 200 + "read_file", None),
    ],
)
def test_a_namespace_before_a_name_is_known(name: str, tool: str | None) -> None:
    assert ToolRegistry.of([{"name": "read_file"}, {"name": "list.all"}]).unqualified(name) == tool
