"""What a document mentions at all: tools, words about dialects, managed blocks. A closer check asks here first.

Owns: `Mentions`, `mentions_in`. Must not know: what is documented, what is demanded, rules. It is asked about every
document that is checked, so it imports next to nothing and checks each part of a document once.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from callwright.hosts.support.managed import WORD
from callwright.text.budget import yield_point
from callwright.text.facts import derived
from callwright.text.patterns import compile_later
from callwright.text.records import NamedTuple

if TYPE_CHECKING:
    from callwright.document.block_runs import Run
    from callwright.document.blocks import Block
    from callwright.document.snapshot import Snapshot
    from callwright.text.span import Span

#: What is in each demand for a dialect, in small letters: one of these, or a format that names no fence.
_STATEMENT: Final = ("tool_call", "action input", "<invoke", "answer ", "write all", "write each", "write calls")
_FORMATS: Final = ("xml", "json", "yaml")
_OPENERS: Final = ("```", "~~~")
#: Letters that a pattern which ignores case matches as others, and those others.
_ODD_LETTERS: Final = (("ſ", "s"), ("ı", "i"), ("İ", "i"))
#: What may be on a line in front of the name of a tool that is documented there: markers, digits and a few words; the
#: attribute of an element; other cells of a table.
_LEADS: Final = compile_later(
    r"(?:[^\w<|]|[\d_]|tool|function|command|name|begin|export|type|async|def)*+(?:<tool[ \t]++name=[\"'])?"
    r"|.*\|[ \t]*+[*`'\"]{0,4}+",
    re.IGNORECASE,
)
#: Of a longer line in front of a name only so much is checked: does it begin as a table, an element or markers.
_MAX_LEAD_LENGTH: Final = 1_000
_LONG_LEAD: Final = compile_later(
    r"[ \t>]*+\||(?:[^\w<|]|[\d_]|tool|function|command|name|begin|export|type|async|def)*+(?:<tool|\Z)", re.IGNORECASE
)
#: A name of other characters may be found to begin inside of what is in front of it.
_PLAIN_NAME: Final = re.compile(r"[A-Za-z_][\w.\-]*+")
#: Definitions in JSON have one of these keys.
_SCHEMA_KEYS: Final = ('"parameters"', '"input_schema"', '"inputSchema"')
#: How many sets of names are remembered as patterns.
_KEPT: Final = 512


class Mentions(NamedTuple):
    """What is in a document: the tools that are named, whether one is named outside of calls, whether there is the word
    of a managed block, and whether a known tool may be documented."""

    names: frozenset[str] = frozenset()
    outside: bool = False
    managed: bool = False
    documented: bool = False


@derived
def mentions_in(snapshot: Snapshot) -> Mentions:
    """Return what a document mentions; names count where the registry claims to know all of them."""
    return _together(_of_run(run, snapshot, place) for place, run in snapshot.blocks.placed_runs())


@derived
def _of_run(run: Run, snapshot: Snapshot, place: int) -> Mentions:
    return _together(mentions_of(block, snapshot, place + start) for start, block in run.placed())


def _together(parts: Iterable[Mentions]) -> Mentions:
    names: frozenset[str] = frozenset()
    outside = managed = documented = False
    for own in parts:
        names = names | own.names if own.names - names else names
        outside, managed = outside or own.outside, managed or own.managed
        documented = documented or own.documented
    return Mentions(names, outside, managed, documented)


def names_dialect(snapshot: Snapshot) -> bool:
    """Return whether a document names a dialect, other than as the language of a fence."""
    return any(map(_names_one, snapshot.blocks.runs))


@derived
def _names_one(run: Run) -> bool:
    return any(map(dialect_in, run.blocks))


@derived
def dialect_in(block: Block) -> bool:
    """Return whether a block names a dialect."""
    yield_point()
    return any(_names_dialect(read.passage.text) for read in block.passages if read.passage.calls is None)


def documents_tools(snapshot: Snapshot) -> bool:
    """Return whether a document may document tools of its project, beside calling them and speaking of them."""
    if not snapshot.registry.closed:
        return False
    mentions = mentions_in(snapshot)
    return mentions.outside and mentions.documented


@derived
def mentions_of(block: Block, snapshot: Snapshot, start: int) -> Mentions:
    """Return what the block that begins at `start` mentions."""
    text = snapshot.document.slice(start, start + block.length)
    if not snapshot.registry.closed:
        return Mentions(managed=WORD in text)
    names: set[str] = set()
    outside = False
    registry = snapshot.registry
    inside = tuple(name for name in registry.all_names if name in text)
    if inside:
        calls: list[Span] = []
        for read in block.passages:
            for found in read.calls:
                yield_point()
                calls.append(read.passage.projection.raw_span(found.call.frame or found.call.span))
        calls.sort()
        number = end = 0
        for named in _pattern(tuple(name for name in inside if name in registry.name_set)).finditer(text):
            yield_point()
            names.add(named[0])
            while number < len(calls) and calls[number].start <= named.start():
                end = max(end, calls[number].end)
                number += 1
            outside = outside or named.start() >= end
    return Mentions(frozenset(names), outside, WORD in text, _may_document(snapshot, block, text, inside))


def _may_document(snapshot: Snapshot, block: Block, text: str, inside: tuple[str, ...]) -> bool:
    """Return whether a block may document one of the tools that are named in it, or define one.

    Its lines are not read; strings and templates are searched less closely.
    """
    if not snapshot.host.flow or snapshot.template is not None or len(block.passages) != 1:
        return True
    if any(key in text for key in _SCHEMA_KEYS):
        return True
    return any(_may_be_documented(text, name) for name in inside)


def _may_be_documented(text: str, name: str) -> bool:
    if _PLAIN_NAME.fullmatch(name) is None:
        return True
    at, begin, seen = text.find(name), 0, 0
    while at >= 0:
        yield_point()
        ends = max(text.rfind("\n", seen, at), text.rfind("\r", seen, at))
        if ends >= 0:
            begin = ends + 1
        seen = at
        # If a long line were read for each name in it, its cost would be its length many times over.
        if at - begin > _MAX_LEAD_LENGTH:
            if _LONG_LEAD.match(text, begin, begin + _MAX_LEAD_LENGTH) is not None:
                return True
        elif _LEADS.fullmatch(text, begin, at) is not None:
            return True
        at = text.find(name, at + 1)
    return False


def small_letters(text: str) -> str:
    """Return a text in small letters, each in its place, as a pattern sees it that ignores case."""
    if not text.isascii():
        for letter, meant in _ODD_LETTERS:
            text = text.replace(letter, meant)
    return text.lower()


def _names_dialect(text: str) -> bool:
    # Faster by far than a pattern that begins with any of many letters.
    small = small_letters(text)
    yield_point()
    return any(word in small for word in _STATEMENT) or any(
        small.count(word) > sum(small.count(opener + word) for opener in _OPENERS) for word in _FORMATS
    )


@lru_cache(maxsize=_KEPT)
def _pattern(names: tuple[str, ...]) -> re.Pattern[str]:
    """Return the pattern that finds any of these names, longer ones first; nothing where there are none."""
    ordered = sorted(names, key=len, reverse=True)
    return re.compile("|".join(map(re.escape, ordered)) or r"(?!)")
