"""JSON in a JSON string: its tree, with all places in the text around the string.

Owns: reading such a string, mapping the result through its escapes, and how a fix writes there. Must not know: calls,
whose arguments these are.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from callwright.syntax.json import JsonRead, read_json
from callwright.syntax.json_nodes import JsonMember, JsonNode
from callwright.syntax.problem import Problem
from callwright.syntax.value_format import JSON, LineFormat, Style, json_string
from callwright.text.budget import UNLIMITED, Budget
from callwright.text.projection import JsonString, encode_all, encode_json_string
from callwright.text.span import Span

#: The keys of a problem's data that are offsets.
_OFFSETS: Final = ("insert_at", "offsets")


def _string(value: str) -> str | None:
    """Return a text as a JSON string within a JSON string: its quotes and backslashes are escaped once more."""
    written = json_string(value)
    return None if written is None else encode_json_string(written)


ENCODED_JSON: Final = LineFormat(JSON.name, Style(_string, _string))


def read_encoded(text: str, content: Span, budget: Budget = UNLIMITED) -> JsonRead:
    """Read the JSON in a string of `text`; `content` is the span between its quotes.

    Spans, problems and repairs are in offsets of `text`, escapes counted as they are written. Takes time linear in the
    string.
    """
    string = JsonString(content.of(text), content.start)
    read = read_json(string.text, budget=budget)
    return JsonRead(
        EncodedNode(read.root, string),
        string.to_raw(min(read.end, string.length)),
        content.end,
        [_mapped(problem, string) for problem in read.problems],
        read.wild,
        read.elided,
        ENCODED_JSON,
        text,
    )


class EncodedNode(JsonNode):
    """A node of the JSON in a string: the places of its parts are computed on first use."""

    __slots__ = ("_inner", "_string")

    is_json = False

    def __init__(self, inner: JsonNode, string: JsonString) -> None:
        super().__init__(inner.kind, string.raw_span(inner.span), inner.value, string.raw)
        self.elided = inner.elided
        self._string = string
        self._inner = inner

    @property
    def is_clean(self) -> bool:
        """Whether the JSON in the string is."""
        return self._inner.is_clean

    def _take_apart(self, text: str) -> None:
        del text
        self._text = None
        inner, string = self._inner, self._string
        self._members = [
            JsonMember(member.key, string.raw_span(member.key_span), EncodedNode(member.value, string))
            for member in inner.members
        ]
        self._items = [EncodedNode(item, string) for item in inner.items]


def _mapped(problem: Problem, string: JsonString) -> Problem:
    """Return a problem of the decoded text as one of the text around the string."""
    repair = encode_all(string, problem.repair) if problem.repair else ()
    data = {key: _place(value, string, offset=key in _OFFSETS) for key, value in problem.data.items()}
    certain = problem.certain and repair is not None
    return Problem(problem.kind, string.raw_span(problem.span), data, repair or (), certain)


def _place(value: Any, string: JsonString, *, offset: bool) -> Any:
    """Return a problem's data with its places mapped."""
    if isinstance(value, Span):
        return string.raw_span(value)
    if offset and isinstance(value, int):
        return string.to_raw(value)
    if isinstance(value, Iterable) and not isinstance(value, str | Mapping):
        return type(value)(_place(each, string, offset=offset) for each in value)  # type: ignore[call-arg]
    return value


__all__ = ["ENCODED_JSON", "EncodedNode", "read_encoded"]
