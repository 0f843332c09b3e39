"""Lists of tools in front matter are read as the products read them, each name at its place, whatever is there."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from callwright.prompt.listed_tools import tools_listed_in
from callwright.text.span import apply_edits
from support.sampling import tries

#: Front matter without its dashes, and what it lists: the key, what qualifies the name, the name.
LISTS = {
    "tools: [search, 'web/fetch', \"github/*\"]": [("tools", "", "search"), ("tools", "web/", "fetch")],
    "tools:\n- search\n- web/fetch # the page\n-\n": [("tools", "", "search"), ("tools", "web/", "fetch")],
    "tools: Read, Grep,Glob ,": [("tools", "", "Read"), ("tools", "", "Grep"), ("tools", "", "Glob")],
    "tools: Read": [("tools", "", "Read")],
    "tools: >-\n  Read,\n  Grep\n": [("tools", "", "Read"), ("tools", "", "Grep")],
    "allowed-tools: Bash(git add:*, -A) Read": [
        ("allowed-tools", "", "Bash"),
        ("allowed-tools", "", "Read"),
    ],
    "allowed-tools:\n  - Bash(npm run *)\n  - mcp__git_hub__get_me\n": [
        ("allowed-tools", "", "Bash"),
        ("allowed-tools", "mcp__git_hub__", "get_me"),
    ],
    "disallowedTools: [Write]": [("disallowedTools", "", "Write")],
    "tools: {write: false, 'wiki_*': true, find: {page: true}}": [("tools", "", "write"), ("tools", "", "page")],
    "tools: ['@wiki/find', '@wiki', 'ns.ext/find', '!edit']": [
        ("tools", "@wiki/", "find"),
        ("tools", "ns.ext/", "find"),
        ("tools", "!", "edit"),
    ],
    "mcp-servers:\n  wiki:\n    command: x\n    tools: ['*', find]\n    autoApprove: [read]\n": [
        ("tools", "", "find"),
        ("autoApprove", "", "read"),
    ],
    "tools: a search tool": [],
    "tools: [{name: find}, name: find]": [],
    "tools:\n  find:\n    description: true story\n": [],
    "tools: *all\ntools: null\ntools: [1, ${x}, '{{x}}', a b]\n": [("tools", "", "null")],
    "model:\n  tools: [find]\n": [],
    "tools": [],
}


@pytest.mark.parametrize("written", LISTS, ids=range(len(LISTS)))
def test_a_list_is_read_as_products_read_it(written: str) -> None:
    front = f"---\n{written}\n---\n"
    found = list(tools_listed_in(front))
    assert [(each.key, each.prefix, each.name) for each in found] == LISTS[written]
    for each in found:
        assert each.span.of(front) == each.name
        assert each.as_whole().span.of(front) == each.whole


def test_a_name_of_a_server_s_list_has_the_server_for_its_origin() -> None:
    (found,) = tools_listed_in("---\nmcpServers: {wiki: {tools: [find]}}\n---\n")
    assert found.origin == "wiki"
    (found,) = tools_listed_in("---\ntools: [mcp__wiki__find]\n---\n")
    assert found.origin == "wiki"


PIECES = st.sampled_from(
    [
        *("tools:", "allowed-tools:", "mcp-servers:", "\n", "\n  ", "- ", "[", "]", "{", "}", ", ", " ", "'", '"', "#"),
        *(
            "read",
            "mcp__a__b",
            "a/b",
            "(x y)",
            "(",
            ")",
            "*",
            "true",
            ": ",
            "|",
            "&a ",
            "*a",
            "é",
            "---",
            "\r\n",
            "\\u0041",
        ),
    ]
)


@given(st.lists(PIECES, max_size=40).map("".join))
@settings(max_examples=tries(300), deadline=None)
def test_whatever_is_there_each_name_is_at_its_place_and_can_be_another(text: str) -> None:
    front = f"---\n{text}\n---\n"
    for each in tools_listed_in(front):
        assert each.place.of(each.projection.text) == each.name  # type: ignore[attr-defined]
        edits = each.renamed("other_name")
        if edits is None:
            continue
        names = [one.name for one in tools_listed_in(apply_edits(front, edits))]
        assert "other_name" in names
