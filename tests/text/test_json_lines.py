"""Texts in arrays of lines: an edit does what it says, and leaves a line an item."""

from __future__ import annotations

import json
import re
from json.decoder import scanstring  # type: ignore[attr-defined]  # typeshed leaves the C string scanner out
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callwright.text.holes import HOLE
from callwright.text.json_lines import Deferred, JsonLines
from callwright.text.projection import JsonString
from callwright.text.span import Edit, Span, apply_edits

LINES = re.compile(r"[^\n]*\n|[^\n]+")
PIECES = st.lists(st.sampled_from(["a", "b", "\n", "\n", "é", "😀", '"', "\\", "\r\n", "\t"]), max_size=9).map("".join)


def file_with(items: list[str], indent: int | None) -> str:
    return json.dumps({"cells": [{"source": items, "after": ["q"]}], "m": 1}, indent=indent, ensure_ascii=False)


def projection_of(file: str) -> JsonLines:
    at = file.index("[", file.index('"source"')) + 1
    strings: list[JsonString] = []
    while True:
        found = re.compile(r"[\s,]*").match(file, at)
        assert found is not None
        at = found.end()
        if file[at] == "]":
            return JsonLines(strings, file)
        _, end = scanstring(file, at + 1)
        strings.append(JsonString(file[at + 1 : end - 1], at + 1))
        at = end


def source_in(file: str) -> Any:
    cell = json.loads(file)["cells"][0]
    assert cell["after"] == ["q"]
    return cell["source"]


@given(PIECES.filter(bool), PIECES, st.data(), st.sampled_from([None, 1]))
def test_an_edit_does_what_it_states_and_keeps_to_lines(text: str, new: str, data: st.DataObject, indent: int) -> None:
    file = file_with(LINES.findall(text), indent)
    projection = projection_of(file)
    assert projection.text == text
    ends = sorted(data.draw(st.tuples(*[st.integers(0, len(text))] * 2)))
    raw = projection.encode(Edit(Span(*ends), new))
    assert raw is not None
    wanted = text[: ends[0]] + new + text[ends[1] :]
    assert source_in(apply_edits(file, [raw])) == (LINES.findall(wanted) or [""])


@given(st.lists(PIECES, min_size=1, max_size=6), PIECES, st.data())
def test_other_items_are_edited_too(items: list[str], new: str, data: st.DataObject) -> None:
    file, text = file_with(items, 1), "".join(items)
    projection = projection_of(file)
    ends = sorted(data.draw(st.tuples(*[st.integers(0, len(text))] * 2)))
    raw = projection.encode(Edit(Span(*ends), new))
    assert raw is not None
    assert "".join(source_in(apply_edits(file, [raw]))) == text[: ends[0]] + new + text[ends[1] :]


@given(st.lists(PIECES, min_size=1, max_size=6))
def test_places_lead_there_and_back(items: list[str]) -> None:
    file, text = file_with(items, None), "".join(items)
    made = projection_of(file)
    for projection in (made, Deferred(len(text), lambda: made)):
        assert projection.length == len(text)
        for offset in range(len(text) + 1):
            assert projection.to_decoded(projection.to_raw(offset)) == offset
        for offset in range(len(text)):
            shown = projection.raw_span(Span(offset, offset + 1)).of(file)
            assert json.loads(f'"{shown}"') == text[offset]


def test_what_would_need_more_than_the_strings_is_refused() -> None:
    file = '{"source": ["a\\n", "b\\n"]}'
    strings = [JsonString("a\\n", 13), JsonString("b\\n", 20)]
    assert strings[1].raw == file[20:23]
    faulty = JsonLines(strings, file, sound=False)
    assert faulty.encode(Edit(Span(0, 3), "")) is None
    assert faulty.encode(Edit(Span(2, 3), "c\nd")) == Edit(Span(20, 21), "c\\nd")
    sound = JsonLines(strings, file)
    assert sound.encode(Edit(Span(0, 1), HOLE)) is None
    with pytest.raises(ValueError, match="outside the passage"):
        sound.encode(Edit(Span(3, 9), ""))


def test_a_line_is_added_after_an_empty_item() -> None:
    file = file_with(["", "a"], 1)
    raw = projection_of(file).encode(Edit(Span(0, 0), "\n"))
    assert raw is not None
    assert source_in(apply_edits(file, [raw])) == ["", "\n", "a"]


def test_an_item_of_several_lines_stays_one_item() -> None:
    file = file_with(["a\nread(1)\n"], 1)
    raw = projection_of(file).encode(Edit(Span(2, 6), "open"))
    assert raw is not None
    assert source_in(apply_edits(file, [raw])) == ["a\nopen(1)\n"]


def test_halves_of_a_character_are_not_put_together() -> None:
    file = '{"source": ["\\ud83d\\n", "\\ude00"]}'
    projection = JsonLines([JsonString("\\ud83d\\n", 13), JsonString("\\ude00", 25)], file)
    assert projection.encode(Edit(Span(1, 2), "")) is None
    assert projection.encode(Edit(Span(1, 2), "x")) is not None
