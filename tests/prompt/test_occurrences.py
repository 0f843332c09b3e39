"""Where tools and parameters are named: definitions, calls, results, prose; and what is pointed at."""

import json
from typing import Any

import pytest

from callwright.document.settings import Settings
from callwright.document.snapshot import Snapshot
from callwright.hosts.catalogue import find_host
from callwright.lint.opening import open_snapshot
from callwright.prompt.named import Kind, Occurrence, Target, Uncertainty
from callwright.prompt.occurrences import occurrences
from callwright.prompt.renaming import rename_calls, rename_definitions
from callwright.prompt.targets import target_at
from callwright.tools.documents import read_tool_document
from callwright.tools.registry import ToolRegistry

FILE = "/project/tools.json"
TEXT = {"type": "string"}
POINT = {"type": "object", "properties": {"line": {"type": "integer"}}, "required": ["line"]}
TOOLS: list[dict[str, Any]] = [
    {
        "name": "read_file",
        "description": "Reads. Call `read_file` once.",
        "aliases": ["view_file"],
        "inputSchema": {
            "type": "object",
            "properties": {
                "path": TEXT,
                "file": {"type": "string", "x-alias-of": "path"},
                "from": {"$ref": "#/$defs/point"},
                "to": {"$ref": "#/$defs/point"},
                "limit": {"type": "integer"},
            },
            "required": ["path"],
            "dependentRequired": {"limit": ["path"], "path": ["limit"]},
            "anyOf": [{"required": ["path"]}, {"required": ["limit"]}],
            "default": {"path": "a"},
            "$defs": {"point": POINT},
        },
        "examples": [{"path": "a", "from": {"line": 1}}, {"path": "b"}],
    },
    {"name": "write_file", "inputSchema": {"type": "object", "properties": {"path": TEXT}}},
    {
        "name": "walk",
        "inputSchema": {
            "type": "object",
            "properties": {"tree": {"$ref": "#/$defs/node"}},
            "$defs": {
                "node": {
                    "type": "object",
                    "properties": {"name": TEXT, "children": {"type": "array", "items": {"$ref": "#/$defs/node"}}},
                }
            },
        },
    },
]
REGISTRY = read_tool_document(json.dumps(TOOLS), FILE).registry


def tool_file(tools: Any = TOOLS, path: str = FILE) -> Snapshot:
    text = tools if isinstance(tools, str) else json.dumps(tools)
    return open_snapshot(text, path=path, registry=REGISTRY, settings=Settings(), host=find_host("tool-file"))


def text(source: str, path: str = "a.prompt", registry: ToolRegistry = REGISTRY) -> Snapshot:
    return open_snapshot(source, path=path, registry=registry, settings=Settings())


def target(name: str) -> Target:
    tool, *path = name.split(".")
    return Target(tool, tuple(path), next(iter(REGISTRY.get(tool)), None))


def kinds(found: list[Occurrence]) -> list[tuple[str, str]]:
    return [(each.kind.value, each.uncertainty.value) for each in found]


def marked(snapshot: Snapshot, found: list[Occurrence]) -> str:
    """Return the text with every span in brackets."""
    source = snapshot.document.text()
    for span in sorted((span for each in found for span in each.spans), reverse=True):
        source = f"{source[: span.start]}[{span.of(source)}]{source[span.end :]}"
    return source


def test_a_tool_in_its_file() -> None:
    found = occurrences(tool_file(), target("read_file"))
    assert [(each.name, each.kind) for each in found] == [
        ("read_file", Kind.DEFINITION),
        ("read_file", Kind.MENTION),
        ("view_file", Kind.DEFINITION),
    ]


def test_what_descriptions_report_of_other_tools_and_of_parameters() -> None:
    tools = [
        {"name": "run", "deprecated": "use `read_file`", "inputSchema": {"type": "object"}},
        {
            **TOOLS[0],
            "inputSchema": {
                "type": "object",
                "properties": {"path": TEXT, "limit": {"type": "integer", "description": "Lines of `path`."}},
            },
        },
    ]
    snapshot = tool_file(tools)
    found = occurrences(snapshot, target("read_file"))
    assert kinds(found).count(("mention", "prose")) == 2
    found = occurrences(snapshot, target("read_file.path"))
    assert kinds(found).count(("mention", "prose")) == 1


def test_a_parameter_in_its_file() -> None:
    renaming, replaced = rename_definitions(tool_file(), target("read_file.path"), "where")
    assert not renaming.left
    (tool,) = replaced.tools.values()
    assert list(tool.input_schema["properties"]) == ["where", "file", "from", "to", "limit"]
    assert tool.input_schema["properties"]["file"]["x-alias-of"] == "where"
    assert tool.input_schema["dependentRequired"] == {"limit": ["where"], "where": ["limit"]}
    assert tool.input_schema["anyOf"] == [{"required": ["where"]}, {"required": ["limit"]}]
    assert tool.input_schema["default"] == {"where": "a"}
    assert tool.examples == ({"where": "a", "from": {"line": 1}}, {"where": "b"})
    assert json.loads(renaming.text())[1:] == TOOLS[1:]


def test_a_property_that_two_parameters_share_is_one() -> None:
    snapshot = text(
        '<tool_call>{"name": "read_file", "arguments": {"from": {"line": 1}, "to": {"line": 2}}}</tool_call>\n'
    )
    renaming = rename_calls(snapshot, target("read_file.to.line"), "row")
    assert len(renaming.changes) == 2
    assert len(occurrences(tool_file(), target("read_file.to.line"))) == 2


def test_a_property_of_a_schema_that_holds_itself() -> None:
    call = {"name": "walk", "arguments": {"tree": {"name": "a", "children": [{"name": "b"}]}}}
    snapshot = text(f"<tool_call>{json.dumps(call)}</tool_call>\n")
    assert marked(snapshot, occurrences(snapshot, target("walk.tree.name"))).count("[name]") == 2
    found = target_at(snapshot, snapshot.document.text().index('"b"') - 6)
    assert found is not None
    assert found[0].path == ("tree", "children", "name")


def test_definitions_that_tools_share_are_left_to_a_person() -> None:
    shared = {
        "name": "set",
        "$defs": {"point": POINT},
        "tools": [
            {"name": name, "inputSchema": {"type": "object", "properties": {"at": {"$ref": "#/$defs/point"}}}}
            for name in ("go", "stop")
        ],
    }
    snapshot = tool_file(shared)
    tool = read_tool_document(json.dumps(shared), FILE).registry.get("go")[0]
    renaming, _ = rename_definitions(snapshot, Target("go", ("at", "line"), tool), "row")
    assert not renaming.changes
    assert {left.reason for left in renaming.left} == {"it is in definitions that several tools share"}


def test_what_a_server_stated_is_renamed_at_the_server() -> None:
    lock = {"lockVersion": 1, "servers": {"files": {"origin": {}, "tools": TOOLS}}}
    renaming, replaced = rename_definitions(tool_file(lock), target("read_file"), "open_it")
    assert not renaming.changes
    assert not replaced.tools
    assert all("rename the tool on the server" in left.reason for left in renaming.left)


def test_a_name_as_a_key() -> None:
    snapshot = tool_file({"read_file": TOOLS[0]["inputSchema"], "write_file": TOOLS[1]["inputSchema"]})
    found = occurrences(snapshot, Target("read_file", (), None))
    assert marked(snapshot, found).startswith('{"[read_file]": ')


def test_the_same_name_in_another_file_is_that_are_suspect_where_it_takes_other_parameters() -> None:
    other = [{**each, "inputSchema": {"type": "object", "properties": {"other": TEXT}}} for each in TOOLS]
    found = occurrences(tool_file(other, path="/project/other.json"), target("read_file"))
    assert ("definition", "other set") in kinds(found)
    same = occurrences(tool_file(path="/project/other.json"), target("read_file"))
    assert {kind for kind, uncertainty in kinds(same) if uncertainty == ""} >= {"definition"}
    assert ("definition", "other set") not in kinds(same)


def test_calls_by_an_alias_are_found_and_keep_it() -> None:
    snapshot = text("<view_file><path>a</path></view_file>\n<read_file><path>b</path></read_file>\n")
    assert [each.name for each in occurrences(snapshot, target("read_file"))] == ["view_file", "read_file"]
    replaced = rename_definitions(tool_file(), target("read_file"), "open_it")[1]
    assert rename_calls(snapshot, target("read_file"), "open_it", replaced).text() == (
        "<view_file><path>a</path></view_file>\n<open_it><path>b</path></open_it>\n"
    )


CHAT = {
    "tools": [{"type": "function", "function": {"name": "read_file", "parameters": {"properties": {"path": TEXT}}}}],
    "messages": [
        {
            "role": "assistant",
            "tool_calls": [
                {"id": "1", "type": "function", "function": {"name": "read_file", "arguments": '{"path": "a"}'}}
            ],
        },
        {"role": "tool", "tool_call_id": "1", "name": "read_file", "content": "x"},
    ],
}


@pytest.mark.parametrize(("name", "count"), [("read_file", 3), ("read_file.path", 2)])
def test_a_transcript_is_history(name: str, count: int) -> None:
    snapshot = text(json.dumps(CHAT), "a.json")
    found = occurrences(snapshot, target(name))
    assert len(found) == count
    assert {each.uncertainty for each in found} == {Uncertainty.TRANSCRIPT}
    new = "view" if name == "read_file" else "file"
    renamed = rename_calls(snapshot, target(name), new)
    assert not renamed.left
    assert renamed.text() == json.dumps(CHAT).replace(name.rsplit(".", maxsplit=1)[-1], new)


def test_results_in_text() -> None:
    source = (
        '<tool_response>\n{"name": "read_file", "content": "x"}\n</tool_response>\n\n[read_file for \'a\'] Result:\nx\n'
    )
    snapshot = text(source)
    found = [each for each in occurrences(snapshot, target("read_file")) if each.kind is Kind.RESULT]
    assert marked(snapshot, found).count("[read_file]") == 2


@pytest.mark.parametrize(
    ("source", "there"),
    [
        ("Use `read_file` first.", True),
        ("## read_file", True),
        ("### 3. read_file", True),
        ("- read_file: reads", True),
        ("* **read_file** – reads", True),
        ("1. `read_file` reads", True),
        ("Tool: read_file", True),
        ('The tool "read_file" reads.', True),
        ("Never write <read_file> twice.", True),
        ("We read_file and go on.", False),
        ("`read_file_fast` and `xread_file`", False),
        ("- read_file and more of it", False),
        ("- my.read_file: no", False),
        ("# On reading read_files", False),
    ],
)
def test_prose(source: str, there: bool) -> None:
    snapshot = text(f"Some text.\n\n{source}\n")
    found = occurrences(snapshot, target("read_file"))
    assert kinds(found) == ([("mention", "prose")] if there else [])
    assert there == (marked(snapshot, found) == f"Some text.\n\n{source}\n".replace("read_file", "[read_file]"))


def test_a_parameter_in_prose_belongs_to_the_tool_above_it() -> None:
    source = "## read_file\n\n- path: which\n- limit: how many\n\n## write_file\n\n- path: which\n"
    snapshot = text(source)
    found = occurrences(snapshot, target("read_file.path"))
    assert marked(snapshot, found) == source.replace("- path", "- [path]", 1)
    found = occurrences(snapshot, target("write_file.path"))
    assert marked(snapshot, found) == "- [path]".join(source.rsplit("- path", 1))


@pytest.mark.parametrize(
    "source",
    [
        "read_file([path]: string, limit?: number): reads\n\nwrite_file(path: string): writes\n",
        '{"name": "read_file", "parameters": {"properties": {"[path]": {}}, "required": ["[path]"]}}\n',
        "type read_file = (_: { [path]: string }) => any;\n\ntype write_file = (_: { path: string }) => any;\n",
        "## read_file\n\nParameters:\n- `[path]`: (required) Which.\n\n## write_file\n\nParameters:\n- path: Which.\n",
    ],
)
def test_a_parameter_as_prompts_document_it(source: str) -> None:
    snapshot = text(source.replace("[path]", "path"))
    found = occurrences(snapshot, target("read_file.path"))
    assert {each.uncertainty for each in found} == {Uncertainty.PROSE}
    assert marked(snapshot, found) == source


def test_what_a_call_writes_is_no_prose() -> None:
    snapshot = text("<write_file><path>`read_file`</path></write_file>\n")
    assert occurrences(snapshot, target("read_file")) == []


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("<re‸ad_file><path>a</path></read_file>", "read_file"),
        ("<read_file><path>a</path></read_f‸ile>", "read_file"),
        ("<read_file><path>a</pa‸th></read_file>", "read_file.path"),
        ('<tool_call>{"name": "read_file‸", "arguments": {"path": "a"}}</tool_call>', "read_file"),
        ('<tool_call>{"name": "read_file", "arguments": {"from": {"‸line": 1}}}</tool_call>', "read_file.from.line"),
        ('<invoke name="read_‸file"><parameter name="path">a</parameter></invoke>', "read_file"),
        ('<invoke name="read_file"><parameter name="p‸ath">a</parameter></invoke>', "read_file.path"),
        ("Use `read‸_file`.", "read_file"),
        ("Use r‸ead_file.", None),
        ("<read_file><path>a‸b</path></read_file>", None),
        ("Nothing‸ here.", None),
    ],
)
def test_what_is_pointed_at(source: str, name: str | None) -> None:
    offset = source.index("‸")
    found = target_at(text(source.replace("‸", "") + "\n"), offset)
    assert (None if found is None else str(found[0])) == name
    assert found is None or any(span.start <= offset <= span.end for span in found[1].spans)


def test_what_is_pointed_at_in_a_tool_file() -> None:
    snapshot = tool_file()
    source = snapshot.document.text()
    found = {}
    for word in (
        '"read_file"',
        '"view_file"',
        '"path": {',
        '["path"]',
        '"x-alias-of": "path"',
        '"line": {',
        '"children"',
    ):
        at = target_at(snapshot, source.index(word) + len(word) - (3 if word.endswith("{") else 1) - 1)
        found[word] = None if at is None else str(at[0])
    assert found == {
        '"read_file"': "read_file",
        '"view_file"': "view_file",
        '"path": {': "read_file.path",
        '["path"]': "read_file.path",
        '"x-alias-of": "path"': "read_file.path",
        '"line": {': "read_file.from.line",
        '"children"': "walk.tree.children",
    }


def test_a_name_that_a_format_cannot_hold_is_reported() -> None:
    snapshot = text('[read_file(path="a")]\n\n<read_file><path>b</path></read_file>\n')
    replaced = rename_definitions(tool_file(), target("read_file"), "read-it")[1]
    renaming = rename_calls(snapshot, target("read_file"), "read-it", replaced)
    assert [left.occurrence.value_format for left in renaming.left] == ["pythonic"]
    assert renaming.text() == '[read_file(path="a")]\n\n<read-it><path>b</path></read-it>\n'
