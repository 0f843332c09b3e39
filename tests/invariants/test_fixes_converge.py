"""Invariant 4, fixes converge: a fix takes its diagnostic away, brings no new error, and leaves the rest byte for
byte."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from callwright.document.settings import Settings
from callwright.fix.fixer import fix_all
from callwright.lint.linter import diagnostics
from callwright.rules.base import Diagnostic, Severity
from callwright.text.span import apply_edits
from invariants.texts import BROKEN_CALLS, FRAGILE_CALLS, GOOD_CALLS, documents, mutated, opened, transcript
from support.sampling import crossed, tries

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

PLACES: dict[str, tuple[str, Callable[[str], str]]] = {
    "alone": ("a.md", lambda call: call),
    "in prose": ("a.md", lambda call: f"First:\n\n{call}\n\nThen <b>more</b>.\n"),
    "behind a list marker": ("a.md", lambda call: f"1. Do:\n\n   - {call}\n"),
    "with CR LF": ("a.md", lambda call: f"First:\n\n{call}\n\nLast.\n".replace("\n", "\r\n")),
    "in a transcript": ("a.json", lambda call: transcript("Go 😀", f"Well:\n{call}\n")),
    "in escaped lines": ("a.jsonl", lambda call: transcript("é", call, ascii_only=True) + "\n" + transcript("x", "y")),
}


def errors(found: Iterable[Diagnostic]) -> Counter[str]:
    return Counter(each.code for each in found if each.severity is Severity.ERROR)


def assert_fixes(text: str, path: str, project: Settings | None = None) -> None:
    """Apply each fix of each diagnostic alone: the diagnostic is gone, and no error is there that was not before."""
    before = diagnostics(opened(text, path, settings=project))
    for diagnostic in before:
        for fix in diagnostic.fixes:
            fixed = apply_edits(text, fix.edits)
            after = diagnostics(opened(fixed, path, settings=project))
            same = Counter(each.code for each in before)[diagnostic.code]
            left = Counter(each.code for each in after)[diagnostic.code]
            label = f"{diagnostic.code} {fix.title!r} turned\n{text}\ninto\n{fixed}"
            assert left < same, f"the finding stays: {label}"
            assert not errors(after) - errors(before), f"new {errors(after) - errors(before)}: {label}"


@pytest.mark.parametrize(("call", "place"), crossed(BROKEN_CALLS + FRAGILE_CALLS, PLACES))
def test_every_fix_of_a_broken_call_fixes_it(call: str, place: str) -> None:
    path, within = PLACES[place]
    text = within(call)
    assert bool(errors(diagnostics(opened(text, path)))) == (call in BROKEN_CALLS)
    assert_fixes(text, path)


@pytest.mark.parametrize(
    ("call", "to"),
    crossed(GOOD_CALLS, ["xml-children", "xml-json", "tool-call-json", "tool-call-xml", "fenced-json"]),
)
def test_a_call_in_another_dialect_is_converted_by_its_fix(call: str, to: str) -> None:
    project = Settings(dialect=to, accept=("xml-json", "xml-children"))
    text = f"First:\n\n{call}\n\nThen.\n"
    assert_fixes(text, "a.md", project)
    fixed, _ = fix_all(opened(text, settings=project))
    assert not errors(diagnostics(opened(fixed, settings=project)))


@pytest.mark.parametrize(("unsafe", "call", "place"), crossed([False, True], BROKEN_CALLS, PLACES))
def test_fixing_all_twice_changes_nothing_more(call: str, place: str, *, unsafe: bool) -> None:
    path, within = PLACES[place]
    once, _ = fix_all(opened(within(call), path), unsafe=unsafe)
    twice, fixed = fix_all(opened(once, path), unsafe=unsafe)
    assert (twice, fixed) == (once, [])


@settings(max_examples=tries(60), deadline=None)
@given(text=st.one_of(mutated(), documents(most=5)), unsafe=st.booleans())
def test_fixing_all_of_any_text_ends_and_adds_no_error(text: str, *, unsafe: bool) -> None:
    before = errors(diagnostics(opened(text)))
    once, _ = fix_all(opened(text), unsafe=unsafe)
    after = errors(diagnostics(opened(once)))
    assert after.total() <= before.total()
    twice, fixed = fix_all(opened(once), unsafe=unsafe)
    assert (twice, fixed) == (once, [])


@pytest.mark.parametrize("call", BROKEN_CALLS)
def test_what_lies_outside_the_edits_stays(call: str) -> None:
    head, tail = "\ufeff# Ünïcode 😀\t \n\r\n`x` \u2028\n\n", "\n\n<p>&nbsp;</p>\r\n\x85 end  "
    fixed, _ = fix_all(opened(f"{head}{call}{tail}"), unsafe=True)
    assert fixed.startswith(head)
    assert fixed.endswith(tail)
