"""The `minicpm` dialect: `<function name="f">` with `<param name="a">`, and CDATA around text that needs it.

Owns: this dialect's grammar. Must not know: other dialects, the registry's class.
"""

from collections.abc import Sequence
from typing import Final

from callwright.calls.model import TextStyle
from callwright.calls.tagged.grammar import Grammar
from callwright.calls.tagged.heads import attribute_head
from callwright.dialects.support.tagged import TaggedDialect, openers_of

GRAMMAR: Final = Grammar(
    name="minicpm",
    call_opener="<function",
    call_closer="</function>",
    parameter_opener="<param",
    parameter_closer="</param>",
    call=attribute_head("<function", "name"),
    parameter=attribute_head("<param", "name"),
    style=TextStyle(newlines="none", untyped="json", python=True, loose=True),
    call_form='<function name="{name}">',
    parameter_form='<param name="{name}">',
    cdata=True,
    between="",
)


class MiniCpm(TaggedDialect):
    """`<function name="…">` contains a `<param name="…">` for each argument. CDATA is part of the dialect.

    The content of a CDATA section is the exact value, and may contain any marker except `]]>`.
    """

    name = "minicpm"
    title = "MiniCPM functions"
    summary = '`<function name="…">` with `<param name="…">` for each argument, text in CDATA where needed.'
    used_by: Sequence[str] = ("MiniCPM 5",)
    grammars = (GRAMMAR,)
    openers: Sequence[str] = openers_of((GRAMMAR,))
    typed = False
    cdata = True
    typing = """
        Values carry no type. The schema decides how a text is read: as `null`, a number, a boolean (in any case), or
        JSON for arrays and objects, and else as text. Without a schema, a value that is a whole array, object, number,
        boolean or `null` is JSON; text in CDATA is always text.
    """
    escaping = "Text with `<`, `&` or whitespace at its ends is written in CDATA. Outside CDATA, entities are text."
    ambiguity = """
        `</param>` ends a value if `<param name=`, `</function>` or the end of the text follows, but never in a CDATA
        section. Otherwise it is part of the value, with a diagnostic.
    """
    peers = """
        vLLM and SGLang read a call that is well-formed XML with an XML parser, which decodes entities. They read any
        other call by a pattern, which does not decode them and strips whitespace around values. Both drop a call if a
        parameter has no name or is given twice, and vLLM omits parameters that the tool does not have.
    """
    asks: Sequence[str] = (
        'Write each call as a `<function name="NAME">` element with a `<param name="NAME">` for each argument.',
        "Put text that holds `<` or `&` into a CDATA section: `<![CDATA[…]]>`. Write arrays and objects as JSON.",
    )


DIALECT = MiniCpm()
