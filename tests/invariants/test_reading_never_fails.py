"""Invariant 1, reading never fails: any text gives calls and diagnostics, in every host, and so do their fixes."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import callwright
from callwright.dialects.catalogue import dialect_names
from callwright.document.settings import Settings
from callwright.fix.fixer import fix_all
from callwright.lint.linter import diagnostics
from invariants.corpus import BATCHES, Mutant, as_transcript, corpus, mutants, seeded
from invariants.texts import BROKEN_CALLS, DEFINITIONS, GOOD_CALLS, documents, mutated, noise, opened, transcript
from support.sampling import crossed, sampled, tries

ANY = st.one_of(st.text(), noise(), mutated(), documents(most=4))
DIALECTS = st.sampled_from([None, *dialect_names()])


def read_everything(text: str, path: str, project: Settings) -> None:
    snapshot = opened(text, path, settings=project)
    for placed in snapshot.placed_calls():
        assert 0 <= placed.span.start <= placed.span.end <= len(text)
        assert isinstance(placed.binding.arguments, dict)
    for diagnostic in diagnostics(snapshot):
        assert diagnostic.message
        assert all(fix.title for fix in diagnostic.fixes)


@settings(max_examples=tries(250), deadline=None)
@given(text=ANY, dialect=DIALECTS, tools=st.sampled_from([None, DEFINITIONS]))
def test_parse_takes_any_text(text: str, dialect: str | None, tools: list[dict[str, object]] | None) -> None:
    parsed = callwright.parse(text, tools=tools, dialect=dialect)
    assert [call.span for call in parsed.calls] == sorted(call.span for call in parsed.calls)
    for diagnostic in parsed.diagnostics:
        assert diagnostic.fixes is not None


@settings(max_examples=tries(200), deadline=None)
@given(
    text=ANY,
    path=st.sampled_from(["a.md", "a.txt", "a.prompt", "a.json", "a.jsonl", "a.toolcall"]),
    dialect=DIALECTS,
    strict=st.booleans(),
    markup=st.sampled_from([None, "xml", "raw"]),
)
def test_every_host_takes_any_text(
    text: str, path: str, dialect: str | None, *, strict: bool, markup: str | None
) -> None:
    read_everything(text, path, Settings(dialect=dialect, strict=strict, markup=markup))


@settings(max_examples=tries(150), deadline=None)
@given(
    texts=st.lists(ANY, min_size=1, max_size=3), ascii_only=st.booleans(), cut=st.integers(0, 40), lines=st.booleans()
)
def test_transcripts_take_any_message_and_any_end(texts: list[str], *, ascii_only: bool, cut: int, lines: bool) -> None:
    text = transcript(*texts, ascii_only=ascii_only)
    text = text[: len(text) - cut] if cut else text
    read_everything(f"{text}\n{text}" if lines else text, "a.jsonl" if lines else "a.json", Settings())


@settings(max_examples=tries(120), deadline=None)
@given(text=ANY, unsafe=st.booleans(), in_transcript=st.booleans())
def test_fixing_takes_any_text(text: str, *, unsafe: bool, in_transcript: bool) -> None:
    source, path = (transcript(text), "a.json") if in_transcript else (text, "a.md")
    fixed, fixed_text = fix_all(opened(source, path), unsafe=unsafe)
    assert fixed_text or fixed == source


@settings(max_examples=tries(120), deadline=None)
@given(text=ANY, to=st.sampled_from(dialect_names()), in_transcript=st.booleans())
def test_converting_takes_any_text(text: str, to: str, *, in_transcript: bool) -> None:
    source, path = (transcript(text), "a.jsonl") if in_transcript else (text, "a.md")
    result = callwright.convert(source, to, tools=DEFINITIONS, path=path)
    assert result.converted or result.text == source


@pytest.mark.parametrize("call", GOOD_CALLS + BROKEN_CALLS)
def test_a_call_cut_anywhere_is_read(call: str) -> None:
    for end in sampled(range(len(call)), keep=6):
        for text in (call[:end], f"Before.\n\n{call[:end]}\n\nAfter <b>it</b>."):
            for diagnostic in callwright.check(text, tools=DEFINITIONS):
                assert diagnostic.fixes is not None


def take(mutant: Mutant) -> None:
    """Read one mutation: nothing raises, and calls and diagnostics lie in the text."""
    parsed = callwright.parse(mutant.text, tools=mutant.tools, dialect=mutant.dialect)
    spans = [call.span for call in parsed.calls]
    assert spans == sorted(spans)
    for span in (*spans, *(each.span for each in parsed.diagnostics)):
        assert 0 <= span.start <= span.end <= len(mutant.text)


@pytest.mark.parametrize("batch", sampled(range(BATCHES), keep=2))
def test_mutations_of_every_format_are_read(batch: int) -> None:
    for mutant in mutants(batch):
        take(mutant)


@pytest.mark.parametrize("batch", sampled(range(BATCHES), keep=2))
def test_mutations_of_every_format_are_fixed_and_converted(batch: int) -> None:
    random = seeded(batch)
    names = dialect_names()
    for mutant in mutants(batch, 25, "fix"):
        project = Settings(dialect=mutant.dialect, strict=random.random() < 0.2)
        snapshot = opened(mutant.text, "a.md", mutant.tools, project)
        for diagnostic in diagnostics(snapshot):
            assert diagnostic.message
            assert all(fix.title for fix in diagnostic.fixes)
        fixed, fixed_text = fix_all(snapshot, unsafe=random.random() < 0.5)
        assert fixed_text or fixed == mutant.text
        result = callwright.convert(mutant.text, random.choice(names), tools=mutant.tools)
        assert result.converted or result.text == mutant.text
        read_everything(as_transcript(mutant.text, random), "a.json", project)


def test_every_source_of_the_corpus_is_read_in_every_dialect() -> None:
    for text, dialect in crossed(corpus(), dialect_names()):
        assert callwright.parse(text, dialect=dialect).calls is not None
