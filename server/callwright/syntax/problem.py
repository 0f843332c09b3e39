"""Problems: what a reader found, before a rule gives it a code and a message.

Owns: the record. The kinds are strings, defined by the reader that emits them, and listed by the rule that reports
them. Must not know: codes, severities, messages.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from callwright.text.records import dataclass, field

if TYPE_CHECKING:
    from callwright.text.span import Edit, Span


@dataclass(frozen=True, slots=True)
class Problem:
    """One error that a reader found: its kind, its place, the data for a message, and its repair.

    `span` and `repair` are in offsets of the text that was read. `repair` removes only this error; `certain` says that
    text and grammar allow no other way to fix it. `data` has plain values under names that the kind's reader documents.
    """

    kind: str
    span: Span
    data: Mapping[str, Any] = field(default_factory=dict)
    repair: tuple[Edit, ...] = ()
    certain: bool = False
