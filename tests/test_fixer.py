"""How fixes are put together, on texts whose faults are single letters.

A fault is a word here, and its fix puts other words in its place. So each case shows which fixes go together, what is
given up because it does not help, and when there is an end; what real rules find is fixed in
`invariants/test_fixes_converge.py`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any, cast

import pytest

from callwright.calls.protocol import Disagreement, Dispute
from callwright.document.settings import Settings
from callwright.fix import fixer
from callwright.lint.opening import open_snapshot
from callwright.rules.base import SETTLED, Applicability, Diagnostic, Fix, Severity
from callwright.text.document import TextDocument
from callwright.text.span import Edit, Span
from invariants.corpus import registry

SAFE, UNSAFE, DISPLAY = Applicability.SAFE, Applicability.UNSAFE, Applicability.DISPLAY
#: What each fault is fixed with, unless a case says otherwise: these two help, and these two do not.
WORDS = {"bad": "good", "gone": "", "same": "same", "worse": "worse worse worse"}


class Page:
    """A text in place of a snapshot; `seen` are all texts that were checked, in order."""

    def __init__(self, text: str, find: Callable[[str], list[Diagnostic]], seen: list[str]) -> None:
        self.text, self.find, self.seen = text, find, seen
        self.document = SimpleNamespace(text=lambda: text, slice=lambda start, end: text[start:end])

    def placed_calls(self) -> list[SimpleNamespace]:
        """Return the calls before a `#`: what is in brackets or braces, each of the tool that its first word names."""
        return [
            SimpleNamespace(
                span=Span(*match.span()),
                call=SimpleNamespace(arguments=None, tool=match[1], tool_span=Span(*match.span(1))),
                raw_span=lambda span: span,
            )
            for pattern in (r"\[(\w*)[^\[\]]*\]", r"\{(\w*)[^{}]*\}")
            for match in re.finditer(pattern, self.text.partition("#")[0])
        ]

    def edit(self, edits: Sequence[Edit]) -> Page:
        """Return the text after the edits, each of which is about what the one before it gave."""
        text = self.text
        for span, new in edits:
            text = text[: span.start] + new + text[span.end :]
        return Page(text, self.find, self.seen)


def diagnostic(word: re.Match[str], *fixes: Fix, code: str = "", severity: Severity = Severity.ERROR) -> Diagnostic:
    return Diagnostic(code or word[0], word[0], severity, word[0], Span(*word.span()), _fixes=fixes, source=SETTLED)


def put(word: re.Match[str], new: str, applicability: Applicability = SAFE) -> Fix:
    return Fix(f"Put {new}", (Edit(Span(*word.span()), new),), applicability)


def faults(text: str) -> list[Diagnostic]:
    return [diagnostic(word, put(word, WORDS[word[0]])) for word in re.finditer(r"\w+", text) if word[0] in WORDS]


@pytest.fixture
def fix(monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[str, list[str], list[str]]]:
    """Return what fixes a text: what is left, the codes of what was fixed, and the texts that were checked."""

    def check(page: Page) -> list[Diagnostic]:
        page.seen.append(page.text)
        return page.find(page.text)

    def run(
        text: str, find: Callable[[str], list[Diagnostic]] = faults, **more: Any
    ) -> tuple[str, list[str], list[str]]:
        seen: list[str] = []
        left, fixed = fixer.fix_all(cast("Any", Page(text, find, seen)), **more)
        return left, [each.code for each in fixed], seen

    monkeypatch.setattr(fixer, "diagnostics", check)
    return run


Run = Callable[..., tuple[str, list[str], list[str]]]


def test_nothing_to_fix_is_checked_once(fix: Run) -> None:
    assert fix("all is well") == ("all is well", [], ["all is well"])


def test_fixes_that_lie_apart_are_applied_at_once(fix: Run) -> None:
    left, fixed, seen = fix("bad, gone, bad")
    assert (left, fixed) == ("good, , good", ["bad", "gone", "bad"])
    assert seen == ["bad, gone, bad", "good, , good"]


def test_of_several_fixes_the_first_that_is_allowed_is_taken(fix: Run) -> None:
    def find(text: str) -> list[Diagnostic]:
        ways = (("shown", DISPLAY), ("guessed", UNSAFE), ("sure", SAFE), ("late", SAFE))
        return [diagnostic(word, *(put(word, *way) for way in ways)) for word in re.finditer("bad", text)]

    assert fix("bad", find)[0] == "sure"
    assert fix("bad", find, unsafe=True)[0] == "guessed"


@pytest.mark.parametrize(
    ("applicability", "unsafe", "left"),
    [(UNSAFE, False, "bad"), (UNSAFE, True, "good"), (DISPLAY, True, "bad"), (SAFE, True, "good")],
)
def test_guesses_are_applied_where_they_are_asked_for(
    fix: Run, applicability: Applicability, unsafe: bool, left: str
) -> None:
    def find(text: str) -> list[Diagnostic]:
        return [diagnostic(word, put(word, "good", applicability)) for word in re.finditer("bad", text)]

    assert fix("bad", find, unsafe=unsafe)[0] == left


def test_a_fix_without_edits_is_none(fix: Run) -> None:
    def find(text: str) -> list[Diagnostic]:
        empty = [diagnostic(word, Fix("Nothing", ())) for word in re.finditer("empty", text)]
        return [*empty, *faults(text)]

    assert fix("empty bad", find)[:2] == ("empty good", ["bad"])


def test_a_diagnostic_without_a_fix_stays_and_the_rest_is_fixed(fix: Run) -> None:
    def find(text: str) -> list[Diagnostic]:
        return [*(diagnostic(word) for word in re.finditer("lost", text)), *faults(text)]

    assert fix("lost bad", find)[:2] == ("lost good", ["bad"])


class TestFixesThatTouch:
    """A later fix waits for the next round where it touches what an earlier one of this round writes to."""

    @staticmethod
    def pieces(text: str) -> list[Diagnostic]:
        return [diagnostic(word, put(word, "-")) for word in re.finditer("[a-z]", text)]

    def test_neighbours(self, fix: Run) -> None:
        left, fixed, seen = fix("abc", self.pieces)
        assert (left, fixed) == ("---", ["a", "c", "b"])
        assert seen == ["abc", "-b-", "---"]

    def test_what_lies_between_the_edits_of_another(self, fix: Run) -> None:
        def find(text: str) -> list[Diagnostic]:
            pair = re.search(r"\(( .*? )\)", text)
            inner = re.search(r"\w", text)
            found = []
            if pair is not None:
                # The edits come in any order.
                edits = (Edit(Span(pair.end() - 1, pair.end()), "]"), Edit(Span(pair.start(), pair.start() + 1), "["))
                found = [diagnostic(pair, Fix("Square", edits), code="pair")]
            return [*found, *([diagnostic(inner, put(inner, "-"), code="inner")] if inner is not None else [])]

        left, fixed, seen = fix("( x )", find)
        assert (left, fixed) == ("[ - ]", ["pair", "inner"])
        assert seen == ["( x )", "[ x ]", "[ - ]"]


class TestWhatDoesNotHelp:
    """A round must leave fewer errors, or as many and fewer diagnostics. Else its fixes are tried alone."""

    def test_a_fix_that_leaves_as_much_is_not_taken(self, fix: Run) -> None:
        assert fix("same")[:2] == ("same", [])

    def test_a_fix_that_leaves_more_is_not_taken(self, fix: Run) -> None:
        assert fix("worse")[:2] == ("worse", [])

    def test_those_that_help_alone_are_taken(self, fix: Run) -> None:
        left, fixed, seen = fix("bad worse same gone")
        assert (left, fixed) == ("good worse same ", ["bad", "gone"])
        # They are found in one round: all at once, each alone, then these two together.
        alone = ["good worse same gone", "bad worse worse worse same gone", "bad worse same gone", "bad worse same "]
        assert seen[2:7] == [*alone, "good worse same "]

    def test_those_that_only_help_alone_are_taken_one_by_one(self, fix: Run) -> None:
        def find(text: str) -> list[Diagnostic]:
            word = re.search(".+", text)
            both = [] if word is None or "bad" in text else [diagnostic(word)] * 2
            return [*faults(text), *both]

        # Together they would leave two diagnostics of two.
        left, fixed, seen = fix("bad, bad", find)
        assert (left, fixed) == ("good, bad", ["bad"])
        assert seen[1] == "good, good"

    def test_only_a_hundred_are_tried_alone(self, fix: Run) -> None:
        assert fix("worse " * 99 + "bad")[1] == ["bad"]
        assert fix("worse " * 100 + "bad")[1] == []

    def test_an_error_weighs_more_than_any_number_of_warnings(self, fix: Run) -> None:
        def find(text: str) -> list[Diagnostic]:
            warnings = [diagnostic(word, severity=Severity.WARNING) for word in re.finditer("hm", text)]
            return [*(diagnostic(word, put(word, "hm hm hm")) for word in re.finditer("bad", text)), *warnings]

        assert fix("bad", find)[0] == "hm hm hm"

    def test_fewer_warnings_do_not_outweigh_an_error(self, fix: Run) -> None:
        def find(text: str) -> list[Diagnostic]:
            errors = [diagnostic(word) for word in re.finditer("bad", text)]
            hints = re.finditer("hm", text)
            return [*errors, *(diagnostic(word, put(word, "bad"), severity=Severity.WARNING) for word in hints)]

        assert fix("hm, hm", find)[:2] == ("hm, hm", [])


def test_the_rounds_come_to_an_end(fix: Run) -> None:
    def find(text: str) -> list[Diagnostic]:
        words = list(re.finditer("bad", text))
        return [diagnostic(word, *([put(word, "good")] if word is words[0] else [])) for word in words]

    left, fixed, _ = fix("bad " * 60, find)
    assert len(fixed) == fixer.ROUNDS == 50
    assert left == "good " * 50 + "bad " * 10


class TestAfterAnOpenEnd:
    """Where JSON does not end and no fix is certain, the rest of its line may be text of it: it is left alone."""

    @staticmethod
    def find(text: str) -> list[Diagnostic]:
        found = []
        for word in re.finditer(r"\w+", text):
            match word[0]:
                case "TC202" | "TC204" | "TC999":
                    found.append(diagnostic(word, put(word, "closed", UNSAFE)))
                case "mended":
                    found.append(diagnostic(word, put(word, "guess", UNSAFE), put(word, "sure"), code="TC202"))
                case "bad":
                    found.append(diagnostic(word, put(word, "good")))
                case _:
                    pass
        return found

    @pytest.mark.parametrize("code", ["TC202", "TC204"])
    @pytest.mark.parametrize("end", ["\n", "\r", "\r\n"])
    def test_the_rest_of_the_line(self, fix: Run, code: str, end: str) -> None:
        text = f"bad {code} bad bad{end}bad"
        assert fix(text, self.find)[0] == f"good {code} bad bad{end}good"

    def test_the_last_line(self, fix: Run) -> None:
        assert fix("bad\nTC202 bad", self.find)[0] == "good\nTC202 bad"

    def test_on_two_lines(self, fix: Run) -> None:
        assert fix("TC202 bad\nbad TC204 bad", self.find)[0] == "TC202 bad\ngood TC204 bad"

    def test_a_diagnostic_at_the_very_place_is_no_text_after_it(self, fix: Run) -> None:
        def find(text: str) -> list[Diagnostic]:
            """Find a lack at the end of the word, and a fault that begins there or after it."""
            lacks = [
                Diagnostic("TC202", "open", Severity.ERROR, "open", Span(word.start(), word.end()))
                for word in re.finditer("open", text)
            ]
            return [*lacks, *(diagnostic(word, put(word, ".")) for word in re.finditer("!", text))]

        assert fix("open! !\n!", find)[0] == "open. !\n."

    def test_a_diagnostic_at_the_end_of_the_line_is_after_it(self, fix: Run) -> None:
        def find(text: str) -> list[Diagnostic]:
            ends = (diagnostic(word, put(word, ";\n")) for word in re.finditer(r"(?<!;)\n", text))
            return [*self.find(text), *ends]

        assert fix("TC202 x\ny\n", find)[0] == "TC202 x\ny;\n"

    @pytest.mark.parametrize("text", ["bad", " bad", "TC999 bad", "mended bad"])
    def test_elsewhere_all_is_fixed(self, fix: Run, text: str) -> None:
        assert fix(text, self.find)[0] == text.replace("bad", "good").replace("mended", "sure")

    def test_a_caller_who_asks_for_guesses_gets_them_all(self, fix: Run) -> None:
        assert fix("TC202 bad", self.find, unsafe=True)[0] == "closed good"


class TestNamesThatClash:
    """Of several parts of a call that are given one name, it is unknown which is meant."""

    @pytest.mark.parametrize(
        ("text", "fixed"),
        [
            ("[dys day]", "[dys day]"),
            ("[dys] [day]", "[days] [days]"),
            ("[dys dys]", "[days days]"),
            ("[dys bad day]", "[dys good day]"),
            ("dys day", "days days"),
        ],
    )
    def test_in_one_call_none_is_renamed(self, fix: Run, text: str, fixed: str) -> None:
        words = {**WORDS, "dys": "days", "day": "days"}

        def find(text: str) -> list[Diagnostic]:
            return [
                diagnostic(word, put(word, words[word[0]])) for word in re.finditer(r"\w+", text) if word[0] in words
            ]

        assert fix(text, find)[0] == fixed

    def test_nor_where_they_touch_each_other(self, fix: Run) -> None:
        """Only one of two that touch could be applied in a round, and it would take the name of both."""

        def find(text: str) -> list[Diagnostic]:
            return [diagnostic(word, put(word, "days")) for word in re.finditer(r"\b(?:dys|-day)\b|(?<=dys)-day", text)]

        assert fix("[dys] [dys-day]", find)[0] == "[days] [dys-day]"


def test_a_fix_that_changes_a_call_it_does_not_touch_is_not_taken(fix: Run) -> None:
    def find(text: str) -> list[Diagnostic]:
        return [diagnostic(word, put(word, "#")) for word in re.finditer("bad", text)]

    assert fix("[x] bad", find)[0] == "[x] #"
    assert fix("[bad] x", find)[0] == "[#] x"
    assert fix("bad [x]", find)[0] == "bad [x]"
    assert fix("bad", find)[0] == "#"
    # What is within a call that an edit touches may change with it, before the edit and after it.
    assert fix("{bad [x]}", find)[0] == "{# [x]}"
    assert fix("{[x] [bad] [y]}", find)[0] == "{[x] [#] [y]}"
    assert fix("{bad} [x]", find)[0] == "{bad} [x]"


class TestWhatLxmlReadsOtherwise:
    """A fix after which lxml reads a call otherwise is not applied, and is reported once."""

    WHY = Disagreement(Dispute.REJECTED, "x", "no XML")

    @pytest.fixture(autouse=True)
    def disputed(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Dispute each call with a `good` word in it."""

        def disputes(page: Any, _: Sequence[Span]) -> list[tuple[Span, Disagreement]]:
            return [(call.span, self.WHY) for call in page.placed_calls() if "good" in page.document.slice(*call.span)]

        monkeypatch.setattr(fixer, "disputes", disputes)

    def reported(self, fix: Run, text: str, find: Callable[[str], list[Diagnostic]] = faults) -> tuple[str, list[str]]:
        refused: list[str] = []
        left, _, _ = fix(text, find, refused=lambda diagnostic, _: refused.append(diagnostic.message))
        return left, refused

    def test_elsewhere_fixes_are_applied(self, fix: Run) -> None:
        assert self.reported(fix, "[bad] bad [gone]") == ("[bad] good []", ["bad"])

    def test_it_is_reported_once_though_fixes_before_it_move_it(self, fix: Run) -> None:
        assert self.reported(fix, "gone gone [x bad] gone") == ("  [x bad] ", ["bad"])

    def test_it_is_reported_once_though_a_text_is_inserted_where_it_is(self, fix: Run) -> None:
        def find(text: str) -> list[Diagnostic]:
            note, word = re.search("note", text), re.search("bad", text)
            assert note is not None
            assert word is not None
            inserted = Fix("Insert", (Edit(Span(note.start(), note.start()), "- "),))
            missing = [] if text.startswith("- ") else [diagnostic(note, inserted, code="dash")]
            return [*missing, diagnostic(note, put(word, "good"))]

        assert self.reported(fix, "note [bad]", find) == ("- note [bad]", ["note"])

    def test_the_report_names_the_rule_and_the_reason(self) -> None:
        word = re.search("bad", "bad")
        assert word is not None
        stated = fixer.why_not_applied(diagnostic(word, code="TC999"), self.WHY)
        assert "TC999 (bad)" in stated
        assert str(self.WHY) in stated


def test_rounds_apply_safe_fixes_alone_unless_guesses_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    def find(page: Page) -> list[Diagnostic]:
        return [diagnostic(word, put(word, "good", UNSAFE)) for word in re.finditer("bad", page.text)]

    monkeypatch.setattr(fixer, "diagnostics", find)
    page: Any = Page("bad", faults, [])
    assert list(fixer.rounds(page)) == []
    assert [each.after.document.text() for each in fixer.rounds(page, unsafe=True)] == ["good"]


def test_a_fix_is_held_against_its_neighbours_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = 0
    touches = Span.touches

    def counting(self: Span, other: Span) -> bool:
        nonlocal asked
        asked += 1
        return touches(self, other)

    monkeypatch.setattr(Span, "touches", counting)
    text = "<raed_file><path>a</path></raed_file>\n" * 200
    snapshot = open_snapshot(text, path="a.md", registry=registry(), settings=Settings())
    fixed, _ = fixer.fix_all(snapshot)
    assert fixed.count("<read_file>") == 200
    assert asked <= 4 * 200


def test_many_edits_of_one_line_change_it_once(monkeypatch: pytest.MonkeyPatch) -> None:
    replaced = 0
    replace = TextDocument.replace

    def counting(self: TextDocument, span: Span, text: str) -> TextDocument:
        nonlocal replaced
        replaced += 1
        return replace(self, span, text)

    snapshot = open_snapshot("abc " * 200, path="a.md", registry=registry(), settings=Settings())
    monkeypatch.setattr(TextDocument, "replace", counting)
    edits = [Edit(Span(4 * number, 4 * number + 1), "x" * (number % 3)) for number in range(200)]
    one_by_one = snapshot.document
    for span, text in reversed(edits):
        one_by_one = replace(one_by_one, span, text)
    assert snapshot.edit(edits[::-1]).document.text() == one_by_one.text()
    assert replaced == 1
