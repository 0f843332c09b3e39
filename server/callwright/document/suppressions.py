"""Suppressions: comments by which an author accepts diagnostics.

Owns: their verbs, where they are in a document, and how a code or a whole comment is removed. Must not know: rules and
their codes, diagnostics, settings. Every document that is checked is searched for them, so each part of one is searched
once, for a word.

A suppression begins its line and ends on it: `callwright: ignore[TC301, unknown-tool] -- reason`. So it never crosses
the end of a block. Comments inside a call belong to the call, and those in what a transcript's speakers wrote to the
speakers.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from callwright.syntax.comments import (
    HANDLEBARS,
    HASH,
    HTML,
    JINJA,
    SLASHES,
    STARS,
    Comment,
    CommentText,
    begins_comment,
    comment_on_line,
)
from callwright.syntax.prose import line_end, line_start
from callwright.templates.catalogue import find_template
from callwright.text.facts import derived
from callwright.text.patterns import compile_later
from callwright.text.projection import Composed, Identity, encode_all
from callwright.text.records import NamedTuple, dataclass, replace
from callwright.text.span import Edit, Span
from callwright.tools.names import nearest

if TYPE_CHECKING:
    from callwright.document.block_runs import Run
    from callwright.document.blocks import Block, ReadPassage
    from callwright.document.snapshot import Snapshot
    from callwright.hosts.base import Embedded, Host
    from callwright.templates.base import Template
    from callwright.text.projection import Projection

WORD: Final = "callwright:"
IGNORE: Final = "ignore"
EXPECT: Final = "expect"
DISABLE: Final = "disable"
ENABLE: Final = "enable"
FILE: Final = "ignore-file"
VERBS: Final = (IGNORE, EXPECT, DISABLE, ENABLE, FILE)
#: Other words that may follow `callwright:` in a comment.
_OTHERS: Final = frozenset({"template", "tools"})
_LEAD: Final = compile_later(r"\ufeff?+(?P<quoted>[ \t>]*+)(?:[ \t>]|[-*+][ \t]|\d{1,9}[.)][ \t])*+")
_VERB: Final = compile_later(r"[ \t]*+(?P<verb>[A-Za-z][\w-]*+)(?![\w=/])(?P<gap>[ \t]*+)(?P<list>\[)?")
_CODE: Final = compile_later(r"[^\s,]+(?:[ \t]++[^\s,]+)*+")
#: What is skipped before a comment: space, and the markers of quotations.
_UNSEEN: Final = compile_later(r"[\s>]*+")
#: A rule without brackets: the comment was not meant for all rules.
_BARE: Final = compile_later(r"[ \t]*+[:(]?+[ \t]*+TC\d{1,3}(?!\w)")
_REASON: Final = compile_later(r"[ \t]*+(?:--++|[:\u2013\u2014])?+[ \t]*+")
#: A passage's text is in the template language of its prompt; strings of programs rarely declare theirs.
_IN_TEXTS: Final = (HTML, JINJA, HANDLEBARS)
_OF_FILES: Final = ((".json", (SLASHES, STARS)), (".jsonc", (SLASHES, STARS)), (".jsonl", ()))


class Entry(NamedTuple):
    """A code or name in a suppression's list, and its place in the text that the suppression is in."""

    text: str
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class Suppression:
    """One comment. Its spans except `place` and `inside` are offsets of the text that it is in, which `projection` maps
    to its block.

    `entries` is None where it names no rules and so means all. `listed` is the segment between the brackets, `removal`
    what is removed with the comment: its line, where nothing else is there. `place` is the comment in the block,
    `inside` the string that it is in, None where it is in the document itself. `alone` is whether nothing else is on
    its line, and no closing marker of calls after it; what is there may be read otherwise without it. `fault` is why it
    is ignored: `"verb"`, `"list"`, `"bare"`, `"end"`, else it is empty. `fences` counts the fenced blocks around it.
    `source` is the embedded document that it is in, which is then `inside`, too, and all that it applies to.
    """

    verb: str
    verb_span: Span
    entries: tuple[Entry, ...] | None
    listed: Span
    reason: str
    comment: Span
    removal: Span
    place: Span
    projection: Projection
    inside: Span | None = None
    fault: str = ""
    alone: bool = False
    fences: int = 0
    source: Embedded | None = None

    @property
    def depth(self) -> int:
        """How deeply it is nested: 0 in the document, 1 in a document inside it, 2 in a string."""
        return 1 if self.source is not None else 0 if self.inside is None else 2

    def raw(self, span: Span) -> Span:
        """Return a span of the comment as one of the block."""
        return self.projection.raw_span(span)

    def without(self, gone: Sequence[Entry] | None) -> tuple[Edit, ...]:
        """Return the block's edits that remove entries from the list, or with None the whole comment; none where
        nothing can be written there."""
        kept = [entry.text for entry in self.entries or () if gone is not None and entry not in gone]
        edit = Edit(self.listed, ", ".join(kept)) if kept else Edit(self.removal, "")
        return encode_all(self.projection, [edit]) or ()

    def adding(self, codes: Sequence[str]) -> tuple[Edit, ...]:
        """Return the block's edits that add codes to the list."""
        known = [entry.text for entry in self.entries or ()]
        more = [code for code in codes if code not in known]
        return encode_all(self.projection, [Edit(self.listed, ", ".join([*known, *more]))]) or ()


def suppressions_in(snapshot: Snapshot) -> list[tuple[int, Suppression]]:
    """Return the suppressions of a document in order, each with the place at which its block begins.

    A document without the word costs one search of each part of it that is new.
    """
    host = snapshot.host
    if host.texts == "turns" and not host.comments:
        return []
    return [
        (place + start, each)
        for place, run in snapshot.blocks.placed_runs()
        for start, each in _in_run(run, snapshot, place)
    ]


@derived
def _in_run(run: Run, snapshot: Snapshot, place: int) -> Sequence[tuple[int, Suppression]]:
    """Return the suppressions in a run that begins at `place`, each with where its block begins in it."""
    return [(at, each) for at, block in run.placed() for each in suppressions_of(block, snapshot, place + at)]


@derived
def suppressions_of(block: Block, snapshot: Snapshot, start: int) -> Sequence[Suppression]:
    """Return the suppressions in the block that begins at `start`."""
    text = snapshot.document.slice(start, start + block.length)
    found: list[Suppression] = []
    if WORD in text:
        found += _in_document(snapshot, block, text, start)
        if snapshot.host.texts == "quoted":
            if block.embedded:
                calls, _ = reached(block)
                quoted = _merged([*calls, *quoted_texts(block, block.length)])
                for embedded in block.embedded:
                    found += _in_embedded(embedded, calls if embedded.host.flow else quoted)
            taken = {each.place.start for each in found}
            for read in block.passages:
                for each in _in_passage(read, reached(block)[0]):
                    if each.place.start not in taken:
                        taken.add(each.place.start)
                        found.append(each)
    return sorted(found, key=lambda each: each.place) if found else ()


def own_comments(host: Host, path: str, template: str | None) -> tuple[Comment, ...]:
    """Return the forms of comments of a document; those of its template language come first."""
    if host.holds != "calls":
        name = path.lower()
        return next((forms for ending, forms in _OF_FILES if name.endswith(ending)), (HASH,))
    language = _language(host, template)
    return (*(language.comments if language is not None else ()), *host.comments)


def _language(host: Host, template: str | None) -> Template | None:
    """Return the language whose comments a document has beside those of its host, None for none."""
    return find_template(template) if template is not None and host.texts == "plain" else None


@derived
def reached(block: Block) -> tuple[list[Span], list[Span]]:
    """Return what a suppression may be meant for: the calls of a block, and the texts that contain some; both in order,
    in offsets of the block, and none overlapping another."""
    calls: list[Span] = []
    texts: list[Span] = []
    for read in block.passages:
        if read.calls:
            raw = read.passage.projection.raw_span
            calls += [raw(found.call.place) for found in read.calls]
            texts.append(raw(Span(0, len(read.passage.text))))
    return _merged(calls), _merged(texts)


def quoted_texts(block: Block, end: int) -> list[Span]:
    """Return the places of a block's texts that end before a given place, as far as they are in strings of data."""
    found: list[Span] = []
    for read in block.passages:
        if read.passage.calls is None:
            span = read.passage.projection.raw_span(Span(0, len(read.passage.text)))
            if span.end <= end:
                found.append(span)
    return found


def _merged(spans: list[Span]) -> list[Span]:
    """Return spans in order, those that overlap as one."""
    out: list[Span] = []
    for span in sorted(spans):
        if out and span.start < out[-1].end:
            out[-1] = Span(out[-1].start, max(out[-1].end, span.end))
        else:
            out.append(span)
    return out


def _in_document(snapshot: Snapshot, block: Block, text: str, start: int) -> Iterator[Suppression]:
    """Yield the suppressions that are in a block as it is."""
    host = snapshot.host
    front = host.front(text) if host.flow and start == 0 else 0
    forms = own_comments(host, snapshot.path or snapshot.uri, snapshot.template)
    calls, _ = reached(block)
    unrendered = _Unrendered(snapshot, text)
    hidden = calls
    if front or host.texts != "plain":
        hidden = _merged([*calls, *quoted_texts(block, front if host.flow else len(text))])
        if not host.flow:
            hidden = _merged([*hidden, *host.strings(text)])
    for each in _in_text(text, forms, Identity(0, len(text)), None, front):
        at = each.comment.start
        if _around(hidden, at) is None and (each.fault == "end" or unrendered.may_hold(each.comment)):
            depth = len(block.state.fences)
            for place, now_open in block.fenced:
                if place > at:
                    break
                depth = now_open
            yield replace(each, fences=depth) if depth else each


class _Unrendered:
    """The comments of a template: where its language has text, as in `{% raw %}`, what looks like one is text, too."""

    def __init__(self, snapshot: Snapshot, text: str) -> None:
        self._language = _language(snapshot.host, snapshot.template)
        self._text = text
        self._spans: list[Span] | None = None

    def may_hold(self, comment: Span) -> bool:
        """Return whether a comment is none of the template language, or in what the template does not render."""
        language, text = self._language, self._text
        if language is None or not begins_comment(text, comment.start, language.comments):
            return True
        if self._spans is None:
            from callwright.templates.base import TagKind

            tags = language.tags(text)
            self._spans = _merged([Span(tag.start, tag.end) for tag in tags if tag.kind is TagKind.NOTHING])
        return _around(self._spans, comment.start) is not None


def _in_embedded(embedded: Embedded, hidden: Sequence[Span]) -> Iterator[Suppression]:
    """Yield the suppressions in a document inside a record that are in its own text, not in its strings.

    `hidden` are segments of the record in which there are none.
    """
    text, projection, host = embedded.text, embedded.projection, embedded.host
    if WORD not in text:
        return
    strings = _merged([*host.strings(text)]) if not host.flow else []
    inside = projection.raw_span(Span(0, len(text)))
    front = host.front(text) if host.flow else 0
    for each in _in_text(text, _IN_TEXTS if host.flow else host.comments, projection, inside, front):
        if _around(hidden, each.place.start) is None and _around(strings, each.comment.start) is None:
            yield replace(each, source=embedded)


def _around(spans: Sequence[Span], at: int) -> Span | None:
    """Return the span that contains a place, of ordered spans that do not overlap."""
    index = bisect_right(spans, at, key=lambda span: span.start) - 1
    return spans[index] if index >= 0 and at < spans[index].end else None


def _in_passage(read: ReadPassage, calls: Sequence[Span]) -> Iterator[Suppression]:
    """Yield the suppressions in a text of a record, as it was before its template's code is taken out."""
    passage = read.passage
    if passage.calls is not None or (passage.version is not None and passage.version.fresh is not None):
        return
    from callwright.text.templated import Templated

    text, projection = passage.text, passage.projection
    while isinstance(projection, Composed) and isinstance(projection.inner, Templated):
        text, projection = projection.inner.raw, projection.outer
    if WORD not in text:
        return
    inside = projection.raw_span(Span(0, len(text)))
    for each in _in_text(text, _IN_TEXTS, projection, inside, 0):
        if _around(calls, each.place.start) is None:
            yield each


def _in_text(
    text: str, forms: Sequence[Comment], projection: Projection, inside: Span | None, front: int
) -> Iterator[Suppression]:
    """Yield the suppressions of one text, of which the first `front` characters are front matter in YAML."""
    at = text.find(WORD)
    while at >= 0:
        begin, end = line_start(text, at), line_end(text, at)
        lead = _LEAD.match(text, begin, at)
        place = begin if lead is None else lead.end()
        stated = comment_on_line(text, place, at, end, (HASH,) if at < front else forms)
        if stated is not None:
            found = _suppression(text, stated, projection, inside, (lead, end))
            if found is not None:
                yield found
        # A comment that does not begin its line is ignored.
        at = text.find(WORD, end)


def _suppression(
    text: str, stated: CommentText, projection: Projection, inside: Span | None, line: tuple[re.Match[str] | None, int]
) -> Suppression | None:
    """Return the suppression in a comment, None where the comment is not for Callwright."""
    start, stop = stated.text
    match = _VERB.match(text, start + len(WORD), stop)
    if match is None or match["verb"] in _OTHERS:
        return None
    verb, listed = match["verb"], Span(match.end(), match.end())
    fault = "" if stated.closed else "end"
    entries: tuple[Entry, ...] | None = None
    rest = match.end()
    if match["list"]:
        close = text.find("]", match.end(), stop)
        fault = fault or ("list" if close < 0 else "")
        listed = Span(match.end(), close if close >= 0 else stop)
        entries = tuple(Entry(one[0], Span(*one.span())) for one in _CODE.finditer(text, *listed))
        rest = close + 1 if close >= 0 else stop
    elif not fault and _BARE.match(text, rest, stop) is not None:
        fault = "bare"
    if verb not in VERBS:
        if entries is None and nearest(verb, VERBS) is None:
            return None
        fault = "verb"
    reason = _REASON.match(text, rest, stop)
    comment = Span(stated.start, stated.end)
    removal, alone = _removal(text, comment, *line)
    return Suppression(
        verb,
        Span(*match.span("verb")),
        entries,
        listed,
        text[reason.end() if reason is not None else rest : stop].strip(),
        comment,
        removal,
        projection.raw_span(comment),
        projection,
        inside,
        fault,
        alone,
    )


def _removal(text: str, comment: Span, lead: re.Match[str] | None, end: int) -> tuple[Span, bool]:
    """Return what is removed with a comment, its line or as much of it as is the comment's, and whether that is the
    whole line and no call is read otherwise without it."""
    after = end - len(text[comment.end : end].lstrip(" \t"))
    if after == end and lead is not None and lead.end("quoted") == comment.start:
        if text.startswith("\r\n", end):
            end += 2
        elif end < len(text):
            end += 1
        return Span(lead.start("quoted"), end), not _closes(text, end)
    return Span(comment.start, after), False


def _closes(text: str, at: int) -> bool:
    """Return whether a closing marker of calls is next: it may be unmatched, and without the comment it would come
    right after a call."""
    from callwright.calls.markers import call_marker

    found = _UNSEEN.match(text, at)
    place = at if found is None else found.end()
    return text.startswith(("</", "[/"), place) and call_marker().match(text, place) is not None
