"""Invariant 6, a stream gives what the whole text gives: under any division into pieces, in every dialect."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import callwright
from callwright.dialects.catalogue import dialect_names
from callwright.document.settings import Settings
from invariants.corpus import corpus, mutants, registry, seeded
from invariants.streams import assert_equal, chunks, stream
from invariants.texts import BROKEN_CALLS, DEFINITIONS, EMPTY, FRAGILE_CALLS, GOOD_CALLS, PROSE, REGISTRY, documents
from support.sampling import crossed, sampled, tries

SIZES = st.lists(st.sampled_from([1, 1, 1, 2, 3, 5, 9, 20, 100]), min_size=1, max_size=12)
BATCHES = 16
SURROUNDINGS = ["{}", "Well:\n\n{}\n\nDone, and more.\n", "- {} follows", "> {}\n> quoted", "a\r\n\r\n{}\r\nb\r\n"]


@pytest.mark.parametrize(
    ("call", "surroundings"), crossed(GOOD_CALLS + BROKEN_CALLS + FRAGILE_CALLS + PROSE, SURROUNDINGS)
)
def test_one_character_at_a_time(call: str, surroundings: str) -> None:
    assert_equal(surroundings.replace("{}", call), [1], REGISTRY)


def test_a_broken_value_may_go_on_after_its_line() -> None:
    assert_equal('{"type": "tool_use" "name": "read_file", "input": {"path": {""]{\np: 1', [1], REGISTRY)


@settings(max_examples=tries(200), deadline=None)
@given(text=documents(most=6), sizes=SIZES, tools=st.sampled_from([REGISTRY, EMPTY]))
def test_documents_in_any_pieces(text: str, sizes: list[int], tools: callwright.ToolRegistry) -> None:
    assert_equal(text, sizes, tools)


@settings(max_examples=tries(150), deadline=None)
@given(
    text=documents(most=3),
    sizes=SIZES,
    dialect=st.sampled_from([None, *dialect_names()]),
    strict=st.booleans(),
    markup=st.sampled_from([None, "xml", "raw"]),
    reasoning=st.sampled_from(["mentions", "calls"]),
)
def test_under_any_settings(
    text: str, sizes: list[int], dialect: str | None, *, strict: bool, markup: str | None, reasoning: str
) -> None:
    project = Settings(dialect=dialect, strict=strict, markup=markup, reasoning=reasoning)
    assert_equal(text, sizes, REGISTRY, project)


BLOCKS = [
    *("<think>", "</think>", "<thinking>", "[THINK]", "[/THINK]", "<|channel|>analysis<|message|>", "<|end|>"),
    *("<!--", "-->", "`", "```\n", "```json\n", "{", "**", "read_file\n", "Action: ", "to=user<|message|>", "<|eot|>"),
    *("some text ", "\n", "\n\n", "\r\n", '"<read_file>{\\"path\\": \\"a\\"}</read_file>"', "<read_file>", "<b>"),
    *GOOD_CALLS,
]


@settings(max_examples=tries(200), deadline=None)
@given(parts=st.lists(st.sampled_from(BLOCKS), max_size=12), sizes=SIZES, tools=st.sampled_from([REGISTRY, EMPTY]))
def test_blocks_that_hold_no_calls(parts: list[str], sizes: list[int], tools: callwright.ToolRegistry) -> None:
    assert_equal("".join(parts), sizes, tools)


@pytest.mark.parametrize("batch", sampled(range(BATCHES), keep=2))
def test_every_format_one_character_at_a_time(batch: int) -> None:
    for text in corpus()[batch::BATCHES]:
        assert_equal(text, [1], registry())


@pytest.mark.parametrize("batch", sampled(range(BATCHES), keep=2))
def test_every_format_in_any_pieces(batch: int) -> None:
    random = seeded(f"pieces {batch}")
    texts = corpus()
    for _ in range(40):
        text = "\n".join(random.choice(texts) for _ in range(random.choice((1, 2, 4))))
        sizes = [random.choice((1, 2, 3, 7, 20, 200)) for _ in range(5)]
        assert_equal(text, sizes, random.choice((registry(), registry(), EMPTY)))


@pytest.mark.parametrize("batch", sampled(range(BATCHES), keep=2))
def test_mutations_of_every_format(batch: int) -> None:
    random = seeded(f"streams {batch}")
    for mutant in mutants(batch, 40, "streams"):
        sizes = [random.choice((1, 1, 2, 5, 30)) for _ in range(4)]
        assert_equal(mutant.text, sizes, mutant.tools, Settings(dialect=mutant.dialect))


@settings(max_examples=tries(100), deadline=None)
@given(text=documents(most=4), sizes=SIZES, dialect=st.sampled_from([None, "xml-json"]))
def test_the_parser_gives_what_parse_gives(text: str, sizes: list[int], dialect: str | None) -> None:
    parser = callwright.StreamingParser(tools=DEFINITIONS, dialect=dialect)
    for piece in chunks(text, sizes):
        parser.feed(piece)
    parser.finish()
    parsed = callwright.parse(text, tools=DEFINITIONS, dialect=dialect)
    assert (parser.calls, parser.diagnostics) == (parsed.calls, parsed.diagnostics)


def test_the_division_does_not_show_in_what_is_reported_a_call() -> None:
    text = "\n".join(GOOD_CALLS)
    parser, _ = stream([text], REGISTRY)
    for size in (1, 2, 7, 64):
        again, _ = stream(chunks(text, [size]), REGISTRY)
        assert again.calls == parser.calls
