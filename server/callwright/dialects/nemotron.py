"""The `nemotron` dialect: a JSON list of calls in `<TOOLCALL>`.

Owns: this dialect. Must not know: other dialects, the registry's class.
"""

from collections.abc import Sequence

from callwright.calls.envelopes import Envelope
from callwright.dialects.support.envelope import EnvelopeDialect


class Nemotron(EnvelopeDialect):
    """All calls of a message are in one JSON list in a `<TOOLCALL>` element."""

    name = "nemotron"
    title = "Nemotron"
    summary = '`<TOOLCALL>[{"name": …, "arguments": …}]</TOOLCALL>`.'
    used_by: Sequence[str] = ("Nemotron Nano v2", "Llama 3.3 Nemotron Super 49B v1.5")
    openers: Sequence[str] = ("<TOOLCALL>",)
    envelopes = (Envelope("<TOOLCALL>", "</TOOLCALL>", array=True),)
    gathers = True
    ambiguity = """
        A `</TOOLCALL>` inside a JSON string is text; a diagnostic marks each. One object without a list around it is
        read, too.
    """
    peers = """
        vLLM's parser ends the list at the first `</TOOLCALL>` and adds missing brackets; llama.cpp requires the list.
    """
    asks = (
        "Write all calls in one JSON list of objects with the keys `name` and `arguments`, in a `<TOOLCALL>` element.",
    )


DIALECT = Nemotron()
