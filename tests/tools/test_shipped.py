"""The tool sets that travel with Callwright: complete, sound, described, and each example accepted by its schema."""

import json
import sys
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped] # it ships no types
import pytest

from callwright.config import known_dialects
from callwright.schema import validation
from callwright.schema.validation import validate
from callwright.text.lru import Kept
from callwright.tools.model import ToolSchema
from callwright.tools.parameters import facets
from callwright.tools.schema_check import check_schema
from callwright.tools.shipped import DESCRIPTIONS, schemas_folder, shipped_registry, shipped_sets
from support.sampling import sampled

FOLDER = schemas_folder()
SETS = shipped_sets()
TOOLS = list(shipped_registry())
EACH_TOOL = pytest.mark.parametrize(
    "tool",
    sampled(TOOLS, keep=4, by=lambda tool: tool.origin.tool_set),
    ids=lambda tool: f"{tool.origin.tool_set}-{tool.name}",
)


def content(name: str) -> Any:
    return json.loads((FOLDER / name).read_text(encoding="utf-8"))


def test_seven_sets_are_shipped() -> None:
    assert SETS == ("accesslint", "cline", "mcp-go-debugger", "ragforge", "windlass", "zentara-debug", "zentara-lsp")


@pytest.mark.parametrize("name", SETS)
def test_a_set_obeys_the_schema_of_tool_sets(name: str) -> None:
    validator = jsonschema.Draft7Validator(content("tool-set.schema.json"))
    document = content(f"{name}.json")
    assert [error.message for error in validator.iter_errors(document)] == []
    assert document["name"] == name
    assert document.get("dialect") in (None, *known_dialects())


@pytest.mark.parametrize("name", sorted(DESCRIPTIONS))
def test_the_schemas_of_our_own_files_are_sound(name: str) -> None:
    jsonschema.Draft7Validator.check_schema(content(name))


@EACH_TOOL
def test_a_tool_is_sound(tool: ToolSchema) -> None:
    assert check_schema(tool.input_schema) == []
    assert tool.input_schema["additionalProperties"] is False
    jsonschema.Draft202012Validator.check_schema(tool.input_schema)
    if tool.output_schema is not None:
        assert check_schema(tool.output_schema) == []
        jsonschema.Draft202012Validator.check_schema(tool.output_schema)


@EACH_TOOL
def test_a_tool_and_all_its_parameters_are_described(tool: ToolSchema) -> None:
    assert tool.description.endswith(".")
    for parameter in tool.parameters.values():
        assert parameter.description.endswith("."), parameter.name
        for nested in facets(parameter.schema.get("items"), tool.input_schema):
            for name, child in nested.get("properties", {}).items():
                assert child["description"].endswith("."), name


@EACH_TOOL
def test_every_example_of_a_tool_is_accepted(tool: ToolSchema) -> None:
    assert tool.examples
    for example in tool.examples:
        assert [
            error.message for error in jsonschema.Draft202012Validator(tool.input_schema).iter_errors(example)
        ] == []
        assert validate(tool.input_schema, example) == []


@EACH_TOOL
def test_the_examples_of_a_tool_show_its_required_parameters_only_with_right_names(tool: ToolSchema) -> None:
    for example in tool.examples:
        assert set(example) <= set(tool.parameters)
        assert validate(tool.input_schema, {**example, "no_such_parameter": 1})


def test_zentara_has_its_thirty_one_operations() -> None:
    operations = shipped_registry(["zentara-debug"])
    assert len(operations) == 31
    assert {tool.dialect for tool in operations} == {"xml-json"}
    launch = operations.get("debug_launch")[0]
    assert validate(launch.input_schema, {"program": "src/app/main.py", "mode": "pytest", "args": ["--verbose"]}) == []
    assert [error.keyword for error in validate(launch.input_schema, {"mode": "pytest"})] == ["anyOf"]


def test_the_go_debugger_has_fourteen_tools_and_three_that_the_context_replaces() -> None:
    tools = shipped_registry(["mcp-go-debugger"])
    assert [tool.name for tool in tools if tool.deprecated] == [
        "get_execution_position",
        "list_scope_variables",
        "status",
    ]
    assert len([tool for tool in tools if tool.deprecated is None]) == 14
    assert all(tool.output_schema is not None for tool in tools if tool.deprecated is None)
    assert tools.get("debug_source_file")[0].name == "debug"
    assert tools.get("examine_variable")[0].name == "eval_variable"


def test_a_result_of_the_go_debugger_is_held_against_the_envelope() -> None:
    schema = shipped_registry(["mcp-go-debugger"]).get("step")[0].output_schema
    assert schema is not None
    place = {"file": "main.go", "line": 3}
    state = {
        "pid": 1,
        "targetCommandLine": "./app",
        "running": False,
        "recording": False,
        "coreDumping": False,
        "threads": [],
        "nextInProgress": False,
        "watchOutOfScope": [],
        "exited": False,
        "exitStatus": 0,
        "when": "",
    }
    result = {
        "status": "success",
        "data": {"stepType": "into", "from": place, "to": place, "changedVariables": []},
        "context": {"debuggerState": state, "timestamp": "2025-01-01T00:00:00Z"},
    }
    assert validate(schema, result) == []
    assert [error.path for error in validate(schema, {**result, "status": "ok"})] == [("status",)]
    broken = {**result, "data": {**result["data"], "to": {"file": "main.go", "line": "3"}}}  # type: ignore[dict-item] # a dict of mixed values
    assert [error.path for error in validate(schema, broken)] == [("data", "to", "line")]


def test_accesslint_takes_the_older_name_of_a_path() -> None:
    tool = shipped_registry(["accesslint"]).get("read_file")[0]
    assert validate(tool.input_schema, {"path": "a.ts"}) == []
    assert validate(tool.input_schema, {"file_path": "a.ts"}) == []
    assert tool.parameters["path"].alias_of == "file_path"
    assert tool.parameters["path"].deprecated


def test_cline_is_written_raw() -> None:
    tools = shipped_registry(["cline"])
    assert {tool.markup for tool in tools} == {"raw"}
    assert tools.markup("replace_in_file") == "raw"
    assert len(tools) == 15


def test_the_shipped_registry_does_not_claim_to_know_every_tool() -> None:
    assert not shipped_registry().closed
    assert shipped_registry().tool_sets == SETS
    assert shipped_registry(["cline", "no-such-set"]).tool_sets == ("cline",)
    assert len(shipped_registry([])) == 0


def test_shipped_tools_and_their_examples_need_no_validator(monkeypatch: pytest.MonkeyPatch) -> None:
    for library in ("jsonschema", "jsonschema_rs"):
        monkeypatch.setitem(sys.modules, library, None)
    # Nothing that another test has had compiled.
    monkeypatch.setattr(validation, "_cache", Kept(1, 1))
    for tool in TOOLS:
        for example in tool.examples:
            assert validate(tool.input_schema, example) == []


def test_the_folder_is_the_packages_own_where_it_is_installed_and_else_the_checkouts(tmp_path: Path) -> None:
    package = tmp_path / "server" / "callwright"
    package.mkdir(parents=True)
    with pytest.raises(FileNotFoundError, match="reinstall callwright"):
        schemas_folder(package)
    for folder in (tmp_path / "schemas", package / "schemas"):
        folder.mkdir()
        for name in ("tool-set.schema.json", "cline.json"):
            (folder / name).write_bytes((FOLDER / name).read_bytes())
        assert schemas_folder(package) == folder
        assert shipped_sets(folder) == ("cline",)
