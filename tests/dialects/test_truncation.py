"""Calls cut off at each character: still one call of the same tool and dialect, reported as truncated, and nothing
else.

What a cut looks like at each structural point is shown in the case files; this holds for every dialect at every place.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from callwright.calls.protocol import Refusal, RenderStyle
from callwright.dialects.catalogue import find_dialect
from callwright.document.settings import Settings
from callwright.lint.linter import diagnostics
from callwright.lint.opening import open_snapshot
from callwright.tools.registry import ToolRegistry
from support.dialects import general_names
from support.sampling import sampled

STRING = {"type": "string"}
TOOLS = ToolRegistry.of(
    [
        {
            "name": "write_file",
            "description": "",
            "inputSchema": {
                "type": "object",
                "properties": {"path": STRING, "content": STRING},
                "required": ["path", "content"],
            },
        },
        {
            "name": "set_values",
            "description": "",
            "inputSchema": {
                "type": "object",
                "properties": {
                    "count": {"type": "integer"},
                    "names": {"type": "array", "items": STRING},
                    "end": STRING,
                },
            },
        },
    ]
)
#: Each call with a text inside its first value and the text that ends its last one.
CALLS: list[tuple[str, dict[str, Any], str, str]] = [
    ("write_file", {"path": "src/zq.py", "content": "two\nlines, zx"}, "src", "zx"),
    ("set_values", {"count": 12345, "names": ["a", "b"], "end": "zx"}, "123", "zx"),
]
#: Dialects whose calls end with their last line, so that a call that is cut between two lines looks complete.
WITHOUT_END = frozenset({"yaml"})


def written(dialect: str, tool: str, arguments: dict[str, Any], *, compact: bool) -> str:
    found = find_dialect(dialect)
    assert found is not None
    text = found.render(tool, arguments, TOOLS.get(tool)[0], RenderStyle(compact=compact))
    assert not isinstance(text, Refusal)
    return text


@pytest.mark.parametrize("compact", [True, False], ids=["compact", "laid out"])
@pytest.mark.parametrize("dialect", general_names())
def test_a_call_that_is_cut_off_stays_a_call_and_is_reported(dialect: str, *, compact: bool) -> None:
    for tool, arguments, first, last in CALLS:
        text = written(dialect, tool, arguments, compact=compact)
        begun, ended = text.index(first) + len(first), text.index(last) + len(last)
        for end in sampled(range(1, len(text)), keep=8):
            cut = text[:end]
            snapshot = open_snapshot(cut, path="a.md", registry=TOOLS, settings=Settings(dialect=dialect))
            calls, found = list(snapshot.placed_calls()), diagnostics(snapshot)
            assert len(calls) <= 1, cut
            if end < begun:
                continue
            assert [(each.call.tool, each.call.dialect) for each in calls] == [(tool, dialect)], cut
            assert "TC301" not in {each.code for each in found}, cut
            assert next(iter(calls[0].binding.arguments)) == next(iter(arguments)), cut
            whole_so_far = dialect in WITHOUT_END and calls[0].call.complete
            if end < ended and not whole_so_far:
                assert not calls[0].call.complete, cut
                assert found, cut


@pytest.mark.parametrize("compact", [True, False], ids=["compact", "laid out"])
@pytest.mark.parametrize("dialect", general_names())
def test_the_whole_call_is_clean_and_typed(dialect: str, *, compact: bool) -> None:
    for tool, arguments, _, _ in CALLS:
        text = written(dialect, tool, arguments, compact=compact)
        for ending in ("", "\n", "\n\nAnd so on.\n"):
            snapshot = open_snapshot(text + ending, path="a.md", registry=TOOLS, settings=Settings(dialect=dialect))
            (placed,) = snapshot.placed_calls()
            assert (placed.call.dialect, placed.call.complete) == (dialect, True)
            assert json.dumps(placed.binding.arguments) == json.dumps(arguments)
            assert [each for each in diagnostics(snapshot) if each.name != "engines-differ"] == []
