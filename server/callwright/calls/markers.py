"""The markers of all dialects, from the index, for modules that must not know any dialect.

Owns: `openers`, the names of their tags, `call_marker` (the pattern of a marker in a text), `may_hold_markers`. Must
not know: dialects, what follows a marker.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from callwright.index import entries
from callwright.text.patterns import compile_later

_ROOM: Final = "dialects"
#: Special tokens of a tokenizer, which other text does not contain.
_SPECIAL: Final = r"<\|[^<>|\s\"=]{1,60}\|?>|<[a-z_]{1,40}\|>|</?｜[^<>\n]{1,100}>"
_TAG: Final = compile_later(r"<([A-Za-z][\w.:\-]*+)[ >]?\Z")
#: The name of a tag, with the prefix that distinguishes the tags of models.
_NAME: Final = compile_later(r"</?(?:([\w.\-]++)[:|])?([A-Za-z_]\w*+)")
#: The separators of words.
_NO_WORD: Final = compile_later(r"\W")
#: The endings of names of tags that contain only calls: `function` and `code` have other uses, too.
_OF_CALLS: Final = compile_later(r"(?:call|calls|use|invoke)\Z", re.IGNORECASE)


@cache
def openers() -> frozenset[str]:
    """Return the openers of all dialects, without loading one."""
    return frozenset(str(opener) for entry in entries(_ROOM) for opener in entry["openers"])


@cache
def call_tags() -> frozenset[str]:
    """Return the names of the tags around calls of any dialect that have no other use."""
    tags = {tag[1] for opener in openers() if (tag := _TAG.fullmatch(opener)) is not None}
    frames = {str(name) for entry in entries(_ROOM) for name in entry["frames"]}
    return frozenset(name for name in tags | frames if _OF_CALLS.search(name) is not None)


@cache
def headed_words() -> frozenset[str]:
    """Return the last words of the markers that continue with a tool's name as an attribute."""
    return frozenset(_NO_WORD.split(opener)[-1] for opener in openers() if opener.startswith("<")) - {""}


@cache
def _markers() -> tuple[frozenset[str], frozenset[str]]:
    """Return the names of the tags in the markers of all dialects, and the words in their brackets."""
    markers = {str(marker) for entry in entries(_ROOM) for marker in entry["markers"]}
    names = {match.groups() for marker in markers for match in _NAME.finditer(marker)}
    plain = {name for prefix, name in names if prefix is None}
    # The text before a colon is the name if a tag without a colon has it, and otherwise the prefix.
    tags = frozenset(name for prefix, name in names if prefix not in plain)
    return tags, frozenset(marker.strip("[/]") for marker in markers if marker[0] == "[")


@cache
def marker_names() -> frozenset[str]:
    """Return the names of the tags in the markers of all dialects, as they are written."""
    markers = (str(marker) for entry in entries(_ROOM) for marker in entry["markers"])
    return frozenset(match[0].lstrip("</") for marker in markers for match in _NAME.finditer(marker))


@cache
def tag_words() -> str:
    """Return the alternatives of a pattern that matches the names of the tags in the markers of all dialects."""
    return "|".join(sorted(_markers()[0], key=lambda name: (-len(name), name)))


@cache
def call_marker() -> re.Pattern[str]:
    """Return the pattern of a marker of calls, in any dialect: other text does not contain such a marker."""
    tags = rf"</?(?:[\w.\-]{{1,40}}[:|])?(?:{tag_words()})(?::[\w\-]{{1,40}})?+"
    named = r"(?:=[^<>\n]{1,80}|\x20name=[^<>\n]{1,80})?+\s*+>"
    return re.compile(rf"{_SPECIAL}|\[/?(?:{'|'.join(sorted(_markers()[1]))})\]|{tags}{named}")


@cache
def _signs() -> tuple[str, ...]:
    """Return strings of which every marker of calls contains one."""
    tags, brackets = _markers()
    words = {"<|", "|>", "｜", *tags, *(f"{marker}{word}" for word in brackets for marker in ("[", "[/"))}
    return tuple(sorted(word for word in words if not any(other != word and other in word for other in words)))


def may_hold_markers(text: str) -> bool:
    """Return whether a text may contain a marker of calls, by a quick search for strings that every marker contains."""
    return ("<" in text or "[" in text) and any(sign in text for sign in _signs())
