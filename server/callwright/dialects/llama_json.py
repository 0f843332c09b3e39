"""The `llama-json` dialect: a JSON object with the tool's name and its parameters, with or without `<|python_tag|>`.

Owns: this notation. Must not know: other dialects, the registry's class.
"""

from collections.abc import Sequence

from callwright.calls.bare_json import read_bare_object
from callwright.calls.envelopes import Envelope
from callwright.calls.json_calls import Form
from callwright.calls.protocol import ReadContext, Reading
from callwright.dialects.support.envelope import EnvelopeDialect


class LlamaJson(EnvelopeDialect):
    """Each call is a JSON object with `name` and `parameters`, after `<|python_tag|>` or bare.

    Several are joined by `;` or stand below each other. A bare object is a call where it has a name and arguments and
    nothing foreign beside them.
    """

    name = "llama-json"
    title = "Llama JSON"
    summary = '`<|python_tag|>{"name": …, "parameters": …}`, or the bare object.'
    used_by: Sequence[str] = (
        "Llama 3.1, 3.2 and 3.3",
        "Llama 4 (as JSON)",
        "many prompts that ask for a bare JSON object",
    )
    openers: Sequence[str] = ("<|python_tag|>", '{"name"', '{"type"', '{"function"', '{"id"', "{")
    envelopes = (Envelope("<|python_tag|>", lenient=True),)
    form = Form(arguments="parameters", arguments_also=("arguments",), arguments_else=())
    gathers = True
    ambiguity = """
        A bare object is a call where its name is a tool's; else where it leads its line and has `arguments`, or
        `parameters` and no registry says that there is no such tool. Other keys beside these, such as `description`,
        make it data, and a JSON Schema in the arguments' place makes it the definition of a tool.

        Inside a line, a bare object must be faultless, so that prose about JSON stays prose. In a fence of a
        programming language there are no bare calls.

        `"type": "function"` and an id may stand beside the name. Behind `<|python_tag|>`, a call inside of an object
        under `function` is read as well; a bare one is `openai-json`, and what is part of other JSON
        on its line for data.
    """
    peers = """
        vLLM takes any object with `name` and `arguments` or `parameters`, wherever it stands, and drops all calls of a
        message in which one object lacks them. SGLang requires `<|python_tag|>` or an object at the very start.
        llama.cpp reads calls of known tools only.

        `<|python_tag|>` with program text or with `tool.call(…)` belongs to other dialects.
    """
    asks = (
        (
            "Write each call as one JSON object with the keys `name` and `parameters`, after `<|python_tag|>`;"
            " put `; ` between several."
        ),
    )

    def read_other(self, text: str, start: int, context: ReadContext) -> Reading | None:
        """Read a bare object."""
        return read_bare_object(text, start, self.form, context, self.name) if text[start] == "{" else None


DIALECT = LlamaJson()
