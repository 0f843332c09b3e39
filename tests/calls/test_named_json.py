"""What the dialects with a name in a marker share: their grammars as data, guarded JSON, ids, and linear reading."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import callwright
from callwright.calls.marker_problems import half_marker
from callwright.calls.named_json import Grammar, closer_of, look_for
from callwright.calls.protocol import ReadContext, Refusal, Rendering, RenderStyle
from callwright.calls.render import guarded
from callwright.dialects.base import Dialect
from callwright.dialects.catalogue import find_dialect
from callwright.syntax.json import JsonRead, read_json
from callwright.tools.registry import ToolRegistry
from support.sampling import sampled

if TYPE_CHECKING:
    import re

NAMES = ("deepseek", "function-tag", "harmony", "kimi", "mistral")
COMPACT = RenderStyle(compact=True)


def dialect_of(name: str) -> Dialect:
    found = find_dialect(name)
    assert found is not None
    return found


def grammar_of(dialect: Dialect) -> Grammar:
    grammar = getattr(dialect, "grammar", None)
    assert isinstance(grammar, Grammar)
    return grammar


def rendered(name: str, arguments: dict[str, Any], tool: str = "read_file", call_id: str | None = None) -> str:
    text = dialect_of(name).render(tool, arguments, None, RenderStyle(compact=True, call_id=call_id))
    assert isinstance(text, str)
    return text


@pytest.mark.parametrize("name", NAMES)
def test_the_header_leads_from_an_opener_to_the_json(name: str) -> None:
    dialect, text = dialect_of(name), rendered(name, {"path": "a"})
    grammar = grammar_of(dialect)
    header = grammar.header.search(text)
    assert header is not None
    assert header["name"] == "read_file"
    assert text.startswith('{"path": "a"}', header.end())
    after = text[header.end() + len('{"path": "a"}') :]
    assert after.startswith(tuple(grammar.closers) or after)
    assert text.startswith(tuple(dialect.openers))


@pytest.mark.parametrize("name", NAMES)
def test_every_marker_is_one_that_ends_json(name: str) -> None:
    grammar = grammar_of(dialect_of(name))
    for marker in {*grammar.markers, *grammar.closers} - {"```"}:
        assert grammar.every.fullmatch(marker), marker


@pytest.mark.parametrize("name", NAMES)
def test_no_marker_is_in_rendered_json(name: str) -> None:
    grammar = grammar_of(dialect_of(name))
    value = {"text": "".join(f"a {marker} \\{marker}" for marker in grammar.markers)}
    text = rendered(name, value)
    header = grammar.header.search(text)
    assert header is not None
    body = text[header.end() :]
    for closer in grammar.closers:
        body = body.replace(closer, "")
    assert not [marker for marker in grammar.markers if marker in body and marker != "```"]
    (call,) = callwright.parse(text).calls
    assert (call.tool, call.arguments, call.dialect) == ("read_file", value, name)


def test_a_guarded_marker_is_the_same_string() -> None:
    every = grammar_of(dialect_of("kimi")).every
    assert guarded('{"a": "\\\\<|tool_call_end|><b>"}', every) == '{"a": "\\\\\\u003c|tool_call_end|><b>"}'


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("tool", ["", "read file", "a<b", "a\nb"])
def test_a_name_that_no_marker_can_hold_is_refused(name: str, tool: str) -> None:
    assert isinstance(dialect_of(name).render(tool, {}, None, COMPACT), Refusal)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("tool", ["read_file", "fs.read-file", "mcp:read"])
def test_a_name_is_read_as_it_is_rendered(name: str, tool: str) -> None:
    (call,) = callwright.parse(rendered(name, {"a": [1, None, {"b": 2.5}]}, tool)).calls
    assert (call.tool, call.arguments, call.dialect) == (tool, {"a": [1, None, {"b": 2.5}]}, name)


def test_an_id_is_kept_where_the_format_has_a_place() -> None:
    assert callwright.parse(rendered("mistral", {}, call_id="123456789")).calls[0].id == "123456789"
    assert (
        callwright.parse(rendered("kimi", {}, call_id="functions.read_file:7")).calls[0].id == "functions.read_file:7"
    )
    assert isinstance(dialect_of("mistral").render("f", {}, None, RenderStyle(call_id="a b")), Refusal)


@pytest.mark.parametrize("call_id", [None, "functions.other:7", "call_1", "functions.read_file:x"])
def test_an_id_of_another_form_gives_way_to_a_counter(call_id: str | None) -> None:
    assert callwright.parse(rendered("kimi", {}, call_id=call_id)).calls[0].id == "functions.read_file:0"


def test_calls_of_one_section_are_counted() -> None:
    calls = [Rendering("f", {}), Rendering("g", {}, None, "functions.g:9"), Rendering("f", {"a": 1})]
    text = dialect_of("kimi").render_all(calls, RenderStyle())
    assert isinstance(text, str)
    assert [each.id for each in callwright.parse(text).calls] == ["functions.f:0", "functions.g:9", "functions.f:2"]
    assert text.count("<|tool_calls_section_begin|>") == 1


def test_a_closing_marker_has_the_spelling_of_its_opening_one() -> None:
    assert closer_of("<｜tool\\_call\\_begin｜>") == "<｜tool\\_call\\_end｜>"
    assert closer_of("<|tool_calls_section_begin|>") == "<|tool_calls_section_end|>"
    assert closer_of("<｜tool▁calls｜>") == "<｜tool▁calls▁end｜>"


def test_half_a_marker_is_one_that_the_text_ends_in() -> None:
    assert half_marker("{}<|call", 2, "<|call|>") is not None
    assert half_marker("{}<|call|>", 2, "<|call|>") is None
    assert half_marker("{}<|call and", 2, "<|call|>") is None
    assert half_marker("{}", 2, "<|call|>") is None


@pytest.mark.parametrize(
    ("text", "furthest"), [("x", 1), ("<b", 2), ("<|end|>x", 7), ("<|en", 5), ("<|call|>", 8), ("", 1)]
)
def test_one_looks_no_further_than_to_report_a_marker(text: str, furthest: int) -> None:
    context = ReadContext(ToolRegistry())
    look_for(text, 0, ("<|end|>", "<|call|>"), context)
    assert context.scan.scanned == furthest


HOSTILE = [
    "<|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{",
    '<|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{"a": "x',
    "<|tool_calls_section_begin|><|tool_call_begin|>f:0<|tool_call_argument_begin|>[1,<|tool_call_end|>",
    '<｜tool▁calls▁begin｜>f<｜tool▁sep｜>{"a": ',
    "<｜tool▁call▁begin｜>function<｜tool▁sep｜>f\n```json\n{'a'",
    "[TOOL_CALLS]f[ARGS]{",
    '[TOOL_CALLS][{"name": "f", ',
    '[TOOL_CALLS][{"x": "',
    '<|channel|>commentary to=functions.f<|message|>{"a": ',
    "<function=f>{",
    '<function=f>{"a": "</function ',
]


@pytest.mark.parametrize("piece", sampled(HOSTILE, keep=4), ids=lambda piece: piece[:40])
def test_what_is_read_as_json_grows_with_the_text(piece: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Many broken calls in a row: of what is added, the reader of JSON checks each character a few times."""
    work: list[int] = []

    def counting(text: str, start: int, *more: Any, stop: re.Pattern[str], **named: Any) -> JsonRead:
        read = read_json(text, start, *more, stop=stop, **named)
        work.append(read.end - start)
        return read

    monkeypatch.setattr("callwright.calls.named_json.read_json", counting)

    def scanned_at(pieces: int) -> int:
        work.clear()
        callwright.parse(piece * pieces)
        return sum(work)

    # What is tried to fix a call costs the same however much there is: it is on both sides.
    assert scanned_at(800) - scanned_at(400) <= 4 * 400 * len(piece)
