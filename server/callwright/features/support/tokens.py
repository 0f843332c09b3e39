"""Semantic tokens: what the pieces of calls and the names in declarations are, and how they are sent.

Owns: `Token`, `Tokens`, their numbers, the memory of what a client was sent last. Must not know: which request asks.

The tokens of a block are kept with it. They never overlap, and none spans lines: text over several lines is several
tokens, since few clients accept others. A document beyond the outline's length has tokens for the visible range, and
none as a whole.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from callwright.features.support.token_legend import MODIFIERS, TYPES
from callwright.text.facts import Fact, Holder
from callwright.text.records import NamedTuple
from callwright.text.span import Span, equal_ends

if TYPE_CHECKING:
    from callwright.calls.model import Path
    from callwright.document.blocks import Block
    from callwright.document.snapshot import Snapshot
    from callwright.features.base import Edge, Lines
    from callwright.features.support.outline import CallPart, OutlinePart
    from callwright.features.support.pieces import Piece
    from callwright.tools.model import ToolSchema

_VALUES: Final = {"integer": "number", "number": "number", "boolean": "keyword", "null": "keyword", "string": "string"}
_PIECE: Final = re.compile(r"[^\s](?:[^\r\n]*[^\s])?")


class Token(NamedTuple):
    """What a segment of the document is: its type and its modifiers by their names."""

    span: Span
    kind: str
    modifiers: tuple[str, ...] = ()

    def shift(self, by: int) -> Token:
        """Return the token moved by `by` characters."""
        return Token(self.span.shift(by), self.kind, self.modifiers)


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens of a whole document, block by block. `memory` remembers what the client has; `previous` is what the
    client states that it has, so that only the difference is sent."""

    pieces: Sequence[Piece]
    memory: Holder
    previous: str | None = None


class _Sent(NamedTuple):
    """The tokens of a block as numbers: how many lines and columns lie before the first, and all that follow.

    `numbers` is the same object as long as the block stays as it is.
    """

    lines: int
    columns: int
    numbers: Sequence[int]


def tokens_between(snapshot: Snapshot, span: Span) -> list[Token]:
    """Return the tokens that a span touches in the order of the text; other blocks are not read."""
    from callwright.features.support.outline import blocks_between

    if snapshot.host.holds != "calls":
        return []
    found: list[Token] = []
    declared = _declared(snapshot)
    for block, start in blocks_between(snapshot, span):
        names = _within(declared, start, block.length)
        for token in _of_block(block, start, snapshot, names):
            own = token.shift(start)
            if own.span.touches(span):
                found.append(own)
    return found


def tokens_of(
    snapshot: Snapshot, memory: Holder, previous: str | None = None
) -> Tokens | Generator[None, None, Tokens] | None:
    """Return the tokens of a whole document; None where it is too long."""
    from callwright.features.support.defined import kept_beside
    from callwright.features.support.outline import MAX_KEPT_LENGTH, in_steps
    from callwright.features.support.pieces import Piece

    if len(snapshot.document) > MAX_KEPT_LENGTH:
        return None
    if snapshot.host.holds != "calls":
        return Tokens((), memory, previous)
    declared = _declared(snapshot)

    def piece(block: Block, start: int) -> Piece:
        names = _within(declared, start, block.length)
        owner = kept_beside(block, names)
        return Piece(Span(start, start + block.length), owner, lambda: _of_block(block, start, snapshot, names))

    pieces = [piece(*each) for each in zip(snapshot.blocks, snapshot.starts, strict=True)]
    return in_steps(snapshot, lambda: Tokens(pieces, memory, previous))


def _declared(snapshot: Snapshot) -> list[Token]:
    """Return the names in the declarations of a document, in the order of the text."""
    from callwright.features.support.defined import has_definitions
    from callwright.prompt.definition_names import declared_names

    if not has_definitions(snapshot):
        return []
    found: list[Token] = []
    for target, each in declared_names(snapshot):
        kind = "function" if not target.path else "parameter" if len(target.path) == 1 else "property"
        found += [Token(span, kind, ("declaration",)) for span in each.spans if not each.reason]
    return sorted(found)


def _within(tokens: Sequence[Token], start: int, length: int) -> tuple[Token, ...]:
    """Return the tokens that begin in a block, in offsets from its start."""
    if not tokens:
        return ()
    first = bisect_left(tokens, start, key=lambda token: token.span.start)
    last = bisect_left(tokens, start + length, key=lambda token: token.span.start)
    return tuple(token.shift(-start) for token in tokens[first:last])


def _of_block(block: Block, start: int, snapshot: Snapshot, names: tuple[Token, ...]) -> list[Token]:
    """Return the tokens of a block, in which declarations have these `names`; kept with the block."""
    from callwright.features.support.defined import kept_beside

    owner = kept_beside(block, names)
    known = _TOKENS.get(owner)
    if known is None:
        found = list(_apart([*_read(block, snapshot), *names]))
        if found:
            text = snapshot.document.slice(start, start + block.length)
            found = [piece for token in found for piece in _lines(token, text)]
        known = _TOKENS.keep(owner, found)
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

    listed: dict[tuple[int, Path], Any] = {}
    for call in outline_of(block, snapshot).calls:
        yield from _of_call(call, listed)
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


def _of_call(call: CallPart, listed: dict[tuple[int, Path], Any]) -> Iterator[Token]:
    """Yield the tokens of a call; `listed` keeps what schemas list, which the calls of a block share."""
    tool = call.tool
    for marker in call.markers:
        yield Token(marker, "macro")
    modifiers: tuple[str, ...] = ()
    if tool is not None and tool.deprecated is not None:
        modifiers = ("deprecated",)
    elif call.strange:
        modifiers = ("unknown",)
    for name in call.names:
        yield Token(name, "function", modifiers)
    parameters = tool.parameters if tool is not None else {}
    for part in call.walk():
        own: tuple[str, ...] = ()
        if part.path in call.unknown:
            own = ("unknown",)
        elif len(part.path) == 1 and part.name in parameters and parameters[part.name].deprecated:
            own = ("deprecated",)
        for marker in part.markers:
            yield Token(marker, "macro")
        for name in part.names:
            yield Token(name, "parameter" if len(part.path) == 1 else "property", own)
        kind = _kind_of_value(part, tool, listed)
        if kind is not None:
            yield Token(part.value, kind)


def _kind_of_value(part: OutlinePart, tool: ToolSchema | None, listed: dict[tuple[int, Path], Any]) -> str | None:
    if part.children or part.value.start == part.value.end:
        return None
    if part.kind == "string" and tool is not None and _is_enum(part, tool, listed):
        return "enumMember"
    return _VALUES.get(part.kind)


def _is_enum(part: OutlinePart, tool: ToolSchema, listed: dict[tuple[int, Path], Any]) -> bool:
    schema = tool.input_schema
    key = (id(schema), part.path)
    if key not in listed:
        from callwright.tools.parameters import enum_of, subschema

        of_part = subschema(schema, schema, part.path)
        listed[key] = enum_of(of_part, schema) if of_part is not None else None
    values = listed[key]
    return values is not None and part.plain in values


# The wire

_KINDS: Final = {name: number for number, name in enumerate(TYPES)}
_BITS: Final = {name: 1 << number for number, name in enumerate(MODIFIERS)}


def encoded(tokens: Sequence[Token], edge: Edge) -> list[int]:
    """Return the tokens as the protocol has them: each as five numbers, its place counted from the one before it."""
    data: list[int] = []
    line = column = 0
    for token in tokens:
        bits = sum(_BITS[name] for name in token.modifiers)
        place = edge.to_lsp_range(token.span)
        first, start = place["start"]["line"], place["start"]["character"]
        length = place["end"]["character"] - start
        data += (first - line, start - column if first == line else start, length, _KINDS[token.kind], bits)
        line, column = first, start
    return data


class _Numbers(NamedTuple):
    """The tokens of a block as numbers, kept with it: lines count from the block's first.

    `numbers` has all but the place of the first token, which depends on the tokens before the block; `text` is the same
    as JSON. `depends` is what the positions depend on beside the block.
    """

    depends: Any
    line: int
    column: int
    last_line: int
    last_column: int
    numbers: tuple[int, ...]
    text: str


#: The tokens of a block, the same as numbers with what these depend on, and what a client was sent last, by its number.
_TOKENS: Final[Fact[list[Token]]] = Fact()
_NUMBERS: Final[Fact[tuple[Any, _Numbers | None]]] = Fact()
_SENT: Final[Fact[tuple[int, list[_Sent]]]] = Fact()


def _numbers(piece: Piece, lines: Lines) -> _Numbers | None:
    """Return the tokens of a block as numbers, made once; None where it has none."""
    known = _NUMBERS.get(piece.owner)
    depends = lines.key
    if known is None or known[0] != depends:
        known = _NUMBERS.keep(piece.owner, (depends, _counted(piece.found(), lines, depends)))
    return known[1]


def _counted(tokens: Sequence[Token], lines: Lines, depends: Any) -> _Numbers | None:
    if not tokens:
        return None
    data: list[int] = []
    line = column = 0
    position = lines.position
    for (begin, end), kind, modifiers in tokens:
        first, start = position(begin)
        length = position(end)[1] - start
        bits = sum([_BITS[name] for name in modifiers]) if modifiers else 0
        data += (first - line, start - column if first == line else start, length, _KINDS[kind], bits)
        line, column = first, start
    numbers = tuple(data[2:])
    return _Numbers(depends, data[0], data[1], line, column, numbers, ",".join(map(str, numbers)))


def answer(result: Tokens, edge: Edge) -> str:
    """Return the tokens as JSON: all of them, or the edits of those that the client states it has."""
    texts: list[str] = []
    sent: list[_Sent] = []
    last_line = last_column = 0
    for piece in result.pieces:
        lines = edge.lines(piece.span)
        own = _numbers(piece, lines)
        if own is None:
            continue
        down = lines.first + own.line - last_line
        right = own.column if down else own.column - last_column
        sent.append(_Sent(down, right, own.numbers))
        texts.append(f"{down},{right},{own.text}")
        last_line, last_column = lines.first + own.last_line, own.last_column
    number, before = _SENT.get(result.memory) or (0, None)
    _SENT.keep(result.memory, (number + 1, sent))
    lead = f'{{"resultId":"{number + 1}",'
    if result.previous is None or before is None or result.previous != str(number):
        return f'{lead}"data":[{",".join(texts)}]}}'
    return f'{lead}"edits":{json.dumps(_difference(before, sent))}}}'


def _difference(before: Sequence[_Sent], after: Sequence[_Sent]) -> list[dict[str, Any]]:
    """Return the one edit that turns `before` into `after`, none where they are the same.

    Unchanged blocks are recognised by their object, so that only the others are compared number by number.
    """
    low, shorter = 0, min(len(before), len(after))
    while low < shorter and _is_same(before[low], after[low]):
        low += 1
    high = 0
    while high < shorter - low and _is_same(before[-1 - high], after[-1 - high]):
        high += 1
    old, new = _flat(before[low : len(before) - high]), _flat(after[low : len(after) - high])
    if old == new:
        return []
    start, end = equal_ends(old, new)
    begin = sum(len(each.numbers) + 2 for each in before[:low])
    return [{"start": begin + start, "deleteCount": len(old) - end - start, "data": list(new[start : len(new) - end])}]


def _is_same(one: _Sent, other: _Sent) -> bool:
    return one.numbers is other.numbers and one[:2] == other[:2]


def _flat(sent: Sequence[_Sent]) -> list[int]:
    return [number for each in sent for number in (each.lines, each.columns, *each.numbers)]
