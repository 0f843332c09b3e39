"""Diagnostics as people and programs read them. The layouts of source lines are in `excerpts.md`."""

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from callwright.cli.support.report import Tally, excerpt, json_diagnostic, place, text_diagnostic
from callwright.cli.support.terminal import Style, cells
from callwright.rules.base import SETTLED, Applicability, Diagnostic, Fix, Severity
from callwright.text.document import TextDocument
from callwright.text.span import Edit, Span
from support.sampling import tries

PLAIN = Style(on=False, width=60)


def cases() -> list[tuple[str, str, str]]:
    text = Path(__file__).with_name("excerpts.md").read_text(encoding="utf-8")
    return re.findall(r"## ([^\n]*)\n\n```text\n(.*?)\n```\n\n```report\n(.*?)\n```", text, re.DOTALL)


def diagnostic(
    span: Span, *fixes: Fix, severity: Severity = Severity.ERROR, message: str = "it is wrong"
) -> Diagnostic:
    return Diagnostic("TC301", "unknown-tool", severity, message, span, _fixes=fixes, source=SETTLED)


@pytest.mark.parametrize(("title", "marked", "expected"), cases(), ids=[case[0] for case in cases()])
def test_excerpt(title: str, marked: str, expected: str) -> None:
    start, end = marked.index("⟦"), marked.index("⟧") - 1
    document = TextDocument.from_text(marked.replace("⟦", "").replace("⟧", ""))
    assert "\n".join(excerpt(document, Span(start, end), PLAIN)) == expected


@settings(deadline=None, max_examples=tries(200))
@given(st.data())
def test_an_excerpt_fits_the_page_and_begins_its_carets_at_the_diagnostic(data: st.DataObject) -> None:
    alphabet = st.sampled_from(["a", "\t", "文", "😀", "e\u0301", "\x1b", "\u202e", "\r", "\n", "\u2028", "x" * 50])
    text = "".join(data.draw(st.lists(alphabet, max_size=40)))
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    _, source, carets = excerpt(TextDocument.from_text(text), Span(start, end), PLAIN)
    assert sum(cells(source)) <= 60
    assert "^" in carets
    assert not any(ord(one) < 0x20 for one in source + carets)
    # The carets begin under a character of the source line, or one place after its end.
    assert len(carets.partition("^")[0]) <= max(sum(cells(source)), 4)


def test_diagnostics_on_one_endless_line_stay_cheap() -> None:
    document = TextDocument.from_text("<a>" * 400_000)
    for number in range(2_000):
        assert excerpt(document, Span(number * 600, number * 600 + 3), PLAIN)[1].count("<a>") > 5


def test_a_diagnostic_in_full() -> None:
    document = TextDocument.from_text("one\n<raed_file>\n")
    one = diagnostic(
        Span(5, 14),
        Fix("rename to `read_file`", (Edit(Span(5, 14), "read_file"),)),
        message="`raed_file` is not a tool\nIt is near \x1b[31m`read_file`.",
    )
    one.related = ((Span(0, 3), "tools are named here"),)
    assert text_diagnostic("a.prompt", document, one, PLAIN) == (
        "a.prompt:2:2: error TC301 [unknown-tool] `raed_file` is not a tool\n"
        "    It is near ␛[31m`read_file`.\n"
        "  |\n"
        "2 | <raed_file>\n"
        "  |  ^^^^^^^^^\n"
        "  = note: tools are named here (a.prompt:1:1)\n"
        "  = help: rename to `read_file` [--fix]"
    )


def test_a_diagnostic_in_colour_states_the_same() -> None:
    document = TextDocument.from_text("<raed_file>")
    one = diagnostic(Span(1, 10), Fix("rename", ()))
    coloured = text_diagnostic("a", document, one, Style(on=True, width=60))
    assert "\x1b[1;31merror TC301\x1b[0m" in coloured
    assert re.sub(r"\x1b\[[\d;]*m", "", coloured) == text_diagnostic("a", document, one, PLAIN)


def test_json_counts_lines_and_columns_from_one_in_code_points() -> None:
    document = TextDocument.from_text("a\r\n😀x\u2028<b>")
    fix = Fix("drop it", (Edit(Span(6, 9), ""),), Applicability.UNSAFE)
    place_of_it = {
        "start": {"line": 2, "column": 4, "offset": 6},
        "end": {"line": 2, "column": 7, "offset": 9},
    }
    assert json_diagnostic("a.prompt", document, diagnostic(Span(6, 9), fix)) == {
        "path": "a.prompt",
        "code": "TC301",
        "name": "unknown-tool",
        "severity": "error",
        "message": "it is wrong",
        "range": place_of_it,
        "fix": {"title": "drop it", "applicability": "unsafe", "edits": [{"range": place_of_it, "text": ""}]},
    }
    assert json_diagnostic("a", document, diagnostic(Span(0, 1)))["fix"] is None


@settings(deadline=None, max_examples=tries(100))
@given(st.text(st.sampled_from("ab\r\n\u2028\v😀")), st.data())
def test_places_agree_with_a_count_by_hand(text: str, data: st.DataObject) -> None:
    offset = data.draw(st.integers(0, len(text)))
    before = re.split(r"\r\n|\r|\n", text[:offset] + ("\0" if text[offset - 1 : offset + 1] == "\r\n" else ""))
    if text[max(offset - 1, 0) : offset + 1] == "\r\n":  # between CR and LF the line is not over yet
        before = re.split(r"\r\n|\r|\n", text[: offset - 1])
        before[-1] += "\r"
    assert place(TextDocument.from_text(text), offset) == (len(before), len(before[-1]) + 1)


def test_only_errors_and_warnings_fail() -> None:
    tally = Tally()
    tally.count([diagnostic(Span(0, 0), severity=Severity.INFO), diagnostic(Span(0, 0), severity=Severity.HINT)])
    assert tally.exit_code == 0
    tally.count([diagnostic(Span(0, 0), severity=Severity.WARNING)])
    assert tally.exit_code == 1


def test_the_summary_counts_files_diagnostics_and_what_can_be_fixed() -> None:
    tally = Tally()
    tally.files = 1
    assert tally.sentence() == "Checked 1 file: no diagnostics."
    tally.files = 3
    fix = Fix("mend", ())
    guess = Fix("guess", (), Applicability.UNSAFE)
    tally.count([diagnostic(Span(0, 0), fix), diagnostic(Span(0, 0), guess, fix), diagnostic(Span(0, 0), guess)])
    tally.count([diagnostic(Span(0, 0), severity=Severity.HINT)])
    assert tally.sentence() == (
        "Checked 3 files: 3 errors, 1 hint. 2 fixable with `--fix`. 1 more with `--fix --unsafe-fixes`."
    )
    assert tally.as_json() == {
        "errors": 3, "warnings": 0, "infos": 0, "hints": 1, "fixable": 2, "unsafely_fixable": 1, "fixed": 0,
    }  # fmt: skip
