"""The `pythonic` dialect: calls as Python writes them, with keyword arguments.

Owns: this dialect. Must not know: other dialects, the registry's class.
"""

from collections.abc import Sequence
from typing import Final

from callwright.calls.envelopes import Envelope, read_enveloped
from callwright.calls.json_calls import Form
from callwright.calls.protocol import ReadContext, Reading, Refusal, Rendering, RenderStyle, collected
from callwright.calls.python_lists import SPAN, read_bare, read_fenced, read_marked, read_spanned, written_call
from callwright.calls.scanning import line_of
from callwright.dialects.base import Dialect
from callwright.syntax.prose import PLAIN_LANGUAGES, fence_at

#: LFM2's markers may contain JSON as well.
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
    """Each call is a Python call with keyword arguments. The calls of a message are in one list.

    The list is bare, or between the markers of a model. Olmo 3 writes each call on a separate line, without a list.
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
        are read as lists. `true`, `false` and `null` are read too. Keys of dictionaries are strings; other keys are
        converted as in JSON, with a diagnostic.

        A name, an expression or a nested call is not a value: its text is kept, with a diagnostic. A positional value
        belongs to the parameter at its position, if the tool is known. A single dictionary is read as all the
        arguments.
    """
    escaping = """
        Strings have Python's escapes, prefixes and triple quotes; adjacent strings are joined. Escapes for the two
        halves of a surrogate pair are read as one character. A closing marker in a string is part of the string, with a
        diagnostic, because some engines end the call at the first one.
    """
    ambiguity = """
        A bare list begins its line, or is inside a line, and a name and a parenthesis follow its bracket. If the name
        is not a tool's, the list must be valid and alone on its lines; if the tools are known, the name must also be
        similar to a tool's or contain `_` or a dot. A Markdown link is not a list of calls.

        In a fence of a programming language, only a known tool's list at the start of its line is read, and nothing in
        a comment. In a fence of Python, a valid list is also read if the document documents its first name, unless all
        tools are known. The same applies to a list between three backticks on one line.

        If a quote inside a string lacks its backslash, the following text decides where the string ends: where the next
        argument, item or closing bracket can be read. The quotes before are reported.

        A reserved word such as `from` is read as the name of an argument, and cannot be written as one.
    """
    peers = """
        vLLM, SGLang and llama.cpp read only keyword arguments; they drop positional values or reject the call. vLLM and
        SGLang repair nested quotes, raw line breaks and leading zeros, but only in LFM2's calls; where two readings are
        possible they drop the call, and Callwright reads it. Some of them read tuples and sets as lists, others reject
        them. They drop truncated calls; Callwright reports them.

        SGLang and Ollama drop a call of an unknown tool; vLLM and Dynamo keep it, like Callwright. Dynamo and SGLang
        find a bare list inside a line, vLLM requires it to be the whole message. Dynamo and SGLang read one list in a
        message; Callwright reads each. Dynamo allows no space between empty parentheses.

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
        if _is_comment(text, start, context):
            return None
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


def _is_comment(text: str, start: int, context: ReadContext) -> bool:
    """Return whether what is before `start` on its line begins a comment of program code."""
    if context.fence is None or context.fence.language in PLAIN_LANGUAGES:
        return False
    return text[line_of(text, start, context) : start].lstrip().startswith(("#", "//"))


DIALECT: Dialect = Pythonic()
