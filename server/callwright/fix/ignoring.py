"""Writing suppressions: comments that suppress intended diagnostics.

Owns: the place and form of such a comment, and the check that it suppresses only what it should. Must not know: files,
protocols, command lines, any single rule.

A comment of a template language is preferred to one of the document, since no model reads it; a diagnostic in a string
of a program or of YAML is suppressed by a comment before the string, for the same reason. A document without comments
keeps its diagnostics.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from callwright.document.suppressing import moved, reaching
from callwright.document.suppressions import (
    FILE,
    IGNORE,
    WORD,
    Suppression,
    own_comments,
    quoted_texts,
    reached,
    suppressions_in,
)
from callwright.lint.linter import diagnostics
from callwright.lint.opening import open_snapshot
from callwright.syntax.comments import HASH, Comment
from callwright.text.projection import encode_all
from callwright.text.span import Edit, Span, insert, with_newlines

if TYPE_CHECKING:
    from callwright.document.snapshot import Snapshot
    from callwright.hosts.base import Embedded
    from callwright.rules.base import Diagnostic

#: The rules about suppressions cannot be suppressed.
_OWN: Final = "TC9"
#: The header of a YAML block scalar.
_HEADER: Final = re.compile(r"[|>][-+\d]{0,2}+[ \t]*+(?:#[^\r\n]*+)?+[\r\n]")
#: How many lines at the top may have to stay first.
_TOP: Final = 5


@dataclass(frozen=True, slots=True)
class Ignored:
    """The result of writing suppressions: the edits, the diagnostics that they suppress, and those that stay because no
    comment can be written for them.
    """

    edits: tuple[Edit, ...]
    diagnostics: list[Diagnostic]
    left: list[Diagnostic]


def ignore(
    snapshot: Snapshot, reported_diagnostics: Sequence[Diagnostic] | None = None, *, reason: str = ""
) -> Ignored:
    """Return the edits that suppress diagnostics of a document, by default all of them.

    Each is suppressed by a comment before its subject, or in the whole file where no such comment can be written. The
    edits remove all of these diagnostics and add no other. `reason` is written into each new comment.
    """
    found = diagnostics(snapshot)
    wanted = [
        each
        for each in (found if reported_diagnostics is None else reported_diagnostics)
        if not each.code.startswith(_OWN)
    ]
    writer = _Writer(snapshot, found, reason)
    if not any(block.embedded for block in snapshot.blocks):
        return writer.written(wanted)
    inner = [
        _inside(snapshot, embedded, start, wanted, reason)
        for start, block in zip(snapshot.starts, snapshot.blocks, strict=True)
        for embedded in block.embedded
    ]
    good = [each for each in inner if each.edits and writer.works(each.edits, each.diagnostics)]
    done = [diagnostic for each in good for diagnostic in each.diagnostics]
    edits = tuple(edit for each in good for edit in each.edits)
    return Ignored(edits, done, [each for each in wanted if all(each is not one for one in done)])


def _inside(snapshot: Snapshot, embedded: Embedded, start: int, wanted: Sequence[Diagnostic], reason: str) -> Ignored:
    """Return the result of writing suppressions into an embedded document, as if it were a separate file.

    `wanted` are diagnostics of the outer document, and the edits are edits of it; `start` is where the block begins.
    """
    projection = embedded.projection
    whole = projection.raw_span(Span(0, len(embedded.text))).shift(start)
    around = [each for each in wanted if whole.start <= each.span.start <= whole.end]
    if not around:
        return Ignored((), [], [])
    own = open_snapshot(
        embedded.text, path=None, host=embedded.host, registry=snapshot.registry, settings=snapshot.given
    )
    by_place = {(each.code, each.span.start): each for each in around}
    meant: list[Diagnostic] = []
    outer: dict[int, Diagnostic] = {}
    for each in diagnostics(own):
        known = by_place.get((each.code, projection.to_raw(each.span.start) + start))
        if known is not None:
            meant.append(each)
            outer[id(each)] = known
    stated = ignore(own, meant, reason=reason)
    edits = encode_all(projection, stated.edits)
    return Ignored(moved(edits, start) if edits else (), [outer[id(each)] for each in stated.diagnostics], [])


@dataclass(slots=True)
class _Group:
    """The diagnostics for one comment: an existing comment, or the line before which a new one is inserted, and its
    form."""

    line: int
    known: tuple[int, Suppression] | None
    form: Comment
    diagnostics: list[Diagnostic] = field(default_factory=list)

    @property
    def codes(self) -> list[str]:
        return sorted({each.code for each in self.diagnostics})


class _Writer:
    def __init__(self, snapshot: Snapshot, found: Sequence[Diagnostic], reason: str) -> None:
        self.snapshot = snapshot
        self.document = snapshot.document
        self.found = Counter(map(_key, found))
        self.forms = own_comments(snapshot.host, snapshot.path or snapshot.uri, snapshot.template)
        self.reason = " ".join(reason.split())
        host = snapshot.host
        self.front = host.front(self.document.slice(0, min(len(self.document), 1 << 17))) if host.flow else 0
        self.known = reaching(snapshot, found, suppressions_in(snapshot)) if self.forms else []

    def written(self, wanted: Sequence[Diagnostic]) -> Ignored:
        """Return the result for diagnostics."""
        if not self.forms or not wanted:
            return Ignored((), [], [*wanted])
        groups = self.groups(wanted)
        good = self.working(groups)
        edits = self.edits(good)
        done = [each for group in good for each in group.diagnostics]
        left = [each for group in groups if group not in good for each in group.diagnostics]
        if left:
            more = self.in_file(sorted({each.code for each in left}))
            if self.works([*edits, *more], [*done, *left]):
                edits, done, left = [*edits, *more], [*done, *left], []
        if edits and not self.works(edits, done):
            # Each comment works alone, but not all together.
            more = self.in_file(sorted({each.code for each in wanted}))
            if self.works(more, wanted):
                return Ignored(tuple(more), [*wanted], [])
            return Ignored((), [], [*wanted])
        return Ignored(tuple(edits), done, left)

    def groups(self, wanted: Iterable[Diagnostic]) -> list[_Group]:
        """Return diagnostics grouped by the comment that is to suppress them."""
        groups: dict[tuple[int, int], _Group] = {}
        for each in wanted:
            at = each.span.start
            known = next(
                ((start, stated) for reach, start, stated in self.known if reach.start <= at < reach.end), None
            )
            line = -1 if known is not None else self.line_for(at)
            key = (-1, known[0] + known[1].place.start) if known is not None else (line, 0)
            groups.setdefault(key, _Group(line, known, self.forms[0])).diagnostics.append(each)
        return list(groups.values())

    def line_for(self, at: int) -> int:
        """Return the line before which a comment for a diagnostic is inserted."""
        snapshot = self.snapshot
        place = snapshot.block_at(at)
        assert place is not None, "there is a diagnostic in the document"
        block, start = place
        quoted = snapshot.host.texts == "quoted" and snapshot.host.holds == "calls"
        spans = reached(block)[1 if quoted else 0]
        if at < self.front:
            quoted, spans = True, sorted(quoted_texts(block, self.front))
        index = bisect_right(spans, at - start, key=lambda span: span.start) - 1
        about = at
        if index >= 0 and at - start <= spans[index].end:
            about = spans[index].start + start
        line = self.document.line_at(about)
        if not quoted:
            return line
        # The text of a block scalar begins below its header; and a continued line must not be split.
        begins = not self.document.slice(self.document.line_start(line), about).strip()
        if begins and line > 0 and _HEADER.search(self.document.line(line - 1)) is not None:
            line -= 1
        while line > 0 and self.document.line(line - 1).rstrip().endswith("\\"):
            line -= 1
        return line

    def working(self, groups: Sequence[_Group]) -> list[_Group]:
        """Return the groups whose comments work."""
        if not groups:
            return []
        if self.works(self.edits(groups), [each for group in groups for each in group.diagnostics]):
            return [*groups]
        if len(groups) == 1:
            return self.in_other_form(groups[0])
        half = len(groups) // 2
        return self.working(groups[:half]) + self.working(groups[half:])

    def in_other_form(self, group: _Group) -> list[_Group]:
        """Return a group whose comment works in another form: in `{% raw %}` a template has no comments of its own."""
        if group.known is None:
            for group.form in self.forms[1:]:
                if self.works(self.edits([group]), group.diagnostics):
                    return [group]
        return []

    def works(self, edits: Sequence[Edit], wanted: Iterable[Diagnostic]) -> bool:
        """Return whether edits remove all of the given diagnostics, and add no other."""
        if not edits:
            return False
        ordered = sorted(edits, key=lambda edit: edit.span, reverse=True)
        after = Counter(_key(each) for each in diagnostics(self.snapshot.edit(ordered)))
        return not after - (self.found - Counter(map(_key, wanted)))

    def edits(self, groups: Iterable[_Group]) -> list[Edit]:
        """Return the edits of groups."""
        edits: list[Edit] = []
        for group in groups:
            if group.known is not None:
                start, stated = group.known
                edits += moved(stated.adding(group.codes), start)
            else:
                at = self.document.line_start(group.line)
                line = self.document.line(group.line)
                margin = line[: len(line) - len(line.lstrip(" \t>" if self.snapshot.host.flow else " \t"))]
                edits.append(self.line(at, margin, IGNORE, group.codes, group.form))
        return edits

    def line(self, at: int, margin: str, verb: str, codes: Sequence[str], form: Comment) -> Edit:
        """Return the edit that inserts a comment as a line of its own."""
        form = HASH if at < self.front else form
        (edit,) = with_newlines([insert(at, f"{margin}{self.comment(form, verb, codes)}\n")], self.document.newline)
        return edit

    def comment(self, form: Comment, verb: str, codes: Sequence[str]) -> str:
        stated = f"{WORD} {verb}[{', '.join(codes)}]"
        if self.reason:
            reason = self.reason
            while form.closer and (form.closer in reason or "--" in reason):
                # Characters that would end the comment.
                reason = reason.replace("--", "-").replace(form.closer, "")
            stated = f"{stated}: {reason}"
        return form.written(stated)

    def in_file(self, codes: Sequence[str]) -> list[Edit]:
        """Return the edit that suppresses rules in the whole file, after the lines that have to stay first."""
        known = next(
            ((start, stated) for start, stated in suppressions_in(self.snapshot) if _is_for_file(stated)), None
        )
        if known is not None:
            return [*moved(known[1].adding(codes), known[0])]
        line = self.document.line_at(self.front) if self.front else 0
        at = self.front
        for _ in range(_TOP):
            text = self.document.line(line) if line < self.document.line_count else ""
            text = text.lstrip("\ufeff")
            if not text.startswith(("#!", "<?xml", "%", "<!DOCTYPE")) and "coding" not in text and WORD not in text:
                break
            line += 1
            at = self.document.line_start(line) if line < self.document.line_count else len(self.document)
        if at == 0 and self.document.slice(0, min(1, len(self.document))) == "\ufeff":
            at = 1
        return [self.line(at, "", FILE, codes, self.forms[0])]


def _is_for_file(stated: Suppression) -> bool:
    return (
        stated.verb == FILE
        and bool(stated.entries)
        and not stated.fault
        and stated.inside is None
        and not stated.fences
    )


def _key(diagnostic: Diagnostic) -> tuple[str, str]:
    """Return the identity of a diagnostic; one about a comment has no message in it, since that may change with the
    comment.
    """
    return diagnostic.code, "" if diagnostic.code.startswith(_OWN) else diagnostic.message
