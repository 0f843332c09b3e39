"""The `hermes` dialect: a JSON object with the tool's name and its arguments in `<tool_call>`.

Owns: this dialect. Must not know: other dialects, the registry's class.
"""

from collections.abc import Sequence

from callwright.calls.envelopes import Envelope
from callwright.dialects.support.envelope import EnvelopeDialect


class Hermes(EnvelopeDialect):
    """Each call is a JSON object with `name` and `arguments` in a separate `<tool_call>` element.

    LongCat writes the same in `<longcat_tool_call>`, dots sometimes in `<dots_function_call>`. A list of such objects
    in one element is read, too.
    """

    name = "hermes"
    title = "Hermes"
    summary = '`<tool_call>` around `{"name": …, "arguments": …}`.'
    used_by: Sequence[str] = (
        "Hermes 2 Pro and 3",
        "Qwen 2.5, Qwen 3 and QwQ",
        "Granite 4",
        "Ernie 4.5",
        "Reka",
        "LongCat Flash (where it writes JSON)",
        "dots (where it writes JSON)",
        "most prompts that ask for JSON in tags",
    )
    openers: Sequence[str] = ("<tool_call>", "<longcat_tool_call>", "<dots_function_call>")
    envelopes = (
        Envelope("<tool_call>", "</tool_call>"),
        Envelope("<longcat_tool_call>", "</longcat_tool_call>"),
        Envelope("<dots_function_call>", "</dots_function_call>"),
    )
    is_plain = True
    ambiguity = """
        A `</tool_call>` inside a JSON string is text: the call ends at the first one after its JSON. A diagnostic marks
        each, because engines that cut at the first one get broken JSON.

        A list of calls in one element, and several consecutive objects, are read as several calls.

        `<tool_call>` with an unclosed list is Granite 3's dialect and read as `granite`. One with `<tool_name>`,
        `<function=…>` or `<arg_key>` belongs to other dialects.
    """
    peers = """
        The parsers of vLLM (`hermes`), SGLang and Ernie cut at the first `</tool_call>` and accept exactly one object;
        SGLang requires line breaks around it. llama.cpp reads the JSON, like Callwright. SGLang also accepts
        `parameters` for `arguments`; Callwright reads it with a diagnostic, and the strict parser rejects it.

        vLLM accepts a call without `</tool_call>` at the end of a message, Granite 4's parser rejects it. Callwright
        reads and reports it.

        Callwright keeps an `id` next to the name; engines ignore it and assign their own.

        If a chat template opens `<think>` itself, a reply begins inside the reasoning. llama.cpp knows the template and
        reads a call before the single `</think>` as reasoning. Callwright needs the opener in the text, so put it
        before the reply.
    """
    # Hermes-Function-Calling, https://github.com/NousResearch/Hermes-Function-Calling
    results = "tool-response"
    asks = (
        "Write each call as one JSON object with the keys `name` and `arguments`, alone in a `<tool_call>` element.",
    )


DIALECT = Hermes()
