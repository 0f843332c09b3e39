"""The single error that explains a call whose tags or markers are damaged, found by trying every one.

Owns: which texts are nearly a marker of a dialect, which changes are tried, and whether there is exactly one outcome.
Must not know: rules, messages, how a fix is offered, any single dialect.

A marker that is misspelt, truncated, doubled or misplaced leaves a text that one change makes valid again. Where all
such changes that lead to clean calls, which their tools accept, lead to the same calls, those were meant. Where there
are such markers and no single outcome, whatever a parser made of the text is a guess.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import chain, islice, pairwise
from typing import TYPE_CHECKING, Final

from callwright.dialects.catalogue import dialect_names
from callwright.recovery.trials import Trials
from callwright.recovery.written import MARKER, call_markers_of, written_call
from callwright.text.holes import has_hole
from callwright.text.line_ends import LINE_END, LINE_START, NEWLINE
from callwright.text.patterns import compile_later
from callwright.text.records import NamedTuple
from callwright.text.span import Edit, Span, apply_edits, delete, insert

if TYPE_CHECKING:
    from callwright.document.settings import Settings
    from callwright.syntax.problem import Problem
    from callwright.tools.model import ToolSchema
    from callwright.tools.registry import ToolRegistry

#: Longer texts are not tried: they keep the repairs of the parser.
_MAX_TEXT_LENGTH: Final = 12_000
#: How many changes are tried.
_MAX_CHANGES: Final = 60
#: How many tools' markers are searched for.
_MAX_TOOLS: Final = 4
#: How many words of a text are compared with those of the markers.
_MAX_WORDS: Final = 400
#: The largest distance, in edits, of a misspelt marker from the right one.
_LIMIT: Final = 2

_WORD: Final = compile_later(r"[A-Za-z][A-Za-z0-9_▁\-]{2,60}+")
_LETTERS: Final = compile_later(r"[^\W_▁]++")
_SIGN: Final = compile_later(r"[<>!|｜/\\\[\]&\"“”=]")
_SECTION: Final = ("<![CDATA[", "]]>")
_ALIKE: Final = str.maketrans({"｜": "|", "▁": "_", "“": '"', "”": '"', "'": '"', "\\": "/"})
_SECTION_START: Final = compile_later(r"<!\[CDATA\[")
#: What a tag without its end may contain up to where the end belongs.
_TO_TAG_END: Final = compile_later(r"[^<>\r\n]{0,200}+>")
_HALF_SECTION_END: Final = compile_later(r"(?<!\])\]{1,2}+(?!>)(?=\s*+</)|(?<!\])\]>(?=\s*+</)")
#: A word between signs that a space divides, or that has a space where none may be, is at no distance from the right
#: marker.
_SPACE: Final = compile_later(r"[ \t]+")
_TOKEN: Final = compile_later(r"[\w.\-]++|[^\w\s]")
_FENCE_TWICE: Final = compile_later(
    rf"{LINE_START}[ \t]*+(`{{3,}}+|~{{3,}}+)([\w\-]*+)[ \t]*+{NEWLINE}(?=[ \t]*+\1\2[ \t]*+{NEWLINE})", re.MULTILINE
)
#: The rest of a CDATA section's end, or of a tag whose end is next.
_TAG_BEFORE: Final = compile_later(r"(?:\]|<[^<>]*+)\Z")
_VALUE_END: Final = compile_later(r">(?=\s*+</)")
_FENCE: Final = compile_later(rf"{LINE_START}[ \t]*+(`++|~{{3,}}+)(?=[\w\-]*+[ \t]*+{LINE_END})", re.MULTILINE)


class Way(NamedTuple):
    """A change that may make a text valid, and its description."""

    edits: tuple[Edit, ...]
    title: str


class MarkerRepair(Trials):
    """The search for the single error in the markers of a text's calls; nothing is computed before it is asked for."""

    def __init__(
        self,
        text: str,
        dialects: Iterable[str],
        tools: Iterable[str],
        registry: ToolRegistry,
        settings: Settings,
        *,
        more_than: int | None = None,
    ) -> None:
        """Set the text; `more_than` is how many of its calls are read already where a further one is searched for."""
        super().__init__(text, registry, settings)
        self.more_than = more_than
        self.dialects = tuple(dict.fromkeys(dialects))
        self.tools = tuple(dict.fromkeys(tools))

    @cached_property
    def sole(self) -> Way | None:
        """The change that leads to the only calls that may have been meant, None where there are none or several."""
        return next(iter(self._outcomes.values())) if len(self._outcomes) == 1 else None

    @cached_property
    def _outcomes(self) -> dict[str, Way]:
        """The calls that may have been meant, each with a change that leads to them.

        Less likely changes are tried only where no likelier one makes the text valid.
        """
        found: dict[str, Way] = {}
        for ways in (*self._corrections, self._rearranged):
            for way in ways:
                meant = self._outcome_of(way.edits)
                if meant is not None:
                    found.setdefault(meant, way)
            if found:
                break
        return found

    def is_sole(self, edits: tuple[Edit, ...]) -> bool:
        """Return whether edits that are more than a single change lead to clean calls, and no single change does."""
        return not self._outcomes and self._outcome_of(edits) is not None

    @property
    def uncertain(self) -> bool:
        """Whether the text contains something that is nearly a marker, or a marker too many.

        A word that a marker contains too, as the end of `/some/path` does, counts only where a bracket of the marker is
        left.
        """
        return any(self._keeps_bracket(way) for ways in self._corrections for way in ways)

    def _keeps_bracket(self, way: Way) -> bool:
        """Return whether an edit replaces text that has the first or the last character of its replacement."""
        return any(
            not new or span.start == span.end or {new[0], new[-1]} & {*self.text[span.start : span.end]}
            for span, new in way.edits
        )

    @cached_property
    def _corrections(self) -> tuple[tuple[Way, ...], ...]:
        """Changes of what is nearly a marker, or is a marker too many: the nearest, then those that are farther."""
        if not self._is_tried:
            return ()
        near: dict[int, list[Way]] = {}
        for distance, way in self._misspelt():
            near.setdefault(distance, []).append(way)
        near.setdefault(1, []).extend(
            (*self._doubled(), *self._sections(), *self._reopened(), *self._swapped(), *self._fences())
        )
        return tuple(tuple(islice(near[distance], _MAX_CHANGES)) for distance in sorted(near))

    @cached_property
    def _rearranged(self) -> tuple[Way, ...]:
        """Changes for texts in which every marker is right, and one is missing."""
        if not self._is_tried:
            return ()
        dropped = () if self.more_than is None else self._dropped()
        return tuple(islice(chain(self._unopened(), dropped), _MAX_CHANGES))

    @cached_property
    def _is_tried(self) -> bool:
        return len(self.text) <= _MAX_TEXT_LENGTH and not has_hole(self.text) and bool(self.dialects)

    @cached_property
    def markers(self) -> tuple[str, ...]:
        """The markers that calls of these tools have in these dialects."""
        return tuple(
            dict.fromkeys(marker for dialect, tool in self._forms for marker in call_markers_of(dialect, tool))
        )

    @property
    def _forms(self) -> list[tuple[str, ToolSchema]]:
        """The dialects, each with each tool that the text names."""
        tools = [tool for name in self._names() for tool in self.registry.get(name)[:1]]
        return [(dialect, tool) for dialect in self.dialects for tool in tools]

    def _names(self) -> tuple[str, ...]:
        """Return the tools that the text names."""
        near = [self.registry.near(name) for name in self.tools]
        named = [name for name in near if name is not None]
        if not named:
            named = [name for name in self.registry.names if name in self.text]
        return tuple(dict.fromkeys(named))[:_MAX_TOOLS]

    # -- changes -------------------------------------------------------------------------------------------------------

    def _misspelt(self) -> Iterator[tuple[int, Way]]:
        """Yield the replacement of each segment that is nearly a marker."""
        text, markers = self.text, self.markers
        exact = {match.span() for match in MARKER.finditer(text) if match[0] in markers}
        exact.update(match.span() for match in _SECTION_START.finditer(text))
        inside = sorted(exact)
        parts = _words_of(markers)
        for number, match in enumerate(_WORD.finditer(text)):
            if number >= _MAX_WORDS:
                break
            at = match.start()
            if not _SIGN.search(text, max(0, at - 3), at) and not _SIGN.search(text, match.end(), match.end() + 3):
                continue
            if any(start <= at < end for start, end in inside):
                continue
            yield from self._nearest(match, parts, inside)

    def _nearest(
        self, word: re.Match[str], parts: dict[str, list[tuple[str, int]]], taken: list[tuple[int, int]]
    ) -> list[tuple[int, Way]]:
        """Return the replacements of the text around a word by the nearest markers."""
        from rapidfuzz.distance import OSA

        text, folded = self.text, word[0].lower().replace("▁", "_")
        best: list[tuple[int, Way]] = []
        spaced: list[tuple[int, Way]] = []
        least = _LIMIT + 1
        for part, places in parts.items():
            if abs(len(part) - len(folded)) > _LIMIT or OSA.distance(part, folded, score_cutoff=_LIMIT) > _LIMIT:
                continue
            for marker, offset in places:
                right = _folded(marker)
                begin, end = word.start() - offset, word.start() - offset + len(marker)
                for start in range(max(0, begin - 2), min(begin + 3, word.start() + 1)):
                    for stop in range(max(word.end(), end - 3), min(len(text), end + 3) + 1):
                        written = text[start:stop]
                        if written == marker or written != written.strip() or not self._is_whole(start, stop, marker):
                            continue
                        if any(begun < stop and start < ended for begun, ended in taken):
                            continue
                        distance = OSA.distance(_folded(written), right, score_cutoff=_LIMIT)
                        if distance > _LIMIT or distance > least:
                            continue
                        if distance < least:
                            least, best = distance, []
                        way = Way((Edit(Span(start, stop), marker),), f"Write `{marker}`")
                        best.append((distance, way))
                        if marker == _SECTION[0] and text[stop : stop + 1] == " ":
                            # The space may replace the bracket, or belong to the value.
                            taking = Way((Edit(Span(start, stop + 1), marker),), f"Write `{marker}`")
                            spaced.append((distance, taking))
        # Of equally near segments, one that begins and ends as the marker does; else the longest, which leaves nothing
        # of the damaged marker, and the same without what may belong to the text around it.
        longest: dict[str, tuple[int, Way]] = {}
        for distance, way in sorted(best, key=lambda each: _fitness(text, each[1].edits[0])):
            longest[way.edits[0].text] = (distance, way)
        for distance, way in best:
            edit = way.edits[0]
            most = longest[edit.text][1].edits[0]
            cut = text[most.span.start : edit.span.start] + text[edit.span.end : most.span.end]
            inside = most.span.start <= edit.span.start and edit.span.end <= most.span.end
            # A quote may be the marker's, doubled, or begin the value.
            if cut and inside and not any(char in edit.text.replace('"', "") or char.isspace() for char in cut):
                spaced.append((distance, way))
        return [*longest.values(), *spaced]

    def _is_whole(self, start: int, stop: int, marker: str) -> bool:
        """Return whether a segment is whole words, as many as the marker has, or one that is divided in two."""
        text = self.text
        if start and text[start - 1].isalnum() and text[start].isalnum():
            return False
        if stop < len(text) and text[stop].isalnum() and text[stop - 1].isalnum():
            return False
        if (text[stop - 1] in "<[&" and marker[-1] != text[stop - 1]) or (
            text[start] in ">]" and marker[0] != text[start]
        ):
            return False  # it begins or ends another marker
        if marker[-1] == ">" != text[stop - 1] and _TO_TAG_END.match(text, stop):
            return False  # the tag has its end, after the rest of its content
        if marker[-1] == ">" != text[stop - 1] and ">" in text[start:stop]:
            return False  # the tag ends before
        if any(sign in text[start:stop] and sign not in marker for sign in '="'):
            return False
        if not (text[start].isalnum() or _SIGN.match(text[start])):
            return False
        words, right = _LETTERS.findall(text[start:stop]), _LETTERS.findall(marker)
        if marker == _SECTION[0] and text.startswith("<!", start) and text[stop - 1] == "[":
            return len(words) == len(right)
        if marker in _SECTION and [word.lower() for word in words] != [word.lower() for word in right]:
            return False  # the section's content begins right after its marker
        return len(words) == len(right) or "".join(words).lower() == "".join(right).lower()

    def _doubled(self) -> Iterator[Way]:
        """Yield the removal of each marker that is right after an equal one."""
        known = set(self.markers) | set(_SECTION)
        last: re.Match[str] | None = None
        for match in re.compile(f"{MARKER.pattern}|\\]\\]>").finditer(self.text):
            if (
                last is not None
                and match[0] == last[0]
                and (match[0] in known or self._is_excess(match[0]))
                and not self.text[last.end() : match.start()].strip()
            ):
                yield Way((delete(last.end(), match.end()),), f"Remove the second `{match[0]}`")
            last = match

    def _is_excess(self, marker: str) -> bool:
        """Return whether a closing tag is more frequent than its opening one, where no tool's markers are known."""
        if not marker.startswith("</") or self.markers:
            return False
        return self.text.count("<" + _name_of(marker)) < self.text.count("</" + _name_of(marker))

    def _reopened(self) -> Iterator[Way]:
        """Yield the closing of what is opened twice with text between: the second marker lacks its slash."""
        known, text = set(self.markers), self.text
        found = [match for match in MARKER.finditer(text) if match[0] in known]
        for number, (one, other) in enumerate(pairwise(found), 2):
            closer = "</" + other[0][1:]
            after = found[number].start() if number < len(found) else len(text)
            if text[other.end() : after].strip():
                continue  # it opens what follows
            if one[0] == other[0] and closer in known and text[one.end() : other.start()].strip():
                yield Way((Edit(Span(*other.span()), closer),), f"Write `{closer}`")

    def _swapped(self) -> Iterator[Way]:
        """Yield the exchange of two consecutive closing markers where the outer one comes first."""
        text = self.text
        opened: list[str] = []
        closed = {_name_of(marker) for marker in self.markers if marker.startswith("</")}
        found = [match for match in MARKER.finditer(text) if match[0].startswith("<")]
        for one, other in pairwise([*found, *found[-1:]]):
            name = _name_of(one[0])
            if not one[0].startswith("</"):
                if name in closed and not one[0].endswith("/>"):
                    opened.append(name)
                continue
            inner = opened[-1:] == [_name_of(other[0])] and other[0].startswith("</")
            if opened[-2:-1] == [name] != opened[-1:] and inner and not text[one.end() : other.start()].strip():
                edits = (Edit(Span(*one.span()), other[0]), Edit(Span(*other.span()), one[0]))
                yield Way(edits, f"Write `{other[0]}` before `{one[0]}`")
            if opened and name in opened[-2:]:
                opened.pop()

    def _sections(self) -> Iterator[Way]:
        """Yield the completion of a CDATA section's end of which half is missing."""
        if "CDATA" not in self.text:
            return
        for match in _HALF_SECTION_END.finditer(self.text):
            begun = self.text.rfind(_SECTION[0], 0, match.start())
            if begun < 0 or "</" in self.text[begun : match.start()]:
                continue  # a bracket that belongs to an unclosed value before it
            yield Way((Edit(Span(*match.span()), "]]>"),), "Write `]]>`")
        last = self.text.rfind(_SECTION[0])
        ended = _VALUE_END.search(self.text, last) if self.text.find("]]>", last) < 0 else None
        if ended is not None and not _TAG_BEFORE.search(self.text, max(last + 9, ended.start() - 100), ended.start()):
            # It may be the rest of the section's end, or belong to the value.
            yield Way((Edit(Span(*ended.span()), "]]>"),), "Write `]]>`")
            yield Way((insert(ended.end(), "]]>"),), "Insert `]]>`")

    def _unopened(self) -> Iterator[Way]:
        """Yield the insertion of an opening marker before text that is closed but never opened."""
        markers, text = set(self.markers), self.text
        last: re.Match[str] | None = None
        for match in MARKER.finditer(text):
            opener = "<" + match[0][2:]
            if match[0].startswith("</") and opener in markers and last is not None and last[0] != opener:
                content = text[last.end() : match.start()]
                if content.strip():
                    at = last.end() + len(content) - len(content.lstrip())
                    name = opener[1:-1]
                    if text.startswith(name, at) and text[at + len(name) : at + len(name) + 1] in (
                        " ",
                        ">",
                        "\n",
                        "\t",
                    ):
                        # The marker is there, except for its first character.
                        yield Way((insert(at, "<"),), "Insert `<`")
                        last = match
                        continue
                    # White space may belong to the value.
                    for place in dict.fromkeys((at, last.end())):
                        yield Way((insert(place, opener),), f"Insert `{opener}`")
            last = match

    def _dropped(self) -> Iterator[Way]:
        """Yield the insertion of an opening marker where the text that is next to it in a call is without it."""
        text = self.text
        seen: set[tuple[int, str]] = set()
        for before, marker, after in (opener for form in self._forms for opener in _openers_of(*form)):
            places = [match.start() for match in after.finditer(text)] if after else []
            places += [match.end() for match in before.finditer(text)] if before else []
            for at in places:
                is_at = text.startswith(marker, at) or text[:at].rstrip().endswith(marker)
                if not is_at and (at, marker) not in seen:
                    seen.add((at, marker))
                    yield Way((insert(at, marker),), f"Insert `{marker}`")

    def _fences(self) -> Iterator[Way]:
        """Yield the removal of a fence's first line that is doubled, and the completion of a short one."""
        for match in _FENCE_TWICE.finditer(self.text):
            yield Way((delete(*match.span()),), "Remove the second opening fence")
        fences = 0
        for match in _FENCE.finditer(self.text):
            if len(match[1]) > 2:
                fences += 1
            elif fences % 2 == 0:  # it opens one
                yield Way((Edit(Span(*match.span(1)), "```"),), "Open the fence with three backticks")

    # -- outcomes ------------------------------------------------------------------------------------------------------

    def _outcome_of(self, edits: tuple[Edit, ...]) -> str | None:
        """Return the calls that edits lead to, None where one of them has a problem or its tool rejects it."""
        text = apply_edits(self.text, edits)
        segment = self._read(text)
        if len(segment.calls) <= (self.more_than or 0) or any(map(self._is_fault, segment.problems)):
            return None
        if any(found.call.dialect not in self.dialects for found in segment.calls):
            return None
        return self._meant(text, segment, lambda _: True)

    def _is_fault(self, problem: Problem) -> bool:
        return problem.kind != "engines-differ"


def dialects_with(text: str, registry: ToolRegistry) -> tuple[str, ...]:
    """Return the dialects whose markers are in the text, those with most of them first."""
    tools = [tool for name in registry.names if name in text for tool in registry.get(name)[:1]][:_MAX_TOOLS]
    written = {match[0] for match in MARKER.finditer(text)}
    shares: dict[str, int] = {}
    for dialect in dialect_names():
        markers = {marker for tool in tools for marker in call_markers_of(dialect, tool)}
        shares[dialect] = len(written & markers)
    best = max(shares.values(), default=0)
    return tuple(name for name, share in shares.items() if share and share == best)


def _fitness(text: str, edit: Edit) -> tuple[bool, int]:
    """Return the key by which segments are ordered that a marker may replace, the best one last."""
    start, end = edit.span
    alike = text[start] == edit.text[0] and text[end - 1] == edit.text[-1]
    return alike, end - start


def _name_of(marker: str) -> str:
    """Return the name in a tag."""
    return re.split(r"[\s=>]", marker.strip("</>"), maxsplit=1)[0]


def _folded(text: str) -> str:
    return _SPACE.sub("", text.translate(_ALIKE).lower())


def _words_of(markers: Iterable[str]) -> dict[str, list[tuple[str, int]]]:
    """Return the words of markers, each with the markers that contain it, and where."""
    parts: dict[str, list[tuple[str, int]]] = {}
    for marker in markers:
        for match in _WORD.finditer(marker):
            parts.setdefault(match[0].lower().replace("▁", "_"), []).append((marker, match.start()))
    return parts


def _openers_of(dialect: str, tool: ToolSchema) -> list[tuple[re.Pattern[str] | None, str, re.Pattern[str] | None]]:
    """Return the markers before a call's arguments, each with what is before and after it, as patterns."""
    written = written_call(dialect, tool)
    name_at = written.find(tool.name)
    if name_at < 0:
        return []
    first = min((at for key in tool.parameters if (at := written.find(key, name_at + len(tool.name))) >= 0), default=-1)
    brace = written.rfind("{", name_at, first) if first >= 0 else written.find("{", name_at)
    limit = brace if brace >= 0 else first if first >= 0 else len(written)
    markers = [match for match in MARKER.finditer(written) if match.end() <= limit and not match[0].startswith("</")]
    if tool.name in "".join(match[0] for match in markers):
        name_at = -1
    found = []
    for number, match in enumerate(markers):
        since = markers[number - 1].start() if number else match.start()
        until = markers[number + 1].end() if number + 1 < len(markers) else limit
        if since < name_at < match.start():
            since = name_at
        if match.end() <= name_at < until:
            until = name_at + len(tool.name)
        found.append((_loose(written[since : match.start()]), match[0], _loose(written[match.end() : until])))
    return found


def _loose(written: str) -> re.Pattern[str] | None:
    """Return a pattern for text that accepts any white space where the text has some; None for an empty text."""
    tokens = _TOKEN.findall(written)
    return re.compile(r"\s{0,40}+".join(map(re.escape, tokens))) if tokens else None
