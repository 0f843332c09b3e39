"""Fixes that several rules offer for a value that its schema does not allow.

Owns: `type_fixes`, `choice_fixes`, `meant_choice`, and how values are shown. Must not know: any single rule, what a
message says.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from callwright.calls.model import Path
from callwright.prompt.editing import remove_argument, replace_value
from callwright.rules.base import Applicability, Fix, with_edits
from callwright.rules.support.schema_words import other_types
from callwright.text.records import NamedTuple
from callwright.text.shown import unescaped
from callwright.tools.names import alike_choice, nearest_choice
from callwright.tools.parameters import required_of

if TYPE_CHECKING:
    from callwright.schema.binding import Binding

#: More choices than this are not all listed in a message or offered as fixes.
_CHOICES: Final = 8


class Meant(NamedTuple):
    """The value of a list that another one was meant as, None where none is known, and who may write it."""

    choice: str | None
    applicability: Applicability


def type_fixes(binding: Binding, path: Path, expected: list[str]) -> Iterator[Fix]:
    """Yield fixes that write the value at `path` as one of an expected type, where the schema accepts the result.

    A `null` means that the argument is not given: the fix leaves it out where the tool does not require it.
    """
    value = binding.value_at(path)
    owner = binding.schema_at(path[:-1]) if value is None and path and isinstance(path[-1], str) else None
    if owner is not None and path[-1] not in required_of(owner, binding.schema or {}):
        yield from with_edits(f"Remove `{path[-1]}`", remove_argument(binding, path), Applicability.UNSAFE)
    candidates: list[tuple[Any, bool]] = []
    for name in expected:
        candidates += other_types(name, value, _written(binding, path))
    accepted = [(candidate, certain) for candidate, certain in candidates if binding.fits_at(path, candidate)]
    certain_alone = len(accepted) == 1
    for candidate, certain in accepted:
        edits = replace_value(binding, path, candidate)
        applicability = Applicability.SAFE if certain and certain_alone else Applicability.UNSAFE
        yield from with_edits(f"Change to `{_cut(json.dumps(candidate))}`", edits, applicability)


def choice_fixes(binding: Binding, path: Path, options: list[Any], meant: Meant) -> Iterator[Fix]:
    """Yield fixes that write a value that the schema lists in place of the one at `path`; the one that was meant comes
    first. A value that is not like the written one is a choice of a person: it may mean the opposite."""
    first = [meant.choice] if meant.choice is not None else []
    for option in [*first, *(each for each in options[:_CHOICES] if each != meant.choice)]:
        applicability = meant.applicability if option == meant.choice else Applicability.DISPLAY
        yield from with_edits(f"Change to `{shown(option)}`", replace_value(binding, path, option), applicability)


def meant_choice(value: Any, options: list[Any]) -> Meant:
    """Return which of the values that a schema lists a value was meant as: one near by spelling, or alike."""
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    near = nearest_choice(value, options)
    if near is not None:
        return Meant(near, Applicability.SAFE)
    return Meant(alike_choice(value, options), Applicability.UNSAFE)


def shown_choices(options: list[Any]) -> str:
    """Return the values that a schema lists as messages show them."""
    return ", ".join([*(f"`{shown(option)}`" for option in options[:_CHOICES]), *["…"][: len(options) > _CHOICES]])


def shown(value: Any) -> str:
    """Return a value as messages show it."""
    return _cut(unescaped(json.dumps(value)))


def _cut(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "…"


def _written(binding: Binding, path: Path) -> str:
    return binding.span_of(path).of(binding.text)
