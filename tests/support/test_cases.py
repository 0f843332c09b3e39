"""Cases are read, compared and rewritten as `support.cases` says."""

from pathlib import Path
from types import MappingProxyType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from callwright.text.holes import HOLE
from callwright.text.span import Span
from support.cases import (
    Annotated,
    FoundDiagnostic,
    Marker,
    Outputs,
    Producer,
    annotate,
    annotated,
    differences,
    load_cases,
    marker_of,
    may_update,
    read_cases,
)
from support.sampling import tries

FILE = Path("given.md")


class TestAnnotations:
    def test_are_taken_out_and_marker_the_line_above(self) -> None:
        text = '<a>x</a>\n ^ TC101 "Not `a`: say "b"."\n   ^ TC102\nend'
        assert annotated(text) == Annotated(
            "<a>x</a>\nend", [Marker(1, 1, "TC101", 'Not `a`: say "b".'), Marker(3, 1, "TC102", None)]
        )

    def test_of_a_later_line_count_from_the_start_of_the_text(self) -> None:
        assert annotated("one\ntwo\n^^^ odd-word", newline="\r\n").markers == [Marker(5, 3, "odd-word", None)]

    def test_are_nothing_else(self) -> None:
        for line in ("^^^", "^ ^ TC101", "TC101", "x ^ TC101", '^ TC101 "open'):
            assert annotated(f"x\n{line}").markers == []

    def test_need_a_line_above(self) -> None:
        with pytest.raises(ValueError, match="no source line above"):
            annotated("^ TC101")

    @given(
        st.lists(st.sampled_from(["<read_file>", "é\u2028", "", "  \t{", "x" * 9]), max_size=4),
        st.sampled_from(["\n", "\r\n", "\r"]),
        st.data(),
    )
    @settings(max_examples=tries(100), deadline=None)
    def test_can_be_written_and_read_again(self, lines: list[str], newline: str, data: st.DataObject) -> None:
        source = newline.join(lines)
        offset = st.integers(0, len(source)).filter(lambda at: source[at - 1 : at + 1] != "\r\n")
        diagnostics = [
            FoundDiagnostic("TC101", Span(min(a, b), max(a, b)), "What it is.")
            for a, b in data.draw(st.lists(st.tuples(offset, offset), max_size=3))
        ]
        again = annotated(annotate(source, diagnostics), newline)
        assert again.source == source
        assert differences(source, again.markers, diagnostics) == ""


class TestDifferences:
    SOURCE = "ab\ncd"

    def test_are_none_where_each_marker_finds_its_diagnostic(self) -> None:
        markers = [Marker(0, 1, "TC101", None), Marker(0, 1, "TC101", "first")]
        found = [FoundDiagnostic("TC101", Span(0, 1), "first"), FoundDiagnostic("TC101", Span(0, 1), "second")]
        assert differences(self.SOURCE, markers, found) == ""

    def test_name_what_is_missed_and_what_is_not_expected(self) -> None:
        failure = differences(
            self.SOURCE,
            [Marker(0, 2, "TC101", "a")],
            [FoundDiagnostic("TC101", Span(3, 5), "b"), FoundDiagnostic("TC102", Span(3, 3), "c")],
        )
        assert failure.split("\n") == [
            "expected, not found: 1:1 TC101 on 'ab' \"a\"",
            "found, not expected: 2:1 TC102 on 'c' \"c\"",
            "found, not expected: 2:1 TC101 on 'cd' \"b\"",
        ]

    def test_report_one_diagnostic_from_two(self) -> None:
        marker, diagnostic = Marker(0, 1, "TC101", None), FoundDiagnostic("TC101", Span(0, 1), "")
        assert "found, not expected" in differences(self.SOURCE, [marker], [diagnostic, diagnostic])
        assert "expected, not found" in differences(self.SOURCE, [marker, marker], [diagnostic])

    def test_a_span_over_several_lines_is_marked_on_its_first(self) -> None:
        assert marker_of(self.SOURCE, FoundDiagnostic("TC101", Span(1, 5), "")) == Marker(1, 1, "TC101", "")

    def test_an_empty_span_is_marked_by_one_caret(self) -> None:
        assert marker_of(self.SOURCE, FoundDiagnostic("TC101", Span(2, 2), "")) == Marker(2, 1, "TC101", "")
        assert marker_of(self.SOURCE, FoundDiagnostic("TC101", Span(5, 5), "")) == Marker(5, 1, "TC101", "")


class TestCaseFiles:
    TEXT = """# Things

Prose.

## A call in a fence

````source dialect=xml-json strict
```json
{}
```
````

````tree
one
````

## Another

```source newline=crlf end=newline holes
a{{ x }}‸
b
```

```fixed
c
```
"""

    def test_hold_cases_named_by_their_headings(self) -> None:
        first, second = read_cases(FILE, self.TEXT)
        assert (str(first), str(second)) == ("given: A call in a fence", "given: Another")
        assert first.source == "```json\n{}\n```"
        assert first.info == {"dialect": "xml-json", "strict": "yes"}
        assert [(fence.name, fence.body) for fence in first.expected] == [("tree", "one")]

    def test_report_how_lines_end_where_holes_are_and_where_the_cursor_is(self) -> None:
        second = read_cases(FILE, self.TEXT)[1]
        assert second.source == f"a{HOLE * 7}\r\nb\r\n"
        assert second.cursor == 8

    def test_with_an_open_fence_are_refused(self) -> None:
        with pytest.raises(ValueError, match=r"given.md:1: this fence is never closed"):
            read_cases(FILE, "```source\nx")

    def test_that_expect_without_a_source_are_refused(self) -> None:
        with pytest.raises(ValueError, match="has no `source` above it"):
            read_cases(FILE, "```tree\nx\n```")

    def test_are_given_tools_by_the_file_or_by_their_heading(self) -> None:
        source = "```source of x.md\n```"
        text = f"# A\n```tools\n1\n```\n## B\n{source}\n## C\n```tools\n2\n```\n{source}\n## D\n{source}"
        cases = read_cases(FILE, text)
        assert [case.given["tools"].body for case in cases] == ["1", "2", "1"]
        assert cases[0].source_fence.about == "of x.md"

    def test_are_loaded_from_folders(self, tmp_path: Path) -> None:
        (tmp_path / "things.md").write_text(self.TEXT, encoding="utf-8")
        assert len(load_cases(tmp_path)) == 2


def always(output: str) -> Producer:
    return lambda _case, _fence: output


class TestOutputs:
    PRODUCERS = MappingProxyType({"tree": always("two\nlines"), "fixed": always("d")})

    def cases(self, tmp_path: Path) -> Path:
        file = tmp_path / "things.md"
        file.write_text(TestCaseFiles.TEXT, encoding="utf-8")
        return file

    def test_that_differ_fail_with_place_and_difference(self, tmp_path: Path) -> None:
        case = load_cases(self.cases(tmp_path))[0]
        with pytest.raises(AssertionError, match=r"things.md:13: `tree` of 'A call in a fence'[\s\S]*\+two"):
            Outputs(self.PRODUCERS).check(case)

    def test_are_written_into_the_file_where_that_is_asked_for(self, tmp_path: Path) -> None:
        file = self.cases(tmp_path)
        outputs = Outputs(self.PRODUCERS, update=True)
        for case in load_cases(file):
            outputs.check(case)
        expected = TestCaseFiles.TEXT.replace("\none\n", "\ntwo\nlines\n").replace("\nc\n", "\nd\n")
        assert file.read_text(encoding="utf-8") == expected
        for case in load_cases(file):
            Outputs(self.PRODUCERS).check(case)

    def test_that_nothing_produces_fail(self, tmp_path: Path) -> None:
        with pytest.raises(AssertionError, match="nothing here produces `tree`"):
            Outputs({}, update=True).check(load_cases(self.cases(tmp_path))[0])

    def test_with_annotations_agree_without_messages(self) -> None:
        text = "```source\nab\n```\n```diagnostics\nab\n^ TC101\n```"
        case = read_cases(FILE, text)[0]
        Outputs({"diagnostics": always('ab\n^ TC101 "Said."')}).check(case)
        with pytest.raises(AssertionError, match="expected, not found: 1:1 TC101"):
            Outputs({"diagnostics": always('ab\n^^ TC101 "Said."')}).check(case)

    def test_are_never_written_in_ci(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("CI", "true")
        assert may_update(asked=False) is False
        with pytest.raises(ValueError, match="refused in CI"):
            may_update(asked=True)
        monkeypatch.delenv("CI")
        assert may_update(asked=True) is True
