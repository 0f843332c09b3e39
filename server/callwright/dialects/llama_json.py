"""The `llama-json` dialect: a JSON object with the tool's name and its parameters, with or without `<|python_tag|>`.

Owns: this dialect. Must not know: other dialects, the registry's class.
"""

from collections.abc import Sequence

from callwright.calls.bare_json import read_bare_object
from callwright.calls.envelopes import Envelope
from callwright.calls.json_calls import Form
from callwright.calls.protocol import ReadContext, Reading
from callwright.dialects.support.envelope import EnvelopeDialect


class LlamaJson(EnvelopeDialect):
    """Each call is a JSON object with `name` and `parameters`, after `<|python_tag|>` or bare.

    Several calls are joined by `;` or `,`, or follow one another. A bare object is a call if it has a name, arguments
    and no unknown keys.
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
        A bare object is a call if it has the name of a tool. It is also one if it begins its line and has `arguments`,
        or if it has `parameters` and no registry shows that the tool is unknown. Other keys next to these, such as
        `description`, make it data, and a JSON Schema in place of the arguments makes it the definition of a tool.

        Inside a line, a bare object must be valid, so that prose about JSON is not read as a call. In a fence of a
        programming language there are no bare calls.

        `"type": "function"` and an id may be next to the name. After `<|python_tag|>`, a call in an object under
        `function` is read as well. A bare one is `openai-json`, and part of other JSON on its line is data.
    """
    peers = """
        vLLM accepts any object with `name` and `arguments` or `parameters`, anywhere, and drops all calls of a message
        if one object lacks them. SGLang requires `<|python_tag|>` or an object at the very start. llama.cpp reads only
        calls of known tools.

        `<|python_tag|>` with program code or with `tool.call(…)` belongs to other dialects.
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
