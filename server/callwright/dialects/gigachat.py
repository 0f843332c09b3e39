"""The `gigachat` dialect: a JSON object after `<|function_call|>`.

Owns: this dialect. Must not know: other dialects, the registry's class.
"""

from collections.abc import Sequence

from callwright.calls.envelopes import Envelope
from callwright.dialects.support.envelope import EnvelopeDialect


class GigaChat(EnvelopeDialect):
    """One JSON object after `<|function_call|>`. The end of the message ends the call.

    GigaChat 3 without that token writes the role `function call` instead.
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
        `<|message_sep|>` also ends every other message. A call begins there only if the role `function call` and an
        object follow.
    """
    peers = """
        vLLM and llama.cpp read one call in a message and require its arguments to be an object. vLLM accepts raw
        newlines in strings; Callwright reads and reports them.
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
