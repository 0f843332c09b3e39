"""The `dsml` dialect: DeepSeek's and GigaChat's markup, in which each parameter declares whether it is a string.

Owns: this dialect's grammars. Must not know: other dialects, the registry's class.
"""

from collections.abc import Sequence
from typing import Final

from callwright.calls.model import TextStyle
from callwright.calls.tagged.grammar import Grammar
from callwright.calls.tagged.heads import attribute_head
from callwright.dialects.support.tagged import TaggedDialect, openers_of

_MARKER: Final = "｜DSML｜"


def _grammar(marker: str, *sections: str) -> Grammar:
    """Return the grammar of the tags with `mark` before their names."""
    return Grammar(
        name="dsml",
        sections=tuple((f"<{marker}{name}>", f"</{marker}{name}>") for name in sections),
        call_opener=f"<{marker}invoke",
        call_closer=f"</{marker}invoke>",
        parameter_opener=f"<{marker}parameter",
        parameter_closer=f"</{marker}parameter>",
        call=attribute_head(f"<{marker}invoke", "name"),
        parameter=attribute_head(f"<{marker}parameter", "name"),
        style=TextStyle(newlines="none"),
        call_form=f'<{marker}invoke name="{{name}}">',
        parameter_form=f'<{marker}parameter name="{{name}}" string="{{type}}">',
        types="string",
        markup=False,
        object_body=True,
    )


GRAMMARS: Final = (
    _grammar(_MARKER, "tool_calls", "function_calls"),
    _grammar(f"{_MARKER} ", "calls"),
    _grammar("｜GCML｜", "tool_calls"),
)


class Dsml(TaggedDialect):
    """`<｜DSML｜invoke name="…">` contains parameters whose `string` attribute states how the value is written.

    With `string="true"` the value is text, with `string="false"` it is JSON.
    """

    name = "dsml"
    title = "DeepSeek markup"
    summary = '`<｜DSML｜invoke name="…">` with parameters that say `string="true"` or `string="false"`.'
    used_by: Sequence[str] = (
        "DeepSeek 3.2 (in `<｜DSML｜function_calls>`)",
        "DeepSeek 4 (in `<｜DSML｜tool_calls>`)",
        "DeepSeek 4.1 (a space after the marker, in `<｜DSML｜ calls>`)",
        "GigaChat 3.5 (`<｜GCML｜invoke>`, in `<｜GCML｜tool_calls>`)",
    )
    grammars = GRAMMARS
    openers: Sequence[str] = openers_of(GRAMMARS)
    typed = True
    gathers = True
    typing = """
        A value is text with `string="true"` and JSON with `string="false"`. Without the attribute, a value that is
        valid JSON is JSON, unless the schema requires a string. If the attribute and the schema disagree and the value
        can be read as the schema requires, the schema decides, with a diagnostic.
    """
    escaping = "Text is literal and has no escapes. In JSON, the `<` of a marker can be written as `\\u003c`."
    ambiguity = """
        `</｜DSML｜parameter>` ends a value if the next parameter, the end of the call or of the section, another call
        or the end of the text follows. Otherwise it is part of the value, with a diagnostic. The parameters can be one
        JSON object.
    """
    peers = """
        vLLM and SGLang end a value at the first closing marker, and vLLM also at the next parameter. vLLM corrects
        types by the schema, like Callwright; SGLang uses the attribute, and strips whitespace around text. vLLM unwraps
        a single `arguments` or `input` that the tool does not have, like Callwright.

        For GigaChat, all of them use the attribute alone. Without it vLLM reads text, and SGLang omits the parameter.
    """
    asks: Sequence[str] = (
        'Write calls as `<｜DSML｜invoke name="NAME">` elements inside `<｜DSML｜tool_calls>`.',
        'Write a `<｜DSML｜parameter name="NAME" string="true">` element for each argument that is a string.',
        'For any other argument write `string="false"`, and the value as JSON.',
    )


DIALECT = Dsml()
