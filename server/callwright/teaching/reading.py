"""Reading what is taught: whether a text holds exactly the calls that it should, without a fault.

Owns: `Referee`. Must not know: how instructions are laid out, rules and their words.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from callwright.calls.protocol import Refusal, Rendering, RenderStyle
from callwright.conversion import first_difference
from callwright.dialects.base import Dialect
from callwright.document.reader import ReadResult, read_context, read_segment
from callwright.document.settings import Settings
from callwright.schema.binding import Binding, bind
from callwright.text.records import NamedTuple
from callwright.tools.model import ToolSchema
from callwright.tools.registry import ToolRegistry

_UNWRITABLE = re.compile("[\ud800-\udfff]")


class Example(NamedTuple):
    """A call that instructions show: the tool and its arguments."""

    tool: ToolSchema
    arguments: Mapping[str, Any]


class Referee:
    """Reads texts as the dialect's strict reader does, with the tools that are taught and no others.

    `masked` says whether code spans are masked.
    """

    def __init__(self, dialect: Dialect, tools: Sequence[ToolSchema], *, masked: bool = True) -> None:
        self.dialect = dialect
        self._masked = masked
        self._registry = ToolRegistry(tools)
        self._settings = Settings(dialect=dialect.name, strict=True)
        self._context = read_context(self._registry, self._settings)

    def written(self, examples: Sequence[Example], style: RenderStyle) -> str | Refusal:
        """Return the calls as text, or why the dialect cannot hold them; what is returned reads back faultlessly."""
        calls = [Rendering(one.tool.name, one.arguments, one.tool) for one in examples]
        text = self.dialect.render_all(calls, style)
        if isinstance(text, Refusal):
            return text
        if _UNWRITABLE.search(text):
            return Refusal(f"{self.dialect.name} cannot represent half a surrogate pair")
        if not self.holds(text, examples):
            return Refusal(f"written in {self.dialect.name}, it would not be read as intended")
        return text

    def holds(self, text: str, examples: Sequence[Example]) -> bool:
        """Return whether `text` holds exactly these calls, and nothing in it is at fault."""
        segment = read_segment(text, self._context, markdown=self._masked)
        if _at_fault(segment):
            return False
        found = sorted(self._bound(text, segment, 0), key=lambda pair: pair[0])
        return len(found) == len(examples) and all(
            self._is(binding, example) for (_, binding), example in zip(found, examples, strict=True)
        )

    def rejects(self, text: str) -> bool:
        """Return whether a strict reader of the dialect carries out nothing of `text`."""
        segment = read_segment(text, self._context, markdown=self._masked)
        return not any(self._sound(binding) for _, binding in self._bound(text, segment, 0))

    def _bound(self, text: str, segment: ReadResult, at: int) -> Iterator[tuple[int, Binding]]:
        peers = [found.call for found in segment.calls]
        for found in segment.calls:
            binding = bind(found.call, text, self._registry, self._settings, fence=found.fence, peers=peers)
            yield at + found.call.span.start, binding
        for quoted in segment.quoted:
            start = quoted.projection.raw_span(quoted.segment.calls[0].call.span).start
            for place, binding in self._bound(quoted.projection.text, quoted.segment, 0):
                yield at + start + place, binding

    def _sound(self, binding: Binding) -> bool:
        call = binding.call
        return (
            call.dialect == self.dialect.name
            and binding.tool is not None
            and not call.sketch
            and not call.problems
            and not binding.problems
            and binding.fits
            and isinstance(binding.value, dict)
        )

    def _is(self, binding: Binding, example: Example) -> bool:
        return (
            self._sound(binding)
            and binding.call.tool == example.tool.name
            and first_difference(dict(example.arguments), binding.arguments) is None
        )


def _at_fault(segment: ReadResult) -> bool:
    return bool(segment.problems or segment.state.fences) or any(_at_fault(each.segment) for each in segment.quoted)
