"""Arguments of a call in another dialect than the rest: JSON among elements, elements after JSON.

Owns: `MixedArguments`: the guess that writes them like the others, or the reason why there is none. Must not know: any
single rule, how such a text is found.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cached_property
from typing import Any

from callwright.calls.protocol import Refusal
from callwright.document.reader import read_context, read_segment
from callwright.document.settings import Settings
from callwright.prompt.editing import insert_arguments
from callwright.rules.base import Applicability, Fix, MissingFix, SyntaxSubject
from callwright.schema.binding import bind
from callwright.text.span import Edit

_ELEMENTS = re.compile(r"<([A-Za-z_][\w.\-]*+)>[\s\S]*</[A-Za-z_][\w.\-]*+>\Z")
_JSON_TITLE = "Write the JSON as parameters"
_ELEMENTS_TITLE = "Write the elements as members"


def _members(pairs: Any) -> dict[str, Any]:
    """Return an object. Raises ValueError for a repeated key and for NaN or Infinity."""
    if isinstance(pairs, str) or len({key for key, _ in pairs}) < len(pairs):
        raise ValueError(pairs)
    return dict(pairs)


class MixedArguments:
    """The arguments in a text that looks like arguments in another dialect; computed on use."""

    def __init__(self, subject: SyntaxSubject, text: str) -> None:
        self._subject = subject
        self._text = text.strip()
        self._title = _JSON_TITLE if self._text.startswith("{") else _ELEMENTS_TITLE

    @cached_property
    def there(self) -> bool:
        """Whether the text looks like arguments, so that removing it would lose some."""
        call = self._subject.call
        if call is None or call.tool is None or not self._subject.tools.has(call.tool):
            return False
        if self._text.startswith("{"):
            return '"' in self._text
        opener = _ELEMENTS.match(self._text)
        return opener is not None and opener[1] in (self._subject.tools.parameters(call.tool) or {})

    @cached_property
    def _outcome(self) -> tuple[Edit, ...] | Refusal:
        subject, call = self._subject, self._subject.call
        assert call is not None
        assert call.tool is not None
        given = self._given()
        if given is None:
            return Refusal("the arguments in it cannot be read")
        binding = bind(call, subject.text, subject.tools, subject.settings, peers=[call])
        parameters = subject.tools.parameters(call.tool) or {}
        for name in given:
            if name not in parameters:
                return Refusal(f"`{name}` is not a parameter of `{call.tool}`")
            if name in binding.arguments:
                return Refusal(f"`{name}` is already given")
        edits = insert_arguments(binding, (), given)
        if not edits:
            return Refusal("the call has no place for more arguments")
        span = subject.problem.span
        beside = [edit.text for edit in edits if edit.span in ((span.start, span.start), (span.end, span.end))]
        apart = tuple(edit for edit in edits if not edit.span.touches(span))
        if len(apart) + len(beside) < len(edits):
            return Refusal("there is text where they would go")
        return (*apart, Edit(span, "".join(beside)))

    def _given(self) -> dict[str, Any] | None:
        if self._text.startswith("{"):
            try:
                value = json.loads(self._text, object_pairs_hook=_members, parse_constant=_members)
            except (ValueError, RecursionError):
                return None
            return value if isinstance(value, dict) and value else None
        call, tools = self._subject.call, self._subject.tools
        assert call is not None
        text = f"<{call.tool}>{self._text}</{call.tool}>"
        settings = Settings(dialect="xml-children", markup=self._subject.settings.markup)
        found = read_segment(text, read_context(tools, settings)).calls
        if len(found) != 1 or found[0].call.span != (0, len(text)) or found[0].call.problems:
            return None
        return dict(bind(found[0].call, text, tools, settings).arguments) or None

    def fixes(self) -> Iterator[Fix]:
        """Yield the guess, if there is one."""
        if self.there and not isinstance(self._outcome, Refusal):
            yield Fix(self._title, self._outcome, Applicability.UNSAFE)

    def missing(self) -> Iterator[MissingFix]:
        """Yield why there is none, if the text looks like arguments."""
        if self.there and isinstance(self._outcome, Refusal):
            yield MissingFix(self._title, self._outcome.reason)
