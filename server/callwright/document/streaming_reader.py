"""Reading a text that is still arriving, by the reader that reads whole texts.

Owns: what is decided and what has to wait, the text that is kept for it, and how often a reading that had to wait is
tried again. Must not know: tools beyond what the context gives, rules, events.

A candidate is decided when nothing that was read for it touches the end of what has arrived; it is then what the whole
text would make it. Until then it is held, together with all after it, and tried again when the caller reports that it
may be complete or when the held text has grown by half. For each character that arrives, at most a fixed number of
characters is read, so that no text, however hostile, costs more than linear time.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Final, TypeAlias

from callwright.calls.scanning import skip_space
from callwright.dialects.catalogue import dialect_openers
from callwright.document.reader import PARTIAL_LIST, START, ReadResult, Scanner
from callwright.syntax import reasoning
from callwright.syntax.prose import COMMENT_OPEN, CodeSpans, line_end, line_start
from callwright.text.span import Span

if TYPE_CHECKING:
    from callwright.calls.protocol import ReadContext

#: How many characters may be read for each that arrives, and how many before any arrives.
_CREDIT: Final = 8
_GRANT: Final = 1 << 14
#: How often what looks complete is tried again with each character, and how often after that at distances that double.
_AT_ONCE: Final = 12
_RIPE: Final = _AT_ONCE + 7
#: How many characters of settled text are kept, and how many of one long line.
_SETTLED: Final = 512
_LONG_LINE: Final = 4096
_TAIL: Final = 64
#: The longest line that may contain a tool's name.
_MAX_NAME_LENGTH: Final = 200
_HEAD: Final = re.compile(r"<[/!|｜]?[^\s<>]*+[ \t]*+>?")
_MARKER: Final = re.compile(r"`++|~++")
_LEAD: Final = re.compile(r"(?:[ \t>]|[-*+][ \t]|\d{1,9}[.)][ \t])*+")
#: The word that leads a line: it may be the name of a tool that is called there.
_LEADING_WORD: Final = re.compile(r"[ \t>]*+(?:await[ \t]{0,4}+)?+[\w.]{0,100}+")


@dataclass(frozen=True, slots=True)
class ReadCandidate:
    """One candidate that was read and decided: calls, problems, or a quoted string with calls.

    `text` is what `segment` refers to; its offsets are `base` less than those of the whole text. Offsets before
    `start`, where the candidate begins in `text`, have no meaning in the whole text.
    """

    text: str
    base: int
    start: int
    segment: ReadResult


#: A piece of text that belongs to no call, or what was found.
Item: TypeAlias = str | ReadCandidate


@cache
def _partial_openers() -> dict[str, tuple[str, ...]]:
    """Return, by its last character, each text that may grow into an opener, the longest first."""
    literals = {opener for opener, _ in dialect_openers()} | {*reasoning.OPENERS, COMMENT_OPEN, "```", "~~~", "</"}
    found: dict[str, set[str]] = {}
    for literal in literals:
        for length in range(1, len(literal)):
            found.setdefault(literal[length - 1], set()).add(literal[:length])
    return {char: tuple(sorted(each, key=len, reverse=True)) for char, each in found.items()}


@cache
def _begins() -> re.Pattern[str]:
    """Return the pattern of what can begin a candidate, or of what a line's beginning may belong to."""
    literals = {opener[0] for opener, _ in dialect_openers()} | {opener[0] for opener in reasoning.OPENERS}
    return re.compile(f"[{re.escape(''.join(sorted(literals)))}<`~{{\\[\\]*_\r\n]")


@cache
def _partials() -> frozenset[str]:
    return frozenset(part for parts in _partial_openers().values() for part in parts)


@cache
def _longest() -> int:
    return max(map(len, _partials()))


class GrowingReader:
    """Reads a text piece by piece; returns its text and what is read in it as soon as they are certain."""

    def __init__(
        self, context: ReadContext, *, markdown: bool = True, before: str | None = None, quotes: bool = True
    ) -> None:
        """Begin a text; `before` is what precedes it on its first line.

        Without `quotes`, a quoted string is text, whatever calls it contains.
        """
        self._quotes = quotes
        self.context = context
        self.markdown = markdown
        self.walk = Scanner(before or "", context, START, markdown, at_end=False)
        #: The offset in the whole text of the first kept character.
        self.base = 0
        #: Where reading continues, how much was returned as text or taken by calls, and whether a candidate is held
        #: there.
        self.at = self.shown = len(self.walk.text)
        self.held = False
        # Where a held block is text whether it ends or not, its text is read for calls besides.
        self._looks_inside = before is None
        self._inside: GrowingReader | None = None
        self._stopped = -1
        #: The result of the latest attempt at the held candidate; None where none was made since more text arrived.
        self.tried: ReadResult | None = None
        self._failed = 0
        # How often a held candidate looked complete, and how much later it is therefore tried again; 0 where it is not.
        self._ripe = self._step = 0
        self._ripened = -1
        self._fresh: list[str] = []
        self._waiting = 0
        self._credit = _GRANT
        #: How many characters were read so far.
        self.work = 0

    @property
    def kept(self) -> int:
        """How many characters are kept."""
        return len(self.walk.text) + self._waiting

    @property
    def place(self) -> int:
        """Where reading continues, as an offset of the whole text."""
        return self.base + self.at

    @property
    def text(self) -> str:
        """The kept text that was tried so far."""
        return self.walk.text

    def add(self, chunk: str) -> None:
        """Add the next piece of the text."""
        self.tried = None
        if self._inside is not None:
            self._inside.add(chunk)
        self._fresh.append(chunk)
        self._waiting += len(chunk)
        self._credit += _CREDIT * len(chunk)

    def pass_text(self, chunk: str) -> bool:
        """Add the next piece of the text where plain text follows plain text; it counts as returned already.

        Return False, and do nothing, where the piece has to be read.
        """
        scanner = self.walk
        size = len(scanner.text)
        if self.held or self._waiting or self.shown != size or self.at != size or not size or size > _LONG_LINE:
            return False
        if scanner.text[-1] in "\r\n" or _begins().search(chunk) is not None:
            return False
        scanner.text += chunk
        self._credit += _CREDIT * len(chunk)
        self.at = self.shown = len(scanner.text)
        return True

    def read(self, *, urged: bool = False) -> list[Item]:
        """Return what can be decided now. `urged` means that what is held may be complete."""
        if not self._waiting:
            return []
        held = len(self.walk.text) - self.at
        items: list[Item] = []
        if self._inside is not None:
            self._show_inside(self._inside.read(urged=urged), items)
        if self.held:
            size = held + self._waiting
            due = urged or 2 * size >= 3 * self._failed or (self._step > 0 and size >= self._failed + self._step)
            if not due or size > self._credit:
                return items
        self._grow()
        return items + self._pass(final=False)

    def finish(self) -> list[Item]:
        """Return the rest; the text is complete."""
        self._grow()
        return self._pass(final=True)

    def _grow(self) -> None:
        """Append what has arrived to the kept text, and drop what is no longer needed."""
        scanner = self.walk
        before = len(scanner.text)
        line = scanner.line_of(self.at)
        dropped, lead = self._dropped(line)
        scanner.text = "".join((lead, scanner.text[dropped:] if dropped else scanner.text, *self._fresh))
        self._fresh.clear()
        self._waiting = 0
        shift = dropped - len(lead)
        self.base += shift
        self.at -= shift
        self.shown -= shift
        scanner.line = 0 if dropped else line
        scanner.line_seen = self.at
        scanner.last_visible = (
            skip_space(scanner.text, before - shift) if scanner.last_visible >= before else scanner.last_visible - shift
        )
        scanner.scan.grow(shift, self.at)
        scanner.spans = CodeSpans(scanner.text)

    def _dropped(self, line: int) -> tuple[int, str]:
        """Return how much of the kept text is no longer needed, and what has to replace it.

        A line is kept from its start, for its indentation; of a long one only the lead and the end are kept.
        """
        known, text = min(self.at, self.shown), self.walk.text
        if known - line > _LONG_LINE:
            lead = _LEAD.match(text, line)
            visible = line if lead is None else lead.end() + 1
            tail = known - _TAIL
            if visible < tail:
                return tail, text[line:visible]
            # Only a lead: each of its markers ends with white space or `>`, after which it can be cut.
            cut = max(text.rfind(marker, 0, tail) for marker in " \t>") + 1
            if cut > line:
                return cut, ""
        return (min(line, known), "") if min(line, known) > _SETTLED else (0, "")

    def _pass(self, *, final: bool) -> list[Item]:
        """Read candidates until one has to wait or none is left."""
        scanner, text = self.walk, self.walk.text
        items: list[Item] = []
        self.held = False
        cost = len(text) - self.at
        self.work += cost
        self._credit -= cost
        while True:
            place = scanner.candidate(self.at, len(text))
            if place is None or (not final and place > self._whole_until(self.at)):
                break
            if not final and not self._is_headed(place):
                self._hold(place, items)
                self._failed = self._ripe = self._step = 0
                return items
            end = self._try(place, final=final)
            if end is None:
                self._hold(place, items)
                self._ripen()
                self._look_inside(place, items)
                return items
            self._inside = None
            self._ripe = self._step = 0
            self._take(place, end, items)
        self.at = max(self.at, len(text) if final else self._whole_until(self.at))
        self._show(self.at if final else self._margin(self.at), items)
        return items

    def _try(self, place: int, *, final: bool) -> int | None:
        """Read the candidate at `place`; return where reading continues, or None where that is not decided yet."""
        scanner = self.walk
        fences, context, out = [*scanner.fences], scanner.context, scanner.out
        before = scanner.wrappers, scanner.last_frame, scanner.last_visible
        scanner.scan.scanned = scanner.scan.sought = out.reach = 0
        # What a tag begins may be clear only with more text.
        scanner.not_found = ()
        claims = replace(scanner.scan.claims)
        end = scanner.read_candidate(place)
        if final or max(end, out.reach, scanner.scanned) < len(scanner.text):
            return end
        scanner.fences, scanner.context = fences, context
        scanner.wrappers, scanner.last_frame, scanner.last_visible = before
        scanner.scan.claims = claims
        self.tried, scanner.out = out, ReadResult(0, START, 0)
        return None

    def _take(self, place: int, end: int, items: list[Item]) -> None:
        """Return what was read at `place`, after the text before it."""
        scanner = self.walk
        out, scanner.out = scanner.out, ReadResult(0, START, 0)
        if not self._quotes:
            out.quoted.clear()
        self.at = end
        if not (out.calls or out.problems or out.quoted):
            return
        for start, stop in _frames(out):
            self._show(start, items)
            self.shown = max(self.shown, stop)
        items.append(ReadCandidate(scanner.text, self.base, place, out))

    def _show(self, until: int, items: list[Item]) -> None:
        if until > self.shown:
            items.append(self.walk.text[self.shown : until])
            self.shown = until

    def _hold(self, place: int, items: list[Item]) -> None:
        self.at = place
        self.held = True
        self._failed = len(self.walk.text) - place
        self._show(self._margin(place), items)

    def _ripen(self) -> None:
        """Plan the next attempt at what looks complete: soon, since often only the next few characters are missing."""
        tried = self.tried
        calls = [] if tried is None or tried.problems else [found.call for found in tried.calls]
        self._step = 0
        if calls and all(call.complete and not call.problems for call in calls):
            end = self.base + max(call.place.end for call in calls)
            if end != self._ripened:
                # More of it has arrived, such as the first of its closing markers.
                self._ripe, self._ripened = 0, end
            if self._ripe < _RIPE:
                self._step = 1 << max(self._ripe - _AT_ONCE, 0)
                self._ripe += 1

    def _look_inside(self, place: int, items: list[Item]) -> None:
        """Return the text of a held block as far as it is text whether the block ends or not: all of it if it does, and
        what is no call in it if it does not."""
        scanner, text = self.walk, self.walk.text
        if not self._looks_inside or self._inside is not None or self._stopped == self.base + place:
            return
        if scanner.fences or self.tried is None or self.tried.calls:
            return
        opener = COMMENT_OPEN if text.startswith(COMMENT_OPEN, place) else self._reasoning_opener(place)
        if opener is None:
            return
        begin = place + len(opener)
        self._show(begin, items)
        self._inside = GrowingReader(
            self.context,
            markdown=self.markdown,
            before=text[scanner.line_of(place) : begin][-_LONG_LINE:],
            quotes=self._quotes,
        )
        self._inside.add(text[begin:])
        self._show_inside(self._inside.read(), items)

    def _reasoning_opener(self, place: int) -> str | None:
        """Return what opens the reasoning block at `place`, None where calls in one count or a tool has its name."""
        opener = reasoning.block_opener(self.walk.text, place)
        if opener is None or self.context.reasoning == "calls":
            return None
        name = reasoning.tag_name(opener)
        return None if name is not None and self.context.tools.has(name) else opener

    def _show_inside(self, found: list[Item], items: list[Item]) -> None:
        """Return text of a held block; after a call in it nothing is certain."""
        for item in found:
            if isinstance(item, str):
                items.append(item)
                self.shown += len(item)
            elif item.segment.calls or item.segment.quoted:
                self._stopped, self._inside = self.place, None
                return

    def _is_headed(self, place: int) -> bool:
        """Return whether enough has arrived to know what begins at `place`: an opener, a tag, a fence's line."""
        scanner, text = self.walk, self.walk.text
        if len(text) - place < _longest() and text[place:] in _partials():
            return False
        char = text[place]
        if char == "<":
            head = _HEAD.match(text, place)
            return head is None or head.end() < len(text)
        if char in "`~":
            run = _MARKER.match(text, place)
            end = len(text) if run is None else run.end()
            if end - place >= 3 and scanner.leads(place, scanner.line_of(place)):
                end = line_end(text, end) + 1
            return end < len(text)
        return True

    def _whole_until(self, at: int) -> int:
        """Return the end of the text after `at` that cannot be the beginning of an opener."""
        text = self.walk.text
        if at >= len(text):
            return at
        listed = PARTIAL_LIST.search(text, max(at, len(text) - _MAX_NAME_LENGTH))
        whole = len(text) if listed is None else listed.start()
        for part in _partial_openers().get(text[-1], ()):
            if text.endswith(part):
                return max(at, min(whole, len(text) - len(part)))
        return whole

    def _margin(self, at: int) -> int:
        """Return where the text before `at` begins that may belong to a call at `at`, else `at`: asterisks of bold
        print, a line that is just the name of a tool, or the word that leads a line."""
        text, shown = self.walk.text, self.shown
        if self.context.strict and not self.walk.fences:
            start = self.walk.line_of(self.at) if at == self.at else line_start(text, at)
            if shown < at <= start + _MAX_NAME_LENGTH and _LEADING_WORD.fullmatch(text, start, at) is not None:
                return max(start, shown)
        end = at - (2 if text.startswith("\r\n", at - 2) else text.startswith(("\r", "\n"), max(at - 1, 0)))
        floor = max(end - _MAX_NAME_LENGTH, 0)
        begin = max(text.rfind("\n", floor, end), text.rfind("\r", floor, end), floor - 1) + 1
        if shown <= begin < at:
            line = text[begin : end if end < at else begin + _MAX_NAME_LENGTH]
            if self.context.tools.has(line) or (end == at and any(n.startswith(line) for n in self.context.siblings)):
                return begin
        while at > shown and end - at < 2 and text[at - 1] in "*_":
            at -= 1
        return at


def _frames(segment: ReadResult) -> list[Span]:
    """Return the spans of calls with their frames, in order."""
    spans = [found.call.frame or found.call.span for found in segment.calls]
    for quoted in segment.quoted:
        spans += [quoted.projection.raw_span(span) for span in _frames(quoted.segment)]
    return sorted(set(spans))
