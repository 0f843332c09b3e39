"""The `glm` dialect: `<tool_call>` with the tool's name as text, then `<arg_key>` and `<arg_value>` in turn.

Owns: this dialect's grammars. Must not know: other dialects, the registry's class.
"""

from collections.abc import Sequence
from typing import Final

from callwright.calls.model import TextStyle
from callwright.calls.tagged.grammar import Grammar
from callwright.calls.tagged.heads import faulty_key, half_key, key_head, plain_head
from callwright.dialects.support.tagged import TaggedDialect, openers_of


def _grammar(call_word: str, argument: str = "") -> Grammar:
    """Return the grammar with `call_word` as the tag of a call, and `argument` before the names of the other tags."""
    call, call_end = f"<{call_word}>", f"</{call_word}>"
    key, key_end = f"<{argument}arg_key>", f"</{argument}arg_key>"
    value, value_end = f"<{argument}arg_value>", f"</{argument}arg_value>"
    return Grammar(
        name="glm",
        call_opener=call,
        call_closer=call_end,
        parameter_opener=key,
        parameter_closer=value_end,
        call=plain_head(call, (key, call_end, "...", "…")),
        parameter=key_head(key, key_end, value),
        style=TextStyle(newlines="none", untyped="json", python=True, loose=True),
        call_form=f"{call}{{name}}",
        parameter_form=f"{key}{{name}}{key_end}\n{value}",
        half=half_key(key, key_end, value),
        faulty=faulty_key(key, key_end, value, value_end, (call_end,)),
    )


GRAMMARS: Final = (
    _grammar("tool_call"),
    _grammar("longcat_tool_call", "longcat_"),
    _grammar("iquest_tool_call"),
    _grammar("iquestcoder_tool_call"),
)


class Glm(TaggedDialect):
    """`<tool_call>` contains the tool's name as text, and an `<arg_key>` with an `<arg_value>` for each argument.

    Strings are literal, other values are JSON. GLM 4.5 and 4.6 write each pair on separate lines, 4.7 does not. LongCat
    writes `longcat_` into every tag, IQuest writes its name into the tag of the call.
    """

    name = "glm"
    title = "GLM keys and values"
    summary = "`<tool_call>NAME` with `<arg_key>` and `<arg_value>` for each argument."
    used_by: Sequence[str] = (
        "GLM 4.5, 4.6, 4.7",
        "Ling 3",
        "Spark 2.5 and 3",
        "Laguna",
        "HyperCLOVA X SEED Think",
        "LongCat Flash Thinking 2601 (`<longcat_tool_call>`, `<longcat_arg_key>`)",
        "IQuest (`<iquest_tool_call>`, `<iquestcoder_tool_call>`)",
    )
    grammars = GRAMMARS
    openers: Sequence[str] = openers_of(GRAMMARS)
    typed = False
    typing = """
        Values carry no type. The schema decides how a text is read: as `null`, a number, a boolean (in any case), or
        JSON for arrays and objects, and else as text. Without a schema, a value that is a whole array, object, number,
        boolean or `null` is JSON, and any other is text.
    """
    escaping = "There are no escapes: entities and CDATA are text, and so are newlines next to the tags."
    ambiguity = """
        `</arg_value>` ends a value if `<arg_key>` with a value, `</tool_call>` or the end of the text follows.
        Otherwise it is part of the value, with a diagnostic. A whole call inside a value is text, and so is a
        `<tool_call>` that begins no call.
    """
    peers = """
        vLLM and SGLang end a value at the first `</arg_value>`, and vLLM ends the call at the first `</tool_call>` even
        inside a value. Without a schema, vLLM reads every value as text; SGLang reads JSON, like Callwright. SGLang
        also strips quotes around a string.

        The parsers of vLLM and SGLang for LongCat read only JSON in `<longcat_tool_call>`; mlx-lm reads both.
    """
    # chat_template.jinja, https://huggingface.co/zai-org/GLM-4.5
    results = "tool-response-text"
    asks: Sequence[str] = (
        "Write each call inside `<tool_call>`: first the tool's name as text.",
        "Write `<arg_key>NAME</arg_key>` and `<arg_value>VALUE</arg_value>` for each argument.",
        "Write strings as they are and any other value as JSON. Escape nothing.",
    )


DIALECT = Glm()
