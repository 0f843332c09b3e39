"""The `internlm` dialect: a JSON object between `<|action_start|><|plugin|>` and `<|action_end|>`.

Owns: this dialect. Must not know: other dialects, the registry's class.
"""

from collections.abc import Sequence

from callwright.calls.envelopes import Envelope
from callwright.calls.json_calls import Form
from callwright.dialects.support.envelope import EnvelopeDialect


class InternLm(EnvelopeDialect):
    """One JSON object with `name` and `parameters` between `<|action_start|><|plugin|>` and `<|action_end|>`."""

    name = "internlm"
    title = "InternLM"
    summary = '`<|action_start|><|plugin|>{"name": …, "parameters": …}<|action_end|>`.'
    used_by: Sequence[str] = ("InternLM 2 and 2.5", "Intern-S1")
    openers: Sequence[str] = ("<|action_start|>",)
    envelopes = (Envelope("<|action_start|>", "<|action_end|>", between="<|plugin|>"),)
    form = Form(arguments="parameters", arguments_also=("arguments",), arguments_else=())
    ambiguity = """
        `<|action_start|><|interpreter|>` begins program code, which is not a call of this dialect. Whitespace may be
        between the two markers and around the JSON.
    """
    peers = """
        vLLM reads one call in a message, from the first `{` on; SGLang requires a space between the two markers. Both
        accept `arguments` for `parameters`, like Callwright.
    """
    asks = (
        (
            "Write each call as one JSON object with the keys `name` and `parameters`, between "
            "`<|action_start|><|plugin|>` and `<|action_end|>`."
        ),
    )


DIALECT = InternLm()
