"""The `hermes` dialect: a JSON object with the tool's name and its arguments in `<tool_call>`.

Owns: this notation. Must not know: other dialects, the registry's class.
"""

from collections.abc import Sequence

from callwright.calls.envelopes import Envelope
from callwright.dialects.support.envelope import EnvelopeDialect


class Hermes(EnvelopeDialect):
    """Each call is a JSON object with `name` and `arguments` in a `<tool_call>` element of its own.

    LongCat writes the same in `<longcat_tool_call>`, dots may in `<dots_function_call>`. A list of such objects in one
    element is read, too.
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
        "LongCat",
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
        each, since engines that cut at the first one get broken JSON.

        A list of calls in one element, and several objects below each other, are read as several calls.

        `<tool_call>` with a list that nothing closes is Granite 3's dialect and read as `granite`; one with
        `<tool_name>`, `<function=…>` or `<arg_key>` is none of this dialect's.
    """
    peers = """
        vLLM's `hermes` parser, SGLang's and Ernie's cut at the first `</tool_call>` and take exactly one object; SGLang
        requires line breaks around it. llama.cpp reads the JSON, as is done here. SGLang also takes `parameters` for
        `arguments`, which is read here with a diagnostic.

        vLLM takes a call whose `</tool_call>` is missing at the end of a message, Granite 4's parser rejects it. Here
        it is read and reported.

        An `id` beside the name is kept here; engines pass over it and give the call an id of their own.

        Where a chat template has opened `<think>` itself, a reply begins in the middle of reasoning. llama.cpp knows
        the template and takes a call before the lone `</think>` for a thought; here the opener has to be in the text,
        so put it before the reply.
    """
    # Hermes-Function-Calling, https://github.com/NousResearch/Hermes-Function-Calling
    results = "tool-response"
    asks = (
        "Write each call as one JSON object with the keys `name` and `arguments`, alone in a `<tool_call>` element.",
    )


DIALECT = Hermes()
