"""The `hunyuan` dialect: a JSON list of calls in `<tool_calls>`.

Owns: this dialect. Must not know: other dialects, the registry's class.
"""

from collections.abc import Sequence

from callwright.calls.envelopes import Envelope
from callwright.calls.protocol import ReadContext
from callwright.dialects.support.envelope import EnvelopeDialect


class Hunyuan(EnvelopeDialect):
    """All calls of a message are in one JSON list in a `<tool_calls>` element, as in `jamba`.

    Hunyuan's later models write names and `<arg_key>` elements, which is another dialect.
    """

    name = "hunyuan"
    title = "Hunyuan A13B"
    summary = '`<tool_calls>[{"name": …, "arguments": …}]</tool_calls>`.'
    used_by: Sequence[str] = ("Hunyuan A13B",)
    openers: Sequence[str] = ("<tool_calls>",)
    envelopes = (Envelope("<tool_calls>", "</tool_calls>", array=True),)
    gathers = True
    ambiguity = "The text is the same as in `jamba`. It is read as `jamba` unless this dialect is named."
    peers = """
        vLLM ignores a list inside a `<think>` block, and reads only the first of the others. Its streaming parser
        supports arguments of at most two levels.
    """
    asks = (
        (
            "Write all calls in one JSON list of objects with the keys `name` and `arguments`, "
            "in a `<tool_calls>` element."
        ),
    )

    def takes(self, text: str, start: int, envelope: Envelope, context: ReadContext) -> bool:
        """Read only where this dialect is asked for: the text fits two dialects."""
        del text, start, envelope
        return context.preferred == self.name


DIALECT = Hunyuan()
