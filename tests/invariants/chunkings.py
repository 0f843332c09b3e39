"""Texts in pieces at random: what a division must not change, for the streaming parser and for the strict stream.

Owns: the texts that are divided, the whole answers, the comparison. Must not know: any single dialect, how often it is
done.

A text's whole answers are worked out once and held against many divisions of it, so that a division costs little more
than feeding its pieces.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any, Final

import seeds.texts
from callwright.api import Call
from callwright.dialects.catalogue import dialect_names
from callwright.document.settings import Settings
from callwright.rules.base import Diagnostic
from callwright.runtime.errors import ParseError, ParseResult
from callwright.runtime.events import CallClosed, CallDropped, CallOpened, Text
from callwright.runtime.streaming import StreamingParser
from callwright.runtime.strict import StrictParser
from callwright.tools.registry import ToolRegistry
from invariants.corpus import corpus, registry
from invariants.streams import outside, whole, whole_segment
from invariants.texts import EMPTY, PROSE

_TESTS: Final = Path(__file__).parent.parent
#: Longer texts cost more than they show.
MAX_LENGTH: Final = 500
_FENCED: Final = re.compile(r"^(`{3,})[^\n]*\n(.*?)^\1[ ]*$", re.MULTILINE | re.DOTALL)
_MARKERS: Final = re.compile(r"[<{\[`]")


@cache
def texts() -> tuple[str, ...]:
    """Return the texts of all corpora: every dialect's cases, the design notes' excerpts, what transcripts say."""
    found = [*corpus(), *PROSE, *_excerpts(), *_stated()]
    return tuple(dict.fromkeys(text for text in found if text and len(text) <= MAX_LENGTH))


def _excerpts() -> Iterator[str]:
    for name in dir(seeds.texts):
        value = getattr(seeds.texts, name)
        for one in value if isinstance(value, list | tuple) else [value]:
            text = getattr(one, "text", one)
            if isinstance(text, str) and not name.startswith("_"):
                yield text
    for note in sorted((_TESTS / "seeds" / "notes").glob("*.md")):
        stated = note.read_text("utf-8")
        yield from (match[2] for match in _FENCED.finditer(stated))
        yield from (part + "\n\n" for part in stated.split("\n\n"))


def _stated() -> Iterator[str]:
    """Yield what is written in the strings of the transcripts' corpora, and the lines of those in JSONL."""
    for path in sorted((_TESTS / "transcripts").glob("*/corpus/*.json*")):
        stated = path.read_bytes().decode("utf-8", "replace")
        documents = stated.splitlines() if path.suffix == ".jsonl" else [stated]
        yield from (line for line in documents if len(line) <= MAX_LENGTH)
        for document in documents:
            try:
                value = json.loads(document)
            except ValueError:
                continue
            yield from (text for text in _strings(value) if len(text) > 12 and _MARKERS.search(text))


def _strings(value: Any) -> Iterator[str]:
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, dict):
            waiting.extend(one.values())
        elif isinstance(one, list):
            waiting.extend(one)


@dataclass(frozen=True, slots=True)
class Whole:
    """A text with what it is read to as a whole: by `parse`, and by a strict parser."""

    text: str
    tools: ToolRegistry
    settings: Settings
    calls: list[Call]
    found: list[Diagnostic]
    outside: str
    parser: StrictParser
    result: ParseResult


def read_whole(text: str, random: Random) -> Whole:
    """Return a text's whole answers; what is asked for is mostly the dialect that the text is written in."""
    tools = registry() if random.random() < 0.9 else EMPTY
    settings = Settings(dialect=random.choice(dialect_names()) if random.random() < 0.2 else None)
    stated_names = [call.dialect for call in whole(text, tools, settings)[0]] if random.random() < 0.9 else []
    dialect = random.choice(stated_names or dialect_names())
    reasoning = random.choice(("mentions", "mentions", "calls"))
    parser = StrictParser(tools=tools, dialect=dialect, require_call=random.random() < 0.2, reasoning=reasoning)
    return answers(text, tools, settings, parser)


def answers(text: str, tools: ToolRegistry, settings: Settings, parser: StrictParser) -> Whole:
    """Return a text's whole answers to what is asked."""
    calls, found = whole(text, tools, settings)
    around = outside(text, whole_segment(text, tools, settings))
    return Whole(text, tools, settings, calls, found, around, parser, parser.parse(text))


def divided(text: str, random: Random) -> list[str]:
    """Return a text in pieces: of one character, of any sizes, or mostly whole with few cuts."""
    size = len(text)
    kind = random.randrange(8)
    if kind == 0:
        return list(text)
    most = (2, 4, 8, max(size // 8, 1), max(size // 3, 1))[random.randrange(5)]
    cuts = sorted({random.randrange(size + 1) for _ in range(random.randint(1, most))})
    bounds = [0, *cuts, size]
    # Two equal bounds make an empty piece, which must not matter either.
    return [text[start:end] for start, end in pairwise(bounds)]


def differs(one: Whole, pieces: list[str], *, strict: bool) -> str | None:
    """Return what a division changes of a text's answers, None where it changes nothing."""
    return _differs_strictly(one, pieces) if strict else _differs(one, pieces)


def _differs(one: Whole, pieces: list[str]) -> str | None:
    parser = StreamingParser(tools=one.tools, settings=one.settings)
    events = [event for piece in pieces for event in parser.feed(piece)]
    events += parser.finish()
    if parser.calls != one.calls:
        return f"calls: {parser.calls} are not {one.calls}"
    if parser.diagnostics != one.found:
        return f"findings: {parser.diagnostics} are not {one.found}"
    return _reported(events, one.calls, one.outside)


def _differs_strictly(one: Whole, pieces: list[str]) -> str | None:
    stream = one.parser.stream()
    events: list[Any] = []
    early: ParseError | None = None
    for piece in pieces:
        events += stream.feed(piece)
        early = early or stream.error
    result = stream.finish()
    if result.calls != one.result.calls:
        return f"calls: {result.calls} are not {one.result.calls}"
    if error_facts(result.error) != error_facts(one.result.error):
        return f"error: {error_facts(result.error)} is not {error_facts(one.result.error)}"
    if early is not None and error_facts(early)[:2] != error_facts(one.result.error)[:2]:
        return f"early error: {error_facts(early)} is not {error_facts(one.result.error)}"
    if one.result.error is None:
        return _reported([*events, *stream.last], one.result.calls, None)
    return None


def error_facts(error: ParseError | None) -> list[Any]:
    """Return what is to be equal of two errors."""
    if error is None:
        return [None]
    return [error.type, error.message, error.spans, error.codes, error.details, error.call, error.calls, error.text]


def _reported(events: list[Any], calls: list[Call], around: str | None) -> str | None:
    closed = [event.call for event in events if isinstance(event, CallClosed)]
    if closed != calls:
        return f"told calls: {closed} are not {calls}"
    kept = sum(isinstance(event, CallOpened) - isinstance(event, CallDropped) for event in events)
    if kept != len(calls):
        return f"{kept} calls were opened and not dropped, of {len(calls)}"
    shown = "".join(event.text for event in events if isinstance(event, Text))
    return None if around is None or shown == around else f"text: {shown!r} is not {around!r}"


def reproducer(one: Whole, pieces: list[str], difference: str, *, strict: bool) -> str:
    """Return a program that shows what a division changes."""
    tools = "registry()" if one.tools is registry() else "None"
    if strict:
        asked = f"dialect={one.parser.dialect!r}, require_call={one.parser.require_call}"
        making = (
            f"parser = StrictParser(tools={tools}, {asked}, reasoning={one.parser.settings.reasoning!r})\n"
            "stream = parser.stream()\nfor piece in pieces:\n    print(piece, stream.feed(piece), stream.error)\n"
            "print(stream.finish())\nprint(parser.parse(''.join(pieces)))\n"
        )
    else:
        making = (
            f"stream = StreamingParser(tools={tools}, dialect={one.settings.dialect!r})\n"
            "for piece in pieces:\n    print(piece, stream.feed(piece))\nprint(stream.finish(), stream.calls)\n"
            f"print(callwright.parse(''.join(pieces), tools={tools}, dialect={one.settings.dialect!r}))\n"
        )
    return (
        f"# {difference}\nimport callwright\nfrom callwright.runtime import StreamingParser, StrictParser\n"
        f"from invariants.corpus import registry\n\npieces = {pieces!r}\n{making}"
    )
