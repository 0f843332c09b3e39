"""The plain form of calls, which a dialect states as data.

Owns: `PlainCalls`. Must not know: any single dialect, tools, the parsers of these forms.
"""

from __future__ import annotations

from typing import Final

from callwright.text.records import dataclass

#: The placeholder of the tool's name in markers.
TOOL: Final = "{tool}"


@dataclass(frozen=True, slots=True)
class PlainCalls:
    """The plain form of a call: a call in it that matches its tool's schema has no diagnostics.

    `opener` and `closer` are around one JSON object. With `keys` it has the tool's name and the arguments under
    these, and nothing else. Otherwise the markers are tags with `{tool}` instead of the name, which begin and end
    a line, and the object is the arguments; with `elements`, each argument is an element on a line of its own instead.
    """

    opener: str
    closer: str
    keys: tuple[str, str] | None = None
    elements: bool = False
