"""What strict readers take for tools: all can be read, or it is an error that names the entry and the reason."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import callwright
from callwright.declarations.load import load_tools
from callwright.runtime import FeedbackLoop, StreamingParser, StrictParser, StrictToolManager, tool_from

SOUND = {"name": "read_file", "inputSchema": {"type": "object", "properties": {"path": {"type": "string"}}}}


def list_notes(folder: str) -> str:
    """List the notes of a folder."""
    return folder


def strict(tools: Any) -> StrictParser:
    return StrictParser(tools=tools, dialect="xml-json")


def parsed(tools: Any) -> None:
    callwright.parse("", tools=tools)


def streamed(tools: Any) -> None:
    StreamingParser(tools=tools)


READERS: list[Callable[[Any], Any]] = [strict, parsed, streamed]

#: What is given, the exception, and what its message says of the entry and of the remedy.
REFUSED = [
    ("tools.json", TypeError, "is a `str` and contains no definition: load the file"),
    (b"[]", TypeError, "is a `bytes` and contains no definition"),
    (Path("tools.json"), TypeError, r"is the path 'tools.json', but files are not loaded here: load it"),
    (3, TypeError, "`tools` is a `int`: pass a list of definitions"),
    ([3], TypeError, r"`tools\[0\]` is a `int`: a definition must be an object"),
    ([SOUND, "read_file"], TypeError, r"`tools\[1\]` is a `str`"),
    ([{"nam": "f"}], ValueError, r"`tools\[0\]` cannot be used: this is not a tool definition .* `name`"),
    ([SOUND, {"nam": "f"}], ValueError, r"`tools\[1\]` cannot be used"),
    ({"nam": "f"}, ValueError, "`tools` cannot be used: this is not a tool definition"),
    (
        [{"type": "function", "function": {"description": "x"}}],
        ValueError,
        r"`tools\[0\]` cannot be used: the definition has no usable name; add a `name`",
    ),
    (
        [{"name": "f", "inputSchema": {"type": "objekt"}}],
        ValueError,
        "the tool `f` cannot be used: `objekt` is not a JSON type; write `object`",
    ),
    ([{"name": "f", "input_schema": 5}], ValueError, "the tool `f` cannot be used: a schema must be an object"),
    (callwright.ToolRegistry.of([SOUND, {"nam": "f"}]), ValueError, r"`tools\[1\]` cannot be used"),
]


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize(("tools", "kind", "message"), REFUSED)
def test_what_cannot_be_read_is_an_error(reader: Callable[[Any], Any], tools: Any, kind: type, message: str) -> None:
    with pytest.raises(kind, match=message):
        reader(tools)


@pytest.mark.parametrize("tools", [None, [], {}, callwright.ToolRegistry()])
def test_no_tools_are_no_error(tools: Any) -> None:
    assert strict(tools).registry.names == ()


def test_a_registry_from_a_bad_file_is_refused_with_the_name_of_the_file(tmp_path: Path) -> None:
    file = tmp_path / "kit.json"
    file.write_text('[{"name": "f"}, {"nam": "g"}]', encoding="utf-8")
    with pytest.raises(ValueError, match=r"`tools\[1\]` in `.*kit.json` cannot be used"):
        strict(load_tools(file))


@pytest.mark.parametrize("tools", [[list_notes], list_notes, [tool_from(list_notes)], (f for f in [list_notes])])
def test_functions_and_tools_are_taken_by_the_strict_parser(tools: Any) -> None:
    parser = strict(tools)
    assert parser.parse('<list_notes>{"folder": "a"}</list_notes>').calls[0].arguments == {"folder": "a"}
    error = parser.parse('<list_notes>{"folder": 3}</list_notes>').error
    assert error is not None
    assert error.type == "SCHEMA_VALIDATION"


@pytest.mark.parametrize("reader", READERS)
def test_a_manager_is_taken_for_its_tools(reader: Callable[[Any], Any]) -> None:
    manager = StrictToolManager([list_notes])
    assert manager.registry.names == ("list_notes",)
    reader(manager)
    assert strict(manager).registry.names == ("list_notes",)


@pytest.mark.parametrize("tools", [[list_notes], [tool_from(list_notes)]])
def test_parse_states_how_to_wrap_what_it_cannot_take(tools: Any) -> None:
    with pytest.raises(TypeError, match=r"`tools\[0\]` is .*: .*StrictToolManager\("):
        parsed(tools)


@pytest.mark.parametrize(
    ("tools", "kind", "message"),
    [
        ("tools.json", TypeError, "contains no definition"),
        (Path("tools.json"), TypeError, "files are not loaded here"),
        (SOUND, TypeError, "pass a list of tools or functions"),
        ([SOUND], TypeError, "is not a tool: it needs `name`"),
        ([lambda: None], ValueError, "a lambda has no name"),
    ],
)
def test_a_manager_refuses_what_is_no_tool(tools: Any, kind: type, message: str) -> None:
    with pytest.raises(kind, match=message):
        StrictToolManager(tools)


@pytest.mark.parametrize("parser", [None, "xml-json", [SOUND]])
def test_a_loop_refuses_what_is_no_parser(parser: Any) -> None:
    with pytest.raises(TypeError, match="pass a `StrictParser` with the tools"):
        FeedbackLoop(model=str, parser=parser)


def test_check_keeps_to_what_can_be_read() -> None:
    assert callwright.check("<f>{}</f>", tools=[{"name": "f", "inputSchema": {"type": "objekt"}}]) == []
    with pytest.raises(TypeError, match="contains no definition"):
        callwright.check("", tools="tools.json")  # type: ignore[arg-type]
