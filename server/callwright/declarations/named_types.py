"""Types as people name them: `array of strings`, `string | null`, `one of "a", "b"`.

Owns: `type_parts`, the keywords of the schema for a type's name; `pieces`, the parts of a segment between separators.
Must not know: any single style, lines, how texts are searched.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from callwright.text.patterns import compile_later
from callwright.text.span import Span
from callwright.tools.parts import LocatedValue, record, sequence
from callwright.tools.schema_check import meant_type

#: A longer text is not a name of a type, nor a list of choices.
_MAX_TYPE_LENGTH: Final = 120
_MAX_LIST_LENGTH: Final = 2_000
#: At most this much of a segment is taken apart.
_MAX_LENGTH: Final = 6_000
#: What is between the alternatives that a type names.
_OR: Final = r"[|/]| or "
#: What may be around the name of a type.
_AROUND: Final = " \t\r\n`*"
_LIST_OF: Final = compile_later(r"(?:array|list|sequence|set)[ ]+of[ ]+(.+)", re.IGNORECASE)
_GENERIC: Final = compile_later(
    r"(?:typing\.)?(array|list|sequence|set|tuple|optional|dict|map|record|mapping|object)[\[<](.*)[\]>]", re.IGNORECASE
)
_ONE_OF: Final = compile_later(r"one of\s", re.IGNORECASE)
_CHOICE: Final = compile_later(r"(?:,?\s*(?:or\s+)?)[\"'`]([^\"'`]{1,100})[\"'`]")
_QUOTED: Final = compile_later(r"\"([^\"]*)\"|'([^']*)'")


def type_parts(text: str, span: Span) -> dict[str, LocatedValue]:
    """Return the keywords of the schema that a type's name means, as `array of strings` does; none where it neither
    is a JSON type nor means one."""
    start, end = span.trimmed(text, _AROUND)
    meant = meant_type(text[start:end])
    if meant is not None:
        return {"type": LocatedValue(meant, Span(start, end))}
    if _ONE_OF.match(text, start, end) is not None:
        return _listed(text, Span(start, start + len(text[start : span.end].rstrip())))
    if start == end or end - start > _MAX_TYPE_LENGTH:
        return {}
    variants = [piece.trimmed(text, _AROUND) for piece in pieces(text, Span(start, end), _OR)]
    quoted = [_QUOTED.fullmatch(text, *piece) for piece in variants]
    if all(quoted):
        words = [
            LocatedValue(each[each.lastindex or 0], Span(*each.span(each.lastindex or 0))) for each in quoted if each
        ]
        return {"enum": sequence(Span(start, end), words)} if len(words) > 1 else {}
    found: list[LocatedValue] = []
    items: dict[str, LocatedValue] = {}
    for piece in variants:
        one = _one_type(text, piece, items)
        if not one:
            return {}
        found.extend(each for each in one if all(each.value != other.value for other in found))
    members = {"type": found[0] if len(found) == 1 else sequence(Span(start, end), found)}
    if items:
        members["items"] = record(Span(start, end), items)
    return members


def _listed(text: str, span: Span) -> dict[str, LocatedValue]:
    """Return the choices of `one of "a", "b"`; of numbers it is unknown whether they are texts."""
    if span.end - span.start > _MAX_LIST_LENGTH:
        return {}
    found: list[LocatedValue] = []
    at = span.start + len("one of")
    while at < span.end:
        choice = _CHOICE.match(text, at, span.end)
        if choice is None or choice[1][:1].isdigit():
            return {}
        found.append(LocatedValue(choice[1], Span(*choice.span(1))))
        at = choice.end()
    return {"enum": sequence(span, found)} if found else {}


def _one_type(text: str, span: Span, items: dict[str, LocatedValue]) -> list[LocatedValue]:
    """Return the types that one name means; `items` gets the keywords for the items of an array."""
    start, end = span.trimmed(text, _AROUND)
    raw = text[start:end]
    meant = meant_type(raw)
    if meant is not None:
        return [LocatedValue(meant, Span(start, end))]
    inner: Span | None = None
    if raw.endswith("[]"):
        inner = Span(start, end - 2)
    elif (spelt := _LIST_OF.fullmatch(raw)) is not None:
        inner = Span(start + spelt.start(1), end)
        if text[inner.start : inner.end].lower() in ("strings", "integers", "numbers", "objects", "booleans"):
            inner = Span(inner.start, end - 1)
    elif (generic := _GENERIC.fullmatch(raw)) is not None:
        kind = generic[1].lower()
        inside = Span(start + generic.start(2), start + generic.end(2))
        if kind == "optional":
            own = _one_type(text, inside, items)
            return [*own, LocatedValue("null", Span(start, end))] if own else []
        if kind in ("dict", "map", "record", "mapping", "object"):
            return [LocatedValue("object", Span(start, end))]
        inner = inside
    if inner is None:
        return []
    items.update(type_parts(text, inner))
    return [LocatedValue("array", Span(start, end))]


def pieces(text: str, span: Span, separator: str, quotes: str = "") -> Iterator[Span]:
    """Yield the parts of a segment between separators that are in no inner bracket and between no quotes.

    `separator` is the pattern of one.
    """
    depth, start, quote = 0, span.start, ""
    for found in _stops(separator, quotes).finditer(text, span.start, min(span.end, span.start + _MAX_LENGTH)):
        character = found[0]
        if quote:
            quote = "" if character == quote else quote
        elif character in quotes:
            quote = character
        elif character in "([{<":
            depth += 1
        elif character in ")]}>":
            depth = max(depth - 1, 0)
        elif depth == 0:
            yield Span(start, found.start())
            start = found.end()
    yield Span(start, span.end)


@cache
def _stops(separator: str, quotes: str) -> re.Pattern[str]:
    return re.compile(rf"{separator}|[{quotes}()\[\]{{}}<>]")
