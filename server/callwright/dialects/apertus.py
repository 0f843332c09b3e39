"""The `apertus` dialect: a JSON list whose objects have the tool's name as their key.

Owns: this dialect. Must not know: other dialects, the registry's class.
"""

from collections.abc import Sequence

from callwright.calls.envelopes import Envelope
from callwright.calls.json_calls import Form
from callwright.dialects.support.envelope import EnvelopeDialect


class Apertus(EnvelopeDialect):
    """A JSON list between `<|tools_prefix|>` and `<|tools_suffix|>`. Each object has one key, the tool's name."""

    name = "apertus"
    title = "Apertus"
    summary = '`<|tools_prefix|>[{"f": {…}}]<|tools_suffix|>`: the key is the tool\'s name.'
    used_by: Sequence[str] = ("Apertus",)
    openers: Sequence[str] = ("<|tools_prefix|>",)
    envelopes = (Envelope("<|tools_prefix|>", "<|tools_suffix|>", array=True),)
    form = Form(keyed=True)
    gathers = True
    ambiguity = """
        An object with several keys is read as a call for each key. An object with both `name` and `arguments` is read
        as other dialects write a call.

        The dialect cannot represent the id of a call.
    """
    peers = """
        vLLM reads only the first key of an object, and an unclosed list up to its last complete part. llama.cpp
        requires the closing marker.
    """
    asks = (
        (
            "Write all calls in one JSON list between `<|tools_prefix|>` and `<|tools_suffix|>`: each call is "
            "an object whose only key is the tool's name and whose value are the arguments."
        ),
    )


DIALECT = Apertus()
