"""What blocks keep of a text grows as the text does, also where each was read from all that follows.

A call that is never closed is looked for to the end of the document. Counted are the characters of all strings that
blocks, calls, bindings and diagnostics refer to.
"""

from __future__ import annotations

import gc
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from callwright.calls.model import JsonValue
from callwright.document import flow_reading
from callwright.document.settings import Settings
from callwright.document.snapshot import Snapshot
from callwright.lint.linter import diagnostics
from callwright.lint.opening import open_snapshot
from callwright.syntax.json import JsonNode
from invariants.test_incremental_equals_full import seen
from invariants.texts import REGISTRY
from support.cases import load_cases
from support.sampling import sampled

FOLDER = Path(__file__).parent.parent / "dialects"
DIALECTS = sorted(path.parent.name for path in FOLDER.glob("*/truncation.md"))
PROSE = "Look at the failing test before you change anything, and say what you expect to see.\n\n" * 30
FEW, MANY = 6, 24
#: What else may never come to an end, and shapes that elements have.
OTHERS = {
    "an object in an element": '<write_file>{"path": "a"\n',
    "an element in an element": "<write_file>\n<path>a\n",
    "attributes": '<write_file kind="a b" mode=c d="e>\n<path>a</path>\n',
    "a list of calls": '[write_file(path="a", lines=[{"a": 1}, [2]]\n',
    "a fence": '```json\n{"tool": "write_file", "arguments": {"path": "a"\n',
    "a fence of YAML": "```yaml\ntool: write_file\narguments:\n  path: a\n  content: 'b\n",
    "entities and sections": "<write_file><path>a &amp; <![CDATA[b]]> &lt;</path><content>c\n",
    "a whole object": '<tool_call>\n{"name": "write_file", "arguments": {"path": "a", "more": {"b": [1, 2]}}}\n',
}
#: What a call has in common with others, or is not data.
_SHARED = (type, types.ModuleType, types.FunctionType, types.BuiltinFunctionType, type(REGISTRY), Settings)


def referred(*roots: Any) -> Iterator[str]:
    """Yield each string that can be reached, once; what functions have in their closures belongs to it."""
    seen = {id(REGISTRY)}
    waiting: list[Any] = [*roots]
    while waiting:
        each = waiting.pop()
        if id(each) in seen:
            continue
        seen.add(id(each))
        if isinstance(each, str):
            yield each
        elif isinstance(each, types.FunctionType):
            waiting.extend(each.__closure__ or ())
        elif not isinstance(each, _SHARED):
            waiting.extend(gc.get_referents(each))


def opened(text: str, path: str) -> Snapshot:
    return open_snapshot(text, path=path, registry=REGISTRY, settings=Settings())


def characters(text: str, path: str) -> int:
    snapshot = opened(text, path)
    assert diagnostics(snapshot) is not None
    return sum(map(len, referred(snapshot.blocks)))


def assert_linear(unit: str, path: str) -> None:
    few, many = (characters((unit + PROSE) * number, path) for number in (FEW, MANY))
    assert many <= 1.2 * MANY / FEW * few, f"{few} characters are kept of {FEW}, {many} of {MANY}"


@pytest.mark.parametrize("unit", OTHERS.values(), ids=OTHERS)
@pytest.mark.parametrize("path", ["a.prompt", "a.md", "a.jinja"])
def test_calls_that_are_never_closed_keep_their_own_text(path: str, unit: str) -> None:
    assert_linear("{% if a %}b{% endif %}\n\n" + unit if path == "a.jinja" else unit, path)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_calls_that_are_cut_off_keep_their_own_text(dialect: str) -> None:
    for case in sampled(load_cases(FOLDER / dialect / "truncation.md")):
        assert_linear(case.source_fence.body + "\n", "a.prompt")


@pytest.mark.parametrize("unit", OTHERS.values(), ids=OTHERS)
def test_what_is_kept_reads_as_all_of_the_text_does(unit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (unit + PROSE) * FEW
    monkeypatch.setattr(flow_reading, "_FAR", len(text))
    expected = reported(opened(text, "a.prompt"))
    for far in (0, 1):
        monkeypatch.setattr(flow_reading, "_FAR", far)
        assert reported(opened(text, "a.prompt")) == expected


def reported(snapshot: Snapshot) -> Any:
    """Return what is found, and all that values return about the text."""
    values = [placed.call.arguments for placed in snapshot.placed_calls()]
    return seen(snapshot), [described(value) for value in values]


def described(value: Any) -> Any:
    if isinstance(value, JsonValue):
        return value.read.text[: value.read.end], nodes(value.node)
    if value is None:
        return None
    attributes = [(each.name, each.value, each.span) for each in value.element.attributes]
    inner = [(each.name, each.span, each.close_name_span, each.text()) for each in value.element.walk()]
    return attributes, inner, value.element.loose_text()


def nodes(node: JsonNode) -> Any:
    return node.kind, node.span, node.value, [nodes(child) for child in node.children]
