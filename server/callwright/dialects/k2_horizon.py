"""The `k2-horizon` dialect: the tool's name, then keys and values, in markers that begin with `<ifm|`.

Owns: this dialect's grammars, and its form with JSON. Must not know: other dialects, the registry's class.
"""

import re
from collections.abc import Sequence
from typing import Final

from callwright.calls.envelopes import Envelope, json_place, read_enveloped
from callwright.calls.json_calls import Form
from callwright.calls.marker_problems import differ, unclosed
from callwright.calls.model import TextStyle, ToolCall
from callwright.calls.protocol import ReadContext, Reading
from callwright.calls.scanning import skip_space
from callwright.calls.tagged.grammar import Grammar
from callwright.calls.tagged.heads import faulty_key, half_key, key_head, plain_head
from callwright.calls.tagged.reader import close_section_too, read_tagged
from callwright.dialects.support.tagged import TaggedDialect, openers_of
from callwright.syntax.problem import Problem
from callwright.text.records import replace
from callwright.text.span import Edit, Span, insert

_SECTION: Final = "<ifm|tool_calls>"
_SECTION_END: Final = "</ifm|tool_calls>"
_CALL: Final = "<ifm|tool_call>"
_CALL_END: Final = "</ifm|tool_call>"
_KEY: Final = ("<ifm|arg_key>", "</ifm|arg_key>", "<ifm|arg_value>", ("<ifm|arg_type>", "</ifm|arg_type>"))
OUTSIDE: Final = "vLLM reads no call where no section is opened, SGLang does"
_ENVELOPE: Final = Envelope(_CALL, _CALL_END)
_FORM: Final = Form()
#: A call whose first parameter has its type.
_TYPED = re.compile(
    rf"(?:{re.escape(_SECTION)}\s*+)?+{re.escape(_CALL)}\s*+[^\s<]{{1,200}}+\s*+"
    rf"<ifm\|arg_key>[^<>\r\n]{{0,200}}+</ifm\|arg_key>\s*+<ifm\|arg_type>"
)

PLAIN: Final = Grammar(
    name="k2-horizon",
    sections=((_SECTION, _SECTION_END),),
    call_opener=_CALL,
    call_closer=_CALL_END,
    parameter_opener="<ifm|arg_key>",
    parameter_closer="</ifm|arg_value>",
    call=plain_head(_CALL, ("<ifm|arg_key>", _CALL_END, "...", "…")),
    parameter=key_head(*_KEY),
    style=TextStyle(newlines="none", untyped="json", python=True, loose=True),
    call_form=f"{_CALL}{{name}}",
    parameter_form="<ifm|arg_key>{name}</ifm|arg_key>\n<ifm|arg_value>",
    markup=False,
    wraps=True,
    outside=OUTSIDE,
    half=half_key(*_KEY),
    faulty=faulty_key(*_KEY[:3], "</ifm|arg_value>", (_CALL_END,), _KEY[3]),
)
TYPED: Final = replace(
    PLAIN,
    types="type",
    parameter_form="<ifm|arg_key>{name}</ifm|arg_key>\n<ifm|arg_type>{type}</ifm|arg_type>\n<ifm|arg_value>",
)


class K2Horizon(TaggedDialect):
    """`<ifm|tool_calls>` contains calls: the tool's name as text, and a key with a value for each argument.

    Strings are literal, other values are JSON. In a second form a type is between key and value, in a third a call is
    one JSON object; a request selects the form.
    """

    name = "k2-horizon"
    title = "K2 Horizon keys and values"
    summary = "`<ifm|tool_call>NAME` with `<ifm|arg_key>` and `<ifm|arg_value>` for each argument."
    used_by: Sequence[str] = ("K2 Horizon",)
    grammars = (PLAIN, TYPED)
    openers: Sequence[str] = openers_of((PLAIN,))
    typed = False
    gathers = True
    typing = """
        Values carry no type except in `<ifm|arg_type>`. The schema decides how a text is read: as `null`, a number, a
        boolean, or JSON for arrays and objects, and else as text. Without a schema, a value that is a whole array,
        object, number, boolean or `null` is JSON, and any other is text. With a type, `string` is literal text and any
        other type is JSON.
    """
    escaping = "There are no escapes: entities and CDATA are text, and so are newlines next to the markers."
    ambiguity = """
        `</ifm|arg_value>` ends a value if `<ifm|arg_key>` with a value, `</ifm|tool_call>` or the end of the text
        follows. Otherwise it is part of the value, with a diagnostic. A section is read in the form of its first call.
        A call without a section is read, with a diagnostic.
    """
    peers = """
        vLLM reads only the form that the request names, by default the one without types. It drops every call of a
        section if one of them is in another form, names no tool, gives an argument twice or is truncated. It converts
        strings of the JSON form into the types that the schema requires.
    """
    asks: Sequence[str] = (
        f"Write all calls of a reply inside `{_SECTION}`, each inside `{_CALL}`, with the tool's name as text.",
        "Write `<ifm|arg_key>NAME</ifm|arg_key>` and `<ifm|arg_value>VALUE</ifm|arg_value>` for each argument.",
        "Write strings as they are and any other value as JSON. Escape nothing.",
    )

    def read(self, text: str, start: int, context: ReadContext) -> Reading | None:
        """Read the call, or the section of calls, that begins at `start`, in the form that it shows."""
        first = start
        if text.startswith(_SECTION, start):
            first = skip_space(text, start + len(_SECTION))
        context.look(first + len(_CALL) + 1)
        if text.startswith(_CALL, first) and json_place(text, first, _ENVELOPE, context) is not None:
            return _read_json(text, start, first, context, self.name)
        # The grammar reads the part that distinguishes the forms again, and reports how far.
        typed = _TYPED.match(text, start) is not None
        return read_tagged(text, start, context, TYPED if typed else PLAIN, self.name)


def _read_json(text: str, start: int, first: int, context: ReadContext, dialect: str) -> Reading | None:
    """Read the calls that begin at `first` as JSON objects between markers; `start` is where their section opens."""
    calls: list[ToolCall] = []
    problems: list[Problem] = []
    at, end = first, start
    while text.startswith(_CALL, at) and (calls == [] or start != first):
        reading = read_enveloped(text, at, _ENVELOPE, _FORM, context, dialect)
        if reading is None:
            break
        calls += reading.calls
        problems += reading.problems
        end = reading.end
        at = skip_space(text, end)
        context.look(at + len(_SECTION_END) + 1)
    if not calls:
        return None
    if start == first:
        opening = Span(start, start + len(_CALL))
        reading_stated = f"This call is read although there is no `{_SECTION}` before it"
        edits = (insert(start, f"{_SECTION}\n"), insert(end, f"\n{_SECTION_END}")) if calls[-1].complete else ()
        calls[0].problems.append(differ(opening, reading_stated, OUTSIDE, edits))
        return Reading(calls, end, end, problems)
    if text.startswith(_SECTION_END, at):
        end = at + len(_SECTION_END)
    elif calls[-1].complete:
        half = len(text) - at < len(_SECTION_END) and _SECTION_END.startswith(text[at:])
        place, repair = end, insert(end, f"\n{_SECTION_END}")
        if half and at < len(text):
            repair, end = Edit(Span(at, len(text)), _SECTION_END), len(text)
        opening = Span(start, start + len(_SECTION))
        problems.append(unclosed(opening, _SECTION_END, place, (repair,), cut=half))
    else:
        close_section_too(calls[-1], _CALL_END, "\n", _SECTION_END)
    for call in calls:
        call.frame = Span(start, end)
    return Reading(calls, end, end, problems)


DIALECT = K2Horizon()
