"""The one slip that explains a call whose tags or markers are damaged: found by trying every one of them.

Owns: which marks of a notation a text nearly has, which changes are tried, and whether there is exactly one outcome.
Must not know: rules, messages, how a fix is offered, any single dialect.

A mark that was misspelt, torn, written twice or written in the wrong place leaves a text that one change makes sound
again. Where all such changes that lead to faultless calls, which their tools accept, lead to the same calls, those
were meant. Where there are such marks and no single outcome, whatever a reader made of the text is a guess.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import islice, pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

from callwright.analysis.binding import bind
from callwright.analysis.reader import read_context, read_stretch
from callwright.calls.protocol import Refusal, RenderStyle
from callwright.calls.teach import example_value
from callwright.dialects.catalogue import dialect_names, find_dialect
from callwright.text.holes import has_hole
from callwright.text.span import Edit, Span, delete, insert

if TYPE_CHECKING:
    from callwright.analysis.settings import Settings
    from callwright.tools.model import ToolSchema
    from callwright.tools.registry import ToolRegistry

#: Longer texts are not tried: their repairs stay what the reader makes of them.
_LONGEST_TEXT: Final = 12_000
#: How many changes are tried.
_MOST_CHANGES: Final = 60
#: How many tools' marks are looked for.
_MOST_TOOLS: Final = 4
#: How many words of a text are compared with those of the marks.
_MOST_WORDS: Final = 400
#: How far, in edits, a mark may lie from the right one.
_LIMIT: Final = 2

_MARK: Final = re.compile(
    r"<\|[^<>|\n\"=]{1,60}\|?>|<[a-z_]{1,40}\|>|</?｜[^<>\n]{1,100}>|</?[A-Za-z_][^<>\n]{0,100}>|\[/?[A-Z_]{3,30}\]"
)
_WORD: Final = re.compile(r"[A-Za-z][A-Za-z0-9_▁\-]{2,60}+")
_LETTERS: Final = re.compile(r"[^\W_▁]++")
_SIGN: Final = re.compile(r"[<>!|｜/\\\[\]&\"“”=]")
_SECTION: Final = ("<![CDATA[", "]]>")
_ALIKE: Final = str.maketrans({"｜": "|", "▁": "_", "“": '"', "”": '"', "'": '"', "\\": "/"})
_SECTION_START: Final = re.compile(r"<!\[CDATA\[")
#: What a tag may hold that lacks its end where it does not lack it.
_TO_TAG_END: Final = re.compile(r"[^<>\r\n]{0,200}+>")
_HALF_SECTION_END: Final = re.compile(r"(?<!\])\]{1,2}+(?!>)(?=\s*+</)|(?<!\])\]>(?=\s*+</)")
#: A word between signs, torn by a space or with a space where none may be, is no farther from the right mark for it.
_SPACE: Final = re.compile(r"[ \t]+")


class Way(NamedTuple):
    """A change that may make a text sound, and what it does in words."""

    edits: tuple[Edit, ...]
    title: str


class MarkerRepair:
    """The search for the one slip in the marks of a text's calls; nothing is done before it is asked for."""

    def __init__(
        self,
        text: str,
        dialects: Iterable[str],
        tools: Iterable[str],
        registry: ToolRegistry,
        settings: Settings,
        *,
        more_than: int = 0,
    ) -> None:
        """Take a text, and how many of its calls are read already where it is another one that is sought."""
        self.text = text
        self.more_than = more_than
        self.dialects = tuple(dict.fromkeys(dialects))
        self.tools = tuple(dict.fromkeys(tools))
        self.registry = registry
        self.settings = settings

    @cached_property
    def sole(self) -> Way | None:
        """The change that leads to the only calls that may have been meant, None where there is none or are several.

        Less likely changes are tried only where no likelier one makes the text sound.
        """
        for ways in (*self._slips, self._rearranged):
            found: dict[str, Way] = {}
            for way in ways:
                meant = self._read(way.edits)
                if meant is not None:
                    found.setdefault(meant, way)
            if found:
                return next(iter(found.values())) if len(found) == 1 else None
        return None

    @property
    def doubtful(self) -> bool:
        """Whether the text holds what is nearly a mark, or a mark that is one too many."""
        return any(self._slips)

    @cached_property
    def _slips(self) -> tuple[tuple[Way, ...], ...]:
        """Changes of what is no mark and nearly one, or is one too many: the nearest, then those that are farther."""
        if not self._is_tried:
            return ()
        near: dict[int, list[Way]] = {}
        for distance, way in self._misspelt():
            near.setdefault(distance, []).append(way)
        near.setdefault(1, []).extend((*self._doubled(), *self._sections(), *self._reopened(), *self._swapped()))
        return tuple(tuple(islice(near[distance], _MOST_CHANGES)) for distance in sorted(near))

    @cached_property
    def _rearranged(self) -> tuple[Way, ...]:
        """Changes where every mark is a right one, and one is not there."""
        return tuple(islice(self._unopened(), _MOST_CHANGES)) if self._is_tried else ()

    @cached_property
    def _is_tried(self) -> bool:
        return len(self.text) <= _LONGEST_TEXT and not has_hole(self.text) and bool(self.dialects)

    @cached_property
    def marks(self) -> tuple[str, ...]:
        """The marks that calls of these tools have in these dialects."""
        marks: dict[str, None] = {}
        for dialect in self.dialects:
            for name in self._names():
                for tool in self.registry.get(name)[:1]:
                    marks.update(dict.fromkeys(marks_of(dialect, tool)))
        return tuple(marks)

    def _names(self) -> tuple[str, ...]:
        """Return the tools that the text speaks of."""
        near = [self.registry.near(name) for name in self.tools]
        named = [name for name in near if name is not None]
        if not named:
            named = [name for name in self.registry.names if name in self.text]
        return tuple(dict.fromkeys(named))[:_MOST_TOOLS]

    # -- changes -------------------------------------------------------------------------------------------------------

    def _misspelt(self) -> Iterator[tuple[int, Way]]:
        """Yield the replacement of each stretch that is nearly a mark and none."""
        text, marks = self.text, self.marks
        exact = {match.span() for match in _MARK.finditer(text) if match[0] in marks}
        exact.update(match.span() for match in _SECTION_START.finditer(text))
        inside = sorted(exact)
        parts = _words_of(marks)
        for number, match in enumerate(_WORD.finditer(text)):
            if number >= _MOST_WORDS:
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
        """Return the replacements of what stands around a word by the marks that are nearest to it."""
        from rapidfuzz.distance import OSA

        text, folded = self.text, word[0].lower().replace("▁", "_")
        best: list[tuple[int, Way]] = []
        spaced: list[tuple[int, Way]] = []
        least = _LIMIT + 1
        for part, places in parts.items():
            if abs(len(part) - len(folded)) > _LIMIT or OSA.distance(part, folded, score_cutoff=_LIMIT) > _LIMIT:
                continue
            for mark, offset in places:
                right = _folded(mark)
                begin, end = word.start() - offset, word.start() - offset + len(mark)
                for start in range(max(0, begin - 2), min(begin + 3, word.start() + 1)):
                    for stop in range(max(word.end(), end - 3), min(len(text), end + 3) + 1):
                        written = text[start:stop]
                        if written == mark or written != written.strip() or not self._is_whole(start, stop, mark):
                            continue
                        if any(begun < stop and start < ended for begun, ended in taken):
                            continue
                        distance = OSA.distance(_folded(written), right, score_cutoff=_LIMIT)
                        if distance > _LIMIT or distance > least:
                            continue
                        if distance < least:
                            least, best = distance, []
                        way = Way((Edit(Span(start, stop), mark),), f"Write `{mark}`")
                        best.append((distance, way))
                        if mark == _SECTION[0] and text[stop : stop + 1] == " ":
                            # The space may stand for the bracket, or belong to the value.
                            taking = Way((Edit(Span(start, stop + 1), mark),), f"Write `{mark}`")
                            spaced.append((distance, taking))
        # Of stretches that are as near, the longest: it leaves nothing of the damaged mark behind.
        longest: dict[str, tuple[int, Way]] = {}
        for distance, way in best:
            mark, span = way.edits[0].text, way.edits[0].span
            known = longest.get(mark)
            if known is None or span.end - span.start > known[1].edits[0].span.end - known[1].edits[0].span.start:
                longest[mark] = (distance, way)
        return [*longest.values(), *spaced]

    def _is_whole(self, start: int, stop: int, mark: str) -> bool:
        """Tell whether a stretch holds whole words, as many as the mark has, or one that is torn in two."""
        text = self.text
        if start and text[start - 1].isalnum() and text[start].isalnum():
            return False
        if stop < len(text) and text[stop].isalnum() and text[stop - 1].isalnum():
            return False
        if (text[stop - 1] in "<[&" and mark[-1] != text[stop - 1]) or (text[start] in ">]" and mark[0] != text[start]):
            return False  # what begins or ends another mark
        if mark[-1] == ">" != text[stop - 1] and _TO_TAG_END.match(text, stop):
            return False  # the tag has its end, behind what else it holds
        if any(sign in text[start:stop] and sign not in mark for sign in '="'):
            return False
        if not (text[start].isalnum() or _SIGN.match(text[start])):
            return False
        words, right = _LETTERS.findall(text[start:stop]), _LETTERS.findall(mark)
        if mark in _SECTION and [word.lower() for word in words] != [word.lower() for word in right]:
            return False  # what the section holds begins right behind its mark
        return len(words) == len(right) or "".join(words).lower() == "".join(right).lower()

    def _doubled(self) -> Iterator[Way]:
        """Yield the removal of each mark that stands right behind another one like it."""
        known = set(self.marks) | set(_SECTION)
        last: re.Match[str] | None = None
        for match in re.compile(f"{_MARK.pattern}|\\]\\]>").finditer(self.text):
            if (
                last is not None
                and match[0] == last[0]
                and match[0] in known
                and not self.text[last.end() : match.start()].strip()
            ):
                yield Way((delete(last.end(), match.end()),), f"Remove the second `{match[0]}`")
            last = match

    def _reopened(self) -> Iterator[Way]:
        """Yield the closing of what is opened twice with text between: the second mark lacks its slash."""
        known, text = set(self.marks), self.text
        found = [match for match in _MARK.finditer(text) if match[0] in known]
        for number, (one, other) in enumerate(pairwise(found), 2):
            closer = "</" + other[0][1:]
            behind = found[number].start() if number < len(found) else len(text)
            if text[other.end() : behind].strip():
                continue  # it opens what follows
            if one[0] == other[0] and closer in known and text[one.end() : other.start()].strip():
                yield Way((Edit(Span(*other.span()), closer),), f"Write `{closer}`")

    def _swapped(self) -> Iterator[Way]:
        """Yield the exchange of two closing marks that follow each other, the outer one in front of the inner one."""
        text = self.text
        opened: list[str] = []
        closed = {_name_of(mark) for mark in self.marks if mark.startswith("</")}
        found = [match for match in _MARK.finditer(text) if match[0].startswith("<")]
        for one, other in pairwise([*found, *found[-1:]]):
            name = _name_of(one[0])
            if not one[0].startswith("</"):
                if name in closed and not one[0].endswith("/>"):
                    opened.append(name)
                continue
            inner = opened[-1:] == [_name_of(other[0])] and other[0].startswith("</")
            if opened[-2:-1] == [name] != opened[-1:] and inner and not text[one.end() : other.start()].strip():
                edits = (Edit(Span(*one.span()), other[0]), Edit(Span(*other.span()), one[0]))
                yield Way(edits, f"Write `{other[0]}` in front of `{one[0]}`")
            if opened and name in opened[-2:]:
                opened.pop()

    def _sections(self) -> Iterator[Way]:
        """Yield the completion of what is half the end of a CDATA section."""
        if "CDATA" not in self.text:
            return
        for match in _HALF_SECTION_END.finditer(self.text):
            yield Way((Edit(Span(*match.span()), "]]>"),), "Write `]]>`")

    def _unopened(self) -> Iterator[Way]:
        """Yield the insertion of an opening mark in front of text that is closed and never opened."""
        marks, text = set(self.marks), self.text
        last: re.Match[str] | None = None
        for match in _MARK.finditer(text):
            opener = "<" + match[0][2:]
            if match[0].startswith("</") and opener in marks and last is not None and last[0] != opener:
                content = text[last.end() : match.start()]
                if content.strip():
                    at = last.end() + len(content) - len(content.lstrip())
                    yield Way((insert(at, opener),), f"Insert `{opener}`")
            last = match

    # -- outcomes ------------------------------------------------------------------------------------------------------

    def _read(self, edits: tuple[Edit, ...]) -> str | None:
        """Return the calls that edits lead to, None where one of them is at fault or its tool refuses it."""
        text = self.text
        for span, new in sorted(edits, reverse=True):
            text = text[: span.start] + new + text[span.end :]
        context = read_context(self.registry, self.settings, frozenset(self.registry.names))
        stretch = read_stretch(text, context)
        if len(stretch.calls) <= self.more_than or any(problem.kind not in _HARMLESS for problem in stretch.problems):
            return None
        calls = []
        for found in stretch.calls:
            call = found.call
            if not call.complete or call.dialect not in self.dialects:
                return None
            if any(problem.kind not in _HARMLESS for problem in call.problems):
                return None
            binding = bind(call, text, self.registry, self.settings, fence=found.fence, peers=[call])
            if not binding.fits or binding.problems or (self.registry and binding.tool is None):
                return None
            calls.append([call.tool, call.dialect, binding.value])
        return json.dumps(calls, sort_keys=True, default=str)


_HARMLESS: Final = frozenset({"engines-differ"})


def dialects_with(text: str, registry: ToolRegistry) -> tuple[str, ...]:
    """Return the dialects with marks that stand in the text, those with most of them first."""
    tools = [tool for name in registry.names if name in text for tool in registry.get(name)[:1]][:_MOST_TOOLS]
    written = {match[0] for match in _MARK.finditer(text)}
    shares: dict[str, int] = {}
    for dialect in dialect_names():
        marks = {mark for tool in tools for mark in marks_of(dialect, tool)}
        shares[dialect] = len(written & marks)
    best = max(shares.values(), default=0)
    return tuple(name for name, share in shares.items() if share and share == best)


def _name_of(mark: str) -> str:
    """Return the name in a tag."""
    return re.split(r"[\s=>]", mark.strip("</>"), maxsplit=1)[0]


def _folded(text: str) -> str:
    return _SPACE.sub("", text.translate(_ALIKE).lower())


def _words_of(marks: Iterable[str]) -> dict[str, list[tuple[str, int]]]:
    """Return the words of marks, each with the marks that it stands in, and where."""
    parts: dict[str, list[tuple[str, int]]] = {}
    for mark in marks:
        for match in _WORD.finditer(mark):
            parts.setdefault(match[0].lower().replace("▁", "_"), []).append((mark, match.start()))
    return parts


def marks_of(dialect: str, tool: ToolSchema) -> tuple[str, ...]:
    """Return the marks that a call of the tool has in a dialect, with all its parameters, as it is written there."""
    notation = find_dialect(dialect)
    if notation is None:
        return ()
    arguments = {name: example_value(each.schema) for name, each in tool.parameters.items()}
    written = notation.render(tool.name, arguments, tool, RenderStyle())
    if isinstance(written, Refusal) or "]<]" in written:
        return ()  # nothing to write, or marks of many parts
    found = dict.fromkeys(match[0] for match in _MARK.finditer(written))
    if notation.cdata and tool.markup == "xml":
        found["<![CDATA["] = None
    return tuple(found)
