"""Templated texts: a text without its template code, and the projection onto the raw text.

Owns: `Templated`, `Cut`: what is removed and what replaces it, which edits keep all template code. Must not know:
template languages, what the text means.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Final

from callwright.text.holes import HOLE
from callwright.text.projection import SegmentProjection, Segments
from callwright.text.records import NamedTuple
from callwright.text.span import Edit, Span

_HOLES: Final = re.compile(f"{HOLE}++")


class Cut(NamedTuple):
    """A segment `[start, end)` of the raw text that is template code, and what it yields.

    `text` is the output, which may be empty. For a `hole` it is unknown: as many holes as there are characters.
    `literal` says that the text is only escaped, so it may be rewritten.
    """

    start: int
    end: int
    text: str = ""
    hole: bool = False
    literal: bool = False

    @property
    def length(self) -> int:
        """How many code points replace it."""
        return self.end - self.start if self.hole else len(self.text)


class Templated(SegmentProjection):
    """A passage that is a text without its template code: `raw` begins at `start`, `cuts` are in order and do not
    overlap, with offsets of `raw`.

    `written` says how a text is written to come out as it is; `reread` returns what another raw text decodes to. With
    it each edit is held against what it would do: one that deletes, rewrites or makes template code is refused. A text
    with holes in it is written with the expressions that the replaced span holds, where they are the same ones.

    An offset within code that yields nothing lies outside the passage.
    """

    def __init__(
        self,
        raw: str,
        start: int,
        cuts: Sequence[Cut],
        written: Callable[[str], str] = str,
        reread: Callable[[str], str | None] | None = None,
    ) -> None:
        self.raw = raw
        self.start = start
        self.cuts = tuple(cuts)
        self.text = decode_cuts(raw, self.cuts)
        self._written = written
        self._reread = reread

    def split(self) -> Segments:
        """Return the segments of text and of code in turn."""
        decoded: list[int] = []
        raw: list[int] = []
        at = 0
        for cut in self.cuts:
            if cut.start > at:
                decoded.append(cut.start - at)
                raw.append(cut.start - at)
            if cut.end > cut.start:
                decoded.append(cut.length)
                raw.append(cut.end - cut.start)
            at = cut.end
        if at < len(self.raw):
            decoded.append(len(self.raw) - at)
            raw.append(len(self.raw) - at)
        return Segments(decoded, raw)

    def escape(self, text: str) -> str | None:
        """Return the text escaped so that the template yields it."""
        return self._written(text)

    def to_decoded(self, raw_offset: int) -> int | None:
        """Return the decoded offset of a raw one, None outside the passage and within code that yields nothing."""
        raw = raw_offset - self.start
        if not 0 <= raw <= len(self.raw):
            return None
        at = bisect_right(self._raw_starts, raw) - 1
        if at < 0:
            return raw
        start, end, text, hole, _ = self.cuts[at]
        if raw >= end:
            return self._ends[at] + raw - end
        if start < raw and not (text or hole):
            return None
        return self._starts[at] + (raw - start if hole or len(text) == end - start else 0)

    def decoded(self, raw: int) -> int:
        """Return the decoded offset of one of `raw`; within code that yields nothing, the place where it would."""
        place = self.to_decoded(self.start + raw)
        return self._starts[bisect_right(self._raw_starts, raw) - 1] if place is None else place

    def encode(self, edit: Edit) -> Edit | None:
        """Return the raw edit that changes the decoded text as `edit` does, or None where none can."""
        span, text = edit
        replaced = self.raw_span(span)
        first, last = bisect_left(self._ends, span.start), bisect_right(self._starts, span.end)
        expressions = self._expressions(edit, first, last)
        if expressions is None:
            return None
        for cut, (begin, end) in self._touched(first, last):
            if begin == end:
                # Code that yields nothing: the edit may touch it at its ends, but it is kept.
                if span.start < begin < span.end or (span.start == begin == span.end and not self._leads(edit)):
                    return None
            elif begin < span.end and span.start < end and not cut.hole and not cut.literal:
                return None
        parts = _HOLES.split(text)
        written = [self._written(parts[0])]
        for expression, part in zip(expressions, parts[1:], strict=True):
            written += [expression, self._written(part)]
        raw = Edit(replaced, "".join(written))
        if self._reread is None:
            return raw
        changed = self.raw[: raw.span.start - self.start] + raw.text + self.raw[raw.span.end - self.start :]
        expected = self.text[: span.start] + text + self.text[span.end :]
        return raw if self._reread(changed) == expected else None

    def _expressions(self, edit: Edit, first: int, last: int) -> list[str] | None:
        """Return the code of each run of holes that an edit replaces; None if it splits one or its text has others."""
        runs: list[Span] = []
        for cut, (begin, end) in self._touched(first, last):
            if not cut.hole:
                continue
            if begin < edit.span.start < end or begin < edit.span.end < end:
                return None
            if edit.span.start <= begin and end <= edit.span.end:
                if runs and runs[-1].end == begin:
                    runs[-1] = Span(runs[-1].start, end)
                else:
                    runs.append(Span(begin, end))
        if [end - begin for begin, end in runs] != [len(run) for run in _HOLES.findall(edit.text)]:
            return None
        return [self.raw_span(run).shift(-self.start).of(self.raw) for run in runs]

    @cached_property
    def _raw_starts(self) -> list[int]:
        return [cut.start for cut in self.cuts]

    @cached_property
    def _starts(self) -> list[int]:
        """The offsets of the output of each cut in the decoded text."""
        starts: list[int] = []
        taken = 0
        for start, end, text, hole, _ in self.cuts:
            starts.append(start - taken)
            if not hole:
                taken += end - start - len(text)
        return starts

    @cached_property
    def _ends(self) -> list[int]:
        return [
            start + (end - begin if hole else len(text))
            for start, (begin, end, text, hole, _) in zip(self._starts, self.cuts, strict=True)
        ]

    def _leads(self, edit: Edit) -> bool:
        """Return whether an insertion between code and text belongs to the text after it: an opening marker directly
        before text, with space before the code. For other insertions the intended side of the code is unknown."""
        at, text = edit.span.start, self.text
        opening = edit.text.startswith("<") and not edit.text.startswith("</")
        return opening and not text[at - 1 : at].strip() and bool(text[at : at + 1].strip())

    def _touched(self, first: int, last: int) -> Iterator[tuple[Cut, Span]]:
        return ((self.cuts[at], self.place(at)) for at in range(first, last))

    def place(self, cut: int) -> Span:
        """Return the decoded span of the output of a cut, by its number."""
        return Span(self._starts[cut], self._ends[cut])


def decode_cuts(raw: str, cuts: Sequence[Cut]) -> str:
    """Return a text with the output of each cut instead of its code."""
    parts: list[str] = []
    at = 0
    for cut in cuts:
        parts.append(raw[at : cut.start])
        parts.append(HOLE * (cut.end - cut.start) if cut.hole else cut.text)
        at = cut.end
    parts.append(raw[at:])
    return "".join(parts)
