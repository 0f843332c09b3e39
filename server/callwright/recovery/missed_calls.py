"""Calls that nobody reads: what stands in a reply outside of every call that was read, and is more than spoken of.

Owns: what in a whole reply is evidence of a call that is lost, and where it stands. Must not know: rules, messages'
severity, any single dialect; what a notation's marks are is learned from what it renders.

Prose that mentions a tool or a mark is no call: a tool's name must stand as it does in a call, in an object with
arguments, behind what a notation writes in front of it or near a mark of calls; or the marks of a call stand there,
opened and closed, and nothing in between can be read. Code spans, comments, programs in fences and what a model thinks
aloud are only spoken of. Time is linear in the text.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from functools import cache, cached_property, lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

from callwright.calls.call_marks import CALL_MARK
from callwright.calls.model import NATIVE
from callwright.recovery.unmatched_markers import gaps_of, may_hold_marks
from callwright.syntax import reasoning
from callwright.syntax.problem import Problem
from callwright.syntax.prose import PLAIN_LANGUAGES
from callwright.text.line_ends import LINE_START, NEWLINE, first_line_end, last_line
from callwright.text.span import Span

if TYPE_CHECKING:
    from callwright.document.reader import FoundCall
    from callwright.document.settings import Settings
    from callwright.tools.registry import ToolRegistry

#: One of these stands wherever arguments begin.
_OPENING: Final = "{[(<`|｜\"':="
#: What follows the name of a tool that is called.
_CALLED: Final = re.compile(
    r"(?![\w\-])(?:\\?[\"'”])?+\s{0,20}+(?::\d{1,9}\s{0,9}+)?+"
    r"(?:[<>|｜\[({}]|```|[,:=]?+\s{0,40}+\\?[\"'“]?+[A-Za-z_]{0,20}+(?:\x20Input)?+[\"']?+\s{0,9}+[:=]?+\s{0,20}+\\?[\"'\[({<])"
    r"|(?:\s{0,9}+(?:/ifm|ifm|arg_key|param|/?function|/tool_call)[|>\s])"
)
#: What follows a tool's name where it is defined, or where its result is told.
_DEFINED: Final = re.compile(r"\"properties\"\s*+:|\"description\"\s*+:|\"type\"\s*+:\s*+\"object\"|\s=\s\(_")
#: An object of arguments right behind the name, or arguments of a call alone on its line.
_OBJECT: Final = re.compile(r"[\"'”]?\s{0,9}:?\s{0,9}\{\s{0,40}\\?[\"'“]?([\w\-]{1,80})\\?[\"'”]?\s{0,9}:")
_KEYWORD: Final = re.compile(r"\(\s{0,40}([\w\-]{1,80})\s{0,9}=")
_RESULT: Final = re.compile(r"\"(?:results?|outputs?|observation|tool_call_id|is_error|stdout)\"\s*+:")
#: Marks that stand in calls alone, whatever dialect is asked for.
_CALLING: Final = re.compile(r"tool|function|call|action|invoke|plugin|ARGS", re.IGNORECASE)
_PLAIN: Final = re.compile(r"</?[A-Za-z_][\w.\-]*>")
#: The beginning of an object behind a mark.
_BESIDE: Final = re.compile(r"\s{0,20}+\[?+\s{0,20}+\{")
#: What stands behind a mark that names a tool, where it is more than mentioned.
_CONTENT: Final = re.compile(
    r"\s{0,40}+(?:(?:```[a-z]*+\s{0,9}+)?+\[?+\s{0,20}+\{|</?[A-Za-z｜|]|<\s|\"[\w\-]++\"\s*+:)"
)
#: What arguments begin with, and how far behind the name they do.
_ARGUMENTS: Final = re.compile(r"[{(\[]|<[^<>]{0,20}(?:param|arg)|</?+[A-Za-z_]++(?::[\w\-]++)?+>")
_SHORTLY: Final = 160
#: How far a mark may stand from the name of the tool.
_NEAR: Final = 600
#: How much white space may stand between a mark and an object.
_SPACE: Final = 20
#: How much may stand between a name and what a notation writes in front of it.
_PREFIX: Final = 120
#: A key's quote and colon before a name, or a quote whose colon is lost.
_VALUE_BEFORE: Final = re.compile(
    r"(?:[\w \-]\\?[\"'”`]{0,2}\s{0,20}(?:[:=,;]|=>|->)"
    r"|[{,]\s{0,9}\"\"\s{0,9}:|\w:?\\?[\"'”])\s{0,20}\\?[\"'“`]{0,2}\Z"
)
_ATTRIBUTE: Final = re.compile(r"(?:tool|name|function)\s{0,9}=\s{0,9}[\"']\Z")
_KEY_BEFORE: Final = re.compile(r"[{\[,]\s{0,40}\\?[\"'“`]?\Z")
_KEY_BEHIND: Final = re.compile(r"\\?[\"'”`]?+\s{0,20}+[:=]\s{0,20}+[{\[\"]")
#: A key that arguments stand below, nearly or quite as some notation has it.
_ARGUMENT_KEY: Final = re.compile(
    r"(?:[\"'“`]|&quot;)(?:arguments?|ar[gq]u?m?e?n?ts?|args?|kwargs|parameters?|params?|properties|(?:action|tool)?_?input|payload)(?:\\?[\"'”`]|&quot;)",
    re.IGNORECASE,
)
#: How many places where a tool is named are looked at.
_MOST_MENTIONS: Final = 200
#: What begins arguments, soon behind a name.
_SOON: Final = re.compile(r"[{(\[\"'<`|｜]")
#: A key, and what the object begins with that a mark ends.
_KEY: Final = re.compile(r"(?:[\"'“`]|&quot;)([\w\-]{1,80})(?:\\?[\"'”`]|&quot;)\s{0,9}[:=]")
_FIRST_BRACE: Final = re.compile(r"(?:^|[>\]\s])\{")
#: A line that opens a fence as calls stand in one, whole or damaged, with what may stand before the name below it.
_FENCE_WORD: Final = re.compile(
    rf"{LINE_START}[ \t]*[`~']{{1,4}}(?:tool_code|tool_call|tool|python)[ \t]*{NEWLINE}\Z", re.MULTILINE
)
#: A tag named as tools are, with other text in front of its first parameter.
_BARE_JSON: Final = re.compile(r"<([A-Za-z]\w{0,40}_\w{1,40})>\s{0,9}(?=\{[^<]{0,4000}+(?<=[}\s])</)")
_BARE_TAG: Final = re.compile(
    r"<([A-Za-z]\w{0,40}_\w{1,40})>[^<]{0,40}+(?:<!--[^<]{0,40}+)?<([A-Za-z]\w{0,40})>(?=[^<]{0,400}+</\2>)"
)
#: What is left of a mark that names a tool in an attribute.
_NAMED_MARK: Final = re.compile(
    r"(?<![\w.])(?:call|invoke|function)[ \t]{1,9}(?:tool|name)=[\"'][^\"'<>\n]{1,80}[\"'][^<>|\n]{0,80}(?:>|<\|)"
)
_SUFFIX: Final = re.compile(r":[\w\-]{1,40}>\Z")
_TAG_AGAIN: Final = re.compile(r"\s{0,20}(?:<\s?[\\/]?|/)\s?([\w.\-]{1,80})\s{0,9}/?>")
#: The tag right in front of one that closes a tool's: what closed its last parameter, or what was to open it.
_TAG_BEFORE: Final = re.compile(r"<(/)?([\w.\-]{1,80})>\s{0,20}\Z")
#: What may stand between a mark and the call that it belongs to: a bracket, the first line of a fence.
_LEAD: Final = re.compile(rf"[\s\[>]*(?:```[a-z]*[ \t]*{NEWLINE}\s*)?\Z")
_LEADING: Final = 40
#: A word that stands in front of a list of calls.
_LISTED: Final = re.compile(r"[A-Za-z_]{4,40}\Z")
_TO_VISIBLE: Final = re.compile(r"[\s\]]*+")
#: What may stand in front of a name on its line, and the line above that opens a fence, whole or damaged.
_LINE_LEAD: Final = re.compile(r"[ \t]*+(?:[\w.]{1,40}\()?+[\w.\[({]{0,40}+")
_FENCE_ABOVE: Final = re.compile(rf"{LINE_START}[ \t]*+([`~']{{1,4}}[\w\-]*+)[ \t]*+{NEWLINE}\s*+\Z", re.MULTILINE)
_CLOSING: Final = "}])>`"
_EMPTY_LINE: Final = re.compile(NEWLINE + NEWLINE)
#: A name on a line of its own above an object, with its first key.
_HEADED: Final = re.compile(
    rf"{LINE_START}([A-Za-z_][\w.\-]{{2,80}})[ \t]*+{NEWLINE}[ \t]*+\{{\s{{0,20}}\"([\w\-]{{1,80}})\"\s{{0,9}}:",
    re.MULTILINE,
)
#: How a result begins in notations of labelled lines.
_RESULT_LABELS: Final = {
    "react": re.compile(rf"{LINE_START}[ \t>]*+(?:\*\*|__)?+(Observation[ \t]*+:)", re.MULTILINE),
    "directive": re.compile(rf"{LINE_START}[ \t>]*+(?:\*\*|__)?+(TOOL_RESULT[ \t]*+:)", re.MULTILINE),
}
#: The beginning of a call at the text's end.
_CUT: Final = re.compile(
    r"[{\[]\s{0,20}+\"(?:tool|tool_name|tool_calls|function|function_call)\"\s{0,9}:?+\s{0,9}\"?+\s*+\Z"
)
#: Longer texts are looked through for whole marks alone.
_SHORT: Final = 12_000
#: Code spans, comments, fences of programs, and reasoning: what stands there is only spoken of.
_QUIET: Final = re.compile(
    rf"(?<!`)`{{1,2}}(?!`)|<!--|{LINE_START}[ \t]*+(?:`{{3,}}+|~{{3,}}+)[ \t]*+[\w+#\-]++|"
    + "|".join(map(re.escape, reasoning.OPENERS)),
    re.MULTILINE,
)
_WORD: Final = re.compile(r"[\w+#\-]++\Z")
#: Fences whose content is a notation's call, or data.
_CALLED_FENCES: Final = PLAIN_LANGUAGES | {
    "yaml",
    "yml",
    "tool_code",
    "tool_calls",
    "function",
    "function_call",
    "action",
}


class Lost(NamedTuple):
    """Where a call is lost, for which reason, and what to do; `is_json` where it is written as JSON."""

    span: Span
    reason: str
    remedy: str
    is_json: bool = False


class Stray(NamedTuple):
    """What looks like a call and is none: the tools that are named, the marks near them, and what is certain."""

    tools: tuple[str, ...]
    marks: tuple[Span, ...]
    lost: Lost | None = None

    @property
    def is_certain(self) -> bool:
        """Whether something is lost, or a tool's name and a mark stand there, not one of them alone."""
        return self.lost is not None or bool(self.tools and self.marks)


def stray_call(text: str, calls: Sequence[FoundCall], registry: ToolRegistry, settings: Settings) -> Stray | None:
    """Return what looks like a call in a reply outside of every call that was read, None where nothing does."""
    if settings.placeholders:
        return None  # a document may speak of marks, a reply does not
    if not registry:
        lost = _bare_tag(text, calls, settings) or _named_mark(text, calls, settings)
        return None if lost is None else Stray((), (), lost)
    if len(calls) == 1 and not (text[: (place := calls[0].call.place).start].strip() or text[place.end :].strip()):
        return None
    lost = _invented_result(text, calls, settings)
    if lost is not None:
        return Stray((), (), lost)
    names = _names(registry)
    gaps: list[tuple[int, int]] = []
    marked = False
    for start, end in gaps_of(text, calls):
        piece = text[start:end]
        if not any(sign in piece for sign in _OPENING):
            continue
        strong = may_hold_marks(piece)
        listed = bool(calls) and "[" in piece and any(word in piece for word in _leads(settings.dialect))
        if strong or listed or any(name in piece for name in names) or ("{" in piece and _HEADED.search(piece)):
            gaps.append((start, end))
            marked = marked or strong
    if not gaps and not (text.endswith(('"', ":")) and _CUT.search(text, max(0, len(text) - _SHORTLY))):
        return None
    if any(found.call.dialect == NATIVE for found in calls):
        return None  # a record of messages has texts that are looked through one by one
    return _Search(text, calls, gaps, marked, registry, settings).stray


class _Search:
    """The search through the stretches between calls, in which a mark or a tool's name stands."""

    def __init__(
        self,
        text: str,
        calls: Sequence[FoundCall],
        gaps: Sequence[tuple[int, int]],
        marked: bool,
        registry: ToolRegistry,
        settings: Settings,
    ) -> None:
        self.text = text
        self.calls = calls
        self.gaps = gaps
        self.registry = registry
        self.settings = settings
        found = (match for start, end in gaps for match in CALL_MARK.finditer(text, start, end)) if marked else ()
        self.marks = [Span(*match.span()) for match in found]
        self.mentions = list(_mentions(text, gaps, _names(registry)))

    @cached_property
    def quiet(self) -> list[tuple[int, int]]:
        """Where the text only speaks of calls."""
        return _quiet(self.text, self.settings)

    @property
    def stray(self) -> Stray | None:
        """What looks like a call and is none."""
        text, settings = self.text, self.settings
        if self.marks:
            self.marks = [span for span in self.marks if not _within(span.start, self.quiet)]
        marks = self.marks
        lost = self.lost
        weak = settings.dialect is not None and len(text) <= _SHORT
        starts = [span.start for span in marks]
        tools: dict[str, None] = {}
        near: dict[Span, None] = {}
        for at, name, gap in self.mentions if marks or weak else ():
            if _CALLED.match(text, at + len(name), gap[1]) is None or _within(at, self.quiet):
                continue
            if _DEFINED.search(text, at, min(gap[1], at + _NEAR)):
                continue
            index = bisect_left(starts, at)
            holder = marks[index - 1] if index and marks[index - 1].end > at else None
            behind = at + len(name) if holder is None else holder.end
            if holder is not None and _CONTENT.match(text, behind) is None:
                continue
            if _ARGUMENTS.search(text, behind, min(gap[1], behind + _SHORTLY)) is None:
                continue
            beside = [span for span in marks[max(0, index - 1) : index + 1] if abs(span.start - at) <= _NEAR]
            if beside or weak:
                tools[name] = None
            near.update((span, None) for span in beside)
        if weak and not near:
            # The name may have been lost with its mark.
            near.update(
                (span, None) for span in marks if _BESIDE.match(text, span.end) or _ends_object(text, span.start)
            )
        if not (near or tools or lost is not None):
            return None
        return Stray(tuple(tools), tuple(sorted(near)), lost)

    # -- what is certainly lost ----------------------------------------------------------------------------------------

    @property
    def lost(self) -> Lost | None:
        """The first call that is certainly lost, None where none is."""
        found = []
        for at, name, gap in self.mentions[:_MOST_MENTIONS]:
            lost = (
                self._in_object(at, name, gap)
                or self._behind_prefix(at, name, gap)
                or self._with_arguments(at, name, gap)
                or self._in_tag(at, name, gap)
                or self._above_label(at, name, gap)
            )
            if lost is not None and not _within(at, self.quiet):
                found.append(lost)
                break
        others = (self._unread_frame(), self._beside_object(), self._beside_call(), self._headed(), self._cut_off())
        found += [lost for lost in others if lost is not None]
        return min(found, default=None)

    def _in_object(self, at: int, name: str, gap: tuple[int, int]) -> Lost | None:
        """Return the loss of a call that is an object: a tool's name is a value in it, or a key, and arguments follow.

        Definitions of tools, and what tools returned, are none.
        """
        text = self.text
        start, end = max(gap[0], at - _NEAR), min(gap[1], at + len(name) + _NEAR)
        before = max(start, at - 60)
        is_value = _VALUE_BEFORE.search(text, before, at) is not None
        is_key = not is_value and _KEY_BEFORE.search(text, before, at) and _KEY_BEHIND.match(text, at + len(name), end)
        if not is_value and not is_key:
            return None
        if is_value and _ATTRIBUTE.search(text, before, at):
            index = bisect_left(self.marks, Span(at, at))
            if any(abs(mark.start - at) <= _SHORTLY for mark in self.marks[max(0, index - 1) : index + 1]):
                return Lost(Span(at, at + len(name)), *self._said(name))
        opening = max(text.rfind("{", start, at), text.rfind("[", start, at))
        if opening < 0 and text.find("}", at, end) < 0:
            return None
        if _DEFINED.search(text, start, end) or _RESULT.search(text, start, end):
            return None
        window = text[start:end]
        if not (is_value and _ARGUMENT_KEY.search(window)) and not any(
            match[1] in tool.parameters for match in _KEY.finditer(window) for tool in self.registry.get(name)
        ):
            return None
        return Lost(Span(max(opening, start), at + len(name)), *self._said(name), is_json=True)

    def _behind_prefix(self, at: int, name: str, gap: tuple[int, int]) -> Lost | None:
        """Return the loss of a call that is begun as a notation begins one."""
        text = self.text
        before = max(gap[0], at - _PREFIX)
        if text[before:at].rstrip()[-1:].isalnum():
            return None
        if _SOON.search(text, at + len(name), min(gap[1], at + _SHORTLY)) is None:
            return None
        for prefix in _prefixes(self.settings.dialect):
            match = prefix.search(text, before, at)
            if match is not None:
                return Lost(Span(match.start(), at + len(name)), *self._said(name))
        return None

    def _with_arguments(self, at: int, name: str, gap: tuple[int, int]) -> Lost | None:
        """Return the loss of a call that is a tool's name with arguments of that tool, in no notation at all."""
        text, behind = self.text, at + len(name)
        match = _OBJECT.match(text, behind, gap[1])
        if match is None:
            line = last_line(text, 0, at)
            fenced = _FENCE_WORD.search(text, max(0, line - 60), line) is not None
            lead = text[line:at].strip()
            if fenced or (self.settings.dialect is not None and not lead):
                match = _KEYWORD.match(text, behind, gap[1])
        if match is None or all(match[1] not in tool.parameters for tool in self.registry.get(name)):
            return None
        return Lost(Span(at, match.end()), *self._said(name), is_json=text[match.end() - 1] == ":")

    def _in_tag(self, at: int, name: str, gap: tuple[int, int]) -> Lost | None:
        """Return the loss of a call without arguments, of which the tag stands there twice, opened or in other case."""
        text = self.text
        if text[max(0, at - 2) : at] == "</" and _ends_object(text, at - 2):
            opening = _FIRST_BRACE.search(text, max(gap[0], at - _NEAR), at)
            first = _KEY.search(text, opening.start(), at) if opening is not None else None
            quoted = first is None or '\\"' in first[0]  # a call in a string is spoken of
            if (
                first is not None
                and not quoted
                and any(first[1] in each.parameters for each in self.registry.get(name))
            ):
                return Lost(Span(at - 2, at + len(name)), *self._said(name))
        if text[max(0, at - 2) : at] == "</" and text.startswith(">", at + len(name)):
            before = _TAG_BEFORE.search(text, max(gap[0], at - 2 - _SHORTLY), at - 2)
            if before is not None and (
                any(before[2] in tool.parameters for tool in self.registry.get(name))
                if before[1]
                else self.registry.near(before[2]) == name
            ):
                return Lost(Span(before.start(), at + len(name) + 1), *self._said(name))
        if text[at - 1 : at] != "<" or text[at + len(name) : at + len(name) + 1] != ">":
            return None
        match = _TAG_AGAIN.match(text, at + len(name) + 1, gap[1])
        line = text[last_line(text, 0, at) : at - 1]
        if not line.strip() and not text[at + len(name) + 1 :].strip():
            return Lost(Span(at - 1, at + len(name) + 1), *self._said(name))  # nothing follows that closes it
        if match is None or (match[1].lower() != name.lower() and self.registry.near(match[1]) != name):
            return None
        return Lost(Span(at - 1, match.end()), *self._said(name))

    def _above_label(self, at: int, name: str, gap: tuple[int, int]) -> Lost | None:
        """Return the loss of a call of which what leads to the name is damaged, and the label of arguments is not."""
        label = _second_label(self.settings.dialect)
        line = last_line(self.text, gap[0], at)
        if label is None or at - line > _LEADING or label.match(self.text, at + len(name), gap[1]) is None:
            return None
        return Lost(Span(line, at + len(name)), *self._said(name))

    def _said(self, name: str) -> tuple[str, str]:
        dialect = self.settings.dialect
        notation = f"in `{dialect}`" if dialect is not None else "in any notation"
        return (
            f"`{name}` is named as in a call, but what stands there is none {notation}",
            "Write the whole call as its notation has it",
        )

    def _unread_frame(self) -> Lost | None:
        """Return the loss of what is opened and closed as a call, and holds none."""
        text, marks = self.text, self.marks
        if len(marks) < 2:
            return None
        frames = _frames(self.settings.dialect)
        ends = [end for _, end in self.gaps]
        waiting: dict[str, Span] = {}
        for mark in marks:
            written = _plain(mark.of(text))
            opener = waiting.pop(written, None)
            if opener is not None and mark.end <= ends[bisect_left(ends, opener.end)]:
                content = text[opener.end : mark.start].strip()
                between = f"between `{opener.of(text)}` and `{written}`"
                reason = f"what stands {between} cannot be read" if content else f"nothing stands {between}"
                remedy = "Write the call between them, or leave them out"
                return Lost(Span(opener.start, mark.end), reason, remedy, content[:1] in tuple('[{"'))
            if written in frames:
                waiting[frames[written]] = mark
        return None

    def _beside_object(self) -> Lost | None:
        """Return the loss of a call of which an object with a tool's arguments is left, and a mark beside it."""
        text = self.text
        for mark in self.marks:
            if _BESIDE.match(text, mark.end):
                first = _KEY.search(text, mark.end, mark.end + _SHORTLY)
            elif _ends_object(text, mark.start):
                opening = _FIRST_BRACE.search(text, max(0, mark.start - _NEAR), mark.start)
                first = _KEY.search(text, opening.start(), mark.start) if opening is not None else None
            else:
                continue
            if first is not None and self._is_parameter(first[1]) and _is_mark(mark.of(text)):
                return self._beside(mark)
        return None

    def _beside_call(self) -> Lost | None:
        """Return the loss of a call in one notation between marks of another one, of which readers make nothing."""
        text = self.text
        for found in self.calls:
            lead = _LEAD.search(text, max(0, found.call.place.start - _LEADING), found.call.place.start)
            word = _LISTED.search(text, max(0, lead.start() - _LEADING), lead.start()) if lead is not None else None
            if word is not None and word[0] in _leads(self.settings.dialect):
                return self._beside(Span(*word.span()))
        if not self.marks:
            return None
        starts = {mark.start: mark for mark in self.marks}
        ends = {mark.end: mark for mark in self.marks}
        for found in self.calls:
            start, end = found.call.place
            lead = _LEAD.search(text, max(0, start - _LEADING), start)
            behind = _TO_VISIBLE.match(text, end)
            # The mark ends with its own sign, behind which it may stand again.
            before = ends.get(lead.start()) or ends.get(lead.start() + 1) if lead is not None else None
            after = starts.get(behind.end()) if behind is not None else None
            for mark in (before, after):
                if mark is not None and _is_mark(mark.of(text)) and not _is_mark(mark.of(text), found.call.dialect):
                    return self._beside(mark)
        return None

    @staticmethod
    def _beside(mark: Span) -> Lost:
        reason = "a mark of calls stands beside it that belongs to no call"
        return Lost(mark, reason, "Write all marks of the call, or none")

    def _headed(self) -> Lost | None:
        """Return the loss of a call below what is nearly a tool's name, on a line of its own."""
        text = self.text
        for start, end in self.gaps:
            for match in _HEADED.finditer(text, start, end):
                name = self.registry.near(match[1])
                known = self.registry.get(name)[:1] if name is not None else ()
                if any(match[2] in tool.parameters for tool in known) and not _within(match.start(), self.quiet):
                    return Lost(Span(*match.span(1)), *self._said(match[1]), is_json=True)
        return None

    def _cut_off(self) -> Lost | None:
        """Return the loss of a call of which nothing but a key that names tools has arrived."""
        text = self.text
        match = _CUT.search(text, max(0, len(text) - 80))
        if match is None or (self.calls and self.calls[-1].call.place.end > match.start()):
            return None
        return Lost(Span(*match.span()), "the text ends inside of it", "Write the whole call", is_json=True)

    def _is_parameter(self, key: str) -> bool:
        return any(key in tool.parameters for name in self.registry.names for tool in self.registry.get(name))


def unread_calls(
    text: str, calls: Sequence[FoundCall], stray: Stray, registry: ToolRegistry, settings: Settings
) -> Iterator[Problem]:
    """Yield the problem of a call that nobody reads because of its marks.

    There is one where something is certainly lost; where a tool is named as in a call, and a mark of calls stands near
    it; or where what may be a damaged mark stands there, and one change makes the text a faultless call.
    """
    if not registry and stray.lost is not None:
        yield _skipped(text, stray.lost, calls)
        return
    # Loaded where something looks like the rest of a call.
    from callwright.recovery.marker_repairs import MarkerRepair, dialects_with, is_mark

    names = [settings.dialect] if settings.dialect is not None else dialects_with(text, registry)
    repair = MarkerRepair(text, [name for name in names if name], stray.tools, registry, settings, more_than=len(calls))
    sole = repair.sole
    if sole is not None:
        first, last = sole.edits[0].span, sole.edits[-1].span
        data = {"reason": "one of its marks is not as it must be", "remedy": sole.title}
        yield Problem("skipped-call", Span(first.start, max(last.end, first.start)), data, sole.edits, certain=True)
        return
    if stray.lost is not None:
        yield _skipped(text, stray.lost, calls)
        return
    sure = (
        each
        for each in stray.marks
        if settings.dialect is not None or _is_calling(each.of(text)) or (stray.tools and _is_mark(each.of(text)))
    )
    known = (each for each in sure if is_mark(_plain(each.of(text)), settings.dialect, stray.tools, registry))
    mark = next(known, None)
    if mark is not None:
        data = {
            "reason": f"`{mark.of(text)}` stands outside of every call that is read",
            "remedy": "Write all marks of the call as its notation has them",
        }
        yield Problem("skipped-call", mark, data)


def _skipped(text: str, lost: Lost, calls: Sequence[FoundCall]) -> Problem:
    data: dict[str, object] = {"reason": lost.reason, "remedy": lost.remedy, "json": lost.is_json}
    return Problem("skipped-call", _extent(text, lost.span, calls), data)


def _extent(text: str, span: Span, calls: Sequence[FoundCall]) -> Span:
    """Return where a lost call stands of which `span` tells: nobody knows where in it the fault is.

    That is a fence's line right in front, or the object that a mark stands behind; and what follows in the same
    paragraph up to the last sign that ends something, or up to the next call.
    """
    places = sorted(found.call.place for found in calls)
    start, end = span
    floor = max((place.end for place in places if place.end <= start), default=0)
    line = last_line(text, max(floor, start - _LEADING), start)
    if text[line - 1 : line] in ("\n", "\r") and _LINE_LEAD.fullmatch(text, line, start):
        fence = _FENCE_ABOVE.search(text, max(floor, line - _LEADING), line)
        start = fence.start(1) if fence is not None else start
    if start == span.start and _ends_object(text, start):
        beside = [place.start for place in places if place.end <= start and not text[place.end : start].strip()]
        opening = _FIRST_BRACE.search(text, max(0, start - _NEAR), start)
        start = beside[-1] if beside else opening.end() - 1 if opening is not None else start
    behind = _TO_VISIBLE.match(text, end)
    visible = behind.end() if behind is not None else end
    follows = min((place.start + 1 for place in places if place.start >= end), default=len(text))
    limit = min(follows, end + _NEAR)
    empty = _EMPTY_LINE.search(text, visible, limit)
    last = max(text.rfind(sign, end, empty.start() if empty is not None else limit) for sign in _CLOSING)
    return Span(start, max(end, last + 1, limit if limit == follows and follows - end <= _LEADING else 0))


def _invented_result(text: str, calls: Sequence[FoundCall], settings: Settings) -> Lost | None:
    """Return the label of a result in a notation of labelled lines, where a reply goes on to one after a call."""
    label = _RESULT_LABELS.get(settings.dialect or "")
    if label is None or not calls:
        return None
    for start, end in gaps_of(text, calls):
        match = label.search(text, start, end)
        if match is not None and start and not _within(match.start(), _quiet(text, settings)):
            reason = f"a result is written after it with `{match[1]}`, and no tool has given one"
            return Lost(Span(*match.span(1)), reason, "End the reply with the call")
    return None


def _named_mark(text: str, calls: Sequence[FoundCall], settings: Settings) -> Lost | None:
    """Return the loss of a call whose mark names a tool in an attribute, where no tool is known."""
    if "=" not in text or not may_hold_marks(text):
        return None
    for start, end in gaps_of(text, calls):
        match = _NAMED_MARK.search(text, start, end)
        if match is not None and not _within(match.start(), _quiet(text, settings)):
            reason = "one of its marks is not as it must be"
            return Lost(Span(*match.span()), reason, "Write all marks of the call as its notation has them")
    return None


def _bare_tag(text: str, calls: Sequence[FoundCall], settings: Settings) -> Lost | None:
    """Return the loss of a call whose tag is named as tools are, where no tool is known and tags are asked for."""
    if settings.dialect is None or "</" not in text or f"<{_SAMPLE_NAME}>" not in _sample(settings.dialect):
        return None
    pattern = _BARE_JSON if f"<{_SAMPLE_NAME}>{{" in _sample(settings.dialect) else _BARE_TAG
    quiet: list[tuple[int, int]] | None = None
    for start, end in gaps_of(text, calls):
        for match in pattern.finditer(text, start, end):
            quiet = _quiet(text, settings) if quiet is None else quiet
            if not _within(match.start(), quiet):
                reason = f"`<{match[1]}>` opens it, and what it holds or what closes it is not as it must be"
                return Lost(Span(*match.span()), reason, "Write nothing but the arguments between its tags")
    return None


# -- what notations write -------------------------------------------------------------------------------------------


@lru_cache(maxsize=64)
def _prefixes(dialect: str | None) -> tuple[re.Pattern[str], ...]:
    """Return what notations write right in front of a tool's name, where it is written nowhere else."""
    from callwright.dialects.catalogue import dialect_names

    found: dict[str, None] = {}
    for name in dialect_names() if dialect is None else (dialect,):
        written = _sample(name)
        at = written.find(_SAMPLE_NAME)
        lead = written[:at].rstrip(" ").splitlines()[-1] if at > 0 and written[:at].strip() else ""
        if lead != "[" and (len(re.sub(r"[\s\"'\[{]", "", lead)) < 3 or lead.lstrip("[")[:1] == "{"):
            continue
        words = lead.split()
        if len(words) > 1 and words[-1][-2:] == '="':
            # Where the name is an attribute, the attribute may be damaged.
            found[
                r"[ \t]{1,9}".join(map(re.escape, words[:-1])) + r"[ \t]{1,9}[^<>\n=\"']{0,30}[=\"'][^<>\n]{0,30}\Z"
            ] = None
            continue
        parts = [re.escape(part).replace('"', "[\"']") for part in words]
        more = r"[ \t]{1,9}(?:[^<>\n]{0,60}[ \t])?" if lead[0] == "<" else r"[ \t]{1,9}"
        if lead == "[":
            found[r"\[(?:[\w.]{1,40}\([^()\n]{0,200}\),\s{0,9})?\Z"] = None
        else:
            found[more.join(parts) + r"\s{0,20}\Z"] = None
    return tuple(map(re.compile, found))


@lru_cache(maxsize=64)
def _second_label(dialect: str | None) -> re.Pattern[str] | None:
    """Return the pattern of the label that a notation writes below a tool's name, None where it writes none."""
    lines = _sample(dialect).splitlines() if dialect is not None else []
    below = next((line for above, line in pairwise(lines) if _SAMPLE_NAME in above), "")
    label, colon, rest = below.strip().partition(":")
    if not colon or not label.replace(" ", "").isalpha() or rest.strip()[:1] not in ("", "{"):
        return None
    begins = r"\s{0,20}+\{" if rest else ""
    return re.compile(rf"[ \t]{{0,9}}+{NEWLINE}[ \t]{{0,40}}+{re.escape(label)}[ \t]{{0,9}}+:{begins}")


@lru_cache(maxsize=64)
def _frames(dialect: str | None) -> dict[str, str]:
    """Return the marks that begin what holds a call in a notation, each with the one that ends it."""
    from callwright.dialects.catalogue import dialect_names

    found: dict[str, str] = {}
    for name in dialect_names() if dialect is None else (dialect,):
        written = _sample(name)
        at = written.find(_SAMPLE_NAME)
        before = [match[0] for match in CALL_MARK.finditer(written, 0, max(at, 0)) if match.end() <= at]
        behind = [match[0] for match in CALL_MARK.finditer(written, at + len(_SAMPLE_NAME))] if at >= 0 else []
        for opener, closer in zip(before, reversed(behind), strict=False):
            if _CALLING.search(opener) and _CALLING.search(closer) and _is_end_of(closer, opener):
                found.setdefault(opener, closer)
    return found


_SAMPLE_NAME: Final = "sample_tool_name"
#: Marks that other text has as well, templates of chats for instance.
_COMMON: Final = re.compile(r"message|<\|(?:start|end|open|close|sep|channel|constrain)\|>", re.IGNORECASE)
_ENDS: Final = (("begin", "end"), ("start", "end"), ("START", "END"), ("prefix", "suffix"), ("<|", "<"))


@lru_cache(maxsize=64)
def _marks(dialect: str | None) -> frozenset[str]:
    """Return the marks of calls of a dialect, or of all, but for those that other text has as well."""
    from callwright.dialects.catalogue import dialect_names

    names = dialect_names() if dialect is None else (dialect,)
    found = (match[0] for name in names for match in CALL_MARK.finditer(_sample(name)))
    return frozenset(mark for mark in found if not _COMMON.search(mark) and _SAMPLE_NAME not in mark)


@cache
def _sample(dialect: str) -> str:
    """Return a call as a dialect writes it."""
    from callwright.recovery.marker_repairs import written_call

    return written_call(dialect, _SAMPLE_NAME)


@cache
def _leads(dialect: str | None) -> frozenset[str]:
    """Return the words that a notation, or any, writes in front of a list of calls."""
    from callwright.dialects.catalogue import dialect_names

    written = map(_sample, dialect_names() if dialect is None else (dialect,))
    return frozenset(
        word for word, bracket, _ in (each.partition("[") for each in written) if bracket and word.isalpha()
    )


def _plain(mark: str) -> str:
    """Return a mark without the suffix that some models write."""
    return _SUFFIX.sub(">", mark)


def _is_mark(mark: str, dialect: str | None = None) -> bool:
    return _plain(mark) in _marks(dialect)


def _is_end_of(closer: str, opener: str) -> bool:
    if closer in (f"</{opener[1:]}", f"[/{opener[1:]}"):
        return True
    return any(one in opener and other in closer for one, other in _ENDS)


# -- where tools are named, and where they are only spoken of ----------------------------------------------------------


@lru_cache(maxsize=64)
def _sorted_names(names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(sorted({name for name in names if name}, key=len, reverse=True))


def _names(registry: ToolRegistry) -> tuple[str, ...]:
    return _sorted_names(tuple(registry.names))


def _mentions(
    text: str, gaps: Sequence[tuple[int, int]], names: Sequence[str]
) -> Iterator[tuple[int, str, tuple[int, int]]]:
    """Yield where tools are named, in the order of the text, each with its gap."""
    for gap in gaps:
        start, end = gap
        found: dict[int, str] = {}
        for name in names:
            at = text.find(name, start, end)
            while at >= 0:
                behind = at + len(name)
                if not (text[at - 1 : at].isalnum() or text[at - 1 : at] in ("_", "-")) and not (
                    text[behind : behind + 1].isalnum() or text[behind : behind + 1] in ("_", "-")
                ):
                    found.setdefault(at, name)
                at = text.find(name, behind, end)
        for at in sorted(found):
            yield at, found[at], gap


def _ends_object(text: str, at: int) -> bool:
    return text[max(0, at - _SPACE) : at].rstrip().endswith(("}", "}]"))


def _is_calling(mark: str) -> bool:
    return _PLAIN.fullmatch(mark) is None and _CALLING.search(mark) is not None


def _quiet(text: str, settings: Settings) -> list[tuple[int, int]]:
    """Return where a text only speaks of calls: code spans, comments, programs, and what a model thinks aloud."""
    found: list[tuple[int, int]] = []
    vain: set[str] = set()
    at = 0
    while (match := _QUIET.search(text, at)) is not None:
        opener, at = match[0], match.end()
        if opener in vain or (opener in reasoning.BLOCKS and settings.reasoning == "calls"):
            continue
        sign = opener.lstrip()
        if sign[0] in "`~" and sign[:3] in ("```", "~~~"):
            word = _WORD.search(sign)
            fence = sign.rstrip(word[0] if word is not None else "").rstrip()
            if word is not None and word[0].lower() in _CALLED_FENCES:
                continue
            closing = re.compile(rf"(?<=[\r\n]){re.escape(fence)}").search(text, at)
            if closing is not None:
                found.append((match.start(), at := closing.end()))
            continue
        if opener[0] == "`":
            line = first_line_end(text, at)
            end = text.find(opener, at, line if line >= 0 else len(text))
            if end >= 0:
                found.append((match.start(), at := end + len(opener)))
            continue
        closers = reasoning.BLOCKS.get(opener, ("-->",))
        ends = [end + len(closer) for closer in closers if (end := text.find(closer, at)) >= 0]
        if ends:
            found.append((match.start(), at := min(ends)))
        else:
            vain.add(opener)
    return found


def _within(at: int, spans: Sequence[tuple[int, int]]) -> bool:
    index = bisect_right(spans, (at, len(spans) and spans[-1][1] + 1)) - 1
    return index >= 0 and spans[index][0] <= at < spans[index][1]
