"""Which edits keep every word of a text."""

from collections.abc import Sequence

import pytest

from callwright.rules.base import Applicability, Diagnostic, Fix, Severity
from callwright.rules.support.dialect_words import dialect_words
from callwright.text.span import Edit, Span
from callwright.text.word_loss import is_name, keeps_words, only_lays_out


def edits_of(text: str, changes: Sequence[tuple[str, str]]) -> list[Edit]:
    """Return edits that replace the first occurrence of each old text."""
    return [Edit(Span(text.index(old), text.index(old) + len(old)), new) for old, new in changes]


def keeps(text: str, *changes: tuple[str, str]) -> bool:
    return keeps_words(lambda span: span.of(text), edits_of(text, changes), dialect_words)


@pytest.mark.parametrize(
    ("text", "changes"),
    [
        ('{"a": "b",}', [(",", "")]),
        ("{'a': 'b'}", [("{'a': 'b'}", '{"a": "b"}')]),
        ("{}}", [("}}", "}")]),
        ("<pth>a</pth>", [("pth", "path")]),
        ("</read_the_file>", [("read_the_file", "read_file")]),
        ('{"days": "3.0"}', [('"3.0"', "3")]),
        ('{"x": True}', [("True", "true")]),
        ('"a" note, "b"', [(' note, "b"', ', "b" note')]),
        ("TOOL_CALL: f\nINPUT: {}", [("TOOL_CALL: f\nINPUT: {}", "<f>{}</f>")]),
        (r'f({"a": "x\ny"})', [(r'f({"a": "x\ny"})', "<f><a>x\ny</a></f>")]),
        ("[<x>[</pth>", [("[<x>[</pth>", "[<x>[</path>")]),
        ("<a b>c</a>", [("<a b>c</a>", "<a d>c</a>")]),
        ("", []),
    ],
)
def test_what_keeps_every_word(text: str, changes: list[tuple[str, str]]) -> None:
    assert keeps(text, *changes)


@pytest.mark.parametrize(
    ("text", "changes"),
    [
        ('{"a": 1} remark', [(" remark", "")]),
        ('{"a": "b" IMPORTANT note, "c": 1}', [(" IMPORTANT note", "")]),
        ("[3 /* keep */]", [("/* keep */", "")]),
        ('{"a": true{}}', [("true", "")]),
        ("<a>{}</a></b>", [("</b>", "")]),
        ("```json\n{}\n```", [("```json\n", "")]),
        ("{}\n```", [("```", "")]),
        ("3.5", [(".5", "")]),
        ('["a", "b"]', [(', "b"', "")]),
        ("say it: <f>{}</f>", [("say it: <f>{}</f>", "<g>{}</g>")]),
        ("call: f({}) twice", [("call: f({}) twice", "<f>{}</f>")]),
        ("<a b c>d</a>", [("<a b c>d</a>", "<a>d</a>")]),
        ("{...}", [("...", "")]),
        ("words in 漢字", [(" 漢字", "")]),
    ],
)
def test_what_loses_a_word(text: str, changes: list[tuple[str, str]]) -> None:
    assert not keeps(text, *changes)


def test_what_is_twice_is_not_lost() -> None:
    text = "<a>{}</a></a>"
    assert keeps_words(lambda span: span.of(text), [Edit(Span(9, 13), "")])
    assert not keeps_words(lambda span: span.of(text), [Edit(Span(5, 9), ""), Edit(Span(9, 13), "")])


def test_the_end_of_a_word_is_not_what_is_stated_again() -> None:
    text = "<b>beta ta</b>"
    assert not keeps_words(lambda span: span.of(text), [Edit(Span(7, 10), "")])
    text = "<b>beta beta</b>"
    assert keeps_words(lambda span: span.of(text), [Edit(Span(7, 12), "")])


def test_no_dialect_counts_a_name_or_value_of_the_author_among_its_own_words() -> None:
    assert {"tool_call", "weather", "city", "Oslo"}.isdisjoint(dialect_words())
    assert {"INPUT", "Action", "arguments", "name"} <= dialect_words()


def test_names() -> None:
    assert all(map(is_name, ("a", '"a.b"', "web-search", "</a>", "3.5", "a:b/c")))
    assert not any(map(is_name, ("", "a b", "a, b", "...", '"a": 1')))


def test_layout() -> None:
    text = "a  b\n c"
    assert only_lays_out(lambda span: span.of(text), edits_of(text, [("  ", " "), ("\n ", "\n")]))
    assert not only_lays_out(lambda span: span.of(text), edits_of(text, [("b", '"b"')]))


class TestDiagnostics:
    """Whatever a rule says of a fix, these decide."""

    text = '{"a": 1} remark'

    def fix_of(self, severity: Severity, old: str, new: str, *, known: bool = True) -> Fix:
        edits = tuple(edits_of(self.text, [(old, new)]))
        source = (lambda span: span.of(self.text)) if known else None
        found = Diagnostic("TC000", "x", severity, "x", Span(0, 1), _fixes=(Fix("x", edits),), source=source)
        assert found.fix is not None
        assert found.fix.edits == edits
        return found.fix

    @pytest.mark.parametrize("severity", [Severity.ERROR, Severity.WARNING])
    def test_a_fix_that_loses_a_word_is_a_guess(self, severity: Severity) -> None:
        assert self.fix_of(severity, " remark", "").applicability is Applicability.UNSAFE
        assert self.fix_of(severity, "1", "2").is_safe
        assert self.fix_of(severity, "} ", "}").is_safe

    @pytest.mark.parametrize("severity", [Severity.INFO, Severity.HINT])
    def test_infos_and_hints_move_white_space_and_no_more(self, severity: Severity) -> None:
        assert not self.fix_of(severity, "1", "2").is_safe
        assert not self.fix_of(severity, "}", "}}").is_safe

    def test_where_the_text_is_not_known_a_fix_only_inserts(self) -> None:
        assert not self.fix_of(Severity.ERROR, "1", "2", known=False).is_safe
        assert self.fix_of(Severity.ERROR, "", "{", known=False).is_safe
