"""The `invoke` dialect: `<invoke name="f">` with `<parameter name="a">`, in one of several wrappers.

Owns: this dialect's grammars. Must not know: other dialects, the registry's class.
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
        other="<tool_name>",
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
    """`<invoke name="…">` contains a `<parameter name="…">` for each argument. A wrapper around one or several calls is
    usual.

    A value is the exact text between its tags.
    """

    name = "invoke"
    title = "Invoke"
    summary = (
        '`<invoke name="…">` with `<parameter name="…">` for each argument, in `<function_calls>` or a similar tag.'
    )
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
    typing = """
        Values carry no type. The schema decides how a text is read: as `null`, a number, a boolean (in any case), or
        JSON for arrays and objects, and else as text. `True`, `None` and Python literals are read where the schema does
        not require a string. Without a schema every value is text; with the tags of Muse and Step, a value that is
        valid JSON is JSON.
    """
    escaping = """
        There are no escapes: entities and CDATA are text, and so are newlines next to the tags. Names are in quotes;
        entities in a name are decoded.
    """
    ambiguity = """
        `</parameter>` ends a value if `<parameter name=`, `</invoke>`, the end of the wrapper, another call or the end
        of the text follows. Otherwise it is part of the value, with a diagnostic. A whole pair of tags, or a whole
        call, inside a value is text. A value without `</parameter>`, or with another closing tag, ends where the next
        parameter begins.

        An `<invoke>` without a name that begins with `<tool_name>` is the older dialect of Claude 2, which Callwright
        does not read; strict reading and a configured `invoke` reject it.

        The parameters can be one JSON object. With Muse's tags, `f.f` is the tool `f` unless a tool has the whole name,
        because its template writes every name twice.
    """
    peers = """
        vLLM and SGLang end a value at the first `</parameter>` or the next `<parameter name=`. vLLM keeps newlines next
        to the tags, like Callwright; SGLang removes them for MiniMax-M2, and all whitespace for Step 3. Parsers that
        read the call as XML decode entities and reject a bare `<`.

        Muse's own parser reads a value that is valid JSON as JSON, unless the schema requires a string. SGLang's parser
        for Muse reads `a.f` as the one tool whose name ends in `f`, and ignores a call that no text before it addresses
        to a tool.

        SGLang's parser for dots (`function_call/dots_detector.py`) also accepts a JSON object with `name` and
        `arguments` in the wrapper; Callwright reads it as `hermes`.
    """
    # Legacy tool use, https://docs.anthropic.com/en/docs/legacy-tool-use
    results = "function-results"
    asks: Sequence[str] = (
        'Write calls as `<invoke name="NAME">` elements inside `<function_calls>`.',
        'Write a `<parameter name="NAME">` element for each argument.',
        "Write arrays and objects as JSON. Escape nothing.",
    )


DIALECT = Invoke()
