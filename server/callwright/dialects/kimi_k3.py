"""The `kimi-k3` dialect: calls and arguments between `<|open|>` and `<|close|>`, with the type of each argument.

Owns: this dialect's grammar. Must not know: other dialects, the registry's class.
"""

from collections.abc import Sequence
from typing import Final

from callwright.calls.model import TextStyle
from callwright.calls.tagged.grammar import Grammar
from callwright.calls.tagged.heads import attribute_head
from callwright.dialects.support.tagged import TaggedDialect, openers_of

GRAMMAR: Final = Grammar(
    name="kimi-k3",
    sections=(("<|open|>tools<|sep|>", "<|close|>tools<|sep|>"),),
    call_opener="<|open|>call",
    call_closer="<|close|>call<|sep|>",
    parameter_opener="<|open|>argument",
    parameter_closer="<|close|>argument<|sep|>",
    call=attribute_head("<|open|>call", "tool", "<|sep|>"),
    parameter=attribute_head("<|open|>argument", "key", "<|sep|>"),
    style=TextStyle(newlines="none"),
    call_form='<|open|>call tool="{name}" index="{index}"<|sep|>',
    parameter_form='<|open|>argument key="{name}" type="{type}"<|sep|>',
    types="type",
    markup=False,
    escaped=True,
    between="",
)


class KimiK3(TaggedDialect):
    """The markers of `tools` contain those of each `call`, and these those of each `argument`.

    Every argument states its JSON type. A string is literal, any other value is JSON. The `index` counts calls.
    """

    name = "kimi-k3"
    title = "Kimi K3 markers"
    summary = '`<|open|>call tool="…"<|sep|>` with `<|open|>argument key="…" type="…"<|sep|>` for each argument.'
    used_by: Sequence[str] = ("Kimi K3",)
    grammars = (GRAMMAR,)
    openers: Sequence[str] = openers_of((GRAMMAR,))
    markers = ("<|open|>", "<|close|>", "<|sep|>")
    chat_markers = markers
    typed = True
    gathers = True
    typing = """
        The `type` of an argument decides how its value is read: `string` is literal text, any other type is JSON. If
        the type and the schema disagree and the value can be read as the schema requires, the schema decides, with a
        diagnostic.
    """
    escaping = r"""
        In attributes, `&` and `"` are written as `&amp;` and `&quot;`. Text has no escapes. In JSON, the `<` of a
        marker can be written as `\u003c`.
    """
    ambiguity = """
        `<|close|>argument<|sep|>` ends a value if the next argument, the end of the call or of the section, another
        call or the end of the text follows. Otherwise it is part of the value, with a diagnostic.
    """
    peers = """
        vLLM and SGLang end a value at the first closing marker, and ignore a call outside the markers of `tools`. Both
        read a value as text if it is marked as JSON and is not valid. Neither uses the schema.
    """
    asks: Sequence[str] = (
        "Write calls between `<|open|>tools<|sep|>` and `<|close|>tools<|sep|>`.",
        'Write each call as `<|open|>call tool="NAME" index="1"<|sep|>…<|close|>call<|sep|>`.',
        'Write `<|open|>argument key="NAME" type="TYPE"<|sep|>VALUE<|close|>argument<|sep|>` for each argument.',
        "Write strings as they are and any other value as JSON.",
    )


DIALECT = KimiK3()
