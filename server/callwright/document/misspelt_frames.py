"""Frames of calls whose tags are misspelt: no parser of the frame's dialect finds the call in them.

Owns: which tags are nearly those around calls of a dialect, and which of them are meant. Must not know: rules,
registries, any single dialect.

Only a typing error counts. Another case, separator or plural makes a frame of the author's own, and so does a tag that
the document or a setting names.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from callwright.calls.markers import call_tags, marker_names
from callwright.calls.vocabularies import FRAME_NAMES
from callwright.syntax.problem import Problem
from callwright.text.line_ends import NEWLINE
from callwright.text.span import Edit, Span
from callwright.tools.names import fold

if TYPE_CHECKING:
    from callwright.calls.model import ToolCall
    from callwright.calls.protocol import ReadContext, Reading
    from callwright.document.reader import ReadResult

#: The maximum length of what is between a tag and the call that it frames, and of the tag.
_MAX_LENGTH: Final = 100
_NAME: Final = r"([A-Za-z][\w.:\-]{4,40}+)"
_GAP: Final = rf"[ \t]{{0,20}}+(?:{NEWLINE})?+[ \t]{{0,20}}+"
_OPENER: Final = re.compile(rf"<{_NAME}>")
_BEFORE: Final = re.compile(rf"<{_NAME}>{_GAP}\Z")
_AFTER: Final = re.compile(rf"{_GAP}</{_NAME}>")


def may_frame(text: str, at: int) -> int | None:
    """Return where a tag at `at` ends that is nearly one around calls, None where there is no such tag."""
    opener = _OPENER.match(text, at)
    return opener.end() if opener is not None and _meant(opener[1]) else None


def misspelt_frame(
    text: str, place: Span, reading: Reading, context: ReadContext, read: Callable[[str], ReadResult]
) -> tuple[Problem, Span] | None:
    """Return the problem of the frame directly around a reading, and where the frame is; None where it has none.

    `read` reads a text by itself: the frame is the one in which the same calls are read.
    """
    opener = _BEFORE.search(text, max(0, place.start - _MAX_LENGTH), place.start)
    meant = () if opener is None or _is_own(opener[1], context) else _meant(opener[1])
    if opener is None or not meant:
        return None
    closer = _AFTER.match(text, place.end)
    context.look(place.end + _MAX_LENGTH if closer is None else closer.end())
    if closer is None or closer[1] not in (opener[1], *meant):
        return None
    inner = text[opener.end(1) + 1 : closer.start(1) - 2]
    known = _shape(reading.calls, reading.problems)
    fitting = []
    for name in meant if closer[1] == opener[1] else (closer[1],):
        framed = f"<{name}>{inner}</{name}>"
        result = read(framed)
        calls = [found.call for found in result.calls]
        if _shape(calls, result.problems) == known and all(call.place == Span(0, len(framed)) for call in calls):
            fitting.append(name)
    if len(fitting) != 1:
        return None
    name = fitting[0]
    named = [Span(*each.span(1)) for each in (opener, closer) if each[1] != name]
    data = {"reason": f"the tag around it is named `{opener[1]}`", "remedy": f"Rename it to `{name}`"}
    edits = tuple(Edit(span, name) for span in named)
    # Other problems are fixed first.
    problem = Problem("skipped-call", named[0], data, edits, certain=not known[1])
    return problem, Span(opener.start(), closer.end())


def _is_own(name: str, context: ReadContext) -> bool:
    """Return whether the document or a setting names a tag."""
    return context.tools.has(name) or name in context.answer_tags or name in (context.documented or ())


def _shape(calls: Sequence[ToolCall], problems: Sequence[Problem]) -> tuple[list[str | None], list[str]]:
    """Return what calls name, and what is wrong with them."""
    found = [*problems, *(problem for call in calls for problem in call.problems)]
    return [call.tool for call in calls], sorted(problem.kind for problem in found)


@lru_cache(maxsize=4096)
def _meant(name: str) -> tuple[str, ...]:
    """Return the tags around calls that a name is one typing error away from."""
    if name in marker_names() or name in FRAME_NAMES:
        return ()
    folded = fold(name)
    return tuple(sorted(tag for tag in call_tags() if _is_typing_error(name, folded, tag)))


def _is_typing_error(name: str, folded: str, tag: str) -> bool:
    if abs(len(name) - len(tag)) > 1 or name.endswith("s") != tag.endswith("s"):
        return False
    right = fold(tag)
    if folded == right or folded.replace("s", "") == right.replace("s", ""):
        return False
    from rapidfuzz.distance import OSA

    return bool(OSA.distance(name, tag, score_cutoff=1) == 1)
