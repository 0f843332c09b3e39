"""The envelope: what is made fits the schema that is made, and the schemas of a debugger's tools."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from callwright.api import Call
from callwright.runtime.tools.base import ToolResult
from callwright.runtime.tools.envelope import Envelope, envelope_schema
from callwright.runtime.tools.manager import StrictToolManager
from callwright.schema.validation import validate
from callwright.text.span import Span
from callwright.tools.schema_check import check_schema
from callwright.tools.shipped import shipped_registry

#: What the debugger's state is while a program is at a breakpoint, as the note on its responses has it.
STATE: Mapping[str, Any] = {
    "pid": 4711, "targetCommandLine": "./cmd/server --port 8080", "running": False, "recording": False,
    "coreDumping": False, "threads": [{"id": 1, "pc": 4198400, "file": "main.go", "line": 7}], "nextInProgress": False,
    "watchOutOfScope": [], "exited": False, "exitStatus": 0, "when": "",
}  # fmt: skip
LOCATION = {"file": "main.go", "line": 7}
BREAKPOINT = {"id": 1, "name": "", "file": "main.go", "line": 7, "functionName": "main.main", "hitCount": 0}
#: Data of each tool that returns an envelope.
DATA: Mapping[str, Mapping[str, Any]] = {
    **{
        key: {"pid": 4711, "programName": "server", "commandLine": ["./cmd/server"], "buildInfo": {}}
        for key in ("launch", "attach", "debug", "debug_test")
    },
    **{
        key: {"breakpoint": BREAKPOINT, "allBreakpoints": [BREAKPOINT]}
        for key in ("set_breakpoint", "remove_breakpoint")
    },
    "list_breakpoints": {"allBreakpoints": [BREAKPOINT]},
    **{
        key: {"stepType": "over", "from": LOCATION, "to": {**LOCATION, "line": 8}, "changedVariables": []}
        for key in ("step", "step_over", "step_out")
    },
    **{key: {} for key in ("close", "continue", "get_debugger_output")},
    "eval_variable": {
        "variable": {"name": "i", "type": "int", "value": "3", "children": [], "location": "0xc000", "flags": 0},
        "scope": {"function": "main.main", "file": "main.go", "line": 7},
    },
}


def at(seconds: float) -> Callable[[], float]:
    return lambda: seconds


def test_an_envelope_of_success_and_of_failure() -> None:
    envelope = Envelope({"user": "ann"}, clock=at(1_700_000_000.25))
    assert envelope.success({"size": 3}) == {
        "status": "success",
        "data": {"size": 3},
        "context": {"user": "ann", "timestamp": "2023-11-14T22:13:20.250Z"},
    }
    assert envelope.of("launch").error("No such program.", type="NOT_FOUND", details={"path": "a"}) == {
        "status": "error",
        "data": None,
        "context": {"user": "ann", "operation": "launch", "timestamp": "2023-11-14T22:13:20.250Z"},
        "error": {"type": "NOT_FOUND", "message": "No such program.", "details": {"path": "a"}},
    }


def test_the_context_is_asked_for_each_time() -> None:
    times = iter([1.0, 2.0])
    states = iter([{"running": True}, {"running": False}])
    envelope = Envelope(lambda: next(states), clock=lambda: next(times))
    assert envelope.success(step=1)["context"] == {
        "running": True, "step": 1, "timestamp": "1970-01-01T00:00:01.000Z",
    }  # fmt: skip
    assert envelope.error("x")["context"] == {"running": False, "timestamp": "1970-01-01T00:00:02.000Z"}


def _declared() -> list[str]:
    return [tool.name for tool in shipped_registry(["mcp-go-debugger"]) if tool.output_schema is not None]


def test_every_tool_that_declares_an_envelope_is_tried() -> None:
    assert sorted(_declared()) == sorted(DATA)


@pytest.mark.parametrize("name", _declared())
def test_what_is_made_fits_the_debuggers_own_schemas(name: str) -> None:
    (tool,) = shipped_registry(["mcp-go-debugger"]).get(name)
    assert tool.output_schema is not None
    envelope = Envelope({"debuggerState": STATE}, operation=name, clock=at(0))
    assert validate(tool.output_schema, envelope.success(DATA[name])) == []
    assert validate(tool.output_schema, envelope.error("Could not attach.", type="ATTACH_FAILED")) == []
    position = {"file": "main.go", "line": 7, "function": "main.main", "goroutine": 1}
    local = {"arguments": [], "locals": [{"name": "i", "type": "int", "value": "3"}], "stackDepth": 1}
    assert validate(
        tool.output_schema, envelope.success(DATA[name], currentPosition=position, localContext=local)
    ) == []  # fmt: skip
    assert validate(tool.output_schema, Envelope(clock=at(0)).success(DATA[name])) != []


def test_the_schema_holds_data_and_context_to_theirs() -> None:
    data: dict[str, Any] = {
        "type": "object",
        "properties": {"tree": {"$ref": "#/$defs/node"}, "same": {"$ref": "#"}},
        "required": ["tree"],
        "$defs": {
            "node": {
                "type": "object",
                "properties": {"name": {"type": "string"}, "inner": {"$ref": "#/$defs/node"}},
                "required": ["name"],
            }
        },
    }
    context = {
        "type": "object",
        "properties": {"user": {"$ref": "#/$defs/node"}},
        "required": ["user"],
        "$defs": {"node": {"type": "integer"}},
    }
    schema = envelope_schema(data, context)
    assert check_schema(schema) == []
    envelope = Envelope({"user": 3}, clock=at(0))
    tree = {"name": "a", "inner": {"name": "b"}}
    assert validate(schema, envelope.success({"tree": tree, "same": {"tree": tree}})) == []
    assert validate(schema, envelope.error("No.")) == []
    assert validate(schema, envelope.error("No.", data={"half": 1})) == []
    faulty: list[tuple[Any, tuple[Any, ...]]] = [
        (envelope.success({"tree": {"name": "a", "inner": {}}}), ("data", "tree", "inner")),
        (envelope.success({"tree": tree, "same": {}}), ("data", "same")),
        (Envelope({"user": "3"}, clock=at(0)).success({"tree": tree}), ("context", "user")),
        ({**envelope.success({"tree": tree}), "status": "fine"}, ("status",)),
        ({**envelope.success({"tree": tree}), "data": None}, ("data",)),
        ({**envelope.success({"tree": tree}), "context": {"user": 3}}, ("context",)),
        ({**envelope.error("No."), "error": {"message": "No."}}, ("error",)),
    ]
    for value, path in faulty:
        assert path in [error.path for error in validate(schema, value)]
    without = envelope.error("No.")
    del without["error"]
    assert [error.data.get("missing") for error in validate(schema, without)] == ["error"]
    # The schemas that were given are as they were.
    assert data["properties"]["same"] == {"$ref": "#"}


def test_a_schema_with_an_address_of_its_own_keeps_its_references() -> None:
    inner = {
        "$id": "urn:example:inner",
        "type": "object",
        "properties": {"a": {"$ref": "#/$defs/a"}},
        "$defs": {"a": {"type": "integer"}},
    }
    schema = envelope_schema({"type": "object", "properties": {"inner": inner}})
    envelope = Envelope(clock=at(0))
    assert validate(schema, envelope.success({"inner": {"a": 1}})) == []
    assert validate(schema, envelope.success({"inner": {"a": "1"}})) != []


class Size:
    """A tool that answers in an envelope."""

    name = "file_size"
    schema: Mapping[str, Any] = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
    output_schema = envelope_schema(
        {"type": "object", "properties": {"size": {"type": "integer"}}, "required": ["size"]}
    )

    def __init__(self, sizes: Mapping[str, Any]) -> None:
        self._sizes = sizes
        self._envelope = Envelope(operation=self.name, clock=at(0))

    def validate(self, params: Mapping[str, Any]) -> None:
        """Take whatever the schema takes."""

    def execute(self, params: Mapping[str, Any]) -> dict[str, Any]:
        path = params["path"]
        if path not in self._sizes:
            return self._envelope.error(f"`{path}` does not exist.", type="NOT_FOUND")
        return self._envelope.success({"size": self._sizes[path]})


@pytest.mark.parametrize(("path", "kind"), [("a", "ok"), ("none", "ok"), ("bad", "output")])
def test_a_tool_that_declares_an_envelope_is_held_to_it(path: str, kind: str) -> None:
    manager = StrictToolManager([Size({"a": 3, "bad": "3"})])
    result: ToolResult = manager.run(Call("file_size", {"path": path}, "xml-json", Span(0, 0)))
    assert result.kind == kind
    assert result.value["status"] == ("error" if path == "none" else "success")
