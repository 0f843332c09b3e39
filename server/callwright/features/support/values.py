"""Values in calls: which one is at a place, of what type it is, and its decoded text.

Owns: `ValueAt`, `value_at`, `value_markdown`, `calls_at`, `paths`. Must not know: positions, who shows it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from callwright.calls.model import JsonValue, Path
from callwright.features.support.markdown import code, escape, type_words
from callwright.text.records import NamedTuple
from callwright.text.span import Span

if TYPE_CHECKING:
    from callwright.document.blocks import PlacedCall
    from callwright.document.snapshot import Snapshot

#: How much of a decoded value is shown, and how many values of a call are read.
_SHOWN: Final = 1_000
_LINES: Final = 20
_MAX_COUNT: Final = 5_000


class ValueAt(NamedTuple):
    """A value in a call: the call, the path from its arguments, and where the value is in the document."""

    placed: PlacedCall
    path: Path
    span: Span


def value_at(snapshot: Snapshot, offset: int) -> ValueAt | None:
    """Return the innermost value of a call's arguments around an offset of the document, None where there is none."""
    for placed in calls_at(snapshot, offset):
        passage = placed.passage
        at = passage.projection.to_decoded(offset)
        if at is None or not placed.call.span.start <= at <= placed.call.span.end:
            continue
        binding = placed.binding
        found: Path | None = None
        for number, path in enumerate(paths(binding.value)):
            span = binding.span_of(path)
            if number > _MAX_COUNT:
                break
            if span.start <= at < max(span.end, span.start + 1) and (found is None or len(path) >= len(found)):
                found = path
        if found is not None:
            return ValueAt(placed, found, placed.raw_span(binding.span_of(found)))
    return None


def calls_at(snapshot: Snapshot, offset: int) -> Iterator[PlacedCall]:
    """Yield the calls of the passages around an offset of the document."""
    from callwright.document.blocks import PlacedCall

    place = snapshot.block_at(offset)
    if place is None:
        return
    block, start = place
    for read in block.passages:
        if read.passage.projection.to_decoded(offset - start) is None:
            continue
        for found in read.calls:
            yield PlacedCall(found, read, start, snapshot)


def paths(value: Any) -> Iterator[Path]:
    """Yield the path of each value below the arguments that holds no other."""
    pending: list[tuple[Path, Any]] = [((), value)]
    while pending:
        path, node = pending.pop()
        entries = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else None
        if entries is None or not node:
            if path:
                yield path
        else:
            pending.extend(((*path, step), entry) for step, entry in entries)


def value_markdown(found: ValueAt) -> str | None:
    """Return the description of a value as Markdown; None for a string that is written without escapes."""
    binding, path = found.placed.binding, found.path
    try:
        value = binding.value_at(path)
    except (KeyError, IndexError, TypeError):
        return None
    written = binding.span_of(path).of(found.placed.read.passage.text)
    raw = found.placed.snapshot.document.slice(*found.span)
    typed = isinstance(binding.call.arguments, JsonValue)
    schema = binding.schema_at(path)
    is_inferred = not typed and schema is None
    differs = isinstance(value, str) and value not in (written, raw)
    plain = isinstance(value, str) and written.strip("\"'") == value and raw.strip("\"'") == value
    if isinstance(value, str) and (plain or not differs) and not is_inferred:
        return None
    name = ".".join(map(str, path))
    tool = found.placed.call.tool
    words = [code(name), escape(f"is {_type(value)}")]
    if is_inferred:
        words.append("read from its text, because no schema states its type")
    elif schema is not None and binding.schema is not None and not typed:
        words.append(f"as in the schema of {code(tool or '')} ({escape(type_words(schema, binding.schema))})")
    parts = [" ".join(words) + "."]
    if differs and isinstance(value, str):
        parts.append("Decoded:\n\n" + _block(value))
    elif not isinstance(value, str) and not typed:
        parts.append(f"Value: {code(json.dumps(value, ensure_ascii=False)[:_SHOWN])}")
    elif typed and not is_inferred:
        return None
    return "\n\n".join(parts)


def _type(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "a boolean"
    if isinstance(value, int):
        return "an integer"
    if isinstance(value, float):
        return "a number"
    if isinstance(value, str):
        return "a string"
    return "an array" if isinstance(value, list) else "an object"


def _block(text: str) -> str:
    """Return text as an indented block of code, which nothing in it can end."""
    shown = text[:_SHOWN]
    lines = shown.split("\n")
    cut = len(text) > _SHOWN or len(lines) > _LINES
    safe = ["".join(c if c.isprintable() or c == "\t" else "\N{REPLACEMENT CHARACTER}" for c in line) for line in lines]
    return "\n".join(f"    {line}" for line in [*safe[:_LINES], *(["…"] if cut else [])])
