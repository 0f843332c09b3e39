"""Reading: from a passage to its calls, with the cursor that knows fences, code spans and comments.

Owns: the walk through a passage, the order in which dialects are asked, and the state that a block passes to the next.
Must not know: tools beyond `ToolNames`, rules, documents.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Container, Sequence
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Final

from callwright.calls.marker_problems import mismatched
from callwright.calls.protocol import ReadContext, Reading, WindowEndError, offers_nothing
from callwright.calls.scan_state import ScanState
from callwright.calls.scanning import end_of_line, skip_space
from callwright.calls.tags import BARE_TAG_DIALECTS, bare_tag, is_prose, is_word, prose_tags
from callwright.dialects.catalogue import dialect_openers, find_dialect, frame_names
from callwright.document.misspelt_frames import may_frame, misspelt_frame
from callwright.syntax import reasoning
from callwright.syntax.problem import Problem
from callwright.syntax.prose import (
    COMMENT_OPEN,
    PLAIN_LANGUAGES,
    CodeSpans,
    Fence,
    FenceState,
    comment_end,
    fence_at,
    fence_closer,
    line_end,
    line_start,
)
from callwright.syntax.xml_closers import is_misspelt
from callwright.text.budget import UNLIMITED, Budget
from callwright.text.holes import HOLE
from callwright.text.projection import JsonString
from callwright.text.records import NamedTuple, dataclass, field, replace
from callwright.text.span import Span, delete
from callwright.tools.shipped import is_shipped

if TYPE_CHECKING:
    from callwright.calls.model import ToolCall
    from callwright.document.settings import Settings
    from callwright.tools.registry import ToolRegistry

# Every alternative begins with a literal, which makes the search fast; a brace counts only after a line's lead. No lead
# ends in a brace and a space, which skips most brackets of program text; a key in quotes makes it JSON all the same.
_INNER = r"""(?:(?=\{?")|(?<![\w:;,=\]}"'(\[{|&!?/\\%$#@~^<`][ \t].))"""
#: The openers of dialects whose calls begin with a brace, a bracket or a tag; patterns, not compiled.
BRACE = r"\{(?<![^ \t>\r\n]\{)" + _INNER
#: A list of calls in Python's syntax is read at any place.
_CALLS = r"[A-Za-z_][\w.]{0,100}+\("
BRACKET = r"\[(?:(?<![^ \t>\r\n]\[)" + _INNER + rf"|(?=TO|TH|{_CALLS}))|\]<\]"
#: A call in Python's syntax on a line of its own, for strict reading, which may miss nothing of that form.
PARENTHESIS = r"\((?<=\w\()"
ANGLE = rf"<(?=[A-Za-z_/!|｜{HOLE}])"
#: The same for all places of a line. An opener that none of them finds is found by the rarest of its characters: those
#: of `_RARE` in their order, then a capital letter, so that the search stops at few places.
_MARKED = re.compile(f"{ANGLE}|```|~~~|{BRACE}|{BRACKET}")
_RARE = "=[{|>:_"
#: From this many characters read to see that a tag begins nothing, that is remembered.
_SOON_SEEN = 80
#: How many such tags are remembered.
_MAX_NOT_FOUND = 4
_LISTED = re.compile(rf"\[{_CALLS}")
_SPANNED = "```["
_WORD = re.compile(r"[\w.]{0,100}+")
#: The beginning of a tag at a text's end.
PARTIAL_LIST = re.compile(r"\[[A-Za-z_][\w.]{0,100}+\Z")
_LEAD = re.compile(r"(?:[ \t>]|[-*+][ \t]|\d{1,9}[.)][ \t])*+")
_CLOSING = re.compile(r"</([A-Za-z_][\w.:\-]*+)[ \t]*+>")
#: The commonest code span: one back-tick on each side, on one line.
_CODE_SPAN = re.compile(r"(?<!`)`[^`\r\n]++`(?!`)")
_QUOTED = re.compile(r'"(?:[^"\\\r\n]++|\\[^\r\n])*+"')
#: The same while it is not closed.
_OPEN_QUOTED = re.compile(r'"(?:[^"\\\r\n]++|\\[^\r\n])*+')
#: The end of a line, and a blank line after it. A class first, and then the line feed of a CRLF: also for the speed of
#: the search.
BLANK_LINE: Final = re.compile(r"[\r\n](?:(?<=\r)\n)?+[ \t]*+[\r\n](?:(?<=\r)\n)?+")
_SAFE_IN_FENCE = re.compile(r"[\r\n](?:(?<=\r)\n)?+")
#: How far after a call in a fence a diagnostic about it may reach: white space, and the beginning of a closer.
_MAX_GAP_LENGTH = 500
_MAX_CLOSER_LENGTH = 100
#: Families whose calls end with one of these, whatever else they contain.
_FRAMED = ("tool_call", "envelope")
#: Fences whose content is Markdown, so that a fence in them opens another.
_NESTING = frozenset({"markdown", "md"})


class ReaderState(NamedTuple):
    """What a block must know of the text before it.

    `fences` are those that are open where it begins, outermost first. `wrappers` counts list tags that contain no call.
    `follows` is the frame of the last call where only white space is after it, else None.
    """

    fences: tuple[FenceState, ...] = ()
    wrappers: int = 0
    follows: str | None = None


START = ReaderState()
#: The frame of a call that is a bare tag of a known tool.
_BARE = "bare tag"
#: The openers of reasoning blocks, which have no dialect.
_QUIET = tuple((opener, "") for opener in reasoning.OPENERS)


@dataclass(frozen=True, slots=True)
class FoundCall:
    """A call with the fence it is in, if any."""

    call: ToolCall
    fence: FenceState | None = None


@dataclass(slots=True)
class QuotedPassage:
    """A quoted string that contains calls: its decoded text with its projection, and what was read in it."""

    projection: JsonString
    segment: ReadResult


@dataclass(slots=True)
class ReadResult:
    """What was read from a piece of a passage.

    `end` is where reading stopped: the end of the text, or a line start at which the next block can begin with `state`.
    `reach` is how far the text was read; no text after it can change this segment. `fenced` lists where fences open and
    close, each with how many are open from there on.
    """

    end: int
    state: ReaderState
    reach: int
    calls: list[FoundCall] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    quoted: list[QuotedPassage] = field(default_factory=list)
    fenced: list[tuple[int, int]] = field(default_factory=list)


#: No names: one set for all contexts.
_NONE: Final[frozenset[str]] = frozenset()


def read_context(
    registry: ToolRegistry,
    settings: Settings,
    budget: Budget = UNLIMITED,
    *,
    documented: Container[str] | None = None,
) -> ReadContext:
    """Return what parsers know of a project; `documented` is as in `ReadContext`."""
    return ReadContext(
        registry,
        preferred=settings.dialect,
        strict=settings.strict,
        reasoning=settings.reasoning,
        siblings=registry.name_set,
        budget=budget,
        documented=documented,
        answer_tags=frozenset(settings.answer_tags) if settings.answer_tags else _NONE,
        offered=is_shipped if settings.strict else offers_nothing,
        stated=frozenset((*settings.accept, *settings.taken)) if settings.accept or settings.taken else _NONE,
    )


def read_segment(
    text: str,
    context: ReadContext,
    *,
    state: ReaderState = START,
    markdown: bool = True,
    start: int = 0,
    stop_after: int | None = None,
    at_end: bool = True,
    ends: Sequence[int] | None = None,
) -> ReadResult:
    """Read the calls in `text` from `start` on.

    With `stop_after`, reading stops at the first line start at or after it where nothing is open but fences; with
    `ends`, an ordered list, only at one of its places. `at_end` is whether the passage ends with `text`; where it does
    not and `reach` is its length, nothing else of the segment counts: it must be read again with more text. Raises
    BudgetExceededError where the context's budget does.
    """
    scanner = Scanner(text, context, state, markdown, at_end, ends)
    if at_end:
        return scanner.run(start, stop_after)
    scanner.scan.window = len(text)
    try:
        return scanner.run(start, stop_after)
    except WindowEndError:
        return ReadResult(len(text), state, len(text))


def read_reply(text: str, context: ReadContext, *, most: int | None) -> ReadResult:
    """Read the calls of a whole reply; reading stops after the first call more than `most`.

    Raises BudgetExceededError where the context's budget does.
    """
    return Scanner(text, context, START, markdown=True, at_end=True).run(0, None, most)


@cache
def opener_words() -> dict[str, list[tuple[str, int]]]:
    """Return the openers that no other pattern finds, by the character they are searched by, and its index in each."""
    found: dict[str, list[tuple[str, int]]] = {}
    for word in {opener: 0 for opener, _ in (*dialect_openers(), *_QUIET)}:
        # An opener that is just a bracket counts only where those patterns find it.
        if word in ("<", "{", "[") or _MARKED.match(f"a {word}", 2) is not None:
            continue
        at = _anchor(word)
        found.setdefault(word[at], []).append((word, at))
    return found


@cache
def _candidates(*, in_code: bool, strict: bool) -> re.Pattern[str]:
    """Return the pattern of places where something other than prose can begin, or of what an opener is searched by."""
    anchored = [
        f"{re.escape(anchor)}(?<={re.escape(word[: at + 1])}){_ahead(word[at + 1 :])}"
        for anchor, words in opener_words().items()
        for word, at in words
    ]
    # No group: with one, the search would not be for the first characters of the alternatives.
    called = [PARENTHESIS] if strict and not in_code else []
    return re.compile("|".join([ANGLE, "```" if in_code else "`", "~~~", *anchored, BRACE, BRACKET, *called]))


@lru_cache(maxsize=32)
def _passed(tags: str, *, in_code: bool, strict: bool) -> re.Pattern[str]:
    """Return the pattern of text in which nothing begins, up to the next place that `_candidates` finds, or before it.

    Code spans are skipped with the text, and so are the tags that `tags` matches: these are many, and a search that
    stops at each takes ten times as long.
    """
    markers = {"`": "`(?!``)", "~": "~(?!~~)", "<": rf"<(?![A-Za-z_/!|｜{HOLE}])", "]": r"](?!<\])"}
    markers |= {"{": rf"(?!{BRACE})\{{", "[": rf"(?!{BRACKET})\["}
    if not in_code:
        markers["`"] = _CODE_SPAN.pattern
        if strict:
            markers["("] = rf"(?!{PARENTHESIS})\("
    for anchor, words in opener_words().items():
        begins = "|".join(f"(?<={re.escape(word[: at + 1])}){_ahead(word[at + 1 :])}" for word, at in words)
        if anchor == "`":
            markers[anchor] = f"(?!`(?:{begins})){markers[anchor]}"
        else:
            markers[anchor] = f"{markers.get(anchor, re.escape(anchor))}(?!{begins})"
    # What a tag in quotes begins is read with its quotes.
    passed = rf'(?<!"){tags}'
    plain = "".join(map(re.escape, markers))
    return re.compile(f"(?:[^{plain}]++|{'|'.join(markers.values())}|{passed})*+")


def _anchor(word: str) -> int:
    """Return the index of the character that an opener is searched by."""
    rare = next((marker for marker in _RARE if marker in word), None)
    return word.index(rare) if rare is not None else next((i for i, c in enumerate(word) if c.isupper()), 0)


def _ahead(rest: str) -> str:
    return f"(?={re.escape(rest)})" if rest else ""


@cache
def _odd_openers() -> tuple[str, ...]:
    """Return the openers that begin like something that is read by other means: a code span, a parenthesis."""
    return tuple(word for words in opener_words().values() for word, _ in words if word[0] in "`~(")


@cache
def _longest_opener() -> int:
    return max(len(opener) for opener, _ in (*_QUIET, *dialect_openers())) + 1


#: How many characters distinguish the openers that may be at a place: all fences begin alike.
_OF_MARKER: Final = 2
_OF_FENCE: Final = 5


@lru_cache(maxsize=4096)
def _openers_at(first: str) -> tuple[tuple[str, str], ...]:
    """Return the openers that can be at a text whose first few characters are `first`, each with its dialect, in the
    order in which they are tried; reasoning blocks have no dialect."""
    every = (*_QUIET, *dialect_openers())
    return tuple((opener, name) for opener, name in every if opener.startswith(first) or first.startswith(opener))


@lru_cache(maxsize=4096)
def _framing_openers(first: str) -> tuple[str, ...]:
    """Return those of `_openers_at` that show by themselves what begins there, whatever the tools are called."""
    return tuple(opener for opener, _ in _openers_at(first) if len(opener) > 1)


def _frame_of(call: ToolCall, context: ReadContext) -> str:
    """Return the frame of a call: its family, or `_TAG` for a bare tag of a known or documented tool."""
    if call.dialect in BARE_TAG_DIALECTS and call.tool is not None and call.complete:
        known = context.tools.has(call.tool) or call.tool in (context.documented or ())
        return _BARE if known else ""
    return str(call.details.get("family", ""))


class Scanner:
    """One pass over one text, from candidate to candidate; `out` is what was read so far."""

    def __init__(
        self,
        text: str,
        context: ReadContext,
        state: ReaderState,
        markdown: bool,
        at_end: bool,
        ends: Sequence[int] | None = None,
    ) -> None:
        self.text = text
        self.ends = ends
        self.scan = ScanState()
        self.base = context
        self.fences = list(state.fences)
        self.context = self._context()
        self.markdown = markdown
        self.at_end = at_end
        self.spans = CodeSpans(text)
        self.line = 0
        self.line_seen = 0
        #: How far the lead of the last examined line reaches, and in which text.
        self.lead_line, self.lead_end, self.lead_text = -1, -1, text
        self.last_frame = state.follows
        self.last_visible = -1
        self.wrappers = state.wrappers
        #: Where a block may end, in prose and in fences: from where that was searched for, up to where the result is
        #: the same, and the result.
        self.sought_ends: dict[bool, tuple[int, int, int]] = {}
        #: No block ends before this place: a diagnostic is reported up to what is after its call.
        self.held = -1
        self.out = ReadResult(0, state, 0)
        #: The text at tags that begin nothing, as far as it was read, each with the character before it, and their
        #: line. The same text later in the line begins nothing either.
        self.not_found: tuple[str, ...] = ()
        self.not_found_line = -1
        self._in_prose, self._in_code = (
            _candidates(in_code=in_code, strict=context.strict) for in_code in (False, True)
        )
        #: What `_passed` returns, in prose and in fences.
        self._past: dict[bool, re.Pattern[str]] = {}
        self._words = opener_words()

    def _context(self) -> ReadContext:
        fence = self.fences[-1] if self.fences else None
        base = self.base
        # What a tag may be depends on the fence that it is in.
        self.scan.outcomes = {}
        # It is made for each text, and `replace` takes three times as long.
        return ReadContext(
            base.tools,
            base.preferred,
            base.strict,
            base.reasoning,
            fence,
            base.siblings,
            base.budget,
            self.scan,
            base.documented,
            base.answer_tags,
            base.offered,
            base.stated,
        )

    def run(self, start: int, stop_after: int | None, most: int | None = None) -> ReadResult:
        """Read from `start` on, to the end of the text or of the block, and return what was read."""
        text, out = self.text, self.out
        at = start
        self.line = self.line_seen = start
        if self.last_frame is not None:
            self.last_visible = skip_space(text, start)
            if self.last_frame == _BARE:
                self.scan.after_call = self.last_visible
        limit = self._limit(start, stop_after)
        depth = len(self.fences)
        while True:
            if at > limit or len(self.fences) != depth or limit < max(self.held, self._claimed):
                depth = len(self.fences)
                limit = self._limit(at, stop_after)
            place = self._next(at, limit)
            if place is None:
                break
            at = self.read_candidate(place)
            if most is not None and len(out.calls) > most:
                break
        out.end = max(at, limit)
        out.reach = max(out.reach, out.end, min(max(self.held, self.scanned), len(text)))
        follows = self.last_frame if self.last_visible >= out.end else None
        out.state = ReaderState(tuple(self.fences), self.wrappers, follows)
        return out

    def _next(self, at: int, limit: int) -> int | None:
        """Return what `candidate` returns, except for places where a code span or an HTML tag begins."""
        if not self.markdown:
            return self.candidate(at, limit)
        text, in_code = self.text, bool(self.fences)
        pattern = self._past.get(in_code)
        if pattern is None:
            tags = prose_tags(self.base.tools)
            pattern = self._past[in_code] = _passed(tags, in_code=in_code, strict=self.base.strict)
        seen = at
        while (passed := pattern.match(text, seen, limit)) is not None and passed.end() < limit:
            place = passed.end()
            words = self._words.get(text[place], ())
            before = next((before for word, before in words if text.startswith(word, place - before)), 0)
            if place - before >= at:
                return place - before
            seen = place + 1
        return None

    def candidate(self, at: int, limit: int) -> int | None:
        """Return the first place at or after `at` and before `limit` where something other than prose can begin."""
        text, pattern = self.text, self._in_code if self.fences else self._in_prose
        seen = at
        while (match := pattern.search(text, seen, limit)) is not None:
            place = match.start()
            words = self._words.get(text[place])
            if words is None:
                return place
            before = next((before for word, before in words if text.startswith(word, place - before)), 0)
            if place - before >= at:
                return place - before
            seen = match.end()
        return None

    def read_candidate(self, at: int) -> int:
        """Read what begins at `at`, a place that `candidate` returned, and return where reading continues."""
        self.context.budget.check()
        char = self.text[at]
        if char == "<":
            return self._angle(at)
        if char in "`~(" and self.text.startswith(_odd_openers(), at):
            end = self._dialects(at, self.line_of(at))
            if end is not None:
                return end
        if char == "`" and self.markdown and not self.fences:
            plain = _CODE_SPAN.match(self.text, at)
            if plain is not None:
                end = plain.end()
                self.out.reach = max(self.out.reach, min(end + 1, len(self.text)))
                return end
        if char in "`~":
            return self._marker(at)
        line = self.line_of(at)
        if char == "(" and self.context.strict:
            self.scan.line = (at, line)
            # Strict reading may miss nothing that is written like a call.
            from callwright.calls.strange import read_strange_python

            called = read_strange_python(text=self.text, start=at, context=self.context)
            return at + 1 if called is None else self._take(at, called)
        if char in "{[" and not self.leads(at, line):
            framed = self.text.startswith(_framing_openers(self.text[at : at + 2]), at) or _LISTED.match(self.text, at)
            if not framed and char == "[":
                word = _WORD.match(self.text, at + 1)
                self.context.look((at if word is None else word.end()) + 2)
            return (self._dialects(at, line) or at + 1) if framed else at + 1
        return self._dialects(at, line) or at + 1

    @property
    def scanned(self) -> int:
        """How far the text was read."""
        return max(self.scan.scanned, self.scan.sought)

    @property
    def _claimed(self) -> int:
        """The end of a value that was read, and that contains no call."""
        return max(self.scan.claims.objects, self.scan.claims.values)

    def _limit(self, at: int, stop_after: int | None) -> int:
        """Return the first place at or after `stop_after` where a block may end."""
        if stop_after is None:
            return len(self.text)
        stop_after = max(stop_after, self.held, self._claimed)
        start = max(at, stop_after)
        if self.ends is None and start == stop_after < len(self.text) and self._may_end(stop_after):
            return stop_after
        in_fence = bool(self.fences)
        sought, last, found = self.sought_ends.get(in_fence, (0, -1, 0))
        if not sought <= start <= last:
            last, found = self._next_end(start)
            self.sought_ends[in_fence] = (start, last, found)
        return found

    def _next_end(self, start: int) -> tuple[int, int]:
        """Return the first place at or after `start` where a block may end, and up to where this result is the same."""
        end = len(self.text)
        if self.ends is not None:
            places = (self.ends[at] for at in range(bisect_left(self.ends, start), len(self.ends)))
            found = next(filter(self._may_end, places), end)
            return found, found
        match = (_SAFE_IN_FENCE if self.fences else BLANK_LINE).search(self.text, start)
        if match is None:
            return end, end
        return match.start(), end if match.end() >= end and not self.at_end else match.end()

    def _may_end(self, at: int) -> bool:
        """Return whether a block may end at `at`: after a line's end in a fence, after a blank line in prose."""
        text = self.text
        if at == 0 or text[at - 1] not in "\r\n" or text.startswith("\r\n", at - 1):
            return False
        before = line_start(text, at - 2 if text.startswith("\r\n", at - 2) and at > 1 else at - 1)
        return bool(self.fences) or (before > 0 and not text[before:at].strip(" \t\r\n"))

    def line_of(self, at: int) -> int:
        """Return where the line that contains `at` begins; places come in rising order."""
        found = max(self.text.rfind("\n", self.line_seen, at), self.text.rfind("\r", self.line_seen, at))
        if found >= 0:
            self.line = found + 1
        self.line_seen = max(self.line_seen, at)
        return self.line

    def leads(self, at: int, line: int) -> bool:
        """Return whether only indentation, quote and list markers are before `at` on its line."""
        if self.lead_line != line or self.lead_text is not self.text:
            lead = _LEAD.match(self.text, line)
            self.lead_line, self.lead_text = line, self.text
            self.lead_end = line if lead is None else lead.end()
        return self.lead_end >= at

    def _marker(self, at: int) -> int:
        """Handle a run of back-ticks or tildes: a fence's opening or closing line, or a code span."""
        text, line = self.text, self.line_of(at)
        if self.fences and self._closes(at, line):
            return line_end(text, at)
        fence = fence_at(text, line) if self.leads(at, line) else None
        if fence is not None and fence.marker == at:
            return self._fence(fence, line)
        if text.startswith(_SPANNED, at) and self.leads(at, line):
            # A list of calls that is written as a fence; without line ends it is a code span.
            end = self._dialects(at, line)
            if end is not None:
                return end
        if text[at] == "`" and self.markdown and not self.fences:
            end, scanned = self.spans.span_end(at)
            self.out.reach = max(self.out.reach, scanned)
            return end
        end = at
        while end < len(text) and text[end] == text[at]:
            end += 1
        return end

    def _closes(self, at: int, line: int) -> bool:
        """Close the innermost fence where the run at `at` does, the first on its line; return whether it does."""
        top = self.fences[-1]
        text = self.text
        if text[at] != top.char or fence_closer(top.char, top.length).match(text, line) is None:
            return False
        if text[line:at].strip(" \t>"):
            return False
        self.fences.pop()
        self.out.fenced.append((line, len(self.fences)))
        self.context = self._context()
        return True

    def _fence(self, fence: Fence, line: int) -> int:
        end = self._dialects(fence.marker, line)
        if end is not None:
            return end
        if not self.fences or (self.fences[-1].language in _NESTING and fence.info):
            self.fences.append(FenceState(fence.char, fence.length, fence.language))
            self.out.fenced.append((fence.content, len(self.fences)))
            self.context = self._context()
            return fence.content
        return fence.marker + fence.length

    def _angle(self, at: int) -> int:
        text = self.text
        marker = text[at + 1]
        if marker == "!" and text.startswith(COMMENT_OPEN, at):
            end = comment_end(text, at, self.scan.searches)
            if end is None:
                self.out.reach = len(text)
                return at + len(COMMENT_OPEN)
            return end
        if marker == "/":
            closing = _CLOSING.match(text, at)
            if closing is None:
                return at + 1
            self._unmatched(at, closing)
            return closing.end()
        framing = may_frame(text, at) if self.fences else None
        if framing is not None:
            # A call may follow in the next line, where a block could end before it.
            self.held = max(self.held, skip_space(text, framing) + 1)
        if self.not_found and text.startswith(self.not_found, at - 1) and self.line_of(at) == self.not_found_line:
            self.context.look(at + max(map(len, self.not_found)))
            return at + 1
        quoted = at > 0 and text[at - 1] == '"'
        if (
            not quoted
            and is_prose(text, at, self.context)
            and not text.startswith(_framing_openers(text[at : at + 2]), at)
        ):
            return at + 1
        line = self.line_of(at)
        if quoted:
            end = self._quoted(at, line)
            if end is not None:
                return end
        return self._tag(at, line)

    def _tag(self, at: int, line: int) -> int:
        """Try the dialects at a tag; remember its text where it begins nothing and that took few characters to see."""
        scan = self.scan
        scanned, scan.scanned = scan.scanned, at
        end = self._dialects(at, line)
        seen = scan.scanned
        scan.scanned = max(scanned, seen)
        if end is not None:
            return end
        if seen - at <= _SOON_SEEN and not self.leads(at, line) and not self.text.startswith("<tool_calls>", at):
            others = self.not_found[: _MAX_NOT_FOUND - 1] if line == self.not_found_line else ()
            self.not_found = (self.text[at - 1 : max(seen, at + _longest_opener())], *others)
            self.not_found_line = line
        return at + 1

    def _unmatched(self, at: int, closing: re.Match[str]) -> None:
        """Report an unmatched closing tag of a call; inside a line, prose merely names one."""
        name = closing[1]
        follows = self.last_frame is not None and self.last_visible >= at
        if name in frame_names():
            if self.wrappers and name == "tool_calls":
                self.wrappers -= 1
                return
            if not follows or (name != "tool_calls" and self.last_frame not in _FRAMED):
                return
        elif not self.context.tools.has(name) or not (
            follows or (self.leads(at, self.line_of(at)) and not is_word(name, self.context))
        ):
            return
        if self.fences and self.fences[-1].language not in PLAIN_LANGUAGES:
            return
        span = Span(at, closing.end())
        if follows and self._is_misspelt_closer(span, name):
            return
        self.out.problems.append(
            Problem("unmatched-closing-tag", span, {"name": name}, (delete(at, closing.end()),), certain=follows)
        )

    def _is_misspelt_closer(self, span: Span, name: str) -> bool:
        """Return whether a closing tag is nearly the one that the call before it lacks; then that is the problem."""
        out = self.out
        for problems in (out.problems, *(found.call.problems for found in out.calls[-1:])):
            for index, problem in enumerate(problems):
                if problem.kind != "unclosed-tag" or not self._reaches(problem, span.start):
                    continue
                wanted = _CLOSING.fullmatch(problem.data.get("marker") or f"</{problem.data.get('name')}>")
                if wanted is not None and is_misspelt(wanted[1], name):
                    wrong = mismatched(span, wanted[0], problem.span)
                    problems[index] = replace(wrong, certain=problem.certain)
                    return True
        return False

    def _quoted(self, at: int, line: int) -> int | None:
        """Read a double-quoted string with escapes, whose content begins at `at`, as a passage of its own."""
        match = _QUOTED.match(self.text, at - 1)
        self.context.look(match.end() + 1 if match is not None else end_of_line(self.text, at, self.context) + 1)
        if match is None:
            return None
        raw = self.text[at : match.end() - 1]
        if '\\"' not in raw:
            return None
        self.scan.line = (at, line)
        if bare_tag(self.text, at, self.context) is None and not raw.startswith("<tool_call"):
            return None
        projection = JsonString(raw, at)
        segment = read_segment(projection.text, self.base, markdown=self.markdown)
        if not segment.calls:
            return None
        self.out.quoted.append(QuotedPassage(projection, segment))
        return match.end()

    def _dialects(self, at: int, line: int) -> int | None:
        """Try the dialects whose opener is at `at`; return where reading continues, or None where none reads it."""
        text = self.text
        self.scan.line = (at, line)
        strict = self.context.strict and text[at] in "{[" and at >= self._claimed
        for opener, name in _openers_at(text[at : at + (_OF_FENCE if text[at] == "`" else _OF_MARKER)]):
            if not text.startswith(opener, at):
                continue
            if not name:
                end = self._reasoning(at, opener)
                if end is not None:
                    return end
                continue
            dialect = find_dialect(name)
            reading = dialect.read(text, at, self.context) if dialect is not None else None
            if reading is not None:
                return self._take(at, reading)
        if text.startswith("<tool_calls>", at):
            self.wrappers += 1
        if strict:
            from callwright.calls.strange import read_result_marker, read_strange_object

            strange = read_strange_object(text, at, self.context) or read_result_marker(text, at, self.context)
            return None if strange is None else self._take(at, strange)
        return None

    def _reasoning(self, at: int, opener: str) -> int | None:
        """Return where the reasoning block that begins at `at` ends; None where there is none or it has no end."""
        name = reasoning.tag_name(opener)
        if self.context.reasoning == "calls" or (name is not None and self.context.tools.has(name)):
            return None
        end = reasoning.block_end(self.text, at, opener, self.scan.searches)
        self.context.look(len(self.text) if end is None else end)
        if end is not None and name is not None and self._is_named_only(at, opener, end):
            return None
        if end is not None and self.fences:
            closing = fence_closer(self.fences[-1].char, self.fences[-1].length).search(self.text, at, end)
            return None if closing is not None else end
        return end

    def _is_named_only(self, at: int, opener: str, end: int) -> bool:
        """Return whether a sentence only names the tag of a reasoning block.

        It is inside a line, and the block that it would begin contains another opener. In a model's reply it always
        counts as a tag.
        """
        if self.context.strict or self.leads(at, self.line_of(at)):
            return False
        return self.text.find(opener, at + len(opener), end) >= 0

    def _reaches(self, problem: Problem, end: int) -> bool:
        """Return whether something is missing at the end of a call, except for white space."""
        places = [edit.span.end for edit in problem.repair]
        places.append(int(problem.data.get("insert_at", -1)))
        return any(
            place >= 0 and end - place <= _MAX_GAP_LENGTH and not self.text[place:end].strip() for place in places
        )

    def _marker_quotes_uncertain(self, at: int, reading: Reading) -> None:
        """Make a repair a guess where it ends the string that the quote before a call begins.

        After quotes with backslashes it would turn the call into the content of that string, of which less is left.
        """
        opened = _OPEN_QUOTED.match(self.text, at - 1, reading.end)
        escaped = self.text.find('\\"', at, opened.end()) if opened is not None else -1
        if opened is None or escaped < 0:
            return
        after, end = escaped + 1, opened.end()
        for call in reading.calls:
            call.problems = [
                replace(problem, certain=False)
                if problem.certain and after <= self._first_quote(problem) <= end
                else problem
                for problem in call.problems
            ]

    def _misspelt_frame(self, place: Span, reading: Reading) -> int:
        """Report the frame around calls whose tags are misspelt; return where it ends, or the reading."""
        found = misspelt_frame(self.text, place, reading, self.context, lambda text: read_segment(text, self.base))
        if found is None:
            return place.end
        problem, frame = found
        self.out.problems.append(problem)
        for call in reading.calls:
            call.frame = frame
        return frame.end

    def _first_quote(self, problem: Problem) -> int:
        """Return where the repair of a problem first leaves a quote without a backslash, -1 where it leaves none."""
        text = self.text
        places = (
            span.start
            for span, new in problem.repair
            if '"' in new or (not new and span.of(text) == "\\" and text.startswith('"', span.end))
        )
        return min(places, default=-1)

    def _take(self, at: int, reading: Reading) -> int:
        fence = self.fences[-1] if self.fences else None
        out = self.out
        if self.text.startswith('"<', at - 1):
            self._marker_quotes_uncertain(at, reading)
        out.calls += [FoundCall(call, fence) for call in reading.calls]
        out.problems += reading.problems
        end = max(reading.end, at + 1)
        if reading.calls and self.text[at - 1 : at] in (">", "\n", "\r", " ", "\t"):
            end = self._misspelt_frame(Span(at, end), reading)
        out.reach = max(out.reach, reading.reach, end)
        self.last_visible = skip_space(self.text, end)
        problems = (*reading.problems, *(problem for call in reading.calls for problem in call.problems))
        after_line = fence is not None or self.text[end - 1].isspace()
        if after_line and any(self._reaches(problem, end) for problem in problems):
            # In prose an empty line is between a call and the end of its block, unless the call continues up to it.
            self.held = min(self.last_visible, end + _MAX_GAP_LENGTH) + _MAX_CLOSER_LENGTH
        last = reading.calls[-1] if reading.calls else None
        self.last_frame = _frame_of(last, self.context) if last is not None else ""
        if self.last_frame == _BARE:
            self.scan.after_call = self.last_visible
        return end
