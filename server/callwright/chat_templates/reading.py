"""The calls in a rendering, as an agent with the tools of the probes reads them.

Owns: `Reading`, `read_calls`. Must not know: probes' conversations, Jinja.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Final

from callwright.calls.call import Call
from callwright.chat_templates.probes import NESTED_TOOL, NULL_TOOL, TOOLS
from callwright.document.blocks import binding_of, read_passages
from callwright.document.reader import read_context, read_segment
from callwright.document.settings import settings_for
from callwright.hosts.base import Passage
from callwright.text.projection import Identity
from callwright.text.records import NamedTuple
from callwright.tools.registry import ToolRegistry

#: What makes a call invalid in its own dialect, and what the text has there. The calls are read nevertheless, by a
#: parser that accepts more than those of servers do. Other problems are no errors, or are what a marker in a value is.
INVALID: Final[Mapping[str, str]] = {
    "single-quotes": "a string in single quotes",
    "python-literal": "`True`, `False` or `None` of Python",
    "foreign-value": "a value that the dialect does not have",
    "unquoted-string": "a string without quotes",
    "unquoted-key": "a key without quotes",
    "not-a-literal": "a value that is not a literal",
    "unescaped-quote": "a quote that is not escaped",
    "raw-newline": "a line break that is not escaped",
    "invalid-escape": "an escape that does not exist",
    "missing-comma": "a missing comma",
    "missing-value": "a missing value",
    "trailing-comma": "a trailing comma",
    "extra-closers": "a bracket too many",
    "positional-argument": "an argument without a name",
}


class Reading(NamedTuple):
    """The calls in a text in order, and in words what is invalid in them, each once.

    `invalid_at` is the offset of the first of it. `ambiguous` is whether a closer is in a value, so that parsers which
    take the first one read another call.
    """

    calls: tuple[Call, ...]
    invalid: tuple[str, ...]
    invalid_at: int
    ambiguous: bool


@cache
def probe_tools() -> ToolRegistry:
    """Return the tools of the probes as a registry."""
    return ToolRegistry.of([*TOOLS, NESTED_TOOL, NULL_TOOL])


def read_calls(text: str, dialect: str | None = None) -> Reading:
    """Return the calls in `text`, in any dialect or in the one that is demanded.

    Raises ValueError where there is no such dialect.
    """
    registry, settings = probe_tools(), settings_for(dialect)
    found: list[Call] = []
    invalid: list[tuple[int, str]] = []
    ambiguous = False
    segment = read_segment(text, read_context(registry, settings))
    for entry in read_passages(Passage(text, Identity(0, len(text))), segment):
        for item in entry.calls:
            call = item.call
            if dialect is None or call.dialect == dialect:
                arguments = binding_of(entry, item, registry, settings).arguments
                span = entry.passage.projection.raw_span(call.span)
                found.append(Call(call.tool, arguments, call.dialect, span, call.call_id))
                invalid += [
                    (entry.passage.projection.raw_span(each.span).start, INVALID[each.kind])
                    for each in call.problems
                    if each.kind in INVALID
                ]
                ambiguous = ambiguous or any(each.kind == "ambiguous-closer" for each in call.problems)
    calls = tuple(sorted(found, key=lambda each: each.span))
    words = tuple(dict.fromkeys(words for _, words in invalid))
    return Reading(calls, words, min((at for at, _ in invalid), default=0), ambiguous)
