"""The `pythonic` dialect: calls as Python writes them, with keyword arguments.

Owns: this notation. Must not know: other dialects, the registry's class.
"""

from collections.abc import Sequence
from typing import Final

from callwright.calls.envelopes import Envelope, read_enveloped
from callwright.calls.json_calls import Form
from callwright.calls.protocol import ReadContext, Reading, Refusal, Rendering, RenderStyle, collected
from callwright.calls.python_lists import SPAN, read_bare, read_fenced, read_marked, read_spanned, written_call
from callwright.calls.scanning import line_of
from callwright.dialects.base import Dialect
from callwright.syntax.prose import fence_at

#: LFM2's markers may hold JSON as well.
_JSON: Final = Envelope("<|tool_call_start|>", "<|tool_call_end|>", array=True)
#: Llama 3.1 calls its built-in tools in a program: `tool.call(…)`.
_PROGRAM: Final = Envelope("<|python_tag|>", lenient=True)
_MARKERS: Final = (
    _JSON,
    Envelope("<function_calls>", "</function_calls>"),
    Envelope("<|python_start|>", "<|python_end|>", lenient=True),
    _PROGRAM,
)
_FORM: Final = Form(arguments_also=("parameters",))
_FENCE: Final = "```tool_code"


class Pythonic(Dialect):
    """Each call is a Python call with keyword arguments; the calls of a message stand in one list.

    The list is bare, or stands between the markers of a model. Olmo 3 writes each call on a line of its own, without
    a list.
    """

    name = "pythonic"
    title = "Pythonic"
    summary = "`[get_weather(city='Oslo', days=2), get_time()]`, bare or between a model's markers."
    used_by: Sequence[str] = (
        "Llama 3.2 and Llama 4 (bare, or in `<|python_start|>…<|python_end|>`)",
        "LFM2 (`<|tool_call_start|>[…]<|tool_call_end|>`)",
        "Olmo 3 (`<function_calls>`, a call on each line)",
        "Gemma 3 (bare, or in a fence `tool_code`)",
    )
    openers: Sequence[str] = (*(markers.opener for markers in _MARKERS), _FENCE, f"{SPAN}[", "[")
    pairs = tuple((markers.opener, markers.closer) for markers in _MARKERS)
    typed = True
    placement = "line"
    gathers = True
    typing = """
        Values are Python literals: strings, numbers, `True`, `False`, `None`, lists and dictionaries. Tuples and sets
        are read as lists. `true`, `false` and `null` are read too. A dictionary's keys are strings; other keys become
        what JSON makes of them, with a diagnostic.

        A name, an expression or a nested call is no value: its text is kept, with a diagnostic. A value without a
        keyword belongs to the parameter whose place it has, if the tool is known; a dictionary alone is taken for all
        the arguments.
    """
    escaping = """
        Strings have Python's escapes, prefixes and triple quotes; strings that follow each other are joined. Escapes
        for the two halves of one character are read as that character. A closing marker in a string is part of the
        string; a diagnostic says so, because some engines end the call at the first one.
    """
    ambiguity = """
        A bare list leads its line, or stands in a line, where a tool's name and a parenthesis follow the bracket. Where
        the name is no tool's, the list must be faultless and alone on its lines, and the name must be near a tool's or
        hold `_` or a dot if the tools are known. A Markdown link is none. In a fence of a programming language only a
        known tool's list that leads its line counts; in one of Python, a faultless list counts as well whose first name
        the document documents, unless all tools are known. So it is with a list between three backticks on one line.

        A quote inside a string that should have a backslash is reported from the one that ends it by what follows: a
        string ends where the next argument, item or closing bracket can be read.

        A reserved word such as `from` is read as an argument's name, and cannot be written as one.
    """
    peers = """
        vLLM, SGLang and llama.cpp read keyword arguments only; values without a keyword are dropped or make them reject
        the call. vLLM and SGLang mend nested quotes, raw line breaks and leading zeros in LFM2's calls, and no other's;
        where two readings are possible they drop the call that is read here. Tuples and sets are lists to some of them,
        others reject them. Calls that are cut off are dropped there, and told to be cut off here.

        SGLang and Ollama drop a call of an unknown tool; vLLM and Dynamo keep it, as is done here. Dynamo and SGLang
        find a bare list inside a line, vLLM requires it to be all of the message. Dynamo and SGLang take one list in a
        message; here each one is read. Dynamo takes nothing, not even a space, between empty parentheses.

        SGLang also reads JSON between LFM2's markers, and so does this dialect.
    """
    asks = (
        (
            "Write all calls in one list on a line of its own, each as a Python call with keyword arguments:"
            " `[name(argument=value), name(argument=value)]`."
        ),
        ("Values are Python literals: strings in quotes, `True`, `False`, `None`, lists, dictionaries."),
    )

    def read(self, text: str, start: int, context: ReadContext) -> Reading | None:
        """Read the calls that begin at `start`."""
        if text[start] == "[":
            return read_bare(text, start, context, self.name)
        if text.startswith(f"{SPAN}[", start):
            return read_spanned(text, start, context, self.name)
        if text[start] == "`":
            fence = fence_at(text, line_of(text, start, context))
            if fence is None or fence.marker != start or fence.language != _FENCE[3:]:
                return None
            return read_fenced(text, fence, context, self.name)
        for markers in _MARKERS:
            if text.startswith(markers.opener, start):
                reading = read_marked(text, start, markers, context, self.name, method=markers is _PROGRAM)
                if reading is None and markers is _JSON:
                    return read_enveloped(text, start, _JSON, _FORM, context, self.name)
                return reading
        return None

    def render_all(self, calls: Sequence[Rendering], style: RenderStyle) -> str | Refusal:
        """Return the calls as one list on one line."""
        del style
        parts = collected(map(written_call, calls))
        return parts if isinstance(parts, Refusal) else f"[{', '.join(parts)}]"


DIALECT: Dialect = Pythonic()
