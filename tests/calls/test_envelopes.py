"""JSON envelopes: markers, keys, spans and text, and that broken ones cost no more than their length."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import callwright
from callwright.calls import envelopes
from callwright.calls.envelopes import Envelope, guard, render_enveloped
from callwright.calls.json_calls import Form
from callwright.calls.protocol import Refusal, Rendering, RenderStyle
from callwright.dialects.catalogue import all_dialects
from callwright.dialects.support.envelope import EnvelopeDialect
from callwright.document.reader import read_context, read_segment
from callwright.document.settings import Settings
from callwright.syntax import json_fast
from callwright.tools.registry import ToolRegistry

if TYPE_CHECKING:
    from callwright.calls.model import ToolCall

FAMILY = [dialect for dialect in all_dialects() if isinstance(dialect, EnvelopeDialect)]
CALL = '{"name": "read_file", "arguments": {"path": "a"}}'
TOOL = {
    "name": "read_file",
    "inputSchema": {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]},
}


def calls_in(text: str, *, dialect: str | None = None, tools: tuple[dict[str, Any], ...] = (TOOL,)) -> list[ToolCall]:
    registry = ToolRegistry.of(tools)
    context = read_context(registry, Settings(dialect=dialect))
    return [found.call for found in read_segment(text, context).calls]


@pytest.mark.parametrize(
    ("opener", "closer", "tag"),
    [
        ("<tool_call>", "</tool_call>", "tool_call"),
        ("<tool_call>", "", None),
        ("<|a|>", "<|b|>", None),
        ("a", "", None),
    ],
)
def test_an_envelope_of_tags_is_known_by_the_name_of_its_tag(opener: str, closer: str, tag: str | None) -> None:
    assert Envelope(opener, closer).tag == tag


@pytest.mark.parametrize("marker", ["</tool_call>", "<tool_call>", "<|END_ACTION|>", "<|python_tag|>"])
def test_a_guarded_string_is_the_same_string_without_the_marker(marker: str) -> None:
    text = json.dumps({marker: f"a{marker}{marker}b"})
    guarded = guard(text, (marker,))
    assert marker not in guarded
    assert json.loads(guarded) == json.loads(text)


@pytest.mark.parametrize("dialect", FAMILY, ids=lambda dialect: dialect.name)
@pytest.mark.parametrize("compact", [True, False])
def test_several_calls_read_back_with_their_values_and_ids(dialect: EnvelopeDialect, *, compact: bool) -> None:
    markers = [marker for envelope in dialect.envelopes for marker in (envelope.opener, envelope.closer, "]", "; {")]
    calls = [
        Rendering("read_file", {"path": "".join(markers), "n": 10**30, "deep": [[{"": None}]]}, None, "x1"),
        Rendering("git_status", {}, None, "x2"),
    ]
    if dialect.form.keyed:
        refused = dialect.render_all(calls, RenderStyle(compact=compact))
        assert isinstance(refused, Refusal)
        assert "x1" in refused.reason
        calls = [call._replace(call_id=None) for call in calls]
    text = dialect.render_all(calls, RenderStyle(compact=compact))
    assert isinstance(text, str)
    assert not compact or "\n" not in text or not dialect.gathers
    read = calls_in(text, dialect=dialect.name, tools=())
    assert [(call.dialect, call.tool, call.call_id) for call in read] == [
        (dialect.name, call.tool, call.call_id) for call in calls
    ]
    assert [call.arguments.python if call.arguments else None for call in read] == [call.arguments for call in calls]  # type: ignore[union-attr]
    assert not [problem for call in read for problem in call.problems if problem.kind != "engines-differ"]


@pytest.mark.parametrize("dialect", FAMILY, ids=lambda dialect: dialect.name)
def test_every_place_of_a_call_lies_where_its_text_is(dialect: EnvelopeDialect) -> None:
    calls = [Rendering("read_file", {"path": "é"}), Rendering("read_file", {"path": "😀"})]
    rendered = dialect.render_all(calls, RenderStyle())
    assert isinstance(rendered, str)
    text = f"One.\n\n{rendered}\n\nTwo."
    read = calls_in(text, dialect=dialect.name)
    assert len(read) == 2
    for call in read:
        assert call.tool_span.of(text) == "read_file"
        assert call.frame is not None
        assert call.frame.start <= call.span.start <= call.tool_span.start
        assert call.tool_span.end <= call.span.end <= call.frame.end
        assert call.arguments is not None
        assert json.loads(call.arguments.span.of(text)) == call.arguments.python  # type: ignore[union-attr]
        assert call.span.start <= call.body.start <= call.body.end <= call.span.end
    if dialect.gathers:
        assert {call.frame for call in read} == {read[0].frame}
        assert read[0].frame is not None
        assert read[0].frame.of(text) == rendered
    else:
        assert [call.span.of(text) for call in read] == [call.frame.of(text) for call in read if call.frame]


def test_an_id_that_merely_counts_is_written_and_reported() -> None:
    cohere = next(dialect for dialect in FAMILY if dialect.form.counted)
    text = cohere.render_all([Rendering("f", {}), Rendering("f", {}), Rendering("f", {}, None, "own")], RenderStyle())
    assert isinstance(text, str)
    read = calls_in(text, tools=())
    assert [(call.call_id, call.details.get("counted")) for call in read] == [("0", True), ("1", True), ("own", None)]


def test_what_cannot_be_json_is_refused_with_its_path() -> None:
    refused = render_enveloped([Rendering("f", {"a": [float("nan")]})], Envelope("<a>", "</a>"), Form(), RenderStyle())
    assert isinstance(refused, Refusal)
    assert refused.path[-2:] == ("a", 0)


@pytest.mark.parametrize(
    "data",
    [
        '{"name": "read_file"}',
        '{"name": "read_file", "arguments": {"path": "a"}, "result": "text"}',
        '{"name": "read_file", "arguments": [{"name": "path", "required": true}]}',
        '{"name": "read me", "arguments": {"path": "a"}}',
        '{"name": 1, "arguments": {"path": "a"}}',
        '{"name": "other", "parameters": {"type": "object", "properties": {}}}',
        '[{"name": "other", "arguments": {}}, 1]',
        '[[{"name": "other", "arguments": {}}]]',
        '["name", "arguments"]',
        "[{}]",
        "{}",
    ],
)
def test_other_json_is_no_call(data: str) -> None:
    known = () if "other" in data else (TOOL,)
    assert not callwright.parse(data, tools=[*known]).calls


@pytest.mark.parametrize(
    "unit",
    [
        "<tool_call>{",
        '<tool_call>{"name": "read_file", "arguments": {"path": "',
        f"<tool_call>{CALL}",
        f"<tool_call>[{CALL}, ",
        '<tool_call>["", "<tool_call>[", ',
        '<tool_calls>[{"name": "f", "arguments": {"a": "',
        "functools[{",
        "<|python_tag|>{",
        f"{CALL};",
        '{"name": "f", "arguments": ',
        '[{"name": "f", "arguments": {"a": [',
        ">>>f\n{",
        '>>>f\n{"a": "',
        'Action:\n```json\n[{"tool_name": "f", ',
        '<|tools_prefix|>[{"f": ',
        "<|START_ACTION|>[",
    ],
)
def test_markers_without_end_are_scanned_a_bounded_number_of_times(unit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    scanned = 0
    scan_clean = json_fast.scan_clean

    def counting(text: str, start: int, limit: int, depth: int = 0) -> tuple[Any, int]:
        nonlocal scanned
        try:
            value, end = scan_clean(text, start, limit, depth)
        except json_fast.NotCleanError as error:
            scanned += (len(text) if error.at is None else error.at) - start
            raise
        scanned += end - start
        return value, end

    monkeypatch.setattr(envelopes, "scan_clean", counting)
    text = unit * (20_000 // len(unit))
    callwright.parse(text, tools=[TOOL])
    assert scanned <= 8 * len(text)
