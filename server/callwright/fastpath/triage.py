"""Triage: whether a whole JSON document is plainly in order, but for some items of a list or some commas.

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
from callwright.text.span import Span
from callwright.transcripts.catalogue import detect

if TYPE_CHECKING:
    from callwright.document.settings import Settings
    from callwright.tools.registry import ToolRegistry

_SPACE: Final = " \t\r\n"
#: How the first item of a list begins: a brace and a key.
_ITEM: Final = re.compile(r'[ \t\r\n]*+(\{[ \t\r\n]*+"\w++")')
#: Of a list so many items may be in doubt, or one among so many.
_UNCERTAIN: Final = 4
#: What of a list says whether it is itself a conversation.
_FIRST: Final = 8

#: The latest verdict, with the tools and settings that it is about: one project is open, as a rule.
_latest: tuple[ToolRegistry, Settings, LineCheck] | None = None


def is_clean_text(text: str, registry: ToolRegistry, settings: Settings) -> bool:
    """Return whether there is surely nothing to say about a JSON text: a plain conversation, or a list of such.

    False says nothing. Costs what it costs to parse the text about twice.
    """
    outcome = _outcome(registry, settings)
    try:
        if text.startswith("["):
            return _uncertain_items(text, outcome) == []
        return text.startswith("{") and outcome.is_clean(text.encode())
    except (ValueError, RecursionError):
        # It is no JSON, too deep, or no UTF-8.
        return False


def triage(text: str, registry: ToolRegistry, settings: Settings) -> TriageResult | None:
    """Return what there may be to say about a JSON text; None where only close reading tells.

    Parts in doubt are items of a list. Which faults there are is told of a text that is faultless but for them.
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
        # It is no JSON, too deep, or no UTF-8.
        pass
    if not may_hold_transcript(text):
        # Of what is no transcript, not even its faults are told.
        return None
    found = with_commas(text)
    return TriageResult(found.problems) if found is not None and is_clean_text(found.text, registry, settings) else None


def _is_apart(item: str, settings: Settings) -> bool:
    """Return whether an item of a list is sound JSON and says nothing of how the list is read."""
    try:
        _, end = scan_clean(item, 0, len(item))
    except NotCleanError:
        return False
    return end == len(item) and WORD not in item and settings_of(item[:HEAD], settings) is settings


def _outcome(registry: ToolRegistry, settings: Settings) -> LineCheck:
    global _latest  # noqa: PLW0603 - what is remembered says what it is about
    if _latest is None or _latest[0] is not registry or _latest[1] != settings:
        _latest = (registry, settings, LineCheck(registry, settings, within=True))
    return _latest[2]


def _uncertain_items(text: str, outcome: LineCheck) -> list[Span] | None:
    """Look at each item of a list, and return those in doubt; None where these are many, or it is no such list.

    Items that begin alike are told apart by that, without parsing: what is a whole object up to a comma is an item. So
    what is in doubt need not be one. Raises ValueError where one of the first is no JSON.
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
