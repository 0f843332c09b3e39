"""The `gigachat` dialect: a JSON object behind `<|function_call|>`.

Owns: this notation. Must not know: other dialects, the registry's class.
"""

from collections.abc import Sequence

from callwright.calls.envelopes import Envelope
from callwright.dialects.support.envelope import EnvelopeDialect


class GigaChat(EnvelopeDialect):
    """One JSON object behind `<|function_call|>`; the message ends the call.

    GigaChat 3 without that token writes the role `function call` in its place.
    """

    name = "gigachat"
    title = "GigaChat"
    summary = '`<|function_call|>{"name": …, "arguments": …}`.'
    used_by: Sequence[str] = ("GigaChat 3 and 3.1",)
    openers: Sequence[str] = ("<|function_call|>", "<|message_sep|>")
    chat_markers = ("<|message_sep|>",)
    envelopes = (
        Envelope("<|function_call|>"),
        Envelope("<|message_sep|>", between="function call<|role_sep|>"),
    )
    ambiguity = """
        `<|message_sep|>` also ends every other message: a call begins there only where the role `function call` and an
        object follow.
    """
    peers = """
        vLLM and llama.cpp read one call in a message and want its arguments to be an object. vLLM takes raw newlines in
        strings; here they are read and reported.
    """
    one_call = True
    to_line_end = True
    asks = (
        (
            "Write a call as one JSON object with the keys `name` and `arguments`, after `<|function_call|>`, and "
            "end there."
        ),
    )


DIALECT = GigaChat()
