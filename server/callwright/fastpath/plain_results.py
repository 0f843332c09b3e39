"""Results of tools: values and texts that certainly report no failure.

Owns: `check_result`, `check_results_in_text`, `without_labels`. Must not know: which call a result answers, shapes of
transcripts, lines. The plain forms of results in text are derived from what `calls/result_text.py` writes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import cache
from typing import Any, Final

from callwright.calls.result_text import FAILURES, LABELLED_FAILURES, ResultDraft, write_results
from callwright.calls.turns import Spot, TurnText
from callwright.conversation.results import states_failure, value_states_failure
from callwright.dialects.catalogue import plain_dialects
from callwright.fastpath.codec import FallbackNeeded
from callwright.text.records import NamedTuple
from callwright.text.span import Span
from callwright.transcripts.support.text_results import RESULT_MARKERS, whole_result

#: What a text that reports no failure usually begins with.
CLEAN: Final = frozenset("".join(map(chr, range(33, 127))).translate({ord(marker): None for marker in "{[<eEtTfF"}))
#: Every text that reports a failure contains one of these, in any case.
_REPORTING: Final = ("error", "exception", "traceback", "fatal", "fail", "success", '"ok"')
_NOWHERE: Final = Spot(Span(0, 0))


def _may_report_failure(text: str) -> bool:
    """Return whether a text has any of the words of a failure report."""
    # Much faster than one pattern for all of them.
    lowered = text.lower()
    return any(word in lowered for word in _REPORTING)


def _value_of(content: str, loads: Callable[[str], Any]) -> Any:
    """Return the value of a text that is JSON, else the text; any value will do where it reports no failure."""
    try:
        # What a fast parser accepts, every parser reads alike; parsing it is faster than searching it.
        return loads(content)
    except (FallbackNeeded, ValueError):
        if not _may_report_failure(content):
            return None
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        return content


def check_result(content: Any, loads: Callable[[str], Any]) -> None:
    """Check the result of a tool; raises `FallbackNeeded` where it may report a failure.

    `loads` reads JSON, and raises ValueError or `FallbackNeeded` where the text is not JSON.
    """
    if type(content) is list:
        (only,) = content
        if len(only) != 2 or only["type"] != "text":
            raise FallbackNeeded
        content = only["text"]
    if type(content) is not str:
        raise FallbackNeeded
    first = content[:1]
    if first in CLEAN:
        return
    head = content if first == "{" else content[:64].lstrip()
    if head[:1] == "{" or head[:1] == "[":
        if value_states_failure(_value_of(content, loads)):
            raise FallbackNeeded
    elif head.lower().startswith(FAILURES) or (not head and len(content) > len(head)):
        raise FallbackNeeded


class _Envelope(NamedTuple):
    """The text before a result and after it."""

    begin: re.Pattern[str]
    end: str


@cache
def _envelopes(*, quoted: bool) -> tuple[_Envelope, ...]:
    """Return how results are written in the dialects that go with the dialects of plain calls: those whose text is
    `quoted`, as in JSON, or the others."""
    found = []
    for format_ in sorted({dialect.results for dialect in plain_dialects()}):
        # A quote in the text shows whether it is written as JSON.
        begin, text, end = re.split(r'(\\?"TEXT\\?")', write_results(format_, [ResultDraft("NAME", '"TEXT"')]))
        pattern = re.escape(begin).replace("NAME", r"[A-Za-z_]\w{0,80}+")
        if text.startswith("\\") == quoted:
            found.append(_Envelope(re.compile(pattern, re.ASCII), end))
    return tuple(found)


def check_results_in_text(reported: list[str], loads: Callable[[str], Any]) -> None:
    """Check messages with results of tools; raises `FallbackNeeded` where one may report a failure."""
    # What is plainly written is faster to read than to search, and faster to read together.
    if len(reported) > 1 and _are_enveloped(reported, loads):
        return
    for text in reported:
        if not _are_enveloped([text], loads) and _may_report_failure(text):
            for result in whole_result(TurnText(_NOWHERE, text)):
                if states_failure(result) or result.id is not None or result.call_id is not None:
                    raise FallbackNeeded


def _are_enveloped(reported: list[str], loads: Callable[[str], Any]) -> bool:
    """Return whether messages are only results in plain envelopes, none of which reports a failure."""
    # A line feed is in no string, so no envelope reaches from one message into the next.
    joined = "\n".join(reported)
    for begin, end in _envelopes(quoted=True):
        if not joined.endswith(end):
            continue
        written = []
        for part in joined[: -len(end)].split(end):
            own = part.removeprefix("\n")
            start = begin.match(own)
            # A backslash at its end would escape the quote after it.
            if start is None or own[-1:] == "\\":
                return False
            written.append(own[start.end() :])
        contents = _texts_of(written, loads)
        if contents is None:
            return False
        for content in contents:
            check_result(content, loads)
        return True
    return False


def _texts_of(written: list[str], loads: Callable[[str], Any]) -> list[str] | None:
    """Return the texts between quotes, without a backslash at the end; None where one contains more."""
    # Each ends with its own quote, so a quote in one makes it more than one text.
    try:
        found: list[str] = loads('["' + '","'.join(written) + '"]')
    except (FallbackNeeded, ValueError):
        return None
    return found if len(found) == len(written) else None


def without_labels(texts: list[str], loads: Callable[[str], Any]) -> list[str]:
    """Return the texts of users, without those that are only a valid result below a label with its tool's name.

    Raises `FallbackNeeded` where one of these may report a failure."""
    rest, contents = [], []
    for text in texts:
        content = _labelled(text) if text[:1] == "[" else ""
        if content:
            contents.append(content)
        else:
            rest.append(text)
    if contents:
        # What is in one of them is also found in all of them together.
        joined = "\n".join(contents)
        for marker in RESULT_MARKERS:
            if marker in joined:
                return texts
        for content in contents:
            if content[0] not in CLEAN:
                check_result(content, loads)
    return rest


def _labelled(text: str) -> str:
    """Return the result below a label, empty where there is none, or it reports a failure."""
    for pattern in _labels():
        label = pattern.match(text)
        if label is not None:
            content = text[label.end() :].strip()
            return "" if content.startswith(LABELLED_FAILURES) else content
    return ""


@cache
def _labels() -> tuple[re.Pattern[str], ...]:
    """Return the labels before a result, which ends with its message."""
    return tuple(begin for begin, end in _envelopes(quoted=False) if not end)
