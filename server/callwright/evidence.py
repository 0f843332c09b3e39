"""Whether a text may contain calls or document tools, decided by its markers alone.

Owns: `holds_evidence`, which filters a folder's files and an editor's documents before any of them is read as one. Must
not know: hosts, registries, any single dialect, shape or style: these define the markers.

It may return true for a text without calls, which reading then shows; it returns false for a text with calls only where
nothing in it frames a call and no tool is documented, such as bare tags of tools that other files define. Time is
linear.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from callwright.calls.json_objects import ARGUMENTS_KEY, LIST_KEY, NAME_KEYS
from callwright.calls.provider_json import FORMS
from callwright.declarations.reading import declarations_in
from callwright.dialects.catalogue import dialect_openers
from callwright.hosts.support.managed import WORD
from callwright.hosts.support.transcript_search import may_hold_transcript
from callwright.tools.file_markers import may_hold_tools

#: Extensions of files that are only data.
DATA: Final = (".json", ".jsonl", ".ndjson")
_XML: Final = ".xml"
#: The closer of a section: at the start of its line, with a name that is not an element of HTML.
_SECTION: Final = re.compile(r"(?:\A|[\r\n])[ \t]*+</[A-Za-z][A-Za-z\d]*+_\w*+>")
#: An opener without this many letters also opens other things: a fence, a bracket.
_LETTERS: Final = 4
#: The beginning of a JSON object or list, in which the keys of calls are searched for.
_JSON: Final = re.compile(r"[\[{]+\"")
#: What may be before the label of a call on its line: indentation, quote and list markers, bold type.
_LEAD: Final = r"[ \t>*+#\d.)_-]*+"
#: Every transcript with calls in fields of its own has one of these among its keys and kinds, whatever its shape.
_NATIVE: Final = re.compile(r"""["']\w{0,20}?(?:[Tt]ool|[Ff]unction|[Cc]all)\w{0,20}\\?["']""")


def holds_evidence(text: str, file: str = "") -> bool:
    """Return whether a text may contain calls, documents tools, or is a prompt by its markers; `file` is its name.

    Never raises, and loads no dialect and no shape.
    """
    if may_hold_tools(text, file):
        return True
    if file.lower().endswith(DATA):
        # Only conversations are read there.
        return (_NATIVE.search(text) is not None or may_hold_calls(text)) and may_hold_transcript(text)
    # A bare object with a name and parameters is a call or a definition.
    if '"name"' in text and '"parameters"' in text:
        return True
    return may_hold_calls(text) or has_markers_of_prompts(text, file) or bool(declarations_in(text))


def has_markers_of_prompts(text: str, file: str = "") -> bool:
    """Return whether a text has a managed block, or is divided by tags whose names are in no markup language."""
    return WORD in text or (_SECTION.search(text) is not None and not file.lower().endswith(_XML))


def may_hold_calls(text: str) -> bool:
    """Return whether a text has what opens a call that frames itself, or a key of a call as a JSON object."""
    if any(marker in text for marker in _markers()):
        return True
    return any(word in text and sought.search(text) is not None for word, sought in _words())


@cache
def _markers() -> tuple[str, ...]:
    """Return strings, one of which is in every text with a call that frames itself."""
    openers = {opener for opener, _ in dialect_openers() if _letters(opener) >= _LETTERS and not opener[0].isalpha()}
    every = {opener for opener in openers if _JSON.match(opener) is None}
    # A marker that contains another one is found by that.
    return tuple(sorted(marker for marker in every if not any(other in marker for other in every - {marker})))


@cache
def _words() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Return words that are markers in some places, each with the pattern that finds it there.

    An opener that is a word leads a line and ends with a sign; a key of a call in JSON is in quotes before a colon.
    """
    words = {opener for opener, _ in dialect_openers() if _letters(opener) >= _LETTERS and opener[0].isalpha()}
    leads = [(word, rf"(?:\A|[\r\n]){_LEAD}{re.escape(word)}{_sign(word)}") for word in sorted(words)]
    keys = [(key, rf"{re.escape(key)}\\?[\"'”’][ \t]*+[:=]") for key in (*NAME_KEYS, LIST_KEY, ARGUMENTS_KEY)]
    # An object of an API shows what it is by such a key, or by its type.
    holders = {form.holder for form in FORMS if form.alone or form.inner}
    keys += [(holder, rf"{holder}\\?[\"'”’][ \t]*+[:=]") for holder in sorted(holders)]
    keys += [(form.type_, rf"{form.type_}\\?[\"'”’]") for form in FORMS if not form.holder]
    return tuple((word, re.compile(pattern)) for word, pattern in (*leads, *keys))


def _sign(word: str) -> str:
    return r"(?=[ \t\d]*+[^\w\s])" if word[-1].isalnum() else ""


def _letters(opener: str) -> int:
    return sum(character.isalpha() for character in opener)
