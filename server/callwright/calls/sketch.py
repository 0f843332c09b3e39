"""Sketches: the placeholders that prompts write where a real call would have a name or a value.

Owns: distinguishing a placeholder from a value. Must not know: schemas, dialects. Its effect on the call around it is
decided in `prompt/sketches.py`.
"""

import re
from typing import Final

from callwright.text.holes import HOLE
from callwright.text.patterns import compile_later

_NAMES: Final = frozenset(
    [
        "tool_name",
        "toolname",
        "tool-name",
        "function_name",
        "function-name",
        "example_function_name",
        "example_function",
        "example_tool_name",
        "your_tool",
        "your_tool_name",
        "name_of_tool",
        "actual_tool_name",
        "tool_name_here",
        "tool_call_name",
        "some_tool",
        "example_tool",
        "my_tool",
    ]
)
_TEMPLATE = re.compile(r"\$\{[^{}]*+\}|\{\{[^{}]*+\}\}|\{%|<[A-Za-z][\w -]*+>$")
#: A word in braces, where a tool's name is expected.
_IN_BRACES: Final = re.compile(r"\{[A-Za-z][\w -]{0,60}\}")
_TEXT = compile_later(
    r"""\s*+(?:
        \.\.\.|…|                                    # an ellipsis
        <[^<>\r\n]{1,80}+>|                          # <your text>
        \[[^\[\]\r\n"'{},:]{0,80}+\]|                # [your text]
        \{[^\[\]\r\n"'{}:]{0,80}+\}|                 # {your text}, {...}
        true\ or\ false|                             # a choice, left to the reader
        (?:[^\r\n]{0,120}?\b)?here\b[^\w\r\n]{0,3}(?:\(optional\))?+|   # File path here
        [^\r\n]{0,120}?\(optional\)                  # true or false (optional)
    )\s*+""",
    re.VERBOSE | re.IGNORECASE,
)

#: Two or more words in capitals: `YOUR_API_KEY`. One alone (`GET`, `README`, `UTC`) is a value.
UPPER_SNAKE: Final = re.compile(r"<?\{?\$?[A-Z][A-Z0-9]*+(?:_[A-Z0-9]++)++\}?>?")
_WORDS: Final = r"[^\W\d_][\w '\u2019/.,-]{0,80}"
#: Texts that are placeholders if they are a whole value: words in brackets of any kind, an ellipsis, a choice.
_ALIAS_OF: Final = compile_later(
    rf"""\s*+(?:
        \.\.\.|…|
        \[(?:{_WORDS}|\.{{3}}|…)\]|
        \{{{{1,2}}(?:{_WORDS}(?:\|{_WORDS}){{0,9}}|\.{{3}}|…)\}}{{1,2}}|    # {{name}}, {{one|other}}
        \((?:{_WORDS}|\.{{3}}|…)\)|
        <(?:{_WORDS}|\.{{3}}|…)>|
        true\ or\ false|true\ ?/\ ?false|true\|false
    )\s*+""",
    re.VERBOSE | re.IGNORECASE,
)
#: Words that only a description of a value contains.
_DESCRIBED: Final = compile_later(
    r"""(?:[^\r\n]{0,160}?(?:
        \((?:optional|required)\b[^()\r\n]{0,60}\)\s*+|   # Text to type (optional)
        (?:\(|,\ |\b)e\.g\.[^\r\n]*+                      # Action to perform (e.g., launch, click)
    )|
        (?:your|the|insert|put|enter|add|write|place)\b[^<>\r\n]{1,80}\bhere\b[^\w\r\n]{0,3}|   # Your text here
        (?:[^\W\d][\w'-]*+[ ]){0,5}(?:goes|value|text|name|path|contents?|query|command|code|url|diff|message|result
        |response|question|answer|pattern|regex|id|json|data|input|output|arguments?|parameters?|description|title
        |summary|number|list|file|directory|changes|task|key|prompt|instructions?)[ ]here\b[^\w\r\n]{0,3}
    )\s*+""",
    re.VERBOSE | re.IGNORECASE,
)
#: Three words or more and no sign of a value: a description for a reader.
_PROSE: Final = re.compile(r"\s*+(?:[^\W\d_]++[ \t]++){2,40}+[^\W\d_][^\d\r\n\"{}\[\]<>=;$|]{0,300}+")


def is_placeholder_name(name: str) -> bool:
    """Return whether a name means any tool's: `tool_name`, `...`, `${tool}`, a template expression."""
    if HOLE in name or name in ("...", "…", "") or name.lower() in _NAMES:
        return True
    return _TEMPLATE.search(name) is not None or _IN_BRACES.fullmatch(name) is not None


def is_placeholder_text(text: str) -> bool:
    """Return whether a text means any value: `...`, `File path here`, `<your query>`, a template expression."""
    if HOLE in text:
        return True
    if len(text) > 200:
        return False
    return _TEXT.fullmatch(text) is not None or _TEMPLATE.search(text) is not None


def is_placeholder_value(text: str) -> bool:
    """Return whether a whole value is a placeholder: `[words]`, `{name}`, `(words)`, UPPER_SNAKE, its description."""
    if len(text) > 200 or HOLE in text:
        return False
    return any(form.fullmatch(text) is not None for form in (_ALIAS_OF, UPPER_SNAKE, _DESCRIBED))


def is_prose(text: str) -> bool:
    """Return whether a text consists of three words or more, and is not a number, name or choice."""
    return _PROSE.fullmatch(text[:400]) is not None
