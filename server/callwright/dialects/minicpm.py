"""The `minicpm` dialect: `<function name="f">` with `<param name="a">`, and CDATA around text that needs it.

Owns: this notation's grammar. Must not know: other dialects, the registry's class.
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
    """`<function name="…">` holds a `<param name="…">` for each argument; CDATA is part of the notation.

    What stands in a CDATA section is the value, to the last character, and may hold any marker but `]]>`.
    """

    name = "minicpm"
    title = "MiniCPM functions"
    summary = '`<function name="…">` with `<param name="…">` for each argument, text in CDATA where needed.'
    used_by: Sequence[str] = ("MiniCPM 5",)
    grammars = (GRAMMAR,)
    openers: Sequence[str] = openers_of((GRAMMAR,))
    typed = False
    cdata = True
    typing = (
        "Values carry no type. The schema says what their text means: `null`, numbers, booleans (in any case) and JSON"
        " for arrays and objects, before text. Without a schema a value is JSON where it is a whole array, object,"
        " number, boolean or `null`; text in CDATA stays text."
    )
    escaping = "Text with `<`, `&` or whitespace at its ends goes into CDATA. Outside CDATA entities are text."
    ambiguity = (
        "`</param>` ends a value where `<param name=`, `</function>` or the end of the text follows; in a CDATA section"
        " it never does. Elsewhere it is part of the value, and a diagnostic reports it."
    )
    peers = (
        "vLLM and SGLang read a call that is well-formed XML with an XML parser, which decodes entities; any other by a"
        " pattern, which does not, and strips whitespace from the ends of values. Both drop a call with a parameter"
        " that has no name or is given twice, and vLLM omits parameters that the tool does not have."
    )
    asks: Sequence[str] = (
        'Write each call as a `<function name="NAME">` element with a `<param name="NAME">` for each argument.',
        "Put text that holds `<` or `&` into a CDATA section: `<![CDATA[…]]>`. Write arrays and objects as JSON.",
    )


DIALECT = MiniCpm()
