"""Faults of the markers around calls: special tokens, tags and fences that say where calls begin and end.

Owns: the kinds of the group `frame`. Must not know: how calls are read, what is reported of a fault.
"""
# ruff: noqa: ARG002  # every kind is asked in the same way

from __future__ import annotations

import re
from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final

from benchmarks.faults.base import Injected, Kind, Sample
from benchmarks.faults.corpora import parser_of
from benchmarks.faults.markup import markup_of, replaced
from benchmarks.faults.xml_kinds import syntax_error
from callwright.dialects.catalogue import dialect_names
from callwright.text.span import Span

if TYPE_CHECKING:
    from random import Random

    from callwright.runtime.strict import StrictParser

_MARKER: Final = re.compile(
    r"<\|[^<>|\n\"]{1,60}\|?>|<[a-z_]{1,40}\|>|<｜[^<>\n]{1,40}｜>|</?[A-Za-z_][\w.|:=\-]{0,60}[^<>\n\"]{0,20}>|\[/?[A-Z_]{3,30}\]"
)
_FENCE: Final = re.compile(r"^[ \t]*(?P<marker>`{3,}|~{3,})[ \t]*(?P<info>[\w\-]*)[ \t]*$", re.MULTILINE)
#: How far markers may be from a call that they belong to.
_NEAR: Final = 120


@dataclass(frozen=True)
class Frame:
    """The markers in front of the arguments and after them, each in the order of the text."""

    before: tuple[Span, ...]
    after: tuple[Span, ...]


def frame_of(sample: Sample) -> Frame:
    """Return the markers around a sample's arguments; those of markup dialects are the kinds' for tags."""
    if markup_of(sample) is not None:
        return Frame((), ())
    text, body = sample.text, sample.body
    begin = max(0, min(sample.span.start, body.start) - _NEAR)
    end = min(len(text), max(sample.span.end, body.end) + _NEAR)
    before = [Span(*match.span()) for match in _MARKER.finditer(text, begin, body.start)]
    after = [Span(*match.span()) for match in _MARKER.finditer(text, body.end, end)]
    return Frame(_chain(text, before, sample, front=True), _chain(text, after, sample, front=False))


def _chain(text: str, found: list[Span], sample: Sample, *, front: bool) -> tuple[Span, ...]:
    """Return the markers inside the call, and those outside of it with nothing but white space between."""
    kept: list[Span] = []
    edge = sample.span.start if front else sample.span.end
    for span in reversed(found) if front else found:
        outside = span.end <= sample.span.start if front else span.start >= sample.span.end
        if outside:
            gap = text[span.end : edge] if front else text[edge : span.start]
            is_closer = span.of(text).startswith("</") or "end" in span.of(text) or "close" in span.of(text)
            if gap.strip() or is_closer == front:
                break
            edge = span.start if front else span.end
        kept.append(span)
    return tuple(reversed(kept)) if front else tuple(kept)


class _Damage(Kind):
    """A kind of fault around calls, where no dialect's own referee can decide whether it is one.

    Damage that leaves every call as soundly read as before is none: of a text as one where the dialect of the sample is
    demanded, of each way to read it where every dialect is taken. Where no tool is known, any name is one: damage that
    makes a sound call of another name is none, either.
    """

    group: ClassVar = "frame"

    def is_fault(self, sample: Sample, injected: Injected) -> bool:
        """Return whether the damaged text is rejected, or gives other calls than the sound one."""
        return injected.text != sample.text and not self.is_sound(sample, injected, "demanded")

    def is_sound(self, sample: Sample, injected: Injected, mode: str) -> bool:
        """Return whether the calls are read as in the sound text, without a fault."""
        others = () if mode == "demanded" else tuple(name for name in dialect_names() if name != sample.dialect)
        parser = parser_of(sample.registry, (sample.dialect, *others))
        if not sample.registry and _tools(parser, injected.text) not in ([], _tools(parser, sample.text)):
            return True
        return _calls(parser, injected.text) == _calls(parser, sample.text)


def _tools(parser: StrictParser, text: str) -> list[str | None]:
    return [call.tool for call in parser.parse(text).calls]


def _calls(parser: StrictParser, text: str) -> str:
    calls, error = parser.parse(text)
    return "rejected" if error is not None else repr([(call.tool, call.arguments) for call in calls])


class _FrameKind(_Damage):
    """A kind of fault in a marker around calls."""

    #: Which markers: those in front of the arguments, or after them.
    after: ClassVar[bool] = True

    def inject(self, sample: Sample, random: Random) -> Injected | None:
        """Damage one of the markers."""
        frame = frame_of(sample)
        markers = frame.after if self.after else frame.before
        return self.damage(sample, random.choice(markers), random) if markers else None

    @abstractmethod
    def damage(self, sample: Sample, marker: Span, random: Random) -> Injected | None:
        """Return the sample's text with the fault in the marker."""


class CloserDropped(_FrameKind):
    """A closing marker is left out."""

    name = "frame closer dropped"

    def damage(self, sample: Sample, marker: Span, random: Random) -> Injected | None:
        """Leave it out."""
        return replaced(sample, marker.start, marker.end, "")


class CloserDoubled(_FrameKind):
    """A closing marker is there twice."""

    name = "frame closer doubled"

    def damage(self, sample: Sample, marker: Span, random: Random) -> Injected | None:
        """Write it again."""
        return replaced(sample, marker.end, marker.end, marker.of(sample.text))


class CloserWrong(_FrameKind):
    """A call or section is closed with another dialect's marker."""

    name = "frame closer wrong"

    def damage(self, sample: Sample, marker: Span, random: Random) -> Injected | None:
        """Write the other marker."""
        own = marker.of(sample.text)
        others = ("</tool_call>", "</tool_calls>", "</function>", "<|tool_call_end|>", "[/TOOL_CALLS]", "</invoke>")
        return replaced(sample, *marker, random.choice([each for each in others if each != own]))


class CloserOpens(_FrameKind):
    """The opening marker is where the closing one belongs."""

    name = "frame closer opens"

    def damage(self, sample: Sample, marker: Span, random: Random) -> Injected | None:
        """Write it without its slash."""
        written = marker.of(sample.text)
        if "/" in written[:2]:
            return replaced(sample, *marker, written.replace("/", "", 1))
        if "end" in written:
            return replaced(sample, *marker, written.replace("end", "begin", 1))
        return None


class CloserCut(_FrameKind):
    """The text ends in the middle of a closing marker."""

    name = "frame closer cut off"

    def damage(self, sample: Sample, marker: Span, random: Random) -> Injected | None:
        """Cut it off, where nothing but markers follows."""
        rest = sample.text[marker.end :]
        if _MARKER.sub("", rest).strip(" \t\r\n]}`"):
            return None
        at = random.randrange(marker.start + 2, marker.end)
        return Injected(sample.text[:at], Span(marker.start, at))


def damaged_marker(marker: str, random: Random) -> str | None:
    """Return a marker with a sign left out, doubled, changed for one that looks like it, or a word misspelt."""
    ways = []
    if "|" in marker:
        bars = [at for at, char in enumerate(marker) if char == "|"]
        at = random.choice(bars)
        ways += [marker[:at] + marker[at + 1 :], marker.replace("|", "｜")]
    if "｜" in marker:
        ways += [marker.replace("｜", "|"), marker.replace("｜", "|", 1)]
    if "▁" in marker:
        ways += [marker.replace("▁", "_"), marker.replace("▁", " ")]
    ways += [marker[:-1], marker[1:], marker[:1] + " " + marker[1:], marker + marker[-1]]
    words = list(re.finditer(r"[A-Za-z]{4,}", marker))
    if words:
        word = random.choice(words)
        ways.append(marker[: word.start()] + syntax_error(word[0], random) + marker[word.end() :])
        ways.append(marker[: word.start()] + word[0].swapcase() + marker[word.end() :])
    made = random.choice(ways)
    return made if made != marker else None


class CloserDamaged(_FrameKind):
    """A closing marker is misspelt."""

    name = "frame closer damaged"

    def damage(self, sample: Sample, marker: Span, random: Random) -> Injected | None:
        """Damage a sign of it."""
        made = damaged_marker(marker.of(sample.text), random)
        return None if made is None else replaced(sample, *marker, made)


class OpenerDropped(_FrameKind):
    """An opening marker is left out."""

    name = "frame opener dropped"
    after = False

    def damage(self, sample: Sample, marker: Span, random: Random) -> Injected | None:
        """Leave it out; a name that is after nothing is lost in the text."""
        return replaced(sample, marker.start, marker.end, "", keeps=bool(frame_of(sample).after))


class OpenerDoubled(_FrameKind):
    """An opening marker is there twice."""

    name = "frame opener doubled"
    after = False

    def damage(self, sample: Sample, marker: Span, random: Random) -> Injected | None:
        """Write it again."""
        return replaced(sample, marker.end, marker.end, marker.of(sample.text))


class OpenerDamaged(_FrameKind):
    """An opening marker is misspelt."""

    name = "frame opener damaged"
    after = False

    def damage(self, sample: Sample, marker: Span, random: Random) -> Injected | None:
        """Damage a sign of it."""
        made = damaged_marker(marker.of(sample.text), random)
        return None if made is None else replaced(sample, *marker, made)


class _FenceKind(_Damage):
    """A kind of fault in the fence around a call."""

    def inject(self, sample: Sample, random: Random) -> Injected | None:
        """Damage the fence, where the call is in one."""
        fences = list(_FENCE.finditer(sample.text))
        if len({len(fence[0]) - len(fence[0].lstrip()) for fence in fences}) > 1:
            return None  # one of them is in a value
        for opener, closer in zip(fences[::2], fences[1::2], strict=False):
            inside = opener.end() <= sample.body.start and sample.body.end <= closer.start()
            if inside and not closer["info"] and opener["marker"] == closer["marker"]:
                return self.damage(sample, opener, closer, random)
        return None

    @abstractmethod
    def damage(self, sample: Sample, opener: re.Match[str], closer: re.Match[str], random: Random) -> Injected | None:
        """Return the sample's text with the fault in the fence."""


class FenceNotClosed(_FenceKind):
    """A fence is never closed."""

    name = "fence not closed"

    def damage(self, sample: Sample, opener: re.Match[str], closer: re.Match[str], random: Random) -> Injected | None:
        """Leave its end out."""
        return replaced(sample, *closer.span("marker"), "")


class FenceClosedShort(_FenceKind):
    """A fence is closed with too few signs, or with others."""

    name = "fence closed wrongly"

    def damage(self, sample: Sample, opener: re.Match[str], closer: re.Match[str], random: Random) -> Injected | None:
        """Write the other end."""
        marker = closer["marker"]
        wrong = random.choice((marker[:-1], marker[:-2], "~~~" if marker[0] == "`" else "```", "'''"))
        return replaced(sample, *closer.span("marker"), wrong)


class FenceOpenedTwice(_FenceKind):
    """A fence is opened twice."""

    name = "fence opened twice"

    def damage(self, sample: Sample, opener: re.Match[str], closer: re.Match[str], random: Random) -> Injected | None:
        """Write its first line again."""
        return replaced(sample, opener.end(), opener.end(), "\n" + opener[0])


class FenceOpenedShort(_FenceKind):
    """A fence is opened with too few signs."""

    name = "fence opened wrongly"

    def damage(self, sample: Sample, opener: re.Match[str], closer: re.Match[str], random: Random) -> Injected | None:
        """Leave one or two out."""
        start, end = opener.span("marker")
        return replaced(sample, start, end, opener["marker"][: random.choice((1, 2))])


KINDS: Final = tuple(
    kind()
    for kind in (
        CloserDropped,
        CloserDoubled,
        CloserWrong,
        CloserOpens,
        CloserCut,
        CloserDamaged,
        OpenerDropped,
        OpenerDoubled,
        OpenerDamaged,
        FenceNotClosed,
        FenceClosedShort,
        FenceOpenedTwice,
        FenceOpenedShort,
    )
)
