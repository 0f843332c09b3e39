"""Calls of a tool whose schema is not valid, in what an author writes: values get the types that it still names, and
nothing is judged. An agent's runtime refuses such a tool."""

from typing import Any

import pytest

from callwright.document.settings import Settings
from callwright.document.snapshot import Snapshot
from callwright.lint.linter import diagnostics
from callwright.lint.opening import open_snapshot
from callwright.tools.registry import ToolRegistry

SCHEMA = {
    "type": "object",
    "properties": {
        "city": {"type": "string"},
        "days": {"type": "integer"},
        "score": {"type": "float"},
        "tags": {"type": "list", "items": {"type": "str"}},
        "deep": {"type": "dict"},
        "fast": {"type": "bool"},
        "size": {"type": "number "},
    },
    "required": ["city", "days"],
    "additionalProperties": False,
}
TOOLS = [{"name": "get_weather", "inputSchema": SCHEMA}]


def opened(text: str) -> Snapshot:
    return open_snapshot(text, path="a.txt", registry=ToolRegistry.of(TOOLS), settings=Settings())


def read(text: str) -> list[dict[str, Any]]:
    return [placed.binding.arguments for placed in opened(text).placed_calls()]


@pytest.mark.parametrize(
    "text",
    [
        "<get_weather>{}</get_weather>",
        "<function=get_weather>{}</function>",
    ],
)
def test_text_becomes_values_of_the_types_that_are_meant(text: str) -> None:
    written = {
        "city": "007",
        "days": "3",
        "score": "0.50",
        "tags": '["1", "2"]',
        "deep": '{"a": 1}',
        "fast": "true",
        "size": "12",
    }
    form = "<parameter={0}>{1}</parameter>" if "function" in text else "<{0}>{1}</{0}>"
    body = "".join(form.format(name, value) for name, value in written.items())
    assert read(text.replace("{}", body)) == [
        {
            "city": "007",
            "days": 3,
            "score": 0.5,
            "tags": ["1", "2"],
            "deep": {"a": 1},
            "fast": True,
            "size": 12,
        }
    ]


@pytest.mark.parametrize(
    ("body", "arguments"),
    [
        ("<score>high</score>", {"score": "high"}),
        ("<city>Rom</city><days>many</days>", {"city": "Rom", "days": "many"}),
        ("<city>Rom</city><days>3</days><other>x</other>", {"city": "Rom", "days": 3, "other": "x"}),
    ],
)
def test_what_does_not_fit_is_not_judged(body: str, arguments: dict[str, Any]) -> None:
    text = f"<get_weather>{body}</get_weather>"
    assert read(text) == [arguments]
    assert diagnostics(opened(text)) == []


def test_the_definition_is_reported_all_the_same() -> None:
    problems = [one.problem for one in ToolRegistry.of(TOOLS).problems]
    properties = "/0/inputSchema/properties"
    # Names of Python's types are a convention, and one place reports it.
    assert {one.data["pointer"]: one.data["convention"] for one in problems} == {
        f"{properties}/score/type": True,
        f"{properties}/size/type": False,
    }
