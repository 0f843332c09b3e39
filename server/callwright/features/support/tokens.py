"""Semantic tokens: what the pieces of calls are, and how that goes over the wire.

Owns: `Token`, `tokens_between`, `encoded`, the memory of what a client was sent last. Must not know: which
request asks.

The tokens of a block are kept with it. They never overlap, and none spans lines: what does is several tokens, since few
clients take others. A document beyond the outline's length has tokens where it is looked at, and none as a whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from callwright.features.support.token_legend import MODIFIERS, TYPES
from callwright.text.span import Span

if TYPE_CHECKING:
    from callwright.analysis.snapshot import Block, Snapshot
    from callwright.features.base import Edge
    from callwright.features.support.outline import CallPart, Part

_VALUES: Final = {"integer": "number", "number": "number", "boolean": "keyword", "null": "keyword", "string": "string"}
_PIECE: Final = re.compile(r"[^\s](?:[^\r\n]*[^\s])?")
_MEMORY: Final = "semantic tokens"


class Token(NamedTuple):
    """What a stretch of the document is: its type and its modifiers by their names."""

    span: Span
    kind: str
    modifiers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens of a document or a part of it. `memory` is where it is kept what the client has, None where nothing
    is; `previous` is what the client says that it has, so that it is told the difference."""

    tokens: Sequence[Token]
    memory: dict[str, Any] | None = None
    previous: str | None = None


def tokens_between(snapshot: Snapshot, span: Span | None = None) -> list[Token]:
    """Return the tokens of the blocks that a span touches, of all of them without one, in the order of the text."""
    from callwright.features.support.outline import blocks_between

    if snapshot.host.holds != "calls":
        return []
    found: list[Token] = []
    for block, start in blocks_between(snapshot, span):
        for token in _of_block(block, start, snapshot):
            own = Token(token.span.shift(start), token.kind, token.modifiers)
            if span is None or own.span.touches(span):
                found.append(own)
    return found


def _of_block(block: Block, start: int, snapshot: Snapshot) -> list[Token]:
    known: list[Token] | None = block.cache.get(_MEMORY)
    if known is None:
        found = list(_apart(_read(block, snapshot)))
        if found:
            text = snapshot.document.slice(start, start + block.length)
            found = [piece for token in found for piece in _lines(token, text)]
        known = block.cache[_MEMORY] = found
    return known


def _lines(token: Token, text: str) -> Iterator[Token]:
    """Yield a token line by line, without the space that a line begins or ends with where there are several."""
    inside = token.span.of(text)
    if "\n" not in inside and "\r" not in inside:
        yield token
        return
    for piece in _PIECE.finditer(text, *token.span):
        yield Token(Span(*piece.span()), token.kind, token.modifiers)


def _apart(tokens: Iterable[Token]) -> Iterator[Token]:
    """Yield the tokens in order, without those that begin inside another one."""
    end = 0
    for token in sorted(tokens, key=lambda token: (token.span.start, -token.span.end)):
        if token.span.start >= end and token.span.start < token.span.end:
            yield token
            end = token.span.end


def _read(block: Block, snapshot: Snapshot) -> Iterator[Token]:
    from callwright.features.support.outline import outline_of

    for call in outline_of(block, snapshot).calls:
        yield from _of_call(call)
    for part in block.transcripts:
        for turn in part.turns:
            if turn.role_place is not None:
                yield Token(_bare(part.projection.raw_span(turn.role_place.span), turn.role), "namespace")
            for result in turn.results:
                if result.tool_place is not None and result.tool:
                    yield Token(_bare(part.projection.raw_span(result.tool_place.span), result.tool), "function")


def _bare(span: Span, text: str | None) -> Span:
    """Return the span of a string of JSON without its quotes, where it is written without escapes."""
    plain = text is not None and span.end - span.start == len(text) + 2
    return Span(span.start + 1, span.end - 1) if plain else span


def _of_call(call: CallPart) -> Iterator[Token]:
    binding = call.binding
    tool = binding.tool
    for mark in call.marks:
        yield Token(mark, "macro")
    modifiers: tuple[str, ...] = ()
    if tool is not None and tool.deprecated is not None:
        modifiers = ("deprecated",)
    elif tool is None and binding.registry.names and binding.registry.closed and not call.call.details.get("hosted"):
        modifiers = ("unknown",)
    for name in call.names:
        yield Token(name, "function", modifiers)
    parameters = tool.parameters if tool is not None else {}
    unknown = set(binding.unknown)
    unknown |= {(*error.path, str(name)) for error in binding.errors for name in error.data.get("unexpected", ())}
    for part in call.walk():
        own: tuple[str, ...] = ()
        if part.path in unknown:
            own = ("unknown",)
        elif len(part.path) == 1 and part.name in parameters and parameters[part.name].deprecated:
            own = ("deprecated",)
        for mark in part.marks:
            yield Token(mark, "macro")
        for name in part.names:
            yield Token(name, "parameter" if len(part.path) == 1 else "property", own)
        kind = _kind_of_value(part, binding)
        if kind is not None:
            yield Token(part.value, kind)


def _kind_of_value(part: Part, binding: Any) -> str | None:
    if part.children or part.value.start == part.value.end:
        return None
    if part.kind == "string" and binding.tool is not None and _is_enum(part, binding):
        return "enumMember"
    return _VALUES.get(part.kind)


def _is_enum(part: Part, binding: Any) -> bool:
    from callwright.tools.parameters import enum_of

    schema = binding.schema_at(part.path)
    values = enum_of(schema, binding.schema) if schema is not None else None
    return values is not None and part.plain in values


# The wire


def encoded(tokens: Sequence[Token], edge: Edge) -> list[int]:
    """Return the tokens as the protocol has them: each as five numbers, its place counted from the one before it."""
    data: list[int] = []
    line = column = 0
    for token in tokens:
        kind = TYPES.index(token.kind)
        bits = sum(1 << MODIFIERS.index(name) for name in token.modifiers)
        place = edge.to_lsp_range(token.span)
        first, start = place["start"]["line"], place["start"]["character"]
        length = place["end"]["character"] - start
        data += [first - line, start - column if first == line else start, length, kind, bits]
        line, column = first, start
    return data


def answer(result: Tokens, edge: Edge) -> dict[str, Any]:
    """Return the tokens: all of them, or what makes them of those that the client says it has."""
    data = encoded(result.tokens, edge)
    if result.memory is None:
        return {"data": data}
    number, before = result.memory.get(_MEMORY, (0, None))
    now = str(number + 1)
    result.memory[_MEMORY] = (number + 1, data)
    if result.previous is None or before is None or result.previous != str(number):
        return {"resultId": now, "data": data}
    return {"resultId": now, "edits": _difference(before, data)}


def _difference(before: list[int], after: list[int]) -> list[dict[str, Any]]:
    """Return the one edit that makes `after` of `before`, none where they are the same."""
    if before == after:
        return []
    start, shorter = 0, min(len(before), len(after))
    while start < shorter and before[start] == after[start]:
        start += 1
    end = 0
    while end < shorter - start and before[-1 - end] == after[-1 - end]:
        end += 1
    return [{"start": start, "deleteCount": len(before) - end - start, "data": after[start : len(after) - end]}]
