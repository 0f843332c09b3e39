"""Words that readers know, one by one: those of other languages in JSON, and what closes a block of reasoning."""

from __future__ import annotations

import re

import pytest

from callwright.syntax.json import read_json
from callwright.syntax.reasoning import BLOCKS, block_end
from callwright.syntax.searches import Searches

WORDS = {
    "True": True,
    "TRUE": True,
    "False": False,
    "FALSE": False,
    "None": None,
    "NULL": None,
    "Null": None,
    "undefined": None,
}


@pytest.mark.parametrize("word", WORDS)
def test_a_word_of_another_language_in_json(word: str) -> None:
    read = read_json(f'{{"a": {word}}}', 0)
    assert read.value == {"a": WORDS[word]}
    assert [problem.kind for problem in read.problems] == ["python-literal"]
    ((_, replacement),) = read.problems[0].repair
    assert replacement == {True: "true", False: "false", None: "null"}[WORDS[word]]


def test_a_tag_of_reasoning_is_closed_by_its_own() -> None:
    named = {
        opener: match[1] for opener in BLOCKS if (match := re.fullmatch(r"<([\w:|]+)>", opener)) and "|" not in match[1]
    }
    assert len(named) >= 7
    for opener, name in named.items():
        assert BLOCKS[opener] == (f"</{name}>",)


@pytest.mark.parametrize("opener", BLOCKS)
def test_a_block_of_reasoning_ends_after_the_first_of_its_closers(opener: str) -> None:
    for closer in BLOCKS[opener]:
        text = f"so {opener}hm{closer} then {' '.join(BLOCKS[opener])}"
        # What begins another message does not belong to this one.
        end = text.index(closer) if closer == "<|start|>" else text.index(closer) + len(closer)
        for given, found in ((text, end), (text[: text.index(closer)], None)):
            searches = Searches()
            assert [block_end(given, 3, opener, searches) for _ in range(2)] == [found, found]
