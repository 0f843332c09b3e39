"""A call whose tool's name a template fills in is a sketch, whatever its dialect, and its closer has the same hole."""

from __future__ import annotations

import pytest

from callwright.calls.protocol import Refusal, RenderStyle
from callwright.dialects.catalogue import dialect_names, find_dialect
from callwright.document.settings import Settings
from callwright.lint.linter import diagnostics
from callwright.lint.opening import open_snapshot
from callwright.tools.registry import ToolRegistry
from support.sampling import crossed

REGISTRY = ToolRegistry.of(
    [{"name": "the_tool", "input_schema": {"type": "object", "properties": {"path": {"type": "string"}}}}]
)
#: How the name is written first, and after that.
NAMES = {
    "alike": ("{{ tool }}", "{{ tool }}"),
    "spaced otherwise": ("{{ tool }}", "{{tool}}"),
    "with more in front": ("x_{{ tool.name }}", "x_{{ tool.name }}"),
    "with more after it": ("{{ tool['name'] }}_x", "{{ tool['name'] }}_x"),
}


@pytest.mark.parametrize(("name", "names"), crossed(dialect_names(), NAMES))
def test_a_call_of_a_tool_that_a_template_names_is_sound(name: str, names: str) -> None:
    dialect = find_dialect(name)
    assert dialect is not None
    first, after = NAMES[names]
    for arguments in ({"path": "a.py"}, {}):
        written = dialect.render("the_tool", arguments, next(iter(REGISTRY)), RenderStyle())
        if isinstance(written, Refusal):
            continue
        text = written.replace("the_tool", first, 1).replace("the_tool", after)
        for settings in (Settings(), Settings(dialect=name)):
            snapshot = open_snapshot(f"Use:\n\n{text}\n", path="a.jinja", registry=REGISTRY, settings=settings)
            assert [each.message for each in diagnostics(snapshot)] == [], text


def test_json_in_a_tag_that_a_template_names_is_a_call_up_to_its_closer() -> None:
    text = 'Use:\n\n<{{ tool }}>{"path": "a"}</{{tool}}>\n'
    snapshot = open_snapshot(text, path="a.jinja", registry=REGISTRY, settings=Settings())
    (placed,) = snapshot.placed_calls()
    assert placed.call.sketch
    assert text[placed.span.start : placed.span.end] == '<{{ tool }}>{"path": "a"}</{{tool}}>'


def test_a_tag_that_a_template_names_and_nothing_closes_is_reported() -> None:
    snapshot = open_snapshot(
        "<the_tool><{{ name }}>a</the_tool>\n", path="a.jinja", registry=REGISTRY, settings=Settings()
    )
    assert [each.code for each in diagnostics(snapshot)] == ["TC101"]
