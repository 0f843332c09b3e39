"""What strict readers take for tools: all can be read, or it is an error that names the entry and the reason."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import callwright
from callwright.declarations.load import load_tools
from callwright.runtime import FeedbackLoop, ReadFile, StreamingParser, StrictParser, StrictToolManager, tool_from

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


def taught(tools: Any) -> str:
    return callwright.instructions("xml-json", tools=tools)


def checked(tools: Any) -> None:
    callwright.check("", tools=tools)


def converted(tools: Any) -> None:
    callwright.convert("", "hermes", tools=tools)


READERS: list[Callable[[Any], Any]] = [strict, parsed, streamed, taught, checked, converted]

#: What is given, the exception, and what its message says of the entry and of the remedy.
REFUSED = [
    ("tools.json", TypeError, "is a `str` and contains no definition: load the file"),
    (b"[]", TypeError, "is a `bytes` and contains no definition"),
    (Path("tools.json"), TypeError, r"is the path 'tools.json', but files are not loaded here: load it"),
    (3, TypeError, "`tools` is a `int`: pass a list of tools"),
    ([3], TypeError, r"`tools\[0\]` is a `int`: pass a definition or a function; a definition must be an object"),
    ([object()], TypeError, r"`tools\[0\]` is a `object`: pass a definition or a function"),
    ([SOUND, StrictToolManager], TypeError, r"`tools\[1\]` is the class `StrictToolManager`: pass a definition"),
    ([ReadFile], TypeError, r"`tools\[0\]` is the class `ReadFile`: pass an object of it"),
    ([StrictToolManager()], TypeError, r"`tools\[0\]` is a `StrictToolManager`: pass the manager itself"),
    ([callwright.ToolRegistry()], TypeError, r"`tools\[0\]` is a `ToolRegistry`: pass the registry itself"),
    ([lambda: None], ValueError, "a lambda has no name that calls could use"),
    ({}, ValueError, "`tools` is an empty object: pass a list of tools"),
    ([{}], ValueError, r"`tools\[0\]` cannot be used: this is not a tool definition"),
    (["x"], TypeError, r"`tools\[0\]` is a `str`: pass a definition or a function"),
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


@pytest.mark.parametrize("tools", [None, [], callwright.ToolRegistry()])
def test_no_tools_are_no_error(tools: Any) -> None:
    assert strict(tools).registry.names == ()
    assert "There are no tools." in taught(tools)


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


@pytest.mark.parametrize("tools", [[list_notes], list_notes, [tool_from(list_notes)], tool_from(list_notes)])
def test_every_reader_takes_functions_and_tools_as_a_manager_does(tools: Any) -> None:
    manager = StrictToolManager(tools)
    assert taught(tools) == taught(manager) == taught(manager.registry)
    text = '<list_notes>{"folder": 3}</list_notes>'
    codes = ["TC304"]
    assert [each.code for each in callwright.parse(text, tools=tools).diagnostics] == codes
    assert [each.code for each in callwright.check(text, tools=tools)] == codes
    stream = StreamingParser(tools=tools)
    stream.feed(text)
    stream.finish()
    assert [each.code for each in stream.diagnostics] == codes
    right = '<list_notes>{"folder": "a"}</list_notes>'
    assert '"folder": "a"' in callwright.convert(right, "hermes", tools=tools).text


@pytest.mark.parametrize(
    ("tools", "kind", "message"),
    [
        ("tools.json", TypeError, "contains no definition"),
        (Path("tools.json"), TypeError, "files are not loaded here"),
        (SOUND, TypeError, "`tools` is a `dict`: pass a list of tools or functions"),
        (callwright.ToolRegistry.of([SOUND]), TypeError, "pass a list of tools or functions, which can be run"),
        ([list_notes, SOUND], TypeError, r"`tools\[1\]` is a `dict`, not a tool: it needs `name`"),
        ([3], TypeError, r"`tools\[0\]` is a `int`, not a tool"),
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
