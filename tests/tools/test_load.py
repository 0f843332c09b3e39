"""Loading tool files: what is wrong with one is shown at its place, and the rest of it works."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from callwright.declarations.load import LARGEST, load_tools, read_tools
from callwright.tools.registry import ToolRegistry
from support.sampling import tries

FILE = "tools/kit.json"
TEXT = """\
{
  "tools": [
    {"name": "read", "inputSchema": {"type": "object"}},
    {"name": "write", "inputSchema": {"properties": {"path": {"$ref": "http://example.org/p"}}}},
    {"name": "read", "inputSchema": {"type": "object"}},
    {"inputSchema": {"type": "object"}},
    7
  ]
}
"""


def found(registry: ToolRegistry, text: str) -> list[tuple[str, str]]:
    return [(problem.kind, problem.span.of(text)) for _, problem in registry.problems]


def test_tools_know_where_they_come_from() -> None:
    registry = read_tools(TEXT, FILE)
    origin = registry.get("write")[0].origin
    assert (origin.tool_set, origin.file, origin.pointer) == ("kit", FILE, "/tools/1")
    assert origin.span is not None
    assert json.loads(origin.span.of(TEXT))["name"] == "write"


def test_each_fault_is_shown_at_its_own_place() -> None:
    registry = read_tools(TEXT, FILE)
    assert registry.names == ("read", "write")
    assert {file for file, _ in registry.problems} == {FILE}
    assert found(registry, TEXT) == [
        ("tool-remote-ref", '"http://example.org/p"'),
        ("tool-duplicate", '"read"'),
        ("tool-without-name", '{"inputSchema": {"type": "object"}}'),
        ("tools-not-understood", "7"),
    ]
    first = registry.problems[1].problem.data["first"]
    assert first == registry.get("read")[0].origin.span


def test_a_byte_order_marker_is_passed_over_and_counted() -> None:
    text = "\ufeff" + TEXT
    assert found(read_tools(text, FILE), text) == found(read_tools(TEXT, FILE), TEXT)


def test_a_text_with_a_fault_is_read_as_far_as_it_goes() -> None:
    text = '{"tools": [{"name": "read", "inputSchema": {"type": "objec"},}]}'
    registry = read_tools(text, FILE)
    assert registry.names == ("read",)
    assert found(registry, text) == [("tools-invalid-syntax", ","), ("tool-schema-invalid", '"objec"')]


@pytest.mark.parametrize("text", ["", "  \n", "nul", "[", '{"a":', "[" * 3_000, '"' * 3_000, '{"name": '])
def test_a_text_that_holds_nothing_usable_has_one_problem(text: str) -> None:
    registry = read_tools(text, FILE)
    assert not registry
    assert [problem.kind for _, problem in registry.problems] == ["tools-invalid-syntax"]


@pytest.mark.parametrize("text", ["[]", "{}", '{"tools": []}', "3", '"x"', "null"])
def test_a_text_without_a_tool_states_so(text: str) -> None:
    assert found(read_tools(text, FILE), text) == [("tools-not-understood", text)]


def test_a_file_is_read_and_named_as_it_was_given(tmp_path: Path) -> None:
    file = tmp_path / "kit.json"
    file.write_text(TEXT, encoding="utf-8")
    assert load_tools(file).get("read")[0].origin.file == str(file)
    assert load_tools(file, name="kit.json").get("read")[0].origin.file == "kit.json"


def test_a_file_that_cannot_be_read_is_a_problem(tmp_path: Path) -> None:
    latin = tmp_path / "latin.json"
    latin.write_bytes(b'{"name": "caf\xe9"}')
    large = tmp_path / "large.json"
    with large.open("wb") as stream:
        stream.truncate(LARGEST + 1)
    for path in (tmp_path, tmp_path / "none.json", latin, large, tmp_path / ("x" * 5_000), "a\0b"):
        registry = load_tools(path)
        assert not registry
        ((file, problem),) = registry.problems
        assert (file, problem.kind) == (str(path), "tools-unreadable")
        assert problem.data["reason"]


@settings(deadline=None, max_examples=tries(150))
@given(st.text(alphabet='{}[]":,\\ namtols01\ufeff\ud800', max_size=60))
def test_any_text_gives_a_registry_with_problems_inside_it(text: str) -> None:
    registry = read_tools(text, FILE)
    assert registry or registry.problems
    for _, problem in registry.problems:
        assert 0 <= problem.span.start <= problem.span.end <= len(text)


names = st.text(alphabet='ab"\\/~ é\u2028', min_size=1, max_size=4).filter(str.strip)


@settings(deadline=None, max_examples=tries(100))
@given(st.lists(names, min_size=1, max_size=5, unique=True), st.sampled_from([None, 1, "\t"]))
def test_the_place_of_every_definition_is_exact(tools: list[str], indent: int | str | None) -> None:
    text = json.dumps({"tools": [{"name": name, "inputSchema": {"type": "object"}} for name in tools]}, indent=indent)
    registry = read_tools(text, FILE)
    for tool, name in zip(registry, tools, strict=True):
        assert tool.origin.span is not None
        assert json.loads(tool.origin.span.of(text))["name"] == tool.name == name
