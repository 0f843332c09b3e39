"""Time is linear in a tool file, however many tools, parameters, references or faults it holds; function calls are
counted, and no clock is asked."""

import json
import sys
from collections.abc import Callable
from typing import Any

import pytest

from callwright.document.settings import Settings
from callwright.lint.files import tool_diagnostics
from callwright.tools.documents import read_tool_document

SMALL = 60


def tool(schema: Any, name: str = "tool", **more: Any) -> dict[str, Any]:
    return {"name": name, "description": "Does it.", "inputSchema": schema, **more}


def parameters(count: int, schema: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {f"p{index}": schema for index in range(count)}}


FILES: dict[str, Callable[[int], Any]] = {
    "tools": lambda n: [tool(parameters(3, {"type": "string"}), f"tool{index}") for index in range(n)],
    "parameters": lambda n: [tool(parameters(n, {"type": "array"}))],
    "defaults": lambda n: [tool(parameters(n, {"type": "integer", "minimum": 3, "default": 1}))],
    "references": lambda n: [
        tool(parameters(n, {"$ref": "#/$defs/x"}) | {"$defs": {"x": {"type": "array", "required": ["a"]}}})
    ],
    "required": lambda n: [tool(parameters(2, {}) | {"required": [f"q{index}" for index in range(n)]})],
    "choices": lambda n: [tool(parameters(1, {"type": "integer", "enum": [str(index) for index in range(n)]}))],
    "repeated": lambda n: [tool(parameters(1, {"enum": ["x"] * n}))],
    "unknown keys": lambda n: [tool({"type": "object", **{f"descrip{index:04}": "x" for index in range(n)}})],
    "examples": lambda n: [tool(parameters(2, {"type": "integer"}) | {"examples": [{"p0": "x"}] * n})],
}


def calls_made(value: Any) -> int:
    """Return how many functions are called to judge a file."""
    text = json.dumps(value, indent=1)
    count = 0

    def counting(frame: Any, event: str, argument: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(counting)
    try:
        document = read_tool_document(text, "tools.json")
        tool_diagnostics(document, document.registry, Settings())
    finally:
        sys.setprofile(before)
    return count


@pytest.mark.parametrize("name", FILES)
def test_thrice_the_file_takes_thrice_the_work(name: str) -> None:
    file = FILES[name]
    calls_made(file(2))
    short, long = calls_made(file(SMALL)), calls_made(file(3 * SMALL))
    assert long < 4 * short + 5_000, (short, long)
