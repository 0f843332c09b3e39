"""The place of a diagnostic in its passage, its block and its document.

Owns: `projected`, `placed`, `moved`, the order of diagnostics, access to the characters that they are about. Must not
know: rules, settings.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice, takewhile
from typing import TYPE_CHECKING

from callwright.rules.base import SETTLED, Diagnostic, Fix, MissingFix, Severity
from callwright.text.holes import HOLE
from callwright.text.projection import Projection, encode_all
from callwright.text.records import replace
from callwright.text.span import Edit, Span, with_newlines

if TYPE_CHECKING:
    from callwright.document.snapshot import Snapshot
    from callwright.text.document import TextDocument

_HOLES = re.compile(f"(?:{HOLE}|{re.escape(HOLE.encode('unicode_escape').decode())})++")
_RANK = {Severity.ERROR: 0, Severity.WARNING: 1, Severity.INFO: 2, Severity.HINT: 3}


class Characters:
    """The source of a diagnostic at its place in a document."""

    __slots__ = ("_document",)

    def __init__(self, document: TextDocument) -> None:
        self._document = document

    def __call__(self, span: Span) -> str:
        """Return the characters of a span."""
        return self._document.slice(*span)


def source_without(snapshot: Snapshot, spans: Callable[[], Sequence[Span]]) -> Callable[[Span], str]:
    """Return a function that returns the characters of a span of the document without those in one of `spans`."""
    document = snapshot.document
    ordered: list[Span] = []

    def source(span: Span) -> str:
        if not ordered:
            ordered.extend(sorted(spans()))
        pieces: list[str] = []
        at = span.start
        first = bisect_left(ordered, span.start, key=lambda each: each.end)
        for start, end in takewhile(lambda each: each.start < span.end, islice(ordered, first, None)):
            pieces.append(document.slice(at, max(at, start)))
            at = min(max(at, end), span.end)
        return "".join((*pieces, document.slice(at, span.end)))

    return source


def shifted_by(by: int, span: Span) -> Span:
    """Return a function that moves a span by a number of characters."""
    return span.shift(by)


def source_at(snapshot: Snapshot, where: Callable[[Span], Span]) -> Callable[[Span], str]:
    """Return a function that returns the characters of a span, which is at `where(span)` in the document."""
    document = snapshot.document
    return lambda span: document.slice(*where(span))


def source_of(text: str) -> Callable[[Span], str]:
    """Return a function that returns the characters of a span of a text."""
    return lambda span: span.of(text)


def diagnostic_order(diagnostic: Diagnostic) -> tuple[int, int, int, str]:
    """Return the sort key of a passage's diagnostics."""
    return (diagnostic.span.start, _RANK[diagnostic.severity], diagnostic.span.end, diagnostic.code)


def shown(diagnostic: Diagnostic) -> Diagnostic:
    """Return a diagnostic whose message shows no holes."""
    if _HOLES.search(diagnostic.message):
        diagnostic.message = _HOLES.sub("…", diagnostic.message)
    if diagnostic.related and any(HOLE in text for _, text in diagnostic.related):
        diagnostic.related = tuple((span, _HOLES.sub("…", text)) for span, text in diagnostic.related)
    return diagnostic


def projected(diagnostic: Diagnostic, projection: Projection) -> Diagnostic:
    """Return a passage's diagnostic in offsets of its block, without fixes that cannot be written in the file's
    format.
    """

    def fixes() -> Iterator[Fix]:
        for fix in diagnostic.fixes:
            edits = encode_all(projection, fix.edits)
            if edits is not None:
                yield replace(fix, edits=edits, title=_without_holes(fix.title))

    def missing() -> Iterator[MissingFix]:
        for one in diagnostic.missing_fixes:
            yield MissingFix(_without_holes(one.title), _without_holes(one.reason))
        for fix in diagnostic.fixes:
            if encode_all(projection, fix.edits) is None:
                yield MissingFix(_without_holes(fix.title), "the file's format cannot represent the result")

    return replace(
        diagnostic,
        span=projection.raw_span(diagnostic.span),
        related=tuple((projection.raw_span(span), text) for span, text in diagnostic.related),
        _fixes=fixes,
        source=SETTLED,
        missing=missing,
    )


def _without_holes(text: str) -> str:
    return _HOLES.sub("…", text) if HOLE in text else text


def moved(diagnostic: Diagnostic, where: Callable[[Span], Span], newline: str = "\n") -> Diagnostic:
    """Return a diagnostic with every span moved by `where`, whose fixes end lines with `newline`."""

    def fixes() -> Iterator[Fix]:
        for fix in diagnostic.carried():
            edits = tuple(Edit(where(span), text) for span, text in fix.edits)
            yield replace(fix, edits=with_newlines(edits, newline))

    # Every diagnostic after an edit is moved at each keystroke, and `replace` would take most of that time.
    return Diagnostic(
        diagnostic.code,
        diagnostic.name,
        diagnostic.severity,
        diagnostic.message,
        where(diagnostic.span),
        diagnostic.error_type,
        tuple((where(span), text) for span, text in diagnostic.related),
        diagnostic.tags,
        fixes,
        None if diagnostic.source is None else SETTLED,
        diagnostic.needs,
        diagnostic.missing,
    )


def placed(diagnostic: Diagnostic, by: int, newline: str) -> Diagnostic:
    """Return a block's diagnostic in offsets of the document; the block begins at `by`, and lines end with
    `newline`.
    """
    return moved(diagnostic, partial(shifted_by, by), newline)
