"""The `gemma` dialect: `call:f{…}` between Gemma's markers, with strings between markers of their own.

Owns: this dialect. Must not know: other dialects, the registry's class.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from callwright.calls.gemma_calls import CALL, GEMMA_4, SPELLINGS, read_gemma_calls
from callwright.calls.protocol import ReadContext, Reading, Refusal, RenderStyle, ToolLike
from callwright.calls.render import first_non_finite
from callwright.dialects.base import Dialect
from callwright.syntax.gemma_values import GEMMA, QUOTE, why_not
from callwright.text.holes import HOLE

_NAME: Final = re.compile(rf"[^\s{{}}()<>\[\]:,\"']++|{HOLE}++")


class Gemma(Dialect):
    """A call is between `<|tool_call>` and `<tool_call|>`: `call:`, the tool's name, and the arguments in braces.

    Keys are bare, strings are between two `<|"|>`, and everything else is written as in JSON. FunctionGemma's spelling,
    `<start_function_call>call:f{k:<escape>v<escape>}<end_function_call>`, belongs to the same dialect.
    """

    name = "gemma"
    title = "Gemma"
    summary = '`<|tool_call>call:f{k:<|"|>v<|"|>}<tool_call|>`: bare keys, strings between special markers.'
    used_by: Sequence[str] = ("Gemma 4", "FunctionGemma (its own markers)")
    openers: Sequence[str] = tuple(each.opener for each in SPELLINGS)
    pairs = tuple((each.opener, each.closer) for each in SPELLINGS)
    #: What the streaming parser needs to know of the dialect.
    spellings = SPELLINGS
    typed = True
    typing = """
        Text between `<|"|>` is a string, and bare words are JSON numbers, `true`, `false` and `null`. Any other bare
        word is read as text, with a diagnostic. Line ends in a string are read as line feeds.
    """
    escaping = """
        There are no escapes. A string ends at the next `<|"|>`; quotes, braces, backslashes, line ends and the call's
        closing marker are text in it. A string that contains its own marker cannot be written.
    """
    ambiguity = """
        A string without its closing marker would end at the next `<|"|>`, in another value or another call. If no
        comma, colon or closing bracket follows that marker, the string ends at the end of the call instead, and a
        diagnostic reports the missing marker. `<tool_call|>` inside a string does not end the call.
    """
    peers = """
        vLLM, SGLang, llama.cpp and mlx-lm recognize strings in the arguments; Ollama ends the call at the first
        `<tool_call|>`, also in a string. vLLM also accepts a key between string markers and `<|tool_call>:f{…}` without
        `call`; Callwright reads both, the latter with a diagnostic. vLLM parses the text between `<escape>` markers as
        JSON if possible, so `<escape>42<escape>` is a number there. In Callwright and Ollama it is text.
    """
    asks = (
        'Write each call as `<|tool_call>call:NAME{key:value}<tool_call|>`, with every string between two `<|"|>`.',
        "Keys have no quotes. Numbers, `true`, `false`, `null`, lists and objects are written as in JSON.",
    )

    def read(self, text: str, start: int, context: ReadContext) -> Reading | None:
        """Read the calls after the marker at `start`."""
        return read_gemma_calls(text, start, context, self.name)

    def render(
        self, tool: str, arguments: Mapping[str, Any], schema: ToolLike | None, style: RenderStyle
    ) -> str | Refusal:
        """Return the call as text, always on one line except for line ends in strings."""
        del schema, style
        if _NAME.fullmatch(tool) is None:
            return Refusal(f"`{tool}` cannot be used as a name after `{CALL}`")
        body = GEMMA.value(arguments, ())
        if body is None:
            return _refusal(arguments)
        return f"{GEMMA_4.opener}{CALL}{tool}{body}{GEMMA_4.closer}"


def _refusal(arguments: Mapping[str, Any]) -> Refusal:
    """Return which part of the arguments cannot be written, and why."""
    bad = first_non_finite(arguments)
    if bad is not None:
        return Refusal("this dialect cannot represent NaN or infinity", bad)
    waiting: list[tuple[Any, tuple[str | int, ...]]] = [(arguments, ())]
    while waiting:
        value, path = waiting.pop()
        if isinstance(value, str):
            reason = why_not(value, QUOTE)
            if reason is not None:
                return Refusal(reason, path)
        elif isinstance(value, Mapping):
            for key, entry in value.items():
                if GEMMA.key(str(key), path) is None:
                    return Refusal(f"the key cannot be written: {why_not(str(key), QUOTE)}", (*path, key))
                waiting.append((entry, (*path, key)))
        elif isinstance(value, list):
            waiting += [(entry, (*path, index)) for index, entry in enumerate(value)]
    return Refusal("a value of the call cannot be written in this dialect")


DIALECT: Dialect = Gemma()
