"""Where the tags of a call are that is written in markup: where the kinds for tags and frames do their damage.

Owns: `Tag`, `Pair`, `Markup`, `markup_of`, and how a text is made out of another. Must not know: any single kind, how
calls are read.

Only tags that are certainly markup are given: a call whose values hold what looks like a tag of its dialect has none.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from benchmarks.faults.base import Injected, Sample
from callwright.text.span import Span

if TYPE_CHECKING:
    from collections.abc import Sequence

#: Dialects that are XML, so that a parser for XML has the last word.
XML: Final = frozenset({"xml-children", "tool-call-xml"})
#: Dialects whose bodies are JSON between tags.
JSON_IN_TAGS: Final = frozenset({"xml-json", "tool-call-json"})
#: The tags of dialects with markers of their own: what a tag's name begins with, the calls' and the parameters'.
_TAGGED: Final[dict[str, tuple[str, tuple[str, ...], tuple[str, ...]]]] = {
    "invoke": ("", ("function_calls", "invoke"), ("parameter",)),
    "dsml": ("｜DSML｜", ("function_calls", "tool_calls", "invoke"), ("parameter",)),
    "minicpm": ("", ("function",), ("param",)),
    "qwen-coder": ("", ("tool_call", "function"), ("parameter",)),
    "glm": ("", ("tool_call",), ("arg_key", "arg_value")),
    "hunyuan-v3": ("", ("tool_calls", "tool_call"), ("arg_key", "arg_value")),
    "k2-horizon": ("ifm|", ("tool_calls", "tool_call"), ("arg_key", "arg_value")),
}
_SKIPPED = re.compile(r"<!\[CDATA\[.*?\]\]>|<!--.*?-->", re.DOTALL)
_XML_TAG = re.compile(r"<(?P<slash>/?)(?P<name>[A-Za-z_][\w.\-]*)(?P<rest>[^<>]*)>")


@dataclass(frozen=True)
class Tag:
    """A tag: `[start, end)` and where its name is."""

    start: int
    end: int
    name: Span
    closing: bool


@dataclass(frozen=True)
class Pair:
    """An opening tag and its closing tag; `leaf` where no other pair is in it, `depth` 0 for the outermost."""

    opener: Tag
    closer: Tag
    depth: int
    leaf: bool

    @property
    def content(self) -> Span:
        """What is between the two."""
        return Span(self.opener.end, self.closer.start)


@dataclass(frozen=True)
class Markup:
    """The pairs of tags of one call, in the order of their opening tags.

    `values` are those that hold one value each, `frames` those around calls and their parameters.
    """

    pairs: tuple[Pair, ...]
    values: tuple[Pair, ...]
    frames: tuple[Pair, ...]
    xml: bool


@lru_cache(maxsize=65_536)
def _markup(text: str, span: Span, dialect: str, count: int) -> Markup | None:
    if dialect in XML or dialect in JSON_IN_TAGS:
        pattern, names = _XML_TAG, None
    elif dialect in _TAGGED:
        prefix, frames, values = _TAGGED[dialect]
        names = (frames, values)
        listed = "|".join(sorted((*frames, *values), key=len, reverse=True))
        pattern = re.compile(rf"<(?P<slash>/?){re.escape(prefix)}(?P<name>{listed})(?P<rest>(?:[\s=][^<>]*)?)>")
    else:
        return None
    pairs: list[Pair] = []
    open_tags: list[tuple[Tag, list[bool]]] = []
    at = span.start
    while at < span.end:
        tag = pattern.search(text, at, span.end)
        if tag is None:
            break
        skipped = _SKIPPED.search(text, at, span.end)
        if skipped is not None and skipped.start() < tag.start():
            at = skipped.end()
            continue
        at = tag.end()
        if tag["rest"].endswith("/"):
            continue
        found = Tag(tag.start(), tag.end(), Span(*tag.span("name")), bool(tag["slash"]))
        if not found.closing:
            for _, inner in open_tags[-1:]:
                inner[0] = True
            open_tags.append((found, [False]))
            continue
        if not open_tags or open_tags[-1][0].name.of(text) != tag["name"]:
            return None
        opener, inner = open_tags.pop()
        pairs.append(Pair(opener, found, len(open_tags), not inner[0]))
    if open_tags or not pairs:
        return None
    pairs.sort(key=lambda pair: pair.opener.start)
    if dialect in JSON_IN_TAGS:
        if len(pairs) != (1 if dialect == "xml-json" else 3):
            return None
        return Markup(tuple(pairs), (), tuple(pairs), True)
    if names is None:
        least = 2 if dialect == "tool-call-xml" else 1
        outer = tuple(pair for pair in pairs if pair.depth < least)
        return Markup(tuple(pairs), tuple(pair for pair in pairs if pair.leaf and pair.depth >= least), outer, True)
    value_pairs = tuple(pair for pair in pairs if pair.opener.name.of(text) in names[1])
    reported = [pair for pair in value_pairs if pair.opener.name.of(text) == names[1][-1]]
    if len(reported) != count or any(not pair.leaf for pair in value_pairs):
        return None
    return Markup(tuple(pairs), value_pairs, tuple(pair for pair in pairs if pair not in value_pairs), False)


def markup_of(sample: Sample) -> Markup | None:
    """Return the tags of a sample, None where its dialect has none or they cannot be distinguished from text."""
    return _markup(sample.text, _whole(sample), sample.dialect, len(sample.arguments))


def is_well_formed(text: str) -> bool:
    """Return whether a parser for XML takes the text for one element, as a whole."""
    from lxml import etree  # type: ignore[import-untyped]

    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
    try:
        root = etree.fromstring(text.encode(), parser)
    except (etree.XMLSyntaxError, ValueError):
        return False
    return all(not isinstance(node, etree._Entity) for node in root.iter())


def _whole(sample: Sample) -> Span:
    """Return the call's span with the tags right around it."""
    text, (start, end) = sample.text, sample.span
    for _ in range(2):
        before = re.compile(r"<[^<>\n]{1,40}>\s*\Z").search(text, max(0, start - 60), start)
        after = re.compile(r"\s*</[^<>\n]{1,40}>").match(text, end)
        if before is None or after is None or before[0].startswith("</"):
            break
        start, end = before.start(), after.end()
    return Span(start, end)


def replaced(sample: Sample, start: int, end: int, new: str, *, keeps: bool = True) -> Injected:
    """Return the sample's text with `[start, end)` replaced; the place is what was put there."""
    text = sample.text[:start] + new + sample.text[end:]
    return Injected(text, Span(start, start + len(new)), keeps)


def several(sample: Sample, edits: Sequence[tuple[int, int, str]], *, keeps: bool = True) -> Injected:
    """Return the sample's text with several segments replaced; the place is the hull of them all."""
    text, moved = sample.text, 0
    begin = min(start for start, _, _ in edits)
    stop = 0
    for start, end, new in sorted(edits):
        text = text[: start + moved] + new + text[end + moved :]
        moved += len(new) - (end - start)
        stop = end + moved
    return Injected(text, Span(begin, stop), keeps)


def name_of(sample: Sample, pair: Pair) -> str:
    """Return the name of a pair's opening tag."""
    return pair.opener.name.of(sample.text)


def value_of(sample: Sample, pair: Pair) -> str:
    """Return what a pair holds, as it is written."""
    return pair.content.of(sample.text)


def is_plain(sample: Sample, pair: Pair) -> bool:
    """Return whether where a value ends shows without its closing tag: it has no white space at its end that counts."""
    written = value_of(sample, pair)
    trimmed = written.strip()
    return bool(trimmed) and not re.search(r"\n[ \t]*\n[ \t]*\Z", written)
