"""The `glm` dialect: `<tool_call>` with the tool's name as text, then `<arg_key>` and `<arg_value>` in turn.

Owns: this notation's grammar. Must not know: other dialects, the registry's class.
"""

from collections.abc import Sequence
from typing import Final

from callwright.calls.model import TextStyle
from callwright.calls.tagged.grammar import Grammar
from callwright.calls.tagged.heads import faulty_key, half_key, key_head, plain_head
from callwright.dialects.support.tagged import TaggedDialect, openers_of

GRAMMAR: Final = Grammar(
    name="glm",
    call_opener="<tool_call>",
    call_closer="</tool_call>",
    parameter_opener="<arg_key>",
    parameter_closer="</arg_value>",
    call=plain_head("<tool_call>", ("<arg_key>", "</tool_call>", "...", "…")),
    parameter=key_head("<arg_key>", "</arg_key>", "<arg_value>"),
    style=TextStyle(newlines="none", untyped="json", python=True, loose=True),
    call_form="<tool_call>{name}",
    parameter_form="<arg_key>{name}</arg_key>\n<arg_value>",
    half=half_key("<arg_key>", "</arg_key>", "<arg_value>"),
    faulty=faulty_key("<arg_key>", "</arg_key>", "<arg_value>", "</arg_value>", ("</tool_call>",)),
)


class Glm(TaggedDialect):
    """`<tool_call>` holds the tool's name as text, and an `<arg_key>` with an `<arg_value>` for each argument.

    Strings stand as they are, other values as JSON. GLM 4.5 and 4.6 write each pair on lines of its own, 4.7 does not.
    """

    name = "glm"
    title = "GLM keys and values"
    summary = "`<tool_call>NAME` with `<arg_key>` and `<arg_value>` for each argument."
    used_by: Sequence[str] = ("GLM 4.5, 4.6, 4.7", "Ling 3", "Spark 2.5")
    grammars = (GRAMMAR,)
    openers: Sequence[str] = openers_of((GRAMMAR,))
    typed = False
    typing = (
        "Values carry no type. The schema says what their text means: `null`, numbers, booleans (in any case) and JSON"
        " for arrays and objects, before text. Without a schema a value is JSON where it is a whole array, object,"
        " number, boolean or `null`, and text elsewhere."
    )
    escaping = "Nothing can be escaped: entities and CDATA are text, and so are newlines next to the tags."
    ambiguity = (
        "`</arg_value>` ends a value where `<arg_key>` with a value, `</tool_call>` or the end of the text follows."
        " Elsewhere it is part of the value, and a diagnostic reports it. A whole call inside a value is text, and a"
        " `<tool_call>` that begins none is, too."
    )
    peers = (
        "vLLM and SGLang end a value at the first `</arg_value>`, and vLLM ends the call at the first `</tool_call>`"
        " even inside a value. vLLM reads every value as text where no schema is known; SGLang reads JSON, as is done"
        " here. SGLang also strips quotes from the ends of a string."
    )
    # chat_template.jinja, https://huggingface.co/zai-org/GLM-4.5
    results = "tool-response-text"
    asks: Sequence[str] = (
        "Write each call inside `<tool_call>`: first the tool's name as text.",
        "Write `<arg_key>NAME</arg_key>` and `<arg_value>VALUE</arg_value>` for each argument.",
        "Write strings as they are and any other value as JSON. Escape nothing.",
    )


DIALECT = Glm()
