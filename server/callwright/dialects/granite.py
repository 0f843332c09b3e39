"""The `granite` dialect: a marker and a JSON list of calls that nothing closes.

Owns: this dialect. Must not know: other dialects, the registry's class.
"""

from collections.abc import Sequence

from callwright.calls.envelopes import Envelope, json_place, scan_json
from callwright.calls.protocol import ReadContext
from callwright.calls.scanning import skip_space
from callwright.dialects.support.envelope import EnvelopeDialect


class Granite(EnvelopeDialect):
    """A JSON list of calls after `<|tool_call|>`. The end of the message ends the call.

    Granite 3.1 writes `<tool_call>` instead, Granite 20B `<function_call>` and one object. Phi-4 mini closes the list
    with `<|/tool_call|>`.
    """

    name = "granite"
    title = "Granite"
    summary = '`<|tool_call|>[{"name": …, "arguments": …}]`.'
    used_by: Sequence[str] = (
        "Granite 3",
        "Granite 20B function calling",
        "Phi-4 mini (its own template)",
        "Glaive (`<functioncall>`)",
    )
    openers: Sequence[str] = ("<|tool_call|>", "<tool_call>", "<function_call>", "<functioncall>")
    envelopes = (
        Envelope("<|tool_call|>", "<|/tool_call|>", array=True, lenient=True),
        Envelope("<tool_call>", "", array=True),
        Envelope("<function_call>", "</function_call>", lenient=True),
        Envelope("<functioncall>", "</functioncall>", lenient=True),
    )
    gathers = True
    ambiguity = """
        `<tool_call>` with a list is read as `hermes` if `</tool_call>` follows or the list is not complete. It is read
        as this dialect if the list is complete and not closed by a tag.

        A closing marker (`<|/tool_call|>`, `</function_call>`) is part of the call.
    """
    peers = """
        vLLM's `granite` parser requires the list to be the whole message; its parser for Granite 20B accepts
        `<function_call>` anywhere. vLLM rejects a single object after `<|tool_call|>`; Callwright reads it.
    """
    asks = ("Write all calls in one JSON list of objects with the keys `name` and `arguments`, after `<|tool_call|>`.",)

    def takes(self, text: str, start: int, envelope: Envelope, context: ReadContext) -> bool:
        """Leave `<tool_call>` to others, except for a complete list without a closer."""
        if envelope.opener != "<tool_call>":
            return True
        begin = json_place(text, start, envelope, context)
        if begin is None or text[begin] != "[":
            return False
        if context.preferred == self.name:
            return True
        scan = scan_json(text, begin, context)
        if scan.read is None:
            return False
        at = skip_space(text, scan.end)
        context.look(at + 2)
        return not text.startswith("</", at) and not (at + 2 > len(text) and text.startswith("<", at))


DIALECT = Granite()
