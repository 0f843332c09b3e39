"""The `hunyuan-v3` dialect: the tool's name with `<tool_sep>`, then `<arg_key>` and `<arg_value>` in turn.

Owns: this dialect's grammars. Must not know: other dialects, the registry's class.
"""

from collections.abc import Sequence
from typing import Final

from callwright.calls.model import TextStyle
from callwright.calls.tagged.grammar import Grammar
from callwright.calls.tagged.heads import faulty_key, half_key, key_head, parted_head
from callwright.dialects.support.tagged import TaggedDialect, openers_of


def _grammar(suffix: str) -> Grammar:
    """Return the grammar whose markers all end in `suffix`.

    The separator is required where there is no suffix: every model that omits the separator writes a suffix.
    """
    call, separator, key, value = (f"<{word}{suffix}>" for word in ("tool_call", "tool_sep", "arg_key", "arg_value"))
    call_end, key_end, value_end = (f"</{word}{suffix}>" for word in ("tool_call", "arg_key", "arg_value"))
    return Grammar(
        name="hunyuan-v3",
        sections=((f"<tool_calls{suffix}>", f"</tool_calls{suffix}>"),),
        call_opener=call,
        call_closer=call_end,
        parameter_opener=key,
        parameter_closer=value_end,
        call=parted_head(call, separator, (key, call_end) if suffix else (key,), required=not suffix),
        parameter=key_head(key, key_end, value),
        style=TextStyle(newlines="none", untyped="json", python=True, loose=True),
        call_form=f"{call}{{name}}{separator}",
        parameter_form=f"{key}{{name}}{key_end}\n{value}",
        separator=separator,
        wraps=True,
        outside="vLLM and SGLang read no call where no section is opened",
        half=half_key(key, key_end, value),
        faulty=faulty_key(key, key_end, value, value_end, (call_end,)),
    )


GRAMMARS: Final = (_grammar(""), _grammar(":opensource"), _grammar(":6124c78e"))


class HunyuanV3(TaggedDialect):
    """`<tool_calls>` contains calls: the tool's name as text, `<tool_sep>`, and a key with a value for each argument.

    Strings are literal, other values are JSON. The published models write `:opensource` into every marker, the ones
    that Tencent serves `:6124c78e`. Hunyuan 4 writes no `<tool_sep>`.
    """

    name = "hunyuan-v3"
    title = "Hunyuan 3 keys and values"
    summary = "`<tool_call>NAME<tool_sep>` with `<arg_key>` and `<arg_value>` for each argument, in `<tool_calls>`."
    used_by: Sequence[str] = ("Hunyuan 3 (Hy3)", "Hunyuan 4 (Hy4, without `<tool_sep>`)")
    grammars = GRAMMARS
    openers: Sequence[str] = openers_of(GRAMMARS)
    typed = False
    gathers = True
    typing = """
        Values carry no type. The schema decides how a text is read: as `null`, a number, a boolean (in any case), or
        JSON for arrays and objects, and else as text. Without a schema, a value that is a whole array, object, number,
        boolean or `null` is JSON, and any other is text.
    """
    escaping = "There are no escapes: entities and CDATA are text, and so are newlines next to the tags."
    ambiguity = """
        `</arg_value>` ends a value if `<arg_key>` with a value, `</tool_call>` or the end of the text follows.
        Otherwise it is part of the value, with a diagnostic.

        In a section, a call without `<tool_sep>` is read. It is reported if the markers have no suffix, because only
        Hunyuan 3 writes such markers. Outside a section it is then a call of `glm`. A call without a section is read,
        with a diagnostic.
    """
    peers = """
        vLLM and SGLang require `<tool_calls>`, and for Hunyuan 3 `<tool_sep>`. They end a value at the first
        `</arg_value>` and a call at the first `</tool_call>`. Both read the value of a parameter that the schema does
        not name as text. SGLang omits calls of unknown tools and truncated calls; vLLM reads the complete arguments of
        the latter.
    """
    asks: Sequence[str] = (
        "Write all calls of a reply inside `<tool_calls>`, each inside `<tool_call>`.",
        "Write the tool's name as text and `<tool_sep>` after it.",
        "Write `<arg_key>NAME</arg_key>` and `<arg_value>VALUE</arg_value>` for each argument.",
        "Write strings as they are and any other value as JSON. Escape nothing.",
    )


DIALECT = HunyuanV3()
