"""Fixes that several rules offer for a value that its schema does not allow.

Owns: `type_fixes`, `choice_fixes`, and how values are shown. Must not know: any single rule, what a message says.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from callwright.calls.model import Path
from callwright.prompt.editing import replace_value
from callwright.rules.base import Applicability, Fix, with_edits
from callwright.rules.support.schema_words import other_types
from callwright.schema.validation import validate
from callwright.text.shown import unescaped

if TYPE_CHECKING:
    from callwright.schema.binding import Binding

#: More choices than this are not all listed in a message or offered as fixes.
_CHOICES: Final = 8


def type_fixes(binding: Binding, path: Path, expected: list[str]) -> Iterator[Fix]:
    """Yield fixes that write the value at `path` as one of an expected type, where the schema accepts the result."""
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
        applicability = Applicability.SAFE if certain and certain_alone else Applicability.UNSAFE
        yield from with_edits(f"Change to `{_cut(json.dumps(candidate))}`", edits, applicability)


def choice_fixes(binding: Binding, path: Path, options: list[Any], near: str | None) -> Iterator[Fix]:
    """Yield fixes that write a value that the schema lists in place of the one at `path`; `near` comes first."""
    first = [near] if near is not None else []
    for option in [*first, *(each for each in options[:_CHOICES] if each != near)]:
        only = len(options) == 1 or option == near
        applicability = Applicability.SAFE if only else Applicability.UNSAFE
        yield from with_edits(f"Change to `{shown(option)}`", replace_value(binding, path, option), applicability)


def shown_choices(options: list[Any]) -> str:
    """Return the values that a schema lists as messages show them."""
    return ", ".join([*(f"`{shown(option)}`" for option in options[:_CHOICES]), *["…"][: len(options) > _CHOICES]])


def shown(value: Any) -> str:
    """Return a value as messages show it."""
    return _cut(unescaped(json.dumps(value)))


def _cut(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "…"


def _rooted(schema: Any, binding: Binding) -> Any:
    """Return a subschema that can be validated alone: with the definitions that its references lead to."""
    root = binding.schema or {}
    definitions = {key: root[key] for key in ("$defs", "definitions") if key in root and key not in schema}
    return {**schema, **definitions}


def _written(binding: Binding, path: Path) -> str:
    return binding.span_of(path).of(binding.text)
