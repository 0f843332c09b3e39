"""Invariant 2, spans are exact: names, values and diagnostics lie where they say, there and back through a
projection."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from callwright.calls.model import arguments_of
from callwright.document.blocks import PlacedCall
from callwright.document.settings import Settings
from callwright.lint.linter import diagnostics
from callwright.rules.unclosed_section import UnclosedSection
from callwright.text.holes import HOLE
from callwright.text.span import Edit, Span
from invariants.corpus import BATCHES, corpus, mutants
from invariants.corpus import registry as corpus_registry
from invariants.texts import BROKEN_CALLS, EMPTY, GOOD_CALLS, REGISTRY, documents, mutated, noise, opened, transcript
from support.sampling import sampled, tries

if TYPE_CHECKING:
    from collections.abc import Iterator

    from callwright.calls.model import Argument, Value

ANY = st.one_of(noise(), mutated(), documents(most=5))


def nested(value: Value | None) -> Iterator[Argument]:
    for argument in arguments_of(value):
        yield argument
        yield from nested(argument.value)


def assert_exact(placed: PlacedCall) -> None:
    """Everything of a call lies in it, in order, and says what is there; in offsets of its passage."""
    call, text = placed.call, placed.passage.text
    assert 0 <= call.span.start < call.span.end <= len(text)
    frame = call.frame or call.span
    assert frame.covers(call.span)
    assert frame.end <= len(text)
    assert call.span.covers(call.tool_span)
    assert call.span.covers(call.body)
    for span in call.name_spans:
        assert call.span.covers(span)
    if call.tool is not None and HOLE not in text:
        shown = call.tool_span.of(text)
        # Where it is not the name itself, it is written with escapes, entities or CDATA, or is written nowhere, and
        # something else says which tool is meant.
        assert shown == call.tool or any(marker in shown for marker in '\\&<\r"') or not call.name_spans
    if call.arguments is not None:
        assert call.span.covers(call.arguments.span)
    for argument in nested(call.arguments):
        assert call.span.covers(argument.span)
        assert argument.span.covers(argument.name_span)
        assert argument.span.covers(argument.value.span)
    for problem in call.problems:
        assert 0 <= problem.span.start <= problem.span.end <= len(text)
        for edit in problem.repair:
            assert 0 <= edit.span.start <= edit.span.end <= len(text)


@settings(max_examples=tries(250), deadline=None)
@given(text=ANY, registry=st.sampled_from([REGISTRY, EMPTY]), path=st.sampled_from(["a.md", "a.txt"]))
def test_parts_of_calls_lie_in_their_calls(text: str, registry: Any, path: str) -> None:
    assert_all_exact(text, path, registry)


def assert_all_exact(text: str, path: str, registry: Any) -> None:
    end = 0
    for placed in opened(text, path, registry).placed_calls():
        assert_exact(placed)
        frame = placed.raw_span(placed.call.frame or placed.call.span)
        assert placed.span.start >= end or frame.covers(placed.span)
        end = placed.span.start


@pytest.mark.parametrize("batch", sampled(range(BATCHES), keep=2))
def test_parts_of_calls_of_every_format_lie_in_their_calls(batch: int) -> None:
    for mutant in mutants(batch, 60, "span"):
        assert_all_exact(mutant.text, "a.md", mutant.tools)


def test_the_corpus_is_exact() -> None:
    for text in corpus():
        for tools in (corpus_registry(), EMPTY):
            assert_all_exact(text, "a.md", tools)


@settings(max_examples=tries(200), deadline=None)
@given(text=ANY, in_transcript=st.booleans())
def test_diagnostics_and_their_edits_lie_in_the_text(text: str, *, in_transcript: bool) -> None:
    source, path = (transcript(text), "a.json") if in_transcript else (text, "a.md")
    places = []
    for diagnostic in diagnostics(opened(source, path)):
        places.append(diagnostic.span)
        assert 0 <= diagnostic.span.start <= diagnostic.span.end <= len(source)
        for span, _ in diagnostic.related:
            assert 0 <= span.start <= span.end <= len(source)
        for fix in diagnostic.fixes:
            edits = sorted(fix.edits, key=lambda edit: edit.span)
            assert all(0 <= edit.span.start <= edit.span.end <= len(source) for edit in edits)
            assert all(one.span.end <= two.span.start for one, two in pairwise(edits))
    assert [span.start for span in places] == sorted(span.start for span in places)


@settings(max_examples=tries(150), deadline=None)
@given(text=ANY, ascii_only=st.booleans(), indent=st.sampled_from([None, 2]))
def test_a_transcript_shows_what_its_message_shows(text: str, *, ascii_only: bool, indent: int | None) -> None:
    """A message read in a transcript gives the calls and diagnostics of its text, at the escapes that mean them."""
    source = json.dumps({"messages": [{"role": "user", "content": text}]}, ensure_ascii=ascii_only, indent=indent)
    # In a prompt braces may be a template's; messages of a conversation are text.
    literal = Settings(template="none")
    alone, inside = opened(text, settings=literal), opened(source, "a.json", settings=literal)
    calls = [(placed.call.tool, placed.binding.arguments) for placed in alone.placed_calls()]
    assert [(placed.call.tool, placed.binding.arguments) for placed in inside.placed_calls()] == calls
    decoded = [json_text(source, placed.span) for placed in inside.placed_calls()]
    assert decoded == [placed.span.of(text) for placed in alone.placed_calls()]
    # Sections are what a prompt is divided into; no message is.
    of_calls = [each for each in diagnostics(alone) if each.code != UnclosedSection.code]
    found = [(each.code, each.message, each.span.of(text)) for each in of_calls]
    shown = [(each.code, each.message, json_text(source, each.span)) for each in diagnostics(inside)]
    if "\ud83d" not in text:
        assert shown == found


def json_text(source: str, span: Span) -> str:
    """Return what a segment between the quotes of a JSON string means."""
    decoded: str = json.loads(f'"{span.of(source)}"')
    return decoded


@pytest.mark.parametrize("call", GOOD_CALLS)
def test_every_offset_of_a_transcript_leads_there_and_back(call: str) -> None:
    text = f'é 😀 \u2028\t"\\ \r\n{call}\r\n\ud83d'
    for ascii_only in (False, True):
        source = transcript(text, ascii_only=ascii_only)
        (read,) = opened(source, "a.json").blocks[0].passages
        projection = read.passage.projection
        assert read.passage.text == text
        for offset in range(len(text) + 1):
            assert projection.to_decoded(projection.to_raw(offset)) == offset
            edit = projection.encode(Edit(Span(offset, offset), 'x"\n😀'))
            assert edit is not None
            edited = source[: edit.span.start] + edit.text + source[edit.span.end :]
            assert json.loads(edited)["messages"][0]["content"] == text[:offset] + 'x"\n😀' + text[offset:]


@pytest.mark.parametrize("call", BROKEN_CALLS)
def test_a_diagnostic_names_what_is_at_its_place(call: str) -> None:
    text = f"Well 😀:\n\n{call}\n"
    for diagnostic in diagnostics(opened(text)):
        assert diagnostic.span.start >= text.index(call)
        assert diagnostic.span.end <= len(text)
