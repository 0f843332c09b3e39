"""What can be written in a comment that is ours: suppressions with the codes and names of rules, and managed blocks.

Owns: `comment_offers`. Must not know: where a suppression counts, what a managed block should contain, protocols.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from callwright.features.support.configuration import CURSOR, Offer, known_rules
from callwright.text.span import Span

if TYPE_CHECKING:
    from callwright.document.snapshot import Snapshot

#: Longer lines hold no comment of ours.
_MAX_LENGTH: Final = 2_000
_OPENER: Final = re.compile(r"<!--|\{#-?|\{\{!(?:--)?|/\*+|(?<![\w#&])#|//")
_WORD: Final = re.compile(r"callwright:(?P<tools>tools(?![\w=/]))?")
_BEGUN: Final = re.compile(r"(?:<!--+|\{#-?|\{\{!(?:--)?|/\*+|#+|//+)[ \t]*+(?P<word>[a-z:]{1,20})\Z")
_VERB: Final = re.compile(r"[ \t]*+(?P<verb>[\w-]*+)\Z")
_LIST: Final = re.compile(r"[ \t]*+[\w-]++[ \t]*+\[(?P<before>[^\]]*+)\Z")
_OPTION: Final = re.compile(r"(?:^|[ \t])(?P<key>[\w-]*+)(?:(?P<is>[ \t]*+=[ \t]*+)(?P<value>[^\s\"']*+))?\Z")
_ENTRY: Final = re.compile(r"[^\s,]*+\Z")
_ENTRY_ON: Final = re.compile(r"[\w-]*+")
_ABOUT: Final = {
    "ignore": "Suppresses diagnostics of these rules on the next call or line; without a list, all diagnostics.",
    "expect": "Expects these diagnostics on the next call or line; reports an error if there are none.",
    "disable": "Suppresses diagnostics of these rules from here up to `enable`.",
    "enable": "Ends a `disable`.",
    "ignore-file": "Suppresses diagnostics of these rules in the whole document.",
}
_KEYS: Final = {
    "dialect": "The dialect in which the section teaches calls.",
    "style": "How detailed the section is.",
    "format": "The format in which the section lists the tools.",
    "only": "The tools that the section teaches.",
    "except": "The tools that the section omits.",
    "level": "The level of the section's headings.",
    "several": "Whether a reply may contain several calls.",
    "examples": "Whether the section shows examples.",
    "deprecated": "Whether the section teaches deprecated tools.",
}


def comment_offers(snapshot: Snapshot, offset: int) -> list[Offer] | None:
    """Return what can be written at an offset of a document that is in a comment of ours, None elsewhere."""
    document = snapshot.document
    line = document.line_at(offset)
    start = document.line_start(line)
    if offset - start > _MAX_LENGTH:
        return None
    before = document.slice(start, offset)
    after = document.slice(offset, min(offset + 100, start + len(document.line(line))))
    begun = _BEGUN.search(before)
    if begun is not None and "callwright:tools".startswith(begun["word"]) and len(begun["word"]) < len("callwright:"):
        return list(_words(Span(offset - len(begun["word"]), offset), begun[0]))
    words = [*_WORD.finditer(before)]
    if not words or _OPENER.search(before, 0, words[-1].start()) is None:
        return None
    stated = before[words[-1].end() :]
    if words[-1]["tools"] is not None:
        return list(_options(snapshot, stated, offset))
    listed = _LIST.match(stated)
    if listed is not None:
        return list(_rules(listed["before"], after, offset))
    verb = _VERB.match(stated)
    if verb is None:
        return []
    return list(_verbs(Span(offset - len(verb["verb"]), offset), after, spaced=stated[:1] in (" ", "\t")))


def _words(span: Span, begun: str) -> Iterator[Offer]:
    """Yield what a comment of ours can begin with."""
    closer = "--}}" if begun.startswith("{{!--") else "-->" if begun.startswith("<!--") else ""
    closer = closer or ("#}" if begun.startswith("{#") else "}}" if begun.startswith("{{!") else "")
    closer = closer or ("*/" if begun.startswith("/*") else "")
    ends = f" {closer}" if closer else ""
    opener = begun[: len(begun) - (span.end - span.start)].rstrip()
    for verb in ("ignore", "expect"):
        yield Offer(f"callwright: {verb}", "key", span, f"callwright: {verb}[{CURSOR}]", about=_ABOUT[verb])
    block = f"callwright:tools{ends}\n{CURSOR}\n{opener} /callwright:tools{ends}"
    about = "A part of the prompt that is kept up to date with the tools."
    yield Offer("callwright:tools", "table", span, block, about=about)


def _verbs(span: Span, after: str, *, spaced: bool) -> Iterator[Offer]:
    lead = "" if spaced else " "
    rest = "" if after.lstrip().startswith("[") else f"[{CURSOR}]"
    for verb, about in _ABOUT.items():
        yield Offer(verb, "key", span, f"{lead}{verb}{'' if verb == 'enable' else rest}", about=about)
    if not spaced:
        yield Offer("tools", "table", span, "tools", about="The beginning of a managed block.")


def _rules(before: str, after: str, offset: int) -> Iterator[Offer]:
    """Yield the rules that a list can name, by code and by name; those that it names are left out."""
    entry = _ENTRY.search(before)
    typed = entry[0] if entry is not None else ""
    on = _ENTRY_ON.match(after)
    span = Span(offset - len(typed), offset + (on.end() if on is not None else 0))
    listed = before[: len(before) - len(typed)] + "," + after.partition("]")[0]
    present = {each.strip() for each in listed.split(",")}
    for words, about in known_rules():
        if present.isdisjoint(words):
            for word in words:
                yield Offer(word, "rule", span, word, about=about)


def _options(snapshot: Snapshot, stated: str, offset: int) -> Iterator[Offer]:
    """Yield the options of a managed block that are not there yet, or the values of the one that is begun."""
    option = _OPTION.search(stated)
    if option is None:
        return
    if option["is"] is None:
        span = Span(offset - len(option["key"]), offset)
        for key, about in _KEYS.items():
            if f"{key}=" not in stated:
                yield Offer(key, "key", span, f"{key}={CURSOR}", about=about)
        return
    value = option["value"]
    typed = value[value.rfind(",") + 1 :]
    span = Span(offset - len(typed), offset)
    present = set(value.split(",")[:-1])
    for word in _values_of(snapshot, option["key"]):
        if word not in present:
            yield Offer(word, "value", span, word)


def _values_of(snapshot: Snapshot, key: str) -> Sequence[str]:
    from callwright.dialects.catalogue import dialect_names
    from callwright.teaching.section import FORMATS, STYLES

    if key in ("only", "except"):
        return snapshot.registry.names
    known: dict[str, Sequence[str]] = {
        "dialect": dialect_names(),
        "style": STYLES,
        "format": FORMATS,
        "level": [str(number) for number in range(6)],
    }
    return known.get(key, ("yes", "no") if key in _KEYS else ())
