"""The family of dialects that write the tool's name in markers of its own, and the arguments as JSON after it.

Owns: `NamedDialect`, which lays out calls whose markers a dialect declares. Must not know: any single dialect.
"""

from abc import abstractmethod
from collections.abc import Sequence

from callwright.calls.named_json import Grammar
from callwright.calls.protocol import Refusal, Rendering, RenderStyle, collected
from callwright.calls.render import guarded, json_body
from callwright.dialects.base import JSON_RULE, Dialect
from callwright.text.records import replace


class NamedDialect(Dialect):
    """A dialect that is written as heads with JSON after each; `grammar` are its markers, so that others can follow.

    `around` is the pair of markers around all calls, `closer` what is after the JSON of each.
    """

    grammar: Grammar
    around: tuple[str, str] = ("", "")
    closer: str = ""
    typed = True
    typing = "The arguments are JSON and have its types."

    def __init__(self) -> None:
        first = self.openers[0][0]
        self.asks = (*self.asks, JSON_RULE)
        self.escaping = self.escaping or (
            f"JSON escapes. A marker inside a string is written with `\\u{ord(first):04x}` for its `{first}`,"
            " because some parsers search for the next marker without parsing the JSON."
        )

    @abstractmethod
    def head(self, call: Rendering, index: int) -> str | Refusal:
        """Return what is before the JSON of a call, the `index`-th of several, or why it cannot be written."""

    def render_all(self, calls: Sequence[Rendering], style: RenderStyle) -> str | Refusal:
        """Return calls as text with nothing between them, each on one line where there are several."""
        if not self.gathers and len(calls) > 1:
            return super().render_all(calls, style)
        one = style if len(calls) == 1 else replace(style, compact=True)
        parts = collected(self._part(call, index, one) for index, call in enumerate(calls))
        return parts if isinstance(parts, Refusal) else "".join([self.around[0], *parts, self.around[1]])

    def _part(self, call: Rendering, index: int, style: RenderStyle) -> str | Refusal:
        head = self.head(call, index)
        if isinstance(head, Refusal):
            return head
        body = json_body(call.arguments, style, len(head + self.closer))
        return body if isinstance(body, Refusal) else f"{head}{guarded(body, self.grammar.every)}{self.closer}"
