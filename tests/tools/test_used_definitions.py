"""A schema as it is written for others has the definitions that it refers to, and no others; everything that writes one
writes it so."""

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import jsonschema  # type: ignore[import-untyped]  # it ships no types
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from callwright.cli.main import main
from callwright.runtime import StrictParser
from callwright.runtime.session import Session
from callwright.teaching.data import as_json, as_xml
from callwright.tools import references
from callwright.tools.registry import ToolRegistry
from callwright.tools.shipped import shipped_registry, shipped_sets
from callwright.tools.used_definitions import without_unused
from support.sampling import tries

TEXT: Final = {"type": "string"}

#: What a schema is, and which definitions of it are written.
KEPT: Final[dict[str, tuple[dict[str, Any], set[str]]]] = {
    "nothing refers to any": ({"properties": {"a": TEXT}, "$defs": {"x": TEXT}}, set()),
    "one through another": (
        {"$ref": "#/$defs/x", "$defs": {"x": {"items": {"$ref": "#/$defs/y"}}, "y": TEXT, "z": TEXT}},
        {"x", "y"},
    ),
    "what an unused one refers to": ({"$defs": {"x": {"$ref": "#/$defs/y"}, "y": TEXT}}, set()),
    "one that refers to itself": (
        {"$ref": "#/$defs/x", "$defs": {"x": {"properties": {"next": {"$ref": "#/$defs/x"}}}, "y": TEXT}},
        {"x"},
    ),
    "two that refer to each other and to no use": (
        {"$defs": {"x": {"$ref": "#/$defs/y"}, "y": {"properties": {"x": {"$ref": "#/$defs/x"}}}}},
        set(),
    ),
    "the older keyword": ({"items": {"$ref": "#/definitions/x"}, "definitions": {"x": TEXT, "y": TEXT}}, {"x"}),
    "one of two that are one object": ({"$ref": "#/$defs/x", "$defs": {"x": TEXT, "y": TEXT}}, {"x"}),
    "a part of one": (
        {
            "$ref": "#/$defs/x/properties/a",
            "$defs": {"x": {"properties": {"a": TEXT, "b": {"$ref": "#/$defs/y"}}}, "y": TEXT, "z": TEXT},
        },
        {"x", "y"},
    ),
    "one in a group": (
        {
            "$ref": "#/$defs/group/inner/x",
            "$defs": {"group": {"inner": {"x": {"$ref": "#/$defs/y"}}}, "y": TEXT, "z": {}},
        },
        {"group", "y"},
    ),
    "an anchor": ({"$ref": "#here", "$defs": {"x": {"$anchor": "here"}, "y": {"$anchor": "there"}}}, {"x"}),
    "an anchor inside of one": (
        {"$ref": "#here", "$defs": {"x": {"items": {"$anchor": "here"}}, "y": TEXT}},
        {"x"},
    ),
    "every dynamic anchor of the name": (
        {
            "properties": {"a": {"$dynamicRef": "#node"}},
            "$defs": {"x": {"$dynamicAnchor": "node"}, "y": {"$dynamicAnchor": "node"}, "z": {"$dynamicAnchor": "no"}},
        },
        {"x", "y"},
    ),
    "a relative reference": (
        {
            "$id": "https://example.com/tool",
            "items": {"$ref": "kinds/text"},
            "$defs": {"x": {"$id": "/kinds/text"}, "y": {"$id": "/kinds/number"}},
        },
        {"x"},
    ),
    "one of a resource of its own": (
        {
            "properties": {"a": {"$id": "https://example.com/a", "$ref": "#/$defs/x", "$defs": {"x": TEXT, "y": TEXT}}},
            "$defs": {"x": TEXT},
        },
        {"properties/a/x"},
    ),
    "definitions in definitions": (
        {
            "$ref": "#/$defs/x/$defs/in",
            "$defs": {"x": {"$defs": {"in": TEXT, "out": TEXT}}, "y": {"$defs": {"z": TEXT}}},
        },
        {"x", "$defs/x/in"},
    ),
    "one that is a boolean": ({"not": {"$ref": "#/$defs/x"}, "$defs": {"x": False, "y": TEXT}}, {"x"}),
    "a name with signs that pointers escape": (
        {"$ref": "#/$defs/a~1b%20c", "$defs": {"a/b c": TEXT, "a": TEXT}},
        {"a/b c"},
    ),
    "the map of them": ({"$ref": "#/$defs", "$defs": {"x": TEXT, "y": TEXT}}, {"x", "y"}),
    "a parameter of that name": (
        {"properties": {"$defs": {"properties": {"x": TEXT}}, "definitions": {"enum": [{"y": 1}]}}},
        set(),
    ),
    "data that looks like a reference": ({"default": {"$ref": "#/$defs/x"}, "$defs": {"x": TEXT}}, set()),
    "one that the same object is used beside": (
        {
            "properties": {"a": TEXT},
            "items": {"$ref": "#/$defs/x"},
            "$defs": {"x": {"items": TEXT}, "y": {"items": TEXT}},
        },
        {"x"},
    ),
    "a reference that leads nowhere, and one out of the schema": (
        {"allOf": [{"$ref": "#/$defs/z"}, {"$ref": "https://example.com/other#/$defs/x"}], "$defs": {"x": TEXT}},
        set(),
    ),
}


def definitions_in(schema: Any, at: str = "") -> set[str]:
    """Return the definitions in a schema, each by the path of what holds it."""
    found: set[str] = set()
    for step, child in references.children(schema) if isinstance(schema, dict) else ():
        path = "/".join(map(str, step))
        if step[0] in ("$defs", "definitions"):
            found.add(f"{at}{step[1]}")
        found |= definitions_in(child, f"{at}{path}/")
    return found


@pytest.mark.parametrize(("schema", "kept"), KEPT.values(), ids=KEPT.keys())
def test_definitions_that_nothing_refers_to_are_left_out(schema: dict[str, Any], kept: set[str]) -> None:
    before = copy.deepcopy(schema)
    has_unused = definitions_in(schema) != kept
    written = without_unused(schema)
    assert definitions_in(written) == kept
    assert schema == before
    assert without_unused(written) == written
    assert "$defs" not in written or written["$defs"]
    assert (written is not schema) == has_unused


def test_one_object_that_is_several_definitions_is_found_by_each_name() -> None:
    shared = {"properties": {"a": {"$anchor": "here"}}}
    for reference in ("#/$defs/x", "#/$defs/y", "#/$defs/y/properties/a", "#here"):
        written = without_unused({"$ref": reference, "$defs": {"x": shared, "y": shared, "z": TEXT}})
        assert references.target(reference, written) is not None
        assert "z" not in written["$defs"]


NAMES: Final = st.sampled_from("abcd")
LEAVES: Final = st.one_of(
    st.sampled_from(({"type": "string"}, {"type": "integer"}, {"const": "a"}, True)),
    NAMES.map(lambda name: {"$ref": f"#/$defs/{name}"}),
    NAMES.map(lambda name: {"$ref": f"#{name}"}),
    NAMES.map(lambda name: {"$ref": f"#/$defs/{name}/properties/a"}),
)
NODES: Final = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.dictionaries(NAMES, inner, max_size=2).map(lambda made: {"properties": made}),
        inner.map(lambda one: {"items": one}),
        st.lists(inner, min_size=1, max_size=2).map(lambda made: {"anyOf": made}),
    ),
    max_leaves=4,
)
VALUES: Final = st.recursive(
    st.sampled_from(("a", "b", 1, None)),
    lambda inner: st.one_of(st.lists(inner, max_size=2), st.dictionaries(NAMES, inner, max_size=2)),
    max_leaves=4,
)


@settings(deadline=None, max_examples=tries(300))
@given(NODES, st.fixed_dictionaries(dict.fromkeys("abcd", NODES)), st.lists(VALUES, max_size=4))
def test_what_is_left_accepts_the_same_values(top: Any, definitions: dict[str, Any], values: list[Any]) -> None:
    held = {
        name: {"properties": {"a": {}}, **one, "$anchor": name} if isinstance(one, dict) and "$ref" not in one else one
        for name, one in definitions.items()
    }
    schema = {"properties": {"x": top}, "$defs": held}
    written = without_unused(schema)
    for value in values:
        reported = []
        for one in (schema, written):
            try:
                reported.append(jsonschema.Draft202012Validator(one).is_valid({"x": value}))
            except (RecursionError, jsonschema.exceptions._WrappedReferencingError) as error:
                reported.append(type(error))
        assert reported[0] == reported[1]


@pytest.mark.parametrize("shape", ["chain", "star", "unused", "nested"])
def test_time_is_linear_in_the_schema(shape: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def steps(count: int) -> int:
        names = [f"d{number}" for number in range(count)]
        if shape == "chain":
            definitions: dict[str, Any] = {
                name: {"items": {"$ref": f"#/$defs/{after}"}}
                for name, after in zip(names, [*names[1:], names[0]], strict=True)
            }
        elif shape == "star":
            definitions = {
                "d0": {"anyOf": [{"$ref": f"#/$defs/{name}"} for name in names]},
                **{n: {} for n in names[1:]},
            }
        elif shape == "unused":
            definitions = {name: {"items": TEXT} for name in names}
        else:
            definitions = {"d0": TEXT}
            for name in names:
                definitions = {name: {"$defs": definitions}, "d0": TEXT}
        schema = {"$ref": "#/$defs/d0", "$defs": definitions}
        taken = 0

        def counted(node: Any) -> Any:
            nonlocal taken
            for each in children(node):
                taken += 1
                yield each

        children = references.children
        with monkeypatch.context() as patched:
            patched.setattr("callwright.tools.used_definitions.children", counted)
            patched.setattr("callwright.tools.references.children", counted)
            without_unused(schema)
        return taken

    assert steps(400) <= 2.2 * steps(200)


# -- everything that writes schemas ------------------------------------------------------------------------------------

#: A set whose tools share definitions: of each tool, one is used, one through another, and one is not.
SET: Final = {
    "name": "trips",
    "tools": [
        {
            "name": "plan",
            "description": "Plan.",
            "inputSchema": {"type": "object", "properties": {"stop": {"$ref": "#/$defs/stop"}}},
            "outputSchema": {"type": "object", "properties": {"place": {"$ref": "#/$defs/place"}}},
        },
    ],
    "$defs": {
        "stop": {"type": "object", "properties": {"place": {"$ref": "#/$defs/place"}}},
        "place": {"type": "string", "description": "Where."},
        "never": {"type": "string", "description": "Of no use."},
    },
}


def _prompt(file: Path, capsys: pytest.CaptureFixture[str], value_format: str) -> str:
    return _printed(capsys, "prompt", "--isolated", "--tools", str(file), "--format", value_format)


def _printed(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    main([*words])
    return capsys.readouterr().out


def _registry() -> ToolRegistry:
    return ToolRegistry.of(SET)


def _error(file: Path, capsys: pytest.CaptureFixture[str]) -> str:
    del file, capsys
    error = StrictParser(tools=_registry(), dialect="xml-json").parse('<plan>{"stop": 1}</plan>').error
    assert error is not None
    return json.dumps([error.schema, error.to_dict()])


def _session(file: Path, capsys: pytest.CaptureFixture[str]) -> str:
    del capsys
    session = Session.begin(StrictParser(tools=_registry(), dialect="xml-json"))
    session.dump(file.with_name("session.json"))
    return file.with_name("session.json").read_text()


WRITERS: Final[dict[str, Callable[[Path, pytest.CaptureFixture[str]], str]]] = {
    "prompt --format json": lambda file, capsys: _prompt(file, capsys, "json"),
    "prompt --format yaml": lambda file, capsys: _prompt(file, capsys, "yaml"),
    "prompt --format xml": lambda file, capsys: _prompt(file, capsys, "xml"),
    "tools export": lambda file, capsys: _printed(capsys, "tools", "export", str(file)),
    "tools NAME": lambda file, capsys: _printed(capsys, "tools", "plan", "--isolated", "--tools", str(file), "--json"),
    "an error as plain data": _error,
    "the dump of a session": _session,
}


@pytest.mark.parametrize("write", WRITERS.values(), ids=WRITERS.keys())
def test_whatever_writes_a_schema_writes_the_definitions_that_it_refers_to(
    write: Callable[[Path, pytest.CaptureFixture[str]], str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "trips.json"
    file.write_text(json.dumps(SET))
    written = write(file, capsys)
    assert "Where." in written
    assert "Of no use." not in written


@pytest.mark.parametrize("name", [name for name in shipped_sets() if shipped_registry([name]).tools])
def test_a_list_of_shipped_tools_refers_to_each_definition_in_it(name: str) -> None:
    """What JSON says beyond the XML of the same tools is brackets and keywords."""
    tools = shipped_registry([name]).tools
    listed = as_json(tools, terse=False)
    for definition in json.loads(listed):
        written = json.dumps(definition["parameters"])
        for kept in definitions_in(definition["parameters"]):
            assert f"/{kept}" in written
    assert len(listed) < 3 * len(as_xml(tools, terse=False))
