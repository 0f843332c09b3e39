"""The `functools` dialect: the word `functools` and a JSON list of calls.

Owns: this dialect. Must not know: other dialects, the registry's class.
"""

from collections.abc import Sequence

from callwright.calls.envelopes import Envelope
from callwright.calls.json_calls import Form
from callwright.dialects.support.envelope import EnvelopeDialect


class Functools(EnvelopeDialect):
    """All calls of a message are in one JSON list directly after the word `functools`. There is no closing marker."""

    name = "functools"
    title = "functools"
    summary = '`functools[{"name": …, "arguments": …}]`.'
    used_by: Sequence[str] = ("Phi-4 mini", "Firefunction v2")
    openers: Sequence[str] = ("functools[", "functools [", "functools{")
    envelopes = (Envelope("functools", array=True, hasty="]"),)
    form = Form(arguments_also=("parameters",))
    gathers = True
    ambiguity = """
        The list ends with its own bracket. The word alone, as in a Python import, is prose: a list of objects must
        follow.
    """
    peers = """
        vLLM ends the list at the first `]`, even inside the arguments, and so loses a call with a list as a value.
        llama.cpp reads the JSON, like Callwright. Both accept `parameters` for `arguments`.
    """
    asks = (
        (
            "Write all calls in one JSON list of objects with the keys `name` and `arguments`, "
            "directly after `functools`."
        ),
    )


DIALECT = Functools()
