"""Whether edits keep every word of a text: words of the author may be moved or renamed, not lost.

Owns: `keeps_words`, `only_lays_out`, `words_of`, `is_name`. Must not know: what the words mean, who makes the edits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from typing import Final

from callwright.text.patterns import compile_later
from callwright.text.span import Edit, Span

#: A word, an ellipsis, or the marker of a fence, whose two markers are only removed together.
_WORD: Final = compile_later(r"[^\W_]++|`{3,}+|~{3,}+|\.{3}|…")
_INSIDE: Final = compile_later(r"\w\w")
#: One name or one number, with what may be between its parts, and what may be around it.
_NAME: Final = compile_later(r"[^\w]*+\w++(?:[-.:/]\w++)*+[^\w]*+\Z")
#: An escape in a string or in XML: its letters are not a word, nor a part of the next one.
_ESCAPE: Final = compile_later(r"\\(?:[\\\"'/bfnrt]|u[0-9a-fA-F]{4})|&(?:#x?[0-9a-fA-F]{1,6}|quot|apos|lt|gt|amp);")
#: The maximum length of whitespace between a text and its repetition.
_BETWEEN: Final = 40


def words_of(text: str) -> set[str]:
    """Return the runs of letters and digits in a text, its fences and ellipses."""
    return set(_WORD.findall(text))


def keeps_words(
    source: Callable[[Span], str], edits: Sequence[Edit], value_format: Callable[[], Set[str]] = frozenset
) -> bool:
    """Return whether each word that edits replace is in their new text, or is part of a renamed name.

    Removing a repetition loses no word. `source` returns the characters of a span. `value_format` returns words that
    belong to a dialect of calls: they may be removed if a call is written in another form that keeps some of its words.
    """
    if len(edits) == 1 and not edits[0].text and _repeats(source, edits[0].span):
        return True
    kept: set[str] = set()
    for edit in edits:
        kept |= words_of(edit.text) | words_of(_ESCAPE.sub(" ", edit.text))
    pairs = [_changed(source(edit.span), edit.text) for edit in edits]
    lost: set[str] = set()
    for before, after in pairs:
        if not is_name(before) or not is_name(after):
            gone = [words_of(each) - kept for each in (before, _ESCAPE.sub(" ", before))]
            if all(gone) and not words_of(before).isdisjoint(kept):
                gone = [each - value_format() for each in gone]
            lost |= min(gone, key=len)
    return not lost


def _repeats(source: Callable[[Span], str], span: Span) -> bool:
    """Return whether the same text is right before a span, with only whitespace between.

    The text after it is not checked: in a stream it has not arrived.
    """
    stated = source(span).strip()
    before = source(Span(max(2 * span.start - span.end - _BETWEEN, 0), span.start)).rstrip()
    # The end of a longer word is not a repetition.
    return before.endswith(stated) and _INSIDE.match(before, len(before) - len(stated) - 1) is None


def _changed(before: str, after: str) -> tuple[str, str]:
    """Return both texts without their common whole words at the beginning and end."""
    start, most = 0, min(len(before), len(after))
    while start < most and before[start] == after[start]:
        start += 1
    while start and _cuts(before, start, after, start):
        start -= 1
    end = 0
    while end < most - start and before[-1 - end] == after[-1 - end]:
        end += 1
    while end and _cuts(before, len(before) - end, after, len(after) - end):
        end -= 1
    return before[start : len(before) - end], after[start : len(after) - end]


def _cuts(before: str, at: int, after: str, there: int) -> bool:
    """Return whether a place in either text is inside a word."""
    return any(_INSIDE.match(text, place - 1) is not None for text, place in ((before, at), (after, there)) if place)


def is_name(text: str) -> bool:
    """Return whether a text is one name or number, with any punctuation around it."""
    return _NAME.match(text) is not None


def only_lays_out(source: Callable[[Span], str], edits: Sequence[Edit]) -> bool:
    """Return whether edits change only whitespace."""
    return all(source(edit.span).split() == edit.text.split() for edit in edits)
