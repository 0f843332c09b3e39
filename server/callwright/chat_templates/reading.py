"""The calls in a rendering, as an agent with the tools of the probes reads them.

Owns: `read_calls`. Must not know: probes' conversations, Jinja.
"""

from __future__ import annotations

from functools import cache

from callwright.calls.call import Call
from callwright.chat_templates.probes import NESTED_TOOL, NULL_TOOL, TOOLS
from callwright.document.blocks import binding_of, read_passages
from callwright.document.reader import read_context, read_segment
from callwright.document.settings import settings_for
from callwright.hosts.base import Passage
from callwright.text.projection import Identity
from callwright.tools.registry import ToolRegistry


@cache
def probe_tools() -> ToolRegistry:
    """Return the tools of the probes as a registry."""
    return ToolRegistry.of([*TOOLS, NESTED_TOOL, NULL_TOOL])


def read_calls(text: str, dialect: str | None = None) -> tuple[Call, ...]:
    """Return the calls in `text` in order, in any dialect or in the one that is demanded.

    Raises ValueError where there is no such dialect.
    """
    registry, settings = probe_tools(), settings_for(dialect)
    found: list[Call] = []
    segment = read_segment(text, read_context(registry, settings))
    for entry in read_passages(Passage(text, Identity(0, len(text))), segment):
        for item in entry.calls:
            call = item.call
            if dialect is None or call.dialect == dialect:
                arguments = binding_of(entry, item, registry, settings).arguments
                span = entry.passage.projection.raw_span(call.span)
                found.append(Call(call.tool, arguments, call.dialect, span, call.call_id))
    return tuple(sorted(found, key=lambda each: each.span))
