"""The lock file: stable, reviewable, and read as tools."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from callwright.mcp.lock import Locked, LockError, compare, digest, lock_server, parse, render
from callwright.tools.documents import read_tool_document

READ = {"name": "read", "description": "Reads.", "inputSchema": {"type": "object", "properties": {"b": {}, "a": {}}}}
WRITE = {"name": "write", "inputSchema": {"type": "object"}}
WRITTEN = {"command": ["npx", "notes"]}


def locked(*tools: Any, time: str = "then", before: Locked | None = None, **stated: Any) -> Locked:
    return lock_server("notes", WRITTEN, tools, {"protocol": "2025-06-18", **stated, "time": time}, before)


def test_the_text_is_sorted_and_ends_in_a_newline() -> None:
    text = render({"z": Locked("z", {}, []), "notes": locked(WRITE, READ)})
    assert text.endswith("}\n")
    assert text.index('"notes": {') < text.index('"z": {')
    assert text.index('"name": "read"') < text.index('"name": "write"')
    # Members of a tool stay in the order in which its server sent them.
    assert text.index('"b": {}') < text.index('"a": {}')
    assert json.loads(text)["lockVersion"] == 1


def test_no_server_at_all_is_a_lock_file_too() -> None:
    assert parse(render({})) == {}


def test_what_is_the_same_stays_as_it_was_with_its_time() -> None:
    first = locked(READ, WRITE)
    shuffled = {"inputSchema": READ["inputSchema"], "name": "read", "description": "Reads."}
    assert locked(WRITE, shuffled, time="now", before=first) is first
    assert locked(READ, time="now", before=first).origin["time"] == "now"
    assert locked(READ, WRITE, time="now", before=first, sdk="new").origin["time"] == "now"


def test_a_lock_file_that_was_edited_is_noticed() -> None:
    first = locked(READ)
    edited = Locked("notes", first.origin, [{**READ, "description": "Obeys."}])
    assert not first.edited
    assert edited.edited
    assert locked(READ, time="now", before=edited).origin["time"] == "now"


def test_changes_are_reported_by_tool_and_member() -> None:
    before, after = locked(READ, WRITE), locked({**READ, "description": "Obeys.", "title": "R"}, {"name": "burn"})
    changes = compare(before, after)
    assert (changes.added, changes.removed, changes.changed) == (
        ["burn"],
        ["write"],
        {"read": ["description", "title"]},
    )
    assert not compare(before, locked(WRITE, READ))
    assert compare(None, before).added == ["read", "write"]
    assert compare(locked(READ, READ), locked(READ)).changed == {"read": ["1 definitions instead of 2"]}


def test_characters_that_cannot_be_seen_are_escapes() -> None:
    text = render({"notes": locked({"name": "a", "description": "é\u200b\u202e\U000e0041\u00a0日本"})})
    assert '"é\\u200b\\u202e\\udb40\\udc41\\u00a0日本"' in text
    assert parse(text)["notes"].tools[0]["description"] == "é\u200b\u202e\U000e0041\u00a0日本"


@pytest.mark.parametrize(
    "hidden", ["\x7f", "\x1b", "\x9b", "\u2028", "\ufe01", "\U000e0100", "\u3164", "\u2800", "\u034f"]
)
def test_characters_that_only_seem_to_be_nothing_are_escapes_too(hidden: str) -> None:
    text = render({"notes": locked({"name": f"a{hidden}"})})
    assert hidden not in text
    assert parse(text)["notes"].tools[0]["name"] == f"a{hidden}"


@pytest.mark.parametrize("value", [float("inf"), float("nan")])
def test_what_json_cannot_hold_is_refused(value: float) -> None:
    with pytest.raises(LockError, match="cannot be stored"):
        render({"notes": locked({"name": "a", "inputSchema": {"const": value}})})


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is not valid JSON"),
        ("[" * 100_000, "is not valid JSON"),
        ('{"tools": []}', "is not a lock file"),
        ('{"lockVersion": 2, "servers": {}}', "was written by a later version"),
        ('{"lockVersion": 1, "servers": {"a": []}}', "has no `origin` and `tools` for `a`"),
        ('{"lockVersion": 1, "servers": {"a": {"origin": {}, "tools": {}}}}', "has no `origin` and `tools` for `a`"),
        (
            '{"lockVersion": 1, "servers": {"a": {"origin": {}, "tools": [NaN]}}}',
            "contains a number that is not finite",
        ),
        (
            '{"lockVersion": 1, "servers": {"a": {"origin": {}, "tools": ' + "[" * 700 + "]" * 700 + "}}}",
            "values nested too deep",
        ),
    ],
)
def test_what_is_no_lock_file_is_reported(text: str, words: str) -> None:
    with pytest.raises(LockError, match=words):
        parse(text)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
TOOLS = st.lists(st.dictionaries(st.sampled_from(["name", "description", "inputSchema"]), JSON) | JSON, max_size=4)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(TOOLS, st.text(max_size=8).filter(str.isprintable))
def test_a_lock_file_holds_what_was_put_into_it(tools: list[Any], name: str) -> None:
    part = lock_server(name, WRITTEN, tools, {"time": "then"}, None)
    again = parse(render({name: part}))
    assert again == {name: part}
    assert not again[name].edited
    assert digest(list(reversed(tools))) == part.origin["hash"]
    assert render(again) == render({name: part})


def test_it_is_read_as_tools_with_a_set_for_each_server() -> None:
    other = lock_server("other", {}, [READ], {"time": "then"}, None)
    text = render({"notes": locked(READ, WRITE), "other": other})
    document = read_tool_document(text, "tools.lock.json")
    assert [(one.tool.name, one.tool.origin.tool_set) for one in document.definitions] == [
        ("read", "notes"), ("write", "notes"), ("read", "other"),
    ]  # fmt: skip
    assert document.problems == []
    first = document.definitions[0]
    assert first.path == ("servers", "notes", "tools", 0)
    span = document.places.value((*first.path, "description"))
    assert text[span.start : span.end] == '"Reads."'


def test_a_bad_tool_is_reported_where_it_is_and_the_others_work() -> None:
    bad = {"name": "bad", "inputSchema": {"type": "objekt"}}
    text = render({"notes": locked(READ, bad, 17)})
    document = read_tool_document(text, "tools.lock.json")
    assert [one.tool.name for one in document.definitions] == ["bad", "read"]
    found = [(problem.kind, text[problem.span.start : problem.span.end]) for problem in document.problems]
    assert ("tools-not-understood", "17") in found
    assert any(words == '"objekt"' for _, words in found)
