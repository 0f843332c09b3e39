"""The fix that converts a call to another dialect, or the reason why there is none.

Owns: `ConversionFix`. Must not know: any single rule, how a call is converted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from callwright.calls.protocol import Refusal
from callwright.dialects.catalogue import find_dialect
from callwright.rules.base import Fix, MissingFix

if TYPE_CHECKING:
    from callwright.schema.binding import Binding
    from callwright.text.span import Edit

_UNWRITABLE = "the file's format cannot represent the result"


class ConversionFix:
    """The conversion of one call, computed once, on first use.

    `place` maps edits of the call's passage to the diagnostic's text; it returns None where they cannot be written
    there.
    """

    def __init__(
        self,
        binding: Binding,
        to: str | None,
        title: str,
        place: Callable[[tuple[Edit, ...]], tuple[Edit, ...] | None] = tuple,
    ) -> None:
        self._binding = binding
        self._to = to
        self._title = title
        self._place = place

    @cached_property
    def _outcome(self) -> tuple[Edit, ...] | Refusal | None:
        if self._to is None or find_dialect(self._to) is None:
            return None
        from callwright.conversion import convert_edits

        edits = convert_edits(self._binding, self._to)
        if isinstance(edits, Refusal):
            return edits
        written = self._place(edits)
        return Refusal(_UNWRITABLE) if written is None else written

    def fixes(self) -> Iterator[Fix]:
        """Yield the fix, if there is one."""
        if isinstance(self._outcome, tuple):
            yield Fix(self._title, self._outcome)

    def missing(self) -> Iterator[MissingFix]:
        """Yield why there is none, if a dialect to convert to is known."""
        if isinstance(self._outcome, Refusal):
            yield MissingFix(self._title, self._outcome.reason)
