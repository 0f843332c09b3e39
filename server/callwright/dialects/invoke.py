"""The `invoke` dialect: `<invoke name="f">` with `<parameter name="a">`, in one of several wrappers.

Owns: this notation's grammars. Must not know: other dialects, the registry's class.
"""

from collections.abc import Sequence
from typing import Any, Final

from callwright.calls.model import TextStyle
from callwright.calls.tagged.grammar import Grammar
from callwright.calls.tagged.heads import attribute_head
from callwright.dialects.support.tagged import TaggedDialect, openers_of

_TEXT: Final = TextStyle(newlines="none", untyped="string", python=True, loose=True)
_JSON: Final = TextStyle(newlines="none", untyped="json", python=True, loose=True)


def _tag(name: str) -> tuple[str, str]:
    return f"<{name}>", f"</{name}>"


def _grammar(prefix: str, style: TextStyle, *sections: tuple[str, str], tag: str | None = None, **more: Any) -> Grammar:
    """Return the grammar of the tags with `prefix` in front of their names, in these sections; `tag` is that of a call
    where it is another."""
    call = tag if tag is not None else f"{prefix}invoke"
    return Grammar(
        name="invoke",
        sections=sections,
        call_opener=f"<{call}",
        call_closer=f"</{call}>",
        parameter_opener=f"<{prefix}parameter",
        parameter_closer=f"</{prefix}parameter>",
        call=attribute_head(f"<{call}", "name"),
        parameter=attribute_head(f"<{prefix}parameter", "name"),
        style=style,
        call_form=f'<{call} name="{{name}}">',
        parameter_form=f'<{prefix}parameter name="{{name}}">',
        object_body=True,
        **more,
    )


GRAMMARS: Final = (
    _grammar(
        "",
        _TEXT,
        *map(_tag, ("function_calls", "minimax:tool_call", "tool_calls", "dots_function_call")),
    ),
    _grammar("antml:", _TEXT, _tag("antml:function_calls")),
    _grammar("", _TEXT, tag="xai:function_call"),
    _grammar("atem:", _JSON, _tag("atem:function_calls"), doubled=True),
    _grammar(
        "steptml:",
        _JSON,
        _tag("steptml:toolcall"),
        ("<｜tool_calls_begin｜>", "<｜tool_calls_end｜>"),
        ("<｜tool_call_begin｜>", "<｜tool_call_end｜>"),
        lead=("<｜tool_call_begin｜>", "function", "<｜tool_sep｜>"),
        tail=("<｜tool_call_end｜>",),
    ),
)


class Invoke(TaggedDialect):
    """`<invoke name="…">` holds a `<parameter name="…">` for each argument; a wrapper around one or several is usual.

    A value is what stands between its tags, to the last character.
    """

    name = "invoke"
    title = "Invoke"
    summary = '`<invoke name="…">` with `<parameter name="…">` for each argument, in `<function_calls>` or its like.'
    used_by: Sequence[str] = (
        "Claude's older prompts, Cline 3",
        "MiniMax-M2 (in `<minimax:tool_call>`)",
        "Step 3 (`<steptml:invoke>`)",
        "Muse (`<atem:invoke>`)",
        "dots (in `<dots_function_call>`)",
        "Grok's prompts (`<xai:function_call>`)",
    )
    grammars = GRAMMARS
    openers: Sequence[str] = openers_of(GRAMMARS)
    typed = False
    gathers = True
    typing = (
        "Values carry no type. The schema says what their text means: `null`, numbers, booleans (in any case) and JSON"
        " for arrays and objects, before text. `True`, `None` and Python's literals are read where no string is wanted."
        " Without a schema every value is text; with the tags of Muse and Step it is JSON where it is JSON."
    )
    escaping = (
        "Nothing can be escaped: entities and CDATA are text, and so are newlines next to the tags. Names are written"
        " in quotes; entities in a name are decoded."
    )
    ambiguity = (
        "`</parameter>` ends a value where `<parameter name=`, `</invoke>`, the wrapper's end, another call or the end"
        " of the text follows. Elsewhere it is part of the value, and a diagnostic reports it. A whole pair of"
        " tags, or a whole"
        " call, inside a value is text. A value without `</parameter>`, or with another closing tag, ends where the"
        " next parameter begins. A JSON object may stand in the place of the parameters. With Muse's tags, `f.f` is the"
        " tool `f` unless a tool has the whole name: its template writes every name twice."
    )
    peers = (
        "vLLM and SGLang end a value at the first `</parameter>` or the next `<parameter name=`. vLLM keeps newlines"
        " next to the tags, as is done here; SGLang takes them off for MiniMax-M2, and all whitespace for Step 3."
        " Readers that take the call for XML decode entities and refuse a bare `<`. Muse's own parser reads a value as"
        " JSON where it is JSON, unless the schema requires a string; SGLang's takes `a.f` for the one tool whose name"
        " ends in `f`, and reads no call that is not addressed to a tool before it. SGLang's parser for dots"
        " (`function_call/dots_detector.py`) takes a JSON object with `name` and `arguments` in the wrapper as well,"
        " which is read as `hermes` here."
    )
    # Legacy tool use, https://docs.anthropic.com/en/docs/legacy-tool-use
    results = "function-results"
    asks: Sequence[str] = (
        'Write calls as `<invoke name="NAME">` elements inside `<function_calls>`.',
        'Write a `<parameter name="NAME">` element for each argument.',
        "Write arrays and objects as JSON. Escape nothing.",
    )


DIALECT = Invoke()
