"""Reading JSON: ends, stops, spans, limits; the faults themselves are cases in `json/*.md`."""

import json
import math
import re
from typing import Any

import pytest

from callwright.syntax.json import MAX_DEPTH, MAX_PROBLEMS, read_json
from callwright.text.budget import Budget, BudgetExceededError
from callwright.text.holes import HOLE
from callwright.text.span import Span

TAG = re.compile(r"</run\s*>")
FENCE = re.compile(r"^ {0,3}```[ \t]*$", re.MULTILINE)


def kinds(text: str, **options: Any) -> list[str]:
    return [problem.kind for problem in read_json(text, **options).problems]


@pytest.mark.parametrize(
    "text",
    [
        "0", "-0", "1", "-1.5e+10", "1E40", '""', '"\\u0000"',
        '"\\ud83d\\ude00"', '"\N{GRINNING FACE}\u2028\x7f"', "[]", "{}", " [ ] ", "\t{\r\n}\n", "[[],{}]", '{"":0}',
        '{"a":{"b":[null,true,false]}}', '"\\"\\\\\\/\\b\\f\\n\\r\\t"', '"\\\\ud800"', "[1e-400]", "123123e-10000000",
    ],
)  # fmt: skip
def test_json_is_accepted(text: str) -> None:
    read = read_json(text)
    assert read.problems == []
    assert read.value == json.loads(text)


@pytest.mark.parametrize(
    "text",
    [
        "", " ", "[", "]", "{", "}", "[1,]", "[,1]", "[,]", "[1,,2]", "[1 2]", "[1:2]", '["a" "b"]',
        "{,}", '{"a"}', '{"a":}',
        '{"a":1,}', "{a:1}", "{1:1}", "{'a':1}", '{"a" 1}', '{"a"::1}', '{"a":1 "b":2}', '{"a":1}}',
        "[1]]", "[1]x", "[1] 2",
        "[-]", "[+1]", "[.5]", "[1.]", "[01]", "[-01]", "[1e]", "[1e+]", "[0x1]", "[1_0]", "[--1]", "[1-2]", "[NaN]",
        "[Infinity]", "[-Infinity]", "[1e999]", "[tru]", "[True]", "[nul]", "[TRUE]", '["a', '["\\x"]', '["\\u00g0"]',
        '["\\"]', '["\t"]', '["\n"]', '["\0"]', '["\\a"]', "[\x0c]", "[\xa0]", "\ufeff[]", "[1]\0",
        "/**/[]", "[]//", "[]#",
        '{"a":1]', "[1}", '"a" "b"', "['a']", "[`a`]", "[“a”]", "[1\n2]", "[\u2028]", '["\ud800"]',
        "undefined", "[\uff11]",
        "[<null>]", '["a\ta"]', '{"a":"b":"c"}', '{"a":1,"a":2}', '["\\ud800"]', "*", "[*]", "[$]", '{"a":/**/1}',
    ],
)  # fmt: skip
def test_what_is_no_json_has_a_problem(text: str) -> None:
    assert kinds(text)


class TestWhereTheTextEnds:
    def test_at_a_closing_tag(self) -> None:
        read = read_json('<run>{"a": 1}\n</run> {"b": 2}', 5, stop=TAG)
        assert read.problems == []
        assert (read.span, read.end) == (Span(5, 13), 13)

    def test_a_closing_tag_in_a_string_is_text(self) -> None:
        text = '{"content": "</run>", "n": 1}</run>'
        read = read_json(text, stop=TAG)
        assert read.problems == []
        assert read.value == {"content": "</run>", "n": 1}
        assert read.end == text.index("}</run>") + 1

    def test_a_closing_tag_in_a_string_of_a_broken_text_is_text_too(self) -> None:
        read = read_json('{"content": "</run>",}</run>', stop=TAG)
        assert [problem.kind for problem in read.problems] == ["trailing-comma"]
        assert read.value == {"content": "</run>"}

    def test_a_closing_tag_ends_a_string_that_nothing_closes(self) -> None:
        text = '{"content": "abc}</run>\nAnd "so" on, {"b": "c"}</run>'
        read = read_json(text, stop=TAG)
        assert [problem.kind for problem in read.problems] == ["unmatched-quote"]
        assert read.value == {"content": "abc"}
        assert read.end == text.index("</run>")

    def test_a_closing_fence_may_be_indented(self) -> None:
        assert kinds('{"a": 1}\n  ```\nprose', stop=FENCE) == []

    def test_a_fence_in_a_string_is_text(self) -> None:
        read = read_json('{"a": "x\n```\ny"}\n```\nprose', stop=FENCE)
        assert [problem.kind for problem in read.problems] == ["raw-newline"]
        assert read.value == {"a": "x\n```\ny"}

    def test_at_a_bound(self) -> None:
        read = read_json('{"a": 1} {"b": 2}', 0, 8)
        assert (read.problems, read.value, read.end) == ([], {"a": 1}, 8)

    def test_after_superfluous_closers(self) -> None:
        text = '{"a": {"b": 1}}}}</run>'
        read = read_json(text, stop=TAG)
        assert read.span.of(text) == '{"a": {"b": 1}}'
        assert text[read.end :] == "</run>"
        problem = read.problems[0]
        assert (problem.kind, problem.span.of(text), problem.certain) == ("extra-closers", "}}", True)
        assert problem.data == {"braces": 2, "brackets": 0, "text": "}}", "complete": True}


class TestTruncation:
    SAMPLE = '{"tool": "run", "arguments": {"args": ["a", {"b": -1.5e3}], "c": "d\\n\\u00e9", "e": true}}'

    @pytest.mark.parametrize("length", range(len(SAMPLE)))
    def test_every_beginning_keeps_what_is_there(self, length: int) -> None:
        part = self.SAMPLE[:length]
        read = read_json(part)
        assert read.problems
        assert not any(problem.certain for problem in read.problems if problem.data.get("dangling"))
        if length >= len('{"tool": "run"'):
            assert read.value["tool"] == "run"
            last = [problem for problem in read.problems if problem.kind == "missing-closers"][-1]
            assert last.data["truncated"]
        if length >= len('{"tool": "run", "arguments": {"args": ["a",'):
            assert read.value["arguments"]["args"][0] == "a"

    def test_closers_are_certain_only_after_a_complete_value(self) -> None:
        assert [p.certain for p in read_json('{"a": {"b": 1}').problems] == [True]
        assert [p.certain for p in read_json('{"a": {"b": 1},').problems] == [False]
        assert [p.certain for p in read_json('{"a": {"b":').problems] == [False]


class TestPlaces:
    TEXT = '  {"a": [10, {"b": "x"}], "c": null}  '

    def test_of_values(self) -> None:
        read = read_json(self.TEXT)
        for path, expected in (
            ((), self.TEXT.strip()),
            (("a",), '[10, {"b": "x"}]'),
            (("a", 0), "10"),
            (("a", 1, "b"), '"x"'),
            (("c",), "null"),
        ):
            node = read.locate(path)
            assert node is not None
            assert node.span.of(self.TEXT) == expected

    def test_of_keys(self) -> None:
        read = read_json(self.TEXT)
        key = read.locate_key(("a", 1, "b"))
        assert key is not None
        assert key.of(self.TEXT) == '"b"'
        assert read.locate_key(("a", 1)) is None
        assert read.locate_key(()) is None

    @pytest.mark.parametrize("path", [("x",), ("a", 2), ("a", -1), ("a", "b"), ("c", "d"), (0,), ("a", 0, 0)])
    def test_of_nothing(self, path: tuple[str | int, ...]) -> None:
        assert read_json(self.TEXT).locate(path) is None
        assert read_json(self.TEXT).locate_key(path) is None
        assert read_json(self.TEXT + "}").locate(path) is None

    def test_the_last_of_equal_keys_counts(self) -> None:
        text = '{"a": 1, "a": {"b": 2}}'
        read = read_json(text)
        key = read.locate_key(("a",))
        assert key == Span(9, 12)
        assert read.value == {"a": {"b": 2}}
        assert read.problems[0].data["first"] == Span(1, 4)

    def test_inside_a_broken_text(self) -> None:
        text = '{"good": {"deep": [1, {"x": 2}]}, "bad": tru}'
        node = read_json(text).locate(("good", "deep", 1, "x"))
        assert node is not None
        assert node.span.of(text) == "2"


class TestHolesAndElisions:
    def test_a_hole_fits_anything(self) -> None:
        read = read_json(f'{{"a": {HOLE}{HOLE}, "b": ["x {HOLE}"], "c": 1}}')
        assert (read.problems, read.wild, read.elided) == ([], [("a",), ("b", 0)], [])

    def test_a_hole_alone(self) -> None:
        read = read_json(HOLE * 4)
        assert (read.problems, read.value, read.wild) == ([], None, [()])

    def test_a_hole_among_members_may_bring_members_and_commas(self) -> None:
        read = read_json(f'{{"a": 1 {HOLE} "b": [{HOLE} 2]}}')
        assert read.problems == []
        assert read.elided == [()]
        assert set(read.value) == {"a", "b"}

    def test_a_hole_as_key_may_be_any_key(self) -> None:
        assert read_json(f"{{{HOLE}: 1}}").elided == [()]

    def test_elisions(self) -> None:
        read = read_json('{"a": {...}, "b": [1, ...], "c": ..., "d": "...", ...}')
        assert read.problems == []
        assert read.wild == [("a",), ("c",)]
        assert set(read.elided) == {(), ("a",), ("b",)}
        assert read.value == {"a": {}, "b": [1], "c": None, "d": "..."}

    def test_no_repair_writes_over_a_hole(self) -> None:
        for text in (f"{{'a': 'x {HOLE}'}}", f'{{"a": 1}} {HOLE}', f'{{"a": 1 // {HOLE}\n}}'):
            for problem in read_json(text).problems:
                assert all(HOLE not in edit.span.of(text) for edit in problem.repair)


class TestLimits:
    def test_depth(self) -> None:
        at_limit = "[" * MAX_DEPTH + "]" * MAX_DEPTH
        assert kinds(at_limit) == []
        assert kinds(f"[{at_limit}]") == ["too-deep"]
        assert kinds('{"a":' * 300 + "1" + "}" * 300) == ["too-deep"]
        assert kinds("[" * 100_000) == ["too-deep", "missing-closers"]

    def test_what_is_too_deep_to_be_read_is_counted_as_open(self) -> None:
        read = read_json("[" * 300)
        assert read is not None
        counts = read.problems[-1].data
        assert counts["braces"] + counts["brackets"] == 300

    def test_depth_is_counted_from_the_root_in_broken_texts(self) -> None:
        half = "[" * 200 + "]" * 200
        assert "too-deep" in kinds("[" * 100 + half + "," + "]" * 100)
        assert "too-deep" not in kinds("[" * 50 + half + "," + "]" * 50)

    def test_the_number_of_problems(self) -> None:
        problems = read_json("[" + "True, " * 500 + "1]").problems
        assert len(problems) == MAX_PROBLEMS
        assert (problems[-1].kind, problems[-1].data["more"]) == ("too-many-problems", 401)

    def test_long_integers(self) -> None:
        assert read_json("9" * 4300).value == int("9" * 4300)
        read = read_json("[" + "9" * 4301 + "]")
        assert [problem.kind for problem in read.problems] == ["bad-number"]
        assert read.problems[0].data["reason"] == "too-long"
        assert (read.value, read.wild) == ([None], [(0,)])

    def test_infinity(self) -> None:
        assert read_json("[1e999]").value == [math.inf]
        assert kinds("[1e999]") == ["non-finite-number"]

    def test_a_megabyte_of_anything(self) -> None:
        for piece in ("[", '"', "}", "\\", "\ud800", "\n"):
            assert kinds(piece * 1_000_000)

    def test_a_budget_ends_the_reading(self) -> None:
        with pytest.raises(BudgetExceededError):
            read_json("[" + "True, " * 5000, budget=Budget(cancelled=lambda: True))


@pytest.mark.parametrize(
    ("text", "lone"),
    [
        (r'"\\ud83d\\ude00"', False),
        (r'"\ud83d\ude00"', False),
        (r'"\\\\ud83d"', False),
        (r'"\\\ud83d"', True),
        (r'"a\ude00"', True),
    ],
)
def test_after_an_escaped_backslash_there_is_no_escape(text: str, lone: bool) -> None:
    assert [problem.kind for problem in read_json(text).problems] == ["lone-surrogate"] * lone
