"""Calls that no parser reads: what is outside of every call that was read in a reply, and is more than a mention.

Owns: what in a whole reply is evidence of a missed call, and where it is. Must not know: rules, messages' severity, any
single dialect.

Prose that mentions a tool or a marker is not a call. A tool's name must be written as in a call: in an object with
arguments, after what a dialect writes before it, or near a marker of calls. Or the markers of a call must be there,
opened and closed, with nothing between that can be read. Code spans, comments, programs in fences and reasoning are
only mentions. Time is linear in the text.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from functools import cache, cached_property, lru_cache
from typing import TYPE_CHECKING, Final

from callwright.calls.markers import call_marker, headed_words, may_hold_markers, tag_words
from callwright.calls.model import NATIVE
from callwright.calls.tags import BARE_TAG_DIALECTS
from callwright.dialects.catalogue import find_dialect
from callwright.recovery.unmatched_markers import gaps_of
from callwright.recovery.written import frames, is_marker, list_words, prefixes, without_suffix
from callwright.syntax import reasoning
from callwright.syntax.problem import Problem
from callwright.syntax.prose import (
    COMMENT_OPEN,
    PLAIN_LANGUAGES,
    CodeSpans,
    comment_end,
    fence_at,
    fence_closer,
    line_end,
    line_start,
)
from callwright.syntax.searches import Searches
from callwright.text.line_ends import LINE_START, NEWLINE, last_line
from callwright.text.records import NamedTuple
from callwright.text.span import Span

if TYPE_CHECKING:
    from callwright.document.reader import FoundCall
    from callwright.document.settings import Settings
    from callwright.tools.registry import ToolRegistry

#: Arguments begin with one of these.
_OPENING: Final = "{[(<`|｜\"':="
#: A quote as models write them, also where the object is in a string of JSON or of XML.
_QUOTE: Final = r"(?:\\?[\"'“”`]|&quot;)"
#: What follows a tool's name where it is defined, or where its result is reported.
_DEFINED: Final = re.compile(r"\"properties\"\s*+:|\"description\"\s*+:|\"type\"\s*+:\s*+\"object\"|\s=\s\(_")
_RESULT: Final = re.compile(r"\"(?:results?|outputs?|observation|tool_call_id|is_error|stdout)\"\s*+:")
#: An object of arguments right after the name, or arguments of a call alone on its line.
_OBJECT: Final = re.compile(rf"{_QUOTE}?\s{{0,9}}:?\s{{0,9}}\{{\s{{0,40}}{_QUOTE}?([\w\-]{{1,80}}){_QUOTE}?\s{{0,9}}:")
_KEYWORD: Final = re.compile(r"\(\s{0,40}([\w\-]{1,80})\s{0,9}=")
#: The beginning of an object after a marker.
_BESIDE: Final = re.compile(r"\s{0,20}+\[?+\s{0,20}+\{")
#: What is after a marker that names a tool, where it is more than mentioned.
_CONTENT: Final = re.compile(
    r"\s{0,40}+(?:(?:```[a-z]*+\s{0,9}+)?+\[?+\s{0,20}+\{|</?[A-Za-z｜|]|<\s|\"[\w\-]++\"\s*+:)"
)
#: What arguments begin with, and how far after the name they do.
_ARGUMENTS: Final = re.compile(r"[{(\[]|<[^<>]{0,20}(?:param|arg)|</?+[A-Za-z_]++(?::[\w\-]++)?+>")
_SOON: Final = re.compile(r"[{(\[\"'<`|｜]")
_SHORTLY: Final = 160
#: How far a marker may be from the name of the tool.
_NEAR: Final = 600
#: How much white space may be between a marker and an object.
_SPACE: Final = 20
#: How far before a name or a call its lead on the line is searched for.
_LEADING: Final = 40
#: A key's quote and colon before a name, or a quote whose colon is lost.
_VALUE_BEFORE: Final = re.compile(
    r"(?:[\w \-]\\?[\"'”`]{0,2}\s{0,20}(?:[:=,;]|=>|->)"
    r"|[{,]\s{0,9}\"\"\s{0,9}:|\w:?\\?[\"'”])\s{0,20}\\?[\"'“`]{0,2}\Z"
)
_ATTRIBUTE: Final = re.compile(r"(?:tool|name|function)\s{0,9}=\s{0,9}[\"']\Z")
_KEY_BEFORE: Final = re.compile(rf"[{{\[,]\s{{0,40}}{_QUOTE}?\Z")
_KEY_AFTER: Final = re.compile(rf"{_QUOTE}?+\s{{0,20}}+[:=]\s{{0,20}}+[{{\[\"]")
_KEY: Final = re.compile(rf"{_QUOTE}([\w\-]{{1,80}}){_QUOTE}\s{{0,9}}[:=]")
#: A key whose value is the arguments, exactly or nearly as some dialect has it.
_ARGUMENT_KEY: Final = re.compile(
    rf"{_QUOTE}(?:arguments?|ar[gq]u?m?e?n?ts?|args?|kwargs|parameters?|params?|properties|(?:action|tool)?_?input"
    rf"|payload){_QUOTE}",
    re.IGNORECASE,
)
#: How many places are searched where a tool is named.
_MAX_MENTIONS: Final = 200
_FIRST_BRACE: Final = re.compile(r"(?:^|[>\]\s])\{")
#: A tag named as tools are, with an object in it, or with other text in front of its first parameter.
_BARE_JSON: Final = re.compile(r"<([A-Za-z]\w{0,40}_\w{1,40})>\s{0,9}(?=\{[^<]{0,4000}+(?<=[}\s])</)")
_BARE_TAG: Final = re.compile(
    r"<([A-Za-z]\w{0,40}_\w{1,40})>[^<]{0,40}+(?:<!--[^<]{0,40}+)?<([A-Za-z]\w{0,40})>(?=[^<]{0,400}+</\2>)"
)
_TAG_AGAIN: Final = re.compile(r"\s{0,20}(?:<\s?[\\/]?|/)\s?([\w.\-]{1,80})\s{0,9}/?>")
#: What may follow a tool's tag where the text ends: nothing, or a part of a tag.
_TAG_CUT: Final = re.compile(r"\s*+(?:</?+[\w.\-]*+)?+\s*+\Z")
#: The next tag after text.
_TAG_LATER: Final = re.compile(r"[^<]{0,4000}+<([\w.\-]{1,80})>")
#: The tag right in front of one that closes a tool's: what closed its last parameter, or what was to open it.
_TAG_BEFORE: Final = re.compile(r"<(/)?([\w.\-]{1,80})>\s{0,20}\Z")
#: What may be between a marker and its call: a bracket, the first line of a fence.
_LEAD: Final = re.compile(rf"[\s\[>]*(?:```[a-z]*[ \t]*{NEWLINE}\s*)?\Z")
#: A word before a list of calls.
_LISTED: Final = re.compile(r"[A-Za-z_]{4,40}\Z")
_TO_VISIBLE: Final = re.compile(r"[\s\]]*+")
#: What may be before a name on its line, and the line above that opens a fence, whole or damaged.
_LINE_LEAD: Final = re.compile(r"[ \t]*+(?:[\w.]{1,40}\()?+[\w.\[({]{0,40}+")
_FENCE_ABOVE: Final = re.compile(rf"{LINE_START}[ \t]*+([`~']{{1,4}}[\w\-]*+)[ \t]*+{NEWLINE}\s*+\Z", re.MULTILINE)
_CLOSING: Final = "}])>`"
_EMPTY_LINE: Final = re.compile(NEWLINE + NEWLINE)
#: A name on a line of its own above an object, with its first key.
_HEADED: Final = re.compile(
    rf"{LINE_START}([A-Za-z_][\w.\-]{{2,80}})[ \t]*+{NEWLINE}[ \t]*+\{{\s{{0,20}}\"([\w\-]{{1,80}})\"\s{{0,9}}:",
    re.MULTILINE,
)
#: The beginning of a call at the text's end.
_CUT: Final = re.compile(
    r"[{\[]\s{0,20}+\"(?:tool|tool_name|tool_calls|function|function_call)\"\s{0,9}:?+\s{0,9}\"?+\s*+\Z"
)
#: Longer texts are searched for whole markers only.
_SHORT: Final = 12_000
#: Code spans, comments, fences of programs, and reasoning: text that only mentions calls.
_QUIET: Final = re.compile(
    rf"`++|{COMMENT_OPEN}|{LINE_START}[ \t]*+~{{3,}}+|" + "|".join(map(re.escape, reasoning.OPENERS)), re.MULTILINE
)
_LANGUAGE: Final = re.compile(r"[\w+#\-]++")
#: The markers between which a model reasons; tags also where they are written in another way.
_REASONING: Final = re.compile(
    rf"<(?P<end>/?+)[ \t]{{0,9}}+(?P<name>{'|'.join(filter(None, map(reasoning.tag_name, reasoning.OPENERS)))})"
    rf"(?![\w:.\-])[^<>]{{0,80}}+>|(?P<closer>{'|'.join(map(re.escape, reasoning.CLOSERS))})"
    rf"|{'|'.join(map(re.escape, reasoning.OPENERS))}",
    re.IGNORECASE,
)
#: What is before and after an object that is a member of another one, or an entry of a member.
_MEMBER_BEFORE: Final = re.compile(r"\"\s{0,40}(?::\s{0,40}\[?|\[)\s{0,40}\Z|[}\]]\s{0,40},\s{0,40}\Z")
_MEMBER_AFTER: Final = re.compile(r"\s{0,40}+(?:,\s{0,40}+[\"{]|[}\]])")
#: Fences whose content is a call, or data.
_CALL_FENCES: Final = PLAIN_LANGUAGES | {
    *("yaml", "yml", "tool_code", "tool_calls", "function", "function_call", "action"),
}
_DAMAGED: Final = "one of its markers is wrong"
_WHOLE: Final = "Write all markers of the call as its dialect requires"


class MissedCall(NamedTuple):
    """Where a call is missed, for which reason, and what to do; `is_json` where it is written as JSON."""

    span: Span
    reason: str
    remedy: str
    is_json: bool = False


class Traces(NamedTuple):
    """What looks like a call and is not read as one: the named tools, the markers near them, and what is certain."""

    tools: tuple[str, ...]
    markers: tuple[Span, ...]
    missed: MissedCall | None = None

    @property
    def is_certain(self) -> bool:
        """Whether a call is certainly missed, or both a tool's name and a marker are there."""
        return self.missed is not None or bool(self.tools and self.markers)


def traces_of(text: str, calls: Sequence[FoundCall], registry: ToolRegistry, settings: Settings) -> Traces | None:
    """Return what looks like a call in a reply outside of every call that was read, None where nothing does."""
    if settings.placeholders:
        return None  # a document may mention markers, a reply does not
    missed = _in_reasoning(text, calls, registry, settings) or _in_data(text, calls)
    if missed is not None:
        return Traces((), (), missed)
    if not registry:
        missed = _bare_tag(text, calls, settings) or _named_marker(text, calls, settings)
        return None if missed is None else Traces((), (), missed)
    if len(calls) == 1 and not (text[: (place := calls[0].call.place).start].strip() or text[place.end :].strip()):
        return None
    missed = _invented_result(text, calls, settings)
    if missed is not None:
        return Traces((), (), missed)
    names = _names(registry)
    gaps: list[tuple[int, int]] = []
    marked = False
    for start, end in gaps_of(text, calls):
        piece = text[start:end]
        if not any(sign in piece for sign in _OPENING):
            continue
        strong = may_hold_markers(piece)
        listed = bool(calls) and "[" in piece and any(word in piece for word in list_words(settings.dialect))
        if strong or listed or any(name in piece for name in names) or ("{" in piece and _HEADED.search(piece)):
            gaps.append((start, end))
            marked = marked or strong
    if not gaps and not (text.endswith(('"', ":")) and _CUT.search(text, max(0, len(text) - _SHORTLY))):
        return None
    if any(found.call.dialect == NATIVE for found in calls):
        return None  # the texts of a record of messages are searched one by one
    return _Search(text, calls, gaps, marked, registry, settings).traces


class _Mention(NamedTuple):
    """Where a tool is named, and the segment between calls that it is in."""

    start: int
    end: int
    name: str
    floor: int
    limit: int


class _Search:
    """The search through the segments between calls that contain a marker or a tool's name."""

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
        found = (match for start, end in gaps for match in call_marker().finditer(text, start, end)) if marked else ()
        spans = [Span(*match.span()) for match in found]
        self.markers = [span for span in spans if not _within(span.start, self.quiet)] if spans else spans
        self.mentions = list(_mentions(text, gaps, _names(registry)))

    @cached_property
    def quiet(self) -> list[tuple[int, int]]:
        """Where the text only mentions calls."""
        return _quiet(self.text, self.settings)

    @property
    def traces(self) -> Traces | None:
        """Text that looks like a call but is not read as one."""
        text, markers, missed = self.text, self.markers, self.missed
        weak = self.settings.dialect is not None and len(text) <= _SHORT
        starts = [span.start for span in markers]
        tools: dict[str, None] = {}
        near: dict[Span, None] = {}
        for at in self.mentions if markers or weak else ():
            if not _is_called(text, at) or _within(at.start, self.quiet):
                continue
            index = bisect_left(starts, at.start)
            holder = markers[index - 1] if index and markers[index - 1].end > at.start else None
            after = at.end if holder is None else holder.end
            if holder is not None and _CONTENT.match(text, after) is None:
                continue
            if _ARGUMENTS.search(text, after, min(at.limit, after + _SHORTLY)) is None:
                continue
            beside = self._markers_near(at.start, _NEAR, starts)
            if beside or weak:
                tools[at.name] = None
            near.update(dict.fromkeys(beside))
        if weak and not near:
            # The name may be lost together with its marker.
            near.update((span, None) for span in markers if self._first_key(span) is not None)
        if not (near or tools or missed is not None):
            return None
        return Traces(tuple(tools), tuple(sorted(near)), missed)

    def _markers_near(self, at: int, far: int, starts: Sequence[int]) -> list[Span]:
        """Return the last marker before a place and the first after it, if they are near."""
        index = bisect_left(starts, at)
        return [span for span in self.markers[max(0, index - 1) : index + 1] if abs(span.start - at) <= far]

    def _first_key(self, marker: Span) -> str | None:
        """Return the first key of the object that a marker is beside, empty where it has none; None without one."""
        text = self.text
        if _BESIDE.match(text, marker.end):
            first = _KEY.search(text, marker.end, marker.end + _SHORTLY)
        elif _ends_object(text, marker.start):
            opening = _FIRST_BRACE.search(text, max(0, marker.start - _NEAR), marker.start)
            first = _KEY.search(text, opening.start(), marker.start) if opening is not None else None
        else:
            return None
        return "" if first is None else first[1]

    # -- what is certainly missed --------------------------------------------------------------------------------------

    @property
    def missed(self) -> MissedCall | None:
        """The first call that is certainly missed, None where none is."""
        named = (self._named(at) for at in self.mentions[:_MAX_MENTIONS])
        first = next((each for each in named if each is not None), None)
        others = (self._unread_frame(), self._beside_object(), self._beside_call(), self._headed(), self._cut_off())
        return min((each for each in (first, *others) if each is not None), default=None)

    def _named(self, at: _Mention) -> MissedCall | None:
        """Return the call that is missed where a tool is named, None where it is only mentioned."""
        for evidence in (self._in_object, self._after_prefix, self._with_arguments, self._in_tag, self._above_label):
            span = evidence(at)
            if span is not None:
                is_json = evidence == self._in_object and not self._is_attribute(at)
                is_json = is_json or (evidence == self._with_arguments and self.text[span.end - 1] == ":")
                return None if _within(at.start, self.quiet) else self._missed(at.name, span, is_json=is_json)
        return None

    def _missed(self, name: str, span: Span, *, is_json: bool = False) -> MissedCall:
        dialect = self.settings.dialect
        written = f"in `{dialect}`" if dialect is not None else "in any dialect"
        reason = f"`{name}` is named as in a call, but its content is not a call {written}"
        return MissedCall(span, reason, "Write the whole call as its dialect requires", is_json)

    def _takes(self, name: str, parameter: str) -> bool:
        """Return whether a tool of this name has the parameter."""
        return any(parameter in tool.parameters for tool in self.registry.get(name))

    def _is_attribute(self, at: _Mention) -> bool:
        """Return whether a tool's name is the value of an attribute near a marker."""
        named = _ATTRIBUTE.search(self.text, max(at.floor, at.start - 60), at.start)
        return named is not None and bool(self._markers_near(at.start, _SHORTLY, [each.start for each in self.markers]))

    def _in_object(self, at: _Mention) -> Span | None:
        """Return where an object begins in which a tool's name is a value or a key, and arguments follow.

        Definitions of tools, and what tools returned are not calls.
        """
        text = self.text
        start, end = max(at.floor, at.start - _NEAR), min(at.limit, at.end + _NEAR)
        before = max(start, at.start - 60)
        is_value = _VALUE_BEFORE.search(text, before, at.start) is not None
        if not is_value and not (_KEY_BEFORE.search(text, before, at.start) and _KEY_AFTER.match(text, at.end, end)):
            return None
        if is_value and self._is_attribute(at):
            return Span(at.start, at.end)
        opening = max(text.rfind("{", start, at.start), text.rfind("[", start, at.start))
        if opening < 0 and text.find("}", at.start, end) < 0:
            return None
        if _DEFINED.search(text, start, end) or _RESULT.search(text, start, end):
            return None
        window = text[start:end]
        if (is_value and _ARGUMENT_KEY.search(window)) or any(
            self._takes(at.name, match[1]) for match in _KEY.finditer(window)
        ):
            return Span(max(opening, start), at.end)
        return None

    def _after_prefix(self, at: _Mention) -> Span | None:
        """Return where a call begins that starts with a dialect's prefix."""
        text, before = self.text, max(at.floor, at.start - _SHORTLY)
        if text[before : at.start].rstrip()[-1:].isalnum() or not _SOON.search(
            text, at.end, min(at.limit, at.end + _SHORTLY)
        ):
            return None
        found = (prefix.search(text, before, at.start) for prefix in prefixes(self.settings.dialect))
        return next((Span(match.start(), at.end) for match in found if match is not None), None)

    def _with_arguments(self, at: _Mention) -> Span | None:
        """Return where a tool's name and arguments of that tool are, in the form of no dialect."""
        text = self.text
        match = _OBJECT.match(text, at.end, at.limit)
        if match is None:
            line = line_start(text, at.start)
            fenced = _FENCE_ABOVE.search(text, max(0, line - 60), line) is not None
            if fenced or (self.settings.dialect is not None and not text[line : at.start].strip()):
                match = _KEYWORD.match(text, at.end, at.limit)
        return Span(at.start, match.end()) if match is not None and self._takes(at.name, match[1]) else None

    def _in_tag(self, at: _Mention) -> Span | None:
        """Return where a tool's tag is doubled, opened or in another case, or a closing tag of it is unmatched."""
        text, name = self.text, at.name
        if text.endswith("</", 0, at.start):
            start = at.start - 2
            if _ends_object(text, start):
                opening = _FIRST_BRACE.search(text, max(at.floor, at.start - _NEAR), at.start)
                first = _KEY.search(text, opening.start(), at.start) if opening is not None else None
                # A call in a string is only mentioned.
                if first is not None and '\\"' not in first[0] and self._takes(name, first[1]):
                    return Span(start, at.end)
            before = _TAG_BEFORE.search(text, max(at.floor, start - _SHORTLY), start)
            if text.startswith(">", at.end) and before is not None:
                known = self._takes(name, before[2]) if before[1] else self.registry.near(before[2]) == name
                return Span(before.start(), at.end + 1) if known else None
        if not text.endswith("<", 0, at.start) or not text.startswith(">", at.end):
            return None
        leads = not text[line_start(text, at.start) : at.start - 1].strip()
        if leads and _TAG_CUT.match(text, at.end + 1) is not None:
            return Span(at.start - 1, at.end + 1)  # no closer follows
        again = _TAG_AGAIN.match(text, at.end + 1, at.limit)
        if again is None and leads:
            later = _TAG_LATER.match(text, at.end + 1, at.limit)
            again = later if later is not None and later[1] == name else None
        if again is None or (again[1].lower() != name.lower() and self.registry.near(again[1]) != name):
            return None
        return Span(at.start - 1, again.end())

    def _above_label(self, at: _Mention) -> Span | None:
        """Return where the marker of a tool's name is damaged, and the label of arguments below it is not."""
        label = _label(self.settings.dialect)
        line = last_line(self.text, at.floor, at.start)
        if label is None or at.start - line > _LEADING or label.match(self.text, at.end, at.limit) is None:
            return None
        return Span(line, at.end)

    def _unread_frame(self) -> MissedCall | None:
        """Return what is opened and closed as a call, but contains none."""
        text = self.text
        if len(self.markers) < 2:
            return None
        closers = frames(self.settings.dialect)
        ends = [end for _, end in self.gaps]
        waiting: dict[str, Span] = {}
        for marker in self.markers:
            own = marker.of(text)
            written = own if own in closers or own in waiting else without_suffix(own)
            opener = waiting.pop(written, None)
            if opener is not None and marker.end <= ends[bisect_left(ends, opener.end)]:
                content = text[opener.end : marker.start].strip()
                between = f"between `{opener.of(text)}` and `{written}`"
                reason = f"the text {between} cannot be parsed" if content else f"there is nothing {between}"
                remedy = "Write the call between them, or remove them"
                return MissedCall(Span(opener.start, marker.end), reason, remedy, content[:1] in tuple('[{"'))
            if written in closers:
                waiting[closers[written]] = marker
        return None

    def _beside_object(self) -> MissedCall | None:
        """Return the call of which an object with a tool's arguments is left, with a marker beside it."""
        for marker in self.markers:
            key = self._first_key(marker)
            if key and any(self._takes(name, key) for name in self.registry.names) and is_marker(marker.of(self.text)):
                return self._beside(marker)
        return None

    def _beside_call(self) -> MissedCall | None:
        """Return the call in one dialect between markers of another one, which parsers cannot read."""
        text = self.text
        starts = {marker.start: marker for marker in self.markers}
        ends = {marker.end: marker for marker in self.markers}
        for found in self.calls:
            start, end = found.call.place
            lead = _LEAD.search(text, max(0, start - _LEADING), start)
            at = lead.start() if lead is not None else start
            word = _LISTED.search(text, max(0, at - _LEADING), at)
            if word is not None and word[0] in list_words(self.settings.dialect):
                return self._beside(Span(*word.span()))
            # The marker ends with its own sign, which may be doubled after it.
            before = ends.get(at) or ends.get(at + 1)
            visible = _TO_VISIBLE.match(text, end)
            after = starts.get(visible.end()) if visible is not None else None
            for marker in filter(None, (before, after)):
                written = marker.of(text)
                if is_marker(written) and not is_marker(written, found.call.dialect):
                    return self._beside(marker)
        return None

    @staticmethod
    def _beside(marker: Span) -> MissedCall:
        reason = "there is a marker next to it that belongs to no call"
        return MissedCall(marker, reason, "Write all markers of the call, or none")

    def _headed(self) -> MissedCall | None:
        """Return the call below a line that is nearly a tool's name and nothing else."""
        for start, end in self.gaps:
            for match in _HEADED.finditer(self.text, start, end):
                name = self.registry.near(match[1])
                if name is not None and self._takes(name, match[2]) and not _within(match.start(), self.quiet):
                    return self._missed(match[1], Span(*match.span(1)), is_json=True)
        return None

    def _cut_off(self) -> MissedCall | None:
        """Return the call of which only a key that names tools has arrived."""
        match = _CUT.search(self.text, max(0, len(self.text) - 80))
        if match is None or (self.calls and self.calls[-1].call.place.end > match.start()):
            return None
        return MissedCall(Span(*match.span()), "the text ends inside it", "Write the whole call", is_json=True)


def missed_calls(
    text: str, calls: Sequence[FoundCall], traces: Traces, registry: ToolRegistry, settings: Settings
) -> Iterator[Problem]:
    """Yield the problem of a call that no parser reads because of its markers.

    There is one where a call is certainly missed; where a tool is named as in a call, and a marker of calls is near it;
    or where there may be a damaged marker, and one change makes the text a clean call.
    """
    if registry:
        # Loaded where something looks like the rest of a call.
        from callwright.recovery.marker_repairs import MarkerRepair, dialects_with

        dialects = [settings.dialect] if settings.dialect is not None else dialects_with(text, registry)
        sole = MarkerRepair(text, dialects, traces.tools, registry, settings, more_than=len(calls)).sole
        if sole is not None:
            span = Span(sole.edits[0].span.start, max(sole.edits[-1].span.end, sole.edits[0].span.start))
            data: dict[str, object] = {"reason": _DAMAGED, "remedy": sole.title}
            yield Problem("skipped-call", span, data, sole.edits, certain=True)
            return
    if traces.missed is not None:
        span, reason, remedy, is_json = traces.missed
        data = {"reason": reason, "remedy": remedy, "json": is_json}
        yield Problem("skipped-call", _extent(text, span, calls), data)
        return
    for marker in traces.markers:
        written = marker.of(text)
        is_known = is_marker(written, settings.dialect, chats=settings.dialect is not None)
        if is_known and (settings.dialect is not None or traces.tools or "|" in written):
            reason = f"`{written}` is outside every call"
            yield Problem("skipped-call", marker, {"reason": reason, "remedy": _WHOLE})
            return


def _extent(text: str, span: Span, calls: Sequence[FoundCall]) -> Span:
    """Return the extent of a missed call that `span` points to: which part of it is wrong cannot be known.

    That includes a fence's line right before it, or the object after a marker; and what follows in the same paragraph
    up to the last sign that ends something, or up to the next call.
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
    after = _TO_VISIBLE.match(text, end)
    visible = after.end() if after is not None else end
    follows = min((place.start + 1 for place in places if place.start >= end), default=len(text))
    limit = min(follows, end + _NEAR)
    empty = _EMPTY_LINE.search(text, visible, limit)
    last = max(text.rfind(sign, end, empty.start() if empty is not None else limit) for sign in _CLOSING)
    return Span(start, max(end, last + 1, limit if limit == follows and follows - end <= _LEADING else 0))


# -- what needs no tool's name -----------------------------------------------------------------------------------------


def _outside(
    pattern: re.Pattern[str], text: str, calls: Sequence[FoundCall], settings: Settings
) -> re.Match[str] | None:
    """Return the first match outside of every call, and outside of what only mentions calls."""
    found = (match for start, end in gaps_of(text, calls) for match in pattern.finditer(text, start, end))
    first = next(found, None)
    if first is None:
        return None
    quiet = _quiet(text, settings)
    return next((match for match in (first, *found) if not _within(match.start(), quiet)), None)


def _in_reasoning(
    text: str, calls: Sequence[FoundCall], registry: ToolRegistry, settings: Settings
) -> MissedCall | None:
    """Return the marker that makes a call a part of the reasoning: one before it is never closed, or one after it
    closes reasoning that began before the reply, as some prompts begin it.
    """
    if not calls or settings.reasoning == "calls" or any(found.call.dialect == NATIVE for found in calls):
        return None
    first = min(found.call.place.start for found in calls)
    last = max(found.call.place.end for found in calls)
    quiet: list[tuple[int, int]] | None = None
    waiting: dict[str, re.Match[str]] = {}
    for start, end in gaps_of(text, calls):
        for match in _REASONING.finditer(text, start, end):
            name = (match["name"] or "").lower()
            quiet = _quiet(text, settings) if quiet is None else quiet
            if _within(match.start(), quiet) or (name and registry.has(name)):
                continue
            if not (match["end"] or match["closer"]):
                waiting[name] = match
            elif waiting.pop(name, None) is None and match.start() > first:
                return _reasoned(match, "ends after it")
        if waiting and end < last:
            return _reasoned(min(waiting.values(), key=lambda each: each.start()), "begins before it and does not end")
    return None


def _reasoned(marker: re.Match[str], place: str) -> MissedCall:
    remedy = "End the reasoning before the call, and write the call after it"
    return MissedCall(Span(*marker.span()), f"the reasoning {place}, with `{marker[0]}`", remedy)


def _in_data(text: str, calls: Sequence[FoundCall]) -> MissedCall | None:
    """Return the call that is a member of an object which is no call."""
    for found in calls:
        start, end = found.call.place
        if text[start] not in "{[" or found.call.dialect == NATIVE or _MEMBER_AFTER.match(text, end) is None:
            continue
        if _MEMBER_BEFORE.search(text, max(0, start - _SHORTLY), start) is not None:
            return MissedCall(Span(start, end), "it is part of other JSON", "Write the call alone", is_json=True)
    return None


def _invented_result(text: str, calls: Sequence[FoundCall], settings: Settings) -> MissedCall | None:
    """Return the label of a result in a dialect of labelled lines, where a reply continues with one after a call."""
    label = _result_label(settings.dialect)
    match = _outside(label, text, calls, settings) if label is not None and calls else None
    if match is None or match.start() < min(found.call.place.start for found in calls):
        return None
    reason = f"a result follows it with `{match[1]}`, but no tool has returned one"
    return MissedCall(Span(*match.span(1)), reason, "End the reply with the call")


def _named_marker(text: str, calls: Sequence[FoundCall], settings: Settings) -> MissedCall | None:
    """Return the call whose marker names a tool in an attribute, where no tool is known."""
    match = _outside(_damaged_head(), text, calls, settings) if "=" in text and may_hold_markers(text) else None
    return None if match is None else MissedCall(Span(*match.span()), _DAMAGED, _WHOLE)


def _bare_tag(text: str, calls: Sequence[FoundCall], settings: Settings) -> MissedCall | None:
    """Return the call whose tag is named as tools are, where no tool is known and tags are to be found."""
    dialect = find_dialect(settings.dialect) if settings.dialect in BARE_TAG_DIALECTS else None
    if dialect is None or "</" not in text:
        return None
    match = _outside(_BARE_JSON if dialect.typed else _BARE_TAG, text, calls, settings)
    if match is None:
        return None
    reason = f"`<{match[1]}>` opens it, but its content or its closing tag is wrong"
    return MissedCall(Span(*match.span()), reason, "Write only the arguments between its tags")


@cache
def _damaged_head() -> re.Pattern[str]:
    """Return the pattern of a damaged marker that names a tool in an attribute."""
    attribute = r"(?:tool|name)=[\"'][^\"'<>\n]{1,80}[\"']"
    return re.compile(rf"(?<![\w.])(?:{'|'.join(headed_words())})[ \t]{{1,9}}{attribute}[^<>|\n]{{0,80}}(?:>|<\|)")


@cache
def _called() -> re.Pattern[str]:
    """Return the pattern of what follows the name of a tool that is called."""
    return re.compile(
        r"(?![\w\-])(?:\\?[\"'”])?+\s{0,20}+(?::\d{1,9}\s{0,9}+)?+"
        r"(?:[<>|｜\[({}]|```"
        r"|[,:=]?+\s{0,40}+\\?[\"'“]?+[A-Za-z_]{0,20}+(?:\x20Input)?+[\"']?+\s{0,9}+[:=]?+\s{0,20}+\\?[\"'\[({<])"
        rf"|(?:\s{{0,9}}+/?(?:\w{{1,20}}\|)?(?:{tag_words()})[|>\s])"
    )


def _is_called(text: str, at: _Mention) -> bool:
    """Return whether the text after a tool's name is that of a call, and not that of a definition."""
    if _called().match(text, at.end) is None:
        return False
    return _DEFINED.search(text, at.start, min(at.limit, at.start + _NEAR)) is None


@cache
def _label(name: str | None) -> re.Pattern[str] | None:
    """Return the pattern of the line below a tool's name in a dialect of labelled lines, None in others."""
    dialect = find_dialect(name) if name is not None else None
    label, colon, rest = dialect.arguments_line.partition(":") if dialect is not None else ("", "", "")
    begins = r"\s{0,20}+\{" if rest else ""
    line = rf"[ \t]{{0,9}}+{NEWLINE}[ \t]{{0,40}}+{re.escape(label)}[ \t]{{0,9}}+:{begins}"
    return re.compile(line) if colon else None


@cache
def _result_label(name: str | None) -> re.Pattern[str] | None:
    """Return the pattern of a line with a result in a dialect of labelled lines, None in others."""
    dialect = find_dialect(name) if name is not None else None
    if dialect is None or not dialect.result_label:
        return None
    label = re.escape(dialect.result_label.rstrip(":"))
    return re.compile(rf"{LINE_START}[ \t>]*+(?:\*\*|__)?+({label}[ \t]*+:)", re.MULTILINE)


# -- where tools are named, and where they are only mentioned ----------------------------------------------------------


@lru_cache(maxsize=64)
def _sorted_names(names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(sorted({name for name in names if name}, key=len, reverse=True))


def _names(registry: ToolRegistry) -> tuple[str, ...]:
    return _sorted_names(tuple(registry.names))


def _mentions(text: str, gaps: Sequence[tuple[int, int]], names: Sequence[str]) -> Iterator[_Mention]:
    """Yield where tools are named, in the order of the text."""
    for start, end in gaps:
        found: dict[int, str] = {}
        for name in names:
            at = text.find(name, start, end)
            while at >= 0:
                after = at + len(name)
                if not _is_of_name(text[at - 1 : at]) and not _is_of_name(text[after : after + 1]):
                    found.setdefault(at, name)
                at = text.find(name, after, end)
        for at in sorted(found):
            yield _Mention(at, at + len(found[at]), found[at], start, end)


def _is_of_name(char: str) -> bool:
    return char.isalnum() or char in ("_", "-")


def _ends_object(text: str, at: int) -> bool:
    return text[max(0, at - _SPACE) : at].rstrip().endswith(("}", "}]"))


def _quiet(text: str, settings: Settings) -> list[tuple[int, int]]:
    """Return where a text only mentions calls: code spans, comments, programs, and reasoning."""
    found: list[tuple[int, int]] = []
    searches = Searches()
    spans = CodeSpans(text)
    at = 0
    while (match := _QUIET.search(text, at)) is not None:
        opener, start, at = match[0], match.start(), match.end()
        line = line_start(text, start)
        fence = fence_at(text, line) if opener.lstrip()[0] in "`~" else None
        end: int | None = None
        if fence is not None and fence.marker < at:
            if _LANGUAGE.fullmatch(fence.language) and fence.language not in _CALL_FENCES:
                closing = fence_closer(fence.char, fence.length).search(text, fence.content)
                end = closing.end() if closing is not None else None
        elif opener in ("`", "``"):
            # Between more back-ticks, or over several lines, is a badly written fence.
            end = spans.span_end(start)[0]
            end = end if end <= line_end(text, at) else None
        elif opener == COMMENT_OPEN:
            end = comment_end(text, start, searches)
        elif opener in reasoning.BLOCKS and settings.reasoning != "calls":
            end = reasoning.block_end(text, start, opener, searches)
        if end is not None and end > at:
            found.append((start, at := end))
    return found


def _within(at: int, spans: Sequence[tuple[int, int]]) -> bool:
    index = bisect_right(spans, (at, len(spans) and spans[-1][1] + 1)) - 1
    return index >= 0 and spans[index][0] <= at < spans[index][1]
