"""The dialect that a prompt demands, read from its own words.

Owns: `Demand`, `demands_of`: sentences that say how calls are to be written, and patterns of calls that show it. Must
not know: rules, single dialects beyond their names and what they ask for.

A sentence counts where it speaks of tools or calls, of one format, and says what must be; a line of a pattern where it
shows the dialect with a placeholder for the tool's name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final

from callwright.dialects.catalogue import all_dialects, dialect_names, dialect_openers
from callwright.hosts.base import FlowHost
from callwright.prompt.mentions import small_letters
from callwright.prompt.taught import PassagePlace
from callwright.prompt.teachings import teaching_of
from callwright.syntax.prose import line_start
from callwright.text.budget import yield_point
from callwright.text.facts import derived
from callwright.text.records import NamedTuple
from callwright.text.span import Span

if TYPE_CHECKING:
    from callwright.document.blocks import Block
    from callwright.document.snapshot import Snapshot
    from callwright.hosts.base import Passage

#: Dialects whose markers look like tags and hold no markup.
_NO_XML: Final = frozenset({"gemma", "python-action", "pythonic"})
#: Dialects whose arguments are not JSON.
_NO_JSON: Final = frozenset(
    {"dsml", "execute-tags", "gemma", "glm", "hunyuan-v3", "invoke", "k2-horizon", "kimi-k3", "minicpm", "minimax-m3"}
    | {"python-action", "pythonic", "qwen-coder", "shell-action", "tool-block", "tool-call-xml", "xml-children", "yaml"}
)
_LINE: Final = re.compile(r"[^\r\n]++")
_SENTENCE: Final = re.compile(r"(?:[^.!?\r\n]|[.!?](?!\s|\Z))++[.!?]*+")
_ABOUT: Final = re.compile(
    r"\b(?:tools?|functions?)\b[ _-]?(?:us(?:e|age)|call(?:s|ing)?|invocations?|requests?)?|\bcalls?\b", re.IGNORECASE
)
_FORMAT: Final = re.compile(r"\b(XML|JSON|YAML)\b", re.IGNORECASE)
_MODAL: Final = re.compile(
    r"\b(?:must|only|always|strict(?:ly)?|required?|shall|formatted|written|format your|use(?:s)? (?:an? |the )?"
    r"(?:strict )?(?:XML|JSON|YAML)|(?:XML|JSON|YAML)[- ](?:style|based|format(?:ted)?))\b",
    re.IGNORECASE,
)
_EXCLUSIVE: Final = re.compile(r"\b(?:only|must|strict(?:ly)?|no other)\b", re.IGNORECASE)
_NEGATED: Final = re.compile(
    r"(?:\b(?:not|never|no|without|instead of|rather than|avoid|than|unlike)|n't)\b[^,;:.]{0,40}?\b(?:XML|JSON|YAML)\b",
    re.IGNORECASE,
)
#: What such sentences are about when they are not about how a call is written.
_ELSEWHERE: Final = re.compile(
    r"\b(?:results?|returns?|returned|outputs?|arguments?|parameters?|values?|arrays?|schemas?|definitions?|described|files?|"
    r"documents?|data|config\w*|errors?|lists?)\b",
    re.IGNORECASE,
)
_INSIDE: Final = re.compile(r"\bJSON\b[^.]{0,40}\b(?:in|inside|within|wrapped)\b[^.]{0,40}\bXML\b", re.IGNORECASE)
_SLOT: Final = r"[<\[{]{0,2}(?:the[ _])?(?:actual_)?(?:tool|function)(?:[ _-]?name|_id)?[>\]}]{0,2}"
_SHAPES: Final = (
    ("directive", re.compile(rf"[ \t>]*+TOOL_CALL:[ \t]*+{_SLOT}[ \t]*+\Z", re.IGNORECASE)),
    ("react", re.compile(rf"[ \t>]*+Action:[ \t]*+(?:{_SLOT}|the action to take\b.*+)[ \t]*+\Z", re.IGNORECASE)),
    ("invoke", re.compile(rf"[ \t>]*+<invoke name=\"\$?{_SLOT}\">", re.IGNORECASE)),
    (
        "xml",
        re.compile(
            r"[ \t>]*+<(?:tool_name|toolname|actual_tool_name|function_name)>[ \t]*+(?:\{.*+)?\Z", re.IGNORECASE
        ),
    ),
    ("fenced-json", re.compile(rf"[ \t>]*+\{{[ \t]*+\"tool\":[ \t]*+\"{_SLOT}\"", re.IGNORECASE)),
)
#: What each of these begins with.
_FIRSTS: Final = frozenset("TtAa<{")
#: A line that demands something has one of these, in small letters.
_WORDS: Final = (
    *("json", "xml", "yaml", "write ", "answer "),
    *("tool_call:", "action:", "<invoke name=", "_name>", "<toolname>", '"tool":'),
)
#: Words around an example that call it a bad one.
_CONTRAST: Final = re.compile(
    r"\b(?:wrong|incorrect|bad|never|do not|don't|not (?:accepted|supported|allowed)|old|older|former\w*|previous\w*"
    r"|deprecated|rejected|instead of|invalid|avoid|unsupported|legacy|fails?|forbidden|converted|alternativ\w*)\b"
    r"|[❌✗✘🚫]",
    re.IGNORECASE,
)
#: At most this much text in front of an example is checked, and of that so many lines.
_BEFORE: Final = 400
_LINES_BEFORE: Final = 3


@dataclass(frozen=True, slots=True)
class Demand:
    """One demand: the dialects that obey it, what it is called in a message, whether it forbids all others.

    `text` numbers the text that it is about: a program holds prompts that know nothing of each other.
    """

    dialects: frozenset[str]
    title: str
    exclusive: bool
    place: PassagePlace
    span: Span
    text: int = 0

    @property
    def raw(self) -> Span:
        """The span of the words in the document."""
        return self.place.raw(self.span)


class _FormatDemand(NamedTuple):
    """A demand of one line, in offsets of its passage."""

    kind: str
    exclusive: bool
    span: Span


def demands_of(snapshot: Snapshot) -> list[Demand]:
    """Return what a document demands, in its order; managed blocks and what is called a bad example are left out."""
    found: list[Demand] = []
    newline = snapshot.document.newline
    teaching = teaching_of(snapshot)
    texts = texts_of(snapshot)
    for start, block in zip(snapshot.starts, snapshot.blocks, strict=True):
        for index, each in _demands_in(block):
            passage = block.passages[index].passage
            place, text = PassagePlace(passage, start, newline), texts.get(id(passage), 0)
            demand = Demand(_obeying(each.kind), _title(each.kind), each.exclusive, place, each.span, text)
            if teaching.is_managed(demand.raw.start):
                continue
            if each.exclusive or not is_contrast(snapshot, place, each.span.start):
                found.append(demand)
    return found


def texts_of(snapshot: Snapshot) -> dict[int, int]:
    """Return the number of the text that each passage shows, by the passage's identity; a flow document is one."""
    if isinstance(snapshot.host, FlowHost):
        return {}
    numbers: dict[int, int] = {}
    number = 0
    for block in snapshot.blocks:
        for read in block.passages:
            version = read.passage.version
            if version is None or version.fresh is None:
                number += 1
            numbers[id(read.passage)] = number
    return numbers


def is_contrast(snapshot: Snapshot, place: PassagePlace, at: int) -> bool:
    """Return whether the lines in front of an example say that it is a bad, an old or another one."""
    if isinstance(snapshot.host, FlowHost):
        raw = place.raw(Span(at, at)).start
        text = snapshot.document.slice(max(raw - _BEFORE, 0), raw)
    else:
        text = place.passage.text[max(at - _BEFORE, 0) : at]
    lines = [line for line in text.splitlines() if line.strip(" \t`~>")]
    return any(_CONTRAST.search(line) is not None for line in lines[-_LINES_BEFORE:])


@derived
def _demands_in(block: Block) -> Sequence[tuple[int, _FormatDemand]]:
    """Return what the passages of a block demand, line by line; what several versions of a template say, once."""
    found: list[tuple[int, _FormatDemand]] = []
    seen: set[int] = set()
    for index, read in enumerate(block.passages):
        passage = read.passage
        if passage.calls is not None or passage.turn is not None:
            continue
        for line in _candidate_lines(passage.text):
            yield_point()
            for stated in _line(line[0], line.start()):
                raw = passage.projection.raw_span(stated.span).start
                if raw not in seen and not is_optional(passage, stated.span):
                    seen.add(raw)
                    found.append((index, stated))
    return found


def _candidate_lines(text: str) -> Iterator[re.Match[str]]:
    """Yield the lines that have one of the words in them, in their order."""
    small = small_letters(text)
    places: set[int] = set()
    for word in _WORDS:
        at = small.find(word)
        while at >= 0:
            places.add(at)
            at = small.find(word, at + 1)
    end = 0
    for place in sorted(places):
        if place >= end:
            line = _LINE.match(text, line_start(text, place))
            assert line is not None, "it has a word"
            yield line
            end = line.end()


def is_optional(passage: Passage, span: Span) -> bool:
    """Return whether a template says something in a branch only: what holds there need not hold elsewhere."""
    version = passage.version
    return version is not None and any(each.start <= span.start < each.end for each in version.loose.branches)


def _line(line: str, start: int) -> Iterator[_FormatDemand]:
    after = line.lstrip(" \t>")
    for kind, shape in _SHAPES if after[:1] in _FIRSTS else ():
        found = shape.match(line)
        if found is not None:
            lead = len(line) - len(after)
            yield _FormatDemand(kind, exclusive=False, span=Span(start + lead, start + len(line.rstrip())))
            return
    if "Write " in line or "Answer " in line:
        for asked, names in _asked().items():
            at = line.find(asked)
            if at >= 0:
                yield _FormatDemand(names, exclusive=True, span=Span(start + at, start + at + len(asked)))
                return
    if _FORMAT.search(line) is None or len(line) > 2_000:
        return
    for part in _SENTENCE.finditer(line):
        text = part[0]
        wanted = _demanded(text)
        if wanted is not None:
            lead = len(text) - len(text.lstrip(" \t>*-#"))
            exclusive = _EXCLUSIVE.search(text) is not None
            yield _FormatDemand(wanted, exclusive, Span(start + part.start() + lead, start + part.end()))


def _demanded(sentence: str) -> str | None:
    """Return the format that a sentence demands for calls, None where it demands none, or several."""
    formats = {found[1].lower() for found in _FORMAT.finditer(sentence)}
    if formats == {"xml", "json"} and _INSIDE.search(sentence) is not None:
        formats = {"xml"}
    if len(formats) != 1 or _ABOUT.search(sentence) is None or _MODAL.search(sentence) is None:
        return None
    if _NEGATED.search(sentence) is not None or _ELSEWHERE.search(sentence) is not None:
        return None
    return formats.pop()


@cache
def _asked() -> dict[str, str]:
    """Return the sentences with which dialects are asked for, each with the names of those that it asks for."""
    found: dict[str, list[str]] = {}
    for dialect in all_dialects():
        for sentence in dict.fromkeys((*dialect.asks[:1], *dialect.asks_raw[:1])):
            found.setdefault(sentence, []).append(dialect.name)
    return {sentence: "|".join(names) for sentence, names in found.items()}


@cache
def _obeying(kind: str) -> frozenset[str]:
    """Return the dialects that obey a demand."""
    if kind == "xml":
        tags = {name for opener, name in dialect_openers() if opener[0] == "<" and opener[1:2] not in ("|", "｜")}
        return frozenset(tags - _NO_XML)
    if kind == "json":
        return frozenset(dialect_names()) - _NO_JSON
    return frozenset(kind.split("|"))


def _title(kind: str) -> str:
    if kind in ("xml", "json"):
        return kind.upper()
    return " or ".join(f"`{name}`" for name in kind.split("|"))


def forbidding(demands: Sequence[Demand], dialect: str) -> Demand | None:
    """Return the demand that forbids a dialect: one that allows no other than its own, or the first of those that all
    do not allow it; None where it is allowed."""
    against = [demand for demand in demands if dialect not in demand.dialects]
    strict = next((demand for demand in against if demand.exclusive), None)
    if strict is not None:
        return strict
    return against[0] if against and len(against) == len(demands) else None
