"""What holds for every JSON text, good or bad, whatever is in it."""

import json
import re
import sys
from types import FrameType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from callwright.syntax.json import PROBLEM_KINDS, JsonNode, JsonRead, read_json
from callwright.text.holes import HOLE
from callwright.text.span import apply_edits
from support.sampling import tries

STOP = re.compile(r"</tool\s*>")
PIECES = [
    *("{", "}", "[", "]", ",", ":", '"', "'", "\\", '\\"', "`", "“", "”", "…", "...", "/*", "*/", "//"),
    *("#", "\n", "\t", "1", "-"),
    *(".5", "1e999", "NaN", "true", "True", "key", '"a"', '"b": ', '{"k": [1, 2]}', '"""', "'''"),
    *("</tool>", ";", "(", "="),
    *("+", "\\u12", "\\ud800", "\\x41", " ", "\r", "\0", "\ud800", "\ufeff", HOLE, HOLE * 3, '{"a": "', ": ", '"}'),
    "\N{GRINNING FACE}",
]  # fmt: skip

noise = st.one_of(st.text(), st.lists(st.sampled_from(PIECES), max_size=30).map("".join))
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=12,
)
layouts = st.sampled_from([None, 0, 2, "\t"])
plain = settings(deadline=None, max_examples=tries(200))


@st.composite
def written(draw: st.DrawFn) -> str:
    return json.dumps(draw(values), ensure_ascii=draw(st.booleans()), indent=draw(layouts))


@st.composite
def damaged(draw: st.DrawFn) -> str:
    """A call as a model writes it, with one to three errors."""
    text = json.dumps({"tool": "run", "arguments": draw(values), "n": 1}, indent=draw(layouts))
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(text)))
        cut = draw(st.integers(0, 3))
        text = text[:at] + draw(st.sampled_from(["", *PIECES])) + text[at + cut :]
    return text


def nodes_of(root: JsonNode) -> list[tuple[tuple[str | int, ...], JsonNode]]:
    found: list[tuple[tuple[str | int, ...], JsonNode]] = [((), root)]
    for path, node in found:
        last = {member.key: member.value for member in node.members}
        found += [((*path, key), value) for key, value in last.items()]
        found += [((*path, index), item) for index, item in enumerate(node.items)]
    return found


def at_path(value: Any, path: tuple[str | int, ...]) -> Any:
    for step in path:
        value = value[step]
    return value


def check_tree(text: str, read: JsonRead) -> None:
    assert 0 <= read.span.start <= read.span.end <= read.end <= len(text)
    assert read.reach <= len(text)
    for path, node in nodes_of(read.root):
        end = node.span.start
        for child in node.children:
            assert end <= child.span.start <= child.span.end <= node.span.end
            end = child.span.end
        for member in node.members:
            assert node.span.covers(member.span)
            assert member.span.covers(member.key_span)
        found = read.locate(path)
        assert found is not None
        assert found.span == node.span
        if read.wild != [()]:
            assert repr(at_path(read.value, path)) == repr(node.value)
    for path in read.wild:
        assert read.locate(path) is not None
    for path in read.elided:
        located = read.locate(path)
        assert located is not None
        assert located.elided


@plain
@given(st.one_of(noise, damaged()), st.booleans())
def test_any_text_is_read(text: str, stopped: bool) -> None:
    read = read_json(text, stop=STOP if stopped else None)
    check_tree(text, read)
    for problem in read.problems:
        assert problem.kind in PROBLEM_KINDS
        assert 0 <= problem.span.start <= problem.span.end <= len(text)
        if problem.repair:
            apply_edits(text, problem.repair)
    assert [problem.span for problem in read.problems] == sorted(problem.span for problem in read.problems)


@plain
@given(written(), st.sampled_from(["", " ", "\n  "]))
def test_valid_json_is_read_like_the_standard_library_does(text: str, space: str) -> None:
    read = read_json(f"{space}{text}{space}")
    assert read.problems == []
    assert read.value == json.loads(text)
    assert read.span.of(f"{space}{text}{space}") == text


@plain
@given(st.one_of(noise, damaged()))
def test_what_has_no_problem_is_json(text: str) -> None:
    read = read_json(text)
    # A template expression or an elision is not a fault, and no JSON either.
    if not read.problems and not read.wild and not read.elided:
        assert json.loads(text) == read.value


@plain
@given(written())
def test_spans_of_nodes_are_exact(text: str) -> None:
    read = read_json(text)
    check_tree(text, read)
    for path, node in nodes_of(read.root):
        assert json.loads(node.span.of(text)) == node.value
        key = read.locate_key(path)
        if path and isinstance(path[-1], str):
            assert key is not None
            assert json.loads(key.of(text)) == path[-1]
        else:
            assert key is None


@plain
@given(damaged(), st.booleans())
def test_certain_repairs_leave_clean_json_with_the_same_value(text: str, stopped: bool) -> None:
    stop = STOP if stopped else None
    read = read_json(text, stop=stop)
    if read.problems and all(problem.certain for problem in read.problems):
        fixed = apply_edits(text, [edit for problem in read.problems for edit in problem.repair])
        again = read_json(fixed, stop=stop)
        assert again.problems == []
        assert again.value == read.value


@plain
@given(damaged(), st.lists(st.sampled_from(PIECES), max_size=5).map("".join), st.booleans())
def test_nothing_after_the_reach_matters(text: str, other: str, stopped: bool) -> None:
    stop = STOP if stopped else None
    read = read_json(text, stop=stop)
    if read.reach < len(text):
        again = read_json(text[: read.reach] + other, stop=stop)
        assert repr(again.value) == repr(read.value)
        assert again.end == read.end
        assert again.problems == read.problems


@plain
@given(written(), st.integers(0, 200), st.integers(0, 200))
def test_reading_a_part_is_reading_that_part_alone(text: str, start: int, length: int) -> None:
    start = min(start, len(text))
    end = min(start + length, len(text))
    inside, alone = read_json(text, start, end), read_json(text[start:end])
    assert repr(inside.value) == repr(alone.value)
    assert [problem.kind for problem in inside.problems] == [problem.kind for problem in alone.problems]
    assert [problem.span.shift(-start) for problem in inside.problems] == [problem.span for problem in alone.problems]


@plain
@given(
    st.dictionaries(st.text("abc_", min_size=1, max_size=5), st.text("abc ", max_size=5) | st.integers(), min_size=1),
    st.sampled_from(["extra-closers", "missing-closers", "trailing-comma", "single-quotes", "raw-newline", "comment"]),
)
def test_one_syntax_error_is_named_and_its_repair_gives_the_value_back(value: dict[str, Any], kind: str) -> None:
    value["z"] = "x"
    good = json.dumps(value)
    bad, meant = {
        "extra-closers": (good + "}}", value),
        "missing-closers": (good[:-1], value),
        "trailing-comma": (good[:-1] + ",}", value),
        "single-quotes": (good[:-4] + "'x'}", value),
        "raw-newline": (good[:-2] + '\n"}', {**value, "z": "x\n"}),
        "comment": (good[:-1] + " /* so */}", value),
    }[kind]
    read = read_json(bad)
    assert [problem.kind for problem in read.problems] == [kind]
    assert read.value == meant
    assert json.loads(apply_edits(bad, read.problems[0].repair)) == meant


HOSTILE = [
    "{", "[", '"', "[}", "{]", '{"a":', '"a', "\\", '"a"b', '{"a":"b",', "'", "“", "//\n", "/*", "...", "…",
    HOLE, "}", "]",
    '"x" ', "a ", '{"a": "</tool>', "</tool>", '"\n', '"a": ', '[{"a":1,', "\0", "\ufeff", "+", "1.", '"""', '{"a":1}',
    '{"a":1,"a":2},', '"}', ",", ":", ";", "<a", '"a",\n"', '\\"', '[[1],{"k":"v"},', "\ud800",
]  # fmt: skip


def work(text: str) -> int:
    """Count the calls that reading makes, of Python and of C functions: a clock would measure the machine."""
    count = 0

    def step(frame: FrameType, event: str, argument: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(step)
    try:
        read_json(text, stop=STOP)
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("piece", HOSTILE)
def test_work_grows_with_the_text_and_no_faster(piece: str) -> None:
    for prefix in ("", '{"a": ', '["'):
        small, large = (work(prefix + piece * (size // len(piece))) for size in (1_000, 4_000))
        assert large <= 5 * small + 2_000
