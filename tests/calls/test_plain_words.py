"""Tags that bear the name of a tool which is merely offered, and that name is an ordinary word."""

import pytest

import callwright
from callwright.tools.shipped import shipped_registry

OFFERED = shipped_registry()


@pytest.mark.parametrize(
    "text",
    [
        "<steps>\n<step>First</step>\n<step>Second</step>\n</steps>",
        "<status>\n  <code>200</code>\n</status>",
        "<debug/>\n<continue>\n<close></close>",
        '<launch>\n{"when": "tomorrow"}\n</launch>',
        "<stats><a>1</a></stats>",
    ],
)
def test_structure_of_a_prompt_is_no_call(text: str) -> None:
    result = callwright.parse(text, tools=OFFERED)
    assert (result.calls, result.diagnostics) == ([], [])


@pytest.mark.parametrize(
    ("text", "tool"),
    [
        ("<attach>\n<pid>1</pid>\n</attach>", "attach"),
        ('<launch>{"program": "a.go"}</launch>', "launch"),
        ("<step>{}</step>", "step"),
        ("<read_file><nothing>1</nothing></read_file>", "read_file"),
    ],
)
def test_parameters_show_that_a_call_is_meant(text: str, tool: str) -> None:
    assert [call.tool for call in callwright.parse(text, tools=OFFERED).calls] == [tool]


def test_tools_that_are_in_force_are_called_by_any_name() -> None:
    own = [{"name": "step", "inputSchema": {"type": "object", "properties": {}, "additionalProperties": False}}]
    found = callwright.parse("<step>First</step>", tools=own).diagnostics
    assert [diagnostic.name for diagnostic in found] == ["text-between-parameters"]
