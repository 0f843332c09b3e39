"""The `qwen-coder` dialect: `<function=f>` with `<parameter=a>` on lines of their own, in `<tool_call>`.

Owns: this dialect's grammar. Must not know: other dialects, the registry's class.
"""

from collections.abc import Sequence
from typing import Final

from callwright.calls.model import TextStyle
from callwright.calls.tagged.grammar import Grammar
from callwright.calls.tagged.heads import equals_head
from callwright.dialects.support.tagged import TaggedDialect, openers_of

GRAMMAR: Final = Grammar(
    name="qwen-coder",
    sections=(("<tool_call>", "</tool_call>"), ("<seed:tool_call>", "</seed:tool_call>")),
    call_opener="<function=",
    call_closer="</function>",
    parameter_opener="<parameter=",
    parameter_closer="</parameter>",
    call=equals_head("<function="),
    parameter=equals_head("<parameter="),
    style=TextStyle(newlines="led", untyped="string", python=True, loose=True),
    call_form="<function={name}>",
    parameter_form="<parameter={name}>",
    open_gap="\n",
    close_gap="\n",
    wraps=True,
)


class QwenCoder(TaggedDialect):
    """`<tool_call>` contains `<function=NAME>`, and that contains `<parameter=NAME>` for each argument.

    A value is on separate lines; the newline on either side of it is not part of the value.
    """

    name = "qwen-coder"
    title = "Qwen3-Coder functions"
    summary = "`<function=NAME>` with `<parameter=NAME>` for each argument, in `<tool_call>`."
    used_by: Sequence[str] = (
        "Qwen3-Coder, Qwen3.5",
        "Nemotron 3",
        "Step 3.5",
        "MiMo",
        "Seed-OSS (in `<seed:tool_call>`)",
    )
    grammars = (GRAMMAR,)
    openers: Sequence[str] = openers_of((GRAMMAR,))
    typed = False
    typing = """
        Values carry no type. The schema decides how a text is read: as `null`, a number, a boolean (in any case), or
        JSON for arrays and objects, and else as text. `True`, `None` and Python literals are read where the schema does
        not require a string. Without a schema every value is text.
    """
    escaping = """
        There are no escapes: entities and CDATA are text. One newline after the opening tag is not part of the value,
        and if it is there, neither is one before the closing tag. Seed-OSS writes values without them; they are then
        read exactly. Indentation is part of the value, even that of the closing tag.
    """
    ambiguity = """
        `</parameter>` ends a value if `<parameter=`, `</function>`, `</tool_call>`, another call or the end of the text
        follows. Otherwise it is part of the value, with a diagnostic. A whole pair of tags, or a whole call, inside a
        value is text. A value without `</parameter>` ends where the next parameter begins on a new line; with a schema,
        that must be a parameter of the tool which the call does not have yet.
    """
    peers = """
        vLLM ends a value at the first `</parameter>` or `<parameter=`, and a call at the first `</function>`, even
        inside a value. SGLang requires `<tool_call>` in front, vLLM and llama.cpp accept a call without it. SGLang
        reads `null` as null regardless of the schema. vLLM removes a last newline even if no newline precedes the
        value; llama.cpp keeps it, like Callwright.
    """
    # chat_template.jinja, https://huggingface.co/Qwen/Qwen3-Coder-30B-A3B-Instruct
    results = "tool-response-text"
    asks: Sequence[str] = (
        "Write each call as a `<function=NAME>` element inside `<tool_call>`.",
        "Write a `<parameter=NAME>` element for each argument, with the value on lines of its own.",
        "Write arrays and objects as JSON. Escape nothing.",
    )


DIALECT = QwenCoder()
