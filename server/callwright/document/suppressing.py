"""What suppressions do: which diagnostics they suppress, and what is wrong with the suppressions themselves.

Owns: how far each suppression reaches, and which of several suppresses a diagnostic. Must not know: rules (the caller
gives their codes), how a comment is written, documents' kinds.

What is suppressed for a call depends on the place of the call, whatever block it is in, so that it does not matter how
a document is cut into blocks. The time is linear in the suppressions and diagnostics together.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Protocol, TypeVar

from callwright.document.suppressions import (
    DISABLE,
    ENABLE,
    EXPECT,
    FILE,
    IGNORE,
    VERBS,
    WORD,
    Entry,
    Suppression,
    reached,
)
from callwright.syntax.problem import Problem
from callwright.syntax.prose import line_end, line_start
from callwright.text.records import NamedTuple
from callwright.text.span import Edit, Span
from callwright.tools.names import nearest

if TYPE_CHECKING:
    from callwright.document.snapshot import Snapshot

#: The key of a suppression that names no rule.
_ANY: Final = "ALL"
#: Which suppression applies to a diagnostic, the nearest first; of each kind, those in a text before those around it.
_ORDER: Final = (EXPECT, IGNORE, DISABLE, FILE)
#: How many blank lines may be between a comment and the line that it is meant for.
_BLANKS: Final = 20


class Suppressible(Protocol):
    """What must be known of a diagnostic."""

    @property
    def code(self) -> str:
        """The rule's code."""

    @property
    def span(self) -> Span:
        """Where it is, in offsets of the document."""


F = TypeVar("F", bound=Suppressible)


class Codes(NamedTuple):
    """What is known of rules: the code for each code and name, and whether the settings disable a rule."""

    known: Mapping[str, str]
    is_off: Callable[[str], bool]

    def key(self, text: str) -> str | None:
        """Return the code, or the prefix of codes, that an author wrote; None where there is no such rule."""
        upper = text.upper()
        code = self.known.get(upper) or self.known.get(text.lower())
        if code is not None:
            return code
        if upper == _ANY or (upper.startswith("TC") and any(each.startswith(upper) for each in self.known)):
            return upper
        return None

    def states(self, key: str) -> bool:
        """Return whether all rules of a key are enabled, so that the lack of a diagnostic means that there is none."""
        codes = {code for code in self.known.values() if key == _ANY or code.startswith(key)}
        return not any(self.is_off(code) for code in codes)

    def near(self, text: str) -> str | None:
        """Return the code or name that is nearest to what an author wrote, in the same spelling."""
        spellings = {name: name for name in self.known}
        return nearest(text.upper() if text[:2].upper() == "TC" else text.lower(), spellings)

    def names(self, code: str) -> list[str]:
        """Return the names of the rule of a code."""
        return [name for name, known in self.known.items() if known == code and name != code]


#: As many diagnostics in the reach of an unused suppression are asked whether it names their rules.
_MAX_COMPARED: Final = 100


@dataclass(slots=True, eq=False)
class _Rule:
    """One rule of one suppression, with how far it reaches in the document; `entry` is None where it names none."""

    owner: _Placed
    entry: Entry | None
    key: str
    reach: Span
    used: bool = False
    closed_by: tuple[_Placed, Entry | None] | None = None


@dataclass(slots=True, eq=False)
class _Placed:
    """A suppression with the place of its block, and the effect of each of its entries."""

    stated: Suppression
    start: int
    rules: list[_Rule] = field(default_factory=list)
    #: The entries of an `enable` that end something; None means one that names no rule.
    ends: list[Entry | None] = field(default_factory=list)

    @property
    def span(self) -> Span:
        return self.stated.place.shift(self.start)

    @property
    def inside(self) -> Span | None:
        return None if self.stated.inside is None else self.stated.inside.shift(self.start)

    def at(self, span: Span) -> Span:
        """Return a span of the comment in the document."""
        return self.stated.raw(span).shift(self.start)

    def goes(self, gone: Sequence[Entry] | None) -> bool:
        """Return whether the comment is removed with these entries of it."""
        return gone is None or len(gone) == len(self.stated.entries or ())

    def is_safe(self, gone: Sequence[Entry] | None) -> bool:
        """Return whether nothing else changes where entries, or with None the comment, are removed."""
        return self.stated.alone or not self.goes(gone)

    def without(self, gone: Sequence[Entry] | None) -> tuple[Edit, ...]:
        """Return the document's edits that remove entries, or the whole comment."""
        every = self.goes(gone)
        return moved(self.stated.without(None if every else gone), self.start)


def moved(edits: Sequence[Edit], by: int) -> tuple[Edit, ...]:
    """Return a block's edits as edits of the document."""
    return tuple(Edit(span.shift(by), text) for span, text in edits)


def settle(
    snapshot: Snapshot,
    found: Sequence[F],
    suppressions: Sequence[tuple[int, Suppression]],
    codes: Codes,
    subjects: Sequence[Span] | None = None,
) -> tuple[list[F], list[Problem]]:
    """Return the diagnostics that are not suppressed, and the problems of the suppressions.

    `found` is in the order of the text. `subjects` are what a suppression before them is meant for where that is not a
    call.
    """
    settling = _Settling(snapshot, found, codes, subjects)
    for start, stated in suppressions:
        settling.take(_Placed(stated, start))
    settling.close()
    kept = [each for each in found if not settling.takes(each)]
    return kept, list(settling.problems())


def reaching(
    snapshot: Snapshot, found: Sequence[Suppressible], suppressions: Sequence[tuple[int, Suppression]]
) -> list[tuple[Span, int, Suppression]]:
    """Return the suppressions before something that name rules, each with how far it reaches in the document and where
    its block begins; other rules can be added to their lists."""
    settling = _Settling(snapshot, found, None, None)
    taken: list[tuple[Span, int, Suppression]] = []
    for start, stated in suppressions:
        if stated.verb == IGNORE and stated.entries and not stated.fault:
            reach = settling.reach(_Placed(stated, start))
            if reach is not None and reach.start < reach.end:
                taken.append((reach, start, stated))
    return taken


class _Settling:
    """The suppressions of one document, settled one after another."""

    def __init__(
        self, snapshot: Snapshot, found: Sequence[Suppressible], codes: Codes | None, subjects: Sequence[Span] | None
    ) -> None:
        self.snapshot = snapshot
        self.document = snapshot.document
        self.size = len(snapshot.document)
        self.codes = codes or Codes({}, lambda _: False)
        self.found = found
        self.starts = [each.span.start for each in found]
        self.subjects = subjects
        quoted = snapshot.host.texts == "quoted" and snapshot.host.holds == "calls"
        self.around = _Subjects(snapshot, texts=quoted, given=subjects)
        self.within = _Subjects(snapshot, texts=False, given=subjects)
        self.placed: list[_Placed] = []
        self.open: dict[Span | None, dict[str, _Rule]] = {}
        self.tables: dict[tuple[str, int, str], list[_Rule]] = {}
        self.fence_ends: dict[int, tuple[int, int]] = {}

    def take(self, placed: _Placed) -> None:
        """Settle one suppression; they come in the order of the text."""
        stated = placed.stated
        region = self.reach(placed)
        if region is None:
            return
        self.placed.append(placed)
        if stated.fault:
            return
        for entry in (None,) if stated.entries is None else stated.entries:
            key = _ANY if entry is None else self.codes.key(entry.text)
            if key is not None:
                self.add(placed, entry, key, region)

    def reach(self, placed: _Placed) -> Span | None:
        """Return how far a suppression may reach; None for one that only illustrates a fenced block."""
        stated = placed.stated
        if stated.verb not in (IGNORE, EXPECT) or stated.fault:
            return Span(placed.span.end, self.size) if not stated.fences else None
        reach, call = self.next_to(placed)
        if not stated.fences or (reach.start == placed.span.end and reach.start < reach.end):
            return reach
        return None if call is None or self.fence_end(placed) <= call.start else reach

    def add(self, placed: _Placed, entry: Entry | None, key: str, region: Span) -> None:
        verb, inside = placed.stated.verb, placed.inside
        if verb == ENABLE:
            open_ = self.open.get(inside, {})
            for each in [*open_] if entry is None else [key]:
                rule = open_.pop(each, None)
                if rule is not None:
                    rule.reach = Span(rule.reach.start, placed.span.start)
                    rule.closed_by = (placed, entry)
                    if entry not in placed.ends:
                        placed.ends.append(entry)
            return
        rule = _Rule(placed, entry, key, region)
        placed.rules.append(rule)
        if verb == DISABLE:
            open_ = self.open.setdefault(inside, {})
            if key in open_:
                rule.reach = Span(region.start, region.start)
                return
            open_[key] = rule
            if inside is not None:
                rule.reach = Span(region.start, inside.end)
        elif verb == FILE:
            rule.reach = Span(0, self.size + 1) if placed.stated.source is None or inside is None else inside
        if rule.reach.start < rule.reach.end:
            self.tables.setdefault((verb, placed.stated.depth, key), []).append(rule)

    def close(self) -> None:
        """Extend what reaches to the end to a diagnostic at the very end."""
        for open_ in self.open.values():
            for rule in open_.values():
                if rule.reach.end == self.size:
                    rule.reach = Span(rule.reach.start, self.size + 1)
        for rules in self.tables.values():
            rules.sort(key=lambda rule: rule.reach.start)

    def next_to(self, placed: _Placed) -> tuple[Span, Span | None]:
        """Return how far a suppression reaches that is meant for what follows it, and the call that follows."""
        at, inside = placed.span.end, placed.inside
        limit = self.size if inside is None else inside.end
        source = placed.stated.source
        subjects = self.around if inside is None or (source is not None and not source.host.flow) else self.within
        call = subjects.after(at)
        if call is not None and call.start >= limit:
            call = None
        first = bisect_left(self.starts, at)
        loose = self.starts[first] if first < len(self.starts) else None
        if loose is not None and loose < limit and (call is None or loose < call.start):
            line = self.line_after(placed)
            if line.start <= loose < line.end:
                end = min(max(line.end, subjects.end_on_line(line)), limit)
                return Span(at, end), call
        if call is None:
            return Span(at, at), None
        line = self.line_of(call.start, placed)
        end = max(call.end, subjects.end_on_line(Span(call.start, line.end)))
        # What is missing at a call's end is found right after it.
        end += not subjects.begins_at(end)
        return Span(call.start, end if inside is None else min(end, limit)), call

    def line_of(self, at: int, placed: _Placed) -> Span:
        """Return the line that contains a place, in the text that a suppression is in."""
        source = placed.stated.source
        if source is not None:
            own = source.projection.to_decoded(at - placed.start)
            if own is not None:
                return placed.at(Span(line_start(source.text, own), line_end(source.text, own)))
        line = self.document.line_at(at)
        start = self.document.line_start(line)
        return Span(start, start + len(self.document.line(line)))

    def line_after(self, placed: _Placed) -> Span:
        """Return the rest of the line after a comment if anything is there, else the next line that is neither blank
        nor such a comment."""
        at, source = placed.span.end, placed.stated.source
        if source is not None:
            return self.line_after_in(source.text, placed)
        number = self.document.line_at(at)
        start = self.document.line_start(number)
        line = self.document.line(number)
        if line[at - start :].strip():
            return Span(at, start + len(line))
        for blank in range(1, _BLANKS):
            if number + blank >= self.document.line_count:
                break
            start += len(line)
            line = self.document.line(number + blank)
            if line.strip() and WORD not in line:
                return Span(start, start + len(line))
        return Span(at, at)

    def line_after_in(self, text: str, placed: _Placed) -> Span:
        """Return the same for a comment in an embedded document."""
        begin = placed.stated.comment.end
        for _ in range(_BLANKS):
            end = line_end(text, begin)
            line = text[begin:end]
            if line.strip() and (begin == placed.stated.comment.end or WORD not in line):
                return placed.at(Span(begin, end))
            begin = end + (2 if text.startswith("\r\n", end) else 1)
            if begin >= len(text):
                break
        return Span(placed.span.end, placed.span.end)

    def fence_end(self, placed: _Placed) -> int:
        """Return where the innermost fence around a suppression ends; places only rise."""
        at, depth = placed.span.start, placed.stated.fences
        low, end = self.fence_ends.get(depth, (0, -1))
        if low <= at < end:
            return end
        starts, blocks = self.snapshot.starts, self.snapshot.blocks
        found = self.size + 1
        for number in range(bisect_right(starts, at) - 1, len(blocks)):
            start = starts[number]
            ends = (place + start for place, depth_now in blocks[number].fenced if depth_now < depth)
            found = next((place for place in ends if place > at), self.size + 1)
            if found <= self.size:
                break
        self.fence_ends[depth] = (at, found)
        return found

    def takes(self, diagnostic: Suppressible) -> bool:
        """Return whether a suppression applies to a diagnostic, and remember that it does."""
        at, code = diagnostic.span.start, diagnostic.code
        for verb in _ORDER:
            for depth in (2, 1, 0):
                for key in (code, code[:4], code[:3], code[:2], _ANY):
                    rules = self.tables.get((verb, depth, key))
                    if rules is None:
                        continue
                    index = bisect_right(rules, at, key=lambda rule: rule.reach.start) - 1
                    if index >= 0 and at < rules[index].reach.end:
                        rules[index].used = True
                        return True
        return False

    def problems(self) -> Iterator[Problem]:
        """Yield the problems of the suppressions."""
        for placed in self.placed:
            if placed.stated.fault:
                yield self.faulty(placed)
                continue
            yield from self.unknown(placed)
            if placed.stated.verb == EXPECT:
                yield from self.unmet(placed)
            elif placed.stated.verb == ENABLE:
                yield from self.closing_nothing(placed)
            else:
                yield from self.unused(placed)

    def faulty(self, placed: _Placed) -> Problem:
        stated = placed.stated
        data: dict[str, object] = {"fault": stated.fault, "text": stated.verb}
        if stated.fault == "verb":
            near = nearest(stated.verb, VERBS)
            span = placed.at(stated.verb_span)
            repair = () if near is None else (Edit(span, near),)
            return Problem("unknown-suppression", span, {**data, "near": near}, repair, certain=near is not None)
        return Problem("unknown-suppression", placed.span, data)

    def unknown(self, placed: _Placed) -> Iterator[Problem]:
        entries = placed.stated.entries
        if entries is not None and not entries:
            yield Problem(
                "unknown-suppression",
                placed.span,
                {"fault": "empty"},
                placed.without(None),
                certain=placed.stated.alone,
            )
        for entry in entries or ():
            if self.codes.key(entry.text) is not None:
                continue
            near = self.codes.near(entry.text)
            span = placed.at(entry.span)
            data = {"fault": "code", "text": entry.text, "near": near}
            if near is None:
                yield Problem(
                    "unknown-suppression", span, data, placed.without([entry]), certain=placed.is_safe([entry])
                )
            else:
                # All digits of a code are equally near.
                yield Problem("unknown-suppression", span, data, (Edit(span, near),), certain=not near.startswith("TC"))

    def unmet(self, placed: _Placed) -> Iterator[Problem]:
        for rule in placed.rules:
            if rule.used or not self.codes.states(rule.key):
                continue
            entry = rule.entry
            span = placed.span if entry is None else placed.at(entry.span)
            text = None if entry is None else entry.text
            call = rule.reach.start < rule.reach.end
            edits = placed.without(None if entry is None else [entry])
            yield Problem("unmet-expectation", span, {"text": text, "call": call}, edits)

    def closing_nothing(self, placed: _Placed) -> Iterator[Problem]:
        entries = placed.stated.entries
        if entries is None:
            idle: list[Entry] = []
            if None in placed.ends:
                return
        else:
            idle = [one for one in entries if one not in placed.ends and self.codes.key(one.text) is not None]
            if not idle:
                return
        yield self.needless(placed, idle, ())

    def unused(self, placed: _Placed) -> Iterator[Problem]:
        idle = [rule for rule in placed.rules if not rule.used and self.codes.states(rule.key)]
        if not idle:
            return
        renamed = {rule.entry: near for rule in idle if rule.entry is not None and (near := self.meant(rule))}
        for entry, near in renamed.items():
            span = placed.at(entry.span)
            data = {"verb": placed.stated.verb, "names": (entry.text,), "every": False, "near": near}
            yield Problem("unused-suppression", span, data, (Edit(span, near),), certain=True)
        idle = [rule for rule in idle if rule.entry not in renamed]
        if not idle:
            return
        ends: dict[_Placed, list[Entry | None]] = {}
        for rule in idle:
            if rule.closed_by is not None:
                ends.setdefault(rule.closed_by[0], []).append(rule.closed_by[1])
        more: list[Edit] = []
        safe = True
        for closing, entries in ends.items():
            ended = [each for other in self.placed for each in other.rules if each.closed_by == (closing, None)]
            if closing.stated.entries is None:
                # Everything else that it ends stays ended.
                more += closing.without(None) if len(ended) == len(entries) else ()
                safe = safe and (closing.stated.alone or len(ended) != len(entries))
            else:
                gone = [entry for entry in entries if entry is not None]
                more += closing.without(gone)
                safe = safe and closing.is_safe(gone)
        yield self.needless(placed, [rule.entry for rule in idle if rule.entry is not None], more, safe=safe)

    def meant(self, rule: _Rule) -> str | None:
        """Return the name of the rule that a suppression misspells: a diagnostic of it is in reach, and nothing
        suppresses that."""
        if rule.entry is None or rule.entry.text[:2].upper() == "TC" or rule.closed_by is not None:
            return None
        first = bisect_left(self.starts, rule.reach.start)
        last = min(bisect_left(self.starts, rule.reach.end), first + _MAX_COMPARED)
        codes = {each.code for each in self.found[first:last] if not self.takes(each)}
        return nearest(rule.entry.text.lower(), [name for code in codes for name in self.codes.names(code)])

    def needless(self, placed: _Placed, idle: Sequence[Entry], more: Sequence[Edit], *, safe: bool = True) -> Problem:
        """Return the problem that a suppression, or some entries of it, do nothing; `more` are removed with them."""
        every = len(idle) == len(placed.stated.entries or ())
        span = placed.span
        if not every:
            span = Span(placed.at(idle[0].span).start, placed.at(idle[-1].span).end)
        own = placed.without(None if every else idle)
        data = {"verb": placed.stated.verb, "names": tuple(entry.text for entry in idle), "every": every}
        safe = safe and placed.is_safe(None if every else idle)
        return Problem("unused-suppression", span, data, (*own, *more) if own else (), certain=safe)


class _Subjects:
    """What follows a comment: calls, or the texts that contain calls; places are asked about in rising order."""

    def __init__(self, snapshot: Snapshot, *, texts: bool, given: Sequence[Span] | None) -> None:
        self.snapshot = snapshot
        self.texts = texts
        self.given = given
        self.block = 0

    def spans(self, block: int) -> Sequence[Span]:
        """Return the subjects of one block, in its own offsets."""
        if self.given is not None:
            return self.given if block == 0 else ()
        return reached(self.snapshot.blocks[block])[1 if self.texts else 0]

    def after(self, at: int) -> Span | None:
        """Return the first subject that begins at a place or after it."""
        starts = self.snapshot.starts
        self.block = max(self.block, bisect_right(starts, at) - 1)
        for number in range(self.block, len(starts)):
            spans, start = self.spans(number), starts[number]
            index = bisect_left(spans, at - start, key=lambda span: span.start)
            if index < len(spans):
                self.block = number
                return spans[index].shift(start)
        self.block = len(starts)
        return None

    def begins_at(self, at: int) -> bool:
        """Return whether a subject begins at a place."""
        starts = self.snapshot.starts
        number = max(bisect_right(starts, at) - 1, 0)
        spans, start = self.spans(number), starts[number]
        index = bisect_left(spans, at - start, key=lambda span: span.start)
        return index < len(spans) and spans[index].start + start == at

    def end_on_line(self, line: Span) -> int:
        """Return where the last subject ends that begins in a segment of a line."""
        starts = self.snapshot.starts
        number = max(bisect_right(starts, line.start) - 1, 0)
        spans, start = self.spans(number), starts[number]
        index = bisect_left(spans, line.end - start, key=lambda span: span.start) - 1
        return spans[index].end + start if index >= 0 and spans[index].start + start >= line.start else line.start
