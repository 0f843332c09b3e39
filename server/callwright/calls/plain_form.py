"""How calls look where they are plainly written: what a dialect says of that, as data.

Owns: `PlainCalls`. Must not know: any single dialect, tools, what reads these forms.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

#: What stands for the tool's name in markers that hold it.
TOOL: Final = "{tool}"


@dataclass(frozen=True, slots=True)
class PlainCalls:
    """The plainest way to write a call: of one that is written so and fits its tool there is nothing to say.

    `opener` and `closer` stand around one JSON object. With `keys` it has the tool's name and the arguments under
    these, and nothing else. Otherwise the markers are tags with `{tool}` in the place of the name, which begin and end
    a line, and the object is the arguments; with `elements`, each argument is an element on a line of its own instead.
    """

    opener: str
    closer: str
    keys: tuple[str, str] | None = None
    elements: bool = False
