"""The `cohere` dialect: a JSON list of calls between `<|START_ACTION|>` and `<|END_ACTION|>`.

Owns: this dialect. Must not know: other dialects, the registry's class.
"""

from collections.abc import Sequence

from callwright.calls.bare_json import read_fenced_list
from callwright.calls.envelopes import Envelope
from callwright.calls.json_calls import Form
from callwright.calls.protocol import ReadContext, Reading
from callwright.dialects.support.envelope import EnvelopeDialect


class Cohere(EnvelopeDialect):
    """A JSON list between `<|START_ACTION|>` and `<|END_ACTION|>`. Each call has an id, a name and parameters.

    Command R and R+ write the list in a json fence after the word `Action:`.
    """

    name = "cohere"
    title = "Cohere"
    summary = '`<|START_ACTION|>[{"tool_call_id": "0", "tool_name": …, "parameters": …}]<|END_ACTION|>`.'
    used_by: Sequence[str] = ("Command R7B", "Command A", "Command R and R+ (`Action:` and a fence)")
    openers: Sequence[str] = ("<|START_ACTION|>", "Action:")
    envelopes = (Envelope("<|START_ACTION|>", "<|END_ACTION|>", array=True),)
    form = Form(
        name="tool_name",
        arguments="parameters",
        name_also=("name",),
        arguments_else=("arguments",),
        ids=("tool_call_id", "id"),
        counted=True,
        no_tools=frozenset({"directly-answer", "directly_answer"}),
    )
    gathers = True
    ambiguity = """
        `tool_call_id` only counts the calls of a message (`"0"`, `"1"`). It is kept, and a conversion may omit it.

        `directly-answer` is Command R's way to call no tool. It is not a call unless a tool has that name.

        `Action:` must be at the start of a line, with a fenced list whose objects begin with these keys. Every other
        `Action:` is prose or another dialect.
    """
    peers = """
        SGLang and vLLM end the list at `<|END_ACTION|>`, or at the end of the message without one. SGLang accepts
        `name` for `tool_name` and `arguments` for `parameters`; the strict parser rejects the latter.
    """
    asks = (
        (
            "Write all calls in one JSON list between `<|START_ACTION|>` and `<|END_ACTION|>`: each an object "
            "with the keys `tool_call_id` (a string that counts from `0`), `tool_name` and `parameters`."
        ),
    )

    def read_other(self, text: str, start: int, context: ReadContext) -> Reading | None:
        """Read a fenced list after `Action:`."""
        if not text.startswith("Action:", start):
            return None
        return read_fenced_list(text, start, "Action:", self.form, context, self.name)


DIALECT = Cohere()
