"""The `jamba` dialect: a JSON list of calls in `<tool_calls>`.

Owns: this dialect. Must not know: other dialects, the registry's class.
"""

from collections.abc import Sequence

from callwright.calls.envelopes import Envelope
from callwright.calls.protocol import ReadContext
from callwright.dialects.support.envelope import EnvelopeDialect


class Jamba(EnvelopeDialect):
    """All calls of a message are in one JSON list in a `<tool_calls>` element.

    MiniMax M1 writes consecutive objects instead of a list.
    """

    name = "jamba"
    title = "Jamba"
    summary = '`<tool_calls>[{"name": …, "arguments": …}]</tool_calls>`.'
    used_by: Sequence[str] = ("Jamba", "Apriel", "MiniMax M1 (objects below each other)")
    openers: Sequence[str] = ("<tool_calls>",)
    envelopes = (Envelope("<tool_calls>", "</tool_calls>", array=True),)
    gathers = True
    ambiguity = """
        Hunyuan A13B writes the same text. It is read as `jamba` unless `hunyuan` is named.

        A `</tool_calls>` inside a JSON string is text; a diagnostic marks each.
    """
    peers = """
        vLLM and SGLang end the list at the first `</tool_calls>`, and vLLM reads only the first such element of a
        message. An unclosed element is not a call for vLLM; Callwright reads and reports it.
    """
    asks = (
        (
            "Write all calls in one JSON list of objects with the keys `name` and `arguments`, "
            "in a `<tool_calls>` element."
        ),
    )

    def takes(self, text: str, start: int, envelope: Envelope, context: ReadContext) -> bool:
        """Leave the text to the dialect with the same markers where that one is asked for."""
        del text, start, envelope
        return context.preferred != "hunyuan"


DIALECT = Jamba()
