"""Triage: whether a whole JSON document is plainly clean, except for some items of a list or some commas.

Owns: `triage`, for a document of one conversation or a list of them. Must not know: rules, hosts, blocks.
"""

from __future__ import annotations

import json
import re
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from callwright.document.contents import TriageResult
from callwright.document.sessions import settings_of
from callwright.document.suppressions import WORD
from callwright.fastpath.fast_paths import IN_TEXTS, may_answer
from callwright.fastpath.quick import LineCheck
from callwright.hosts.catalogue import HEAD
from callwright.hosts.support.transcript_search import may_hold_transcript
from callwright.syntax.json_commas import with_commas
from callwright.syntax.json_fast import NotCleanError, scan_clean
from callwright.text.budget import yield_point
from callwright.text.span import Span
from callwright.transcripts.catalogue import detect

if TYPE_CHECKING:
    from callwright.document.settings import Settings
    from callwright.tools.registry import ToolRegistry

_SPACE: Final = " \t\r\n"
#: How the first item of a list begins: a brace and a key.
_ITEM: Final = re.compile(r'[ \t\r\n]*+(\{[ \t\r\n]*+"\w++")')
#: How many items of a list may be suspect, or one among how many.
_UNCERTAIN: Final = 4
#: How many items at the beginning decide whether a list is itself a conversation.
_FIRST: Final = 8

#: The latest result, with its tools and settings: usually one project is open.
_latest: tuple[ToolRegistry, Settings, LineCheck] | None = None


def is_clean_text(text: str, registry: ToolRegistry, settings: Settings) -> bool:
    """Return whether a JSON text certainly has no diagnostic: a plain conversation, or a list of such.

    False means unknown. Takes about twice as long as parsing the text.
    """
    outcome = _outcome(registry, settings)
    try:
        if text.startswith("["):
            return _uncertain_items(text, outcome) == []
        return text.startswith("{") and outcome.is_clean(text.encode())
    except (ValueError, RecursionError):
        # It is not JSON, too deep, or not UTF-8.
        return False


def triage(text: str, registry: ToolRegistry, settings: Settings) -> TriageResult | None:
    """Return the possible problems of a JSON text; None where only a full reading can decide.

    The suspects are items of a list. Syntax errors are given for a text that is otherwise clean.
    """
    if not may_answer(settings, IN_TEXTS):
        return None
    outcome = _outcome(registry, settings)
    try:
        if text.startswith("["):
            uncertain = _uncertain_items(text, outcome)
            if uncertain is not None and all(_is_apart(span.of(text), settings) for span in uncertain):
                return TriageResult(suspects=uncertain)
        elif text.startswith("{") and outcome.is_clean(text.encode()):
            return TriageResult()
    except (ValueError, RecursionError):
        # It is not JSON, too deep, or not UTF-8.
        pass
    if not may_hold_transcript(text):
        # For a text that is not a transcript, not even the syntax errors are given.
        return None
    found = with_commas(text)
    return TriageResult(found.problems) if found is not None and is_clean_text(found.text, registry, settings) else None


def _is_apart(item: str, settings: Settings) -> bool:
    """Return whether an item of a list is valid JSON and does not affect how the list is read."""
    try:
        _, end = scan_clean(item, 0, len(item))
    except NotCleanError:
        return False
    return end == len(item) and WORD not in item and settings_of(item[:HEAD], settings) is settings


def _outcome(registry: ToolRegistry, settings: Settings) -> LineCheck:
    global _latest  # noqa: PLW0603 - the result is stored with what it is about
    if _latest is None or _latest[0] is not registry or _latest[1] != settings:
        _latest = (registry, settings, LineCheck(registry, settings, within=True))
    return _latest[2]


def _uncertain_items(text: str, outcome: LineCheck) -> list[Span] | None:
    """Check each item of a list, and return those that are suspect; None where these are many, or it is no such list.

    Items that begin alike are separated by that, without parsing: an item is what is a whole object up to a comma. So a
    suspect need not be an object. Raises ValueError where one of the first is not JSON.
    """
    begin = _ITEM.match(text, 1)
    whole = text.rstrip(_SPACE)
    if begin is None or not whole.endswith("]"):
        return None
    head = begin[1]
    starts = [begin.start(1)]
    while (at := text.find(head, starts[-1] + len(head))) >= 0:
        starts.append(at)
    first: list[Any] = []
    uncertain: list[Span] = []
    most = max(_UNCERTAIN, len(starts) // _UNCERTAIN)
    for start, end in pairwise([*starts, len(whole) - 1]):
        yield_point()
        item = text[start:end].rstrip(_SPACE)
        if end < len(whole) - 1:
            if not item.endswith(","):
                return None
            item = item[:-1].rstrip(_SPACE)
        if not outcome.is_clean(item.encode()):
            uncertain.append(Span(start, start + len(item)))
            if len(uncertain) > most:
                return None
        if len(first) < _FIRST:
            first.append(json.loads(item))
    return uncertain if detect(first) is None else None
