"""Fixes that several rules offer for a value that its schema refuses.

Owns: `type_fixes`. Must not know: any single rule, what a message says.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from callwright.calls.model import Path
from callwright.prompt.editing import replace_value
from callwright.rules.base import Applicability, Fix
from callwright.rules.support.schema_words import other_types
from callwright.schema.validation import validate

if TYPE_CHECKING:
    from callwright.schema.binding import Binding


def type_fixes(binding: Binding, path: Path, expected: list[str]) -> Iterator[Fix]:
    """Yield the values of an expected type that the value at `path` can mean, where the schema accepts them."""
    value = binding.value_at(path)
    candidates: list[tuple[Any, bool]] = []
    for name in expected:
        candidates += other_types(name, value, _written(binding, path))
    accepted = []
    schema = binding.schema_at(path)
    for candidate, certain in candidates:
        if schema is None or not validate(_rooted(schema, binding), candidate):
            accepted.append((candidate, certain))
    certain_alone = len(accepted) == 1
    for candidate, certain in accepted:
        edits = replace_value(binding, path, candidate)
        if edits:
            shown = json.dumps(candidate, ensure_ascii=True)
            shown = shown if len(shown) <= 60 else shown[:57] + "…"
            applicability = Applicability.SAFE if certain and certain_alone else Applicability.UNSAFE
            yield Fix(f"Change to `{shown}`", edits, applicability)


def _rooted(schema: Any, binding: Binding) -> Any:
    """Return a subschema that can be validated alone: with the definitions that its references lead to."""
    root = binding.schema or {}
    definitions = {key: root[key] for key in ("$defs", "definitions") if key in root and key not in schema}
    return {**schema, **definitions}


def _written(binding: Binding, path: Path) -> str:
    return binding.span_of(path).of(binding.text)
